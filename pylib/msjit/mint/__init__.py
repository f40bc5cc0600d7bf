"""msjit.mint: the newer spellings of common functions, with the argument names of PyTorch."""
from .. import _paths, ops as _ops
from ..absent import attributes as _absent
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_position as _check_position
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.methods_shared import written as _written
from ..common.tensor import Tensor  # noqa: F401
from ..common.tensor import check_tensor as _check_tensor
from ..ops import (  # noqa: F401
    abs, arange, argmax, broadcast_to, clamp, cos, div, eq, erf, exp, eye, full,
    full_like, greater, isclose, less, log, logical_and, logical_not, logical_or, masked_fill,
    matmul, maximum, minimum, mul, ne, neg, nonzero, one_hot, ones_like, reciprocal, relu, rsqrt, sigmoid, sin, sqrt, square, sum,
    tanh, unsqueeze, zeros_like,
)
from ..ops import (  # noqa: F401
    acos, acosh, addbmm, addcdiv, addcmul, addmm, addmv, allclose, arccos, arccosh, arcsin, arcsinh, arctan, arctan2,
    arctanh, asin, asinh, atan, atan2, atanh, baddbmm, bitwise_and, bitwise_not, bitwise_or, bitwise_xor, ceil,
    cosh, cross, cumprod, divide, dot, dstack, einsum, erfc, erfinv, exp2, expm1, flip, float_power, floor, floor_divide, fmod,
    gcd, greater_equal, gt, histc, hstack, inverse, isfinite, isinf, isnan, isneginf, kthvalue, le, lerp, less_equal,
    log10, log1p, log2, logaddexp, logaddexp2, logical_xor, lt, masked_select, mm, mv, negative, not_equal, outer, ravel,
    imag, polar, real, remainder, reshape, roll, round, searchsorted, sign, sinc, sinh, swapaxes, take, tan,
    trace, tril, triu, trunc, unbind, unique_consecutive, xlogy,
)
from ..ops import clamp as clip, greater_equal as ge, trunc as fix  # noqa: F401
from . import functional, linalg, nn, optim, special  # noqa: F401
from .keyword_func import *  # noqa: F403
from .overloaded_func import *  # noqa: F403
from .linear_func import *  # noqa: F403
from .random_func import *  # noqa: F403
from .shape_func import *  # noqa: F403
from .tensor_func import *  # noqa: F403


def bmm(input, mat2):
    """Multiplies two stacks of matrices, one pair after another: (b, n, m) times (b, m, p) gives (b, n, p), in the dtype of the operands.

    Raises ValueError unless both have three axes and the sizes fit, TypeError for different dtypes and for anything but Tensors.
    """
    _check_tensor(input, "bmm"), _check_tensor(mat2, "bmm")
    if input.ndim != 3 or mat2.ndim != 3:
        raise ValueError("[bmm] operands must have 3 axes, got %d and %d" % (input.ndim, mat2.ndim))
    return _ops.bmm(input, mat2)


def flatten(input, start_dim=0, end_dim=-1):
    """Joins the axes from start_dim to end_dim into one, by default all. A tensor without axes gives one of shape (1,).

    Raises ValueError for an axis that the input does not have, and where start_dim comes after end_dim; TypeError for anything but a Tensor.
    """
    return _ops.flatten(input, start_dim=start_dim, end_dim=end_dim)


def gather(input, dim, index):
    """Picks elements along one axis: for two axes and dim 0, out[i][j] = input[index[i][j]][j]; for dim 1, out[i][j] = input[i][index[i][j]].

    index is a Tensor of integers with as many axes as the input; negative ones count from the end. The result has the shape of index and
    the dtype of input. Raises IndexError for an index outside the axis, ValueError for another number of axes, TypeError for floats.
    """
    _check_tensor(input, "gather")
    try:
        return _ops.gather_elements(input, dim, index)
    except _ERRORS as error:
        _rename(error, "gather")
        raise


def select(input, dim, index):
    """Returns the slice at one index along an axis; the result lacks that axis. A negative index counts from the end.

    Raises IndexError for an index outside the axis, ValueError for an axis that the input does not have, TypeError where index is no int.
    """
    dim = _check_axis(dim, _check_tensor(input, "select").ndim, "select", "dim")
    return _ops.squeeze(_ops.narrow(input, dim, _check_position(index, input.shape[dim], "select"), 1), dim)


def t(input):
    """Exchanges the first two axes: the transpose of a matrix. A tensor of fewer axes is returned as it is.

    Raises TypeError for anything but a Tensor.
    """
    return _ops.swapaxes(input, 0, 1) if _check_tensor(input, "t").ndim > 1 else input


def isnan(tensor):
    """Says where elements are NaN: booleans in the shape of the tensor. A complex number is NaN if its real or imaginary part is.

    Integers are never NaN. Raises TypeError for anything but a Tensor.
    """
    if isinstance(tensor, _ops.Tensor) and tensor.is_complex():
        return _ops.logical_or(_ops.isnan(_ops.real(tensor)), _ops.isnan(_ops.imag(tensor)))
    return _ops.isnan(tensor)


def squeeze(input, dim):
    """Removes the axis `dim`, or each axis of a tuple of them, if its size is 1; other axes stay as they are.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _ops.squeeze(input, dim)


def transpose(input, dim0, dim1):
    """Exchanges two axes, in a new tensor. Negative axes count from the end.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    try:
        return _ops.swapaxes(input, dim0, dim1)
    except _ERRORS as error:
        _rename(error, "transpose")
        raise


def item(input):
    """Returns the one element of a tensor as a Python number.

    Raises RuntimeError unless there is exactly one element, TypeError for anything but a Tensor.
    """
    _check_tensor(input, "item")
    if input.size != 1:
        raise RuntimeError("[item] size of input, got %d, expected 1" % input.size)
    return input.item()


def addr_(input, vec1, vec2, beta=1, alpha=1):
    """Computes beta * input + alpha * outer(vec1, vec2), writes it to input and returns input.

    input is (n, m), vec1 (n,) and vec2 (m,); the result is cast to the dtype of input. Raises ValueError for sizes that do not fit.
    """
    return _written("addr_", _check_tensor(input, "addr_"), _ops.addr(input, vec1, vec2, beta=beta, alpha=alpha))


_paths.extend(__path__)  # noqa: F405
__getattr__ = _absent(__name__)

_paths.reach(__name__)
