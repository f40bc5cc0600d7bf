"""Reductions over axes: sums, extremes, logic, means, variances and running sums, under MindSpore's names and argument orders."""
from ..common import dtype as _mstype
from ..common.checks import or_all_axes as _or_all_axes
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .operands import whole as _whole

_INTEGERS = _mstype.int_type + _mstype.uint_type


def sum(input, dim=None, keepdim=False, dtype=None):
    """Sums elements over axes: `dim` is an int, a tuple of ints, or None for all axes. With keepdim they stay, with size 1.

    Integers and bools are summed in int64. dtype converts the elements before and the sum after. Raises ValueError for axes that the
    input does not have.

    >>> import msjit as ms
    >>> ms.ops.sum(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), dim=0).asnumpy().tolist()
    [4.0, 6.0]
    """
    if dtype is not None:
        return _k.cast(_k.sum(_k.cast(input, dtype), dim, keepdim), dtype)
    return _k.sum(input, dim, keepdim)


def mean(x, axis=None, keep_dims=False):
    """Computes the mean over axes: an int, a tuple of ints, None or () for all. With keep_dims they stay, with size 1.

    The mean of integers is an integer, rounded towards 0, as in MindSpore. Raises ValueError for axes that x does not have.

    >>> import msjit as ms
    >>> ms.ops.mean(ms.Tensor([[1.0, 2.0], [3.0, 6.0]]), 1).asnumpy().tolist()
    [1.5, 4.5]
    """
    axis = _or_all_axes(axis)
    try:
        if _check(x, "mean").dtype in _INTEGERS:
            return _k.cast(_k.mean(_k.cast(x, _mstype.float64), axis, keep_dims), x.dtype)
        return _k.mean(x, axis, keep_dims)
    except _ERRORS as error:
        _rename(error, "mean")
        raise


def prod(input, axis=None, keep_dims=False, dtype=None):
    """Multiplies elements over axes: an int, a tuple of ints, or None for all. With keep_dims they stay, with size 1.

    Integers and bools are multiplied in int64. dtype converts the elements before and the product after. Raises ValueError for axes that
    the input does not have.
    """
    if dtype is not None:
        return _k.cast(_k.prod(_k.cast(input, dtype), axis, keep_dims), dtype)
    return _k.prod(input, axis, keep_dims)


def _masked(where, name, input, initial, combine):
    """Replaces elements where the mask `where` is false by `initial`, then combines all elements with it."""
    if where is not None:
        if initial is None:
            raise ValueError("[%s] initial, got None, expected a number where there is a mask" % name)
        input = _k.where(where, input, initial)
    return input if initial is None else combine(input, initial)


def amax(input, axis=None, keepdims=False, *, initial=None, where=None):
    """Returns the largest element over axes: an int, a tuple of ints, None or () for all. With keepdims they stay, with size 1.

    NaN wins. Only elements where the mask `where` is true count; `initial`, which a mask requires, counts as one more element. Elements
    that are equally large share the gradient.

    Raises ValueError for axes that the input does not have, and for a mask without `initial`.
    """
    if initial is not None or where is not None:
        input = _masked(where, "amax", input, initial, _k.maximum)
    try:
        return _k.max(input, _or_all_axes(axis), keepdims)
    except _ERRORS as error:
        _rename(error, "amax")
        raise


def amin(input, axis=None, keepdims=False, *, initial=None, where=None):
    """Returns the smallest element over axes: an int, a tuple of ints, None or () for all. With keepdims they stay, with size 1.

    NaN wins. Only elements where the mask `where` is true count; `initial`, which a mask requires, counts as one more element. Elements
    that are equally small share the gradient.

    Raises ValueError for axes that the input does not have, and for a mask without `initial`.
    """
    if initial is not None or where is not None:
        input = _masked(where, "amin", input, initial, _k.minimum)
    try:
        return _k.min(input, _or_all_axes(axis), keepdims)
    except _ERRORS as error:
        _rename(error, "amin")
        raise


def max(input, axis=None, keepdims=False, *, initial=None, where=None):
    """Returns (largest element, its index) over one axis, without that axis unless keepdims; the index is int64.

    Without an axis it is the largest element of the whole tensor, and the index is always 0. initial and where are as in amax. Of equal
    elements the first one has the index.

    >>> import msjit as ms
    >>> values, places = ms.ops.max(ms.Tensor([[1.0, 5.0], [7.0, 2.0]]), 1)
    >>> values.asnumpy().tolist(), places.asnumpy().tolist()
    ([5.0, 7.0], [1, 0])
    """
    if initial is not None or where is not None:
        input = _masked(where, "max", input, initial, _k.maximum)
    if axis is None:
        return _k.max(input), _Tensor(0, _mstype.int64)
    return _k.max(input, axis, keepdims), _k.argmax(input, axis, keepdims)


def min(input, axis=None, keepdims=False, *, initial=None, where=None):
    """Returns (smallest element, its index) over one axis, without that axis unless keepdims; the index is int64.

    Without an axis it is the smallest element of the whole tensor, and the index is always 0. initial and where are as in amin. Of equal
    elements the first one has the index.
    """
    if initial is not None or where is not None:
        input = _masked(where, "min", input, initial, _k.minimum)
    if axis is None:
        return _k.min(input), _Tensor(0, _mstype.int64)
    return _k.min(input, axis, keepdims), _k.argmin(input, axis, keepdims)


def argmax(input, dim=None, keepdim=False):
    """Returns the index (int64) of the largest element along dim, or in the flattened tensor where dim is None; of equal elements the first.

    The result lacks the axis dim unless keepdim. Raises ValueError for an axis that the input does not have.
    """
    return _k.argmax(input, dim, keepdim)


def argmin(input, axis=None, keepdims=False):
    """Returns the index (int32) of the smallest element along an axis, or in the flattened tensor where axis is None."""
    return _k.cast(_k.argmin(input, axis, keepdims), _mstype.int32)


def median(input, axis=-1, keepdims=False):
    """Returns (median, its index, int64) along an axis, the last by default; of two elements in the middle it takes the smaller one.

    With keepdims the axis stays, with size 1. Raises ValueError for an axis that the input does not have.
    """
    if not _check(input, "median").ndim:
        values, places = median(_k.expand_dims(input, 0), axis)
        return values, places
    try:
        values, places = _k.sort(input, axis)
    except _ERRORS as error:
        _rename(error, "median")
        raise
    places = _k.cast(places, _mstype.int64)
    size = input.shape[axis]
    middle = _Tensor([(size - 1) // 2], _mstype.int64)
    values, places = _k.gather(values, middle, axis), _k.gather(places, middle, axis)
    return (values, places) if keepdims else (_k.squeeze(values, axis), _k.squeeze(places, axis))


def cumsum(x, axis, dtype=None):
    """Computes running sums along an axis: element i of the result is the sum of the elements 0 to i.

    The result has the shape of x, and its dtype unless another is given. Raises ValueError for an axis that x does not have.

    >>> import msjit as ms
    >>> ms.ops.cumsum(ms.Tensor([1.0, 2.0, 3.0]), 0).asnumpy().tolist()
    [1.0, 3.0, 6.0]
    """
    return _k.cast(_k.cumsum(x, axis), x.dtype if dtype is None else dtype)


def arg_max_with_value(input, axis=0, keep_dims=False):
    """Returns (index, value) of the largest element along an axis."""
    return _k.argmax(input, axis, keep_dims), _k.max(input, axis, keep_dims)


def arg_min_with_value(input, axis=0, keep_dims=False):
    """Returns (index, value) of the smallest element along an axis."""
    return _k.argmin(input, axis, keep_dims), _k.min(input, axis, keep_dims)


def all(input, axis=None, keep_dims=False):
    """Says whether all elements over axes are true: a bool tensor. The axes are an int, a tuple of ints, None or () for all.

    Numbers other than 0 are true. With keep_dims the axes stay, with size 1. Raises ValueError for axes that the input does not have.
    """
    return _k.all(input, _or_all_axes(axis), keep_dims)


def any(input, axis=None, keep_dims=False):
    """Says whether any element over axes is true: a bool tensor. The axes are an int, a tuple of ints, None or () for all.

    Numbers other than 0 are true. With keep_dims the axes stay, with size 1. Raises ValueError for axes that the input does not have.
    """
    return _k.any(input, _or_all_axes(axis), keep_dims)


def var(input, axis=None, ddof=0, keepdims=False):
    """Computes the variance over axes: the sum of squared deviations from the mean, divided by (count - ddof).

    axis is an int, a tuple of ints, or None for all; with keepdims the axes stay, with size 1. ddof=1 makes the variance of a sample
    unbiased. Raises TypeError for complex numbers and for a ddof that is no int, ValueError for axes that the input does not have.

    >>> import msjit as ms
    >>> float(ms.ops.var(ms.Tensor([1.0, 3.0]))), float(ms.ops.var(ms.Tensor([1.0, 3.0]), ddof=1))
    (1.0, 2.0)
    """
    if _check(input, "var").dtype in _mstype.complex_type:
        raise TypeError("[var] dtype of input, got %s, expected a real one" % (input.dtype.name,))
    ddof = ddof if type(ddof) is bool else _whole(ddof, "var", "ddof")
    try:
        centred = _k.square(input - _k.mean(input, axis, True))
    except _ERRORS as error:
        _rename(error, "var")
        raise
    if not ddof:
        return _k.mean(centred, axis, keepdims)
    total = _k.sum(centred, axis, keepdims)
    count = input.size * 1.0 / (total.size if total.size else 1)
    return total / (count - ddof)


def std(input, axis=None, ddof=0, keepdims=False):
    """Computes the standard deviation over axes, the square root of var, which explains the arguments. Raises what var raises."""
    try:
        return _k.sqrt(var(input, axis, ddof, keepdims))
    except _ERRORS as error:
        _rename(error, "std")
        raise


def logsumexp(input, dim=(), keepdim=False, *, axis=(), keep_dims=False):
    """Computes log(sum(exp(x))) over axes, without overflow: the largest element is subtracted first and added last.

    dim is an int, a tuple of ints, or () for all; with keepdim the axes stay, with size 1. axis and keep_dims are older names of dim and
    keepdim.

    >>> import msjit as ms
    >>> round(float(ms.ops.logsumexp(ms.Tensor([1000.0, 1000.0]), 0)), 2)
    1000.69
    """
    axis = _or_all_axes(axis)
    axis, keep_dims = _or_all_axes(dim) if axis is None else axis, keepdim or keep_dims
    try:
        top = _k.stop_gradient(_k.max(input, axis, True))
    except _ERRORS as error:
        _rename(error, "logsumexp")
        raise
    out = _k.log(_k.sum(_k.exp(input - top), axis, True)) + top
    return out if keep_dims else _k.squeeze(out, axis)


def reduce_max(x, axis=(), keep_dims=False):
    """Returns the largest elements over axes; () means all axes."""
    return amax(x, axis, keep_dims)


def reduce_min(x, axis=(), keep_dims=False):
    """Returns the smallest elements over axes; () means all axes."""
    return amin(x, axis, keep_dims)


reduce_mean = mean
reduce_all, reduce_any = all, any


def reduce_sum(x, axis=(), keep_dims=False):
    """Sums elements over axes, in the dtype of x; () means all axes."""
    return _k.cast(_k.sum(x, _or_all_axes(axis), keep_dims), x.dtype)


def reduce_prod(x, axis=(), keep_dims=False):
    """Multiplies elements over axes, in the dtype of x; () means all axes."""
    return _k.cast(_k.prod(x, _or_all_axes(axis), keep_dims), x.dtype)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
