"""Functions that join, split, turn and rearrange tensors, under MindSpore's names and argument orders."""
import builtins as _b

from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import array_func as _a
from . import registry as _k

moveaxis = _a.movedim


# -- joining ---------------------------------------------------------------------------------------------------------


def _each(tensors, least):
    if not isinstance(tensors, (tuple, list)):
        raise TypeError("[atleast] tensors, got %s, expected a list of Tensors" % type(tensors).__name__)
    return [least(_check(item, "atleast")) for item in tensors]


def _one(x):
    return _k.reshape(x, (1,)) if x.ndim == 0 else x


def _two(x):
    return _k.reshape(x, (1, -1)) if x.ndim < 2 else x


def _three(x):
    if x.ndim < 2:
        return _k.reshape(x, (1, -1, 1))
    return _k.expand_dims(x, 2) if x.ndim == 2 else x


def _atleast(inputs, least):
    return least(inputs) if isinstance(inputs, _Tensor) else tuple(_each(inputs, least))


def atleast_1d(inputs):
    """A tensor, or each of several, with at least one axis."""
    return _atleast(inputs, _one)


def atleast_2d(inputs):
    """A tensor, or each of several, with at least two axes, new ones in front."""
    return _atleast(inputs, _two)


def atleast_3d(inputs):
    """A tensor, or each of several, with at least three axes."""
    return _atleast(inputs, _three)


def hstack(tensors):
    """Joined along the second axis, vectors along their one."""
    parts = _each(tensors, _one)
    return _k.concat(parts, 0 if parts[0].ndim == 1 else 1)


def vstack(inputs):
    """Joined along the first axis, vectors as rows."""
    return _k.concat(_each(inputs, _two), 0)



def row_stack(tensors):
    """As vstack."""
    return vstack(tensors)


def dstack(tensors):
    """Joined along the third axis."""
    return _k.concat(_each(tensors, _three), 2)


def column_stack(tensors):
    """Joined along the second axis, vectors as columns."""
    return _k.concat([_k.reshape(item, (-1, 1)) if item.ndim < 2 else item for item in _each(tensors, _one)], 1)


def block_diag(*inputs):
    """Matrices one after another on the diagonal of a great one, zeros elsewhere."""
    parts = [_two(_check(item, "block_diag")) for item in inputs]
    width, done, rows = _b.sum(item.shape[1] for item in parts), 0, []
    for item in parts:
        rows.append(_k.pad(item, [0, done], [0, width - done - item.shape[1]], 0))
        done += item.shape[1]
    return _k.concat(rows, 0)


def cartesian_prod(*inputs):
    """All choices of one element from each vector, one row each."""
    if len(inputs) == 1:
        return _k.reshape(inputs[0], (-1, 1))
    return _k.stack([_k.reshape(item, (-1,)) for item in _a.meshgrid(*inputs, indexing="ij")], -1)


def combinations(input, r=2, with_replacement=False):
    """All choices of r elements of a vector, one row each."""
    import itertools
    choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
    _check(input, "combinations")
    places = _b.list(choose(_b.range(input.size), r))
    if not places:
        return _k.full((0, r), 0, input.dtype)
    return _k.gather(input, _Tensor(places, _mstype.int64), 0)


# -- splitting -------------------------------------------------------------------------------------------------------


def tensor_split(input, indices_or_sections, axis=0):
    """Parts along an axis: so many, the first ones longer by one where need be, or those between the given places."""
    axis, = _a._axes(axis, _check(input, "tensor_split").ndim)
    size = input.shape[axis]
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1:
            raise ValueError("[tensor_split] number of parts must be positive, got %d" % indices_or_sections)
        least, more = divmod(size, indices_or_sections)
        lengths = [least + (i < more) for i in _b.range(indices_or_sections)]
        ends = [_b.sum(lengths[:i + 1]) for i in _b.range(len(lengths))]
    else:
        ends = [min(_b.max(i + size if i < 0 else i, 0), size) for i in indices_or_sections] + [size]
    parts, begin = [], 0
    for end in ends:
        starts, stops = [0] * input.ndim, _b.list(input.shape)
        starts[axis], stops[axis] = begin, _b.max(begin, end)
        parts.append(_k.slice(input, starts, stops, [1] * input.ndim))
        begin = end
    return tuple(parts)


def hsplit(input, indices_or_sections):
    """Parts along the second axis, of vectors along their one."""
    _check(input, "hsplit")
    return tensor_split(input, indices_or_sections, 0 if input.ndim == 1 else 1)


def vsplit(input, indices_or_sections):
    """Parts along the first axis."""
    return tensor_split(input, indices_or_sections, 0)


def dsplit(input, indices_or_sections):
    """Parts along the third axis."""
    return tensor_split(input, indices_or_sections, 2)


# -- turning ---------------------------------------------------------------------------------------------------------


def rot90(input, k, dims):
    """Turned k times by 90 degrees from the first axis of `dims` towards the second."""
    _check(input, "rot90")
    if len(dims) != 2 or not input.ndim or dims[0] % input.ndim == dims[1] % input.ndim:
        raise ValueError("[rot90] dims, got %s, expected two axes" % (tuple(dims),))
    k %= 4
    if k == 2:
        return _k.flip(input, _b.list(dims))
    if k == 0:
        return input
    turned = _k.swapaxes(input, dims[0], dims[1])
    return _k.flip(turned, [dims[0] if k == 1 else dims[1]])


def fliplr(input):
    """In reverse order along the second axis."""
    return _k.flip(input, [1])


def flipud(input):
    """In reverse order along the first axis."""
    return _k.flip(input, [0])


def reverse(x, axis):
    """In reverse order along axes."""
    return _k.flip(x, _b.list(axis) if isinstance(axis, (tuple, list)) else [axis])


def reverse_sequence(x, seq_lengths, seq_dim, batch_dim=0):
    """The first seq_lengths[i] elements along seq_dim in reverse order, for each i of batch_dim."""
    _check(x, "reverse_sequence")
    shape = [1] * x.ndim
    shape[seq_dim] = x.shape[seq_dim]
    place = _k.reshape(_k.arange(0, x.shape[seq_dim], 1, _mstype.int64), shape)
    shape = [1] * x.ndim
    shape[batch_dim] = x.shape[batch_dim]
    length = _k.reshape(_k.cast(seq_lengths, _mstype.int64), shape)
    index = _k.where(_k.less(place, length), length - 1 - place, place)
    return _k.gather_elements(x, _k.broadcast_to(index, x.shape), seq_dim)


def ravel(input):
    """All elements, one after another."""
    return _k.reshape(input, (-1,))


def expand(input_x, size):
    """Repeats axes of size 1 up to a shape; -1 keeps a size."""
    return _k.broadcast_to(input_x, tuple(int(i) for i in size) if isinstance(size, _Tensor) else size)


def expand_as(input, other):
    """Repeats axes of size 1 up to the shape of another tensor."""
    return _k.broadcast_to(input, _check(other, "expand_as").shape)


def view_as(input, other):
    """The same elements in the shape of another tensor."""
    return _k.reshape(input, _check(other, "view_as").shape)


def type_as(input, other):
    """Converted to the dtype of another tensor."""
    return _k.cast(input, _check(other, "type_as").dtype)


def fills(x, value):
    """One value in the shape and dtype of another tensor."""
    value = value.item() if isinstance(value, _Tensor) else value
    _check(x, "fills")
    return _k.full(x.shape, value, x.dtype)


def adjoint(x):
    """The last two axes exchanged, of complex numbers their conjugates."""
    swapped = _k.swapaxes(x, -1, -2)
    return _k.conj(swapped) if swapped.dtype in _mstype.complex_type else swapped


# -- diagonals and triangles -----------------------------------------------------------------------------------------


def trace(input):
    """Sum of the diagonal of a matrix."""
    if _check(input, "trace").ndim != 2:
        raise ValueError("[trace] input must be a matrix, got %d axes" % input.ndim)
    return _k.cast(_k.sum(_a.diagonal(input)), input.dtype)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices with the last axis on their diagonals, on the axes dim1 and dim2 of the result."""
    rank = _check(input, "diag_embed").ndim + 1
    for dim in (dim1, dim2):
        if not -rank <= dim < rank:
            raise ValueError("[diag_embed] dim, got %d, expected one in [%d, %d)" % (dim, -rank, rank))
    first, second = dim1 % rank, dim2 % rank
    if first == second:
        raise ValueError("[diag_embed] dim1 and dim2, got %d for both, expected two axes" % first)
    size = input.shape[-1] + abs(offset)
    eye = _k.eye(size, size, input.dtype)
    rows = _k.pad(input, [0] * (rank - 2) + [_b.max(-offset, 0)], [0] * (rank - 2) + [_b.max(offset, 0)], 0)
    out = _k.expand_dims(rows, -1) * (_k.roll(eye, offset, 1) if offset else eye)
    order = [i for i in _b.range(rank) if i not in (first, second)]
    order += [first, second]
    return _k.transpose(out, [order.index(i) for i in _b.range(rank)])


def diagflat(input, offset=0):
    """The square matrix with all elements on a diagonal."""
    return diag_embed(_k.reshape(input, (-1,)), offset)


def tril_indices(row, col, offset=0, *, dtype=_mstype.int64):
    """(rows, columns) of the lower triangle of a matrix, as a tensor of two rows."""
    return _triangle([(i, j) for i in _b.range(row) for j in _b.range(min(_b.max(i + offset + 1, 0), col))], dtype)


def triu_indices(row, col, offset=0, *, dtype=_mstype.int64):
    """(rows, columns) of the upper triangle of a matrix, as a tensor of two rows."""
    return _triangle([(i, j) for i in _b.range(row) for j in _b.range(_b.max(i + offset, 0), col)], dtype)


def _triangle(pairs, dtype):
    if not pairs:
        return _k.full((2, 0), 0, dtype)
    return _Tensor([[i for i, _ in pairs], [j for _, j in pairs]], dtype)


def matrix_band_part(x, lower, upper):
    """Matrices with zeros more than `lower` below and `upper` above the diagonal; a negative number keeps all on that side."""
    lower, upper = int(lower), int(upper)
    x = x if lower < 0 else _k.triu(x, -lower)
    return x if upper < 0 else _k.tril(x, upper)


def sequence_mask(lengths, maxlen=None):
    """Rows that are true in their first places, as many as `lengths` says."""
    width = int(_k.max(lengths)) if maxlen is None else maxlen
    return _k.less(_k.arange(0, width, 1, _mstype.int64), _k.expand_dims(lengths, -1))


# -- blocks ----------------------------------------------------------------------------------------------------------


def pixel_shuffle(input, upscale_factor):
    """(..., C r r, H, W) as (..., C, H r, W r)."""
    r = upscale_factor
    _check(input, "pixel_shuffle")
    lead, (channels, height, width) = _b.list(input.shape[:-3]), input.shape[-3:]
    if input.ndim < 3 or channels % (r * r):
        raise ValueError("[pixel_shuffle] channels must be a multiple of %d, got shape %s" % (r * r, tuple(input.shape)))
    n = len(lead)
    x = _k.reshape(input, lead + [channels // (r * r), r, r, height, width])
    x = _k.transpose(x, _b.list(_b.range(n)) + [n, n + 3, n + 1, n + 4, n + 2])
    return _k.reshape(x, lead + [channels // (r * r), height * r, width * r])


def pixel_unshuffle(input, downscale_factor):
    """(..., C, H r, W r) as (..., C r r, H, W)."""
    r = downscale_factor
    _check(input, "pixel_unshuffle")
    lead, (channels, height, width) = _b.list(input.shape[:-3]), input.shape[-3:]
    if input.ndim < 3 or height % r or width % r:
        raise ValueError("[pixel_unshuffle] height and width must be multiples of %d, got shape %s"
                         % (r, tuple(input.shape)))
    n = len(lead)
    x = _k.reshape(input, lead + [channels, height // r, r, width // r, r])
    x = _k.transpose(x, _b.list(_b.range(n)) + [n, n + 2, n + 4, n + 1, n + 3])
    return _k.reshape(x, lead + [channels * r * r, height // r, width // r])


def channel_shuffle(x, groups):
    """Channels (axis 1) of all groups in turn: the first of each, the second of each, ..."""
    _check(x, "channel_shuffle")
    if groups < 1 or x.ndim < 3 or x.shape[1] % groups:
        raise ValueError("[channel_shuffle] channels must be a multiple of %d, got shape %s" % (groups, tuple(x.shape)))
    parts = _k.reshape(x, [x.shape[0], groups, x.shape[1] // groups] + _b.list(x.shape[2:]))
    return _k.reshape(_k.swapaxes(parts, 1, 2), x.shape)


def _blocks(where, sizes, count):
    sizes = (sizes,) * count if isinstance(sizes, int) else tuple(sizes)
    if any(size < 1 for size in sizes):
        raise ValueError("[%s] sizes of blocks, got %s, expected 1 or more" % (where, sizes))
    return sizes


def space_to_batch_nd(input_x, block_size, paddings):
    """Blocks of the last axes, after padding, moved into the first one."""
    axes, blocks = len(paddings), _blocks("space_to_batch_nd", block_size, len(paddings))
    _check(input_x, "space_to_batch_nd")
    first = input_x.ndim - axes
    before, after = [0] * first + [p[0] for p in paddings], [0] * first + [p[1] for p in paddings]
    x = _k.pad(input_x, before, after, 0)
    sizes = [s // b for s, b in zip(x.shape[first:], blocks)]
    split = _k.reshape(x, _b.list(x.shape[:first]) + [n for pair in zip(sizes, blocks) for n in pair])
    order = [first + 2 * i + 1 for i in _b.range(axes)] + _b.list(_b.range(first))
    order += [first + 2 * i for i in _b.range(axes)]
    return _k.reshape(_k.transpose(split, order), [-1] + _b.list(x.shape[1:first]) + sizes)


def batch_to_space_nd(input_x, block_shape, crops):
    """The reverse of space_to_batch_nd: parts of the first axis moved into blocks of the last ones, which are cropped."""
    axes, blocks = len(crops), _blocks("batch_to_space_nd", block_shape, len(crops))
    _check(input_x, "batch_to_space_nd")
    first, total = input_x.ndim - axes, 1
    for b in blocks:
        total *= b
    split = _k.reshape(input_x, _b.list(blocks) + [input_x.shape[0] // total] + _b.list(input_x.shape[1:]))
    order = _b.list(_b.range(axes, axes + first))
    for i in _b.range(axes):
        order += [axes + first + i, i]
    sizes = [s * b for s, b in zip(input_x.shape[first:], blocks)]
    x = _k.reshape(_k.transpose(split, order), [input_x.shape[0] // total] + _b.list(input_x.shape[1:first]) + sizes)
    begin = [0] * first + [c[0] for c in crops]
    end = _b.list(x.shape[:first]) + [s - c[1] for s, c in zip(x.shape[first:], crops)]
    return _k.slice(x, begin, end, [1] * x.ndim)


__all__ = [name for name, value in _b.list(globals().items()) if name[0] != "_" and callable(value)]
