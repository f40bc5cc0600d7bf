"""Primitives of the gradients of losses, distances, activations, matrices and segments give what the operations' gradients are."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, ops
from msjit.ops import auto_generate as A
from msjit.ops.operations import _grad_ops as G
from msjit.ops.operations import math_ops, nn_ops

F = mint.nn.functional


def numbers(*shape, seed=0, low=-1.0, high=1.0):
    return Tensor((np.random.RandomState(seed).rand(*shape) * (high - low) + low).astype(np.float32))


X, P, DY = numbers(4, 6), numbers(4, 6, low=0.1, seed=1), numbers(4, 6, seed=2)
IMAGES = numbers(2, 3, 4, 4, seed=3)


def ints(values, kind=np.int64):
    return Tensor(np.array(values, kind))


def pulled(function, dout, *inputs):
    return ms.vjp(function, *inputs)[1](dout)


def close(found, expected):
    found, expected = (x if isinstance(x, (tuple, list)) else (x,) for x in (found, expected))
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-3, atol=2e-5)


ACTIVATIONS = [
    ("EluGradExt", (0.7,), lambda x: F.elu(x, 0.7)), ("GeluGradExt", ("none",), F.gelu),
    ("GeluGradExt", ("tanh",), lambda x: F.gelu(x, approximate="tanh")), ("HardtanhGrad", (-0.5, 0.5), lambda x: F.hardtanh(x, -0.5, 0.5)),
    ("LeakyReLUGradExt", (0.1,), lambda x: F.leaky_relu(x, 0.1)), ("LogSigmoidGrad", (None,), F.logsigmoid), ("MishGradExt", (), F.mish),
    ("SoftplusGradExt", (2, 1), lambda x: F.softplus(x, 2, 1)), ("ThresholdGrad", (0.2,), lambda x: F.threshold(x, 0.2, 0.0)),
]


@pytest.mark.parametrize("name, rest, forward", ACTIVATIONS, ids=[row[0] + str(i) for i, row in enumerate(ACTIVATIONS)])
def test_activations(name, rest, forward):
    close(getattr(A, name)()(DY, X, *rest), pulled(forward, DY, X))


def test_activations_of_results():
    close(A.EluGradExt()(DY, F.elu(X, 0.7), 0.7, True), pulled(lambda x: F.elu(x, 0.7), DY, X))
    close(A.SoftmaxBackward()(DY, ops.softmax(X, 0), 0), pulled(lambda x: ops.softmax(x, 0), DY, X))
    close(A.SwigluGrad()(DY[:, :3], X), pulled(lambda x: ops.swiglu(x, -1), DY[:, :3], X))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses(reduction):
    dout = DY if reduction == "none" else Tensor(np.float32(1.5))
    close(A.BinaryCrossEntropyWithLogitsBackward()(dout, X, P, P, P, reduction),
          pulled(lambda x: ops.binary_cross_entropy_with_logits(x, P, P, P, reduction), dout, X))
    close(A.KLDivGrad()(dout, X, P, reduction), pulled(lambda x: F.kl_div(x, P, reduction), dout, X))
    close(A.L1LossBackwardExt()(dout, X, P, reduction), pulled(lambda x: F.l1_loss(x, P, reduction), dout, X))
    close(A.MSELossGradExt()(dout, X, P, reduction), pulled(lambda x: F.mse_loss(x, P, reduction), dout, X))
    dout = DY[:, 0] if reduction == "none" else dout
    labels, several = ints([0, 3, 2, 1]), ints([[1, 2, -1, 0, 0, 0]] * 4, np.int32)
    close(G.MultiMarginLossGrad(2, 0.5, reduction)(dout, X, labels, P[0]),
          pulled(lambda x: ops.MultiMarginLoss(2, 0.5, reduction)(x, labels, P[0]), dout, X))
    operation = ops.MultilabelMarginLoss(reduction)
    assert operation(X, several)[1].tolist() == [[0, 1, 1, 0, 0, 0]] * 4
    close(G.MultilabelMarginLossGrad(reduction)(dout, X, several, operation(X, several)[1]),
          pulled(lambda x: ops.multilabel_margin_loss(x, several, reduction), dout, X))


def test_loss_of_planes():
    target = ints(np.ones((2, 4, 4)))
    close(A.NLLLoss2dGrad()(Tensor(np.float32(2)), IMAGES, target, ops.ones(3, ms.float32), "mean", -100, None),
          pulled(lambda x: ops.nll_loss(x, target), Tensor(np.float32(2)), IMAGES))


def test_connectionist_loss():
    x, dout = numbers(5, 2, 4), numbers(2)
    rest = ints([[1, 2], [3, 1]]), ints([5, 4]), ints([2, 2])
    operation = ops.CTCLossV2(0)

    def loss(x):
        return operation(ops.log_softmax(x, -1), *rest)[0]
    log_probs = ops.log_softmax(x, -1)
    found = nn_ops.CTCLossV2Grad(0)(dout, log_probs, *(rest + operation(log_probs, *rest)))
    close(found, pulled(loss, dout, x))


@pytest.mark.parametrize("p", [1.0, 2.0, 3.0])
def test_distances(p):
    y = numbers(6)
    close(G.PdistGrad(p)(y, X, None), pulled(ops.Pdist(p), y, X))
    close(A.CdistGrad(p)(DY[:, :4], X, P, None), pulled(lambda x: ops.Cdist(p)(x, P), DY[:, :4], X))


def test_special_functions():
    a, x = numbers(6, low=1, high=6), numbers(6, low=1, high=6, seed=1)
    close(G.IgammaGradA()(a, x), pulled(lambda a: ops.igamma(a, x), ops.ones(6, ms.float32), a))
    close(G.MvlgammaGrad(3)(DY[0], a + 2), pulled(lambda a: ops.mvlgamma(a, 3), DY[0], a + 2))
    found = G.RandomGammaGrad()(Tensor(np.float32([1, 0.6, 3, 26])), Tensor(np.float32([6, 7, 11, 0.5])))
    np.testing.assert_allclose(found.asnumpy(), [2.5142431, 3.4334087, 1.8847835, 0.07780622], rtol=1e-4)  # of MindSpore's page


def test_medians():
    for keep in (True, False):
        operation = ops.Median(False, 1, keep)
        y, places = operation(X)
        close(G.MedianGrad(False, 1, keep)(y, X, y, places), pulled(lambda x: operation(x)[0], y, X))
    x = Tensor(np.float32([1, 2, 2, 3]))
    assert G.MedianGrad(True)(Tensor(np.float32(3)), x, Tensor(np.float32(2)), None).tolist() == [0, 1.5, 1.5, 0]


def test_matrices():
    lower = Tensor(np.tril(np.eye(3) * 2 + 0.3).astype(np.float32))
    close(G.CholeskyGrad()(lower, DY[:3, :3]), pulled(ops.cholesky, DY[:3, :3], ops.matmul(lower, lower.T)))
    right = numbers(6, 3, seed=4)
    close(G.EinsumGrad("ij,jk->ik")((X, right), DY[:, :3]), (ops.matmul(DY[:, :3], right.T), ops.matmul(X.T, DY[:, :3])))
    found = G.LuUnpackGrad(True, True)(DY[:, :4], DY, X)
    close(found, (Tensor(np.pad(np.tril(DY.asnumpy()[:, :4], -1), ((0, 0), (0, 2)), "constant")), ops.triu(DY)))
    close(A.TraceV2Grad()(Tensor(np.float32(2)), (3, 4), 1, 0, 1), Tensor(2 * np.eye(3, 4, 1, dtype=np.float32)))


def test_places():
    assert G.UniqueGrad()((DY[0, :3], None), (None, ints([0, 1, 2, 1])))[3] == DY[0, 1]
    values, default = G.SparseFillEmptyRowsGrad()(ints([0, 2, 3]), DY[0, :5])
    close((values, default), (ops.gather(DY[0], ints([0, 2, 3]), 0), DY[0, 1] + DY[0, 4]))
    found = G.SparseSliceGrad()(DY[0, :2], ints([[0, 0], [1, 1], [2, 0]]), ints([1, 0]), ints([[0, 1], [1, 0]]))
    close(found, Tensor([0.0] + DY[0, :2].tolist()))
    grad, table = numbers(2, 2, 3), numbers(5, 3)
    indices = ints([[0, 1], [1, 3]])
    close(A.EmbeddingDenseBackward()(grad, indices, 5), pulled(lambda w: F.embedding(indices, w), grad, table))
    found = A.EmbeddingDenseBackward()(grad, indices, 5, 3, True)
    close((found[1], found[3]), ((grad[0, 1] + grad[1, 0]) / 2, ops.zeros(3, ms.float32)))
    close(A.RepeatInterleaveGrad()(X.T, ints([1, 2, 3]), 0), ops.stack((X[:, 0], X[:, 1] + X[:, 2], X[:, 3:].sum(1))))
    close(A.RepeatInterleaveGrad()(X, 2, 1), X[:, ::2] + X[:, 1::2])


@pytest.mark.parametrize("name, share", [("Sum", [1, 1, 1, 1]), ("Mean", [0.5, 0.5, 1, 1]), ("SqrtN", [0.5 ** 0.5, 0.5 ** 0.5, 1, 1])])
def test_segments(name, share):
    indices, segments = ints([0, 2, 1, 2], np.int32), ints([0, 0, 1, 2], np.int32)
    found = getattr(G, "SparseSegment%sGrad" % name)()(DY, indices, segments, Tensor(np.int32(5)))
    expected = np.zeros((5, 6), np.float32)
    for row, segment, part in zip([0, 2, 1, 2], [0, 0, 1, 2], share):
        expected[row] += DY.asnumpy()[segment] * np.float32(part)
    close(found, Tensor(expected))


def test_means_of_segments():
    found = math_ops.SparseSegmentMean()(X, ints([0, 1, 2], np.int32), ints([1, 2, 2], np.int32))
    close(found, ops.stack((ops.zeros_like(X[0]), X[0], (X[1] + X[2]) / 2)))


def test_windows():
    weight, dout = numbers(4, 3, 3, 3), numbers(2, 4, 2, 2)
    dx, dw = pulled(lambda x, w: F.conv2d(x, w), dout, IMAGES, weight)
    close(A.ConvolutionGrad()(dout, IMAGES, weight), (dx, dw, dout.sum((0, 2, 3))))
    with pytest.raises(NotImplementedError, match=r"\[ConvolutionGrad\] transposed"):
        A.ConvolutionGrad()(dout, IMAGES, weight, None, 1, 0, 1, True)
    dout = numbers(2, 3, 2, 2)
    close(A.AvgPool2DGrad()(dout, IMAGES, 2, 2), pulled(lambda x: F.avg_pool2d(x, 2, 2), dout, IMAGES))
    close(A.AdaptiveAvgPool2DGradExt()(dout, IMAGES), pulled(lambda x: F.adaptive_avg_pool2d(x, (2, 2)), dout, IMAGES))
    assert A.Col2ImGrad()(IMAGES, (2, 2), 1, 0, (2, 2)).shape == (2, 12, 4)
    volume = numbers(1, 1, 4, 4, 4)
    close(A.AvgPool3DGradExt()(volume[:, :, :2, :2, :2], volume, 2, 2),
          pulled(lambda x: F.avg_pool3d(x, 2, 2), volume[:, :, :2, :2, :2], volume))


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_compiled(mode):
    soft, segments = A.SoftmaxBackward(), G.SparseSegmentMeanGrad()
    indices, ids = ints([0, 2, 1, 2], np.int32), ints([0, 0, 1, 2], np.int32)

    def function(dout, out):
        return soft(dout, out, 0) + segments(dout, indices, ids, 4)
    close(ms.jit(function, mode=mode)(DY, P), function(DY, P))
    close(ms.grad(function)(DY, P), pulled(lambda d: function(d, P), ops.ones_like(DY), DY))
