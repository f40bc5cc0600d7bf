"""amp level "auto": single operators compute in a lower precision."""
from ._native import _msjit


class AutoCast:
    """Context manager: casts the float inputs of single operators. Products and convolutions compute in `dtype`, and functions that would be
    too inaccurate in it compute in float32. The others keep the dtype of their inputs; mixed inputs are cast to the widest dtype among them.
    kernels/core/auto_cast.cc has the lists, which are MindSpore's.

    Captured with what is inside, it is a part of the graph; otherwise nothing inside is captured."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __enter__(self):
        _msjit.push_auto_cast(self.dtype)

    def __exit__(self, *error):
        _msjit.pop_auto_cast()


def method_in_precision(function):
    """A function whose first argument is a Cell, its calls inside AutoCast of that Cell's dtype. It is made once for each function."""
    made = function.__dict__.get("__msjit_in_precision__")
    if made is None or made.function is not function:  # functools.wraps has copied it from another function
        def call(self, *args, **kwargs):
            with AutoCast(self._ms_auto_cast):
                return function(self, *args, **kwargs)
        call.function = function
        made = function.__msjit_in_precision__ = call
    return made


def in_precision(function, dtype):
    """The function, its calls inside AutoCast(dtype)."""
    def call(*args, **kwargs):
        with AutoCast(dtype):
            return function(*args, **kwargs)
    return call
