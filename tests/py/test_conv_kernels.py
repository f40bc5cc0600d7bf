"""Convolutions and pooling must not run in oneDNN's reference kernels, which are some hundred times slower than the others."""

import os
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import nn, ops

# The images lie channels first and the gradients of the outputs channels last, or the other way round.
SHAPES = {"patches": (1, 3, 8, 32, 16, 16, 0, 1), "depthwise": (1, 32, 32, 12, 7, 1, 3, 32), "groups": (1, 64, 64, 14, 3, 1, 1, 16),
          "strided": (2, 16, 8, 14, 3, 2, 1, 1)}


def channels_last(array):
    return ms.Tensor(np.ascontiguousarray(array.transpose(0, 2, 3, 1))).transpose((0, 3, 1, 2))


def gradients(name, x_last, dy_last):
    """Gradients with respect to image and weight, computed in the layouts asked for."""
    batch, channels, out, size, kernel, stride, padding, groups = SHAPES[name]
    rng = np.random.RandomState(0)
    x = rng.randn(batch, channels, size, size).astype(np.float32)
    weight = ms.Tensor(rng.randn(out, channels // groups, kernel, kernel).astype(np.float32))
    side = (size + 2 * padding - kernel) // stride + 1
    factor = rng.randn(batch, out, side, side).astype(np.float32)
    place = [channels_last if last else ms.Tensor for last in (x_last, dy_last)]

    def loss(x, weight):
        return (ops.conv2d(x, weight, stride=stride, padding=padding, pad_mode="pad", groups=groups) * place[1](factor)).sum()

    return ms.grad(loss, (0, 1))(place[0](x), weight)


@pytest.mark.parametrize("name", sorted(SHAPES))
def test_gradients_do_not_depend_on_layouts(name):
    wanted = gradients(name, False, False)
    for x_last, dy_last in ((False, True), (True, False), (True, True)):
        for got, expected in zip(gradients(name, x_last, dy_last), wanted):
            np.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-4)


def pool(name, x_last):
    """Result of pooling, and its gradient."""
    x = np.random.RandomState(3).randn(2, 24, 11, 10).astype(np.float32)
    layer = {"max": nn.MaxPool2d(3, 2), "max_same": nn.MaxPool2d(3, 2, pad_mode="same"), "avg": nn.AvgPool2d(2, 2),
             "avg_same": nn.AvgPool2d(3, 1, pad_mode="same")}[name]
    return ms.value_and_grad(lambda x: (layer(x) ** 2).sum())((channels_last if x_last else ms.Tensor)(x))


POOLS = ("avg", "avg_same", "max", "max_same")


@pytest.mark.parametrize("name", POOLS)
def test_pooling_does_not_depend_on_layouts(name):
    for got, expected in zip(pool(name, True), pool(name, False)):
        np.testing.assert_allclose(got.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-5)


def test_no_layout_leads_to_the_reference_kernel():
    code = ("import sys; sys.path.insert(0, %r); import test_conv_kernels as t\n"
            "for order in range(4):\n    for name in t.SHAPES: t.gradients(name, order & 1, order & 2)\n"
            "    for name in t.POOLS: t.pool(name, order & 1)" % os.path.dirname(os.path.abspath(__file__)))
    done = subprocess.run([sys.executable, "-c", code], env=dict(os.environ, ONEDNN_VERBOSE="1"), stdout=subprocess.PIPE,
                          universal_newlines=True, check=True)
    kernels = [line.split(",") for line in done.stdout.splitlines() if ",convolution," in line or ",pooling," in line]
    assert len(kernels) >= 3 * len(SHAPES) + 2 * len(POOLS)
    assert not [k for k in kernels if k[4].startswith(("ref", "simple"))]


def test_patches_of_a_vision_transformer_learn():
    """The outputs are read as rows of patches, so their gradients arrive channels last."""
    net = nn.Conv2d(3, 8, 16, stride=16, pad_mode="valid", has_bias=True)
    x = ms.Tensor(np.random.RandomState(1).randn(2, 3, 32, 32).astype(np.float32))
    rows = ms.Tensor(np.random.RandomState(2).randn(2, 4, 8).astype(np.float32))

    def loss(x):
        return (net(x).reshape((2, 8, 4)).transpose((0, 2, 1)) * rows).sum()

    eager = ms.value_and_grad(loss, None, net.trainable_params())
    captured = ms.jit(lambda x: eager(x), mode="PIJit")
    patches = x.asnumpy().reshape(2, 3, 2, 16, 2, 16).transpose(0, 2, 4, 1, 3, 5).reshape(8, -1)
    wanted = rows.asnumpy().reshape(8, 8).T @ patches
    for call in (eager, captured, captured):
        (weight_grad, bias_grad) = call(x)[1]
        np.testing.assert_allclose(weight_grad.asnumpy().reshape(8, -1), wanted, rtol=1e-4, atol=1e-4)
        np.testing.assert_allclose(bias_grad.asnumpy(), rows.asnumpy().sum((0, 1)), rtol=1e-4, atol=1e-4)
