"""SampleDistortedBoundingBoxV2: a part of an image, drawn until it has enough of an object.

Numbers are drawn by Philox 4x32-10 (Salmon et al. 2011), from the two seeds anew at each call, so the same seeds give the part that
MindSpore gives; without seeds they are drawn by the program's own generator.
"""
import math

from ..common import dtype as _mstype
from ..common.tensor import Tensor
from ..common.tensor import check_tensor as _check
from .primitive import Primitive

_WORD = 0xFFFFFFFF
_INTS = (_mstype.uint8, _mstype.int8, _mstype.int16, _mstype.int32, _mstype.int64)


def _block(key, counter):
    """Four words of 32 bits for a counter of four and a key of two."""
    (a, b), (c0, c1, c2, c3) = key, counter
    for _ in range(10):
        first, second = 0xD2511F53 * c0, 0xCD9E8D57 * c2
        c0, c1, c2, c3 = (second >> 32) ^ c1 ^ a, second & _WORD, (first >> 32) ^ c3 ^ b, first & _WORD
        a, b = (a + 0x9E3779B9) & _WORD, (b + 0xBB67AE85) & _WORD
    return c0, c1, c2, c3


class _Philox:
    """Numbers of two seeds."""

    def __init__(self, seed, seed2):
        self._key, self._high = (seed & _WORD, (seed >> 32) & _WORD), (seed2 & _WORD, (seed2 >> 32) & _WORD)
        self._at, self._left = 0, []

    def word(self):
        """The next 32 bits."""
        if not self._left:
            self._left = list(_block(self._key, (self._at & _WORD, self._at >> 32) + self._high))[::-1]
            self._at += 1
        return self._left.pop()

    def fraction(self):
        """The next number in [0, 1), of 23 bits."""
        return (self.word() & 0x7FFFFF) / float(1 << 23)

    def below(self, count):
        """The next int in [0, count), each as likely."""
        if count & (count - 1) == 0:
            return self.word() & (count - 1) if count else 0 * self.word()
        rest = (_WORD % count) + 1
        drawn = self.word()
        while drawn < rest:
            drawn = self.word()
        return drawn % count


def _rounded(value):
    return int(round(value))  # to the even one of two that are as near, as C does


def _heights(width, height, least, ratio, most):
    """(the least, the greatest height) of a part with areas in [least, most] and a ratio of width to height."""
    low, high = _rounded(math.sqrt(least / ratio)), _rounded(math.sqrt(most / ratio))
    if _rounded(high * ratio) > width:
        high = int((width + 0.5 - 1e-7) / ratio)
        high -= _rounded(high * ratio) > width
    high = min(high, height)
    return min(low, high), high


def _part(draw, width, height, areas, ratio):
    """(left, top, width, height) of a part of the image, or None where none of that ratio fits."""
    if areas[0] < 0 or areas[1] > 1 or ratio <= 0 or areas[0] > areas[1]:
        return None
    least, most = areas[0] * width * height, areas[1] * width * height
    rows, high = _heights(width, height, least, ratio, most)
    if rows < high:
        rows += draw.below(high - rows + 1)
    columns = _rounded(rows * ratio)
    for step, wrong in ((1, lambda area: area < least), (-1, lambda area: area > most)):  # what rounding has made too small or large
        if wrong(rows * columns):
            rows += step
            columns = _rounded(rows * ratio)
    if not least <= rows * columns <= most or not 0 < columns <= width or not 0 < rows <= height:
        return None
    left = draw.below(width - columns) if columns < width else 0
    return left, draw.below(height - rows) if rows < height else 0, columns, rows


def _covers(part, boxes, share):
    """Whether a part has at least a share of one of the boxes (left, top, right, bottom)."""
    left, top, columns, rows = part
    if columns * rows < 1:
        return False
    for x, y, right, bottom in boxes:
        area = (right - x) * (bottom - y)
        common = max(0, min(right, left + columns) - max(x, left)) * max(0, min(bottom, top + rows) - max(y, top))
        if area >= 1 and common / float(area) >= share:
            return True
    return False


class SampleDistortedBoundingBoxV2(Primitive):
    """(begin, size, box) of a random part of an image that has at least a share of one of its objects.

    Attributes: seed and seed2, ints, where both are 0 the parts are drawn by the program's generator; aspect_ratio_range of
    width / height; area_range, shares of the image's area; max_attempts, after which it is the whole image;
    use_image_if_no_bounding_boxes, whether the image is the object where there are no boxes.
    Inputs: image_size (3,) ints [height, width, channels]; bounding_boxes (batch, N, 4) float32 [y_min, x_min, y_max, x_max] in [0, 1];
    min_object_covered (1,) float32 in [0, 1]. begin and size have the dtype of image_size and fit ops.Slice; box is (1, 1, 4) float32.
    Raises TypeError and ValueError for other attributes and shapes, and where there are no boxes; RuntimeError for values out of range.

    >>> from msjit import Tensor, ops
    >>> boxes, least = Tensor([[[0.38, 0.17, 0.95, 0.40]]]), Tensor([0.8])
    >>> begin, size, _ = ops.SampleDistortedBoundingBoxV2(34, 0, (0.9, 1.1), (0.1, 1.0))(Tensor([640, 480, 3]), boxes, least)
    >>> begin.tolist(), size.tolist()
    ([294, 63, 0], [330, 328, -1])
    """

    def __init__(self, seed=0, seed2=0, aspect_ratio_range=(0.75, 1.33), area_range=(0.05, 1.0), max_attempts=100,
                 use_image_if_no_bounding_boxes=False):
        super().__init__()
        from .. import _checkparam as check
        for name, value in (("seed", seed), ("seed2", seed2)):
            check.check_value_type(name, value, [int], self.name)
        for name, value in (("aspect_ratio_range", aspect_ratio_range), ("area_range", area_range)):
            check.check_value_type(name, value, [list, tuple], self.name)
            check.check_element_type_of_iterable(name, value, [float], self.name)
        if isinstance(max_attempts, bool) or not isinstance(max_attempts, int) or max_attempts <= 0:
            raise ValueError("[%s] max_attempts, got %r, expected an int above 0" % (self.name, max_attempts))
        check.check_bool(use_image_if_no_bounding_boxes, "use_image_if_no_bounding_boxes", self.name)
        self.seed, self.seed2, self.max_attempts = seed, seed2, max_attempts
        self.aspect_ratio_range, self.area_range = tuple(aspect_ratio_range), tuple(area_range)
        self.use_image_if_no_bounding_boxes = use_image_if_no_bounding_boxes

    def _boxes(self, image_size, bounding_boxes, min_object_covered):
        """(height, width, boxes in pixels, the share), all checked."""
        for what, value, shape in (("image_size", image_size, (3,)), ("min_object_covered", min_object_covered, (1,))):
            if tuple(_check(value, self.name).shape) != shape:
                raise ValueError("[%s] shape of %s, got %s, expected %s" % (self.name, what, tuple(value.shape), shape))
        if image_size.dtype not in _INTS:
            raise TypeError("[%s] dtype of image_size, got %s, expected ints" % (self.name, image_size.dtype))
        if _check(bounding_boxes, self.name).ndim != 3 or bounding_boxes.shape[2] != 4:
            raise ValueError("[%s] shape of bounding_boxes, got %s, expected (batch, N, 4)" % (self.name, tuple(bounding_boxes.shape)))
        height, width, _ = image_size.asnumpy().tolist()
        share = min_object_covered.asnumpy().tolist()[0]
        rows = bounding_boxes.asnumpy().reshape(-1, 4).tolist()
        if not 0 <= share <= 1 or height <= 0 or width <= 0:
            raise RuntimeError("[%s] values, got min_object_covered %s and image_size %s, expected one in [0, 1] and ints above 0"
                               % (self.name, share, (height, width)))
        for row in rows:
            if not all(0 <= value <= 1 for value in row) or row[0] >= row[2] or row[1] >= row[3]:
                raise RuntimeError("[%s] bounding box, got %s, expected y_min < y_max and x_min < x_max in [0, 1]" % (self.name, row))
        if not rows and not self.use_image_if_no_bounding_boxes:
            raise ValueError("[%s] bounding_boxes, got none, expected one at least, or use_image_if_no_bounding_boxes" % self.name)
        rows = rows or [[0.0, 0.0, 1.0, 1.0]]
        return height, width, [tuple(map(int, (x * width, y * height, right * width, bottom * height))) for y, x, bottom, right in rows], share

    def _generator(self):
        if self.seed or self.seed2:
            return _Philox(self.seed, self.seed2)
        from .random_func import draw_uniform
        return _Philox(int(draw_uniform((1,), _mstype.float64, None).item() * (1 << 52)), 0)

    def __call__(self, image_size, bounding_boxes, min_object_covered):
        height, width, boxes, share = self._boxes(image_size, bounding_boxes, min_object_covered)
        draw, (low, high) = self._generator(), self.aspect_ratio_range[:2]
        found = None
        for _ in range(self.max_attempts):
            part = _part(draw, width, height, self.area_range[:2], draw.fraction() * (high - low) + low)
            if part is not None and _covers(part, boxes, share):
                found = part
                break
        left, top, columns, rows = found or (0, 0, width, height)
        last = 255 if image_size.dtype == _mstype.uint8 else -1
        box = [top / height, left / width, (top + rows) / height, (left + columns) / width]
        return Tensor([top, left, 0], image_size.dtype), Tensor([rows, columns, last], image_size.dtype), Tensor([[box]], _mstype.float32)


__all__ = ["SampleDistortedBoundingBoxV2"]
