"""Element-wise functions and reductions under MindSpore's names and argument orders."""
from ..common import dtype as mstype
from ..common.tensor import Tensor
from . import registry as _k

# -- other names of operators ----------------------------------------------------------------------------------------

tensor_add = _k.add
tensor_sub = subtract = _k.sub
tensor_mul = multiply = _k.mul
divide = true_divide = truediv = tensor_div = _k.div
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
batch_matmul = bmm = mm = _k.matmul


def matmul(input, other):
    """Matrix product over the last two axes, with broadcasting of the others."""
    return _k.matmul(input, other)


def addmm(input, mat1, mat2, beta=1, alpha=1):
    """beta input + alpha mat1 @ mat2"""
    return beta * input + alpha * _k.matmul(mat1, mat2)


def dot(input, other):
    """Sum of products over the last axis of `input` and the last but one of `other`."""
    if input.ndim < 2 or other.ndim < 3:
        return _k.sum(input * other) if input.ndim == 1 and other.ndim == 1 else _k.matmul(input, other)
    shape = tuple(input.shape[:-1]) + tuple(other.shape[:-2]) + (other.shape[-1],)
    return _k.reshape(_rows(input, _k.swapaxes(other, -1, -2)), shape)


def inner(input, other):
    """Sum of products over the last axis of both."""
    if not input.ndim or not other.ndim:
        return input * other
    return _k.reshape(_rows(input, other), tuple(input.shape[:-1]) + tuple(other.shape[:-1]))


def _rows(x, y):
    """Products of all pairs of rows, the other axes joined."""
    return _k.matmul(_k.reshape(x, (-1, x.shape[-1])), _k.reshape(y, (-1, y.shape[-1])), False, True)


def outer(input, vec2):
    """Products of all pairs of two vectors."""
    return _k.expand_dims(input, 1) * _k.expand_dims(vec2, 0)


def addn(x):
    """Sum of a sequence of tensors."""
    if isinstance(x, Tensor):
        return x
    if not x:
        raise ValueError("[addn] expected at least one tensor")
    total = x[0]
    for item in x[1:]:
        total = _k.add(total, item)
    return total


def clamp(input, min=None, max=None):
    """Limits elements to [min, max]; None leaves a side open."""
    if min is None and max is None:
        raise ValueError("[clamp] min and max, got None for both, expected one of them")
    if max is not None:
        input = _k.minimum(input, max)
    return input if min is None else _k.maximum(input, min)


clip = clamp


def clip_by_value(x, clip_value_min=None, clip_value_max=None):
    """As clamp; also on a list or tuple of tensors."""
    if isinstance(x, (list, tuple)):
        return type(x)([clamp(item, clip_value_min, clip_value_max) for item in x])
    return clamp(x, clip_value_min, clip_value_max)


def clip_by_norm(x, max_norm, norm_type=2.0, error_if_nonfinite=False):
    """Scales tensors down so that their joint norm is at most max_norm."""
    items = [x] if isinstance(x, Tensor) else list(x)
    norm = _k.pow(addn([_k.sum(_k.pow(_k.abs(item), norm_type)) for item in items]), 1.0 / norm_type)
    if error_if_nonfinite and not _k.isfinite(norm):
        raise RuntimeError("[clip_by_norm] norm of order %s, got %s, expected a finite number" % (norm_type, norm))
    scale = clamp(max_norm / (norm + 1e-6), max=1.0)
    scaled = [item * scale for item in items]
    return scaled[0] if isinstance(x, Tensor) else type(x)(scaled)


def clip_by_global_norm(x, clip_norm=1.0, use_norm=None):
    """Scales tensors by clip_norm / max(global norm, clip_norm)."""
    norm = _k.sqrt(addn([_k.sum(_k.square(item)) for item in x])) if use_norm is None else use_norm
    scale = clip_norm / _k.maximum(norm, clip_norm)
    return tuple([item * scale for item in x])


def nan_to_num(input, nan=0.0, posinf=None, neginf=None):
    """Replaces NaN and the infinities."""
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
    """Element-wise |input - other| <= atol + rtol |other|."""
    near = _k.less_equal(_k.abs(input - other), atol + rtol * _k.abs(other))
    near = _k.logical_or(near, _k.equal(input, other))
    if equal_nan:
        near = _k.logical_or(near, _k.logical_and(_k.not_equal(input, input), _k.not_equal(other, other)))
    return near


# -- reductions ------------------------------------------------------------------------------------------------------


def sum(input, dim=None, keepdim=False, dtype=None):
    """Sum over axes; None means all."""
    if dtype is not None:
        input = _k.cast(input, dtype)
    return _k.sum(input, dim, keepdim)


def mean(x, axis=None, keep_dims=False):
    """Mean over axes; None or () means all."""
    return _k.mean(x, None if axis == () else axis, keep_dims)


def prod(input, axis=None, keep_dims=False, dtype=None):
    """Product over axes; None means all."""
    if dtype is not None:
        input = _k.cast(input, dtype)
    return _k.prod(input, axis, keep_dims)


def amax(input, axis=None, keepdims=False):
    """Largest element over axes."""
    return _k.max(input, None if axis == () else axis, keepdims)


def amin(input, axis=None, keepdims=False):
    """Smallest element over axes."""
    return _k.min(input, None if axis == () else axis, keepdims)


def max(input, axis=None, keepdims=False):
    """(largest element, its index) over one axis, or of the whole tensor."""
    if axis is None:
        return _k.max(input), Tensor(0, mstype.int32)
    return _k.max(input, axis, keepdims), argmax(input, axis, keepdims)


def min(input, axis=None, keepdims=False):
    """(smallest element, its index) over one axis, or of the whole tensor."""
    if axis is None:
        return _k.min(input), Tensor(0, mstype.int32)
    return _k.min(input, axis, keepdims), argmin(input, axis, keepdims)


def argmax(input, dim=None, keepdim=False):
    """Index of the largest element."""
    return _k.argmax(input, dim, keepdim)


def argmin(input, axis=None, keepdims=False):
    """Index of the smallest element."""
    return _k.argmin(input, axis, keepdims)


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
    """Variance over axes."""
    centred = _k.square(input - _k.mean(input, axis, True))
    if not ddof:
        return _k.mean(centred, axis, keepdims)
    total = _k.sum(centred, axis, keepdims)
    count = input.size * 1.0 / (total.size if total.size else 1)
    return total / (count - int(ddof))


def std(input, axis=None, ddof=0, keepdims=False):
    """Standard deviation over axes."""
    return _k.sqrt(var(input, axis, ddof, keepdims))


def norm(A, ord=None, dim=None, keepdim=False, dtype=None):
    """Norm of vectors along one axis or of matrices along two; all elements as one vector where ord is None."""
    if dtype is not None:
        A = _k.cast(A, dtype)
    if ord is None:
        return _k.sqrt(_k.sum(_k.square(A), dim, keepdim))
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if dim is None:
        if A.ndim not in (1, 2):
            raise ValueError("[norm] dimensions of a tensor without dim, got %d, expected 1 or 2" % A.ndim)
        dims = (0, 1)[:A.ndim]
    if len(dims) == 2:
        return _matrix_norm(A, ord, dims[0] % A.ndim, dims[1] % A.ndim, keepdim)
    if isinstance(ord, str):
        raise TypeError("[norm] ord of vectors, got %r, expected a number" % ord)
    if ord in (_INF, -_INF):
        return (_k.max if ord > 0 else _k.min)(_k.abs(A), dims, keepdim)
    if ord == 0:
        return _k.sum(_k.cast(_k.not_equal(A, 0), A.dtype), dims, keepdim)
    if ord == 1:
        return _k.sum(_k.abs(A), dims, keepdim)
    if ord == 2:
        return _k.sqrt(_k.sum(_k.square(A), dims, keepdim))
    return _k.pow(_k.sum(_k.pow(_k.abs(A), ord), dims, keepdim), 1.0 / ord)


_INF = float("inf")


def _matrix_norm(A, ord, rows, columns, keepdim):
    if ord == "fro":
        return _k.sqrt(_k.sum(_k.square(A), (rows, columns), keepdim))
    if ord in (2, -2, "nuc"):
        raise NotImplementedError("[norm] ord of matrices, got %r, which needs singular values, expected 'fro', 1, -1, inf "
                                  "or -inf" % (ord,))
    if ord not in (1, -1, _INF, -_INF):
        raise ValueError("[norm] ord of matrices, got %r, expected 'fro', 1, -1, inf or -inf" % (ord,))
    added, chosen = (rows, columns) if ord in (1, -1) else (columns, rows)
    out = (_k.max if ord > 0 else _k.min)(_k.sum(_k.abs(A), added, True), chosen, True)
    return out if keepdim else _k.squeeze(out, (rows, columns))


def logsumexp(input, axis, keep_dims=False):
    """log(sum(exp(x))) over axes, without overflow."""
    top = _k.stop_gradient(_k.max(input, axis, True))
    out = _k.log(_k.sum(_k.exp(input - top), axis, True)) + top
    return out if keep_dims else _k.squeeze(out, axis)


reduce_sum, reduce_mean, reduce_max, reduce_min = sum, mean, amax, amin
reduce_prod, reduce_all, reduce_any = prod, all, any

__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and name not in ("mstype", "Tensor") and callable(value)]
