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


def in_precision(function, dtype):
    """The function, its calls inside AutoCast(dtype)."""
    def call(*args, **kwargs):
        with AutoCast(dtype):
            return function(*args, **kwargs)
    return call
