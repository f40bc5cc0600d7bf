"""Ops that fail for some inputs fail in captured code too, when nothing reads their results."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, jit, ops

X = np.arange(4, dtype=np.float32) + 1
GOOD, BAD = Tensor([0, 1, 2, 3]), Tensor([0, 1, 2, 9])


def gathered(x, i):
    ops.gather(x, i, 0)
    return x + 1


def shape_of(x, i):
    return ops.gather(x, i, 0).shape


def zeros(x, i):
    return ops.zeros_like(x[i])


def chained(x, i):
    y = ops.gather(x, i, 0) * 2
    z = ops.gather(y, i, 0)
    return x - 1


def caught(x, i):
    try:
        ops.gather(x, i, 0)
        y = x * 5
    except IndexError:
        return x * 2
    return y


def in_a_gradient(x, i):
    def loss(x):
        ops.stop_gradient(ops.gather(x, i, 0))
        return (x * x).sum()
    return ops.grad(loss)(x)


def factor(x, i):
    ops.cholesky(ops.diag(x) * (4.5 - i.astype(ms.float32)))
    return x


def embedded(x, i):
    ms.mint.nn.functional.embedding(i, x.reshape(4, 1))
    return x * 3


def stored(x, i):
    y = x * 2
    y[i] = 1
    return x + 1


def in_an_arm(x, i):
    if x.sum() > 0:
        ops.gather(x, i, 0)
        return x + 1
    return x - 1


def in_the_other_arm(x, i):
    if x.sum() > 0:
        y = x + 1
    else:
        y = x - 1
        ops.gather(x, i, 0)
    return y


def in_both_arms(x, i):
    if x.sum() > 0:
        z = ops.gather(x, i, 0) * 2
        y = x + 1
    else:
        ops.gather(x, ops.maximum(i - 6, 0), 0)
        y = x - 1
    return y


def in_an_arm_within_an_arm(x, i):
    if x.sum() > 0:
        if x.max() > 1:
            ops.gather(x, i, 0)
        y = x * 3
    else:
        y = x
    return y + 1


def result_of_an_unread_branch(x, i):
    if x.sum() > 0:
        y = ops.gather(x, i, 0)
    else:
        y = x
    z = y + 1
    return x * 2


def in_a_while_loop(x, i):
    while x.sum() < 500:
        ops.gather(x, ops.minimum(i, 7), 0)
        x = ops.abs(x) * 2 + 1
    return x


def at_some_turn(x, i):
    while i.max() < 12:
        ops.gather(x, ops.minimum(i, 3 + i // 11 * 9), 0)
        i = i + 1
    return x + i


def in_a_for_loop(x, i):
    for _ in range(70):
        ops.gather(x, i, 0)
        x = ops.tanh(x) + 0.5
    return x


def in_an_arm_in_a_loop(x, i):
    while x.sum() < 100:
        if x.sum() > 20:
            ops.gather(x, i, 0)
        x = ops.abs(x) * 2 + 1
    return x


FUNCTIONS = [gathered, shape_of, zeros, chained, caught, in_a_gradient, factor, embedded, stored]
CONTROL = [in_an_arm, in_the_other_arm, in_both_arms, in_an_arm_within_an_arm, in_a_while_loop,
           result_of_an_unread_branch, at_some_turn, in_a_for_loop, in_an_arm_in_a_loop]


def outcome(function, x, i):
    try:
        result = function(Tensor(x), i)
    except Exception as error:
        return type(error), str(error).splitlines()[0]
    return result.asnumpy().tolist() if isinstance(result, Tensor) else result


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
@pytest.mark.parametrize("function", FUNCTIONS + CONTROL, ids=lambda f: getattr(f, "__name__", f))
def test_equals_eager(function, mode):
    captured = jit(function, mode=mode)
    for i in (GOOD, BAD, GOOD, BAD):
        for x in (X, -X):
            assert outcome(captured, x, i) == outcome(function, x, i)


@pytest.mark.jit
@pytest.mark.parametrize("function", CONTROL, ids=lambda f: f.__name__)
def test_in_a_gradient(function):
    def loss(x, i):
        return (function(x, i) * x).sum()

    captured = jit(ops.grad(loss), mode="PIJit")
    for i in (GOOD, BAD, GOOD):
        for x in (X, -X):
            assert outcome(captured, x, i) == outcome(ops.grad(loss), x, i)


@pytest.mark.jit
def test_sizes_that_change():
    captured = jit(gathered, mode="PIJit")
    for size in (4, 5, 6, 7, 8):
        x = np.arange(size, dtype=np.float32)
        for last in (0, size):
            i = Tensor([0, last])
            assert outcome(captured, x, i) == outcome(gathered, x, i)
