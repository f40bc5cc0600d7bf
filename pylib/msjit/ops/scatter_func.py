"""Functions that write at indices, reduce segments and find distinct elements, under MindSpore's names and argument orders."""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_int as _check_int
from ..common.checks import check_position as _check_position
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import index_func as _i
from . import registry as _k
from .operands import check_index as _check_index
from .operands import check_operand as _check_operand
from .variable_writes import replaced as _replaced


def _combined(name, x, updates, parts, axes, how):
    """x with updates applied at indices, for the function `name`; how is 'update', 'add', 'sub', 'mul', 'div', 'max' or 'min'."""
    if how == "sub":
        updates = -_check_operand(updates, name, "updates")
    try:
        if how in ("update", "add", "sub"):
            return _k.index_update([x, updates] + list(parts), axes, how != "update")
        return _k.index_reduce([x, updates] + list(parts), axes, how)
    except _ERRORS as error:
        _rename(error, name)
        raise


def _at_coordinates(name, x, indices, updates, how):
    _check(x, name)
    if _check(indices, name).ndim < 1 or indices.shape[-1] > x.ndim:
        raise ValueError("[%s] shape of indices, got %s, expected a last size of at most %d, the rank of the input" % (name, tuple(indices.shape), x.ndim))
    wanted = tuple(indices.shape[:-1]) + tuple(x.shape[indices.shape[-1]:])
    if isinstance(updates, _Tensor) and tuple(updates.shape) != wanted and updates.ndim:
        raise ValueError("[%s] shape of updates, got %s, expected %s" % (name, tuple(updates.shape), wanted))
    parts, axes = _i._coordinates(indices)
    return _combined(name, x, updates, parts, axes, how)


# -- copies with changed elements ------------------------------------------------------------------------------------


def tensor_scatter_mul(input_x, indices, updates):
    """Returns a copy of input_x with slices multiplied by updates at coordinates: out[indices[i]] *= updates[i].

    indices (..., r) holds coordinates in the first r axes, and updates is (...) + the sizes of the axes left, or a Tensor without axes. The result
    has the shape and dtype of input_x; updates at equal coordinates all count. Raises ValueError for updates of another shape, IndexError for
    coordinates outside, TypeError for indices that are no integers.
    """
    return _at_coordinates("tensor_scatter_mul", input_x, indices, updates, "mul")


def tensor_scatter_div(input_x, indices, updates):
    """Returns a copy of input_x with slices divided by updates at coordinates: out[indices[i]] /= updates[i]. Integers are rounded towards 0.

    indices (..., r) holds coordinates in the first r axes, and updates is (...) + the sizes of the axes left, or a Tensor without axes. The result
    has the shape and dtype of input_x; updates at equal coordinates all count. Raises ValueError for updates of another shape, IndexError for
    coordinates outside, TypeError for indices that are no integers.
    """
    return _at_coordinates("tensor_scatter_div", input_x, indices, updates, "div")


def tensor_scatter_max(input_x, indices, updates):
    """Returns a copy of input_x that holds the greater of slice and update at coordinates: out[indices[i]] = max(out[indices[i]], updates[i]).

    indices (..., r) holds coordinates in the first r axes, and updates is (...) + the sizes of the axes left, or a Tensor without axes. The result
    has the shape and dtype of input_x; updates at equal coordinates all count. Raises ValueError for updates of another shape, IndexError for
    coordinates outside, TypeError for indices that are no integers.

    >>> import msjit as ms
    >>> ms.ops.tensor_scatter_max(ms.Tensor([1, 5]), ms.Tensor([[0], [1], [0]]), ms.Tensor([3, 4, 2])).asnumpy().tolist()
    [3, 5]
    """
    return _at_coordinates("tensor_scatter_max", input_x, indices, updates, "max")


def tensor_scatter_min(input_x, indices, updates):
    """Returns a copy of input_x that holds the smaller of slice and update at coordinates: out[indices[i]] = min(out[indices[i]], updates[i]).

    indices (..., r) holds coordinates in the first r axes, and updates is (...) + the sizes of the axes left, or a Tensor without axes. The result
    has the shape and dtype of input_x; updates at equal coordinates all count. Raises ValueError for updates of another shape, IndexError for
    coordinates outside, TypeError for indices that are no integers.
    """
    return _at_coordinates("tensor_scatter_min", input_x, indices, updates, "min")


def index_fill(x, axis, index, value):
    """Returns a copy of x with the slices `index` along an axis filled with value, a number or a Tensor without axes; the dtype is that of x.

    index is a Tensor of integers. Raises IndexError for an index outside the axis, ValueError for an axis that x does not have and for a value with
    axes.

    >>> import msjit as ms
    >>> ms.ops.index_fill(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([0]), 9).asnumpy().tolist()
    [[9, 2], [9, 4]]
    """
    if isinstance(value, _Tensor) and value.ndim:
        raise ValueError("[index_fill] value must have no axes, got %d" % value.ndim)
    axis = _check_axis(axis, _check(x, "index_fill").ndim, "index_fill")
    filled = value if isinstance(value, _Tensor) else _k.full((), value, x.dtype)
    return _combined("index_fill", x, _k.cast(filled, x.dtype), [index], [axis], "update")


def inplace_update(x, v, indices):
    """Returns a copy of x with the rows `indices` replaced by the rows of v; as in MindSpore, x itself does not change.

    indices is an int, a tuple or list of ints, or a Tensor of integers; v has a row for each, or broadcasts to them. Raises IndexError for an index
    outside x, TypeError for other indices.
    """
    return _combined("inplace_update", x, v, [_rows(indices)], [0], "update")


def inplace_add(x, v, indices):
    """Returns a copy of x with the rows of v added to the rows `indices`; as in MindSpore, x itself does not change.

    indices is an int or a tuple of ints, and v has a row for each. Raises ValueError for another shape of v and for an index
    outside [0, number of rows).
    """
    return _i.add_rows("inplace_add", x, _tuple("inplace_add", indices), v)


def inplace_sub(x, v, indices):
    """Returns a copy of x with the rows of v subtracted from the rows `indices`; x itself does not change.

    indices is an int or a tuple of ints, and v has a row for each; the result has the dtype of x. Raises ValueError for another shape of v and
    for an index outside [0, number of rows).
    """
    return _i.add_rows("inplace_sub", x, _tuple("inplace_sub", indices), -_check(v, "inplace_sub"))


def _tuple(name, indices):
    """The indices of rows as a tuple. Raises TypeError unless they are an int or several ints."""
    given = (indices,) if isinstance(indices, int) else indices
    for at in given if isinstance(given, (tuple, list)) else (None,):
        if type(at) is not int:
            raise TypeError("[%s] indices, got %r, expected an int or a tuple of ints" % (name, indices))
    return tuple(given)


def _rows(indices):
    return indices if isinstance(indices, _Tensor) else _Tensor(list(_tuple("inplace_update", indices)), _mstype.int64)


def select_scatter(input, src, axis, index):
    """Returns a copy with src in place of the slice at one index along an axis; src has the shape of input without that axis.

    >>> import msjit as ms
    >>> ms.ops.select_scatter(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([8, 9]), 0, 1).asnumpy().tolist()
    [[1, 2], [8, 9]]
    """
    axis = _check_axis(axis, _check(input, "select_scatter").ndim, "select_scatter")
    index = _check_position(index, input.shape[axis], "select_scatter")
    return slice_scatter(input, _k.expand_dims(src, axis), axis, index, index + 1)


def slice_scatter(input, src, axis=0, start=None, end=None, step=1):
    """Returns a copy of input with src in place of the slice start:end:step along an axis; src is converted to the dtype of input.

    Raises ValueError where src has not the shape of that slice, for an axis that the input does not have and for a step of 0, TypeError for floats
    that would go into integers and for bounds that are no ints.
    """
    axis = _check_axis(axis, _check(input, "slice_scatter").ndim, "slice_scatter")
    if step == 0:
        raise ValueError("[slice_scatter] step, got 0, expected another int")
    for bound, what in ((start, "start"), (end, "end"), (step, "step")):
        if bound is not None:
            _check_index(bound, "slice_scatter", what)
    places = list(range(input.shape[axis]))[start:end:step]
    shape = [len(places) if i == axis else size for i, size in enumerate(input.shape)]
    _check(src, "slice_scatter")
    if list(src.shape) != shape:
        raise ValueError("[slice_scatter] shape of src, got %s, expected %s" % (tuple(src.shape), tuple(shape)))
    return _combined("slice_scatter", input, src, [_Tensor(places, _mstype.int64)], [axis], "update") if places else input


def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """Returns a copy with src in place of the diagonal over the axes dim1 and dim2; the last axis of src runs along it.

    offset moves the diagonal to the right, or down where it is negative. Raises ValueError for equal axes, TypeError for an offset that is no int.

    >>> import msjit as ms
    >>> ms.ops.diagonal_scatter(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([8, 9])).asnumpy().tolist()
    [[8, 2], [3, 9]]
    """
    rank = _check(input, "diagonal_scatter").ndim
    dim1, dim2 = _check_axis(dim1, rank, "diagonal_scatter", "dim1"), _check_axis(dim2, rank, "diagonal_scatter", "dim2")
    if dim1 == dim2:
        raise ValueError("[diagonal_scatter] dim1 and dim2, got %d for both, expected two axes" % dim1)
    offset = _check_int(offset, "diagonal_scatter", "offset")
    rows, columns = input.shape[dim1], input.shape[dim2]
    length = max(min(rows + min(offset, 0), columns - max(offset, 0)), 0)
    lead = [i for i in range(input.ndim) if i not in (dim1, dim2)]
    moved = _k.transpose(input, [dim1, dim2] + lead)
    steps = _k.arange(0, length, 1, _mstype.int64)
    _check(src, "diagonal_scatter")
    value = _k.transpose(src, [src.ndim - 1] + list(range(src.ndim - 1)))
    out = _combined("diagonal_scatter", moved, value, [steps + max(-offset, 0), steps + max(offset, 0)], [0, 1], "update")
    order = [dim1, dim2] + lead
    return _k.transpose(out, [order.index(i) for i in range(input.ndim)])


def masked_scatter(input, mask, source):
    """Returns a copy of input where the elements with a true mask are replaced by the elements of source, in row order.

    The mask, bool, broadcasts to the shape of input; its values are read, so a graph ends before this function. Raises ValueError where source has
    too few elements and for a mask that does not broadcast, TypeError for anything but Tensors.

    >>> import msjit as ms
    >>> ms.ops.masked_scatter(ms.Tensor([1, 2, 3]), ms.Tensor([True, False, True]), ms.Tensor([8, 9])).asnumpy().tolist()
    [8, 2, 9]
    """
    import numpy
    _check(mask, "masked_scatter"), _check(input, "masked_scatter")
    _check(source, "masked_scatter")
    if mask.ndim > input.ndim or any(size not in (1, wanted) for size, wanted in zip(mask.shape[::-1], input.shape[::-1])):
        raise ValueError("[masked_scatter] shape of mask, got %s, expected one that broadcasts to %s" % (tuple(mask.shape), tuple(input.shape)))
    places = numpy.flatnonzero(numpy.broadcast_to(mask.asnumpy(), tuple(input.shape)))
    if places.size > source.size:
        raise ValueError("[masked_scatter] source has too few elements, got %d, expected %d" % (source.size, places.size))
    flat = _combined("masked_scatter", _k.reshape(input, (-1,)), _k.reshape(source, (-1,))[:places.size], [_Tensor(places.astype(numpy.int64))],
                     [0], "update")
    return _k.reshape(flat, input.shape)


# -- writes to a Parameter -------------------------------------------------------------------------------------------


_WRITING = """Changes a Parameter in place: its slices %s are %s `updates`; returns its new values, in its dtype.

    indices is a Tensor of integers, and %s.
    Updates at equal indices all count, one after the other. use_locking is ignored. Raises ValueError for updates of another shape, IndexError for
    an index outside, TypeError for indices that are no integers.
    """


def _writing(name, how, coordinates):
    what = {"update": "replaced by", "add": "increased by", "sub": "decreased by", "mul": "multiplied by", "div": "divided by",
            "max": "raised to at least", "min": "lowered to at most"}[how]
    where = "at coordinates" if coordinates else "along the first axis"
    shape = "indices (..., r) holds coordinates in the first r axes; updates is (...) + the sizes of the axes left" if coordinates else \
        "updates has the shape indices.shape + input_x.shape[1:]"

    def call(input_x, indices, updates, use_locking=False):
        if coordinates:
            made = _at_coordinates(name, input_x, indices, updates, how)
        else:
            wanted = tuple(_check(indices, name).shape) + tuple(_check(input_x, name).shape[1:])
            if isinstance(updates, _Tensor) and updates.ndim and tuple(updates.shape) != wanted:
                raise ValueError("[%s] shape of updates, got %s, expected %s" % (name, tuple(updates.shape), wanted))
            made = _combined(name, input_x, updates, [indices], [0], how)
        return _replaced(input_x, made)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = _WRITING % (where, what, shape)
    return call


for _how in ("update", "add", "sub", "mul", "div", "max", "min"):
    globals()["scatter_" + _how] = _writing("scatter_" + _how, _how, False)
    globals()["scatter_nd_" + _how] = _writing("scatter_nd_" + _how, _how, True)


# -- picking ---------------------------------------------------------------------------------------------------------


def take(input, index):
    """Picks elements of the flattened tensor, by index; the result has the shape of index. A negative index counts from the end.

    Raises IndexError for an index outside, TypeError for an input that is no Tensor.
    """
    return _k.gather(_k.reshape(input, (-1,)), index, 0)


def _check_bounds(**bounds):
    for name, value in bounds.items():
        if not hasattr(type(value), "__len__"):
            raise TypeError("[strided_slice] %s, got %s, expected a tuple of ints" % (name, type(value).__name__))


def strided_slice(input_x, begin, end, strides, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0,
                  shrink_axis_mask=0):
    """Returns x[begin:end:strides] over the first axes; begin, end and strides are tuples of as many ints, negative ones counted from the end.

    Bit i of a mask changes entry i: begin_mask and end_mask ignore the bound, ellipsis_mask makes it `...`, new_axis_mask a new axis,
    shrink_axis_mask the single index begin[i]. Raises ValueError for tuples of different lengths and for a stride of 0, IndexError for more entries
    than axes, TypeError for anything but tuples and int masks.
    """
    if not type(begin) is type(end) is type(strides) is tuple:
        _check_bounds(begin=begin, end=end, strides=strides)
    _check(input_x, "strided_slice")
    if not len(begin) == len(end) == len(strides):
        raise ValueError("[strided_slice] begin, end and strides must be as long, got %d, %d and %d"
                         % (len(begin), len(end), len(strides)))
    if any(step == 0 for step in strides):
        raise ValueError("[strided_slice] strides must not be 0, got %s" % (tuple(strides),))
    for mask in (begin_mask, end_mask, ellipsis_mask, new_axis_mask, shrink_axis_mask):
        if type(mask) is not int:
            _check_index(mask, "strided_slice", "mask")
    keys = []
    for i, (first, last, step) in enumerate(zip(begin, end, strides)):
        if ellipsis_mask >> i & 1:
            keys.append(Ellipsis)
        elif new_axis_mask >> i & 1:
            keys.append(None)
        elif shrink_axis_mask >> i & 1:
            keys.append(int(first))
        else:
            keys.append(slice(None if begin_mask >> i & 1 else first, None if end_mask >> i & 1 else last, step))
    return input_x[tuple(keys)]


def argwhere(input):
    """Returns the coordinates of the elements that are not 0: int64, (number of them, rank), in row order; NaN counts.

    The values are read, so a graph ends before this function. Raises TypeError for an input that is no Tensor.
    """
    import numpy
    _check(input, "argwhere")
    if not input.ndim:  # it has no coordinates
        return _k.zeros((int(bool(input.item())), 0), _mstype.int64)
    return _Tensor(numpy.argwhere(input.asnumpy()).astype(numpy.int64))


def argsort(input, axis=-1, descending=False):
    """Returns the indices, int32, that sort the elements along an axis, from small to great, or the reverse if descending.

    The result has the shape of input; equal elements keep their order, NaN is greatest. Raises ValueError for an axis that the input does not have.
    """
    try:
        return _k.argsort(input, axis, descending)
    except _ERRORS as error:
        _rename(error, "argsort")
        raise


def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """Removes elements, or slices along `dim`, that equal the one before: the first of each group is left, in a vector or along `dim`.

    return_inverse adds the group of each element, of the shape of input (or (size of dim,)), return_counts the size of each group, both int64;
    without them the result is one Tensor, with them a tuple. The values are read, so a graph ends here. Raises ValueError for a dim that the input
    does not have, TypeError for one that is no int.
    """
    import numpy
    _check(input, "unique_consecutive")
    values = input.asnumpy()
    dim = None if dim is None else _check_axis(dim, values.ndim, "unique_consecutive", "dim")
    flat = values.reshape(-1) if dim is None else numpy.moveaxis(values, dim, 0)
    rows = flat.reshape(flat.shape[0], flat.size // max(flat.shape[0], 1))
    new = numpy.ones(len(rows), bool)
    new[1:] = (rows[1:] != rows[:-1]).any(1)
    starts = numpy.flatnonzero(new)
    inverse, counts = numpy.cumsum(new) - 1, numpy.diff(numpy.append(starts, len(rows)))
    inverse = inverse.reshape(values.shape) if dim is None else inverse
    picked = _Tensor(starts.astype(numpy.int64))
    out = _k.gather(_k.reshape(input, (-1,)) if dim is None else input, picked, 0 if dim is None else dim)
    found = [out] + [_Tensor(array.astype(numpy.int64)) for array, asked in ((inverse, return_inverse), (counts, return_counts))
                     if asked]
    return tuple(found) if len(found) > 1 else out


def unique_with_pad(x, pad_num):
    """Returns (the distinct elements in order of appearance, padded with pad_num to the size of x; the index of each element among them).

    The first is (x.size,) of the dtype of x; the second has the shape of x, int64 for int64 x and else int32. The values are read, so a graph ends
    before this function.
    """
    values, index = _i.unique(x)
    rest = _k.full((x.size - values.size,), pad_num, x.dtype)
    return _k.concat([values, rest]), index


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
