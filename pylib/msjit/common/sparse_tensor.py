"""COOTensor and CSRTensor: matrices of which only some elements are stored, with their positions. They are plain classes that hold
Tensors, so gradients reach the values, and captured functions see through them."""
from .._native import Tensor
from ..ops import function as _ops
from ..ops import registry as _k
from ..ops._sparse import shared as _s
from . import dtype as _mstype
from .row_tensor import RowTensor, RowTensorInner, printed

_INDICES = (_mstype.int16, _mstype.int32, _mstype.int64)


def _parts(where, shape, **tensors):
    """Checks the parts that both kinds have."""
    for name, tensor in tensors.items():
        if not isinstance(tensor, Tensor):
            raise TypeError("[%s] %s, got %s, expected a Tensor" % (where, name, type(tensor).__name__))
        if name != "values" and tensor.dtype not in _INDICES:
            raise TypeError("[%s] dtype of %s, got %s, expected int16, int32 or int64" % (where, name, tensor.dtype))
    if not isinstance(shape, tuple):
        raise TypeError("[%s] shape, got %s, expected a tuple" % (where, type(shape).__name__))
    for size in shape:
        if isinstance(size, bool) or not isinstance(size, int):
            raise TypeError("[%s] shape, got %s, expected a tuple of ints" % (where, shape))
        if size <= 0:
            raise ValueError("[%s] shape, got %s, expected sizes above 0" % (where, shape))


def _copied(where, kind, given, *parts):
    if not isinstance(given, kind):
        raise TypeError("[%s] the tensor to copy, got %s, expected a %s" % (where, type(given).__name__, kind.__name__))
    if any(part is not None for part in parts):
        raise TypeError("[%s] arguments beside the tensor to copy, got some, expected none" % where)


class _Sparse:
    """The parts that the two kinds have in common."""

    @property
    def indices(self):
        """The positions of the stored elements."""
        return self._indices

    @property
    def values(self):
        """The kept elements."""
        return self._values

    @property
    def shape(self):
        """The sizes of the dense tensor."""
        return self._shape

    @property
    def dtype(self):
        """The element type."""
        return self._values.dtype

    @property
    def size(self):
        """How many elements are stored."""
        return self._values.size

    @property
    def itemsize(self):
        """Bytes of one element."""
        return self._values.itemsize

    @property
    def ndim(self):
        """The number of axes of the dense tensor."""
        return len(self._shape)

    def abs(self):
        """The absolute values."""
        return self.with_values(_k.abs(self._values))

    def astype(self, dtype):
        """The same elements in another type."""
        return self.with_values(_k.cast(self._values, dtype))

    def __neg__(self):
        return self.with_values(-self._values)

    def _refuse(self, what, other):
        raise TypeError("[%s] %s of a %s and a %s is not offered" % (
            type(self).__name__, what, type(self).__name__, type(other).__name__))


class COOTensor(_Sparse):
    """A matrix of a shape with `values` (N) at the positions `indices` (N, 2). Values at one position add up.

    >>> import msjit as ms
    >>> ms.COOTensor(ms.Tensor([[0, 1]]), ms.Tensor([5.0]), (2, 2)).to_dense().asnumpy().tolist()
    [[0.0, 5.0], [0.0, 0.0]]
    """

    def __init__(self, indices=None, values=None, shape=None, coo_tensor=None):
        if coo_tensor is not None:
            _copied("COOTensor", COOTensor, coo_tensor, indices, values, shape)
            indices, values, shape = coo_tensor.to_tuple()
        _parts("COOTensor", shape, indices=indices, values=values)
        if len(shape) != 2:
            raise ValueError("[COOTensor] shape, got %s, expected 2 sizes" % (shape,))
        if values.ndim != 1 or (indices.ndim != 2 and indices.size):
            raise ValueError("[COOTensor] ranks of indices and values, got %d and %d, expected 2 and 1" % (indices.ndim, values.ndim))
        if indices.shape[0] != values.shape[0] or (indices.size and indices.shape[1] != 2):
            raise ValueError("[COOTensor] shapes of indices and values, got %s and %s, expected (N, 2) and (N,)"
                             % (tuple(indices.shape), tuple(values.shape)))
        self._indices, self._values, self._shape = indices, values, shape

    def __repr__(self):
        return "COOTensor(shape=%s, dtype=%s, indices=%s, values=%s)" % (
            list(self._shape), self.dtype, printed(self._indices), printed(self._values))

    def with_values(self, values):
        """Other values at the same places."""
        return COOTensor(self._indices, values, self._shape)

    def to_tuple(self):
        """(indices, values, shape)"""
        return self._indices, self._values, self._shape

    def to_dense(self):
        """The dense tensor."""
        return _s.placed("COOTensor", self._places(), self._values, self._shape)

    def coalesce(self):
        """The positions in order, each once, with the sums of the values there."""
        keys, values = _s.united(_s.keys_of("coalesce", self._indices, self._shape), self._values)
        return COOTensor(_s.indices_of(keys, self._shape, self._indices.dtype), values, self._shape)

    def to_csr(self):
        """The same as a CSRTensor."""
        order = _s.by_row(self._places()[:, 0])
        rows, columns = _k.gather(self._places()[:, 0], order, 0), _k.gather(self._places()[:, 1], order, 0)
        return CSRTensor(_s.starts_of(rows, self._shape[0]), columns, _k.gather(self._values, order, 0), self._shape)

    def add(self, other, thresh):
        """The sum of two matrices of one shape, without elements that are nearer to 0 than thresh."""
        if not isinstance(other, COOTensor):
            raise TypeError("[coo_add] x2, got %s, expected a COOTensor" % type(other).__name__)
        if not isinstance(thresh, Tensor):
            raise TypeError("[coo_add] thresh, got %s, expected a Tensor" % type(thresh).__name__)
        if self._shape != other._shape:
            raise ValueError("[coo_add] shapes, got %s and %s, expected the same" % (self._shape, other._shape))
        if self.dtype != other.dtype:
            raise TypeError("[coo_add] dtypes, got %s and %s, expected the same" % (self.dtype, other.dtype))
        import numpy
        keys = [_s.keys_of("coo_add", one._indices, one._shape) for one in (self, other)]
        keys, values = _s.united(numpy.concatenate(keys), _k.concat([self._values, other._values], 0))
        kept = numpy.flatnonzero(numpy.abs(values.asnumpy()) >= thresh.asnumpy())
        if len(kept) < len(keys):
            keys, values = keys[kept], _k.gather(values, Tensor(kept.astype(numpy.int64)), 0)
        return COOTensor(_s.indices_of(keys, self._shape, self._indices.dtype), values, self._shape)

    def _dense_sum(self, other):
        if self._shape != tuple(other.shape):
            raise ValueError("[COOTensor] shapes of a sum, got %s and %s, expected the same" % (self._shape, tuple(other.shape)))
        return _ops.tensor_scatter_add(other, _s.positive(self._places()), self._values)

    def _places(self):
        """The indices as rows of two, where there are none too."""
        return _k.reshape(self._indices, (-1, 2))

    def __add__(self, other):
        if isinstance(other, COOTensor):
            return self.add(other, Tensor(0, self.dtype))
        return self._dense_sum(other) if isinstance(other, Tensor) else self._refuse("the sum", other)

    __radd__ = __add__

    def __sub__(self, other):
        if isinstance(other, (Tensor, COOTensor)):
            return self + -other
        self._refuse("the difference", other)

    def __rsub__(self, other):
        return -self + other

    def _at(self, other, what):
        if not isinstance(other, Tensor):
            self._refuse(what, other)
        if self._shape != tuple(other.shape):
            raise ValueError("[COOTensor] shapes of %s, got %s and %s, expected the same" % (what, self._shape, tuple(other.shape)))
        return _s.elements_at(other, [self._places()[:, 0], self._places()[:, 1]])

    def __mul__(self, other):
        return self.with_values(self._values * self._at(other, "the product"))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.with_values(self._values / self._at(other, "the quotient"))


class CSRTensor(_Sparse):
    """A matrix of a shape, stored row by row: `values` (N, ...), numbers or slices, in the columns `indices` (N). Row i has those from
    indptr[i] to indptr[i + 1].

    >>> import msjit as ms
    >>> ms.CSRTensor(ms.Tensor([0, 1, 1]), ms.Tensor([1]), ms.Tensor([5.0]), (2, 2)).to_dense().asnumpy().tolist()
    [[0.0, 5.0], [0.0, 0.0]]
    """

    def __init__(self, indptr=None, indices=None, values=None, shape=None, csr_tensor=None):
        if csr_tensor is not None:
            _copied("CSRTensor", CSRTensor, csr_tensor, indptr, indices, values, shape)
            indptr, indices, values, shape = csr_tensor.to_tuple()
        _parts("CSRTensor", shape, indptr=indptr, indices=indices, values=values)
        if indptr.ndim != 1 or indices.ndim != 1:
            raise ValueError("[CSRTensor] ranks of indptr and indices, got %d and %d, expected 1" % (indptr.ndim, indices.ndim))
        if values.ndim != len(shape) - 1:
            raise ValueError("[CSRTensor] rank of values, got %d, expected %d, one less than sizes in the shape" % (
                values.ndim, len(shape) - 1))
        if indptr.shape[0] != shape[0] + 1:
            raise ValueError("[CSRTensor] length of indptr, got %d, expected %d, the rows and one" % (indptr.shape[0], shape[0] + 1))
        if indices.shape[0] != values.shape[0] or tuple(values.shape[1:]) != shape[2:]:
            raise ValueError("[CSRTensor] shapes of indices and values, got %s and %s, expected (N,) and %s" % (
                tuple(indices.shape), tuple(values.shape), ("N",) + shape[2:]))
        self._indptr, self._indices, self._values, self._shape = indptr, indices, values, shape

    def __repr__(self):
        return "CSRTensor(shape=%s, dtype=%s, indptr=%s, indices=%s, values=%s)" % (
            list(self._shape), self.dtype, printed(self._indptr), printed(self._indices), printed(self._values))

    @property
    def indptr(self):
        """Where each row begins, and the last ends."""
        return self._indptr

    def with_values(self, values):
        """Other values at the same places."""
        return CSRTensor(self._indptr, self._indices, values, self._shape)

    def to_tuple(self):
        """(indptr, indices, values, shape)"""
        return self._indptr, self._indices, self._values, self._shape

    def _rows(self):
        return _k.cast(_s.rows_of(self._indptr, self._indices.shape[0]), self._indices.dtype)

    def to_coo(self):
        """The same as a COOTensor."""
        return COOTensor(_k.stack([self._rows(), self._indices], 1), self._values, self._shape)

    def to_dense(self):
        """The dense tensor."""
        return _s.placed("CSRTensor", _k.stack([self._rows(), self._indices], 1), self._values, self._shape)

    def mm(self, matrix):
        """The product with a dense matrix (a Tensor), or with a CSRTensor, which gives a CSRTensor."""
        if isinstance(matrix, CSRTensor):
            return _multiplied("mm", self, matrix)
        if not isinstance(matrix, Tensor):
            self._refuse("the product", matrix)
        if self.ndim != 2 or matrix.ndim != 2 or self._shape[1] != matrix.shape[0]:
            raise ValueError("[CSRTensor] shapes of a product, got %s and %s, expected (M, N) and (N, K)" % (
                self._shape, tuple(matrix.shape)))
        return _s.product(self._rows(), self._indices, self._values, matrix, self._shape[0])

    def mv(self, dense_vector):
        """The product with a vector (N, 1)."""
        if not isinstance(dense_vector, Tensor):
            self._refuse("the product", dense_vector)
        if dense_vector.ndim != 2 or dense_vector.shape[1] != 1:
            raise ValueError("[CSRTensor] shape of dense_vector, got %s, expected (%d, 1)" % (
                tuple(dense_vector.shape), self._shape[-1]))
        return self.mm(dense_vector)

    def sum(self, axis):
        """The sums of the rows, (M, 1): axis is 1 or -1."""
        if axis not in (1, 1 - self.ndim) or self.ndim != 2:
            raise ValueError("[CSRTensor] axis of a sum, got %s, expected 1 or -1 of two axes" % (axis,))
        return _k.reshape(_ops.unsorted_segment_sum(self._values, self._rows(), self._shape[0]), (-1, 1))

    def add(self, b, alpha, beta):
        """alpha a + beta b of two of one shape."""
        if not isinstance(b, CSRTensor):
            raise TypeError("[csr_add] b, got %s, expected a CSRTensor" % type(b).__name__)
        if not isinstance(alpha, Tensor) or not isinstance(beta, Tensor):
            raise TypeError("[csr_add] alpha and beta, got %s and %s, expected Tensors" % (type(alpha).__name__, type(beta).__name__))
        if self._shape != b._shape or self.ndim != 2:
            raise ValueError("[csr_add] shapes, got %s and %s, expected (M, N) twice" % (self._shape, b._shape))
        import numpy
        keys = [_s.keys_of("csr_add", one.to_coo()._indices, one._shape) for one in (self, b)]
        values = _k.concat([self._values * alpha, b._values * beta], 0)
        keys, values = _s.united(numpy.concatenate(keys), values)
        return _from_keys(keys, values, self._shape, self._indices.dtype)

    def __add__(self, other):
        if not isinstance(other, CSRTensor):
            self._refuse("the sum", other)
        one = Tensor(1, self.dtype)
        return self.add(other, one, one)

    def __sub__(self, other):
        if not isinstance(other, CSRTensor):
            self._refuse("the difference", other)
        return self.add(other, Tensor(1, self.dtype), Tensor(-1, self.dtype))

    def _at(self, other, what):
        if not isinstance(other, Tensor):
            self._refuse(what, other)
        sizes = (1,) * (self.ndim - other.ndim) + tuple(other.shape)
        if self.ndim != 2 or any(got not in (1, size) for got, size in zip(sizes, self._shape)) or len(sizes) != 2:
            raise ValueError("[CSRTensor] shapes of %s, got %s and %s, expected ones that broadcast to the first" % (
                what, self._shape, tuple(other.shape)))
        return _s.elements_at(other, [self._rows(), self._indices])

    def __mul__(self, other):
        return self.with_values(self._values * self._at(other, "the product"))

    __rmul__ = __mul__

    def __truediv__(self, other):
        return self.with_values(self._values / self._at(other, "the quotient"))


def _from_keys(keys, values, shape, dtype):
    """A CSRTensor of positions in ascending order and the values there."""
    places = _s.indices_of(keys, shape, dtype)
    return CSRTensor(_s.starts_of(places[:, 0], shape[0]), places[:, 1], values, shape)


def _multiplied(where, a, b):
    """The product of two CSRTensors. It stores every position at which a pair of stored elements meets."""
    import numpy
    if a.ndim != 2 or b.ndim != 2 or a.shape[1] != b.shape[0]:
        raise ValueError("[%s] shapes of a product, got %s and %s, expected (M, N) and (N, K)" % (where, a.shape, b.shape))
    kept = [one.with_values(Tensor(numpy.ones(one.size, numpy.float32))).to_dense() for one in (a, b)]
    shape = (a.shape[0], b.shape[1])
    keys = numpy.flatnonzero(_k.matmul(kept[0], kept[1]).asnumpy())
    dense = _k.reshape(_k.matmul(a.to_dense(), b.to_dense()), (-1,))
    return _from_keys(keys, _k.gather(dense, Tensor(keys.astype(numpy.int64)), 0), shape, a.indices.dtype)


class SparseTensor(COOTensor):
    """The older name of COOTensor."""

    def __init__(self, indices, values, shape):
        super().__init__(indices, values, shape)


__all__ = ["RowTensorInner", "RowTensor", "SparseTensor", "COOTensor", "CSRTensor"]
