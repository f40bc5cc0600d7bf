"""scale_and_translate: scales and moves images, with one of several filters."""
import math as _math

from ..common import dtype as _mstype
from ..common.tensor import Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k


def _lanczos(radius):
    def at(x):
        if x == 0:
            return 1.0
        angle = _math.pi * x
        return radius * _math.sin(angle) * _math.sin(angle / radius) / (angle * angle) if abs(x) <= radius else 0.0
    return radius, at


def _cubic(b, c):
    """The cubic filters of Mitchell and Netravali (Reconstruction filters in computer graphics, 1988)."""
    def at(x):
        x = abs(x)
        if x < 1:
            return ((12 - 9 * b - 6 * c) * x ** 3 + (-18 + 12 * b + 6 * c) * x ** 2 + 6 - 2 * b) / 6
        if x < 2:
            return ((-b - 6 * c) * x ** 3 + (6 * b + 30 * c) * x ** 2 + (-12 * b - 48 * c) * x + 8 * b + 24 * c) / 6
        return 0.0
    return 2.0, at


def _gaussian(x):
    return _math.exp(-2 * x * x) if abs(x) < 1.5 else 0.0  # standard deviation 1/2, cut at three standard deviations


def _box(x):
    return 1.0 if abs(x) < 0.5 else 0.5 if abs(x) == 0.5 else 0.0


# (radius, function of the distance) of each filter.
FILTERS = {"lanczos1": _lanczos(1.0), "lanczos3": _lanczos(3.0), "lanczos5": _lanczos(5.0), "gaussian": (1.5, _gaussian),
           "box": (1.0, _box), "triangle": (1.0, lambda x: max(0.0, 1.0 - abs(x))), "keyscubic": _cubic(0.0, 0.5),
           "mitchellcubic": _cubic(1 / 3, 1 / 3)}


def _weights(size, given, scale, shift, kind, antialias):
    """The matrix (size, given) of weights along an axis: a row is the filter around the point it comes from, with sum 1.

    The row is zero if that point is outside.
    """
    import numpy
    reach, at = FILTERS[kind]
    wide = max(1.0, 1.0 / scale) if antialias else 1.0
    rows = numpy.zeros((size, given), numpy.float32)
    back = numpy.float32(1.0) / numpy.float32(scale)  # in float32, so that ties at the edges of a filter are resolved as in MindSpore
    for place, row in enumerate(rows):
        centre = float(numpy.float32(place + 0.5) * back - back * numpy.float32(shift))
        if not 0 <= centre <= given:
            continue
        first = max(0, _math.ceil(centre - reach * wide - 0.5))
        last = min(given - 1, _math.floor(centre + reach * wide - 0.5))
        found = [at((source + 0.5 - centre) / wide) for source in range(first, last + 1)]
        total = sum(found)
        if abs(total) > 1e-30:
            row[first:last + 1] = numpy.array(found) / total
    return Tensor(rows)


def _pair(value, name, dtype, positive):
    _check(value, "ScaleAndTranslate")
    if value.dtype != dtype:
        raise TypeError("[ScaleAndTranslate] dtype of %s, got %s, expected %s" % (name, value.dtype, dtype))
    if tuple(value.shape) != (2,):
        raise ValueError("[ScaleAndTranslate] shape of %s, got %s, expected (2,)" % (name, tuple(value.shape)))
    numbers = value.tolist()
    if positive and min(numbers) <= 0:
        raise ValueError("[ScaleAndTranslate] %s, got %s, expected numbers above 0" % (name, numbers))
    return numbers


def scale_and_translate(p, images, size, scale, translation):
    """Scales, then moves images (N, H, W, C); the result is float32 (N, size[0], size[1], C), 0 where it comes from
    outside.

    Attributes of `p`: kernel_type names the filter, and antialias widens the filter where the image shrinks.
    """
    for name, kind in (("kernel_type", str), ("antialias", bool)):
        if not isinstance(getattr(p, name), kind):
            raise TypeError("[ScaleAndTranslate] %s, got %s, expected a %s" % (name, type(getattr(p, name)).__name__, kind.__name__))
    if p.kernel_type not in FILTERS:
        raise ValueError("[ScaleAndTranslate] kernel_type, got %r, expected one of %s" % (p.kernel_type, list(FILTERS)))
    if _check(images, "ScaleAndTranslate").ndim != 4:
        raise ValueError("[ScaleAndTranslate] rank of images, got %d, expected 4" % images.ndim)
    sizes, scales = _pair(size, "size", _mstype.int32, True), _pair(scale, "scale", _mstype.float32, True)
    shifts = _pair(translation, "translation", _mstype.float32, False)
    rows, columns = (_weights(sizes[i], images.shape[1 + i], scales[i], shifts[i], p.kernel_type, p.antialias) for i in (0, 1))
    planes = _k.transpose(_k.cast(images, _mstype.float32), (0, 3, 1, 2))
    return _k.transpose(_k.matmul(_k.matmul(rows, planes), columns, False, True), (0, 2, 3, 1))
