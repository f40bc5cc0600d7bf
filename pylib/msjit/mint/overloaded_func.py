"""Functions of mint that take other arguments than the functions of ops with the same names."""
from .. import ops as _ops
from ..common.checks import check_axis as _check_axis
from ..common.checks import scaled as _scaled
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from ..ops import registry as _k


def add(input, other, *, alpha=1):
    """Computes input + alpha * other, element by element, with broadcasting. One of the two may be a number.

    The result has the common dtype: integers and float32 give float32. Raises ValueError for shapes that do not broadcast, TypeError for
    anything but Tensors and numbers.
    """
    return _k.add(input, other if alpha == 1 else _scaled(other, alpha, "add"))


def sub(input, other, *, alpha=1):
    """Computes input - alpha * other, element by element, with broadcasting. One of the two may be a number.

    The result has the common dtype: integers and float32 give float32. Raises ValueError for shapes that do not broadcast, TypeError for
    anything but Tensors and numbers.
    """
    return _k.sub(input, other if alpha == 1 else _scaled(other, alpha, "sub"))


def max(input, dim=None, keepdim=False, *, other=None):
    """Returns the largest element; with dim (largest elements along that axis, their indices); with a second tensor the larger ones of the two.

    Indices are int64; with keepdim the axis stays, with size 1. max(input, other) broadcasts. Raises ValueError for an axis that the input does
    not have, for one without elements and for shapes that do not broadcast, TypeError for anything but Tensors.
    """
    if isinstance(dim, _Tensor) or other is not None:
        return _k.maximum(input, dim if other is None else other)
    return _ops.amax(input) if dim is None else _ops.max(input, dim, keepdim)


def min(input, dim=None, keepdim=False, *, other=None):
    """Returns the smallest element; with dim (smallest elements along that axis, their indices); with a second tensor the smaller ones of the two.

    Indices are int64; with keepdim the axis stays, with size 1. min(input, other) broadcasts. Raises ValueError for an axis that the input does
    not have, for one without elements and for shapes that do not broadcast, TypeError for anything but Tensors.
    """
    if isinstance(dim, _Tensor) or other is not None:
        return _k.minimum(input, dim if other is None else other)
    return _ops.amin(input) if dim is None else _ops.min(input, dim, keepdim)


def where(condition, input=None, other=None):
    """Picks elements of input where the condition is true (not 0), of other elsewhere; the three broadcast, and two of them may be numbers.

    With the condition alone it returns the indices where that is true: a tuple with an int64 vector for each axis. Raises ValueError for
    shapes that do not broadcast, TypeError for a condition that is no Tensor and where only one of input and other is given.
    """
    if input is None and other is None:
        return _ops.nonzero(condition, as_tuple=True)
    return _k.where(condition, input, other)


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    """Repeats each element `repeats` times in a row, along an axis, or of the flattened tensor where dim is None.

    repeats is an int, or a list or Tensor of ints, one for each element. output_size is ignored. Raises ValueError for a negative number, for
    another count of numbers and for an axis that the input does not have, TypeError for floats and for anything but a Tensor.
    """
    return _ops.repeat_interleave(input, repeats, dim)


def ones(size, *, dtype=None):
    """Creates a tensor of ones, float32 unless dtype is given. size is an int, a tuple of ints or a Tensor of them.

    Raises ValueError for a negative size, TypeError for another kind of size or dtype.
    """
    return _ops.ones(size, dtype)


def zeros(size, *, dtype=None):
    """Creates a tensor of zeros, float32 unless dtype is given. size is an int, a tuple of ints or a Tensor of them.

    Raises ValueError for a negative size, TypeError for another kind of size or dtype.
    """
    return _ops.zeros(size, dtype)


def frac(input):
    """Returns the fractional part of each element, x - trunc(x), with the sign of x. Shape and dtype are those of the input.

    Raises TypeError for anything but a Tensor.
    """
    return _ops.frac(input)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """Returns the distinct elements in ascending order, or with `dim` the distinct slices along an axis.

    return_inverse adds the index of each element (or slice) among them, return_counts the number of times each occurs; both are int64. Raises
    ValueError for an axis that the input does not have, TypeError for anything but a Tensor.

    >>> from msjit import Tensor, mint
    >>> [part.asnumpy().tolist() for part in mint.unique(Tensor([3, 1, 3]), return_inverse=True, return_counts=True)]
    [[1, 3], [1, 0, 1], [1, 2]]
    """
    import numpy
    array = _check(input, "unique").asnumpy()
    dim = None if dim is None else _check_axis(dim, array.ndim, "unique", "dim")
    values, inverse, counts = numpy.unique(array, return_inverse=True, return_counts=True, axis=dim)
    inverse = inverse.reshape(array.shape if dim is None else (array.shape[dim],))
    out = [_k.cast(_Tensor(values), input.dtype)]
    out += [_Tensor(inverse.astype(numpy.int64))] if return_inverse else []
    out += [_Tensor(counts.astype(numpy.int64))] if return_counts else []
    return out[0] if len(out) == 1 else tuple(out)


__all__ = ["add", "sub", "max", "min", "where", "repeat_interleave", "ones", "zeros", "frac", "unique"]
