"""Functions of mint that differ from those of ops only in parameter names and defaults."""
from .. import ops as _ops
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..ops import registry as _k


def index_select(input, dim, index):
    """Picks slices along an axis, at the positions in `index`."""
    return _ops.index_select(input, dim, index)


def narrow(input, dim, start, length):
    """Returns `length` elements along an axis, from index start on; a negative start counts from the end."""
    return _ops.narrow(input, dim, start + input.shape[dim] if start < 0 else start, length)


def linspace(start, end, steps, *, dtype=None):
    """Creates a vector of `steps` evenly spaced numbers from start to end (inclusive), float32 unless dtype is given.

    Raises ValueError for less than one step.
    """
    return _ops.linspace(start, end, steps) if dtype is None else _k.cast(_ops.linspace(start, end, steps), dtype)


def mean(input, dim=None, keepdim=False, *, dtype=None):
    """Computes the mean over axes; None means all axes."""
    return _ops.mean(input if dtype is None else _k.cast(input, dtype), dim, keepdim)


def prod(input, dim=None, keepdim=False, *, dtype=None):
    """Multiplies elements over axes; None means all axes."""
    return _ops.prod(input, dim, keepdim, dtype)


def mv(input, vec):
    """Multiplies a matrix by a vector."""
    return _ops.mv(input, vec)


def norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    """Computes the p-norm over axes, by default of all elements: 'fro' is the 2-norm, 'nuc' the sum of the singular values of matrices."""
    input = input if dtype is None else _k.cast(input, dtype)
    if p == "nuc":
        return _ops.norm(input, "nuc", dim, keepdim)
    return _ops.vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim)


def permute(input, dims):
    """Reorders the axes."""
    try:
        return _k.transpose(input, dims)
    except _ERRORS as error:
        _rename(error, "permute")
        raise


def pow(input, exponent):
    """Computes input^exponent; one of them may be a number."""
    return _k.pow(input, exponent)


def softmax(input, dim, *, dtype=None):
    """Computes exp(x) / sum(exp(x)) over an axis."""
    return _ops.softmax(input, dim, dtype=dtype)


def split(tensor, split_size_or_sections, dim=0):
    """Splits a tensor along an axis into a tuple of parts; an int is the size of each part, a list names all sizes."""
    return _ops.split(tensor, split_size_or_sections, dim)


def stack(tensors, dim=0):
    """Joins tensors along a new axis."""
    return _k.stack(tensors, dim)


def tile(input, dims):
    """Repeats the tensor along its axes."""
    return _ops.tile(input, dims)


__all__ = ["index_select", "linspace", "narrow", "mean", "prod", "mv", "norm", "permute", "pow", "softmax", "split", "stack", "tile"]
