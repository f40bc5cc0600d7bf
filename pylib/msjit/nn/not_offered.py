"""Names of MindSpore's nn that raise when they are called."""
from ..absent import names as _absent_names

globals().update(_absent_names(__name__, "OcclusionSensitivity", "of the metrics it is the one that is missing"))
