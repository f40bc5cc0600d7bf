"""Random functions. The generator is counter-based and seeded by set_seed."""
from ..common import dtype as mstype
from ..common.seed import set_seed as _set_seed  # noqa: F401
from . import registry as _k


def _shape(size):
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        return tuple(size[0])
    return tuple(size)


def randn(*size, dtype=None, seed=None):
    """Standard normal numbers."""
    return _k.random_normal(_shape(size), 0.0, 1.0, mstype.float32 if dtype is None else dtype)


def standard_normal(shape, seed=None):
    """Standard normal numbers."""
    return _k.random_normal(_shape((shape,)), 0.0, 1.0, mstype.float32)


def normal(shape, mean=0.0, stddev=1.0, seed=None):
    """Normal numbers."""
    return standard_normal(shape) * stddev + mean


def rand(*size, dtype=None, seed=None):
    """Uniform numbers in [0, 1)."""
    return _k.random_uniform(_shape(size), 0.0, 1.0, mstype.float32 if dtype is None else dtype)


def uniform(shape, minval=0.0, maxval=1.0, seed=None, dtype=mstype.float32):
    """Uniform numbers in [minval, maxval)."""
    return _k.random_uniform(_shape((shape,)), 0.0, 1.0, dtype) * (maxval - minval) + minval


def randint(low, high, size, *, dtype=None, seed=None):
    """Uniform integers in [low, high)."""
    if not low < high:
        raise ValueError("[randint] low must be below high, got %s and %s" % (low, high))
    numbers = _k.random_uniform(_shape((size,)), 0.0, 1.0, mstype.float64)
    return _k.cast(_k.floor(numbers * (high - low)) + low, mstype.int64 if dtype is None else dtype)


def rand_like(input, seed=None, *, dtype=None):
    """Uniform numbers in the shape of another tensor."""
    return rand(*input.shape, dtype=input.dtype if dtype is None else dtype)


def randn_like(input, seed=None, *, dtype=None):
    """Standard normal numbers in the shape of another tensor, float32 by default."""
    return randn(*input.shape, dtype=dtype)


def bernoulli(input, p=0.5, seed=None):
    """1 with probability p, else 0, in the shape and dtype of another tensor."""
    return _k.cast(_k.less(_k.random_uniform(input.shape, 0.0, 1.0, mstype.float32), p), input.dtype)


__all__ = ["randn", "standard_normal", "normal", "rand", "uniform", "randint", "rand_like", "randn_like", "bernoulli"]
