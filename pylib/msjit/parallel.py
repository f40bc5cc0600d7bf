"""mindspore.parallel: programs divided over many devices. There is one process with one, so its functions raise."""
from . import _paths
from .absent import attributes as _absent

_NAMES = """Layout build_searched_strategy convert_checkpoint_by_rank convert_checkpoints get_algo_parameters
    load_distributed_checkpoint load_segmented_checkpoints merge_pipeline_strategys merge_sliced_parameter parameter_broadcast
    rank_list_for_convert rank_list_for_transform reset_algo_parameters restore_group_info_list set_algo_parameters
    set_op_strategy_config shard sync_pipeline_shared_parameters transform_checkpoint_by_rank transform_checkpoints
    unified_safetensors""".split()

__getattr__ = _absent(__name__, lambda name: "communication" if name in _NAMES else None)
__path__ = _paths.extend([])  # a package in MindSpore: alias.py finds what programs import from below it
