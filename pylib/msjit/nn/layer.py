"""mindspore.nn.layer: the layers of nn, and CosineSimilarity, a name that in nn itself is a metric."""
import sys

from .. import _paths, ops
from ..first_use import kept as _kept
from .cell import Cell


class CosineSimilarity(Cell):
    """Computes the cosine of the angle between slices of two tensors along an axis."""

    def __init__(self, dim=1, eps=1e-8):
        super().__init__()
        self.dim, self.eps = dim, eps

    def construct(self, x1, x2):
        return ops.cosine_similarity(x1, x2, self.dim, self.eps)


_nn = sys.modules[__name__.rpartition(".")[0]]
__path__ = _paths.extend([])
__all__ = ["CosineSimilarity"] + [name for name in _nn.__all__ if name not in ("CosineSimilarity", "layer")]


@_kept
def __getattr__(name):
    return getattr(_nn, name)

_paths.reach(__name__)
