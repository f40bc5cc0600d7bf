"""Functions that the files with methods of Tensor share."""
import types

from .._native import Tensor, _msjit


def put_method(name, function):
    """Binds a method to Tensor. A function that is written for this alone gets its name, by which Python's errors about arguments call it."""
    if isinstance(function, types.FunctionType) and function.__name__ in ("_" + name, "<lambda>"):
        function.__name__, function.__qualname__ = name, "Tensor." + name
    _msjit.register_method(Tensor, name, function)


def written(name, tensor, out):
    """Writes `out`, cast to the tensor's dtype, into the tensor; returns the tensor. The tape records it like x[...] = out."""
    if out.shape != tensor.shape:
        raise ValueError("[%s] result has a wrong shape, got %s, expected %s" % (name, tuple(out.shape), tuple(tensor.shape)))
    tensor[...] = out if out.dtype == tensor.dtype else out.astype(tensor.dtype)
    return tensor


__all__ = ["put_method", "written"]
