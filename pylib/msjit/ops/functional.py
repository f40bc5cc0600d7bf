"""The functions under MindSpore's older path: ops.functional."""
from ..absent import attributes as _absent
from ..autograd import get_grad, grad, value_and_grad
from ..common.tensor import Tensor
from ..first_use import kept as _kept
from ..function_transforms import derivative, jacfwd, jacrev, jet, jvp, linearize, vjp, vmap
from . import _sparse
from . import operations as P
from .composite import GradOperation, HyperMap, Map, MultitypeFuncGraph, constexpr, core
from .function import *  # noqa: F401,F403
from .function import __all__ as _names
from .operations import (
    AdaptiveMaxPool2D,
    DtypeToEnum,
    Median,
    Roll,
    TensorToTuple,
    UniqueConsecutive,
)

__all__ = ["GradOperation", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp", "HyperMap", "Map",
           "MultitypeFuncGraph", "constexpr", "core", "Tensor", "derivative", "jet", "linearize", "vmap", "P", "AdaptiveMaxPool2D",
           "DtypeToEnum", "Median", "Roll", "TensorToTuple", "UniqueConsecutive"] + _names
_refuse = _absent(__name__)


@_kept
def __getattr__(name):
    found = _sparse.find(name)
    return _refuse(name) if found is None else found
