"""Creation, shape and indexing functions under MindSpore's names and argument orders."""
import builtins

from ..common import dtype as mstype
from ..common.tensor import Tensor
from . import registry as _k

select = _k.where
cat = _k.concat
permute = _k.transpose


def _sizes(size):
    return (size,) if isinstance(size, int) else tuple(size)


# -- creation --------------------------------------------------------------------------------------------------------


def full(size, fill_value, *, dtype=None):
    """A tensor of one value."""
    if dtype is None:
        kind = type(fill_value)
        dtype = mstype.bool_ if kind is bool else mstype.int64 if kind is int else mstype.float32
    return _k.full(_sizes(size), fill_value, dtype)


def zeros(size, dtype=None):
    """A tensor of zeros."""
    return _k.full(_sizes(size), 0, mstype.float32 if dtype is None else dtype)


def ones(shape, dtype=None):
    """A tensor of ones."""
    return _k.full(_sizes(shape), 1, mstype.float32 if dtype is None else dtype)


def fill(type, shape, value):
    """A tensor of one value: ops.fill(dtype, shape, value)."""
    return _k.full(_sizes(shape), value, type)


def full_like(input, fill_value, *, dtype=None):
    """A tensor of one value in the shape of another."""
    return _k.full(input.shape, fill_value, input.dtype if dtype is None else dtype)


def zeros_like(input, *, dtype=None):
    """Zeros in the shape of another tensor."""
    return _k.full(input.shape, 0, input.dtype if dtype is None else dtype)


def ones_like(input, *, dtype=None):
    """Ones in the shape of another tensor."""
    return _k.full(input.shape, 1, input.dtype if dtype is None else dtype)


def arange(start=0, end=None, step=1, *, dtype=None):
    """Numbers from start to end (exclusive): int64 unless an argument is a float."""
    if end is None:
        start, end = 0, start
    if dtype is None:
        floats = isinstance(start, float) or isinstance(end, float) or isinstance(step, float)
        dtype = mstype.float32 if floats else mstype.int64
    return _k.arange(start, end, step, dtype)


def range(start, end, step, maxlen=1000000):
    """As arange."""
    return arange(start, end, step)


def linspace(start, end, steps):
    """`steps` numbers from start to end (inclusive)."""
    if steps < 1:
        raise ValueError("[linspace] steps must be positive, got %d" % steps)
    if steps == 1:
        return full((1,), float(start))
    return _k.arange(0, steps, 1, mstype.float32) * ((end - start) / (steps - 1)) + start


def eye(n, m=None, dtype=mstype.float32):
    """Ones on the diagonal."""
    return _k.eye(n, n if m is None else m, dtype)


# -- shapes ----------------------------------------------------------------------------------------------------------


def shape(input_x):
    """The sizes, a tuple."""
    return input_x.shape


def rank(input_x):
    """The number of axes, as a Tensor."""
    return Tensor(input_x.ndim)


def size(input_x):
    """The number of elements."""
    return input_x.size


def numel(input):
    """The number of elements."""
    return input.size


def unsqueeze(input, dim):
    """Adds an axis of size 1."""
    return _k.expand_dims(input, dim)


def squeeze(input, axis=None):
    """Removes axes of size 1: all, or the given ones."""
    return _k.squeeze(input, axis)


def flatten(input, order="C", *, start_dim=1, end_dim=-1):
    """Joins axes."""
    if order != "C":
        raise ValueError("[flatten] order, got %r, expected 'C'" % (order,))
    return _k.flatten(input, start_dim, end_dim)


def swapdims(input, dim0, dim1):
    """Exchanges two axes."""
    return _k.swapaxes(input, dim0, dim1)


def t(input):
    """Transposed matrix."""
    return _k.swapaxes(input, 0, 1) if input.ndim == 2 else input


def movedim(x, source, destination):
    """Moves one axis."""
    order = [i for i in _py_range(x.ndim) if i != source % x.ndim]
    order.insert(destination % x.ndim, source % x.ndim)
    return _k.transpose(x, tuple(order))


_py_range = builtins.range


def split(tensor, split_size_or_sections, axis=0):
    """Parts of equal size (an int: the size of one), or of the given sizes."""
    length = tensor.shape[axis]
    if isinstance(split_size_or_sections, int):
        part = split_size_or_sections
        if part <= 0:
            raise ValueError("[split] size of a part must be positive, got %d" % part)
        sections = [part] * (length // part)
        if length % part:
            sections.append(length % part)
    else:
        sections = list(split_size_or_sections)
    return tuple(_k.split(tensor, sections, axis))


def chunk(input, chunks, axis=0):
    """At most `chunks` parts of equal size."""
    if chunks <= 0:
        raise ValueError("[chunk] chunks must be positive, got %d" % chunks)
    return split(input, max(1, -(-input.shape[axis] // chunks)), axis)


def unbind(input, dim=0):
    """Slices along an axis, as a tuple."""
    return tuple(_k.unstack(input, dim))


def unstack(input_x, axis=0):
    """Slices along an axis, as a tuple."""
    return tuple(_k.unstack(input_x, axis))


def narrow(input, axis, start, length):
    """`length` elements from `start` on, along an axis."""
    begin, end = [0] * input.ndim, list(input.shape)
    axis %= input.ndim
    if not 0 <= start <= start + length <= end[axis]:
        raise ValueError("[narrow] range out of bounds, got start %d and length %d, expected within %d"
                         % (start, length, end[axis]))
    begin[axis], end[axis] = start, start + length
    return _k.slice(input, begin, end, [1] * input.ndim)


def slice(input_x, begin, size):
    """`size` elements from `begin` on, along every axis; size -1 means to the end."""
    end = [b + s if s != -1 else n for b, s, n in zip(begin, size, input_x.shape)]
    return _k.slice(input_x, list(begin), end, [1] * input_x.ndim)


def pad(input_x, padding, mode="constant", value=None):
    """Pads the last axes: padding is (left, right) of the last axis, then of the one before, and so on."""
    if mode != "constant":
        raise NotImplementedError("[pad] mode, got %r, expected 'constant'" % (mode,))
    if len(padding) % 2 or len(padding) > 2 * input_x.ndim:
        raise ValueError("[pad] padding must be pairs for at most %d axes, got %d numbers"
                         % (input_x.ndim, len(padding)))
    before, after = [0] * input_x.ndim, [0] * input_x.ndim
    for i in _py_range(len(padding) // 2):
        before[-1 - i], after[-1 - i] = padding[2 * i], padding[2 * i + 1]
    return _k.pad(input_x, before, after, 0.0 if value is None else value)


def repeat_elements(x, rep, axis=0):
    """Each element `rep` times in a row."""
    return _k.repeat_interleave(x, rep, axis)


def diagonal(input, offset=0, dim1=0, dim2=1):
    """The diagonals of the matrices along two axes, as the last axis."""
    rank = input.ndim
    for dim in (dim1, dim2):
        if not -rank <= dim < rank:
            raise ValueError("[diagonal] dim, got %d, expected one in [%d, %d)" % (dim, -rank, rank))
    dim1, dim2 = dim1 % rank, dim2 % rank
    if dim1 == dim2:
        raise ValueError("[diagonal] dim1 and dim2, got %d for both, expected two axes" % dim1)
    lead = [i for i in builtins.range(rank) if i not in (dim1, dim2)]
    if lead or dim1 > dim2:
        input = _k.transpose(input, lead + [dim1, dim2])
    lead, (rows, cols) = tuple(input.shape[:-2]), input.shape[-2:]
    length = min(rows + min(offset, 0), cols - max(offset, 0))
    if length <= 0:
        return _k.full(lead + (0,), 0, input.dtype)
    first = max(offset, 0) + max(-offset, 0) * cols
    index = _k.arange(0, length, 1, mstype.int64) * (cols + 1) + first
    return _k.gather(_k.reshape(input, lead + (rows * cols,)), index, rank - 2)


# -- indexing --------------------------------------------------------------------------------------------------------


def gather(input_params, input_indices, axis, batch_dims=0):
    """Slices of `input_params` along an axis, by index."""
    if batch_dims:
        raise NotImplementedError("[gather] batch_dims, got %d, expected 0" % batch_dims)
    return _k.gather(input_params, input_indices, axis)


def index_select(input, axis, index):
    """Slices along an axis, by index."""
    return _k.gather(input, index, axis)


def masked_fill(input_x, mask, value):
    """`value` where `mask` is true."""
    return _k.where(mask, value, input_x)


def one_hot(indices, depth, on_value=1, off_value=0, axis=-1):
    """Rows with on_value at the index and off_value elsewhere; int64 for plain numbers, else of their dtype."""
    if isinstance(on_value, Tensor) or isinstance(off_value, Tensor):
        hot = _k.cast(_k.one_hot(indices, depth, 1, 0, axis, mstype.int32), mstype.bool_)
        return _k.where(hot, on_value, off_value)
    floats = isinstance(on_value, float) or isinstance(off_value, float)
    return _k.one_hot(indices, depth, on_value, off_value, axis, mstype.float32 if floats else mstype.int64)


def nonzero(input, as_tuple=False):
    """Indices of the elements that are not zero."""
    import numpy
    found = numpy.nonzero(input.asnumpy())
    if as_tuple:
        return tuple(Tensor(index.astype(numpy.int64)) for index in found)
    return Tensor(numpy.stack(found, -1).astype(numpy.int64))


def meshgrid(*inputs, indexing="xy"):
    """Coordinate tensors of a grid."""
    import numpy
    return tuple(Tensor(a) for a in numpy.meshgrid(*[i.asnumpy() for i in inputs], indexing=indexing))


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and name not in ("mstype", "Tensor") and callable(value)]
