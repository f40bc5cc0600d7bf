"""Layers that rearrange, resize and pad: thin Cells around functions of ops."""
from .. import ops
from ..common import dtype as mstype
from ..ops import registry as _k
from .cell import Cell


class _Padded(Cell):
    """Pads the last axes: an int for all sides, or (left, right, top, bottom, ...)."""

    _axes, _mode, _value = 1, "constant", None

    def __init__(self, padding):
        super().__init__()
        name, sides = type(self).__name__, 2 * self._axes
        if isinstance(padding, int) and not isinstance(padding, bool):
            padding = (padding,) * sides
        if not isinstance(padding, tuple) or len(padding) % 2 or len(padding) > 2 * self._axes:
            raise ValueError("[%s] padding, got %r, expected an int or a tuple of %d ints" % (name, padding, sides))
        self.padding = padding

    def construct(self, x):
        if x.ndim < self._axes:
            raise ValueError("[%s] input has a wrong rank, got %d, expected at least %d"
                             % (type(self).__name__, x.ndim, self._axes))
        return ops.pad(x, self.padding, self._mode, self._value)

    def extend_repr(self):
        return "padding=%s" % (self.padding,)


class ZeroPad2d(_Padded):
    """Zeros around the last two axes."""

    _axes = 2


class ConstantPad1d(_Padded):
    """A value around the last axis."""

    def __init__(self, padding, value):
        super().__init__(padding)
        self._value = value


class ConstantPad3d(ConstantPad1d):
    """A value around the last three axes."""

    _axes = 3


class ReflectionPad1d(_Padded):
    """The last axis goes on as in a mirror that lies on its ends."""

    _mode = "reflect"


class ReflectionPad2d(ReflectionPad1d):
    """The last two axes go on as in mirrors that lie on their ends."""

    _axes = 2


class ReflectionPad3d(ReflectionPad1d):
    """The last three axes go on as in mirrors that lie on their ends."""

    _axes = 3


class ReplicationPad1d(_Padded):
    """The ends of the last axis, repeated."""

    _mode = "replicate"


class ReplicationPad2d(ReplicationPad1d):
    """The ends of the last two axes, repeated."""

    _axes = 2


class ReplicationPad3d(ReplicationPad1d):
    """The ends of the last three axes, repeated."""

    _axes = 3


class PixelShuffle(Cell):
    """(..., C r r, H, W) as (..., C, H r, W r)."""

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input):
        return ops.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """(..., C, H r, W r) as (..., C r r, H, W)."""

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input):
        return ops.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """Channels of all groups in turn."""

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def construct(self, x):
        return ops.channel_shuffle(x, self.groups)


class Upsample(Cell):
    """Other sizes for the axes after (N, C); see ops.interpolate."""

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x):
        return ops.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)


class Unflatten(Cell):
    """One axis as several."""

    def __init__(self, axis, unflattened_size):
        super().__init__()
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x):
        axis = self.axis % input_x.ndim
        return ops.reshape(input_x, tuple(input_x.shape[:axis]) + self.unflattened_size + tuple(input_x.shape[axis + 1:]))


class Roll(Cell):
    """The elements moved along axes."""

    def __init__(self, shift, axis):
        super().__init__()
        self.shift, self.axis = shift, axis

    def construct(self, input_x):
        return ops.roll(input_x, self.shift, self.axis)


class Tril(Cell):
    """The lower triangle of matrices."""

    def construct(self, x, k=0):
        return ops.tril(x, k)


class Triu(Cell):
    """The upper triangle of matrices."""

    def construct(self, x, k=0):
        return ops.triu(x, k)


class MatMul(Cell):
    """Matrix product, of transposed operands where asked."""

    def __init__(self, transpose_x1=False, transpose_x2=False):
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2

    def construct(self, x1, x2):
        return _k.matmul(x1, x2, self.transpose_x1, self.transpose_x2)


class Range(Cell):
    """Numbers from start to limit (exclusive), int32 or float32."""

    def __init__(self, start, limit=None, delta=1):
        super().__init__()
        if delta == 0:
            raise ValueError("[range] delta must not be 0")
        self.start, self.limit = (0, start) if limit is None else (start, limit)
        self.delta = delta
        self._dtype = mstype.float32 if any(isinstance(n, float) for n in (start, limit, delta)) else mstype.int32

    def construct(self):
        return _k.arange(self.start, self.limit, self.delta, self._dtype)


class LRN(Cell):
    """Normalises by the squares of the nearest channels; see ops.lrn."""

    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
        super().__init__()
        self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region = depth_radius, bias, alpha, beta, norm_region

    def construct(self, input_x):
        return ops.lrn(input_x, self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region)


class LGamma(Cell):
    """Logarithm of the absolute value of the gamma function."""

    def construct(self, x):
        return ops.lgamma(x)


class DiGamma(Cell):
    """Derivative of LGamma."""

    def construct(self, x):
        return ops.digamma(x)


class ReduceLogSumExp(Cell):
    """log(sum(exp(x))) over axes."""

    def __init__(self, axis, keep_dims=False):
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims

    def construct(self, x):
        return ops.logsumexp(x, self.axis, self.keep_dims)


class ImageGradients(Cell):
    """(differences of rows, differences of columns) of (N, C, H, W), zero at the far edges."""

    def construct(self, images):
        if images.ndim != 4:
            raise ValueError("[image_gradients] input has a wrong rank, got %d, expected 4" % images.ndim)
        down = ops.pad(images[:, :, 1:] - images[:, :, :-1], (0, 0, 0, 1))
        right = ops.pad(images[:, :, :, 1:] - images[:, :, :, :-1], (0, 1))
        return down, right


class CentralCrop(Cell):
    """The middle part of images (..., H, W)."""

    def __init__(self, central_fraction):
        super().__init__()
        if not 0 < central_fraction <= 1:
            raise ValueError("[central_crop] central_fraction, got %s, expected one in (0, 1]" % central_fraction)
        self.central_fraction = central_fraction

    def construct(self, image):
        cuts = [int((n - n * self.central_fraction) / 2) for n in image.shape[-2:]]
        (top, left), (height, width) = cuts, image.shape[-2:]
        return image[..., top:height - top, left:width - left]


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
