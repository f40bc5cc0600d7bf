"""Factorisations of complex matrices, and their gradients against differences."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops

RNG = np.random.RandomState(0)


def matrices(*shape):
    return RNG.standard_normal(shape) + 1j * RNG.standard_normal(shape)


A, B = matrices(2, 3, 3), matrices(2, 3, 2)
HERMITIAN = A @ A.conj().swapaxes(-1, -2) + np.eye(3)


def close(got, want, tolerance=1e-10):
    np.testing.assert_allclose(got.asnumpy(), want, tolerance, tolerance)


def test_values():
    a, b = Tensor(A), Tensor(B)
    close(ops.inverse(a), np.linalg.inv(A))
    close(ops.det(a), np.linalg.det(A))
    sign, logarithm = ops.slogdet(a)
    close(sign, np.linalg.slogdet(A)[0])
    close(logarithm, np.linalg.slogdet(A)[1])
    close(ops.matrix_solve(a, b), np.linalg.solve(A, B))
    close(ops.matrix_solve(a, b, True), np.linalg.solve(A.conj().swapaxes(-1, -2), B))
    assert ops.det(a.astype(ms.complex64)).dtype == ms.complex64


@pytest.mark.parametrize("shape", [(2, 3, 3), (4, 2), (2, 4)])
@pytest.mark.parametrize("full", [False, True])
def test_qr_and_svd(shape, full):
    x = matrices(*shape)
    q, r = (t.asnumpy() for t in ops.qr(Tensor(x), "complete" if full else "reduced"))
    np.testing.assert_allclose(q @ r, x, atol=1e-10)
    np.testing.assert_allclose(q.conj().swapaxes(-1, -2) @ q, np.broadcast_to(np.eye(q.shape[-1]), q.shape[:-2] + (q.shape[-1],) * 2), atol=1e-10)
    assert np.allclose(r, np.triu(r))
    s, u, v = ops.svd(Tensor(x), full_matrices=full)
    assert s.dtype == ms.complex128  # as in MindSpore
    close(s, np.linalg.svd(x, compute_uv=False))
    k = s.shape[-1]
    u, v = u.asnumpy(), v.asnumpy()
    np.testing.assert_allclose(u[..., :k] * s.asnumpy()[..., None, :] @ v[..., :k].conj().swapaxes(-1, -2), x, atol=1e-10)
    np.testing.assert_allclose(u.conj().swapaxes(-1, -2) @ u, np.broadcast_to(np.eye(u.shape[-1]), u.shape[:-2] + (u.shape[-1],) * 2), atol=1e-10)


def test_cholesky():
    factor = np.linalg.cholesky(HERMITIAN)
    close(ops.cholesky(Tensor(HERMITIAN)), factor)
    close(ops.cholesky(Tensor(HERMITIAN), upper=True), factor.conj().swapaxes(-1, -2))
    close(ops.cholesky_inverse(Tensor(factor[0])), np.linalg.inv(HERMITIAN[0]))
    close(ops.cholesky_solve(Tensor(B[0]), Tensor(factor[0])), np.linalg.solve(HERMITIAN[0], B[0]))
    with pytest.raises(ValueError, match="not positive definite"):
        ops.cholesky(Tensor(-HERMITIAN))


def test_what_is_made_of_them():
    tall, a = matrices(4, 2), Tensor(A[0])
    close(ops.pinv(Tensor(tall)), np.linalg.pinv(tall))
    close(ops.lstsq(Tensor(tall), Tensor(matrices(4, 3))[:, :2]) * 0 + ops.lstsq(Tensor(tall), Tensor(tall)), np.eye(2))
    close(ops.lstsq(Tensor(tall.T.copy()), Tensor(B[0][:2])), np.linalg.pinv(tall.T) @ B[0][:2])
    np.testing.assert_allclose(ops.cond(a).asnumpy(), np.linalg.cond(A[0]), 1e-6)
    close(ops.exp(ops.logdet(a)), np.linalg.det(A[0]))
    solved = ms.mint.triangular_solve(Tensor(B[0]), a, transpose=True)[0]
    close(solved, np.linalg.solve(np.triu(A[0]).T, B[0]))
    np.testing.assert_allclose(float(ops.norm(a, "nuc")), np.linalg.norm(A[0], "nuc"), 1e-6)


W = Tensor(matrices(3, 3))


def size(x):
    return ops.real(ops.abs(x))


def weighed(x):
    """A real number that depends on all elements of x, and on their angles."""
    return ops.real(x * W).sum() + (size(x) ** 2 * size(W)).sum()


def both(factors):
    """A product in which the angles that vectors may have do not count."""
    return size(ops.matmul(factors[0] * factors[0].sum(0, keepdims=True).conj(), W)).sum()


LOSSES = {
    "inverse": lambda a: weighed(ops.inverse(a)),
    "det": lambda a: ops.real(ops.det(a)) + 2 * ops.imag(ops.det(a)),
    "slogdet": lambda a: ops.imag(ops.slogdet(a)[0]) + 3 * ops.real(ops.slogdet(a)[1]),
    "solve": lambda a: weighed(ops.matrix_solve(a, a * a)),
    "solve adjoint": lambda a: weighed(ops.matrix_solve(a, a * a, True)),
    "qr": lambda a: weighed(ops.qr(a)[0]) + weighed(ops.qr(a)[1]),
    "cholesky": lambda a: weighed(ops.cholesky(ops.matmul(a, a.mH) + Tensor(np.eye(3) + 0j))),
    "singular values": lambda a: (ops.real(ops.svd(a)[0]) * Tensor([1.0, 2.0, 5.0], ms.float64)).sum(),
    "left vectors": lambda a: both(ops.svd(a)[1:2]),
    "right vectors": lambda a: both(ops.svd(a)[2:3]),
    "all vectors": lambda a: weighed(ops.matmul(ops.svd(a)[1] * Tensor([1.0, 2.0, 3.0], ms.float64), ops.svd(a)[2].mH)),
}


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_gradients(name):
    loss, a, step = LOSSES[name], A[0], 1e-6
    got = ops.grad(loss)(Tensor(a)).asnumpy()
    want = np.zeros_like(a)
    for i in np.ndindex(3, 3):
        for turn in (1, 1j):
            d = np.zeros_like(a)
            d[i] = step * turn
            want[i] += turn * (float(loss(Tensor(a + d))) - float(loss(Tensor(a - d)))) / (2 * step)
    np.testing.assert_allclose(got, want, 1e-5, 1e-5)


@pytest.mark.jit
def test_captured():
    a = Tensor(A)

    def f(x):
        return ops.inverse(x) + ops.det(x).sum()
    close(ms.jit(f, mode="PIJit")(a), f(a).asnumpy())
