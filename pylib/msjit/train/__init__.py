"""Training loops: Model, callbacks and metrics."""
from .callback import Callback, LossMonitor, RunContext, TimeMonitor
from .metrics import Accuracy, Loss, Metric, get_metric_fn
from .model import Model

__all__ = ["Model", "Callback", "LossMonitor", "TimeMonitor", "RunContext", "Metric", "Accuracy", "Loss",
           "get_metric_fn"]
