"""Helpers that the functions of this folder share."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..context import FLOAT_DTYPES as _FLOATS
from ..ops import registry as _k


def as_tensor(x):
    """A tensor, or what numpy.array makes of a number or a sequence: ints are int32."""
    if isinstance(x, _Tensor):
        return x
    made = _Tensor(x)
    return _k.cast(made, _mstype.int32) if made.dtype == _mstype.int64 and not hasattr(x, "dtype") else made


def as_float(x):
    """A tensor of floats or complex numbers: integers become float32."""
    return x if x.dtype in _FLOATS or x.dtype in _mstype.complex_type else _k.cast(x, _mstype.float32)


def public(names):
    """A decorator that adds the name of a function to the list `names`."""
    def deco(function):
        names.append(function.__name__)
        return function
    return deco
