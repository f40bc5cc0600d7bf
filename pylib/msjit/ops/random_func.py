"""Random functions. The generator is counter-based, and set_seed sets its seed."""
from ..common import dtype as mstype
from ..common.checks import check_numeric as _check_numeric
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.seed import set_seed as _set_seed  # noqa: F401
from ..common.tensor import check_tensor as _check_tensor
from . import registry as _k
from .operands import blame as _blame


def _shape(size):
    if len(size) == 1 and isinstance(size[0], (tuple, list)):
        return tuple(size[0])
    return tuple(size)


def _ticket(seed):
    """The next ticket (seed and counter) of the generator, with the seed replaced by the one that the call names."""
    drawn = _k.rng_ticket()
    return _k.concat([_k.full((1,), seed, mstype.int64), drawn[1:]])


def _normal(shape, dtype, seed):
    if seed is None:
        return _k.random_normal(shape, 0.0, 1.0, dtype)
    return _k.normal_from(_ticket(seed), shape, 0.0, 1.0, dtype)


def draw_uniform(shape, dtype, seed):
    """Draws uniform numbers in [0, 1), under the seed of the call unless that is None."""
    if seed is None:
        return _k.random_uniform(shape, 0.0, 1.0, dtype)
    return _k.uniform_from(_ticket(seed), shape, 0.0, 1.0, dtype)


def randn(*size, dtype=None, seed=None):
    """Draws standard normal numbers in the shape `size`, ints or one tuple; float32 by default.

    `seed` takes the place of set_seed's for this call; the generator's counter goes on, so the next call draws other numbers. Raises
    TypeError for a dtype that is none of floats.

    >>> import msjit as ms
    >>> ms.ops.randn(2, 3).shape
    (2, 3)
    """
    try:
        return _normal(_shape(size), mstype.float32 if dtype is None else dtype, seed)
    except _ERRORS as error:
        _rename(error, "randn")
        raise


def standard_normal(shape, seed=None):
    """Draws standard normal float32 numbers, mean 0 and variance 1, in the given shape, an int or a tuple of ints. seed is as in randn.

    Raises ValueError for a negative size, TypeError for a shape of anything but ints and for a seed that is no number.
    """
    try:
        return _normal(_shape((shape,)), mstype.float32, seed)
    except _ERRORS as error:
        _rename(error, "standard_normal")
        raise


def normal(shape, mean=0.0, stddev=1.0, seed=None):
    """Draws normal numbers with the given mean and standard deviation, numbers or Tensors that broadcast with `shape`. seed is as in randn.

    Raises TypeError for a mean or stddev of another kind.
    """
    try:
        return standard_normal(shape, seed) * stddev + mean
    except _ERRORS as error:
        _blame(error, "normal", mean=mean, stddev=stddev)
        raise


def rand(*size, dtype=None, seed=None):
    """Draws uniform numbers in [0, 1) in the shape `size`, ints or one tuple; float32 by default. seed is as in randn.

    Raises TypeError for a dtype that is none of floats.
    """
    try:
        return draw_uniform(_shape(size), mstype.float32 if dtype is None else dtype, seed)
    except _ERRORS as error:
        _rename(error, "rand")
        raise


def uniform(shape, minval=0.0, maxval=1.0, seed=None, dtype=mstype.float32):
    """Draws uniform numbers in [minval, maxval); an integer dtype gives whole numbers.

    minval and maxval are numbers or Tensors; the result has the shape that `shape` and theirs broadcast to. Raises TypeError for others.
    """
    try:
        if dtype not in mstype.int_type and dtype not in mstype.uint_type:
            return draw_uniform(_shape((shape,)), dtype, seed) * (maxval - minval) + minval
        numbers = draw_uniform(_shape((shape,)), mstype.float64, seed)
        return _k.cast(_k.floor(numbers * (maxval - minval)) + minval, dtype)
    except _ERRORS as error:
        _blame(error, "uniform", minval=minval, maxval=maxval)
        raise


def randint(low, high, size, seed=None, *, dtype=None):
    """Draws uniform integers in [low, high) in the shape `size`, a tuple of ints; int64 by default. seed is as in randn.

    Raises ValueError unless low < high, and for a dtype that is none of integers.
    """
    low, high = _check_numeric(low, "randint", "low"), _check_numeric(high, "randint", "high")
    if not low < high:
        raise ValueError("[randint] low must be below high, got %s and %s" % (low, high))
    numbers = draw_uniform(_shape((size,)), mstype.float64, seed)
    return _k.cast(_k.floor(numbers * (high - low)) + low, _int_dtype("randint", mstype.int64 if dtype is None else dtype))


def _int_dtype(name, dtype):
    """Returns the dtype if it is one of integers; raises ValueError otherwise."""
    if dtype not in mstype.int_type and dtype not in mstype.uint_type:
        raise ValueError("[%s] dtype, got %s, expected one of integers" % (name, dtype))
    return dtype


def rand_like(input, seed=None, *, dtype=None):
    """Draws uniform numbers in [0, 1) in the shape of `input`, and its dtype unless another is given."""
    _check_tensor(input, "rand_like")
    return rand(*input.shape, dtype=input.dtype if dtype is None else dtype, seed=seed)


def randn_like(input, seed=None, *, dtype=None):
    """Draws standard normal numbers in the shape of `input`, float32 by default."""
    _check_tensor(input, "randn_like")
    return randn(*input.shape, dtype=dtype, seed=seed)


def bernoulli(input, p=0.5, seed=None):
    """Draws 1 with probability p, else 0, in the shape and dtype of `input`, whose values do not matter; p is a number or a Tensor.

    Raises ValueError for a number outside [0, 1]. seed is as in randn.
    """
    _check_tensor(input, "bernoulli")
    if isinstance(p, (int, float)) and not 0 <= p <= 1:
        raise ValueError("[bernoulli] p, got %s, expected a number in [0, 1]" % (p,))
    return _k.cast(_k.less(draw_uniform(input.shape, mstype.float32, seed), p), input.dtype)


__all__ = ["randn", "standard_normal", "normal", "rand", "uniform", "randint", "rand_like", "randn_like", "bernoulli"]
