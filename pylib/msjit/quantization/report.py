"""What quantisation saved and cost."""
import numpy as np

from ..common.tensor import Tensor


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


def distance(new, old):
    """(squared norm of the difference, squared norm of `old`) of two results: Tensors, or tuples, lists and dicts of them."""
    if isinstance(old, dict):
        new, old = list(new.values()), list(old.values())
    if isinstance(old, (tuple, list)):
        pairs = [distance(a, b) for a, b in zip(new, old)]
        return sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    if not isinstance(old, Tensor):
        return 0.0, 0.0
    a, b = new.asnumpy().astype(np.float64), old.asnumpy().astype(np.float64)
    return float(np.square(a - b).sum()), float(np.square(b).sum())


def relative(pairs):
    difference, size = sum(p[0] for p in pairs), sum(p[1] for p in pairs)
    return float(np.sqrt(difference / size)) if size else float(np.sqrt(difference))
