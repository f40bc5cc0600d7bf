"""Primitives of gradients give what the gradients of the operations are."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.ops.operations import _grad_ops as G


def numbers(*shape, low=-1.0, high=1.0, seed=0):
    return Tensor((np.random.RandomState(seed).rand(*shape) * (high - low) + low).astype(np.float32))


X, P, DY = numbers(4, 6), numbers(4, 6, low=0.2, high=0.9, seed=1), numbers(4, 6, seed=2)
IMAGES = numbers(2, 3, 8, 8, seed=3)
OF_INPUT = [("Abs", X), ("ACos", X), ("Asin", X), ("Atan", X)]  # (x, dout)
OF_RESULT = [("Acosh", P + 1), ("Asinh", X), ("Reciprocal", P), ("Inv", P), ("Sqrt", P), ("Rsqrt", P), ("Sigmoid", X), ("Tanh", X),
             ("Softmax", X), ("LogSoftmax", X)]  # (y, dout)
GRADIENT_FIRST = [("HSigmoid", X), ("HSwish", X), ("SiLU", X), ("FastGeLU", X), ("Softplus", X), ("ReLU6", X * 8)]  # (dout, x)


def pulled(operation, dout, *inputs):
    return ms.vjp(operation, *inputs)[1](dout)


def close(found, expected):
    found = found if isinstance(found, (tuple, list)) else (found,)
    expected = expected if isinstance(expected, (tuple, list)) else (expected,)
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("name, x", OF_INPUT, ids=[row[0] for row in OF_INPUT])
def test_of_the_input(name, x):
    close(getattr(G, name + "Grad")()(x, DY), pulled(getattr(ops, name)(), DY, x))


@pytest.mark.parametrize("name, x", OF_RESULT, ids=[row[0] for row in OF_RESULT])
def test_of_the_result(name, x):
    operation = getattr(ops, name)()
    close(getattr(G, name + "Grad")()(operation(x), DY), pulled(operation, DY, x))


@pytest.mark.parametrize("name, x", GRADIENT_FIRST, ids=[row[0] for row in GRADIENT_FIRST])
def test_gradient_first(name, x):
    close(getattr(G, name + "Grad")()(DY, x), pulled(getattr(ops, name)(), DY, x))


@pytest.mark.parametrize("name, forward", [("ReluGrad", ops.ReLU()), ("EluGrad", ops.Elu()), ("SeluGrad", ops.SeLU())])
def test_activations(name, forward):
    close(getattr(G, name)()(DY, forward(X)), pulled(forward, DY, X))


def test_with_attributes():
    close(G.SoftShrinkGrad(0.3)(DY, X), pulled(ops.SoftShrink(0.3), DY, X))
    close(G.HShrinkGrad(0.3)(DY, X), pulled(ops.HShrink(0.3), DY, X))
    close(G.LogitGrad(1e-5)(DY, P), pulled(ops.Logit(1e-5), DY, P))
    close(G.GluGrad(1)(DY[:, :3], X), pulled(lambda x: ops.glu(x, 1), DY[:, :3], X))
    close(G.GeLUGrad()(DY, X, ops.GeLU()(X)), pulled(ops.GeLU(), DY, X))
    weight = numbers(6, seed=4)
    close(G.PReLUGrad()(DY, X, weight), pulled(ops.PReLU(), DY, X, weight))
    close(G.L2NormalizeGrad(1, 1e-4)(X, ops.L2Normalize(1, 1e-4)(X), DY), pulled(ops.L2Normalize(1, 1e-4), DY, X))


@pytest.mark.parametrize("name", ["Maximum", "Minimum"])
def test_choices(name):
    row = numbers(6, seed=5)
    close(getattr(G, name + "Grad")()(X, row, DY), pulled(getattr(ops, name)(), DY, X, row))


@pytest.mark.parametrize("reduction", ["mean", "sum", "none"])
def test_losses(reduction):
    dout = DY if reduction == "none" else Tensor(np.float32(1.5))
    close(G.BinaryCrossEntropyGrad(reduction)(P, P * 0.5, dout, X),
          pulled(lambda x: ops.BinaryCrossEntropy(reduction)(x, P * 0.5, X), dout, P))
    close(G.SmoothL1LossGrad(1.0, reduction)(X, P, dout), pulled(lambda x: ops.SmoothL1Loss(1.0, reduction)(x, P), dout, X))
    close(G.KLDivLossGrad(reduction)(dout, X, P), pulled(lambda x: ops.KLDivLoss(reduction)(x, P), dout, X))
    labels = ops.sign(DY)
    close(G.SoftMarginLossGrad(reduction)(X, labels, dout), pulled(lambda x: ops.SoftMarginLoss(reduction)(x, labels), dout, X))
    close(G.SigmoidCrossEntropyWithLogitsGrad()(X, P, DY), pulled(lambda x: ops.SigmoidCrossEntropyWithLogits()(x, P), DY, X))


def test_norms():
    gamma, beta = numbers(6, seed=6), numbers(6, seed=7)
    _, mean, variance = ops.LayerNorm(1, 1)(X, gamma, beta)
    close(G.LayerNormGrad(1, 1)(X, DY, variance, mean, gamma),
          pulled(lambda x, g, b: ops.LayerNorm(1, 1)(x, g, b)[0], DY, X, gamma, beta))
    scale, bias, mean, variance = numbers(3), numbers(3, seed=1), numbers(3, seed=2), numbers(3, low=0.5, high=1, seed=3)
    dout = IMAGES * 2 - 1
    close(G.BatchNormGrad(False, 1e-5)(dout, IMAGES, scale, mean, variance, variance),
          pulled(lambda x, s, b: ops.BatchNorm(False, 1e-5)(x, s, b, mean, variance)[0], dout, IMAGES, scale, bias))
    close(G.BiasAddGrad()(IMAGES), IMAGES.sum((0, 2, 3)))
    close(G.BiasAddGrad("NHWC")(IMAGES), IMAGES.sum((0, 1, 2)))


def test_statistics_of_the_batch():
    scale, bias = numbers(3), numbers(3, seed=1)
    mean, dout = IMAGES.mean((0, 2, 3)), numbers(2, 3, 8, 8, seed=8)
    spread = ((IMAGES - mean.reshape(1, 3, 1, 1)) ** 2).mean((0, 2, 3))

    def normalise(x, s, b):
        centre = x - x.mean((0, 2, 3), True)
        return centre / ((centre ** 2).mean((0, 2, 3), True) + 1e-5).sqrt() * s.reshape(1, 3, 1, 1) + b.reshape(1, 3, 1, 1)
    close(G.BatchNormGrad(True, 1e-5)(dout, IMAGES, scale, mean, spread, spread), pulled(normalise, dout, IMAGES, scale, bias))


def test_windows():
    for name in ("MaxPool", "AvgPool"):
        operation = getattr(ops, name)(2, 2)
        y = operation(IMAGES)
        close(getattr(G, name + "Grad")(2, 2)(IMAGES, y, y * 0.5), pulled(operation, y * 0.5, IMAGES))
    dout, weight = numbers(2, 4, 6, 6), numbers(4, 3, 3, 3, seed=9)
    close(G.Conv2DBackpropFilter(4, 3)(dout, IMAGES, (4, 3, 3, 3)), pulled(lambda w: ops.Conv2D(4, 3)(IMAGES, w), dout, weight))
    close(G.ResizeBilinearGrad()(IMAGES, numbers(2, 3, 4, 5)), pulled(ops.ResizeBilinear((8, 8)), IMAGES, numbers(2, 3, 4, 5)))
    close(G.AdaptiveAvgPool2DGrad()(numbers(2, 3, 2, 2), Tensor([2, 3, 8, 8])),
          pulled(lambda x: ops.adaptive_avg_pool2d(x, 2), numbers(2, 3, 2, 2), IMAGES))


def test_places():
    assert G.SliceGrad()(ops.ones((2, 3), ms.float32), X, (1, 2), (2, 3)).asnumpy()[1:3, 2:5].sum() == 6
    assert G.StridedSliceGrad()(ops.ones((2, 3), ms.float32), (4, 6), (0, 0), (4, 6), (2, 2)).asnumpy()[::2, ::2].sum() == 6
    assert np.array_equal(G.TraceGrad()(Tensor(np.float32(2)), Tensor([2, 3])).asnumpy(), 2 * np.eye(2, 3))
    assert G.FlattenGrad()(X, (4, 3, 2)).shape == (4, 3, 2)
    assert np.array_equal(G.DropoutGrad(0.5)(DY, X > 0).asnumpy(), DY.asnumpy() * (X.asnumpy() > 0) * 2)
    index = Tensor(np.array([[0, 1], [1, 1], [2, 0], [5, 4]]))
    close(G.GatherDGradV2()(X, 1, index, ops.ones((4, 2), ms.float32)),
          pulled(lambda x: ops.gather_d(x, 1, index), ops.ones((4, 2), ms.float32), X))


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_compiled(mode):
    def function(dout, x):
        return G.SiLUGrad()(dout, x) + G.TanhGrad()(x, dout)
    close(ms.jit(function, mode=mode)(DY, X), function(DY, X))


def test_unknown_attributes():
    with pytest.raises(TypeError, match=r"\[GluGrad\] attribute 'axis' is missing"):
        G.GluGrad()


def test_generated_names():
    from msjit.ops import auto_generate
    assert auto_generate.ReluGrad is G.ReluGrad
