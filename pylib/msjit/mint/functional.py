"""msjit.mint.nn.functional: layers, activations and losses as functions."""
from ..absent import attributes as _absent
from ..ops import (  # noqa: F401
    cross_entropy, embedding, gelu, linear, mse_loss, sigmoid, softplus, tanh,
)
from ..ops import (  # noqa: F401
    cosine_embedding_loss, group_norm, hardsigmoid, prelu, soft_margin_loss,
)
from .functional_variants import (  # noqa: F401
    batch_norm, flatten, glu, hardshrink, hardswish, kl_div, l1_loss, log_softmax, normalize, smooth_l1_loss, softmax,
)
from ..ops import (  # noqa: F401
    adaptive_avg_pool1d, adaptive_avg_pool2d, adaptive_avg_pool3d, fold, grid_sample,
    pixel_shuffle, softshrink, softsign, tanhshrink, unfold,
)
from .. import ops as _ops
from ..common.methods_shared import written as _written
from .functional_keywords import *  # noqa: F403
from .linear_func import conv1d, conv2d, conv3d  # noqa: F401


def pad(input, pad, mode="constant", value=None):
    """Pads the last axes: `pad` holds (before, after) of the last axis, then of the one before it, and so on; negative numbers cut off.

    mode is 'constant', which fills in `value` (0 by default), 'reflect', 'replicate' or 'circular'. Raises ValueError for another mode, for
    an odd count of numbers and for more pairs than axes, TypeError for anything but a Tensor.
    """
    return _ops.pad(input, pad, mode, value)


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Takes the largest element of each window of the last two axes, with windows chosen so that these get the size output_size.

    Window i of an axis of n elements goes from floor(i * n / size) to ceil((i + 1) * n / size); None keeps a size. With return_indices it
    also returns their indices in the flattened plane, int64.
    """
    return _ops.adaptive_max_pool2d(input, output_size, return_indices)


def elu_(input, alpha=1.0):
    """Computes elu, writes it to the input, in its dtype, and returns the input. Raises TypeError for anything but a Tensor."""
    return _written("elu_", input, _ops.elu(input, alpha))


def hardtanh_(input, min_val=-1, max_val=1):
    """Computes hardtanh, writes it to the input, in its dtype, and returns the input. Raises TypeError for anything but a Tensor."""
    return _written("hardtanh_", input, _ops.hardtanh(input, min_val, max_val))


def relu_(input):
    """Computes relu, writes it to the input, in its dtype, and returns the input. Raises TypeError for anything but a Tensor."""
    return _written("relu_", input, _ops.relu(input))


def sigmoid_(input):
    """Computes sigmoid, writes it to the input, in its dtype, and returns the input. Raises TypeError for anything but a Tensor."""
    return _written("sigmoid_", input, _ops.sigmoid(input))


def threshold_(input, threshold, value):
    """Computes threshold, writes it to the input, in its dtype, and returns the input. Raises TypeError for anything but a Tensor."""
    return _written("threshold_", input, _ops.threshold(input, threshold, value))


__getattr__ = _absent(__name__)
