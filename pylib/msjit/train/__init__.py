"""Training loops: Model, callbacks and metrics."""
from .. import _paths
from ..amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network
from ..serialization import export, load, load_checkpoint, load_param_into_net, save_checkpoint
from . import callback, metrics
from .callback import *  # noqa: F403
from .metrics import *  # noqa: F403
from .model import Model
from .summary import SummaryRecord

__all__ = ["Model", "SummaryRecord", "DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager", "build_train_network",
           "export", "load", "load_checkpoint", "load_param_into_net", "save_checkpoint"]
__all__ += callback.__all__ + metrics.__all__

_paths.extend(__path__)  # noqa: F405
