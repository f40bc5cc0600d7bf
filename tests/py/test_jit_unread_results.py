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


FUNCTIONS = [gathered, shape_of, zeros, chained, caught, in_a_gradient, factor, embedded]


def outcome(function, x, i):
    try:
        result = function(Tensor(x), i)
    except Exception as error:
        return type(error), str(error).splitlines()[0]
    return result.asnumpy().tolist() if isinstance(result, Tensor) else result


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=[f.__name__ for f in FUNCTIONS])
def test_equals_eager(function, mode):
    captured = jit(function, mode=mode)
    for i in (GOOD, BAD, GOOD, BAD):
        assert outcome(captured, X, i) == outcome(function, X, i)


@pytest.mark.jit
def test_sizes_that_change():
    captured = jit(gathered, mode="PIJit")
    for size in (4, 5, 6, 7, 8):
        x = np.arange(size, dtype=np.float32)
        for last in (0, size):
            i = Tensor([0, last])
            assert outcome(captured, x, i) == outcome(gathered, x, i)
