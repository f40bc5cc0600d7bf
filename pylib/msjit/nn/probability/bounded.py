"""Distributions of real numbers with a lower bound or two bounds."""
import math

from ... import ops
from ...common import dtype as mstype
from .base import FormulaDistribution, open_uniform
from .continuous import _same


class Exponential(FormulaDistribution):
    """Exponential distribution with density rate * exp(-rate * x) for x >= 0, else 0; its mean is 1 / rate.

    rate is a number, list, array or Tensor; None leaves it to the calls of the methods. Raises ValueError for a rate that is not positive,
    TypeError for anything but numbers.
    """

    _names = ("rate",)

    def __init__(self, rate=None, seed=None, dtype=mstype.float32, name="Exponential"):
        super().__init__(seed, dtype, name, {"rate": rate})

    def _check(self, rate):
        self._require(rate > 0, "rate", "above 0")

    @property
    def rate(self):
        """The rate."""
        return self._given[0]

    def _log_prob(self, x, rate):
        found = ops.log(rate) - rate * x
        return ops.where(x >= 0, found, ops.full_like(found, -math.inf))

    def _cdf(self, x, rate):
        return ops.maximum(-ops.expm1(-rate * x), 0)

    def log_survival(self, value, *args):
        """Logarithm of survival_function."""
        return ops.minimum(-self._arguments(args)[0] * self._value(value), 0)

    def _mean(self, rate):
        return 1 / rate

    def _var(self, rate):
        return 1 / ops.square(rate)

    def _mode(self, rate):
        return ops.zeros_like(rate)

    def _entropy(self, rate):
        return 1 - ops.log(rate)

    def _kl(self, rate, rate_b):
        return ops.log(rate) - ops.log(rate_b) + rate_b / rate - 1

    def _drawn(self, shape, rate):
        return -ops.log(open_uniform(shape)) / rate


class Uniform(FormulaDistribution):
    """Uniform distribution with density 1 / (high - low) between low and high, else 0.

    The bounds are numbers, lists, arrays or Tensors; None leaves them to the calls of the methods. Raises ValueError unless low is below high,
    TypeError for anything but numbers.
    """

    _names = ("low", "high")

    def __init__(self, low=None, high=None, seed=None, dtype=mstype.float32, name="Uniform"):
        super().__init__(seed, dtype, name, {"low": low, "high": high})

    def _check(self, low, high):
        self._require(low < high, "low", "below high")

    @property
    def low(self):
        """The lower end."""
        return self._given[0]

    @property
    def high(self):
        """The upper end."""
        return self._given[1]

    def _log_prob(self, x, low, high):
        found = _same(-ops.log(high - low), x)
        return ops.where(ops.logical_and(x >= low, x <= high), found, ops.full_like(found, -math.inf))

    def _cdf(self, x, low, high):
        return ops.clamp((x - low) / (high - low), 0, 1)

    def _mean(self, low, high):
        return (low + high) / 2

    def _var(self, low, high):
        return ops.square(high - low) / 12

    def _entropy(self, low, high):
        return ops.log(high - low)

    def _kl(self, low, high, low_b, high_b):
        found = ops.log((high_b - low_b) / (high - low))
        return ops.where(ops.logical_and(low_b <= low, high_b >= high), found, ops.full_like(found, math.inf))

    def _drawn(self, shape, low, high):
        return low + (high - low) * ops.rand(shape, dtype=mstype.float32)


class Gamma(FormulaDistribution):
    """Gamma distribution with density rate^c * x^(c - 1) * exp(-rate * x) / gamma(c) for x > 0, where c is the concentration.

    Arguments may be None, and are left to the calls of the methods then. Raises ValueError for values that are not positive, TypeError for
    anything but numbers.
    """

    _names = ("concentration", "rate")

    def __init__(self, concentration=None, rate=None, seed=None, dtype=mstype.float32, name="Gamma"):
        super().__init__(seed, dtype, name, {"concentration": concentration, "rate": rate})

    def _check(self, concentration, rate):
        self._require(concentration > 0, "concentration", "above 0")
        self._require(rate > 0, "rate", "above 0")

    @property
    def concentration(self):
        """The concentration."""
        return self._given[0]

    @property
    def rate(self):
        """The rate."""
        return self._given[1]

    def _log_prob(self, x, a, rate):
        return a * ops.log(rate) + (a - 1) * ops.log(x) - rate * x - ops.lgamma(a)

    def _cdf(self, x, a, rate):
        from ..functions import IGamma
        return IGamma()(a, x * rate)

    def _mean(self, a, rate):
        return a / rate

    def _var(self, a, rate):
        return a / ops.square(rate)

    def _mode(self, a, rate):
        return ops.where(a > 1, (a - 1) / rate, ops.full_like(a + rate, math.nan))

    def _entropy(self, a, rate):
        return a - ops.log(rate) + ops.lgamma(a) + (1 - a) * ops.digamma(a)

    def _kl(self, a, rate, a_b, rate_b):
        return ((a - a_b) * ops.digamma(a) + ops.lgamma(a_b) - ops.lgamma(a) + a_b * ops.log(rate) - a_b * ops.log(rate_b)
                + a * (rate_b / rate - 1))

    def _drawn(self, shape, a, rate):
        return gamma_numbers(shape, a) / rate


class Beta(FormulaDistribution):
    """Beta distribution with density x^(a - 1) * (1 - x)^(b - 1) / B(a, b) on (0, 1), where a is concentration1 and b concentration0.

    Arguments may be None, and are left to the calls of the methods then. Raises ValueError for values that are not positive, TypeError for
    anything but numbers.
    """

    _names = ("concentration1", "concentration0")

    def __init__(self, concentration1=None, concentration0=None, seed=None, dtype=mstype.float32, name="Beta"):
        super().__init__(seed, dtype, name, {"concentration1": concentration1, "concentration0": concentration0})

    def _check(self, a, b):
        self._require(a > 0, "concentration1", "above 0")
        self._require(b > 0, "concentration0", "above 0")

    @property
    def concentration1(self):
        """The first concentration."""
        return self._given[0]

    @property
    def concentration0(self):
        """The second concentration."""
        return self._given[1]

    def _log_prob(self, x, a, b):
        return (a - 1) * ops.log(x) + (b - 1) * ops.log1p(-x) - _log_beta(a, b)

    def _mean(self, a, b):
        return a / (a + b)

    def _var(self, a, b):
        return a * b / (ops.square(a + b) * (a + b + 1))

    def _mode(self, a, b):
        found = (a - 1) / (a + b - 2)
        return ops.where(ops.logical_and(a > 1, b > 1), found, ops.full_like(found, math.nan))

    def _entropy(self, a, b):
        return (_log_beta(a, b) - (a - 1) * ops.digamma(a) - (b - 1) * ops.digamma(b) + (a + b - 2) * ops.digamma(a + b))

    def _kl(self, a, b, a_b, b_b):
        return (_log_beta(a_b, b_b) - _log_beta(a, b) + (a - a_b) * ops.digamma(a) + (b - b_b) * ops.digamma(b)
                + (a_b + b_b - a - b) * ops.digamma(a + b))

    def _drawn(self, shape, a, b):
        first, second = gamma_numbers(shape, a), gamma_numbers(shape, b)
        return first / (first + second)


def _log_beta(a, b):
    return ops.lgamma(a) + ops.lgamma(b) - ops.lgamma(a + b)


def gamma_numbers(shape, a):
    """Draws from gamma distributions with rate 1, in `shape`, to which the concentration `a` is broadcast."""
    import numpy

    from ...common.seed import generator
    from ...common.tensor import Tensor
    return Tensor(generator().gamma(a.asnumpy(), size=shape).astype(numpy.float32))
