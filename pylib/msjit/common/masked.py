"""Reductions over the elements at which a mask is true. NumPy's functions call the methods of a Tensor with such a mask, as `where`."""
from .._native import Tensor, dtypes


def _mask(name, x, where):
    """The mask as a Tensor of bools in the shape of x."""
    mask = where if isinstance(where, Tensor) else Tensor(where)
    if mask.dtype != dtypes["bool"]:
        raise TypeError("[%s] where, got a mask of %s, expected bools" % (name, mask.dtype))
    return mask.broadcast_to(x.shape)


def filled(name, x, where, value):
    """x with the elements at which the mask is false replaced by a value."""
    from ..ops import registry as _k
    return x if where is True else _k.where(_mask(name, x, where), x, value)


def mean(name, x, axis, keepdims, where):
    """Sum over count, NaN where nothing counts."""
    from .. import ops
    from ..context import FLOAT_DTYPES
    wanted = ops.mean(x).dtype
    x = x if x.dtype in FLOAT_DTYPES else x.astype("float64")
    count = ops.sum(_mask(name, x, where).astype(x.dtype), axis, keepdims)
    return (ops.sum(filled(name, x, where, 0), axis, keepdims) / count).astype(wanted)


def var(name, x, axis, ddof, keepdims, where):
    """Sum of the squared distances from the mean, over count less ddof."""
    from .. import ops
    x = x.astype(ops.var(x).dtype)
    gap = filled(name, x - mean(name, x, axis, True, where), where, 0)
    count = ops.sum(_mask(name, x, where).astype(x.dtype), axis, keepdims) - ddof
    return ops.sum(gap * gap, axis, keepdims) / ops.maximum(count, 0)
