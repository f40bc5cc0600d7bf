"""Transforms that move pixels: Resize, crops, flips, Pad, Rotate, Affine, Perspective."""
import math

import numpy as np

from ..._native import _msjit
from . import resampling
from .base import (
    Transform,
    as_array,
    border,
    changed,
    filled,
    fills,
    flag,
    integer,
    inter,
    is_pil,
    member,
    number,
    pair,
    pillow,
    sides,
    size_of,
)
from .utils import Border, Inter, SliceMode

_PIL_MODES = {Inter.NEAREST: "NEAREST", Inter.ANTIALIAS: "LANCZOS", Inter.BILINEAR: "BILINEAR",
              Inter.BICUBIC: "BICUBIC"}
_PAD_MODES = {Border.EDGE: "edge", Border.REFLECT: "reflect", Border.SYMMETRIC: "symmetric"}


def pil_mode(interpolation, where):
    """Pillow's constant for an interpolation."""
    if interpolation not in _PIL_MODES:
        raise TypeError("[%s] interpolation, got %s for a Pillow image, expected NEAREST, BILINEAR, BICUBIC or ANTIALIAS"
                        % (where, interpolation.name))
    return getattr(pillow(), _PIL_MODES[interpolation])


def resized(image, height, width, interpolation, where):
    """Resizes an image."""
    if is_pil(image):
        return image.resize((width, height), pil_mode(interpolation, where))
    return resampling.resize(as_array(image, where), height, width, interpolation, where)


def cropped(image, top, left, height, width):
    """Returns a part of an image, with zeros where it reaches beyond the image."""
    if is_pil(image):
        return image.crop((left, top, left + width, top + height))
    rows, columns = image.shape[:2]
    if top >= 0 and left >= 0 and top + height <= rows and left + width <= columns:
        return image[top:top + height, left:left + width].copy()
    before = (max(0, -left), max(0, -top))
    after = (max(0, left + width - columns), max(0, top + height - rows))
    grown = padded(image, before + after, (0,), Border.CONSTANT)
    top, left = top + before[1], left + before[0]
    return grown[top:top + height, left:left + width]


def padded(image, around, fill, mode):
    """Adds (left, top, right, bottom) pixels around an image."""
    if is_pil(image):
        return _padded_pil(image, around, fill, mode)
    left, top, right, bottom = around
    if mode in _PAD_MODES:
        widths = [(top, bottom), (left, right)] + [(0, 0)] * (image.ndim - 2)
        return np.pad(image, widths, _PAD_MODES[mode])
    shape = (image.shape[0] + top + bottom, image.shape[1] + left + right) + image.shape[2:]
    channels = image.shape[2] if image.ndim == 3 else 1
    value = filled(fill, channels)
    made = np.empty(shape, image.dtype)
    made[...] = value[0] if (value == value[0]).all() else value
    made[top:top + image.shape[0], left:left + image.shape[1]] = image
    return made


def _padded_pil(image, around, fill, mode):
    if mode == Border.CONSTANT:
        bands = len(image.getbands())
        value = tuple(int(v) for v in filled(fill, bands))
        left, top, right, bottom = around
        made = pillow().new(image.mode, (image.size[0] + left + right, image.size[1] + top + bottom),
                            value if bands > 1 else value[0])
        made.paste(image, (left, top))
        return made
    palette = image.getpalette() if image.mode == "P" else None
    made = pillow().fromarray(padded(np.asarray(image), around, fill, mode))
    if palette is not None:
        made.putpalette(palette)
    return made


def flipped(image, axis):
    """Mirrors an image top to bottom (axis 0) or left to right (axis 1)."""
    if is_pil(image):
        image = np.asarray(image)
    if axis == 1 and image.dtype == np.uint8 and image.ndim == 3:
        return changed(_msjit.images.mirror, image, image.shape[2])
    return np.ascontiguousarray(np.flip(image, axis))


class Resize(Transform):
    """Resizes an image to (height, width); one int is the length of the shorter side."""

    _batches = True

    def __init__(self, size, interpolation=Inter.BILINEAR):
        self.size = (integer(size, "size", self._where, 1) if isinstance(size, int) else pair(size, self._where))
        self.interpolation = inter(interpolation, self._where)

    def _apply(self, image):
        image = image if is_pil(image) else self._array(image)
        height, width = size_of(image)
        wanted = self.size
        if isinstance(wanted, int):
            short = min(height, width)
            wanted = (wanted * height // short, wanted * width // short)
        return resized(image, wanted[0], wanted[1], self.interpolation, self._where)


class CenterCrop(Transform):
    """Crops the middle of an image, after padding with zeros if the image is smaller."""

    _batches = True

    def __init__(self, size):
        self.size = pair(size, self._where)

    def _apply(self, image):
        image = image if is_pil(image) else self._array(image)
        height, width = size_of(image)
        down, right = (height - self.size[0]) / 2.0, (width - self.size[1]) / 2.0
        # An odd remainder is rounded to even for Pillow images, down for arrays.
        cut = round if is_pil(image) else math.floor
        return cropped(image, int(cut(down)), int(cut(right)), *self.size)


class Crop(Transform):
    """Crops the part of `size` whose top left corner is at coordinates (top, left). Raises RuntimeError where it leaves the image."""

    def __init__(self, coordinates, size):
        if not isinstance(coordinates, (list, tuple)) or len(coordinates) != 2:
            raise TypeError("[Crop] coordinates, got %r, expected (top, left)" % (coordinates,))
        self.coordinates = [integer(c, "coordinates", "Crop", 0) for c in coordinates]
        self.size = pair(size, "Crop")

    def _apply(self, image):
        image = self._array(image)
        (top, left), (height, width) = self.coordinates, self.size
        if top + height > image.shape[0] or left + width > image.shape[1]:
            raise RuntimeError("[Crop] part, got rows up to %d and columns up to %d, expected at most %s"
                               % (top + height, left + width, image.shape[:2]))
        return cropped(image, top, left, height, width)


class ResizedCrop(Transform):
    """Crops a part of an image and resizes it."""

    def __init__(self, top, left, height, width, size, interpolation=Inter.BILINEAR):
        self.top, self.left = integer(top, "top", self._where, 0), integer(left, "left", self._where, 0)
        self.height, self.width = integer(height, "height", self._where, 1), integer(width, "width", self._where, 1)
        self.size, self.interpolation = pair(size, self._where), inter(interpolation, self._where)

    def _apply(self, image):
        image = self._array(image)
        part = cropped(image, self.top, self.left, self.height, self.width)
        return resized(part, self.size[0], self.size[1], self.interpolation, self._where)


class HorizontalFlip(Transform):
    """Mirrors an image left to right."""

    _batches = True

    def _apply(self, image):
        return flipped(self._array(image), 1)


class VerticalFlip(Transform):
    """Mirrors an image top to bottom."""

    _batches = True

    def _apply(self, image):
        return flipped(self._array(image), 0)


class Pad(Transform):
    """Adds pixels around an image: an int for all sides, (left and right, top and bottom), or (left, top, right, bottom)."""

    def __init__(self, padding, fill_value=0, padding_mode=Border.CONSTANT):
        self.padding, self.fill_value = sides(padding, self._where), fills(fill_value, self._where)
        self.padding_mode = border(padding_mode, self._where)
        if isinstance(padding, (list, tuple)) and len(padding) == 2:
            self.padding = (padding[0], padding[1], padding[0], padding[1])

    def _apply(self, image):
        image = image if is_pil(image) else self._array(image)
        return padded(image, self.padding, self.fill_value, self.padding_mode)


class PadToSize(Transform):
    """Pads an image to a size; the image comes to the middle, or to offset (top, left)."""

    def __init__(self, size, offset=None, fill_value=0, padding_mode=Border.CONSTANT):
        self.size, self.fill_value = pair(size, self._where), fills(fill_value, self._where)
        offset = (offset,) * 2 if isinstance(offset, int) else offset
        if offset is not None and (not isinstance(offset, (list, tuple)) or len(offset) not in (0, 2)):
            raise (ValueError if isinstance(offset, (list, tuple)) else TypeError)(
                "[PadToSize] offset, got %r, expected an int or (top, left)" % (offset,))
        self.offset = [integer(o, "offset", "PadToSize", 0) for o in offset] if offset else None
        self.padding_mode = border(padding_mode, self._where)

    def _apply(self, image):
        image = self._array(image)
        down, right = self.size[0] - image.shape[0], self.size[1] - image.shape[1]
        top, left = self.offset or (down // 2, right // 2)
        if down < max(0, top) or right < max(0, left):
            raise RuntimeError("[PadToSize] size, got %s, expected at least that of the image, %s"
                               % (self.size, image.shape[:2]))
        return padded(image, (left, top, right - left, down - top), self.fill_value, self.padding_mode)


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


class FiveCrop(Transform):
    """Returns the four corners and the middle of a Pillow image, as a tuple."""

    def __init__(self, size):
        self.size = pair(size, self._where)

    def _apply(self, image):
        if not is_pil(image):
            raise TypeError("[%s] image, got %s, expected a Pillow image" % (self._where, type(image).__name__))
        (height, width), (rows, columns) = self.size, size_of(image)
        if height > rows or width > columns:
            raise ValueError("[%s] size, got %s, expected at most %s" % (self._where, self.size, (rows, columns)))
        corners = [(0, 0), (0, columns - width), (rows - height, 0), (rows - height, columns - width)]
        return tuple([cropped(image, top, left, height, width) for top, left in corners]
                     + [CenterCrop(self.size)(image)])


class TenCrop(FiveCrop):
    """Returns FiveCrop of an image and of its mirror image, as a tuple of ten."""

    def __init__(self, size, use_vertical_flip=False):
        super().__init__(size)
        self.use_vertical_flip = flag(use_vertical_flip, "use_vertical_flip", "TenCrop")

    def _apply(self, image):
        first = super()._apply(image)
        way = pillow().FLIP_TOP_BOTTOM if self.use_vertical_flip else pillow().FLIP_LEFT_RIGHT
        return first + super()._apply(image.transpose(way))


class SlicePatches(Transform):
    """Cuts an image into num_height x num_width patches, a tuple; slice_mode pads the image to fit, or drops the rest.

    slice_mode says whether the image is padded to a multiple of their size, or its rest dropped.
    """

    def __init__(self, num_height=1, num_width=1, slice_mode=SliceMode.PAD, fill_value=0):
        self.num_height = integer(num_height, "num_height", self._where, 1)
        self.num_width = integer(num_width, "num_width", self._where, 1)
        self.slice_mode = member(slice_mode, SliceMode, "slice_mode", self._where)
        self.fill_value = (integer(fill_value, "fill_value", self._where, 0, 255),)

    def _apply(self, image):
        image = self._array(image)
        rows, columns = image.shape[:2]
        drop = self.slice_mode == SliceMode.DROP
        if drop and (self.num_height > rows or self.num_width > columns):
            raise RuntimeError("[SlicePatches] image, got %s, expected a pixel at least in each patch" % (image.shape,))
        height = rows // self.num_height if drop else -(-rows // self.num_height)
        width = columns // self.num_width if drop else -(-columns // self.num_width)
        grown = (0, 0, max(0, width * self.num_width - columns), max(0, height * self.num_height - rows))
        image = padded(image, grown, self.fill_value, Border.CONSTANT)
        found = tuple(image[i * height:(i + 1) * height, j * width:(j + 1) * width].copy()
                      for i in range(self.num_height) for j in range(self.num_width))
        return found if len(found) > 1 else found[0]
