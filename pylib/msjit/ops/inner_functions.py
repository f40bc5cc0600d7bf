"""Functions that MindSpore's modules of functions keep beside the public ones, which some packages import."""
from ..common import dtype as _mstype
from . import registry as _k
from .composite import MultitypeFuncGraph as _Graph

get_square_sum = _Graph("get_square_sum")
apply_global_norm = _Graph("apply_global_norm")


@get_square_sum.register("Tensor")
def _square_sum(x):
    """The sum of the squares of a tensor, float32 of shape (1,)."""
    return _k.expand_dims(_k.cast(_k.sum(_k.square(x)), _mstype.float32), 0)


@apply_global_norm.register("Tensor", "Tensor", "Tensor")
def _by_norm(clip_norm, global_norm, x):
    """x clip_norm / global_norm, of the dtype of x."""
    return _k.cast(x * clip_norm / global_norm, x.dtype)


def _check_same_type(dtype1, dtype2):
    """Whether two dtypes are the same."""
    return dtype1 == dtype2


def _expand(x, ndim):
    """x with axes of size 1 in front until it has `ndim` axes."""
    while x.ndim < ndim:
        x = _k.expand_dims(x, 0)
    return x
