"""The functions under MindSpore's older path: ops.functional."""
from ..autograd import GradOperation, get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp
from .composite import HyperMap, Map, MultitypeFuncGraph, constexpr, core
from .function import *  # noqa: F401,F403
from .function import __all__ as _names

__all__ = ["GradOperation", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp", "HyperMap", "Map",
           "MultitypeFuncGraph", "constexpr", "core"] + _names
