"""amp level "auto": single operators compute in a lower precision."""
from functools import wraps

from ._native import _msjit
from .uncaptured import Uncaptured


class AutoCast(Uncaptured):
    """Context manager: products and convolutions get their floats in `dtype`, functions that lose their sense there in float32, and
    the others as they are, in the widest where they are mixed. The lists, MindSpore's, are in pylib/ext/auto_cast.cc."""

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
