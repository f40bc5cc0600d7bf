"""Functions of sparse tensors: coo_*, csr_*, dense_to_sparse_*."""
from ...common import dtype as _mstype
from ...common.row_tensor import RowTensor
from ...common.sparse_tensor import COOTensor, CSRTensor, SparseTensor, _multiplied
from ...common.tensor import Tensor as _Tensor
from ...common.tensor import check_tensor as _check
from .. import function as _f
from .. import index_func as _i
from .. import registry as _k
from ..operands import check_index as _check_index
from . import UNARY as _UNARY
from . import shared as _s


def _is(kind, where, x):
    if not isinstance(x, kind):
        raise TypeError("[%s] x, got %s, expected a %s" % (where, type(x).__name__, kind.__name__))
    return x


def _make(name, kind, function):
    def call(x):
        return _is(kind, name, x).with_values(function(x.values))
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "%s of the kept values alone, in a %s." % (name[4:], kind.__name__)
    globals()[name] = call


for _name, _of in _UNARY.items():
    _make(_name, COOTensor if _name[:3] == "coo" else CSRTensor, _f.reciprocal if _of == "inv" else getattr(_f, _of))


def coo_add(x1, x2, thresh):
    """Adds two COOTensors; elements of the sum with an absolute value below thresh are left out."""
    return _is(COOTensor, "coo_add", x1).add(x2, thresh)


def coo_concat(sp_input, concat_dim=0):
    """Concatenates COOTensors along an axis; the coordinates are in order."""
    if not isinstance(sp_input, (tuple, list)):
        raise TypeError("[coo_concat] sp_input, got %s, expected a tuple of COOTensors" % type(sp_input).__name__)
    if len(sp_input) < 2:
        raise ValueError("[coo_concat] sp_input, got %d, expected 2 or more" % len(sp_input))
    if not -2 <= _check_index(concat_dim, "coo_concat", "concat_dim") <= 1:
        raise ValueError("[coo_concat] concat_dim, got %s, expected one of -2, -1, 0 and 1" % (concat_dim,))
    axis, sizes, moved = concat_dim % 2, [], 0
    parts = [_is(COOTensor, "coo_concat", part) for part in sp_input]
    for part in parts:
        if part.shape[1 - axis] != parts[0].shape[1 - axis]:
            raise ValueError("[coo_concat] shapes, got %s and %s, expected the same along axis %d"
                             % (parts[0].shape, part.shape, 1 - axis))
        shift = _Tensor([0, moved] if axis else [moved, 0], part.indices.dtype)
        sizes.append(part.indices + shift)
        moved += part.shape[axis]
    shape = (parts[0].shape[0], moved) if axis else (moved, parts[0].shape[1])
    indices, values = _k.concat(sizes, 0), _k.concat([part.values for part in parts], 0)
    order = _s.by_row(_k.cast(indices[:, 0], _mstype.int64) * shape[1] + indices[:, 1])
    return COOTensor(_k.gather(indices, order, 0), _k.gather(values, order, 0), shape)


def dense_to_sparse_coo(tensor):
    """Converts a matrix to a COOTensor of its nonzero elements."""
    if not isinstance(tensor, _Tensor):
        raise TypeError("[dense_to_sparse_coo] tensor, got %s, expected a Tensor" % type(tensor).__name__)
    if tensor.ndim != 2:
        raise ValueError("[dense_to_sparse_coo] rank of tensor, got %d, expected 2" % tensor.ndim)
    indices = _f.nonzero(tensor)
    return COOTensor(_k.cast(indices, _mstype.int32), _i.gather_nd(tensor, indices), tuple(tensor.shape))


def dense_to_sparse_csr(tensor):
    """Converts a matrix to a CSRTensor of its nonzero elements."""
    return dense_to_sparse_coo(tensor).to_csr()


def csr_to_coo(tensor):
    """Converts a CSRTensor to a COOTensor."""
    return _is(CSRTensor, "csr_to_coo", tensor).to_coo()


def csr_to_dense(csr_tensor):
    """Converts a CSRTensor to a dense tensor."""
    return _is(CSRTensor, "csr_to_dense", csr_tensor).to_dense()


def csr_add(a, b, alpha, beta):
    """Computes alpha a + beta b for two CSRTensors."""
    return _is(CSRTensor, "csr_add", a).add(b, alpha, beta)


def csr_mv(csr_tensor, dense):
    """Multiplies a CSRTensor by a vector (N, 1)."""
    return _is(CSRTensor, "csr_mv", csr_tensor).mv(dense)


def _turned(x, transposed):
    if not transposed:
        return x
    whole = x.to_coo()
    swapped = _k.stack([whole.indices[:, 1], whole.indices[:, 0]], 1)
    return COOTensor(swapped, whole.values, (x.shape[1], x.shape[0])).to_csr()


def csr_mm(a, b, trans_a=False, trans_b=False, adjoint_a=False, adjoint_b=False):
    """Multiplies two CSRTensors, or their transposes with trans_a, trans_b, adjoint_a and adjoint_b.

    Raises NotImplementedError for adjoints of complex numbers.
    """
    a, b = [_turned(_is(CSRTensor, "csr_mm", x), turned) for x, turned in ((a, trans_a or adjoint_a), (b, trans_b or adjoint_b))]
    for x, adjoint in ((a, adjoint_a), (b, adjoint_b)):
        if adjoint and x.dtype in _mstype.complex_type:
            raise NotImplementedError("[csr_mm] adjoints of complex numbers are not offered, got %s" % (x.dtype,))
    return _multiplied("csr_mm", a, b)


def csr_mul(x, y):
    """Multiplies a CSRTensor by a dense tensor that broadcasts to it, element by element."""
    return _is(CSRTensor, "csr_mul", x) * y


def csr_div(x, y):
    """Divides a CSRTensor by a dense tensor that broadcasts to it, element by element."""
    return _is(CSRTensor, "csr_div", x) / y


def csr_reduce_sum(csr_tensor, axis):
    """Sums the rows of a CSRTensor: (M, 1)."""
    return _is(CSRTensor, "csr_reduce_sum", csr_tensor).sum(axis)


def csr_softmax(logits, dtype):
    """Computes softmax over the stored values of each row. dtype has no effect; in MindSpore it must be that of the values."""
    rows = _is(CSRTensor, "csr_softmax", logits)._rows()
    return logits.with_values(_s.softmax(rows, logits.values, logits.shape[0]))


def csr_gather(indptr, indices, dense, sparse_shape):
    """Takes the elements of a dense matrix at the positions of a CSRTensor."""
    _check(indptr, "csr_gather"), _check(dense, "csr_gather")
    if _check(indices, "csr_gather").ndim != 1:
        raise ValueError("[csr_gather] indices has a wrong rank, got %d, expected 1" % indices.ndim)
    return _s.elements_at(dense, [_k.cast(_s.rows_of(indptr, indices.shape[0]), indices.dtype), indices])


def csr2coo(indptr, nnz):
    """Computes the row of each of nnz elements from the starts of the rows."""
    return _k.cast(_s.rows_of(_check(indptr, "csr2coo"), _check_index(nnz, "csr2coo", "nnz")), indptr.dtype)


def coo2csr(row_indices, height):
    """Computes the starts of `height` rows, and the end of the last, from the rows of elements in ascending order."""
    return _s.starts_of(_check(row_indices, "coo2csr"), _check_index(height, "coo2csr", "height"))


def _reader(name, attribute):
    def call(x):
        try:
            return getattr(x, attribute)
        except AttributeError:
            raise TypeError("[%s] x, got %s, expected a sparse tensor" % (name, type(x).__name__)) from None
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "What a sparse tensor has as `%s`." % attribute
    globals()[name] = call


for _kind in ("coo_tensor", "csr_tensor"):
    for _name, _attribute in (("indices", "indices"), ("values", "values"), ("dense_shape", "shape")):
        _reader("%s_get_%s" % (_kind, _name), _attribute)
_reader("csr_tensor_get_indptr", "indptr")
for _attribute in ("indices", "values", "dense_shape"):
    _reader("row_tensor_get_" + _attribute, _attribute)
make_coo_tensor, make_csr_tensor = COOTensor, CSRTensor


def make_sparse_tensor(indices, values, dense_shape):
    """Makes a SparseTensor of indices, values and dense_shape."""
    return SparseTensor(indices, values, dense_shape)


def make_row_tensor(indices, values, dense_shape):
    """Makes a RowTensor of indices (row numbers), values (rows) and dense_shape."""
    return RowTensor(indices, values, dense_shape)


make_row_tensor_inner = make_row_tensor
__all__ = [name for name in list(globals()) if name[0] != "_"]
