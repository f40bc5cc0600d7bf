"""Convolutions on integers."""
import numpy as np

from .. import mint, nn, ops
from ..common import dtype as mstype
from .dense import frozen, rounded, span_of

_int8_conv2d = ops.registry.int8_conv2d


def _scale_and_shift(norm):
    """(factors, terms) of what a normalisation by running statistics does to each channel, float64."""
    if isinstance(norm, nn.Cell) and hasattr(norm, "moving_mean"):
        parts = norm.gamma, norm.beta, norm.moving_mean, norm.moving_variance
    else:
        parts = norm.weight, norm.bias, norm.running_mean, norm.running_var
    weight, bias, mean, variance = (None if p is None else p.asnumpy().astype(np.float64) for p in parts)
    factor = (1.0 if weight is None else weight) / np.sqrt(variance + norm.eps)
    return factor, (0.0 if bias is None else bias) - mean * factor


def _pads(conv):
    """Whether a convolution reads zeros around its images."""
    fixed = conv.conv2d.fixed_window()
    return fixed is None or any(fixed[1])


class Int8Conv2d(nn.Cell):
    """A Conv2d that multiplies integers of 8 bits, which are summed exactly.

    x (N, C, H, W) of a float dtype gives what the Conv2d gives, of the same dtype. `span`: the (smallest, largest) element expected of x, beyond which
    it is clipped; None: each image is scaled by its largest element when it comes. x becomes numbers between 0 and 255 where it has no negative
    elements or the Conv2d does not pad, else numbers between -127 and 127, of which 0 is the padding. `norm`: a BatchNorm2d by running statistics
    that follows, which becomes part of scale and bias.

    Parameters: `weight`, int8 (out, in / group, kH, kW), `scale`, float32 (out), the bias of the Conv2d or, with a norm, `bias`, float32 (out);
    with a span `input_scale`, float32 () or (1, 1, 1, 1), and where nothing is padded `input_zero`, float32 (), and `shift`, float32 (out). There are
    no gradients by x.

    >>> import msjit as ms
    >>> layer = ms.quantization.Int8Conv2d(ms.nn.Conv2d(1, 1, 3, weight_init="ones"), (0.0, 1.0))
    >>> layer(ms.ops.ones((1, 1, 3, 3))).asnumpy().round(5).tolist()
    [[[[4.0, 6.0, 4.0], [6.0, 9.0, 6.0], [4.0, 6.0, 4.0]]]]
    """

    def __init__(self, conv, span=None, norm=None):
        super().__init__()
        self.in_channels, self.out_channels, self.kernel_size = conv.in_channels, conv.out_channels, conv.kernel_size
        self.conv2d, self.has_span, self.has_norm = conv.conv2d, span is not None, norm is not None
        weight = conv.weight.asnumpy()
        numbers, scale = rounded(weight.reshape(len(weight), -1), 8, None)
        self.weight = frozen(numbers.reshape(weight.shape), "weight")
        self.bias = conv.bias
        if norm is not None:
            factor, term = _scale_and_shift(norm)
            own = 0.0 if conv.bias is None else conv.bias.asnumpy().astype(np.float64)
            scale = (scale * factor).astype(np.float32)
            self.bias = frozen((own * factor + term).astype(np.float32), "bias")
        self.has_bias, self.pads = self.bias is not None, _pads(conv)
        if self.has_span:
            scale = self._set_span(float(span[0]), float(span[1]), numbers, scale)
        self.scale = frozen(scale, "scale")

    def _set_span(self, low, high, numbers, scale):
        """Keeps how inputs are scaled; returns the factors of the sums."""
        self.is_signed = self.pads and low < 0
        if self.is_signed:
            step, zero = max(-low, high, 1e-30) / 127, 0
        else:
            step, zero = span_of(low, high)
        scale = (scale * np.float32(step)).astype(np.float32)
        # The shape tells checkpoints of signed numbers from others, which load_checkpoint then refuses.
        self.input_scale = frozen(np.full((1,) * 4 if self.is_signed else (), step, np.float32), "input_scale")
        if not self.pads:
            self.input_zero = frozen(np.float32(zero), "input_zero")
            # the part of the sums that comes from input_zero
            self.shift = frozen((-zero * numbers.astype(np.int64).sum(1) * scale.astype(np.float64)).astype(np.float32), "shift")
        return scale

    def construct(self, x):
        """The layer's results."""
        wide = x.astype(mstype.float32)
        y = self._scaled_beforehand(wide) if self.has_span else self._scaled_by_image(wide)
        return y.astype(x.dtype)

    def _scaled_beforehand(self, x):
        numbers, bias = ops.round(x / self.input_scale), self._float_bias()
        if self.is_signed:
            return self._sums(ops.clip(numbers, -127.0, 127.0).astype(mstype.int8), bias)
        if not self.pads:
            numbers, bias = numbers + self.input_zero, self.shift if bias is None else self.shift + bias
        return self._sums(ops.clip(numbers, 0.0, 255.0).astype(mstype.uint8), bias)

    def _scaled_by_image(self, x):
        step = ops.maximum(ops.amax(ops.abs(x), (1, 2, 3), keepdims=True), 1e-30) / 127.0
        y = self._sums(ops.round(x / step).astype(mstype.int8), None) * step
        return y if self.bias is None else y + self._float_bias().reshape(-1, 1, 1)

    def _float_bias(self):
        return None if self.bias is None else self.bias.astype(mstype.float32)

    def _sums(self, numbers, bias):
        return _int8_conv2d(numbers, self.weight, self.scale, bias, *self.conv2d.window(numbers))

    def nbytes(self):
        """Bytes of weight and scales."""
        return sum(p.asnumpy().nbytes for name, p in self.parameters_and_names() if name != "bias")

    def extend_repr(self):
        """The sizes, and how inputs are scaled."""
        return "input_channels=%d, output_channels=%d, kernel_size=%s, stride=%s, group=%d, has_bias=%s, has_norm=%s" % (
            self.in_channels, self.out_channels, self.kernel_size, self.conv2d.stride, self.conv2d.group, self.has_bias, self.has_norm)


class Int8Conv1d(Int8Conv2d):
    """A Conv1d that multiplies integers of 8 bits: (N, C, L) inputs, else as Int8Conv2d; `norm`: a BatchNorm1d.

    >>> import msjit as ms
    >>> layer = ms.quantization.Int8Conv1d(ms.nn.Conv1d(1, 1, 3, weight_init="ones"), (0.0, 1.0))
    >>> layer(ms.ops.ones((1, 1, 4))).asnumpy().round(5).tolist()
    [[[2.0, 3.0, 3.0, 2.0]]]
    """

    def construct(self, x):
        """The layer's results."""
        return ops.squeeze(super().construct(ops.expand_dims(x, 2)), 2)


KINDS = {nn.Conv2d: Int8Conv2d, mint.nn.Conv2d: Int8Conv2d, nn.Conv1d: Int8Conv1d}
