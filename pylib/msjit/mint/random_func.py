"""Random numbers of mint. Without a generator they come from the one that set_seed sets."""
from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.checks import check_numeric as _check_numeric
from ..common.generator import drawn as _drawn
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from ..ops import registry as _k
from ..ops.random_func import draw_uniform as _uniform


def bernoulli(input, *, generator=None):
    """Draws 1 with the probability that each element of input gives, else 0, in its shape and dtype. Elements are not checked to lie in [0, 1].

    Raises TypeError for anything but a Tensor.
    """
    if generator is not None:
        return _drawn("bernoulli", generator, bernoulli, input)
    _check_tensor(input, "bernoulli")
    return _k.cast(_k.less(_uniform(input.shape, _mstype.float32, None), input), input.dtype)


def multinomial(input, num_samples, replacement=False, *, generator=None):
    """Draws num_samples indices (int64) from a vector of weights, or from each row of a matrix (n, m): (num_samples,) or (n, num_samples).

    An index is drawn with the probability weight / sum of weights; without replacement each at most once. Raises ValueError for less than
    one sample, for more than m without replacement and for another rank, TypeError for anything but a Tensor.
    """
    if generator is not None:
        return _drawn("multinomial", generator, multinomial, input, num_samples, replacement)
    return _k.cast(_ops.multinomial(input, num_samples, replacement), _mstype.int64)


def _shape(where, size):
    if not isinstance(size, (tuple, list)):
        raise TypeError("[%s] size, got %s, expected a tuple of ints" % (where, type(size).__name__))
    return tuple(size)


def normal(mean=0.0, std=1.0, size=None, generator=None):
    """Draws normal numbers (float32) with the given mean and standard deviation, numbers or Tensors.

    The shape is their common one, or that of `size`, a tuple. Raises ValueError for an std that is a number below 0 and for shapes that do not
    broadcast, TypeError for other kinds of arguments.
    """
    if generator is not None:
        return _drawn("normal", generator, normal, mean, std, size)
    _check_numeric(mean, "normal", "mean"), _check_numeric(std, "normal", "std")
    if size is None:
        shape = (mean + std).shape if isinstance(mean, _Tensor) or isinstance(std, _Tensor) else ()
    else:
        shape = _shape("normal", size)
    if isinstance(std, (int, float)) and std < 0:
        raise ValueError("[normal] std must not be negative, got %s" % (std,))
    return _ops.standard_normal(shape) * std + mean


def randperm(n, *, generator=None, dtype=_mstype.int64):
    """Returns the numbers 0 to n - 1 in random order, int64 unless dtype is given.

    Raises ValueError for a negative n, TypeError unless n is an int.
    """
    if generator is not None:
        return _drawn("randperm", generator, randperm, n, dtype=dtype)
    return _ops.randperm(n, dtype=dtype)


def randint(*args, low=None, high=None, size=None, generator=None, dtype=None, device=None):
    """Draws uniform integers in [low, high): randint(high, size) with low 0, or randint(low, high, size). size is a tuple.

    The result is int64 unless dtype is given, which may be a float; device is ignored. Raises ValueError unless low < high, TypeError for another
    number of arguments and for a size that is no tuple or list.
    """
    names = ("low", "high", "size") if len(args) + (high is not None) + (size is not None) + (low is not None) == 3 else ("high", "size")
    given = {name: value for name, value in (("low", low), ("high", high), ("size", size)) if value is not None}
    free = [name for name in names if name not in given]
    if len(free) != len(args):
        raise TypeError("[randint] arguments, got %d and %s, expected high and size, or low, high and size" % (len(args), sorted(given)))
    given.update(zip(free, args))
    low, high, size = given.get("low", 0), given["high"], given["size"]
    if generator is not None:
        return _drawn("randint", generator, randint, low, high, size, dtype=dtype)
    drawn = _ops.randint(low, high, _shape("randint", size))
    return drawn if dtype is None else drawn.astype(dtype)  # dtype may be a float


def randint_like(input, low, high=None, *, dtype=None, device=None):
    """Draws uniform integers in [low, high), or in [0, low) without high, in the shape of a tensor, and in its dtype unless dtype is given.

    device is ignored. Raises ValueError unless low < high, TypeError for anything but a Tensor.
    """
    low, high = (0, low) if high is None else (low, high)
    drawn = _ops.randint_like(_check_tensor(input, "randint_like"), low, high, dtype=_mstype.int64)
    return drawn.astype(input.dtype if dtype is None else dtype)


def rand(*size, generator=None, dtype=None, device=None):
    """Draws uniform numbers in [0, 1), float32 by default. size is ints, or one tuple of them.

    As in MindSpore, arguments after a shape that is a tuple are ignored; so is device. Raises ValueError for a negative size, TypeError for sizes
    that are no ints and for a dtype that is no float.
    """
    size = size[:1] if size and isinstance(size[0], (tuple, list)) else size
    if generator is not None:
        return _drawn("rand", generator, rand, *size, dtype=dtype)
    return _ops.rand(*size, dtype=dtype)


def randn(*size, generator=None, dtype=None, device=None):
    """Draws standard normal numbers (mean 0, deviation 1), float32 by default. size is ints, or one tuple of them.

    As in MindSpore, arguments after a shape that is a tuple are ignored; so is device. Raises ValueError for a negative size, TypeError for sizes
    that are no ints and for a dtype that is no float.
    """
    size = size[:1] if size and isinstance(size[0], (tuple, list)) else size
    if generator is not None:
        return _drawn("randn", generator, randn, *size, dtype=dtype)
    return _ops.randn(*size, dtype=dtype)


def rand_like(input, *, dtype=None, device=None):
    """Draws uniform numbers in [0, 1) in the shape of a tensor, and in its dtype unless dtype is given. device is ignored.

    Raises TypeError for a dtype that is no float and for anything but a Tensor.
    """
    return _ops.rand_like(input, dtype=dtype)


def randn_like(input, *, dtype=None, device=None):
    """Draws standard normal numbers in the shape of a tensor, and in its dtype unless dtype is given. device is ignored.

    Raises TypeError for a dtype that is no float and for anything but a Tensor.
    """
    return _ops.randn_like(_check_tensor(input, "randn_like"), dtype=input.dtype if dtype is None else dtype)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
