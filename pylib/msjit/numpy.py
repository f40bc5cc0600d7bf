"""msjit.numpy: NumPy's functions for tensors."""
from . import _paths
import numpy as _np

from . import ops as _ops
from .common import dtype as _mstype
from .common.checks import check_axis as _check_axis
from .common.checks import check_offset as _check_offset
from .common.checks import check_sequence as _check_sequence
from .common.checks import check_sizes as _check_sizes
from .common.dtype import (  # noqa: F401
    bool_, complex64, complex128, float16, float32, float64, int8, int16, int32, int64, uint8, uint16, uint32, uint64,
)
from .common.tensor import Tensor as _Tensor
from .common.tensor import check_tensor as _check
from .ops import concat  # noqa: F401

pi, e, inf, nan, newaxis = _np.pi, _np.e, _np.inf, _np.nan, None
ndarray = _Tensor


def array(obj, dtype=None, copy=True, ndmin=0):
    """Makes a tensor of a nested sequence, an array or a tensor; Python ints become int32."""
    made = _Tensor(obj) if dtype is None else _Tensor(obj, dtype)
    if dtype is None and made.dtype == int64 and not hasattr(obj, "dtype"):
        made = made.astype(int32)
    ndmin = _check_offset(ndmin, "array", "ndmin")
    while made.ndim < ndmin:
        made = made.expand_dims(0)
    return made


def asarray(a, dtype=None):
    """Makes a tensor of a nested sequence, an array or a tensor; Python ints become int32."""
    return array(a, dtype)


def zeros(shape, dtype=_mstype.float32):
    """Creates a tensor of zeros, float32 by default."""
    return _ops.zeros(shape, dtype)


def ones(shape, dtype=_mstype.float32):
    """Creates a tensor of ones, float32 by default."""
    return _ops.ones(shape, dtype)


def empty(shape, dtype=_mstype.float32):
    """Creates a tensor of zeros, because memory is never left uninitialised; float32 by default."""
    return _ops.zeros(shape, dtype)


def arange(start, stop=None, step=None, dtype=None):
    """Creates a vector of numbers from start to stop (exclusive): int32 unless an argument is a float."""
    if stop is None:
        start, stop = 0, start
    made = _ops.arange(start, stop, 1 if step is None else step)
    return made.astype(dtype or (int32 if made.dtype == int64 else made.dtype))


def full(shape, fill_value, dtype=None):
    """Creates a tensor of one value, or of values that broadcast to the shape.

    As in MindSpore, a Tensor of values keeps its dtype.
    """
    if not isinstance(fill_value, (bool, int, float, complex)):
        values = fill_value if isinstance(fill_value, _Tensor) else array(fill_value, dtype)
        return _ops.broadcast_to(values, _check_sizes(shape, "full"))
    kind = int32 if dtype is None and type(fill_value) is int else dtype
    return _ops.full((shape,) if isinstance(shape, int) else shape, fill_value, dtype=kind)


def copy(a):
    """Copies a tensor, a number or a sequence into a new tensor."""
    return (a if isinstance(a, _Tensor) else array(a)).copy()


def around(a, decimals=0):
    """Rounds to `decimals` decimal places, halves to even; integers are returned as they are."""
    a = a if isinstance(a, _Tensor) else array(a)
    return a if a.dtype in _mstype.int_type + _mstype.uint_type else _ops.round(a, decimals=decimals)


def matrix_power(a, n):
    """Multiplies n copies of a square matrix; n = 0 gives the identity. Raises ValueError for a negative n."""
    if isinstance(n, int) and n < 0:
        raise ValueError("[matrix_power] n, got %d, expected 0 or more" % n)
    return _ops.matrix_power(a if isinstance(a, _Tensor) else array(a), n)


def squeeze(a, axis=None):
    """Removes axes of size 1: all of them, or only the given ones."""
    return _ops.squeeze(a, axis)


def _reduction(function, name):
    def call(a, axis=None, keepdims=False):
        return function(a if isinstance(a, _Tensor) else array(a), axis, keepdims)
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "%s over axes; all by default." % name
    return call


prod = _reduction(_ops.prod, "prod")


def std(x, axis=None, ddof=0, keepdims=False):
    """Computes the standard deviation over axes, by default over all."""
    return _ops.std(x if isinstance(x, _Tensor) else array(x), axis, ddof, keepdims)


def var(x, axis=None, ddof=0, keepdims=False):
    """Computes the variance over axes, by default over all."""
    return _ops.var(x if isinstance(x, _Tensor) else array(x), axis, ddof, keepdims)


def argmax(a, axis=None):
    """Returns the index of the largest element along an axis, or in the flattened tensor."""
    return _ops.argmax(a if isinstance(a, _Tensor) else array(a), axis)


def argmin(a, axis=None):
    """Returns the index of the smallest element along an axis, or in the flattened tensor."""
    return _ops.argmin(a if isinstance(a, _Tensor) else array(a), axis)


def meshgrid(*xi, sparse=False, indexing="xy"):
    """Returns the list of the coordinate tensors of a grid.

    With sparse each of them has size 1 along all axes but one.
    """
    xi = [_ops.reshape(_check(x, "meshgrid"), (-1,)) for x in xi]
    grids = _ops.meshgrid(*xi, indexing=indexing)
    if not sparse:
        return list(grids)
    places = list(range(len(xi)))
    if indexing == "xy" and len(xi) > 1:
        places[:2] = 1, 0
    return [grid.reshape([-1 if axis == place else 1 for axis in range(len(xi))])
            for grid, place in zip(xi, places)]


def unique(x, return_inverse=False):
    """Returns the distinct elements in order of appearance, and with return_inverse the index of each element among them."""
    values, places = _ops.unique(_check(x, "unique"))
    return (values, _ops.reshape(places, (-1,))) if return_inverse else values


def reshape(x, new_shape):
    """Reshapes a tensor."""
    return _ops.reshape(x, new_shape)


def transpose(a, axes=None):
    """Reorders the axes, by default in reverse."""
    return _check(a, "transpose").T if axes is None else _ops.transpose(a, axes)


def dot(a, b):
    """Dot product: of vectors and matrices as numpy.dot; a number multiplies the other argument."""
    _check(a, "dot"), _check(b, "dot")
    if not (a.ndim and b.ndim):
        return a * b
    product = _ops.dot(a, b)
    return product if product.dtype == a.dtype or product.dtype != int64 else product.astype(a.dtype)


def tensordot(a, b, axes=2):
    """Sums products over axes of two tensors.

    An int means the last `axes` axes of a and the first ones of b; a pair holds (axes of a, axes of b).
    """
    _check(a, "tensordot"), _check(b, "tensordot")
    if isinstance(axes, int):
        most = a.ndim if a.ndim < b.ndim else b.ndim
        if not 0 <= axes <= most:
            raise ValueError("[tensordot] axes, got %d, expected 0 to %d" % (axes, most))
        first, second = list(range(a.ndim - axes, a.ndim)), list(range(axes))
    else:
        axes = tuple(_check_sequence(axes, "tensordot", "axes", "an int or a pair"))
        if len(axes) != 2:
            raise ValueError("[tensordot] axes, got %d of them, expected an int or a pair" % len(axes))
        first, second = (list(_check_sizes(axis, "tensordot", "axes")) for axis in axes)
    first = [_check_axis(axis, a.ndim, "tensordot") for axis in first]
    second = [_check_axis(axis, b.ndim, "tensordot") for axis in second]
    if [a.shape[i] for i in first] != [b.shape[i] for i in second]:
        raise ValueError("[tensordot] sizes of the axes, got %s and %s, expected the same"
                         % ([a.shape[i] for i in first], [b.shape[i] for i in second]))
    rows = [i for i in range(a.ndim) if i not in first]
    columns = [i for i in range(b.ndim) if i not in second]
    count = 1
    for axis in first:
        count *= a.shape[axis]
    left = _ops.transpose(a, tuple(rows + first)).reshape((-1, count))
    right = _ops.transpose(b, tuple(second + columns)).reshape((count, -1))
    return _ops.matmul(left, right).reshape(tuple(a.shape[i] for i in rows) + tuple(b.shape[i] for i in columns))


def randn(*shape, dtype=_mstype.float32):
    """Draws standard normal numbers in the given shape, float32 by default."""
    return _ops.randn(*shape, dtype=dtype)


def rand(*shape, dtype=_mstype.float32):
    """Draws uniform numbers in [0, 1) in the given shape, float32 by default."""
    return _ops.rand(*shape, dtype=dtype)


def split(x, indices_or_sections, axis=0):
    """Splits along an axis into a number of equal parts, or at the listed indices. Raises ValueError where a part would be empty."""
    length = _check(x, "split").shape[_check_axis(axis, x.ndim, "split")]
    if isinstance(indices_or_sections, int) and not isinstance(indices_or_sections, bool):
        if indices_or_sections < 1 or length % indices_or_sections:
            raise ValueError("[split] size of the axis, got %d, expected a multiple of indices_or_sections, %d"
                             % (length, indices_or_sections))
        return _ops.split(x, length // indices_or_sections, axis)
    if not isinstance(indices_or_sections, (tuple, list)):
        raise TypeError("[split] indices_or_sections, got %s, expected an int, a tuple or a list"
                        % type(indices_or_sections).__name__)
    sizes, start = [], 0
    for place in list(indices_or_sections) + [length]:
        place = _check_offset(place, "split", "indices_or_sections")
        place = place + length if place < 0 else place
        if not start < place <= length:
            raise ValueError("[split] indices_or_sections, got %s, expected positions that grow below %d"
                             % (indices_or_sections, length))
        sizes.append(place - start)
        start = place
    return list(_ops.split(x, sizes, axis))


from .numpy_func import *  # noqa: E402,F403
from .numpy_func import fft  # noqa: E402,F401
__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
__all__ = [_name for _name, _value in list(globals().items()) if _name[0] != "_" and not isinstance(_value, type(_paths))]


def __getattr__(name):
    if name == "round":  # not a global name, because functions in this module use Python's round
        return around
    raise AttributeError("module 'msjit.numpy' has no attribute %r" % name)

_paths.reach(__name__)
