"""Element-wise functions and reductions under MindSpore's names and argument orders."""
from builtins import range

from ..common import dtype as mstype
from ..common.tensor import Tensor, check_tensor
from ..context import FLOAT_DTYPES
from . import registry as _k

# -- other names of operators ----------------------------------------------------------------------------------------

tensor_add = _k.add
tensor_sub = _k.sub
tensor_mul = multiply = _k.mul
tensor_pow = _k.pow
floor_divide = floordiv = _k.floor_div
remainder = floor_mod = floormod = tensor_floormod = tensor_mod = _k.mod
tensor_floordiv = floor_divide
negative = _k.neg
absolute = _k.abs
inv = reciprocal = _k.reciprocal
eq = _k.equal
ne = not_equal = _k.not_equal
lt = tensor_lt = _k.less
le = tensor_le = less_equal = _k.less_equal
gt = tensor_gt = _k.greater
ge = tensor_ge = greater_equal = _k.greater_equal
bitwise_not = _k.invert
batch_matmul = _k.matmul


def div(input, other, *, rounding_mode=None):
    """Quotient; rounded down for rounding_mode 'floor', towards 0 for 'trunc'."""
    if rounding_mode is None:
        return _k.div(input, other)
    if rounding_mode not in ("floor", "trunc"):
        raise ValueError("[div] rounding_mode, got %r, expected None, 'floor' or 'trunc'" % (rounding_mode,))
    whole = _is_whole(input) and _is_whole(other)
    down = _k.floor_div(input, other) if whole or rounding_mode == "floor" else None
    if rounding_mode == "floor":
        return down
    if down is None:
        return _k.trunc(_k.div(input, other))
    # One more where the quotient was rounded away from 0.
    return _k.add(down, _k.cast(_k.logical_and(_k.less(down, 0), _k.not_equal(_k.mul(down, other), input)), down.dtype))


def _is_whole(x):
    return x.dtype in mstype.int_type + mstype.uint_type if isinstance(x, Tensor) else isinstance(x, int)


divide = truediv = div


def true_divide(dividend, divisor):
    """dividend / divisor"""
    return div(dividend, divisor)


def subtract(input, other, *, alpha=1):
    """input - alpha other"""
    return _k.sub(input, other if alpha == 1 else other * alpha)


def round(input, *, decimals=0):
    """The nearest numbers with so many decimal places, halves to even; tens for -1, hundreds for -2, ..."""
    if not isinstance(decimals, int):
        raise TypeError("[round] decimals, got %s, expected an int" % type(decimals).__name__)
    if decimals == 0:
        return _k.round(input)
    dtype, scale = check_tensor(input, "round").dtype, 10.0 ** abs(decimals)
    if dtype not in FLOAT_DTYPES:
        # As NumPy: whole numbers have no decimal places, and their tens are found in float64.
        return _k.round(input) if decimals > 0 else _k.cast(_k.round(_k.cast(input, mstype.float64) / scale) * scale, dtype)
    return _k.round(input * scale) / scale if decimals > 0 else _k.round(input / scale) * scale


def matmul(input, other):
    """Matrix product over the last two axes, with broadcasting of the others."""
    return _k.matmul(input, other)


def mm(input, mat2):
    """Product of two matrices."""
    if check_tensor(input, "mm").ndim != 2 or check_tensor(mat2, "mm").ndim != 2:
        raise ValueError("[mm] operands must be matrices, got %d and %d dimensions" % (input.ndim, mat2.ndim))
    return _k.matmul(input, mat2)


def bmm(input_x, mat2):
    """Products of two stacks of matrices; stacks of the same sizes."""
    if check_tensor(input_x, "bmm").ndim < 2 or check_tensor(mat2, "bmm").ndim < 2 or input_x.shape[:-2] != mat2.shape[:-2]:
        raise ValueError("[bmm] operands must be matrices in stacks of the same sizes, got shapes %s and %s"
                         % (tuple(input_x.shape), tuple(mat2.shape)))
    return _k.matmul(input_x, mat2)


def addmm(input, mat1, mat2, beta=1, alpha=1):
    """beta input + alpha mat1 @ mat2"""
    return beta * input + alpha * _k.matmul(mat1, mat2)


def dot(input, other):
    """Sum of products over the last axis of `input` and the last but one of `other`."""
    check_tensor(input, "dot")
    if check_tensor(other, "dot").ndim < 2 and input.ndim < 2:
        return _k.sum(input * other)
    if other.ndim <= 2:
        return _k.matmul(input, other)
    rest = other.shape[:-2] + other.shape[-1:]
    axes = (other.ndim - 2,) + tuple(range(other.ndim - 2)) + (other.ndim - 1,)
    flat = _k.reshape(_k.transpose(other, axes), (other.shape[-2], -1))
    return _k.reshape(_k.matmul(input, flat), input.shape[:-1] + rest)


def outer(input, vec2):
    """Products of all pairs of elements, both flattened."""
    return _k.reshape(input, (-1, 1)) * _k.reshape(vec2, (-1,))


def inner(input, other):
    """Sums of products over the last axes of both."""
    check_tensor(input, "inner"), check_tensor(other, "inner")
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise ValueError("[inner] last axes must match, got %d and %d" % (input.shape[-1], other.shape[-1]))
    flat = _k.matmul(_k.reshape(input, (-1, input.shape[-1])), _k.reshape(other, (-1, other.shape[-1])), False, True)
    return _k.reshape(flat, input.shape[:-1] + other.shape[:-1])


def hypot(input, other):
    """sqrt(input^2 + other^2)"""
    return _k.sqrt(input * input + other * other)


def addn(x):
    """Sum of a sequence of tensors."""
    if not isinstance(x, (tuple, list)):
        raise TypeError("[addn] argument, got %s, expected a tuple or list of Tensors" % type(x).__name__)
    if not x:
        raise ValueError("[addn] expected at least one tensor")
    total = check_tensor(x[0], "addn")
    for item in x[1:]:
        if check_tensor(item, "addn").shape != total.shape:
            raise ValueError("[addn] shapes must be the same, got %s and %s" % (tuple(total.shape), tuple(item.shape)))
        total = _k.add(total, item)
    return total


_LIMITS = (int, float, type(None))  # of the kernel


def clamp(input, min=None, max=None):
    """Limits elements to [min, max], to max where min is above it; None leaves a side open.

    The gradient of an element that equals a limit is that of the element.
    """
    if min is None and max is None:
        raise ValueError("[clamp] min and max, got None for both, expected one of them")
    if check_tensor(input, "clamp").dtype in FLOAT_DTYPES and type(min) in _LIMITS and type(max) in _LIMITS:
        return _k.clip(input, min, max)
    if min is not None:
        input = _k.where(_k.greater_equal(input, min), input, _k.maximum(input, min))
    return input if max is None else _k.where(_k.less_equal(input, max), input, _k.minimum(input, max))


clip = clamp


def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """Values as clamp's, of a list or tuple of tensors a tuple; an element that equals a limit shares its gradient with it."""
    if isinstance(x, (list, tuple)):
        return tuple([clip_by_value(item, clip_value_min, clip_value_max) for item in x])
    if clip_value_min is None and clip_value_max is None:
        raise ValueError("[clip_by_value] clip_value_min and clip_value_max, got None for both, expected one of them")
    if clip_value_min is not None:
        x = _k.maximum(x, clip_value_min)
    return x if clip_value_max is None else _k.minimum(x, clip_value_max)


def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scales tensors down so that their joint norm is at most max_norm."""
    items = [x] if isinstance(x, Tensor) else list(x)
    norm = _k.pow(addn([_k.sum(_k.pow(_k.abs(item), norm_type)) for item in items]), 1.0 / norm_type)
    if error_if_nonfinite and not _k.isfinite(norm):
        raise RuntimeError("[clip_by_norm] norm of order %s, got %s, expected a finite number" % (norm_type, norm))
    scale = clamp(max_norm / (norm + 1e-6), max=1.0)
    scaled = [item * scale for item in items]
    return scaled[0] if isinstance(x, Tensor) else tuple(scaled)


def clip_by_global_norm(x, clip_norm=1.0, use_norm=None):
    """Scales tensors by clip_norm / max(global norm, clip_norm).

    >>> import msjit as ms
    >>> clipped = ms.ops.clip_by_global_norm((ms.Tensor([3.0]), ms.Tensor([4.0])), 1.0)
    >>> [round(float(g), 2) for g in clipped]
    [0.6, 0.8]
    """
    if isinstance(x, Tensor):  # its rows are not tensors of their own
        return clip_by_global_norm((x,), clip_norm, use_norm)[0]
    norm = _k.sqrt(addn([_k.sum(_k.square(item)) for item in x])) if use_norm is None else use_norm
    scale = clip_norm / _k.maximum(norm, clip_norm)
    return tuple([item * scale for item in x])


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """Replaces NaN and the infinities."""
    if check_tensor(input, "nan_to_num").dtype not in _FLOATS:
        raise TypeError("[nan_to_num] input has an unsupported dtype, got %s, expected a float" % input.dtype)
    for value, what in ((nan, "nan"), (posinf, "posinf"), (neginf, "neginf")):
        if isinstance(value, str):
            raise TypeError("[nan_to_num] %s, got %r, expected a number" % (what, value))
    high, low = _limits(input.dtype)
    out = _k.where(_k.not_equal(input, input), 0.0 if nan is None else float(nan), input)
    out = _k.where(_k.equal(input, float("inf")), high if posinf is None else float(posinf), out)
    return _k.where(_k.equal(input, float("-inf")), low if neginf is None else float(neginf), out)


def _limits(dtype):
    import numpy
    if dtype == mstype.bfloat16:
        return 3.3895313892515355e38, -3.3895313892515355e38
    info = numpy.finfo(mstype.dtype_to_nptype(dtype))
    return float(info.max), float(info.min)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Element-wise |input - other| <= atol + rtol |other|; infinities are close to themselves alone."""
    apart = _k.abs(input - other)
    near = _k.less_equal(apart, atol + rtol * _k.abs(other))
    near = _k.logical_or(_k.logical_and(near, _k.less(apart, _INF)), _k.equal(input, other))
    if equal_nan:
        near = _k.logical_or(near, _k.logical_and(_k.not_equal(input, input), _k.not_equal(other, other)))
    return near


# -- reductions ------------------------------------------------------------------------------------------------------


def sum(input, dim=None, keepdim=False, dtype=None):
    """Sum over axes; None means all."""
    if dtype is not None:
        return _k.cast(_k.sum(_k.cast(input, dtype), dim, keepdim), dtype)
    return _k.sum(input, dim, keepdim)


def mean(x, axis=None, keep_dims=False):
    """Mean over axes; None or () means all. The mean of integers is an integer, as in MindSpore."""
    axis = None if axis == () else axis
    if check_tensor(x, "mean").dtype in _INTEGERS:
        return _k.cast(_k.mean(_k.cast(x, mstype.float64), axis, keep_dims), x.dtype)
    return _k.mean(x, axis, keep_dims)


_INTEGERS = mstype.int_type + mstype.uint_type
_FLOATS = (mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16)


def prod(input, axis=None, keep_dims=False, dtype=None):
    """Product over axes; None means all."""
    if dtype is not None:
        return _k.cast(_k.prod(_k.cast(input, dtype), axis, keep_dims), dtype)
    return _k.prod(input, axis, keep_dims)


def _masked(where, name, input, initial, combine):
    """The elements where a mask is true, the initial value elsewhere; and combined with it."""
    if where is not None:
        if initial is None:
            raise ValueError("[%s] initial, got None, expected a number where there is a mask" % name)
        input = _k.where(where, input, initial)
    return input if initial is None else combine(input, initial)


def amax(input, axis=None, keepdims=False, *, initial=None, where=None):
    """Largest element over axes, among those where a mask is true, and an initial value."""
    if initial is not None or where is not None:
        input = _masked(where, "amax", input, initial, _k.maximum)
    return _k.max(input, None if axis == () else axis, keepdims)


def amin(input, axis=None, keepdims=False, *, initial=None, where=None):
    """Smallest element over axes, among those where a mask is true, and an initial value."""
    if initial is not None or where is not None:
        input = _masked(where, "amin", input, initial, _k.minimum)
    return _k.min(input, None if axis == () else axis, keepdims)


def max(input, axis=None, keepdims=False, *, initial=None, where=None):
    """(largest element, its index) over one axis, or of the whole tensor; initial and where as in amax."""
    if initial is not None or where is not None:
        input = _masked(where, "max", input, initial, _k.maximum)
    if axis is None:
        return _k.max(input), Tensor(0, mstype.int64)
    return _k.max(input, axis, keepdims), _k.argmax(input, axis, keepdims)


def min(input, axis=None, keepdims=False, *, initial=None, where=None):
    """(smallest element, its index) over one axis, or of the whole tensor; initial and where as in amin."""
    if initial is not None or where is not None:
        input = _masked(where, "min", input, initial, _k.minimum)
    if axis is None:
        return _k.min(input), Tensor(0, mstype.int64)
    return _k.min(input, axis, keepdims), _k.argmin(input, axis, keepdims)


def argmax(input, dim=None, keepdim=False):
    """Index of the largest element."""
    return _k.argmax(input, dim, keepdim)


def argmin(input, axis=None, keepdims=False):
    """Index of the smallest element, int32."""
    return _k.cast(_k.argmin(input, axis, keepdims), mstype.int32)


def median(input, axis=-1, keepdims=False):
    """(median along an axis, its position): of two elements in the middle the lesser one."""
    if not check_tensor(input, "median").ndim:
        values, places = median(_k.expand_dims(input, 0), axis)
        return values, places
    values, places = _k.sort(input, axis)
    places = _k.cast(places, mstype.int64)
    size = input.shape[axis]
    middle = Tensor([(size - 1) // 2], mstype.int64)
    values, places = _k.gather(values, middle, axis), _k.gather(places, middle, axis)
    return (values, places) if keepdims else (_k.squeeze(values, axis), _k.squeeze(places, axis))


def cumsum(x, axis, dtype=None):
    """Running sums along an axis, in the dtype of x."""
    return _k.cast(_k.cumsum(x, axis), x.dtype if dtype is None else dtype)


def arg_max_with_value(input, axis=0, keep_dims=False):
    """(index, value) of the largest element over an axis."""
    return _k.argmax(input, axis, keep_dims), _k.max(input, axis, keep_dims)


def arg_min_with_value(input, axis=0, keep_dims=False):
    """(index, value) of the smallest element over an axis."""
    return _k.argmin(input, axis, keep_dims), _k.min(input, axis, keep_dims)


def all(input, axis=None, keep_dims=False):
    """True where all elements are."""
    return _k.all(input, None if axis == () else axis, keep_dims)


def any(input, axis=None, keep_dims=False):
    """True where any element is."""
    return _k.any(input, None if axis == () else axis, keep_dims)


def var(input, axis=None, ddof=0, keepdims=False):
    """Variance over axes. Raises TypeError for complex numbers."""
    if check_tensor(input, "var").dtype in mstype.complex_type:
        raise TypeError("[var] dtype of input, got %s, expected a real one" % input.dtype.name)
    if isinstance(ddof, str):
        raise TypeError("[var] ddof, got %r, expected an int" % ddof)
    centred = _k.square(input - _k.mean(input, axis, True))
    if not ddof:
        return _k.mean(centred, axis, keepdims)
    total = _k.sum(centred, axis, keepdims)
    count = input.size * 1.0 / (total.size if total.size else 1)
    return total / (count - int(ddof))


def std(input, axis=None, ddof=0, keepdims=False):
    """Standard deviation over axes. Raises TypeError for complex numbers."""
    return _k.sqrt(var(input, axis, ddof, keepdims))


def norm(A, ord=None, dim=None, keepdim=False, dtype=None):
    """Norm of vectors along one axis or of matrices along two; all elements as one vector where ord is None."""
    if dtype is not None:
        A = _k.cast(A, dtype)
    axes = (dim,) if isinstance(dim, int) else dim
    check_tensor(A, "norm")
    if ord is None or (axes is None and A.ndim == 1) or (axes is not None and len(axes) == 1):
        return _vector_norm(A, 2 if ord is None else ord, dim, keepdim)
    axes = tuple(range(A.ndim)) if axes is None else axes
    if len(axes) != 2:
        raise ValueError("[norm] ord %r needs one axis or two, got %d axes" % (ord, len(axes)))
    for axis in axes:
        if not -A.ndim <= axis < A.ndim:
            raise ValueError("[norm] dim is out of range, got %s, expected %d to %d" % (dim, -A.ndim, A.ndim - 1))
    return _matrix_norm(A, ord, axes[0] % A.ndim, axes[1] % A.ndim, keepdim)


def _squared_size(x):
    """|x|^2, in the dtype of x."""
    check_tensor(x, "norm")
    return _k.mul(x, _k.conj(x)) if x.dtype in mstype.complex_type else _k.square(x)


def _vector_norm(x, ord, dim, keepdim):
    if isinstance(ord, str):
        raise TypeError("[norm] ord of vectors, got %r, expected a number" % ord)
    if ord == 2:
        return _k.sqrt(_k.sum(_squared_size(x), dim, keepdim))
    if ord == 0:
        return _k.sum(_k.cast(_k.not_equal(x, 0), x.dtype), dim, keepdim)
    size = _k.abs(x)
    if ord in (_INF, -_INF):
        return (_k.max if ord > 0 else _k.min)(size, dim, keepdim)
    if ord == 1:
        return _k.sum(size, dim, keepdim)
    return _k.pow(_k.sum(_k.pow(size, ord), dim, keepdim), 1.0 / ord)


_INF = float("inf")


def _matrix_norm(x, ord, rows, columns, keepdim):
    if ord == "fro":
        return _k.sqrt(_k.sum(_squared_size(x), (rows, columns), keepdim))
    if ord in (2, -2, "nuc"):
        x = x if x.dtype in (mstype.float32, mstype.float64) + mstype.complex_type else _k.cast(x, mstype.float32)
        values = _k.svd(_k.transpose(x, [i for i in range(x.ndim) if i not in (rows, columns)] + [rows, columns]), False)[0]
        out = _k.sum(values, -1) if ord == "nuc" else (_k.max if ord > 0 else _k.min)(values, -1)
        return _k.reshape(out, [1 if i in (rows, columns) else n for i, n in enumerate(x.shape)]) if keepdim else out
    if ord not in (1, -1, _INF, -_INF):
        raise ValueError("[norm] ord of matrices, got %r, expected 'fro', 'nuc', 1, -1, 2, -2, inf or -inf" % (ord,))
    added, chosen = (rows, columns) if ord in (1, -1) else (columns, rows)
    out = (_k.max if ord > 0 else _k.min)(_k.sum(_k.abs(x), added, True), chosen, True)
    return out if keepdim else _k.squeeze(out, (rows, columns))


def logsumexp(input, dim=(), keepdim=False, *, axis=(), keep_dims=False):
    """log(sum(exp(x))) over axes, without overflow; axis and keep_dims are older names."""
    axis, keep_dims = dim if axis == () else axis, keepdim or keep_dims
    axis = None if axis == () or axis == [] else axis
    top = _k.stop_gradient(_k.max(input, axis, True))
    out = _k.log(_k.sum(_k.exp(input - top), axis, True)) + top
    return out if keep_dims else _k.squeeze(out, axis)




def reduce_max(x, axis=(), keep_dims=False):
    """The largest elements over axes, all of them by default."""
    return amax(x, axis, keep_dims)


def reduce_min(x, axis=(), keep_dims=False):
    """The least elements over axes, all of them by default."""
    return amin(x, axis, keep_dims)


reduce_mean = mean
reduce_all, reduce_any = all, any


def reduce_sum(x, axis=(), keep_dims=False):
    """Sum over axes, in the dtype of x; () means all."""
    return _k.cast(_k.sum(x, None if axis == () else axis, keep_dims), x.dtype)


def reduce_prod(x, axis=(), keep_dims=False):
    """Product over axes, in the dtype of x; () means all."""
    return _k.cast(_k.prod(x, None if axis == () else axis, keep_dims), x.dtype)


def real_div(x, y):
    """x / y; the quotient of integers is an integer."""
    out = _k.div(x, y)
    return out if isinstance(y, float) or isinstance(x, float) else _k.cast(out, _k.add(x, y).dtype)

tensor_div = real_div

__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and name not in ("mstype", "Tensor", "check_tensor", "range") and callable(value)]
