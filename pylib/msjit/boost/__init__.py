"""MindSpore's boost: of it, the accumulation of gradients. Its other names raise when they are called."""
from .. import _paths
from ..absent import names as _absent_names
from .grad_accumulation import GradientAccumulation

globals().update(_absent_names(__name__, """AutoBoost OptimizerProcess ParameterProcess BoostTrainOneStepCell
    BoostTrainOneStepWithLossScaleCell LessBN GradientFreeze FreezeOpt freeze_cell AdaSum DimReduce GroupLossScaleManager""",
                         "of boost there is the accumulation of gradients alone; nn.TrainOneStepCell trains"))
__all__ = ["GradientAccumulation"] + [name for name in globals() if name[0].isupper() and name != "GradientAccumulation"]
__all__ += ["freeze_cell"]

_paths.reach(__name__)
