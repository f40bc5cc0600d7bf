"""Positions of elements in sparse matrices: conversion between rows and row starts, sorting and union."""
from ...common import dtype as _mstype
from ...common.tensor import Tensor as _Tensor
from .. import index_func as _i
from .. import registry as _k
from .. import segment_func as _sg


def rows_of(indptr, count):
    """Computes the row of each of `count` elements from the starts of the rows and the end of the last."""
    return _k.searchsorted(indptr[1:], _k.arange(0, count, 1, indptr.dtype), True)


def starts_of(rows, height):
    """Computes the start of each row, and the end of the last, from the rows of elements in ascending order."""
    return _k.cast(_k.searchsorted(rows, _k.arange(0, height + 1, 1, rows.dtype), False), rows.dtype)


def by_row(rows):
    """The order that sorts elements by row and keeps the order within a row."""
    count = rows.shape[0]
    return _k.argsort(_k.cast(rows, _mstype.int64) * count + _k.arange(0, count, 1, _mstype.int64), 0, False)


def keys_of(where, indices, shape):
    """Numbers each coordinate (a row of `indices`), as a NumPy vector. Raises ValueError for one outside of the shape."""
    import numpy
    if not len(shape):
        raise ValueError("[%s] shape, got no sizes, expected one or more" % where)
    places = indices.asnumpy().astype(numpy.int64).reshape(-1, len(shape))
    if places.size and ((places < 0).any() or (places >= numpy.array(shape)).any()):
        raise ValueError("[%s] indices, got %s, expected ones within the shape %s" % (where, places.tolist(), tuple(shape)))
    return numpy.ravel_multi_index(tuple(places.T), tuple(shape)) if places.size else numpy.zeros(0, numpy.int64)


def indices_of(keys, shape, dtype):
    """Converts the numbers of keys_of to coordinates, one row each."""
    import numpy
    return _k.cast(_Tensor(numpy.stack(numpy.unravel_index(keys, tuple(shape)), 1).astype(numpy.int64)), dtype)


def united(keys, values):
    """Returns (distinct keys in ascending order, sum of the values at each)."""
    import numpy
    distinct, places = numpy.unique(keys, return_inverse=True)
    return distinct, _sg.unsorted_segment_sum(values, _Tensor(places.reshape(-1).astype(numpy.int64)), len(distinct))


def positive(indices):
    """Converts indices to int64; negative indices, which would count from the end, become indices beyond every axis."""
    indices = _k.cast(indices, _mstype.int64)
    return _k.where(_k.less(indices, 0), 2**62, indices)


def elements_at(dense, places):
    """Takes the elements at coordinates of a dense tensor that broadcasts to their rank."""
    count = len(places)
    if dense.ndim < count:
        dense = _k.reshape(dense, (1,) * (count - dense.ndim) + tuple(dense.shape))
    at = [_k.zeros_like(place) if size == 1 else positive(place) for place, size in zip(places, dense.shape)]
    return _i.gather_nd(dense, _k.stack(at, 1))


def placed(where, indices, values, shape):
    """Makes a dense tensor of values at coordinates; repeated ones are summed. Raises IndexError outside of the shape."""
    kind = values.dtype
    values = _k.cast(values, _mstype.int32) if kind == _mstype.bool_ else values
    return _k.cast(_i.scatter_nd(positive(indices), values, tuple(shape)), kind)


def product(rows, columns, values, dense, height):
    """Multiplies a sparse matrix by a dense one (N, K)."""
    wide = _k.reshape(values, (-1, 1)) * _k.gather(dense, positive(columns), 0)
    return _sg.unsorted_segment_sum(wide, positive(rows), height)


def softmax(rows, values, count):
    """Computes softmax over the values of each row."""
    low = values - _k.stop_gradient(_k.gather(_sg.unsorted_segment_max(values, rows, count), rows, 0))
    exps = _k.exp(low)
    return exps / _k.gather(_sg.unsorted_segment_sum(exps, rows, count), rows, 0)
