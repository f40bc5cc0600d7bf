"""Eigenvalues and eigenvectors of general matrices, computed with NumPy."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from .primitive import Primitive as _Primitive

_RESULTS = {_mstype.float32: _mstype.complex64, _mstype.float64: _mstype.complex128, _mstype.complex64: _mstype.complex64,
            _mstype.complex128: _mstype.complex128}


def _decomposed(where, A):
    import numpy
    if _check(A, where).dtype not in _RESULTS:
        raise TypeError("[%s] dtype of A, got %s, expected float32, float64, complex64 or complex128" % (where, A.dtype))
    if A.ndim < 2 or A.shape[-1] != A.shape[-2]:
        raise ValueError("[%s] shape of A, got %s, expected (..., n, n)" % (where, tuple(A.shape)))
    values, vectors = numpy.linalg.eig(A.asnumpy())
    order = numpy.lexsort((values.imag, values.real), axis=-1)  # the order of MindSpore: by real parts, then by imaginary parts
    values = numpy.take_along_axis(values, order, -1)
    vectors = numpy.take_along_axis(vectors, order[..., None, :], -1)
    kind = _RESULTS[A.dtype]
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


__all__ = ["eig", "eigvals"]
