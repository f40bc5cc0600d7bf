"""First and second derivatives where a formula divides by 0, takes a logarithm of 0 or has a kink that the function has not."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, ops

F = mint.nn.functional
INF = float("inf")


def row(*values):
    return Tensor(np.array(values, np.float64))


def first(function, *x, at=0):
    return ms.grad(lambda *a: function(*a).sum(), at)(*x)


def second(function, x):
    return first(lambda a: first(function, a), x)


def close(found, *expected, rtol=1e-9):
    np.testing.assert_allclose(found.asnumpy(), np.array(expected), rtol=rtol, atol=1e-12)


ZERO_ROW = [
    ("norm", lambda a: ops.norm(a, 2, 1), 0.0), ("norm of order 3", lambda a: ops.norm(a, 3, 1), 0.0),
    ("norm of order 1.5", lambda a: mint.norm(a, 1.5, 1), 0.0), ("Frobenius", lambda a: mint.linalg.matrix_norm(a, "fro"), 0.0),
    ("vector_norm", lambda a: mint.linalg.vector_norm(a, 2, 1), 0.0), ("clip_by_norm", lambda a: ops.clip_by_norm(a, 0.5), 1.0),
    ("clip_by_norm of order 3", lambda a: ops.clip_by_norm(a, 0.5, 3.0), 1.0), ("renorm", lambda a: ops.renorm(a, 2, 0, 1.0), 1.0),
    ("normalize", F.normalize, 1e12), ("cosine", lambda a: ops.cosine_similarity(a, ops.ones_like(a)), 1e8 / np.sqrt(2)),
]


@pytest.mark.parametrize("function, slope", [r[1:] for r in ZERO_ROW], ids=[r[0] for r in ZERO_ROW])
@pytest.mark.parametrize("way", [None, "PIJit"])
def test_a_row_of_zeros(function, slope, way):
    call = lambda a: first(function, a)  # noqa: E731
    call = ms.jit(call, mode=way) if way else call
    for _ in range(2):
        np.testing.assert_allclose(call(Tensor(np.zeros((2, 2)))).asnumpy(), np.full((2, 2), slope))


@pytest.mark.parametrize("function", [r[1] for r in ZERO_ROW if "1.5" not in r[0]], ids=[r[0] for r in ZERO_ROW if "1.5" not in r[0]])
def test_second_derivatives_of_a_row_of_zeros(function):
    assert not np.isnan(second(function, Tensor(np.zeros((2, 2)))).asnumpy()).any()


def test_norm_of_other_rows():
    a = Tensor(np.array([[3.0, 4.0], [0.0, 0.0], [0.0, -2.0]], np.float32))
    np.testing.assert_allclose(first(lambda a: ops.norm(a, 2, 1), a).asnumpy(), [[0.6, 0.8], [0, 0], [0, -1]], rtol=1e-6)
    close(ops.norm(row(INF, INF), -1), INF)


def test_products_that_are_zero():
    x, y = row(0, 0, 0, 0, 2), row(2, 0, -3, INF, 4)
    close(ops.xlogy(x, y), 0, 0, 0, 0, 2 * np.log(4))
    close(first(ops.xlogy, x, y), np.log(2), 0, 0, 0, np.log(4))
    close(first(ops.xlogy, x, y, at=1), 0, 0, 0, 0, 0.5)
    close(ops.xdivy(x, row(2, 0, -3, np.nan, 4)), 0, 0, 0, 0, 0.5)
    close(first(ops.xdivy, x, row(2, 0, -3, np.nan, 4)), 0.5, 0, -1 / 3, 0, 0.25)
    mixed = first(lambda a: first(ops.xlogy, row(0.0), a, at=0), row(2.0))
    close(mixed, 0.5)


@pytest.mark.parametrize("name, slope, curve", [
    ("bessel_i0", 0, 0.5), ("bessel_i1", 0.5, 0), ("bessel_i1e", 0.5, None), ("bessel_i0e", 0, None), ("bessel_j0", 0, -0.5), ("bessel_j1", 0.5, 0)])
def test_bessel_functions(name, slope, curve):
    function = getattr(ops, name)
    for zero in (0.0, -0.0):
        np.testing.assert_allclose(first(function, row(zero)).asnumpy(), [slope], atol=1e-13)
        if curve is not None:
            np.testing.assert_allclose(second(function, row(zero)).asnumpy(), [curve], atol=1e-12)


def test_smooth_losses():
    x, zero = row(0, 0.5, -3), row(0, 0, 0)
    close(second(lambda a: ops.huber_loss(a, zero, "sum"), x), 1, 1, 0)
    close(second(lambda a: ops.smooth_l1_loss(a, zero, 2.0, "sum"), x), 0.5, 0.5, 0)
    close(second(lambda a: F.smooth_l1_loss(a, zero, beta=2.0, reduction="sum"), x), 0.5, 0.5, 0)


def test_sinc_and_logit():
    close(second(ops.sinc, row(0, 1e-2)), -np.pi ** 2 / 3, -3.288894, rtol=1e-5)
    close(first(ops.logit, row(0, 0.25)), INF, 16 / 3)


def test_logcumsumexp_of_a_wide_range():
    """Elements far below a later one have their sums and gradients too."""
    x = np.array([[0, 0, 0, 100, 300, 150], [5, -400, -INF, 5, -1000, 5]], np.float32)
    np.testing.assert_allclose(ops.logcumsumexp(Tensor(x), 1).asnumpy(), np.logaddexp.accumulate(x.astype(np.float64), 1), rtol=1e-6)
    wanted = [[11 / 6, 5 / 6, 1 / 3, 1, 2, 0], [3 + 1 + 1 / 3, 0, 0, 1 + 1 / 3, 0, 1 / 3]]
    np.testing.assert_allclose(first(lambda a: ops.logcumsumexp(a, 1), Tensor(x)).asnumpy(), wanted, rtol=1e-6, atol=1e-7)
    close(ops.logcumsumexp(Tensor([3]), 0), 3)
    assert ops.logcumsumexp(Tensor(np.zeros((2, 0))), -1).shape == (2, 0)


def test_pooling_of_negative_sums():
    """Odd powers keep signs, as in MindSpore: the order 1 gives the sum, a root of a negative sum NaN."""
    x = Tensor(np.array([[[-1.0, -2, 3, 1, 0, 0]]]))
    close(ops.lp_pool1d(x, 1.0, 2)[0, 0], -3, 4, 0)
    close(ops.lp_pool1d(x, 3.0, 2)[0, 0], np.nan, 28 ** (1 / 3), 0)
    close(first(lambda a: ops.lp_pool1d(a, 2.0, 2), x)[0, 0][2:], 3 / np.sqrt(10), 1 / np.sqrt(10), 0, 0)


def test_clip_by_the_greatest_element():
    a, b = ops.clip_by_norm((row(3, -4), row(1)), 1.0, INF)
    close(a, 0.75, -1, rtol=1e-5)
    close(b, 0.25, rtol=1e-5)


def test_batch_norm_without_running_statistics():
    x = Tensor(np.random.RandomState(0).randn(4, 3))
    wanted = (x.asnumpy() - x.asnumpy().mean(0)) / np.sqrt(x.asnumpy().var(0) + 1e-5)
    for call in (F.batch_norm, ms.jit(F.batch_norm, mode="PIJit")):
        np.testing.assert_allclose(call(x, None, None, None, None, True).asnumpy(), wanted, rtol=1e-6)
    with pytest.raises(ValueError, match=r"\[batch_norm\] running_mean and running_var, got NoneType and NoneType, expected Tensors"):
        F.batch_norm(x, None, None)
