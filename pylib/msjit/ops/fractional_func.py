"""Fractional pooling (Graham 2014): over windows at random positions, and over windows of random sizes."""
import math as _math

from ..common import dtype as _mstype
from ..common.checks import check_int as _check_int
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .argument_kinds import check_real as _real
from .random_func import draw_uniform as _uniform


def _sizes(where, value, count, what, check=_check_int):
    values = tuple(value) if isinstance(value, (tuple, list)) else (value,) * count
    if len(values) != count:
        raise ValueError("[%s] %s, got %d numbers, expected %d" % (where, what, len(values), count))
    for item in values:
        check(item, where, what)
    return values


def _starts(sample, length, out, kernel):
    """Start of each window along an axis, int64 (rows, out), from one random number in [0, 1) for each row."""
    import numpy
    if out == 1:
        return numpy.full((sample.shape[0], 1), length - kernel, numpy.int64)
    alpha = numpy.float32(length - kernel) / numpy.float32(out - 1)
    steps = numpy.arange(out - 1, dtype=numpy.float32)
    found = ((steps + sample[:, None]) * alpha).astype(numpy.int64) - (sample[:, None] * alpha).astype(numpy.int64)
    return numpy.concatenate([found, numpy.full((sample.shape[0], 1), length - kernel, numpy.int64)], 1)


def fractional(where, x, kernel, out, samples):
    """Returns (maxima, their positions in the flattened volume, int64) over the last axes; samples is (N, C, axes) or None."""
    import numpy
    count = len(kernel)
    _check(x, where)
    lead, spatial = tuple(x.shape[:-count]), tuple(x.shape[-count:])
    for length, size, window in zip(spatial, out, kernel):
        if size < 1 or window < 1 or size + window - 1 > length:
            raise ValueError("[%s] sizes, got input %s, window %s and output %s, expected output + window - 1 within the input"
                             % (where, spatial, tuple(kernel), tuple(out)))
    rows = 1
    for size in lead:
        rows *= size
    if samples is None:
        samples = _uniform((rows, count), _mstype.float32, None)
    _check(samples, where)
    if samples.size != rows * count:
        raise ValueError("[%s] shape of _random_samples, got %s, expected %d numbers for each of %d planes"
                         % (where, tuple(samples.shape), count, rows))
    drawn = samples.asnumpy().reshape(rows, count).astype(numpy.float32)
    place = numpy.zeros((rows,) + (1,) * (2 * count), numpy.int64)
    step = 1
    for axis in range(count - 1, -1, -1):
        # The numbers of a row are for the axes from the last to the first.
        along = _starts(drawn[:, count - 1 - axis], spatial[axis], out[axis], kernel[axis])[:, :, None] + numpy.arange(kernel[axis])
        shape = [rows] + [1] * (2 * count)
        shape[1 + axis], shape[1 + count + axis] = out[axis], kernel[axis]
        place = place + along.reshape(shape) * step
        step *= spatial[axis]
    places = _Tensor(numpy.ascontiguousarray(place.reshape(rows, -1)))
    windows = _k.reshape(_k.gather_elements(_k.reshape(x, (rows, -1)), places, 1), (rows,) + (int(numpy.prod(out)), -1))
    best = _k.expand_dims(_k.argmax(windows, -1), -1)
    values = _k.squeeze(_k.gather_elements(windows, best, -1), -1)
    chosen = _k.squeeze(_k.gather_elements(_k.reshape(places, windows.shape), best, -1), -1)
    return _k.reshape(values, lead + tuple(out)), _k.reshape(chosen, lead + tuple(out))


def _pooled(where, x, kernel_size, output_size, output_ratio, return_indices, samples, count):
    if (output_size is None) == (output_ratio is None):
        raise ValueError("[%s] output_size and output_ratio, got %s and %s, expected one of them" % (where, output_size, output_ratio))
    if _check(x, where).ndim not in (count + 1, count + 2):
        raise ValueError("[%s] rank of input, got %d, expected %d or %d" % (where, x.ndim, count + 1, count + 2))
    kernel = _sizes(where, kernel_size, count, "kernel_size")
    if output_ratio is not None:
        ratios = _sizes(where, output_ratio, count, "output_ratio", _real)
        if not all(0 < r < 1 for r in ratios):
            raise ValueError("[%s] output_ratio, got %s, expected numbers in (0, 1)" % (where, ratios))
        output_size = tuple(int(n * r) for n, r in zip(x.shape[-count:], ratios))
    values, places = fractional(where, x, kernel, _sizes(where, output_size, count, "output_size"), samples)
    return (values, places) if return_indices else values


def fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
    """Pools (N, C, H, W) or (C, H, W) by maximum over windows at random positions; output_size or output_ratio gives the
    size.

    With return_indices, the positions in the plane are returned as well. _random_samples, (N, C, 2) in [0, 1), fixes the
    windows. Raises TypeError for an input that is no Tensor and for sizes and ratios that are no numbers.
    """
    return _pooled("fractional_max_pool2d", input, kernel_size, output_size, output_ratio, return_indices, _random_samples, 2)


def fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
    """Pools (N, C, D, H, W) or (C, D, H, W) by maximum over windows at random positions, as fractional_max_pool2d does."""
    return _pooled("fractional_max_pool3d", input, kernel_size, output_size, output_ratio, return_indices, _random_samples, 3)


# -- windows of random sizes -------------------------------------------------------------------------------------------


def _random_bounds(where, length, ratio, pseudo_random, draw):
    """Starts of the windows along an axis, then its length: int(length / ratio) windows of two neighbouring sizes (Graham 2014)."""
    count = int(length / ratio)
    if count < 1:
        raise ValueError("[%s] pooling_ratio, got %s for a length of %d, expected one window at least" % (where, ratio, length))
    if pseudo_random:
        alpha, start = length / count, draw.random()
        bounds = [_math.ceil(alpha * (i + start)) - _math.ceil(alpha * start) for i in range(count)]
    else:
        short, longer = divmod(length, count)
        sizes = [short + 1] * longer + [short] * (count - longer)
        draw.shuffle(sizes)
        bounds = [sum(sizes[:i]) for i in range(count)]
    return bounds + [length]


def pooled_along(x, axis, bounds, overlapping, function):
    """Applies a reduction to the windows between bounds along an axis, 1 or 2."""
    parts = []
    for start, stop in zip(bounds, bounds[1:]):
        stop = min(stop + 1, bounds[-1]) if overlapping else stop
        cut = x[:, start:stop] if axis == 1 else x[:, :, start:stop]
        parts.append(function(cut, axis))
    return _k.stack(parts, axis)


def fractional_pool(where, p, x, function):
    """Pools images (N, H, W, C) over windows of random sizes; returns (result, bounds of the rows, of the columns,
    int64).

    The attributes of `p` are those of MindSpore's primitives.
    """
    import random
    ratio = tuple(p.pooling_ratio) if isinstance(p.pooling_ratio, (tuple, list)) else p.pooling_ratio
    if not isinstance(ratio, tuple):
        raise TypeError("[%s] pooling_ratio, got %s, expected a tuple or a list" % (where, type(ratio).__name__))
    if len(ratio) != 4 or ratio[0] != 1 or ratio[3] != 1 or ratio[1] < 1 or ratio[2] < 1:
        raise ValueError("[%s] pooling_ratio, got %s, expected [1.0, rows, columns, 1.0], none below 1" % (where, ratio))
    if _check(x, where).ndim != 4:
        raise ValueError("[%s] rank of x, got %d, expected 4" % (where, x.ndim))
    own = p.deterministic or p.seed or p.seed2
    draw = random.Random("%s/%s" % (p.seed, p.seed2) if own else _uniform((1,), _mstype.float64, None).item())
    rows, columns = (_random_bounds(where, x.shape[axis], ratio[axis], p.pseudo_random, draw) for axis in (1, 2))
    pooled = pooled_along(pooled_along(x, 1, rows, p.overlapping, function), 2, columns, p.overlapping, function)
    return pooled, _Tensor(rows, _mstype.int64), _Tensor(columns, _mstype.int64)


__all__ = ["fractional_max_pool2d", "fractional_max_pool3d"]
