"""Loss functions as Cells."""
from .. import _paths, ops
from ..common.checks import check_real
from ..common.error_names import ERRORS, rename
from ..common.tensor import check_tensor
from .activation import number
from .likelihood_loss import CTCLoss, GaussianNLLLoss, KLDivLoss, PoissonNLLLoss, SampledSoftmaxLoss
from .loss_base import LossBase, _Loss  # noqa: F401
from .margin_loss import (
    CosineEmbeddingLoss,
    HingeEmbeddingLoss,
    MarginRankingLoss,
    MultilabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)
from .overlap_loss import DiceLoss, FocalLoss, MultiClassDiceLoss


class L1Loss(LossBase):
    """Absolute error |logits - labels|, element by element; the two shapes broadcast.

    reduction is 'mean' (the default), 'sum', or 'none' for a result of the common shape. Raises ValueError for another reduction.

    >>> import msjit as ms
    >>> float(ms.nn.L1Loss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
    1.0
    """

    def construct(self, logits, labels):
        return ops.l1_loss(logits, labels, self.reduction)


class MAELoss(L1Loss):
    """Mean absolute error: |logits - labels|, element by element, with broadcasting; reduction is 'mean', 'sum' or 'none'. The same as L1Loss.

    Raises ValueError for shapes that do not broadcast and for another reduction.
    """

    def construct(self, logits, label):
        try:
            return ops.l1_loss(check_tensor(logits, "mae_loss"), label, self.reduction)
        except ERRORS as error:
            rename(error, "mae_loss")
            raise


class RMSELoss(LossBase):
    """Root mean squared error: sqrt(mean((logits - labels)^2)), one number; logits and labels broadcast.

    Raises ValueError for shapes that do not broadcast, TypeError for anything but Tensors.
    """

    def __init__(self):
        super().__init__()
        self.MSELoss = MSELoss()

    def construct(self, logits, label):
        try:
            return ops.sqrt(self.MSELoss(logits, check_tensor(label, "rmse_loss")))
        except ERRORS as error:
            rename(error, "rmse_loss")
            raise


class MSELoss(LossBase):
    """Squared error (logits - labels)^2, element by element; the two shapes broadcast.

    reduction is 'mean' (the default), 'sum', or 'none' for a result of the common shape. Raises ValueError for another reduction.

    >>> import msjit as ms
    >>> float(ms.nn.MSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
    2.0
    """

    def construct(self, logits, labels):
        try:
            return self.get_loss(ops.square(check_tensor(logits, "mse_loss") - check_tensor(labels, "mse_loss")))
        except ERRORS as error:
            rename(error, "mse_loss")
            raise


class SmoothL1Loss(LossBase):
    """Smooth L1 loss: 0.5 * d^2 / beta where d = |logits - labels| < beta, else d - 0.5 * beta (Girshick 2015).

    Both arguments have one shape, and so has the result, unless `reduction` is 'mean' or 'sum'. Raises ValueError for beta <= 0 and for
    two shapes.
    """

    def __init__(self, beta=1.0, reduction="none"):
        super().__init__(reduction)
        beta = check_real(beta, "smooth_l1_loss", "beta")
        if not beta > 0:
            raise ValueError("[smooth_l1_loss] beta must be positive, got %s" % (beta,))
        self.beta = beta

    def construct(self, logits, labels):
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """Huber loss: 0.5 * d^2 where d = |logits - labels| <= delta, else delta * (d - 0.5 * delta) (Huber 1964).

    reduction is 'mean', 'sum' or 'none'. Raises ValueError for delta <= 0.
    """

    def __init__(self, reduction="mean", delta=1.0):
        super().__init__(reduction)
        if not number(delta, "huber_loss", "delta") > 0:
            raise ValueError("[huber_loss] delta must be positive, got %s" % (delta,))
        self.delta = float(delta)

    def construct(self, logits, labels):
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


class BCELoss(LossBase):
    """Binary cross entropy of probabilities and labels in [0, 1]: -(y * log(p) + (1 - y) * log(1 - p)); p is the argument named logits.

    Both have one shape. `weight`, which broadcasts to it, multiplies each element's loss. reduction is 'mean', 'sum' or 'none'. Raises ValueError
    for two shapes and for another reduction, TypeError for integers.

    >>> import msjit as ms
    >>> round(float(ms.nn.BCELoss()(ms.Tensor([0.5, 0.5]), ms.Tensor([0.0, 1.0]))), 4)
    0.6931
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits, labels):
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """Binary cross entropy of sigmoid(input) and targets in [0, 1], without overflow. Both have one shape.

    weight multiplies each element's loss, pos_weight only the term of positive targets; both broadcast to the input's shape. reduction is 'mean',
    'sum' or 'none'. Raises ValueError for two shapes and for another reduction, TypeError for integers.

    >>> import msjit as ms
    >>> round(float(ms.nn.BCEWithLogitsLoss()(ms.Tensor([0.0, 200.0]), ms.Tensor([1.0, 1.0]))), 4)
    0.3466
    """

    def __init__(self, reduction="mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight, self.pos_weight = weight, pos_weight

    def construct(self, input, target):
        return ops.binary_cross_entropy_with_logits(input, target, self.weight, self.pos_weight, self.reduction)


class CrossEntropyLoss(LossBase):
    """Cross entropy of logits (N, C, ...) with class indices (N, ...), int32 or int64, or with class probabilities (N, C, ...).

    The loss of a row is -sum(target * log(softmax(logits))) over the classes. `weight` (C,) multiplies the term of each class. Indices
    equal to ignore_index do not count. label_smoothing s mixes the targets with s / C for every class. For indices reduction 'mean' divides
    the sum by the weights of the rows that count, for probabilities by the number of rows. 'none' gives a result (N, ...).

    Raises ValueError for shapes that do not fit and another reduction, TypeError for a label_smoothing that is no number.

    >>> import msjit as ms
    >>> loss = ms.nn.CrossEntropyLoss()(ms.Tensor([[0.0, 0.0], [5.0, -5.0]]), ms.Tensor([0, 0], ms.int32))
    >>> round(float(loss), 4)
    0.3466
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean", label_smoothing=0.0):
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index
        self.label_smoothing = number(label_smoothing, "cross_entropy_loss", "label_smoothing")

    def construct(self, logits, labels):
        return ops.cross_entropy(logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing)


class NLLLoss(LossBase):
    """Negative log likelihood of log probabilities (N, C, ...) and class indices (N, ...), such as LogSoftmax gives.

    It is CrossEntropyLoss for inputs that are logarithms of probabilities already; the arguments mean the same. Raises ValueError for shapes that
    do not fit and for another reduction, IndexError for a class outside [0, C), TypeError for classes that are floats.
    """

    def __init__(self, weight=None, ignore_index=-100, reduction="mean"):
        super().__init__(reduction)
        self.weight, self.ignore_index = weight, ignore_index

    def construct(self, logits, labels):
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of logits (N, C) with rows of labels (N, C), or with class indices (N,) when sparse.

    The result has the shape (N,), as it is not reduced by default; reduction 'mean' and 'sum' give one number. Raises ValueError for
    other ranks, TypeError for a `sparse` that is no bool.

    >>> import msjit as ms
    >>> loss = ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True)(ms.Tensor([[0.0, 0.0]]), ms.Tensor([1], ms.int32))
    >>> [round(v, 4) for v in loss.asnumpy().tolist()]
    [0.6931]
    """

    def __init__(self, sparse=False, reduction="none"):
        super().__init__(reduction)
        if not isinstance(sparse, bool):
            raise TypeError("[softmax_cross_entropy_with_logits] sparse must be a bool, got %s" % type(sparse).__name__)
        self.sparse = sparse

    def construct(self, logits, labels):
        if self.sparse:
            where = "softmax_cross_entropy_with_logits"
            if check_tensor(logits, where).ndim != 2 or check_tensor(labels, where).ndim != 1:
                raise ValueError("[softmax_cross_entropy_with_logits] ranks, got logits of %d and labels of %d axes, expected "
                                 "2 and 1" % (logits.ndim, labels.ndim))
            try:
                return ops.cross_entropy(logits, labels, None, -100, self.reduction, 0.0)
            except ERRORS as error:
                rename(error, where)
                raise
        return self.get_loss(ops.softmax_cross_entropy_with_logits(logits, labels))


__path__ = _paths.extend([])  # MindSpore has a package here; alias.py finds its modules that programs import.
__all__ = ["BCELoss", "BCEWithLogitsLoss", "CTCLoss", "CosineEmbeddingLoss", "CrossEntropyLoss", "DiceLoss", "FocalLoss",
           "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss", "L1Loss", "LossBase", "MAELoss", "MSELoss",
           "MarginRankingLoss", "MultiClassDiceLoss", "MultiLabelSoftMarginLoss", "MultiMarginLoss",
           "MultilabelMarginLoss", "NLLLoss", "PoissonNLLLoss", "RMSELoss", "SampledSoftmaxLoss", "SmoothL1Loss",
           "SoftMarginLoss", "SoftmaxCrossEntropyWithLogits", "TripletMarginLoss", "TripletMarginWithDistanceLoss"]


def _check_is_tensor(param_name, input_data, cls_name):
    """TypeError for an argument of a loss that is neither a Tensor nor None."""
    if input_data is not None and not isinstance(input_data, ops.Tensor):
        raise TypeError("[%s] %s, got %s, expected a Tensor" % (cls_name, param_name, type(input_data).__name__))

_paths.reach(__name__)
