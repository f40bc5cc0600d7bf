"""Operators: functions (ops.add), primitives (ops.Add) and function transforms."""
from ..absent import attributes as _absent
from ..autograd import GradOperation, get_grad, grad, jacfwd, jacrev, jvp, value_and_grad, vjp
from ..function_transforms import derivative, jet, linearize, vmap
from ..common.tensor import Tensor
from . import composite, function, functional, operations, registry
from . import operations as P
from .composite import (
    HyperMap, Map, MultitypeFuncGraph, add_flags, augassign_add, augassign_div, augassign_floordiv, augassign_mod, augassign_mul,
    augassign_sub, constexpr, core, hyper_add,
)
from .function import *  # noqa: F401,F403
from .operations import *  # noqa: F401,F403
from .primitive import prim_arg_register, prim_attr_register

__all__ = ["GradOperation", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp", "HyperMap", "Map",
           "MultitypeFuncGraph", "constexpr", "core", "add_flags", "augassign_add", "augassign_div", "augassign_floordiv",
           "augassign_mod", "augassign_mul", "augassign_sub", "hyper_add", "prim_arg_register", "prim_attr_register", "Tensor", "P", "composite", "function", "functional", "operations",
           "registry", "derivative", "jet", "linearize", "vmap"]
__all__ += function.__all__ + operations.__all__
_refuse = _absent(__name__)


def __getattr__(name):
    if name == "signature":  # a module that few programs read
        import importlib
        return importlib.import_module(".signature", __name__)
    return _refuse(name)
