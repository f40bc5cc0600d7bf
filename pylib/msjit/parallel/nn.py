"""mindspore.parallel.nn: layers over several processes, which raise when they are made."""
from .. import _paths
from ..absent import names as _absent_names

__path__ = _paths.extend([])  # a package in MindSpore: alias.py finds what programs import from below it
globals().update(_absent_names(__name__, """Pipeline PipelineGradReducer GradAccumulation MicroBatchInterleaved TransformerOpParallelConfig
    TransformerRecomputeConfig OpParallelConfig MoEConfig""", "networks are not divided over processes; data-parallel training is offered"))
__all__ = [name for name in globals() if name[0] != "_"]
