"""Transforms that move pixels by a map of coordinates: Rotate, Affine, Perspective."""
import math

import numpy as np

from . import resampling
from .base import Transform, fills, flag, integer, inter, is_pil, number, pillow
from .geometry import pil_mode
from .utils import Inter


def rotated(image, degrees, resample, expand, center, fill, where):
    """Rotates an image counterclockwise."""
    height, width = image.shape[:2]
    x, y = center if center is not None else ((width - 1) / 2.0, (height - 1) / 2.0)
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = [[cos, sin, (1 - cos) * x - sin * y], [-sin, cos, sin * x + (1 - cos) * y]]
    new_height, new_width = height, width
    if expand:
        wide = width * abs(cos) + height * abs(sin)
        high = width * abs(sin) + height * abs(cos)
        matrix[0][2] += wide / 2.0 - width / 2
        matrix[1][2] += high / 2.0 - height / 2
        new_width, new_height = int(round(wide)), int(round(high))
    # MindSpore passes the three fill values to OpenCV in the order blue, green, red, whatever the order of the image is.
    return resampling.warp(image, _inverse(matrix), new_height, new_width, resample, fill[::-1], where)


def _inverse(matrix):
    (a, b, c), (d, e, f) = matrix
    scale = 1.0 / (a * e - b * d)
    return [[e * scale, -b * scale, (b * f - c * e) * scale], [-d * scale, a * scale, (c * d - a * f) * scale]]


def center_point(center, where):
    """Checks a centre of rotation; returns (x, y), or None for the middle."""
    if center is None:
        return None
    if not isinstance(center, (list, tuple)) or len(center) != 2:
        raise ValueError("[%s] center, got %r, expected (x, y)" % (where, center))
    return tuple(number(c, "center", where) for c in center)


class Rotate(Transform):
    """Rotates an image counterclockwise by `degrees`; with expand the result is large enough for all of it."""

    _batches = True

    def __init__(self, degrees, resample=Inter.NEAREST, expand=False, center=None, fill_value=0):
        self.degrees, self.resample = number(degrees, "degrees", self._where), inter(resample, self._where)
        self.expand, self.center = flag(expand, "expand", self._where), center_point(center, self._where)
        self.fill_value = fills(fill_value, self._where)

    def _apply(self, image):
        return rotated(self._array(image), self.degrees % 360, self.resample, self.expand, self.center, self.fill_value,
                       self._where)


def affine_matrix(size, degrees, translate, scale, shear):
    """The inverse of the map that shears, scales, rotates about the middle of (height, width) and moves by `translate` pixels."""
    x, y = (size[1] - 1) / 2.0, (size[0] - 1) / 2.0
    angle, first, second = [math.radians(value) for value in (degrees, shear[0], shear[1])]
    a = math.cos(angle - second) / math.cos(second)
    b = -math.cos(angle - second) * math.tan(first) / math.cos(second) - math.sin(angle)
    c = math.sin(angle - second) / math.cos(second)
    d = -math.sin(angle - second) * math.tan(first) / math.cos(second) + math.cos(angle)
    a, b, c, d = a * scale, b * scale, c * scale, d * scale
    return _inverse([[a, b, x + translate[0] - a * x - b * y], [c, d, y + translate[1] - c * x - d * y]])


def affine_map(image, degrees, translate, scale, shear, resample, fill, where):
    """Shears, scales, rotates about the middle, then moves by `translate` pixels."""
    height, width = image.shape[:2]
    matrix = affine_matrix((height, width), degrees, translate, scale, shear)
    return resampling.warp(image, matrix, height, width, resample, fill, where)


class Affine(Transform):
    """Rotates, moves by fractions of width and height, scales and shears an image."""

    def __init__(self, degrees, translate, scale, shear, resample=Inter.NEAREST, fill_value=0):
        self.degrees = number(degrees, "degrees", "Affine", -180, 180)
        if not isinstance(translate, (list, tuple)) or len(translate) != 2:
            raise TypeError("[Affine] translate, got %r, expected two numbers" % (translate,))
        self.translate = [number(t, "translate", "Affine", -1, 1) for t in translate]
        self.scale = number(scale, "scale", "Affine", 0, above=True)
        shear = shear if isinstance(shear, (list, tuple)) else (shear, 0)
        if len(shear) != 2:
            raise TypeError("[Affine] shear, got %r, expected a number or two" % (shear,))
        self.shear = [number(s, "shear", "Affine") for s in shear]
        self.resample, self.fill_value = inter(resample, "Affine"), fills(fill_value, "Affine")

    def _apply(self, image):
        image = self._array(image)
        moved = (self.translate[0] * image.shape[1], self.translate[1] * image.shape[0])
        return affine_map(image, self.degrees, moved, self.scale, self.shear, self.resample, self.fill_value, "Affine")


def projection(start, end):
    """The 3 x 3 matrix that maps the four points `end` to the points `start`."""
    rows, right = [], []
    for (x, y), (u, v) in zip(end, start):
        rows += [[x, y, 1, 0, 0, 0, -u * x, -u * y], [0, 0, 0, x, y, 1, -v * x, -v * y]]
        right += [u, v]
    found = np.linalg.lstsq(np.array(rows, float), np.array(right, float), rcond=None)[0]
    return np.append(found, 1.0).reshape(3, 3)


def distorted(image, start, end, interpolation, where):
    """Applies the perspective map that takes four points to four others."""
    matrix = projection(start, end)
    if is_pil(image):
        return image.transform(image.size, pillow().PERSPECTIVE, tuple(matrix.reshape(-1)[:8]),
                               pil_mode(interpolation, where))
    return resampling.perspective(image, matrix, interpolation, (0,), where)


class Perspective(Transform):
    """Applies the perspective map that moves four corners (x, y) to others."""

    def __init__(self, start_points, end_points, interpolation=Inter.BILINEAR):
        for name, points in (("start_points", start_points), ("end_points", end_points)):
            if not isinstance(points, (list, tuple)) or len(points) != 4 or any(len(p) != 2 for p in points):
                raise TypeError("[Perspective] %s, got %r, expected four points (x, y)" % (name, points))
            for value in (value for point in points for value in point):
                integer(value, name, "Perspective", -2147483648, 2147483647)
        self.start_points, self.end_points = start_points, end_points
        self.interpolation = inter(interpolation, "Perspective")

    def _apply(self, image):
        image = image if is_pil(image) else self._array(image)
        return distorted(image, self.start_points, self.end_points, self.interpolation, "Perspective")
