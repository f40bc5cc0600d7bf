"""mindspore.parallel.nn: layers over several processes, which raise when they are made."""
from ..common.refused import refused

globals().update(refused(__name__, """Pipeline PipelineGradReducer GradAccumulation MicroBatchInterleaved TransformerOpParallelConfig
    TransformerRecomputeConfig OpParallelConfig MoEConfig""", "there is one process"))
__all__ = [name for name in globals() if name[0] != "_" and name != "refused"]
