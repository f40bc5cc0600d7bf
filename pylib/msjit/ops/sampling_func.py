"""Random numbers of further distributions, and random choices. Seeds work as in random_func."""
import math as _math

from ..common import dtype as _mstype
from ..common.checks import check_numeric as _check_numeric
from ..common.error_names import ERRORS as _ERRORS
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .operands import blame as _blame
from .operands import check_index as _check_index
from .operands import check_items as _check_items
from .operands import check_operand as _check_operand
from .operands import whole as _whole
from .random_func import _int_dtype, _normal
from .random_func import draw_uniform as _uniform


def _shape(shape, where="random"):
    if isinstance(shape, _Tensor):
        return tuple(_whole(n.item(), where, "shape") for n in shape)
    return (shape,) if isinstance(shape, int) else tuple(_check_items(shape, where, "shape", "ints"))


def randperm(n, seed=0, offset=0, dtype=_mstype.int64):
    """Returns the numbers 0 to n - 1 in random order, int64 by default; a seed of 0 means the global generator.

    With another seed, seed + offset takes the place of set_seed's for this call. Raises ValueError for a negative n, TypeError for
    one that is no int.

    >>> import msjit as ms
    >>> sorted(ms.ops.randperm(4).asnumpy().tolist())
    [0, 1, 2, 3]
    """
    if _check_index(n, "randperm", "n") < 0:
        raise ValueError("[randperm] n must not be negative, got %d" % n)
    own = _check_operand(seed, "randperm", "seed") + _check_operand(offset, "randperm", "offset") if seed else None
    numbers = _uniform((n,), _mstype.float64, own)
    return _k.cast(_k.argsort(numbers, 0), dtype)


def randint_like(input, low, high, seed=None, *, dtype=None):
    """Draws uniform integers in [low, high) in the shape of `input`, and its dtype unless another is given.

    Raises ValueError unless low < high, and for a dtype that is none of integers, TypeError for bounds that are no numbers. seed is as in randn.
    """
    low, high = _check_operand(low, "randint_like", "low"), _check_operand(high, "randint_like", "high")
    if not low < high:
        raise ValueError("[randint_like] low must be below high, got %s and %s" % (low, high))
    dtype = _int_dtype("randint_like", _check(input, "randint_like").dtype if dtype is None else dtype)
    return _k.cast(_k.floor(_uniform(input.shape, _mstype.float64, seed) * (high - low)) + low, dtype)


def shuffle(x, seed=None):
    """Returns the slices along the first axis in a random order; seed is as in randn. Raises ValueError for a Tensor without axes."""
    if not _check(x, "shuffle").ndim:
        raise ValueError("[shuffle] x must have at least one axis, got 0")
    order = _k.argsort(_uniform((x.shape[0],), _mstype.float64, seed), 0)
    return _k.gather(x, order, 0)


def multinomial(input, num_samples, replacement=True, seed=None):
    """Draws num_samples indices (int32) from each row of weights; without replacement each index at most once.

    Weights (n,) give (num_samples,), weights (m, n) give (m, num_samples). They need not add up to 1. Raises ValueError for other
    ranks, for num_samples below 1, and above n without replacement; TypeError where it is not an int.

    >>> import msjit as ms
    >>> ms.ops.multinomial(ms.Tensor([0.0, 1.0]), 3).asnumpy().tolist()
    [1, 1, 1]
    """
    if _check(input, "multinomial").ndim not in (1, 2):
        raise ValueError("[multinomial] input must have 1 or 2 axes, got %d" % input.ndim)
    if isinstance(num_samples, bool) or not isinstance(num_samples, int):
        raise TypeError("[multinomial] num_samples, got %s, expected an int" % type(num_samples).__name__)
    if num_samples < 1:
        raise ValueError("[multinomial] num_samples must be positive, got %d" % num_samples)
    weights, lead = _k.cast(input, _mstype.float64), tuple(input.shape[:-1])
    if replacement:
        total = _k.cumsum(weights, -1)
        drawn = _uniform(lead + (num_samples,), _mstype.float64, seed) * total[..., -1:]
        # Weights that add up to 0 or to NaN leave nothing to find, and a product may round up to the total: then it is the last index.
        return _k.cast(_k.minimum(_k.searchsorted(total, drawn, True), input.shape[-1] - 1), _mstype.int32)
    if num_samples > input.shape[-1]:
        raise ValueError("[multinomial] num_samples, got %d, expected at most %d without replacement"
                         % (num_samples, input.shape[-1]))
    # The indices with the smallest exponential waiting times are a draw without replacement (Efraimidis and Spirakis, 2006).
    wait = -_k.log(1.0 - _uniform(input.shape, _mstype.float64, seed)) / weights
    return _k.cast(_k.topk(wait, num_samples, -1, False)[1], _mstype.int32)


def random_categorical(logits, num_sample, seed=0, dtype=_mstype.int64):
    """Draws num_sample indices from each row of logits, with probabilities softmax(logits); a seed of 0 means the global generator.

    Logits (m, n) give (m, num_sample), of int64 by default.
    """
    weights = _k.softmax(_k.cast(logits, _mstype.float64), -1)
    return _k.cast(multinomial(weights, num_sample, True, seed or None), dtype)


def standard_laplace(shape, seed=None):
    """Draws float32 numbers with density exp(-|x|) / 2, the standard Laplace distribution, in the given shape."""
    drawn = _uniform(_shape(shape, "standard_laplace"), _mstype.float32, seed) - 0.5
    return -_k.sign(drawn) * _k.log1p(-2 * _k.abs(drawn))


def laplace(shape, mean, lambda_param, seed=None):
    """Draws numbers with density exp(-|x - mean| / b) / (2 b), where b is lambda_param. mean and b broadcast with `shape`.

    Raises TypeError for a shape of anything but ints, and for a mean or b of another kind.
    """
    try:
        return standard_laplace(_shape(shape, "laplace"), seed) * lambda_param + mean
    except _ERRORS as error:
        _blame(error, "laplace", mean=mean, lambda_param=lambda_param)
        raise


def random_gamma(shape, alpha, seed=None):
    """Draws from the gamma distribution with shape parameter alpha and rate 1: `shape` numbers for each element of
    alpha. An alpha that is not positive gives NaN.

    The method is Marsaglia and Tsang's (2000) with eight tries for each number. Fewer than one number in 10^10 has no accepted try;
    it takes the last one.
    """
    alpha = alpha if isinstance(alpha, _Tensor) else _Tensor(alpha, _mstype.float32)
    if seed is not None:
        _check_index(seed, "random_gamma", "seed")
    size = _shape(shape, "random_gamma") + tuple(alpha.shape)
    kind = alpha.dtype
    wanted = _k.cast(alpha, _mstype.float64)
    raised = _k.where(_k.less(wanted, 1), wanted + 1, wanted)
    d = raised - 1.0 / 3
    c = _k.rsqrt(d) / 3
    out, done = None, None
    for turn in range(8):
        own = None if seed is None else seed + 2 * turn + 1
        x = _normal(size, _mstype.float64, own)
        u = _uniform(size, _mstype.float64, None if own is None else own + 1)
        v = 1 + c * x
        v = v * v * v
        positive = _k.greater(v, 0)
        safe = _k.where(positive, v, 1.0)
        fits = _k.less(_k.log(1 - u), 0.5 * x * x + d - d * safe + d * _k.log(safe))
        fits = _k.logical_and(positive, fits)
        out = d * safe if out is None else _k.where(done, out, d * safe)
        done = fits if done is None else _k.logical_or(done, fits)
    # For alpha < 1: the number drawn for alpha + 1, times u^(1 / alpha).
    u = 1 - _uniform(size, _mstype.float64, None if seed is None else seed + 99)
    drawn = _k.where(_k.less(wanted, 1), out * _k.pow(u, 1 / wanted), out)
    return _k.cast(_k.where(_k.greater(wanted, 0), drawn, float("nan")), kind)


def gamma(shape, alpha, beta, seed=None):
    """Draws from the gamma distribution with shape parameter alpha and rate beta, numbers or Tensors.

    The result has the shape that `shape` and those of alpha and beta broadcast to. An alpha or beta that is not positive gives NaN.
    """
    beta = beta if isinstance(beta, _Tensor) else _Tensor(beta, _mstype.float32)
    alpha = alpha if isinstance(alpha, _Tensor) else _Tensor(alpha, _mstype.float32)
    each = alpha + _k.zeros_like(beta) + _k.full(_shape(shape, "gamma"), 0, alpha.dtype)
    return random_gamma((), each, seed) / _k.where(_k.greater(beta, 0), beta, float("nan"))


def random_poisson(shape, rate, seed=None, dtype=_mstype.float32):
    """Draws from the Poisson distribution: `shape` numbers for each element of rate. The time grows with the greatest rate.

    The result has the shape `shape` + rate.shape, and the dtype float32 unless another is given.
    """
    rate = rate if isinstance(rate, _Tensor) else _Tensor(rate, _mstype.float32)
    wide = _k.cast(rate, _mstype.float64)
    size = _shape(shape, "random_poisson") + tuple(rate.shape)
    drawn = _uniform(size, _mstype.float64, seed)
    # Inversion: the number drawn is how many values of the distribution function are at most the uniform number.
    highest = float(_k.max(wide)) if rate.size else 0.0
    if rate.size and not float(_k.min(wide)) >= 0:
        raise ValueError("[random_poisson] rate, got %s, expected numbers of 0 or more" % float(_k.min(wide)))
    if highest == float("inf"):
        raise ValueError("[random_poisson] rate, got inf, expected finite numbers")
    steps = int(highest + 12 * _math.sqrt(highest) + 24)
    out, logs, total = _k.zeros_like(drawn), _k.log(_k.maximum(wide, 1e-300)), 0.0
    for k in range(steps):
        total = total + _k.exp(k * logs - wide - _math.lgamma(k + 1))
        out = out + _k.cast(_k.greater_equal(drawn, total), _mstype.float64)
    return _k.cast(out, dtype)


def poisson(shape, mean, seed=None):
    """Draws float32 numbers from the Poisson distribution; `shape` broadcasts with the mean."""
    mean = mean if isinstance(mean, _Tensor) else _Tensor(mean, _mstype.float32)
    return random_poisson((), mean + _k.full(_shape(shape, "poisson"), 0, mean.dtype), seed)


def gumbel_softmax(logits, tau=1.0, hard=False, dim=-1):
    """Computes softmax((logits + Gumbel noise) / tau); with hard, its one-hot form with the gradient of the soft one (Jang et al. 2016).

    The result has the shape of logits. Raises ValueError for a tau that is not positive, TypeError for one that is no number.
    """
    if not _check_operand(tau, "gumbel_softmax", "tau") > 0:
        raise ValueError("[gumbel_softmax] tau must be positive, got %s" % (tau,))
    drawn = _uniform(_check(logits, "gumbel_softmax").shape, _mstype.float32, None)
    noise = -_k.log(-_k.log(_k.clip(drawn, 1e-20, 1 - 6e-8)))
    soft = _k.softmax((logits + _k.cast(noise, logits.dtype)) / float(tau), dim)
    if not hard:
        return soft
    place = _k.argmax(soft, dim, True)
    shape = [1] * soft.ndim
    shape[dim] = soft.shape[dim]
    one = _k.equal(_k.reshape(_k.arange(0, soft.shape[dim], 1, _mstype.int64), shape), place)
    return _k.stop_gradient(_k.cast(one, soft.dtype) - soft) + soft


def _dropped(name, input, p, training, rank):
    if _check(input, name).ndim < 2:
        raise ValueError("[%s] input has a wrong rank, got %d, expected %d" % (name, input.ndim, rank))
    if not 0 <= _check_numeric(p, name, "p") <= 1:
        raise ValueError("[%s] p, got %s, expected one in [0, 1]" % (name, p))
    if not training or p == 0:
        return input
    lead = tuple(input.shape[:input.ndim - rank + 2]) if input.ndim >= rank - 1 else tuple(input.shape[:2])
    kept = _k.greater_equal(_uniform(lead, _mstype.float32, None), p)
    kept = _k.reshape(kept, lead + (1,) * (input.ndim - len(lead)))
    return _k.where(kept, input * (1 / (1 - p) if p < 1 else 0), _k.zeros_like(input))


def dropout1d(input, p=0.5, training=True):
    """Sets whole channels of (N, C, L) or (C, L) to 0 with probability p and scales the others by 1 / (1 - p).

    Without training it returns the input. Raises ValueError for a p outside [0, 1] and for fewer than two axes.
    """
    return _dropped("dropout1d", input, p, training, 3)


def dropout2d(input, p=0.5, training=True):
    """Sets whole channels of (N, C, H, W) or (C, H, W) to 0 with probability p and scales the others by 1 / (1 - p), as dropout1d."""
    return _dropped("dropout2d", input, p, training, 4)


def dropout3d(input, p=0.5, training=True):
    """Sets whole channels of (N, C, D, H, W) or (C, D, H, W) to 0 with probability p and scales the others by 1 / (1 - p), as dropout1d."""
    return _dropped("dropout3d", input, p, training, 5)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
