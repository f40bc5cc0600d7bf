"""ConfusionMatrixMetric: rates of true and false positives and negatives."""
from .metrics import Metric, rearrange_inputs


def _root(x):
    return x ** 0.5


# Functions of the numbers of true positives, false positives, true negatives and false negatives.
_RATES = {
    "sensitivity": lambda tp, fp, tn, fn: tp / (tp + fn),
    "specificity": lambda tp, fp, tn, fn: tn / (tn + fp),
    "precision": lambda tp, fp, tn, fn: tp / (tp + fp),
    "negative predictive value": lambda tp, fp, tn, fn: tn / (tn + fn),
    "miss rate": lambda tp, fp, tn, fn: fn / (tp + fn),
    "fall out": lambda tp, fp, tn, fn: fp / (tn + fp),
    "false discovery rate": lambda tp, fp, tn, fn: fp / (tp + fp),
    "false omission rate": lambda tp, fp, tn, fn: fn / (tn + fn),
    "prevalence threshold": lambda tp, fp, tn, fn: (_root(tp / (tp + fn) * (1 - tn / (tn + fp))) + tn / (tn + fp) - 1)
    / (tp / (tp + fn) + tn / (tn + fp) - 1),
    "threat score": lambda tp, fp, tn, fn: tp / (tp + fn + fp),
    "accuracy": lambda tp, fp, tn, fn: (tp + tn) / (tp + fp + tn + fn),
    "balanced accuracy": lambda tp, fp, tn, fn: (tp / (tp + fn) + tn / (tn + fp)) / 2,
    "f1 score": lambda tp, fp, tn, fn: 2 * tp / (2 * tp + fn + fp),
    "matthews correlation coefficient": lambda tp, fp, tn, fn: (tp * tn - fp * fn)
    / _root((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)),
    "fowlkes mallows index": lambda tp, fp, tn, fn: _root(tp / (tp + fp) * tp / (tp + fn)),
    "informedness": lambda tp, fp, tn, fn: tp / (tp + fn) + tn / (tn + fp) - 1,
    "markedness": lambda tp, fp, tn, fn: tp / (tp + fp) + tn / (tn + fn) - 1,
}
_SAME = {"recall": "sensitivity", "hit rate": "sensitivity", "true positive rate": "sensitivity", "tpr": "sensitivity",
         "selectivity": "specificity", "true negative rate": "specificity", "tnr": "specificity",
         "positive predictive value": "precision", "ppv": "precision", "npv": "negative predictive value",
         "false negative rate": "miss rate", "fnr": "miss rate", "false positive rate": "fall out", "fpr": "fall out",
         "fdr": "false discovery rate", "for": "false omission rate", "pt": "prevalence threshold",
         "critical success index": "threat score", "ts": "threat score", "csi": "threat score", "acc": "accuracy",
         "ba": "balanced accuracy", "f1": "f1 score", "mcc": "matthews correlation coefficient",
         "fm": "fowlkes mallows index", "bookmaker informedness": "informedness", "bm": "informedness",
         "deltap": "markedness", "mk": "markedness"}
_AXES = {"mean": (0, 1), "sum": (0, 1), "mean_batch": 0, "sum_batch": 0, "mean_channel": 1, "sum_channel": 1, "none": ()}


class ConfusionMatrixMetric(Metric):
    """A rate such as "sensitivity" of predictions and labels (N, C, ...) that are 0 or 1.

    skip_channel ignores the first channel if there are more. The rate is computed from the counts of all batches together. With
    calculation_method each example and channel has its own rate, and `decrease` says how the rates are combined: 'mean', 'sum', one of
    these followed by '_batch' or '_channel', or 'none'. Rates that are 0 / 0 do not count then.
    """

    def __init__(self, skip_channel=True, metric_name="sensitivity", calculation_method=False, decrease="mean"):
        super().__init__()
        where = "ConfusionMatrixMetric"
        for name, value in (("skip_channel", skip_channel), ("calculation_method", calculation_method)):
            if not isinstance(value, bool):
                raise TypeError("[%s] %s must be a bool, got %s" % (where, name, type(value).__name__))
        if not isinstance(metric_name, str):
            raise TypeError("[%s] metric_name must be a str, got %s" % (where, type(metric_name).__name__))
        plain = metric_name.replace("_", " ").lower()
        plain = _SAME.get(plain, plain)
        if plain not in _RATES:
            raise NotImplementedError("[%s] metric_name, got %r, expected one of %s" % (where, metric_name, sorted(_RATES)))
        if decrease not in _AXES:
            raise ValueError("[%s] decrease, got %r, expected one of %s" % (where, decrease, sorted(_AXES)))
        self.skip_channel, self.metric_name, self.decrease = skip_channel, metric_name, decrease
        self.calculation_method, self._rate = calculation_method, _RATES[plain]
        self.clear()

    def clear(self):
        self._counts = []

    @rearrange_inputs
    def update(self, *inputs):
        import numpy
        y_pred, y = self._inputs(inputs, 2)
        if y_pred.ndim < 2 or y_pred.shape != y.shape:
            raise ValueError("[ConfusionMatrixMetric] shapes of prediction and label, got %s and %s, expected the same (N, C, ...)"
                             % (y_pred.shape, y.shape))
        if not numpy.isin(y, (0, 1)).all():
            raise ValueError("[ConfusionMatrixMetric] values of the label, got others, expected 0 and 1")
        if self.skip_channel and y.shape[1] > 1:
            y_pred, y = y_pred[:, 1:], y[:, 1:]
        y_pred, y = (v.reshape(v.shape[0], v.shape[1], -1).astype(bool) for v in (y_pred, y))
        self._counts.append(numpy.stack([(y_pred & y).sum(2), (y_pred & ~y).sum(2), (~y_pred & ~y).sum(2),
                                         (~y_pred & y).sum(2)]).astype(float))

    def eval(self):
        import numpy
        self._require(self._counts)
        counts = numpy.concatenate(self._counts, axis=1)
        with numpy.errstate(divide="ignore", invalid="ignore"):
            if not self.calculation_method:
                return numpy.array([self._rate(*counts.sum((1, 2)))])
            rates = self._rate(*counts)
        axes = _AXES[self.decrease]
        if axes == ():
            return rates
        reduced = (numpy.nansum if self.decrease.startswith("sum") else numpy.nanmean)(rates, axes)
        return reduced if reduced.ndim else float(reduced)
