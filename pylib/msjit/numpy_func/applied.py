"""Functions that call other functions on parts of a tensor, set functions, and tests of arrays and dtypes."""
from .. import ops as _ops
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_sequence as _check_sequence
from ..common.checks import check_sizes as _check_sizes
from ..common.tensor import Tensor as _Tensor
from ..context import FLOAT_DTYPES as _FLOATS
from ..ops import registry as _k
from .shared import as_tensor as _tensor
from .shared import public

__all__ = []
_public = public(__all__)


def _check_callable(function, where, what):
    if not callable(function):
        raise TypeError("[%s] %s, got %s, expected a function" % (where, what, type(function).__name__))


@_public
def apply_along_axis(func1d, axis, arr, *args, **kwargs):
    """Calls func1d(row, *args, **kwargs) for each row along an axis, and puts the results in place of the rows."""
    _check_callable(func1d, "apply_along_axis", "func1d")
    arr = _tensor(arr)
    axis = _check_axis(axis, arr.ndim, "apply_along_axis")
    moved = _ops.movedim(arr, axis, arr.ndim - 1)
    lead = tuple(moved.shape[:-1])
    rows = _k.unstack(_k.reshape(moved, (-1, moved.shape[-1])), 0)
    found = [_tensor(func1d(row, *args, **kwargs)) for row in rows]
    out = _k.reshape(_k.stack(found, 0), lead + tuple(found[0].shape))
    # The axes of the results take the place of the row's axis.
    rank, own = out.ndim, found[0].ndim
    order = list(range(axis)) + list(range(rank - own, rank)) + list(range(axis, rank - own))
    return _k.transpose(out, order) if order != list(range(rank)) else out


@_public
def apply_over_axes(func, a, axes):
    """Calls func(a, axis=axis) for one axis after another; a result that lacks the axis gets it back with size 1."""
    _check_callable(func, "apply_over_axes", "func")
    a = _tensor(a)
    for axis in _check_sizes(axes, "apply_over_axes", "axes"):
        out = func(a, axis=axis)
        if not hasattr(out, "ndim"):
            raise TypeError("[apply_over_axes] result of func, got %s, expected a Tensor" % type(out).__name__)
        if out.ndim == a.ndim - 1:
            out = _k.expand_dims(out, axis)
        if out.ndim != a.ndim:
            raise ValueError("[apply_over_axes] axes of a result, got %d, expected %d" % (out.ndim, a.ndim))
        a = out
    return a


@_public
def piecewise(x, condlist, funclist, *args, **kw):
    """Picks for each element the value, or function of x, that belongs to the last true condition.

    One more value is for elements with no true condition.
    """
    x = _tensor(x)
    conditions = [_tensor(c) for c in (condlist if isinstance(condlist, (tuple, list)) else [condlist])]
    if isinstance(condlist, (tuple, list)) and condlist and not isinstance(condlist[0], (tuple, list, _Tensor)):
        conditions = [_tensor(list(condlist))]
    _check_sequence(funclist, "piecewise", "funclist")
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError("[piecewise] functions, got %d, expected %d or %d"
                         % (len(funclist), len(conditions), len(conditions) + 1))

    def value(function):
        return _k.broadcast_to(_tensor(function(x, *args, **kw) if callable(function) else function), x.shape)
    out = value(funclist[-1]) if len(funclist) > len(conditions) else value(0)
    for condition, function in zip(conditions, funclist):
        out = _k.where(_k.cast(condition, _mstype.bool_), value(function), out)
    return out


@_public
def choose(a, choices, mode="clip"):
    """Picks for each element a[i] the element at the same position of choices[a[i]].

    mode 'clip' or 'wrap' brings the numbers into range.
    """
    if mode not in ("clip", "wrap"):
        raise NotImplementedError("[choose] mode, got %r, expected 'clip' or 'wrap'" % (mode,))
    a = _tensor(a)
    rows = list(_k.unstack(choices, 0)) if isinstance(choices, _Tensor) else [
        _tensor(row) for row in _check_sequence(choices, "choose", "choices", "a Tensor, a tuple or a list")]
    shape = _ops.broadcast_to(a, a.shape).shape
    for row in rows:
        shape = _k.add(_k.zeros(shape, _mstype.float32), _k.cast(row, _mstype.float32)).shape
    stacked = _k.stack([_k.broadcast_to(row, shape) for row in rows], 0)
    place = _k.mod(a, len(rows)) if mode == "wrap" else _k.clip(a, 0, len(rows) - 1)
    return _k.squeeze(_k.gather_elements(stacked, _k.expand_dims(_k.broadcast_to(place, shape), 0), 0), 0)


# -- sets --------------------------------------------------------------------------------------------------------------


@_public
def intersect1d(ar1, ar2, assume_unique=False, return_indices=False):
    """Returns the values that both have, in rising order; with return_indices also the index where each first occurs in both."""
    import numpy
    ar1, ar2 = _tensor(ar1), _tensor(ar2)
    kind = promote_types(ar1.dtype, ar2.dtype)
    values, first, second = numpy.intersect1d(ar1.asnumpy(), ar2.asnumpy(), assume_unique, True)
    out = _Tensor(values, kind)
    return (out, _Tensor(first.astype(numpy.int32)), _Tensor(second.astype(numpy.int32))) if return_indices else out


@_public
def setdiff1d(ar1, ar2, assume_unique=False):
    """Returns the values of ar1 that are not in ar2; each once and in rising order, unless assume_unique."""
    import numpy
    return _Tensor(numpy.setdiff1d(_tensor(ar1).asnumpy(), _tensor(ar2).asnumpy(), assume_unique))


# -- arrays and dtypes -------------------------------------------------------------------------------------------------


@_public
def array_equiv(a1, a2):
    """Says whether all elements are equal after broadcasting, a bool tensor."""
    a1, a2 = _tensor(a1), _tensor(a2)
    try:
        same = _k.equal(a1, a2)
    except ValueError:
        return _Tensor(False)
    return _k.all(same)


@_public
def array_str(a):
    """Returns the elements as the text that NumPy prints."""
    if not isinstance(a, _Tensor):
        raise TypeError("[array_str] argument, got %s, expected a Tensor" % type(a).__name__)
    return str(a.asnumpy())


@_public
def asfarray(a, dtype=_mstype.float32):
    """Converts to a tensor of floats; a dtype that is not a float means float32."""
    if type(dtype).__hash__ is None:
        raise TypeError("[asfarray] dtype, got %s, expected a dtype" % type(dtype).__name__)
    return _k.cast(_tensor(a), dtype if dtype in _FLOATS else _mstype.float32)


def _dtype_of(where, value):
    """The dtype of a Tensor or number, or the dtype that a name, a type or a NumPy dtype stands for."""
    if isinstance(value, _Tensor):
        return value.dtype
    if isinstance(value, bool):
        return _mstype.bool_
    if isinstance(value, int):
        return _mstype.int32
    if isinstance(value, float):
        return _mstype.float32
    if isinstance(value, (tuple, list)):
        return _tensor(value).dtype
    if isinstance(value, _mstype.DType):
        return value
    import numpy
    try:
        return _mstype.pytype_to_dtype(numpy.dtype(value).type)
    except (TypeError, NotImplementedError):
        raise TypeError("[%s] argument, got %r, expected a dtype" % (where, value)) from None


@_public
def promote_types(type1, type2):
    """Returns the dtype of a result of two dtypes."""
    first, second = _dtype_of("promote_types", type1), _dtype_of("promote_types", type2)
    return _k.add(_k.full((1,), 0, first), _k.full((1,), 0, second)).dtype if first != second else first


@_public
def result_type(*arrays_and_dtypes):
    """Returns the dtype of a result of all these tensors, numbers and dtypes."""
    if not arrays_and_dtypes:
        raise TypeError("[result_type] arguments, got none, expected one or more")
    kinds = [_dtype_of("result_type", value) for value in arrays_and_dtypes]
    out = kinds[0]
    for kind in kinds[1:]:
        out = promote_types(out, kind)
    return out
