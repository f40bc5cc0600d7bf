"""mindspore.parallel: reads checkpoints of divided networks, joins them, and converts them to another division. The computation of a
network cannot be divided over processes, so AutoParallel runs in one process. For data-parallel training see docs/parallel.md."""
from .. import _paths
from ..absent import names as _absent_names
from .auto_parallel import AutoParallel
from .checkpoints import rank_list_for_transform, transform_checkpoint_by_rank, transform_checkpoints
from .layouts import Layout, shard
from .merging import load_distributed_checkpoint, load_segmented_checkpoints, merge_sliced_parameter
from .strategy_file import build_searched_strategy, merge_pipeline_strategys, restore_group_info_list
from .unified import unified_safetensors

_PROCESSES = "networks are not divided over processes; data-parallel training is offered"

globals().update(_absent_names(__name__, "sync_pipeline_shared_parameters parameter_broadcast set_op_strategy_config", _PROCESSES))

# MindSpore's newer names of the same functions.
rank_list_for_convert, convert_checkpoints, convert_checkpoint_by_rank = rank_list_for_transform, transform_checkpoints, transform_checkpoint_by_rank

_parameters = {}
_ALLOWED = ("fully_use_devices", "elementwise_op_strategy_follow", "enable_algo_auxiliary_ops", "algo_single_loop", "tensor_slice_align_enable",
            "tensor_slice_align_size", "enable_algo_approxi", "algo_approxi_epsilon")


def set_algo_parameters(**kwargs):
    """Stores parameters of MindSpore's search for strategies, which change nothing here; TypeError for another name."""
    for name in kwargs:
        if name not in _ALLOWED:
            raise TypeError("[set_algo_parameters] keyword, got %r, expected one of %s" % (name, list(_ALLOWED)))
    _parameters.update(kwargs)


def get_algo_parameters(attr_key):
    """A value given to set_algo_parameters, False before."""
    if attr_key not in _ALLOWED:
        raise ValueError("[get_algo_parameters] attr_key, got %r, expected one of %s" % (attr_key, list(_ALLOWED)))
    return _parameters.get(attr_key, False)


def reset_algo_parameters():
    """Resets the settings of set_algo_parameters."""
    _parameters.clear()


def _set_multi_subgraphs(multi_subgraph=True):
    """Accepted for compatibility: a hint for the division of networks over processes."""


def _set_rp_matmul_mem_coef(coef):
    """Accepted for compatibility: a hint for the division of networks over processes."""


__all__ = [name for name in globals() if name[0] != "_"]


_paths.reach(__name__)
