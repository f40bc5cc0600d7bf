"""Functions that create tensors and change their shapes, under MindSpore's names and argument orders."""
import builtins

from ..common import dtype as mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_int as _check_int
from ..common.checks import check_numeric as _check_numeric
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor, check_tensor
from . import registry as _k
from .argument_kinds import check_sized as _check_sized

select = _k.where
cat = _k.concat
permute = _k.transpose


def _sizes(size):
    try:
        return (size,) if isinstance(size, int) else tuple(size)
    except TypeError:
        if hasattr(type(size), "__iter__"):
            raise
    raise TypeError("[full] shape, got %s, expected an int or a tuple of ints" % type(size).__name__)


# -- creation --------------------------------------------------------------------------------------------------------


def full(size, fill_value, *, dtype=None):
    """Creates a tensor of the given size with every element equal to fill_value, a number or a Tensor of one element.

    Without dtype, a Tensor gives its own dtype, an int int64, a bool bool_, a float float32 and a complex number complex64.
    """
    if isinstance(fill_value, Tensor):
        return fill(fill_value.dtype if dtype is None else dtype, size, fill_value)
    if dtype is None:
        kind = type(fill_value)
        dtype = {bool: mstype.bool_, int: mstype.int64, complex: mstype.complex64}.get(kind, mstype.float32)
    return _filled(_sizes(size), fill_value, dtype)


def _filled(shape, value, dtype):
    if isinstance(value, complex):
        return _k.broadcast_to(Tensor(value, dtype), shape)
    return _k.full(shape, value, dtype)


def zeros(size, dtype=None):
    """Creates a tensor of zeros of the shape `size`, an int, a tuple of ints or a Tensor of ints; dtype is float32 by default.

    Raises ValueError for a negative size, TypeError for another kind of size.
    """
    try:
        return _k.full(_sizes(size), 0, mstype.float32 if dtype is None else dtype)
    except _ERRORS as error:
        _rename(error, "zeros")
        raise


def ones(shape, dtype=None):
    """Creates a tensor of ones of the given shape, an int, a tuple of ints or a Tensor of ints; dtype is float32 by default.

    Raises ValueError for a negative size, TypeError for another kind of shape.
    """
    try:
        return _k.full(_sizes(shape), 1, mstype.float32 if dtype is None else dtype)
    except _ERRORS as error:
        _rename(error, "ones")
        raise


def fill(type, shape, value):
    """Creates a tensor of dtype `type` and the given shape with every element equal to value, a number or a Tensor of one element.

    A float becomes an integer by dropping its fraction. Raises ValueError for a negative size and for a Tensor of several elements.
    """
    if isinstance(value, Tensor):
        return _k.broadcast_to(_k.reshape(_k.cast(value, type), ()), _sizes(shape))
    return _k.full(_sizes(shape), value, type)


def full_like(input, fill_value, *, dtype=None):
    """Creates a tensor of the shape of `input` with every element equal to fill_value, a number; dtype is that of `input` by default.

    A float becomes an integer by dropping its fraction. Raises TypeError for an `input` that is no Tensor, and for another fill_value.
    """
    check_tensor(input, "full_like")
    if isinstance(fill_value, complex):
        return _filled(tuple(input.shape), fill_value, input.dtype if dtype is None else dtype)
    return _k.full_like(input, fill_value, dtype)


def zeros_like(input, *, dtype=None):
    """Creates a tensor of zeros with the shape of `input`; dtype is that of `input` by default. Raises TypeError unless `input` is a Tensor.

    >>> import msjit as ms
    >>> ms.ops.zeros_like(ms.Tensor([1, 2])).asnumpy().tolist()
    [0, 0]
    """
    check_tensor(input, "zeros_like")
    return _k.zeros_like(input, dtype)


def ones_like(input, *, dtype=None):
    """Creates a tensor of ones with the shape of `input`; dtype is that of `input` by default. Raises TypeError unless `input` is a Tensor.

    >>> import msjit as ms
    >>> ms.ops.ones_like(ms.Tensor([1, 2]), dtype=ms.float32).asnumpy().tolist()
    [1.0, 1.0]
    """
    check_tensor(input, "ones_like")
    return _k.ones_like(input, dtype)


def arange(start=0, end=None, step=1, *, dtype=None):
    """Creates a vector of numbers from start (0 by default) to end (exclusive), step apart.

    Without dtype, it is float32 where start, end or step is a float, else int64. Raises ValueError where step leads away
    from end.
    """
    if end is None:
        start, end = 0, start
    if dtype is None:
        floats = isinstance(start, float) or isinstance(end, float) or isinstance(step, float)
        dtype = mstype.float32 if floats else mstype.int64
    for bound in (start, end, step):
        _check_numeric(bound, "arange", "a bound or the step")
    if step != 0 and (end - start) * step < 0:
        raise ValueError("[arange] step leads away from the end, got start %s, end %s and step %s" % (start, end, step))
    return _k.arange(start, end, step, dtype)


def range(start, end, step, maxlen=1000000):
    """Creates a vector start, start + step, ... below end, as arange does; maxlen is ignored. Ints give int64, a float among them float32.

    Raises ValueError for a step of 0 and for one that leads away from end.
    """
    return arange(start, end, step)


def linspace(start, end, steps):
    """Creates a float32 vector of `steps` evenly spaced numbers from start to end, both included; one step gives start alone.

    start and end are numbers or Tensors of one element. Raises ValueError for steps below 1, TypeError for steps that are no int.
    """
    if _check_int(steps, "linspace", "steps") < 1:
        raise ValueError("[linspace] steps must be positive, got %d" % steps)
    _check_numeric(start, "linspace", "start"), _check_numeric(end, "linspace", "end")
    if steps == 1:
        return full((1,), float(start))
    return _k.arange(0, steps, 1, mstype.float32) * ((end - start) / (steps - 1)) + start


def eye(n, m=None, dtype=mstype.float32):
    """Creates an (n, m) matrix with ones on the diagonal and zeros elsewhere; m is n and dtype is float32 by default.

    Raises ValueError for a negative size, TypeError for one that is no int.
    """
    return _k.eye(n, n if m is None else m, mstype.float32 if dtype is None else dtype)


# -- shapes ----------------------------------------------------------------------------------------------------------


def shape(input_x):
    """Returns the shape of a tensor, a tuple with the size of each axis, as ints; () for a tensor without axes.

    Raises TypeError for anything but a Tensor.
    """
    return check_tensor(input_x, "shape").shape


def rank(input_x):
    """Returns the number of axes of a tensor, an int; 0 for one without axes. Raises TypeError for anything but a Tensor.

    >>> import msjit as ms
    >>> ms.ops.rank(ms.ops.ones((2, 3)))
    2
    """
    return check_tensor(input_x, "rank").ndim


def size(input_x):
    """Returns the number of elements of a tensor, an int. Raises TypeError for an input that is no Tensor."""
    return check_tensor(input_x, "size").size


def numel(input):
    """Returns the number of elements of a tensor, an int. Raises TypeError for an input that is no Tensor."""
    return check_tensor(input, "numel").size


def unsqueeze(input, dim):
    """Inserts an axis of size 1 at position dim; -1 means behind the last axis. Raises ValueError for a position that there is not.

    >>> import msjit as ms
    >>> ms.ops.unsqueeze(ms.ops.zeros((2, 3), ms.float32), 1).shape
    (2, 1, 3)
    """
    try:
        return _k.expand_dims(input, dim)
    except _ERRORS as error:
        _rename(error, "unsqueeze")
        raise


def squeeze(input, axis=None):
    """Removes axes of size 1: all of them, or only the given ones, an int or a tuple of ints.

    A given axis of another size stays. Raises ValueError for an axis that the input does not have.

    >>> import msjit as ms
    >>> ms.ops.squeeze(ms.ops.zeros((1, 3, 1), ms.float32), 0).shape
    (3, 1)
    """
    return _k.squeeze(input, axis)


def flatten(input, order="C", *, start_dim=1, end_dim=-1):
    """Joins the axes from start_dim to end_dim into one; order 'F' first reverses the order of all axes.

    A tensor of fewer than two axes becomes a vector.
    """
    if order not in ("C", "F"):
        raise ValueError("[flatten] order, got %r, expected 'C' or 'F'" % (order,))
    if check_tensor(input, "flatten").ndim < 2:
        return _k.reshape(input, (-1,))
    return _k.flatten(_k.transpose(input, tuple(_py_range(input.ndim - 1, -1, -1))) if order == "F" else input, start_dim,
                      end_dim)


def swapdims(input, dim0, dim1):
    """Exchanges two axes, counted from the end if negative. Raises ValueError for an axis that the input does not have."""
    return _k.swapaxes(input, dim0, dim1)


def t(input):
    """Transposes a matrix, (n, m) to (m, n); a tensor of another number of axes is returned as it is."""
    check_tensor(input, "t")
    return _k.swapaxes(input, 0, 1) if input.ndim == 2 else input


def movedim(x, source, destination):
    """Moves the axes `source` (an int or several) to the positions `destination`; the other axes keep their order."""
    check_tensor(x, "movedim")
    sources, targets = _axes("movedim", source, x.ndim), _axes("movedim", destination, x.ndim)
    if len(sources) != len(targets) or len(set(sources)) != len(sources) or len(set(targets)) != len(targets):
        raise ValueError("[movedim] source and destination must be equally many axes, each list without repeats, got %s and %s" % (source, destination))
    order = [i for i in _py_range(x.ndim) if i not in sources]
    for target, axis in sorted(zip(targets, sources)):
        order.insert(target, axis)
    return _k.transpose(x, tuple(order))


def _axes(where, axes, rank):
    return [_check_axis(axis, rank, where) for axis in (axes if isinstance(axes, (tuple, list)) else (axes,))]


_py_range = builtins.range


def split(tensor, split_size_or_sections, axis=0):
    """Splits a tensor along an axis into a tuple of parts.

    An int is the size of each part (the last one may be smaller); a list or tuple names the size of every part.
    """
    check_tensor(tensor, "split")
    length = tensor.shape[_check_axis(axis, tensor.ndim, "split")]
    if not isinstance(split_size_or_sections, (list, tuple)):
        part = _check_int(split_size_or_sections, "split", "size of a part")
        if part <= 0:
            raise ValueError("[split] size of a part must be positive, got %d" % part)
        sections = [part] * (length // part)
        if length % part or not length:  # an empty tensor is one part
            sections.append(length % part)
        sections = sections or [0]  # nothing, in one part
    else:
        sections = [_check_int(size, "split", "size of a part") for size in split_size_or_sections]
    return tuple(_k.split(tensor, sections, axis))


def chunk(input, chunks, axis=0):
    """Splits a tensor along an axis into at most `chunks` parts of equal size, a tuple; the last one may be smaller.

    Raises ValueError for chunks below 1 and for an axis that the input does not have.

    >>> import msjit as ms
    >>> [part.shape for part in ms.ops.chunk(ms.ops.zeros((5, 2), ms.float32), 2)]
    [(3, 2), (2, 2)]
    """
    if _check_int(chunks, "chunk", "chunks") <= 0:
        raise ValueError("[chunk] chunks must be positive, got %d" % chunks)
    axis = _check_axis(axis, check_tensor(input, "chunk").ndim, "chunk")
    return split(input, max(1, -(-input.shape[axis] // chunks)), axis)


def unbind(input, dim=0):
    """Splits a tensor along an axis into a tuple of slices without that axis, as many as the axis is long.

    Raises ValueError for an axis that the input does not have.
    """
    try:
        return tuple(_k.unstack(input, dim))
    except _ERRORS as error:
        _rename(error, "unbind")
        raise


def unstack(input_x, axis=0):
    """Splits a tensor along an axis into a tuple of slices without that axis, as unbind; the size of the axis is their number.

    Raises ValueError for an axis that the input does not have.
    """
    return tuple(_k.unstack(input_x, axis))


def narrow(input, axis, start, length):
    """Returns `length` elements along one axis, from index start on.

    Raises ValueError where they leave the axis, for a negative start and for an axis that the input does not have, TypeError for numbers that are no
    ints.
    """
    check_tensor(input, "narrow")
    begin, end = [0] * input.ndim, list(input.shape)
    axis = _check_axis(axis, input.ndim, "narrow")
    start, length = _check_int(start, "narrow", "start"), _check_int(length, "narrow", "length")
    if not 0 <= start <= start + length <= end[axis]:
        raise ValueError("[narrow] range out of bounds, got start %d and length %d, expected within %d"
                         % (start, length, end[axis]))
    begin[axis], end[axis] = start, start + length
    return _k.slice(input, begin, end, [1] * input.ndim)


def slice(input_x, begin, size):
    """Returns size[i] elements from index begin[i] on along every axis i; a size of -1 means up to the end.

    begin and size have one int for each axis of input_x; the result has input_x's dtype. Raises TypeError for an input that is no Tensor and
    for a begin or size without elements to count, ValueError for another number of ints and for elements outside the input.
    """
    check_tensor(input_x, "slice")
    if not len(_check_sized(begin, "slice", "begin")) == len(_check_sized(size, "slice", "size")) == input_x.ndim:
        raise ValueError("[slice] begin and size must have one number for each axis, got %d and %d for %d axes"
                         % (len(begin), len(size), input_x.ndim))
    end = [b + s if s != -1 else n for b, s, n in zip(begin, size, input_x.shape)]
    for start, stop, count, length in zip(begin, end, size, input_x.shape):
        if count < -1 or not 0 <= start <= stop <= length:
            raise ValueError("[slice] range out of bounds, got begin %s and size %s, expected it within %s"
                             % (tuple(begin), tuple(size), tuple(input_x.shape)))
    return _k.slice(input_x, list(begin), end, [1] * input_x.ndim)


def repeat_elements(x, rep, axis=0):
    """Repeats each element along an axis `rep` times in a row: the axis is rep times as long.

    Raises ValueError for a negative rep and for an axis that x does not have.
    """
    return _k.repeat_interleave(x, rep, axis)


def meshgrid(*inputs, indexing="xy"):
    """Expands k vectors to k coordinate tensors of a grid, a tuple: for 'ij' all have the shape (n1, ..., nk), and tensor i varies along axis i.

    indexing 'xy', the default, exchanges the first two axes of the grid. Raises ValueError for another indexing and for tensors of more axes,
    TypeError for anything but Tensors.
    """
    if indexing not in ("xy", "ij"):
        raise ValueError("[meshgrid] indexing, got %r, expected 'xy' or 'ij'" % (indexing,))
    for item in inputs:
        if check_tensor(item, "meshgrid").ndim > 1:
            raise ValueError("[meshgrid] inputs must have one axis, got %d" % item.ndim)
    place = list(_py_range(len(inputs)))
    if indexing == "xy" and len(place) > 1:
        place[:2] = [1, 0]
    sizes = [0] * len(inputs)
    for item, axis in zip(inputs, place):
        sizes[axis] = item.size
    return tuple([_k.broadcast_to(_k.reshape(item, [-1 if i == axis else 1 for i in _py_range(len(inputs))]), sizes)
                  for item, axis in zip(inputs, place)])


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and name not in ("mstype", "Tensor", "check_tensor") and callable(value)]
