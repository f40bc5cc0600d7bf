"""Training loops: Model, callbacks and metrics."""
from .. import _paths
from ..amp import DynamicLossScaleManager, FixedLossScaleManager, LossScaleManager, build_train_network
from ..absent import names as _absent_names
from ..serialization import (
    async_ckpt_thread_status,
    ckpt_to_safetensors,
    export,
    load,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    safetensors_to_ckpt,
    save_checkpoint,
)
from . import callback, metrics
from .callback import *  # noqa: F403
from .metrics import *  # noqa: F403
from .dataset_helper import DatasetHelper, connect_network_with_dataset, data_sink
from .model import Model
from .summary import SummaryCollector, SummaryRecord

__all__ = ["Model", "SummaryCollector", "SummaryRecord", "DynamicLossScaleManager", "FixedLossScaleManager", "LossScaleManager", "build_train_network",
           "export", "load", "load_checkpoint", "load_param_into_net", "save_checkpoint", "DatasetHelper", "connect_network_with_dataset",
           "data_sink"]
_not_offered = _absent_names(__name__, """ConvertModelUtils ConvertNetUtils FlopsUtilizationCollector TrainFaultTolerance
    SummaryLandscape get_ckpt_path_with_strategy""", "see the README of msjit for what there is")
globals().update(_not_offered)
__all__ += sorted(_not_offered)
__all__ += callback.__all__ + metrics.__all__
__all__ += ["async_ckpt_thread_status", "ckpt_to_safetensors", "load_checkpoint_async", "safetensors_to_ckpt"]
callback.__all__ = callback.__all__ + ["SummaryCollector"]

_paths.extend(__path__)  # noqa: F405


_DIVIDED = ("build_searched_strategy", "load_distributed_checkpoint", "merge_sliced_parameter", "restore_group_info_list")


def __getattr__(name):
    if name in _DIVIDED:
        from .. import parallel
        return getattr(parallel, name)
    raise AttributeError("module %r has no attribute %r" % (__name__, name))


__all__ += _DIVIDED


_paths.reach(__name__)
