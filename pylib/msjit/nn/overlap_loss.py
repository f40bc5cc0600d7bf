"""Losses for segmentation and for classes of very different sizes."""
from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_same_shape
from ..common.error_names import ERRORS, rename
from ..common.tensor import Tensor, check_tensor
from .activation import LogSoftmax, get_activation
from .cell import Cell
from .loss_base import LossBase


class DiceLoss(LossBase):
    """Dice loss: 1 - 2 * sum(x y) / (sum(x^2) + sum(y^2) + smooth), over all elements of logits x and labels y of one shape (Milletari et al. 2016).

    Raises ValueError for two shapes and for a smooth that is not positive, TypeError for a smooth that is no float.
    """

    def __init__(self, smooth=1e-5):
        super().__init__()
        if isinstance(smooth, bool) or not isinstance(smooth, float):
            raise TypeError("[dice_loss] smooth must be a float, got %s" % type(smooth).__name__)
        if not smooth > 0:
            raise ValueError("[dice_loss] smooth must be positive, got %s" % (smooth,))
        self.smooth = smooth

    def construct(self, logits, label):
        check_same_shape("dice_loss", logits, label, ("logits", "labels"))
        for x in (logits, label):
            if x.dtype == mstype.uint8:
                raise TypeError("[dice_loss] dtype, got uint8, expected a float")
        both = ops.sum(logits * label)
        return 1 - 2 * both / (ops.sum(ops.square(logits)) + ops.sum(ops.square(label)) + self.smooth)


class MultiClassDiceLoss(LossBase):
    """Mean of the DiceLoss of each class (axis 1) of logits and labels of one shape.

    activation, 'softmax' by default, is a name or a Cell that is applied to the logits first. weights (C, n) multiply the loss of each class; the
    class ignore_indiex adds nothing. Raises ValueError for two shapes, another activation and weights of another size.
    """

    def __init__(self, weights=None, ignore_indiex=None, activation="softmax"):
        super().__init__()
        where = "multi_class_dice_loss"
        if weights is not None and not isinstance(weights, Tensor):
            raise TypeError("[%s] weights must be a Tensor, got %s" % (where, type(weights).__name__))
        if weights is not None and weights.ndim != 2:
            raise ValueError("[%s] rank of weights, got %d, expected 2" % (where, weights.ndim))
        if ignore_indiex is not None and (isinstance(ignore_indiex, bool) or not isinstance(ignore_indiex, int)):
            raise TypeError("[%s] ignore_indiex must be an int, got %s" % (where, type(ignore_indiex).__name__))
        if isinstance(activation, str):
            if activation not in ("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid"):
                raise ValueError("[%s] activation, got %r, expected 'softmax', 'logsoftmax', 'relu', 'relu6', 'tanh' or "
                                 "'sigmoid'" % (where, activation))
            activation = get_activation(activation)
        if activation is not None and not isinstance(activation, Cell):
            raise TypeError("[%s] activation must be a str or a Cell, got %s" % (where, type(activation).__name__))
        self.binarydiceloss = DiceLoss(1e-5)
        self.weights, self.ignore_indiex, self.activation = weights, ignore_indiex, activation

    def construct(self, logits, label):
        check_same_shape("multi_class_dice_loss", logits, label, ("logits", "labels"))
        if logits.ndim < 2:
            raise ValueError("[multi_class_dice_loss] rank, got %d, expected 2 or more" % logits.ndim)
        classes = label.shape[1]
        if self.weights is not None and self.weights.shape[0] != classes:
            raise ValueError("[multi_class_dice_loss] size of weights, got %d, expected %d"
                             % (self.weights.shape[0], classes))
        if self.activation is not None:
            logits = self.activation(logits)
        total = 0
        for i in range(classes):
            if i != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, i], label[:, i])
                total = total + (loss if self.weights is None else loss * self.weights[i])
        return total / classes


class FocalLoss(LossBase):
    """Focal loss -(1 - p)^gamma * log(p), where p is the softmax over axis 1 (Lin et al. 2017).

    The labels are classes (N, 1, ...), or weights of the classes in the shape of the logits. reduction is 'mean', 'sum' or 'none'. Raises
    TypeError for a gamma that is no float and a weight that is no Tensor, ValueError for shapes that do not fit, IndexError for a class of C or
    more.
    """

    def __init__(self, weight=None, gamma=2.0, reduction="mean"):
        super().__init__(reduction)
        if not isinstance(gamma, float):
            raise TypeError("[focal_loss] gamma must be a float, got %s" % type(gamma).__name__)
        if weight is not None and not isinstance(weight, Tensor):
            raise TypeError("[focal_loss] weight must be a Tensor, got %s" % type(weight).__name__)
        if weight is not None and weight.ndim != 1:
            raise ValueError("[focal_loss] rank of weight, got %d, expected 1" % weight.ndim)
        self.gamma, self.weight = gamma, weight
        self.logsoftmax = LogSoftmax(1)

    def construct(self, logits, labels):
        self._check(logits, labels)
        sparse = labels.shape[1] == 1
        logits = logits.reshape(logits.shape[0], logits.shape[1], -1)
        labels = labels.reshape(labels.shape[0], labels.shape[1], -1)
        at = ops.cast(labels, mstype.int32)
        logs = self.logsoftmax(logits)
        if sparse:
            try:
                logs = ops.gather_elements(logs, 1, at)
            except ERRORS as error:
                rename(error, "focal_loss")
                raise
        shares = ops.exp(logs)
        if self.weight is not None:
            weight = ops.broadcast_to(self.weight.reshape(1, -1, 1), (labels.shape[0], self.weight.shape[0], labels.shape[2]))
            logs = logs * (ops.gather_elements(weight, 1, at) if sparse else weight)
        loss = -ops.pow(1 - shares, self.gamma) * logs
        if sparse:
            return self.get_loss(ops.mean(ops.squeeze(loss, 1), 1))
        return self.get_loss(ops.mean(loss * labels, -1))

    @staticmethod
    def _check(logits, labels):
        check_tensor(logits, "focal_loss"), check_tensor(labels, "focal_loss")
        if not 2 <= logits.ndim <= 4 or labels.ndim != logits.ndim:
            raise ValueError("[focal_loss] ranks of logits and labels, got %d and %d, expected the same, 2 to 4"
                             % (logits.ndim, labels.ndim))
        if labels.shape[1] not in (1, logits.shape[1]) or labels.shape[2:] != logits.shape[2:]:
            raise ValueError("[focal_loss] shape of labels, got %s, expected axis 1 to be 1 or %d"
                             % (labels.shape, logits.shape[1]))
        if labels.dtype not in (mstype.int32, mstype.int64, mstype.float16, mstype.float32):
            raise TypeError("[focal_loss] dtype of labels, got %s, expected int32, int64, float16 or float32" % (labels.dtype,))
