"""Layers of mint.nn with other parameter names than those of nn: thin Cells around functions and layers of nn."""
from .. import nn as _nn
from .. import ops as _ops


def _extra(dtype):
    return {} if dtype is None else {"dtype": dtype}


def _split(padding, rank):
    """The (pad_mode, padding) of a layer of nn for a padding of mint."""
    if isinstance(padding, str):
        return padding, 0
    pads = (padding,) * rank if isinstance(padding, int) else tuple(padding)
    return "pad", tuple(p for p in pads for _ in (0, 1))


def _zeros_only(where, padding_mode):
    if padding_mode != "zeros":
        raise NotImplementedError("[%s] padding_mode, got %r, expected 'zeros'" % (where, padding_mode))


class ConvNames:
    """Sets the attributes of mint's convolutions under mint's names."""

    def _name_arguments(self, rank, padding, groups, transposed=False, output_padding=0):
        same = padding if isinstance(padding, (str, tuple)) else tuple(padding) if isinstance(padding, list) else (padding,) * rank
        self.padding, self.groups, self.padding_mode, self.transposed = same, groups, "zeros", transposed
        self.output_padding = output_padding if isinstance(output_padding, tuple) else (output_padding,) * rank

    def extend_repr(self):
        return "input_channels=%d, output_channels=%d, kernel_size=%s, stride=%s, padding=%s, dilation=%s, groups=%d, bias=%s" % (
            self.in_channels, self.out_channels, self.kernel_size, self.stride, self.padding, self.dilation, self.groups,
            self.bias is not None)


class Conv1d(ConvNames, _nn.Cell):
    """1-D convolution of (N, C, L) inputs with symmetric padding, and a bias by default; the weight is (O, C / groups, k)."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", dtype=None):
        super().__init__()
        _zeros_only("conv1d", padding_mode)
        made = _nn.Conv1d(in_channels, out_channels, kernel_size, stride, "valid", 0, dilation, groups, bias,
                          **_extra(dtype))
        weight = made.weight
        self.weight = type(weight)(_ops.squeeze(weight, 2).detach(), name="weight")
        self.bias = made.bias
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.dilation = made.kernel_size[1:], made.stride[1:], made.dilation[1:]
        self.pad_mode, self._pads = _split(padding, 1)
        self._name_arguments(1, padding, groups)

    def construct(self, input):
        return _ops.conv1d(input, self.weight, self.bias, self.stride, self.pad_mode, self._pads, self.dilation,
                           self.groups)


class Conv3d(ConvNames, _nn.Conv3d):
    """3-D convolution of (N, C, D, H, W) inputs with symmetric padding, and a bias by default."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", dtype=None):
        _zeros_only("conv3d", padding_mode)
        mode, pads = _split(padding, 3)
        super().__init__(in_channels, out_channels, kernel_size, stride, mode, pads, dilation, groups, bias,
                         **_extra(dtype))
        self._name_arguments(3, padding, groups)

    def construct(self, input):
        return super().construct(input)


class ConvTranspose2d(ConvNames, _nn.Conv2dTranspose):
    """Transposed 2-D convolution of (N, C, H, W) inputs with symmetric padding, and a bias by default."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", dtype=None):
        _zeros_only("conv_transpose2d", padding_mode)
        mode, pads = _split(padding, 2)
        super().__init__(in_channels, out_channels, kernel_size, stride, mode, pads, output_padding, dilation, groups,
                         bias, **_extra(dtype))
        self._name_arguments(2, padding, groups, True, self.output_padding)


class MaxPool2dExt(_nn.Cell):
    """Returns the largest element of each window of the last two axes; stride is kernel_size by default."""

    def __init__(self, kernel_size=1, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size, self.stride, self.padding, self.dilation = kernel_size, stride, padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def construct(self, input):
        return _ops.max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.return_indices,
                               self.ceil_mode)


class AvgPool2dExt(_nn.Cell):
    """Returns the mean of each window of the last two axes; stride is kernel_size by default."""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad
        self.divisor_override = divisor_override or 0

    def construct(self, input):
        return self._pool(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
                          self.divisor_override)

    _pool = staticmethod(_ops.avg_pool2d)


class AvgPool3dExt(AvgPool2dExt):
    """Returns the mean of each window of the last three axes; stride is kernel_size by default."""

    _pool = staticmethod(_ops.avg_pool3d)


class UnfoldExt(_nn.Cell):
    """Cuts patches out of (N, C, H, W) and lays them out as columns: (N, C * kH * kW, number of patches)."""

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def construct(self, input):
        return _ops.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(UnfoldExt):
    """Undoes Unfold, summing patches that overlap: from columns to images (N, C, H, W)."""

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__(kernel_size, dilation, padding, stride)
        self.output_size = output_size

    def construct(self, input):
        return _ops.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding, self.stride)


# a printed network shows the class names; programs use these
Unfold = UnfoldExt
MaxPool2d = MaxPool2dExt
AvgPool2d = AvgPool2dExt
AvgPool3d = AvgPool3dExt
