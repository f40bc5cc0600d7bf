"""Dense layers, convolution and pooling over two axes, normalisation and losses, under MindSpore's names and argument orders."""
from ..common.checks import check_numeric, check_same_shape
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor, check_tensor
from ..context import FLOAT_DTYPES as _FLOATS
from . import registry as _k
from .operands import blame as _blame
from .operands import check_items as _check_items
from .reduction_func import mean as _mean


def dense(input, weight, bias=None):
    """Computes input @ weight.T + bias: input (..., in), weight (out, in), bias (out,) give (..., out); weight (in,) gives (...).

    Raises ValueError for sizes that do not fit, TypeError for different dtypes.
    """
    try:
        if check_tensor(weight, "dense").ndim != 1:
            return _k.linear(input, weight, bias)
        product = _k.matmul(input, weight)
        return product if bias is None else product + bias
    except _ERRORS as error:
        _blame(error, "dense", input=input, bias=bias)
        raise


linear = dense


def bias_add(input_x, bias):
    """Adds bias[c] to all elements of channel c, along axis 1; bias is a vector with one number for each. The result has the shape of input_x.

    Raises ValueError for a bias of another size and for an input of one axis, TypeError for anything but Tensors.
    """
    check_tensor(bias, "bias_add")
    if check_tensor(input_x, "bias_add").ndim < 2 or bias.shape != (input_x.shape[1],):
        raise ValueError("[bias_add] shapes of input and bias, got %s and %s, expected one number for each of axis 1"
                         % (input_x.shape, bias.shape))
    return input_x + bias.reshape((-1,) + (1,) * (input_x.ndim - 2))


# -- convolution and pooling -----------------------------------------------------------------------------------------


def _pair(value, where, what):
    return (value, value) if isinstance(value, int) else tuple(_check_items(value, where, what, "two ints"))


def _pads(where, shape, kernel, stride, dilation, pad_mode, padding):
    """The padding as (top, bottom, left, right), for any pad_mode and form of the padding argument."""
    if pad_mode not in ("valid", "same", "pad"):
        raise ValueError("[%s] pad_mode, got %r, expected 'valid', 'same' or 'pad'" % (where, pad_mode))
    if pad_mode != "pad" and padding not in (0, (0, 0), (0, 0, 0, 0), [0, 0], [0, 0, 0, 0]):
        raise ValueError("[%s] padding with pad_mode %r, got %s, expected 0" % (where, pad_mode, padding))
    if pad_mode == "valid":
        return (0, 0, 0, 0)
    if pad_mode == "pad":
        if isinstance(padding, int):
            return (padding,) * 4
        padding = tuple(_check_items(padding, where, "padding", "ints"))
        if len(padding) not in (2, 4):
            raise ValueError("[%s] padding, got %d numbers, expected 2 or 4" % (where, len(padding)))
        return padding if len(padding) == 4 else (padding[0], padding[0], padding[1], padding[1])
    return same_pads(shape, kernel, stride, dilation)


def same_pads(shape, kernel, stride, dilation):
    """Padding before and after each axis with which the result has the size of the input over the stride, rounded up."""
    found = []
    for size, k, s, d in zip(shape, kernel, stride, dilation):
        need = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
        found += [need // 2, need - need // 2]
    return tuple(found)


def fixed_pads(kernel, stride, dilation, pad_mode, padding):
    """Returns the padding before and after each axis, or None where it depends on the size of the input ('same' with a stride above 1)."""
    if pad_mode == "valid":
        return (0,) * (2 * len(kernel))
    if pad_mode == "pad":
        if isinstance(padding, int):
            return (padding,) * (2 * len(kernel))
        padding = tuple(_check_items(padding, "conv2d", "padding", "ints"))
        return padding if len(padding) == 2 * len(kernel) else tuple(p for p in padding for _ in (0, 1))
    if any(s != 1 for s in stride):
        return None
    totals = [d * (k - 1) for k, d in zip(kernel, dilation)]
    return tuple(p for total in totals for p in (total // 2, total - total // 2))


def conv2d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """2-D convolution: input (N, C, H, W), weight (O, C / groups, kH, kW), bias (O,); the result is (N, O, H', W').

    pad_mode is 'valid' (none), 'same' (the result has H / stride rows, rounded up) or 'pad' (padding zeros: an int, one
    number for each axis, or (top, bottom, left, right)). Raises TypeError for anything but Tensors and for sizes that are no ints.
    """
    stride, dilation = _pair(stride, "conv2d", "stride"), _pair(dilation, "conv2d", "dilation")
    check_tensor(input, "conv2d"), check_tensor(weight, "conv2d")
    pads = _pads("conv2d", input.shape[2:], weight.shape[2:], stride, dilation, pad_mode, padding)
    return _k.conv2d(input, weight, bias, stride, pads, dilation, groups)


def max_pool2d(x, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False,
               pad_mode=None):
    """Returns the largest element of each window of x (N, C, H, W); with return_indices also its index in the flattened (H, W) plane, int64.

    Raises ValueError for another rank, for a window below 1 and for one that does not fit, TypeError for other numbers.
    """
    dilation = _pair(dilation, "max_pool2d", "dilation")
    kernel, pads, stride = _window("max_pool2d", x, kernel_size, stride, padding, pad_mode, dilation)
    pool = _k.max_pool2d_with_index if return_indices else _k.max_pool2d
    return pool(x, kernel, stride, pads, ceil_mode, dilation)


def avg_pool2d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=0, pad_mode=None):
    """Returns the mean of each window of an (N, C, H, W) input of floats; divisor_override, if not 0, divides the sum instead of the count.

    Raises ValueError for another rank, for a window below 1 and for one that does not fit, TypeError for other numbers.
    """
    kernel, pads, stride = _window("avg_pool2d", input_x, kernel_size, stride, padding, pad_mode)
    return _k.avg_pool2d(input_x, kernel, stride, pads, ceil_mode, count_include_pad, divisor_override or None)


def adaptive_avg_pool2d(input, output_size):
    """Means over windows chosen so that the output has the size output_size, an int or (height, width); None keeps the size of the input.

    Row i covers floor(i H / h) to ceil((i + 1) H / h). The input is (N, C, H, W) or (C, H, W). Raises ValueError for another rank and for a size
    below 1, TypeError for other sizes.
    """
    sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size, output_size)
    return _k.adaptive_avg_pool2d(input, [-1 if size is None else size for size in sizes])


def _window(where, x, kernel_size, stride, padding, pad_mode, dilation=(1, 1)):
    kernel = _pair(kernel_size, where, "kernel_size")
    stride = kernel if stride is None else _pair(stride, where, "stride")
    if pad_mode is None:
        pad_mode = "pad"
    check_tensor(x, where)
    return kernel, _pads(where, x.shape[2:], kernel, stride, dilation, pad_mode, padding), stride


# -- normalisation ---------------------------------------------------------------------------------------------------


def batch_norm(input_x, running_mean, running_var, weight, bias, training=False, momentum=0.1, eps=1e-5):
    """Normalises each channel (axis 1), then scales by weight and adds bias.

    With training it uses the mean and variance of the batch, and moves running_mean and running_var towards them by the
    share `momentum`, unless they are None. Otherwise it uses running_mean and running_var. Raises ValueError where one of
    them is None and the other is not, or both are without training, TypeError where one is no Tensor.
    """
    if (running_mean is None) != (running_var is None) or (running_mean is None and not training):
        raise ValueError("[batch_norm] running_mean and running_var, got %s and %s, expected Tensors, or None for both with training=True"
                         % (type(running_mean).__name__, type(running_var).__name__))
    try:
        if not training:
            return _k.batch_norm(input_x, weight, bias, running_mean, running_var, eps)
        out, mean, variance = _k.batch_norm_train(input_x, weight, bias, eps)
    except _ERRORS as error:
        _rename(error, "batch_norm")
        raise
    if running_mean is not None:
        check_tensor(running_mean, "batch_norm"), check_tensor(running_var, "batch_norm"), check_numeric(momentum, "batch_norm", "momentum")
        move_statistics(running_mean, running_var, mean, variance, input_x.size // mean.size, momentum)
    return out


def move_statistics(running_mean, running_var, mean, variance, count, share):
    """Moves the running mean and variance by `share` towards those of a batch; the batch variance is made unbiased, as in MindSpore."""
    shift_statistics(running_mean, running_var, mean, variance, share, share * count / max(count - 1, 1))


def shift_statistics(running_mean, running_var, mean, variance, share, unbias):
    """Moves the running mean by `share` towards that of a batch; adds the variance times `unbias` to that share less of the running one."""
    mean, variance = _k.stop_gradient(mean), _k.stop_gradient(variance)
    _k.assign(running_mean, running_mean.detach() * (1.0 - share) + mean * share)
    _k.assign(running_var, running_var.detach() * (1.0 - share) + variance * unbias)


def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-5):
    """Normalises over the trailing axes, whose sizes are normalized_shape, then scales by weight and adds bias.

    Raises ValueError where the shape of the input does not end in normalized_shape.
    """
    if not isinstance(normalized_shape, (tuple, list)):
        raise TypeError("[layer_norm] normalized_shape, got %s, expected a tuple of ints" % type(normalized_shape).__name__)
    check_tensor(input, "layer_norm")
    require_trailing("layer_norm", input.shape, tuple(normalized_shape))
    return _k.layer_norm(input, weight, bias, -len(normalized_shape), eps)


def layer_norm_axes(x, gamma, beta, norm_axis, params_axis, eps):
    """Normalises over the axes from norm_axis on; gamma and beta have the sizes of the axes from params_axis on."""
    if norm_axis == params_axis or check_tensor(gamma, "layer_norm").shape == x.shape[norm_axis:]:
        return _k.layer_norm(x, gamma, beta, norm_axis, eps)
    if check_tensor(beta, "layer_norm").shape != gamma.shape or gamma.shape != x.shape[params_axis:]:
        raise ValueError("[layer_norm] shapes of gamma and beta, got %s and %s, expected %s"
                         % (gamma.shape, beta.shape, x.shape[params_axis:]))
    return _k.layer_norm(x, None, None, norm_axis, eps) * gamma + beta


def require_trailing(where, shape, normalized_shape):
    """Raises ValueError unless a shape ends in normalized_shape."""
    if not normalized_shape or tuple(shape)[-len(normalized_shape):] != normalized_shape:
        raise ValueError("[%s] normalized_shape, got %s, expected trailing dimensions of the input's shape %s"
                         % (where, normalized_shape, tuple(shape)))


def group_norm(input, num_groups, weight=None, bias=None, eps=1e-5):
    """Normalises each of num_groups groups of channels (axis 1): (x - mean) / sqrt(variance + eps), then weight x + bias (Wu and He 2018).

    weight and bias have one number for each channel, or are None. Raises ValueError for groups that do not divide the channels, for other sizes and
    for fewer than two axes.
    """
    return _k.group_norm(input, num_groups, weight, bias, eps)


# -- losses ----------------------------------------------------------------------------------------------------------


def reduce_loss(x, reduction, where="loss"):
    """Applies a reduction, 'mean', 'sum' or 'none', to the losses x; `where` is the name that an error has."""
    if reduction == "mean":
        return _mean(x)
    if reduction == "sum":
        return _k.sum(x)
    if reduction != "none":
        raise ValueError("[%s] reduction, got %r, expected 'mean', 'sum' or 'none'" % (where, reduction))
    return x


def mse_loss(input, target, reduction="mean"):
    """Squared error (input - target)^2, element by element. The shapes broadcast.

    reduction is 'mean' (the default), 'sum' or 'none', which keeps the shape. Raises ValueError for another reduction and for shapes that do not
    broadcast.
    """
    check_tensor(target, "mse_loss")
    return _k.mse_loss(input, target, reduction)


def l1_loss(input, target, reduction="mean"):
    """Absolute error |input - target|, element by element. The shapes broadcast.

    reduction is 'mean' (the default), 'sum' or 'none', which keeps the shape. Raises ValueError for another reduction and for shapes that do not
    broadcast.
    """
    try:
        return reduce_loss(_k.abs(check_tensor(input, "l1_loss") - check_tensor(target, "l1_loss")), reduction)
    except _ERRORS as error:
        _rename(error, "l1_loss")
        raise


def smooth_l1_loss(input, target, beta=1.0, reduction="none"):
    """Smooth L1 loss: 0.5 d^2 / beta where d = |input - target| < beta, else d - 0.5 beta (Girshick 2015). The shapes are equal.

    reduction is 'none' (the default), 'mean' or 'sum'. Raises ValueError for another reduction, a beta that is not positive and a target of another
    shape.
    """
    check_same_shape("smooth_l1_loss", input, target, ("input", "target"))
    if isinstance(beta, (int, float)) and beta <= 0:
        raise ValueError("[smooth_l1_loss] beta must be positive, got %s" % (beta,))
    signed = input - target
    gap = _k.abs(signed)
    # The square is of the signed difference, whose second derivative is right at 0 too.
    return reduce_loss(_k.where(_k.less(gap, beta), 0.5 * signed * signed / beta, gap - 0.5 * beta), reduction, "smooth_l1_loss")


def binary_cross_entropy(logits, labels, weight=None, reduction="mean"):
    """Computes -(labels * log(p) + (1 - labels) * log(1 - p)) of probabilities p (the argument named logits).

    weight multiplies each element's loss.
    """
    check_tensor(labels, "binary_cross_entropy")
    return _k.binary_cross_entropy(logits, labels, weight, reduction)


def huber_loss(input, target, reduction="mean", delta=1.0):
    """Huber loss: 0.5 d^2 where d = |input - target| <= delta, else delta (d - 0.5 delta) (Huber 1964). The shapes broadcast.

    reduction is 'mean' (the default), 'sum' or 'none', which keeps the shape. Raises ValueError for another reduction, a delta that is not positive
    and shapes that do not broadcast.
    """
    if isinstance(delta, bool) or not isinstance(delta, (int, float)):
        raise TypeError("[huber_loss] delta must be a float, got %s" % type(delta).__name__)
    if not delta > 0:
        raise ValueError("[huber_loss] delta must be positive, got %s" % (delta,))
    check_tensor(input, "huber_loss"), check_tensor(target, "huber_loss")
    try:
        signed = input - target
    except _ERRORS as error:
        _rename(error, "huber_loss")
        raise
    gap = _k.abs(signed)
    return reduce_loss(_k.where(_k.less_equal(gap, delta), 0.5 * signed * signed, delta * (gap - 0.5 * delta)), reduction, "huber_loss")


def binary_cross_entropy_with_logits(input=None, target=None, weight=None, pos_weight=None, reduction="mean", *,
                                     logits=None, label=None):
    """Binary cross entropy of sigmoid(input), without overflow; logits and label are older names of input and target.

    weight multiplies each element's loss, pos_weight only the term of positive targets.
    """
    input, target = input if logits is None else logits, target if label is None else label
    check_tensor(target, "binary_cross_entropy_with_logits")
    return _k.binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction)


def nll_loss(inputs, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """Negative log likelihood of log probabilities (N, C, ...) and class indices (N, ...); weight has one number for
    each class.

    Targets equal to ignore_index do not count.
    """
    return _k.nll_loss(inputs, target, ignore_index, reduction, weight, label_smoothing)


def cross_entropy(input, target, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
    """Cross entropy of logits (N, C, ...) with class indices (N, ...) or probabilities (N, C, ...).

    weight has one number for each class. Class indices equal to ignore_index do not count. Raises TypeError for anything but Tensors.
    """
    check_tensor(input, "cross_entropy"), check_tensor(target, "cross_entropy")
    try:
        return _k.cross_entropy(input, target, ignore_index, reduction, weight, label_smoothing)
    except _ERRORS as error:
        if isinstance(error, ValueError) and target.dtype in _FLOATS and target.ndim < input.ndim:
            raise TypeError("[cross_entropy] dtype of target, got %s in shape %s, expected an integer for indices of classes, or the "
                            "shape %s for probabilities" % (target.dtype, target.shape, input.shape)) from None
        _rename(error, "cross_entropy")
        raise


def softmax_cross_entropy_with_logits(logits, labels):
    """Cross entropy of each row of logits (N, C) with labels (N, C), one-hot or probabilities; the result is (N,).

    As in MindSpore, the gradient for the logits is softmax(logits) - labels even where a row of labels does not add up to 1.
    The labels get no gradient.
    """
    check_same_shape("softmax_cross_entropy_with_logits", logits, labels, ("logits", "labels"))
    if logits.ndim != 2:
        raise ValueError("[softmax_cross_entropy_with_logits] rank of logits, got %d, expected 2" % logits.ndim)
    labels = _k.stop_gradient(labels)
    low = logits - _k.stop_gradient(_k.max(logits, -1, True))
    total = _k.log(_k.sum(_k.exp(low), -1))
    return total - _k.sum(labels * low, -1) + (_k.sum(labels, -1) - 1) * _k.stop_gradient(total)


def kl_div(logits, labels, reduction="mean"):
    """Kullback-Leibler divergence labels * (log(labels) - logits), where logits are log probabilities.

    reduction is 'mean', 'sum', 'none' or 'batchmean' (the sum divided by the size of axis 0).
    """
    check_same_shape("kl_div", logits, labels, ("logits", "labels"))
    safe = _k.where(_k.greater(labels, 0), labels, _k.ones_like(labels))
    loss = labels * (_k.log(safe) - logits)
    if reduction == "batchmean":
        return _k.sum(loss) / logits.shape[0]
    return reduce_loss(loss, reduction, "kl_div")


_SHARED = ("move_statistics", "shift_statistics", "fixed_pads", "require_trailing", "layer_norm_axes", "check_numeric", "check_same_shape", "check_tensor")
__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and value is not Tensor and name not in _SHARED and callable(value)]
