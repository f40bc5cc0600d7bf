"""Branches on tensors whose arms write to Parameters, by an optimizer's step or by hand, and to attributes that count. A compiled function
must return and change what eager code does. A training step with a loss scale is one region."""
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from test_jit_train_step import misses

pytestmark = pytest.mark.jit
MODES = [dict(mode="PIJit"), dict()]
ROWS = Tensor(np.random.RandomState(0).randn(12, 8).astype(np.float32))
LABELS = Tensor((np.arange(12) % 4).astype(np.int32))


class Network(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.LayerNorm([16]), nn.Dense(16, 4))

    def construct(self, x):
        return self.layers(x)


OPTIMIZERS = {
    "sgd": lambda p: nn.SGD(p, 0.1),
    "momentum": lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.01),
    "adam": lambda p: nn.Adam(p, [0.01 * (1 + i) for i in range(20)]),
    "adamw": lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1),
    "lamb": lambda p: nn.Lamb(p, 0.01),
}


def scaled_cell(net, optimizer):
    manager = nn.DynamicLossScaleUpdateCell(2.0 ** 8, 2, 3)
    cell = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer, manager)
    return lambda x, y: cell(x, y)[:2]


def scaled_by_hand(net, optimizer):
    loss_fn = nn.CrossEntropyLoss()
    value_and_grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y) * 64.0, None, optimizer.parameters)
    state = nn.Cell()
    state.skipped, state.rate = 0, 1.0

    def step(x, y):
        loss, gradients = value_and_grad(x, y)
        finite = ops.isfinite(gradients[0]).all()
        for gradient in gradients[1:]:
            finite = ops.logical_and(finite, ops.isfinite(gradient).all())
        if finite:
            optimizer(tuple([g / 64.0 for g in gradients]))
            state.rate = state.rate * 1.5
        else:
            state.skipped += 1
        return loss / 64.0, finite
    step.state = state
    return step


def train(make, optimizer, options, steps=10):
    ms.set_seed(3)
    np.random.seed(3)
    net = Network()
    chosen = OPTIMIZERS[optimizer](net.trainable_params())
    plain = make(net, chosen)
    step = plain if options is None else ms.jit(plain, **options)
    results = []
    for i in range(steps):
        x = ROWS * float("inf") if i in (2, 6) else ROWS
        results.append([value.asnumpy() for value in step(x, LABELS)])
    state = getattr(plain, "state", None)
    kept = [p.asnumpy() for p in net.get_parameters()] + [p.asnumpy() for p in chosen.get_parameters()]
    return results, kept, [chosen.step_count] + ([state.skipped, state.rate] if state else [])


@pytest.mark.costly
@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("optimizer", sorted(OPTIMIZERS))
@pytest.mark.parametrize("make", [scaled_cell, scaled_by_hand])
def test_steps_with_a_loss_scale(make, optimizer, options):
    expected, weights, counts = train(make, optimizer, None)
    results, found, own = train(make, optimizer, options)
    assert own == counts and [type(n) for n in own] == [type(n) for n in counts] and counts[0] == 8
    for a, b in zip(results, expected):
        for x, y in zip(a, b):
            np.testing.assert_allclose(x, y, rtol=1e-5)
    for a, b in zip(found, weights):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.captures
@pytest.mark.parametrize("make", [scaled_cell, scaled_by_hand])
def test_such_a_step_is_one_graph(make):
    train(make, "adam", dict(mode="PIJit", fullgraph=True))


@pytest.mark.captures
@pytest.mark.parametrize("make", [scaled_cell, scaled_by_hand])
def test_steps_share_a_graph(make):
    """Once the step counter is open, neither a counted step nor a skipped one causes a new capture."""
    net = Network()
    step = ms.jit(make(net, OPTIMIZERS["adam"](net.trainable_params())), mode="PIJit")
    known = []
    for i in range(14):
        step(ROWS * float("inf") if i in (2, 6, 11) else ROWS, LABELS)
        known.append(misses(step))
    assert known[-1] == known[7]


class State:
    def __init__(self):
        self.a, self.b = Parameter(Tensor([1.0, 2.0]), name="a"), Parameter(Tensor([3.0, 4.0]), name="b")
        self.again = self.a
        self.view = Tensor([0.0])
        self.count, self.level, self.text, self.part = 0, 0.5, "x", Tensor([1.0])


def one_arm(s, x):
    if x.sum() > 0:
        ops.assign(s.a, s.a + x)
        s.count += 1
    return s.a * 2


def both_arms(s, x):
    if x.sum() > 0:
        ops.assign(s.a, x)
        ops.assign(s.b, s.a + 1)
        s.level = s.level * 2
    else:
        ops.assign(s.b, s.b - x)
        s.level = 0.25
        s.count -= 3
    return s.a + s.b


def reads_behind_the_write(s, x):
    y = s.a * 1
    if x.sum() > 0:
        ops.assign(s.a, s.a * x)
        y = y + s.a
        ops.assign(s.a, s.a + y)
    return y, s.a + 0


def under_two_names(s, x):
    before = s.again + 0
    if x.sum() > 0:
        ops.assign(s.a, x)
        before = before + s.again
    return before, s.again + s.a


def nested(s, x):
    if x.sum() > 0:
        s.count += 1
        if x[0] > 1:
            ops.assign(s.a, s.a + x)
            s.count += 10
        else:
            ops.assign(s.b, x)
    return s.a * s.b


def one_after_the_other(s, x):
    if x.sum() > 0:
        ops.assign(s.a, s.a + 1)
        s.count += 1
    if x[1] > 0:
        ops.assign(s.a, s.a * 2)
        s.level = s.level + 1
    ops.assign(s.b, s.a)
    return s.a + s.b


def holds_a_view(s, x):
    row = s.a[0:1]
    if x.sum() > 0:
        ops.assign(s.a, x)
    return row + 0


def makes_a_view(s, x):
    y = x[0:1]
    if x.sum() > 0:
        row = s.a[0:1]
        ops.assign(s.a, x)
        y = row + y
    return y


def hands_on(s, x):
    y = x
    if x.sum() > 0:
        ops.assign(s.a, x)
        y = s.a
    return y + 0


def swaps(s, x):
    if x.sum() > 0:
        old = s.a + 0
        ops.assign(s.a, s.b)
        ops.assign(s.b, old)
    return s.a - s.b


def other_types(s, x):
    if x.sum() > 0:
        s.count = s.count + 0.5
        s.text = "positive"
    else:
        s.count = 1
    return x * 1


def flags(s, x):
    if x.sum() > 0:
        s.count = True
        s.level = False
    else:
        s.count = False
    return x * 1


def kept_tensor(s, x):
    if x.sum() > 0:
        s.part = x * 2
    return s.part + 0


def new_attribute(s, x):
    if x.sum() > 0:
        s.fresh = 3
    else:
        s.fresh = 4
    return x * s.fresh


def counted_in_a_loop(s, x):
    while x.sum() < 4:
        if x[0] > 0:
            ops.assign(s.a, s.a + x)
            s.count += 1
        x = x + 1
    return x


def raising_number(s, x):
    if x.sum() > 0:
        s.level = 1.0 / s.level
    else:
        s.level = s.level - 0.5
    return x * 1


def set_in_an_arm(s, x):
    if x.sum() > 0:
        s.a.set_data(x * 3)
    return s.a + 0


def items(s, x):
    if x.sum() > 0:
        s.part[0] = 5.0
    return s.part + 0


def reads_the_count(s, x):
    if x.sum() > 0:
        s.count += 1
    return x * s.count


def numbers(s, x):
    n, rate, found = 1, 0.5, False
    if x.sum() > 0:
        n, rate, found = 2, rate * 3, True
    elif x[0] > x[1]:
        n = -7
    return x + 1, n, rate, found


def asks_a_number(s, x):
    n = 0
    if x.sum() > 0:
        n = 1
    if n:
        x = x * 2
    return x, n


PROGRAMS = [numbers, asks_a_number, one_arm, both_arms, reads_behind_the_write, under_two_names, nested, one_after_the_other, holds_a_view, makes_a_view,
            hands_on, swaps, other_types, flags, kept_tensor, new_attribute, counted_in_a_loop, raising_number, set_in_an_arm, items,
            reads_the_count]


def seen(function, options):
    state, log = State(), []
    run = function if options is None else ms.jit(function, **options)
    held = state.a.asnumpy()  # shares the memory of the Parameter
    for values in ([1.0, 2.0], [-3.0, 1.0], [0.5, -0.25], [-1.0, -1.0], [2.0, 2.0], [1.5, -1.0], [-2.0, 5.0]):
        try:
            result = run(state, Tensor(values))
        except ZeroDivisionError as error:
            result = type(error).__name__
        result = result if isinstance(result, tuple) else (result,)
        log.append([r.asnumpy().tolist() if isinstance(r, Tensor) else r for r in result])
        log.append([state.a.asnumpy().tolist(), state.b.asnumpy().tolist(), held.tolist(), state.again is state.a, state.count,
                    type(state.count).__name__, state.level, state.text, state.part.asnumpy().tolist(), list(vars(state))])
    return log


@pytest.mark.parametrize("program", PROGRAMS)
def test_arms_that_write(program):
    assert seen(program, dict(mode="PIJit")) == seen(program, None)


@pytest.mark.costly
def test_a_short_fuzz():
    """A few of what tests/fuzz/arm_fuzz.py makes."""
    script = ("import sys; sys.path.insert(0, sys.argv[1]); import arm_fuzz\n"
              "done, captures, _, failed = arm_fuzz.fuzz(0, 60)\nassert captures > 60 and not failed, failed")
    result = subprocess.run([sys.executable, "-c", script, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz")],
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert result.returncode == 0, result.stdout.decode()
