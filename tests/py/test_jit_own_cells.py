"""Closure variables of the jitted function itself: their cells die with the call unless an inner function outlives it."""
import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, captured, outcome, same
from msjit import Parameter, Tensor, _msjit, nn, ops

pytestmark = pytest.mark.jit
KEPT = []


def in_a_comprehension(x):
    scale = x.sum()
    return tuple([row * scale for row in (x, x + 1)])


def returned(x):
    y = x * 2
    inner = lambda: y  # noqa: E731
    y = y + 1
    return inner


def counted(x):
    count = 0

    def step():
        nonlocal count, x
        count += 1
        x = x + count
        return x
    return step() + step(), step


def two_of_them(x):
    value = x

    def put(new):
        nonlocal value
        value = new

    def get():
        return value
    put(x * 3)
    return put, get


def kept_in_a_list(x):
    y = x - 1
    KEPT.append(lambda: y)
    y = y * 2
    return y


def inside_each_other(x):
    y = x + 1

    def outer():
        def inner():
            return y * 2
        return inner
    return outer()


def recursive(x):
    def power(n):
        return x if n == 0 else power(n - 1) * x
    return power(3), power


def an_argument(x):
    inner = lambda: x  # noqa: E731
    x = x + 1
    return inner


def in_an_object(x):
    class_like = {"get": lambda: y}
    y = x * 5
    return class_like


FUNCTIONS = [in_a_comprehension, returned, counted, two_of_them, kept_in_a_list, inside_each_other, recursive, an_argument, in_an_object]


def shown(value):
    """The result, with each function in it replaced by what two calls of it return."""
    if callable(value):
        arguments = value.__code__.co_argcount
        return [value(*(2 for _ in range(arguments))) for _ in range(2)]
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    return [shown(v) for v in value.values()] if isinstance(value, dict) else value


@pytest.mark.parametrize("fn", FUNCTIONS)
def test_contents(fn):
    jitted = ms.jit(fn, mode="PIJit")
    for i in range(4):
        x = Tensor(np.float32([1, 2, i]))
        del KEPT[:]
        want = outcome(lambda: shown([fn(x), KEPT]), ())
        del KEPT[:]
        got = outcome(lambda: shown([jitted(x), KEPT]), ())
        assert got[0] == want[0]
        assert [t.tobytes() for t in got[1]] == [t.tobytes() for t in want[1]]


@pytest.mark.captures
@pytest.mark.skipif(FORCED, reason="counts regions")
def test_a_tensor_that_only_a_cell_shows_may_be_written():
    weight = Parameter(Tensor(np.float32([1, 2])), name="w", requires_grad=False)

    def step(x):
        old = weight.detach()
        parts = [part * old for part in (x, x + 1)]
        ops.assign(weight, weight * 2)
        return parts

    def make(_):
        weight.set_data(Tensor(np.float32([1, 2])))
        return (Tensor(np.float32([3, 4])),)
    same(step, make)
    captured(step, make)


@pytest.mark.captures
@pytest.mark.skipif(FORCED, reason="counts regions")
def test_a_step_with_a_dynamic_loss_scale_is_one_region():
    def run(compile):
        ms.set_seed(5)
        net = nn.Dense(4, 3)
        step = nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), nn.Momentum(net.trainable_params(), 0.1, 0.9),
                                                nn.DynamicLossScaleUpdateCell(2.0 ** 12, 2, 3))
        step.set_train()
        jitted = compile(step)
        random = np.random.RandomState(1)
        seen = []
        for i in range(12):
            x = random.standard_normal((8, 4)).astype(np.float32) * (np.inf if i in (4, 5) else 1)
            loss, overflow, scale = jitted(Tensor(x), Tensor(np.int32([0, 1, 2, 0, 1, 2, 0, 1])))
            seen.append((float(loss), bool(overflow), float(scale)))
        return seen, net.weight.asnumpy()
    want, weight = run(lambda step: step)
    _msjit.reset()
    got, own_weight = run(lambda step: ms.jit(step, mode="PIJit"))
    assert np.allclose(np.array(got), np.array(want), rtol=1e-5, equal_nan=True)
    assert np.allclose(own_weight, weight, rtol=1e-5)
    functions = [f for f in _msjit.explain_json() if f["file"].endswith("wrap_scaled.py")]
    assert [(len(f["regions"]), f["breaks"]) for f in functions] == [(1, [])]
