"""Convolutions."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_format, int_tuple
from ..common.initializer import HeUniform, Uniform, fans, initializer
from ..common.parameter import Parameter
from ..ops import registry as _k
from .basic import positive_int
from .cell import Cell

_PAD_MODES = ("same", "valid", "pad")


class _Conv(Cell):
    """Checks and Parameters common to all convolutions."""

    def __init__(self, where, dims, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
                 transposed, dtype):
        super().__init__()
        self.in_channels = positive_int(in_channels, where, "in_channels")
        self.out_channels = positive_int(out_channels, where, "out_channels")
        self.kernel_size = int_tuple(kernel_size, dims, where, "kernel_size")
        self.stride = int_tuple(stride, dims, where, "stride")
        self.dilation = int_tuple(dilation, dims, where, "dilation")
        self.group = positive_int(group, where, "group")
        if pad_mode not in _PAD_MODES:
            raise ValueError("[%s] pad_mode, got %r, expected 'same', 'valid' or 'pad'" % (where, pad_mode))
        if pad_mode != "pad" and padding not in (0, (0,) * (2 * dims)):
            raise ValueError("[%s] padding, got %r, expected 0 unless pad_mode is 'pad'" % (where, padding))
        if in_channels % group or out_channels % group:
            raise ValueError("[%s] in_channels and out_channels must be multiples of group, got %d, %d and %d"
                             % (where, in_channels, out_channels, group))
        if any(pad < 0 for pad in ((padding,) if isinstance(padding, int) else padding)):
            raise ValueError("[%s] padding must not be negative, got %s" % (where, padding))
        self.pad_mode, self.padding, self.dtype = pad_mode, padding, dtype
        self._pads = fixed_pads(self.kernel_size, self.stride, self.dilation, pad_mode, padding)
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self._weight_shape = (first, second // group) + self.kernel_size

    def _make_parameters(self, weight_init, bias_init, has_bias):
        shape = self._weight_shape
        fan_in = fans(shape)[0]
        if weight_init is None:
            weight_init = HeUniform(math.sqrt(5))
        self.weight = Parameter(initializer(weight_init, shape, self.dtype), name="weight")
        self.has_bias = has_bias
        self.bias = None
        if has_bias:
            if bias_init is None:
                bias_init = Uniform(1 / math.sqrt(fan_in))
            self.bias = Parameter(initializer(bias_init, [self.out_channels], self.dtype), name="bias")

    def extend_repr(self):
        return ("input_channels=%d, output_channels=%d, kernel_size=%s, stride=%s, pad_mode=%s, padding=%s, "
                "dilation=%s, group=%d, has_bias=%s" % (
                    self.in_channels, self.out_channels, self.kernel_size, self.stride, self.pad_mode, self.padding,
                    self.dilation, self.group, self.has_bias))


class Conv2d(_Conv):
    """2-D convolution of (N, C, H, W) inputs."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1,
                 group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCHW", dtype=mstype.float32):
        super().__init__("conv2d", 2, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation,
                         group, False, dtype)
        check_format(data_format, "conv2d")
        self._make_parameters(weight_init, bias_init, has_bias)

    def construct(self, x):
        pads = self._pads
        if pads is None:
            return ops.conv2d(x, self.weight, self.bias, self.stride, "same", 0, self.dilation, self.group)
        return _k.conv2d(x, self.weight, self.bias, self.stride, pads, self.dilation, self.group)


class Conv1d(_Conv):
    """1-D convolution of (N, C, L) inputs."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1,
                 group=1, has_bias=False, weight_init=None, bias_init=None, dtype=mstype.float32):
        super().__init__("conv1d", 1, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation,
                         group, False, dtype)
        self._weight_shape = self._weight_shape[:2] + (1,) + self.kernel_size
        self._make_parameters(weight_init, bias_init, has_bias)
        self._padding2d = padding if padding == 0 else (0, 0, padding, padding)

    def construct(self, x):
        y = ops.conv2d(ops.expand_dims(x, 2), self.weight, self.bias, (1,) + self.stride, self.pad_mode,
                       self._padding2d, (1,) + self.dilation, self.group)
        return ops.squeeze(y, 2)


def fixed_pads(kernel, stride, dilation, pad_mode, padding):
    """Padding before and after each axis, or None where it depends on the size of the input ('same', stride > 1)."""
    if pad_mode == "valid":
        return (0,) * (2 * len(kernel))
    if pad_mode == "pad":
        if isinstance(padding, int):
            return (padding,) * (2 * len(kernel))
        padding = tuple(padding)
        return padding if len(padding) == 2 * len(kernel) else tuple(p for p in padding for _ in (0, 1))
    if any(s != 1 for s in stride):
        return None
    totals = [d * (k - 1) for k, d in zip(kernel, dilation)]
    return tuple(p for total in totals for p in (total // 2, total - total // 2))
