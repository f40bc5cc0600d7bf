"""msjit.mint.linalg"""
from .. import ops as _ops
from ..ops import inverse as inv  # noqa: F401
from ..ops import qr as _qr


def vector_norm(x, ord=2, dim=None, keepdim=False, *, dtype=None):
    """Norm of vectors along axes; all elements as one vector by default."""
    return _ops.vector_norm(x, ord, dim, keepdim, dtype=dtype)


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    """Norm of matrices on two axes."""
    return _ops.matrix_norm(A, ord, dim, keepdim, dtype=dtype)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None):
    """Norm of vectors along one axis or of matrices along two."""
    return _ops.norm(A, ord, dim, keepdim, dtype)


def qr(A, mode="reduced"):
    """(Q, R) of matrices Q @ R."""
    return _qr(A, mode)
