"""Dense layers in 8 and 4 bits, convolutions in 8: only the weights, or weights and activations.

    report = quantize_weights(net, bits=4, group_size=64)    # float activations; weights are widened to floats when they are read
    report = quantize_int8(net)                              # int8 products; each row or image of an activation is scaled at run time
    report = quantize_int8(net, batches)                     # int8 products; the scales are found beforehand from batches of inputs

Both replace the `nn.Dense` and `mint.nn.Linear` layers of a network in place and return a `Report` of memory and errors; `quantize_int8` replaces
`nn.Conv2d`, `mint.nn.Conv2d` and `nn.Conv1d` as well. Scales are symmetric for each output of a layer: weight = q * scale, q between -127 and 127
or -7 and 7. With batches the activations of a layer are q = round(x / input_scale) + input_zero between 0 and 255 (affine quantization: Jacob et al.,
"Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference", 2018). A convolution that pads has no input_zero, as
padding is 0. Integers and scales are Parameters, so checkpoints hold them.
"""
import numpy as np

from .. import mint, nn
from ..common.tensor import Tensor
from . import conv
from .conv import Int8Conv1d, Int8Conv2d
from .dense import Int8Dense, WeightOnlyDense, check_bits, rounded
from .folding import Followers, norms_of, without_other_uses
from .report import LayerReport, Report, distance, relative

__all__ = ["Int8Conv1d", "Int8Conv2d", "Int8Dense", "LayerReport", "Report", "WeightOnlyDense", "quantize_int8", "quantize_weights"]

_DENSE = (nn.Dense, mint.nn.Linear)


def _names(skip):
    return (skip,) if isinstance(skip, str) else tuple(skip)


def _layers(net, skip, kinds):
    """{path: layer}, without those that `skip` names: a str or several, each the path of a layer or of a Cell around it."""
    if not isinstance(net, nn.Cell):
        raise TypeError("[quantization] net must be a Cell, got %s" % type(net).__name__)
    found = {name: cell for name, cell in net.cells_and_names() if type(cell) in kinds}
    if "" in found:
        raise TypeError("[quantization] net, got a single %s, expected a Cell that contains it" % type(net).__name__)
    return {name: cell for name, cell in found.items() if not any((name + ".").startswith(s + ".") for s in _names(skip))}


def _replace(net, made):
    """Replaces Cells, {id(old): new}; the new ones take over the names of the Parameters. The old Cells must still be alive."""
    for _, cell in list(net.cells_and_names()):
        for key, child in list(cell.name_cells().items()):
            new = made.get(id(child))
            if new is None:
                continue
            names = {name: _name_of(child, name, param) for name, param in new.parameters_and_names()}
            if isinstance(cell, (nn.CellList, nn.SequentialCell)):
                cell[list(cell.name_cells()).index(key)] = new
            else:
                setattr(cell, key, new)
            for name, param in new.parameters_and_names():
                param.name = names[name]


def _name_of(old, name, param):
    """The full name of the Parameter that is `name` in the Cell that replaces `old`."""
    if param is old.bias:
        return param.name
    weight = old.weight.name
    return (weight[:-len("weight")] if weight.endswith("weight") else weight + ".") + name


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
    check_bits(bits, group_size)
    layers = _layers(net, skip, _DENSE)
    made, rows = {}, []
    for name, dense in layers.items():
        fits = group_size is not None and dense.in_channels % group_size == 0
        new = made[id(dense)] = WeightOnlyDense(dense, bits, group_size if fits else None)
        error = relative([distance(new.widened(), dense.weight)])
        rows.append(LayerReport(name, bits, dense.weight.asnumpy().nbytes, new.nbytes(), error))
    _replace(net, made)
    return Report(rows)


def _arguments(batch):
    return batch if isinstance(batch, (tuple, list)) else (batch,)


def _hooked(net, layers, hook, batches, end_batch=lambda: None):
    """Runs the network on the batches and calls hook(name, input, result) after each layer; returns the network's results."""
    handles = [layer.register_forward_hook(lambda cell, inputs, result, name=name: hook(name, inputs[0], result))
               for name, layer in layers.items()]
    results = []
    try:
        for batch in batches:
            results.append(net(*_arguments(batch)))
            end_batch()
    finally:
        for handle in handles:
            handle.remove()
    return results


def quantize_int8(net, batches=None, skip=(), percentile=100.0):
    """Replaces a network's Dense layers and convolutions in place by layers that multiply integers of 8 bits, for inference; returns a Report.

    `batches`: inputs of the network, each a Tensor or a tuple of arguments. The unchanged network runs on them. The first run finds the span of each
    layer's inputs: from the (100 - percentile)-th to the percentile-th percentile of a batch's elements; elements beyond it will be clipped. The
    second run finds the errors for the report. A batch normalisation with running statistics becomes part of the convolution before it, and an
    Identity takes its place, if the batches show that nothing else reads that convolution's result. With None each row or image is scaled at run
    time, which costs a pass over it, and normalisations stay. `skip`: paths of layers, or of Cells around them, that stay; layers that no batch
    reaches stay as well.

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
    skip = _names(skip)
    layers = _layers(net, skip, (*_DENSE, *conv.KINDS))
    if batches is None:
        made = {id(layer): _on_integers(layer) for layer in layers.values()}
        rows = [_row(name, layer, made[id(layer)], _weight_error(layer)) for name, layer in layers.items()]
        _replace(net, made)
        return Report(rows)
    batches = _listed(batches)
    spans, folded, norms = _calibrated(net, layers, batches, skip, percentile)
    made = {name: _on_integers(layer, spans[name], norms.get(folded.get(name))) for name, layer in layers.items() if name in spans}
    before, errors = _compared(net, layers, made, {norm: name for name, norm in folded.items()}, norms, batches)
    rows = [_row(name, layers[name], new, relative(errors[name])) for name, new in made.items()]
    _replace(net, {id(layers[name]): new for name, new in made.items()})
    _replace(net, {id(norms[norm]): nn.Identity() for norm in folded.values()})
    after = [net(*_arguments(batch)) for batch in batches]
    return Report(rows, relative([distance(new, old) for new, old in zip(after, before)]))


def _listed(batches):
    if isinstance(batches, (Tensor, np.ndarray)):  # its rows would be taken for batches
        raise TypeError("[quantization] batches, got %s, expected a list of inputs, [x] for one" % type(batches).__name__)
    batches = list(batches)
    if not batches:
        raise ValueError("[quantization] batches, got none, expected at least one")
    return batches


def _on_integers(layer, span=None, norm=None):
    kind = conv.KINDS.get(type(layer))
    return Int8Dense(layer, span) if kind is None else kind(layer, span, norm)


def _calibrated(net, layers, batches, skip, percentile):
    """({path: span of what a layer is given}, {path of a convolution: path of the normalisation that it takes in}, {path: normalisation})."""
    spans, followers, norms = {}, Followers(), norms_of(net, skip)

    def see(name, x, result):
        if name in norms:
            return followers.see_norm(name, x)
        if type(layers[name]) in conv.KINDS:
            followers.see_conv(name, result)
        values = x.asnumpy()
        low, high = np.percentile(values, [100.0 - percentile, percentile]) if values.size else (0.0, 0.0)
        old = spans.get(name, (0.0, 0.0))
        spans[name] = min(old[0], float(low)), max(old[1], float(high))

    results = _hooked(net, dict(layers, **norms), see, batches, followers.end_batch)
    pairs = followers.pairs()
    if pairs:
        pairs = without_other_uses(pairs, layers, norms, lambda end: _hooked(net, {}, None, batches, end), results)
    return spans, pairs, norms


def _compared(net, layers, made, convs, norms, batches):
    """(the network's results, {path: distances of what the new layers make from it}); convs: {path of a normalisation: of its convolution}."""
    inputs, errors = {}, {}

    def see(name, x, result):
        if name in convs:
            name, x = convs[name], inputs[id(x)][0]
        elif name in convs.values():
            inputs[id(result)] = x, result
            return
        errors.setdefault(name, []).append(distance(made[name](x), result))

    watched = {name: layers[name] for name in made}
    watched.update((norm, norms[norm]) for norm in convs)
    return _hooked(net, watched, see, batches, inputs.clear), errors


def _row(name, layer, new, error):
    return LayerReport(name, 8, layer.weight.asnumpy().nbytes, new.nbytes(), error)


def _weight_error(layer):
    weight = layer.weight.asnumpy()
    weight = weight.reshape(len(weight), -1)
    numbers, scale = rounded(weight, 8, None)
    return relative([distance(Tensor(numbers * scale[:, None]), Tensor(weight.astype(np.float32)))])
