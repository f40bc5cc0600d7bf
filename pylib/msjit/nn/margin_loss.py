"""Losses that require a margin between scores or distances."""
from .. import ops
from ..common.checks import check_number
from ..common.tensor import Tensor, check_tensor
from .loss_base import LossBase


class CosineEmbeddingLoss(LossBase):
    """Cosine loss: 1 - cos for pairs labelled 1, max(0, cos - margin) for pairs labelled -1.

    cos is the cosine of the angle between the two inputs along axis 1. reduction is 'mean', 'sum' or 'none'. Raises TypeError for a margin that
    is no float, ValueError for one outside [-1, 1] and for shapes that do not fit.
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        if not isinstance(margin, float):
            raise TypeError("[cosine_embedding_loss] margin must be a float, got %s" % type(margin).__name__)
        if not -1 <= margin <= 1:
            raise ValueError("[cosine_embedding_loss] margin must be in [-1, 1], got %s" % (margin,))
        self.margin = margin

    def construct(self, logits_x1, logits_x2, labels):
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class HingeEmbeddingLoss(LossBase):
    """Hinge embedding loss, element by element: x where the label is 1, max(0, margin - x) where it is -1.

    reduction is 'mean', 'sum' or 'none'. Raises TypeError for a margin that is no number and for anything but Tensors, ValueError for shapes that
    do not broadcast and for another reduction.
    """

    def __init__(self, margin=1.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = check_number(margin, "hinge_embedding_loss", "margin")

    def construct(self, logits, labels):
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    """Ranking loss max(0, -target * (input1 - input2) + margin), element by element: target 1 wants input1 to be the greater one, -1 input2.

    reduction is 'mean', 'sum' or 'none'. Raises TypeError for a margin that is no number and for anything but Tensors, ValueError for shapes that
    do not broadcast and for another reduction.
    """

    def __init__(self, margin=0.0, reduction="mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1, input2, target):
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """Mean over the classes (the last axis) of the binary cross entropy of sigmoid(x) and targets in [0, 1]: scores and targets are (N, C).

    weight (C,) multiplies the loss of each class; reduction, 'mean', 'sum' or 'none', is over N. Raises ValueError for shapes that do not
    broadcast and for another reduction, TypeError for anything but Tensors.
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x, target):
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)


class MultiMarginLoss(LossBase):
    """Multi-class hinge loss of scores (N, C) and classes (N,).

    The loss of a row x is the sum over classes i other than the target t of weight[t] * max(0, margin - x[t] + x[i])^p, divided by C. reduction
    is 'mean', 'sum' or 'none'. Raises ValueError for a p other than 1 and 2 and for other shapes, TypeError for a margin that is no float,
    IndexError for a class of C or more.
    """

    def __init__(self, p=1, margin=1.0, reduction="mean", weight=None):
        super().__init__(reduction)
        if p not in (1, 2):
            raise ValueError("[multi_margin_loss] p, got %r, expected 1 or 2" % (p,))
        if not isinstance(margin, float):
            raise TypeError("[multi_margin_loss] margin must be a float, got %s" % type(margin).__name__)
        self.p, self.margin, self.weight = p, margin, weight

    def construct(self, x, target, weight=None):
        weight = weight if self.weight is None else self.weight
        if weight is not None and not isinstance(weight, Tensor):
            raise TypeError("[multi_margin_loss] weight, got %s, expected a Tensor" % type(weight).__name__)
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


class MultilabelMarginLoss(LossBase):
    """Multi-label hinge loss of scores (N, C) or (C,) and rows of target classes in the same shape, integers that end at the first -1.

    The loss of a row x is the sum over its targets t and all other classes i of max(0, 1 - x[t] + x[i]), divided by C. reduction is 'mean', 'sum'
    or 'none'. Raises ValueError for another rank or two shapes and for another reduction, IndexError for a class of C or more, TypeError for
    targets that are floats.
    """

    def construct(self, x, target):
        return ops.multilabel_margin_loss(x, target, self.reduction)


class SoftMarginLoss(LossBase):
    """Logistic loss log(1 + exp(-labels * logits)), element by element, for labels 1 and -1 in the shape of the logits.

    reduction is 'mean', 'sum' or 'none'. Raises ValueError for two shapes and for another reduction, TypeError for anything but Tensors.
    """

    def construct(self, logits, labels):
        return ops.soft_margin_loss(logits, labels, self.reduction)


class TripletMarginLoss(LossBase):
    """Triplet loss max(0, d(x, positive) - d(x, negative) + margin), where d is the p-norm of the difference over the last axis.

    With swap, the second distance is the smaller one of d(x, negative) and d(positive, negative). reduction is 'mean', 'sum' or 'none'. Raises
    ValueError for shapes that do not broadcast, TypeError for a p that is no int and a swap that is no bool.
    """

    def __init__(self, p=2, swap=False, eps=1e-06, reduction="mean", margin=1.0):
        super().__init__(reduction)
        if isinstance(p, bool) or not isinstance(p, int):
            raise TypeError("[triplet_margin_loss] p must be an int, got %s" % type(p).__name__)
        if not isinstance(swap, bool):
            raise TypeError("[triplet_margin_loss] swap must be a bool, got %s" % type(swap).__name__)
        self.p, self.swap, self.eps, self.margin = p, swap, eps, margin

    def construct(self, x, positive, negative, margin=1.0):
        if self.margin != 1.0:
            margin = self.margin
        return ops.triplet_margin_loss(x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction)


class TripletMarginWithDistanceLoss(LossBase):
    """Triplet loss max(0, d(x, positive) - d(x, negative) + margin), where d is distance_function; by default the 2-norm over axis 1.

    With swap, the second distance is the smaller one of d(x, negative) and d(positive, negative). reduction is 'mean', 'sum' or 'none'. Raises
    TypeError for a margin that is no float and a swap that is no bool, ValueError for another reduction.
    """

    def __init__(self, distance_function=None, swap=False, reduction="mean", margin=1.0):
        super().__init__(reduction)
        where = "triplet_margin_with_distance_loss"
        if not isinstance(margin, float):
            raise TypeError("[%s] margin must be a float, got %s" % (where, type(margin).__name__))
        if not isinstance(swap, bool):
            raise TypeError("[%s] swap must be a bool, got %s" % (where, type(swap).__name__))
        if distance_function is not None and not callable(distance_function):
            raise TypeError("[%s] distance_function, got %s, expected a function" % (where, type(distance_function).__name__))
        self.distance_function = _distance if distance_function is None else distance_function
        self.swap, self.margin = swap, margin

    def construct(self, x, positive, negative):
        for value in (x, positive, negative):
            check_tensor(value, "triplet_margin_with_distance_loss")
        near, far = self.distance_function(x, positive), self.distance_function(x, negative)
        if self.swap:
            far = ops.minimum(far, self.distance_function(positive, negative))
        return self.get_loss(ops.maximum(near - far + self.margin, 0))


def _distance(x, y):
    return ops.sqrt(ops.sum(ops.square(x - y), 1))
