"""Grids of coordinates, and indices into flattened tensors."""
import builtins as _b

from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.checks import check_offset as _check_offset
from ..common.checks import check_real as _check_real
from ..common.checks import check_sequence as _check_sequence
from ..common.checks import check_sizes as _check_sizes
from ..common.tensor import Tensor as _Tensor
from ..ops import registry as _k
from .shapes import tril_indices, triu_indices
from .shared import as_tensor as _tensor
from .shared import public

__all__ = []
_public = public(__all__)


def _axis_of(size, axis, rank, dtype):
    return _k.reshape(_k.arange(0, size, 1, dtype), [-1 if i == axis else 1 for i in range(rank)])


@_public
def indices(dimensions, dtype=_mstype.int32, sparse=False):
    """Returns a list with the index of each element along each axis.

    With sparse each of them has size 1 along all other axes.
    """
    sizes = tuple(_check_sequence(dimensions, "indices", "dimensions"))
    rows = [_axis_of(size, i, len(sizes), dtype) for i, size in enumerate(sizes)]
    return rows if sparse else [_k.broadcast_to(row, sizes) for row in rows]


@_public
def ix_(*args):
    """Reshapes vectors so that each has an axis of its own; together they index a grid."""
    out = []
    for i, row in enumerate(args):
        row = _tensor(row)
        if row.ndim != 1:
            raise ValueError("[ix_] axes of an argument, got %d, expected 1" % row.ndim)
        out.append(_k.reshape(row, [-1 if j == i else 1 for j in range(len(args))]))
    return tuple(out)


def _points(part, where):
    """The numbers of a slice; an imaginary step means a count of points, the end included."""
    start, step = 0 if part.start is None else part.start, 1 if part.step is None else part.step
    if isinstance(step, complex):
        count = int(abs(step))
        _check_real(start, where, "start of a slice"), _check_real(part.stop, where, "end of a slice")
        row = _k.arange(0, count, 1, _mstype.float32)
        return row * ((part.stop - start) / _b.max(count - 1, 1)) + float(start)
    floats = any(isinstance(v, float) for v in (start, part.stop, step))
    return _k.arange(start, part.stop, step, _mstype.float32 if floats else _mstype.int32)


class _Grid:
    """The class of mgrid and ogrid: indexing one with slices gives coordinates."""

    def __init__(self, name, full):
        self._name, self._full = name, full

    def __getitem__(self, key):
        parts = key if isinstance(key, tuple) else (key,)
        for part in parts:
            if not isinstance(part, slice):
                raise TypeError("[%s] index, got %s, expected slices" % (self._name, type(part).__name__))
        rows = [_points(part, self._name) for part in parts]
        if not isinstance(key, tuple):
            return rows[0]
        if any(row.dtype == _mstype.float32 for row in rows):
            rows = [_k.cast(row, _mstype.float32) for row in rows]
        rows = [_k.reshape(row, [-1 if j == i else 1 for j in range(len(rows))]) for i, row in enumerate(rows)]
        if not self._full:
            return rows
        sizes = [row.size for row in rows]
        return _k.stack([_k.broadcast_to(row, sizes) for row in rows], 0)

    def __repr__(self):
        return "msjit.numpy.%s" % self._name


mgrid, ogrid = _Grid("mgrid", True), _Grid("ogrid", False)
__all__ += ["mgrid", "ogrid"]


@_public
def diag_indices(n, ndim=2):
    """The coordinates, a tuple, of the main diagonal of a tensor of `ndim` axes of size n."""
    return (_k.arange(0, n, 1, _mstype.int32),) * _check_offset(ndim, "diag_indices", "ndim")


def _sizes_of(where, arr):
    arr = _tensor(arr)
    if arr.ndim != 2:
        raise ValueError("[%s] shape of the argument, got %s, expected two axes" % (where, tuple(arr.shape)))
    return arr.shape


@_public
def tril_indices_from(arr, k=0):
    """Returns the indices, a tuple, of the elements on and below diagonal k of a matrix."""
    rows, columns = _sizes_of("tril_indices_from", arr)
    return tril_indices(rows, _check_offset(k, "tril_indices_from", "k"), columns)


@_public
def triu_indices_from(arr, k=0):
    """Returns the indices, a tuple, of the elements on and above diagonal k of a matrix."""
    rows, columns = _sizes_of("triu_indices_from", arr)
    return triu_indices(rows, _check_offset(k, "triu_indices_from", "k"), columns)


def _strides(sizes, order, where):
    if order not in ("C", "F"):
        raise ValueError("[%s] order, got %r, expected 'C' or 'F'" % (where, order))
    out, step = [0] * len(sizes), 1
    for i in range(len(sizes)) if order == "F" else range(len(sizes) - 1, -1, -1):
        out[i], step = step, step * sizes[i]
    return out


@_public
def unravel_index(indices, shape, order="C"):
    """Converts indices into a flattened tensor of a shape to a tuple of coordinates; indices beyond it are clipped."""
    indices = _tensor(indices)
    sizes = [_check_offset(size, "unravel_index", "shape") for size in _check_sizes(shape, "unravel_index")]
    total = 1
    for size in sizes:
        total *= size
    places = _k.clip(_k.where(_k.less(indices, 0), indices + total, indices), 0, total - 1)
    return tuple(_k.mod(_k.floor_div(places, step), size) for step, size in zip(_strides(sizes, order, "unravel_index"), sizes))


@_public
def ravel_multi_index(multi_index, dims, mode="clip", order="C"):
    """Converts coordinates to indices into a flattened tensor of shape `dims`, float32 as in MindSpore.

    mode 'wrap' or 'clip' brings coordinates into range.
    """
    if mode not in ("clip", "wrap"):
        raise ValueError("[ravel_multi_index] mode, got %r, expected 'clip' or 'wrap'" % (mode,))
    if isinstance(multi_index, _Tensor):
        rows = _k.unstack(multi_index, 0)
    else:
        rows = [_tensor(row) for row in _check_sequence(multi_index, "ravel_multi_index", "multi_index", "a Tensor, a tuple or a list")]
    dims = [_check_offset(size, "ravel_multi_index", "dims") for size in _check_sequence(dims, "ravel_multi_index", "dims")]
    if len(rows) != len(dims):
        raise ValueError("[ravel_multi_index] coordinates, got %d, expected %d" % (len(rows), len(dims)))
    out = 0
    for row, size, step in zip(rows, dims, _strides(tuple(dims), order, "ravel_multi_index")):
        inside = _k.mod(row, size) if mode == "wrap" else _k.clip(row, 0, size - 1)
        out = out + inside * step
    return _ops.cast(out, _mstype.float32)
