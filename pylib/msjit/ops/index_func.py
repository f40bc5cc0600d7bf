"""Functions that pick, place and order elements, under MindSpore's names and argument orders."""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_int as _check_int
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.parameter import Parameter as _Parameter
from ..common.tensor import Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .argument_kinds import check_index as _check_index
from .argument_kinds import check_iterable as _check_iterable
from .variable_writes import replaced as _replaced

# -- picking ---------------------------------------------------------------------------------------------------------


def gather(input_params, input_indices, axis, batch_dims=0):
    """Picks slices of input_params along an axis, at input_indices, a Tensor of integers of any shape; those below 0 count from the end.

    The result has the shape of input_params with the axis replaced by the shape of the indices. The first batch_dims axes
    are common to both operands: each stack is indexed by its own indices. An index outside the axis raises IndexError, a batch_dims that is no int
    TypeError.

    >>> import msjit as ms
    >>> ms.ops.gather(ms.Tensor([[1, 2, 3], [4, 5, 6]]), ms.Tensor([2, 0]), 1).asnumpy().tolist()
    [[3, 1], [6, 4]]
    """
    _check(input_indices, "gather")
    if batch_dims:
        return _gather_in_stacks(input_params, input_indices, axis, batch_dims)
    return _k.gather(input_params, input_indices, axis)


def _gather_in_stacks(x, indices, axis, batch_dims):
    """gather with batch_dims: the first `lead` axes of x and of the indices are the same, and each stack of x uses its own indices."""
    axis = _check_axis(axis, _check(x, "gather").ndim, "gather")
    _check_index(batch_dims, "gather", "batch_dims")
    lead = batch_dims + indices.ndim if batch_dims < 0 else batch_dims
    if not 0 <= lead <= indices.ndim:
        raise ValueError("[gather] batch_dims, got %d, expected %d to %d" % (batch_dims, -indices.ndim, indices.ndim))
    if lead > axis or x.shape[:lead] != indices.shape[:lead]:
        raise ValueError("[gather] batch_dims, got %d for shapes %s and %s and axis %d, expected equal sizes before the axis"
                         % (batch_dims, tuple(x.shape), tuple(indices.shape), axis))
    between = axis - lead  # axes that stay between the stack and the indexed one
    order = list(range(lead)) + [axis] + list(range(lead, axis)) + list(range(axis + 1, x.ndim))
    stacks = [_k.reshape(_k.arange(0, x.shape[i], 1, _mstype.int64),
                         [-1 if j == i else 1 for j in range(indices.ndim)]) for i in range(lead)]
    out = _k.index([_k.transpose(x, order)] + stacks + [indices], list(range(lead + 1)))
    inner = indices.ndim - lead
    places = list(range(lead)) + [lead + inner + i for i in range(between)] \
        + [lead + i for i in range(inner)] + list(range(lead + inner + between, out.ndim))
    return _k.transpose(out, places)


def index_select(input, axis, index):
    """Picks slices along an axis, at the positions in `index`, a Tensor of integers: gather with the axis before the indices.

    An index outside the axis raises IndexError.
    """
    try:
        return _k.gather(input, index, axis)
    except _ERRORS as error:
        _rename(error, "index_select")
        raise


def masked_fill(input_x, mask, value):
    """Replaces the elements where `mask` is true by value, a number or a Tensor without axes.

    The result has the dtype of input_x, but float32 where a fraction is written to integers."""
    _check(input_x, "masked_fill")
    if isinstance(value, Tensor):
        if value.ndim:
            raise ValueError("[masked_fill] value must have no axes, got %d" % value.ndim)
        if value.dtype != input_x.dtype and any(value.dtype in kind and input_x.dtype in kind for kind in (_mstype.float_type, _mstype.int_type)):
            value = _k.cast(value, input_x.dtype)
    if input_x.dtype == _mstype.bool_ and value is not True and value is not False:
        value = _k.cast(value, _mstype.bool_) if isinstance(value, Tensor) else bool(value)
    try:
        return _k.where(mask, value, input_x)
    except _ERRORS as error:
        _rename(error, "masked_fill")
        raise


def one_hot(indices, depth, on_value=1, off_value=0, axis=-1):
    """Encodes indices as vectors of length depth, with on_value at the index and off_value elsewhere, along a new axis.

    The dtype is that of on_value and off_value where they are Tensors, float32 where one is a float, else int64. An index outside
    [0, depth) gives off_value alone.

    >>> import msjit as ms
    >>> ms.ops.one_hot(ms.Tensor([1, 0]), 2).asnumpy().tolist()
    [[0, 1], [1, 0]]
    """
    if isinstance(on_value, Tensor) or isinstance(off_value, Tensor):
        hot = _k.cast(_k.one_hot(indices, depth, 1, 0, axis, _mstype.int32), _mstype.bool_)
        return _k.where(hot, on_value, off_value)
    floats = isinstance(on_value, float) or isinstance(off_value, float)
    return _k.one_hot(indices, depth, on_value, off_value, axis, _mstype.float32 if floats else _mstype.int64)


def nonzero(input, as_tuple=False):
    """Returns the indices of the non-zero elements: an int64 tensor (count, rank), or with as_tuple one vector for each axis.

    The shape depends on the values, so a graph ends before this function.

    >>> import msjit as ms
    >>> ms.ops.nonzero(ms.Tensor([[0, 3], [4, 0]])).asnumpy().tolist()
    [[0, 1], [1, 0]]
    """
    import numpy
    if not _check(input, "nonzero").ndim:
        raise ValueError("[nonzero] input must have at least one axis, got 0")
    found = input.asnumpy().nonzero()
    if as_tuple:
        return tuple([Tensor(index) for index in found])
    return Tensor(numpy.array(found).T)  # a third of the time of numpy.stack


def gather_elements(input, dim, index):
    """Picks elements along dim: out[i][j] = input[index[i][j]][j] for dim 0 of a matrix. The result has the shape of index.

    input and index have equally many axes. Indices below 0 count from the end; one outside the axis raises IndexError.

    >>> import msjit as ms
    >>> ms.ops.gather_elements(ms.Tensor([[1, 2, 3], [4, 5, 6]]), 1, ms.Tensor([[2, 0], [1, 1]])).asnumpy().tolist()
    [[3, 1], [5, 5]]
    """
    return _k.gather_elements(input, index, dim)


def gather_d(x, dim, index):
    """Picks elements along dim: out[i][j] = x[index[i][j]][j] for dim 0 of a matrix. The result has the shape of index, integers, and the dtype of
    x.

    A negative index counts from the end. Raises IndexError for one outside the axis, ValueError for a dim that x does not have and for an index of
    another rank, TypeError for an index of floats.
    """
    return _k.gather_elements(x, index, dim)


def _coordinates(indices):
    """Splits coordinates on the last axis of `indices` into (the indices of axis 0, of axis 1, ...) and the list of those axes."""
    parts = _k.unstack(indices, -1)
    return parts, list(range(len(parts)))


def gather_nd(input_x, indices):
    """Picks slices of input_x; each vector on the last axis of `indices` holds coordinates in its first axes.

    Indices of shape (..., k) give a result of shape (...) + input_x.shape[k:]. A coordinate outside its axis raises IndexError.

    >>> import msjit as ms
    >>> ms.ops.gather_nd(ms.Tensor([[1, 2, 3], [4, 5, 6]]), ms.Tensor([[0, 1], [1, 2]])).asnumpy().tolist()
    [2, 6]
    """
    try:
        parts, axes = _coordinates(indices)
        return _k.index([input_x] + list(parts), axes)
    except _ERRORS as error:
        _rename(error, "gather_nd")
        raise


def masked_select(input, mask):
    """Returns the elements where `mask` is true as a vector; input and mask broadcast.

    The length depends on the values of the mask, so a graph ends before this function. The gradient flows to input.
    Raises ValueError for shapes that do not broadcast.
    """
    import numpy
    _check(input, "masked_select"), _check(mask, "masked_select")
    try:
        shape = numpy.broadcast_shapes(tuple(input.shape), tuple(mask.shape))
    except ValueError:
        raise ValueError("[masked_select] shapes cannot be broadcast, got %s and %s" % (input.shape, mask.shape)) from None
    found = numpy.flatnonzero(numpy.broadcast_to(mask.asnumpy(), shape))
    flat = _k.reshape(_k.broadcast_to(input, shape), (-1,))
    return _k.gather(flat, Tensor(found.astype(numpy.int64)), 0)


# -- placing ---------------------------------------------------------------------------------------------------------


def _scatter(where, x, indices, updates, accumulate):
    _check(indices, where), _check(x, where)
    if indices.ndim < 1 or indices.shape[-1] > x.ndim:
        raise ValueError("[%s] shape of indices, got %s, expected a last size of at most %d, the rank of the input" % (where, tuple(indices.shape), x.ndim))
    try:
        parts, axes = _coordinates(indices)
        return _k.index_update([x, updates] + list(parts), axes, accumulate)
    except _ERRORS as error:
        _rename(error, where)
        raise


def tensor_scatter_update(input_x, indices, updates):
    """Returns a copy of input_x with slices replaced at indices; each vector on their last axis holds coordinates in the first axes.

    With indices of shape (..., k) updates have the shape (...) + input_x.shape[k:]. A coordinate outside its axis raises IndexError.

    >>> import msjit as ms
    >>> ms.ops.tensor_scatter_update(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[0, 1], [1, 0]]), ms.Tensor([7, 8])).asnumpy().tolist()
    [[1, 7], [8, 4]]
    """
    return _scatter("tensor_scatter_update", input_x, indices, updates, False)


def tensor_scatter_add(input_x, indices, updates):
    """Returns a copy of input_x with updates added at coordinates: out[indices[i]] += updates[i]; those at equal coordinates all count.

    indices (..., r), integers, holds coordinates in the first r axes; updates is (...) + the sizes of the axes left, or broadcasts to it. Raises
    IndexError for coordinates outside, ValueError for another shape.
    """
    return _scatter("tensor_scatter_add", input_x, indices, updates, True)


def tensor_scatter_sub(input_x, indices, updates):
    """Returns a copy of input_x with slices subtracted at indices, as tensor_scatter_update places them; those at equal coordinates all count.

    Raises TypeError for anything but Tensors, IndexError for coordinates outside, ValueError for another shape.
    """
    return _scatter("tensor_scatter_sub", input_x, indices, -_check(updates, "tensor_scatter_sub"), True)


def scatter_nd(indices, updates, shape):
    """Creates a tensor of zeros of `shape` with updates added at indices, as tensor_scatter_add; the dtype is that of updates.

    Raises TypeError for a shape that is no list or tuple of ints and for updates that are no Tensor.

    >>> import msjit as ms
    >>> ms.ops.scatter_nd(ms.Tensor([[1], [1]]), ms.Tensor([7, 8]), (3,)).asnumpy().tolist()
    [0, 15, 0]
    """
    _check(updates, "scatter_nd")
    return _scatter("scatter_nd", _k.full(tuple(_check_iterable(shape, "scatter_nd", "shape")), 0, updates.dtype), indices, updates, True)


def tensor_scatter_elements(input_x, indices, updates, axis=0, reduction="none"):
    """Returns a copy with elements along `axis` replaced (reduction 'none') or increased ('add') by updates, the reverse
    of gather_elements: out[indices[i][j]][j] = updates[i][j] for axis 0 of a matrix. updates have the shape of indices
    or broadcast to it.

    Another reduction raises ValueError.
    """
    try:
        return _k.scatter_elements(input_x, indices, updates, axis, reduction)
    except _ERRORS as error:
        _rename(error, "tensor_scatter_elements")
        raise


def scatter(input, axis, index, src):
    """Returns a copy with elements along `axis` replaced: out[index[i][j]][j] = src[i][j] for axis 0 of a matrix. The dtype is that of input.

    index, integers, has the rank of input; src has its shape or is a number. Raises IndexError for an index outside the axis, ValueError for an axis
    that input does not have and for another rank.
    """
    try:
        return _k.scatter_elements(input, index, src, axis)
    except _ERRORS as error:
        _rename(error, "scatter")
        raise


def elements_scattered(input, index, src, dim, reduce="none"):
    """scatter_elements whose src may be longer than index: as much of it is used as there are indices."""
    if isinstance(src, Tensor) and isinstance(index, Tensor) and src.ndim == index.ndim and src.shape != index.shape:
        src = src[tuple([slice(0, size) for size in index.shape])]
    return _k.scatter_elements(input, index, src, dim, reduce)


def add_rows(name, x, indices, v):
    """A copy of `x` with the rows of `v` added to the rows `indices`, a tuple of ints."""
    _check(v, name), _check(x, name)
    if v.ndim != x.ndim or tuple(v.shape) != (len(indices),) + tuple(x.shape[1:]):
        raise ValueError("[%s] shape of v, got %s, expected %s"
                         % (name, tuple(v.shape), (len(indices),) + tuple(x.shape[1:])))
    for at in indices:
        if not 0 <= at < x.shape[0]:
            raise ValueError("[%s] index of a row, got %d, expected one in [0, %d)" % (name, at, x.shape[0]))
    return _k.index_update([x, v, Tensor(list(indices), _mstype.int64)], [0], True)


def slices_added(x, indices, y, axis, use_lock=True, check_index_bound=True):
    """index_add of a copy of x, also where x is a Parameter."""
    axis = _check_axis(axis, _check(x, "index_add").ndim, "index_add")
    try:
        return _k.index_update([x, y, indices], [axis], True)
    except _ERRORS as error:
        _rename(error, "index_add")
        raise


def index_add(x, indices, y, axis, use_lock=True, check_index_bound=True):
    """Adds the slices of y to the slices `indices` of x along `axis`; a slice named twice is added to twice.

    A Parameter is written to; of another tensor a copy is changed. Returns the new values. An index outside the axis raises IndexError.
    The last two arguments are ignored.

    >>> import msjit as ms
    >>> ms.ops.index_add(ms.ops.zeros((3,)), ms.Tensor([0, 2, 2]), ms.ops.ones((3,)), 0).asnumpy().tolist()
    [1.0, 0.0, 2.0]
    """
    made = slices_added(x, indices, y, axis)
    return _replaced(x, made) if isinstance(x, _Parameter) else made


# -- ordering --------------------------------------------------------------------------------------------------------


def topk(input, k, dim=None, largest=True, sorted=True):
    """Returns (the k greatest elements along dim, their indices as int32), or the k smallest ones without largest.

    dim is the last axis by default. The elements are always sorted, whatever `sorted` says. Raises ValueError for a k that is not
    between 1 and the size of the axis.

    >>> import msjit as ms
    >>> values, places = ms.ops.topk(ms.Tensor([1, 5, 2]), 2)
    >>> values.asnumpy().tolist(), places.asnumpy().tolist()
    ([5, 2], [1, 2])
    """
    if isinstance(k, int) and k <= 0:
        raise ValueError("[topk] k must be positive, got %d" % k)
    return _k.topk(input, k, -1 if dim is None else dim, largest)


def top_k(input_x, k, sorted=True):
    """Returns (the k greatest elements along the last axis, their indices), as topk."""
    return topk(input_x, k, sorted=sorted)


def flip(input, dims):
    """Reverses the order along the given axes, an int or a tuple of ints; shape and dtype stay.

    Raises ValueError for axes that the input does not have and for one named twice, TypeError for axes that are no ints.
    """
    return _k.flip(input, dims)


def roll(input, shifts, dims=None):
    """Shifts elements cyclically along axes: what leaves at one end comes back at the other. shifts and dims are ints, or tuples of equal length.

    Without dims the flattened tensor is shifted. The result has the shape of the input.

    >>> import msjit as ms
    >>> ms.ops.roll(ms.Tensor([1, 2, 3]), 1).asnumpy().tolist()
    [3, 1, 2]
    """
    if dims is None:
        return _k.reshape(_k.roll(_k.reshape(input, (-1,)), shifts, 0), input.shape)
    return _k.roll(input, shifts, dims)


def diag(input):
    """Builds the square matrix with the vector input on its diagonal and zeros elsewhere; the dtype is that of input.

    A tensor of more axes gives one of its shape twice over: out[i, ..., i, ...] = input[i, ...]. Raises ValueError for a tensor without axes,
    TypeError for anything but a Tensor.
    """
    _check(input, "diag")
    if input.ndim < 1:
        raise ValueError("[diag] input has a wrong rank, got 0, expected at least 1")
    flat = _k.where(_k.eye(input.size, input.size, _mstype.bool_), _k.reshape(input, (-1,)), False)
    return _k.reshape(flat, input.shape + input.shape)


def repeat_interleave(input, repeats, axis=None):
    """Repeats each element along an axis `repeats` times in a row; without axis, of the flattened tensor.

    repeats is an int, or a list, tuple or Tensor with one int or one for each element. Raises ValueError where one is negative or
    their count is another, and for an axis that the input does not have; TypeError for an input that is no Tensor and for an axis that is no int.

    >>> import msjit as ms
    >>> ms.ops.repeat_interleave(ms.Tensor([[1, 2]]), [1, 2], 1).asnumpy().tolist()
    [[1, 2, 2]]
    """
    _check(input, "repeat_interleave")
    if isinstance(repeats, Tensor):
        if repeats.ndim > 1:
            raise ValueError("[repeat_interleave] repeats has a wrong rank, got %d, expected 0 or 1" % repeats.ndim)
        repeats = repeats.asnumpy().tolist()
    if isinstance(repeats, (list, tuple)):
        flat = _k.reshape(input, (-1,)) if axis is None else input
        along = 0 if axis is None else _check_axis(axis, input.ndim, "repeat_interleave")
        repeats = [_check_int(count, "repeat_interleave", "repeats") for count in repeats]
        if len(repeats) not in (1, flat.shape[along]) or min(repeats) < 0:
            raise ValueError("[repeat_interleave] repeats must be one or %d numbers of 0 or more, got %s"
                             % (flat.shape[along], repeats))
        counts = repeats if len(repeats) == flat.shape[along] else repeats * flat.shape[along]
        places = [i for i, count in enumerate(counts) for _ in range(count)]
        return _k.gather(flat, Tensor(places, _mstype.int64), along)
    if axis is None:
        return _k.repeat_interleave(_k.reshape(input, (-1,)), repeats, 0)
    return _k.repeat_interleave(input, repeats, axis)


def unique(input):
    """Returns (distinct elements in order of appearance, index of each input element among them).

    The indices have the shape of the input; they are int64 for int64 elements, else int32. The count depends on the values, so a
    graph ends before this function.

    >>> import msjit as ms
    >>> values, places = ms.ops.unique(ms.Tensor([5, 2, 5]))
    >>> values.asnumpy().tolist(), places.asnumpy().tolist()
    ([5, 2], [0, 1, 0])
    """
    import numpy
    _check(input, "unique")
    values, first, inverse = numpy.unique(input.asnumpy(), return_index=True, return_inverse=True)
    order = numpy.argsort(first)
    rank = numpy.empty_like(order)
    rank[order] = numpy.arange(order.size)
    index = rank[inverse.reshape(tuple(input.shape))]
    kind = numpy.int64 if values.dtype == numpy.int64 else numpy.int32
    return Tensor(values[order]), Tensor(index.astype(kind))


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and name not in ("Tensor", "add_rows", "elements_scattered", "slices_added") and callable(value)]
