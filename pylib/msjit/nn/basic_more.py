"""Layers without a family of their own that basic.py does not hold."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.initializer import Uniform, initializer
from ..common.parameter import Parameter
from ..common.tensor import check_tensor
from .basic import positive_int
from .cell import Cell


class BiDense(Cell):
    """x1 W x2 + b for each output: (N, ..., in1) and (N, ..., in2) give (N, ..., out)."""

    def __init__(self, in1_channels, in2_channels, out_channels, weight_init=None, bias_init=None, has_bias=True,
                 dtype=mstype.float32):
        super().__init__()
        self.in1_channels = positive_int(in1_channels, "bidense", "in1_channels")
        self.in2_channels = positive_int(in2_channels, "bidense", "in2_channels")
        self.out_channels = positive_int(out_channels, "bidense", "out_channels")
        if not isinstance(has_bias, bool):
            raise TypeError("[bidense] has_bias must be a bool, got %s" % type(has_bias).__name__)
        bound = Uniform(1 / math.sqrt(in1_channels))
        shape = [out_channels, in1_channels, in2_channels]
        self.weight = Parameter(initializer(bound if weight_init is None else weight_init, shape, dtype), name="weight")
        self.has_bias, self.bias = has_bias, None
        if has_bias:
            self.bias = Parameter(initializer(bound if bias_init is None else bias_init, [out_channels], dtype), name="bias")

    def construct(self, input1, input2):
        check_tensor(input1, "bidense"), check_tensor(input2, "bidense")
        if input1.shape[-1] != self.in1_channels or input2.shape[-1] != self.in2_channels \
                or input1.shape[:-1] != input2.shape[:-1]:
            raise ValueError("[bidense] shapes of the inputs, got %s and %s, expected (..., %d) and (..., %d)"
                             % (input1.shape, input2.shape, self.in1_channels, self.in2_channels))
        rows = input1.reshape(-1, self.in1_channels)
        weight = ops.transpose(self.weight, (1, 0, 2)).reshape(self.in1_channels, -1)
        product = ops.matmul(rows, weight).reshape(-1, self.out_channels, self.in2_channels)
        out = ops.sum(product * input2.reshape(-1, 1, self.in2_channels), -1)
        out = out if self.bias is None else out + self.bias
        return out.reshape(input1.shape[:-1] + (self.out_channels,))


class _ChannelDropout(Cell):
    """Zeroes whole channels with probability p in training, and scales the others."""

    _ranks = (3,)

    def __init__(self, p=0.5):
        super().__init__()
        where = type(self).__name__
        if not isinstance(p, float):
            raise TypeError("[%s] p must be a float, got %s" % (where, type(p).__name__))
        if not 0 <= p <= 1:
            raise ValueError("[%s] p must be in [0, 1], got %s" % (where, p))
        self.p = p

    def construct(self, x):
        if check_tensor(x, type(self).__name__).ndim not in self._ranks:
            raise ValueError("[%s] rank of the input, got %d, expected one of %s"
                             % (type(self).__name__, x.ndim, self._ranks))
        if not self.training or self.p == 0:
            return x
        channels = x.shape[:2] if x.ndim == self._ranks[-1] else x.shape[:1]
        mask = ops.dropout(ops.ones(channels + (1,) * (x.ndim - len(channels)), x.dtype), self.p, True)
        return x * mask

    def extend_repr(self):
        return "p=%s" % self.p


class Dropout1d(_ChannelDropout):
    """Zeroes whole channels of (N, C, L) or (C, L) inputs with probability p in training, and scales the others."""

    _ranks = (2, 3)


class Dropout2d(_ChannelDropout):
    """Zeroes whole channels of (N, C, H, W) inputs with probability p in training, and scales the others."""

    _ranks = (4,)


class Dropout3d(_ChannelDropout):
    """Zeroes whole channels of (N, C, D, H, W) inputs with probability p in training, and scales the others."""

    _ranks = (5,)


class Norm(Cell):
    """Square root of the sum of squares over axes; all by default."""

    def __init__(self, axis=(), keep_dims=False):
        super().__init__()
        if not isinstance(keep_dims, bool):
            raise TypeError("[norm] keep_dims must be a bool, got %s" % type(keep_dims).__name__)
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x):
        axes = self.axis if self.axis != () else tuple(range(x.ndim))
        return ops.sqrt(ops.registry.sum(ops.square(x), axes, self.keep_dims))

    def extend_repr(self):
        return "axis=%s, keep_dims=%s" % (self.axis, self.keep_dims)


class OneHot(Cell):
    """on_value where the new axis of size `depth` is the index, else off_value."""

    def __init__(self, axis=-1, depth=1, on_value=1.0, off_value=0.0, dtype=mstype.float32):
        super().__init__()
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise TypeError("[one_hot] axis must be an int, got %s" % type(axis).__name__)
        self.axis, self.depth = axis, depth
        self.on_value, self.off_value, self.dtype = on_value, off_value, dtype

    def construct(self, indices):
        axis = self.axis if self.axis >= 0 else indices.ndim
        shape = [1] * (indices.ndim + 1)
        shape[axis] = self.depth
        hit = ops.expand_dims(indices, axis) == ops.arange(0, self.depth, 1, dtype=indices.dtype).reshape(tuple(shape))
        blank = ops.full(hit.shape, self.off_value, dtype=self.dtype)
        return ops.where(hit, ops.full_like(blank, self.on_value), blank)


class L1Regularizer(Cell):
    """scale times the sum of absolute values."""

    def __init__(self, scale):
        super().__init__()
        if isinstance(scale, bool) or not isinstance(scale, (int, float)):
            raise TypeError("[l1_regularizer] scale must be a number, got %s" % type(scale).__name__)
        if not 0 < scale < math.inf:
            raise ValueError("[l1_regularizer] scale must be positive and finite, got %s" % scale)
        self.scale = scale

    def construct(self, weights):
        return ops.sum(ops.abs(weights)) * self.scale


class Unflatten(Cell):
    """One axis as several, whose sizes may have one -1."""

    def __init__(self, axis, unflattened_size):
        super().__init__()
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise TypeError("[unflatten] axis must be an int, got %s" % type(axis).__name__)
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError("[unflatten] unflattened_size must be a tuple, got %s" % type(unflattened_size).__name__)
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x):
        axis, shape = self.axis % input_x.ndim, input_x.shape
        return input_x.reshape(shape[:axis] + self.unflattened_size + shape[axis + 1:])


class Tril(Cell):
    """The lower triangle of each matrix: elements on and below diagonal k."""

    def construct(self, x, k=0):
        return ops.tril(x, k)


class Triu(Cell):
    """The upper triangle of each matrix: elements on and above diagonal k."""

    def construct(self, x, k=0):
        return ops.triu(x, k)


class Moments(Cell):
    """(mean, variance) over axes."""

    def __init__(self, axis=None, keep_dims=None):
        super().__init__()
        self.axis = tuple(axis) if isinstance(axis, list) else axis
        self.keep_dims = bool(keep_dims)

    def construct(self, x):
        if check_tensor(x, "moments").dtype not in (mstype.float16, mstype.float32):
            raise TypeError("[moments] dtype of the input, got %s, expected float16 or float32" % x.dtype)
        axes = (self.axis,) if isinstance(self.axis, int) else self.axis or tuple(range(x.ndim))
        mean = ops.mean(x, axes, True)
        variance = ops.mean(ops.square(x - ops.stop_gradient(mean)), axes, True)
        if self.keep_dims:
            return mean, variance
        return ops.squeeze(mean, axes), ops.squeeze(variance, axes)


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) over axes."""

    def __init__(self, axis, keep_dims=False):
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x):
        return ops.logsumexp(x, self.axis, self.keep_dims)


class MatMul(Cell):
    """The matrix product, of transposed matrices where asked for."""

    def __init__(self, transpose_x1=False, transpose_x2=False):
        super().__init__()
        for name, value in (("transpose_x1", transpose_x1), ("transpose_x2", transpose_x2)):
            if not isinstance(value, bool):
                raise TypeError("[matmul] %s must be a bool, got %s" % (name, type(value).__name__))
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2

    def construct(self, x1, x2):
        if self.transpose_x1 and x1.ndim > 1:
            x1 = ops.swapaxes(x1, -1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = ops.swapaxes(x2, -1, -2)
        return ops.matmul(x1, x2)
