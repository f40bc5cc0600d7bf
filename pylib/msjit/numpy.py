"""msjit.numpy: NumPy's names for tensors."""
import numpy as _np

from . import ops as _ops
from .common import dtype as _mstype
from .common.dtype import bool_, float16, float32, float64, int8, int16, int32, int64, uint8  # noqa: F401
from .common.tensor import Tensor as _Tensor
from .ops import (  # noqa: F401
    abs, add, arange, broadcast_to, clip, concat, cos, divide, equal, exp, expand_dims, eye, floor, full, full_like,
    greater, greater_equal, isclose, less, less_equal, linspace, log, logical_and, logical_not, logical_or, matmul,
    maximum, mean, meshgrid, minimum, multiply, negative, not_equal, ones_like, outer, prod, randint, sin,
    sqrt, square, squeeze, stack, std, subtract, sum, swapaxes, tanh, tile, unique, var, where, zeros_like,
)

pi, e, inf, nan, newaxis = _np.pi, _np.e, _np.inf, _np.nan, None
ndarray = _Tensor
concatenate, amax, amin, power = concat, _ops.amax, _ops.amin, _ops.pow


def array(obj, dtype=None, copy=True, ndmin=0):
    """A tensor of a nested sequence, an array or a tensor."""
    made = _Tensor(obj) if dtype is None else _Tensor(obj, dtype)
    while made.ndim < ndmin:
        made = made.expand_dims(0)
    return made


asarray = array


def zeros(shape, dtype=_mstype.float32):
    """Zeros."""
    return _ops.zeros(shape, dtype)


def ones(shape, dtype=_mstype.float32):
    """Ones."""
    return _ops.ones(shape, dtype)


def empty(shape, dtype=_mstype.float32):
    """Zeros: memory is never left uninitialised."""
    return _ops.zeros(shape, dtype)


def max(a, axis=None, keepdims=False):
    """Largest element over axes."""
    return _ops.amax(a, axis, keepdims)


def min(a, axis=None, keepdims=False):
    """Smallest element over axes."""
    return _ops.amin(a, axis, keepdims)


def argmax(a, axis=None):
    """Index of the largest element."""
    return _ops.argmax(a, axis)


def argmin(a, axis=None):
    """Index of the smallest element."""
    return _ops.argmin(a, axis)


def reshape(x, new_shape):
    """The same elements in another shape."""
    return _ops.reshape(x, new_shape)


def transpose(a, axes=None):
    """Axes in another order, reversed by default."""
    return a.T if axes is None else _ops.transpose(a, axes)


def dot(a, b):
    """Dot product, as numpy.dot for one and two axes."""
    return _ops.dot(a, b)


def randn(*shape, dtype=_mstype.float32):
    """Standard normal numbers."""
    return _ops.randn(*shape, dtype=dtype)


def rand(*shape, dtype=_mstype.float32):
    """Uniform numbers in [0, 1)."""
    return _ops.rand(*shape, dtype=dtype)


def split(x, indices_or_sections, axis=0):
    """Equal parts."""
    return _ops.split(x, x.shape[axis] // indices_or_sections, axis)
