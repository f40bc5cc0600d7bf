"""Writes of operators to variables, such as assign and the scatter functions make them."""
from .._native import _msjit
from ..common.tensor import Tensor as _Tensor
from . import registry as _k


def write(kernel, variable, value):
    """kernel(variable, value), which writes in place and is not differentiated.

    In a gradient function a Parameter gets new memory instead: what has been computed from the old values needs them for its gradient.
    """
    if not _msjit.in_graph_call() and type(variable) is not _Tensor and _msjit.grad_level() > 0:
        _renew(kernel, variable, value)
        return
    try:
        kernel(variable, value)
    except RuntimeError:  # refused, because a gradient by the variable is asked for
        if type(variable) is _Tensor:
            raise
        _renew(kernel, variable, value)


def put(variable, value):
    """Writes a value of the same shape, or a number, into a variable."""
    write(_k.assign, variable, value)


def _renew(kernel, variable, value):
    made = _k.copy(variable.detach())
    kernel(made, value.detach() if isinstance(value, _Tensor) else value)
    _Tensor.set_data(variable, made, False)


__all__ = []
