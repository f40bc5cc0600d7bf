"""Which normalisations become part of the convolution before them."""
import numpy as np

from .. import mint, nn, ops
from ..common.tensor import Tensor

_NORMS = (nn.BatchNorm1d, nn.BatchNorm2d, mint.nn.BatchNorm1d, mint.nn.BatchNorm2d)


def norms_of(net, skip):
    """{path: batch normalisation by running statistics}, but for those that `skip` names."""
    found = {name: cell for name, cell in net.cells_and_names() if type(cell) in _NORMS and _is_fixed(cell)}
    return {name: cell for name, cell in found.items() if not any((name + ".").startswith(s + ".") for s in skip)}


def _is_fixed(norm):
    if isinstance(norm, (nn.BatchNorm1d, nn.BatchNorm2d)):
        return not (norm.training if norm.use_batch_statistics is None else norm.use_batch_statistics)
    return norm.track_running_stats and not norm.training


class Followers:
    """Which normalisation is given what a convolution makes, as hooks see it."""

    def __init__(self):
        self.made, self.behind, self.before = {}, {}, {}

    def see_conv(self, name, result):
        """A convolution has made `result`."""
        self.made[id(result)] = name, result  # kept, so that no other has its id
        self.behind.setdefault(name, [])

    def see_norm(self, name, x):
        """A normalisation is given `x`."""
        conv = self.made.get(id(x), (None, None))[0]
        self.before.setdefault(name, []).append(conv)
        self.behind.setdefault(conv, []).append(name)

    def end_batch(self):
        """Forgets the results of a batch."""
        self.made.clear()

    def pairs(self):
        """{convolution: normalisation} of those that are given what that one makes, and nothing else."""
        return {conv: norms[0] for conv, norms in self.behind.items()
                if conv is not None and len(set(norms)) == 1 and set(self.before[norms[0]]) == {conv}}


def without_other_uses(pairs, convs, norms, run, results):
    """Of the pairs {convolution: normalisation} those whose convolution nobody else reads.

    run(end_batch): the network's results on all batches, which were `results`; it calls end_batch() behind each. The network runs once more
    with NaNs instead of what the convolutions make, which the normalisations are given all the same: whoever else reads them gives other results.
    """
    if _agrees(pairs, convs, norms, run, results):
        return pairs
    return {conv: norm for conv, norm in pairs.items() if _agrees({conv: norm}, convs, norms, run, results)}


def _agrees(pairs, convs, norms, run, results):
    hidden, handles = {}, []

    def hide(cell, inputs, result):
        fake = ops.full_like(result, float("nan"))
        hidden[id(fake)] = fake, result
        return fake

    def show(cell, inputs):
        fake, real = hidden.get(id(inputs[0]), (None, None))
        return None if fake is None else (real,) + tuple(inputs[1:])
    for conv, norm in pairs.items():
        handles += [convs[conv].register_forward_hook(hide), norms[norm].register_forward_pre_hook(show)]
    try:
        return _same(run(hidden.clear), results)
    except Exception:  # of a network that cannot go on with NaNs
        return False
    finally:
        for handle in handles:
            handle.remove()


def _same(a, b):
    if isinstance(a, dict):
        return list(a) == list(b) and all(_same(a[key], b[key]) for key in a)
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(_same(x, y) for x, y in zip(a, b))
    if isinstance(a, Tensor):
        return np.array_equal(a.asnumpy(), b.asnumpy())
    return a is b or a == b
