"""Joining, splitting, rotating, and matrices."""
from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_offset as _check_offset
from ..common.checks import check_sequence as _check_sequence
from ..common.checks import check_sizes as _check_sizes
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from ..ops import registry as _k
from .shared import as_float as _float
from .shared import as_tensor as _tensor

__all__ = []


def _public(function):
    __all__.append(function.__name__)
    return function


def _several(name, function):
    def call(tup):
        if isinstance(tup, _Tensor) and name != "vstack":
            return tup  # MindSpore leaves one Tensor as it is
        made = [_tensor(item) for item in _check_sequence(tup, name, "tup", "a tuple or a list of tensors")]
        if not made:
            raise ValueError("[%s] tup, got no tensors, expected one or more" % name)
        return function(made)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "As numpy.%s." % name
    globals()[name] = call
    __all__.append(name)


for _name in ("column_stack", "dstack", "hstack", "vstack"):
    _several(_name, getattr(_ops, _name))


def _at_least(name, function):
    def call(*arys):
        made = [function(_tensor(item)) for item in arys]
        return made[0] if len(made) == 1 else made
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "As numpy.%s." % name
    globals()[name] = call
    __all__.append(name)


for _name in ("atleast_1d", "atleast_2d", "atleast_3d"):
    _at_least(_name, getattr(_ops, _name))


@_public
def append(arr, values, axis=None):
    """Joins two tensors along an axis; by default it flattens both first."""
    arr, values = _tensor(arr), _tensor(values)
    if axis is None:
        return _k.concat([_k.reshape(arr, (-1,)), _k.reshape(values, (-1,))], 0)
    return _k.concat([arr, values], axis)


@_public
def array_split(x, indices_or_sections, axis=0):
    """Splits along an axis; the first parts may be longer by one."""
    return _ops.tensor_split(x, indices_or_sections, axis)


@_public
def hsplit(x, indices_or_sections):
    """Splits along the second axis (a vector along its only one)."""
    return _ops.hsplit(x, indices_or_sections)


@_public
def vsplit(x, indices_or_sections):
    """Splits along the first axis."""
    return _ops.vsplit(x, indices_or_sections)


@_public
def dsplit(x, indices_or_sections):
    """Splits along the third axis."""
    return _ops.dsplit(x, indices_or_sections)


@_public
def broadcast_arrays(*args):
    """Broadcasts all arguments to their common shape."""
    if not args:
        raise ValueError("[broadcast_arrays] arguments, got none, expected one or more")
    tensors = [_tensor(item) for item in args]
    total = tensors[0]
    for item in tensors[1:]:
        total = _k.zeros_like(total) + _k.zeros_like(item)
    return [_k.broadcast_to(item, total.shape) for item in tensors]


@_public
def flip(m, axis=None):
    """Reverses the order along axes, by default along all."""
    axes = range(_check(m, "flip").ndim) if axis is None else _check_sizes(axis, "flip", "axis")
    return _k.flip(m, list(axes))


@_public
def fliplr(m):
    """Reverses the order along the second axis."""
    return _ops.fliplr(m)


@_public
def flipud(m):
    """Reverses the order along the first axis."""
    return _ops.flipud(m)


@_public
def rot90(a, k=1, axes=(0, 1)):
    """Rotates k times by 90 degrees in the plane of two axes."""
    return _ops.rot90(a, k, axes)


@_public
def moveaxis(a, source, destination):
    """Moves axes to other positions; the other axes keep their order."""
    return _ops.movedim(a, source, destination)


@_public
def rollaxis(x, axis, start=0):
    """Moves an axis to the position before axis `start`."""
    axis = _check_axis(axis, _check(x, "rollaxis").ndim, "rollaxis")
    if start != x.ndim:  # behind the last axis
        start = _check_axis(start, x.ndim, "rollaxis", "start")
    return _ops.movedim(x, axis, start - 1 if axis < start else start)


@_public
def ravel(x):
    """Flattens a tensor to a vector."""
    return _k.reshape(_tensor(x), (-1,))


@_public
def repeat(a, repeats, axis=None):
    """Repeats each element several times in a row, along an axis or of the flattened tensor."""
    return _ops.repeat_interleave(_tensor(a), repeats, axis)


@_public
def size(a, axis=None):
    """Returns the number of elements, or the size of an axis."""
    a = _tensor(a)
    return a.size if axis is None else a.shape[_check_axis(axis, a.ndim, "size")]


# -- matrices --------------------------------------------------------------------------------------------------------


@_public
def identity(n, dtype=_mstype.float32):
    """Creates the n x n identity matrix."""
    return _ops.eye(n, n, dtype)


@_public
def tri(N, M=None, k=0, dtype=_mstype.float32):
    """Creates a matrix with ones on and below diagonal k and zeros elsewhere."""
    return _k.tril(_ops.ones((N, N if M is None else M), dtype), k)


def _rows(m):
    m = _tensor(m)
    return _k.broadcast_to(m, m.shape * 2) if m.ndim == 1 else m


@_public
def tril(m, k=0):
    """Keeps the lower triangle of matrices; a vector is first repeated as the rows of a square matrix."""
    return _k.tril(_rows(m), k)


@_public
def triu(m, k=0):
    """Keeps the upper triangle of matrices; a vector is first repeated as the rows of a square matrix."""
    return _k.triu(_rows(m), k)


@_public
def tril_indices(n, k=0, m=None):
    """Returns (rows, columns) of the lower triangle of an n x m matrix, int32."""
    return tuple(_k.unstack(_ops.tril_indices(n, n if m is None else m, k, dtype=_mstype.int32), 0))


@_public
def triu_indices(n, k=0, m=None):
    """Returns (rows, columns) of the upper triangle of an n x m matrix, int32."""
    return tuple(_k.unstack(_ops.triu_indices(n, n if m is None else m, k, dtype=_mstype.int32), 0))


@_public
def diag(v, k=0):
    """Builds the matrix with a vector on a diagonal, or returns a diagonal of a matrix."""
    v, k = _tensor(v), _check_offset(k, "diag", "k")
    return _ops.diag_embed(v, k) if v.ndim == 1 else _ops.diagonal(v, k)


@_public
def diagflat(v, k=0):
    """Builds the square matrix whose diagonal holds all elements."""
    return _ops.diagflat(_tensor(v), _check_offset(k, "diagflat", "k"))


@_public
def diagonal(a, offset=0, axis1=0, axis2=1):
    """Returns the diagonals over two axes."""
    return _ops.diagonal(a, offset, axis1, axis2)


@_public
def trace(a, offset=0, axis1=0, axis2=1, dtype=None):
    """Sums the diagonals over two axes.

    The result has `dtype`; without one, integers give int64 and other elements keep their dtype.
    """
    return _tensor(a).trace(offset, axis1, axis2, dtype)


@_public
def inner(a, b):
    """Sums products over the last axes of both operands."""
    return _ops.inner(_tensor(a), _tensor(b))


@_public
def kron(a, b):
    """Kronecker product: each element of a is replaced by its product with all of b."""
    return _ops.kron(_tensor(a), _tensor(b))


@_public
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """Cross product of vectors of three elements along an axis."""
    if axis is not None:
        axisa = axisb = axisc = axis
    a, b = _ops.movedim(_tensor(a), axisa, -1), _ops.movedim(_tensor(b), axisb, -1)
    return _ops.movedim(_ops.cross(a, b, -1), -1, axisc)


@_public
def norm(x, ord=None, axis=None, keepdims=False):
    """Computes the norm of vectors along one axis or of matrices along two; float32 for integers."""
    return _ops.norm(_float(_tensor(x)), ord, axis, keepdims)


@_public
def vander(x, N=None, increasing=False):
    """Vandermonde matrix: rows of powers of the elements of a vector, falling unless increasing; integers keep their dtype."""
    x = _tensor(x)
    out = _ops.vander(x, N)
    if x.dtype in _mstype.int_type + _mstype.uint_type:
        out = _k.cast(out, x.dtype)
    return _k.flip(out, [1]) if increasing else out


@_public
def multi_dot(arrays):
    """Multiplies matrices one after another, from left to right."""
    arrays = list(_check_sequence(arrays, "multi_dot", "arrays", "a tuple or a list of tensors"))
    if not arrays:
        raise ValueError("[multi_dot] arrays, got none, expected one or more")
    out = arrays[0]
    for item in arrays[1:]:
        out = _ops.matmul(out, item)
    return out
