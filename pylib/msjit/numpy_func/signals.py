"""Windows, convolution, interpolation, differences and statistics along an axis."""
import builtins as _b
import math as _math

from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_real as _check_real
from ..common.checks import check_sizes as _check_sizes
from ..common.tensor import Tensor as _Tensor
from ..context import FLOAT_DTYPES as _FLOATS
from ..ops import registry as _k
from .shared import as_float as _float
from .shared import as_tensor as _tensor
from .shared import public

__all__ = []
_public = public(__all__)


def _window(name, M, shape):
    if isinstance(M, bool) or not isinstance(M, int):
        raise TypeError("[%s] M, got %s, expected an int" % (name, type(M).__name__))
    if M < 2:
        return _k.full((_b.max(M, 0),), 1.0, _mstype.float32)
    return _k.cast(shape(_k.arange(0, M, 1, _mstype.float64) / float(M - 1)), _mstype.float32)


@_public
def bartlett(M):
    """Returns the Bartlett (triangular) window of M points, float32."""
    return _window("bartlett", M, lambda t: 1.0 - _k.abs(2.0 * t - 1.0))


@_public
def blackman(M):
    """Returns the Blackman window of M points, float32."""
    return _window("blackman", M, lambda t: 0.42 - 0.5 * _k.cos(2 * _math.pi * t) + 0.08 * _k.cos(4 * _math.pi * t))


@_public
def hamming(M):
    """Returns the Hamming window of M points, float32."""
    return _window("hamming", M, lambda t: 0.54 - 0.46 * _k.cos(2 * _math.pi * t))


@_public
def hanning(M):
    """Returns the Hann window of M points, float32."""
    return _window("hanning", M, lambda t: 0.5 - 0.5 * _k.cos(2 * _math.pi * t))


def _sliding(where, a, v, mode):
    """Sums of products of a and the reversed v at every shift that `mode` asks for."""
    if mode not in ("full", "same", "valid"):
        raise ValueError("[%s] mode, got %r, expected 'full', 'same' or 'valid'" % (where, mode))
    a, v = _k.reshape(a, (-1,)), _k.reshape(v, (-1,))
    kind = _k.add(a[:1], v[:1]).dtype
    a, v = (_k.cast(part, kind if kind in _FLOATS else _mstype.float64) for part in (a, v))
    if not a.size or not v.size:
        raise ValueError("[%s] sizes, got %d and %d, expected 1 or more" % (where, a.size, v.size))
    if v.size > a.size:
        a, v = v, a
    long, short = a.size, v.size
    padded = _k.pad(a, [short - 1], [short - 1], 0.0)
    columns = _k.arange(0, long + short - 1, 1, _mstype.int64)
    places = _k.expand_dims(columns, 1) + _k.expand_dims(_k.arange(short - 1, -1, -1, _mstype.int64), 0)
    out = _k.sum(_k.gather(padded, places, 0) * v, 1)
    start, length = {"full": (0, long + short - 1), "same": ((short - 1) // 2, long),
                     "valid": (short - 1, long - short + 1)}[mode]
    return _k.cast(out[start:start + length], kind)


@_public
def convolve(a, v, mode="full"):
    """Convolves two vectors.

    mode 'full' returns all sums, 'same' as many as the longer vector has, 'valid' those where they overlap fully.
    """
    return _sliding("convolve", _tensor(a), _tensor(v), mode)


@_public
def correlate(a, v, mode="valid"):
    """Correlates two vectors: convolve with the second one reversed. Integers give float32."""
    a, v = _float(_tensor(a)), _float(_tensor(v))
    if v.size > a.size:  # exchanging the operands reverses the result
        out = _sliding("correlate", v, _k.flip(_k.reshape(a, (-1,)), (0,)), mode)
        return _k.flip(out, (0,))
    return _sliding("correlate", a, _k.flip(_k.reshape(v, (-1,)), (0,)), mode)


@_public
def interp(x, xp, fp, left=None, right=None):
    """Interpolates linearly at x between the points (xp, fp), where xp rises.

    Outside it returns the end values, or left and right.
    """
    x, xp, fp = (_float(_tensor(part)) for part in (x, xp, fp))
    if xp.ndim != 1 or xp.shape != fp.shape:
        raise ValueError("[interp] shapes of xp and fp, got %s and %s, expected one axis and the same"
                         % (tuple(xp.shape), tuple(fp.shape)))
    if xp.size == 1:
        out = _k.broadcast_to(fp, x.shape) if x.ndim else _k.reshape(fp, ())
    else:
        after = _k.clip(_k.searchsorted(_k.stop_gradient(xp), _k.stop_gradient(_k.reshape(x, (-1,))), True), 1, xp.size - 1)
        after = _k.reshape(after, x.shape)
        x0, x1 = _k.gather(xp, after - 1, 0), _k.gather(xp, after, 0)
        y0, y1 = _k.gather(fp, after - 1, 0), _k.gather(fp, after, 0)
        out = y0 + (y1 - y0) * ((x - x0) / (x1 - x0))
    out = _k.where(_k.less(x, xp[0]), fp[0] if left is None else _check_real(left, "interp", "left"), out)
    return _k.where(_k.greater(x, xp[-1]), fp[-1] if right is None else _check_real(right, "interp", "right"), out)


@_public
def unwrap(p, discont=_math.pi, axis=-1):
    """Adds multiples of 2 pi to angles along an axis so that no jump above `discont` exceeds pi."""
    p = _float(_tensor(p))
    axis = _check_axis(axis, p.ndim, "unwrap")
    jump = _ops.diff(p, 1, axis)
    turned = _k.mod(jump + _math.pi, 2 * _math.pi) - _math.pi
    turned = _k.where(_k.logical_and(_k.equal(turned, -_math.pi), _k.greater(jump, 0)), _math.pi, turned)
    change = _k.where(_k.less(_k.abs(jump), discont), 0.0, turned - jump)
    return p + _k.pad(_k.cumsum(change, axis), [1 if i == axis else 0 for i in range(p.ndim)], [0] * p.ndim, 0.0)


def _slope(f, step, axis):
    """Central differences along an axis over `step`, one-sided at its ends."""
    def part(start, end):
        return f[(slice(None),) * axis + (slice(start, end),)]
    size = f.shape[axis]
    if size < 2:
        raise ValueError("[gradient] size of axis %d, got %d, expected 2 or more" % (axis, size))
    ends = [(part(1, 2) - part(0, 1)) / step, (part(size - 1, size) - part(size - 2, size - 1)) / step]
    middle = [(part(2, size) - part(0, size - 2)) / (2.0 * step)] if size > 2 else []
    return _k.concat([ends[0]] + middle + [ends[1]], axis)


@_public
def gradient(f, *varargs, axis=None, edge_order=1):
    """Estimates the gradient of f along its axes by central differences, one-sided at the ends.

    The result is a list with one tensor for each axis, or a single tensor for one axis.

    varargs are the distances between neighbours: one number for all axes, or one for each axis.
    """
    if edge_order != 1:
        raise NotImplementedError("[gradient] edge_order, got %r, expected 1" % (edge_order,))
    f = _float(_tensor(f))
    axes = tuple(range(f.ndim)) if axis is None else _check_sizes(axis, "gradient", "axis")
    axes = [_check_axis(a, f.ndim, "gradient") for a in axes]
    if len(varargs) not in (0, 1, len(axes)):
        raise TypeError("[gradient] distances, got %d, expected none, one or %d" % (len(varargs), len(axes)))
    steps = [1.0] * len(axes) if not varargs else list(varargs) * (len(axes) if len(varargs) == 1 else 1)
    out = [_slope(f, step if isinstance(step, _Tensor) else _check_real(step, "gradient", "distance"), a) for step, a in zip(steps, axes)]
    return out[0] if len(out) == 1 else out


@_public
def ediff1d(ary, to_end=None, to_begin=None):
    """Computes the differences of neighbours in the flattened tensor, with to_begin before and to_end after them."""
    flat = _k.reshape(_tensor(ary), (-1,))
    parts = [] if to_begin is None else [_k.reshape(_tensor(to_begin), (-1,))]
    parts.append(flat[1:] - flat[:-1])
    parts += [] if to_end is None else [_k.reshape(_tensor(to_end), (-1,))]
    return _k.concat([_k.cast(part, flat.dtype) for part in parts], 0) if len(parts) > 1 else parts[0]


@_public
def geomspace(start, stop, num=50, endpoint=True, dtype=None, axis=0):
    """Returns `num` numbers from start to stop with a constant ratio; float32 by default."""
    if isinstance(num, bool) or not isinstance(num, int):
        raise TypeError("[geomspace] num, got %s, expected an int" % type(num).__name__)
    if num < 1:
        raise ValueError("[geomspace] num, got %d, expected 1 or more" % num)
    first, last = _float(_tensor(start)), _float(_tensor(stop))
    count = _b.max(num - 1 if endpoint else num, 1)
    ratio = _k.log(last / first) / float(count)
    shape = [num] + [1] * ratio.ndim
    out = first * _k.exp(_k.reshape(_k.arange(0, num, 1, _mstype.float32), shape) * ratio)
    out = out if dtype is None else _k.cast(out, dtype)
    axis = _check_axis(axis, out.ndim, "geomspace")
    return out if axis == 0 else _ops.movedim(out, 0, axis)


@_public
def corrcoef(x, y=None, rowvar=True, dtype=None):
    """Computes the correlation coefficients of variables, which are rows of x and y (columns without rowvar)."""
    from .sums import cov
    spread = _float(cov(x, y, rowvar))
    if not spread.ndim:
        return spread / spread
    scale = _k.sqrt(_ops.diagonal(spread))
    out = _k.clip(spread / _k.expand_dims(scale, 1) / _k.expand_dims(scale, 0), -1.0, 1.0)
    return out if dtype is None else _k.cast(out, dtype)


@_public
def nancumsum(a, axis=None, dtype=None):
    """Computes running sums along an axis, by default of the flattened tensor; NaN counts as 0."""
    from .sums import cumsum
    a = _tensor(a)
    return cumsum(_k.where(_k.isnan(a), 0, a) if a.dtype in _FLOATS else a, axis, dtype)


@_public
def nanvar(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """Computes the variance over axes of the elements that are not NaN, divided by (their count - ddof)."""
    a, ddof = _float(_tensor(a)), _check_real(ddof, "nanvar", "ddof")
    there = _k.cast(_k.equal(a, a), a.dtype)
    filled, count = _k.where(_k.isnan(a), 0.0, a), _k.sum(there, axis, True)
    spread = _k.square(filled - _k.sum(filled, axis, True) / count) * there
    out = _k.sum(spread, axis, keepdims) / (_k.sum(there, axis, keepdims) - ddof)
    return out if dtype is None else _k.cast(out, dtype)


@_public
def nanstd(a, axis=None, dtype=None, ddof=0, keepdims=False):
    """Computes the standard deviation over axes of the elements that are not NaN, the square root of nanvar."""
    return _k.sqrt(nanvar(a, axis, dtype, _check_real(ddof, "nanstd", "ddof"), keepdims))
