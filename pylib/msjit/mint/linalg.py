"""msjit.mint.linalg: norms, inverse and QR factorisation."""
from .. import ops as _ops
from ..ops import inverse as inv  # noqa: F401
from ..ops import qr as _qr


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """Computes the norm of vectors along axes; by default of all elements as one vector."""
    return _ops.vector_norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """Computes the norm of matrices on two axes, as ops.norm."""
    return _ops.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """Computes the norm of vectors along one axis or of matrices along two, as ops.norm."""
    return _ops.norm(A, ord, dim, keepdim, dtype)


def qr(A, mode="reduced"):
    """Factors matrices as Q @ R and returns (Q, R), as ops.qr."""
    return _qr(A, mode)


__all__ = ["inv", "matrix_norm", "norm", "qr", "vector_norm"]
