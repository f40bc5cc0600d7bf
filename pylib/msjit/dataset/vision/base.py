"""Shared parts of vision transforms: the base class, checks of arguments, arrays and Pillow images.

An image is an array of uint8 or floats (height, width, channels) or (height, width), or a Pillow image.
"""
import numbers

import numpy as np

from ..._native import _msjit
from ...common.tensor import Tensor
from ..draws import current
from .utils import Border, Inter

LARGEST = 16777216


def pillow(name="Image"):
    """Imports a module of Pillow, which only programs that decode or change Pillow images need."""
    import importlib
    try:
        return importlib.import_module("PIL." + name)
    except ImportError:
        raise ImportError("[vision] the pillow package is needed: pip install pillow") from None


def is_pil(image):
    """Says whether an image is a Pillow image."""
    return type(image).__module__.startswith("PIL.") and hasattr(image, "mode")


def as_array(image, where, ranks=(2, 3)):
    """Returns the image as an array; raises TypeError or RuntimeError for other objects, dtypes and ranks."""
    if isinstance(image, Tensor):
        image = image.asnumpy()
    if not isinstance(image, np.ndarray) and not is_pil(image):
        raise TypeError("[%s] image, got %s, expected a NumPy array or a Pillow image" % (where, type(image).__name__))
    found = np.asarray(image)
    if found.dtype.kind not in "biuf":
        raise TypeError("[%s] dtype of the image, got %s, expected numbers" % (where, found.dtype))
    if ranks is not None and found.ndim not in ranks:
        raise RuntimeError("[%s] rank of the image, got %d, expected %s"
                           % (where, found.ndim, " or ".join(str(r) for r in ranks)))
    return found


def as_pil(image, where):
    """Returns the image as a Pillow image."""
    if is_pil(image):
        return image
    array = as_array(image, where)
    if array.ndim == 3 and array.shape[2] == 1:
        array = array[:, :, 0]
    if array.dtype != np.uint8:
        raise TypeError("[%s] dtype of the image, got %s, expected uint8" % (where, array.dtype))
    if array.ndim == 3 and array.shape[2] not in (3, 4):
        raise RuntimeError("[%s] channels of the image, got %d, expected 1, 3 or 4" % (where, array.shape[2]))
    return pillow().fromarray(np.ascontiguousarray(array))


def size_of(image):
    """Returns (height, width) of an image."""
    return image.shape[:2] if isinstance(image, np.ndarray) else (image.size[1], image.size[0])


def changed(change, image, channels, *numbers):
    """Applies a function of the native extension to a uint8 image of three axes; the result has the same height and width."""
    found = np.empty(image.shape[:2] + (channels,), np.uint8)
    change(np.ascontiguousarray(image), *(numbers + (found,)))
    return found


def looked_up(image, tables):
    """Maps each byte through a table of 256 values of uint8 or float32: one table for all, or one for each channel."""
    tables = np.atleast_2d(tables)
    found = np.empty(image.shape, tables.dtype)
    three = image.shape + (1,) if image.ndim == 2 else image.shape
    _msjit.images.look_up(np.ascontiguousarray(image).reshape(three), tables, found.reshape(three),
                          tables.dtype == np.float32)
    return found


class Transform:
    """Base class of transforms: `_apply(image)`, or with random draws `_draw(image)` and `_apply(image, drawn)`.

    Called with several images it changes all of them in the same way. If `_batches` is true, an array (..., H, W, C) may hold several
    images too.
    """

    _draw = None
    _batches = False
    implementation = None

    def __call__(self, *images):
        if not images:
            raise RuntimeError("[%s] image, got none, expected one" % type(self).__name__)
        images = [image.asnumpy() if isinstance(image, Tensor) else image for image in images]
        if self._draw is None:
            found = [self._each(image) for image in images]
        else:
            first = images[0]
            drawn = self._draw(first[(0,) * (first.ndim - 3)] if self._is_batch(first) else first)
            found = [self._each(image, drawn) for image in images]
        return found[0] if len(found) == 1 else tuple(found)

    def _is_batch(self, image):
        return self._batches and isinstance(image, np.ndarray) and image.ndim > 3 and image.size > 0

    def _each(self, image, *drawn):
        if not self._is_batch(image):
            return self._apply(image, *drawn)
        found = np.stack([self._apply(one, *drawn) for one in image.reshape((-1,) + image.shape[-3:])])
        return found.reshape(image.shape[:-3] + found.shape[1:])

    def device(self, device_target="CPU"):
        """Returns the transform itself, because images are changed on CPUs.

        Raises NotImplementedError for "Ascend", ValueError for other names, TypeError for anything but a str.
        """
        if not isinstance(device_target, str):
            raise TypeError("[%s] device_target, got %s, expected a str" % (self._where, type(device_target).__name__))
        if device_target not in ("CPU", "Ascend"):
            raise ValueError("[%s] device_target, got %r, expected 'CPU'" % (self._where, device_target))
        if device_target == "Ascend":
            raise NotImplementedError("[%s] device_target, got 'Ascend', expected 'CPU': no kernels for NPUs are there" % self._where)
        return self

    @property
    def _where(self):
        return type(self).__name__

    def _array(self, image, ranks=(2, 3)):
        return as_array(image, type(self).__name__, ranks)


def uniform(low, high):
    """A random number between two numbers."""
    return current().uniform(low, high)


def hit(prob):
    """Draws whether something with this probability happens."""
    return current().random() < prob


# -- checks of arguments --------------------------------------------------------------------------------------------------

def number(value, name, where, low=None, high=None, above=False):
    """Returns a finite number in a range, or raises; with `above` the lower bound is excluded."""
    if isinstance(value, bool) or not isinstance(value, numbers.Number) or isinstance(value, complex):
        raise TypeError("[%s] %s, got %s, expected a number" % (where, name, type(value).__name__))
    inside = value == value and (low is None or value > low or (value == low and not above))
    if not inside or (high is not None and value > high):
        raise ValueError("[%s] %s, got %r, expected %s %s%s" % (
            where, name, value, "more than" if above else "at least", low, "" if high is None else ", at most %s" % high))
    return value


def integer(value, name, where, low, high=LARGEST):
    """Returns an int in a range, or raises."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError("[%s] %s, got %s, expected an int" % (where, name, type(value).__name__))
    return int(number(int(value), name, where, low, high))


def flag(value, name, where):
    """Returns a bool, or raises TypeError."""
    if not isinstance(value, bool):
        raise TypeError("[%s] %s, got %s, expected a bool" % (where, name, type(value).__name__))
    return value


def member(value, kind, name, where):
    """Returns a member of an enumeration, or raises TypeError."""
    if not isinstance(value, kind):
        raise TypeError("[%s] %s, got %s, expected a member of %s" % (where, name, type(value).__name__, kind.__name__))
    return value


def probability(value, where):
    """Returns a number from 0 to 1, or raises."""
    return number(value, "prob", where, 0.0, 1.0)


def pair(size, where, name="size"):
    """Returns (height, width) for an int or a pair of ints."""
    if isinstance(size, numbers.Integral) and not isinstance(size, bool):
        size = (size, size)
    if not isinstance(size, (list, tuple)) or len(size) != 2:
        raise TypeError("[%s] %s, got %r, expected an int or two of them (height, width)" % (where, name, size))
    return tuple(integer(value, name, where, 1) for value in size)


def ordered(value, name, where, low=None, high=None):
    """Returns a pair of numbers (smaller, greater), or raises."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise TypeError("[%s] %s, got %r, expected two numbers" % (where, name, value))
    for item in value:
        number(item, name, where, low, high)
    if value[0] > value[1]:
        raise ValueError("[%s] %s, got %r, expected the smaller number first" % (where, name, value))
    return tuple(value)


def around(value, name, where, middle=1.0, low=0.0, high=None):
    """Returns (smaller, greater) for a number, the distance from `middle`, or for a pair of numbers."""
    if isinstance(value, numbers.Number) and not isinstance(value, bool):
        number(value, name, where, 0)
        value = (max(low, middle - value) if low is not None else middle - value, middle + value)
    return ordered(value, name, where, low, high)


def sides(padding, where):
    """Returns (left, top, right, bottom) for one, two or four ints."""
    if isinstance(padding, numbers.Integral) and not isinstance(padding, bool):
        padding = (padding,) * 4
    if not isinstance(padding, (list, tuple)) or len(padding) not in (2, 4):
        raise (ValueError if isinstance(padding, (list, tuple)) else TypeError)("[%s] padding, got %r, expected an int, two or four of them" % (where, padding))
    found = tuple(integer(value, "padding", where, 0, 2147483647) for value in padding)
    return found + found if len(found) == 2 else found


def fills(value, where):
    """Returns the fill values, one int or three, as a tuple."""
    values = value if isinstance(value, (tuple, list)) else (value,)
    if len(values) not in (1, 3):
        raise TypeError("[%s] fill_value, got %r, expected an int or three of them" % (where, value))
    return tuple(integer(item, "fill_value", where, 0, 255) for item in values)


def filled(values, channels):
    """The fill value of each channel."""
    return np.array(values * channels if len(values) == 1 else values[:channels] + values[:1] * (channels - 3))


def inter(value, where):
    """Returns a member of Inter, or raises TypeError."""
    return member(value, Inter, "interpolation", where)


def border(value, where):
    """Returns a member of Border, or raises TypeError."""
    return member(value, Border, "padding_mode", where)
