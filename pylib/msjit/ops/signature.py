"""Signatures of the inputs of a user-defined Primitive: which it writes to, their defaults, and which share a dtype.

Programs give them as `__mindspore_signature__`, and MindSpore casts inputs by them. They have no effect here, where an
operator is a Python function that casts its inputs itself.
"""
import collections
import enum


class sig_rw(enum.Enum):
    """Whether a primitive reads an input, writes to it, or both."""

    RW_READ, RW_WRITE, RW_REF = range(3)


class sig_kind(enum.Enum):
    """Kind of a parameter, as in Python; KIND_EMPTY_DEFAULT_VALUE means no default."""

    KIND_POSITIONAL_KEYWORD, KIND_VAR_POSITIONAL, KIND_KEYWORD_ONLY, KIND_VAR_KEYWARD, KIND_EMPTY_DEFAULT_VALUE = range(5)


sig_dtype = enum.Enum("sig_dtype", "T T1 T2 T3 T4 T5 T6 T7 T8 T9 T_EMPTY_DEFAULT_VALUE", module=__name__)
Signature = collections.namedtuple("Signature", "name rw kind default dtype")


def make_sig(name="var", rw=sig_rw.RW_READ, kind=sig_kind.KIND_POSITIONAL_KEYWORD,
             default=sig_kind.KIND_EMPTY_DEFAULT_VALUE, dtype=sig_dtype.T_EMPTY_DEFAULT_VALUE):
    """Makes the Signature of one input."""
    return Signature(name, rw, kind, default, dtype)
