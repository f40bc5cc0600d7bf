"""Functions that pick, place and order elements, under MindSpore's names and argument orders."""
import builtins

from ..common import dtype as _mstype
from ..common.tensor import Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k

# -- picking ---------------------------------------------------------------------------------------------------------


def gather_elements(input, dim, index):
    """One element of `input` an index, along `dim`."""
    return _k.gather_elements(input, index, dim)


def gather_d(x, dim, index):
    """One element of `x` an index, along `dim`."""
    return _k.gather_elements(x, index, dim)


def _coordinates(indices):
    """(indices of axis 0, of axis 1, ...) of a tensor whose last axis holds coordinates, and those axes."""
    parts = _k.unstack(indices, -1)
    return parts, list(builtins.range(len(parts)))


def gather_nd(input_x, indices):
    """Slices of `input_x` at the coordinates along the last axis of `indices`."""
    parts, axes = _coordinates(indices)
    return _k.index([input_x] + list(parts), axes)


def masked_select(input, mask):
    """The elements where `mask` is true, one after another."""
    import numpy
    _check(input, "masked_select"), _check(mask, "masked_select")
    shape = numpy.broadcast_shapes(tuple(input.shape), tuple(mask.shape))
    found = numpy.flatnonzero(numpy.broadcast_to(mask.asnumpy(), shape))
    flat = _k.reshape(_k.broadcast_to(input, shape), (-1,))
    return _k.gather(flat, Tensor(found.astype(numpy.int64)), 0)


# -- placing ---------------------------------------------------------------------------------------------------------


def _scatter(where, x, indices, updates, accumulate):
    _check(indices, where), _check(x, where)
    if indices.ndim < 1 or indices.shape[-1] > x.ndim:
        raise ValueError("[%s] shape of indices, got %s, expected a last size of at most %d, the rank of the input" % (where, tuple(indices.shape), x.ndim))
    parts, axes = _coordinates(indices)
    return _k.index_update([x, updates] + list(parts), axes, accumulate)


def tensor_scatter_update(input_x, indices, updates):
    """A copy with slices replaced at the coordinates along the last axis of `indices`."""
    return _scatter("tensor_scatter_update", input_x, indices, updates, False)


def tensor_scatter_add(input_x, indices, updates):
    """A copy with slices added at the coordinates along the last axis of `indices`."""
    return _scatter("tensor_scatter_add", input_x, indices, updates, True)


def tensor_scatter_sub(input_x, indices, updates):
    """A copy with slices subtracted at the coordinates along the last axis of `indices`."""
    return _scatter("tensor_scatter_sub", input_x, indices, -updates, True)


def scatter_nd(indices, updates, shape):
    """Zeros of `shape` with slices added at the coordinates along the last axis of `indices`."""
    _check(updates, "scatter_nd")
    return _scatter("scatter_nd", _k.full(tuple(shape), 0, updates.dtype), indices, updates, True)


def tensor_scatter_elements(input_x, indices, updates, axis=0, reduction="none"):
    """A copy with one element replaced ('none') or added ('add') an index, along `axis`."""
    return _k.scatter_elements(input_x, indices, updates, axis, reduction)


def scatter(input, axis, index, src):
    """A copy with one element replaced an index, along `axis`."""
    return _k.scatter_elements(input, index, src, axis)


def add_rows(name, x, indices, v):
    """A copy of `x` with the rows of `v` added to the rows `indices`, a tuple of ints."""
    _check(v, "inplace_add"), _check(x, "inplace_add")
    if v.ndim != x.ndim or tuple(v.shape) != (len(indices),) + tuple(x.shape[1:]):
        raise ValueError("[%s] shape of v, got %s, expected %s"
                         % (name, tuple(v.shape), (len(indices),) + tuple(x.shape[1:])))
    for at in indices:
        if not 0 <= at < x.shape[0]:
            raise ValueError("[%s] index of a row, got %d, expected one in [0, %d)" % (name, at, x.shape[0]))
    return _k.index_update([x, v, Tensor(list(indices), _mstype.int64)], [0], True)


def index_add(x, indices, y, axis, use_lock=True, check_index_bound=True):
    """A copy with slices of `y` added along `axis`."""
    if not _check(x, "index_add").ndim:
        raise ValueError("[index_add] x, got a tensor without axes, expected one axis or more")
    return _k.index_update([x, y, indices], [axis % x.ndim], True)


# -- ordering --------------------------------------------------------------------------------------------------------


def topk(input, k, dim=None, largest=True, sorted=True):
    """(the k greatest or least elements along `dim`, their positions)"""
    if isinstance(k, int) and k <= 0:
        raise ValueError("[topk] k must be positive, got %d" % k)
    return _k.topk(input, k, -1 if dim is None else dim, largest)


def top_k(input_x, k, sorted=True):
    """(the k greatest elements along the last axis, their positions): topk under its older name."""
    return topk(input_x, k, sorted=sorted)


def flip(input, dims):
    """The elements in reverse order along the given axes."""
    return _k.flip(input, dims)


def roll(input, shifts, dims=None):
    """The elements moved along axes, or along the flattened tensor."""
    if dims is None:
        return _k.reshape(_k.roll(_k.reshape(input, (-1,)), shifts, 0), input.shape)
    return _k.roll(input, shifts, dims)


def diag(input):
    """The square matrix with a vector on its diagonal; of more axes, a tensor with every axis twice."""
    _check(input, "diag")
    if input.ndim < 1:
        raise ValueError("[diag] input has a wrong rank, got 0, expected at least 1")
    flat = _k.eye(input.size, input.size, input.dtype) * _k.reshape(input, (-1,))
    return _k.reshape(flat, input.shape + input.shape)


def repeat_interleave(input, repeats, axis=None):
    """Each element `repeats` times in a row, a number or one for each; of the flattened tensor where no axis is given."""
    if isinstance(repeats, Tensor):
        if repeats.ndim > 1:
            raise ValueError("[repeat_interleave] repeats has a wrong rank, got %d, expected 0 or 1" % repeats.ndim)
        repeats = repeats.asnumpy().tolist()
    if isinstance(repeats, (list, tuple)):
        flat = _k.reshape(input, (-1,)) if axis is None else input
        along = 0 if axis is None else axis
        if len(repeats) not in (1, flat.shape[along]) or min(repeats) < 0:
            raise ValueError("[repeat_interleave] repeats must be one or %d numbers of 0 or more, got %s"
                             % (flat.shape[along], list(repeats)))
        counts = list(repeats) if len(repeats) == flat.shape[along] else list(repeats) * flat.shape[along]
        places = [i for i, count in enumerate(counts) for _ in builtins.range(count)]
        return _k.gather(flat, Tensor(places, "int64"), along)
    if axis is None:
        return _k.repeat_interleave(_k.reshape(input, (-1,)), repeats, 0)
    return _k.repeat_interleave(input, repeats, axis)


def unique(input):
    """(distinct elements in order of appearance, index of each element among them)"""
    import numpy
    _check(input, "unique")
    values, first, inverse = numpy.unique(input.asnumpy(), return_index=True, return_inverse=True)
    order = numpy.argsort(first)
    rank = numpy.empty_like(order)
    rank[order] = numpy.arange(order.size)
    index = rank[inverse.reshape(tuple(input.shape))]
    kind = numpy.int64 if values.dtype == numpy.int64 else numpy.int32
    return Tensor(values[order]), Tensor(index.astype(kind))


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and name not in ("Tensor", "builtins", "inplace_add") and callable(value)]
