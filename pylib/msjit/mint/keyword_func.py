"""Functions of mint that compute the same as those of ops, with mint's parameter names and defaults."""
from .. import ops as _ops
from ..ops import registry as _k


def index_select(input, dim, index):
    """Slices along an axis, by index."""
    return _ops.index_select(input, dim, index)


def narrow(input, dim, start, length):
    """`length` elements from `start` on, along an axis; a negative start counts from its end."""
    return _ops.narrow(input, dim, start + input.shape[dim] if start < 0 else start, length)


def linspace(start, end, steps, *, dtype=None):
    """`steps` numbers from start to end (inclusive), float32 unless dtype is given; ValueError for less than one."""
    return _ops.linspace(start, end, steps) if dtype is None else _k.cast(_ops.linspace(start, end, steps), dtype)


def mean(input, dim=None, keepdim=False, *, dtype=None):
    """Mean over axes; None means all."""
    return _ops.mean(input if dtype is None else _k.cast(input, dtype), dim, keepdim)


def prod(input, dim=None, keepdim=False, *, dtype=None):
    """Product over axes; None means all."""
    return _ops.prod(input, dim, keepdim, dtype)


def mv(input, vec):
    """Product of a matrix and a vector."""
    return _ops.mv(input, vec)


def norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    """The p-norm over axes, all by default: 'fro' is 2, 'nuc' the sum of the singular values of matrices."""
    input = input if dtype is None else _k.cast(input, dtype)
    if p == "nuc":
        return _ops.norm(input, "nuc", dim, keepdim)
    return _ops.vector_norm(input, 2 if p in ("fro", None) else p, dim, keepdim)


def permute(input, dims):
    """Axes in another order."""
    return _k.transpose(input, dims)


def pow(input, exponent):
    """input to the power of exponent, tensors or one of them a number."""
    return _k.pow(input, exponent)


def softmax(input, dim, *, dtype=None):
    """exp(x) / sum(exp(x)) over an axis."""
    return _ops.softmax(input, dim, dtype=dtype)


def split(tensor, split_size_or_sections, dim=0):
    """Parts of equal size (an int: the size of one), or of the given sizes, along an axis."""
    return _ops.split(tensor, split_size_or_sections, dim)


def stack(tensors, dim=0):
    """Joins tensors along a new axis."""
    return _k.stack(tensors, dim)


def tile(input, dims):
    """The tensor repeated along its axes."""
    return _ops.tile(input, dims)


__all__ = ["index_select", "linspace", "narrow", "mean", "prod", "mv", "norm", "permute", "pow", "softmax", "split", "stack", "tile"]
