"""Primitives for images (resizing, patches, transposed convolution), for norms over axes, and a few losses."""
from ..common import dtype as _mstype
from ..common.checks import check_format, int_tuple
from ..common.tensor import Tensor, check_tensor
from . import nn_func as _n
from . import registry as _k
from . import resize_func as _resize
from .argument_kinds import check_iterable, is_index
from .primitive import Primitive


class _Resize(Primitive):
    """Base of the primitives that resize (N, C, H, W) images to a size given as an input."""

    _mode = None

    def __init__(self, align_corners=False, half_pixel_centers=False):
        super().__init__()
        for what, value in (("align_corners", align_corners), ("half_pixel_centers", half_pixel_centers)):
            if not isinstance(value, bool):
                raise TypeError("[%s] %s, got %s, expected a bool" % (self.name, what, type(value).__name__))
        if align_corners and half_pixel_centers:
            raise ValueError("[%s] half_pixel_centers, got True, expected False where align_corners is True" % self.name)
        self.align_corners, self.half_pixel_centers = align_corners, half_pixel_centers

    def __call__(self, image, size):
        if check_tensor(image, self.name).ndim != 4:
            raise ValueError("[%s] rank of image, got %d, expected 4" % (self.name, image.ndim))
        sizes = int_tuple(tuple(size.tolist() if isinstance(size, Tensor) else size), 2, self.name, "size")
        return _resize.resize(image, sizes, self._mode, self.align_corners, self.half_pixel_centers)


class ResizeBilinearV2(_Resize):
    """Resizes images (N, C, H, W) to (height, width) by bilinear interpolation: ops.ResizeBilinearV2()(image, size)."""

    _mode = "linear"


class ResizeNearestNeighborV2(_Resize):
    """Resizes images (N, C, H, W) to (height, width) by nearest neighbours: ops.ResizeNearestNeighborV2()(image, size)."""

    _mode = "nearest"


class ResizeNearestNeighbor(ResizeNearestNeighborV2):
    """Resizes images (N, C, H, W) by nearest neighbours to the attribute size. half_pixel_centers has no effect, as in MindSpore."""

    def __init__(self, size, align_corners=False, half_pixel_centers=False):
        super().__init__(align_corners)
        self.size = int_tuple(size, 2, self.name, "size")

    def __call__(self, x):
        return super().__call__(x, self.size)


class ResizeBilinear(ResizeBilinearV2):
    """Resizes images (N, C, H, W) by bilinear interpolation to the attribute size; MindSpore's name until 2.0."""

    def __init__(self, size, align_corners=False, half_pixel_centers=False):
        super().__init__(align_corners, half_pixel_centers)
        self.size = int_tuple(size, 2, self.name, "size")

    def __call__(self, x):
        return super().__call__(x, self.size)


def _four(value, where, what):
    """Reads [1, row, column, 1]; returns (row, column)."""
    if not isinstance(value, (tuple, list)):
        raise TypeError("[%s] %s, got %s, expected a tuple or a list" % (where, what, type(value).__name__))
    if len(value) != 4 or value[0] != 1 or value[3] != 1:
        raise ValueError("[%s] %s, got %r, expected [1, row, column, 1]" % (where, what, value))
    return int_tuple(tuple(value[1:3]), 2, where, what)


class ExtractImagePatches(Primitive):
    """Extracts windows of (N, C, H, W) images along axis 1: (N, rows * columns * C, H', W'), with channels fastest.

    ksizes, strides and rates are [1, row, column, 1]. padding is "valid", or "same", which pads with zeros.
    """

    def __init__(self, ksizes, strides, rates, padding="valid"):
        super().__init__()
        self.ksizes, self.strides = _four(ksizes, self.name, "ksizes"), _four(strides, self.name, "strides")
        self.rates = _four(rates, self.name, "rates")
        if not isinstance(padding, str) or padding.lower() not in ("same", "valid"):
            raise ValueError("[%s] padding, got %r, expected 'same' or 'valid'" % (self.name, padding))
        self.padding = padding.lower()

    def __call__(self, input_x):
        if check_tensor(input_x, self.name).ndim != 4:
            raise ValueError("[%s] rank of input_x, got %d, expected 4" % (self.name, input_x.ndim))
        lengths = [rate * (size - 1) + 1 for size, rate in zip(self.ksizes, self.rates)]
        if self.padding == "same":
            top, bottom, left, right = _n._pads(self.name, input_x.shape[2:], self.ksizes, self.strides, self.rates, "same", 0)
            input_x = _k.pad(input_x, [0, 0, top, left], [0, 0, bottom, right], 0)
        counts = [(n - length) // step + 1 for n, length, step in zip(input_x.shape[2:], lengths, self.strides)]
        if min(counts) < 1:
            raise ValueError("[%s] size of input_x, got %s, expected at least %s"
                             % (self.name, tuple(input_x.shape[2:]), tuple(lengths)))
        ends = [(count - 1) * step + 1 for count, step in zip(counts, self.strides)]
        patches = []
        for row in range(0, lengths[0], self.rates[0]):
            for column in range(0, lengths[1], self.rates[1]):
                patches.append(input_x[:, :, row:row + ends[0]:self.strides[0], column:column + ends[1]:self.strides[1]])
        return _k.concat(patches, 1)


class Conv2DTranspose(Primitive):
    """Computes a transposed 2-D convolution, the gradient of Conv2D by its input; called with (dout, weight, size of the
    result).

    weight is (out_channel, channels of the result / group, rows, columns), where out_channel is the number of channels of
    dout.
    """

    def __init__(self, out_channel, kernel_size, pad_mode="valid", pad=0, pad_list=None, mode=1, stride=1, dilation=1, group=1,
                 data_format="NCHW"):
        super().__init__()
        check_format(data_format, self.name)
        if mode != 1:
            raise ValueError("[%s] mode, got %r, expected 1" % (self.name, mode))
        if pad_list is not None:
            raise NotImplementedError("[%s] pad_list, got %r, expected None; give pad" % (self.name, pad_list))
        if not isinstance(pad_mode, str) or pad_mode.lower() not in ("same", "valid", "pad"):
            raise ValueError("[%s] pad_mode, got %r, expected 'same', 'valid' or 'pad'" % (self.name, pad_mode))
        self.out_channel, self.kernel_size = out_channel, int_tuple(kernel_size, 2, self.name, "kernel_size")
        self.pad_mode, self.pad, self.group = pad_mode.lower(), pad, group
        self.stride = int_tuple(stride, 2, self.name, "stride")
        self.dilation = int_tuple(dilation, 2, self.name, "dilation")

    def __call__(self, dout, weight, input_size):
        pads = _n._pads(self.name, tuple(input_size)[2:], self.kernel_size, self.stride, self.dilation, self.pad_mode, self.pad)
        return _k.conv2d_input_grad(dout, weight, tuple(input_size), self.stride, pads, self.dilation, self.group)


class Conv2DBackpropInput(Conv2DTranspose):
    """The same as Conv2DTranspose."""


class L2Normalize(Primitive):
    """Divides x by the square root of its sum of squares along an axis; that sum is taken as at least epsilon."""

    def __init__(self, axis=0, epsilon=1e-4):
        super().__init__()
        axes = axis if isinstance(axis, (tuple, list)) else [axis]
        if len(axes) != 1:
            raise TypeError("[%s] axis, got %d axes, expected 1" % (self.name, len(axes)))
        self.axis, self.epsilon = axes[0], epsilon

    def __call__(self, x):
        return x * _k.rsqrt(_k.maximum(_k.sum(_k.square(x), self.axis, True), self.epsilon))


class LpNorm(Primitive):
    """Computes the norm (sum of |x| ** p) ** (1 / p) over axes; p = 0 counts the elements that are not zero."""

    def __init__(self, axis, p=2, keep_dims=False, epsilon=1e-12):
        super().__init__()
        if isinstance(p, bool) or not isinstance(p, int):
            raise TypeError("[%s] p, got %s, expected an int" % (self.name, type(p).__name__))
        if p < 0:
            raise ValueError("[%s] p, got %d, expected at least 0" % (self.name, p))
        self.axis, self.p, self.keep_dims, self.epsilon = axis, p, keep_dims, epsilon

    def __call__(self, x):
        axis = tuple(self.axis) if isinstance(self.axis, (tuple, list)) else self.axis
        if self.p == 0:
            return _k.sum(_k.cast(_k.not_equal(x, 0), x.dtype), axis, self.keep_dims)
        if self.p == 1:
            return _k.sum(_k.abs(x), axis, self.keep_dims)
        if self.p == 2:
            return _k.sqrt(_k.sum(_k.square(x), axis, self.keep_dims))
        return _k.pow(_k.sum(_k.pow(_k.abs(x), self.p), axis, self.keep_dims), 1.0 / self.p)


class BatchNorm(Primitive):
    """Normalises each channel by the given mean and variance, or in training by those of the batch.

    Returns (y, mean, variance, mean, variance). Training moves the given mean and variance, which are Parameters, by
    `momentum` towards those of the batch.
    """

    def __init__(self, is_training=False, epsilon=1e-5, momentum=0.1, data_format="NCHW"):
        super().__init__()
        check_format(data_format, self.name)
        self.is_training, self.epsilon, self.momentum = is_training, epsilon, momentum

    def __call__(self, input_x, scale, bias, mean, variance):
        if not self.is_training:
            return _k.batch_norm(input_x, scale, bias, mean, variance, self.epsilon), mean, variance, mean, variance
        y, found_mean, found_variance = _k.batch_norm_train(input_x, scale, bias, self.epsilon)
        count = input_x.size // scale.size
        _n.move_statistics(mean, variance, found_mean, found_variance, count, self.momentum)
        return y, found_mean, found_variance, found_mean, found_variance


class KLDivLoss(Primitive):
    """Computes target * (log(target) - x), reduced; the primitive of ops.kl_div."""

    def __init__(self, reduction="mean"):
        super().__init__()
        if reduction not in ("none", "mean", "batchmean", "sum"):
            raise ValueError("[%s] reduction, got %r, expected 'none', 'mean', 'batchmean' or 'sum'" % (self.name, reduction))
        self.reduction = reduction

    def __call__(self, logits, labels):
        return _n.kl_div(logits, labels, self.reduction)


class SigmoidCrossEntropyWithLogits(Primitive):
    """Computes the binary cross entropy between sigmoid(logits) and each label, without reduction."""

    def __call__(self, logits, label):
        return _n.binary_cross_entropy_with_logits(logits, label, _k.ones_like(logits), _k.ones_like(logits), "none")


class Zeros(Primitive):
    """Returns zeros of a shape and dtype, float32 by default."""

    _value = 0

    def __call__(self, size, type=None):
        sizes = (size,) if is_index(size) else tuple(check_iterable(size, self.name, "size", "an int or a tuple of ints"))
        return _k.full(sizes, self._value, _mstype.float32 if type is None else type)


class Ones(Zeros):
    """Returns ones of a shape and dtype, float32 by default."""

    _value = 1


_SHARED = (Primitive,)
__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and issubclass(value, Primitive) and value not in _SHARED]
