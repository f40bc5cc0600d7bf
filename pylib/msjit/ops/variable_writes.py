"""Writes of operators to variables, such as assign and the scatter functions make them."""
from .._native import _msjit
from ..common.tensor import Tensor as _Tensor
from . import registry as _k


def write(kernel, variable, value):
    """kernel(variable, value), which writes in place and is not differentiated.

    In a gradient function a Parameter gets new memory instead: what has been computed from the old values needs them for its gradient.
    """
    if _msjit.captured() or type(variable) is _Tensor or _msjit.grad_level() == 0:
        kernel(variable, value)
        return
    made = _k.copy(variable.detach())
    kernel(made, value.detach() if isinstance(value, _Tensor) else value)
    _Tensor.set_data(variable, made, False)


def put(variable, value):
    """Writes a value of the same shape, or a number, into a variable."""
    write(_k.assign, variable, value)


def replaced(variable, made):
    """Writes what was made of a variable to it. Returns the new values: the variable, or for a Parameter `made`, with its gradient."""
    put(variable, made)
    return variable if type(variable) is _Tensor else made


__all__ = []
