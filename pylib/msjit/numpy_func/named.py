"""Functions of ops under NumPy's parameter names, with a dtype for the result where MindSpore has one."""
import builtins as _b

from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_operand as _check_operand
from ..common.checks import check_sequence as _check_sequence
from ..common.checks import check_sizes as _check_sizes
from ..common.tensor import Tensor as _Tensor
from ..ops import registry as _k
from .shared import as_float as _float
from .shared import as_tensor as _tensor
from .shared import public

__all__ = []
_public = public(__all__)


def _put(name, call):
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "As numpy.%s; the result in `dtype` where it is given." % name
    globals()[name] = call
    __all__.append(name)


def _cast(out, dtype):
    return out if dtype is None else _k.cast(out, dtype)


def _make_one(name, function):
    _put(name, lambda x, dtype=None: _cast(function(_tensor(x)), dtype))


def _make_two(name, function):
    _put(name, lambda x1, x2, dtype=None: _cast(function(_tensor(x1), _tensor(x2)), dtype))


def _make_weak(name, function):
    """Makes a function of two operands in which a Python number takes the dtype of the other, a tensor."""
    def two(x1, x2, dtype=None):
        x1 = x1 if isinstance(x1, (int, float)) and isinstance(x2, _Tensor) else _tensor(x1)
        return _cast(function(x1, x2 if isinstance(x2, (int, float)) else _tensor(x2)), dtype)
    _put(name, two)


for _name, _function in (
        ("abs", _ops.abs), ("cos", _ops.cos), ("exp", _ops.exp), ("floor", _ops.floor), ("log", _ops.log), ("sin", _ops.sin),
        ("sqrt", _ops.sqrt), ("square", _ops.square), ("tanh", _ops.tanh)):
    _make_one(_name, _function)
for _name, _function in (
        ("add", _ops.add), ("subtract", _ops.subtract), ("multiply", _ops.multiply), ("divide", _ops.divide), ("equal", _ops.equal),
        ("not_equal", _ops.not_equal), ("less", _ops.less), ("less_equal", _ops.less_equal), ("greater", _ops.greater),
        ("greater_equal", _ops.greater_equal), ("power", _ops.pow),
        ("logical_and", _ops.logical_and), ("logical_or", _ops.logical_or), ("matmul", _ops.matmul)):
    _make_two(_name, _function)
_make_weak("maximum", _ops.maximum)
_make_weak("minimum", _ops.minimum)


@_public
def negative(a, dtype=None):
    """Negates each element, as numpy.negative."""
    return _cast(_ops.neg(_tensor(a)), dtype)


@_public
def logical_not(a, dtype=None):
    """Negates each element as a truth value, as numpy.logical_not."""
    return _cast(_ops.logical_not(_tensor(a)), dtype)


@_public
def where(condition, x=None, y=None):
    """Picks elements of x where the condition is true, of y elsewhere.

    Without x and y it returns the indices where the condition is true: a tuple with one Tensor for each axis.
    """
    if (x is None) is not (y is None):
        raise ValueError("[where] x and y, got one of them, expected both or none")
    condition = _tensor(condition)
    if x is None:
        return _ops.nonzero(condition, as_tuple=True)
    condition = condition if condition.dtype == _mstype.bool_ else _k.not_equal(condition, 0)
    return _ops.where(condition, *(_k.cast(_tensor(v), _mstype.int32) if type(v) is int else v for v in (x, y)))


@_public
def randint(minval, maxval=None, shape=None, dtype=_mstype.int32):
    """Draws uniform integers in [minval, maxval), or with one number in [0, minval). Without a shape it draws one."""
    low, high = (0, minval) if maxval is None else (minval, maxval)
    return _ops.randint(low, high, (1,) if shape is None else _check_sizes(shape, "randint"), dtype=dtype)


@_public
def clip(x, xmin, xmax, dtype=None):
    """Limits elements to [xmin, xmax]; None leaves that side open."""
    x = _tensor(x)
    if isinstance(xmin, int) and xmin < 0 and xmax is not None and x.dtype in _mstype.uint_type:
        xmin = 0  # unsigned elements are never below 0
    return _cast(_ops.clip(_tensor(x), xmin, xmax), dtype)


@_public
def expand_dims(a, axis):
    """Inserts an axis of size 1."""
    return _k.expand_dims(_tensor(a), axis)


@_public
def broadcast_to(array, shape):
    """Repeats axes of size 1 so that the result has the given shape."""
    return _ops.broadcast_to(_tensor(array), shape)


@_public
def isclose(a, b, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Compares element by element: |a - b| <= atol + rtol * |b|."""
    return _ops.isclose(_tensor(a), _tensor(b), rtol, atol, equal_nan)


@_public
def outer(a, b):
    """Multiplies every element of a with every element of b: a matrix (a.size, b.size)."""
    return _ops.outer(_k.reshape(_tensor(a), (-1,)), _k.reshape(_tensor(b), (-1,)))


@_public
def roll(a, shift, axis=None):
    """Shifts elements cyclically along axes, or over the flattened tensor without axis."""
    return _ops.roll(_tensor(a), shift, axis)


@_public
def stack(arrays, axis=0):
    """Joins tensors along a new axis."""
    return _ops.stack(list(arrays) if isinstance(arrays, _Tensor) else arrays, axis)


@_public
def concatenate(arrays, axis=0):
    """Joins tensors along an axis; with axis None it flattens them first."""
    if axis is None:
        return _ops.concat([_k.reshape(_tensor(a), (-1,)) for a in _check_sequence(arrays, "concatenate", "arrays")], 0)
    return _ops.concat(list(arrays) if isinstance(arrays, _Tensor) else arrays, axis)


@_public
def swapaxes(x, axis1, axis2):
    """Exchanges two axes."""
    return _ops.swapaxes(_tensor(x), axis1, axis2)


@_public
def tile(a, reps):
    """Repeats the tensor along its axes."""
    return _ops.tile(_tensor(a), reps)


def _like(name, value):
    def call(a, dtype=None, shape=None):
        a = _tensor(a)
        sizes = a.shape if shape is None else _check_sizes(shape, name)
        return _k.full(sizes, value, a.dtype if dtype is None else dtype)
    _put(name, call)


_like("ones_like", 1)
_like("zeros_like", 0)


@_public
def full_like(a, fill_value, dtype=None, shape=None):
    """Creates a tensor of one value in the shape of another, or in a given one."""
    a = _tensor(a)
    sizes = a.shape if shape is None else _check_sizes(shape, "full_like")
    dtype = a.dtype if dtype is None else dtype
    if isinstance(fill_value, _Tensor):
        return _k.cast(_ops.broadcast_to(fill_value, sizes), dtype)
    return _ops.full(sizes, fill_value, dtype=dtype)


@_public
def eye(N, M=None, k=0, dtype=_mstype.float32):
    """Creates an N x M matrix with ones on the k-th diagonal and zeros elsewhere."""
    M = N if M is None else M
    if k == 0:
        return _ops.eye(N, M, dtype)
    rows = _k.reshape(_k.arange(0, N, 1, _mstype.int32), (-1, 1))
    return _k.cast(_k.equal(_k.reshape(_k.arange(0, M, 1, _mstype.int32), (1, -1)) - rows, k), dtype)


@_public
def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    """Returns `num` evenly spaced numbers from start to stop, float32 by default; with retstep (numbers, distance)."""
    if isinstance(num, _b.bool) or not isinstance(num, int):
        raise TypeError("[linspace] num, got %s, expected an int" % type(num).__name__)
    if num < 1:
        raise ValueError("[linspace] num, got %d, expected 1 or more" % num)
    first, last = _float(_tensor(start)), _float(_tensor(stop))
    step = (last - first) / float(_b.max(num - 1 if endpoint else num, 1))
    places = _k.reshape(_k.arange(0, num, 1, _mstype.float32), [num] + [1] * step.ndim)
    out = _cast(first + places * step, dtype)
    axis = _check_axis(axis, out.ndim, "linspace")
    out = out if axis == 0 else _ops.movedim(out, 0, axis)
    return (out, step) if retstep else out


def _extreme(name, method):
    def call(a, axis=None, keepdims=False, initial=None, where=True):
        return getattr(_tensor(a), method)(axis=axis, keepdims=keepdims, initial=initial, where=where)
    _put(name, call)
    call.__doc__ = "%s over axes, all by default, among the elements where a mask is true, and an initial value." % name


for _name, _method in (("max", "max"), ("min", "min"), ("amax", "max"), ("amin", "min")):
    _extreme(_name, _method)


@_public
def sum(a, axis=None, dtype=None, keepdims=False, initial=None):
    """Sums elements over axes, by default over all; `initial` is added to the result."""
    if not (initial is None or isinstance(initial, (tuple, list))):
        _check_operand(initial, "sum", "initial")
    out = _ops.sum(_tensor(a), axis, keepdims)
    return _cast(out if initial is None else out + initial, dtype)


@_public
def mean(a, axis=None, keepdims=False, dtype=None):
    """Computes the mean over axes, by default over all."""
    return _cast(_ops.mean(_tensor(a), axis, keepdims), dtype)
