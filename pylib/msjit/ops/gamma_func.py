"""Incomplete gamma and beta functions. NumPy sums the series, because the number of terms depends on the values."""
import math as _math

from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from . import registry as _k

_TERMS = 100000
_SETTLED = 4e-16  # some factors alternate between 1 and a neighbour of 1 for ever


def _same_floats(where, *operands):
    for value in operands:
        if not isinstance(value, _Tensor):
            raise TypeError("[%s] argument, got %s, expected a Tensor" % (where, type(value).__name__))
        if value.dtype not in (_mstype.float32, _mstype.float64) or value.dtype != operands[0].dtype:
            raise TypeError("[%s] dtype, got %s, expected float32 or float64, the same for all" % (where, value.dtype))


def _wide(*operands, where="RandomGammaGrad"):
    """Broadcasts the operands to one shape, as float64 arrays."""
    import numpy
    try:
        same = numpy.broadcast_arrays(*[x.asnumpy() for x in operands])
    except ValueError:
        shapes = " and ".join([str(tuple(x.shape)) for x in operands])
        raise ValueError("[%s] shapes cannot be broadcast, got %s" % (where, shapes)) from None
    return [numpy.array(x, numpy.float64) for x in same]


def _log_gamma(a):
    return _k.lgamma(_Tensor(a)).asnumpy()


def _scale(a, x):
    """Computes x^a exp(-x) / Gamma(a + 1), 0 where x is 0."""
    import numpy
    return numpy.where(x > 0, numpy.exp(a * numpy.log(numpy.where(x > 0, x, 1)) - x - _log_gamma(a + 1)), 0)


def _lower(a, x):
    """Returns (P(a, x), its derivative by a) from the series of positive terms, which converges for all x."""
    import numpy
    log = numpy.log(numpy.where(x > 0, x, 1))
    term, digamma = _scale(a, x), _k.digamma(_Tensor(a + 1)).asnumpy()
    total, slope = term.copy(), term * (log - digamma)
    for n in range(1, _TERMS):
        term = term * x / (a + n)
        digamma = digamma + 1 / (a + n)
        total, slope = total + term, slope + term * (log - digamma)
        if not ((n < x - a) | (term * (1 + abs(log - digamma)) > 1e-17 * total)).any():
            break
    return total, slope


def _upper(a, x):
    """Computes Q(a, x) for x above a + 1 by its continued fraction (Lentz's method)."""
    import numpy
    endless = numpy.isinf(x)
    # The fraction of infinite operands is NaN and would never settle.
    a = numpy.where(numpy.isinf(a), 1, a)
    x = numpy.maximum(numpy.where(endless, 1, x), a + 1)
    tiny = 1e-300
    b = x + 1 - a
    c, d = numpy.full_like(x, 1 / tiny), 1 / b
    h = d
    for n in range(1, _TERMS):
        step = -n * (n - a)
        b = b + 2
        d, c = step * d + b, b + step / c
        d = 1 / numpy.where(abs(d) < tiny, tiny, d)
        c = numpy.where(abs(c) < tiny, tiny, c)
        h = h * d * c
        if (abs(d * c - 1) < _SETTLED).all():
            break
    return numpy.where(endless, 0, _scale(a, x) * a * h)


def _incomplete(where, a, x, upper):
    """Returns (value, derivative by a, derivative by x) of Q or P, as float64 arrays."""
    import numpy
    a, x = _wide(a, x, where=where)
    wrong = ~((a > 0) & (x >= 0))
    a, x = numpy.where(wrong, 1, a), numpy.where(wrong, 1, x)
    endless = numpy.isinf(x)
    near, slope = _lower(a, numpy.where(endless | (x > a + 40 + 12 * numpy.sqrt(a)), 1, x))
    value = numpy.where(x > a + 1, 1 - _upper(a, x), near) if not upper else numpy.where(x > a + 1, _upper(a, x), 1 - near)
    slope = numpy.where(endless | (x > a + 40 + 12 * numpy.sqrt(a)), 0, slope)
    by_x = numpy.where(endless, 0, _scale(a, numpy.where(endless, 1, x)) * a / numpy.where(x > 0, x, 1))
    by_x = numpy.where(x == 0, numpy.where(a < 1, numpy.inf, numpy.where(a == 1, 1.0, 0.0)), by_x)
    sign = -1 if upper else 1
    return [numpy.where(wrong, numpy.nan, out) for out in (value, sign * slope, sign * by_x)]


def _made(arrays, like):
    return [_k.cast(_Tensor(out), like.dtype) for out in arrays]


def _summed(grad, slope, operand):
    return _k.sum_to(grad * slope, operand.shape)


def _with_gradients(where, compute, operands):
    """Returns the first array of compute(*operands); the others are the derivatives by the operands, None for 0."""
    from ..custom_function import _Function

    class Step(_Function):
        @staticmethod
        def forward(ctx, *inputs):
            found = compute(*inputs)
            ctx.slopes = [None if s is None else _made([s], inputs[0])[0] for s in found[1:]]
            ctx.shapes = inputs
            return _made(found[:1], inputs[0])[0]

        @staticmethod
        def backward(ctx, grad):
            return tuple(_k.zeros_like(x) if s is None else _summed(grad, s, x) for s, x in zip(ctx.slopes, ctx.shapes))

    Step.__name__ = where
    return Step.apply(*operands)


def igamma(input, other):
    """Computes P(input, other), the regularised lower incomplete gamma function; NaN where input <= 0 or other < 0.

    Both are Tensors of one dtype, float32 or float64, and broadcast; another dtype raises TypeError.
    """
    _same_floats("igamma", input, other)
    return _with_gradients("igamma", lambda a, x: _incomplete("igamma", a, x, False), (input, other))


def igammac(input, other):
    """Computes Q(input, other) = 1 - igamma(input, other), the regularised upper incomplete gamma function, without cancellation."""
    _same_floats("igammac", input, other)
    return _with_gradients("igammac", lambda a, x: _incomplete("igammac", a, x, True), (input, other))


def _fraction(a, b, x):
    """Evaluates the continued fraction of the incomplete beta function (Lentz's method), for x below (a + 1) / (a + b + 2)."""
    import numpy
    tiny = 1e-300
    c, d = numpy.ones_like(x), 1 - (a + b) * x / (a + 1)
    d = 1 / numpy.where(abs(d) < tiny, tiny, d)
    h = d
    for n in range(1, _TERMS):
        done = True
        for step in (n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n)),
                     -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1))):
            d, c = 1 + step * d, 1 + step / c
            d = 1 / numpy.where(abs(d) < tiny, tiny, d)
            c = numpy.where(abs(c) < tiny, tiny, c)
            h = h * d * c
            done = done and bool((abs(d * c - 1) < _SETTLED).all())
        if done:
            break
    return h


def _beta(a, b, x):
    import numpy
    a, b, x = _wide(a, b, x, where="betainc")
    wrong = ~((a > 0) & (b > 0) & (x >= 0) & (x <= 1))
    a, b, x = (numpy.where(wrong, other, value) for value, other in ((a, 1), (b, 1), (x, 0.5)))
    inner = numpy.clip(x, 1e-300, 1 - _math.ldexp(1, -53))
    log = _log_gamma(a + b) - _log_gamma(a) - _log_gamma(b)
    front = numpy.exp(log + a * numpy.log(inner) + b * numpy.log1p(-inner))
    turned = inner > (a + 1) / (a + b + 2)
    p, q, t = numpy.where(turned, b, a), numpy.where(turned, a, b), numpy.where(turned, 1 - inner, inner)
    part = front * _fraction(p, q, t) / p
    value = numpy.where(turned, 1 - part, part)
    value = numpy.where(x == 0, 0, numpy.where(x == 1, 1, value))
    slope = front / (inner * (1 - inner))
    return [numpy.where(wrong, numpy.nan, value), None, None, numpy.where(wrong, numpy.nan, slope)]


def betainc(a, b, x):
    """Computes I(x; a, b), the regularised incomplete beta function. Its gradients by a and b are 0, as in MindSpore.

    All are Tensors of one shape and dtype, float32 or float64; NaN outside of a > 0, b > 0, 0 <= x <= 1.
    """
    _same_floats("betainc", a, b, x)
    if not a.shape == b.shape == x.shape:
        raise ValueError("[betainc] shapes, got %s, %s and %s, expected the same"
                         % (tuple(a.shape), tuple(b.shape), tuple(x.shape)))
    return _with_gradients("betainc", _beta, (a, b, x))


__all__ = ["igamma", "igammac"]
