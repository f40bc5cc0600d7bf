"""Transposed convolution layers."""
from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_format, int_tuple
from ..common.tensor import check_tensor
from ..ops.window_func import _pads, transposed
from .conv import _Conv, lifted_weight


def _deconv_output_length(is_valid, is_same, is_pad, input_length, filter_size, stride_size, dilation_size, padding):
    """The size of a transposed convolution along an axis, as layers of programs compute it; one of the flags says the pad_mode."""
    reach = filter_size + (filter_size - 1) * (dilation_size - 1)
    if is_valid:
        return input_length * stride_size + max(reach - stride_size, 0)
    if is_same:
        return input_length * stride_size
    return input_length * stride_size - padding + reach - stride_size if is_pad else 0


class _Transposed(_Conv):
    """The base class of transposed convolutions.

    The size of the result along an axis of stride s depends on pad_mode. With 'same' it is s times the input size. With
    'valid' it is longer by the amount that the kernel exceeds the stride. With 'pad' it is the input size that a
    convolution with this padding needs to give the size of this layer's input.
    """

    def __init__(self, where, dims, in_channels, out_channels, kernel_size, stride, pad_mode, padding, output_padding,
                 dilation, group, dtype):
        super().__init__(where, dims, in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group,
                         True, dtype)
        self.output_padding = int_tuple(output_padding, dims, where, "output_padding", 0)
        if pad_mode != "pad" and any(self.output_padding):
            raise ValueError("[%s] output_padding, got %s, expected 0 unless pad_mode is 'pad'" % (where, output_padding))
        self._where = where

    def _sizes(self, x):
        sizes, pads = [], []
        given = _pads(self._where, x.shape[2:], self.kernel_size, self.stride, self.dilation,
                      "pad" if self.pad_mode == "pad" else "valid", self._pads)
        for size, k, s, d, pad, more in zip(x.shape[2:], self.kernel_size, self.stride, self.dilation, given,
                                            self.output_padding):
            reach = (k - 1) * d + 1
            if self.pad_mode == "pad":
                size = (size - 1) * s + reach - pad[0] - pad[1] + (0 if self._zeros_after else more)
            elif self.pad_mode == "valid":
                size = size * s + max(reach - s, 0)
            else:
                need = max((size - 1) * s + reach - size * s, 0)
                size, pad = size * s, (need // 2, need - need // 2)
            sizes.append(size)
            pads.append(pad)
        return sizes, tuple(pads)

    def construct(self, x):
        if check_tensor(x, self._where).ndim != len(self.kernel_size) + 2:
            raise ValueError("[%s] input has a wrong rank, got %d, expected %d"
                             % (self._where, x.ndim, len(self.kernel_size) + 2))
        sizes, pads = self._sizes(x)
        weight = self.weight if self._squeezed is None else ops.squeeze(self.weight, self._squeezed)
        out = transposed(self._where, x, weight, self.bias, sizes, self.stride, pads, self.dilation, self.group)
        if self._zeros_after and any(self.output_padding):
            out = ops.pad(out, [n for more in self.output_padding[::-1] for n in (0, more)])
        return out

    _squeezed, _zeros_after = None, False


class Conv1dTranspose(_Transposed):
    """Transposed 1-D convolution: an input (N, in_channels, L) gives (N, out_channels, L').

    The arguments and the sizes are those of Conv2dTranspose for one axis. A Tensor as weight_init has the shape
    (in_channels, out_channels / group, kernel_size). Raises ValueError for an input of another rank or number of channels.
    """

    _squeezed = 2

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 has_bias=False, weight_init=None, bias_init=None, dtype=mstype.float32):
        super().__init__("conv1d_transpose", 1, in_channels, out_channels, kernel_size, stride, pad_mode, padding, 0,
                         dilation, group, dtype)
        self._weight_shape = self._weight_shape[:2] + (1,) + self.kernel_size
        self._make_parameters(lifted_weight("conv1d_transpose", weight_init, self.kernel_size[0]), bias_init, has_bias)
        self.squeeze, self.data_format = ops.Squeeze(2), "NCHW"
        size = (1,) + self.kernel_size
        self.conv2d_transpose = ops.Conv2DBackpropInput(
            in_channels, size, pad_mode, 0 if pad_mode != "pad" else (0, 0, padding, padding), None, 1, (1,) + self.stride,
            (1,) + self.dilation, group)

    def extend_repr(self):
        padding = (0, 0, self.padding, self.padding) if isinstance(self.padding, int) else self.padding
        return self._described(((1,) + self.kernel_size, (1,) + self.stride, padding, (1,) + self.dilation), "NCHW")


class Conv2dTranspose(_Transposed):
    """Transposed 2-D convolution: an input (N, in_channels, H, W) gives (N, out_channels, H', W'). It is the gradient of Conv2d by its input.

    The weight has the shape (in_channels, out_channels / group, kH, kW). H' is H * stride for pad_mode "same" and
    H * stride + max(dilation * (kH - 1) + 1 - stride, 0) for "valid". For "pad" it is
    (H - 1) * stride + dilation * (kH - 1) + 1 less the padding. The other arguments are those of Conv2d.

    As in MindSpore, output_padding adds zeros to the right and bottom of the result. Raises ValueError for an input of another rank or
    number of channels.

    >>> import msjit as ms
    >>> ms.nn.Conv2dTranspose(3, 8, 4, stride=2)(ms.ops.zeros((1, 3, 5, 5), ms.float32)).shape
    (1, 8, 10, 10)
    """

    _zeros_after = True

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, output_padding=0,
                 dilation=1, group=1, has_bias=False, weight_init=None, bias_init=None, dtype=mstype.float32):
        super().__init__("conv2d_transpose", 2, in_channels, out_channels, kernel_size, stride, pad_mode, padding,
                         output_padding, dilation, group, dtype)
        self._make_parameters(weight_init, bias_init, has_bias)
        self.data_format = "NCHW"
        self.conv2d_transpose = ops.Conv2DTranspose(in_channels, self.kernel_size, pad_mode, padding, None, 1, self.stride,
                                                    self.dilation, group)


class Conv3dTranspose(_Transposed):
    """Transposed 3-D convolution of (N, in_channels, D, H, W): the gradient of a convolution by its input. As Conv2dTranspose, with three axes.

    The weight has the shape (in_channels, out_channels / group, kD, kH, kW). Raises ValueError for another pad_mode than 'same', 'valid' and
    'pad' and for another rank or number of channels.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 output_padding=0, has_bias=False, weight_init=None, bias_init=None, data_format="NCDHW",
                 dtype=mstype.float32):
        super().__init__("conv3d_transpose", 3, in_channels, out_channels, kernel_size, stride, pad_mode, padding,
                         output_padding, dilation, group, dtype)
        check_format(data_format, "conv3d_transpose", "NCDHW")
        self._make_parameters(weight_init, bias_init, has_bias)
        self.data_format = data_format
        self.conv3d_transpose = ops.Conv3DTranspose(in_channels, out_channels, self.kernel_size, 1, pad_mode, padding, self.stride,
                                                    self.dilation, group, output_padding)
