"""Dense layers on integers, and how weights are rounded."""
import numpy as np

from .. import nn, ops
from ..common import dtype as mstype
from ..common.parameter import Parameter
from ..common.tensor import Tensor

_int8_linear, _weight_only, _widen = ops.registry.int8_linear, ops.registry.weight_only_linear, ops.registry.widen_weight
# Shares of the largest weight that are tried as the largest integer. With 4 bits it pays to clip outliers.
_CLIPS = {8: (1.0,), 4: (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7)}


def frozen(value, name):
    return Parameter(Tensor(value), name=name, requires_grad=False)


def rounded(weight, bits, group_size):
    """(integers as int8, scales as float32) of a weight (out, in); scales (out) or (out, in / group_size)."""
    limit = 127 if bits == 8 else 7
    groups = weight.reshape(len(weight), -1, group_size or max(weight.shape[1], 1)).astype(np.float32)
    largest = np.maximum(np.abs(groups).max(-1, keepdims=True, initial=0), 1e-30)
    best = None
    for clip in _CLIPS[bits]:
        scale = (largest * (clip / limit)).astype(np.float32)
        numbers = np.clip(np.rint(groups / scale), -limit, limit)
        error = np.square(numbers * scale - groups).sum(-1, keepdims=True)
        if best is None:
            best = numbers, scale, error
        else:
            better = error < best[2]
            best = tuple(np.where(better, new, old) for new, old in zip((numbers, scale, error), best))
    scale = best[1][..., 0] if group_size else best[1][:, 0, 0]
    return best[0].reshape(weight.shape).astype(np.int8), np.ascontiguousarray(scale)


def in_pairs(numbers):
    """Packs numbers between -8 and 7 in pairs along the last axis; the lower half of a byte is the first of a pair."""
    if numbers.shape[1] % 2:
        numbers = np.pad(numbers, ((0, 0), (0, 1)))
    halves = numbers.astype(np.uint8) & 15
    return halves[:, ::2] | (halves[:, 1::2] << 4)


def span_of(low, high):
    """(size of a step, the number that stands for 0) of numbers from 0 to 255 that stand for `low` to `high`, 0 among them."""
    low, high = min(low, 0.0), max(high, 0.0)
    step = max(high - low, 1e-30) / 255
    return step, round(-low / step)


class QuantisedDense(nn.Cell):
    """What both kinds of quantised layer copy from a Dense."""

    def __init__(self, dense):
        super().__init__()
        self.in_channels, self.out_channels = dense.in_channels, dense.out_channels
        self.has_bias, self.activation = dense.has_bias, dense.activation
        self.bias = dense.bias

    def nbytes(self):
        """Bytes of weight and scales."""
        return sum(p.asnumpy().nbytes for name, p in self.parameters_and_names() if name != "bias")

    def extend_repr(self):
        """As Dense prints it."""
        return "input_channels=%d, output_channels=%d, has_bias=%s" % (self.in_channels, self.out_channels, self.has_bias)


class WeightOnlyDense(QuantisedDense):
    """A Dense whose weight is kept in 8 or 4 bits, and is widened to floats when it is read.

    x (..., in_channels) of a float dtype gives (..., out_channels) of the same. Parameters: `weight`, int8 (out, in) or uint8 (out, in / 2 rounded up),
    `scale`, float32 (out) or (out, in / group_size), and the bias of the Dense. x and the bias have gradients. Raises ValueError for other
    bits, and for a group_size that does not divide in_channels or, with 4 bits, is odd.

    >>> import msjit as ms
    >>> layer = ms.quantization.WeightOnlyDense(ms.nn.Dense(2, 1, weight_init="ones", bias_init="zeros"))
    >>> layer(ms.Tensor([[1.0, 2.0]])).asnumpy().tolist()
    [[3.0]]
    """

    def __init__(self, dense, bits=8, group_size=None):
        super().__init__(dense)
        check_bits(bits, group_size)
        if group_size and dense.in_channels % group_size:
            raise ValueError("[quantization] group_size, got %d, expected a divisor of %d" % (group_size, dense.in_channels))
        numbers, scale = rounded(dense.weight.asnumpy(), bits, group_size)
        self.bits, self.group_size = bits, group_size
        self.weight = frozen(numbers if bits == 8 else in_pairs(numbers), "weight")
        self.scale = frozen(scale, "scale")

    def construct(self, x):
        """The layer's results."""
        x = _weight_only(x, self.weight, self.scale, None, self.bias, self.bits)
        return x if self.activation is None else self.activation(x)

    def widened(self):
        """The weight in float32 (out, in)."""
        return _widen(self.weight, self.scale, None, self.in_channels, self.bits)


class Int8Dense(QuantisedDense):
    """A Dense that multiplies integers of 8 bits. Their products are summed exactly.

    x (..., in_channels) of a float dtype gives (..., out_channels) of the same. `span`: the (smallest, largest) element that x is expected to have;
    others are clipped to it. With None each row of x is scaled at run time, by its largest element. Parameters: `weight`, int8 (out, in), `scale`,
    float32 (out), the bias of the Dense and, with a span, `input_scale` and `input_zero`, float32 (), and `shift`, float32 (out). x has no gradient.

    >>> import msjit as ms
    >>> layer = ms.quantization.Int8Dense(ms.nn.Dense(2, 1, weight_init="ones", bias_init="zeros"))
    >>> layer(ms.Tensor([[1.0, 1.0]])).asnumpy().round(5).tolist()
    [[2.0]]
    """

    def __init__(self, dense, span=None):
        super().__init__(dense)
        numbers, scale = rounded(dense.weight.asnumpy(), 8, None)
        self.weight, self.has_span = frozen(numbers, "weight"), span is not None
        if self.has_span:
            step, zero = span_of(float(span[0]), float(span[1]))
            scale = (scale * np.float32(step)).astype(np.float32)
            self.input_scale, self.input_zero = frozen(np.float32(step), "input_scale"), frozen(np.float32(zero), "input_zero")
            # the part of the sums that comes from input_zero
            self.shift = frozen((-zero * numbers.astype(np.int64).sum(1) * scale.astype(np.float64)).astype(np.float32), "shift")
        self.scale = frozen(scale, "scale")

    def construct(self, x):
        """The layer's results."""
        wide = x.astype(mstype.float32)
        y = self._scaled_beforehand(wide) if self.has_span else self._scaled_by_row(wide)
        if self.bias is not None:
            y = y + self.bias
        y = y.astype(x.dtype)
        return y if self.activation is None else self.activation(y)

    def _scaled_beforehand(self, x):
        numbers = ops.clip(ops.round(x / self.input_scale) + self.input_zero, 0.0, 255.0)
        return _int8_linear(numbers.astype(mstype.uint8), self.weight, self.scale, self.shift)

    def _scaled_by_row(self, x):
        step = ops.maximum(ops.abs(x).max(-1, keepdims=True), 1e-30) / 127.0
        return _int8_linear(ops.round(x / step).astype(mstype.int8), self.weight, self.scale) * step


def check_bits(bits, group_size):
    if bits not in (4, 8):
        raise ValueError("[quantization] bits, got %r, expected 4 or 8" % (bits,))
    if group_size is None:
        return
    if isinstance(group_size, bool) or not isinstance(group_size, int):
        raise TypeError("[quantization] group_size must be an int or None, got %s" % type(group_size).__name__)
    if group_size < 1 or (bits == 4 and group_size % 2):
        raise ValueError("[quantization] group_size, got %d, expected %s" % (group_size, "an even number" if bits == 4 else "at least 1"))
