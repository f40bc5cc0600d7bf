"""Loss functions as Cells."""
from .. import ops
from ..common.checks import check_same_shape
from ..common.tensor import check_tensor
from .activation import number
from .cell import Cell

_REDUCTIONS = ("none", "mean", "sum")


class LossBase(Cell):
    """Base class: get_loss(x) applies `reduction` ('mean', 'sum' or 'none') to element losses."""

    def __init__(self, reduction="mean"):
        super().__init__()
        if reduction not in _REDUCTIONS:
            raise ValueError("[%s] reduction, got %r, expected 'mean', 'sum' or 'none'"
                             % (type(self).__name__, reduction))
        self.reduction = reduction

    def get_loss(self, x, weights=1.0):
        """Weighs and reduces element losses."""
        if not isinstance(weights, float) or weights != 1.0:
            x = x * weights
        return ops.reduce_loss(x, self.reduction)

    def construct(self, logits, labels):
        raise NotImplementedError("[%s] construct is not defined" % type(self).__name__)


class L1Loss(LossBase):
    """|logits - labels|"""

    def construct(self, logits, labels):
        return ops.l1_loss(logits, labels, self.reduction)


class MSELoss(LossBase):
    """(logits - labels) squared"""

    def construct(self, logits, labels):
        return self.get_loss(ops.square(logits - check_tensor(labels, "mse_loss")))


class SmoothL1Loss(LossBase):
    """Quadratic below beta, linear above."""

    def __init__(self, beta=1.0, reduction="none"):
        super().__init__(reduction)
        if not beta > 0:
            raise ValueError("[smooth_l1_loss] beta must be positive, got %s" % beta)
        self.beta = float(beta)

    def construct(self, logits, labels):
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """Quadratic below delta, linear above, not scaled by delta."""

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction)
        if not number(delta, "huber_loss", "delta") > 0:
            raise ValueError("[huber_loss] delta must be positive, got %s" % delta)
        self.delta = float(delta)

    def construct(self, logits, labels):
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


class BCELoss(LossBase):
    """Binary cross entropy of probabilities."""

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits, labels):
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """Binary cross entropy of logits."""

    def __init__(self, reduction="mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, logits, labels):
        return ops.binary_cross_entropy_with_logits(logits, labels, self.weight, self.pos_weight, self.reduction)


class CrossEntropyLoss(LossBase):
    """Cross entropy of logits (N, C, ...) and class indices (N, ...) or class probabilities (N, C, ...)."""

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index
        self.label_smoothing = number(label_smoothing, "cross_entropy_loss", "label_smoothing")

    def construct(self, logits, labels):
        return ops.cross_entropy(logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class NLLLoss(LossBase):
    """Negative log likelihood of log probabilities (N, C, ...) and class indices (N, ...)."""

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits, labels):
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of logits (N, C) and one-hot rows, or class indices when sparse."""

    def __init__(self, sparse=False, reduction="none"):
        super().__init__(reduction)
        if not isinstance(sparse, bool):
            raise TypeError("[softmax_cross_entropy_with_logits] sparse must be a bool, got %s" % type(sparse).__name__)
        self.sparse = sparse

    def construct(self, logits, labels):
        if self.sparse:
            if logits.ndim != 2 or labels.ndim != 1:
                raise ValueError("[softmax_cross_entropy_with_logits] ranks, got logits of %d and labels of %d axes, expected "
                                 "2 and 1" % (logits.ndim, labels.ndim))
            return ops.cross_entropy(logits, labels, None, -100, self.reduction, 0.0)
        return self.get_loss(ops.softmax_cross_entropy_with_logits(logits, labels))


class CosineEmbeddingLoss(LossBase):
    """1 - cos for pairs labelled 1, max(0, cos - margin) for pairs labelled -1."""

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        if not isinstance(margin, float):
            raise TypeError("[cosine_embedding_loss] margin must be a float, got %s" % type(margin).__name__)
        if not -1 <= margin <= 1:
            raise ValueError("[cosine_embedding_loss] margin must be in [-1, 1], got %s" % margin)
        self.margin = margin

    def construct(self, logits_x1, logits_x2, labels):
        check_same_shape("cosine_embedding_loss", logits_x1, logits_x2, ("logits_x1", "logits_x2"))
        if labels.shape != logits_x1.shape[:-1]:
            raise ValueError("[cosine_embedding_loss] shape of labels, got %s, expected %s"
                             % (labels.shape, logits_x1.shape[:-1]))
        dot = ops.sum(logits_x1 * logits_x2, -1)
        norms = ops.sqrt((ops.sum(ops.square(logits_x1), -1) + 1e-12) * (ops.sum(ops.square(logits_x2), -1) + 1e-12))
        cosine = dot / norms
        return self.get_loss(ops.where(labels == 1, 1 - cosine, ops.maximum(cosine - self.margin, 0)))
