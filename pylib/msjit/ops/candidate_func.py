"""Random choices: true elements, classes for a sampled softmax, and positions by weight."""
import math as _math

from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from . import sampling_func as _s
from .argument_kinds import check_real as _real
from .random_func import draw_uniform as _uniform


def choice_with_mask(input_x, count=256, seed=None):
    """Chooses up to `count` true elements in random order; returns (coordinates, int32 (count, axes), mask of the valid
    rows).

    If there are fewer true elements, the remaining rows are 0 and their mask is False.
    """
    import numpy
    if _check(input_x, "choice_with_mask").dtype != _mstype.bool_:
        raise TypeError("[choice_with_mask] dtype of input_x, got %s, expected bool" % (input_x.dtype,))
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError("[choice_with_mask] count, got %s, expected an int" % type(count).__name__)
    if count < 1 or not input_x.ndim:
        raise ValueError("[choice_with_mask] count and rank of input_x, got %d and %d, expected 1 or more"
                         % (count, input_x.ndim))
    found = numpy.argwhere(input_x.asnumpy())
    order = numpy.argsort(_uniform((len(found),), _mstype.float64, seed).asnumpy()) if len(found) else []
    out = numpy.zeros((count, input_x.ndim), numpy.int32)
    chosen = found[order][:count] if len(found) else found
    out[:len(chosen)] = chosen
    return _Tensor(out), _Tensor(numpy.arange(count) < len(chosen))


def multinomial_with_replacement(x, seed, offset, numsamples, replacement=False):
    """Draws positions from rows of weights: int64 (rows, numsamples); each at most once if replacement is False.

    The same seed and offset, unless both are 0, give the same positions. Raises TypeError for those that are no ints.
    """
    for what, value in (("seed", seed), ("offset", offset)):
        if not isinstance(value, int):
            raise TypeError("[multinomial_with_replacement] %s, got %s, expected an int" % (what, type(value).__name__))
    drawn = _s.multinomial(x, numsamples, replacement, (seed << 32 ^ offset) % 2**63 if seed or offset else None)
    return _k.cast(drawn, _mstype.int64)


def _check_sampler(where, true_classes, num_true, num_sampled, unique, range_max, seed):
    _check(true_classes, where)
    for what, value in (("num_true", num_true), ("num_sampled", num_sampled), ("range_max", range_max)):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError("[%s] %s, got %s, expected an int" % (where, what, type(value).__name__))
        if value < 1:
            raise ValueError("[%s] %s, got %d, expected 1 or more" % (where, what, value))
    if seed:
        _real(seed, where, "seed")
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise ValueError("[%s] shape of true_classes, got %s, expected (batch, %d)"
                         % (where, tuple(true_classes.shape), num_true))
    if unique and num_sampled > range_max:
        raise ValueError("[%s] num_sampled, got %d, expected at most range_max, %d" % (where, num_sampled, range_max))


def _sampled(draw, weight, true_classes, num_sampled, unique, refused=()):
    """Returns (classes, expected counts of the true classes, of the sampled ones); draw() gives an array of new classes."""
    import numpy
    chosen, tries = [], 0
    while len(chosen) < num_sampled:
        for one in draw():
            tries += 1
            if one in refused or (unique and one in chosen):
                continue
            chosen.append(int(one))
            if len(chosen) == num_sampled:
                break

    def expected(classes):
        share = weight(numpy.asarray(classes, numpy.float64))
        counts = -numpy.expm1(tries * numpy.log1p(-share)) if unique else share * num_sampled
        return _Tensor(counts.astype(numpy.float32))
    kind = true_classes.asnumpy()
    return _Tensor(numpy.array(chosen, kind.dtype)), expected(kind), expected(chosen)


def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False):
    """Samples num_sampled classes below range_max, all equally likely.

    Returns (classes, expected counts of the true classes, expected counts of the sampled ones). Raises TypeError for true_classes that are no Tensor
    and for numbers that are no ints.
    """
    where = "uniform_candidate_sampler"
    _check_sampler(where, true_classes, num_true, num_sampled, unique, range_max, seed)
    refused = set(true_classes.asnumpy().reshape(-1).tolist()) if remove_accidental_hits else ()
    if remove_accidental_hits and range_max - len(refused) < (num_sampled if unique else 1):
        raise ValueError("[%s] range_max, got %d, expected enough classes besides the true ones" % (where, range_max))
    drawn = [0]

    def draw():
        drawn[0] += 1
        numbers = _uniform((num_sampled,), _mstype.float64, seed + drawn[0] if seed else None)
        return (numbers.asnumpy() * range_max).astype(int)
    return _sampled(draw, lambda c: 0 * c + 1.0 / range_max, true_classes, num_sampled, unique, refused)


def log_uniform_candidate_sampler(true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0):
    """Samples num_sampled classes below range_max, with low classes most likely.

    Returns (classes, expected counts of the true classes, expected counts of the sampled ones). The probability of class c
    is log((c + 2) / (c + 1)) / log(range_max + 1). Raises TypeError for true_classes that are no Tensor and for numbers that are no ints.
    """
    import numpy
    _check_sampler("log_uniform_candidate_sampler", true_classes, num_true, num_sampled, unique, range_max, seed)
    whole, drawn = _math.log(range_max + 1), [0]

    def draw():
        drawn[0] += 1
        numbers = _uniform((num_sampled,), _mstype.float64, seed + drawn[0] if seed else None)
        return numpy.minimum(numpy.exp(numbers.asnumpy() * whole).astype(int) - 1, range_max - 1)
    return _sampled(draw, lambda c: (numpy.log1p(1 / (c + 1))) / whole, true_classes, num_sampled, unique)


__all__ = ["choice_with_mask", "multinomial_with_replacement", "uniform_candidate_sampler", "log_uniform_candidate_sampler"]
