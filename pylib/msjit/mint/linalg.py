"""msjit.mint.linalg: norms, inverse and QR factorisation."""
from .. import ops as _ops
from ..ops import inverse as inv  # noqa: F401
from ..ops import qr as _qr


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """Computes the norm (sum of |x|^ord)^(1 / ord) over an axis or a tuple of axes; None means all elements as one vector.

    ord is a number, inf for the largest |x|, -inf for the smallest, 0 for the count of elements that are not 0. With keepdim the axes stay, with
    size 1. Integers give float32; dtype casts the input first. Raises TypeError for another ord and anything but a Tensor, ValueError for an axis
    that the input does not have.
    """
    return _ops.vector_norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """Computes the norm of the matrices on two axes, by default the last two.

    ord 'fro' is the square root of the sum of squares, 'nuc' the sum of the singular values, 2 and -2 the greatest and smallest of these, 1 and
    -1 the greatest and smallest sum of |x| of a column, inf and -inf those of a row. Raises ValueError for another ord and for axes that A does
    not have, TypeError for anything but a Tensor.
    """
    return _ops.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """Computes vector_norm along one axis, or matrix_norm on two; without dim and ord the 2-norm of all elements.

    Without dim, ord is that of vectors for a vector and that of matrices for a matrix. Raises TypeError or ValueError for an ord that does not
    fit, ValueError for an axis that A does not have, TypeError for anything but a Tensor.
    """
    return _ops.norm(A, ord, dim, keepdim, dtype)


def qr(A, mode="reduced"):
    """Factors matrices (..., m, n) as Q @ R, with orthonormal columns of Q and an upper triangular R; returns (Q, R).

    With k = min(m, n), mode 'reduced' gives (..., m, k) and (..., k, n), 'complete' (..., m, m) and (..., m, n). Raises ValueError for another
    mode and for less than two axes, TypeError for integers and anything but a Tensor.
    """
    return _qr(A, mode)


__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]
