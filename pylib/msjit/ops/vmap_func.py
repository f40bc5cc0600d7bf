"""vmap: a function applied along an axis of its arguments, slice by slice."""
from ..common.tensor import Tensor as _Tensor
from . import registry as _k


def vmap(fn, in_axes=0, out_axes=0):
    """fn for every slice of its arguments along in_axes, the results joined along out_axes.

    An axis of None leaves an argument whole; tuples name axes argument by argument, result by result. The slices are
    computed one after another: the results are those of a loop, and so is the time.
    """
    if not callable(fn):
        raise TypeError("[vmap] fn must be callable, got %s" % type(fn).__name__)

    def mapped(*args):
        axes = in_axes if isinstance(in_axes, (tuple, list)) else (in_axes,) * len(args)
        if len(axes) != len(args):
            raise ValueError("[vmap] in_axes must name one axis an argument, got %d for %d" % (len(axes), len(args)))
        sizes = []
        columns = [_slices(arg, axis, sizes) for arg, axis in zip(args, axes)]
        if not sizes:
            raise ValueError("[vmap] in_axes, got None for all arguments, expected an axis for one at least")
        if min(sizes) != max(sizes):
            raise ValueError("[vmap] sizes of the mapped axes must be the same, got %s" % sizes)
        rows = [fn(*[column if column_axis is None else _at(column, i) for column, column_axis in zip(columns, axes)])
                for i in range(sizes[0])]
        return _joined(rows, out_axes)

    return mapped


def _slices(arg, axis, sizes):
    """The slices of a Tensor, or of each in a tuple, along an axis."""
    if axis is None:
        return arg
    if isinstance(arg, (tuple, list)):
        axes = axis if isinstance(axis, (tuple, list)) else (axis,) * len(arg)
        return _Slices([_slices(item, item_axis, sizes) for item, item_axis in zip(arg, axes)], axes)
    if not isinstance(arg, _Tensor) or not -arg.ndim <= axis < arg.ndim:
        raise ValueError("[vmap] argument, got %s, expected a Tensor with an axis %s"
                         % (type(arg).__name__ if not isinstance(arg, _Tensor) else "shape %s" % (tuple(arg.shape),), axis))
    sizes.append(arg.shape[axis])
    return _k.unstack(arg, axis)


class _Slices:
    def __init__(self, columns, axes):
        self.columns, self.axes = columns, axes


def _at(column, i):
    if isinstance(column, _Slices):
        return tuple([item if axis is None else _at(item, i) for item, axis in zip(column.columns, column.axes)])
    return column[i]


def _joined(rows, axis):
    if isinstance(rows[0], (tuple, list)):
        axes = axis if isinstance(axis, (tuple, list)) else (axis,) * len(rows[0])
        return tuple([_joined([row[i] for row in rows], axes[i]) for i in range(len(rows[0]))])
    if axis is None:
        return rows[0]
    return _k.stack(rows, axis)


__all__ = ["vmap"]
