"""Dense layers in 8 and 4 bits: only the weights, or weights and activations.

    report = quantize_weights(net, bits=4, group_size=64)    # float activations; weights are widened to floats when they are read
    report = quantize_int8(net)                              # int8 products; each row of an activation is scaled at run time
    report = quantize_int8(net, batches)                     # int8 products; the scales are found beforehand from batches of inputs

Both replace the `nn.Dense` and `mint.nn.Linear` layers of a network in place and return a `Report` of memory and errors. Scales are
symmetric for each output of a layer: weight = q * scale, q between -127 and 127 or -7 and 7. With batches the activations of a layer are
q = round(x / input_scale) + input_zero between 0 and 255 (affine quantization: Jacob et al., "Quantization and Training of Neural Networks for
Efficient Integer-Arithmetic-Only Inference", 2018). Integers and scales are Parameters, so checkpoints hold them.
"""
import numpy as np

from . import mint, nn, ops
from .common import dtype as mstype
from .common.parameter import Parameter
from .common.tensor import Tensor

__all__ = ["Int8Dense", "LayerReport", "Report", "WeightOnlyDense", "quantize_int8", "quantize_weights"]

_int8_linear, _weight_only, _widen = ops.registry.int8_linear, ops.registry.weight_only_linear, ops.registry.widen_weight
# Shares of the largest weight that are tried as the largest integer. With 4 bits it pays to clip outliers.
_CLIPS = {8: (1.0,), 4: (1.0, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7)}


class LayerReport:
    """The result of quantising one layer.

    `name`: its path in the network. `bits`: of its weight. `before`, `after`: bytes of its weight, scales included. `error`: the norm of the
    difference between its results and those in floats, relative to the latter; without batches, that of its weight instead of its results.
    """

    def __init__(self, name, bits, before, after, error):
        self.name, self.bits, self.before, self.after, self.error = name, bits, before, after, error


class Report:
    """`layers`: a LayerReport for each layer. `error`: the error of the whole network's results, None without batches. str() gives a table."""

    def __init__(self, layers, error=None):
        self.layers, self.error = layers, error

    def __str__(self):
        lines = ["%-32s %4s %10s %10s %9s" % ("layer", "bits", "KiB", "KiB now", "error")]
        for layer in self.layers:
            lines.append("%-32s %4d %10.1f %10.1f %9.1e"
                         % (layer.name, layer.bits, layer.before / 1024, layer.after / 1024, layer.error))
        before, after = sum(layer.before for layer in self.layers), sum(layer.after for layer in self.layers)
        error = "" if self.error is None else "%.1e" % self.error
        lines.append("%-32s %4s %10.1f %10.1f %9s" % ("all", "", before / 1024, after / 1024, error))
        return "\n".join(lines)


def _frozen(value, name):
    return Parameter(Tensor(value), name=name, requires_grad=False)


def _rounded(weight, bits, group_size):
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


def _in_pairs(numbers):
    """Packs numbers between -8 and 7 in pairs along the last axis; the lower half of a byte is the first of a pair."""
    if numbers.shape[1] % 2:
        numbers = np.pad(numbers, ((0, 0), (0, 1)))
    halves = numbers.astype(np.uint8) & 15
    return halves[:, ::2] | (halves[:, 1::2] << 4)


class _QuantisedDense(nn.Cell):
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


class WeightOnlyDense(_QuantisedDense):
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
        _check_bits(bits, group_size)
        if group_size and dense.in_channels % group_size:
            raise ValueError("[quantization] group_size, got %d, expected a divisor of %d" % (group_size, dense.in_channels))
        numbers, scale = _rounded(dense.weight.asnumpy(), bits, group_size)
        self.bits, self.group_size = bits, group_size
        self.weight = _frozen(numbers if bits == 8 else _in_pairs(numbers), "weight")
        self.scale = _frozen(scale, "scale")

    def construct(self, x):
        """The layer's results."""
        x = _weight_only(x, self.weight, self.scale, None, self.bias, self.bits)
        return x if self.activation is None else self.activation(x)

    def widened(self):
        """The weight in float32 (out, in)."""
        return _widen(self.weight, self.scale, None, self.in_channels, self.bits)


class Int8Dense(_QuantisedDense):
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
        numbers, scale = _rounded(dense.weight.asnumpy(), 8, None)
        self.weight, self.has_span = _frozen(numbers, "weight"), span is not None
        if self.has_span:
            low, high = min(float(span[0]), 0.0), max(float(span[1]), 0.0)  # 0 must be exact, as images are padded with it
            step = max(high - low, 1e-30) / 255
            zero = round(-low / step)
            scale = (scale * np.float32(step)).astype(np.float32)
            self.input_scale, self.input_zero = _frozen(np.float32(step), "input_scale"), _frozen(np.float32(zero), "input_zero")
            # the part of the sums that comes from input_zero
            self.shift = _frozen((-zero * numbers.astype(np.int64).sum(1) * scale.astype(np.float64)).astype(np.float32), "shift")
        self.scale = _frozen(scale, "scale")

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


def _check_bits(bits, group_size):
    if bits not in (4, 8):
        raise ValueError("[quantization] bits, got %r, expected 4 or 8" % (bits,))
    if group_size is None:
        return
    if isinstance(group_size, bool) or not isinstance(group_size, int):
        raise TypeError("[quantization] group_size must be an int or None, got %s" % type(group_size).__name__)
    if group_size < 1 or (bits == 4 and group_size % 2):
        raise ValueError("[quantization] group_size, got %d, expected %s" % (group_size, "an even number" if bits == 4 else "at least 1"))


def _dense_layers(net, skip):
    """{path: Dense}, without those that `skip` names: a str or several, each the path of a layer or of a Cell around it."""
    if not isinstance(net, nn.Cell):
        raise TypeError("[quantization] net must be a Cell, got %s" % type(net).__name__)
    skip = (skip,) if isinstance(skip, str) else tuple(skip)
    found = {name: cell for name, cell in net.cells_and_names() if type(cell) in (nn.Dense, mint.nn.Linear)}
    if "" in found:
        raise TypeError("[quantization] net, got a single %s, expected a Cell that contains it" % type(net).__name__)
    return {name: cell for name, cell in found.items() if not any((name + ".").startswith(s + ".") for s in skip)}


def _replace(net, made):
    """Replaces Cells, {id(old): new}; the new ones take over the names of the Parameters. The old Cells must still be alive."""
    for _, cell in list(net.cells_and_names()):
        for key, child in list(cell.name_cells().items()):
            new = made.get(id(child))
            if new is None:
                continue
            lead = child.weight.name[:-len("weight")] if child.weight.name.endswith("weight") else child.weight.name + "."
            bias = new.bias.name if new.bias is not None else None
            if isinstance(cell, (nn.CellList, nn.SequentialCell)):
                cell[list(cell.name_cells()).index(key)] = new
            else:
                setattr(cell, key, new)
            for name, param in new.parameters_and_names():
                param.name = bias if name == "bias" else lead + name


def _distance(new, old):
    """(squared norm of the difference, squared norm of `old`) of two results: Tensors, or tuples, lists and dicts of them."""
    if isinstance(old, dict):
        new, old = list(new.values()), list(old.values())
    if isinstance(old, (tuple, list)):
        pairs = [_distance(a, b) for a, b in zip(new, old)]
        return sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    if not isinstance(old, Tensor):
        return 0.0, 0.0
    a, b = new.asnumpy().astype(np.float64), old.asnumpy().astype(np.float64)
    return float(np.square(a - b).sum()), float(np.square(b).sum())


def _relative(pairs):
    difference, size = sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    return float(np.sqrt(difference / size)) if size else float(np.sqrt(difference))


def quantize_weights(net, bits=8, group_size=None, skip=()):
    """Replaces a network's Dense layers in place by layers with weights of 8 or 4 bits; returns a Report.

    `group_size`: how many neighbours in a row of a weight share a scale. None, or a size that does not divide the rows of a layer: each row has one
    scale. `skip`: paths of layers, or of Cells around them, that stay. Raises ValueError for other bits and sizes, TypeError if `net` is no Cell.

    >>> import msjit as ms
    >>> net = ms.nn.SequentialCell(ms.nn.Dense(256, 256), ms.nn.ReLU(), ms.nn.Dense(256, 10))
    >>> report = ms.quantization.quantize_weights(net, bits=4, group_size=32, skip="2")
    >>> [(layer.name, layer.before, layer.after) for layer in report.layers]
    [('0', 262144, 40960)]
    """
    _check_bits(bits, group_size)
    layers = _dense_layers(net, skip)
    made, rows = {}, []
    for name, dense in layers.items():
        fits = group_size is not None and dense.in_channels % group_size == 0
        new = made[id(dense)] = WeightOnlyDense(dense, bits, group_size if fits else None)
        error = _relative([_distance(new.widened(), dense.weight)])
        rows.append(LayerReport(name, bits, dense.weight.asnumpy().nbytes, new.nbytes(), error))
    _replace(net, made)
    return Report(rows)


def _arguments(batch):
    return batch if isinstance(batch, (tuple, list)) else (batch,)


def _hooked(net, layers, hook, batches):
    """Runs the network on the batches and calls hook(name, inputs, result) after each layer; returns the network's results."""
    handles = [dense.register_forward_hook(lambda cell, inputs, result, name=name: hook(name, inputs[0], result))
               for name, dense in layers.items()]
    try:
        return [net(*_arguments(batch)) for batch in batches]
    finally:
        for handle in handles:
            handle.remove()


def quantize_int8(net, batches=None, skip=(), percentile=100.0):
    """Replaces a network's Dense layers in place by layers that multiply integers of 8 bits, for inference; returns a Report.

    `batches`: inputs of the network, each a Tensor or a tuple of arguments. The unchanged network runs on them twice. The first time finds the
    span of each layer's inputs: from the (100 - percentile)-th to the percentile-th percentile of a batch's elements; elements beyond it will
    be clipped. The second time finds the errors for the report. With None each row is scaled at run time, which costs a pass over it. `skip`:
    paths of layers, or of Cells around them, that stay; layers that no batch reaches stay as well.

    Raises TypeError if `net` is no Cell or `batches` is a single Tensor, ValueError for a percentile outside (50, 100] and if there is no
    batch.

    >>> import numpy as np, msjit as ms
    >>> net = ms.nn.SequentialCell(ms.nn.Dense(64, 64), ms.nn.ReLU(), ms.nn.Dense(64, 10))
    >>> batches = [ms.Tensor(np.random.RandomState(i).standard_normal((32, 64)).astype(np.float32)) for i in range(4)]
    >>> ms.quantization.quantize_int8(net, batches).error < 0.02
    True
    """
    if not 50 < percentile <= 100:
        raise ValueError("[quantization] percentile, got %r, expected more than 50 and at most 100" % (percentile,))
    layers = _dense_layers(net, skip)
    if batches is None:
        made = {id(dense): Int8Dense(dense) for dense in layers.values()}
        rows = [_row(name, dense, made[id(dense)], _weight_error(dense)) for name, dense in layers.items()]
        _replace(net, made)
        return Report(rows)
    if isinstance(batches, (Tensor, np.ndarray)):  # its rows would be taken for batches
        raise TypeError("[quantization] batches, got %s, expected a list of inputs, [x] for one" % type(batches).__name__)
    batches = list(batches)
    if not batches:
        raise ValueError("[quantization] batches, got none, expected at least one")
    spans, errors = {}, {}

    def see_span(name, x, result):
        values = x.asnumpy()
        low, high = np.percentile(values, [100.0 - percentile, percentile]) if values.size else (0.0, 0.0)
        old = spans.get(name, (0.0, 0.0))
        spans[name] = min(old[0], float(low)), max(old[1], float(high))

    def see_error(name, x, result):
        if name in made:
            errors.setdefault(name, []).append(_distance(made[name](x), result))

    _hooked(net, layers, see_span, batches)
    made = {name: Int8Dense(dense, spans[name]) for name, dense in layers.items() if name in spans}
    before = _hooked(net, layers, see_error, batches)
    rows = [_row(name, layers[name], new, _relative(errors[name])) for name, new in made.items()]
    _replace(net, {id(layers[name]): new for name, new in made.items()})
    after = [net(*_arguments(batch)) for batch in batches]
    return Report(rows, _relative([_distance(new, old) for new, old in zip(after, before)]))


def _row(name, dense, new, error):
    return LayerReport(name, 8, dense.weight.asnumpy().nbytes, new.nbytes(), error)


def _weight_error(dense):
    weight = dense.weight.asnumpy()
    numbers, scale = _rounded(weight, 8, None)
    return _relative([_distance(Tensor(numbers * scale[:, None]), Tensor(weight.astype(np.float32)))])
