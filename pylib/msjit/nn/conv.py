"""Convolution layers over one, two and three axes."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_format, int_tuple
from ..common.error_names import ERRORS, rename
from ..common.initializer import HeUniform, Uniform, fans, initializer
from ..common.parameter import Parameter
from ..common.tensor import Tensor
from .basic import positive_int
from .cell import Cell

__all__ = ["Conv2d", "Conv2dTranspose", "Conv1d", "Conv1dTranspose", "Conv3d", "Conv3dTranspose"]

_PAD_MODES = ("same", "valid", "pad")
# Primitives that the layers have as attributes, because subclasses call them.
_BIAS_ADD, _EXPAND_DIMS = ops.BiasAdd(), ops.ExpandDims()


class _Conv(Cell):
    """The checks and Parameters that all convolutions share."""

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
        self._pads = padding  # the padding that is used: setting `padding` later changes nothing, as in MindSpore
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self._weight_shape = (first, second // group) + self.kernel_size

    def _make_parameters(self, weight_init, bias_init, has_bias):
        shape = self._weight_shape
        fan_in = fans(shape)[0]
        if weight_init is None:
            weight_init = HeUniform(math.sqrt(5))
        self.weight = Parameter(initializer(weight_init, shape, self.dtype), name="weight")
        self.has_bias = has_bias
        self.bias, self.weight_init = None, weight_init
        if has_bias:
            if bias_init is None:
                bias_init = Uniform(1 / math.sqrt(fan_in))
            self.bias = Parameter(initializer(bias_init, [self.out_channels], self.dtype), name="bias")
        self.bias_init = bias_init

    def extend_repr(self):
        return self._described((self.kernel_size, self.stride, self.padding, self.dilation),
                               "NCDHW" if len(self.kernel_size) == 3 else "NCHW")

    def _described(self, sizes, data_format):
        kernel_size, stride, padding, dilation = sizes
        return ("input_channels=%d, output_channels=%d, kernel_size=%s, stride=%s, pad_mode=%s, padding=%s, "
                "dilation=%s, group=%d, has_bias=%s, weight_init=%s, bias_init=%s, format=%s" % (
                    self.in_channels, self.out_channels, kernel_size, stride, self.pad_mode, padding,
                    dilation, self.group, self.has_bias, self.weight_init, self.bias_init, data_format))


def lifted_weight(where, init, size):
    """The initializer of a 1-D layer's weight: a Tensor (O, C, size) gets an axis of height 1, other initializers stay.

    Raises ValueError if a Tensor does not have three axes.
    """
    if not isinstance(init, Tensor):
        return init
    if init.ndim != 3:
        raise ValueError("[%s] weight_init, got a Tensor of shape %s, expected three axes, the last of size %d"
                         % (where, tuple(init.shape), size))
    return ops.expand_dims(init, 2)


class Conv2d(_Conv):
    """2-D convolution: an input (N, in_channels, H, W) gives (N, out_channels, H', W').

    The weight has the shape (out_channels, in_channels / group, kH, kW); as in all such libraries it is not turned round.
    kernel_size, stride and dilation are an int or (height, width).

    pad_mode "same" pads with zeros so that H' is H / stride, rounded up. "valid" pads nothing. "pad" pads by `padding`, an int or
    (top, bottom, left, right). Only has_bias=True gives a bias, (out_channels,). By default the weight is drawn by
    HeUniform(sqrt(5)) and the bias uniformly from +-1 / sqrt(in_channels / group * kH * kW).

    Raises ValueError for sizes below 1, channels that `group` does not divide, an unknown pad_mode, `padding` with another pad_mode
    than "pad", and for an input of another rank or number of channels.

    >>> import msjit as ms
    >>> ms.nn.Conv2d(3, 8, 3, stride=2)(ms.ops.zeros((1, 3, 16, 16), ms.float32)).shape
    (1, 8, 8, 8)
    >>> ms.nn.Conv2d(3, 8, 3, pad_mode="valid")(ms.ops.zeros((1, 3, 16, 16), ms.float32)).shape
    (1, 8, 14, 14)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1,
                 group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCHW", dtype=mstype.float32):
        super().__init__("conv2d", 2, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation,
                         group, False, dtype)
        check_format(data_format, "conv2d")
        self._make_parameters(weight_init, bias_init, has_bias)
        self.data_format, self.bias_add = data_format, _BIAS_ADD
        self.conv2d = ops.Conv2D(out_channels, self.kernel_size, 1, pad_mode, padding, self.stride, self.dilation, group)

    def construct(self, x):
        return self.conv2d.run(x, self.weight, self.bias)


class Conv1d(_Conv):
    """1-D convolution: an input (N, in_channels, L) gives (N, out_channels, L').

    The arguments are those of Conv2d for one axis: kernel_size, stride, padding and dilation are ints. The weight is kept with an axis
    of height 1, (out_channels, in_channels / group, 1, kernel_size). A Tensor as weight_init has the shape without that axis.

    Raises ValueError as Conv2d does.

    >>> import msjit as ms
    >>> ms.nn.Conv1d(3, 8, 4, pad_mode="valid")(ms.ops.zeros((2, 3, 10), ms.float32)).shape
    (2, 8, 7)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1,
                 group=1, has_bias=False, weight_init=None, bias_init=None, dtype=mstype.float32):
        super().__init__("conv1d", 1, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation,
                         group, False, dtype)
        self._weight_shape = self._weight_shape[:2] + (1,) + self.kernel_size
        self._make_parameters(lifted_weight("conv1d", weight_init, self.kernel_size[0]), bias_init, has_bias)
        self.kernel_size, self.stride, self.dilation = (1,) + self.kernel_size, (1,) + self.stride, (1,) + self.dilation
        self.padding = (0, 0, padding, padding)
        self.expand_dims, self.squeeze, self.bias_add, self.data_format = _EXPAND_DIMS, ops.Squeeze(2), _BIAS_ADD, "NCHW"
        self.conv2d = ops.Conv2D(out_channels, self.kernel_size, 1, pad_mode, self.padding, self.stride, self.dilation, group)

    def construct(self, x):
        try:
            return ops.squeeze(self.conv2d.run(ops.expand_dims(x, 2), self.weight, self.bias), 2)
        except ERRORS as error:
            rename(error, "conv1d", self._misfit(x))
            raise

    def _misfit(self, x):
        """What an error says of an input of the wrong rank or number of channels; None for others."""
        shape = getattr(x, "shape", None)
        if shape is None or (len(shape) == 3 and shape[1] == self.in_channels):
            return None
        return "shape of the input, got %s, expected (N, %d, L)" % (shape, self.in_channels)


class Conv3d(_Conv):
    """3-D convolution: an input (N, in_channels, D, H, W) gives (N, out_channels, D', H', W').

    The arguments are those of Conv2d for three axes: an int or (depth, height, width), and for `padding` an int or six ints. The weight
    has the shape (out_channels, in_channels / group, kD, kH, kW). Raises ValueError as Conv2d does.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1,
                 group=1, has_bias=False, weight_init=None, bias_init=None, data_format="NCDHW", dtype=mstype.float32):
        super().__init__("conv3d", 3, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation,
                         group, False, dtype)
        check_format(data_format, "conv3d", "NCDHW")
        self._make_parameters(weight_init, bias_init, has_bias)
        self.data_format = data_format
        self.conv3d = ops.Conv3D(out_channels, self.kernel_size, 1, pad_mode, padding, self.stride, self.dilation, group)

    def construct(self, x):
        return ops.conv3d(x, self.weight, self.bias, self.stride, self.pad_mode, self._pads, self.dilation, self.group)


for _kind in (Conv1d, Conv2d, Conv3d):
    _kind._keeps_casts = _kind
del _kind

from .conv_transpose import (  # noqa: E402,F401 - built upon _Conv
    Conv1dTranspose,
    Conv2dTranspose,
    Conv3dTranspose,
    _deconv_output_length,
)
