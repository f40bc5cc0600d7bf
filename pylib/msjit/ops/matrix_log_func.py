"""Logarithms of matrices, and pooling over windows of random sizes."""
import math

from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .random_func import draw_uniform

_ROOTS, _STEPS = 60, 60
# 7 Gauss-Legendre points on [0, 1] and their weights.
_POINTS = (0.025446043828620737, 0.12923440720030278, 0.2970774243113014, 0.5, 0.7029225756886985, 0.8707655927996972, 0.9745539561713792)
_WEIGHTS = (0.06474248308443484, 0.13985269574463834, 0.19091502525255948, 0.20897959183673470, 0.19091502525255948, 0.13985269574463834,
            0.06474248308443484)


def _largest(x):
    return float(_k.max(_k.abs(x)))


def _root(x, unit):
    """Computes the principal square root by the iteration of Denman and Beavers (1976): Y converges to it and Z to its inverse."""
    y, z = x, unit
    for _ in range(_STEPS):
        before = y
        y, z = (y + _k.inverse(z)) * 0.5, (z + _k.inverse(y)) * 0.5
        change = _largest(y - before)
        if change <= 1e-14 * max(_largest(y), 1e-300):
            return y
    raise ValueError("[matrix_logarithm] x, got a matrix without principal logarithm, expected no eigenvalue at or below 0 on the real axis")


def _log_of_real(x):
    """Computes the logarithm by inverse scaling and squaring (Higham, Functions of Matrices, 2008, chapter 11): log X =
    2^k log X^(1/2^k)."""
    unit = _k.broadcast_to(_k.eye(x.shape[-1], x.shape[-1], x.dtype), x.shape)
    times = 0
    while not _largest(x - unit) < 0.05:
        if times == _ROOTS:
            raise ValueError("[matrix_logarithm] x, got elements that are not finite or too large, expected a logarithm that exists")
        x, times = _root(x, unit), times + 1
    rest, total = x - unit, None
    for point, weight in zip(_POINTS, _WEIGHTS):  # log(1 + A) is the integral of A / (1 + t A) over [0, 1]
        term = _k.matmul(rest, _k.inverse(unit + rest * point)) * weight
        total = term if total is None else total + term
    return total * float(2 ** times)


def matrix_logarithm(x):
    """Computes principal logarithms of square matrices (..., n, n) of complex64 or complex128.

    Raises TypeError for other dtypes and ValueError for other shapes. Raises ValueError where an eigenvalue lies on the
    real axis at or below 0, because the logarithm is not unique there or does not exist.
    """
    if _check(x, "matrix_logarithm").dtype not in (_mstype.complex64, _mstype.complex128):
        raise TypeError("[matrix_logarithm] dtype of x, got %s, expected complex64 or complex128" % (x.dtype,))
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError("[matrix_logarithm] shape of x, got %s, expected square matrices" % (tuple(x.shape),))
    if not x.size:
        return x
    size = x.shape[-1]
    real, imaginary = (_k.cast(part, _mstype.float64) for part in (_k.real(x), _k.imag(x)))
    # The real matrix [[A, -B], [B, A]] represents A + iB: sums, products and inverses correspond.
    rows = [_k.concat([real, -imaginary], -1), _k.concat([imaginary, real], -1)]
    found = _log_of_real(_k.concat(rows, -2))
    left = found[..., :size]
    return _k.cast(_k.complex(left[..., :size, :], left[..., size:, :]), x.dtype)


# -- windows of random sizes ----------------------------------------------------------------------------------------------

def _bounds(where, length, ratio, pseudo_random, draw):
    """Starts of the windows along an axis, then its length: int(length / ratio) windows of two neighbouring sizes (Graham 2014)."""
    count = int(length / ratio)
    if count < 1:
        raise ValueError("[%s] pooling_ratio, got %s for a length of %d, expected one window at least" % (where, ratio, length))
    if pseudo_random:
        alpha, start = length / count, draw.random()
        bounds = [math.ceil(alpha * (i + start)) - math.ceil(alpha * start) for i in range(count)]
    else:
        short, longer = divmod(length, count)
        sizes = [short + 1] * longer + [short] * (count - longer)
        draw.shuffle(sizes)
        bounds = [sum(sizes[:i]) for i in range(count)]
    return bounds + [length]


def _pooled(x, axis, bounds, overlapping, function):
    parts = []
    for start, stop in zip(bounds, bounds[1:]):
        stop = min(stop + 1, bounds[-1]) if overlapping else stop
        cut = x[:, start:stop] if axis == 1 else x[:, :, start:stop]
        parts.append(function(cut, axis))
    return _k.stack(parts, axis)


def fractional_pool(where, p, x, function):
    """Pools images (N, H, W, C) over windows of random sizes; returns (result, bounds of the rows, of the columns,
    int64).

    The attributes of `p` are those of MindSpore's primitives.
    """
    import random
    ratio = tuple(p.pooling_ratio) if isinstance(p.pooling_ratio, (tuple, list)) else p.pooling_ratio
    if not isinstance(ratio, tuple):
        raise TypeError("[%s] pooling_ratio, got %s, expected a tuple or a list" % (where, type(ratio).__name__))
    if len(ratio) != 4 or ratio[0] != 1 or ratio[3] != 1 or ratio[1] < 1 or ratio[2] < 1:
        raise ValueError("[%s] pooling_ratio, got %s, expected [1.0, rows, columns, 1.0], none below 1" % (where, ratio))
    if _check(x, where).ndim != 4:
        raise ValueError("[%s] rank of x, got %d, expected 4" % (where, x.ndim))
    own = p.deterministic or p.seed or p.seed2
    draw = random.Random("%s/%s" % (p.seed, p.seed2) if own else draw_uniform((1,), _mstype.float64, None).item())
    rows, columns = (_bounds(where, x.shape[axis], ratio[axis], p.pseudo_random, draw) for axis in (1, 2))
    pooled = _pooled(_pooled(x, 1, rows, p.overlapping, function), 2, columns, p.overlapping, function)
    return pooled, _Tensor(rows, _mstype.int64), _Tensor(columns, _mstype.int64)
