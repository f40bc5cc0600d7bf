"""Functions with a branch on a tensor whose one arm raises; here because pytest rewrites the asserts of test modules."""
import msjit as ms
from msjit import ops


def asserting(x):
    y = x * 2
    assert y.sum() > 0, "not positive"
    return y + 1


def raising(x):
    if x.max() > 100:
        raise ValueError("too big: %d rows" % x.shape[0])
    return x / 2


def both_and_a_branch(x):
    y = x * 2
    assert y.sum() > 0, "not positive"
    if y.max() > 100:
        raise ValueError("too big")
    if y.sum() > 50:
        y = y - 1
    return y + 1


def in_a_helper(x):
    return check(x) * check(x + 1)


def check(x):
    if not (x.min() > -100):
        raise RuntimeError("too small")
    return x + 3


def wrong_shapes(x):
    if x.sum() < 0:
        return x + ops.ones((7, 7), ms.float32)
    return x + 1


def nan_is_true(x):
    if x.sum():
        return x + 1
    raise ZeroDivisionError("nothing")
