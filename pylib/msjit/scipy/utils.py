"""mindspore.scipy.utils: helpers and checks that programs take from there, as matchers of detection networks do."""
from .. import ops
from ..common import dtype as mstype
from ..common.sparse_tensor import CSRTensor
from ..common.tensor import Tensor

_NARROWER = {mstype.float64: mstype.float32, mstype.int64: mstype.int32}


def _convert_64_to_32(tensor):
    return ops.cast(tensor, _NARROWER[tensor.dtype]) if tensor.dtype in _NARROWER else tensor


def _to_tensor(*args, dtype=None):
    found = []
    for arg in args:
        if isinstance(arg, (int, float, bool, list, tuple)):
            arg = Tensor(arg)
            arg = _convert_64_to_32(arg) if dtype is None else ops.cast(arg, dtype)
        elif not isinstance(arg, Tensor):
            raise ValueError("[_to_tensor] argument, got %s, expected a Tensor, a number or a list" % type(arg).__name__)
        found.append(arg)
    return found[0] if len(found) == 1 else tuple(found)


def _to_scalar(arr):
    if isinstance(arr, (int, float, bool)):
        return arr
    if isinstance(arr, Tensor):
        return arr if arr.shape else arr.asnumpy().item()
    raise ValueError("[_to_scalar] argument, got %s, expected a number or a Tensor" % type(arr).__name__)


def _eps(x):
    return ops.Eps()(x[(0,) * x.ndim])


def _norm(x, ord_=None):
    return ops.max(ops.abs(x))[0] if ord_ == float("inf") else ops.sqrt(ops.sum(x ** 2))


def _safe_normalize(x, threshold=None):
    """(x / norm, norm), where a norm that is not above the threshold, by default the dtype's rounding, gives zeros."""
    norm = ops.sqrt(ops.sum(x ** 2))
    if threshold is None:
        threshold = _eps(x) if x.dtype in (mstype.float32, mstype.float64) else 0
    use = norm > threshold
    return ops.where(use, x / norm, ops.zeros_like(x)), ops.where(use, norm, ops.zeros_like(norm))


def sparse_dot(a, b):
    """The product of a CSRTensor and a dense vector or matrix of one column."""
    return ops.reshape(ops.csr_mv(a, ops.reshape(b, (b.shape[0], -1))), tuple(a.shape[:-1]) + tuple(b.shape[1:]))


def _matvec(a, b):
    if isinstance(a, Tensor):
        return ops.matmul(a, b)
    return sparse_dot(a, b) if isinstance(a, CSRTensor) else a(b)


def _nd_transpose(a):
    if a.ndim < 2:
        raise ValueError("[_nd_transpose] ndim, got %d, expected at least 2" % a.ndim)
    return ops.swapaxes(a, -1, -2)


def _refuse(error, func_name, name, got, expected):
    raise error("[%s] %s, got %s, expected %s" % (func_name, name, got, expected))


def _type_check(func_name, arg1, arg2, arg_name=""):
    if not isinstance(arg1, arg2):
        _refuse(TypeError, func_name, arg_name, type(arg1).__name__, arg2)
    return arg1, arg2


def _mstype_check(func_name, arg, arg_mstype, arg_name="a"):
    wanted = tuple(arg_mstype) if isinstance(arg_mstype, (list, tuple)) else (arg_mstype,)
    if not isinstance(ops.typeof(arg), wanted):
        _refuse(TypeError, func_name, arg_name, type(arg).__name__, " or ".join(getattr(kind, "__name__", str(kind)) for kind in wanted))
    return ops.typeof(arg), arg_mstype


def _dtype_check(func_name, arg, arg_dtype, arg_name="a"):
    if arg.dtype not in arg_dtype:
        _refuse(TypeError, func_name, "data type of %s" % arg_name, arg.dtype, ", ".join(map(str, arg_dtype)))
    return arg.dtype, arg_dtype


def _square_check(func_name, arg, arg_name="a"):
    if arg.ndim != 2 or arg.shape[0] != arg.shape[1]:
        _refuse(ValueError, func_name, "shape of %s" % arg_name, tuple(arg.shape), "a square matrix")
    return arg


def _solve_check(func_name, arg1, arg2, arg1_name="a", arg2_name="b", sparse=False):
    _square_check(func_name, arg1, arg1_name)
    if arg2.ndim not in (1, 2) or arg2.shape[0] != arg1.shape[1] or (sparse and arg2.ndim == 2 and arg2.shape[1] != 1):
        _refuse(ValueError, func_name, "shape of %s" % arg2_name, tuple(arg2.shape), "one that fits %s" % (tuple(arg1.shape),))
    if arg1.dtype != arg2.dtype:
        _refuse(TypeError, func_name, "data type of %s" % arg2_name, arg2.dtype, arg1.dtype)
    return arg1, arg2
