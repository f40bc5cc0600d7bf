"""Resizing and warping of arrays with the arithmetic of OpenCV, which MindSpore uses for arrays.

For uint8 the weights are fixed-point numbers (11 bits when resizing; positions have 5 fraction bits when warping), for floats floats.
"""
import numpy as np

from ..._native import _msjit
from .base import as_pil, filled, pillow
from .utils import Inter

_SCALE = 2048


def _linear(size, wanted, clamped=True):
    """Positions and weights of two neighbours.

    Beyond the border both are the outermost pixel; with `clamped` one of the weights is 0 there.
    """
    at = ((np.arange(wanted) + 0.5) * (size / wanted) - 0.5).astype(np.float32)
    low = np.floor(at).astype(np.int64)
    part = (at - low).astype(np.float32)
    if clamped:
        part[(low < 0) | (low >= size - 1)] = 0
    return np.clip(np.stack([low, low + 1], 1), 0, size - 1), np.stack([1 - part, part], 1)


def _cubic(size, wanted):
    """Positions and weights of Keys' cubic convolution with a = -0.75."""
    at = ((np.arange(wanted) + 0.5) * (size / wanted) - 0.5).astype(np.float32)
    low = np.floor(at).astype(np.int64)
    return np.clip(low[:, None] + np.arange(-1, 3), 0, size - 1), _keys((at - low).astype(np.float32))


def _keys(x):
    """The weights of the four neighbours of a position x behind the second one."""
    a = -0.75
    first = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a
    second = ((a + 2) * x - (a + 3)) * x * x + 1
    third = ((a + 2) * (1 - x) - (a + 3)) * (1 - x) * (1 - x) + 1
    return np.stack([first, second, third, 1 - first - second - third], -1).astype(np.float32)


def _area(size, wanted):
    """Positions and weights of the pixels that one larger pixel covers."""
    scale = size / wanted
    start, stop = np.arange(wanted) * scale, np.minimum((np.arange(wanted) + 1) * scale, size)
    count = int(np.ceil(scale)) + 1
    places = np.floor(start + 1e-9).astype(np.int64)[:, None] + np.arange(count)
    shares = np.minimum(places + 1, stop[:, None]) - np.maximum(places, start[:, None])
    shares = np.where(shares > 1e-6, shares, 0)
    return np.minimum(places, size - 1), (shares / shares.sum(1, keepdims=True)).astype(np.float32)


def _area_up(size, wanted):
    scale = size / wanted
    low = np.floor(np.arange(wanted) * scale).astype(np.int64)
    part = (np.arange(wanted) + 1) - (low + 1) / scale
    part = np.where(part <= 0, 0, part - np.floor(part)).astype(np.float32)
    part[low >= size - 1], low[low >= size - 1] = 0, size - 1
    return np.stack([low, np.minimum(low + 1, size - 1)], 1), np.stack([1 - part, part], 1)


def _nearest(array, height, width):
    rows = np.minimum((np.arange(height) * (array.shape[0] / height)).astype(np.int64), array.shape[0] - 1)
    columns = np.minimum((np.arange(width) * (array.shape[1] / width)).astype(np.int64), array.shape[1] - 1)
    return array[rows[:, None], columns]


def _sum_along(array, places, weights, axis):
    total = 0
    for k in range(places.shape[1]):
        share = weights[:, k].reshape((-1, 1, 1) if axis == 0 else (1, -1, 1))
        total = total + np.take(array, places[:, k], axis) * share
    return total


def _weighted(array, rows, columns):
    """Applies the weights of both axes in floats."""
    found = _sum_along(_sum_along(array.astype(np.float32), *columns, axis=1), *rows, axis=0)
    if array.dtype.kind == "f":
        return found.astype(array.dtype)
    info = np.iinfo(array.dtype) if array.dtype.kind in "iu" else np.iinfo(np.uint8)
    return np.clip(np.rint(found), info.min, info.max).astype(array.dtype)


def _fixed(axis):
    places, weights = axis
    return np.ascontiguousarray(places, np.int64), np.rint(weights * np.float32(_SCALE)).astype(np.int64)


def _weighted_bytes(array, rows, columns):
    """Applies the weights of both axes to uint8, as integers with 11 fraction bits."""
    found = np.empty((len(rows[0]), len(columns[0]), array.shape[2]), np.uint8)
    _msjit.images.resize(np.ascontiguousarray(array), *(_fixed(rows) + _fixed(columns) + (found,)))
    return found


def resize(array, height, width, interpolation, where):
    """Resizes an array to (height, width)."""
    if interpolation == Inter.ANTIALIAS:
        raise TypeError("[%s] interpolation, got ANTIALIAS for an array, expected a Pillow image with it" % where)
    if array.shape[:2] == (height, width):
        return array.copy()
    if interpolation == Inter.PILCUBIC:
        return np.asarray(as_pil(array, where).resize((width, height), pillow().BICUBIC)).reshape(
            (height, width) + array.shape[2:])
    if interpolation == Inter.NEAREST:
        return _nearest(array, height, width)
    flat = array.reshape(array.shape[:2] + (-1,))
    shrinks = height <= array.shape[0] and width <= array.shape[1]
    halves = array.shape[:2] == (2 * height, 2 * width)
    ways = {Inter.BILINEAR: _linear, Inter.BICUBIC: _cubic, Inter.AREA: _area if shrinks else _area_up}
    area = interpolation == Inter.AREA and shrinks or interpolation == Inter.BILINEAR and halves
    way = _area if area else ways[interpolation]
    # Along the rows, OpenCV keeps both weights at the border, which changes the rounding.
    rows = _linear(array.shape[0], height, False) if way is _linear else way(array.shape[0], height)
    columns = way(array.shape[1], width)
    if array.dtype == np.uint8 and not area:
        found = _weighted_bytes(flat, rows, columns)
    elif array.dtype == np.uint8 and halves:
        parts = flat.astype(np.int64)
        found = ((parts[::2, ::2] + parts[1::2, ::2] + parts[::2, 1::2] + parts[1::2, 1::2] + 2) >> 2).astype(np.uint8)
    else:
        found = _weighted(flat, rows, columns)
    return found.reshape((height, width) + array.shape[2:])


def warp(array, matrix, height, width, interpolation, fill, where):
    """Samples `array` at matrix @ (x, y, 1) for each pixel (x, y) of the result: the matrix maps the result to the array."""
    _warping(interpolation, where)
    x, y = np.arange(width), np.arange(height)[:, None]
    scaled = [[np.rint(matrix[i][0] * x * 1024).astype(np.int64),
               np.rint((matrix[i][1] * y + matrix[i][2]) * 1024).astype(np.int64)] for i in (0, 1)]
    flat = array.reshape(array.shape[:2] + (-1,))
    outside = _outside(fill, flat)
    if interpolation == Inter.NEAREST:
        columns, rows = [(a + b + 512) >> 10 for a, b in scaled]
    else:
        columns, rows = [(a + b + 16) >> 5 for a, b in scaled]
    found = _sampled(flat, rows, columns, interpolation, outside)
    return found.reshape((height, width) + array.shape[2:])


def _warping(interpolation, where):
    if interpolation not in (Inter.NEAREST, Inter.BILINEAR, Inter.AREA, Inter.BICUBIC):
        raise TypeError("[%s] interpolation, got %s for an array, expected NEAREST, BILINEAR, BICUBIC or AREA"
                        % (where, interpolation.name))


def _outside(fill, array):
    """The value outside the image, for each channel. As in MindSpore it is 0 for the fourth channel."""
    return np.where(np.arange(array.shape[2]) < 3, filled(fill, array.shape[2]), 0).astype(array.dtype)


def _sampled(array, rows, columns, interpolation, outside):
    """The pixels at these positions, in units of 1/32 pixel, or in whole pixels for the nearest ones."""
    if interpolation == Inter.BICUBIC:
        return _cubic_between(array, rows, columns, outside)
    fraction = interpolation != Inter.NEAREST
    if array.dtype != np.uint8:
        return (_between if fraction else _at)(array, rows, columns, outside)
    found = np.empty(rows.shape + array.shape[2:], np.uint8)
    _msjit.images.sample(np.ascontiguousarray(array), np.ascontiguousarray(rows), np.ascontiguousarray(columns), fraction,
                         outside, found)
    return found


def _at(array, rows, columns, outside):
    inside = (rows >= 0) & (rows < array.shape[0]) & (columns >= 0) & (columns < array.shape[1])
    taken = array[np.where(inside, rows, 0), np.where(inside, columns, 0)]
    return np.where(inside[:, :, None], taken, outside)


def _between(array, rows, columns, outside):
    """Bilinear interpolation at positions in units of 1/32 pixel."""
    total = 0
    for down in (0, 1):
        for right in (0, 1):
            share = (rows & 31 if down else 32 - (rows & 31)) * (columns & 31 if right else 32 - (columns & 31))
            values = _at(array, (rows >> 5) + down, (columns >> 5) + right, outside)
            whole = array.dtype.kind in "iu"
            total = total + values.astype(np.int64 if whole else np.float64) * share[:, :, None]
    if array.dtype.kind in "iu":
        return ((total + 512) >> 10).astype(array.dtype)
    return (total / 1024).astype(array.dtype)


_STEPS = _keys(np.arange(32, dtype=np.float32) / 32)


def _cubic_between(array, rows, columns, outside):
    """Bicubic interpolation at positions in units of 1/32 pixel; the weights of integers have 15 bits."""
    whole, total = array.dtype.kind in "iu", 0
    down, right = _STEPS[rows & 31], _STEPS[columns & 31]
    for i in range(4):
        for j in range(4):
            share = down[..., i] * right[..., j]
            share = np.rint(share * 32768).astype(np.int64) if whole else share.astype(np.float64)
            values = _at(array, (rows >> 5) + i - 1, (columns >> 5) + j - 1, outside)
            total = total + values.astype(share.dtype) * share[..., None]
    if not whole:
        return total.astype(array.dtype)
    info = np.iinfo(array.dtype)
    return np.clip((total + (1 << 14)) >> 15, info.min, info.max).astype(array.dtype)


def perspective(array, matrix, interpolation, fill, where):
    """As warp, for a projective map, computed in floats."""
    _warping(interpolation, where)
    height, width = array.shape[:2]
    x, y = np.meshgrid(np.arange(width), np.arange(height))
    flat = array.reshape(array.shape[:2] + (-1,))
    below = matrix[2][0] * x + matrix[2][1] * y + matrix[2][2]
    below = np.where(below == 0, 1e-12, below)
    columns, rows = [(m[0] * x + m[1] * y + m[2]) / below for m in matrix[:2]]
    limit = float(2**40)
    columns, rows = np.clip(columns, -limit, limit), np.clip(rows, -limit, limit)
    steps = 1 if interpolation == Inter.NEAREST else 32
    rows, columns = [np.rint(places * steps).astype(np.int64) for places in (rows, columns)]
    found = _sampled(flat, rows, columns, interpolation, _outside(fill, flat))
    return found.reshape(array.shape)
