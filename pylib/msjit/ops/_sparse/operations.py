"""Primitives for sparse matrices, passed as parts: (coordinates, values, shape) or (row starts, columns, values, shape).

Positions are computed at once, as plain numbers. Only the values have gradients.
"""
from ...common.sparse_tensor import COOTensor, CSRTensor
from ...common.tensor import Tensor as _Tensor
from ...common.tensor import check_tensor as _check
from .. import function as _f
from .. import registry as _k
from .. import segment_func as _sg
from ..operands import check_items as _check_items
from ..operands import whole as _whole
from ..primitive import REQUIRED as _REQUIRED
from ..primitive import rows as _rows
from . import functions as _sf
from . import shared as _s


def _sizes(p, shape):
    """Converts a shape, a tuple or a Tensor, to a tuple."""
    sizes = _check_items(shape.tolist() if isinstance(shape, _Tensor) else shape, p.name, "shape", "ints")
    return tuple(_whole(size, p.name, "size of the shape") for size in sizes)


def _check_rank(p, what, x, rank):
    if _check(x, p.name).ndim != rank:
        raise ValueError("[%s] %s has a wrong rank, got %d, expected %d" % (p.name, what, x.ndim, rank))
    return x


def _csr(p, shape, row_pointers, col_indices, values):
    """Makes a CSRTensor from the parts of one matrix."""
    sizes = _sizes(p, shape)
    if len(sizes) != 2:
        raise NotImplementedError("[%s] dense_shape, got %s, expected 2 sizes: stacks of matrices are not offered" % (p.name, sizes))
    return CSRTensor(row_pointers, col_indices, values, sizes)


def _as_parts(matrix, like_shape, like_pointers):
    """Returns (shape, start of the values of each matrix, indptr, indices, values)."""
    return (_Tensor(list(matrix.shape), like_shape.dtype), _Tensor([0, matrix.size], like_pointers.dtype), matrix.indptr,
            matrix.indices, matrix.values)


def _from_csr(p, shape, batch_pointers, row_pointers, col_indices, values):
    """Returns (indices, values, shape) of one matrix or a stack of them."""
    sizes, count = _sizes(p, shape), _check_rank(p, "col_indices", col_indices, 1).shape[0]
    _check_rank(p, "batch_pointers", batch_pointers, 1)
    if len(sizes) not in (2, 3):
        raise ValueError("[%s] shape, got %d sizes, expected 2 or 3" % (p.name, len(sizes)))
    height = sizes[-2]
    starts = batch_pointers.tolist()
    rows, batches = [], []
    for at in range(len(starts) - 1):
        part = row_pointers[at * (height + 1):(at + 1) * (height + 1)]
        rows.append(_s.rows_of(part, starts[at + 1] - starts[at]))
        batches += [at] * (starts[at + 1] - starts[at])
    columns = [_k.cast(_k.concat(rows, 0), col_indices.dtype), col_indices]
    if len(sizes) == 3:
        columns.insert(0, _k.reshape(_Tensor(batches, col_indices.dtype), (count,)))
    return _k.stack(columns, 1), values, shape


def _to_csr(p, indices, values, shape):
    """Returns (shape, start of the values of each matrix, row starts, columns, values) from sorted coordinates."""
    import numpy
    sizes, places = _sizes(p, shape), _check_rank(p, "indices", indices, 2).asnumpy()
    if len(sizes) not in (2, 3):
        raise ValueError("[%s] shape, got %d sizes, expected 2 or 3" % (p.name, len(sizes)))
    stack, height = (sizes[0] if len(sizes) == 3 else 1), sizes[-2]
    of_matrix = places[:, 0] if len(sizes) == 3 else numpy.zeros(len(places), numpy.int64)
    starts = numpy.searchsorted(of_matrix, numpy.arange(stack + 1))
    pointers = [numpy.searchsorted(places[starts[at]:starts[at + 1], -2], numpy.arange(height + 1)) for at in range(stack)]
    return (shape, _Tensor(starts.astype(places.dtype)), _Tensor(numpy.concatenate(pointers).astype(places.dtype)), indices[:, -1],
            values)


def _matrix_sum(p, a_shape, a_batches, a_rows, a_columns, a_values, b_shape, b_batches, b_rows, b_columns, b_values, alpha, beta):
    out = _csr(p, a_shape, a_rows, a_columns, a_values).add(_csr(p, b_shape, b_rows, b_columns, b_values), alpha, beta)
    return _as_parts(out, a_shape, a_batches)


def _matrix_product(p, a_shape, a_batches, a_rows, a_columns, a_values, b_shape, b_batches, b_rows, b_columns, b_values):
    out = _sf.csr_mm(_csr(p, a_shape, a_rows, a_columns, a_values), _csr(p, b_shape, b_rows, b_columns, b_values),
                     p.transpose_a, p.transpose_b, p.adjoint_a, p.adjoint_b)
    return _as_parts(out, a_shape, a_batches)


def _dense_product(p, shape, batches, row_pointers, columns, values, dense):
    if p.conjugate_output or p.adjoint_x1 or p.adjoint_x2:
        raise NotImplementedError("[%s] adjoints and conjugates, got some, expected none" % p.name)
    out = _sf._turned(_csr(p, shape, row_pointers, columns, values), p.transpose_x1).mm(dense.T if p.transpose_x2 else dense)
    return out.T if p.transpose_output else out


def _transposed(p, shape, batches, row_pointers, columns, values):
    values = _f.conj(values) if p.conjugate else values
    return _as_parts(_sf._turned(_csr(p, shape, row_pointers, columns, values), True), shape, batches)


def _softmax_parts(p, shape, batches, row_pointers, columns, values):
    out = _sf.csr_softmax(_csr(p, shape, row_pointers, columns, values), p.dtype)
    return shape, batches, row_pointers, columns, out.values


def _from_dense(p, x, indices):
    return _to_csr(p, indices, _f.gather_nd(x, indices), _Tensor(list(x.shape), indices.dtype))


def _coo_sum(p, indices1, values1, shape1, indices2, values2, shape2, thresh):
    out = COOTensor(indices1, values1, _sizes(p, shape1)).add(COOTensor(indices2, values2, _sizes(p, shape2)), thresh)
    return out.indices, out.values, shape1


def _extreme(function):
    """A rule for the elementwise maximum or minimum of two sparse tensors; missing elements count as 0."""
    def rule(p, indices1, values1, shape1, indices2, values2, shape2):
        import numpy
        sizes = _sizes(p, shape1)
        if sizes != _sizes(p, shape2):
            raise ValueError("[%s] shapes, got %s and %s, expected the same" % (p.name, sizes, _sizes(p, shape2)))
        keys = [_s.keys_of(p.name, indices, sizes) for indices in (indices1, indices2)]
        distinct = numpy.unique(numpy.concatenate(keys))
        count = len(distinct)
        spread = [_sg.unsorted_segment_sum(values, _Tensor(numpy.searchsorted(distinct, key).astype(numpy.int64)), count)
                  for values, key in zip((values1, values2), keys)]
        return _s.indices_of(distinct, sizes, indices1.dtype), function(*spread)
    return rule


def _cwise(function):
    """A rule for a sparse tensor and a dense one that broadcasts to it; results at the positions of the sparse one."""
    def rule(p, indices, values, shape, dense):
        return function(values, _s.elements_at(dense, [indices[:, axis] for axis in range(len(_sizes(p, shape)))]))
    return rule


def _dense_sum(p, indices, values, shape, dense):
    if _sizes(p, shape) != tuple(dense.shape):
        raise ValueError("[%s] shapes, got %s and %s, expected the same" % (p.name, _sizes(p, shape), tuple(dense.shape)))
    return _f.tensor_scatter_add(dense, _s.positive(indices), values)


def _product(p, indices, values, shape, dense):
    """Multiplies a sparse matrix by a dense one."""
    for name in ("adjoint_st", "adjoint_dt"):
        if not isinstance(getattr(p, name), bool):
            raise TypeError("[%s] %s, got %r, expected a bool" % (p.name, name, getattr(p, name)))
    sizes, dense = _sizes(p, shape), dense.T if p.adjoint_dt else dense
    rows, columns = indices[:, 0], indices[:, 1]
    if p.adjoint_st:
        rows, columns, sizes = columns, rows, sizes[::-1]
    if dense.ndim != 2 or sizes[1] != dense.shape[0]:
        raise ValueError("[%s] shapes of a product, got %s and %s, expected (M, N) and (N, K)" % (p.name, sizes, tuple(dense.shape)))
    return _s.product(rows, columns, values, dense, sizes[0])


def _weighed(p, indices, values, shape, dense, other, alpha, beta):
    """Computes alpha times the product of a sparse and a dense matrix, plus beta times another matrix."""
    out = _s.product(indices[:, 0], indices[:, 1], values, dense, _sizes(p, shape)[0])
    return out * alpha + other * beta


def _reordered(p, indices, values, shape):
    import numpy
    order = _Tensor(numpy.argsort(_s.keys_of(p.name, indices, _sizes(p, shape)), kind="stable").astype(numpy.int64))
    return _k.gather(indices, order, 0), _k.gather(values, order, 0)


def _reshaped(p, indices, shape, new_shape):
    import numpy
    sizes, new = _sizes(p, shape), list(_sizes(p, new_shape))
    if -1 in new:
        rest = int(numpy.prod([size for size in new if size != -1]))
        new[new.index(-1)] = int(numpy.prod(sizes)) // max(rest, 1)
    if numpy.prod(new) != numpy.prod(sizes):
        raise ValueError("[%s] new_shape, got %s, expected one of %d elements" % (p.name, tuple(new), numpy.prod(sizes)))
    keys = _s.keys_of(p.name, indices, sizes)
    return _s.indices_of(keys, new, indices.dtype), _Tensor(new, shape.dtype)


def _sliced(p, indices, values, shape, start, size):
    """Takes the elements of a block, which is cut at the end of the tensor."""
    import numpy
    first, wanted = numpy.array(_sizes(p, start)), numpy.array(_sizes(p, size))
    cut = numpy.maximum(numpy.minimum(wanted, numpy.array(_sizes(p, shape)) - first), 0)
    places = indices.asnumpy()
    kept = numpy.flatnonzero(((places >= first) & (places < first + cut)).all(1))
    moved = (places[kept] - first).astype(places.dtype)
    return _Tensor(moved), _k.gather(values, _Tensor(kept.astype(numpy.int64)), 0), _Tensor(cut.astype(numpy.int64), shape.dtype)


def _joined(p, indices, values, shapes):
    parts = [COOTensor(at, value, _sizes(p, shape)) for at, value, shape in zip(indices, values, shapes)]
    out = _sf.coo_concat(parts, p.concat_dim)
    return out.indices, out.values, _Tensor(list(out.shape), shapes[0].dtype)


def _filled_rows(p, indices, values, shape, default_value):
    """Gives each empty row a first element; returns (indices, values, which rows were empty, new position of each value)."""
    import numpy
    places, height = _check_rank(p, "indices", indices, 2).asnumpy(), (_sizes(p, shape) or (0,))[0]
    empty = numpy.setdiff1d(numpy.arange(height), places[:, 0])
    extra = numpy.zeros((len(empty), places.shape[1]), places.dtype)
    extra[:, 0] = empty
    whole = numpy.concatenate([places, extra])
    order = numpy.argsort(whole[:, 0], kind="stable")
    filled = _k.concat([values, _k.broadcast_to(_k.reshape(default_value, (1,)), (len(empty),))], 0)
    return (_Tensor(whole[order]), _k.gather(filled, _Tensor(order.astype(numpy.int64)), 0),
            _Tensor(numpy.isin(numpy.arange(height), empty)), _Tensor(numpy.argsort(order)[:len(places)].astype(places.dtype)))


def _row_softmax(p, indices, values, shape):
    """Computes softmax over the values of each row, the last axis."""
    import numpy
    sizes = _sizes(p, shape)
    rows = _s.keys_of(p.name, indices, sizes) // sizes[-1]
    return _s.softmax(_Tensor(rows.astype(numpy.int64)), values, int(numpy.prod(sizes[:-1])))


def _to_dense(p, indices, shape, values, default_value):
    dense = _k.broadcast_to(_k.reshape(default_value, (1,) * len(_sizes(p, shape))), _sizes(p, shape))
    return _f.tensor_scatter_update(dense, _s.positive(indices), _k.broadcast_to(values, (indices.shape[0],)))


def _segments(how, counted):
    """A rule that sums rows of x at `indices` by segment; it divides by the count or its root where `how` asks for it."""
    def rule(p, x, indices, segment_ids, num_segments=None):
        ids = _check_rank(p, "segment_ids", segment_ids, 1).tolist()
        if segment_ids.is_complex():
            raise TypeError("[%s] dtype of segment_ids, got %s, expected an integer" % (p.name, segment_ids.dtype))
        if ids != sorted(ids) or (ids and ids[0] < 0) or (not counted and ids and sorted(set(ids)) != list(range(ids[-1] + 1))):
            raise ValueError("[%s] segment_ids, got %s, expected rising numbers%s" % (p.name, ids, "" if counted else " without gaps"))
        last = ids[-1] if ids else -1
        count = int(num_segments.asnumpy().reshape(-1)[0]) if counted else last + 1
        if count <= last:
            raise ValueError("[%s] num_segments, got %d, expected above %d" % (p.name, count, last))
        total = _sg.unsorted_segment_sum(_k.gather(x, _s.positive(indices), 0), segment_ids, count)
        if how == "sum":
            return total
        sizes = [max(ids.count(at), 1) for at in range(count)]
        sizes = [size ** 0.5 for size in sizes] if how == "root" else sizes
        return total / _k.reshape(_Tensor([float(size) for size in sizes], x.dtype), (count,) + (1,) * (x.ndim - 1))
    return rule


__all__ = _rows(globals(), (
    ("COO2CSR", {}, lambda p, rows, height: _sf.coo2csr(rows, height)), ("CSR2COO", {}, lambda p, indptr, nnz: _sf.csr2coo(indptr, nnz)),
    ("CSRDiv", {}, lambda p, indptr, at, values, shape, y: (CSRTensor(indptr, at, values, _sizes(p, shape)) / y).values),
    ("CSRMul", {}, lambda p, indptr, at, values, shape, y: (CSRTensor(indptr, at, values, _sizes(p, shape)) * y).values),
    ("CSRMM", {}, lambda p, indptr, at, values, shape, dense: CSRTensor(indptr, at, values, _sizes(p, shape)).mm(dense)),
    ("CSRMV", {}, lambda p, indptr, at, values, shape, dense: CSRTensor(indptr, at, values, _sizes(p, shape)).mv(dense)),
    ("CSRReduceSum", {}, lambda p, indptr, at, values, shape, axis: CSRTensor(indptr, at, values, _sizes(p, shape)).sum(axis)),
    ("CSRGather", {}, lambda p, indptr, at, dense, shape: _sf.csr_gather(indptr, at, dense, _sizes(p, shape))),
    ("CSRSparseMatrixToDense", {}, lambda p, shape, batches, indptr, at, values:
     _s.placed(p.name, _from_csr(p, shape, batches, indptr, at, values)[0], values, _sizes(p, shape))),
    ("CSRSparseMatrixToSparseTensor", {}, _from_csr), ("SparseTensorToCSRSparseMatrix", {}, _to_csr),
    ("DenseToCSRSparseMatrix", {}, _from_dense), ("SparseMatrixAdd", {}, _matrix_sum),
    ("SparseMatrixSparseMatMul", {"transpose_a": False, "transpose_b": False, "adjoint_a": False, "adjoint_b": False},
     _matrix_product),
    ("SparseMatrixMatMul", {"transpose_x1": False, "transpose_x2": False, "adjoint_x1": False, "adjoint_x2": False,
                            "transpose_output": False, "conjugate_output": False}, _dense_product),
    ("SparseMatrixNNZ", {}, lambda p, shape, batches, indptr, at, values: batches[1:] - batches[:-1]),
    ("SparseMatrixTranspose", {"conjugate": False}, _transposed), ("SparseMatrixSoftmax", {"dtype": _REQUIRED}, _softmax_parts),
    ("SparseAdd", {}, _coo_sum), ("SparseAddmm", {}, _weighed), ("SparseConcat", {"concat_dim": 0}, _joined),
    ("SparseDenseCwiseAdd", {}, _cwise(_k.add)), ("SparseDenseCwiseMul", {}, _cwise(_k.mul)),
    ("SparseDenseCwiseDiv", {}, _cwise(_f.div)), ("SparseFillEmptyRows", {}, _filled_rows), ("SparseReorder", {}, _reordered),
    ("SparseReshape", {}, _reshaped), ("SparseSlice", {}, _sliced), ("SparseSoftmax", {}, _row_softmax),
    ("SparseSparseMaximum", {}, _extreme(_k.maximum)), ("SparseSparseMinimum", {}, _extreme(_k.minimum)),
    ("SparseTensorDenseAdd", {}, _dense_sum), ("SparseTensorDenseMatmul", {"adjoint_st": False, "adjoint_dt": False}, _product),
    ("SparseToDenseV2", {"validate_indices": True}, _to_dense),
    ("SparseSegmentSum", {}, _segments("sum", False)), ("SparseSegmentSqrtN", {}, _segments("root", False)),
    ("SparseSegmentSumWithNumSegments", {}, _segments("sum", True)),
    ("SparseSegmentSqrtNWithNumSegments", {}, _segments("root", True)),
    ("SparseSegmentMeanWithNumSegments", {}, _segments("mean", True)),
))
