"""The primitive LSTM, over sequences, with all its weights in one tensor."""
from ..common.checks import check_int as _check_int
from . import registry as _k
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows


def _parts(p, w):
    """Returns (input weights, state weights, biases or None) of each layer and direction.

    w holds the input weights (4 hidden, input) of all layers and directions, then the state weights (4 hidden, hidden),
    then the biases (4 hidden). The order of the gates is input, forget, cell, output.
    """
    flat, ways, at = _k.reshape(w, (-1,)), 2 if p.bidirectional else 1, 0
    runs = [(layer, way) for layer in range(p.num_layers) for way in range(ways)]

    def cut(width):
        nonlocal at
        count = 4 * p.hidden_size * width
        if at + count > flat.shape[0]:
            raise ValueError("[LSTM] elements of w, got %d, expected %d at least" % (flat.shape[0], at + count))
        at += count
        return _k.reshape(flat[at - count:at], (4 * p.hidden_size, width))
    of_inputs = [cut(p.input_size if layer == 0 else ways * p.hidden_size) for layer, _ in runs]
    of_states = [cut(p.hidden_size) for _ in runs]
    biases = [_k.reshape(cut(1), (-1,)) if p.has_bias else None for _ in runs]
    return dict(zip(runs, zip(of_inputs, of_states, biases)))


def _direction(p, x, h, c, weights, backwards):
    """Runs one layer in one direction; returns (outputs of all steps, last state, last cell)."""
    of_inputs, of_states, bias = weights
    gates, outputs, n = _k.matmul(x, of_inputs, False, True), [], p.hidden_size
    if bias is not None:
        gates = gates + bias
    steps = range(x.shape[0])
    for t in reversed(steps) if backwards else steps:
        all_gates = gates[t] + _k.matmul(h, of_states, False, True)
        i, f, g, o = _k.split(all_gates, [n, n, n, n], 1)
        c = _k.sigmoid(f) * c + _k.sigmoid(i) * _k.tanh(g)
        h = _k.sigmoid(o) * _k.tanh(c)
        outputs.append(h)
    return _k.stack(outputs[::-1] if backwards else outputs, 0), h, c


def _lstm(p, x, h, c, w):
    for size in ("input_size", "hidden_size", "num_layers"):
        _check_int(getattr(p, size), "LSTM", size)
    if x.ndim != 3 or x.shape[2] != p.input_size:
        raise ValueError("[LSTM] shape of x, got %s, expected (steps, batch, %d)" % (tuple(x.shape), p.input_size))
    ways = 2 if p.bidirectional else 1
    for name, state in (("h", h), ("c", c)):
        if tuple(state.shape) != (ways * p.num_layers, x.shape[1], p.hidden_size):
            raise ValueError("[LSTM] shape of %s, got %s, expected %s" % (name, tuple(state.shape),
                                                                         (ways * p.num_layers, x.shape[1], p.hidden_size)))
    if p.dropout:
        raise NotImplementedError("[LSTM] dropout, got %s, expected 0: nn.LSTM drops elements between layers" % (p.dropout,))
    parts, last_h, last_c = _parts(p, w), [], []
    for layer in range(p.num_layers):
        outputs = []
        for way in range(ways):
            at = layer * ways + way
            out, state, cell = _direction(p, x, h[at], c[at], parts[layer, way], way == 1)
            outputs.append(out)
            last_h.append(state)
            last_c.append(cell)
        x = _k.concat(outputs, 2) if ways == 2 else outputs[0]
    none = _k.zeros((1, 1), x.dtype)  # in MindSpore, values that are kept for the gradient
    return x, _k.stack(last_h, 0), _k.stack(last_c, 0), none, none


__all__ = _rows(globals(), (
    ("LSTM", {"input_size": _REQUIRED, "hidden_size": _REQUIRED, "num_layers": _REQUIRED, "has_bias": _REQUIRED, "bidirectional": _REQUIRED,
              "dropout": _REQUIRED, "proj_size": 0}, _lstm),
))
