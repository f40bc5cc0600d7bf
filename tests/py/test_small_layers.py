"""Activations, small layers and the layers of mint.nn against NumPy; wrappers of networks."""
import numpy as np
import pytest

import msjit as ms
from jit_same import same
from msjit import Parameter, Tensor, mint, nn, ops

X = np.random.RandomState(0).randn(3, 4).astype(np.float32)
POSITIVE = (np.random.RandomState(1).rand(3, 4) * 0.9 + 0.05).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis):
    x = np.exp(x - x.max(axis, keepdims=True))
    return x / x.sum(axis, keepdims=True)


def elu(x, alpha):
    return np.where(x > 0, x, alpha * np.expm1(x))


ACTIVATIONS = [
    (nn.FastGelu(), X * sigmoid(1.702 * X)), (nn.SeLU(), 1.0507009873554805 * elu(X, 1.6732632423543772)),
    (nn.GLU(), X[:, :2] * sigmoid(X[:, 2:])), (nn.Threshold(0.1, 5), np.where(X > 0.1, X, 5)),
    (nn.RReLU(0.2, 0.2), np.where(X > 0, X, 0.2 * X)), (nn.Softmin(0), softmax(-X, 0)),
    (nn.Norm(1, True), np.sqrt((X * X).sum(1, keepdims=True))), (nn.Norm(), np.sqrt((X * X).sum())),
    (nn.L1Regularizer(0.5), 0.5 * np.abs(X).sum()), (mint.nn.ELU(0.5), elu(X, 0.5)), (mint.nn.Softmax(), softmax(X, 1)),
    (mint.nn.LogSoftmax(0), np.log(softmax(X, 0))), (mint.nn.PReLU(), np.where(X > 0, X, 0.25 * X)),
    (mint.nn.Hardtanh(-0.5, 0.5), X.clip(-0.5, 0.5)), (mint.nn.SiLU(), X * sigmoid(X)), (mint.nn.ReLU6(), X.clip(0, 6)),
    (mint.nn.Threshold(0.1, 5.0), np.where(X > 0.1, X, 5)), (mint.nn.Hardshrink(), np.where(np.abs(X) > 0.5, X, 0)),
    (lambda x: mint.nn.functional.normalize(x, 1.0, 0), X / np.abs(X).sum(0)),
]


@pytest.mark.parametrize("layer, expected", ACTIVATIONS)
def test_activations(layer, expected):
    found = layer(Tensor(X))
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-6)
    assert found.dtype == ms.float32
    gradient = ms.grad(lambda x: layer(x).sum())(Tensor(X)).asnumpy()
    direction = np.random.RandomState(2).randn(3, 4).astype(np.float32)
    ends = [float(layer(Tensor(X + e * direction)).sum().asnumpy()) for e in (1e-3, -1e-3)]
    np.testing.assert_allclose((gradient * direction).sum(), (ends[0] - ends[1]) / 2e-3, rtol=2e-2, atol=2e-2)


@pytest.mark.jit
@pytest.mark.parametrize("layer", [layer for layer, _ in ACTIVATIONS if not isinstance(layer, nn.RReLU)])
def test_activations_compiled(layer):
    def call(x):
        return layer(x)
    same(call, lambda v: (Tensor(X + v),), exact=False)


def test_random_slopes_and_names():
    x = Tensor(-np.ones((50, 50), np.float32))
    slopes = -nn.RReLU(0.25, 0.5)(x).asnumpy()
    assert slopes.min() >= 0.25 and slopes.max() < 0.5 and abs(slopes.mean() - 0.375) < 0.02
    for name, cls in (("fast_gelu", nn.FastGelu), ("mish", nn.Mish), ("softmin", nn.Softmin), ("hshrink", nn.HShrink)):
        assert type(nn.get_activation(name)) is cls
    images = np.random.RandomState(3).randn(2, 3, 2, 2).astype(np.float32)
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(images)).asnumpy(), softmax(images, 1), rtol=1e-5)


def test_small_layers():
    net, a, b = nn.BiDense(3, 4, 5), np.random.RandomState(4).randn(2, 3).astype(np.float32), X[:2]
    w = {n: p.asnumpy() for n, p in net.parameters_and_names()}
    np.testing.assert_allclose(net(Tensor(a), Tensor(b)).asnumpy(), np.einsum("ni,oij,nj->no", a, w["weight"], b) + w["bias"],
                               rtol=1e-4, atol=1e-5)
    ids = np.int32([[1, 0], [2, 5]])
    for axis, shape in ((-1, (2, 2, 3)), (0, (3, 2, 2)), (1, (2, 3, 2))):
        found = nn.OneHot(axis, 3, 2.0, -1.0)(Tensor(ids)).asnumpy()
        assert found.shape == shape
        assert np.array_equal(np.moveaxis(found, axis, -1), np.where(ids[..., None] == np.arange(3), 2, -1))
    mean, variance = nn.Moments(1)(Tensor(X))
    np.testing.assert_allclose(mean.asnumpy(), X.mean(1), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(variance.asnumpy(), X.var(1), rtol=1e-5)
    for cls, shape in ((nn.Dropout1d, (40, 50, 3)), (nn.Dropout2d, (40, 50, 3, 2)), (nn.Dropout3d, (40, 50, 1, 2, 2))):
        x, drop = Tensor(np.ones(shape, np.float32)), cls(0.25)
        assert np.array_equal(drop(x).asnumpy(), x.asnumpy())
        found = drop.set_train()(x).asnumpy().reshape(40, 50, -1)
        assert set(np.unique(found).round(4)) == {0, np.float32(4 / 3).round(4)} and (found == found[:, :, :1]).all()
        assert abs((found[:, :, 0] == 0).mean() - 0.25) < 0.05


def test_networks_around_networks():
    x, dense = np.random.RandomState(5).randn(4, 5, 3).astype(np.float32), nn.Dense(3, 2)
    expected = dense(Tensor(x)).asnumpy()
    for other in (None, 0):
        np.testing.assert_allclose(nn.TimeDistributed(dense, 1, other)(Tensor(x)).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    label = Tensor(expected[:, 0] * 0)
    loss, output, again = nn.WithEvalCell(nn.Dense(3, 2), nn.MSELoss())(Tensor(x[:, 0]), label)
    np.testing.assert_allclose(loss.asnumpy(), (output.asnumpy() ** 2).mean(), rtol=1e-5)
    assert again is label
    parameter = Parameter(Tensor([1.0]), name="p")
    nn.ParameterUpdate(parameter)(Tensor([2.0]))
    assert parameter.asnumpy().tolist() == [2.0] and nn.DistributedGradReducer([parameter])((1, 2)) == (1, 2)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_mint_batch_norm(rank):
    shape = (6, 4) + (2,) * (rank - 1 if rank == 1 else rank)
    x = np.random.RandomState(6).randn(*shape).astype(np.float32)
    axes = (0,) + tuple(range(2, x.ndim))
    net = getattr(mint.nn, "BatchNorm%dd" % rank)(4, momentum=0.3)
    assert [(n, p.requires_grad) for n, p in net.parameters_and_names()] == [
        ("weight", True), ("bias", True), ("running_mean", False), ("running_var", False), ("num_batches_tracked", False)]

    def normalised(mean, variance):
        keep = (1, 4) + (1,) * (x.ndim - 2)
        return (x - mean.reshape(keep)) / np.sqrt(variance.reshape(keep) + 1e-5)
    found = net.set_train()(Tensor(x)).asnumpy()
    np.testing.assert_allclose(found, normalised(x.mean(axes), x.var(axes)), rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(net.running_var.asnumpy(), 0.7 + 0.3 * x.var(axes, ddof=1), rtol=1e-4)
    assert int(net.num_batches_tracked.asnumpy()) == 1
    found = net.set_train(False)(Tensor(x)).asnumpy()
    np.testing.assert_allclose(found, normalised(net.running_mean.asnumpy(), net.running_var.asnumpy()), rtol=1e-3, atol=1e-4)
    bare = getattr(mint.nn, "BatchNorm%dd" % rank)(4, affine=False, track_running_stats=False)
    assert not list(bare.get_parameters())
    np.testing.assert_allclose(bare(Tensor(x)).asnumpy(), normalised(x.mean(axes), x.var(axes)), rtol=1e-3, atol=1e-4)
    with pytest.raises(ValueError, match="rank of the input"):
        net(Tensor(X[0]))


def test_names_that_nn_shares():
    assert nn.Accuracy is ms.train.Accuracy and nn.get_metric_fn is ms.train.get_metric_fn and nn.Linear is mint.nn.Linear
    assert nn.optim is ms.optim and nn.learning_rate_schedule is nn.dynamic_lr and not hasattr(nn, "NoSuchLayer")


def test_mint_layers_and_losses():
    for layer, names in ((mint.nn.LayerNorm(4), ["weight", "bias"]), (mint.nn.GroupNorm(2, 4), ["weight", "bias"]),
                         (mint.nn.Embedding(5, 4, 1), ["weight"]), (mint.nn.Linear(4, 2), ["weight", "bias"])):
        assert [n for n, _ in layer.parameters_and_names()] == names
    np.testing.assert_allclose(mint.nn.LayerNorm(4)(Tensor(X)).asnumpy(),
                               (X - X.mean(1, keepdims=True)) / np.sqrt(X.var(1, keepdims=True) + 1e-5), rtol=1e-4, atol=1e-5)
    table, ids = mint.nn.Embedding(5, 4, padding_idx=1), Tensor(np.int32([0, 1]))
    assert not table(ids).asnumpy()[1].any()
    gradient, = ms.grad(lambda i: table(i).sum(), None, table.trainable_params())(ids)
    assert gradient.asnumpy().sum(1).tolist() == [4, 0, 0, 0, 0]
    y, gap = Tensor(POSITIVE), np.abs(X - POSITIVE)
    for loss, expected in (
            (mint.nn.SmoothL1Loss(beta=0.5), np.where(gap < 0.5, gap * gap, gap - 0.25).mean()),
            (mint.nn.KLDivLoss("batchmean"), (POSITIVE * (np.log(POSITIVE) - X)).sum() / 3),
            (mint.nn.KLDivLoss("sum", True), (np.exp(POSITIVE) * (POSITIVE - X)).sum()),
            (mint.nn.BCEWithLogitsLoss(y, "sum"),
             -(POSITIVE * (POSITIVE * np.log(sigmoid(X)) + (1 - POSITIVE) * np.log(sigmoid(-X)))).sum())):
        np.testing.assert_allclose(loss(Tensor(X), y).asnumpy(), expected, rtol=1e-4)


@pytest.mark.parametrize("call, error", [
    (lambda: nn.RReLU(0.3, 0.2), ValueError), (lambda: nn.Threshold("x", 1), TypeError), (lambda: nn.GLU(1.0), TypeError),
    (lambda: nn.Softmax2d()(Tensor(X)), ValueError), (lambda: nn.BiDense(3, 4, 5)(Tensor(X), Tensor(X)), ValueError),
    (lambda: nn.Dropout1d(1), TypeError), (lambda: nn.Dropout2d(1.5), ValueError), (lambda: nn.Dropout2d()(Tensor(X)), ValueError),
    (lambda: nn.L1Regularizer(0), ValueError), (lambda: nn.TimeDistributed(nn.Dense(4, 2), 1.0), TypeError),
    (lambda: nn.TimeDistributed(nn.Dense(4, 2), 1)(Tensor(X)), ValueError), (lambda: nn.ParameterUpdate(Tensor(X)), TypeError),
    (lambda: mint.nn.ReLU6(inplace=1), TypeError), (lambda: mint.nn.Dropout(0.5, 1), TypeError),
    (lambda: mint.nn.Embedding(3, 4, sparse=True), NotImplementedError), (lambda: mint.nn.Embedding(3, 4, 3), ValueError),
    (lambda: mint.nn.BatchNorm2d(4, momentum=None), NotImplementedError), (lambda: ops.softmin(3), TypeError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call()
