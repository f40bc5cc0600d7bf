"""mindspore.parallel.nn: layers over several processes. Those that split a batch into parts run in one process; the others raise when they
are made."""
from .. import _paths
from ..absent import names as _absent_names
from ..nn.micro_batches import GradAccumulationCell as _GradAccumulationCell
from ..nn.micro_batches import MicroBatchInterleaved  # noqa: F401
from ..nn.micro_batches import PipelineCell as _PipelineCell

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.


class GradAccumulation(_GradAccumulationCell):
    """As nn.GradAccumulationCell: calls network on `micro_size` equal parts of the batch and adds the results. ValueError if the first size of an
    input is no multiple of micro_size."""


class Pipeline(_PipelineCell):
    """The same as GradAccumulation in one process; NotImplementedError for stages in several ones."""


globals().update(_absent_names(__name__, """PipelineGradReducer TransformerOpParallelConfig
    TransformerRecomputeConfig OpParallelConfig MoEConfig""", "networks are not divided over processes; data-parallel training is offered"))
__all__ = [name for name in globals() if name[0] != "_"]

_paths.reach(__name__)
