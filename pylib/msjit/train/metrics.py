"""Metrics: clear(), update(...) for each batch, eval(). They compute with NumPy, which is imported at the first update."""
import functools

from .. import _paths
from ..common.tensor import Tensor


class Metric:
    """Base class of metrics. A subclass defines clear(), update(...) for each batch and eval(), which returns the value over all batches.

    Inputs of update are Tensors, arrays, lists or numbers. Methods that a subclass does not define raise NotImplementedError.
    """

    def __init__(self):
        self._indexes = None

    def clear(self):
        """Forgets all batches. Model calls it before an evaluation."""
        raise NotImplementedError("[metric] %s defines no clear" % type(self).__name__)

    def update(self, *inputs):
        """Adds one batch. Its inputs depend on the metric, mostly predictions and labels."""
        raise NotImplementedError("[metric] %s defines no update" % type(self).__name__)

    def eval(self):
        """Returns the value of the metric over all batches since clear(). The metrics here raise RuntimeError where there was none."""
        raise NotImplementedError("[metric] %s defines no eval" % type(self).__name__)

    @property
    def indexes(self):
        """Which of the inputs of update() are used, in order: a list of ints, or None for all."""
        return self._indexes

    def set_indexes(self, indexes):
        """Chooses which of the inputs of update() are used; returns self. Raises ValueError for anything but a list of ints."""
        if not isinstance(indexes, list) or not all(isinstance(i, int) and not isinstance(i, bool) for i in indexes):
            raise ValueError("[metric] indexes must be a list of ints, got %s" % (indexes,))
        self._indexes = indexes
        return self

    @staticmethod
    def _convert_data(data):
        import numpy
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, (list, numpy.ndarray, float, int, numpy.generic)):
            return numpy.array(data)
        raise TypeError("[metric] inputs must be Tensors, lists or arrays, got %s" % type(data).__name__)

    def _inputs(self, inputs, count):
        """The inputs of update() as arrays; raises ValueError for another number of them."""
        if len(inputs) != count:
            raise ValueError("[%s] update takes %d inputs, got %d" % (type(self).__name__, count, len(inputs)))
        return [self._convert_data(x) for x in inputs]

    def _require(self, count):
        """Raises RuntimeError if there was no update."""
        if not count:
            raise RuntimeError("[%s] there is no data yet: update() comes before eval()" % type(self).__name__)

    def _share(self, total, count):
        """total / count as a numpy.float64, as MindSpore's metrics return it."""
        import numpy
        self._require(count)
        return numpy.float64(total) / count


def rearrange_inputs(func):
    """Decorates update(): it gets only the inputs that set_indexes() chose, in that order; without set_indexes all of them.

    The decorated function raises ValueError where an index is not below the number of inputs.
    """
    @functools.wraps(func)
    def chosen(self, *inputs):
        indexes = self.indexes
        if not indexes:
            return func(self, *inputs)
        if len(inputs) < len(indexes) or max(indexes) >= len(inputs):
            raise ValueError("[%s] update got %d inputs, expected those of indexes %s"
                             % (type(self).__name__, len(inputs), indexes))
        return func(self, *[inputs[i] for i in indexes])
    return chosen


class EvaluationBase(Metric):
    """Base class of metrics of predicted classes; eval_type is 'classification' or 'multilabel'."""

    def __init__(self, eval_type):
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            raise TypeError("[%s] eval_type, got %r, expected 'classification' or 'multilabel'"
                            % (type(self).__name__, eval_type))
        self._type = eval_type

    def _check_shape(self, y_pred, y):
        where = type(self).__name__
        if self._type == "classification":
            if y_pred.ndim != y.ndim + 1 or y.shape != (y_pred.shape[0],) + y_pred.shape[2:]:
                raise ValueError("[%s] shapes of prediction and label, got %s and %s, expected (N, C, ...) and (N, ...)"
                                 % (where, y_pred.shape, y.shape))
        elif y_pred.ndim < 2 or y_pred.shape != y.shape:
            raise ValueError("[%s] shapes of prediction and label, got %s and %s, expected the same, of 2 axes or more"
                             % (where, y_pred.shape, y.shape))

    def _check_value(self, y_pred, y):
        if self._type == "multilabel" and not ((y_pred * y_pred == y_pred).all() and (y * y == y).all()):
            raise ValueError("[%s] values of prediction and label must be 0 or 1" % type(self).__name__)

    def _classes(self, inputs):
        """The predictions and labels of a batch; one-hot labels become classes."""
        y_pred, y = self._inputs(inputs, 2)
        if self._type == "classification":
            y = as_classes(y_pred, y)
        self._check_shape(y_pred, y)
        self._check_value(y_pred, y)
        same_classes(self, y_pred)
        return y_pred, y


def as_classes(y_pred, y):
    """Converts one-hot labels to classes; other labels are returned unchanged."""
    one_hot = y.ndim > 1 and y.ndim == y_pred.ndim and y.min() == 0 and y.max() == 1 and (y.sum(axis=1) == 1).all()
    return y.argmax(axis=1) if one_hot else y


def same_classes(metric, y_pred):
    """Raises ValueError if the number of classes of a batch differs from that of earlier batches."""
    if metric._class_num not in (0, y_pred.shape[1]):
        raise ValueError("[%s] number of classes, got %d, expected %d as in the batches before"
                         % (type(metric).__name__, y_pred.shape[1], metric._class_num))
    metric._class_num = y_pred.shape[1]


class Accuracy(EvaluationBase):
    """Accuracy, the fraction of correct predictions: update(predictions, labels).

    In 'classification' predictions are (N, C, ...) and labels classes (N, ...) or one-hot; in 'multilabel' both are 0 or 1, (N, C, ...). Raises
    ValueError for shapes that do not fit and another number of classes than before, TypeError for another eval_type, RuntimeError for eval()
    before update().
    """

    def __init__(self, eval_type="classification"):
        super().__init__(eval_type)
        self.clear()

    def clear(self):
        self._correct_num = self._total_num = self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        y_pred, y = self._classes(inputs)
        if self._type == "classification":
            right = (y_pred.argmax(axis=1) == y).reshape(-1)
        else:
            last = y_pred.ndim - 1
            rows = [x.swapaxes(1, last).reshape(-1, self._class_num) for x in (y_pred, y)]
            right = (rows[0] == rows[1]).all(axis=1)
        self._correct_num += int(right.sum())
        self._total_num += right.shape[0]

    def eval(self):
        return self._share(self._correct_num, self._total_num)


class Loss(Metric):
    """Mean loss over the batches: update(loss), with a loss of one number, or of a vector, whose mean counts.

    Raises ValueError for a loss of more axes, RuntimeError for eval() before update().
    """

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self._sum_loss, self._total_num = 0.0, 0

    @rearrange_inputs
    def update(self, *inputs):
        loss, = self._inputs(inputs, 1)
        if loss.ndim > 1:
            raise ValueError("[Loss] rank of the loss, got %d, expected 0 or 1" % loss.ndim)
        self._sum_loss += float(loss.mean())
        self._total_num += 1

    def eval(self):
        return self._share(self._sum_loss, self._total_num)


class MAE(Metric):
    """Mean absolute error: update(predictions, labels) adds up |y - prediction| of all elements; eval() divides by the number of samples (axis 0).

    Raises ValueError for different sizes and for numbers without axes, RuntimeError for eval() before update().
    """

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self._error_sum, self._samples_num = 0.0, 0

    @staticmethod
    def _error(gap):
        return abs(gap)

    @rearrange_inputs
    def update(self, *inputs):
        y_pred, y = self._inputs(inputs, 2)
        if y.size != y_pred.size or y.ndim < 1:
            raise ValueError("[%s] shapes of prediction and label, got %s and %s, expected the same, of 1 axis or more"
                             % (type(self).__name__, y_pred.shape, y.shape))
        self._error_sum += float(self._error(y.reshape(y_pred.shape) - y_pred).sum())
        self._samples_num += y.shape[0]

    def eval(self):
        return self._share(self._error_sum, self._samples_num)


class MSE(MAE):
    """Mean squared error: update(predictions, labels) adds up (y - prediction)^2 of all elements; eval() divides by the number of samples (axis 0).

    Raises ValueError for different sizes and for numbers without axes, RuntimeError for eval() before update().
    """

    @staticmethod
    def _error(gap):
        return gap * gap


from .class_metrics import (  # noqa: E402  - they use the classes above
    F1,
    ROC,
    ConfusionMatrix,
    Fbeta,
    Precision,
    Recall,
    Top1CategoricalAccuracy,
    Top5CategoricalAccuracy,
    TopKCategoricalAccuracy,
    auc,
)
from .occlusion import OcclusionSensitivity  # noqa: E402
from .other_metrics import BleuScore, CosineSimilarity, Dice, Perplexity  # noqa: E402
from .rate_metrics import ConfusionMatrixMetric  # noqa: E402
from .surface_metrics import HausdorffDistance, MeanSurfaceDistance, RootMeanSquareDistance  # noqa: E402

_BY_NAME = {
    "accuracy": Accuracy, "acc": Accuracy, "precision": Precision, "recall": Recall, "F1": F1, "dice": Dice, "roc": ROC,
    "auc": auc, "bleu_score": BleuScore, "cosine_similarity": CosineSimilarity, "topk": TopKCategoricalAccuracy,
    "top_1_accuracy": Top1CategoricalAccuracy, "top_5_accuracy": Top5CategoricalAccuracy, "mae": MAE, "mse": MSE,
    "loss": Loss, "perplexity": Perplexity, "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric, "hausdorff_distance": HausdorffDistance,
    "occlusion_sensitivity": OcclusionSensitivity, "mean_surface_distance": MeanSurfaceDistance, "root_mean_square_distance": RootMeanSquareDistance,
}


def names():
    """Returns the sorted list of the names that get_metric_fn() knows, such as "accuracy"."""
    return sorted(_BY_NAME)


def get_metric_fn(name, *args, **kwargs):
    """Makes the metric with a name, such as "accuracy", from the other arguments. Raises KeyError for an unknown name."""
    if name not in _BY_NAME:
        raise KeyError("[metric] unknown name %r, expected one of %s" % (name, ", ".join(sorted(_BY_NAME))))
    return _BY_NAME[name](*args, **kwargs)


def get_metrics(metrics):
    """Returns a dict from names to metrics: of a dict a copy, of a set, list or tuple of names the metrics that they stand for; None stays None.

    Raises TypeError for anything else, KeyError for an unknown name.
    """
    if metrics is None:
        return None
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not isinstance(name, str) or not isinstance(metric, Metric):
                raise TypeError("[metric] metrics must map names to Metrics, got %s and %s"
                                % (type(name).__name__, type(metric).__name__))
        return dict(metrics)
    if isinstance(metrics, (set, list, tuple)):
        return {name: get_metric_fn(name) for name in metrics}
    raise TypeError("[metric] metrics must be a dict or a set, got %s" % type(metrics).__name__)


__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
__all__ = ["names", "get_metric_fn", "get_metrics", "Accuracy", "MAE", "MSE", "Metric", "rearrange_inputs", "Precision",
           "Recall", "Fbeta", "F1", "TopKCategoricalAccuracy", "Top1CategoricalAccuracy", "Top5CategoricalAccuracy",
           "Loss", "Dice", "ROC", "auc", "BleuScore", "CosineSimilarity", "Perplexity", "ConfusionMatrix",
           "ConfusionMatrixMetric", "HausdorffDistance", "MeanSurfaceDistance", "OcclusionSensitivity", "RootMeanSquareDistance"]

_paths.reach(__name__)
