"""Distances and norms under MindSpore's names and argument orders."""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import math_func as _m
from . import registry as _k


def cdist(x1, x2, p=2.0):
    """Computes the p-norm distance of every row of x1 from every row of x2: (..., n, d) and (..., m, d) give (..., n, m)."""
    if p < 0:
        raise ValueError("[cdist] p must not be negative, got %s" % (p,))
    if _check(x1, "cdist").ndim < 2 or _check(x2, "cdist").ndim < 2 or x1.shape[-1] != x2.shape[-1]:
        raise ValueError("[cdist] operands must be matrices with rows of one length, got shapes %s and %s"
                         % (tuple(x1.shape), tuple(x2.shape)))
    return _length(_k.expand_dims(x1, -2) - _k.expand_dims(x2, -3), float(p))


def _length(gap, p):
    """The norm of order p over the last axis, with gradient 0 where the norm is 0."""
    size = _k.abs(gap)
    if p == 0:
        return _k.sum(_k.cast(_k.not_equal(gap, 0), gap.dtype), -1)
    if p == float("inf"):
        return _k.max(size, -1)
    if p == 1:
        return _k.sum(size, -1)
    return _m._root(_k.sum(_k.square(gap) if p == 2 else _k.pow(size, p), -1), p)


def pdist(input, p=2.0):
    """Computes the p-norm distance of each row from every later row: (..., n, d) gives (..., n (n - 1) / 2)."""
    count = _check(input, "pdist").shape[-2]
    first = _Tensor([i for i in range(count) for _ in range(i + 1, count)], _mstype.int64)
    second = _Tensor([j for i in range(count) for j in range(i + 1, count)], _mstype.int64)
    return _length(_k.gather(input, first, -2) - _k.gather(input, second, -2), float(p))


def dist(input, other, p=2):
    """Computes the p-norm of input - other, over all elements."""
    return _m.norm(_k.reshape(input - other, (-1,)), float(p))


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    """Computes the cosine of the angle between vectors along an axis; eps is the smallest norm that is divided by."""
    try:
        product = _k.sum(x1 * x2, dim)
    except _ERRORS as error:
        _rename(error, "cosine_similarity")
        raise
    first, second = _m._root(_k.sum(_k.square(x1), dim), 2), _m._root(_k.sum(_k.square(x2), dim), 2)
    return product / (_k.maximum(first, eps) * _k.maximum(second, eps))


def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None):
    """Computes the norm of vectors along axes; by default of all elements as one vector."""
    x = x if dtype is None else _k.cast(x, dtype)
    return _m._vector_norm(x, ord, axis, keepdims)


def matrix_norm(A, ord="fro", axis=(-2, -1), keepdims=False, *, dtype=None):
    """Computes the norm of matrices on two axes, as norm."""
    A = A if dtype is None else _k.cast(A, dtype)
    _check(A, "matrix_norm")
    if not isinstance(axis, (tuple, list)):
        raise TypeError("[matrix_norm] axis, got %s, expected a tuple of two ints" % type(axis).__name__)
    axes = [_check_axis(at, A.ndim, "matrix_norm") for at in axis]
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError("[matrix_norm] axis, got %s, expected two axes" % (axis,))
    return _m._matrix_norm(A, ord, axes[0], axes[1], keepdims)


def renorm(input, p, axis, maxnorm):
    """Scales down the slices along an axis whose p-norm is above maxnorm, to that norm."""
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise TypeError("[renorm] p, got %s, expected a number" % type(p).__name__)
    if not _check(input, "renorm").ndim or not p > 0:
        raise ValueError("[renorm] p and the rank of input, got %s and %d, expected above 0" % (p, input.ndim))
    axis = _check_axis(axis, input.ndim, "renorm")
    others = tuple(i for i in range(input.ndim) if i != axis)
    norm = _m._root(_k.sum(_k.pow(_k.abs(input), float(p)), others, True), p)
    return input * _k.where(_k.greater(norm, maxnorm), maxnorm / (norm + 1e-7), 1.0)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
