"""Methods of Tensor that MindSpore spells in two ways: x.sort(axis=0) and x.sort(dim=0), x.select(condition, y) and x.select(dim, index).

A method here accepts the parameter names of both spellings. If the two compute different things, the names given decide.
"""
from .._devices import device_number as _device_number
from .._devices import move as _move
from .._native import Tensor
from .checks import check_offset, scaled
from .error_names import ERRORS, rename
from .methods_shared import put_method

_MISSING = object()


def one_of(name, first, first_name, second, second_name):
    """The value of a parameter that has two spellings: the one that is given, or None. TypeError if both are given."""
    if second is None:
        return first
    if first is not None:
        raise TypeError("[%s] %s and %s, got both, expected one of them" % (name, first_name, second_name))
    return second


def need(name, **given):
    """Raises TypeError for an argument that is None."""
    for key, value in given.items():
        if value is None:
            raise TypeError("[%s] missing argument '%s', got none, expected one" % (name, key))


def _add(self, other, *, alpha=1):
    """self + alpha other, broadcast; other is a Tensor or a number, TypeError for anything else. ValueError for shapes that do not broadcast."""
    return _k.add(self, other if alpha == 1 else scaled(other, alpha, "add"))


def _sub(self, other=None, *, y=None, alpha=1):
    """self - alpha other, broadcast; other is a Tensor or a number, TypeError for anything else. ValueError for shapes that do not broadcast."""
    other = one_of("sub", other, "other", y, "y")
    return _k.sub(self, other if alpha == 1 else scaled(other, alpha, "sub"))


def _div(self, other=None, *, value=None, rounding_mode=None):
    """self / other, broadcast; rounding_mode 'floor' rounds the quotient down, 'trunc' towards 0, and None gives a float for integers.

    Raises ValueError for another mode, and for shapes that do not broadcast.
    """
    return _ops.div(self, one_of("div", other, "other", value, "value"), rounding_mode=rounding_mode)


def _matmul(self, other=None, *, tensor2=None):
    """The product of matrices over the last two axes: (..., n, m) and (..., m, p) give (..., n, p), the other axes broadcast.

    A vector on the left is a row, on the right a column, and that axis is not in the result; two vectors give their inner product. Raises ValueError
    for inner sizes that differ and for other axes that do not broadcast, TypeError for different dtypes.
    """
    return _k.matmul(self, one_of("matmul", other, "other", tensor2, "tensor2"))


def _sort(self, axis=None, descending=False, stable=False, *, dim=None):
    """(sorted elements, their places, int32) along an axis, the last by default; both have the shape of x. Equal elements keep their order always.

    Elements rise, or fall with descending. Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    axis = one_of("sort", axis, "axis", dim, "dim")
    return _k.sort(self, -1 if axis is None else axis, descending)


def _argsort(self, axis=None, descending=False, stable=False, *, dim=None):
    """Places, int32, of the sorted elements along an axis, the last by default. Equal elements keep their order always.

    The result has the shape of x. Raises ValueError for an axis that x does not have.
    """
    axis = one_of("argsort", axis, "axis", dim, "dim")
    return _k.argsort(self, -1 if axis is None else axis, descending)


def _topk(self, k, dim=None, largest=True, sorted=True):
    """(the k largest or, without largest, smallest elements, their places, int32) along an axis, the last by default, always in order.

    Raises ValueError for a k that is not between 1 and the size of the axis, TypeError for one that is no int.
    """
    return _ops.topk(self, k, dim, largest, sorted)


def _split(self, split_size_or_sections=None, axis=None, *, split_size=None, dim=None):
    """A tuple of parts along an axis, 0 by default: of a size given as an int, the last one perhaps smaller, or of the sizes in a list.

    Raises ValueError for sizes that do not add up to that of the axis, for a size below 1 and for an axis that x does not have, TypeError for both
    axis and dim.
    """
    sizes = one_of("split", split_size_or_sections, "split_size_or_sections", split_size, "split_size")
    need("split", split_size_or_sections=sizes)
    axis = one_of("split", axis, "axis", dim, "dim")
    return _ops.split(self, sizes, 0 if axis is None else axis)


def _chunk(self, chunks, axis=None, *, dim=None):
    """A tuple of at most `chunks` parts of equal size along an axis, 0 by default; the last one may be smaller.

    Raises ValueError unless chunks is positive and for an axis that x does not have, TypeError for chunks that is no int.
    """
    axis = one_of("chunk", axis, "axis", dim, "dim")
    return _ops.chunk(self, chunks, 0 if axis is None else axis)


def _index_select(self, axis=None, index=None, *, dim=None):
    """Slices along an axis, at the positions in index, a Tensor of integers (k,): the axis has size k in the result.

    A negative index counts from the end. Raises IndexError for one outside the axis, ValueError for an axis that x does not have, TypeError for an
    index of floats and for an axis or index that is missing.
    """
    axis = one_of("index_select", axis, "axis", dim, "dim")
    need("index_select", axis=axis, index=index)
    return _ops.index_select(self, axis, index)


def _narrow(self, axis=None, start=None, length=None, *, dim=None):
    """The `length` elements from index start on, along an axis.

    Raises ValueError where they leave the axis, for a negative start and for an axis that x does not have, TypeError for numbers that are no ints.
    """
    axis = one_of("narrow", axis, "axis", dim, "dim")
    need("narrow", axis=axis, start=start, length=length)
    return _ops.narrow(self, axis, start, length)


def _repeat_interleave(self, repeats, dim=None, *, axis=None, output_size=None):
    """Each element `repeats` times in a row, along an axis or, without one, of the flattened tensor.

    repeats is an int, or a list or Tensor of ints: one, or one for each element of the axis. Raises ValueError for a negative number, for another
    count of them and for an axis that x does not have.
    """
    return _ops.repeat_interleave(self, repeats, one_of("repeat_interleave", dim, "dim", axis, "axis"))


def _repeat(self, *repeats, **named):
    """Tiles the tensor repeats[i] times along axis i. If there are more repeats than axes, axes of size 1 are added in front.

    With `axis`, as older programs have it: each element `repeats` times in a row.
    """
    if named:
        unknown = set(named) - {"repeats", "axis"}
        if unknown or len(repeats) + ("repeats" in named) != 1:
            raise TypeError("[repeat] arguments, got %s, expected repeats, or repeats and axis" % ", ".join(sorted(named)))
        times = repeats[0] if repeats else named["repeats"]
        if "axis" in named:
            flat = _k.reshape(self, (-1,)) if named["axis"] is None else self
            return _ops.repeat_interleave(flat, times, 0 if named["axis"] is None else named["axis"])
        repeats = (times,)
    if len(repeats) == 1 and isinstance(repeats[0], (tuple, list)):
        repeats = tuple(repeats[0])
    for times in repeats:
        if isinstance(times, bool) or not isinstance(times, int):
            raise TypeError("[repeat] repeats, got %s, expected ints" % type(times).__name__)
    if len(repeats) < self.ndim or any(times < 0 for times in repeats):
        raise RuntimeError("[repeat] repeats, got %s, expected %d or more numbers of 0 or above: repeat_interleave repeats elements"
                           % (tuple(repeats), self.ndim))
    return _ops.tile(self, tuple(repeats))


def _transpose(self, *axes, dim0=None, dim1=None):
    """Two axes exchanged, x.transpose(dim0, dim1); or all axes in another order, x.transpose(perm), reversed by default.

    Raises ValueError for an axis that x does not have, and for a perm that does not name each axis once.
    """
    if dim0 is not None or dim1 is not None:
        if axes or dim0 is None or dim1 is None:
            raise TypeError("[transpose] arguments, got %d by position and dim0=%r, dim1=%r, expected dim0 and dim1"
                            % (len(axes), dim0, dim1))
        return _k.swapaxes(self, dim0, dim1)
    if not axes or axes == (None,):
        return self.T
    if len(axes) == 1 and isinstance(axes[0], (tuple, list)):
        return _k.transpose(self, axes[0])
    return _k.swapaxes(self, axes[0], axes[1]) if len(axes) == 2 else _k.transpose(self, axes)


def _flip(self, *axis, dims=None):
    """Elements in reverse order along axes, given as one tuple or one by one; the shape stays.

    Raises ValueError for an axis that x does not have and for one that is named twice.
    """
    axis = one_of("flip", axis if axis else None, "axis", dims, "dims")
    return _k.flip(self, axis[0] if isinstance(axis, tuple) and len(axis) == 1 else axis)


def _flatten(self, order="C", *places, start_dim=None, end_dim=None):
    """Joins axes, all by default: x.flatten(start_dim, end_dim), or x.flatten(order) with 'F' for columns first.

    Raises ValueError for another order, for an axis that x does not have and for a start_dim behind end_dim.
    """
    if not isinstance(order, str):
        places, order = (order,) + places, "C"
    if len(places) > 2 or (places and start_dim is not None) or (len(places) > 1 and end_dim is not None):
        raise TypeError("[flatten] arguments, got %d by position, expected start_dim and end_dim once" % len(places))
    first = places[0] if places else 0 if start_dim is None else start_dim
    last = places[1] if len(places) > 1 else -1 if end_dim is None else end_dim
    return _ops.flatten(self, order, start_dim=first, end_dim=last)


def _select(self, condition=None, y=_MISSING, *, dim=None, index=None):
    """x.select(condition, y): elements of x where the condition is true, of y elsewhere; x.select(dim, index): one slice, without that axis.

    condition, x and y, a Tensor or a number, broadcast; ValueError if they do not. A slice outside raises IndexError, a dim that x does not have
    ValueError, missing arguments TypeError.
    """
    if isinstance(condition, Tensor):
        if y is _MISSING:
            raise TypeError("[select] missing argument 'y', got none, expected a Tensor or number")
        return _k.where(condition, self, y)
    dim = one_of("select", condition, "dim", dim, "dim")
    index = index if y is _MISSING else y
    need("select", dim=dim, index=index)
    from .. import mint
    return mint.select(self, dim, int(index) if isinstance(index, Tensor) else index)


def _where(self, condition, y=None, *, other=None):
    """Elements of self where the condition is true (not 0), of y, a Tensor or a number, elsewhere. The three broadcast.

    Raises ValueError for shapes that do not broadcast, TypeError without y.
    """
    return _k.where(condition, self, one_of("where", y, "y", other, "other"))


def _index_add(self, *args, dim=None, index=None, source=None, alpha=1, **named):
    """A copy with slices added along an axis: x.index_add(dim, index, source, alpha=1) or x.index_add(indices, y, axis).

    alpha times slice i of source is added to slice index[i]; a slice named twice is added to twice. Raises IndexError for an index outside the axis,
    ValueError for an axis that x does not have, TypeError for missing arguments.
    """
    if (args and isinstance(args[0], Tensor)) or "indices" in named:
        return _slices_added(self, *args, **named)
    if named or len(args) > 3:
        raise TypeError("[index_add] arguments, got %d and %s, expected dim, index, source and alpha" % (len(args), sorted(named)))
    given = list(args) + [None] * (3 - len(args))
    dim, index = one_of("index_add", given[0], "dim", dim, "dim"), one_of("index_add", given[1], "index", index, "index")
    source = one_of("index_add", given[2], "source", source, "source")
    need("index_add", dim=dim, index=index, source=source)
    return _slices_added(self, index, source if alpha == 1 else scaled(source, alpha, "index_add", "source"), dim)


def _unique(self, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """Distinct elements, or slices along an axis, in ascending order; if asked for, also their positions and counts.

    Positions (for all elements the shape of x) and counts are int64. Raises ValueError for a dim that x does not have.
    """
    from .. import mint
    return mint.unique(self, sorted, return_inverse, return_counts, dim)


def _type(self, dtype=None, non_blocking=False):
    """The name of the dtype, such as "Float32"; with a dtype, the tensor in that dtype. Raises TypeError for anything but a dtype or its name."""
    return str(self.dtype) if dtype is None else _k.cast(self, dtype)


def _to(self, *given, **named):
    """x.to(dtype), x.to(other) in the dtype of another tensor, or x.to(device, dtype) on "CPU", "GPU" or "GPU:1".

    The tensor itself if nothing changes, unless copy=True; non_blocking is ignored. Raises TypeError for other arguments, ValueError for a device
    that this machine lacks.
    """
    if not named and len(given) < 2 and not (given and isinstance(given[0], (str, Tensor))):
        return self.astype(given[0] if given else None)
    unknown = set(named) - {"device", "dtype", "other", "non_blocking", "copy"}
    if unknown or len(given) > 4:
        raise TypeError("[to] arguments, got %d and %s, expected device, dtype, other, non_blocking and copy"
                        % (len(given), sorted(named)))
    copied = named.get("copy") or (len(given) > 2 and given[-1] is True)
    given = [item for item in (named.get("device"), named.get("dtype"), named.get("other")) + given
             if item is not None and not isinstance(item, bool)]
    places = [item for item in given if isinstance(item, str) and item.split(":")[0].upper() in ("CPU", "ASCEND", "GPU", "CUDA", "NPU")]
    wanted = [item.dtype if isinstance(item, Tensor) else item for item in given if not any(item is place for place in places)]
    if len(wanted) > 1 or len(places) > 1:
        raise TypeError("[to] dtype and device, got %d and %d of them, expected one of each at most" % (len(wanted), len(places)))
    out = self.astype(wanted[0]) if wanted else self
    if places:
        out = _move(out, _device_number("to", "device", places[0]))
    return out.copy() if out is self and copied else out


def _trace(self, offset=0, axis1=0, axis2=1, dtype=None):
    """Sums of the diagonals over two axes, of dtype; without it integers give int64, and other elements their own dtype.

    A positive offset means above the main diagonal. Raises ValueError for fewer than two axes, and for axes that are equal or that x does not have.
    """
    offset = check_offset(offset, "trace", "offset")
    if dtype is None:
        dtype = _dtypes.int64 if self.dtype in _dtypes.int_type + _dtypes.uint_type else self.dtype
    try:
        return _k.cast(_k.sum(_ops.diagonal(self, offset, axis1, axis2), -1, False), dtype)
    except ERRORS as error:
        rename(error, "trace")
        raise


def _diagonal(self, offset=0, axis1=0, axis2=1, *, dim1=None, dim2=None):
    """The diagonals over two axes, as a new last axis; a positive offset means above the main diagonal.

    Raises ValueError for fewer than two axes, and for axes that are equal or that x does not have.
    """
    return _ops.diagonal(self, offset, axis1 if dim1 is None else dim1, axis2 if dim2 is None else dim2)


def _searchsorted(self, v=None, side="left", sorter=None, *, values=None, out_int32=True, right=False):
    """The positions at which values would be inserted into the sorted tensor, along its last axis: before equal elements or, with right, after them.

    values is a Tensor, a number or a list; the result has its shape and is int32, or int64 without out_int32. side is 'left' or 'right', sorter the
    indices that sort the tensor. Raises ValueError for another side and for leading sizes that differ.
    """
    values = one_of("searchsorted", v, "v", values, "values")
    need("searchsorted", v=values)
    if not isinstance(values, Tensor):
        values = Tensor(values)
    return _ops.searchsorted(self, values, out_int32=out_int32, right=right or side == "right", side=None if right else side, sorter=sorter)


def _float_power(self, other=None, *, exponent=None):
    """self to the power of other, a Tensor or a number, element by element, in float64, or in complex128 for complex numbers.

    Raises ValueError for shapes that do not broadcast, TypeError for another exponent.
    """
    return _ops.float_power(self, one_of("float_power", other, "other", exponent, "exponent"))


def _qr(self, some=True, *, mode=None):
    """(Q, R) of matrices (..., m, n) with Q @ R = x, k = min(m, n): Q (..., m, k) and R (..., k, n); with some=False Q is (..., m, m).

    mode is 'reduced' or 'complete' instead of `some`. Raises ValueError for another mode and for fewer than two axes, TypeError
    for other dtypes than float32 and float64.
    """
    if isinstance(some, str):
        mode, some = some, True
    return _ops.qr(self, mode if mode is not None else "reduced" if some else "complete")


def _approximate_equal(self, other, tolerance=1e-05):
    """True where |self - other| is below tolerance: a bool Tensor. other is a Tensor or a number; ValueError for shapes that do not broadcast."""
    return _ops.approximate_equal(self, other, tolerance)


def _ormqr(self, input2, input3, left=True, transpose=False):
    """Q input3, or with left=False input3 Q, for the m x m matrix Q of k packed reflectors, self (..., m, k), with the factors input2 (..., k).

    They are those of geqrf; with transpose it is Q^T (LAPACK's ormqr). Raises ValueError for sizes that do not fit.
    """
    return _ops.ormqr(self, input2, input3, left, transpose)


def bind():
    """Adds these methods to Tensor, replacing those with one spelling; so it is called last."""
    global _k, _ops, _dtypes, _slices_added
    from .. import ops as _ops
    from ..ops import registry as _k
    from ..ops.index_func import slices_added as _slices_added
    from . import dtype as _dtypes
    for function in (
            _add, _sub, _div, _matmul, _sort, _argsort, _topk, _split, _chunk, _index_select, _narrow,
            _repeat_interleave, _repeat, _transpose, _flip, _flatten, _select, _where, _index_add, _unique,
            _type, _to, _trace, _diagonal, _searchsorted, _float_power, _qr, _approximate_equal, _ormqr):
        put_method(function.__name__[1:], function)


__all__ = ["bind", "need", "one_of"]
