"""Training loops: Model, callbacks and metrics."""
from .. import _paths
from ..amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network
from ..common.refused import refused
from ..serialization import export, load, load_checkpoint, load_param_into_net, save_checkpoint
from . import callback, metrics
from .callback import *  # noqa: F403
from .metrics import *  # noqa: F403
from .dataset_helper import DatasetHelper, connect_network_with_dataset, data_sink
from .model import Model
from .summary import SummaryCollector, SummaryRecord

__all__ = ["Model", "SummaryCollector", "SummaryRecord", "DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager", "build_train_network",
           "export", "load", "load_checkpoint", "load_param_into_net", "save_checkpoint", "DatasetHelper", "connect_network_with_dataset",
           "data_sink"]
_refused = refused(__name__, "ConvertModelUtils ConvertNetUtils FlopsUtilizationCollector TrainFaultTolerance SummaryLandscape",
                   "trainings here run in one process on a CPU, and write no files for MindInsight")
globals().update(_refused)
__all__ += sorted(_refused)
__all__ += callback.__all__ + metrics.__all__

_paths.extend(__path__)  # noqa: F405
