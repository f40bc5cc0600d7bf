"""TypeCast, OneHot, PadEnd and other transforms of arrays; Compose and its random variants."""
import builtins
import operator
from enum import IntEnum

import numpy as np

from ...common import dtype as mstype
from ...common.tensor import Tensor
from ..draws import current
from ..vision.base import number, probability
from ..vision.values import numpy_type


class Relational(IntEnum):
    """Comparison operators of Mask."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


_COMPARE = {Relational.EQ: operator.eq, Relational.NE: operator.ne, Relational.GT: operator.gt,
            Relational.GE: operator.ge, Relational.LT: operator.lt, Relational.LE: operator.le}


def _array(value):
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def _one_value(value, name, where):
    """Converts an argument to a text, a number or a bool; raises TypeError for anything else."""
    value = value.asnumpy() if isinstance(value, Tensor) else value
    if isinstance(value, np.generic) or isinstance(value, np.ndarray) and not value.ndim:
        value = value.item()
    if not isinstance(value, (str, bytes, int, float)):
        raise TypeError("[%s] %s, got %r, expected one value" % (where, name, value))
    return value


class TensorOperation:
    """Base class of transforms that programs write: a subclass defines __call__."""

    implementation = None

    def __init__(self):
        self.transforms, self.output_type = [], None


class PyTensorOperation(TensorOperation):
    """Base class of transforms that programs write by defining `_execute_py(value)`, which is called for each column."""

    def __call__(self, *columns):
        found = [self._execute_py(column) for column in columns]
        return found[0] if len(found) == 1 else tuple(found)


class _OneColumn:
    """A transform of one column; with several columns it does the same to each."""

    implementation = None

    def __call__(self, *columns):
        if not columns:
            raise RuntimeError("[%s] argument, got none, expected data" % type(self).__name__)
        found = [self._apply(_array(column)) for column in columns]
        return found[0] if len(found) == 1 else tuple(found)


class TypeCast(_OneColumn):
    """Converts to another dtype; "string" and mindspore.string convert to texts."""

    def __init__(self, data_type):
        if data_type is None:
            raise TypeError("[TypeCast] data_type, got None, expected a type")
        text = data_type in (str, "string") or data_type is getattr(mstype, "string", None)
        self.data_type = np.dtype(str) if text else numpy_type(data_type, "TypeCast")

    def _apply(self, value):
        if value.dtype.kind in "US" and self.data_type.kind not in "US":
            raise RuntimeError("[TypeCast] dtype, got texts, expected numbers to become %s" % self.data_type)
        return value.astype(self.data_type)


class OneHot(_OneColumn):
    """Encodes labels as one-hot rows.

    With a smoothing_rate r, the label has 1 - r + r / num_classes and the other classes have r / num_classes.
    """

    def __init__(self, num_classes, smoothing_rate=0.0):
        if isinstance(num_classes, bool) or not isinstance(num_classes, int):
            raise TypeError("[OneHot] num_classes, got %s, expected an int" % type(num_classes).__name__)
        if num_classes <= 0:
            raise ValueError("[OneHot] num_classes, got %d, expected 1 or more" % num_classes)
        self.num_classes, self.smoothing_rate = num_classes, number(smoothing_rate, "smoothing_rate", "OneHot", 0.0, 1.0)

    def _apply(self, value):
        if value.dtype.kind not in "iu":
            raise RuntimeError("[OneHot] dtype, got %s, expected integers" % (value.dtype,))
        shape, value = value.shape, value.squeeze()  # axes of size 1 are dropped, as in MindSpore
        if value.ndim > 1:
            raise RuntimeError("[OneHot] label, got shape %s, expected one axis larger than 1" % (shape,))
        if value.size and not 0 <= value.min() <= value.max() < self.num_classes:
            raise RuntimeError("[OneHot] label, got values from %d to %d, expected 0 to %d"
                               % (value.min(), value.max(), self.num_classes - 1))
        found = (value[..., None] == np.arange(self.num_classes)).astype(value.dtype)
        if self.smoothing_rate:
            share = self.smoothing_rate / self.num_classes
            found = np.where(found == 1, 1 - self.smoothing_rate + share, share)
        return found


class Fill(_OneColumn):
    """Replaces all elements by one value."""

    def __init__(self, fill_value):
        self.fill_value = np.asarray(_one_value(fill_value, "fill_value", "Fill"))

    def _apply(self, value):
        if (value.dtype.kind in "US") != (self.fill_value.dtype.kind in "US"):
            raise RuntimeError("[Fill] fill_value, got %s for %s, expected both texts or both numbers"
                               % (self.fill_value.dtype, value.dtype))
        text = value.dtype.kind in "US"
        return np.full(value.shape, self.fill_value, self.fill_value.dtype if text else value.dtype)


class PadEnd(_OneColumn):
    """Fills up, or cuts, an array at its ends to a shape; None keeps the size of an axis."""

    def __init__(self, pad_shape, pad_value=None):
        if not isinstance(pad_shape, (list, tuple)):
            raise TypeError("[PadEnd] pad_shape, got %s, expected a list" % type(pad_shape).__name__)
        for size in pad_shape:
            whole = not isinstance(size, bool) and isinstance(size, int)
            if size is not None and (not whole or size < 0):
                raise (ValueError if whole else TypeError)("[PadEnd] pad_shape, got %r, expected sizes or None" % (pad_shape,))
        self.pad_shape = list(pad_shape)
        self.pad_value = None if pad_value is None else _one_value(pad_value, "pad_value", "PadEnd")

    def _apply(self, value):
        from ..batches import padded
        if not value.ndim:
            return value
        if value.ndim != len(self.pad_shape):
            raise RuntimeError("[PadEnd] rank, got %d, expected %d" % (value.ndim, len(self.pad_shape)))
        if self.pad_value is not None and isinstance(self.pad_value, (str, bytes)) != (value.dtype.kind in "US"):
            raise RuntimeError("[PadEnd] pad_value, got %r for %s, expected both texts or both numbers"
                               % (self.pad_value, value.dtype))
        return padded([value], self.pad_shape, self.pad_value, "of PadEnd")[0]


class Concatenate(_OneColumn):
    """Joins `prepend`, the columns and `append`, arrays of one axis."""

    def __init__(self, axis=0, prepend=None, append=None):
        if axis not in (0, -1):
            raise (ValueError if isinstance(axis, int) else TypeError)("[Concatenate] axis, got %r, expected 0 or -1" % (axis,))
        self.axis = axis
        self.prepend, self.append = self._part("prepend", prepend), self._part("append", append)

    @staticmethod
    def _part(name, value):
        value = value.asnumpy() if isinstance(value, Tensor) else value
        if value is not None and not isinstance(value, np.ndarray):
            raise TypeError("[Concatenate] %s, got %s, expected a NumPy array" % (name, type(value).__name__))
        if value is not None and value.ndim != 1:
            raise ValueError("[Concatenate] rank of %s, got %d, expected 1" % (name, value.ndim))
        return value

    def __call__(self, *columns):
        if not columns:
            raise RuntimeError("[Concatenate] argument, got none, expected data")
        columns = [np.atleast_1d(_array(c)) for c in columns]
        parts = [v for v in [self.prepend] + columns + [self.append] if v is not None]
        if any(part.ndim != 1 for part in parts):
            raise RuntimeError("[Concatenate] rank, got %s, expected 1" % sorted({part.ndim for part in parts}))
        return np.concatenate([p.astype(columns[0].dtype) if p.dtype.kind not in "US" else p for p in parts], self.axis)


class Duplicate:
    """Returns a column twice, as two columns."""

    implementation = None

    def __call__(self, *columns):
        if len(columns) != 1:
            raise RuntimeError("[Duplicate] columns, got %d, expected 1" % len(columns))
        value = _array(columns[0])
        return value, value.copy()


class Slice(_OneColumn):
    """Picks elements along each axis.

    An argument for an axis is an index, a list of indices, a slice, None or True (all), or Ellipsis (all other axes).
    """

    def __init__(self, *slices):
        for item in slices:
            items = item if isinstance(item, (list, tuple)) else [None if item is True else item]
            if not all(isinstance(i, (int, builtins.slice, type(None), type(Ellipsis))) and not isinstance(i, bool)
                       for i in items):
                raise TypeError("[Slice] slices, got %r, expected ints, lists of them, slices, None or Ellipsis" % (item,))
        self.slices = [builtins.slice(None) if s is None or s is True else [s] if isinstance(s, int) else
                       list(s) if isinstance(s, (list, tuple)) else s for s in slices]

    def _apply(self, value):
        slices = list(self.slices)
        if Ellipsis in [s for s in slices if not isinstance(s, list)]:
            place = next(i for i, s in enumerate(slices) if s is Ellipsis)
            slices[place:place + 1] = [builtins.slice(None)] * (value.ndim - len(slices) + 1)
        if len(slices) > value.ndim:
            raise RuntimeError("[Slice] slices, got %d, expected at most %d, the rank" % (len(slices), value.ndim))
        for axis, item in enumerate(slices):
            if isinstance(item, list):
                if any(not -value.shape[axis] <= i < value.shape[axis] for i in item):
                    raise RuntimeError("[Slice] index, got %s, expected it within %d" % (item, value.shape[axis]))
                value = np.take(value, item, axis)
            else:
                value = value[(builtins.slice(None),) * axis + (item,)]
        return value


class Mask(_OneColumn):
    """Says for each element whether a comparison with a constant holds."""

    def __init__(self, operator, constant, dtype=mstype.bool_):
        if not isinstance(operator, Relational):
            raise TypeError("[Mask] operator, got %s, expected a Relational" % type(operator).__name__)
        self.operator, self.dtype = operator, numpy_type(dtype, "Mask")
        self.constant = _one_value(constant, "constant", "Mask")

    def _apply(self, value):
        if (value.dtype.kind in "US") != isinstance(self.constant, (str, bytes)):
            raise RuntimeError("[Mask] constant, got %r for %s, expected both texts or both numbers"
                               % (self.constant, value.dtype))
        constant = self.constant.encode() if value.dtype.kind == "S" and isinstance(self.constant, str) else self.constant
        constant = constant.decode() if value.dtype.kind == "U" and isinstance(constant, bytes) else constant
        compare = _COMPARE[self.operator]
        if value.dtype.kind in "SU":  # NumPy before 1.23 cannot compare texts
            flags = [compare(text, constant) for text in value.reshape(-1).tolist()]
            return np.array(flags, bool).reshape(value.shape).astype(self.dtype)
        return np.asarray(compare(value, constant)).astype(self.dtype)


class Unique:
    """Returns three columns: the distinct values in order of appearance, the index of each value among them, and their counts."""

    implementation = None

    def __call__(self, *columns):
        if len(columns) != 1:
            raise RuntimeError("[Unique] columns, got %d, expected 1" % len(columns))
        value = _array(columns[0]).reshape(-1)
        if value.dtype.kind not in "iuf":
            raise RuntimeError("[Unique] dtype, got %s, expected numbers" % (value.dtype,))
        _, first, inverse, counts = np.unique(value, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first, kind="stable")
        place = np.empty_like(order)
        place[order] = np.arange(len(order))
        return value[first[order]], place[inverse].astype(np.int32), counts[order].astype(np.int32)


class _Several:
    implementation = None

    def __init__(self, transforms):
        where = type(self).__name__
        if not isinstance(transforms, (list, tuple)):
            raise TypeError("[%s] transforms, got %s, expected a list" % (where, type(transforms).__name__))
        if not transforms:
            raise ValueError("[%s] transforms, got none, expected one at least" % where)
        for i, item in enumerate(transforms):
            if not callable(item):
                raise TypeError("[%s] transforms[%d], got %s, expected a transform or a function"
                                % (where, i, type(item).__name__))
        self.transforms = list(transforms)

    @staticmethod
    def _run(transforms, columns):
        for transform in transforms:
            found = transform(*columns)
            columns = found if isinstance(found, tuple) else (found,)
        return columns[0] if len(columns) == 1 else tuple(columns)


class Compose(_Several):
    """Applies several transforms one after another.

    A call returns the result of the last one. As in MindSpore, it returns a tuple if there were Pillow images on the way.

    >>> import numpy as np
    >>> from msjit.dataset import transforms, vision
    >>> image = np.zeros((4, 6, 3), np.uint8)
    >>> transforms.Compose([vision.Resize((2, 3)), vision.HWC2CHW()])(image).shape
    (3, 2, 3)
    >>> transforms.Compose([vision.ToPIL(), vision.ToTensor()])(image)[0].shape
    (3, 4, 6)
    """

    def __call__(self, *columns):
        pillow = _has_image(columns)
        for transform in self.transforms:
            found = transform(*columns)
            columns = found if isinstance(found, tuple) else (found,)
            pillow = pillow or _has_image(columns)
        return columns[0] if len(columns) == 1 and not pillow else tuple(columns)


def _has_image(columns):
    return builtins.any(type(value).__module__.startswith("PIL.") for value in columns)


class RandomApply(_Several):
    """Applies all transforms, with a probability."""

    def __init__(self, transforms, prob=0.5):
        super().__init__(transforms)
        self.prob = probability(prob, "RandomApply")

    def __call__(self, *columns):
        return self._run(self.transforms if current().random() < self.prob else [], columns)


class RandomChoice(_Several):
    """Applies one of the transforms, chosen at random."""

    def __call__(self, *columns):
        return self._run([current().choice(self.transforms)], columns)


class RandomOrder(_Several):
    """Applies all transforms in random order."""

    def __call__(self, *columns):
        transforms = list(self.transforms)
        current().shuffle(transforms)
        return self._run(transforms, columns)
