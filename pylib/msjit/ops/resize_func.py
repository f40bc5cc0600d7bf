"""Resizing images: interpolate, and the parts that the primitives for resizing share.

The axes are resized one after another: an output element is a weighted sum of a few input elements along the axis. Output element i
lies at this position of the input axis (in float32, as in MindSpore): (i + 0.5) in / out - 0.5 with half_pixel, i (in - 1) / (out - 1)
with align_corners, i in / out with neither. mint gives the distance of two positions itself, in place of in / out.
"""
from ..common import dtype as _mstype
from ..common.tensor import check_tensor
from . import nn_func as _n
from . import registry as _k

# mode: the ranks of input it takes, whether align_corners may be given
_MODES = {"nearest": ((3, 4, 5), False), "nearest-exact": ((3, 4), False), "linear": ((3,), True), "bilinear": ((4,), True),
          "trilinear": ((5,), True), "bicubic": ((4,), True), "area": ((3, 4, 5), False)}


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
    """Resizes the axes after the second to `size`, or by `scale_factor` (with recompute_scale_factor=True).

    mode is 'nearest' (3 to 5 axes), 'nearest-exact' (3, 4), 'linear' (3), 'bilinear', 'bicubic' (4), 'trilinear' (5) or 'area' (3 to 5:
    means as adaptive_avg_pool; it needs no recompute_scale_factor). The result has the dtype of the input, which must be a float.

    Raises TypeError for anything but a Tensor of floats, ints in size and floats in scale_factor. Raises ValueError for an
    unknown mode, a rank that the mode does not take, and align_corners where it has no meaning. Raises ValueError for both or neither
    of size and scale_factor, and, as MindSpore does, for a scale_factor without recompute_scale_factor.
    """
    sizes = target(check_tensor(input, "interpolate"), size, scale_factor, mode, align_corners, recompute_scale_factor)
    if mode != "area" and scale_factor is not None and not recompute_scale_factor:
        raise ValueError("[interpolate] scale_factor for mode %r, got %r, expected recompute_scale_factor=True with it"
                         % (mode, scale_factor))
    return resized(input, sizes, mode, align_corners)


def resized(input, sizes, mode, align_corners, steps=None):
    """interpolate after its arguments were checked; steps as in resize."""
    if mode == "area":
        return _area(input, sizes)
    if input.dtype not in _mstype.float_type:
        raise TypeError("[interpolate] dtype of input, got %s, expected a float" % (input.dtype,))
    return resize(input, sizes, mode, bool(align_corners), mode != "nearest" and not align_corners, steps)


def target(input, size, scale_factor, mode, align_corners, recompute):
    """Checks all arguments; returns the wanted sizes."""
    if not isinstance(mode, str) or mode not in _MODES:
        raise ValueError("[interpolate] mode, got %r, expected one of %s" % (mode, sorted(_MODES)))
    ranks, aligns = _MODES[mode]
    if input.ndim not in ranks:
        raise ValueError("[interpolate] rank of input for mode %r, got %d, expected one of %s" % (mode, input.ndim, ranks))
    if align_corners is not None and not aligns:
        raise ValueError("[interpolate] align_corners for mode %r, got %r, expected None" % (mode, align_corners))
    if (size is None) == (scale_factor is None):
        raise ValueError("[interpolate] size and scale_factor, got %r and %r, expected one of them" % (size, scale_factor))
    count = input.ndim - 2
    if size is not None:
        if recompute:
            raise ValueError("[interpolate] recompute_scale_factor, got %r, expected None where size is given" % (recompute,))
        return _each("size", size, count, int)
    return [int(n * f) for n, f in zip(input.shape[2:], _each("scale_factor", scale_factor, count, float))]


def _each(what, values, count, kind):
    """Checks for one positive number of a kind for each of `count` axes; returns them as a list."""
    values = list(values) if isinstance(values, (tuple, list)) else [values] * count
    if len(values) != count:
        raise ValueError("[interpolate] %s, got %d numbers, expected %d" % (what, len(values), count))
    for value in values:
        if isinstance(value, bool) or not isinstance(value, kind):
            raise TypeError("[interpolate] %s, got %r, expected %s" % (what, value, kind.__name__))
        if not 0 < value < float("inf"):
            raise ValueError("[interpolate] %s, got %r, expected above 0" % (what, value))
    return values


def _area(input, sizes):
    """Means over windows; as in MindSpore, an input of 3 axes cannot be enlarged."""
    if input.ndim == 4:
        return _n.adaptive_avg_pool2d(input, tuple(sizes))
    if input.ndim == 3:
        if sizes[0] > input.shape[2]:
            raise ValueError("[interpolate] size for mode 'area' and 3 axes, got %d, expected at most %d"
                             % (sizes[0], input.shape[2]))
        return _k.squeeze(_n.adaptive_avg_pool2d(_k.expand_dims(input, 2), (1, sizes[0])), 2)
    n, c, d, h, w = input.shape
    plane = _n.adaptive_avg_pool2d(_k.reshape(input, (n * c, d, h, w)), tuple(sizes[1:]))
    line = _k.reshape(plane, (n, c, d, sizes[1] * sizes[2]))
    return _k.reshape(_n.adaptive_avg_pool2d(line, (sizes[0], sizes[1] * sizes[2])), (n, c) + tuple(sizes))


def resize(x, sizes, mode, align_corners, half_pixel, steps=None):
    """Resizes the axes after the second; 16-bit floats are summed in float32.

    steps are the distances of two positions, one for each axis, for the functions of mint; their 'bicubic' has other weights."""
    if len(sizes) + 2 > x.ndim:
        raise ValueError("[resize] rank of x, got %d, expected %d or more" % (x.ndim, len(sizes) + 2))
    dtype = x.dtype
    narrow = not mode.startswith("nearest") and dtype in (_mstype.float16, _mstype.bfloat16)
    if narrow:
        x = _k.cast(x, _mstype.float32)
    pick = _nearest if mode.startswith("nearest") else _cubic if mode == "bicubic" else _linear
    for axis, size in enumerate(sizes, 2):
        if size != x.shape[axis] or mode == "bicubic":
            x = pick(x, axis, size, align_corners, half_pixel, steps and steps[axis - 2])
    return _k.cast(x, dtype) if narrow else x


def _places(length, size, align_corners, half_pixel, step):
    """The positions of the `size` output elements on an axis of `length`; step is their distance, or None."""
    steps = _k.arange(0, size, 1, _mstype.float32)
    if align_corners:
        return steps * ((length - 1) / (size - 1) if size > 1 else 0.0)
    step = step or length / size
    return (steps + 0.5) * step - 0.5 if half_pixel else steps * step


def _take(x, axis, places):
    """Elements along an axis at whole-number positions (as floats); positions outside mean the nearest element."""
    inside = _k.minimum(_k.maximum(places, 0), x.shape[axis] - 1)
    return _k.gather(x, _k.cast(inside, _mstype.int64), axis)


def _nearest(x, axis, size, align_corners, half_pixel, step):
    places = _places(x.shape[axis], size, align_corners, half_pixel, step)
    return _take(x, axis, _k.floor(places + 0.5 if align_corners or half_pixel else places))


def _along(weights, x, axis):
    """Weights along one axis, in the dtype of x and a shape that broadcasts to it."""
    return _k.reshape(_k.cast(weights, x.dtype), (-1,) + (1,) * (x.ndim - axis - 1))


def _linear(x, axis, size, align_corners, half_pixel, step):
    places = _k.maximum(_places(x.shape[axis], size, align_corners, half_pixel, step), 0)
    low = _k.floor(places)
    first = _take(x, axis, low)
    return first + (_take(x, axis, low + 1) - first) * _along(places - low, x, axis)


def _cubic(x, axis, size, align_corners, half_pixel, step):
    """Cubic convolution of four neighbours (R. Keys), as MindSpore does it.

    Without half_pixel, the edge elements are repeated outside. With it, elements outside do not count, and the result is divided by the
    sum of the weights. The distance to the neighbour before is rounded to a multiple of 1 / 1024. In mint (with a step), the edge elements
    are always repeated, and nothing is rounded.
    """
    places = _places(x.shape[axis], size, align_corners, half_pixel, step)
    half_pixel = half_pixel and not step
    low, slope = _k.floor(places), -0.5 if half_pixel else -0.75
    part = places - low if step else _k.round((places - low) * 1024) / 1024
    total = share = None
    for offset in (-1, 0, 1, 2):
        weights = _keys(part - offset if offset < 1 else offset - part, slope, offset in (0, 1))
        if half_pixel:
            inside = _k.logical_and(_k.greater_equal(low, -offset), _k.less(low, x.shape[axis] - offset))
            weights = _k.where(inside, weights, 0.0)
            share = weights if share is None else share + weights
        term = _take(x, axis, low + offset) * _along(weights, x, axis)
        total = term if total is None else total + term
    return total if share is None else total / _along(share, x, axis)


def _keys(distance, slope, near):
    """Keys's weight of a neighbour at a distance below 1 (near), or from 1 to 2."""
    if near:
        return ((slope + 2) * distance - (slope + 3)) * distance * distance + 1
    return ((slope * distance - 5 * slope) * distance + 8 * slope) * distance - 4 * slope


__all__ = ["interpolate"]
