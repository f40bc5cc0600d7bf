"""Helpers that the files of this folder share."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..context import FLOAT_DTYPES as _FLOATS
from ..ops import registry as _k


def as_tensor(x):
    """Converts a number or a sequence to a tensor, as numpy.array but with int32 for Python ints; a tensor stays."""
    if isinstance(x, _Tensor):
        return x
    made = _Tensor(x)
    return _k.cast(made, _mstype.int32) if made.dtype == _mstype.int64 and not hasattr(x, "dtype") else made


def as_float(x):
    """Converts integers to float32; floats and complex numbers stay."""
    return x if x.dtype in _FLOATS or x.dtype in _mstype.complex_type else _k.cast(x, _mstype.float32)


def public(names):
    """Returns a decorator that adds the name of a function to the list `names`."""
    def deco(function):
        names.append(function.__name__)
        return function
    return deco
