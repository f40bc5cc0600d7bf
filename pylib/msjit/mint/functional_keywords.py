"""Functions of mint.nn.functional that compute the same as those of ops, with mint's parameter names and defaults.

`inplace` writes the result to the input and returns that.
"""
from .. import ops as _ops
from ..common.methods_shared import written as _written


def _given(name, input, out, inplace):
    return _written(name, input, out) if inplace else out


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """Largest element of windows chosen so that the last axis gets the wanted size, and its place with return_indices."""
    if not return_indices:
        return _ops.adaptive_max_pool1d(input, output_size)
    values, places = _ops.adaptive_max_pool2d(_ops.expand_dims(input, -2), (1, output_size), True)
    return _ops.squeeze(values, -2), _ops.squeeze(places, -2)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """Mean of each window of the last axis; windows lie side by side unless stride is given."""
    return _ops.avg_pool1d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """Mean of each window of the last two axes; windows lie side by side unless stride is given."""
    return _ops.avg_pool2d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad,
                           divisor_override or 0)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """Mean of each window of the last three axes; windows lie side by side unless stride is given."""
    return _ops.avg_pool3d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad,
                           divisor_override or 0)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """-(target log(input) + (1 - target) log(1 - input)), weighed and reduced."""
    return _ops.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    """binary_cross_entropy of sigmoid(input)."""
    return _ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def dropout(input, p=0.5, training=True, inplace=False):
    """Elements dropped with probability p while training, the others over 1 - p."""
    return _given("dropout", input, _ops.dropout(input, p, training), inplace)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Channels dropped with probability p while training, the others over 1 - p."""
    return _given("dropout2d", input, _ops.dropout2d(input, p, training), inplace)


def elu(input, alpha=1.0, inplace=False):
    """x above 0, alpha (exp(x) - 1) below."""
    return _given("elu", input, _ops.elu(input, alpha), inplace)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """x limited to [min_val, max_val]."""
    return _given("hardtanh", input, _ops.hardtanh(input, min_val, max_val), inplace)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalised over the last axes, those of normalized_shape."""
    return _ops.layer_norm(input, normalized_shape, weight, bias, eps)


def leaky_relu(input, negative_slope=0.01):
    """x above 0, negative_slope x below."""
    return _ops.leaky_relu(input, negative_slope)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Minus the element of each row that the target names, weighed and reduced."""
    return _ops.nll_loss(input, target, weight, ignore_index, reduction)


def one_hot(tensor, num_classes=-1):
    """Rows with 1 at the index, int64; as many classes as the greatest index asks for where num_classes is -1."""
    if num_classes == -1:
        num_classes = int(_ops.amax(tensor)) + 1
    return _ops.one_hot(tensor, num_classes, 1, 0, -1)


def relu(input, inplace=False):
    """x above 0, else 0."""
    return _given("relu", input, _ops.relu(input), inplace)


def relu6(input, inplace=False):
    """x limited to [0, 6]."""
    return _given("relu6", input, _ops.relu6(input), inplace)


def silu(input, inplace=False):
    """x sigmoid(x)"""
    return _given("silu", input, _ops.silu(input), inplace)


def threshold(input, threshold, value, inplace=False):
    """x above a threshold, else a value."""
    return _given("threshold", input, _ops.threshold(input, threshold, value), inplace)


def logsigmoid(input):
    """log(sigmoid(x)), without overflow."""
    return _ops.logsigmoid(input)


def mish(input):
    """x tanh(softplus(x))"""
    return _ops.mish(input)


def selu(input):
    """The scaled exponential linear unit."""
    return _ops.selu(input)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Elements back at the places they were the largest of, zeros elsewhere."""
    return _ops.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
    """Resizes the axes after the second, to `size` or by `scale_factor`; see ops.interpolate.

    A factor that gives whole sizes need not be recomputed: it is the same before and after.
    """
    if scale_factor is not None and size is None:
        many = isinstance(scale_factor, (tuple, list))
        factors = [float(f) for f in scale_factor] if many else [float(scale_factor)] * (input.ndim - 2)
        whole = all((n * f).is_integer() for n, f in zip(input.shape[2:], factors))
        return _ops.interpolate(input, None, tuple(factors), mode, align_corners, recompute_scale_factor or whole or None)
    return _ops.interpolate(input, size, scale_factor, mode, align_corners, recompute_scale_factor)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """interpolate under its older name."""
    return interpolate(input, size, scale_factor, mode, align_corners)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
