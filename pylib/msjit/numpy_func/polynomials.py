"""Polynomials as vectors of coefficients, the highest power first."""
from ..common import dtype as _mstype
from ..common.checks import check_real as _check_real
from ..context import FLOAT_DTYPES as _FLOATS
from ..ops import registry as _k
from .shared import as_float as _float
from .shared import as_tensor as _tensor
from .shared import public

__all__ = []
_public = public(__all__)


def _coefficients(where, p):
    p = _tensor(p)
    if p.ndim > 1:
        raise ValueError("[%s] coefficients, got %d axes, expected one" % (where, p.ndim))
    return _k.reshape(p, (-1,))


def _long(p, size):
    return _k.pad(p, [size - p.size], [0], 0)


@_public
def polyadd(a1, a2):
    """Adds two polynomials."""
    a1, a2 = _coefficients("polyadd", a1), _coefficients("polyadd", a2)
    size = max(a1.size, a2.size)
    return _long(a1, size) + _long(a2, size)


@_public
def polysub(a1, a2):
    """Subtracts two polynomials."""
    a1, a2 = _coefficients("polysub", a1), _coefficients("polysub", a2)
    size = max(a1.size, a2.size)
    return _long(a1, size) - _long(a2, size)


@_public
def polymul(a1, a2):
    """Multiplies two polynomials."""
    from .signals import convolve
    return convolve(_coefficients("polymul", a1), _coefficients("polymul", a2))


def _times(where, m):
    if isinstance(m, bool) or not isinstance(m, int):
        raise TypeError("[%s] m, got %s, expected an int" % (where, type(m).__name__))
    if m < 0:
        raise ValueError("[%s] m, got %d, expected 0 or more" % (where, m))
    return m


@_public
def polyder(p, m=1):
    """Computes the m-th derivative of a polynomial."""
    p = _coefficients("polyder", p)
    for _ in range(_times("polyder", m)):
        powers = _k.arange(p.size - 1, 0, -1, p.dtype if p.dtype in _FLOATS else _mstype.int32)
        p = _k.cast(p[:-1] * powers, p.dtype)
    return p


@_public
def polyint(p, m=1, k=None):
    """Computes the m-th antiderivative of a polynomial.

    k holds the integration constants: none (zeros), one for all, or one for each step.
    """
    p = _float(_coefficients("polyint", p))
    constants = [0.0] if k is None else _coefficients("polyint", k).tolist()
    if len(constants) not in (1, _times("polyint", m)):
        raise ValueError("[polyint] k, got %d numbers, expected one or %d" % (len(constants), m))
    constants = constants * m if len(constants) == 1 else constants
    for constant in constants[:m]:
        powers = _k.arange(p.size, 0, -1, p.dtype)
        p = _k.concat([p / powers, _k.full((1,), _check_real(constant, "polyint", "k"), p.dtype)], 0)
    return p
