"""Names of MindSpore's nn that raise when they are called."""
from ..common.refused import refused

globals().update(refused(__name__, "SparseTensorDenseMatmul SparseToDense", "there are no sparse tensors"))
globals().update(refused(__name__, "OcclusionSensitivity", "of the metrics it is the one that is missing"))
