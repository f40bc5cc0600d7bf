"""Networks of amp level "auto" in captured code: the casts are part of the graph."""
import threading

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, amp, nn, ops

MODES = ["PIJit", "PSJit"]


def data(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).standard_normal(shape).astype(np.float32))


class Convolution(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(3, 8, 3, has_bias=True), nn.BatchNorm2d(8)
        self.head = nn.Dense(8, 5)

    def construct(self, x):
        y = ops.relu(self.norm(self.conv(x)))
        return self.head(y.mean((2, 3))), ops.softmax(y.sum((2, 3)), -1)


class Attention(nn.Cell):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.norm = nn.Dense(16, 16), nn.Dense(16, 16, has_bias=False), nn.LayerNorm((16,))

    def construct(self, x):
        q, k = self.q(x), self.k(x)
        weights = ops.softmax(q @ k.swapaxes(-1, -2) * 0.25, -1)
        y = ops.concat((weights @ x, ops.cast(q, ms.float32)), 1)
        return self.norm(y) ** 2 + ops.exp(y * 0.1), ops.stack([q, x]), np.float32(2) * q


class Recurrent(nn.Cell):
    def __init__(self):
        super().__init__()
        self.cell, self.head = nn.Dense(12, 8), nn.Dense(8, 3)

    def construct(self, x):
        h = ops.zeros((x.shape[0], 8), ms.float32)
        for t in range(x.shape[1]):
            h = ops.tanh(self.cell(ops.concat((x[:, t], h), 1)))
        if h.sum() > 0:
            h = h @ h.T @ h
        return self.head(h)


NETS = [(Convolution, [(2, 3, 6, 6), (1, 3, 5, 5)]), (Attention, [(2, 7, 16), (2, 4, 16), (3, 9, 16)]),
        (Recurrent, [(2, 6, 4), (2, 6, 4), (2, 9, 4), (3, 12, 4)])]


def flat(results):
    return list(results) if isinstance(results, (tuple, list)) else [results]


def check_same(got, expected):
    assert [r.dtype for r in got] == [r.dtype for r in expected]
    for a, b in zip(got, expected):
        a, b = a.float().asnumpy(), b.float().asnumpy()
        np.testing.assert_allclose(a, b, rtol=2e-3, atol=2e-3 * max(1, np.abs(b).max()))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("make, shapes", NETS, ids=[make.__name__ for make, _ in NETS])
def test_as_eager(make, shapes, dtype, mode):
    ms.set_seed(1)
    net = amp.auto_mixed_precision(make(), "auto", dtype)
    jitted = ms.jit(lambda x: net(x), mode=mode)
    for _ in range(3):
        for k, shape in enumerate(shapes):
            x = data(*shape, seed=k)
            check_same(flat(jitted(x)), flat(net(x)))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make, shapes", NETS, ids=[make.__name__ for make, _ in NETS])
def test_gradients(make, shapes, mode):
    ms.set_seed(1)
    net = amp.auto_mixed_precision(make(), "auto")

    def loss(x):
        return sum((ops.cast(y, ms.float32) ** 2).sum() for y in flat(net(x)))
    weights = net.trainable_params()
    plain = ms.value_and_grad(loss, 0, weights)
    inside = ms.jit(lambda x: plain(x), mode=mode)
    around = ms.value_and_grad(ms.jit(loss, mode=mode), 0, weights)
    x = data(*shapes[0])
    for _ in range(3):
        value, (by_x, by_weights) = plain(x)
        for step in (inside, around):
            got, (got_x, got_weights) = step(x)
            check_same([got, got_x, *got_weights], [value, by_x, *by_weights])


@pytest.mark.captures
def test_is_one_region():
    net = amp.auto_mixed_precision(Attention(), "auto")

    def run(x):
        return net(x)[0] + 1
    jitted, x = ms.jit(run, mode="PIJit"), data(2, 7, 16)
    ms.reset()
    for _ in range(4):
        jitted(x)
    record = next(f for f in ms.report()["functions"] if f["name"] == "run")
    assert len(record["regions"]) == 1 and not record["breaks"]
    assert ms.stats()["eager_ops"] == 0


def test_the_scope_ends_with_the_network():
    net = amp.auto_mixed_precision(nn.Dense(4, 4), "auto")

    def run(x):
        return net(x), x @ x.T

    def nested(x):
        return amp.auto_mixed_precision(nn.SequentialCell(net, nn.Dense(4, 4)), "auto", ms.bfloat16)(x)
    x = data(3, 4)
    jitted, outer = ms.jit(run, mode="PIJit"), ms.jit(nested, mode="PIJit")
    for _ in range(3):
        assert [y.dtype for y in jitted(x)] == [y.dtype for y in run(x)]
        assert jitted(x)[1].dtype == ms.float32
        assert outer(x).dtype == nested(x).dtype


def test_breaks_and_errors_inside():
    class Prints(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense, self.fails = nn.Dense(4, 4), False

        def construct(self, x):
            y = self.dense(x)
            print(y.dtype)
            if self.fails:
                raise ValueError("no")
            return y * 2
    net = amp.auto_mixed_precision(Prints(), "auto")
    jitted, x = ms.jit(lambda x: net(x) + x @ x.T[:, :1], mode="PIJit"), data(4, 4)
    for _ in range(3):
        assert jitted(x).dtype == ms.float32
    net.fails = True
    for _ in range(3):
        with pytest.raises(ValueError, match="no"):
            jitted(x)
        assert (x @ x).dtype == ms.float32 and ms.config.enabled
    net.fails = False
    assert jitted(x).dtype == ms.float32


def test_arrays_inside_keep_their_precision():
    """What a program computes with NumPy is not cast."""
    class Arrays(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(4, 4)

        def construct(self, x):
            table = np.exp(x.asnumpy().astype(np.float16)) @ np.eye(4, dtype=np.float16)
            return self.dense(x), Tensor(table), Tensor(x.asnumpy() @ x.asnumpy().T)
    net = amp.auto_mixed_precision(Arrays(), "auto")
    jitted, x = ms.jit(lambda x: net(x), mode="PIJit"), data(4, 4)
    for _ in range(3):
        check_same(jitted(x), net(x))
        assert [y.dtype for y in jitted(x)][1:] == [ms.float16, ms.float32]


def test_a_training_step():
    def trained(jit):
        ms.set_seed(1)
        net = amp.auto_mixed_precision(Convolution(), "auto")
        optimizer, loss_fn = nn.Adam(net.trainable_params(), 0.01), nn.CrossEntropyLoss()
        grad = ms.value_and_grad(lambda x, y: loss_fn(net(x)[0], y), None, optimizer.parameters)

        def step(x, y):
            loss, gradients = grad(x, y)
            optimizer(gradients)
            return loss
        step = ms.jit(step, mode=jit) if jit else step
        return [float(step(data(4, 3, 6, 6, seed=k % 2), Tensor([0, 1, 2, 3], ms.int32))) for k in range(20)]
    plain = trained(None)
    for mode in MODES:
        np.testing.assert_allclose(trained(mode), plain, rtol=2e-2)
    assert plain[-1] < plain[0]


@pytest.mark.captures
def test_scopes_of_two_threads():
    """A scope stops captures in its own thread only, also where the scopes of two threads overlap."""
    net = amp.auto_mixed_precision(nn.Dense(4, 4), "auto")
    first, second = threading.Event(), threading.Event()

    class Waits(nn.Cell):
        def __init__(self, own, other):
            super().__init__()
            self.own, self.other = own, other

        def construct(self, x):
            self.own.set()
            assert self.other.wait(10)
            return x

    def other():
        amp.auto_mixed_precision(Waits(second, first), "auto")(data(2, 2))
        second.set()

    def run(x):
        return net(x) * 2
    jitted, x = ms.jit(run, mode="PIJit"), data(3, 4)
    thread = threading.Thread(target=other)
    thread.start()
    amp.auto_mixed_precision(Waits(first, second), "auto")(x)
    thread.join()
    ms.reset()
    for _ in range(3):
        jitted(x)
    assert ms.stats()["eager_ops"] == 0


@pytest.mark.captures
def test_in_graph_mode():
    net = amp.auto_mixed_precision(Attention(), "auto")
    x = data(2, 7, 16)
    expected = net(x)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        ms.reset()
        for _ in range(3):
            check_same(flat(net(x)), flat(expected))
        assert ms.stats()["eager_ops"] < ms.stats()["graph_ops"]
        got = ms.value_and_grad(lambda x: net(x)[0].sum(), 0, net.trainable_params())(x)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    value, (by_x, by_weights) = ms.value_and_grad(lambda x: net(x)[0].sum(), 0, net.trainable_params())(x)
    check_same([got[0], got[1][0], *got[1][1]], [value, by_x, *by_weights])
