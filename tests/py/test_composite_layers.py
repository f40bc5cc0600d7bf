"""Layers made of several operators: similarity of images, lookups, fractional pooling, matrices, parts of batches.

Numbers of MindSpore 2.10 where it runs them on CPUs, else NumPy.
"""
import math

import numpy as np
import pytest

import msjit as ms
from jit_same import same
from msjit import Tensor, nn, ops

R = np.random.RandomState(0)


def f32(*shape):
    return Tensor(R.rand(*shape).astype(np.float32))


def ssim(a, b, size=11, sigma=1.5, peak=1.0):
    at = np.arange(size) - (size - 1) / 2
    line = np.exp(-0.5 * (at / sigma) ** 2)
    window = np.outer(line, line) / line.sum() ** 2

    def blurred(x):
        return (np.lib.stride_tricks.sliding_window_view(x, (size, size), (2, 3)) * window).sum((4, 5))
    m1, m2 = blurred(a), blurred(b)
    v1, v2, both = blurred(a * a) - m1 * m1, blurred(b * b) - m2 * m2, blurred(a * b) - m1 * m2
    c1, c2 = (0.01 * peak) ** 2, (0.03 * peak) ** 2
    contrast = (2 * both + c2) / (v1 + v2 + c2)
    return ((2 * m1 * m2 + c1) / (m1 * m1 + m2 * m2 + c1) * contrast).mean((1, 2, 3)), contrast.mean((2, 3))


@pytest.mark.skipif(not hasattr(np.lib.stride_tricks, "sliding_window_view"), reason="needs NumPy 1.20")
def test_similarity():
    a, b = f32(2, 3, 20, 18), f32(2, 3, 20, 18)
    x, y = a.asnumpy().astype(float), b.asnumpy().astype(float)
    np.testing.assert_allclose(nn.SSIM()(a, b).asnumpy(), ssim(x, y)[0], 1e-3, 1e-5)
    np.testing.assert_allclose(nn.SSIM(2.0, 5, 1.0)(a, b).asnumpy(), ssim(x, y, 5, 1.0, 2.0)[0], 1e-3, 1e-5)
    np.testing.assert_allclose(nn.PSNR(2)(a, b).asnumpy(), 10 * np.log10(4 / ((x - y) ** 2).mean((1, 2, 3))), 1e-5)
    bytes_ = Tensor((x * 255).astype(np.uint8))
    assert nn.SSIM()(bytes_, bytes_).tolist() == [1, 1] and nn.PSNR()(bytes_, bytes_).tolist() == [math.inf] * 2

    def halved(v):
        return v.reshape(v.shape[0], v.shape[1], v.shape[2] // 2, 2, v.shape[3] // 2, 2).mean((3, 5))
    a = f32(2, 3, 24, 24)
    b = a * 0.7 + f32(2, 3, 24, 24) * 0.3
    x, y = a.asnumpy().astype(float), b.asnumpy().astype(float)
    whole = nn.MSSSIM(power_factors=(0.4, 0.6))
    small = [halved(v) for v in (x, y)]
    contrast = ssim(x, y)[1]
    last = np.stack([ssim(small[0][:, i:i + 1], small[1][:, i:i + 1])[0] for i in range(3)], 1)
    np.testing.assert_allclose(whole(a, b).asnumpy(), (contrast ** 0.4 * last ** 0.6).mean(1), 1e-3)
    assert abs(nn.MSSSIM()(f32(1, 1, 176, 176), f32(1, 1, 176, 176)).asnumpy()[0]) < 0.2


TABLE = Tensor(np.arange(20, dtype=np.float32).reshape(10, 2))


def lookup(cls, *args, **keywords):
    layer = cls(*args, **keywords)
    layer.embedding_table.set_data(TABLE[:layer.vocab_size, :layer.embedding_size])
    return layer


def test_lookups():
    layer = lookup(nn.EmbeddingLookup, 4, 2)
    ids = Tensor(np.int32([[1, 3], [-1, 9]]))
    assert layer(ids).tolist() == [[[2, 3], [6, 7]], [[0, 0], [0, 0]]]
    grads = ms.grad(lambda: layer(ids).sum(), None, layer.trainable_params())()
    assert grads[0].tolist() == [[0, 0], [1, 1], [0, 0], [1, 1]]
    bounded = lookup(nn.EmbeddingLookup, 4, 2, max_norm=2.0)
    np.testing.assert_allclose(bounded(Tensor([0, 2])).asnumpy(), [[0, 1], np.array([4, 5]) * 2 / math.hypot(4, 5)], 1e-6)
    fields = np.int32([[0, 0, 1, 0, 0], [0, 0, 1, 0, 0]])
    indices, values = np.int32([[2, 4, 6, 0, 0], [1, 3, 5, 0, 0]]), np.float32([[1, 1, 1, 0, 0]] * 2)
    for how, expected in (("SUM", [[[12, 14], [12, 13]], [[8, 10], [10, 11]]]), ("MEAN", [[[6, 7], [12, 13]], [[4, 5], [10, 11]]]),
                          ("MAX", [[[8, 9], [12, 13]], [[6, 7], [10, 11]]])):
        many = lookup(nn.MultiFieldEmbeddingLookup, 10, 2, 2, operator=how)
        assert many(Tensor(indices), Tensor(values), Tensor(fields)).tolist() == expected
        wide = lookup(nn.MultiFieldEmbeddingLookup, 10, 2, 3, operator=how)
        assert wide(Tensor(indices), Tensor(values), Tensor(fields))[0, 2].tolist() == [0, 0]


@pytest.mark.parametrize("sample, columns", [(0.0, [0, 1, 2, 4]), (0.1, [0, 1, 2, 4]), (0.3, [0, 1, 3, 4]), (0.5, [0, 2, 3, 4]),
                                             (0.7, [0, 2, 3, 4]), (0.99, [0, 1, 2, 4])])
def test_fractional_pooling(sample, columns):
    image = Tensor(np.arange(36, dtype=np.float32).reshape(1, 1, 6, 6))
    pool = nn.FractionalMaxPool2d(2, (3, 4), return_indices=True, _random_samples=Tensor(np.float32([[[sample, 0.2]]])))
    expected = [[7 + 12 * row + column for column in columns] for row in range(3)]
    for run in [pool] + [ms.jit(pool, mode="PIJit")] * ms.has_jit:
        values, places = run(image)
        assert values.tolist() == [[expected]] and places.tolist() == [[expected]] and places.dtype == ms.int64
    volume = Tensor(np.arange(216, dtype=np.float32).reshape(1, 1, 6, 6, 6))
    found = nn.FractionalMaxPool3d(2, 4, _random_samples=Tensor(np.float32([[[0.5, 0.0, sample]]])))(volume).asnumpy()[0, 0]
    assert (found[:, 0, 0] // 36 - 1).tolist() == [0, 2, 3, 4] and (found[0, :, 0] % 36 // 6 - 1).tolist() == [0, 1, 2, 4]
    assert (found[0, 0] % 6 - 1).tolist() == columns
    grad = ms.grad(lambda x: pool(x)[0].sum())(image).asnumpy().reshape(-1)
    assert np.flatnonzero(grad).tolist() == sorted(np.ravel(expected)) and grad.max() == 1
    drawn = nn.FractionalMaxPool2d(2, output_ratio=(0.5, 0.9))(image[0])
    assert drawn.shape == (1, 3, 5) and drawn[0, -1, -1] == 35


def test_matrices_and_special_functions():
    square = f32(2, 3, 3) + ops.eye(3, 3, ms.float32)
    np.testing.assert_allclose(nn.MatInverse()(square).asnumpy(), np.linalg.inv(square.asnumpy()), 1e-4, 1e-5)
    np.testing.assert_allclose(nn.MatDet()(square).asnumpy(), np.linalg.det(square.asnumpy()), 1e-4)
    assert nn.MatrixDiag()(Tensor([[1.0, 2.0]])).tolist() == [[[1, 0], [0, 2]]]
    assert nn.MatrixDiagPart()(TABLE).tolist() == [0, 3]
    assert nn.MatrixSetDiag()(ops.zeros((2, 3)), Tensor([1.0, 2.0])).tolist() == [[1, 0, 0], [0, 2, 0]]
    assert nn.MatrixSetDiag()(ops.zeros((3, 2)), Tensor([1.0, 2.0])).tolist() == [[1, 0], [0, 2], [0, 0]]
    x, y = np.float32([0.5, 2, 7]), np.float32([1.5, 3, 0.2])
    expected = [math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b) for a, b in zip(x.tolist(), y.tolist())]
    np.testing.assert_allclose(nn.LBeta()(Tensor(x), Tensor(y)).asnumpy(), expected, 1e-5)


def test_igamma():
    """Against 1 - exp(-x) sum x^k / k! for whole a, erf for 1/2, and a sum of many steps."""
    a = np.float32([1, 3, 30, 0.5, 0.5, 2.7, 200, 5, 5, -1, 2])
    x = np.float32([0.2, 9, 20, 0.3, 4, 1.9, 230, 0, 1e6, 1, -1])
    at = (np.arange(400000) + 0.5) / 400000

    def share(a, x):
        if a < 0 or x < 0:
            return math.nan
        if a == 0.5:
            return math.erf(math.sqrt(x))
        if x in (0, 1e6):
            return float(x > 0)
        logs = (a - 1) * np.log(at * x) - at * x - math.lgamma(a) + math.log(x)
        return np.exp(logs).mean()
    expected = [share(*pair) for pair in zip(a.tolist(), x.tolist())]
    np.testing.assert_allclose(nn.IGamma()(Tensor(a), Tensor(x)).asnumpy(), expected, 2e-5)
    slope = ms.grad(lambda x: nn.IGamma()(Tensor([2.0]), x).sum())(Tensor([1.5]))
    np.testing.assert_allclose(slope.asnumpy(), [1.5 * math.exp(-1.5)], 1e-4)


def test_layers_with_what_stands_behind():
    whole = nn.Conv2dBnAct(2, 4, 3, has_bn=True, activation="leakyrelu", alpha=0.3).set_train()
    x = f32(2, 2, 5, 5)
    plain = ops.leaky_relu(whole.batchnorm(whole.conv(x)), 0.3)
    if ms.has_jit:
        same(lambda x: whole(x), lambda variant: (x,), exact=False)
    np.testing.assert_allclose(whole(x).asnumpy(), plain.asnumpy(), 1e-5, 1e-6)
    assert abs(whole.batchnorm.momentum - 0.003) < 1e-9 and not hasattr(nn.Conv2dBnAct(2, 4, 3), "batchnorm")
    dense = nn.DenseBnAct(3, 4, activation=nn.ReLU())
    np.testing.assert_array_equal(dense(TABLE[:4, :1] * ops.ones((1, 3))).asnumpy(),
                                  ops.relu(dense.dense(TABLE[:4, :1] * ops.ones((1, 3)))).asnumpy())


@pytest.mark.parametrize("cls", [nn.GradAccumulationCell, nn.PipelineCell, nn.MicroBatchInterleaved])
def test_parts_of_a_batch(cls):
    net, x = nn.Dense(3, 2), f32(6, 3)
    loss = nn.WithLossCell(net, nn.MSELoss(reduction="sum"))
    label = f32(6, 2)
    parts = cls(loss, 3)
    expected, got = [ms.value_and_grad(f, None, net.trainable_params())(x, label) for f in (loss, parts)]
    np.testing.assert_allclose(got[0].asnumpy(), expected[0].asnumpy(), 1e-5)
    for a, b in zip(got[1], expected[1]):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), 1e-5, 1e-6)
    assert [p.name for p in parts.get_parameters()] == ["weight", "bias"]


@pytest.mark.parametrize("call, error, text", [
    (lambda: nn.SSIM()(f32(1, 1, 5, 5), f32(1, 1, 5, 5)), ValueError, "expected 11 at least"),
    (lambda: nn.SSIM(filter_sigma=2), TypeError, "filter_sigma must be a number, got int"),
    (lambda: nn.PSNR(0), ValueError, "max_val, got 0"), (lambda: nn.PSNR()(f32(2, 2), f32(2, 2)), ValueError, "expected the same with 4 axes"),
    (lambda: nn.MSSSIM()(f32(1, 1, 90, 90), f32(1, 1, 90, 90)), ValueError, "expected 176 at least"),
    (lambda: nn.EmbeddingLookup("a", 2), TypeError, "vocab_size must be an int"),
    (lambda: nn.EmbeddingLookup(4, 2, target="X"), ValueError, "target, got 'X'"),
    (lambda: nn.EmbeddingLookup(4, 2)(Tensor([1.0])), TypeError, "dtype of the indices, got"),
    (lambda: nn.MultiFieldEmbeddingLookup(4, 2, 2, operator="X"), ValueError, "operator, got 'X'"),
    (lambda: nn.FractionalMaxPool2d(2), ValueError, "got None for both"),
    (lambda: nn.FractionalMaxPool2d(2, output_ratio=1.5), ValueError, "expected between 0 and 1"),
    (lambda: nn.FractionalMaxPool2d(5, 4)(f32(1, 1, 6, 6)), ValueError, "got 5 and 4, expected no more than 7 together"),
    (lambda: nn.FractionalMaxPool2d(2, 2)(f32(2, 2)), ValueError, "rank of the input, got 2"),
    (lambda: nn.Conv2dBnAct(2, 4, 3, activation=3), TypeError, "activation, got int"),
    (lambda: nn.MatrixSetDiag()(ops.zeros((2, 3)), Tensor([1.0])), ValueError, "got (2, 3) and (1,)"),
    (lambda: nn.PipelineCell(nn.ReLU(), 0), ValueError, "micro_size must be positive"),
    (lambda: nn.GradAccumulationCell(3, 2), TypeError, "network must be a Cell"),
    (lambda: nn.MicroBatchInterleaved(nn.ReLU(), 4)(f32(6, 2)), ValueError, "got 6 in shape (6, 2), expected a multiple of 4"),
    (lambda: nn.AdaSumByGradWrapCell(3), NotImplementedError, "is not offered")])
def test_errors(call, error, text):
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value) and str(caught.value).startswith("[")
