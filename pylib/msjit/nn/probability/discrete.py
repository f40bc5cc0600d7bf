"""Distributions of whole numbers."""
import math

from ... import ops
from ...common import dtype as mstype
from .base import FormulaDistribution, open_uniform


class _Probs(FormulaDistribution):
    """Base class of distributions whose parameter is a probability."""

    _whole = True
    _names = ("probs",)

    def __init__(self, probs=None, seed=None, dtype=mstype.int32, name=None):
        super().__init__(seed, dtype, name or type(self).__name__, {"probs": probs})

    def _check(self, probs):
        self._require(ops.logical_and(probs > 0, probs < 1), "probs", "between 0 and 1")

    @property
    def probs(self):
        """The probability."""
        return self._given[0]


def _entropy_of(p):
    return -(ops.xlogy(p, p) + ops.xlogy(1 - p, 1 - p))


class Bernoulli(_Probs):
    """Bernoulli distribution: 1 with probability probs, else 0, so that P(x) = probs^x * (1 - probs)^(1 - x).

    probs is a number, list, array or Tensor; None leaves it to the calls of the methods. Samples have `dtype`, int32 by default. Raises
    ValueError for values outside (0, 1), TypeError for anything but numbers.
    """

    def _log_prob(self, x, p):
        return ops.xlogy(x, p) + ops.xlogy(1 - x, 1 - p)

    def _cdf(self, x, p):
        x = ops.floor(x) + ops.zeros_like(p)
        return ops.where(x < 0, ops.zeros_like(x), ops.where(x < 1, 1 - p + ops.zeros_like(x), ops.ones_like(x)))

    def _mean(self, p):
        return p

    def _var(self, p):
        return p * (1 - p)

    def _mode(self, p):
        return ops.cast(p > 0.5, self._dtype)

    def _entropy(self, p):
        return _entropy_of(p)

    def _kl(self, p, q):
        return p * ops.log(p / q) + (1 - p) * ops.log((1 - p) / (1 - q))

    def _drawn(self, shape, p):
        return ops.cast(ops.rand(shape, dtype=mstype.float32) < p, mstype.float32)


class Geometric(_Probs):
    """Geometric distribution: the number of failures before the first success of probability probs, P(k) = probs * (1 - probs)^k.

    Arguments and errors are those of Bernoulli.
    """

    def _log_prob(self, x, p):
        found = ops.floor(x) * ops.log1p(-p) + ops.log(p)
        return ops.where(x >= 0, found, ops.full_like(found, -math.inf))

    def _cdf(self, x, p):
        found = -ops.expm1((ops.floor(x) + 1) * ops.log1p(-p))
        return ops.where(x >= 0, found, ops.zeros_like(found))

    def _mean(self, p):
        return (1 - p) / p

    def _var(self, p):
        return (1 - p) / ops.square(p)

    def _mode(self, p):
        return ops.zeros_like(ops.cast(p, self._dtype))

    def _entropy(self, p):
        return _entropy_of(p) / p

    def _kl(self, p, q):
        return ops.log(p / q) + (1 - p) / p * ops.log((1 - p) / (1 - q))

    def _drawn(self, shape, p):
        return ops.floor(ops.log(open_uniform(shape)) / ops.log1p(-p))


class Poisson(FormulaDistribution):
    """Poisson distribution with mean `rate`: P(k) = rate^k * exp(-rate) / k!.

    rate is a number, list, array or Tensor; None leaves it to the calls of the methods. Raises ValueError for a rate that is not positive,
    TypeError for anything but numbers.
    """

    _whole = True
    _names = ("rate",)

    def __init__(self, rate=None, seed=None, dtype=mstype.float32, name="Poisson"):
        super().__init__(seed, dtype, name, {"rate": rate})

    def _check(self, rate):
        self._require(rate > 0, "rate", "above 0")

    @property
    def rate(self):
        """The rate."""
        return self._given[0]

    def _log_prob(self, x, rate):
        found = ops.xlogy(x, rate) - rate - ops.lgamma(x + 1)
        return ops.where(x >= 0, found, ops.full_like(found, -math.inf))

    def _cdf(self, x, rate):
        from ..functions import IGamma
        at = ops.maximum(ops.floor(x), 0) + 1
        found = 1 - IGamma()(at, rate)
        return ops.where(x >= 0, found, ops.zeros_like(found))

    def _mean(self, rate):
        return rate

    _var = _mean

    def _mode(self, rate):
        return ops.floor(rate)

    def _kl(self, rate, rate_b):
        return rate * (ops.log(rate) - ops.log(rate_b)) + rate_b - rate

    def _drawn(self, shape, rate):
        import numpy

        from ...common.seed import generator
        from ...common.tensor import Tensor
        return Tensor(generator().poisson(rate.asnumpy(), size=shape).astype(numpy.float32))


class Categorical(FormulaDistribution):
    """Categorical distribution: 0, 1, ... with the probabilities along the last axis of probs.

    None leaves probs to the calls of the methods. As in MindSpore, mean and variance keep that axis, with size 1. Raises ValueError for negative
    probabilities, for sums other than 1 and without axes, TypeError for anything but numbers.
    """

    _whole = True
    _names = ("probs",)

    def __init__(self, probs=None, seed=None, dtype=mstype.int32, name="Categorical"):
        super().__init__(seed, dtype, name, {"probs": probs})

    def extend_repr(self):
        return "probs = %s" % self._given

    def _check(self, probs):
        if probs.ndim < 1:
            raise ValueError("[Categorical] rank of probs, got 0, expected 1 or more")
        self._require(probs >= 0, "probs", "0 or more")
        self._require(ops.abs(ops.sum(probs, -1) - 1) < 1e-4, "probs", "a sum of 1")

    @property
    def probs(self):
        """The probabilities."""
        return self._given[0]

    def _picked(self, x, table):
        """The entries of a table at x; 0 outside it."""
        count = table.shape[-1]
        hit = ops.expand_dims(x, -1) == ops.arange(0, count, 1, dtype=mstype.float32)
        return ops.sum(ops.where(hit, table, ops.zeros_like(table)), -1)

    def _log_prob(self, x, probs):
        return ops.log(self._picked(ops.trunc(x), probs))

    def _cdf(self, x, probs):
        last = probs.shape[-1] - 1
        found = self._picked(ops.clamp(ops.floor(x), 0, last), ops.cumsum(probs, -1))
        return ops.where(x < 0, ops.zeros_like(found), ops.where(x >= last, ops.ones_like(found), found))

    def _places(self, probs):
        return ops.arange(0, probs.shape[-1], 1, dtype=mstype.float32)

    def _mean(self, probs):
        return ops.sum(probs * self._places(probs), -1, True)  # the axis stays, as in MindSpore

    def _var(self, probs):
        return ops.sum(probs * ops.square(self._places(probs) - self._mean(probs)), -1, True)

    def _mode(self, probs):
        return ops.cast(ops.argmax(probs, -1), self._dtype)

    def _entropy(self, probs):
        return -ops.sum(ops.xlogy(probs, probs), -1)

    def _kl(self, probs, probs_b):
        return ops.sum(ops.xlogy(probs, probs / probs_b), -1)

    def _sample_tail(self, batch):
        return batch[:-1]

    def _drawn(self, shape, probs):
        ends = ops.cumsum(probs, -1)
        above = ops.expand_dims(ops.rand(shape, dtype=mstype.float32), -1) >= ends
        return ops.minimum(ops.sum(ops.cast(above, mstype.float32), -1), probs.shape[-1] - 1)
