"""Derivatives of operators where factors are 0, matrices singular, exponents 0, probabilities 0 or 1, and values infinite."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, mint, nn, ops

INF = float("inf")
WAYS = [None, pytest.param("PIJit", marks=pytest.mark.jit), pytest.param("PSJit", marks=pytest.mark.jit)]


def row(*values, dtype=np.float64):
    return Tensor(np.array(values, dtype))


def first(function, at=0):
    return lambda *x: ms.grad(lambda *a: function(*a).sum(), at)(*x)


def close(found, expected, rtol=1e-12):
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=rtol, atol=1e-12)


def in_way(function, way):
    return function if way is None else ms.jit(lambda *x: function(*x), mode=way)


CASES = {
    "factors": (first(ops.prod), row(2, 0, 3), [0, 6, 0]),
    "two factors": (first(ops.prod), row(2, 0, 0), [0, 0, 0]),
    "second derivative by factors": (first(lambda a: first(ops.prod)(a) * row(1, 10, 100)), row(2, 0, 3), [30, 203, 20]),
    "second derivative by two factors": (first(lambda a: first(ops.prod)(a) * row(1, 10, 100)), row(2, 0, 0), [0, 200, 20]),
    "running factors": (first(lambda a: ops.cumprod(a, 0) * row(1, 2, 3)), row(2, 0, 4), [1, 28, 0]),
    "second derivative by running factors": (
        first(lambda a: first(lambda x: ops.cumprod(x, 0) * row(1, 2, 3))(a) * row(1, 10, 100)), row(2, 0, 4), [140, 614, 60]),
    "running logarithms": (
        first(lambda a: ops.logcumsumexp(a, 0) * row(1, 2, 3)), row(0, -INF, 1), [3 + 3 / (1 + np.e), 0, 3 - 3 / (1 + np.e)]),
    "running logarithms of nothing": (first(lambda a: ops.logcumsumexp(a, 0)), row(-INF, INF, 1), [1, 2, 0]),
    "powers": (first(first(lambda a: ops.prod(mint.stack([a, a + 1, a - 1]), 0))), row(1.0), [6]),
    "singular": (first(ops.det), row([1, 2], [2, 4]), [[4, -2], [-2, 1]]),
    "singular twice": (first(ops.det), row([1, 2, 3], [2, 4, 6], [3, 6, 9]), np.zeros((3, 3))),
    "regular beside singular": (first(ops.det), row([[1, 2], [2, 4]], [[1, 2], [3, 4]]), [[[4, -2], [-2, 1]], [[4, -3], [-2, 1]]]),
    "second derivative of det": (first(lambda a: first(ops.det)(a)[0, 0]), row([1, 2], [3, 4]), [[0, 0], [0, 1]]),
    "cube root": (first(lambda a: ops.pow(a, 1 / 3)), row(27.0), [1 / 27]),
    "exponent 0": (first(first(lambda a: a ** 0)), row(0.0, 2.0), [0, 0]),
    "exponents": (first(first(lambda a: a ** row(0, 1, 2, 3))), row(0, 0, 0, 0), [0, 0, 2, 0]),
    "by base and exponent": (first(lambda y: first(lambda x: ops.pow(x, y))(row(2.0, 2.0))), row(0.0, 1.0), [0.5, 1 + np.log(2)]),
    "by an exponent alone": (first(lambda y: first(lambda x: ops.pow(x, y))(Tensor(2.0))), Tensor(0.0), 0.5),
    "probabilities": (first(lambda p: ops.binary_cross_entropy(p, row(1, 0, 1, 0, 1), reduction="sum")), row(0, 1, 1, 0, 0.5),
                      [-1e12, 1e12, 0, 0, -2]),
    "labels": (first(lambda y: ops.binary_cross_entropy(row(0, 1, 0.5), y, reduction="sum")), row(1, 0, 1), [np.log(1e12), np.log(1e-12), 0]),
    "equal infinities": (first(lambda a: ops.logaddexp(a, row(INF, -INF, 0, INF))), row(INF, -INF, 0, 1), [0.5, 0.5, 0.5, 0]),
    "margins": (first(lambda a: ops.multi_margin_loss(a, Tensor([0, 1]), reduction="sum")), row([1, 0, 2], [0, 1, 0]),
                [[-1 / 3, 0, 1 / 3], [0, 0, 0]]),
    "margins of several labels": (first(lambda a: ops.multilabel_margin_loss(a, Tensor([[0, -1, 1]], ms.int32), reduction="sum")),
                                  row([1, 0, 2]), [[-1 / 3, 0, 1 / 3]]),
    "second derivative of logaddexp": (first(first(lambda a: ops.logaddexp(a, row(0.0)))), row(0.0), [0.25]),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("way", WAYS)
def test_derivative(name, way):
    function, x, wanted = CASES[name]
    call = in_way(function, way)
    for _ in range(2):
        close(call(x), wanted, rtol=1e-6 if x.dtype == ms.float32 else 1e-9)


class Stateful(nn.Cell):
    """Writes to its state after a value that a gradient needs, as BatchNorm does."""

    def __init__(self):
        super().__init__()
        self.state = Parameter(row(1.0, 2.0, dtype=np.float32), requires_grad=False)

    def construct(self, x):
        y = ops.tanh(x).sum()
        ops.assign(self.state, self.state.detach() * 0.9 + 1.0)
        return y


@pytest.mark.parametrize("way", WAYS)
def test_writes_to_state_between(way):
    """A gradient of the gradient of a captured function that overwrites what no gradient reads."""
    cell, x = Stateful(), row(0.5, 0.2, dtype=np.float32)

    def penalty(f):
        return ms.grad(lambda x: (ms.grad(lambda x: f(x) ** 2)(x) ** 2).sum())(x)

    wanted = penalty(lambda x: ops.tanh(x).sum()).asnumpy()
    called = cell if way is None else ms.jit(cell, mode=way)
    for _ in range(3):
        close(penalty(called), wanted, rtol=1e-5)
