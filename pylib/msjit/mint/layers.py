"""Layers of mint.nn with other parameter names than those of nn: thin Cells around functions and layers of nn."""
from .. import nn as _nn
from .. import ops as _ops
from ..common.checks import check_sequence
from .functional_keywords import avg_pool2d as _avg_pool2d
from .functional_keywords import conv_transpose2d as _conv_transpose2d
from .functional_keywords import max_pool2d as _max_pool2d
from .unbatched import one_or_many


def _extra(dtype):
    return {} if dtype is None else {"dtype": dtype}


def _split(where, padding, rank):
    """The (pad_mode, padding) of a layer of nn for a padding of mint."""
    if isinstance(padding, str):
        return padding, 0
    pads = (padding,) * rank if isinstance(padding, int) else tuple(check_sequence(padding, where, "padding", "an int, a str, a tuple or a list"))
    return "pad", tuple(p for p in pads for _ in (0, 1))


def inner_padding(where, padding, padding_mode):
    """The padding that the convolution itself does: none, where the input is padded before with something else than zeros."""
    if padding_mode not in ("zeros", "reflect", "replicate", "circular"):
        raise ValueError("[%s] padding_mode, got %r, expected 'zeros', 'reflect', 'replicate' or 'circular'" % (where, padding_mode))
    return padding if padding_mode == "zeros" else 0


def _amounts(padding, kernel_size, dilation):
    """The amounts for functional.pad, the last axis first. 'same' pads after the axis with what is left of an odd number."""
    if isinstance(padding, str):
        totals = [d * (k - 1) if padding == "same" else 0 for k, d in zip(kernel_size, dilation)]
        sides = [(total // 2, total - total // 2) for total in totals]
    else:
        sides = [(amount, amount) for amount in padding]
    return tuple(amount for side in reversed(sides) for amount in side)


class ConvNames:
    """Sets the attributes of mint's convolutions under mint's names."""

    _around = None  # what to pad the input with before the convolution

    def _name_arguments(self, rank, padding, groups, transposed=False, output_padding=0, padding_mode="zeros"):
        same = padding if isinstance(padding, (str, tuple)) else tuple(padding) if isinstance(padding, list) else (padding,) * rank
        self.padding, self.groups, self.padding_mode, self.transposed = same, groups, padding_mode, transposed
        self.output_padding = output_padding if isinstance(output_padding, tuple) else (output_padding,) * rank
        if padding_mode != "zeros":
            self._around = _amounts(same, self.kernel_size, self.dilation)

    def _padded(self, input):
        return input if self._around is None else _ops.pad(input, self._around, self.padding_mode)

    def extend_repr(self):
        return "input_channels=%d, output_channels=%d, kernel_size=%s, stride=%s, padding=%s, dilation=%s, groups=%d, bias=%s" % (
            self.in_channels, self.out_channels, self.kernel_size, self.stride, self.padding, self.dilation, self.groups,
            self.bias is not None)


class Conv1d(ConvNames, _nn.Cell):
    """1-D convolution: an input (N, in_channels, L), or (in_channels, L), gives (N, out_channels, L').

    The weight has the shape (out_channels, in_channels / groups, kernel_size). The arguments are those of mint.nn.Conv2d for one axis. Raises
    ValueError for another padding_mode, a kernel_size below 1 and another rank or number of channels.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", dtype=None):
        super().__init__()
        inner = inner_padding("conv1d", padding, padding_mode)
        made = _nn.Conv1d(in_channels, out_channels, kernel_size, stride, "valid", 0, dilation, groups, bias,
                          **_extra(dtype))
        weight = made.weight
        self.weight = type(weight)(_ops.squeeze(weight, 2).detach(), name="weight")
        self.bias = made.bias
        self.in_channels, self.out_channels = in_channels, out_channels
        self.kernel_size, self.stride, self.dilation = made.kernel_size[1:], made.stride[1:], made.dilation[1:]
        self.pad_mode, self._pads = _split("conv1d", inner, 1)
        self._name_arguments(1, padding, groups, padding_mode=padding_mode)

    def construct(self, input):
        return one_or_many(_ops.conv1d, 1, self._padded(input), self.weight, self.bias, self.stride, self.pad_mode, self._pads,
                           self.dilation, self.groups)


class Conv3d(ConvNames, _nn.Conv3d):
    """3-D convolution: (N, in_channels, D, H, W), or one volume without N, gives (N, out_channels, D', H', W'). As mint.nn.Conv2d, with three axes.

    The weight has the shape (out_channels, in_channels / groups, kD, kH, kW). Raises ValueError for another padding_mode, rank or number of
    channels, and for channels that `groups` does not divide.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", dtype=None):
        mode, pads = _split("conv3d", inner_padding("conv3d", padding, padding_mode), 3)
        super().__init__(in_channels, out_channels, kernel_size, stride, mode, pads, dilation, groups, bias,
                         **_extra(dtype))
        self._name_arguments(3, padding, groups, padding_mode=padding_mode)

    def construct(self, input):
        return one_or_many(super().construct, 3, self._padded(input))


class ConvTranspose2d(ConvNames, _nn.Conv2dTranspose):
    """Transposed 2-D convolution of (N, in_channels, H, W), or one image without N: the gradient of a convolution by its input.

    H becomes (H - 1) * stride - 2 * padding + dilation * (kH - 1) + output_padding + 1, and W likewise. A call may name the size of the
    result instead, `output_size`: (H, W) or the whole shape; output_padding is then not used. The weight has the shape (in_channels,
    out_channels / groups, kH, kW). Raises ValueError for another padding_mode than 'zeros', for another rank or number of channels, and
    for an output_size that no output_padding below the stride gives.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1, bias=True,
                 dilation=1, padding_mode="zeros", dtype=None):
        if padding_mode != "zeros":
            raise ValueError("[conv_transpose2d] padding_mode, got %r, expected 'zeros'" % (padding_mode,))
        mode, pads = _split("conv_transpose2d", padding, 2)
        super().__init__(in_channels, out_channels, kernel_size, stride, mode, pads, output_padding, dilation, groups,
                         bias, **_extra(dtype))
        self._name_arguments(2, padding, groups, True, self.output_padding)

    def construct(self, input, output_size=None):
        if output_size is None and not any(self.output_padding):
            return one_or_many(super().construct, 2, input)
        more = self.output_padding if output_size is None else self._more(input, output_size)  # where nn.Conv2dTranspose puts zeros
        return _conv_transpose2d(input, self.weight, self.bias, self.stride, self.padding, more, self.groups, self.dilation)

    def _more(self, input, output_size):
        """The output_padding that gives this size."""
        check_sequence(output_size, "conv_transpose2d", "output_size")
        least = [(n - 1) * s - 2 * p + d * (k - 1) + 1 for n, s, p, d, k in
                 zip(input.shape[-2:], self.stride, self.padding, self.dilation, self.kernel_size)]
        more = tuple([int(size) - n for size, n in zip(output_size[-2:], least)])
        if len(output_size) not in (2, input.ndim) or not all([0 <= m < s for m, s in zip(more, self.stride)]):
            raise ValueError("[conv_transpose2d] output_size, got %s, expected %s to %s" % (
                tuple(output_size), tuple(least), tuple([n + s - 1 for n, s in zip(least, self.stride)])))
        return more


class MaxPool2dExt(_nn.Cell):
    """Returns the largest element of each window of the last two axes of (N, C, H, W) or (C, H, W); stride is kernel_size by default.

    H becomes floor((H + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1, or ceil with ceil_mode. With return_indices it also
    returns the index of each in the flattened plane, int64. Raises ValueError for another rank and for windows that do not fit.
    """

    def __init__(self, kernel_size=1, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size, self.stride, self.padding, self.dilation = kernel_size, stride, padding, dilation
        self.return_indices, self.ceil_mode = return_indices, ceil_mode

    def construct(self, input):
        return _max_pool2d(input, self.kernel_size, self.stride, self.padding, self.dilation, self.ceil_mode, self.return_indices)


class AvgPool2dExt(_nn.Cell):
    """Returns the mean of each window of the last two axes of (N, C, H, W) or (C, H, W); stride is kernel_size by default.

    H becomes floor((H + 2 * padding - kernel_size) / stride) + 1, or ceil with ceil_mode. Without count_include_pad, padding does not count in
    the mean; divisor_override replaces the count. Raises ValueError for another rank and for windows that do not fit.
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        super().__init__()
        self.kernel_size, self.stride = kernel_size, kernel_size if stride is None else stride
        self.padding, self.ceil_mode, self.count_include_pad = padding, ceil_mode, count_include_pad
        self.divisor_override = divisor_override or 0

    def construct(self, input):
        return self._pool(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad,
                          self.divisor_override)

    _pool = staticmethod(_avg_pool2d)


class AvgPool3dExt(AvgPool2dExt):
    """Returns the mean of each window of the last three axes of (N, C, D, H, W) or (C, D, H, W). Everything else is as in AvgPool2d."""

    _pool = staticmethod(_ops.avg_pool3d)


class UnfoldExt(_nn.Cell):
    """Cuts patches out of (N, C, H, W) and lays them out as columns: (N, C * kH * kW, number of patches), channel by channel.

    There are floor((H + 2 * padding - dilation * (kH - 1) - 1) / stride) + 1 patches in a column of the image. Raises ValueError for another rank
    and for patches that do not fit.
    """

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size, self.dilation, self.padding, self.stride = kernel_size, dilation, padding, stride

    def construct(self, input):
        return _ops.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)


class Fold(UnfoldExt):
    """Sums patches, the columns of (N, C * kH * kW, number of patches), into images (N, C, H, W) of the size output_size.

    Where patches overlap, elements add up, so that it undoes Unfold only without overlap. Raises ValueError where the number of patches or
    channels does not fit.
    """

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
