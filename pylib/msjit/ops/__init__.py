"""Operators: functions (ops.add), primitives (ops.Add) and function transforms."""
from ..autograd import GradOperation, get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp
from ..function_transforms import derivative, jet, linearize, vmap
from . import composite, function, functional, operations, registry
from .composite import HyperMap, Map, MultitypeFuncGraph, constexpr, core
from .function import *  # noqa: F401,F403
from .operations import *  # noqa: F401,F403

__all__ = ["GradOperation", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp", "HyperMap", "Map",
           "MultitypeFuncGraph", "constexpr", "core", "composite", "function", "functional", "operations",
           "registry", "derivative", "jet", "linearize", "vmap"]
__all__ += function.__all__ + operations.__all__
