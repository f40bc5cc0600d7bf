"""Transforms that keep rows and columns straight: Resize, crops, flips, Pad. warps.py has the others."""
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
    """Resizes an image (H, W) or (H, W, C), an array or a Pillow image, to `size`, (height, width).

    One int is the length of the shorter side; the other side keeps the ratio. interpolation is a member of Inter. Raises TypeError and
    ValueError for other sizes.
    """

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
    """Crops the middle of an image (H, W) or (H, W, C) to `size`, (height, width) or one int for both. A smaller image is padded with zeros."""

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
    """Adds pixels around an image (H, W) or (H, W, C): an int for all sides, (left and right, top and bottom), or (left, top, right, bottom).

    With padding_mode Border.CONSTANT they are fill_value, one int in [0, 255] or one for each of three channels; EDGE repeats the edge,
    REFLECT and SYMMETRIC mirror the image without and with the edge.
    """

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
