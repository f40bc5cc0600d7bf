"""The base class of losses."""
from .. import ops
from .cell import Cell

_REDUCTIONS = ("none", "mean", "sum")


class LossBase(Cell):
    """Base class of losses. reduction is 'mean', 'sum' or 'none'; get_loss(x) applies it to the losses of elements.

    A subclass computes the losses of elements in construct and returns self.get_loss(x, weights). Raises ValueError for another reduction.
    """

    def __init__(self, reduction="mean"):
        super().__init__()
        if reduction not in _REDUCTIONS:
            raise ValueError("[%s] reduction, got %r, expected 'mean', 'sum' or 'none'"
                             % (type(self).__name__, reduction))
        self.reduction, self.reduce, self.average = reduction, reduction != "none", reduction == "mean"

    def get_axis(self, x):
        """Returns all axes of a tensor as a tuple: (0, 1, ..., rank - 1)."""
        return tuple(range(x.ndim))

    def get_loss(self, x, weights=1.0):
        """Multiplies the losses of elements, a Tensor, by weights (a number, or a Tensor that broadcasts), then applies the reduction."""
        if not isinstance(weights, float) or weights != 1.0:
            x = x * weights
        return ops.reduce_loss(x, self.reduction)

    def construct(self, logits, labels):
        raise NotImplementedError("[%s] construct is not defined" % type(self).__name__)


class _Loss(LossBase):
    """The older name of LossBase; programs derive classes from it."""
