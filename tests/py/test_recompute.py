"""Recomputation: the same values and gradients as without, fewer tensors kept, the second run seen."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

MODES = [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit
X = Tensor(np.random.RandomState(0).randn(8, 16).astype(np.float32))


class Block(nn.Cell):
    """Two layers with dropout between, which counts its runs."""

    def __init__(self, width=16):
        super().__init__()
        self.first, self.second, self.drop, self.runs = nn.Dense(width, width), nn.Dense(width, width), nn.Dropout(p=0.3), [0]

    def construct(self, x, scale=None):
        self.runs[0] += 1
        y = self.second(self.drop(ops.tanh(self.first(x))))
        return y if scale is None else y * scale


class Net(nn.Cell):
    def __init__(self, count=3):
        super().__init__()
        self.blocks = nn.CellList([Block() for _ in range(count)])

    def construct(self, x):
        for block in self.blocks:
            x = block(x)
        return (x * x).mean()


def pair(mark):
    """Two nets with the same weights, one of them marked."""
    plain, marked = Net(), Net()
    for a, b in zip(plain.get_parameters(), marked.get_parameters()):
        b.set_data(a)
    mark(marked)
    return plain.set_train(), marked.set_train()


def step(net, x, mode=lambda f: f):
    ms.set_seed(5)
    run = mode(ms.value_and_grad(net, 0, net.trainable_params()))
    loss, (by_x, by_weights) = run(x)
    return [loss.asnumpy(), by_x.asnumpy()] + [g.asnumpy() for g in by_weights]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("mark", [lambda net: net.recompute(), lambda net: [b.recompute() for b in net.blocks],
                                  lambda net: (net.recompute(), net.blocks[1].recompute(), net.blocks[2].first.recompute())])
def test_same_values_and_gradients(mark, mode):
    plain, marked = pair(mark)
    for _ in range(3):
        for expected, got in zip(step(plain, X), step(marked, X, mode)):
            np.testing.assert_allclose(got, expected, 1e-5, 1e-7)


def test_runs_again_for_gradients_alone():
    plain, marked = pair(lambda net: net.blocks[0].recompute())
    step(plain, X), step(marked, X)
    assert [b.runs[0] for b in plain.blocks] == [1, 1, 1]
    assert [b.runs[0] for b in marked.blocks] == [2, 1, 1]
    marked(X)
    assert marked.blocks[0].runs == [3]


def test_less_is_kept():
    def live(mark):
        net = nn.SequentialCell([nn.SequentialCell([nn.Dense(16, 16), nn.Tanh(), nn.Sigmoid(), nn.Tanh()]) for _ in range(4)])
        seen = []

        def loss(x):
            for block in net:
                if mark:
                    block.recompute()
                x = block(x)
            seen.append(ms._native._msjit.live_tape_nodes())
            return x.sum()
        ms.grad(loss, None, net.trainable_params())(X)
        return seen[0]
    assert live(True) < live(False) / 2


def test_gradients_of_gradients_and_keywords():
    block = Block().set_train(False)
    scale, other = Tensor(np.float32(2)), Block().set_train(False)
    for a, b in zip(block.get_parameters(), other.get_parameters()):
        b.set_data(a)
    other.recompute()

    def second(cell):
        return ms.grad(lambda x: ms.grad(lambda x: (cell(x, scale=scale) ** 2).sum())(x).sum())(X).asnumpy()
    np.testing.assert_allclose(second(other), second(block), 1e-4, 1e-5)
    by_scale = [ms.grad(lambda s: (cell(X, scale=s) ** 2).sum())(scale).asnumpy() for cell in (block, other)]
    np.testing.assert_allclose(by_scale[1], by_scale[0], 1e-5)


def test_containers_outputs_and_frozen_weights():
    class Several(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w, self.frozen = Parameter(Tensor([2.0, 3.0])), Parameter(Tensor([5.0, 7.0]), requires_grad=False)

        def construct(self, items, names):
            return {"sum": items[0] * self.w, "rest": (items[1] * self.frozen, names)}
    def loss(a, b):
        out = cell([a, b], "name")
        assert out["rest"][1] == "name"
        return (out["sum"] + out["rest"][0]).sum()
    cell = Several()
    a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    expected = ms.grad(loss, (0, 1), cell.trainable_params())(a, b)
    cell.recompute()
    got = ms.grad(loss, (0, 1), cell.trainable_params())(a, b)
    for e, g in zip(expected[0] + expected[1], got[0] + got[1]):
        np.testing.assert_array_equal(g.asnumpy(), e.asnumpy())


def test_hooks_precision_and_removal():
    net, seen = nn.Dense(4, 4), []
    net.recompute()
    handle = net.register_backward_hook(lambda cell, gi, go: seen.append(len(gi)))
    x = Tensor(np.ones((2, 4), np.float32))
    ms.grad(lambda x: net(x).sum())(x)
    assert seen == [1]
    handle.remove()
    assert net._ms_intercept
    net.to_float(ms.float16)
    assert net(x).dtype == ms.float16
    grads = ms.grad(lambda x: net(x).astype(ms.float32).sum(), None, net.trainable_params())(x)
    assert [g.dtype for g in grads] == [ms.float32] * 2


def test_function():
    block, x = Block().set_train(False), X
    expected = ms.grad(lambda x: (block(x) ** 2).sum(), 0, block.trainable_params())(x)
    for call in (lambda x: ms.recompute(block, x), lambda x: ms.recompute(block.construct, x, use_reentrant=False)):
        runs = block.runs[0]
        got = ms.grad(lambda x: (call(x) ** 2).sum(), 0, block.trainable_params())(x)
        assert block.runs[0] == runs + 2
        np.testing.assert_allclose(got[0].asnumpy(), expected[0].asnumpy(), 1e-5, 1e-6)
        for g, e in zip(got[1], expected[1]):
            np.testing.assert_allclose(g.asnumpy(), e.asnumpy(), 1e-5, 1e-6)
    with pytest.raises(TypeError, match="block, got function"):
        ms.recompute(lambda x: x, x)
    with pytest.raises(TypeError, match="block, got int"):
        ms.recompute(3, x, use_reentrant=False)


def test_errors_come_through():
    class Bad(nn.Cell):
        def construct(self, x):
            self.runs = getattr(self, "runs", 0) + 1
            if self.runs % 2 == 0:
                raise ZeroDivisionError("second run")
            return x * 2
    bad = Bad()
    bad.recompute()
    state = ms._native._msjit.rng_state()
    with pytest.raises(ZeroDivisionError, match="second run"):
        ms.grad(lambda x: bad(x).sum())(X)
    assert ms._native._msjit.grad_level() == 0 and ms._native._msjit.rng_state() == state
