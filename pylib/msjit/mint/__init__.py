"""msjit.mint: the newer spellings of common functions."""
from .. import ops as _ops
from ..ops import (  # noqa: F401
    abs, add, arange, argmax, bmm, broadcast_to, cat, clamp, cos, div, eq, equal, erf, exp, eye, flatten, full,
    full_like, gather, greater, index_select, isclose, less, log, logical_and, logical_not, logical_or, masked_fill,
    matmul, maximum, mean, minimum, mul, narrow, ne, neg, nonzero, norm, one_hot, ones, ones_like, permute, pow, prod,
    rand, randn, reciprocal, relu, rsqrt, select, sigmoid, sin, softmax, split, sqrt, square, squeeze, stack, sub, sum,
    tanh, tile, unique, unsqueeze, where, zeros, zeros_like,
)
from . import functional, nn  # noqa: F401


def max(input, dim=None, keepdim=False):
    """Largest element, or (values, indices) along an axis."""
    return _ops.amax(input) if dim is None else _ops.max(input, dim, keepdim)


def min(input, dim=None, keepdim=False):
    """Smallest element, or (values, indices) along an axis."""
    return _ops.amin(input) if dim is None else _ops.min(input, dim, keepdim)


def transpose(input, dim0, dim1):
    """Exchanges two axes."""
    return _ops.swapaxes(input, dim0, dim1)
