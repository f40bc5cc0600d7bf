"""Functions that join, split, turn and rearrange tensors, under MindSpore's names and argument orders."""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_int as _check_int
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import array_func as _a
from . import registry as _k
from .argument_kinds import check_index as _check_index
from .argument_kinds import check_iterable as _check_iterable
from .argument_kinds import is_index as _is_index

moveaxis = _a.movedim


# -- joining ---------------------------------------------------------------------------------------------------------


def _each(where, tensors, least):
    if not isinstance(tensors, (tuple, list)):
        raise TypeError("[%s] tensors, got %s, expected a list of Tensors" % (where, type(tensors).__name__))
    if not tensors and where[:7] != "atleast":
        raise ValueError("[%s] tensors, got none, expected at least one" % where)
    return [least(_check(item, where)) for item in tensors]


def _one(x):
    return _k.reshape(x, (1,)) if x.ndim == 0 else x


def _two(x):
    return _k.reshape(x, (1, -1)) if x.ndim < 2 else x


def _three(x):
    if x.ndim < 2:
        return _k.reshape(x, (1, -1, 1))
    return _k.expand_dims(x, 2) if x.ndim == 2 else x


def _atleast(where, inputs, least):
    return least(inputs) if isinstance(inputs, _Tensor) else tuple(_each(where, inputs, least))


def atleast_1d(inputs):
    """Gives a tensor, or each of a list of tensors, at least one axis; a list gives a tuple. Raises TypeError for anything else."""
    return _atleast("atleast_1d", inputs, _one)


def atleast_2d(inputs):
    """Gives a tensor, or each of a list of tensors, at least two axes; new axes come in front, so (n,) becomes (1, n). A list gives a tuple.

    Raises TypeError for anything else.
    """
    return _atleast("atleast_2d", inputs, _two)


def atleast_3d(inputs):
    """Gives a tensor, or each of a list of tensors, at least three axes: (n,) becomes (1, n, 1), (m, n) becomes (m, n, 1). A list gives a tuple.

    Raises TypeError for anything else.
    """
    return _atleast("atleast_3d", inputs, _three)


def hstack(tensors):
    """Joins a list of tensors along the second axis, or vectors along their only axis.

    >>> import msjit as ms
    >>> ms.ops.hstack([ms.Tensor([1, 2]), ms.Tensor([3])]).asnumpy().tolist()
    [1, 2, 3]
    """
    parts = _each("hstack", tensors, _one)
    return _k.concat(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(inputs):
    """Joins a list of tensors along the first axis; each vector becomes a row.

    >>> import msjit as ms
    >>> ms.ops.vstack([ms.Tensor([1, 2]), ms.Tensor([3, 4])]).asnumpy().tolist()
    [[1, 2], [3, 4]]
    """
    return _k.concat(_each("vstack", inputs, _two), 0)


def row_stack(tensors):
    """Joins a list of tensors along the first axis, after atleast_2d: vectors of n elements become rows, (number of vectors, n).

    Raises ValueError for sizes that differ, TypeError for anything but a list or tuple of Tensors.
    """
    return _k.concat(_each("row_stack", tensors, _two), 0)


def dstack(tensors):
    """Joins a list of tensors along the third axis, after atleast_3d: vectors of n elements give (1, n, number of vectors)."""
    return _k.concat(_each("dstack", tensors, _three), 2)


def column_stack(tensors):
    """Joins a list of tensors along the second axis; each vector becomes a column.

    >>> import msjit as ms
    >>> ms.ops.column_stack([ms.Tensor([1, 2]), ms.Tensor([3, 4])]).asnumpy().tolist()
    [[1, 3], [2, 4]]
    """
    return _k.concat([_k.reshape(item, (-1, 1)) if item.ndim < 2 else item for item in _each("column_stack", tensors, _one)], 1)


def block_diag(*inputs):
    """Builds a matrix with the given matrices one after another on its diagonal and zeros elsewhere.

    A vector counts as one row. Raises ValueError for an input of more than two axes.

    >>> import msjit as ms
    >>> ms.ops.block_diag(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([5])).asnumpy().tolist()
    [[1, 2, 0], [3, 4, 0], [0, 0, 5]]
    """
    for item in inputs:
        if _check(item, "block_diag").ndim > 2:
            raise ValueError("[block_diag] rank of an input, got %d, expected at most 2" % item.ndim)
    parts = [_two(item) for item in inputs]
    width, done, rows = sum(item.shape[1] for item in parts), 0, []
    for item in parts:
        rows.append(_k.pad(item, [0, done], [0, width - done - item.shape[1]], 0))
        done += item.shape[1]
    return _k.concat(rows, 0)


def cartesian_prod(*inputs):
    """Returns all ways to choose one element from each vector, one way in each row; the last vector's elements change fastest.

    >>> import msjit as ms
    >>> ms.ops.cartesian_prod(ms.Tensor([1, 2]), ms.Tensor([3, 4])).asnumpy().tolist()
    [[1, 3], [1, 4], [2, 3], [2, 4]]
    """
    for item in inputs:
        if _check(item, "cartesian_prod").ndim > 1:
            raise ValueError("[cartesian_prod] rank of an input, got %d, expected 1" % item.ndim)
    if len(inputs) == 1:
        return _k.reshape(inputs[0], (-1, 1))
    return _k.stack([_k.reshape(item, (-1,)) for item in _a.meshgrid(*inputs, indexing="ij")], -1)


def combinations(input, r=2, with_replacement=False):
    """Returns all ways to choose r elements of a vector, in its order, one way in each row; with_replacement may choose one repeatedly.

    Raises TypeError for an input that is no Tensor and for an r that is no int, ValueError for a negative r and for an input of another rank.

    >>> import msjit as ms
    >>> ms.ops.combinations(ms.Tensor([1, 2, 3])).asnumpy().tolist()
    [[1, 2], [1, 3], [2, 3]]
    """
    import itertools
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    if _check(input, "combinations").ndim != 1:
        raise ValueError("[combinations] rank of input, got %d, expected 1" % input.ndim)
    if _check_index(r, "combinations", "r") < 0:
        raise ValueError("[combinations] r, got %d, expected 0 or more" % r)
    places = list(choose(range(input.size), r))
    if not places:
        return _k.full((0, r), 0, input.dtype)
    return _k.gather(input, _Tensor(places, _mstype.int64), 0)


# -- splitting -------------------------------------------------------------------------------------------------------


def tensor_split(input, indices_or_sections, axis=0):
    """Splits a tensor along an axis into a tuple of parts.

    An int is the number of parts, of which the first ones may be longer by one; ValueError where it is below 1. A list or tuple
    holds the indices where to cut, TypeError for anything else.

    >>> import msjit as ms
    >>> [part.asnumpy().tolist() for part in ms.ops.tensor_split(ms.Tensor([1, 2, 3, 4, 5]), 2)]
    [[1, 2, 3], [4, 5]]
    """
    return _parts("tensor_split", input, indices_or_sections, axis)


def _parts(where, input, cuts, axis):
    axis = _check_axis(axis, _check(input, where).ndim, where)
    size = input.shape[axis]
    if _is_index(cuts):
        if cuts < 1:
            raise ValueError("[%s] number of parts must be positive, got %d" % (where, cuts))
        least, more = divmod(size, cuts)
        ends = [least * i + min(i, more) for i in range(1, cuts + 1)]
    else:
        cuts = _check_iterable(cuts, where, "indices_or_sections", "an int or a list of ints")
        cuts = [_check_int(cut, where, "an index where to cut") for cut in cuts]
        ends = [min(max(cut + size if cut < 0 else cut, 0), size) for cut in cuts] + [size]
    parts, begin = [], 0
    for end in ends:
        starts, stops = [0] * input.ndim, list(input.shape)
        starts[axis], stops[axis] = begin, max(begin, end)
        parts.append(_k.slice(input, starts, stops, [1] * input.ndim))
        begin = end
    return tuple(parts)


def hsplit(input, indices_or_sections):
    """Splits a tensor along its second axis (a vector along its only one), as tensor_split."""
    _check(input, "hsplit")
    return _parts("hsplit", input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input, indices_or_sections):
    """Splits a tensor along its first axis, as tensor_split."""
    return _parts("vsplit", input, indices_or_sections, 0)


def dsplit(input, indices_or_sections):
    """Splits a tensor along its third axis, as tensor_split."""
    return _parts("dsplit", input, indices_or_sections, 2)


# -- turning ---------------------------------------------------------------------------------------------------------


def rot90(input, k, dims):
    """Rotates k times by 90 degrees, from the first axis of `dims` towards the second; a negative k rotates back.

    Raises TypeError for an input that is no Tensor, a k that is no int and dims that are no ints, ValueError for other dims than two axes.

    >>> import msjit as ms
    >>> ms.ops.rot90(ms.Tensor([[1, 2], [3, 4]]), 1, [0, 1]).asnumpy().tolist()
    [[2, 4], [1, 3]]
    """
    _check(input, "rot90"), _check_index(k, "rot90", "k")
    axes = [_check_axis(dim, input.ndim, "rot90", "dim") for dim in _check_iterable(dims, "rot90", "dims")]
    if len(axes) != 2 or axes[0] == axes[1]:
        raise ValueError("[rot90] dims, got %s, expected two axes" % (tuple(dims),))
    k %= 4
    if k == 2:
        return _k.flip(input, list(dims))
    if k == 0:
        return input
    turned = _k.swapaxes(input, dims[0], dims[1])
    return _k.flip(turned, [dims[0] if k == 1 else dims[1]])


def fliplr(input):
    """Reverses the order along the second axis."""
    return _k.flip(input, [1])


def flipud(input):
    """Reverses the order along the first axis."""
    return _k.flip(input, [0])


def reverse(x, axis):
    """Reverses the order along an axis, an int, or along several, a tuple or list of ints; shape and dtype stay.

    Raises ValueError for an axis that x does not have and for one named twice, TypeError for axes that are no ints.
    """
    return _k.flip(x, list(axis) if isinstance(axis, (tuple, list)) else [axis])


def reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0):
    """Reverses the first seq_lengths[i] elements along seq_dim, separately for each index i of batch_dim; the others keep their places.

    seq_lengths is a Tensor of integers with one number for each index of batch_dim; shape and dtype of the result are those of x. Raises ValueError
    for another number of lengths and for axes that x does not have, IndexError for a length above the size of seq_dim.

    >>> import msjit as ms
    >>> ms.ops.reverse_sequence(ms.Tensor([[1, 2, 3], [4, 5, 6]]), ms.Tensor([2, 3]), 1).asnumpy().tolist()
    [[2, 1, 3], [6, 5, 4]]
    """
    rank = _check(x, "reverse_sequence").ndim
    seq_dim = _check_axis(seq_dim, rank, "reverse_sequence", "seq_dim")
    batch_dim = _check_axis(batch_dim, rank, "reverse_sequence", "batch_dim")
    if tuple(_check(seq_lengths, "reverse_sequence").shape) != (x.shape[batch_dim],):
        raise ValueError("[reverse_sequence] shape of seq_lengths, got %s, expected (%d,)" % (tuple(seq_lengths.shape), x.shape[batch_dim]))
    shape = [1] * rank
    shape[seq_dim] = x.shape[seq_dim]
    place = _k.reshape(_k.arange(0, x.shape[seq_dim], 1, _mstype.int64), shape)
    shape = [1] * rank
    shape[batch_dim] = x.shape[batch_dim]
    length = _k.reshape(_k.cast(seq_lengths, _mstype.int64), shape)
    index = _k.where(_k.less(place, length), length - 1 - place, place)
    try:
        return _k.gather_elements(x, _k.broadcast_to(index, x.shape), seq_dim)
    except _ERRORS as error:
        _rename(error, "reverse_sequence")
        raise


def ravel(input):
    """Flattens a tensor to a vector, in row order. Raises TypeError for an input that is no Tensor."""
    return _k.reshape(input, (-1,))


def expand(input_x, size):
    """Repeats axes of size 1 so that the result has the shape `size`, a tuple of ints or a Tensor; -1 keeps the size of an axis.

    More axes may come in front. Raises ValueError where a size other than 1 would change.
    """
    try:
        return _k.broadcast_to(input_x, tuple(int(i) for i in size) if isinstance(size, _Tensor) else size)
    except _ERRORS as error:
        _rename(error, "expand")
        raise


def expand_as(input, other):
    """Repeats axes of size 1, and adds axes in front, so that the result has the shape of `other`.

    Raises ValueError where the input does not broadcast to it, TypeError for an `other` that is no Tensor.
    """
    try:
        return _k.broadcast_to(input, _check(other, "expand_as").shape)
    except _ERRORS as error:
        _rename(error, "expand_as")
        raise


def view_as(input, other):
    """Reshapes a tensor to the shape of `other`. Raises ValueError for another number of elements, TypeError for anything but Tensors."""
    return _k.reshape(input, _check(other, "view_as").shape)


def type_as(input, other):
    """Converts a tensor to the dtype of `other`."""
    return _k.cast(input, _check(other, "type_as").dtype)


def fills(x, value):
    """Creates a tensor with the shape and dtype of x and every element equal to value, a number or a Tensor of one element."""
    value = value.item() if isinstance(value, _Tensor) else value
    _check(x, "fills")
    return _k.full(x.shape, value, x.dtype)


def adjoint(x):
    """Exchanges the last two axes, and takes the conjugates of complex numbers."""
    swapped = _k.swapaxes(x, -1, -2)
    return _k.conj(swapped) if swapped.dtype in _mstype.complex_type else swapped


# -- masks -----------------------------------------------------------------------------------------------------------


def sequence_mask(lengths, maxlen=None):
    """Turns lengths into masks: a new last axis of size maxlen (by default the greatest length) that is true below the length.

    Raises TypeError for lengths that are not integers.

    >>> import msjit as ms
    >>> ms.ops.sequence_mask(ms.Tensor([1, 3])).asnumpy().tolist()
    [[True, False, False], [True, True, True]]
    """
    if _check(lengths, "sequence_mask").dtype not in _mstype.int_type + _mstype.uint_type:
        raise TypeError("[sequence_mask] dtype of lengths, got %s, expected an integer" % (lengths.dtype,))
    width = int(_k.max(lengths)) if maxlen is None else maxlen
    return _k.less(_k.arange(0, width, 1, _mstype.int64), _k.expand_dims(lengths, -1))


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
