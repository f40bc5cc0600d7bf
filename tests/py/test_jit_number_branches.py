"""Branches on numbers that a program makes of tensors: `if float(loss) < best:` is a branch of the graph."""
import math

import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same
from msjit import Tensor, ops

pytestmark = pytest.mark.jit

VALUES = [[1.5, -2.25, 7], [0, 0, 0], [-1, -2, -3], [1e-3, 0.1, 0.2], [np.nan, 1, 2], [np.inf, 1, 2], [1, 1, 1], [3e38, 3e38, 1]]


def x3(row, dtype=np.float32):
    return Tensor(np.array(VALUES[row % len(VALUES)], dtype))


ROWS = [*range(len(VALUES)), 0, 3, 1]


def keeps_the_best(x, best):
    loss = ops.relu(x).mean()
    if float(loss) < best:
        best = float(loss)
    return best, ops.tanh(loss) * 3


def waits(x, best, wait):
    loss = ops.relu(x).mean()
    now = loss.item()
    if now < best - 0.01:
        best, wait = now, 0
    else:
        wait += 1
    return best, wait, ops.tanh(loss)


def stops(x, best, wait):
    loss = ops.relu(x).mean()
    if float(loss) < best:
        wait = 0
    else:
        wait = wait + 1
    if wait > 1:
        loss = loss * 0
    return wait, ops.tanh(loss)


def checks_for_nan(x):
    loss = ops.exp(x).max()  # a sum's last bit depends on the order of its terms
    if math.isnan(float(loss)) or math.isinf(float(loss)):
        raise FloatingPointError("loss is no number")
    return ops.tanh(loss)


def checks_with_numpy(x):
    loss = ops.exp(x).max()  # a sum's last bit depends on the order of its terms
    if np.isnan(loss.asnumpy()) or not np.isfinite(float(loss)):
        loss = ops.relu(x).min() * 0
    return ops.tanh(loss), np.isinf(loss.asnumpy()), np.isnan(float(loss) - 1)


def accuracy(x, y):
    hits = int((x > y).sum())
    if hits / 3 > 0.5:
        return ops.tanh(x), hits
    return ops.tanh(y), hits


def counts(x):
    if int((x > 0).sum()) >= 2:
        return x * 2
    return x * 3


def differences(x, y):
    a, b = float(x.sum()), float(y.sum())
    if max(a, b) > 3 and not abs(a - b) < 1:
        return ops.tanh(x - y)
    return ops.tanh(x + y)


def truths(x):
    n = float(x.sum()) - 9.75
    return (ops.tanh(x) if n else x * 2), not n, -n > 0 or x[0] > 1


def chained(x):
    a = float(x.sum())
    if 0 < a < 7:
        return x + 1
    return x - 1


def ratio(x):
    hits = float((x > 0).sum())
    if 1.0 / hits > 0.5:
        return x * 2
    return x * 3


CASES = [(keeps_the_best, lambda r: (x3(r), [100.0, 2, 0.05, math.nan, True][r % 5])), (waits, lambda r: (x3(r), 0.5, r)),
         (stops, lambda r: (x3(r), 0.5 + r, 1)), (checks_for_nan, lambda r: (x3(r),)),
         (checks_with_numpy, lambda r: (x3(r),)), (accuracy, lambda r: (x3(r), x3(r + 3))),
         (counts, lambda r: (x3(r),)), (differences, lambda r: (x3(r), x3(r * 3))), (truths, lambda r: (x3(r),)),
         (chained, lambda r: (x3(r),)), (ratio, lambda r: (x3(r),))]


@pytest.mark.parametrize("fn, make", CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_as_plainly(fn, make):
    same(fn, make, variants=ROWS)


@pytest.mark.parametrize("dtype", [np.float16, np.float64, np.int8, np.int32, np.int64, np.uint8, np.bool_])
def test_dtypes(dtype):
    def fn(x, y):
        a, b = x.sum().item(), x[0].item()
        if a > 2.5:
            y = y + 1
        if a >= 3:
            y = y * 2
        if a == b:
            y = y - 3
        if a * 1.5 - b < 2:
            y = y * 5
        return y
    same(fn, lambda r: (x3([6, 1, 2, 0][r] if np.dtype(dtype).kind != "u" else 6, dtype), x3(6)), variants=(0, 1, 2, 3))


WHOLE = [case for case in CASES if case[0] is not truths]


@pytest.mark.captures
@pytest.mark.parametrize("fn, make", WHOLE, ids=lambda v: getattr(v, "__name__", ""))
def test_captured_whole(fn, make):
    captured(fn, make)


def test_large_ints_are_compared_as_ints():
    """2**53 and 2**53 + 1 are one float, and Python tells them apart."""
    def fn(x, y):
        n = int(x.max())
        if n > 9007199254740992.0:
            y = y + 1
        if n == 9007199254740993:
            y = y * 2
        if n / 2 > 4503599627370496.0:
            y = y - 5
        if n + 1 > n:
            y = y * 3
        return y
    numbers = [2 ** 53, 2 ** 53 + 1, 2 ** 53 - 1, 2 ** 63 - 1, -2 ** 63, 7]
    same(fn, lambda r: (Tensor(np.array([numbers[r], -2 ** 63], np.int64)), x3(6)), variants=range(6))


def test_a_float_beside_a_large_int():
    def fn(x, y, n):
        return y * 2 if float(x.sum()) < n else y * 3
    same(fn, lambda r: (x3(0), x3(6), [10 ** 30, 2 ** 53 + 1, -10 ** 400, 6][r % 4]), variants=range(8))


def test_limits_that_change():
    """The second limit is a guard of its own, the third an input."""
    same(keeps_the_best, lambda r: (x3(r), 0.5 * r), variants=range(10))
    same(stops, lambda r: (x3(r), 0.5 * r, r), variants=range(10))


def test_other_classes_in_their_place():
    class Half(float):
        def __gt__(self, other):
            return True
    same(keeps_the_best, lambda r: (x3(0), [0.5, 3, True, np.float32(7), Half(0.1), Tensor(np.float32(9))][r % 6]),
         variants=range(12))


def test_division_by_zero_is_python_s():
    def fn(x, seen):
        share = float(x.sum()) / seen
        if share > 0.5:
            return x * 2
        return x * 3
    same(fn, lambda r: (x3(0), r % 3), variants=(1, 2, 0, 1, 0))


def test_changes_in_arms():
    def fn(x, state, log):
        loss = float(ops.relu(x).sum())
        if loss < state["best"]:
            state["best"] = loss
            log.append(loss)
        else:
            print("no better", loss)
        return ops.tanh(x)
    same(fn, lambda r: (x3(r), {"best": 5.0}, []), variants=ROWS)


def test_loops_left_by_a_number():
    def halved(x):
        n, err = 0, float(ops.relu(x).sum())
        while err > 0.1 and n < 40:
            x = x * 0.5
            err = float(ops.relu(x).sum())
            n += 1
        return x, n, err

    def first_above(xs):
        at = 0
        for i, x in enumerate(xs):
            at = i
            if float(x.sum()) > 2:
                break
        return at, x * 2
    same(halved, lambda r: (x3([0, 1, 2, 3, 6][r % 5]),), variants=range(6))
    same(first_above, lambda r: ([x3(r), x3(r + 1), x3(r + 2)],), variants=ROWS)


def test_gradients_do_not_flow_through_numbers():
    def fn(x):
        loss = (x * x).sum()
        if float(loss) > 5.0:
            return loss * 2
        return loss * 3
    plain, jitted = ms.grad(fn), ms.grad(ms.jit(fn, mode="PIJit"))
    for row in (0, 3, 6, 1):
        assert jitted(x3(row)).tolist() == plain(x3(row)).tolist()
