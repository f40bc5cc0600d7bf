"""Distributions of real numbers."""
import math

from ... import ops
from ...common import dtype as mstype
from .base import FormulaDistribution, open_uniform

_HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
_EULER = 0.57721566490153286


def _same(x, *others):
    """Broadcasts x to the shape that it has together with the others."""
    for other in others:
        x = x + ops.zeros_like(other)
    return x


class _LocationScale(FormulaDistribution):
    """Base class of distributions with a location and a positive scale."""

    _names = ("loc", "scale")

    def __init__(self, loc=None, scale=None, seed=None, dtype=mstype.float32, name=None):
        super().__init__(seed, dtype, name or type(self).__name__, dict(zip(self._names, (loc, scale))))

    def _check(self, loc, scale):
        self._require(scale > 0, self._names[1], "above 0")

    @property
    def loc(self):
        """The location."""
        return self._given[0]

    @property
    def scale(self):
        """The scale."""
        return self._given[1]

    def _mode(self, loc, scale):
        return _same(loc, scale)

    _mean = _mode

    def _drawn(self, shape, loc, scale):
        return loc + scale * self._standard(shape)


class Normal(_LocationScale):
    """Normal distribution with density exp(-(x - mean)^2 / (2 sd^2)) / (sd sqrt(2 pi)).

    mean and the standard deviation sd are numbers, lists, arrays or Tensors; None leaves them to the calls of the methods. Raises ValueError for
    an sd that is not positive, TypeError for anything but numbers.
    """

    _names = ("mean", "sd")
    _shown = {"sd": "standard deviation"}
    loc = scale = None

    def __init__(self, mean=None, sd=None, seed=None, dtype=mstype.float32, name="Normal"):
        super().__init__(mean, sd, seed, dtype, name)

    def _standard(self, shape):
        return ops.standard_normal(shape)

    def _log_prob(self, x, mean, sd):
        return -0.5 * ops.square((x - mean) / sd) - ops.log(sd) - _HALF_LOG_2PI

    def _cdf(self, x, mean, sd):
        return 0.5 * ops.erfc((mean - x) / (sd * math.sqrt(2)))

    def _var(self, mean, sd):
        return _same(ops.square(sd), mean)

    def _entropy(self, mean, sd):
        return _same(ops.log(sd), mean) + 0.5 + _HALF_LOG_2PI

    def _kl(self, mean, sd, mean_b, sd_b):
        ratio = ops.square(sd / sd_b)
        return 0.5 * (ratio - 1 - ops.log(ratio) + ops.square((mean - mean_b) / sd_b))


class LogNormal(_LocationScale):
    """Log-normal distribution: exp of a normal variable with mean `loc` and standard deviation `scale`. Its mean is exp(loc + scale^2 / 2).

    Arguments and errors are those of Normal, with these names.
    """

    def __init__(self, loc=None, scale=None, seed=0, dtype=mstype.float32, name="LogNormal"):
        super().__init__(loc, scale, seed, dtype, name)

    def _log_prob(self, x, loc, scale):
        log = ops.log(x)
        return -0.5 * ops.square((log - loc) / scale) - ops.log(scale) - _HALF_LOG_2PI - log

    def _cdf(self, x, loc, scale):
        return 0.5 * ops.erfc((loc - ops.log(x)) / (scale * math.sqrt(2)))

    def _mean(self, loc, scale):
        return ops.exp(loc + 0.5 * ops.square(scale))

    def _var(self, loc, scale):
        return ops.expm1(ops.square(scale)) * ops.exp(2 * loc + ops.square(scale))

    def _mode(self, loc, scale):
        return ops.exp(loc - ops.square(scale))

    def _entropy(self, loc, scale):
        return loc + 0.5 + ops.log(scale) + _HALF_LOG_2PI

    _kl = Normal._kl

    def _drawn(self, shape, loc, scale):
        return ops.exp(loc + scale * ops.standard_normal(shape))


class Cauchy(_LocationScale):
    """Cauchy distribution with density 1 / (pi scale (1 + ((x - loc) / scale)^2)).

    It has no mean and no variance: asking for them raises ValueError. Arguments and errors are those of Normal, with these names.
    """

    _shown = {"loc": "location"}

    def _log_prob(self, x, loc, scale):
        return -math.log(math.pi) - ops.log(scale) - ops.log1p(ops.square((x - loc) / scale))

    def _cdf(self, x, loc, scale):
        return 0.5 + ops.atan((x - loc) / scale) / math.pi

    def _undefined(self, loc, scale):
        raise ValueError("[Cauchy] mean and variance, got a distribution without them, expected another one")

    _mean = _var = _undefined

    def _entropy(self, loc, scale):
        return _same(ops.log(scale), loc) + math.log(4 * math.pi)

    def _kl(self, loc, scale, loc_b, scale_b):
        return ops.log((ops.square(scale + scale_b) + ops.square(loc - loc_b)) / (4 * scale * scale_b))

    def _standard(self, shape):
        return ops.tan(math.pi * (open_uniform(shape) - 0.5))


class Logistic(_LocationScale):
    """Logistic distribution with distribution function 1 / (1 + exp(-(x - loc) / scale)).

    Arguments and errors are those of Normal, with these names.
    """

    _shown = {"loc": "location"}

    def _log_prob(self, x, loc, scale):
        z = (x - loc) / scale
        return -z - 2 * ops.log1p(ops.exp(-z)) - ops.log(scale)

    def _cdf(self, x, loc, scale):
        return ops.sigmoid((x - loc) / scale)

    def _var(self, loc, scale):
        return _same(ops.square(scale), loc) * (math.pi ** 2 / 3)

    def _entropy(self, loc, scale):
        return _same(ops.log(scale), loc) + 2

    def _standard(self, shape):
        u = open_uniform(shape)
        return ops.log(u) - ops.log1p(-u)


class Gumbel(_LocationScale):
    """Gumbel distribution of maxima, with distribution function exp(-exp(-(x - loc) / scale)).

    Arguments and errors are those of Normal, with these names.
    """

    def __init__(self, loc=None, scale=None, seed=0, dtype=mstype.float32, name="Gumbel"):
        super().__init__(loc, scale, seed, dtype, name)

    def _log_prob(self, x, loc, scale):
        z = (x - loc) / scale
        return -z - ops.exp(-z) - ops.log(scale)

    def _cdf(self, x, loc, scale):
        return ops.exp(-ops.exp((loc - x) / scale))

    def _mean(self, loc, scale):
        return loc + scale * _EULER

    def _var(self, loc, scale):
        return _same(ops.square(scale), loc) * (math.pi ** 2 / 6)

    def _entropy(self, loc, scale):
        return _same(ops.log(scale), loc) + 1 + _EULER

    def _kl(self, loc, scale, loc_b, scale_b):
        ratio = scale / scale_b
        return (ops.log(scale_b / scale) + _EULER * (ratio - 1) - 1 + (loc - loc_b) / scale_b
                + ops.exp((loc_b - loc) / scale_b + ops.lgamma(ratio + 1)))

    def _standard(self, shape):
        return -ops.log(-ops.log(open_uniform(shape)))


class Laplace(_LocationScale):
    """Laplace distribution with density exp(-|x - mean| / sd) / (2 sd). As in MindSpore it offers densities only.

    Raises ValueError for an sd that is not positive, NotImplementedError for other methods.
    """

    _names = ("mean", "sd")
    loc = scale = None
    _mean, _mode, _drawn = FormulaDistribution._mean, FormulaDistribution._mode, FormulaDistribution._drawn

    def __init__(self, mean=None, sd=None, seed=None, dtype=mstype.float32, name="Laplace"):
        super().__init__(mean, sd, seed, dtype, name)

    def _log_prob(self, x, mean, sd):
        return -ops.abs(x - mean) / sd - ops.log(2 * sd)


class HalfNormal(Laplace):
    """The half of a normal distribution above its mean: twice the normal density for x >= mean, else 0. It offers densities only.

    Raises ValueError for an sd that is not positive, NotImplementedError for other methods.
    """

    def __init__(self, mean=None, sd=None, seed=None, dtype=mstype.float32, name="HalfNormal"):
        super().__init__(mean, sd, seed, dtype, name)

    def _log_prob(self, x, mean, sd):
        found = math.log(2) + Normal._log_prob(self, x, mean, sd)
        return ops.where(x >= mean, found, ops.full_like(found, -math.inf))


class StudentT(FormulaDistribution):
    """Student's t distribution with df degrees of freedom, shifted by mean and scaled by sd; it offers densities only.

    Raises ValueError for a df or an sd that is not positive, NotImplementedError for other methods.
    """

    _names = ("df", "mean", "sd")

    def __init__(self, df=None, mean=None, sd=None, seed=None, dtype=mstype.float32, name="StudentT"):
        super().__init__(seed, dtype, name, {"df": df, "mean": mean, "sd": sd})

    def _check(self, df, mean, sd):
        self._require(df > 0, "df", "above 0")
        self._require(sd > 0, "sd", "above 0")

    def _log_prob(self, x, df, mean, sd):
        return (-0.5 * (df + 1) * ops.log1p(ops.square((x - mean) / sd) / df) - ops.log(sd) - 0.5 * ops.log(df * math.pi)
                - ops.lgamma(0.5 * df) + ops.lgamma(0.5 * (df + 1)))
