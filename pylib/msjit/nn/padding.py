"""Layers that pad: with zeros, with a value, with mirrored elements or with the edge elements."""
from .. import ops
from ..common.checks import check_int, int_tuple
from ..common.tensor import check_tensor
from ..ops.pad_func import mirrored as _mirrored
from .cell import Cell

_pad = ops.registry.pad


class Pad(Cell):
    """Pads every axis with zeros, or with mirrored values in mode 'REFLECT' or 'SYMMETRIC', which repeats the edge.

    paddings is ((before, after), ...), one pair of numbers of elements for each axis. Raises TypeError for paddings that are no tuple,
    ValueError for another mode, and where the number of pairs is not that of the axes.

    >>> import msjit as ms
    >>> ms.nn.Pad(((0, 0), (1, 2)), "SYMMETRIC")(ms.Tensor([[1.0, 2.0, 3.0]])).asnumpy().tolist()
    [[1.0, 1.0, 2.0, 3.0, 3.0, 2.0]]
    """

    def __init__(self, paddings, mode="CONSTANT"):
        super().__init__()
        if not isinstance(paddings, tuple):
            raise TypeError("[pad] paddings must be a tuple, got %s" % type(paddings).__name__)
        paddings = tuple(int_tuple(pair, 2, "pad", "a pair of paddings", 0) for pair in paddings)
        if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
            raise ValueError("[pad] mode, got %r, expected 'CONSTANT', 'REFLECT' or 'SYMMETRIC'" % (mode,))
        self.paddings, self.mode = paddings, mode
        self.pad = ops.Pad(self.paddings) if mode == "CONSTANT" else ops.MirrorPad(mode)

    def construct(self, x):
        if check_tensor(x, "pad").ndim != len(self.paddings):
            raise ValueError("[pad] paddings must be pairs for each axis, got %d for %d axes"
                             % (len(self.paddings), x.ndim))
        if self.mode == "CONSTANT":
            return _pad(x, [before for before, _ in self.paddings], [after for _, after in self.paddings], 0)
        for axis, (before, after) in enumerate(self.paddings):
            x = _mirrored(x, axis, before, after, self.mode == "SYMMETRIC")
        return x


class ConstantPad2d(Cell):
    """Pads the last two axes with a value; padding is an int, (left, right) or (left, right, top, bottom).

    Negative numbers cut off. Raises ValueError for another count of numbers and for less than two axes, TypeError for a padding that is no int or
    tuple and a value that is no number.
    """

    def __init__(self, padding, value):
        super().__init__()
        if isinstance(padding, bool) or not isinstance(padding, (int, tuple)):
            raise TypeError("[constant_pad2d] padding, got %s, expected an int or a tuple" % type(padding).__name__)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError("[constant_pad2d] value, got %s, expected an int or a float" % type(value).__name__)
        padding = (padding,) * 4 if isinstance(padding, int) else padding
        if len(padding) not in (2, 4):
            raise ValueError("[constant_pad2d] length of padding, got %d, expected 2 or 4" % len(padding))
        self.padding, self.value = tuple(check_int(side, "constant_pad2d", "padding") for side in padding), value

    def construct(self, x):
        if check_tensor(x, "constant_pad2d").ndim < 2:
            raise ValueError("[constant_pad2d] rank of the input, got %d, expected at least 2" % x.ndim)
        left, right, top, bottom = self.padding if len(self.padding) == 4 else self.padding + (0, 0)
        if min(self.padding) < 0:
            rows, columns = x.shape[-2:]
            x = x[..., max(-top, 0):rows - max(-bottom, 0), max(-left, 0):columns - max(-right, 0)]
            left, right, top, bottom = max(left, 0), max(right, 0), max(top, 0), max(bottom, 0)
        lead = [0] * (x.ndim - 2)
        return _pad(x, lead + [top, left], lead + [bottom, right], self.value)


class _Padded(Cell):
    """Pads the last axes; padding is an int for all sides, or (left, right, top, bottom, ...)."""

    _axes, _mode, _value = 1, "constant", None
    _sequences = (tuple,)

    def __init__(self, padding):
        super().__init__()
        name, sides = type(self).__name__, 2 * self._axes
        if isinstance(padding, bool) or not isinstance(padding, (int,) + self._sequences):
            raise TypeError("[%s] padding, got %r, expected an int or a tuple of %d ints" % (name, padding, sides))
        if isinstance(padding, int):
            padding = (padding,) * sides
        if len(padding) % 2 or len(padding) > 2 * self._axes:
            raise ValueError("[%s] padding, got %r, expected an int or a tuple of %d ints" % (name, padding, sides))
        self.padding = type(padding)(check_int(side, name, "padding") for side in padding)

    def construct(self, x):
        if check_tensor(x, type(self).__name__).ndim < self._axes:
            raise ValueError("[%s] input has a wrong rank, got %d, expected at least %d"
                             % (type(self).__name__, x.ndim, self._axes))
        padding = self.padding
        if self._mode == "constant" and min(padding, default=0) < 0:  # negative padding cuts off
            for i in range(0, len(padding), 2):
                axis = x.ndim - 1 - i // 2
                start, stop = max(-padding[i], 0), x.shape[axis] - max(-padding[i + 1], 0)
                x = ops.narrow(x, axis, start, stop - start)
            padding = tuple(max(n, 0) for n in padding)
        return ops.pad(x, padding, self._mode, self._value)


class ZeroPad2d(_Padded):
    """Pads the last two axes with zeros; padding is an int for all sides, (left, right) or (left, right, top, bottom). Negative numbers cut off.

    Raises ValueError for another count of numbers and for less than two axes, TypeError for anything but ints and for anything but a Tensor.
    """

    _axes = 2


class ConstantPad1d(_Padded):
    """Pads the last axis with a value; padding is an int for both sides or (left, right). Negative numbers cut off.

    Raises ValueError for another count of numbers, TypeError for anything but ints, a value that is no number and anything but a Tensor.
    """

    def __init__(self, padding, value):
        super().__init__(padding)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError("[%s] value, got %s, expected an int or a float" % (type(self).__name__, type(value).__name__))
        self._value = value


class ConstantPad3d(ConstantPad1d):
    """Pads the last three axes with a value; padding is an int for all sides or (left, right, top, bottom, front, back). Negative numbers cut off.

    Errors are those of ConstantPad1d, and ValueError for less than three axes.
    """

    _axes = 3


class ReflectionPad1d(_Padded):
    """Pads the last axis with its mirror image, without repeating the edge element; padding is an int for both sides or (left, right).

    Raises ValueError for another count of numbers and for one that is negative or not below the size of the axis, TypeError for anything but
    ints.
    """

    _mode = "reflect"


class ReflectionPad2d(ReflectionPad1d):
    """Pads the last two axes with their mirror images, without repeating the edge elements; padding is an int or (left, right, top, bottom).

    Errors are those of ReflectionPad1d, and ValueError for less than two axes.
    """

    _axes = 2


class ReflectionPad3d(ReflectionPad1d):
    """Pads the last three axes with their mirror images, without repeating the edge elements.

    padding is an int or (left, right, top, bottom, front, back). Errors are those of ReflectionPad1d, and ValueError for less than three axes.
    """

    _axes = 3


class ReplicationPad1d(_Padded):
    """Pads the last axis with copies of its edge elements; padding is an int for both sides or (left, right). Negative numbers cut off.

    Raises ValueError for another count of numbers, TypeError for anything but ints and for anything but a Tensor.
    """

    _mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """Pads the last two axes with copies of their edge elements; padding is an int or (left, right, top, bottom). Negative numbers cut off.

    Errors are those of ReplicationPad1d, and ValueError for less than two axes.
    """

    _axes = 2


class ReplicationPad3d(ReplicationPad1d):
    """Pads the last three axes with copies of their edge elements; padding is an int or (left, right, top, bottom, front, back).

    Errors are those of ReplicationPad1d, and ValueError for less than three axes.
    """

    _axes = 3


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
