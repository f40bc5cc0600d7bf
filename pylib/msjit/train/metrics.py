"""Metrics: clear(), update(...) for each batch, eval()."""
from ..common.tensor import Tensor


class Metric:
    """Base class."""

    def __init__(self):
        self.clear()

    def clear(self):
        """Forgets the batches."""
        raise NotImplementedError

    def update(self, *inputs):
        """Takes one batch in."""
        raise NotImplementedError

    def eval(self):
        """The value."""
        raise NotImplementedError

    @staticmethod
    def _convert_data(data):
        import numpy
        return data.asnumpy() if isinstance(data, Tensor) else numpy.asarray(data)


class Accuracy(Metric):
    """Share of correct classes: update(logits, labels)."""

    def __init__(self, eval_type="classification"):
        if eval_type != "classification":
            raise ValueError("[accuracy] eval_type, got %r, expected 'classification'" % (eval_type,))
        super().__init__()

    def clear(self):
        self._right = self._total = 0

    def update(self, *inputs):
        predicted, labels = (self._convert_data(x) for x in inputs)
        if labels.ndim == predicted.ndim:
            labels = labels.argmax(1)
        self._right += int((predicted.argmax(1) == labels).sum())
        self._total += labels.size

    def eval(self):
        if not self._total:
            raise RuntimeError("[accuracy] there is no data yet")
        return self._right / self._total


class Loss(Metric):
    """Mean loss: update(loss)."""

    def clear(self):
        self._sum = self._count = 0

    def update(self, *inputs):
        self._sum += float(self._convert_data(inputs[0]).mean())
        self._count += 1

    def eval(self):
        if not self._count:
            raise RuntimeError("[loss] there is no data yet")
        return self._sum / self._count


_BY_NAME = {"accuracy": Accuracy, "acc": Accuracy, "loss": Loss}


def get_metric_fn(name, *args, **kwargs):
    """A metric by name."""
    if name not in _BY_NAME:
        raise KeyError("[metric] unknown name %r, expected one of %s" % (name, ", ".join(sorted(_BY_NAME))))
    return _BY_NAME[name](*args, **kwargs)
