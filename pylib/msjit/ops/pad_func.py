"""Padding: constants, mirror images, edges and copies of the tensor around it."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k


def pad(input_x, padding, mode="constant", value=None):
    """Pads the last axes; padding is (left, right) of the last axis, then of the axis before it, and so on.

    Mode 'constant' fills with value (0 by default), 'reflect' mirrors, 'replicate' repeats the edge, 'circular' wraps around.
    In mode 'constant', negative numbers cut elements off. Raises TypeError for a padding of anything but ints.
    """
    if mode not in ("constant", "reflect", "replicate", "circular"):
        raise ValueError("[pad] mode, got %r, expected 'constant', 'reflect', 'replicate' or 'circular'" % (mode,))
    _check(input_x, "pad")
    if not isinstance(padding, (tuple, list)) and not hasattr(type(padding), "__len__"):
        raise TypeError("[pad] padding, got %s, expected a flat tuple or list of ints" % type(padding).__name__)
    if len(padding) % 2 or len(padding) > 2 * input_x.ndim:
        raise ValueError("[pad] padding must be pairs for at most %d axes, got %d numbers"
                         % (input_x.ndim, len(padding)))
    for amount in padding:
        if isinstance(amount, bool) or not hasattr(type(amount), "__index__"):
            raise TypeError("[pad] padding, got %r, expected a flat tuple or list of ints" % (padding,))
    before, after = [0] * input_x.ndim, [0] * input_x.ndim
    for i in range(len(padding) // 2):
        before[-1 - i], after[-1 - i] = padding[2 * i], padding[2 * i + 1]
    if mode != "constant":
        for axis in range(input_x.ndim):
            input_x = extended(input_x, axis, before[axis], after[axis], mode)
        return input_x
    if min(padding, default=0) < 0:
        input_x, before, after = _cut(input_x, before, after)
    return _k.pad(input_x, before, after, 0.0 if value is None else value)


def _cut(x, before, after):
    """Cuts off what negative numbers of `before` and `after` name; returns the rest and the numbers that are left to add."""
    begin = [max(-n, 0) for n in before]
    end = [size - max(-n, 0) for size, n in zip(x.shape, after)]
    for start, stop, size in zip(begin, end, x.shape):
        if start > stop:
            raise ValueError("[pad] elements cut off, got %d, expected at most %d" % (start + size - stop, size))
    x = _k.slice(x, begin, end, [1] * x.ndim)
    return x, [max(n, 0) for n in before], [max(n, 0) for n in after]


def extended(x, axis, before, after, mode):
    """Pads one axis by index: mode is 'reflect', 'replicate' or 'circular'."""
    size = x.shape[axis]
    if mode == "reflect":
        return mirrored(x, axis, before, after, False)
    if before == after == 0:
        return x
    if mode == "circular" and max(before, after) > size:
        raise ValueError("[pad] circular padding must be at most the size of the axis, got %d for %d"
                         % (max(before, after), size))
    places = [min(max(i, 0), size - 1) if mode == "replicate" else i % size for i in range(-before, size + after)]
    return _k.gather(x, _Tensor(places, _mstype.int64), axis)


def mirrored(x, axis, before, after, with_edge):
    """Pads one axis with its mirror image; with_edge says whether the edge element itself is repeated."""
    if before == after == 0:
        return x
    size, edge = x.shape[axis], 1 if with_edge else 0
    if max(before, after) > size - 1 + edge or min(before, after) < 0:
        raise ValueError("[pad] mirrored padding must be 0 to %d for an axis of %d, got %d and %d"
                         % (size - 1 + edge, size, before, after))
    places = [before - i - edge for i in range(before)] + list(range(size))
    places += [size - 2 + edge - i for i in range(after)]
    return _k.gather(x, _Tensor(places, _mstype.int64), axis)


__all__ = ["pad"]
