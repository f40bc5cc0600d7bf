"""Functions that the files with methods of Tensor share."""
import types

from .._native import Tensor, _msjit, dtypes


def bits(x):
    """The elements as a NumPy array; those of bfloat16, which NumPy lacks, as the uint16 that has their bits."""
    array = x.asnumpy()
    if x.dtype != dtypes["bfloat16"]:
        return array
    import numpy
    return numpy.asarray(array.view(numpy.uint32) >> 16, numpy.uint16)


def of_bits(array, dtype):
    """A Tensor of the elements of a dtype whose bytes a NumPy array holds."""
    import numpy

    from .dtype import dtype_to_nptype
    if dtype != dtypes["bfloat16"]:
        return Tensor.from_numpy(array.view(dtype_to_nptype(dtype)))
    wide = numpy.asarray(array.view(numpy.uint16), numpy.uint32) << 16
    return Tensor(numpy.asarray(wide).view(numpy.float32)).astype(dtype)


def put_method(name, function):
    """Binds a method to Tensor. A function that is written for this alone gets its name, by which Python's errors about arguments call it."""
    if isinstance(function, types.FunctionType) and function.__name__ in ("_" + name, "<lambda>"):
        function.__name__, function.__qualname__ = name, "Tensor." + name
    _msjit.register_method(Tensor, name, function)


def no_out(where, out):
    """The error for `out`, which NumPy's functions pass to the methods they call."""
    return TypeError("[%s] out, got %s, expected None" % (where, type(out).__name__))


def _rank(dtype):
    """The place of a dtype among bools, integers, floats and complex numbers: 0 to 3."""
    return 3 if dtype.is_complex else 2 if dtype.is_floating_point else 0 if dtype == _msjit.bool_ else 1


def written(name, tensor, out, converts=False):
    """Writes `out`, cast to the tensor's dtype, into the tensor; returns the tensor. The tape records it like x[...] = out.

    A result of another kind, as floats for a tensor of integers, would lose what makes it that kind: TypeError, unless the method `converts`,
    as those do that set elements to given values.
    """
    if out.shape != tensor.shape:
        raise ValueError("[%s] result has a wrong shape, got %s, expected %s" % (name, tuple(out.shape), tuple(tensor.shape)))
    if out.dtype != tensor.dtype and not converts and _rank(out.dtype) > _rank(tensor.dtype):
        raise TypeError("[%s] dtype of the result, got %s, expected one that a tensor of %s can hold" % (name, out.dtype, tensor.dtype))
    tensor[...] = out if out.dtype == tensor.dtype else out.astype(tensor.dtype)
    return tensor


def written_text(name, function, converts=False):
    """The docstring of the method that writes the result of a function of ops to the tensor."""
    text = (function.__doc__ or "").split(">>>")[0].rstrip().replace("\n    ", "\n")
    cut = "" if converts else ", TypeError where a tensor of integers would get floats"
    return ("ops.%s of this tensor and the arguments, written to the tensor, which keeps its shape and dtype; returns the tensor.\n\n"
            "Raises ValueError where the result has another shape%s, and what the function raises.\n\nThe function: %s" % (name, cut, text))


__all__ = ["no_out", "put_method", "written", "written_text"]
