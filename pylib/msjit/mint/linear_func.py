"""Products, distances, systems of equations and convolutions of mint that differ from those of ops in names, defaults or results."""
from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.checks import check_sizes as _check_sizes
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import check_tensor as _check_tensor
from ..ops import registry as _k
from .unbatched import one_or_many as _one_or_many


def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """Solves A x = b for a triangular matrix A (n, n) and right sides b (n, k), or stacks of both; returns (x, A).

    Only the upper triangle of A is read, or the lower one without `upper`. transpose solves A^T x = b; unitriangular takes the diagonal as ones.
    Raises ValueError for shapes that do not fit, TypeError unless both are floats or complex numbers of one dtype.
    """
    _check_tensor(b, "triangular_solve"), _check_tensor(A, "triangular_solve")
    factor = _k.triu(A) if upper else _k.tril(A)
    if unitriangular:
        factor = _k.where(_k.eye(A.shape[-1], A.shape[-1], _mstype.bool_), 1, factor)
    if transpose and A.is_complex():  # matrix_solve also conjugates what it transposes; this undoes it
        factor = _k.conj(factor)
    try:
        return _k.matrix_solve(factor, b, transpose), A
    except _ERRORS as error:
        _rename(error, "triangular_solve")
        raise


def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """Computes the p-norm distance of every row of x1 (..., n, m) from every row of x2 (..., k, m): a tensor (..., n, k).

    p is 0 or more, inf for the largest difference. compute_mode is ignored. Integers give float32. Raises ValueError for a negative p and
    for shapes that do not fit, TypeError for anything but Tensors.
    """
    return _ops.cdist(x1, x2, p)


def vdot(input, other):
    """Sums the products of the elements of two vectors of one length; of complex numbers the first vector is conjugated.

    Raises ValueError for other ranks and for different lengths, TypeError for anything but Tensors.
    """
    _check_tensor(input, "vdot"), _check_tensor(other, "vdot")
    if input.ndim != 1 or other.ndim != 1:
        raise ValueError("[vdot] operands must be vectors, got %d and %d axes" % (input.ndim, other.ndim))
    if input.size != other.size:
        raise ValueError("[vdot] sizes must match, got %d and %d" % (input.size, other.size))
    return _k.sum((_k.conj(input) if input.is_complex() else input) * other)


def nan_to_num(input, nan=None, posinf=None, neginf=None):
    """Replaces NaN by `nan` (0 by default), and infinities by posinf and neginf (the limits of the dtype by default). The input holds floats.

    Raises TypeError for integers, for replacements that are no numbers and for anything but a Tensor.
    """
    return _ops.nan_to_num(input, 0.0 if nan is None else nan, posinf, neginf)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """2-D convolution (cross-correlation) of (N, C, H, W) or (C, H, W) with weight (O, C / groups, kH, kW) and bias (O,).

    Channel o of the result is the sum, over the channels of its group and the window, of x times weight[o], plus bias[o].
    stride, dilation and padding are an int or one for each axis; padding is also 'same' or 'valid'. H becomes
    floor((H + 2 * padding - dilation * (kH - 1) - 1) / stride) + 1, and W likewise. Raises ValueError for shapes, paddings or groups that do not
    fit, TypeError for integers and for different dtypes.
    """
    return _convolved(_ops.conv2d, 2, input, weight, bias, stride, padding, dilation, groups)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """1-D convolution (cross-correlation) of (N, C, L) or (C, L) with weight (O, C / groups, k), plus bias (O,). As conv2d, with one axis:
    L becomes floor((L + 2 * padding - dilation * (k - 1) - 1) / stride) + 1. Errors are those of conv2d.
    """
    return _convolved(_ops.conv1d, 1, input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """3-D convolution (cross-correlation) of (N, C, D, H, W) or (C, D, H, W) with weight (O, C / groups, kD, kH, kW), plus bias (O,). As conv2d,
    with three axes; sizes and errors are those of conv2d.
    """
    return _convolved(_ops.conv3d, 3, input, weight, bias, stride, padding, dilation, groups)


def _convolved(conv, rank, input, weight, bias, stride, padding, dilation, groups):
    _check_tensor(input, conv.__name__)
    mode, pads = padding, 0
    if not isinstance(padding, str):
        sides = _check_sizes(padding, conv.__name__, "padding")
        if len(sides) not in (1, rank):
            raise ValueError("[%s] padding, got %d numbers, expected one or %d" % (conv.__name__, len(sides), rank))
        sides = sides * rank if len(sides) == 1 else sides
        mode, pads = "pad", tuple(p for p in sides for _ in (0, 1))
    return _one_or_many(conv, rank, input, weight, bias, stride, mode, pads, dilation, groups)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
