"""Primitives for sets and ragged rows. They have no gradients."""
from ...common import dtype as _mstype
from ...common.tensor import Tensor as _Tensor
from .. import registry as _k
from ..primitive import REQUIRED as _REQUIRED
from ..primitive import rows as _rows

_SETS = {"a-b": lambda a, b: a - b, "b-a": lambda a, b: b - a, "intersection": lambda a, b: a & b, "union": lambda a, b: a | b}


def _sets_of_dense(x):
    """Returns {the coordinates of a row: the set of its elements}."""
    import numpy
    values = x.asnumpy()
    if values.ndim < 2:
        raise ValueError("[set] rank, got %d, expected 2 or more" % values.ndim)
    return {at: set(values[at].tolist()) for at in numpy.ndindex(*values.shape[:-1])}


def _sets_of_sparse(indices, values, shape):
    import numpy
    found = {at: set() for at in numpy.ndindex(*[int(size) for size in shape.tolist()[:-1]])}
    for at, value in zip(indices.tolist(), values.tolist()):
        if tuple(at[:-1]) not in found:
            raise ValueError("[set] indices, got %s, expected ones within the shape %s" % (at, shape.tolist()))
        found[tuple(at[:-1])].add(value)
    return found


def _combined(p, first, second, dtype):
    """Combines the sets of two tensors row by row, each in ascending order; returns (indices, values, shape)."""
    if p.set_operation not in _SETS:
        raise ValueError("[%s] set_operation, got %r, expected one of %s" % (p.name, p.set_operation, ", ".join(_SETS)))
    if sorted(first) != sorted(second):
        raise ValueError("[%s] shapes, got different ones, expected the same but for the last axis" % p.name)
    indices, values, longest = [], [], 0
    for at in sorted(first):
        row = sorted(_SETS[p.set_operation](first[at], second[at]))
        indices += [list(at) + [place] for place in range(len(row))]
        values, longest = values + row, max(longest, len(row))
    lead = [max(at[axis] for at in first) + 1 for axis in range(len(next(iter(first))))]
    return (_k.reshape(_Tensor(indices, _mstype.int64), (-1, len(lead) + 1)), _Tensor(values, dtype),
            _Tensor(lead + [longest], _mstype.int64))


def _set_sizes(p, indices, values, shape):
    sets = _sets_of_sparse(indices, values, shape)
    return _k.reshape(_Tensor([len(sets[at]) for at in sorted(sets)], _mstype.int32), tuple(shape.tolist()[:-1]))


def _counted(p, indices, values, shape, weights):
    """Counts each number in each row, or sums its weights; returns (indices, counts, shape)."""
    rows, found = indices.tolist(), {}
    weighed = weights.tolist() if weights.size else [1] * len(rows)
    for at, value, weight in zip(rows, values.tolist(), weighed):
        if p.maxlength <= 0 or value < p.maxlength:
            key = tuple(at[:-1]) + (value,)
            found[key] = 1 if p.binary_output else found.get(key, 0) + weight
    keys = sorted(found)
    width = max([key[-1] + 1 for key in keys] + [p.minlength, 0])
    return (_k.reshape(_Tensor([list(key) for key in keys], _mstype.int64), (-1, indices.shape[1])),
            _Tensor([found[key] for key in keys], weights.dtype),
            _Tensor([int(size) for size in shape.tolist()[:-1]] + [width], _mstype.int64))


def _lengths(splits, where, count):
    """Computes the length of each row from the starts of the rows and the end of the last."""
    starts = splits.tolist()
    if not starts or starts[0] != 0 or starts != sorted(starts) or starts[-1] != count:
        raise ValueError("[%s] splits, got %s, expected rising numbers from 0 to %d" % (where, starts, count))
    return [after - before for before, after in zip(starts, starts[1:])]


def _ragged_indices(p, nested_splits, values):
    """Returns (indices, values, shape) of ragged rows with one level or several."""
    inner = [splits.shape[0] - 1 for splits in nested_splits[1:]] + [values.shape[0]]
    places, sizes = [[row] for row in range(nested_splits[0].shape[0] - 1)], [nested_splits[0].shape[0] - 1]
    for splits, wanted in zip(nested_splits, inner):
        lengths = _lengths(splits, p.name, wanted)
        places = [place + [at] for place, length in zip(places, lengths) for at in range(length)]
        sizes.append(max(lengths + [0]))
    return _k.reshape(_Tensor(places, _mstype.int64), (-1, len(sizes))), values, _Tensor(sizes, _mstype.int64)


def _ragged_dense(p, shape, values, default_value, row_partitions):
    """Makes a dense tensor of ragged rows, cut or padded to a shape."""
    import numpy
    if any(kind != "ROW_SPLITS" for kind in p.row_partition_types):
        raise NotImplementedError("[%s] row_partition_types, got %s, expected 'ROW_SPLITS'" % (p.name, p.row_partition_types))
    places, elements, own = _ragged_indices(p, row_partitions, values)
    sizes = [int(size) if size >= 0 else found for size, found in zip(shape.tolist(), own.tolist())]
    places = places.asnumpy()
    kept = (places < numpy.array(sizes)).all(1)
    out = numpy.full(sizes, default_value.asnumpy().reshape(-1)[0], values.asnumpy().dtype)
    out[tuple(places[kept].T)] = values.asnumpy()[kept]
    return _Tensor(out)


__all__ = _rows(globals(), (
    ("DenseToDenseSetOperation", {"set_operation": "a-b", "validate_indices": True}, lambda p, x1, x2:
     _combined(p, _sets_of_dense(x1), _sets_of_dense(x2), x1.dtype)),
    ("DenseToSparseSetOperation", {"set_operation": "", "validate_indices": True}, lambda p, x1, indices, values, shape:
     _combined(p, _sets_of_dense(x1), _sets_of_sparse(indices, values, shape), x1.dtype)),
    ("SetSize", {"validate_indices": True}, _set_sizes),
    ("SparseCountSparseOutput", {"binary_output": False, "minlength": -1, "maxlength": -1}, _counted),
    ("RaggedTensorToSparse", {"Tsplits": _REQUIRED}, _ragged_indices),
    ("RaggedTensorToTensor", {"row_partition_types": _REQUIRED}, _ragged_dense),
))
