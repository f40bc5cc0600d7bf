"""Reductions and sorting of mint whose names, defaults or results differ from those of ops."""
from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import check_tensor as _check_tensor
from ..ops import registry as _k


# -- reductions ------------------------------------------------------------------------------------------------------


def all(input, dim=None, keepdim=False):
    """Says whether all elements over axes are true; None means all axes."""
    return _k.all(input, dim, keepdim)


def any(input, dim=None, keepdim=False):
    """Says whether any element over axes is true; None means all axes."""
    return _k.any(input, dim, keepdim)


def amax(input, dim=(), keepdim=False):
    """Returns the largest element over axes; () means all axes."""
    return _ops.amax(input, dim, keepdim)


def amin(input, dim=(), keepdim=False):
    """Returns the smallest element over axes; () means all axes."""
    return _ops.amin(input, dim, keepdim)


def argmin(input, dim=None, keepdim=False):
    """Returns the index (int64) of the smallest element along dim, or in the flattened tensor where dim is None."""
    return _k.argmin(input, dim, keepdim)


def bincount(input, weights=None, minlength=0):
    """Counts how often each of 0, 1, 2, ... occurs in a vector (int64), or sums the weights."""
    out = _ops.bincount(input, weights, minlength)
    return _k.cast(out, _mstype.int64) if weights is None else out


def count_nonzero(input, dim=None):
    """Counts the elements that are not 0 over axes, int64; None means all axes."""
    _check_tensor(input, "count_nonzero")
    try:
        return _k.sum(_k.not_equal(input, 0), dim, False)
    except _ERRORS as error:
        _rename(error, "count_nonzero")
        raise


def var(input, dim=None, *, correction=1, keepdim=False):
    """Computes the variance over axes: the sum of squared deviations divided by (count - correction)."""
    return _ops.var(input, dim, correction, keepdim)


def std(input, dim=None, *, correction=1, keepdim=False):
    """Computes the standard deviation over axes, the square root of var."""
    return _ops.std(input, dim, correction, keepdim)


def var_mean(input, dim=None, *, correction=1, keepdim=False):
    """Returns (variance, mean) over axes."""
    return _ops.var_mean(input, dim, correction, keepdim)


def std_mean(input, dim=None, *, correction=1, keepdim=False):
    """Returns (standard deviation, mean) over axes."""
    return _ops.std_mean(input, dim, correction, keepdim)


def logsumexp(input, dim, keepdim=False):
    """Computes log(sum(exp(x))) over axes, without overflow."""
    return _ops.logsumexp(input, dim, keepdim)


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """Sums over axes, counting NaN as 0."""
    return _ops.nansum(input, dim, keepdim, dtype=dtype)


def median(input, dim=None, keepdim=False):
    """Returns (median along an axis, its index), or without an axis the median of all elements; of two in the middle the smaller one."""
    if dim is not None:
        return _ops.median(input, dim, keepdim)
    if not _check_tensor(input, "median").size:
        raise ValueError("[median] cannot reduce an empty tensor, got shape %s, expected at least one element" % (input.shape,))
    return _ops.median(_k.reshape(input, (-1,)), 0)[0]


# -- cumulative values and order ----------------------------------------------------------------------------------------


def cumsum(input, dim, dtype=None):
    """Computes running sums along an axis; those of integers are int64 unless dtype is given."""
    out = _k.cumsum(input if dtype is None else _k.cast(input, dtype), dim)
    return out if dtype is None else _k.cast(out, dtype)


def cummax(input, dim):
    """Returns (greatest element so far along an axis, its index)."""
    return _k.cummax(input, dim)


def cummin(input, dim):
    """Returns (smallest element so far along an axis, its index)."""
    return _k.cummin(input, dim)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    """Computes the differences of neighbours along an axis, n times over."""
    return _ops.diff(input, n, dim, prepend, append)


def sort(input, *, dim=-1, descending=False, stable=False):
    """Sorts along an axis; returns (sorted elements, their indices). Equal elements keep their order."""
    values, places = _k.sort(input, dim, descending)
    return values, _k.cast(places, _mstype.int64)


def argsort(input, dim=-1, descending=False, stable=False):
    """Returns the indices (int64) that sort the elements along an axis. Equal elements keep their order."""
    return _k.cast(_k.argsort(input, dim, descending), _mstype.int64)


def topk(input, k, dim=-1, largest=True, sorted=True):
    """Returns (the k greatest elements along an axis, their indices), or the k smallest ones without largest."""
    values, places = _ops.topk(input, k, dim, largest, sorted)
    return values, _k.cast(places, _mstype.int64)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
