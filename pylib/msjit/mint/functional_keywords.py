"""Functions of mint.nn.functional that differ from those of ops only in parameter names and defaults.

With `inplace` they write the result to the input and return the input.
"""
from .. import ops as _ops
from ..common.checks import check_real as _check_real
from ..common.methods_shared import written as _written
from ..common.tensor import check_tensor as _check
from ..ops import resize_func as _resize
from .unbatched import one_or_many as _one_or_many


def _given(name, input, out, inplace):
    return _written(name, input, out) if inplace else out


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """Takes the largest element of each of output_size windows of the last axis of (N, C, L) or (C, L).

    Window i goes from floor(i * L / output_size) to ceil((i + 1) * L / output_size). With return_indices it also returns their indices (int64) in
    the last axis. Raises TypeError for anything but a Tensor.
    """
    if not return_indices:
        return _ops.adaptive_max_pool1d(input, output_size)
    values, places = _ops.adaptive_max_pool2d(_ops.expand_dims(input, -2), (1, output_size), True)
    return _ops.squeeze(values, -2), _ops.squeeze(places, -2)


def avg_pool1d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
    """Returns the mean of each window of the last axis of (N, C, L) or (C, L); stride is kernel_size by default.

    L becomes floor((L + 2 * padding - kernel_size) / stride) + 1, or ceil with ceil_mode. Without count_include_pad, padding does not count in the
    mean. Raises ValueError for a padding above half the window, TypeError for integers and for anything but a Tensor.
    """
    return _ops.avg_pool1d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad)


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """Returns the mean of each window of the last two axes of (N, C, H, W) or (C, H, W); stride is kernel_size by default.

    H becomes floor((H + 2 * padding - kernel_size) / stride) + 1, or ceil with ceil_mode. Without count_include_pad, padding does not count in the
    mean; divisor_override replaces the count. Raises ValueError for another rank and for windows that do not fit, TypeError for integers.
    """
    return _one_or_many(_ops.avg_pool2d, 2, input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad,
                       divisor_override or 0)


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Returns the largest element of each window of the last two axes of (N, C, H, W) or (C, H, W); stride is kernel_size by default.

    H becomes floor((H + 2 * padding - dilation * (kernel_size - 1) - 1) / stride) + 1, or ceil with ceil_mode. With return_indices it also returns
    the index of each in the flattened (H, W) plane, int64. Raises ValueError for another rank and for windows that do not fit.
    """
    return _one_or_many(_ops.max_pool2d, 2, input, kernel_size, stride, padding, dilation, return_indices, ceil_mode)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Transposed 2-D convolution of (N, C, H, W) or (C, H, W) with weight (C, O / groups, kH, kW): the gradient of a convolution by its input.

    H becomes (H - 1) * stride - 2 * padding + dilation * (kH - 1) + output_padding + 1, and W likewise. Raises ValueError for shapes that
    do not fit and for an output_padding that is not below the stride.
    """
    return _one_or_many(_ops.conv_transpose2d, 2, input, weight, bias, stride, padding, output_padding, groups, dilation)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None):
    """Returns the mean of each window of the last three axes of (N, C, D, H, W) or (C, D, H, W). Arguments and sizes are as in avg_pool2d.

    Raises ValueError for another rank and for windows that do not fit.
    """
    return _ops.avg_pool3d(input, kernel_size, kernel_size if stride is None else stride, padding, ceil_mode, count_include_pad,
                           divisor_override or 0)


def binary_cross_entropy(input, target, weight=None, reduction="mean"):
    """Computes -(target * log(input) + (1 - target) * log(1 - input)) of probabilities, times weight if given, then applies `reduction`.

    Logarithms are not below that of 1e-12. reduction is 'mean', 'sum' or 'none'. Raises ValueError for different shapes and another
    reduction, TypeError for integers.
    """
    return _ops.binary_cross_entropy(input, target, weight, reduction)


def binary_cross_entropy_with_logits(input, target, weight=None, reduction="mean", pos_weight=None):
    """Binary cross entropy of sigmoid(input) and targets in [0, 1], without overflow: max(x, 0) - x * target + log(1 + exp(-|x|)).

    weight multiplies each element's loss, pos_weight the part of target 1. reduction is 'mean', 'sum' or 'none'. Raises ValueError for
    different shapes and another reduction, TypeError for integers.
    """
    return _ops.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def dropout(input, p=0.5, training=True, inplace=False):
    """In training, sets each element to 0 with probability p and scales the others by 1 / (1 - p) (Hinton et al. 2012); else returns the input.

    Raises ValueError for a p outside [0, 1], TypeError for integers and for anything but a Tensor.
    """
    return _given("dropout", input, _ops.dropout(input, p, training), inplace)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """In training, sets whole channels of (N, C, H, W) to 0 with probability p and scales the others by 1 / (1 - p) (Tompson et al. 2015).

    Raises ValueError for a p outside [0, 1], TypeError for anything but a Tensor.
    """
    return _given("dropout2d", input, _ops.dropout2d(input, p, training), inplace)


def elu(input, alpha=1.0, inplace=False):
    """ELU activation, element by element: x where x > 0, else alpha * (exp(x) - 1) (Clevert et al. 2015). Integers give float32.

    Raises TypeError for an alpha that is no number and for anything but a Tensor.
    """
    return _given("elu", input, _ops.elu(input, alpha), inplace)


def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    """Limits each element to [min_val, max_val], by default [-1, 1]; max_val comes first where min_val is greater.

    Raises TypeError for anything but a Tensor.
    """
    return _given("hardtanh", input, _ops.hardtanh(input, min_val, max_val), inplace)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalises over the trailing axes, whose sizes are the tuple normalized_shape (Ba et al. 2016).

    The result is (x - mean) / sqrt(variance + eps), times weight, plus bias. weight and bias have that shape; without them they are 1 and 0.
    Raises ValueError for other sizes, TypeError for integers and for a normalized_shape that is no tuple.
    """
    return _ops.layer_norm(input, normalized_shape, weight, bias, eps)


def leaky_relu(input, negative_slope=0.01):
    """Leaky ReLU, element by element: x where x > 0, else negative_slope * x (Maas et al. 2013). Integers give float32.

    Raises TypeError for anything but a Tensor.
    """
    return _ops.leaky_relu(input, negative_slope)


def nll_loss(input, target, weight=None, ignore_index=-100, reduction="mean"):
    """Negative log likelihood: -weight[c] * input[n, c] where c = target[n], of log probabilities (N, C, ...) and class indices (N, ...).

    Targets equal to ignore_index count as 0. reduction 'mean' divides by the sum of the weights that count; 'sum' and 'none' do not. Raises
    IndexError for another target outside [0, C), ValueError for shapes that do not fit and another reduction, TypeError for targets that are floats.
    """
    return _ops.nll_loss(input, target, weight, ignore_index, reduction)


def one_hot(tensor, num_classes=-1):
    """Encodes integers as vectors of num_classes elements, of their dtype, with 1 at the index and 0 elsewhere; -1 means the greatest index plus 1.

    The result has the axes of the tensor and one more. An index outside gives zeros. Raises TypeError for floats and for anything but a Tensor.
    """
    if num_classes == -1:
        if _check(tensor, "one_hot").is_floating_point():
            raise TypeError("[one_hot] dtype of the tensor, got %s, expected integers" % (tensor.dtype,))
        num_classes = int(_ops.amax(tensor)) + 1
    return _ops.cast(_ops.one_hot(tensor, num_classes, 1, 0, -1), tensor.dtype)


def relu(input, inplace=False):
    """ReLU activation, element by element: x where x > 0, else 0. Shape and dtype are those of the input; booleans give int32.

    Raises TypeError for anything but a Tensor.
    """
    return _given("relu", input, _ops.relu(input), inplace)


def relu6(input, inplace=False):
    """ReLU6 activation, element by element: min(max(x, 0), 6) (Krizhevsky 2010). Raises TypeError for anything but a Tensor."""
    return _given("relu6", input, _ops.relu6(input), inplace)


def silu(input, inplace=False):
    """SiLU (swish) activation, element by element: x * sigmoid(x) (Elfwing et al. 2017). Integers give float32.

    Raises TypeError for anything but a Tensor.
    """
    return _given("silu", input, _ops.silu(input), inplace)


def threshold(input, threshold, value, inplace=False):
    """Returns x where x > threshold, else value, element by element.

    Raises TypeError for arguments that are no numbers and for anything but a Tensor.
    """
    return _given("threshold", input, _ops.threshold(input, threshold, value), inplace)


def logsigmoid(input):
    """Computes log(sigmoid(x)) = -log(1 + exp(-x)), element by element, without overflow. Raises TypeError for anything but a Tensor."""
    return _ops.logsigmoid(input)


def mish(input):
    """Mish activation, element by element: x * tanh(log(1 + exp(x))) (Misra 2019). Integers give float32.

    Raises TypeError for anything but a Tensor.
    """
    return _ops.mish(input)


def selu(input):
    """SELU activation, element by element: 1.0507 * x where x > 0, else 1.7581 * (exp(x) - 1) (Klambauer et al. 2017). Integers give float32.

    Raises TypeError for anything but a Tensor.
    """
    return _ops.selu(input)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the results of max_pool2d, (N, C, H, W) or (C, H, W), back at the indices that it returned, with zeros elsewhere.

    H becomes (H - 1) * stride - 2 * padding + kernel_size, unless output_size is given. Raises ValueError where the shapes of input and indices
    differ, IndexError for an index outside the plane.
    """
    return _ops.max_unpool2d(input, indices, kernel_size, stride, padding, output_size)


def interpolate(input, size=None, scale_factor=None, mode="nearest", align_corners=None, recompute_scale_factor=None):
    """Resizes the axes after the second to `size` or by `scale_factor`; modes as in ops.interpolate.

    The distance of two positions is 1 / scale_factor, but the ratio of the sizes with recompute_scale_factor. 'bicubic' repeats the edge elements
    outside. Raises ValueError for another mode and for a rank that it does not take, TypeError for anything but a Tensor.
    """
    _check(input, "interpolate")
    factors = None
    if scale_factor is not None and size is None:
        many = isinstance(scale_factor, (tuple, list))
        given = scale_factor if many else (scale_factor,) * (input.ndim - 2)
        factors = tuple(_check_real(factor, "interpolate", "scale_factor") for factor in given)
    sizes = _resize.target(input, size, factors, mode, align_corners, recompute_scale_factor)
    if factors is None or recompute_scale_factor:
        steps = [n / size for n, size in zip(input.shape[2:], sizes)]
    else:
        steps = [1 / factor for factor in factors]
    return _resize.resized(input, sizes, mode, align_corners, steps)


def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """Resizes the axes after the second to `size` or by `scale_factor`: interpolate under its older name, with its errors."""
    return interpolate(input, size, scale_factor, mode, align_corners)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
