"""`and` and `or` on tensor values: one region, and the same object as result that Python picks."""
import numpy as np
import pytest

from jit_same import captured, same
from msjit import Tensor

pytestmark = pytest.mark.jit

VALUES = [[1.0, 2.0], [-1.0, -2.0], [3.0, -3.0], [0.5, -1.5], [-0.5, 1.5]]


def make(variant):
    return (Tensor(np.array(VALUES[variant], np.float32)),)


def and_or(x):
    t = x.sum()
    return (t > 0) and t * 2 or t - 1


def or_and(x):
    t = x.sum()
    return (t * 2 or t + 1) and t - 1


def chain(x):
    a, b, c = x[0], x[1], x.sum()
    y = a and b and c
    z = a or b or c
    return y * 2, z + 1


def mixed(x):
    a, b = x[0], x[1]
    y = (a > 0 and b > 0) or (a < 0 and b < 0)
    return y, x + 1


def assigned_between(x):
    a, b = x[0], x[1]
    if (a > 0 and b or a) > 1:
        x = x * 2
    elif not (a > 0 or b > 0):
        x = x - 1
    return x


def in_a_loop(x):
    n = x.sum()
    while (n < 20 and n + 1 or n) < 15:
        n = n + 4
    return n


def compared(x):
    lo, hi = x[0], x[1]
    return (lo < hi < 2) or x.sum() > 1


FUNCTIONS = [and_or, or_and, chain, mixed, assigned_between, in_a_loop, compared]


@pytest.mark.parametrize("fn", FUNCTIONS, ids=[f.__name__ for f in FUNCTIONS])
def test_same(fn):
    same(fn, make, variants=tuple(range(5)) * 2)


@pytest.mark.captures
@pytest.mark.parametrize("fn", [and_or, chain, assigned_between], ids=lambda f: f.__name__)
def test_one_region(fn):
    captured(fn, make)
