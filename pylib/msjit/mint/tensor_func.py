"""Reductions and sorting of mint whose names, defaults or results differ from those of ops."""
from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from ..ops import registry as _k


# -- reductions ------------------------------------------------------------------------------------------------------


def all(input, dim=None, keepdim=False):
    """Says whether all elements are true (not 0) over an axis or a tuple of axes; None means all axes. Returns booleans.

    With keepdim these axes stay, with size 1. Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.all(input, dim, keepdim)


def any(input, dim=None, keepdim=False):
    """Says whether any element is true (not 0) over an axis or a tuple of axes; None means all axes. Returns booleans.

    With keepdim these axes stay, with size 1. Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.any(input, dim, keepdim)


def amax(input, dim=(), keepdim=False):
    """Returns the largest element over an axis or a tuple of axes; () means all axes. With keepdim these axes stay, with size 1.

    Raises ValueError for an axis that the input does not have and for one without elements, TypeError for anything but a Tensor.
    """
    return _ops.amax(input, dim, keepdim)


def amin(input, dim=(), keepdim=False):
    """Returns the smallest element over an axis or a tuple of axes; () means all axes. With keepdim these axes stay, with size 1.

    Raises ValueError for an axis that the input does not have and for one without elements, TypeError for anything but a Tensor.
    """
    return _ops.amin(input, dim, keepdim)


def argmin(input, dim=None, keepdim=False):
    """Returns the index (int64) of the smallest element along dim, or in the flattened tensor where dim is None; of equal ones the first.

    Raises ValueError for an axis that the input does not have and for one without elements, TypeError for anything but a Tensor.
    """
    return _k.argmin(input, dim, keepdim)


def bincount(input, weights=None, minlength=0):
    """Counts how often each of 0, 1, 2, ... occurs in a vector of integers (int64); with weights, sums the weights of each instead.

    The result has the length max(largest element + 1, minlength). Raises ValueError for negative elements, another rank, weights of another
    shape and a negative minlength, TypeError for floats and for anything but a Tensor.
    """
    out = _ops.bincount(input, weights, minlength)
    return _k.cast(out, _mstype.int64) if weights is None else out


def count_nonzero(input, dim=None):
    """Counts the elements that are not 0 over an axis or a tuple of axes, int64; None means all axes.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    _check_tensor(input, "count_nonzero")
    try:
        return _k.sum(_k.not_equal(input, 0), dim, False)
    except _ERRORS as error:
        _rename(error, "count_nonzero")
        raise


def equal(input, other):
    """Whether two tensors have the same shape and equal elements, a bool tensor without axes. mint.eq compares element by element.

    >>> import msjit as ms
    >>> bool(ms.mint.equal(ms.Tensor([1, 2]), ms.Tensor([1, 3]))), bool(ms.mint.equal(ms.Tensor([1, 1]), ms.Tensor([1])))
    (False, False)
    """
    if _check_tensor(input, "equal").shape != getattr(other, "shape", ()):
        return _Tensor(False)
    return _k.all(_k.equal(input, other))


def var(input, dim=None, *, correction=1, keepdim=False):
    """Computes the variance over axes: the sum of squared deviations from the mean, divided by (count - correction). None means all axes.

    correction 1 (Bessel's) estimates the variance of a population from a sample; a count not above it gives inf or NaN. Integers give float32.
    With keepdim the axes stay, with size 1. Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _ops.var(input, dim, correction, keepdim)


def std(input, dim=None, *, correction=1, keepdim=False):
    """Computes the standard deviation over axes, the square root of the variance. Arguments, dtypes and errors are those of var."""
    return _ops.std(input, dim, correction, keepdim)


def var_mean(input, dim=None, *, correction=1, keepdim=False):
    """Returns (variance, mean) over axes. Arguments, dtypes and errors are those of var."""
    return _ops.var_mean(input, dim, correction, keepdim)


def std_mean(input, dim=None, *, correction=1, keepdim=False):
    """Returns (standard deviation, mean) over axes. Arguments, dtypes and errors are those of var."""
    return _ops.std_mean(input, dim, correction, keepdim)


def logsumexp(input, dim, keepdim=False):
    """Computes log(sum(exp(x))) over an axis or a tuple of axes, without overflow: the greatest element is taken out of the sum.

    Integers give float32. With keepdim the axes stay, with size 1. Raises ValueError for an axis that the input does not have, TypeError for
    anything but a Tensor.
    """
    return _ops.logsumexp(input, dim, keepdim)


def nansum(input, dim=None, keepdim=False, *, dtype=None):
    """Sums over an axis or a tuple of axes, counting NaN as 0; None means all axes. With keepdim the axes stay, with size 1.

    The sum has the dtype of the input, that of booleans int64, unless dtype is given. Raises ValueError for an axis that the input does not
    have, TypeError for anything but a Tensor.
    """
    return _ops.nansum(input, dim, keepdim, dtype=dtype)


def median(input, dim=None, keepdim=False):
    """Returns (median along an axis, its index), or without an axis the median of all elements; of two in the middle the smaller one.

    The index is int64. With keepdim the axis stays, with size 1. Raises ValueError for an axis that the input does not have and for an
    empty tensor, TypeError for anything but a Tensor.
    """
    if dim is not None:
        return _ops.median(input, dim, keepdim)
    if not _check_tensor(input, "median").size:
        raise ValueError("[median] cannot reduce an empty tensor, got shape %s, expected at least one element" % (input.shape,))
    return _ops.median(_k.reshape(input, (-1,)), 0)[0]


# -- cumulative values and order ----------------------------------------------------------------------------------------


def cumsum(input, dim, dtype=None):
    """Computes running sums along an axis; element i of the result is the sum of elements 0 to i.

    Integers and booleans give int64; dtype casts the input first. Raises ValueError for an axis that the input does not have, TypeError for
    anything but a Tensor.
    """
    out = _k.cumsum(input if dtype is None else _k.cast(input, dtype), dim)
    return out if dtype is None else _k.cast(out, dtype)


def cummax(input, dim):
    """Returns (greatest element so far along an axis, its index, int64). Both have the shape of the input.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.cummax(input, dim)


def cummin(input, dim):
    """Returns (smallest element so far along an axis, its index, int64). Both have the shape of the input.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.cummin(input, dim)


def diff(input, n=1, dim=-1, prepend=None, append=None):
    """Computes the differences x[i + 1] - x[i] of neighbours along an axis, n times over; each time the axis gets shorter by 1.

    prepend and append are Tensors joined to the input along the axis first. Booleans give booleans: whether neighbours differ. Raises ValueError
    for a negative n, an axis that the input does not have and parts of another rank, TypeError for anything but a Tensor.
    """
    return _ops.diff(input, n, dim, prepend, append)


def sort(input, *, dim=-1, descending=False, stable=False):
    """Sorts along an axis, in ascending order unless descending; returns (sorted elements, their indices, int64).

    Equal elements keep their order, with and without `stable`. Raises ValueError for an axis that the input does not have, TypeError for
    anything but a Tensor.
    """
    values, places = _k.sort(input, dim, descending)
    return values, _k.cast(places, _mstype.int64)


def argsort(input, dim=-1, descending=False, stable=False):
    """Returns the indices (int64) that sort the elements along an axis. Equal elements keep their order, with and without `stable`.

    Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _k.cast(_k.argsort(input, dim, descending), _mstype.int64)


def topk(input, k, dim=-1, largest=True, sorted=True):
    """Returns (the k greatest elements along an axis, their indices, int64), in descending order; without largest the k smallest, in ascending order.

    Raises ValueError for a k that is negative or above the size of the axis and for an axis that the input does not have, TypeError for a k that is
    no int and for anything but a Tensor.
    """
    values, places = _ops.topk(input, k, dim, largest, sorted)
    return values, _k.cast(places, _mstype.int64)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
