"""Methods of Tensor that reduce over axes, find extremes, or accumulate along an axis; bound by bind() of methods.py."""
from . import masked
from .checks import check_operand
from .methods_shared import no_out, put_method
from .overloads import need, one_of


def _sum(self, axis=None, dtype=None, keepdims=False, initial=None, *, dim=None, keepdim=False, out=None, where=True):
    """Sum over axes, an int, a tuple of ints or None for all: x.sum(axis, dtype, keepdims) or x.sum(dim, keepdim).

    dtype converts the elements first; bools and integers are summed in int64. `initial` is added; elements where the mask `where` is false do
    not count. Raises ValueError for an axis that x does not have, TypeError for both axis and dim and for `out`.
    """
    if out is not None:
        raise no_out("sum", out)
    if isinstance(dtype, bool):
        dtype, keepdim = None, dtype
    axis, keepdims = axis if dim is None else one_of("sum", axis, "axis", dim, "dim"), keepdims or keepdim
    out = _ops.sum(masked.filled("sum", self, where, 0), axis, keepdims, dtype)
    return out if initial is None else out + _initial("sum", initial)


def _initial(where, initial):
    return initial if isinstance(initial, (tuple, list)) else check_operand(initial, where, "initial")


def _mean(self, axis=None, keep_dims=False, *, dim=None, keepdim=False, keepdims=False, dtype=None, out=None, where=True):
    """Mean over axes, an int, a tuple of ints or None for all; with keep_dims they stay, with size 1. dtype converts the elements first.

    The mean of integers is an integer. Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    if out is not None:
        raise no_out("mean", out)
    axis, keepdims = axis if dim is None else one_of("mean", axis, "axis", dim, "dim"), keepdims or keepdim
    self = self if dtype is None else _k.cast(self, dtype)
    if where is not True:
        return masked.mean("mean", self, axis, keep_dims or keepdims, where)
    return _ops.mean(self, axis, keep_dims or keepdims)


def _prod(self, axis=None, keep_dims=False, dtype=None, *, dim=None, keepdim=False, keepdims=False, initial=None, out=None,
          where=True):
    """Product over axes, an int, a tuple of ints or None for all; with keep_dims they stay, with size 1.

    Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    if out is not None:
        raise no_out("prod", out)
    axis, keepdims = axis if dim is None else one_of("prod", axis, "axis", dim, "dim"), keepdims or keepdim
    out = _ops.prod(masked.filled("prod", self, where, 1), axis, keep_dims or keepdims, dtype)
    return out if initial is None else out * _initial("prod", initial)


def _extreme(name, self, reduce, combine, axis, keepdims, initial, where):
    """The greatest or least element among those where a mask is true, and an initial value."""
    if where is not True:
        if initial is None:
            raise ValueError("[%s] initial, got None, expected a number where there is a mask" % name)
        self = masked.filled(name, self, where, initial)
    out = reduce(self, axis, keepdims)
    return out if initial is None else combine(out, initial)


def _max(self, dim=None, keepdim=False, *, axis=None, keepdims=False, initial=None, where=True, return_indices=False,
         out=None):
    """x.max(dim): (largest elements, their indices, int64) along an axis; x.max(axis=axis): the largest, with the indices if asked.

    Without an axis it is the largest of all elements. `initial` counts as one more element, and with the mask `where` it is needed. Raises ValueError
    for an axis that x does not have and for an axis without elements.
    """
    if out is not None:
        raise no_out("max", out)
    if isinstance(dim, (tuple, list)) or keepdims or return_indices or initial is not None or where is not True:
        axis, dim, keepdims = axis if dim is None else dim, None, keepdim or keepdims  # these keywords are not of max(dim)
    if dim is not None:
        return _ops.max(self, dim, keepdim)
    if initial is None and where is True:
        return _ops.max(self, axis, keepdims) if return_indices else _k.max(self, axis, keepdims)
    if return_indices:
        raise ValueError("[max] return_indices, got True, expected False with initial or where")
    return _extreme("max", self, _k.max, _k.maximum, axis, keepdims, initial, where)


def _min(self, dim=None, keepdim=False, *, axis=None, keepdims=False, initial=None, where=True, return_indices=False,
         out=None):
    """x.min(dim): (smallest elements, their indices, int64) along an axis; x.min(axis=axis): the smallest, with the indices if asked.

    Without an axis it is the smallest of all elements. `initial` counts as one more element, and with the mask `where` it is needed. Raises
    ValueError for an axis that x does not have and for an axis without elements.
    """
    if out is not None:
        raise no_out("min", out)
    if isinstance(dim, (tuple, list)) or keepdims or return_indices or initial is not None or where is not True:
        axis, dim, keepdims = axis if dim is None else dim, None, keepdim or keepdims  # these keywords are not of min(dim)
    if dim is not None:
        return _ops.min(self, dim, keepdim)
    if initial is None and where is True:
        return _ops.min(self, axis, keepdims) if return_indices else _k.min(self, axis, keepdims)
    if return_indices:
        raise ValueError("[min] return_indices, got True, expected False with initial or where")
    return _extreme("min", self, _k.min, _k.minimum, axis, keepdims, initial, where)


def _all(self, axis=None, keep_dims=False, *, dim=None, keepdim=False, keepdims=False, out=None, where=True):
    """True where all elements along the axes (an int, a tuple of ints or None for all) are not 0; a bool Tensor.

    Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    if out is not None:
        raise no_out("all", out)
    axis, keepdims = axis if dim is None else one_of("all", axis, "axis", dim, "dim"), keepdims or keepdim
    if where is not True:
        self = masked.filled("all", _k.cast(self, "bool"), where, True)
    return _ops.all(self, axis, keep_dims or keepdims)


def _any(self, axis=None, keep_dims=False, *, dim=None, keepdim=False, keepdims=False, out=None, where=True):
    """True where an element along the axes (an int, a tuple of ints or None for all) is not 0; a bool Tensor.

    Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    if out is not None:
        raise no_out("any", out)
    axis, keepdims = axis if dim is None else one_of("any", axis, "axis", dim, "dim"), keepdims or keepdim
    if where is not True:
        self = masked.filled("any", _k.cast(self, "bool"), where, False)
    return _ops.any(self, axis, keep_dims or keepdims)


def _var(self, axis=None, ddof=None, keepdims=False, *, dim=None, correction=None, keepdim=False, dtype=None, out=None, where=True):
    """Variance over axes, None for all: sum((x - mean)^2) / (count - ddof). ddof, or correction, is 0 by default.

    Integers and bools give float32. Raises ValueError for an axis that x does not have, TypeError for both ddof and correction.
    """
    if out is not None:
        raise no_out("var", out)
    axis, keepdims = axis if dim is None else one_of("var", axis, "axis", dim, "dim"), keepdims or keepdim
    ddof = one_of("var", ddof, "ddof", correction, "correction") or 0
    self = self if dtype is None else _k.cast(self, dtype)
    if where is not True:
        return masked.var("var", self, axis, ddof, keepdims, where)
    return _ops.var(self, axis, ddof, keepdims)


def _std(self, axis=None, ddof=None, keepdims=False, *, dim=None, correction=None, keepdim=False, dtype=None, out=None, where=True):
    """Standard deviation over axes, None for all: the square root of sum((x - mean)^2) / (count - ddof). ddof, or correction, is 0 by default.

    With keepdims the axes stay, with size 1. Integers and bools give float32. Raises ValueError for an axis that x does not have, TypeError for both
    ddof and correction.
    """
    if out is not None:
        raise no_out("std", out)
    axis, keepdims = axis if dim is None else one_of("std", axis, "axis", dim, "dim"), keepdims or keepdim
    ddof = one_of("std", ddof, "ddof", correction, "correction") or 0
    self = self if dtype is None else _k.cast(self, dtype)
    if where is not True:
        return _k.sqrt(masked.var("std", self, axis, ddof, keepdims, where))
    return _ops.std(self, axis, ddof, keepdims)


def _argmax(self, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """Index of the largest element along an axis, or in the flattened tensor; int64, and the first one of equal elements.

    Raises ValueError for an axis that x does not have, TypeError for one that is no int and for both axis and dim.
    """
    return _k.argmax(self, one_of("argmax", axis, "axis", dim, "dim"), keepdims or keepdim)


def _argmin(self, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """Index of the smallest element along an axis, or in the flattened tensor; int32, and the first one of equal elements.

    Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    return _ops.argmin(self, one_of("argmin", axis, "axis", dim, "dim"), keepdims or keepdim)


def _cumsum(self, axis=None, dtype=None, *, dim=None):
    """Running sums along an axis, of the flattened tensor by default: element i of the result is x[0] + ... + x[i].

    The result has the dtype given, else that of x; sums of bools and of integers of 8 and 16 bits are int32. Raises ValueError for an axis that x
    does not have, TypeError for both axis and dim.
    """
    axis = one_of("cumsum", axis, "axis", dim, "dim")
    if self.dtype in _narrow_dtypes:
        self = _k.cast(self, "int32")
    return _ops.cumsum(_k.reshape(self, (-1,)), 0, dtype) if axis is None else _ops.cumsum(self, axis, dtype)


def _median(self, axis=-1, keepdims=False, *, dim=None, keepdim=False):
    """(median along an axis, its position, int64), the last axis by default: of two elements in the middle the lesser one.

    With keepdims, or keepdim, the axis stays, with size 1. Raises ValueError for an axis that x does not have.
    """
    return _ops.median(self, axis if dim is None else dim, keepdims or keepdim)


def _logsumexp(self, axis=None, keep_dims=False, *, dim=None, keepdim=False, keepdims=False):
    """log(sum(exp(x))) over axes, an int or a tuple of ints, without overflow; with keep_dims they stay, with size 1.

    Integers give float32. Raises ValueError for an axis that x does not have, TypeError if none is given, and for both axis and dim.
    """
    axis = one_of("logsumexp", axis, "axis", dim, "dim")
    need("logsumexp", dim=axis)
    return _ops.logsumexp(self, axis, keep_dims or keepdim or keepdims)


def _nansum(self, axis=None, keepdims=False, *, dim=None, keepdim=False, dtype=None):
    """Sum over axes, an int, a tuple of ints or None for all, of the elements that are not NaN; with keepdims they stay, with size 1.

    Integers keep their dtype unless one is given. Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    return _ops.nansum(self, one_of("nansum", axis, "axis", dim, "dim"), keepdims or keepdim, dtype=dtype)


def _count_nonzero(self, axis=None, keep_dims=False, dtype=None, *, dim=None):
    """Number of elements over axes, an int, a tuple of ints or None for all, that are not zero; int32 by default. NaN counts.

    Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    axis = one_of("count_nonzero", axis, "axis", dim, "dim")
    return _ops.count_nonzero(self, () if axis is None else axis, keep_dims, _int32 if dtype is None else dtype)


def bind():
    """Adds these methods to Tensor."""
    global _k, _ops, _int32, _narrow_dtypes
    from .. import ops as _ops
    from ..ops import registry as _k
    from . import dtype
    _int32 = dtype.int32
    _narrow_dtypes = (dtype.bool_, dtype.int8, dtype.uint8, dtype.int16)
    for function in (
            _sum, _mean, _prod, _max, _min, _all, _any, _var, _std, _argmax, _argmin, _cumsum, _median, _logsumexp, _nansum,
            _count_nonzero):
        put_method(function.__name__[1:], function)


__all__ = ["bind"]
