"""Metrics of predicted classes other than accuracy."""
import sys

from ..common.checks import check_numeric
from .metrics import EvaluationBase, Metric, as_classes, rearrange_inputs, same_classes

_TINY = sys.float_info.min  # added to divisors, so that a class without samples gives 0


def _one_hot(metric, y_pred, y):
    """Returns predicted and true classes as one-hot rows."""
    import numpy
    classes = y_pred.shape[1]
    if y.max() + 1 > classes:
        raise ValueError("[%s] classes of the labels, got %d, expected below %d" % (type(metric).__name__, y.max(), classes))
    if y.min() < 0:
        raise ValueError("[%s] classes of the labels, got %d, expected 0 or more" % (type(metric).__name__, y.min()))
    table = numpy.eye(classes)
    return table[y_pred.argmax(axis=1).reshape(-1)], table[y.reshape(-1).astype(int)]


class _Share(EvaluationBase):
    """True positives divided by the predicted positives (Precision) or by the actual ones (Recall), for each class."""

    def __init__(self, eval_type="classification"):
        super().__init__(eval_type)
        self.clear()

    def clear(self):
        self._class_num, self._hits, self._all, self._rows, self._row_sum = 0, None, None, 0, 0.0

    @staticmethod
    def _counted(y_pred, y):
        raise NotImplementedError

    @rearrange_inputs
    def update(self, *inputs):
        import numpy
        y_pred, y = self._classes(inputs)
        if self._type == "classification":
            y_pred, y = _one_hot(self, y_pred, y)
        else:
            y_pred, y = (x.swapaxes(1, 0).reshape(self._class_num, -1) for x in (y_pred, y))
        hits, counted = (y * y_pred).sum(axis=0).astype(float), self._counted(y_pred, y).sum(axis=0).astype(float)
        if self._type == "multilabel":
            self._row_sum += float((hits / (counted + _TINY)).sum())
            self._rows += len(counted)
        if self._hits is None:
            self._hits, self._all = hits, counted
        elif self._type == "multilabel":
            self._hits, self._all = numpy.concatenate((self._hits, hits)), numpy.concatenate((self._all, counted))
        else:
            self._hits, self._all = self._hits + hits, self._all + counted

    def eval(self, average=False):
        """Returns one value for each class (for each sample, if multilabel), or with `average` their mean."""
        self._require(self._class_num)
        if not isinstance(average, bool):
            raise TypeError("[%s] average must be a bool, got %s" % (type(self).__name__, type(average).__name__))
        if average and self._type == "multilabel":
            return self._share(self._row_sum, self._rows)
        result = self._hits / (self._all + _TINY)
        return result.mean() if average else result


class Precision(_Share):
    """Precision, true positives / predicted positives, for each class: update(predictions, labels); eval() returns an array, eval(True) its mean.

    In 'classification' predictions are (N, C, ...) and labels classes (N, ...) or one-hot; in 'multilabel' both are 0 or 1, (N, C, ...). A class
    that was never predicted has 0. Raises ValueError for other shapes and classes of C or more, TypeError for another eval_type.
    """

    @staticmethod
    def _counted(y_pred, y):
        return y_pred


class Recall(_Share):
    """Recall, true positives / actual positives, for each class: update(predictions, labels); eval() returns an array, eval(True) its mean.

    Inputs and errors are those of Precision. A class that has no sample has 0.
    """

    @staticmethod
    def _counted(y_pred, y):
        return y


class Fbeta(Metric):
    """F-beta score for each class: (1 + beta^2) * precision * recall / (beta^2 * precision + recall) (van Rijsbergen 1979).

    update(predictions (N, C, ...), labels (N, ...) or one-hot); eval() returns an array, eval(True) its mean. Raises ValueError for a beta that
    is not positive, other shapes and classes of C or more, TypeError for a beta that is no number.
    """

    def __init__(self, beta):
        super().__init__()
        if not check_numeric(beta, "Fbeta", "beta") > 0:
            raise ValueError("[Fbeta] beta must be positive, got %s" % (beta,))
        self.beta = beta
        self.clear()

    def clear(self):
        self._hits = self._true = self._predicted = self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        y_pred, y = self._inputs(inputs, 2)
        y = as_classes(y_pred, y)
        if y_pred.ndim < 2 or y.size != y_pred.size // y_pred.shape[1]:
            raise ValueError("[%s] shapes of prediction and label, got %s and %s, expected (N, C, ...) and (N, ...)"
                             % (type(self).__name__, y_pred.shape, y.shape))
        same_classes(self, y_pred)
        y_pred, y = _one_hot(self, y_pred, y)
        self._hits = self._hits + (y * y_pred).sum(axis=0)
        self._true = self._true + y.sum(axis=0)
        self._predicted = self._predicted + y_pred.sum(axis=0)

    def eval(self, average=False):
        """Returns one value for each class, or with `average` their mean."""
        if not isinstance(average, bool):
            raise TypeError("[Fbeta] average must be a bool, got %s" % type(average).__name__)
        self._require(self._class_num)
        square = self.beta ** 2
        result = (1.0 + square) * self._hits / (square * self._true + self._predicted + _TINY)
        return result.mean() if average else result


class F1(Fbeta):
    """F1 score for each class, the harmonic mean of precision and recall: Fbeta with beta 1."""

    def __init__(self):
        super().__init__(1.0)


class TopKCategoricalAccuracy(Metric):
    """Fraction of labels among the k most probable classes: update(predictions (N, C), labels (N,) or one-hot (N, C)).

    Raises ValueError for a k below 1 and for other shapes, TypeError for a k that is no int, RuntimeError for eval() before update().
    """

    def __init__(self, k):
        super().__init__()
        if isinstance(k, bool) or not isinstance(k, int):
            raise TypeError("[TopKCategoricalAccuracy] k must be an int, got %s" % type(k).__name__)
        if k < 1:
            raise ValueError("[TopKCategoricalAccuracy] k must be at least 1, got %d" % k)
        self.k = k
        self.clear()

    def clear(self):
        self._correct_num = self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs):
        y_pred, y = self._inputs(inputs, 2)
        y = as_classes(y_pred, y).reshape(-1, 1)
        if y_pred.ndim != 2 or len(y_pred) != len(y):
            raise ValueError("[%s] shape of prediction and number of labels, got %s and %d, expected (N, C) and N"
                             % (type(self).__name__, y_pred.shape, len(y)))
        self._correct_num += int(((-y_pred).argsort(axis=1)[:, :self.k] == y).sum())
        self._samples_num += y.shape[0]

    def eval(self):
        return self._share(self._correct_num, self._samples_num)


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """Fraction of labels that are the most probable class: TopKCategoricalAccuracy with k 1, with its inputs and errors."""

    def __init__(self):
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """Fraction of labels among the 5 most probable classes: TopKCategoricalAccuracy with k 5, with its inputs and errors."""

    def __init__(self):
        super().__init__(5)


class ConfusionMatrix(Metric):
    """Confusion matrix: counts how often class i (row) was predicted as class j (column).

    normalize is 'target' (rows add up to 1), 'prediction' (columns do), 'all' (everything does) or 'no_norm'. Predictions are (N, C, ...),
    classes, or floats that are compared with the threshold. eval() returns the array (num_classes, num_classes). Raises ValueError for classes of
    num_classes or more and another normalize, TypeError for a num_classes that is no int.
    """

    def __init__(self, num_classes, normalize="no_norm", threshold=0.5):
        super().__init__()
        if isinstance(num_classes, bool) or not isinstance(num_classes, int):
            raise TypeError("[ConfusionMatrix] num_classes must be an int, got %s" % type(num_classes).__name__)
        if normalize not in ("target", "prediction", "all", "no_norm"):
            raise ValueError("[ConfusionMatrix] normalize, got %r, expected 'target', 'prediction', 'all' or 'no_norm'"
                             % (normalize,))
        if not isinstance(threshold, float):
            raise TypeError("[ConfusionMatrix] threshold must be a float, got %s" % type(threshold).__name__)
        self.num_classes, self.normalize, self.threshold = num_classes, normalize, threshold
        self.clear()

    def clear(self):
        self.confusion_matrix = None

    @rearrange_inputs
    def update(self, *inputs):
        import numpy
        y_pred, y = self._inputs(inputs, 2)
        if y_pred.ndim - y.ndim not in (0, 1):
            raise ValueError("[ConfusionMatrix] ranks of prediction and label, got %d and %d, expected the same or one more"
                             % (y_pred.ndim, y.ndim))
        if y_pred.ndim == y.ndim + 1:
            y_pred = y_pred.argmax(axis=1)
        elif y_pred.dtype.kind == "f":
            y_pred = y_pred >= self.threshold
        count = self.num_classes
        for name, classes in (("prediction", y_pred), ("label", y)):
            if classes.size and not 0 <= classes.min() <= classes.max() < count:
                raise ValueError("[ConfusionMatrix] classes of the %s, got %d to %d, expected 0 to %d"
                                 % (name, classes.min(), classes.max(), count - 1))
        pairs = (y.reshape(-1) * count + y_pred.reshape(-1)).astype(int)
        found = numpy.bincount(pairs, minlength=count ** 2).reshape(count, count).astype(float)
        self.confusion_matrix = found if self.confusion_matrix is None else self.confusion_matrix + found

    def eval(self):
        import numpy
        self._require(self.confusion_matrix is not None)
        matrix = self.confusion_matrix
        if self.normalize == "no_norm":
            return matrix
        axis = {"target": 1, "prediction": 0, "all": None}[self.normalize]
        with numpy.errstate(invalid="ignore"):
            return numpy.nan_to_num(matrix / matrix.sum(axis=axis, keepdims=True))


class ROC(Metric):
    """ROC curve of the last update: update(scores, labels); eval() returns (fpr, tpr, thresholds).

    Scores of shape (N, C, ...) give lists with one curve for each class. Raises ValueError where labels are all positive or all negative and for
    a class_num that does not fit the scores, TypeError for numbers that are no ints, RuntimeError for eval() before update().
    """

    def __init__(self, class_num=None, pos_label=None):
        super().__init__()
        for name, value in (("class_num", class_num), ("pos_label", pos_label)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
                raise TypeError("[ROC] %s must be an int, got %s" % (name, type(value).__name__))
        self.class_num, self.pos_label = class_num, pos_label
        self.clear()

    def clear(self):
        self._scores = None

    @rearrange_inputs
    def update(self, *inputs):
        scores, y = self._inputs(inputs, 2)
        if scores.ndim == y.ndim:
            if self.class_num not in (None, 1):
                raise ValueError("[ROC] class_num, got %d, expected 1 for scores of the labels' rank" % self.class_num)
            self._scores, self._labels = scores.reshape(-1), y.reshape(-1)
        elif scores.ndim == y.ndim + 1:
            if self.class_num is not None and self.class_num != scores.shape[1]:
                raise ValueError("[ROC] class_num, got %d, expected %d" % (self.class_num, scores.shape[1]))
            self._scores = scores.swapaxes(0, 1).reshape(scores.shape[1], -1).swapaxes(0, 1)
            self._labels = y.reshape(-1)
        else:
            raise ValueError("[ROC] ranks of scores and labels, got %d and %d, expected the same or one more"
                             % (scores.ndim, y.ndim))

    def eval(self):
        self._require(self._scores is not None)
        if self._scores.ndim == 1:
            return _curve(self._scores, self._labels == (1 if self.pos_label is None else self.pos_label))
        curves = [_curve(self._scores[:, c], self._labels == c) for c in range(self._scores.shape[1])]
        return tuple([curve[i] for curve in curves] for i in range(3))


def _curve(scores, positive):
    """Returns (fpr, tpr, thresholds), from the highest threshold down."""
    import numpy
    order = scores.argsort()[::-1]
    scores, positive = scores[order], positive[order]
    ends = numpy.append(numpy.nonzero(numpy.diff(scores))[0], scores.size - 1)
    hits = positive.cumsum()[ends]
    misses = 1 + ends - hits
    if misses[-1] <= 0 or hits[-1] <= 0:
        raise ValueError("[ROC] labels must be both positive and negative, got only one kind")
    zero = numpy.zeros(1)
    return (numpy.hstack([zero, misses]) / misses[-1], numpy.hstack([zero, hits]) / hits[-1],
            numpy.hstack([scores[ends[:1]] + 1, scores[ends]]))


def auc(x, y, reorder=False):
    """Computes the area under the curve through the points (x, y) by the trapezoidal rule.

    x must be sorted unless reorder is True; otherwise it raises ValueError.
    """
    import numpy
    if not isinstance(x, numpy.ndarray) or not isinstance(y, numpy.ndarray):
        raise TypeError("[auc] x and y must be arrays, got %s and %s" % (type(x).__name__, type(y).__name__))
    x, y = x.reshape(-1), y.reshape(-1)
    if x.size != y.size or x.size < 2:
        raise ValueError("[auc] sizes of x and y, got %d and %d, expected the same, 2 or more" % (x.size, y.size))
    if reorder:
        order = numpy.lexsort((y, x))
        x, y = x[order], y[order]
    steps = numpy.diff(x)
    if (steps < 0).any() and not (steps <= 0).all():
        raise ValueError("[auc] x must be sorted, or reorder must be True")
    return abs(numpy.float64((steps * (y[1:] + y[:-1])).sum() / 2))
