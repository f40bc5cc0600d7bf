"""Steps of optimizers on rows of Parameters, Fourier transforms and counts of labels as primitives."""
import numpy as np
import pytest

from msjit import Parameter, Tensor, ops

RNG = np.random.RandomState(0)
VAR, ACCUM, THIRD = (RNG.rand(5, 3).astype(np.float32) + 0.1 for _ in range(3))
GRAD = RNG.rand(3, 3).astype(np.float32) - 0.5


def run(operation, count, arguments):
    parameters = [Parameter(Tensor(values.copy()), name="p%d" % i) for i, values in enumerate((VAR, ACCUM, THIRD)[:count])]
    results = operation(*parameters, *arguments)
    for parameter, result in zip(parameters, results):
        assert np.array_equal(parameter.asnumpy(), result.asnumpy())
    return [parameter.asnumpy() for parameter in parameters]


def adagrad(var, accum, grad, epsilon=0.0):
    accum = accum + grad * grad
    return var - 0.1 * grad / (np.sqrt(accum) + epsilon), accum


def ftrl(var, accum, linear, grad, shrinkage=0.0):
    after = accum + grad * grad
    linear = linear + grad + 2 * shrinkage * var - (np.sqrt(after) - np.sqrt(accum)) / 0.1 * var
    step = (np.sign(linear) * 0.05 - linear) / (np.sqrt(after) / 0.1 + 0.4)
    return np.where(np.abs(linear) <= 0.05, 0, step), after, linear


def expected(rule, count, indices, summed):
    values = [v.copy() for v in (VAR, ACCUM, THIRD)[:count]]
    steps = [(row, GRAD[[i for i, r in enumerate(indices) if r == row]].sum(0)) for row in dict.fromkeys(indices)] if summed else \
        list(zip(indices, GRAD))
    for row, grad in steps:
        for value, new in zip(values, rule(*[v[row] for v in values], grad)):
            value[row] = new
    return values


@pytest.mark.parametrize("indices", [[3, 0, 1], [1, 0, 1]], ids=["once", "again"])
@pytest.mark.parametrize("operation, count, rule, summed", [
    (ops.SparseApplyAdagrad(0.1), 2, adagrad, True),
    (ops.SparseApplyAdagradV2(0.1, 1e-3), 2, lambda *values: adagrad(*values, epsilon=1e-3), False),
    (ops.SparseApplyFtrl(0.1, 0.05, 0.2, -0.5), 3, ftrl, False), (ops.FusedSparseFtrl(0.1, 0.05, 0.2, -0.5), 3, ftrl, True),
    (ops.SparseApplyFtrlV2(0.1, 0.05, 0.2, 0.3, -0.5), 3, lambda *values: ftrl(*values, shrinkage=0.3), False)])
def test_with_attributes(operation, count, rule, summed, indices):
    found = run(operation, count, (Tensor(GRAD), Tensor(np.int32(indices))))
    for a, b in zip(found, expected(rule, count, indices, summed)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def adam(var, m, v, grad, nesterov):
    m, v = 0.9 * m + 0.1 * grad, 0.99 * v + 0.01 * grad * grad
    first = 0.9 * m + 0.1 * grad if nesterov else m
    return var - 0.1 * np.sqrt(1 - 0.98) / (1 - 0.8) * first / (np.sqrt(v) + 1e-3), m, v


@pytest.mark.parametrize("nesterov", [False, True])
def test_adam(nesterov):
    numbers = [Tensor(np.float32(n)) for n in (0.8, 0.98, 0.1, 0.9, 0.99, 1e-3)]
    arguments = numbers + [Tensor(GRAD), Tensor(np.int32([1, 0, 1]))]
    lazy = run(ops.FusedSparseLazyAdam(use_nesterov=nesterov), 3, arguments)
    for a, b in zip(lazy, expected(lambda *values: adam(*values, nesterov=nesterov), 3, [1, 0, 1], True)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    whole = np.zeros((5, 3), np.float32)
    np.add.at(whole, [1, 0, 1], GRAD)
    for a, b in zip(run(ops.FusedSparseAdam(use_nesterov=nesterov), 3, arguments), adam(VAR, ACCUM, THIRD, whole, nesterov)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_proximal_adagrad():
    for kind in (ops.SparseApplyProximalAdagrad, ops.FusedSparseProximalAdagrad):
        def rule(var, accum, grad):
            accum = accum + grad * grad
            rate = 0.1 / np.sqrt(accum)
            start = var - rate * grad
            return np.sign(start) * np.maximum(np.abs(start) - rate * 0.05, 0) / (1 + rate * 0.2), accum
        found = run(kind(), 2, (0.1, 0.05, 0.2, Tensor(GRAD), Tensor(np.int32([3, 0, 1]))))
        for a, b in zip(found, expected(rule, 2, [3, 0, 1], True)):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


def test_fourier_transforms():
    x = RNG.rand(3, 6).astype(np.float32)
    z = (x + 1j * x[::-1]).astype(np.complex64)
    for found, wanted in ((ops.FFTWithSize(1, False, True)(Tensor(x)), np.fft.rfft(x)),
                          (ops.FFTWithSize(2, False, False, "ortho")(Tensor(z)), np.fft.fft2(z, norm="ortho")),
                          (ops.FFTWithSize(1, True, False)(Tensor(z)), np.fft.ifft(z)),
                          (ops.FFTWithSize(1, True, True, "backward", True, (5,))(Tensor(z)), np.fft.irfft(z, 5)),
                          (ops.FFTWithSize(1, False, True, onesided=False)(Tensor(x)), np.fft.fft(x)),
                          (ops.STFT(4, 1, 4, False, True, True)(Tensor(x[0]), Tensor(np.ones(4, np.float32))),
                           np.fft.rfft(np.stack([x[0, i:i + 4] for i in range(3)])).T)):
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match=r"\[fft_with_size\] signal_ndim, got 4, expected 1, 2 or 3"):
        ops.FFTWithSize(4, False, True)(Tensor(x))


def test_labels():
    labels, predictions = Tensor(np.int32([0, 1, 1, 3])), Tensor(np.int32([1, 1, 0, 3]))
    assert ops.ConfusionMatrix(4)(labels, predictions).asnumpy().tolist() == [[0, 1, 0, 0], [1, 1, 0, 0], [0] * 4, [0, 0, 0, 1]]
    weighed = ops.ConfusionMatrix(4, "float32")(labels, predictions, Tensor(np.float32([1, 2, 3, 0.5])))
    assert weighed.asnumpy()[3, 3] == 0.5 and weighed.asnumpy()[1, 0] == 3
    rows, places, weights = ops.ComputeAccidentalHits(2)(Tensor(np.array([[1, 2], [0, 4], [3, 3]])), Tensor(np.arange(5)))
    assert rows.asnumpy().tolist() == [0, 0, 1, 1, 2, 2] and places.asnumpy().tolist() == [1, 2, 0, 4, 3, 3]
    assert (weights.asnumpy() == np.finfo(np.float32).min).all()


def test_ctc_loss_of_scores():
    """The loss, and its gradient, against finite differences."""
    scores = np.random.RandomState(1).rand(4, 2, 5).astype(np.float32)
    places, values = Tensor(np.array([[0, 0], [1, 0], [1, 1]])), Tensor(np.int32([2, 1, 3]))
    lengths = Tensor(np.int32([4, 3]))
    loss, gradient = ops.CTCLoss()(Tensor(scores), places, values, lengths)
    assert loss.shape == (2,) and gradient.shape == scores.shape and (gradient.asnumpy()[3, 1] == 0).all()
    for at in ((0, 0, 2), (2, 1, 4), (1, 1, 3)):
        moved = scores.copy()
        moved[at] += 1e-2
        slope = (ops.CTCLoss()(Tensor(moved), places, values, lengths)[0] - loss).asnumpy()[at[1]] / 1e-2
        assert abs(slope - gradient.asnumpy()[at]) < 5e-3
