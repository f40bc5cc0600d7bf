"""Primitives for neural networks and random numbers."""
from ..common import dtype as _mstype
from ..common.checks import check_axis, check_format, check_int, check_number, int_tuple
from ..common.tensor import check_tensor
from . import activation_func as _ac
from . import nn_func as _n
from . import random_func as _r
from . import registry as _k
from .primitive import Primitive


class BiasAdd(Primitive):
    """Adds bias[c] to all elements of channel c: along axis 1, or along the last axis if data_format is NHWC. bias has one axis.

    The result has the shape of input_x. Raises ValueError for a bias of another size, for an input of one axis and for another data_format.
    """

    def __init__(self, data_format="NCHW"):
        super().__init__()
        if data_format not in ("NCHW", "NHWC", "NCDHW"):
            raise ValueError("[bias_add] data_format, got %r, expected 'NCHW', 'NHWC' or 'NCDHW'" % (data_format,))
        self.data_format = data_format

    def __call__(self, input_x, bias):
        if self.data_format != "NHWC":
            return _n.bias_add(input_x, bias)
        if check_tensor(bias, "bias_add").shape != check_tensor(input_x, "bias_add").shape[-1:]:
            raise ValueError("[bias_add] shape of bias, got %s, expected %s" % (bias.shape, input_x.shape[-1:]))
        return input_x + bias


def _seed(first, second):
    """Combines the two seeds of a primitive into one; None, the global generator, where both are 0. Raises TypeError for seeds that are no ints."""
    if type(first) is not int or type(second) is not int:
        first, second = [int(seed) if isinstance(seed, bool) else check_int(seed, "random", "seed") for seed in (first, second)]
    return (first << 32 ^ second) % 2**63 if first or second else None


class Dropout(Primitive):
    """Sets each element to 0 with probability 1 - keep_prob and divides the others by keep_prob (Srivastava et al. 2014).

    Returns (the result, a mask of ones and zeros), both of the shape of x, the mask of its dtype too. The same seeds give the same mask; 0 for
    both takes the global generator. Raises ValueError for a keep_prob outside (0, 1].
    """

    def __init__(self, keep_prob=0.5, Seed0=0, Seed1=0):
        super().__init__()
        if not 0 < check_number(keep_prob, "dropout", "keep_prob") <= 1:
            raise ValueError("[dropout] keep_prob must be in (0, 1], got %s" % (keep_prob,))
        self.keep_prob, self.seed = keep_prob, _seed(Seed0, Seed1)

    def __call__(self, x):
        kept = _k.less(_r.draw_uniform(check_tensor(x, "dropout").shape, _mstype.float32, self.seed), self.keep_prob)
        return _k.where(kept, x / self.keep_prob, _k.zeros_like(x)), _k.cast(kept, x.dtype)


class GeLU(Primitive):
    """Computes GELU in its tanh form: 0.5 x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel 2016). The shape is that of x."""

    def __call__(self, x):
        return _ac.gelu(x, "tanh")


class Elu(Primitive):
    """Computes the ELU activation, element by element: x where x > 0, else alpha * (exp(x) - 1) (Clevert et al. 2015).

    The result has the shape of x. Floats keep their dtype, integers give float32.
    """

    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = alpha

    def __call__(self, x):
        return _ac.elu(x, self.alpha)


class LeakyReLU(Primitive):
    """Computes the leaky ReLU activation, element by element: x where x > 0, else alpha * x (Maas et al. 2013).

    The result has the shape of x. Floats keep their dtype, integers give float32.
    """

    def __init__(self, alpha=0.2):
        super().__init__()
        self.alpha = alpha

    def __call__(self, x):
        return _ac.leaky_relu(x, self.alpha)


class Conv2D(Primitive):
    """Computes a 2-D convolution: x (N, C, H, W), weight (out_channel, C / group, kH, kW).

    Raises ValueError for a weight that does not fit out_channel and kernel_size.
    """

    def __init__(self, out_channel, kernel_size, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1,
                 data_format="NCHW"):
        super().__init__()
        check_format(data_format, "conv2d")
        if mode != 1:
            raise ValueError("[conv2d] mode, got %r, expected 1" % (mode,))
        self.out_channel, self.kernel_size = out_channel, int_tuple(kernel_size, 2, "conv2d", "kernel_size")
        if not isinstance(pad_mode, str) or pad_mode.lower() not in ("same", "valid", "pad"):
            raise ValueError("[conv2d] pad_mode, got %r, expected 'same', 'valid' or 'pad'" % (pad_mode,))
        self.pad_mode, self.pad, self.group = pad_mode.lower(), pad, group
        self.stride = int_tuple(stride, 2, "conv2d", "stride")
        self.dilation = int_tuple(dilation, 2, "conv2d", "dilation")
        pads = _n.fixed_pads(self.kernel_size, self.stride, self.dilation, self.pad_mode, pad)
        self._window = None if pads is None else (self.stride, pads, self.dilation, group)

    def __call__(self, x, weight):
        if not check_tensor(weight, "conv2d").ndim or weight.shape[0] != self.out_channel or weight.shape[2:] != self.kernel_size:
            raise ValueError("[conv2d] shape of weight, got %s, expected out_channel %s and kernel_size %s"
                             % (weight.shape, self.out_channel, self.kernel_size))
        return self.run(x, weight, None)

    def run(self, x, weight, bias):
        """Computes the convolution for a layer, whose weight has the right shape; bias may be None."""
        window = self._window
        if window is None:
            return _n.conv2d(x, weight, bias, self.stride, self.pad_mode, self.pad, self.dilation, self.group)
        return _k.conv2d(x, weight, bias, *window)

    def fixed_window(self):
        """(stride, padding, dilation, groups), None where the padding depends on the size of the images."""
        return self._window

    def window(self, x):
        """(stride, padding, dilation, groups) for images of the size of x."""
        if self._window is not None:
            return self._window
        pads = _n.same_pads(x.shape[2:], self.kernel_size, self.stride, self.dilation)
        return self.stride, pads, self.dilation, self.group


class MaxPool(Primitive):
    """Takes the largest element of each window of x (N, C, H, W). kernel_size and strides are ints or two ints.

    pad_mode 'valid' takes the windows inside x: (size - kernel) // stride + 1 of them along an axis; 'same' all that start in it: size / stride,
    rounded up. The dtype is that of x. Raises ValueError for another rank, pad_mode or data_format, and for a kernel larger than x or below 1.
    """

    def __init__(self, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
        super().__init__()
        if not isinstance(pad_mode, str) or pad_mode.lower() not in ("same", "valid"):
            raise ValueError("[%s] pad_mode, got %r, expected 'same' or 'valid'" % (self.name, pad_mode))
        check_format(data_format, "pool2d")
        self.kernel_size, self.strides, self.pad_mode = kernel_size, strides, pad_mode.lower()

    def __call__(self, x):
        return _n.max_pool2d(x, self.kernel_size, self.strides, pad_mode=self.pad_mode)


class AvgPool(MaxPool):
    """Computes the mean of each window of x (N, C, H, W), floats; padding does not count. The attributes and the errors are those of MaxPool.

    Raises TypeError for integers.
    """

    def __call__(self, x):
        return _n.avg_pool2d(x, self.kernel_size, self.strides, pad_mode=self.pad_mode, count_include_pad=False)


class SoftmaxCrossEntropyWithLogits(Primitive):
    """Computes the cross entropy of each row: -sum(labels * log(softmax(logits))) over classes; logits and labels are (n, classes).

    Returns (losses (n,), gradient of their sum by the logits, softmax(logits) - labels). Raises ValueError for another rank of the logits and for
    labels of another shape, TypeError for anything but Tensors.
    """

    def __call__(self, logits, labels):
        return _n.softmax_cross_entropy_with_logits(logits, labels), _k.softmax(logits, -1) - labels


class LayerNorm(Primitive):
    """Computes layer normalisation: (x - mean) / sqrt(variance + epsilon) * gamma + beta (Ba et al. 2016).

    Mean and variance are over the axes from begin_norm_axis on; gamma and beta have the sizes of the axes from begin_params_axis on.
    Returns (normalised x, mean, variance), the last two with those axes of size 1; for 16-bit x they are float32. Raises ValueError for
    gamma or beta of other sizes and for an axis that x does not have, TypeError for integers.
    """

    def __init__(self, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
        super().__init__()
        self.begin_norm_axis, self.begin_params_axis, self.epsilon = begin_norm_axis, begin_params_axis, epsilon

    def __call__(self, x, gamma, beta):
        axes = tuple(range(check_axis(self.begin_norm_axis, check_tensor(x, "layer_norm").ndim, "layer_norm"), x.ndim))
        wide = _k.cast(x, _mstype.float32) if x.dtype in (_mstype.float16, _mstype.bfloat16) else x
        mean = _k.mean(wide, axes, True)
        variance = _k.mean(_k.square(wide - mean), axes, True)
        return self.run(x, gamma, beta), mean, variance

    def run(self, x, gamma, beta):
        """Returns the normalised x only."""
        return _n.layer_norm_axes(x, gamma, beta, self.begin_norm_axis, self.begin_params_axis, self.epsilon)


class StandardNormal(Primitive):
    """Draws standard normal float32 numbers in the given shape, a tuple of ints.

    The same seeds give the same numbers; 0 for both takes the global generator. Raises ValueError for a negative size.
    """

    def __init__(self, seed=0, seed2=0):
        super().__init__()
        self.seed = _seed(seed, seed2)

    def __call__(self, shape):
        return _r.standard_normal(shape, self.seed)


class UniformReal(Primitive):
    """Draws uniform float32 numbers from [0, 1) in the given shape, a tuple of ints.

    The same seeds give the same numbers; 0 for both takes the global generator. Raises ValueError for a negative size.
    """

    def __init__(self, seed=0, seed2=0):
        super().__init__()
        self.seed = _seed(seed, seed2)

    def __call__(self, shape):
        return _r.uniform(shape, seed=self.seed)
