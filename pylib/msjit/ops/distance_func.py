"""Distances and norms under MindSpore's names and argument orders."""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_number as _check_number
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .argument_kinds import check_operand as _operand
from .argument_kinds import check_real as _real
from .argument_kinds import check_sized as _sized
from .argument_kinds import is_index as _is_index

_INF = float("inf")

# -- norms -----------------------------------------------------------------------------------------------------------


def norm(A, ord=None, dim=None, keepdim=False, dtype=None):
    """Computes the norm of vectors along one axis, or of matrices along two; without ord, the 2-norm of all elements as one vector.

    ord of vectors is a number p: the p-th root of the sum of |x|^p, inf and -inf for the largest and smallest |x|, 0 for the number of
    elements that are not 0. ord of matrices is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf. dim is an int or a pair; with keepdim the axes stay,
    with size 1. dtype converts the elements first.

    Raises ValueError for another ord and for axes that A does not have, TypeError for an A that is no Tensor and for axes of another kind.

    >>> import msjit as ms
    >>> float(ms.ops.norm(ms.Tensor([3.0, 4.0]))), float(ms.ops.norm(ms.Tensor([3.0, 4.0]), 1))
    (5.0, 7.0)
    """
    if dtype is not None:
        A = _k.cast(A, dtype)
    _check(A, "norm")
    axes = dim if dim is None else (dim,) if _is_index(dim) else _sized(dim, "norm", "dim", "an int or several")
    if ord is None or (axes is None and A.ndim == 1) or (axes is not None and len(axes) == 1):
        return _vector_norm(A, 2 if ord is None else ord, dim, keepdim)
    axes = tuple(range(A.ndim)) if axes is None else axes
    if len(axes) != 2:
        raise ValueError("[norm] ord %r needs one axis or two, got %d axes" % (ord, len(axes)))
    rows, columns = [_check_axis(axis, A.ndim, "norm", "dim") for axis in axes]
    return _matrix_norm(A, ord, rows, columns, keepdim)


def _squared_size(x):
    """|x|^2, in the dtype of x."""
    _check(x, "norm")
    return _k.mul(x, _k.conj(x)) if x.dtype in _mstype.complex_type else _k.square(x)


def _root(total, order):
    """The root of that order of a sum of powers, with gradient 0 where the sum is 0."""
    if order < 0:
        return _k.pow(total, 1.0 / order)
    none = _k.equal(total, 0)
    safe = _k.where(none, 1.0, total)
    return _k.where(none, 0.0, _k.sqrt(safe) if order == 2 else _k.pow(safe, 1.0 / order))


def _vector_norm(x, ord, dim, keepdim):
    if isinstance(ord, str):
        raise TypeError("[norm] ord of vectors, got %r, expected a number" % (ord,))
    try:
        if ord == 2:
            return _root(_k.sum(_squared_size(x), dim, keepdim), 2)
        if ord == 0:
            return _k.sum(_k.cast(_k.not_equal(x, 0), x.dtype), dim, keepdim)
        size = _k.abs(x)
        if ord in (_INF, -_INF):
            return (_k.max if ord > 0 else _k.min)(size, dim, keepdim)
        if ord == 1:
            return _k.sum(size, dim, keepdim)
        return _root(_k.sum(_k.pow(size, ord), dim, keepdim), ord)
    except _ERRORS as error:
        _rename(error, "norm")
        raise


def _matrix_norm(x, ord, rows, columns, keepdim):
    if ord == "fro":
        return _root(_k.sum(_squared_size(x), (rows, columns), keepdim), 2)
    if ord in (2, -2, "nuc"):
        x = x if x.dtype in (_mstype.float32, _mstype.float64) + _mstype.complex_type else _k.cast(x, _mstype.float32)
        values = _k.svd(_k.transpose(x, [i for i in range(x.ndim) if i not in (rows, columns)] + [rows, columns]), False)[0]
        out = _k.sum(values, -1) if ord == "nuc" else (_k.max if ord > 0 else _k.min)(values, -1)
        return _k.reshape(out, [1 if i in (rows, columns) else n for i, n in enumerate(x.shape)]) if keepdim else out
    if ord not in (1, -1, _INF, -_INF):
        raise ValueError("[norm] ord of matrices, got %r, expected 'fro', 'nuc', 1, -1, 2, -2, inf or -inf" % (ord,))
    added, chosen = (rows, columns) if ord in (1, -1) else (columns, rows)
    out = (_k.max if ord > 0 else _k.min)(_k.sum(_k.abs(x), added, True), chosen, True)
    return out if keepdim else _k.squeeze(out, (rows, columns))


# -- distances -------------------------------------------------------------------------------------------------------


def cdist(x1, x2, p=2.0):
    """Computes the p-norm distance of every row of x1 from every row of x2: (..., n, d) and (..., m, d) give (..., n, m).

    Raises ValueError for tensors of fewer than two axes, for rows of different lengths and for a negative p, TypeError for anything but Tensors and
    for a p that is no number.
    """
    _check(x1, "cdist"), _check(x2, "cdist")
    if _real(p, "cdist", "p") < 0:
        raise ValueError("[cdist] p must not be negative, got %s" % (p,))
    if x1.ndim < 2 or x2.ndim < 2 or x1.shape[-1] != x2.shape[-1]:
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
    return _root(_k.sum(_k.square(gap) if p == 2 else _k.pow(size, p), -1), p)


def pdist(input, p=2.0):
    """Computes the p-norm distance of each row from every later row: (..., n, d) gives (..., n (n - 1) / 2), in the order (0, 1), (0, 2), ...

    Raises ValueError for fewer than two axes, TypeError for an input that is no Tensor and for a p that is no number.
    """
    _real(p, "pdist", "p")
    if _check(input, "pdist").ndim < 2:
        raise ValueError("[pdist] rank of input, got %d, expected at least 2" % input.ndim)
    count = input.shape[-2]
    first = _Tensor([i for i in range(count) for _ in range(i + 1, count)], _mstype.int64)
    second = _Tensor([j for i in range(count) for j in range(i + 1, count)], _mstype.int64)
    return _length(_k.gather(input, first, -2) - _k.gather(input, second, -2), float(p))


def dist(input, other, p=2):
    """Computes the p-norm of input - other, over all elements; the shapes broadcast. The result has no axes.

    Raises TypeError for operands that are no Tensors and for a p that is no number.

    >>> import msjit as ms
    >>> float(ms.ops.dist(ms.Tensor([3.0, 5.0]), ms.Tensor([0.0, 1.0])))
    5.0
    """
    _operand(input, "dist", "input"), _operand(other, "dist", "other"), _real(p, "dist", "p")
    return norm(_k.reshape(input - other, (-1,)), float(p))


def cosine_similarity(x1, x2, dim=1, eps=1e-08):
    """Computes the cosine of the angle between vectors along an axis: sum(x1 x2) / (max(|x1|, eps) max(|x2|, eps)). The shapes broadcast.

    The axis is not in the result. Raises ValueError for shapes that do not broadcast and for an axis outside, TypeError for anything but
    Tensors.
    """
    _check(x1, "cosine_similarity"), _check(x2, "cosine_similarity")
    try:
        product = _k.sum(x1 * x2, dim)
    except _ERRORS as error:
        _rename(error, "cosine_similarity")
        raise
    first, second = _root(_k.sum(_k.square(x1), dim), 2), _root(_k.sum(_k.square(x2), dim), 2)
    return product / (_k.maximum(first, eps) * _k.maximum(second, eps))


def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None):
    """Computes the norm of vectors along axes, an int or several; by default of all elements as one vector. ord is as in norm.

    With keepdims the axes stay, with size 1. Raises ValueError for an axis that the input does not have, TypeError for an input that is no
    Tensor.
    """
    _check(x, "vector_norm")
    x = x if dtype is None else _k.cast(x, dtype)
    return _vector_norm(x, ord, axis, keepdims)


def matrix_norm(A, ord="fro", axis=(-2, -1), keepdims=False, *, dtype=None):
    """Computes the norm of matrices on two axes, the last ones by default; ord is 'fro', 'nuc', 1, -1, 2, -2, inf or -inf, as in norm.

    With keepdims the axes stay, with size 1. Raises ValueError for another ord and for axes that the input does not have.
    """
    A = A if dtype is None else _k.cast(A, dtype)
    _check(A, "matrix_norm")
    if not isinstance(axis, (tuple, list)):
        raise TypeError("[matrix_norm] axis, got %s, expected a tuple of two ints" % type(axis).__name__)
    axes = [_check_axis(at, A.ndim, "matrix_norm") for at in axis]
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError("[matrix_norm] axis, got %s, expected two axes" % (axis,))
    return _matrix_norm(A, ord, axes[0], axes[1], keepdims)


def renorm(input, p, axis, maxnorm):
    """Scales down the slices along an axis whose p-norm is above maxnorm, to that norm; others stay. Shape and dtype are those of input.

    Raises ValueError for a p that is not positive, a negative maxnorm and an axis that the input does not have.
    """
    if isinstance(p, bool) or not isinstance(p, (int, float)):
        raise TypeError("[renorm] p, got %s, expected a number" % type(p).__name__)
    if not _check_number(maxnorm, "renorm", "maxnorm") >= 0:
        raise ValueError("[renorm] maxnorm, got %s, expected 0 or more" % (maxnorm,))
    if not _check(input, "renorm").ndim or not p > 0:
        raise ValueError("[renorm] p and the rank of input, got %s and %d, expected above 0" % (p, input.ndim))
    axis = _check_axis(axis, input.ndim, "renorm")
    others = tuple(i for i in range(input.ndim) if i != axis)
    norm = _root(_k.sum(_k.pow(_k.abs(input), float(p)), others, True), p)
    return input * _k.where(_k.greater(norm, maxnorm), maxnorm / (norm + 1e-7), 1.0)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
