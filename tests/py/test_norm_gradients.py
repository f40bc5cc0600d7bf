"""Primitives of the gradients of normalisations, and second gradients, give what the gradients of the operations are."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.ops import auto_generate
from msjit.ops.operations import _grad_ops as G
from msjit.ops.operations import _inner_ops, nn_ops


def numbers(*shape, seed=0, low=-1.0):
    return Tensor((np.random.RandomState(seed).rand(*shape) * (1 - low) + low).astype(np.float32))


X, DY, GAMMA = numbers(4, 6), numbers(4, 6, seed=1), numbers(6, seed=2)
IMAGES, DOUT, SCALE = numbers(2, 3, 4, 4, seed=3), numbers(2, 3, 4, 4, seed=4), numbers(3, seed=5)


def pulled(function, dout, *inputs):
    return ms.vjp(function, *inputs)[1](dout)


def close(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=2e-3, atol=1e-4)


def normalised(x, axes, gamma=1.0, beta=0.0, epsilon=1e-5):
    centred = x - x.mean(axes, True)
    return centred / ((centred * centred).mean(axes, True) + epsilon).sqrt() * gamma + beta


def statistics(x, axes, epsilon=1e-5):
    """(mean, variance, 1 / sqrt(variance + epsilon))"""
    mean, variance = (getattr(np, kind)(x.asnumpy(), axes, keepdims=True) for kind in ("mean", "var"))
    return Tensor(mean), Tensor(variance), Tensor(1 / np.sqrt(variance + epsilon))


def test_lines():
    mean, _, rstd = statistics(X, (1,))
    expected = pulled(lambda x, g, b: normalised(x, (1,), g, b), DY, X, GAMMA, numbers(6))
    close(auto_generate.LayerNormGradV3()(X, DY, rstd, mean, GAMMA), expected)
    close(auto_generate.LayerNormGradExt()(DY, X, (6,), mean, rstd, GAMMA, None), expected)
    rstd = (X * X).mean(1, True).rsqrt()
    close(G.RmsNormGrad()(DY, X, rstd, GAMMA), pulled(lambda x, g: x * (x * x).mean(1, True).rsqrt() * g, DY, X, GAMMA))


def test_groups():
    x, dout, gamma = numbers(2, 4, 3, 3), numbers(2, 4, 3, 3, seed=1), numbers(4, seed=2)
    mean, _, rstd = statistics(x.reshape(2, 2, 18), (2,))

    def forward(x, g, b):
        return normalised(x.reshape(2, 2, 18), (2,)).reshape(x.shape) * g.reshape(1, 4, 1, 1) + b.reshape(1, 4, 1, 1)
    found = auto_generate.GroupNormGrad()(dout, x, mean.reshape(2, 2), rstd.reshape(2, 2), gamma, 2)
    close(found, pulled(forward, dout, x, gamma, numbers(4)))


def batch(x, s, b):
    return normalised(x, (0, 2, 3), s.reshape(1, 3, 1, 1), b.reshape(1, 3, 1, 1))


def test_batches():
    mean, variance, rstd = (value.reshape(3) for value in statistics(IMAGES, (0, 2, 3)))
    expected = pulled(batch, DOUT, IMAGES, SCALE, numbers(3))
    close(auto_generate.BatchNormGradExt(True)(DOUT, IMAGES, SCALE, None, None, mean, rstd), expected)
    by_scale, by_offset = G.BNTrainingUpdateGrad(1e-5)(DOUT, IMAGES, mean, variance)
    dx = G.BNTrainingReduceGrad(1e-5)(DOUT, IMAGES, by_scale, by_offset, SCALE, mean, variance)
    close((dx, by_scale, by_offset), expected)
    found = auto_generate.BatchNormGradExt(False)(DOUT, IMAGES, SCALE, mean, variance)
    close(found, G.BatchNormGrad(False)(DOUT, IMAGES, SCALE, mean, variance, variance))


@pytest.mark.parametrize("training", [True, False])
def test_second_gradients_of_batches(training):
    mean, variance = (value.reshape(3) for value in statistics(IMAGES, (0, 2, 3))[:2])
    seeds = numbers(2, 3, 4, 4, seed=6), numbers(3, seed=7), numbers(3, seed=8)

    def fixed(x, s, b):
        return (x - mean.reshape(1, 3, 1, 1)) / (variance.reshape(1, 3, 1, 1) + 1e-5).sqrt() * s.reshape(1, 3, 1, 1) + b.reshape(1, 3, 1, 1)

    def gradient(x, dout, scale):
        return ms.vjp(batch if training else fixed, x, scale, numbers(3))[1](dout)
    found = G.BatchNormGradGrad(training)(IMAGES, DOUT, SCALE, mean, variance, *seeds)
    close(found, pulled(gradient, seeds, IMAGES, DOUT, SCALE))


def test_second_gradients_of_lines():
    mean, variance, _ = statistics(X, (1,))
    seeds = numbers(4, 6, seed=6), numbers(6, seed=7), numbers(6, seed=8)

    def gradient(x, dout, gamma):
        return ms.vjp(lambda x, g, b: normalised(x, (1,), g, b, 1e-12), x, gamma, numbers(6))[1](dout)
    close(G.LayerNormGradGrad()(X, DY, variance, mean, GAMMA, *seeds), pulled(gradient, seeds, X, DY, GAMMA))


def test_instances():
    def forward(x, g, b):
        return normalised(x, (2, 3), g.reshape(1, 3, 1, 1), b.reshape(1, 3, 1, 1))
    kept = Tensor(np.zeros(3, np.float32)), Tensor(np.ones(3, np.float32))
    y, mean, rstd = nn_ops.InstanceNorm()(IMAGES, SCALE, numbers(3), *kept)
    close((y,), (forward(IMAGES, SCALE, numbers(3)),))
    np.testing.assert_allclose(kept[0].asnumpy(), IMAGES.asnumpy().mean((0, 2, 3)) * 0.1, rtol=1e-4, atol=1e-6)
    close(G.InstanceNormGrad()(DOUT, IMAGES, SCALE, mean, rstd), pulled(forward, DOUT, IMAGES, SCALE, numbers(3)))


@pytest.mark.parametrize("training", [True, False])
def test_instances_second_version(training):
    gamma, beta = numbers(2, 3, 1, 1), numbers(2, 3, 1, 1, seed=1)
    mean, variance = numbers(2, 3, 1, 1, seed=2), numbers(2, 3, 1, 1, seed=3, low=0.5)
    before = mean.asnumpy().copy()
    operation, gradient = nn_ops.InstanceNormV2(training), G.InstanceNormV2Grad(training)

    def forward(x, g, b):
        return normalised(x, (2, 3), g, b) if training else (x - Tensor(before)) / (variance + 1e-5).sqrt() * g + b
    y, saved_mean, saved_rstd = operation(IMAGES, gamma, beta, mean, variance)
    close((y,), (forward(IMAGES, gamma, beta),))
    close(gradient(DOUT, IMAGES, gamma, mean, variance, saved_mean, saved_rstd), pulled(forward, DOUT, IMAGES, gamma, beta))
    moved = before * 0.9 + IMAGES.asnumpy().mean((2, 3), keepdims=True) * 0.1
    np.testing.assert_allclose(mean.asnumpy(), moved if training else before, rtol=1e-5)


def test_others():
    operation = ops.LRN(2)
    close((G.LRNGrad(2)(DOUT, IMAGES, operation(IMAGES)),), pulled(operation, DOUT, IMAGES))
    zeros, larger = ops.zeros_like(X), Tensor(X.asnumpy() >= DY.asnumpy())
    close(G.MaximumGradGrad()(X, DY, X * 2, DY * 3), (zeros, zeros, ops.select(larger, X * 2, DY * 3)))
    close(G.MinimumGradGrad()(X, DY, X * 2, DY * 3), (zeros, zeros, ops.select(larger, DY * 3, X * 2)))
    close(_inner_ops.ConfusionMulGrad(1)(X, DY, X * 2), (X * DY, (X * X * 2).sum(1)))


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_compiled(mode):
    mean, _, rstd = statistics(X, (1,))
    gradient = auto_generate.LayerNormGradV3()

    def function(x, dout):
        return gradient(x, dout, rstd, mean, GAMMA)
    close(ms.jit(function, mode=mode)(X, DY), function(X, DY))
