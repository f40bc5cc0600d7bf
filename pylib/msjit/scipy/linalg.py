"""mindspore.scipy.linalg: factorisations, solutions and inverses of matrices, all differentiable.

Arguments are Tensors of int32, int64 (computed as float64), float32 or float64. As in MindSpore, another type or dtype raises TypeError,
another shape ValueError. overwrite_a, overwrite_b and check_finite change nothing.
"""
from .. import ops
from ..common import dtype as mstype
from ..common.tensor import Tensor
from ..ops import registry as _k

_REAL = (mstype.int32, mstype.int64, mstype.float32, mstype.float64)


def _bools(where, **flags):
    for name, value in flags.items():
        if not isinstance(value, bool):
            raise TypeError("[%s] %s, got %s, expected a bool" % (where, name, type(value).__name__))


def _matrix(where, a, name="a", square=True, dtypes=_REAL):
    """Checks a matrix and returns it as floats."""
    if not isinstance(a, Tensor):
        raise TypeError("[%s] %s, got %s, expected a Tensor" % (where, name, type(a).__name__))
    if a.dtype not in dtypes:
        raise TypeError("[%s] dtype of %s, got %s, expected one of %s" % (where, name, a.dtype, ", ".join(str(d) for d in dtypes)))
    if a.ndim != 2 or (square and a.shape[0] != a.shape[1]):
        raise ValueError("[%s] shape of %s, got %s, expected %s"
                         % (where, name, tuple(a.shape), "(N, N)" if square else "(M, N)"))
    return _k.cast(a, mstype.float64) if a.dtype in mstype.int_type else a


def block_diag(*arrs):
    """Builds a matrix with the given ones (of two axes or fewer) on its diagonal and zeros elsewhere.

    Raises ValueError for more axes.
    """
    if not arrs:
        return _k.zeros((1, 0), dtype=mstype.float32)
    if any(a.ndim > 2 for a in arrs):
        raise ValueError("[block_diag] axes, got %s, expected 2 at most" % [a.ndim for a in arrs])
    return ops.block_diag(*arrs)


def inv(a, overwrite_a=False, check_finite=True):
    """Computes the inverse of a matrix (N, N)."""
    _bools("inv", overwrite_a=overwrite_a, check_finite=check_finite)
    return _k.inverse(_matrix("inv", a))


def det(a, overwrite_a=False, check_finite=True):
    """Computes the determinant of a matrix (N, N), a Tensor without axes."""
    _bools("det", overwrite_a=overwrite_a, check_finite=check_finite)
    return _k.det(_matrix("det", a))


def cholesky(a, lower=False, overwrite_a=False, check_finite=True):
    """Factors a positive definite matrix (N, N): returns U with U^T U = a, or with lower L with L L^T = a.

    Raises ValueError where the matrix is not positive definite.
    """
    _bools("cholesky", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    factor = _k.cholesky_factor(_matrix("cholesky", a))
    return factor if lower else _k.swapaxes(factor, 0, 1)


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    """Returns (cholesky(a, lower), lower), the first argument of cho_solve."""
    _bools("cho_factor", lower=lower, overwrite_a=overwrite_a, check_finite=check_finite)
    return cholesky(a, lower), lower


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    """Solves a x = b from the factor of a that cho_factor returned; x is (N,) or (N, K)."""
    factor, lower = c_and_lower
    _bools("cho_solve", lower=lower, overwrite_b=overwrite_b, check_finite=check_finite)
    whole = _matrix("cho_solve", factor, "c")
    factor, b = whole, _right("cho_solve", factor, b)
    first = _solved(factor, b, not lower, lower, False)
    return _solved(factor, first, lower, lower, False)


def _right(where, a, b):
    """Checks the right-hand side and returns it as floats."""
    if not isinstance(b, Tensor):
        raise TypeError("[%s] b, got %s, expected a Tensor" % (where, type(b).__name__))
    if b.dtype != a.dtype:
        raise TypeError("[%s] dtype of b, got %s, expected that of the matrix, %s" % (where, b.dtype, a.dtype))
    if b.ndim not in (a.ndim - 1, a.ndim) or tuple(b.shape[:a.ndim - 1]) != tuple(a.shape[:-1]):
        raise ValueError("[%s] shape of b, got %s, expected %s, or one axis more"
                         % (where, tuple(b.shape), tuple(a.shape[:-1])))
    return _k.cast(b, mstype.float64) if b.dtype in mstype.int_type else b


def _solved(a, b, transposed, lower, unit):
    """Solves a x = b, reading only one triangle of a."""
    factor = _k.tril(a, 0) if lower else _k.triu(a, 0)
    if unit:
        ones = _k.eye(a.shape[-1], a.shape[-1], a.dtype)
        factor = factor * (1 - ones) + ones
    vector = b.ndim < a.ndim
    found = _k.matrix_solve(factor, _k.expand_dims(b, -1) if vector else b, transposed)
    return _k.squeeze(found, -1) if vector else found


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False, overwrite_b=False, debug=None, check_finite=True):
    """Solves a x = b for triangular matrices a (..., N, N); x is (..., N) or (..., N, K).

    It solves a^T x = b where trans is 1, 2, 'T' or 'C'. Only the upper or `lower` triangle of a is read; with unit_diagonal
    its diagonal counts as ones. Ints are computed as float32.

    Raises ValueError for any other str as trans, RuntimeError for any other number.
    """
    _bools("solve_triangular", lower=lower, unit_diagonal=unit_diagonal)
    if isinstance(trans, bool) or trans not in (0, 1, 2, "N", "T", "C"):
        error = ValueError if isinstance(trans, str) else RuntimeError
        raise error("[solve_triangular] trans, got %r, expected one of 0, 1, 2, 'N', 'T', 'C'" % (trans,))
    if not isinstance(a, Tensor) or a.dtype not in _REAL:
        raise TypeError("[solve_triangular] a, got %s, expected a Tensor of ints or floats" % getattr(a, "dtype", type(a).__name__))
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError("[solve_triangular] shape of a, got %s, expected (..., N, N)" % (tuple(a.shape),))
    b = _right("solve_triangular", a, b)
    if a.dtype in mstype.int_type:
        a, b = _k.cast(a, mstype.float32), _k.cast(b, mstype.float32)
    return _solved(a, b, trans not in (0, "N"), lower, unit_diagonal)


def eigh(a, b=None, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, turbo=True, eigvals=None, type=1,
         check_finite=True):
    """Returns (eigenvalues (N,) in rising order, eigenvectors (N, N) in columns) of a symmetric matrix, or the values
    alone.

    Only one triangle of a is read. Raises ValueError where b or eigvals is given: MindSpore takes neither.
    """
    _bools("eigh", lower=lower, eigvals_only=eigvals_only, overwrite_a=overwrite_a, overwrite_b=overwrite_b, turbo=turbo,
           check_finite=check_finite)
    a = _matrix("eigh", a)
    for name, value in (("b", b), ("eigvals", eigvals)):
        if value is not None:
            raise ValueError("[eigh] %s, got a value, expected None" % name)
    half = _k.tril(a, 0) if lower else _k.triu(a, 0)
    whole = half + _k.swapaxes(_k.tril(a, -1) if lower else _k.triu(a, 1), 0, 1)
    values, vectors = _k.eigh(whole)
    return values if eigvals_only else (values, vectors)


def _packed(a):
    """LU with partial pivoting: (packed factors, order of the rows, row exchanged at each step).

    Plain Python computes the order, so gradients flow only through the elements.
    """
    rows, order, pivots = a.shape[0], list(range(a.shape[0])), []
    for column in range(min(a.shape)):
        at = column + int(_k.argmax(_k.abs(a[column:, column]), 0).asnumpy())
        pivots.append(at)
        if at != column:
            order[column], order[at] = order[at], order[column]
            swapped = list(range(rows))
            swapped[column], swapped[at] = at, column
            a = ops.gather(a, Tensor(swapped, mstype.int64), 0)
        if column + 1 < rows:
            below = a[column + 1:, column:column + 1] / a[column, column]
            rest = a[column + 1:, column + 1:] - below * a[column:column + 1, column + 1:]
            lower = ops.cat((a[column + 1:, :column], below, rest), 1)
            a = ops.cat((a[:column + 1], lower), 0)
    return a, order, pivots


def lu_factor(a, overwrite_a=False, check_finite=True):
    """Factors a matrix (N, N) as P L U; returns (L and U in one matrix, for each row the row it was exchanged with (N,) int32)."""
    _bools("lu_factor", overwrite_a=overwrite_a, check_finite=check_finite)
    packed, _, pivots = _packed(_matrix("lu_factor", a))
    return packed, Tensor(pivots, mstype.int32)


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    """Solves a x = b, or a^T x = b if trans is 1 or 2, from the result of lu_factor(a); b and x are (N,) or (N, K).

    Raises ValueError for another trans and for shapes that do not fit.
    """
    _bools("lu_solve", overwrite_b=overwrite_b, check_finite=check_finite)
    if trans not in (0, 1, 2):
        raise ValueError("[lu_solve] trans, got %r, expected 0, 1 or 2" % (trans,))
    packed, pivots = lu_and_piv
    packed = _matrix("lu_solve", packed, "lu")
    b, order = _right("lu_solve", packed, b), list(range(packed.shape[0]))
    for at, other in enumerate(pivots.asnumpy().tolist()):
        order[at], order[other] = order[other], order[at]
    if trans == 0:
        b = ops.gather(b, Tensor(order, mstype.int64), 0)
        return _solved(packed, _solved(packed, b, False, True, True), False, False, False)
    found = _solved(packed, _solved(packed, b, True, False, False), True, True, True)
    back = [order.index(row) for row in range(len(order))]
    return ops.gather(found, Tensor(back, mstype.int64), 0)


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    """Computes (P, L, U) with P L U = a for a matrix (M, N), M <= N; P is int32.

    With permute_l it returns (P L, U). Raises ValueError where M > N.
    """
    _bools("lu", permute_l=permute_l, overwrite_a=overwrite_a, check_finite=check_finite)
    a = _matrix("lu", a, square=False)
    rows, columns = a.shape
    if rows > columns:
        raise ValueError("[lu] shape of a, got %s, expected no more rows than columns" % (tuple(a.shape),))
    packed, order, _ = _packed(a)
    lower = _k.tril(packed, -1)[:, :rows] + _k.eye(rows, rows, a.dtype)
    exchanged = [[int(order[j] == i) for j in range(rows)] for i in range(rows)]
    upper = _k.triu(packed, 0)
    if permute_l:
        return _k.matmul(Tensor(exchanged, a.dtype), lower), upper
    return Tensor(exchanged, mstype.int32), lower, upper


def lstsq(A, B, rcond=None, driver=None):
    """Solves the least-squares problem A X = B; X is the solution of least norm. A is (M, N), B is (M,) or (M, K),
    float32 or float64.

    Returns (X, an empty Tensor, the rank of A as int64, an empty Tensor), as MindSpore does. Singular values up to rcond
    times the greatest count as 0.
    """
    given, A = A, _matrix("lstsq", A, "A", False)
    B = _right("lstsq", given, B)
    limit = max(A.shape) * (1.1920929e-07 if A.dtype == mstype.float32 else 2.220446049250313e-16) if rcond is None else rcond
    values = ops.svd(A, compute_uv=False)
    rank = _k.sum(_k.cast(_k.greater(values, _k.max(values) * limit), mstype.int64))
    columns = _k.expand_dims(B, -1) if B.ndim == 1 else B
    found = _k.matmul(ops.pinv(A, rtol=limit), columns)
    empty = _k.zeros((0,), dtype=A.dtype)
    return (_k.squeeze(found, -1) if B.ndim == 1 else found), empty, rank, empty


__all__ = ["lstsq", "block_diag", "inv", "cho_factor", "cholesky", "cho_solve", "eigh", "lu_factor", "lu", "solve_triangular"]
