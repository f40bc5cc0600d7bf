"""Matrix factors in LAPACK's packed forms (QR with Householder reflectors, LU with pivots), condition numbers, eigenvalues."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import distance_func as _d
from . import registry as _k
from .primitive import Primitive as _Primitive

_REAL = (_mstype.float32, _mstype.float64)


def _matrices(where, x, what="input", dtypes=_REAL):
    if _check(x, where).ndim < 2:
        raise ValueError("[%s] rank of %s, got %d, expected 2 at least" % (where, what, x.ndim))
    if x.dtype not in dtypes:
        raise TypeError("[%s] dtype of %s, got %s, expected one of %s" % (where, what, x.dtype, ", ".join(map(str, dtypes))))
    return x


def cond(A, p=None):
    """Computes the condition number of matrices (..., n, n): norm(A) * norm(inverse of A), by default with the norm 2.

    p is None, 2, -2, 1, -1, inf, -inf, 'fro' or 'nuc'; for 2, -2 and 'nuc' the result is float32, as in MindSpore.
    """
    _matrices("cond", A, "A", (_mstype.float32, _mstype.float64) + _mstype.complex_type)
    if A.shape[-1] != A.shape[-2]:
        raise ValueError("[cond] shape of A, got %s, expected square matrices" % (tuple(A.shape),))
    if p in (None, 2, -2):
        values = _k.svd(A, False)[0]
        most, least = _k.max(values, -1), _k.min(values, -1)
        out = least / most if p == -2 else most / least
    else:
        out = _d.norm(A, p, (-2, -1)) * _d.norm(_k.inverse(A), p, (-2, -1))
    return _k.cast(out, _mstype.float32) if p in (2, -2, "nuc") else out


def geqrf(input):
    """Computes the packed QR factors of matrices (..., m, n), without a gradient.

    Returns (packed, tau): packed holds R on and above the diagonal and the Householder reflectors below it.
    """
    import numpy
    _matrices("geqrf", input)
    rows, columns = input.shape[-2:]
    stack, lead = input.asnumpy().reshape((-1, rows, columns)), tuple(input.shape[:-2])
    factors = [numpy.linalg.qr(one, mode="raw") for one in stack]
    packed = numpy.stack([numpy.swapaxes(f[0], -1, -2) for f in factors]).reshape(lead + (rows, columns))
    tau = numpy.stack([f[1] for f in factors]).reshape(lead + (min(rows, columns),))
    return _Tensor(numpy.ascontiguousarray(packed)), _Tensor(tau)


def _reflected(x, reflectors, tau, last_first):
    """Multiplies x by the reflections I - tau v v', starting with the last one or the first."""
    count, rows = tau.shape[-1], reflectors.shape[-2]
    unit = _k.eye(rows, reflectors.shape[-1], reflectors.dtype)
    below = _k.tril(reflectors, -1) + unit
    for i in (range(count - 1, -1, -1) if last_first else range(count)):
        v = below[..., i:i + 1]
        scaled = tau[..., i:i + 1]
        x = x - _k.expand_dims(scaled, -1) * _k.matmul(v, _k.matmul(v, x, True, False))
    return x


def _check_reflectors(where, reflectors, tau):
    _matrices(where, reflectors)
    if _check(tau, where).dtype != reflectors.dtype:
        raise TypeError("[%s] dtype of tau, got %s, expected %s" % (where, tau.dtype, reflectors.dtype))
    if not tau.ndim or tau.shape[:-1] != reflectors.shape[:-2] or tau.shape[-1] > reflectors.shape[-1]:
        raise ValueError("[%s] shape of tau, got %s, expected one number for each column of %s"
                         % (where, tuple(tau.shape), tuple(reflectors.shape)))


def orgqr(input, input2):
    """Computes the first columns of Q, (..., m, n), from the reflectors (..., m, n) and tau of geqrf."""
    _check_reflectors("orgqr", input, input2)
    rows, columns = input.shape[-2:]
    if rows < columns:
        raise ValueError("[orgqr] shape of input, got %s, expected no more columns than rows" % (tuple(input.shape),))
    start = _k.broadcast_to(_k.eye(rows, columns, input.dtype), tuple(input.shape))
    return _reflected(start, input, input2, True)


def ormqr(input, tau, other, left=True, transpose=False):
    """Computes Q other, or other Q with left=False, where the reflectors of geqrf give the full Q; transpose uses the transpose of Q."""
    _check_reflectors("ormqr", input, tau)
    _matrices("ormqr", other, "other")
    if other.shape[-2 if left else -1] != input.shape[-2]:
        raise ValueError("[ormqr] shape of other, got %s, expected %d %s"
                         % (tuple(other.shape), input.shape[-2], "rows" if left else "columns"))
    if left:
        return _reflected(other, input, tau, not transpose)
    return _k.swapaxes(_reflected(_k.swapaxes(other, -1, -2), input, tau, transpose), -1, -2)


def _permutations(where, pivots, rows):
    """Returns the row numbers after the exchanges in pivots, which count from 1: one array for each matrix."""
    import numpy
    if _check(pivots, where).dtype not in (_mstype.int8, _mstype.uint8, _mstype.int16, _mstype.int32, _mstype.int64):
        raise TypeError("[%s] dtype of LU_pivots, got %s, expected one of ints" % (where, pivots.dtype))
    if not pivots.ndim:
        raise ValueError("[%s] rank of LU_pivots, got 0, expected at least 1" % where)
    found = pivots.asnumpy().reshape((-1, pivots.shape[-1]))
    if found.size and (found.min() < 1 or found.max() > rows):
        raise ValueError("[%s] LU_pivots, got %d to %d, expected numbers from 1 to %d"
                         % (where, found.min(), found.max(), rows))
    out = numpy.tile(numpy.arange(rows), (len(found), 1))
    for row, exchanges in zip(out, found):
        for i, pivot in enumerate(exchanges):
            row[i], row[pivot - 1] = row[pivot - 1], row[i]
    return out


def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True):
    """Returns (P, L, U) of packed LU factors (..., m, n) and pivots (..., min(m, n)); P L U is the matrix.

    L and U are None without unpack_data, and P is None without unpack_pivots.
    """
    import numpy
    _matrices("lu_unpack", LU_data, "LU_data", _REAL + (_mstype.float16, _mstype.int32, _mstype.int64, _mstype.int8,
                                                       _mstype.int16, _mstype.uint8))
    rows, columns = LU_data.shape[-2:]
    short = min(rows, columns)
    if tuple(_check(LU_pivots, "lu_unpack").shape) != tuple(LU_data.shape[:-2]) + (short,):
        raise ValueError("[lu_unpack] shape of LU_pivots, got %s, expected %s"
                         % (tuple(LU_pivots.shape), tuple(LU_data.shape[:-2]) + (short,)))
    lower = upper = pivots = None
    if unpack_data:
        lower = _k.tril(LU_data[..., :short], -1) + _k.eye(rows, short, LU_data.dtype)
        upper = _k.triu(LU_data[..., :short, :], 0)
    if unpack_pivots:
        order = _permutations("lu_unpack", LU_pivots, rows)
        ones = numpy.swapaxes(numpy.eye(rows)[order], -1, -2).reshape(tuple(LU_data.shape[:-2]) + (rows, rows))
        pivots = _k.cast(_Tensor(numpy.ascontiguousarray(ones)), LU_data.dtype)
    return pivots, lower, upper


def lu_solve(b, LU_data, LU_pivots):
    """Solves A x = b for x, (..., n, k), given the packed LU factors (..., n, n) of A and their pivots."""
    _matrices("lu_solve", LU_data, "LU_data")
    _matrices("lu_solve", b, "b")
    if LU_data.dtype != b.dtype:
        raise TypeError("[lu_solve] dtype of LU_data, got %s, expected that of b, %s" % (LU_data.dtype, b.dtype))
    size = LU_data.shape[-1]
    if LU_data.shape[-2] != size or b.shape[-2] != size:
        raise ValueError("[lu_solve] shapes of b and LU_data, got %s and %s, expected as many rows and square matrices"
                         % (tuple(b.shape), tuple(LU_data.shape)))
    order = _permutations("lu_solve", LU_pivots, size)
    rows = _Tensor(order.reshape(tuple(LU_pivots.shape[:-1]) + (size, 1)).astype("int64"))
    lead = tuple(b.shape[:-2]) if b.ndim >= LU_data.ndim else tuple(LU_data.shape[:-2])
    b, rows = (_k.broadcast_to(part, lead + (size, b.shape[-1])) for part in (b, rows))
    lower = _k.tril(LU_data, -1) + _k.eye(size, size, LU_data.dtype)
    factors = [_k.broadcast_to(part, lead + (size, size)) for part in (lower, _k.triu(LU_data, 0))]
    return _k.matrix_solve(factors[1], _k.matrix_solve(factors[0], _k.gather_elements(b, rows, b.ndim - 2), False), False)


# -- eigenvalues of general matrices, computed with NumPy --------------------------------------------------------------

_COMPLEX_OF = {_mstype.float32: _mstype.complex64, _mstype.float64: _mstype.complex128, _mstype.complex64: _mstype.complex64,
            _mstype.complex128: _mstype.complex128}


def _decomposed(where, A):
    import numpy
    if _check(A, where).dtype not in _COMPLEX_OF:
        raise TypeError("[%s] dtype of A, got %s, expected float32, float64, complex64 or complex128" % (where, A.dtype))
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ValueError("[%s] shape of A, got %s, expected (..., n, n)" % (where, tuple(A.shape)))
    values, vectors = numpy.linalg.eig(A.asnumpy())
    order = numpy.lexsort((values.imag, values.real), axis=-1)  # the order of MindSpore: by real parts, then by imaginary parts
    values = numpy.take_along_axis(values, order, -1)
    vectors = numpy.take_along_axis(vectors, order[..., None, :], -1)
    kind = _COMPLEX_OF[A.dtype]
    return _Tensor(values.astype(_mstype.dtype_to_nptype(kind)), kind), _Tensor(vectors.astype(_mstype.dtype_to_nptype(kind)), kind)


def _constant(where, A):
    """Returns the results without gradients; asking for a gradient raises, as in MindSpore."""
    from ..custom_function import _Function

    class Eig(_Function):
        @staticmethod
        def forward(ctx, A):
            return _decomposed(where, A)

        @staticmethod
        def backward(ctx, *grads):
            raise RuntimeError("[%s] gradient, got asked for one, expected none: those of eigenvalues of general matrices are not defined here"
                               % where)
    return Eig.apply(A)


def eig(A):
    """Computes eigenvalues and eigenvectors of general square matrices (..., n, n).

    Returns (eigenvalues (..., n), eigenvectors (..., n, n) in columns of length 1), complex64 or complex128. Eigenvalues ascend by their real
    parts, then by their imaginary parts. Raises TypeError unless the dtype is float32, float64 or complex, ValueError for matrices that are
    not square, and numpy.linalg.LinAlgError for NaN and infinities.

    >>> from msjit import Tensor, ops
    >>> ops.eig(Tensor([[2.0, 0.0], [0.0, 1.0]]))[0].asnumpy().real.tolist()
    [1.0, 2.0]
    """
    return _constant("eig", A)


def eigvals(A):
    """Computes the eigenvalues of general square matrices, as eig does.

    >>> from msjit import Tensor, ops
    >>> ops.eigvals(Tensor([[0.0, -1.0], [1.0, 0.0]])).asnumpy().imag.tolist()
    [-1.0, 1.0]
    """
    return _constant("eigvals", A)[0]


class Eig(_Primitive):
    """Computes eigenvalues and eigenvectors; returns an empty tensor for the eigenvectors unless compute_v is True."""

    def __init__(self, compute_v=False):
        super().__init__()
        if not isinstance(compute_v, bool):
            raise TypeError("[Eig] compute_v, got %s, expected a bool" % type(compute_v).__name__)
        self.compute_v = compute_v

    def __call__(self, x):
        values, vectors = _constant("Eig", x)
        return values, vectors if self.compute_v else _Tensor(shape=(0,), dtype=values.dtype, init="zeros").init_data()


__all__ = ["cond", "eig", "eigvals", "geqrf", "orgqr", "ormqr", "lu_unpack", "lu_solve"]
