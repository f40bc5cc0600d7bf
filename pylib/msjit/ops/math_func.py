"""Arithmetic, comparisons, products of matrices and limits of elements, under MindSpore's names and argument orders."""
from ..common import dtype as mstype
from ..common.checks import check_numeric as _check_numeric
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.limits import ENDS as _ENDS
from ..common.tensor import Tensor, check_tensor
from ..context import FLOAT_DTYPES
from . import registry as _k
from .distance_func import _root
from .operands import blame as _blame
from .operands import check_items as _check_items

_FLOATS = (mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16)
_INF = float("inf")

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
    """Divides element by element; the shapes broadcast. rounding_mode 'floor' rounds the quotient down, 'trunc' towards 0.

    Without a rounding_mode the quotient of integers is float32; with one it is an integer. Raises ValueError for another rounding_mode.

    >>> import msjit as ms
    >>> ms.ops.div(ms.Tensor([-7, 7]), 2, rounding_mode="floor").asnumpy().tolist()
    [-4, 3]
    >>> ms.ops.div(ms.Tensor([-7, 7]), 2, rounding_mode="trunc").asnumpy().tolist()
    [-3, 3]
    """
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
    # The floor of a negative quotient that is not whole is one less than the quotient rounded towards 0.
    return _k.add(down, _k.cast(_k.logical_and(_k.less(down, 0), _k.not_equal(_k.mul(down, other), input)), down.dtype))


def _is_whole(x):
    return x.dtype in mstype.int_type + mstype.uint_type if isinstance(x, Tensor) else isinstance(x, int)


divide = truediv = div


def true_divide(dividend, divisor):
    """Divides element by element: dividend / divisor, Tensors or numbers. Integers give float32. The shapes broadcast; ValueError if they do not."""
    return div(dividend, divisor)


def subtract(input, other, *, alpha=1):
    """Computes input - alpha * other. Raises TypeError for operands that are no Tensors or numbers."""
    try:
        return _k.sub(input, other if alpha == 1 else other * alpha)
    except _ERRORS as error:
        _blame(error, "subtract", other=other, alpha=alpha)
        raise


def round(input, *, decimals=0):
    """Rounds to `decimals` decimal places, halves to even; -1 rounds to tens, -2 to hundreds, and so on. Shape and dtype are those of input.

    Raises TypeError for decimals that are no int and for an input that is no Tensor, ValueError for decimals beyond the powers of 10 of a float.
    """
    if not isinstance(decimals, int):
        raise TypeError("[round] decimals, got %s, expected an int" % type(decimals).__name__)
    if decimals == 0:
        return _k.round(input)
    if not -309 < decimals < 309:
        raise ValueError("[round] decimals, got %d, expected -308 to 308" % decimals)
    dtype, scale = check_tensor(input, "round").dtype, 10.0 ** abs(decimals)
    if dtype not in FLOAT_DTYPES:
        # As in NumPy: integers have no decimal places, and rounding them to tens goes through float64.
        return _k.round(input) if decimals > 0 else _k.cast(_k.round(_k.cast(input, mstype.float64) / scale) * scale, dtype)
    return _k.round(input * scale) / scale if decimals > 0 else _k.round(input / scale) * scale


def matmul(input, other):
    """Multiplies matrices over the last two axes: (..., n, m) by (..., m, p) gives (..., n, p); the other axes broadcast.

    A vector counts as one row on the left and as one column on the right, and the result lacks that axis. Raises ValueError where the
    sizes m differ or an operand has no axes.

    >>> import msjit as ms
    >>> ms.ops.matmul(ms.ops.ones((5, 2, 3), ms.float32), ms.ops.ones((3, 4), ms.float32)).shape
    (5, 2, 4)
    """
    return _k.matmul(input, other)


def mm(input, mat2):
    """Multiplies two matrices: (n, m) by (m, p). Raises ValueError for other ranks, TypeError for anything but Tensors."""
    check_tensor(mat2, "mm")
    if check_tensor(input, "mm").ndim != 2 or mat2.ndim != 2:
        raise ValueError("[mm] operands must be matrices, got %d and %d dimensions" % (input.ndim, mat2.ndim))
    try:
        return _k.matmul(input, mat2)
    except _ERRORS as error:
        _rename(error, "mm")
        raise


def bmm(input_x, mat2):
    """Multiplies stacks of matrices: (..., n, m) by (..., m, p) gives (..., n, p), with equal leading axes and no broadcasting.

    Raises ValueError for fewer than two axes, for leading sizes or inner sizes that differ, TypeError for different dtypes.
    """
    check_tensor(mat2, "bmm")
    if check_tensor(input_x, "bmm").ndim < 2 or mat2.ndim < 2 or input_x.shape[:-2] != mat2.shape[:-2]:
        raise ValueError("[bmm] operands must be matrices in stacks of the same sizes, got shapes %s and %s"
                         % (tuple(input_x.shape), tuple(mat2.shape)))
    try:
        return _k.matmul(input_x, mat2)
    except _ERRORS as error:
        _rename(error, "bmm")
        raise


def addmm(input, mat1, mat2, beta=1, alpha=1):
    """Computes beta * input + alpha * (mat1 @ mat2); (n, m) by (m, p), and an input that broadcasts to (n, p).

    Raises TypeError for operands of another kind.
    """
    try:
        return beta * input + alpha * _k.matmul(mat1, mat2)
    except _ERRORS as error:
        _blame(error, "addmm", input=input, beta=beta, alpha=alpha)
        raise


def dot(input, other):
    """Sums products over the last axis of `input` and the last but one of `other`; of two vectors it is their inner product."""
    check_tensor(input, "dot")
    try:
        if check_tensor(other, "dot").ndim < 2 and input.ndim < 2:
            return _k.sum(input * other)
        if other.ndim <= 2:
            return _k.matmul(input, other)
    except _ERRORS as error:
        _rename(error, "dot")
        raise
    rest = other.shape[:-2] + other.shape[-1:]
    axes = (other.ndim - 2,) + tuple(range(other.ndim - 2)) + (other.ndim - 1,)
    flat = _k.reshape(_k.transpose(other, axes), (other.shape[-2], -1))
    return _k.reshape(_k.matmul(input, flat), input.shape[:-1] + rest)


def outer(input, vec2):
    """Multiplies every element of `input` with every element of vec2: a matrix (input.size, vec2.size).

    >>> import msjit as ms
    >>> ms.ops.outer(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])).asnumpy().tolist()
    [[3.0, 4.0], [6.0, 8.0]]
    """
    return _k.reshape(input, (-1, 1)) * _k.reshape(vec2, (-1,))


def inner(input, other):
    """Sums products over the last axes of both operands: (..., n) and (*b, n) give (..., *b). An operand without axes multiplies the other.

    Raises ValueError for last axes of different sizes, TypeError for different dtypes and for anything but Tensors.
    """
    check_tensor(input, "inner"), check_tensor(other, "inner")
    if input.ndim == 0 or other.ndim == 0:
        return input * other
    if input.shape[-1] != other.shape[-1]:
        raise ValueError("[inner] last axes must match, got %d and %d" % (input.shape[-1], other.shape[-1]))
    try:
        flat = _k.matmul(_k.reshape(input, (-1, input.shape[-1])), _k.reshape(other, (-1, other.shape[-1])), False, True)
    except _ERRORS as error:
        _rename(error, "inner")
        raise
    return _k.reshape(flat, input.shape[:-1] + other.shape[:-1])


def hypot(input, other):
    """Computes sqrt(input^2 + other^2), element by element, without protection against overflow. The shapes broadcast; ValueError if they do not.

    Integers give float32. Raises TypeError for operands that are no Tensors or numbers.
    """
    try:
        return _k.sqrt(input * input + other * other)
    except _ERRORS as error:
        _blame(error, "hypot", input=input, other=other)
        raise


def addn(x):
    """Adds a tuple or list of tensors of one shape, element by element. The result has the dtype to which theirs promote.

    Raises ValueError for different shapes and for no tensors, TypeError for anything but a tuple or list of Tensors.
    """
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


_LIMITS = (int, float, type(None))  # the types that the kernel `clip` takes


def _are_limits(low, high):
    if isinstance(low, Tensor) or isinstance(high, Tensor):  # comparing these classes with the others would end a captured region
        return False
    return type(low) in _LIMITS and type(high) in _LIMITS


def clamp(input, min=None, max=None):
    """Limits elements to [min, max]; None leaves that side open, and where min is above max the result is max.

    An element that equals a limit gets the whole gradient.
    """
    if min is None and max is None:
        raise ValueError("[clamp] min and max, got None for both, expected one of them")
    if check_tensor(input, "clamp").dtype in FLOAT_DTYPES and _are_limits(min, max):
        return _k.clip(input, min, max)
    try:
        if min is not None:
            input = _k.where(_k.greater_equal(input, min), input, _k.maximum(input, min))
        return input if max is None else _k.where(_k.less_equal(input, max), input, _k.minimum(input, max))
    except _ERRORS as error:
        _rename(error, "clamp")
        raise


clip = clamp


def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """Limits elements to [clip_value_min, clip_value_max]; a list or tuple of tensors gives a tuple.

    It differs from clamp in the gradient: an element that equals a limit shares its gradient with the limit.
    """
    if isinstance(x, (list, tuple)):
        return tuple([clip_by_value(item, clip_value_min, clip_value_max) for item in x])
    if clip_value_min is None and clip_value_max is None:
        raise ValueError("[clip_by_value] clip_value_min and clip_value_max, got None for both, expected one of them")
    try:
        if clip_value_min is not None:
            x = _k.maximum(x, clip_value_min)
        return x if clip_value_max is None else _k.minimum(x, clip_value_max)
    except _ERRORS as error:
        _rename(error, "clip_by_value")
        raise


def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scales tensors down so that the norm (of order norm_type) of all their elements together is at most max_norm.

    With error_if_nonfinite it raises RuntimeError where that norm is NaN or infinite. Raises TypeError for anything but tensors.
    """
    items = [x] if isinstance(x, Tensor) else list(_check_items(x, "clip_by_norm", "x"))
    _check_numeric(max_norm, "clip_by_norm", "max_norm")
    if norm_type == _INF:
        norm = _k.max(_k.stack([_k.max(_k.abs(item)) for item in items]))
    else:
        norm = _root(addn([_k.sum(_k.pow(_k.abs(item), norm_type)) for item in items]), norm_type)
    if error_if_nonfinite and not _k.isfinite(norm):
        raise RuntimeError("[clip_by_norm] norm of order %s, got %s, expected a finite number" % (norm_type, norm))
    scale = clamp(max_norm / (norm + 1e-6), max=1.0)
    scaled = [item * scale for item in items]
    return scaled[0] if isinstance(x, Tensor) else tuple(scaled)


def clip_by_global_norm(x, clip_norm=1.0, use_norm=None):
    """Scales tensors by clip_norm / max(global norm, clip_norm); use_norm gives a global norm that is already known.

    Raises TypeError for anything but tensors.

    >>> import msjit as ms
    >>> clipped = ms.ops.clip_by_global_norm((ms.Tensor([3.0]), ms.Tensor([4.0])), 1.0)
    >>> [round(float(g), 2) for g in clipped]
    [0.6, 0.8]
    """
    if isinstance(x, Tensor):  # clip it as one tensor, not row by row
        return clip_by_global_norm((x,), clip_norm, use_norm)[0]
    if not isinstance(clip_norm, (bool, Tensor)) and not _check_numeric(clip_norm, "clip_by_global_norm", "clip_norm") > 0:
        raise ValueError("[clip_by_global_norm] clip_norm must be positive, got %s" % (clip_norm,))
    _check_items(x, "clip_by_global_norm", "x")
    norm = _k.sqrt(addn([_k.sum(_k.square(item)) for item in x])) if use_norm is None else use_norm
    scale = clip_norm / _k.maximum(norm, clip_norm)
    return tuple([item * scale for item in x])


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """Replaces NaN by nan (0 by default), and infinities by posinf and neginf (the limits of the dtype by default).

    The result has the shape and dtype of the input, which must be floats: TypeError for another dtype, and for replacements that are no numbers.

    >>> import msjit as ms
    >>> ms.ops.nan_to_num(ms.Tensor([float("nan"), float("inf")]), posinf=9.0).asnumpy().tolist()
    [0.0, 9.0]
    """
    if check_tensor(input, "nan_to_num").dtype not in _FLOATS:
        raise TypeError("[nan_to_num] input has an unsupported dtype, got %s, expected a float" % (input.dtype,))
    for value, what in ((nan, "nan"), (posinf, "posinf"), (neginf, "neginf")):
        if value is not None and not hasattr(type(value), "__float__"):
            raise TypeError("[nan_to_num] %s, got %r, expected a number" % (what, value))
    low, high = _ENDS[input.dtype]
    out = _k.where(_k.not_equal(input, input), 0.0 if nan is None else float(nan), input)
    out = _k.where(_k.equal(input, float("inf")), high if posinf is None else float(posinf), out)
    return _k.where(_k.equal(input, float("-inf")), low if neginf is None else float(neginf), out)


def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Compares element by element: |input - other| <= atol + rtol * |other|; an infinity is close only to itself.

    equal_nan says whether two NaN are close. Raises TypeError for operands and tolerances that are no Tensors or numbers.
    """
    try:
        apart = _k.abs(input - other)
        near = _k.less_equal(apart, atol + rtol * _k.abs(other))
    except _ERRORS as error:
        _blame(error, "isclose", input=input, other=other, rtol=rtol, atol=atol)
        raise
    near = _k.logical_or(_k.logical_and(near, _k.less(apart, _INF)), _k.equal(input, other))
    if equal_nan:
        near = _k.logical_or(near, _k.logical_and(_k.not_equal(input, input), _k.not_equal(other, other)))
    return near


def real_div(x, y):
    """Divides element by element; the quotient of integers is an integer, rounded towards 0. The shapes broadcast; ValueError if they do not."""
    out = _k.div(x, y)
    return out if isinstance(y, float) or isinstance(x, float) else _k.cast(out, _k.add(x, y).dtype)


tensor_div = real_div
__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and name not in ("mstype", "Tensor", "check_tensor") and callable(value)]
