"""Layers of mint.nn that call one function of mint.nn.functional: pooling, resizing, padding, shrinking and gating."""
from .. import nn as _nn
from .. import ops as _ops
from ..common import dtype as mstype
from ..common.checks import check_int as _check_int
from ..common.checks import check_real as _check_real
from ..common.tensor import Tensor, check_tensor
from . import functional


class AvgPool1dExt(_nn.Cell):
    """Returns the mean of each window of the last axis of (N, C, L) or (C, L); stride is kernel_size by default.

    L becomes floor((L + 2 * padding - kernel_size) / stride) + 1, or ceil with ceil_mode. Without count_include_pad, padding does not count in
    the mean. Raises ValueError for a padding above half the window, TypeError for integers and for anything but a Tensor.
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding
        self.ceil_mode, self.count_include_pad = ceil_mode, count_include_pad

    def construct(self, input):
        return functional.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                                     self.count_include_pad)


class AdaptiveAvgPool1d(_nn.Cell):
    """Takes the mean of each of output_size windows of the last axis of (N, C, L) or (C, L), so that this axis gets the size output_size.

    Window i goes from floor(i * L / output_size) to ceil((i + 1) * L / output_size). Raises TypeError for an output_size that is no int.
    """

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def construct(self, input):
        return _ops.adaptive_avg_pool1d(input, self.output_size)

    def extend_repr(self):
        return "output_size=%s" % (self.output_size,)


class AdaptiveMaxPool1d(_nn.Cell):
    """Takes the largest element of each of output_size windows of the last axis of (N, C, L) or (C, L); windows are as in AdaptiveAvgPool1d.

    With return_indices it also returns their indices in that axis, int64. Raises ValueError for less than two axes.
    """

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def construct(self, input):
        return functional.adaptive_max_pool1d(input, self.output_size, self.return_indices)

    def extend_repr(self):
        return "output_size=%s, return_indices=%s" % (self.output_size, self.return_indices)


class AdaptiveAvgPool2d(_nn.AdaptiveAvgPool2d):
    """Takes the means of windows of (N, C, H, W) or (C, H, W), chosen so that the last two axes get the size output_size, an int or two.

    Window i of an axis of n elements goes from floor(i * n / size) to ceil((i + 1) * n / size); None keeps a size. Raises ValueError for another
    rank and for sizes below 1, TypeError for sizes that are no ints.
    """

    def __init__(self, output_size):
        super().__init__(output_size)
        self._given = output_size

    def extend_repr(self):
        return "output_size=%s" % (self._given,)


class _Upsampling2d(_nn.Cell):
    """Resizes the last two axes of (N, C, H, W) to size (two ints) or by scale_factor (two floats). As in MindSpore, a
    single number raises TypeError, and none or both of the arguments raise ValueError."""

    _mode = {}

    def __init__(self, size=None, scale_factor=None):
        super().__init__()
        self.size, self.scale_factor = size, scale_factor

    def construct(self, input):
        where, given = type(self).__name__, [v for v in (self.size, self.scale_factor) if v is not None]
        if len(given) != 1:
            raise ValueError("[%s] size and scale_factor, got %s of them, expected one" % (where, len(given)))
        if not isinstance(given[0], (tuple, list)):
            raise TypeError("[%s] size or scale_factor, got %s, expected a tuple or list of 2"
                            % (where, type(given[0]).__name__))
        if len(given[0]) != 2:
            raise ValueError("[%s] length of size or scale_factor, got %d, expected 2" % (where, len(given[0])))
        if check_tensor(input, where).ndim != 4:
            raise ValueError("[%s] rank of the input, got %d, expected 4" % (where, input.ndim))
        if self.size is None:
            _check_real(self.scale_factor[0], where, "scale_factor"), _check_real(self.scale_factor[1], where, "scale_factor")
        if self.size is not None:
            return functional.interpolate(input, tuple(self.size), **self._mode)
        return self._scaled(input, [int(size * factor) for size, factor in zip(input.shape[-2:], self.scale_factor)])

    def _scaled(self, input, sizes):
        """Resizes the input to sizes computed from factors. In bilinear mode with aligned corners only the sizes matter."""
        return functional.interpolate(input, tuple(sizes), **self._mode)


class UpsamplingNearest2d(_Upsampling2d):
    __doc__ = _Upsampling2d.__doc__ + " An element is the nearest one."

    _mode = {"mode": "nearest"}

    def _scaled(self, input, sizes):
        # Positions are i / factor. The ratio of the sizes would differ from the factor where the sizes are rounded.
        for axis, count, factor in zip((2, 3), sizes, self.scale_factor):
            rows = [min(int(i / factor), input.shape[axis] - 1) for i in range(count)]
            input = _ops.gather(input, Tensor(rows, mstype.int64), axis)
        return input


class UpsamplingBilinear2d(_Upsampling2d):
    __doc__ = _Upsampling2d.__doc__ + " Elements lie between their neighbours; the corners stay."

    _mode = {"mode": "bilinear", "align_corners": True}


class _ZeroPad(_nn.Cell):
    """Pads the last axes with zeros; padding is an int for every side, or a tuple or list of ints (left, right, ...).
    Negative numbers cut off. Raises ValueError for any other padding."""

    _sides = 2

    def __init__(self, padding):
        super().__init__()
        where = type(self).__name__
        if isinstance(padding, int) and not isinstance(padding, bool):
            padding = (padding,) * self._sides
        if not isinstance(padding, (tuple, list)):
            raise ValueError("[%s] padding, got %s, expected an int or a tuple or list of %d ints"
                             % (where, padding, self._sides))
        if len(padding) != self._sides:
            raise ValueError("[%s] length of padding, got %d, expected %d" % (where, len(padding), self._sides))
        self.padding = tuple(_check_int(side, where, "padding") for side in padding)

    def construct(self, input):
        pairs = [self.padding[i:i + 2] for i in range(0, self._sides, 2)]
        if check_tensor(input, type(self).__name__).ndim < len(pairs):
            raise ValueError("[%s] rank of the input, got %d, expected at least %d"
                             % (type(self).__name__, input.ndim, len(pairs)))
        for axis, (before, after) in zip(range(input.ndim - 1, -1, -1), pairs):
            start, size = max(-before, 0), input.shape[axis]
            if before < 0 or after < 0:
                input = _ops.narrow(input, axis, start, size - start - max(-after, 0))
        return functional.pad(input, tuple(max(side, 0) for side in self.padding))


class ZeroPad1d(_ZeroPad):
    __doc__ = _ZeroPad.__doc__


class ZeroPad2d(_ZeroPad):
    __doc__ = _ZeroPad.__doc__

    _sides = 4


class ZeroPad3d(_ZeroPad):
    __doc__ = _ZeroPad.__doc__

    _sides = 6


class GLU(_nn.Cell):
    """Gated linear unit: the first half of the axis `dim` times the sigmoid of the second half (Dauphin et al. 2016).

    The axis of the result is half as long. Raises ValueError for an odd size and for an axis that the input does not have.
    """

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def construct(self, input):
        return functional.glu(input, self.dim)


class SoftShrink(_nn.Cell):
    """Moves x towards 0 by lambd, element by element; elements with |x| <= lambd become 0. Shape and dtype are those of x.

    Raises ValueError for a negative lambd, TypeError for anything but a Tensor.
    """

    def __init__(self, lambd=0.5):
        super().__init__()
        self.lambd = lambd

    def construct(self, input):
        return functional.softshrink(input, self.lambd)


# a printed network shows the class name; programs use this one
AvgPool1d = AvgPool1dExt
