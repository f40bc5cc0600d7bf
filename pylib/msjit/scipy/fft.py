"""Discrete cosine transforms of type 2, orthonormal as in MindSpore, computed as products with a matrix."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.tensor import Tensor
from ..ops import registry as _k

_EXACT = (mstype.float32, mstype.float64, mstype.complex64, mstype.complex128)


def _check(where, x, type, norm):
    if not isinstance(x, Tensor):
        raise TypeError("[%s] x, got %s, expected a Tensor" % (where, x.__class__.__name__))
    if type != 2:
        raise ValueError("[%s] type, got %r, expected 2" % (where, type))
    if norm not in (None, "ortho"):
        raise ValueError("[%s] norm, got %r, expected None or 'ortho', which are the same" % (where, norm))
    return x if x.dtype in _EXACT else _k.cast(x, mstype.float32)


def _axis(where, axis, rank):
    if not -rank <= axis < rank:
        raise ValueError("[%s] axis, got %d, expected one of %d" % (where, axis, rank))
    return axis % rank


def _sized(where, x, n, axis):
    """Cuts x off, or pads it with zeros, to n elements along an axis."""
    size = x.shape[axis]
    if n is None or n == size:
        return x
    if isinstance(n, bool) or not isinstance(n, int) or n < 1:
        raise ValueError("[%s] n, got %r, expected an int above 0" % (where, n))
    if n < size:
        return ops.narrow(x, axis, 0, n)
    return _k.pad(x, [0] * x.ndim, [n - size if at == axis else 0 for at in range(x.ndim)], 0)


def _basis(n, dtype):
    """The matrix of the transform: row k holds the cosines of frequency k, with norm 1."""
    rows = [[math.sqrt((1 if k == 0 else 2) / float(n)) * math.cos(math.pi * k * (2 * i + 1) / (2.0 * n)) for i in range(n)]
            for k in range(n)]
    return Tensor(rows, dtype)


def _along(where, x, n, axis, inverse):
    axis = _axis(where, axis, x.ndim)
    x = _k.swapaxes(_sized(where, x, n, axis), axis, -1)
    return _k.swapaxes(_k.matmul(x, _basis(x.shape[-1], x.dtype), False, not inverse), axis, -1)


def _several(where, x, type, s, axes, norm, inverse):
    x = _check(where, x, type, norm)
    if axes is None:
        axes = range(x.ndim) if s is None else range(x.ndim - len(s), x.ndim)
    sizes = [None] * len(axes) if s is None else list(s)
    if len(sizes) != len(axes) or any(axis < -x.ndim for axis in axes):
        raise ValueError("[%s] s and axes, got %s and %s, expected one size for each axis" % (where, s, tuple(axes)))
    for n, axis in zip(sizes, axes):
        x = _along(where, x, n, axis, inverse)
    return x


def dct(x, type=2, n=None, axis=-1, norm=None):
    """Computes the discrete cosine transform along an axis; n cuts x off or pads it with zeros first.

    Dtypes other than float32, float64 and complex ones become float32.

    Raises ValueError for a type other than 2, a norm other than None or 'ortho', and an axis that x lacks.
    """
    return _along("dct", _check("dct", x, type, norm), n, axis, False)


def idct(x, type=2, n=None, axis=-1, norm=None):
    """Computes the inverse of dct."""
    return _along("idct", _check("idct", x, type, norm), n, axis, True)


def dctn(x, type=2, s=None, axes=None, norm=None):
    """Computes dct along several axes: all of them, or the last len(s) ones where s is given."""
    return _several("dctn", x, type, s, axes, norm, False)


def idctn(x, type=2, s=None, axes=None, norm=None):
    """Computes the inverse of dctn."""
    return _several("idctn", x, type, s, axes, norm, True)


__all__ = ["dct", "idct", "dctn", "idctn"]
