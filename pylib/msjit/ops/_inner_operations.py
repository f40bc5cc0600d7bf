"""Kernels that MindSpore keeps to itself (ops.operations._inner_ops, _grad_ops, ...), which some packages import nevertheless.

A primitive of that name among the public ones is that; the others can be imported and raise when they are called.
"""
from .. import absent as _absent
from . import operations as _operations

_refuse = _absent.attributes(
    __name__, lambda name: None if not name[:1].isupper() else "gradient kernel" if "Grad" in name else "compiler")


def __getattr__(name):
    return getattr(_operations, name) if name in _operations.__all__ else _refuse(name)
