"""Shared by optimizers whose updates are assignments, which graphs fuse into one kernel."""
from .. import ops
from ..common import dtype as mstype
from ..common.tensor import Tensor

_HALVES = (mstype.float16, mstype.bfloat16)


def wide(x):
    """The values of a Parameter or gradient, in float32 at least."""
    x = x.detach()
    return ops.cast(x, mstype.float32) if x.dtype in _HALVES else x


def write(param, value):
    """Assigns a value, rounded to the Parameter's dtype."""
    ops.registry.assign(param, value if value.dtype == param.dtype else ops.cast(value, param.dtype))


def decayed(gradient, param, decay):
    """The gradient plus the weight decay times the parameter."""
    gradient = wide(gradient)
    return gradient if isinstance(decay, float) and decay == 0.0 else gradient + decay * wide(param)


def count(step):
    """The number of the step, from 1, as a Tensor. It is computed by an addition, so that in graphs it is an input and no constant."""
    return ops.registry.zeros((), dtype=mstype.float32) + (step + 1)


def rate_of(group):
    """The learning rate of a group, a float32 scalar Tensor. Training loops also write a number into group["lr"].

    It is computed by an addition, so that in graphs it is an input and no constant.
    """
    rate = group["lr"]
    return rate.detach() if isinstance(rate, Tensor) else ops.registry.zeros((), dtype=mstype.float32) + rate


def filled(param, value):
    """One value in the shape of a Parameter, an array."""
    import numpy
    return numpy.full(tuple(param.shape), value, "float32")


def check_float(value, where, what, least=None, most=None, open_ends=False):
    """The value, when it is a float within bounds."""
    if not isinstance(value, float):
        raise TypeError("[%s] %s must be a float, got %s" % (where, what, type(value).__name__))
    low = least is not None and (value <= least if open_ends else value < least)
    high = most is not None and (value >= most if open_ends else value > most)
    if low or high:
        raise ValueError("[%s] %s must be between %s and %s, got %s" % (where, what, least, most, value))
    return value
