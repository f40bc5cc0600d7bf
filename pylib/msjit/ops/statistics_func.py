"""Cumulative values, moments, order statistics, counts and NaN-skipping sums, under MindSpore's names and argument orders."""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_int as _check_int
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from ..context import FLOAT_DTYPES as _FLOATS
from . import reduction_func as _r
from . import registry as _k
from .operands import check_index as _check_index
from .operands import check_items as _check_items
from .operands import check_operand as _check_operand

# -- cumulative values --------------------------------------------------------------------------------------------------


def cumprod(input, dim, dtype=None):
    """Computes running products along an axis; those of integers are int64 unless a dtype is given."""
    out = _k.cumprod(input if dtype is None else _k.cast(input, dtype), dim)
    return out if dtype is None else _k.cast(out, dtype)


def cummax(input, axis):
    """Returns (greatest element so far along an axis, its index as int64). Of equal elements the last one counts.

    From the first NaN on, the values are NaN and the index is that of the NaN.
    """
    return _k.cummax(input, axis)


def cummin(input, axis):
    """Returns (smallest element so far along an axis, its index as int32). Of equal elements the last one counts.

    From the first NaN on, the values are NaN and the index is that of the NaN.
    """
    values, places = _k.cummin(input, axis)
    return values, _k.cast(places, _mstype.int32)


def logcumsumexp(input, axis):
    """Computes the logarithm of the running sums of exp(x) along an axis, without overflow. Integers give float32."""
    axis = _check_axis(axis, _check(input, "logcumsumexp").ndim, "logcumsumexp")
    out = input if input.dtype in _FLOATS else _k.cast(input, _mstype.float32)
    return _k.logcumsumexp(out, axis)


def diff(x, n=1, axis=-1, prepend=None, append=None):
    """Computes the differences of neighbours along an axis, n times over; prepend and append are joined to x first.

    Each time the axis gets one element shorter; one without neighbours becomes empty. Differences of booleans are their exclusive or.
    Raises TypeError for an n that is not an int, ValueError for one below 0.

    >>> import msjit as ms
    >>> ms.ops.diff(ms.Tensor([1, 4, 9])).asnumpy().tolist()
    [3, 5]
    """
    if not isinstance(n, int) or isinstance(n, bool) or n < 0:
        raise (ValueError if isinstance(n, int) else TypeError)("[diff] n, got %r, expected an int of 0 or more" % (n,))
    parts = [item for item in (prepend, x, append) if item is not None]
    x = x if len(parts) == 1 else _k.concat(parts, axis)
    for _ in range(n):
        _check(x, "diff")
        axis = _check_axis(axis, x.ndim, "diff")
        size = x.shape[axis]
        if size < 2:
            return _k.full([0 if i == axis else s for i, s in enumerate(x.shape)], 0, x.dtype)
        first, second = _part(x, axis, 0, size - 1), _part(x, axis, 1, size)
        x = _k.logical_xor(second, first) if x.dtype == _mstype.bool_ else second - first
    return x


def _part(x, axis, begin, end):
    starts, ends = [0] * x.ndim, list(x.shape)
    starts[axis], ends[axis] = begin, end
    return _k.slice(x, starts, ends, [1] * x.ndim)


def trapz(y, x=None, *, dx=1.0, dim=-1):
    """Integrates y along the axis dim by the trapezoidal rule: the sum of (y[i] + y[i + 1]) / 2 times the distance of the points.

    The points are x, a vector or a Tensor of the shape of y, or lie dx apart. Raises TypeError for a dx that is no number.

    >>> import msjit as ms
    >>> ms.ops.trapz(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([0.0, 2.0, 6.0])).item()
    13.0
    """
    dim = _check_axis(dim, _check(y, "trapz").ndim, "trapz", "dim")
    size = y.shape[dim]
    middle = (_part(y, dim, 1, size) + _part(y, dim, 0, size - 1)) / 2
    if x is None:
        return _k.sum(middle, dim) * _check_operand(dx, "trapz", "dx")
    _check(x, "trapz")
    gaps = diff(x, 1, -1 if x.ndim == 1 else dim)
    if x.ndim == 1 and y.ndim > 1:
        gaps = _k.reshape(gaps, (-1,) + (1,) * (y.ndim - 1 - dim))
    return _k.sum(middle * gaps, dim)


# -- moments ---------------------------------------------------------------------------------------------------------


def var_mean(input, axis=None, ddof=0, keepdims=False):
    """Returns (variance, mean) over axes, an int, a tuple or None for all. The variance divides by n - ddof."""
    return _r.var(input, axis, ddof, keepdims), _k.mean(input, axis, keepdims)


def std_mean(input, axis=None, ddof=0, keepdims=False):
    """Returns (standard deviation, mean) over axes, an int, a tuple or None for all. The variance divides by n - ddof before its root."""
    return _r.std(input, axis, ddof, keepdims), _k.mean(input, axis, keepdims)


def cov(input, *, correction=1, fweights=None, aweights=None):
    """Computes the covariance matrix of the rows of a matrix, whose columns are observations; a vector gives its variance, without axes.

    fweights says how often each observation occurs, aweights how much it weighs. Without weights the products are divided by
    the number of observations less `correction`. Dtypes other than float32 and float64 give float32; complex ones raise
    TypeError. Raises ValueError for more than two axes.

    >>> import msjit as ms
    >>> ms.ops.cov(ms.Tensor([[1, 2], [3, 5]])).asnumpy().tolist()
    [[0.5, 1.0], [1.0, 2.0]]
    """
    if _check(input, "cov").ndim > 2:
        raise ValueError("[cov] input must have at most 2 axes, got %d" % input.ndim)
    if type(correction) is not int:
        _check_operand(correction, "cov", "correction")
    if input.dtype in _mstype.complex_type:
        raise TypeError("[cov] dtype of input, got %s, expected a real one" % (input.dtype.name,))
    rows = input if input.ndim == 2 else _k.reshape(input, (1, -1))
    rows = rows if rows.dtype in (_mstype.float32, _mstype.float64) else _k.cast(rows, _mstype.float32)
    weights = None
    for given in (fweights, aweights):
        if given is not None:
            given = _k.cast(given, rows.dtype)
            weights = given if weights is None else weights * given
    if weights is None:
        centred = rows - _k.mean(rows, 1, True)
        product, count = _k.matmul(centred, centred, False, True), max(rows.shape[1] - correction, 0)
        return _shaped(product / count, input)
    total = _k.sum(weights)
    centred = rows - _k.sum(rows * weights, 1, True) / total
    product = _k.matmul(centred * weights, centred, False, True)
    if aweights is None:
        count = total - correction
    else:
        count = total - correction * _k.sum(weights * _k.cast(aweights, rows.dtype)) / total
    return _shaped(product / count, input)


def _shaped(product, input):
    return product if input.ndim == 2 else _k.reshape(product, ())


def nansum(input, axis=None, keepdims=False, *, dtype=None):
    """Sums over axes, an int, a tuple of ints or None for all, counting NaN as 0; nothing but NaN gives 0. With keepdims they stay, with size 1.

    The sum of integers has their dtype, that of booleans int64, unless one is given. Raises ValueError for an axis that the input does not have.
    """
    if dtype is None and _check(input, "nansum").dtype in _mstype.int_type + _mstype.uint_type:
        dtype = input.dtype
    out = _k.where(_k.not_equal(input, input), 0, input)
    try:
        return _r.sum(out, axis, keepdims, input.dtype if dtype is None and input.dtype != _mstype.bool_ else dtype)
    except _ERRORS as error:
        _rename(error, "nansum")
        raise


def nanmean(input, axis=None, keepdims=False, *, dtype=None):
    """Computes the mean over axes of the elements that are not NaN; nothing but NaN gives NaN."""
    _check(input, "nanmean")
    out = nansum(input, axis, keepdims) / _k.sum(_k.cast(_k.equal(input, input), input.dtype), axis, keepdims)
    return out if dtype is None else _k.cast(out, dtype)


def count_nonzero(x, axis=(), keep_dims=False, dtype=_mstype.int32):
    """Counts the elements that are not 0 over axes, an int or a tuple; () and None mean all axes. NaN counts. int32 unless dtype is given.

    With keep_dims the axes stay, with size 1. Raises ValueError for an axis that x does not have.
    """
    try:
        return _k.cast(_k.sum(_k.not_equal(x, 0), None if isinstance(axis, tuple) and not axis else axis, keep_dims), dtype)
    except _ERRORS as error:
        _rename(error, "count_nonzero")
        raise


def aminmax(input, *, axis=0, keepdims=False):
    """Returns (smallest, greatest) element along an axis, or of the whole tensor where axis is None; both are NaN where an element is."""
    return _k.min(input, axis, keepdims), _k.max(input, axis, keepdims)


# -- order -----------------------------------------------------------------------------------------------------------


def quantile(input, q, axis=None, keepdims=False):
    """Computes the q-quantiles along an axis (None: of the whole tensor), with linear interpolation; NaN where an element is NaN.

    q is a number or a Tensor of numbers in [0, 1], whose axis comes first in the result. The input is float32 or float64; others
    raise TypeError, as does an axis that is no int. A number outside [0, 1] raises ValueError.

    >>> import msjit as ms
    >>> ms.ops.quantile(ms.Tensor([[1.0, 5.0, 2.0], [4.0, 3.0, 6.0]]), 0.5, 1).asnumpy().tolist()
    [2.0, 4.0]
    """
    return _quantile("quantile", input, q, axis, keepdims, False)


def nanquantile(input, q, axis=None, keepdims=False):
    """Computes the q-quantiles as quantile, of the elements that are not NaN; nothing but NaN gives NaN."""
    return _quantile("nanquantile", input, q, axis, keepdims, True)


def _quantile(name, x, q, axis, keepdims, skip_nan):
    if _check(x, name).dtype not in (_mstype.float32, _mstype.float64):
        raise TypeError("[%s] input has an unsupported dtype, got %s, expected float32 or float64" % (name, x.dtype))
    if not isinstance(q, _Tensor):
        if isinstance(q, bool) or not isinstance(q, (int, float)):
            raise TypeError("[%s] q, got %s, expected a float or a Tensor" % (name, type(q).__name__))
        if not 0 <= q <= 1:
            raise ValueError("[%s] q, got %s, expected one in [0, 1]" % (name, q))
        q = _k.full((), float(q), x.dtype)
    axis = None if axis is None else _check_index(axis, name, "axis")
    if axis is not None and not -max(x.ndim, 1) <= axis < max(x.ndim, 1):
        raise ValueError("[%s] axis is out of range, got %s, expected %d to %d" % (name, axis, -max(x.ndim, 1), max(x.ndim, 1) - 1))
    if not x.ndim:
        x, keepdims, axis = _k.reshape(x, (1,)), False, 0
    shape = x.shape if axis is not None else (1,) * x.ndim
    x, place = (_k.reshape(x, (-1,)), 0) if axis is None else (x, axis % x.ndim)
    bad = _k.not_equal(x, x)
    ordered = _k.sort(x, place)[0]
    count = _k.sum(_k.cast(_k.logical_not(bad), x.dtype), place, True) if skip_nan else x.shape[place] * 1.0
    levels = _k.reshape(q, [-1] + [1] * x.ndim)
    at = levels * (count - 1)  # (q, ..., 1, ...)
    low = _k.floor(_k.maximum(at, 0))
    first = _pick(ordered, low, place)
    out = first + (_pick(ordered, _k.ceil(_k.maximum(at, 0)), place) - first) * (at - low)
    if not skip_nan:
        out = _k.where(_k.any(bad, place, True), float("nan"), out)
    lead = list(q.shape)
    if keepdims:
        return _k.reshape(out, lead + [1 if axis is None or i == place else s for i, s in enumerate(shape)])
    return _k.reshape(out, lead + [s for i, s in enumerate(x.shape) if i != place])


def _pick(ordered, places, axis):
    """The elements at `places` (q, ..., 1, ...) along an axis, one set for each q."""
    wide = _k.broadcast_to(_k.expand_dims(ordered, 0), (places.shape[0],) + tuple(ordered.shape))
    shape = [1 if i == axis + 1 else size for i, size in enumerate(wide.shape)]
    return _k.gather_elements(wide, _k.cast(_k.broadcast_to(places, shape), _mstype.int64), axis + 1)


def nanmedian(input, axis=-1, keepdims=False):
    """Returns (median, its index) along an axis, of the elements that are not NaN; of two in the middle the smaller one.

    Nothing but NaN gives NaN. The indices are int64.
    """
    values, places = _k.sort(input, axis)
    count = _k.sum(_k.equal(input, input), axis, True)
    middle = _k.maximum((count - 1) // 2, 0)
    values, places = _k.gather_elements(values, middle, axis), _k.gather_elements(places, middle, axis)
    places = _k.cast(places, _mstype.int64)
    return (values, places) if keepdims else (_k.squeeze(values, axis), _k.squeeze(places, axis))


def kthvalue(input, k, dim=-1, keepdim=False):
    """Returns (k-th smallest element along an axis, its index as int64); k counts from 1.

    Raises ValueError for a k that is not between 1 and the size of the axis.
    """
    size = input.shape[_check_axis(dim, input.ndim, "kthvalue", "dim")] if _check(input, "kthvalue").ndim else 1
    if not 1 <= _check_int(k, "kthvalue", "k") <= size:
        raise ValueError("[kthvalue] k, got %d, expected 1 to %d" % (k, size))
    values, places = _k.sort(input, dim)
    at = _Tensor([k - 1], _mstype.int64)
    values, places = _k.gather(values, at, dim), _k.cast(_k.gather(places, at, dim), _mstype.int64)
    return (values, places) if keepdim else (_k.squeeze(values, dim), _k.squeeze(places, dim))


def msort(input):
    """Sorts a tensor along the first axis."""
    return _k.sort(input, 0)[0]


def searchsorted(sorted_sequence, values, *, out_int32=False, right=False, side=None, sorter=None):
    """Returns the indices at which values would be inserted into sorted rows (the last axis) to keep them sorted.

    They come before equal elements or, with right (or side='right'), after them. sorter holds the order of rows that are
    not sorted. values is a number, or a Tensor: one row of values for each sorted row, or of any shape for a single row. The indices
    are int64, or int32 with out_int32. Raises ValueError for a side other than 'left' and 'right', and for 'left' with right,
    TypeError for a sorted_sequence that is no Tensor.

    >>> import msjit as ms
    >>> ms.ops.searchsorted(ms.Tensor([1, 3, 5]), ms.Tensor([3, 4])).asnumpy().tolist()
    [1, 2]
    """
    if side not in (None, "left", "right"):
        raise ValueError("[searchsorted] side, got %r, expected 'left' or 'right'" % (side,))
    if right and side == "left":
        raise ValueError("[searchsorted] side, got 'left', expected 'right' where right is True")
    _check(sorted_sequence, "searchsorted")
    if sorter is not None:
        sorted_sequence = _k.gather_elements(sorted_sequence, sorter, -1)
    values = values if isinstance(values, _Tensor) else _k.full((), values, sorted_sequence.dtype)
    out = _k.searchsorted(sorted_sequence, values, bool(right or side == "right"))
    return _k.cast(out, _mstype.int32) if out_int32 else out


def bucketize(input, boundaries, *, right=False):
    """Returns for each element the index (int32) of the first boundary that is not below it; with right, the first one above it.

    boundaries are ascending: a Tensor, or a list or tuple of numbers, taken as float32. An element above all of them gets their count.
    Raises TypeError for other boundaries.

    >>> import msjit as ms
    >>> ms.ops.bucketize(ms.Tensor([1.0, 2.0, 9.0]), [2.0, 3.0]).asnumpy().tolist()
    [0, 0, 2]
    """
    if not isinstance(boundaries, _Tensor):
        boundaries = _Tensor(list(_check_items(boundaries, "bucketize", "boundaries", "numbers")), _mstype.float32)
    return _k.cast(_k.searchsorted(boundaries, input, bool(right)), _mstype.int32)


def bincount(input, weights=None, minlength=0):
    """Counts how often each of 0, 1, 2, ... occurs in a vector of integers, or sums the weights; float32, as in MindSpore.

    The result has max(minlength, greatest element + 1) elements. Raises ValueError for an element or a minlength below 0, for another
    number of axes and for weights of another shape; TypeError for elements that are not integers.

    >>> import msjit as ms
    >>> ms.ops.bincount(ms.Tensor([1, 1, 3])).asnumpy().tolist()
    [0.0, 2.0, 0.0, 1.0]
    """
    if _check(input, "bincount").ndim != 1:
        raise ValueError("[bincount] input must have one axis, got %d" % input.ndim)
    if input.dtype in _FLOATS:
        raise TypeError("[bincount] input has an unsupported dtype, got %s, expected an integer" % (input.dtype,))
    if isinstance(minlength, bool) or not isinstance(minlength, int):
        raise TypeError("[bincount] minlength, got %s, expected an int" % type(minlength).__name__)
    if minlength < 0:
        raise ValueError("[bincount] minlength must not be negative, got %d" % minlength)
    if input.size and int(_k.min(input)) < 0:
        raise ValueError("[bincount] input must not be negative, got %d" % int(_k.min(input)))
    size = max(minlength, int(_k.max(input)) + 1 if input.size else 0)
    kind = _mstype.float32
    added = _k.ones(input.shape, kind) if weights is None else _k.cast(weights, kind)
    if tuple(added.shape) != tuple(input.shape):
        raise ValueError("[bincount] shape of weights, got %s, expected %s" % (tuple(added.shape), tuple(input.shape)))
    return _k.index_update([_k.full((size,), 0, kind), added, input], [0], True)


def histc(input, bins=100, min=0.0, max=0.0):
    """Counts the elements of the flattened input in equal bins from min to max; with min equal to max, from the smallest element to the greatest.

    An element outside is not counted; max belongs to the last bin. The counts have the dtype of the input, but float32 for float16.
    Raises ValueError for fewer than one bin and for a max below min, TypeError for bins that are no int and limits that are no numbers.

    >>> import msjit as ms
    >>> ms.ops.histc(ms.Tensor([1.0, 2.0, 1.0]), 4, 0.0, 3.0).asnumpy().tolist()
    [0.0, 2.0, 1.0, 0.0]
    """
    flat = _k.reshape(_check(input, "histc"), (-1,))
    if _check_index(bins, "histc", "bins") < 1:
        raise ValueError("[histc] bins must be positive, got %d" % bins)
    _check_operand(min, "histc", "min"), _check_operand(max, "histc", "max")
    low, high = float(min), float(max)
    if low > high:
        raise ValueError("[histc] max must not be below min, got %s and %s" % (max, min))
    if low == high:
        low, high = (float(_k.min(flat)), float(_k.max(flat))) if flat.size else (0.0, 1.0)
    if low == high:
        low, high = low - 1, high + 1
    wide = _k.cast(flat, _mstype.float64)
    inside = _k.logical_and(_k.greater_equal(wide, low), _k.less_equal(wide, high))
    at = _k.minimum(_k.floor((wide - low) * (bins / (high - low))), bins - 1)
    at = _k.cast(_k.where(inside, at, 0), _mstype.int64)
    kind = input.dtype if input.dtype != _mstype.float16 else _mstype.float32
    return _k.index_update([_k.full((bins,), 0, kind), _k.cast(inside, kind), at], [0], True)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
