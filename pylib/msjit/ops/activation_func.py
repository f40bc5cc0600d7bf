"""Activations that nn_func.py does not hold."""
from ..common import dtype as _mstype
from ..common.tensor import check_tensor as _check_tensor
from . import registry as _k
from .random_func import draw_uniform as _draw_uniform


def _number(value, where, what):
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("[%s] %s must be a number, got %s" % (where, what, type(value).__name__))
    return value


def softmin(x, axis=-1, *, dtype=None):
    """softmax(-x)"""
    if dtype is not None:
        x = _k.cast(x, dtype)
    return _k.softmax(-_check_tensor(x, "softmin"), axis)


def threshold(input, thr, value):
    """x where x > thr, else value"""
    _check_tensor(input, "threshold")
    _number(thr, "threshold", "thr"), _number(value, "threshold", "value")
    return _k.where(_k.greater(input, thr), input, _k.full_like(input, value))


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3):
    """x where x > 0, else x times a number drawn from [lower, upper)."""
    _check_tensor(input, "rrelu")
    if _number(lower, "rrelu", "lower") > _number(upper, "rrelu", "upper"):
        raise ValueError("[rrelu] lower must not be above upper, got %s and %s" % (lower, upper))
    slope = lower + (upper - lower) * _draw_uniform(input.shape, _mstype.float32, None)
    return _k.where(_k.greater(input, 0), input, input * _k.cast(slope, input.dtype))


def fast_gelu(x):
    """x sigmoid(1.702 x), in the form that does not overflow"""
    return _check_tensor(x, "fast_gelu") * _k.sigmoid(1.702 * x)


__all__ = ["softmin", "threshold", "rrelu", "fast_gelu"]
