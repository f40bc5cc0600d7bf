"""Gradients of operations with more than one result, and the names that MindSpore generates for kernels of gradients."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.ops import auto_generate as A
from msjit.ops.operations import _grad_ops as G

ROWS, COLUMNS = [0, 2, 3, 6], [0, 1, 3, 5]


def numbers(*shape, seed=0):
    return np.random.RandomState(seed).rand(*shape).astype(np.float32) - 0.5


def windows(overlapping):
    for i, (top, bottom) in enumerate(zip(ROWS, ROWS[1:])):
        for j, (left, right) in enumerate(zip(COLUMNS, COLUMNS[1:])):
            yield i, j, slice(top, bottom + overlapping), slice(left, right + overlapping)


@pytest.mark.parametrize("overlapping", [False, True])
def test_fractional_pooling(overlapping):
    x, dout = numbers(2, 6, 5, 3), numbers(2, 3, 3, 3, seed=1)
    largest, mean, out = np.zeros_like(x), np.zeros_like(x), np.zeros_like(dout)
    for i, j, rows, columns in windows(overlapping):
        cut = x[:, rows, columns]
        out[:, i, j] = cut.max((1, 2))
        largest[:, rows, columns] += (cut == cut.max((1, 2), keepdims=True)) * dout[:, i:i + 1, j:j + 1]
        mean[:, rows, columns] += dout[:, i:i + 1, j:j + 1] / (cut.shape[1] * cut.shape[2])
    bounds = Tensor(ROWS, ms.int64), Tensor(COLUMNS, ms.int64)
    got = G.FractionalMaxPoolGrad(overlapping)(Tensor(x), Tensor(out), Tensor(dout), *bounds)
    np.testing.assert_allclose(got.asnumpy(), largest, rtol=1e-5, atol=1e-6)
    got = G.FractionalAvgPoolGrad(overlapping)(Tensor([2, 6, 5, 3], ms.int64), Tensor(dout), *bounds)
    np.testing.assert_allclose(got.asnumpy(), mean, rtol=1e-5, atol=1e-6)


def slope(function, inputs, at, direction, step=1e-2):
    """(function(inputs + step direction) - function(inputs - step direction)) / 2 step, along one input."""
    ends = [function(*[x + sign * step * direction if i == at else x for i, x in enumerate(inputs)]) for sign in (1, -1)]
    return (ends[0] - ends[1]) / (2 * step)


def check_slopes(function, inputs, gradients):
    assert len(gradients) == len(inputs)
    for at, (x, gradient) in enumerate(zip(inputs, gradients)):
        assert gradient.shape == x.shape
        direction = numbers(*x.shape, seed=20 + at)
        want = slope(lambda *xs: function(*xs).astype(np.float64).sum(), inputs, at, direction)
        assert abs((gradient.asnumpy() * direction).sum() - want) < 2e-3 * max(1, abs(want))


@pytest.mark.parametrize("layers, both_ways, biased", [(1, False, False), (2, True, True)])
def test_lstm(layers, both_ways, biased):
    ways = 2 if both_ways else 1
    size = sum(ways * (16 * ((3 if layer == 0 else 4 * ways) + 4) + 16 * biased) for layer in range(layers))
    inputs = [numbers(5, 2, 3), numbers(ways * layers, 2, 4, seed=1), numbers(ways * layers, 2, 4, seed=2), numbers(size, 1, 1, seed=3)]
    arguments = (3, 4, layers, biased, both_ways, 0.0)
    douts = [numbers(5, 2, 4 * ways, seed=4), numbers(ways * layers, 2, 4, seed=5), numbers(ways * layers, 2, 4, seed=6)]

    def weighed(*arrays):
        results = ops.LSTM(*arguments)(*[Tensor(a.astype(np.float32)) for a in arrays])[:3]
        return np.concatenate([(r.asnumpy() * d).reshape(-1) for r, d in zip(results, douts)])
    results = ops.LSTM(*arguments)(*map(Tensor, inputs))
    gradients = G.LSTMGrad(*arguments)(*map(Tensor, inputs), *results[:3], *map(Tensor, douts), results[3])
    check_slopes(weighed, inputs, gradients)


def test_least_squares():
    inputs, dout = [numbers(6, 3), numbers(6, 2, seed=1)], numbers(3, 2, seed=2)
    gradients = A.LstsqV2Grad()(Tensor(dout), *map(Tensor, inputs))
    check_slopes(lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0] * dout, inputs, gradients)


def test_scaled_and_deformed():
    image, dout = numbers(1, 5, 4, 2), numbers(1, 4, 5, 2, seed=1)
    place = Tensor([0.7, 1.4], ms.float32), Tensor([0.3, -0.2], ms.float32)

    def scaled(x):
        return ops.ScaleAndTranslate("triangle")(Tensor(x.astype(np.float32)), Tensor([4, 5], ms.int32), *place).asnumpy() * dout
    check_slopes(scaled, [image], [G.ScaleAndTranslateGrad("triangle")(Tensor(dout), Tensor(image), *place)])
    x, offsets, dout = numbers(1, 2, 4, 4), numbers(1, 12, 3, 3, seed=1) * 0.1 + 0.3, numbers(1, 2, 6, 6, seed=2)
    arguments = (1, 1, 1, 1), (0, 0, 0, 0), (2, 2)

    def deformed(x, offsets):
        return ops.DeformableOffsets(*arguments)(Tensor(x.astype(np.float32)), Tensor(offsets.astype(np.float32))).asnumpy() * dout
    check_slopes(deformed, [x, offsets], G.DeformableOffsetsGrad(*arguments)(Tensor(dout), Tensor(x), Tensor(offsets)))


def test_generated_names():
    x, dout = Tensor([-1.0, 2.0]), Tensor([3.0, 4.0])
    assert A.relu_grad_op(dout, x).tolist() == [0, 4] and A.pyboost_relu_grad(A.relu_grad_op, [dout, x]).tolist() == [0, 4]
    assert A.a_cos_grad_op.name == "ACosGrad" and A.gelu_grad_op.name == "GeLUGrad" and A.nllloss_2d_grad_op.name == "NLLLoss2dGrad"
    want = G.LogSoftmaxGrad(0)(ops.log_softmax(x, 0), dout).asnumpy()
    for got in (A.log_softmax_grad_impl(ops.log_softmax(x, 0), dout, 0), A.LogSoftmaxGradPrim_()(ops.log_softmax(x, 0), dout, 0)):
        np.testing.assert_array_equal(got.asnumpy(), want)
    assert A.softshrink_grad(dout, x, 1.5).tolist() == [0, 4]
    with pytest.raises(TypeError, match="expected the inputs and"):
        A.log_softmax_grad_impl(0)
    with pytest.raises(NotImplementedError, match="kernel of a gradient"):
        A.moe_token_permute_grad_op(x)


@pytest.mark.parametrize("mode", [None, "PIJit", "ast"])
def test_own_gradients(mode):
    """The gradient that a Cell gives itself by primitives, in all the ways to run it."""
    class Act(ms.nn.Cell):
        def construct(self, x):
            return ops.tanh(x) + ops.relu(x)

        def bprop(self, x, out, dout):
            return (G.TanhGrad()(ops.tanh(x), dout) + A.relu_grad_op(dout, x),)
    net = Act()

    def step(x):
        return ms.grad(net)(x)
    run = step if mode is None else ms.jit(step, capture_mode="bytecode" if mode == "PIJit" else "ast")
    x = Tensor([-1.0, 0.5])
    want = 1 - np.tanh(x.asnumpy()) ** 2 + [0, 1]
    for _ in range(3):
        np.testing.assert_allclose(run(x).asnumpy(), want, rtol=1e-6)
