"""Cells that compute in 16-bit floats keep the cast copy of a weight from call to call, until the weight changes."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.jit
DTYPES = [ms.bfloat16, ms.float16]
CALLS = 5  # copies are made from the third use on


def rand(*shape, seed=0):
    return np.random.RandomState(seed + sum(shape)).randn(*shape).astype(np.float32) / 4


class Net(nn.Cell):
    def __init__(self, dtype):
        super().__init__()
        self.first = nn.Dense(64, 128, weight_init=Tensor(rand(128, 64)), bias_init=Tensor(rand(128))).to_float(dtype)
        self.second = nn.Dense(128, 32, weight_init=Tensor(rand(32, 128)), has_bias=False).to_float(dtype)

    def construct(self, x):
        return self.second(ops.relu(self.first(x)))


def by_hand(net, x, dtype):
    w1, b1, w2 = (p.value().astype(dtype) for p in (net.first.weight, net.first.bias, net.second.weight))
    hidden = ops.relu(ops.dense(x.astype(dtype), w1, b1))
    return ops.dense(hidden, w2).astype(ms.float32).asnumpy()


def modes(net):
    return {"eager": net, "PIJit": ms.jit(lambda x: net(x), mode="PIJit"), "PSJit": ms.jit(lambda x: net(x), mode="PSJit")}


def check(run, net, dtype, calls=CALLS):
    for seed in range(calls):
        x = Tensor(rand(3, 64, seed=seed))
        got = run(x)
        assert got.dtype == dtype
        assert np.allclose(got.astype(ms.float32).asnumpy(), by_hand(net, x, dtype), rtol=2e-2, atol=2e-2)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("mode", ["eager", "PIJit", "PSJit"])
def test_weights_that_change(dtype, mode):
    net = Net(dtype)
    run = modes(net)[mode]
    check(run, net, dtype)
    weight = net.first.weight
    ops.assign(weight, weight * 2)
    check(run, net, dtype)
    weight.set_data(Tensor(rand(128, 64, seed=5)))
    check(run, net, dtype)
    weight[0] = 3
    check(run, net, dtype)
    weight += 1
    check(run, net, dtype)
    net.second.weight = Parameter(Tensor(rand(32, 128, seed=8)), name="other")
    check(run, net, dtype)


@pytest.mark.parametrize("mode", ["eager", "PIJit"])
def test_memory_that_others_write(mode):
    net = Net(ms.bfloat16)
    run = modes(net)[mode]
    check(run, net, ms.bfloat16)
    view = np.from_dlpack(net.first.weight) if hasattr(np, "from_dlpack") else net.first.weight.asnumpy()
    view = view if view.flags.writeable else net.first.weight.asnumpy()
    for value in (0.5, -0.25):
        view[:] = value
        check(run, net, ms.bfloat16, 4)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_training_reaches_the_parameters(dtype):
    losses = {}
    for mode in ("eager", "PIJit"):
        net = Net(dtype)
        optimizer = nn.SGD(net.trainable_params(), 0.05)
        gradients = ms.value_and_grad(lambda x: (net(x).astype(ms.float32) ** 2).mean(), None, optimizer.parameters)

        def step(x):
            loss, grads = gradients(x)
            optimizer(grads)
            return loss
        run = ms.jit(step, mode="PIJit") if mode == "PIJit" else step
        x = Tensor(rand(8, 64))
        losses[mode] = [float(run(x)) for _ in range(6)]
        assert losses[mode][-1] < losses[mode][0]
        before = net(x)  # outside of gradients, between two steps
        run(x)
        assert not np.array_equal(net(x).asnumpy(), before.asnumpy())
    assert np.allclose(losses["eager"], losses["PIJit"], rtol=2e-2)


class Shows(nn.Dense):
    """A subclass whose construct returns its cast weight."""

    def construct(self, x):
        return super().construct(x), self.weight


def test_subclasses_get_casts_of_their_own():
    net = Shows(64, 64, has_bias=False).to_float(ms.bfloat16)
    x = Tensor(rand(2, 64))
    weights = [net(x)[1] for _ in range(CALLS)]
    weights[-1][:] = 0
    assert all((w.asnumpy() != 0).any() for w in weights[:-1])
    assert (net(x)[0].astype(ms.float32).asnumpy() != 0).any()


def test_convolutions_and_layers_of_other_kinds():
    net = nn.SequentialCell(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Dense(8 * 64, 4))
    net.set_train(False)
    x = Tensor(rand(2, 3, 8, 8))
    expected = net(x).asnumpy()
    net.to_float(ms.bfloat16)
    run = ms.jit(lambda x: net(x), mode="PIJit")
    for _ in range(CALLS):
        for got in (net(x), run(x)):
            assert np.allclose(got.astype(ms.float32).asnumpy(), expected, rtol=5e-2, atol=5e-2)


@pytest.mark.parametrize("dtype", DTYPES + [ms.float32], ids=str)
def test_products_of_16_bit_floats(dtype):
    """Products agree with those in float64, for shapes that a library kernel takes and shapes that it does not take."""
    for m, k, n in ((1, 7, 5), (3, 64, 128), (130, 33, 65), (64, 1, 64), (2, 500, 1)):
        a, b, bias = rand(m, k), rand(k, n), rand(n)
        x, y, z = (Tensor(v).astype(dtype) for v in (a, b, bias))
        exact = x.astype(ms.float64).asnumpy() @ y.astype(ms.float64).asnumpy()
        tolerance = 1e-5 if dtype == ms.float32 else 1e-2
        for got in (ops.matmul(x, y), ops.matmul(x.T.copy().T, y), ops.matmul(x, y.T.copy().T)):
            assert got.dtype == dtype
            assert np.allclose(got.astype(ms.float64).asnumpy(), exact, rtol=tolerance, atol=tolerance * 4)
        with_bias = ops.dense(x, y.T, z).astype(ms.float64).asnumpy()
        assert np.allclose(with_bias, exact + z.astype(ms.float64).asnumpy(), rtol=tolerance, atol=tolerance * 4)
        stacked = ops.matmul(ops.stack([x, -x]), y).astype(ms.float64).asnumpy()
        assert np.allclose(stacked, np.stack([exact, -exact]), rtol=tolerance, atol=tolerance * 4)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("bias", [False, True])
def test_convolutions_of_16_bit_floats(dtype, bias):
    """Against those of float32: few and odd numbers of channels, groups, strides, gaps, windows that are no squares."""
    for c, o, groups, kernel, stride, gap, size in ((3, 16, 1, (3, 3), 2, 1, 32), (16, 16, 16, (3, 3), 1, 1, 28), (16, 32, 4, (3, 3), 1, 2, 9),
                                                    (64, 64, 1, (1, 1), 1, 1, 14), (1, 1, 1, (5, 5), 1, 1, 9), (6, 4, 2, (3, 3), 1, 1, 12),
                                                    (8, 24, 1, (1, 1), 2, 1, 7), (5, 7, 1, (1, 3), 1, 1, 12)):
        x, w, b = (Tensor(rand(*shape)).astype(dtype) for shape in ((2, c, size, size), (o, c // groups) + kernel, (o,)))
        options = (stride, "pad", kernel[0] // 2, gap, groups)
        exact = ops.conv2d(x.astype(ms.float32), w.astype(ms.float32), b.astype(ms.float32) if bias else None, *options).asnumpy()
        for _ in range(4):  # weights are packed from the third use on
            got = ops.conv2d(x, w, b if bias else None, *options)
            assert got.dtype == dtype
            assert np.allclose(got.astype(ms.float32).asnumpy(), exact, rtol=2e-2, atol=2e-2)
    assert ops.conv2d(x[:0], w, None, *options).shape[0] == 0


def conv_gradients(x, w, options, dtype):
    """Gradients of a weighted sum of the convolution's elements by input and weight, as float32."""
    def loss(x, w):
        y = ops.conv2d(x, w, None, *options).astype(ms.float32)
        return (y * Tensor(rand(*y.shape))).sum()
    return [g.astype(ms.float32).asnumpy() for g in ms.grad(loss, (0, 1))(x.astype(dtype), w.astype(dtype))]


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_gradients_of_convolutions_of_16_bit_floats(dtype):
    for c, o, groups, kernel, stride, gap, size in ((3, 16, 1, (3, 3), 2, 1, 17), (16, 16, 16, (3, 3), 1, 1, 14), (8, 12, 4, (3, 3), 1, 2, 9),
                                                    (64, 64, 1, (1, 1), 1, 1, 7), (6, 24, 1, (1, 1), 2, 1, 9), (5, 7, 1, (1, 3), 1, 1, 12)):
        x, w = (Tensor(rand(*shape)).astype(dtype) for shape in ((2, c, size, size), (o, c // groups) + kernel))
        options = (stride, "pad", kernel[0] // 2, gap, groups)
        for got, exact in zip(conv_gradients(x, w, options, dtype), conv_gradients(x, w, options, ms.float32)):
            assert np.abs(got - exact).max() <= 2e-2 * max(1, np.abs(exact).max())
