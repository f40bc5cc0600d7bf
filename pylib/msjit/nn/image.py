"""Layers for images: pixel shuffling, resizing, local normalisation, gradients, cropping."""
from .. import ops
from ..common.checks import check_numeric
from ..common.tensor import check_tensor
from .cell import Cell


class PixelShuffle(Cell):
    """Rearranges (..., C * r * r, H, W) to (..., C, H * r, W * r), where r is upscale_factor (Shi et al. 2016).

    Each pixel of r * r channels becomes a block of r x r pixels. Raises ValueError for channels that r * r does not divide and for less than
    three axes, TypeError for an r that is no int.
    """

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def construct(self, input):
        return ops.pixel_shuffle(input, self.upscale_factor)


class PixelUnshuffle(Cell):
    """Rearranges (..., C, H * r, W * r) to (..., C * r * r, H, W), where r is downscale_factor: the inverse of PixelShuffle.

    Raises ValueError for rows or columns that r does not divide and for less than three axes, TypeError for anything but a Tensor.
    """

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def construct(self, input):
        return ops.pixel_unshuffle(input, self.downscale_factor)


class ChannelShuffle(Cell):
    """Interleaves the groups of channels (axis 1): the first channel of each group, then the second of each, and so on (Zhang et al. 2018).

    Raises ValueError for a number of channels that `groups` does not divide, TypeError for anything but a Tensor.
    """

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def construct(self, x):
        return ops.channel_shuffle(x, self.groups)


class Upsample(Cell):
    """Resizes the axes after (N, C) to `size` (an int or one for each axis) or by `scale_factor`, as ops.interpolate.

    mode is 'nearest', 'nearest-exact', 'linear', 'bilinear', 'trilinear', 'bicubic' or 'area'. As in MindSpore, a scale_factor in mode 'nearest'
    needs recompute_scale_factor=True. Raises ValueError for another mode, for a rank that it does not take, and unless size or scale_factor is
    given.
    """

    def __init__(self, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
        super().__init__()
        self.size, self.scale_factor, self.mode = size, scale_factor, mode
        self.align_corners, self.recompute_scale_factor = align_corners, recompute_scale_factor

    def construct(self, x):
        return ops.interpolate(x, self.size, self.scale_factor, self.mode, self.align_corners, self.recompute_scale_factor)


class LRN(Cell):
    """Local response normalisation of (N, C, H, W): x / (bias + alpha * s)^beta (Krizhevsky et al. 2012).

    s is the sum of squares over the channel itself and depth_radius channels on either side. Raises ValueError for another rank and another
    norm_region than 'ACROSS_CHANNELS'.
    """

    def __init__(self, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
        super().__init__()
        self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region = depth_radius, bias, alpha, beta, norm_region

    def construct(self, input_x):
        return ops.lrn(input_x, self.depth_radius, self.bias, self.alpha, self.beta, self.norm_region)


class ImageGradients(Cell):
    """Returns (differences of neighbouring rows, differences of neighbouring columns) of (N, C, H, W) images, both in the shape of the input.

    The last row of the first and the last column of the second are 0. Raises ValueError for another rank, TypeError for anything but a Tensor.
    """

    def construct(self, images):
        if check_tensor(images, "image_gradients").ndim != 4:
            raise ValueError("[image_gradients] input has a wrong rank, got %d, expected 4" % images.ndim)
        down = ops.pad(images[:, :, 1:] - images[:, :, :-1], (0, 0, 0, 1))
        right = ops.pad(images[:, :, :, 1:] - images[:, :, :, :-1], (0, 1))
        return down, right


class CentralCrop(Cell):
    """Cuts out the middle of images (..., H, W), the fraction central_fraction of each side.

    Of n rows or columns int((n - n * central_fraction) / 2) are cut off on either side. Raises ValueError for a fraction outside (0, 1] and for
    less than two axes, TypeError for a fraction that is no number and for anything but a Tensor.
    """

    def __init__(self, central_fraction):
        super().__init__()
        if not 0 < check_numeric(central_fraction, "central_crop", "central_fraction") <= 1:
            raise ValueError("[central_crop] central_fraction, got %s, expected one in (0, 1]" % (central_fraction,))
        self.central_fraction = central_fraction

    def construct(self, image):
        if check_tensor(image, "central_crop").ndim < 2:
            raise ValueError("[central_crop] rank of the image, got %d, expected 2 or more" % image.ndim)
        cuts = [int((n - n * self.central_fraction) / 2) for n in image.shape[-2:]]
        (top, left), (height, width) = cuts, image.shape[-2:]
        return image[..., top:height - top, left:width - left]


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
