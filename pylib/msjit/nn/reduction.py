"""Reductions over axes as Cells: norms, moments, regularisers."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_operand
from ..common.error_names import ERRORS, rename
from ..common.tensor import check_tensor
from .cell import Cell


class Norm(Cell):
    """Computes the 2-norm, sqrt(sum(x^2)), over axes: an int, a tuple of ints, or () for all. With keep_dims they stay, with size 1.

    Integers give float32. Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.

    >>> import msjit as ms
    >>> float(ms.nn.Norm()(ms.Tensor([3.0, 4.0])))
    5.0
    """

    def __init__(self, axis=(), keep_dims=False):
        super().__init__()
        if not isinstance(keep_dims, bool):
            raise TypeError("[norm] keep_dims must be a bool, got %s" % type(keep_dims).__name__)
        self.axis, self.keep_dims = axis, keep_dims
        self.reduce_sum = ops.ReduceSum(True)

    def construct(self, x):
        axes = self.axis if self.axis != () else tuple(range(check_tensor(x, "norm").ndim))
        try:
            return ops.sqrt(ops.registry.sum(ops.square(x), axes, self.keep_dims))
        except ERRORS as error:
            rename(error, "norm")
            raise

    def extend_repr(self):
        return "axis=%s, keep_dims=%s" % (self.axis, self.keep_dims)


class ClipByNorm(Cell):
    """Scales x down where its 2-norm over `axis` (by default of all elements) exceeds clip_norm: x * clip_norm / max(norm, clip_norm).

    It is called with (x, clip_norm). The result has the shape of x and is float32. Raises ValueError for an axis that x does not have.
    """

    def __init__(self, axis=None):
        super().__init__()
        self.axis = axis

    def construct(self, x, clip_norm):
        check_operand(clip_norm, "clip_by_norm", "clip_norm")
        x = ops.cast(x, mstype.float32)
        norm = ops.sqrt(ops.sum(ops.square(x), self.axis, True))
        return x * clip_norm / ops.maximum(norm, clip_norm)


class L1Regularizer(Cell):
    """Computes scale * sum(|x|) of all elements, one number.

    Raises ValueError for a scale that is not positive and finite, TypeError for one that is no number and for anything but a Tensor.
    """

    def __init__(self, scale):
        super().__init__()
        if isinstance(scale, bool) or not isinstance(scale, (int, float)):
            raise TypeError("[l1_regularizer] scale must be a number, got %s" % type(scale).__name__)
        if not 0 < scale < math.inf:
            raise ValueError("[l1_regularizer] scale must be positive and finite, got %s" % (scale,))
        self.scale = scale

    def construct(self, weights):
        return ops.sum(ops.abs(check_tensor(weights, "l1_regularizer"))) * self.scale


class Moments(Cell):
    """Returns (mean, variance) over axes, an int or several, or None for all; with keep_dims the axes stay, with size 1.

    The variance is divided by the number of elements. Raises TypeError for another dtype than float16 and float32.
    """

    def __init__(self, axis=None, keep_dims=None):
        super().__init__()
        self.axis = tuple(axis) if isinstance(axis, list) else axis
        self.keep_dims = bool(keep_dims)
        self.reduce_mean, self.squeeze = ops.ReduceMean(True), ops.Squeeze(self.axis or ())

    def construct(self, x):
        if check_tensor(x, "moments").dtype not in (mstype.float16, mstype.float32):
            raise TypeError("[moments] dtype of the input, got %s, expected float16 or float32" % (x.dtype,))
        axes = (self.axis,) if isinstance(self.axis, int) else self.axis or tuple(range(x.ndim))
        mean = ops.mean(x, axes, True)
        variance = ops.mean(ops.square(x - ops.stop_gradient(mean)), axes, True)
        if self.keep_dims:
            return mean, variance
        return ops.squeeze(mean, axes), ops.squeeze(variance, axes)


class ReduceLogSumExp(Cell):
    """Computes log(sum(exp(x))) over an axis or a tuple of axes, without overflow. With keep_dims the axes stay, with size 1; integers give float32.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """

    def __init__(self, axis, keep_dims=False):
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims
        self.sum, self.max = ops.ReduceSum(keep_dims), ops.ReduceMax(True)

    def construct(self, x):
        return ops.logsumexp(x, self.axis, self.keep_dims)
