"""Tensor, Parameter, element types and initialisers."""
from . import dtype, initializer
from .dtype import *  # noqa: F401,F403
from .parameter import Parameter, ParameterTuple
from .seed import get_seed, set_seed
from .tensor import Tensor, from_numpy, is_tensor, mutable, tensor

__all__ = ["dtype", "initializer", "Parameter", "ParameterTuple", "get_seed", "set_seed", "Tensor",
           "from_numpy", "is_tensor", "mutable", "tensor"]
