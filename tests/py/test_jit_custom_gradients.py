"""Steps with a custom gradient (bprop, _Function, custom_vjp, hooks, recompute) inside captured transforms: one region, eager's numbers."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from msjit.custom_function import _Function, custom_vjp

pytestmark = pytest.mark.jit


def array(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).randn(*shape).astype(np.float32))


def arrays(value):
    if isinstance(value, (tuple, list)):
        return [found for item in value for found in arrays(item)]
    return [value.asnumpy()]


def close(value, other):
    a, b = arrays(value), arrays(other)
    assert [x.shape for x in a] == [x.shape for x in b]
    for x, y in zip(a, b):
        np.testing.assert_allclose(x, y, rtol=2e-5, atol=1e-5)


class Tripled(nn.Cell):
    """x * x with three times the gradient of x."""

    def construct(self, x):
        return x * x

    def bprop(self, x, out, dout):
        return (dout * 3 + out * 0,)


class Pair(nn.Cell):
    """Two inputs, two outputs, a Parameter; the gradient of `b` is one number, which is broadcast back."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(2.0), name="w")

    def construct(self, a, b, scale=1.5):
        return a * b * scale, a + self.w

    def bprop(self, a, b, scale, out, dout):
        return dout[0] * b + dout[1], (dout[0] * a), None


class Clip(_Function):
    @staticmethod
    def forward(ctx, x, low):
        ctx.save_for_backward(x)
        ctx.low = low
        return ops.clamp(x, low, 1.0), x > low

    @staticmethod
    def backward(ctx, g, _):
        x, = ctx.saved_tensors
        return g * 2 * (x > ctx.low).astype(ms.float32), None


@custom_vjp
def cubed(x):
    return x * x * x


cubed.defbwd(lambda x, out, g: (g * x,))


class Net(nn.Cell):
    def __init__(self, middle):
        super().__init__()
        self.first, self.middle, self.last = nn.Dense(4, 6), middle, nn.Dense(6, 3)

    def construct(self, x):
        return self.last(self.middle(ops.tanh(self.first(x)))).sum()


def net(middle):
    made = Net(middle)
    for i, p in enumerate(made.get_parameters()):
        p.set_data(array(*p.shape, seed=i) if p.shape else Tensor(2.0))
    return made


def step_of(cell):
    return ms.value_and_grad(cell, 0, cell.trainable_params())


def with_bprop():
    return step_of(net(Tripled()))


def with_two_outputs():
    pair = Pair()

    def loss(a, b):
        y, z = pair(a, b[:1])
        return (y * z).sum()
    return lambda x: ms.grad(loss, (0, 1), pair.trainable_params())(x, x + 1)


def with_function():
    def loss(x):
        y, inside = Clip.apply(x * 2, -0.5)
        return (y * x).sum() + inside.sum()
    return ms.value_and_grad(loss)


def with_custom_vjp():
    return ms.value_and_grad(lambda x: (cubed(x) * x).sum())


def twice():
    cell = Tripled()
    return ms.grad(lambda x: (ms.grad(lambda y: cell(y * y).sum())(x) ** 2).sum())


def in_one_another():
    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Tripled()

        def construct(self, x):
            return self.inner(x) * x

        def bprop(self, x, out, dout):
            return (ms.grad(lambda y: (self.inner(y) * dout).sum())(x),)
    outer = Outer()
    return ms.value_and_grad(lambda x: outer(x * 2).sum())


def with_tensor_hook():
    def loss(x):
        y = x * 2
        y.register_hook(lambda g: g * 10)
        return (y * y).sum()
    return ms.value_and_grad(loss)


def with_cell_hook():
    cell = net(nn.ReLU())
    cell.middle.register_backward_hook(lambda c, given, got: (given[0] * 5,))
    return step_of(cell)


def recomputed():
    cell = net(nn.SequentialCell(nn.Dense(6, 6), nn.Tanh(), nn.Dense(6, 6)))
    cell.middle.recompute()
    return step_of(cell)


def recomputed_in_one_another():
    cell = net(nn.SequentialCell(nn.Dense(6, 6), nn.Tanh(), nn.Dense(6, 6)))
    cell.middle[0].recompute()
    cell.middle.recompute()
    return step_of(cell)


def recomputed_twice():
    cell = net(nn.SequentialCell(nn.Dense(6, 6), nn.Tanh()))
    cell.middle.recompute()
    return ms.grad(lambda x: (ms.grad(cell)(x) ** 2).sum())


PROGRAMS = [with_bprop, with_two_outputs, with_function, with_custom_vjp, twice, in_one_another, with_tensor_hook,
            with_cell_hook, recomputed, recomputed_in_one_another, recomputed_twice]


@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
@pytest.mark.parametrize("make", PROGRAMS, ids=lambda f: f.__name__)
def test_equals_eager(make, mode):
    eager, made = make(), make()
    captured = ms.jit(made if mode == "PIJit" else lambda x: made(x), mode=mode)
    for rows in (3, 3, 3, 5, 4, 6, 7):
        x = array(rows, 4, seed=rows)
        close(captured(x), eager(x))


@pytest.mark.captures
@pytest.mark.parametrize("make", PROGRAMS, ids=lambda f: f.__name__)
def test_one_region(make):
    function = eval("lambda x: step(x)", {"step": make()})  # with code of its own, which has no entries yet
    report = ms.explain(ms.jit(function, mode="PIJit"), array(3, 4))
    assert report.breaks == [] and len(report.regions) == 1


def test_when_it_is_called():
    """Only where a gradient arrives; in the order of the backward pass; and what it does is seen."""
    seen = []

    class Noting(_Function):
        @staticmethod
        def forward(ctx, x, name):
            ctx.name = name
            return x * 2

        @staticmethod
        def backward(ctx, g):
            seen.append((ctx.name, g.shape))
            return g * 2, None

    def loss(x):
        a = Noting.apply(x, "a")
        Noting.apply(x, "unread")
        b = Noting.apply(ops.stop_gradient(x), "no leaf")
        return (Noting.apply(a, "c") * b).sum()

    wanted = ms.grad(loss)(array(2, 3))
    order, captured = list(seen), ms.jit(lambda x: ms.grad(loss)(x), mode="PIJit")
    for _ in range(3):
        seen.clear()
        close(captured(array(2, 3)), wanted)
        assert seen == order == [("c", (2, 3)), ("a", (2, 3))]


@pytest.mark.parametrize("result, error", [
    (lambda g: (g[:1],), ValueError), (lambda g: (3.0,), TypeError), (lambda g: (g, g), ValueError), (lambda g: 1 / 0, ZeroDivisionError)])
def test_errors(result, error):
    class Wrong(_Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return result(g)

    def step(x):
        return ms.grad(lambda y: Wrong.apply(y).sum())(x)
    texts = []
    for run in (step, ms.jit(step, mode="PIJit")):
        for _ in range(2):
            with pytest.raises(error) as caught:
                run(array(2, 3))
            texts.append(str(caught.value))
    assert len(set(texts)) == 1


def test_draws_are_repeated():
    """A recomputed Cell with dropout: the same mask in both runs, and the same numbers behind it."""
    def make():
        cell = net(nn.SequentialCell(nn.Dense(6, 6), nn.Dropout(p=0.5), nn.Tanh(), nn.Dropout(p=0.3))).set_train()
        cell.middle.recompute()
        step = step_of(cell)

        def run(x):
            before = ops.rand(2)
            value, grads = step(x)
            return before, value, grads, ops.rand(2)
        return run
    eager, captured = make(), ms.jit(make(), mode="PIJit")
    for seed, rows in enumerate((3, 3, 5, 4, 6)):
        x = array(rows, 4)
        ms.set_seed(seed)
        got = captured(x)
        ms.set_seed(seed)
        close(got, eager(x))


def test_writes_happen_in_both_runs():
    def make():
        cell = net(nn.BatchNorm1d(6)).set_train()
        cell.middle.recompute()
        return cell
    one, other = make(), make()
    eager, captured = step_of(one), ms.jit(step_of(other), mode="PIJit")
    for seed in range(4):
        x = array(5, 4, seed=seed)
        close(captured(x), eager(x))
        for a, b in zip(one.get_parameters(), other.get_parameters()):
            close(a, b)


def test_recorded_from_outside():
    """A captured function that a transform of eager code records."""
    cell = net(Tripled())
    inner = ms.jit(cell, mode="PIJit")
    for rows in (3, 3, 5):
        x = array(rows, 4)
        close(ms.grad(inner)(x), ms.grad(cell)(x))


def test_in_a_branch():
    cell = Tripled()

    def loss(x):
        y = cell(x) if x.sum() > 0 else x * 5
        return (y * x).sum()
    captured = ms.jit(lambda x: ms.grad(loss)(x), mode="PIJit")
    for sign in (1, -1, 1):
        x = ops.abs(array(3, 4)) * sign
        close(captured(x), ms.grad(loss)(x))


def test_gradient_that_a_branch_decides():
    cell = Tripled()

    def loss(x):
        y = cell(x)
        return (y * x if x.sum() > 0 else x * 5).sum()
    captured = ms.jit(lambda x: ms.grad(loss)(x), mode="PIJit")
    for sign in (1, -1, 1):
        x = ops.abs(array(3, 4)) * sign
        close(captured(x), ms.grad(loss)(x))


def test_training():
    def make():
        cell = net(nn.SequentialCell(Tripled(), nn.Dense(6, 6)))
        cell.middle[1].recompute()
        return nn.TrainOneStepCell(cell, nn.Adam(cell.trainable_params(), 0.05)).set_train()
    eager, captured = make(), make()
    step = ms.jit(lambda x: captured(x), mode="PIJit")
    for seed in range(6):
        x = array(4, 4, seed=seed)
        close(step(x), eager(x))
