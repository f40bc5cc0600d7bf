"""amp level "auto": single operators compute in a lower precision."""
from functools import wraps

from ._native import _msjit
from .uncaptured import Uncaptured


class AutoCast(Uncaptured):
    """Context manager: casts the float inputs of single operators. Products and convolutions compute in `dtype`, and functions that would be
    too inaccurate in it compute in float32. The others keep the dtype of their inputs; mixed inputs are cast to the widest dtype among them.
    pylib/ext/auto_cast.cc has the lists, which are MindSpore's."""

    def __init__(self, dtype):
        super().__init__()
        self.dtype = dtype

    def __enter__(self):
        super().__enter__()
        _msjit.push_auto_cast(self.dtype)

    def __exit__(self, *error):
        _msjit.pop_auto_cast()
        super().__exit__(*error)


def in_precision(function, dtype):
    """The function, its calls inside AutoCast(dtype)."""
    @wraps(function)
    def call(*args, **kwargs):
        with AutoCast(dtype):
            return function(*args, **kwargs)
    return call
