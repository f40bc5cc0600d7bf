"""Primitives that draw random numbers, as rows. Seeds of 0 select the global generator; shapes may be tensors."""
import math as _math

from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from . import registry as _k
from . import sampling_func as _s
from .argument_kinds import check_real as _real
from .argument_kinds import check_seeds as _check_seeds
from .argument_kinds import check_sizes as _check_sizes
from .nn_operations import _seed
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows
from .random_func import _normal
from .random_func import draw_uniform as _uniform

_SEEDS = {"seed": 0, "seed2": 0}


def _bernoulli(p, x, chance):
    _check_tensor(x, p.name), _check_seeds(p.name, p.seed, p.offset)
    chance = chance if isinstance(chance, _Tensor) else _Tensor(float(_real(chance, p.name, "p")))
    drawn = _uniform(x.shape, _mstype.float32, None if p.seed == -1 else _seed(p.seed, p.offset))
    return _k.cast(_k.less(drawn, chance), x.dtype)


def _cauchy(p):
    """Draws float32 numbers of the Cauchy distribution, density sigma / (pi ((x - median)^2 + sigma^2)), in the shape `size`."""
    drawn = _uniform(tuple(p.size), _mstype.float64, None)
    return _k.cast(_k.tan((drawn - 0.5) * _math.pi) * float(p.sigma) + float(p.median), _mstype.float32)


def _log_normal(p, x):
    """Draws numbers whose logarithms are normal with this mean and standard deviation, in the shape and dtype of x."""
    return _k.cast(_k.exp(_normal(_check_tensor(x, p.name).shape, _mstype.float32, None) * float(p.std) + float(p.mean)), x.dtype)


def _categories(p, logits, num_sample, seed):
    """Draws num_sample classes for each row of logits (rows, classes), with the probabilities softmax(logits): (rows, num_sample), of dtype.

    A seed other than 0 gives the same numbers in each call.
    """
    _check_tensor(logits, p.name), _real(num_sample, p.name, "num_sample"), _real(seed, p.name, "seed")
    weights = _k.softmax(_k.cast(logits, _mstype.float64), -1)
    return _k.cast(_s.multinomial(weights, int(num_sample), True, int(seed) or None), p.dtype)


def _gammas(p, shape, alpha):
    """Draws numbers of the gamma distribution with shape alpha and rate 1: `shape` numbers for each element of alpha, shape + alpha.shape.

    The result has the dtype of alpha. The same seeds give the same numbers; 0 for both takes the global generator.
    """
    _check_tensor(alpha, "RandomGamma")
    _check_seeds(p.name, p.seed, p.seed2)
    sizes = _check_sizes(shape, p.name) + tuple(alpha.shape)
    return _k.cast(_k.reshape(_s.gamma(sizes, alpha, _k.ones_like(alpha), _seed(p.seed, p.seed2)), sizes), alpha.dtype)


def _poissons(p, shape, rate):
    """Draws numbers of the Poisson distribution: `shape` numbers for each element of rate, shape + rate.shape, of dtype.

    Raises ValueError for a negative rate. The same seeds give the same numbers; 0 for both takes the global generator.
    """
    _check_tensor(rate, "RandomPoisson")
    _check_seeds(p.name, p.seed, p.seed2)
    sizes = _check_sizes(shape, p.name) + tuple(rate.shape)
    return _k.cast(_k.reshape(_s.poisson(sizes, rate, _seed(p.seed, p.seed2)), sizes), p.dtype)


def _between(sizes, low, high, seed):
    """Draws normal numbers between two bounds: uniform numbers through the inverse of the distribution function."""
    def below(x):
        return (1.0 + _k.erf(x * (0.5 ** 0.5))) * 0.5
    start, end = below(low), below(high)
    share = _uniform(sizes, _mstype.float64, seed) * (end - start) + start
    return _k.minimum(_k.maximum(_k.erfinv(share * 2.0 - 1.0) * (2.0 ** 0.5), low), high)


def _truncated(p, shape):
    """Draws standard normal numbers between -2 and 2, in the shape that a Tensor of ints gives, of dtype. Raises TypeError for another shape.

    The same seeds give the same numbers; 0 for both takes the global generator.
    """
    if not isinstance(shape, _Tensor):
        raise TypeError("[%s] shape, got %s, expected a Tensor" % (p.name, type(shape).__name__))
    _check_seeds(p.name, p.seed, p.seed2)
    two = _k.full((), 2.0, _mstype.float64)
    return _k.cast(_between(_check_sizes(shape, p.name), -two, two, _seed(p.seed, p.seed2)), p.dtype)


def _parameterized(p, shape, mean, stdevs, low, high):
    """Draws normal numbers with means and standard deviations between bounds low and high, in the given shape and the dtype of mean.

    The four are numbers without axes or have one element for each index of the first axis. The same seeds give the same numbers; 0 for both takes
    the global generator.
    """
    sizes = _check_sizes(shape, p.name)
    for operand in (mean, stdevs, low, high):
        _check_tensor(operand, p.name)
    _check_seeds(p.name, p.seed, p.seed2)

    def column(x):
        wide = _k.cast(x, _mstype.float64)
        return _k.reshape(wide, (-1,) + (1,) * (len(sizes) - 1)) if wide.ndim else wide
    mean_, scale, low, high = column(mean), column(stdevs), column(low), column(high)
    out = _between(sizes, (low - mean_) / scale, (high - mean_) / scale, _seed(p.seed, p.seed2))
    return _k.cast(out * scale + mean_, mean.dtype)


def _any_ints(p, shape):
    """Draws integers without a seed, in a shape of two sizes or more: int32 from all, int64 from those of 54 bits. ValueError for fewer sizes."""
    sizes = _check_sizes(shape, p.name)
    if len(sizes) < 2:
        raise ValueError("[%s] shape, got %d sizes, expected 2 or more" % (p.name, len(sizes)))
    bits = 31 if p.dtype == _mstype.int32 else 53
    return _k.cast(_k.floor((_uniform(sizes, _mstype.float64, None) * 2.0 - 1.0) * 2.0 ** bits), p.dtype)


__all__ = _rows(globals(), (
    ("Bernoulli", {"seed": -1, "offset": 0}, _bernoulli),
    ("Cauchy", {"size": _REQUIRED, "median": 0.0, "sigma": 1.0}, _cauchy),
    ("LogNormalReverse", {"mean": 1.0, "std": 2.0}, _log_normal),
    ("RandomCategorical", {"dtype": _mstype.int64}, _categories), ("RandomGamma", _SEEDS, _gammas),
    ("RandomPoisson", {"seed": 0, "seed2": 0, "dtype": _mstype.int64}, _poissons),
    ("TruncatedNormal", {"dtype": _mstype.float32, "seed": 0, "seed2": 0}, _truncated),
    ("ParameterizedTruncatedNormal", _SEEDS, _parameterized), ("NonDeterministicInts", {"dtype": _mstype.int64}, _any_ints),
    ("RandpermV2", {"seed": 0, "offset": 0, "dtype": _mstype.int64}, lambda p, n:
     _s.randperm(int(_real(n, p.name, "n")), p.seed, p.offset, p.dtype)),
))
