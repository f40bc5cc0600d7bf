"""Functions of mint that take other arguments than those of ops of the same name."""
from .. import ops as _ops
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from ..ops import registry as _k


def _scaled(other, alpha):
    return other if alpha == 1 else other * alpha


def add(input, other, *, alpha=1):
    """input + alpha other."""
    return _k.add(input, _scaled(other, alpha))


def sub(input, other, *, alpha=1):
    """input - alpha other."""
    return _k.sub(input, _scaled(other, alpha))


def max(input, dim=None, keepdim=False, *, other=None):
    """Largest element; (values, indices) along an axis; of two tensors the larger elements, max(input, other)."""
    if isinstance(dim, _Tensor) or other is not None:
        return _k.maximum(input, dim if other is None else other)
    return _ops.amax(input) if dim is None else _ops.max(input, dim, keepdim)


def min(input, dim=None, keepdim=False, *, other=None):
    """Smallest element; (values, indices) along an axis; of two tensors the smaller elements, min(input, other)."""
    if isinstance(dim, _Tensor) or other is not None:
        return _k.minimum(input, dim if other is None else other)
    return _ops.amin(input) if dim is None else _ops.min(input, dim, keepdim)


def where(condition, input=None, other=None):
    """Elements of input where the condition is true, of other elsewhere; of the condition alone, where it is true."""
    if input is None and other is None:
        return _ops.nonzero(condition, as_tuple=True)
    return _k.where(condition, input, other)


def repeat_interleave(input, repeats, dim=None, *, output_size=None):
    """Each element `repeats` times in a row, along an axis or of the flattened tensor."""
    return _ops.repeat_interleave(input, repeats, dim)


def ones(size, *, dtype=None):
    """Ones of a shape, float32 unless dtype is given."""
    return _ops.ones(size, dtype)


def zeros(size, *, dtype=None):
    """Zeros of a shape, float32 unless dtype is given."""
    return _ops.zeros(size, dtype)


def frac(input):
    """The part after the decimal point, with the sign of the number."""
    return _ops.frac(input)


def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """Distinct elements in ascending order, or with `dim` distinct slices along an axis.

    With return_inverse follows the place of each element (or slice) among them, with return_counts how often each occurs; int64.

    >>> from msjit import Tensor, mint
    >>> [part.asnumpy().tolist() for part in mint.unique(Tensor([3, 1, 3]), return_inverse=True, return_counts=True)]
    [[1, 3], [1, 0, 1], [1, 2]]
    """
    import numpy
    array = _check(input, "unique").asnumpy()
    if dim is not None and not -array.ndim <= dim < array.ndim:
        raise ValueError("[unique] dim, got %d, expected %d to %d" % (dim, -array.ndim, array.ndim - 1))
    values, inverse, counts = numpy.unique(array, return_inverse=True, return_counts=True, axis=dim)
    inverse = inverse.reshape(array.shape if dim is None else (array.shape[dim],))
    out = [_k.cast(_Tensor(values), input.dtype)]
    out += [_Tensor(inverse.astype(numpy.int64))] if return_inverse else []
    out += [_Tensor(counts.astype(numpy.int64))] if return_counts else []
    return out[0] if len(out) == 1 else tuple(out)


__all__ = ["add", "sub", "max", "min", "where", "repeat_interleave", "ones", "zeros", "frac", "unique"]
