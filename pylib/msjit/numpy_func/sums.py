"""Sums, ordering, counting and comparison."""
import builtins as _b

from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_offset as _check_offset
from ..common.checks import check_real as _check_real
from ..common.checks import check_sequence as _check_sequence
from ..common.tensor import Tensor as _Tensor
from ..context import FLOAT_DTYPES as _FLOATS
from ..ops import registry as _k
from .shapes import ravel as _ravel
from .shared import as_float as _float
from .shared import as_tensor as _tensor

__all__ = []


def _public(function):
    __all__.append(function.__name__)
    return function


# -- sums and order --------------------------------------------------------------------------------------------------


def _running(a, dtype):
    """The dtype of running sums and products: that of floats, complex and wide integers, int32 for others."""
    if dtype is not None:
        return dtype
    wide = (_mstype.int64, _mstype.uint16, _mstype.uint32, _mstype.uint64)
    return a.dtype if a.dtype in _FLOATS or a.dtype in wide or a.is_complex() else _mstype.int32


@_public
def cumsum(a, axis=None, dtype=None):
    """Computes running sums along an axis, by default of the flattened tensor."""
    a = _tensor(a)
    a = a if dtype is None else _k.cast(a, dtype)
    return _k.cast(_k.cumsum(_k.reshape(a, (-1,)) if axis is None else a, 0 if axis is None else axis), _running(a, dtype))


@_public
def cumprod(a, axis=None, dtype=None):
    """Computes running products along an axis, by default of the flattened tensor."""
    a = _tensor(a)
    a = a if dtype is None else _k.cast(a, dtype)
    return _k.cast(_k.cumprod(_k.reshape(a, (-1,)) if axis is None else a, 0 if axis is None else axis), _running(a, dtype))


@_public
def diff(a, n=1, axis=-1, prepend=None, append=None):
    """Computes the differences of neighbours along an axis, n times over."""
    return _ops.diff(_tensor(a), n, axis, prepend, append)


@_public
def average(x, axis=None, weights=None, returned=False):
    """Computes the mean over axes, weighted if weights are given; with returned (mean, sum of the weights)."""
    x = _float(_tensor(x))
    if weights is None:
        out = _k.mean(x, axis)
        total = _k.full(out.shape, x.size / _b.max(out.size, 1), out.dtype)
    else:
        weights = _float(_tensor(weights))
        if weights.ndim == 1 and x.ndim > 1:
            place = _check_axis(axis, x.ndim, "average")
            weights = _k.reshape(weights, [-1 if i == place else 1 for i in range(x.ndim)])
        weights = _k.broadcast_to(weights, x.shape)
        total = _k.sum(weights, axis)
        out = _k.sum(x * weights, axis) / total
    return (out, total) if returned else out


@_public
def ptp(x, axis=None, keepdims=False):
    """Computes the largest minus the smallest element over axes."""
    return _k.max(x, axis, keepdims) - _k.min(x, axis, keepdims)


@_public
def count_nonzero(x, axis=None, keepdims=False):
    """Counts the elements that are not 0, int32."""
    return _ops.count_nonzero(_tensor(x), axis, keepdims)


@_public
def nansum(a, axis=None, dtype=None, keepdims=False):
    """Sums over axes, counting NaN as 0, in the dtype of `a`."""
    a = _tensor(a)
    return _ops.nansum(a, axis, keepdims, dtype=a.dtype if dtype is None else dtype)


@_public
def nanmean(a, axis=None, dtype=None, keepdims=False):
    """Computes the mean over axes of the elements that are not NaN."""
    return _ops.nanmean(_float(_tensor(a)), axis, keepdims, dtype=dtype)


@_public
def nanmax(a, axis=None, dtype=None, keepdims=False):
    """Returns the largest element over axes that is not NaN."""
    a = _tensor(a)
    known = _k.where(_k.isnan(a), float("-inf"), a) if a.dtype in _FLOATS else a
    out = _k.max(known, axis, keepdims)
    return out if dtype is None else _k.cast(out, dtype)


@_public
def nanmin(a, axis=None, dtype=None, keepdims=False):
    """Returns the smallest element over axes that is not NaN."""
    a = _tensor(a)
    known = _k.where(_k.isnan(a), float("inf"), a) if a.dtype in _FLOATS else a
    out = _k.min(known, axis, keepdims)
    return out if dtype is None else _k.cast(out, dtype)


@_public
def take(a, indices, axis=None, mode="clip"):
    """Picks elements of the flattened tensor, or slices along an axis, by index."""
    return _tensor(a).take(_tensor(indices), axis, mode)


@_public
def take_along_axis(arr, indices, axis):
    """Picks elements along an axis by index, or of the flattened tensor where axis is None."""
    arr, indices = _tensor(arr), _tensor(indices)
    if axis is None:
        arr, axis = _ravel(arr), 0
    if arr.ndim != indices.ndim:
        raise ValueError("[take_along_axis] rank of indices, got %d, expected %d" % (indices.ndim, arr.ndim))
    axis = _check_axis(axis, arr.ndim, "take_along_axis")
    pairs = list(zip(arr.shape, indices.shape))
    if any(at != axis and a != b and 1 not in (a, b) for at, (a, b) in enumerate(pairs)):
        raise ValueError("[take_along_axis] shapes, got %s and %s, expected ones that broadcast along other axes than %d"
                         % (tuple(arr.shape), tuple(indices.shape), axis))
    wide = [a if b == 1 else b for a, b in pairs]
    arr = _k.broadcast_to(arr, [arr.shape[at] if at == axis else size for at, size in enumerate(wide)])
    indices = _k.broadcast_to(indices, [indices.shape[at] if at == axis else size for at, size in enumerate(wide)])
    return _k.gather_elements(arr, indices, axis)


@_public
def searchsorted(a, v, side="left", sorter=None):
    """Returns the indices (int32) at which values would be inserted into a sorted vector to keep it sorted."""
    return _ops.searchsorted(_tensor(a), _tensor(v), out_int32=True, side=side, sorter=sorter)


@_public
def digitize(x, bins, right=False):
    """Returns the index (int32) of the bin between rising or falling bounds in which each element lies."""
    x, bins = _tensor(x), _tensor(bins)
    if bins.size > 1 and bool(bins[0] > bins[-1]):
        return _k.cast(bins.size - _k.searchsorted(_k.flip(bins, [0]), x, bool(right)), _mstype.int32)
    return _k.cast(_k.searchsorted(bins, x, not right), _mstype.int32)


@_public
def bincount(x, weights=None, minlength=0, length=None):
    """Counts how often each of 0, 1, 2, ... occurs, or sums the weights; `length` is the size of the result."""
    if length is not None:
        length = _check_offset(length, "bincount", "length")
        minlength = _b.max(_check_offset(minlength, "bincount", "minlength"), length)
    out = _ops.bincount(_tensor(x), weights, minlength)
    return out if length is None else out[:length]


@_public
def argwhere(a):
    """Returns the indices of the elements that are not 0, one row for each element."""
    return _ops.argwhere(_tensor(a))


@_public
def isin(element, test_elements, invert=False):
    """Says for each element whether it occurs in test_elements."""
    element, others = _tensor(element), _ravel(test_elements)
    found = _k.any(_k.equal(_k.expand_dims(element, -1), others), -1)
    return _k.logical_not(found) if invert else found


@_public
def in1d(ar1, ar2, invert=False):
    """Says for each element of the flattened ar1 whether it occurs in ar2."""
    return isin(_ravel(ar1), ar2, invert)


@_public
def select(condlist, choicelist, default=0):
    """Picks at each position the element of the first choice whose condition is true there."""
    _check_sequence(condlist, "select", "condlist"), _check_sequence(choicelist, "select", "choicelist")
    out = default
    for condition, choice in list(zip(condlist, choicelist))[::-1]:
        out = _k.where(_tensor(condition), _tensor(choice), out)
    return out


# -- comparison and the rest -----------------------------------------------------------------------------------------


@_public
def array_equal(a1, a2, equal_nan=False):
    """Says whether shapes and all elements are equal, as a bool tensor."""
    a1, a2 = _tensor(a1), _tensor(a2)
    if a1.shape != a2.shape:
        return _Tensor(False)
    same = _k.equal(a1, a2)
    if equal_nan:
        same = _k.logical_or(same, _k.logical_and(_k.not_equal(a1, a1), _k.not_equal(a2, a2)))
    return _k.all(same)


@_public
def isscalar(element):
    """Says whether an object is a Python number or string."""
    return isinstance(element, (bool, int, float, complex, str, bytes))


@_public
def sometrue(a, axis=None, keepdims=False):
    """Says whether any element over axes is true."""
    return _k.any(_tensor(a), axis, keepdims)


@_public
def logspace(start, stop, num=50, endpoint=True, base=10.0, dtype=None, axis=0):
    """Returns powers of a base with evenly spaced exponents."""
    if axis not in (0, -1):
        raise NotImplementedError("[logspace] axis, got %s, expected 0" % (axis,))
    num, base = _check_offset(num, "logspace", "num"), _check_real(base, "logspace", "base")
    start, stop = _float(_tensor(start)), _float(_tensor(stop))
    step = (stop - start) / _b.max(num - 1 if endpoint else num, 1)
    exponents = _k.reshape(_k.arange(0, num, 1, _mstype.float32), [num] + [1] * step.ndim) * step + start
    out = _k.pow(base, exponents)
    return out if dtype is None else _k.cast(out, dtype)


@_public
def empty_like(prototype, dtype=None, shape=None):
    """Creates zeros in the shape of another tensor, because memory is never left uninitialised."""
    prototype = _tensor(prototype)
    return _ops.zeros(prototype.shape if shape is None else shape, prototype.dtype if dtype is None else dtype)


@_public
def polyval(p, x):
    """Evaluates the polynomial with coefficients p, the highest power first, at x."""
    x, total = _tensor(x), 0
    for c in _k.unstack(_tensor(p), 0):
        total = total * x + c
    return total


@_public
def trapz(y, x=None, dx=1.0, axis=-1):
    """Integrates along an axis by the trapezoidal rule."""
    return _ops.trapz(_float(_tensor(y)), None if x is None else _float(_tensor(x)), dx=dx, dim=axis)


@_public
def cov(m, y=None, rowvar=True, bias=False, ddof=None, fweights=None, aweights=None, dtype=None):
    """Computes the covariance matrix of variables, which are rows of m and y (columns without rowvar)."""
    m = _ops.atleast_2d(_float(_tensor(m)))
    m = m if rowvar or m.shape[0] == 1 else m.T
    if y is not None:
        y = _ops.atleast_2d(_float(_tensor(y)))
        m = _k.concat([m, y if rowvar or y.shape[0] == 1 else y.T], 0)
    correction = ddof if ddof is not None else 0 if bias else 1
    out = _ops.cov(m, correction=correction, fweights=fweights, aweights=aweights)
    out = out if m.shape[0] > 1 else _k.reshape(out, ())
    return out if dtype is None else _k.cast(out, dtype)
