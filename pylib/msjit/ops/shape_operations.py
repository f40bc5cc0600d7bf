"""Primitives that join, split, pick, pad and repeat parts of tensors, and those that fill them by index. Attributes go to the constructor."""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_int as _check_int
from ..common.checks import or_all_axes as _or_all_axes
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from . import array_func as _a
from . import index_func as _i
from . import registry as _k
from .operands import check_items as _check_items
from .primitive import Primitive as _Primitive


class Gather(_Primitive):
    """Picks slices of input_params along an axis by index, as ops.gather: (..., n, ...) and indices (i, j) give (..., i, j, ...).

    A negative index counts from the end. batch_dims is the number of leading axes that both tensors share. Raises IndexError for an index
    outside the axis, ValueError for an axis that the tensor does not have, TypeError for indices that are no Tensor of integers.
    """

    def __init__(self, batch_dims=0):
        super().__init__()
        self.batch_dims = batch_dims

    def __call__(self, input_params, input_indices, axis):
        return _i.gather(input_params, input_indices, axis, self.batch_dims)


class Range(_Primitive):
    """Returns a vector of the numbers start, start + step, ... below end, or above it for a negative step; maxlen is ignored.

    The three are numbers or Tensors of one element; ints give int64, a float among them float32. Raises ValueError for a step of 0 and for one
    that leads away from end.
    """

    def __init__(self, maxlen=1000000):
        super().__init__()

    def __call__(self, start, end, step):
        return _a.range(start, end, step)


class Concat(_Primitive):
    """Joins a tuple or list of tensors along an axis; the other sizes must be equal. The result has the dtype to which theirs promote.

    Raises ValueError for different ranks or sizes, for no tensors and for an axis that they do not have, TypeError for items that are no Tensors.
    """

    def __init__(self, axis=0):
        super().__init__()
        self.axis = axis

    def __call__(self, tensors):
        return _k.concat(tensors, self.axis)


class Stack(Concat):
    """Joins a tuple or list of n tensors of one shape along a new axis of size n. The result has the dtype to which theirs promote.

    Raises ValueError for different shapes, for no tensors and for an axis outside [-rank - 1, rank], TypeError for items that are no Tensors.
    """

    def __call__(self, tensors):
        return _k.stack(tensors, self.axis)


class Unstack(_Primitive):
    """Splits a tensor along an axis into a tuple of slices without that axis; num is not used.

    Raises ValueError for a tensor without axes and for an axis that it does not have.
    """

    def __init__(self, axis=0, num=None):
        super().__init__()
        self.axis = axis

    def __call__(self, x):
        return _a.unstack(x, self.axis)


class Split(_Primitive):
    """Splits a tensor along an axis into a tuple of output_num equal parts, of size / output_num elements each.

    Raises ValueError where the size of the axis is no multiple of output_num, for an output_num below 1 and for an axis that x does not have.
    """

    def __init__(self, axis=0, output_num=1):
        super().__init__()
        self.axis, self.output_num = axis, output_num

    def __call__(self, x):
        axis = _check_axis(self.axis, _check_tensor(x, "split").ndim, "split")
        if _check_int(self.output_num, "split", "output_num") < 1:
            raise ValueError("[split] output_num, got %d, expected at least 1" % self.output_num)
        if x.shape[axis] % self.output_num:
            raise ValueError("[split] size of the axis must be a multiple of output_num, got %d and %d" % (x.shape[axis], self.output_num))
        return _a.split(x, x.shape[axis] // self.output_num, axis)


class Squeeze(_Primitive):
    """Removes axes of size 1: all of them, or only the given ones, an int or a tuple of ints. A given axis of another size stays.

    Raises ValueError for an axis that x does not have.
    """

    def __init__(self, axis=()):
        super().__init__()
        self.axis = _or_all_axes(axis)

    def __call__(self, x):
        return _k.squeeze(x, self.axis)


class BroadcastTo(_Primitive):
    """Repeats axes of size 1, and adds axes in front, so that the result has the given shape; -1 keeps a size.

    Raises ValueError for a shape to which x does not broadcast, TypeError for a shape that is no tuple or list.
    """

    def __init__(self, shape):
        super().__init__()
        self.shape = tuple(_check_items(shape, "BroadcastTo", "shape", "ints"))

    def __call__(self, x):
        return _k.broadcast_to(x, self.shape)


class OneHot(_Primitive):
    """Encodes indices as vectors of length depth, with on_value at the index and off_value elsewhere, along a new axis, the last by default.

    indices is a Tensor of integers; one outside [0, depth) gives off_value everywhere. on_value and off_value are Tensors of one element, whose
    dtype the result has, or numbers, which give float32. Raises ValueError for a negative depth and for an axis outside [-rank - 1, rank],
    TypeError for indices of another dtype.
    """

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def __call__(self, indices, depth, on_value=1.0, off_value=0.0):
        on_value = on_value if isinstance(on_value, _Tensor) else _Tensor(on_value, _mstype.float32)
        off_value = off_value if isinstance(off_value, _Tensor) else _Tensor(off_value, _mstype.float32)
        return _i.one_hot(indices, depth, on_value, off_value, self.axis)


class InplaceAdd(_Primitive):
    """Returns a copy of x with the rows of v added to the rows `indices`; as in MindSpore, x itself does not change.

    indices is an int or a tuple of ints, and v has one row for each; the result has the dtype of x. Raises ValueError for another shape of v and
    for an index outside [0, number of rows), TypeError for other indices.
    """

    def __init__(self, indices):
        super().__init__()
        indices = (indices,) if isinstance(indices, int) and not isinstance(indices, bool) else indices
        if not isinstance(indices, (tuple, list)) or not all(type(i) is int for i in indices):
            raise TypeError("[%s] indices, got %r, expected an int or a tuple of ints" % (self.name, indices))
        self.indices = tuple(indices)

    def __call__(self, x, v):
        return _i.add_rows(self.name, x, self.indices, v)


class InplaceSub(InplaceAdd):
    """Returns a copy of x with the rows of v subtracted from the rows `indices`; else as InplaceAdd. x itself does not change."""

    def __call__(self, x, v):
        return _i.add_rows(self.name, x, self.indices, -_check_tensor(v, self.name))


class Pad(_Primitive):
    """Pads every axis with zeros: paddings is ((before, after), ...), one pair of ints for each axis; a negative number cuts elements off.

    Raises ValueError for another number of pairs, TypeError for anything but pairs.
    """

    def __init__(self, paddings):
        super().__init__()
        pairs = _check_items(paddings, "Pad", "paddings", "pairs of ints")
        self.paddings = tuple(tuple(_check_items(pair, "Pad", "paddings", "pairs of ints")) for pair in pairs)
        for pair in self.paddings:
            if len(pair) != 2:
                raise ValueError("[Pad] paddings, got %d numbers for an axis, expected 2" % len(pair))

    def __call__(self, x):
        return _k.pad(x, [p[0] for p in self.paddings], [p[1] for p in self.paddings], 0.0)


__all__ = ["BroadcastTo", "Concat", "Gather", "InplaceAdd", "InplaceSub", "OneHot", "Pad", "Range", "Split", "Squeeze", "Stack", "Unstack"]
