"""Transforms of images with bounding boxes: rows (x, y, width, height, ...) of float32, in pixels from the top left corner."""
import numpy as np

from ...common.tensor import Tensor
from ..draws import current
from . import geometry, random_transforms
from .base import Transform, as_array, is_pil, probability
from .utils import Border, Inter


def checked_boxes(boxes, image, where):
    """Returns a copy of the boxes; raises RuntimeError unless they are float32 rows within the image."""
    boxes = boxes.asnumpy() if isinstance(boxes, Tensor) else np.asarray(boxes)
    if boxes.ndim < 2 or boxes.dtype != np.float32 or boxes.shape[1] < 4 or not boxes.size:
        raise RuntimeError("[%s] boxes, got %s of %s, expected rows of four numbers or more of float32" % (where, boxes.shape, boxes.dtype))
    (height, width), boxes = image.shape[:2], boxes.copy()
    if (boxes[:, :4] < 0).any():
        raise RuntimeError("[%s] boxes, got %s, expected no negative numbers" % (where, boxes[:, :4].tolist()))
    if (boxes[:, 0] + boxes[:, 2] > width).any() or (boxes[:, 1] + boxes[:, 3] > height).any():
        raise RuntimeError("[%s] boxes, got %s, expected them within %d columns and %d rows" % (where, boxes[:, :4].tolist(), width, height))
    return boxes


def cropped_boxes(boxes, top, left, height, width):
    """The parts of boxes within a part of an image, relative to its corner; boxes that do not touch it are dropped."""
    right, bottom = boxes[:, 0] + boxes[:, 2], boxes[:, 1] + boxes[:, 3]
    kept = (right >= left) & (boxes[:, 0] <= left + width) & (bottom >= top) & (boxes[:, 1] <= top + height)
    found = boxes[kept]
    x, y = np.maximum(found[:, 0], left), np.maximum(found[:, 1], top)
    found[:, 2] = np.minimum(right[kept], left + width) - x
    found[:, 3] = np.minimum(bottom[kept], top + height) - y
    found[:, 0], found[:, 1] = x - left, y - top
    return found


def resized_boxes(boxes, before, after):
    """Scales the boxes of an image whose (height, width) changed."""
    boxes[:, 0:4:2] *= np.float32(after[1] / before[1])
    boxes[:, 1:4:2] *= np.float32(after[0] / before[0])
    return boxes


class _Boxed(Transform):
    """A transform of (image, boxes) that returns both.

    It uses `_draw(image)`, `_apply(image, drawn)` and `_moved(boxes, image, drawn, found)`.
    """

    def __call__(self, *columns):
        if len(columns) != 2:
            raise RuntimeError("[%s] columns, got %d, expected 2: an image and its boxes" % (self._where, len(columns)))
        image = np.asarray(columns[0]) if is_pil(columns[0]) else as_array(columns[0], self._where)
        boxes = checked_boxes(columns[1], image, self._where)
        drawn = self._draw(image) if self._draw is not None else None
        found = self._apply(image, drawn) if self._draw is not None else self._apply(image)
        return found, self._moved(boxes, image, drawn, found)

    def _moved(self, boxes, image, drawn, found):
        return resized_boxes(boxes, image.shape, found.shape)


class RandomHorizontalFlipWithBBox(_Boxed, random_transforms.RandomHorizontalFlip):
    """Mirrors an image and its boxes left to right, with a probability."""

    def _moved(self, boxes, image, drawn, found):
        if drawn:
            boxes[:, 0] = image.shape[1] - boxes[:, 0] - boxes[:, 2]
        return boxes


class RandomVerticalFlipWithBBox(_Boxed, random_transforms.RandomVerticalFlip):
    """Mirrors an image and its boxes top to bottom, with a probability."""

    def _moved(self, boxes, image, drawn, found):
        if drawn:
            boxes[:, 1] = image.shape[0] - boxes[:, 1] - boxes[:, 3]
        return boxes


class ResizeWithBBox(_Boxed, geometry.Resize):
    """Resizes an image and its boxes to (height, width); one int is the length of the shorter side.

    >>> import numpy as np
    >>> from msjit.dataset import vision
    >>> image, boxes = vision.ResizeWithBBox((5, 24))(np.zeros((10, 12, 3), np.uint8), np.array([[1, 2, 4, 3]], np.float32))
    >>> image.shape, boxes.tolist()
    ((5, 24, 3), [[2.0, 1.0, 8.0, 1.5]])
    """


class RandomResizeWithBBox(_Boxed, random_transforms.RandomResize):
    """Resizes an image and its boxes with a random interpolation."""


class RandomCropWithBBox(_Boxed, random_transforms.RandomCrop):
    """Crops a part of `size` at a random position, after padding.

    Boxes outside the part are dropped, so there may be none left.
    """

    def __init__(self, size, padding=None, pad_if_needed=False, fill_value=0, padding_mode=Border.CONSTANT):
        super().__init__(size, padding, pad_if_needed, fill_value, padding_mode)

    def _moved(self, boxes, image, drawn, found):
        left, top = (0, 0) if self.padding is None else self.padding[:2]
        if self.pad_if_needed:
            around = (0, 0, 0, 0) if self.padding is None else self.padding
            left += max(0, self.size[1] - image.shape[1] - around[0] - around[2])
            top += max(0, self.size[0] - image.shape[0] - around[1] - around[3])
        boxes[:, 0] += left
        boxes[:, 1] += top
        return cropped_boxes(boxes, drawn[0], drawn[1], *self.size)


class RandomResizedCropWithBBox(_Boxed, random_transforms.RandomResizedCrop):
    """Crops a part of random area and aspect ratio and resizes it.

    Boxes outside the part are dropped, so there may be none left.
    """

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3. / 4., 4. / 3.), interpolation=Inter.BILINEAR, max_attempts=10):
        super().__init__(size, scale, ratio, interpolation, max_attempts)

    def _moved(self, boxes, image, drawn, found):
        return resized_boxes(cropped_boxes(boxes, *drawn), drawn[2:], found.shape)


class BoundingBoxAugment(_Boxed):
    """A transform of the image within each box, with a probability for each; boxes stay as they are.

    The result of the transform is resized to the box. TypeError for anything but a vision transform of arrays.

    >>> import numpy as np
    >>> from msjit.dataset import vision
    >>> op = vision.BoundingBoxAugment(vision.Invert(), 1.0)
    >>> image, boxes = op(np.zeros((3, 3, 3), np.uint8), np.array([[0, 1, 2, 1]], np.float32))
    >>> image[:, :, 0].tolist()
    [[0, 0, 0], [255, 255, 0], [0, 0, 0]]
    """

    def __init__(self, transform, ratio=0.3):
        if not isinstance(transform, Transform):
            raise TypeError("[BoundingBoxAugment] transform, got %s, expected a vision transform" % type(transform).__name__)
        self.transform, self.ratio = transform, probability(ratio, "BoundingBoxAugment")

    def _draw(self, image):
        return current()

    def _apply(self, image, drawn):
        return image.copy()

    def _moved(self, boxes, image, drawn, found):
        for x, y, width, height in boxes[:, :4].astype(np.int64).tolist():
            if drawn.random() >= self.ratio:
                continue
            part = np.asarray(self.transform(np.ascontiguousarray(image[y:y + height, x:x + width])))
            found[y:y + height, x:x + width] = geometry.resized(part, height, width, Inter.BILINEAR, self._where)
        return boxes
