"""MatrixLogarithm, FractionalMaxPool and FractionalAvgPool; numbers of the logarithm are MindSpore 2.10's or derived by hand."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor
from msjit.ops import operations as P


def test_known_logarithm():
    x = np.array([[1 + 2j, 2 + 1j], [4 + 1j, 5 + 2j]])
    want = np.array([[0.69155794 + 1.71618378j, 0.6466522 - 0.34928206j], [1.02426076 - 0.88736844j, 1.44677591 + 0.64001119j]])
    assert np.allclose(P.MatrixLogarithm()(Tensor(x, ms.complex64)).asnumpy(), want, atol=1e-5)


@pytest.mark.parametrize("size", [1, 2, 5])
def test_it_undoes_the_exponential(size):
    rng = np.random.RandomState(size)
    x = 0.4 * (rng.randn(3, size, size) + 1j * rng.randn(3, size, size))
    back = P.MatrixLogarithm()(P.MatrixExp()(Tensor(x)))
    assert back.dtype == ms.complex128 and np.allclose(back.asnumpy(), x, atol=1e-9)
    scaled = P.MatrixLogarithm()(P.MatrixExp()(Tensor(x)) * 1e6).asnumpy()
    assert np.allclose(scaled, x + np.log(1e6) * np.eye(size), atol=1e-8)


def test_matrices_without_logarithm():
    log = P.MatrixLogarithm()
    for bad in ([[-1, 0], [0, 1]], [[0, 0], [0, 1]], [[np.nan, 0], [0, 1]]):
        with pytest.raises(ValueError, match=r"\[matrix_logarithm\] x, got"):
            log(Tensor(np.array(bad), ms.complex64))
    with pytest.raises(TypeError, match="expected complex64 or complex128"):
        log(Tensor([[1.0]]))
    with pytest.raises(ValueError, match="expected square matrices"):
        log(Tensor(np.ones((2, 3)), ms.complex64))


def pooled_by_hand(x, rows, columns, overlapping, function):
    more = 1 if overlapping else 0
    return np.stack([np.stack([function(x[:, a:min(b + more, rows[-1]), c:min(d + more, columns[-1])], axis=(1, 2))
                               for c, d in zip(columns, columns[1:])], 1) for a, b in zip(rows, rows[1:])], 1)


@pytest.mark.parametrize("pseudo_random", [False, True])
@pytest.mark.parametrize("overlapping", [False, True])
def test_fractional_pools(pseudo_random, overlapping):
    x = np.random.RandomState(1).rand(2, 11, 14, 3).astype(np.float32)
    for name, function in (("FractionalMaxPool", np.max), ("FractionalAvgPool", np.mean)):
        op = getattr(P, name)([1.0, 1.4, 2.3, 1.0], pseudo_random, overlapping)
        for _ in range(5):
            out, rows, columns = (part.asnumpy() for part in op(Tensor(x)))
            assert rows[0] == columns[0] == 0 and (rows[-1], columns[-1]) == (11, 14) and (len(rows), len(columns)) == (8, 7)
            assert set(np.diff(rows)[:-1]) <= {1, 2} and set(np.diff(columns)[:-1]) <= {2, 3} and min(np.diff(rows)) > 0 < min(np.diff(columns))
            assert np.allclose(out, pooled_by_hand(x, rows, columns, overlapping, function), atol=1e-6)


def test_fractional_pools_draw_anew_unless_told():
    x = Tensor(np.random.RandomState(1).rand(1, 30, 30, 1).astype(np.float32))
    fixed = P.FractionalMaxPool([1.0, 1.5, 1.5, 1.0], deterministic=True, seed=3)
    assert fixed(x)[1].tolist() == fixed(x)[1].tolist()
    free = P.FractionalMaxPool([1.0, 1.5, 1.5, 1.0])
    ms.set_seed(4)
    first = [free(x)[1].tolist() for _ in range(2)]
    assert first[0] != first[1]
    ms.set_seed(4)
    assert [free(x)[1].tolist() for _ in range(2)] == first
    grad = ms.grad(lambda v: fixed(v)[0].sum())(x).asnumpy()
    assert grad.sum() == 400 and set(np.unique(grad)) <= {0, 1}
    for bad, error in (([1.0, 0.5, 1.0, 1.0], ValueError), ([2.0, 1.5, 1.5, 1.0], ValueError), (1.5, TypeError), ([1.0, 31.0, 1.0, 1.0], ValueError)):
        with pytest.raises(error, match="pooling_ratio"):
            P.FractionalMaxPool(bad)(x)
