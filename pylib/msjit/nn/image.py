"""Layers for images: pixel shuffling, resizing, local normalisation, gradients, cropping."""
from .. import ops
from ..common.checks import check_numeric
from .cell import Cell


class PixelShuffle(Cell):
    """Rearranges (..., C * r * r, H, W) to (..., C, H * r, W * r), where r is upscale_factor."""

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input):
        return ops.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """Rearranges (..., C, H * r, W * r) to (..., C * r * r, H, W), where r is downscale_factor."""

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input):
        return ops.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """Interleaves the groups of channels (axis 1): the first channel of each group, then the second of each, and so on."""

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def construct(self, x):
        return ops.channel_shuffle(x, self.groups)


class Upsample(Cell):
    """Resizes the axes after (N, C), as ops.interpolate."""

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x):
        return ops.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)


class LRN(Cell):
    """Local response normalisation: divides by a power of the squares of the nearest channels, as ops.lrn."""

    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
        super().__init__()
        self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region = depth_radius, bias, alpha, beta, norm_region

    def construct(self, input_x):
        return ops.lrn(input_x, self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region)


class ImageGradients(Cell):
    """Returns (differences of rows, differences of columns) of (N, C, H, W) images; the last row and column are zero."""

    def construct(self, images):
        if images.ndim != 4:
            raise ValueError("[image_gradients] input has a wrong rank, got %d, expected 4" % images.ndim)
        down = ops.pad(images[:, :, 1:] - images[:, :, :-1], (0, 0, 0, 1))
        right = ops.pad(images[:, :, :, 1:] - images[:, :, :, :-1], (0, 1))
        return down, right


class CentralCrop(Cell):
    """Cuts out the middle of images (..., H, W), the fraction central_fraction of each side."""

    def __init__(self, central_fraction):
        super().__init__()
        if not 0 < check_numeric(central_fraction, "central_crop", "central_fraction") <= 1:
            raise ValueError("[central_crop] central_fraction, got %s, expected one in (0, 1]" % (central_fraction,))
        self.central_fraction = central_fraction

    def construct(self, image):
        cuts = [int((n - n * self.central_fraction) / 2) for n in image.shape[-2:]]
        (top, left), (height, width) = cuts, image.shape[-2:]
        return image[..., top:height - top, left:width - left]


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
