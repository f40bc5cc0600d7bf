"""Products of tensors and linear algebra under MindSpore's names and argument orders."""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_int as _check_int
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import check_tensor as _check
from . import array_func as _a
from . import math_func as _m
from . import registry as _k
from .argument_kinds import check_factor as _factor
from .argument_kinds import check_index as _check_index
from .argument_kinds import check_operand as _operand
from .argument_kinds import check_real as _check_real
from .argument_kinds import check_sized as _sized
from .argument_kinds import is_index as _is_index
from .einsum_func import einsum as _einsum
from .layout_func import adjoint as _adjoint

# The most square roots on the way to a logarithm, and the most iterations of one of them.
_ROOTS, _STEPS = 60, 60
# 7 Gauss-Legendre points on [0, 1] and their weights.
_POINTS = (0.025446043828620737, 0.12923440720030278, 0.2970774243113014, 0.5, 0.7029225756886985, 0.8707655927996972, 0.9745539561713792)
_WEIGHTS = (0.06474248308443484, 0.13985269574463834, 0.19091502525255948, 0.20897959183673470, 0.19091502525255948, 0.13985269574463834,
            0.06474248308443484)

# -- products --------------------------------------------------------------------------------------------------------


def tensor_dot(x1, x2, axes):
    """Sums products over axes of two tensors; the result has the other axes of x1, then those of x2.

    An int means the last `axes` axes of x1 and the first ones of x2; a pair holds (axes of x1, axes of x2). Raises ValueError where the
    sizes of the axes differ, TypeError for operands that are no Tensors and for other axes.

    >>> import msjit as ms
    >>> ms.ops.tensor_dot(ms.ops.ones((2, 3, 4), ms.float32), ms.ops.ones((4, 3), ms.float32), ((1, 2), (1, 0))).shape
    (2,)
    """
    rank1, rank2 = _check(x1, "tensor_dot").ndim, _check(x2, "tensor_dot").ndim
    if _is_index(axes):
        if not 0 <= axes <= min(rank1, rank2):
            raise ValueError("[tensor_dot] axes, got %d, expected 0 to %d" % (axes, min(rank1, rank2)))
        left, right = list(range(rank1 - axes, rank1)), list(range(axes))
    else:
        if len(_sized(axes, "tensor_dot", "axes", "a number or two lists")) != 2:
            raise ValueError("[tensor_dot] axes, got %s, expected a number or two lists" % (axes,))
        left, right = _a._axes("tensor_dot", axes[0], rank1), _a._axes("tensor_dot", axes[1], rank2)
    if [x1.shape[i] for i in left] != [x2.shape[i] for i in right]:
        raise ValueError("[tensor_dot] sizes of the axes must match, got %s and %s"
                         % ([x1.shape[i] for i in left], [x2.shape[i] for i in right]))
    free1 = [i for i in range(rank1) if i not in left]
    free2 = [i for i in range(rank2) if i not in right]
    inner = 1
    for i in left:
        inner *= x1.shape[i]
    first = _k.reshape(_k.transpose(x1, free1 + left), (-1, inner) if inner else (_count(x1, free1), 0))
    second = _k.reshape(_k.transpose(x2, right + free2), (inner, -1) if inner else (0, _count(x2, free2)))
    return _k.reshape(_k.matmul(first, second), [x1.shape[i] for i in free1] + [x2.shape[i] for i in free2])


def _count(x, axes):
    total = 1
    for axis in axes:
        total *= x.shape[axis]
    return total


def kron(input, other):
    """Kronecker product: each element of `input` is replaced by its product with the whole of `other`. Sizes multiply, axis by axis from the last.

    >>> import msjit as ms
    >>> ms.ops.kron(ms.Tensor([1.0, 10.0]), ms.Tensor([1.0, 2.0])).asnumpy().tolist()
    [1.0, 2.0, 10.0, 20.0]
    """
    rank = max(_check(input, "kron").ndim, _check(other, "kron").ndim)
    first = (1,) * (rank - input.ndim) + tuple(input.shape)
    second = (1,) * (rank - other.ndim) + tuple(other.shape)
    left = _k.reshape(input, [size for n in first for size in (n, 1)])
    right = _k.reshape(other, [size for n in second for size in (1, n)])
    return _k.reshape(left * right, [a * b for a, b in zip(first, second)])


def mv(mat, vec):
    """Multiplies a matrix (n, m) by a vector (m,): (n,). Raises ValueError for other ranks and sizes, TypeError for different dtypes."""
    _check(mat, "mv"), _check(vec, "mv")
    if mat.ndim != 2 or vec.ndim != 1:
        raise ValueError("[mv] operands must be a matrix and a vector, got %d and %d axes" % (mat.ndim, vec.ndim))
    try:
        return _k.matmul(mat, vec)
    except _ERRORS as error:
        _rename(error, "mv")
        raise


def _check_sum(where, input, first, second, beta, alpha, what="input"):
    """Raises TypeError unless beta * input + alpha * (a product of the Tensors first and second) can be computed."""
    _factor(input, where, what), _check(first, where), _check(second, where)
    _factor(beta, where, "beta"), _factor(alpha, where, "alpha")


def addmv(input, mat, vec, *, beta=1, alpha=1):
    """Computes beta * input + alpha * (mat @ vec): (n, m) by (m,), and an input that broadcasts to (n,).

    Raises TypeError for operands that are no Tensors and for a beta or alpha that is no number.
    """
    _check_sum("addmv", input, mat, vec, beta, alpha)
    return beta * input + alpha * mv(mat, vec)


def addr(x, vec1, vec2, beta=1, alpha=1):
    """Computes beta * x + alpha * outer(vec1, vec2): vectors (n,) and (m,), and an x that broadcasts to (n, m).

    Raises TypeError for operands that are no Tensors and for a beta or alpha that is no number.
    """
    _check_sum("addr", x, vec1, vec2, beta, alpha, "x")
    return beta * x + alpha * _m.outer(vec1, vec2)


def baddbmm(input, batch1, batch2, beta=1, alpha=1):
    """Computes beta * input + alpha * bmm(batch1, batch2): (b, n, m) by (b, m, p), and an input that broadcasts to (b, n, p).

    Raises TypeError for operands that are no Tensors and for a beta or alpha that is no number.
    """
    _check_sum("baddbmm", input, batch1, batch2, beta, alpha)
    return beta * input + alpha * _m.bmm(batch1, batch2)


def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    """Computes beta * input + alpha * (the sum of bmm(batch1, batch2) over the first axis): an input that broadcasts to (n, p).

    Raises TypeError for operands that are no Tensors and for a beta or alpha that is no number.
    """
    _check_sum("addbmm", input, batch1, batch2, beta, alpha)
    return beta * input + alpha * _k.sum(_m.bmm(batch1, batch2), 0)


def vecdot(x, y, *, axis=-1):
    """Sums the products of x and y along an axis, the last by default; a complex x is conjugated. The shapes broadcast.

    Raises ValueError for shapes that do not broadcast and for an axis outside, TypeError for anything but Tensors.
    """
    _check(x, "vecdot"), _operand(y, "vecdot", "y")
    return _k.sum((_k.conj(x) if x.is_complex() else x) * y, axis)


ger = _m.outer


def batch_dot(x1, x2, axes=None):
    """Sums products over one axis of each of two stacks of tensors, by default the last of x1 and the last but one of
    x2.

    Axis 0 is that of the stacks. axes is an int or two. Raises ValueError for axis 0, axes outside and operands of fewer than two axes, TypeError for
    anything but Tensors and for other axes.
    """
    rank1, rank2 = _check(x1, "batch_dot").ndim, _check(x2, "batch_dot").ndim
    if rank1 < 2 or rank2 < 2:
        raise ValueError("[batch_dot] operands must have at least 2 axes, got %d and %d" % (rank1, rank2))
    if axes is None:
        axes = (rank1 - 1, rank2 - 2 if rank2 > 2 else rank2 - 1)
    axes = (axes, axes) if _is_index(axes) else _sized(axes, "batch_dot", "axes", "an int or two")
    if len(axes) != 2:
        raise ValueError("[batch_dot] axes, got %s, expected an int or two" % (axes,))
    first, second = axes
    first, second = _check_axis(first, rank1, "batch_dot"), _check_axis(second, rank2, "batch_dot")
    if first == 0 or second == 0:
        raise ValueError("[batch_dot] axes must not be 0, the axis of the batch, got %s" % (axes,))
    letters = "abcdefghijklmnopq"
    left, right = list(letters[1:rank1]), list(letters[rank1:rank1 + rank2 - 1])
    left[first - 1] = right[second - 1] = "z"
    out = "a" + "".join(c for c in left + right if c != "z")
    product = _einsum("a%s,a%s->%s" % ("".join(left), "".join(right), out), x1, x2)
    return product if product.ndim > 1 else _k.expand_dims(product, 1)


def cross(input, other, dim=None):
    """Cross product of vectors of three elements along axis dim, by default the first axis of size 3. The result has the shape of the operands.

    Raises ValueError for an axis of another size and where no axis has size 3, TypeError for anything but Tensors and for a dim that is no int.

    >>> import msjit as ms
    >>> ms.ops.cross(ms.Tensor([1.0, 0.0, 0.0]), ms.Tensor([0.0, 1.0, 0.0])).asnumpy().tolist()
    [0.0, 0.0, 1.0]
    """
    _check(input, "cross"), _check(other, "cross")
    shape = _k.broadcast_to(input, input.shape).shape
    if dim is None:
        fitting = [i for i, size in enumerate(shape) if size == 3]
        if not fitting:
            raise ValueError("[cross] one axis must have size 3, got shape %s" % (tuple(shape),))
        dim = fitting[0]
    _check_index(dim, "cross", "dim")
    if not (dim if dim >= 0 else -dim - 1) < min(input.ndim, other.ndim):
        raise ValueError("[cross] dim is out of range, got %d for shapes %s and %s" % (dim, input.shape, other.shape))
    if input.shape[dim] != 3 or other.shape[dim] != 3:
        raise ValueError("[cross] size of the axis must be 3, got %d and %d" % (input.shape[dim], other.shape[dim]))
    return (_k.roll(input, -1, dim) * _k.roll(other, -2, dim) - _k.roll(input, -2, dim) * _k.roll(other, -1, dim))


# -- matrices --------------------------------------------------------------------------------------------------------


def matrix_determinant(input):
    """Computes the determinants of square matrices (..., n, n); the result has the shape (...). Raises ValueError for other shapes."""
    return _k.det(input)


def log_matrix_determinant(input):
    """Computes (sign, log of the absolute value) of the determinants of square matrices (..., n, n), each of the shape (...).

    The logarithm does not overflow where the determinant would. Raises ValueError for matrices that are not square.
    """
    return _k.slogdet(input)


def logdet(input):
    """Computes log(det(x)) of square matrices; NaN where the determinant is negative, the principal value for complex ones."""
    sign, value = _k.slogdet(input)
    if sign.dtype in _mstype.complex_type:
        return _k.log(sign) + value
    return _k.where(_k.less(sign, 0), float("nan"), value)


def cholesky(input_x, upper=False):
    """Factors symmetric positive definite matrices (..., n, n) as L @ L.T (complex: L @ L.mH) and returns the lower triangle L.

    With upper it returns the conjugate transpose of L. Raises TypeError for an upper that is no bool, ValueError for matrices that are not
    square or not positive definite.

    >>> import msjit as ms
    >>> ms.ops.cholesky(ms.Tensor([[4.0, 2.0], [2.0, 5.0]])).asnumpy().tolist()
    [[2.0, 0.0], [1.0, 2.0]]
    """
    if not isinstance(upper, bool):
        raise TypeError("[cholesky] upper, got %s, expected a bool" % type(upper).__name__)
    try:
        lower = _k.cholesky_factor(input_x)
    except _ERRORS as error:
        _rename(error, "cholesky")
        raise
    return _adjoint(lower) if upper else lower


def cholesky_inverse(input_x, upper=False):
    """Computes the inverse of L @ L.T (with upper, of U.T @ U) from the triangular factor input_x."""
    if _check(input_x, "cholesky_inverse").ndim < 2 or input_x.shape[-1] != input_x.shape[-2]:
        raise ValueError("[cholesky_inverse] shape of input_x, got %s, expected square matrices" % (tuple(input_x.shape),))
    turned = _adjoint(input_x)
    return _k.inverse(_k.matmul(turned, input_x) if upper else _k.matmul(input_x, turned))


def cholesky_solve(input, input2, upper=False):
    """Solves (L @ L.T) @ x = input (with upper, (U.T @ U) @ x = input) for the triangular factor input2."""
    factor = _k.triu(input2) if upper else _k.tril(input2)
    return _k.matrix_solve(factor, _k.matrix_solve(factor, input, upper), not upper)


def qr(input, mode="reduced"):
    """Factors matrices (..., m, n) as Q @ R and returns (Q, R): Q has orthonormal columns, R is upper triangular.

    In mode 'reduced' Q is (..., m, k) and R (..., k, n), where k is the smaller of m and n; in mode 'complete' Q is (..., m, m) and R
    (..., m, n). Raises ValueError for another mode.
    """
    if mode not in ("reduced", "complete"):
        raise ValueError("[qr] mode, got %r, expected 'reduced' or 'complete'" % (mode,))
    return _k.qr(input, mode == "complete")


def svd(input, full_matrices=False, compute_uv=True):
    """Factors matrices (..., m, n) as U @ diag(S) @ V.T (complex: V.mH) and returns (S, U, V), or S alone without compute_uv.

    S (..., k) descends, where k is the smaller of m and n; U is (..., m, k) and V (..., n, k), or square with full_matrices. S has the dtype of
    the matrices.

    >>> import msjit as ms
    >>> ms.ops.svd(ms.Tensor([[3.0, 0.0], [0.0, 4.0]]), compute_uv=False).asnumpy().tolist()
    [4.0, 3.0]
    """
    s, u, v = _k.svd(input, bool(full_matrices and compute_uv))
    s = _k.cast(s, u.dtype) if u.dtype in _mstype.complex_type else s
    return (s, u, v) if compute_uv else s


def pinv(x, *, atol=None, rtol=None, hermitian=False):
    """Computes pseudo-inverses of matrices (..., m, n), of the shape (..., n, m) (Moore 1920, Penrose 1955).

    Singular values up to max(atol, rtol * the greatest one) count as 0. By default atol is 0 and rtol max(m, n) times the epsilon of the dtype,
    or 0 if atol is given. hermitian is ignored. Raises ValueError for fewer than two axes, TypeError for an x that is no Tensor and for a bound
    that is no number.
    """
    if _check(x, "pinv").ndim < 2:
        raise ValueError("[pinv] rank of x, got %d, expected at least 2" % x.ndim)
    s, u, v = _k.svd(x, False)
    if rtol is None:
        rtol = 0.0 if atol is not None else max(x.shape[-2:]) * (1.1920928955078125e-07 if s.dtype == _mstype.float32
                                                                 else 2.220446049250313e-16)
    limit = _k.max(s, -1, True) * _operand(rtol, "pinv", "rtol")
    limit = limit if atol is None else _k.maximum(limit, atol)
    kept = _k.greater(s, limit)
    scale = _k.where(kept, 1.0 / _k.where(kept, s, 1.0), 0.0)
    return _k.matmul(v * _k.expand_dims(scale, -2), _adjoint(u))


def matrix_power(input, n):
    """Multiplies n copies of square matrices (..., m, m); for a negative n copies of their inverses. n = 0 gives the identity.

    Raises TypeError for an n that is no int, ValueError for matrices that are not square.

    >>> import msjit as ms
    >>> ms.ops.matrix_power(ms.Tensor([[2.0, 0.0], [0.0, 3.0]]), 2).asnumpy().tolist()
    [[4.0, 0.0], [0.0, 9.0]]
    """
    n = _check_int(n, "matrix_power", "n")
    if _check(input, "matrix_power").ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise ValueError("[matrix_power] shape of input, got %s, expected square matrices" % (input.shape,))
    base = _k.inverse(input) if n < 0 else input
    n, out = abs(n), None
    while n:
        if n % 2:
            out = base if out is None else _k.matmul(out, base)
        n //= 2
        base = _k.matmul(base, base) if n else base
    return _k.broadcast_to(_k.eye(input.shape[-1], input.shape[-1], input.dtype), input.shape) if out is None else out


def matrix_exp(input):
    """Computes exp(A) = sum of A^k / k! of square matrices (..., n, n) by scaling and squaring: a series of 13 terms of A / 2^8, squared eight
    times.

    Raises ValueError for matrices that are not square, TypeError for an input that is no Tensor.
    """
    if _check(input, "matrix_exp").ndim < 2 or input.shape[-1] != input.shape[-2]:
        raise ValueError("[matrix_exp] shape of input, got %s, expected square matrices" % (tuple(input.shape),))
    scaled = input / 256.0
    term = total = _k.broadcast_to(_k.eye(input.shape[-1], input.shape[-1], input.dtype), input.shape)
    for i in range(1, 13):
        term = _k.matmul(term, scaled) / float(i)
        total = total + term
    for _ in range(8):
        total = _k.matmul(total, total)
    return total


def _largest(x):
    return float(_k.max(_k.abs(x)))


def _square_root(x, unit):
    """Computes the principal square root by the iteration of Denman and Beavers (1976): Y converges to it and Z to its inverse."""
    y, z = x, unit
    for _ in range(_STEPS):
        before = y
        y, z = (y + _k.inverse(z)) * 0.5, (z + _k.inverse(y)) * 0.5
        change = _largest(y - before)
        if change <= 1e-14 * max(_largest(y), 1e-300):
            return y
    raise ValueError("[matrix_logarithm] x, got a matrix without principal logarithm, expected no eigenvalue at or below 0 on the real axis")


def _log_of_real(x):
    """Computes the logarithm by inverse scaling and squaring (Higham, Functions of Matrices, 2008, chapter 11): log X =
    2^k log X^(1/2^k)."""
    unit = _k.broadcast_to(_k.eye(x.shape[-1], x.shape[-1], x.dtype), x.shape)
    times = 0
    while not _largest(x - unit) < 0.05:
        if times == _ROOTS:
            raise ValueError("[matrix_logarithm] x, got elements that are not finite or too large, expected a logarithm that exists")
        x, times = _square_root(x, unit), times + 1
    rest, total = x - unit, None
    for point, weight in zip(_POINTS, _WEIGHTS):  # log(1 + A) is the integral of A / (1 + t A) over [0, 1]
        term = _k.matmul(rest, _k.inverse(unit + rest * point)) * weight
        total = term if total is None else total + term
    return total * float(2 ** times)


def matrix_logarithm(x):
    """Computes principal logarithms of square matrices (..., n, n) of complex64 or complex128.

    Raises TypeError for other dtypes and ValueError for other shapes. Raises ValueError where an eigenvalue lies on the
    real axis at or below 0, because the logarithm is not unique there or does not exist.
    """
    if _check(x, "matrix_logarithm").dtype not in (_mstype.complex64, _mstype.complex128):
        raise TypeError("[matrix_logarithm] dtype of x, got %s, expected complex64 or complex128" % (x.dtype,))
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        raise ValueError("[matrix_logarithm] shape of x, got %s, expected square matrices" % (tuple(x.shape),))
    if not x.size:
        return x
    size = x.shape[-1]
    real, imaginary = (_k.cast(part, _mstype.float64) for part in (_k.real(x), _k.imag(x)))
    # The real matrix [[A, -B], [B, A]] represents A + iB: sums, products and inverses correspond.
    rows = [_k.concat([real, -imaginary], -1), _k.concat([imaginary, real], -1)]
    found = _log_of_real(_k.concat(rows, -2))
    left = found[..., :size]
    return _k.cast(_k.complex(left[..., :size, :], left[..., size:, :]), x.dtype)


def lstsq(input, A):
    """Solves input @ X = A in the least squares sense by a QR factorisation, so `input` (m, n) needs full rank.

    A is (m, k) or (m,), and the result (n, k) or (n, 1). With more columns than rows it returns the solution of least norm.

    Raises TypeError for anything but Tensors, ValueError for an input of fewer than two axes.
    """
    _check(A, "lstsq")
    if _check(input, "lstsq").ndim < 2:
        raise ValueError("[lstsq] rank of input, got %d, expected 2" % input.ndim)
    right = _k.expand_dims(A, -1) if A.ndim == input.ndim - 1 else A
    if input.shape[-2] >= input.shape[-1]:
        q, r = _k.qr(input, False)
        out = _k.matrix_solve(r, _k.matmul(_adjoint(q), right))
    else:
        q, r = _k.qr(_adjoint(input), False)
        out = _k.matmul(q, _k.matrix_solve(r, right, True))
    return out


def vander(x, N=None):
    """Vandermonde matrix (n, N) of a vector (n,): each row holds the powers N - 1, ..., 1, 0 of an element of x; N is the size of x by default.

    Raises ValueError for another rank, TypeError for an x that is no Tensor and for an N that is no number.

    >>> import msjit as ms
    >>> ms.ops.vander(ms.Tensor([1.0, 2.0, 3.0])).asnumpy().tolist()
    [[1.0, 1.0, 1.0], [4.0, 2.0, 1.0], [9.0, 3.0, 1.0]]
    """
    if _check(x, "vander").ndim != 1:
        raise ValueError("[vander] rank of x, got %d, expected 1" % x.ndim)
    count = x.size if N is None else _check_real(N, "vander", "N")
    x = _k.cast(x, _mstype.int64) if x.dtype in _mstype.int_type + _mstype.uint_type else x
    powers = _k.arange(count - 1, -1, -1, _mstype.int64)
    return _k.pow(_k.expand_dims(x, -1), _k.cast(powers, x.dtype))


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and name != "matrix_logarithm" and callable(value)]
