"""Functions of mint.nn.functional that differ from those of ops only in parameter names and defaults.

With `inplace` they write the result to the input and return the input.
"""
from .. import ops as _ops
from ..common.methods_shared import written as _written
from ..common.tensor import check_tensor as _check
from ..ops import resize_func as _resize
from .unbatched import one_or_many as _one_or_many


def _given(name, input, out, inplace):
    return _written(name, input, out) if inplace else out


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """Largest elements of windows chosen so that the last axis gets the size output_size; with return_indices also their indices."""
    if not return_indices:
        return _ops.adaptive_max_pool1d(input, output_size)
    values, places = _ops.adaptive_max_pool2d(_ops.expand_dims(input, -2), (1, output_size), True)
    return _ops.squeeze(values, -2), _ops.squeeze(places, -2)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """Returns the mean of each window of the last axis; stride is kernel_size by default."""
    return _ops.avg_pool1d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """Returns the mean of each window of the last two axes of (N, C, H, W) or (C, H, W); stride is kernel_size by default."""
    return _one_or_many(_ops.avg_pool2d, 2, input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad,
                       divisor_override or 0)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Returns the largest element of each window of the last two axes of (N, C, H, W) or (C, H, W).

    With return_indices it also returns its index in the flattened (H, W) plane."""
    return _one_or_many(_ops.max_pool2d, 2, input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Transposed 2-D convolution of (N, C, H, W) or (C, H, W)."""
    return _one_or_many(_ops.conv_transpose2d, 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """Returns the mean of each window of the last three axes; stride is kernel_size by default."""
    return _ops.avg_pool3d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad,
                           divisor_override or 0)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """Computes -(target * log(input) + (1 - target) * log(1 - input)) of probabilities; weight multiplies each element's loss."""
    return _ops.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    """Binary cross entropy of sigmoid(input), without overflow."""
    return _ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def dropout(input, p=0.5, training=True, inplace=False):
    """In training, sets elements to 0 with probability p and scales the others by 1 / (1 - p)."""
    return _given("dropout", input, _ops.dropout(input, p, training), inplace)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """In training, sets whole channels to 0 with probability p and scales the others by 1 / (1 - p)."""
    return _given("dropout2d", input, _ops.dropout2d(input, p, training), inplace)


def elu(input, alpha=1.0, inplace=False):
    """ELU activation: x where x > 0, else alpha * (exp(x) - 1)."""
    return _given("elu", input, _ops.elu(input, alpha), inplace)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """Limits x to [min_val, max_val]."""
    return _given("hardtanh", input, _ops.hardtanh(input, min_val, max_val), inplace)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalises over the trailing axes, whose sizes are normalized_shape, then scales by weight and adds bias."""
    return _ops.layer_norm(input, normalized_shape, weight, bias, eps)


def leaky_relu(input, negative_slope=0.01):
    """Returns x where x > 0, else negative_slope * x."""
    return _ops.leaky_relu(input, negative_slope)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Negative log likelihood of log probabilities (N, C, ...) and class indices (N, ...)."""
    return _ops.nll_loss(input, target, weight, ignore_index, reduction)


def one_hot(tensor, num_classes=-1):
    """Encodes indices as vectors of their dtype with 1 at the index; num_classes -1 means the greatest index plus 1."""
    if num_classes == -1:
        num_classes = int(_ops.amax(_check(tensor, "one_hot"))) + 1
    return _ops.cast(_ops.one_hot(tensor, num_classes, 1, 0, -1), tensor.dtype)


def relu(input, inplace=False):
    """ReLU activation: x where x > 0, else 0."""
    return _given("relu", input, _ops.relu(input), inplace)


def relu6(input, inplace=False):
    """Limits x to [0, 6]."""
    return _given("relu6", input, _ops.relu6(input), inplace)


def silu(input, inplace=False):
    """SiLU (swish) activation: x * sigmoid(x)."""
    return _given("silu", input, _ops.silu(input), inplace)


def threshold(input, threshold, value, inplace=False):
    """Returns x where x > threshold, else value."""
    return _given("threshold", input, _ops.threshold(input, threshold, value), inplace)


def logsigmoid(input):
    """Computes log(sigmoid(x)), without overflow."""
    return _ops.logsigmoid(input)


def mish(input):
    """Mish activation: x * tanh(softplus(x))."""
    return _ops.mish(input)


def selu(input):
    """SELU activation, as ops.selu."""
    return _ops.selu(input)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the results of max pooling back at their indices, with zeros elsewhere."""
    return _ops.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
    """Resizes the axes after the second to `size` or by `scale_factor`; modes as in ops.interpolate.

    The distance of two positions is 1 / scale_factor, but the ratio of the sizes with recompute_scale_factor. 'bicubic' repeats the
    edge elements outside.
    """
    _check(input, "interpolate")
    factors = None
    if scale_factor is not None and size is None:
        many = isinstance(scale_factor, (tuple, list))
        factors = tuple(float(f) for f in scale_factor) if many else (float(scale_factor),) * (input.ndim - 2)
    sizes = _resize.target(input, size, factors, mode, align_corners, recompute_scale_factor)
    if factors is None or recompute_scale_factor:
        steps = [n / size for n, size in zip(input.shape[2:], sizes)]
    else:
        steps = [1 / factor for factor in factors]
    return _resize.resized(input, sizes, mode, align_corners, steps)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """Resizes the axes after the second, as interpolate; this is its older name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
