"""Activation functions that nn_func.py does not have."""
from ..common import dtype as _mstype
from ..common.checks import check_number as _number
from ..common.tensor import check_tensor as _check_tensor
from . import registry as _k
from .random_func import draw_uniform as _draw_uniform


def softmin(x, axis=-1, *, dtype=None):
    """Computes softmax(-x) over an axis."""
    if dtype is not None:
        x = _k.cast(x, dtype)
    return _k.softmax(-_check_tensor(x, "softmin"), axis)


def threshold(input, thr, value):
    """Returns x where x > thr, else value."""
    _check_tensor(input, "threshold")
    _number(thr, "threshold", "thr"), _number(value, "threshold", "value")
    return _k.where(_k.greater(input, thr), input, _k.full_like(input, value))


def rrelu(input, lower=1.0 / 8, upper=1.0 / 3):
    """Randomized leaky ReLU: x where x > 0, else x times a slope drawn from [lower, upper)."""
    _check_tensor(input, "rrelu")
    if _number(lower, "rrelu", "lower") > _number(upper, "rrelu", "upper"):
        raise ValueError("[rrelu] lower must not be above upper, got %s and %s" % (lower, upper))
    slope = lower + (upper - lower) * _draw_uniform(input.shape, _mstype.float32, None)
    return _k.where(_k.greater(input, 0), input, input * _k.cast(slope, input.dtype))


def fast_gelu(x):
    """Approximate GELU activation: x * sigmoid(1.702 x)."""
    return _check_tensor(x, "fast_gelu") * _k.sigmoid(1.702 * x)


__all__ = ["softmin", "threshold", "rrelu", "fast_gelu"]
