"""Results that depend on the value of a tensor inside a region: Python numbers made of tensors, items picked by a tensor index."""
import itertools
import sys

import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, breaks, captured, same
from msjit import Tensor, _msjit, nn, ops

pytestmark = pytest.mark.jit
DTYPES = [ms.float16, ms.float32, ms.float64, ms.int8, ms.uint8, ms.int16, ms.int32, ms.int64, ms.bool_, ms.bfloat16]


def x3():
    return Tensor(np.float32([1.5, -2.25, 7]))


def i32(value):
    return Tensor(value, ms.int32)


# -- numbers --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
def test_numbers_of_every_dtype(dtype):
    def f(t, u):
        v = t + t
        return int(t), float(t), bool(t), t.item(), int(v), float(v), v.item(), int(u), bool(u), u.item()

    def make(_):
        return Tensor(1.75).astype(dtype), Tensor([[0.1]]).astype(dtype)
    same(f, make)
    captured(f, make)


@pytest.mark.costly
@pytest.mark.parametrize("dtype, beside", list(itertools.product(DTYPES, DTYPES)), ids=str)
def test_arithmetic_with_tensors_is_eager_s(dtype, beside):
    def f(t, x):
        made = []
        for n in (float(t), int(t), bool(t), t.item()):
            made += [x + n, n - x, x * n, x / n, n / (x + 1), x // n, x % n]
        return made

    same(f, lambda _: (Tensor([77.3]).astype(dtype), Tensor([0.3, 1.9, 33.7]).astype(beside)))


def test_exact_arithmetic_is_captured():
    def f(t, x, i, j):
        return x * float(t), int(i) + x, j - int(i), x / t.item()
    captured(f, lambda _: (Tensor(0.3, ms.float64), x3(), i32(7), Tensor([5], ms.int64)))


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_a_number_that_is_none(value):
    def used(x, log):
        log.append(1)
        return int(x.sum())

    def unused(x, log):
        log.append(1)
        n = int(x.sum() * 2)  # noqa: F841
        return x + 1

    def handled(x, log):
        try:
            n = int(x.sum())
        except (ValueError, OverflowError) as e:
            n = str(e)
        return n, x + 1

    for fn in (used, unused, handled):
        same(fn, lambda v: (Tensor([float(value) if v else 3.5]), []), variants=(0, 1, 0, 1, 1))


def test_several_elements_raise():
    def f(x):
        return x + 1, float(x)

    def g(x, i):
        return x + 1, [1, x][i]
    same(f, lambda _: (x3(),))
    same(g, lambda _: (x3(), i32([0, 1])))


def test_open_sizes():
    def f(x):
        return float(x.sum()), x[:1].item(), x * float(x.mean()), [x, x + 1][x.argmax()]
    same(f, lambda n: (Tensor(np.arange(n, dtype=np.float32) % 2),), variants=(3, 4, 5, 6, 7, 2))

    def g(x):
        return int(x)
    same(g, lambda n: (Tensor(np.arange(n, dtype=np.float32)),), variants=(3, 4, 5, 1, 1, 6))


def test_no_gradient_flows_through_numbers():
    def f(x):
        return (x * float(x.sum()) + x.mean().item()).sum()
    for fn in (ms.grad(f), ms.grad(ms.jit(f, mode="PIJit"))):
        for _ in range(3):
            assert fn(x3()).tolist() == [6.25, 6.25, 6.25]


def test_the_number_is_of_its_time():
    def f(x):
        n = x[0].item()
        x[0] = 100
        y = x + 1
        m = y.sum()
        k = float(m)
        y[0] = 5
        return n, k, y, m
    same(f, lambda _: (x3(),))


def test_numbers_in_python_code():
    def f(x, log):
        n = int(x.sum())
        log.append(n)
        print(n, float(x[0]), "%.2f" % x[1].item())
        table = {n: "n", bool(x[0] > 0): 1}
        if n > 5:
            x = x * n
        return x, table, [n] * 2, n is log[-1], n == 6, isinstance(n, int), str(n), range(n)
    same(f, lambda _: (x3(), []))


def test_numbers_in_branches_and_loops():
    def f(x):
        if x.sum() > 0:
            y = x * float(x[0])
            n = int(x[2])
        else:
            y = x
            n = 1
        while y.sum() < 100:
            y = y + float(y[2] * y[2])
        return y, n
    same(f, lambda v: (x3() * (1 - 2 * v),), variants=(0, 0, 1, 1, 0))


# -- items ----------------------------------------------------------------------------------------------------------------


def test_item_and_identity():
    def f(a, b, i):
        items = (a, b, a + 1, b * 2)
        return items[i], [b, a][i], items
    same(f, lambda v: (x3(), x3() * 2, i32(v)), variants=(0, 1, -1, -2, 0, 1))
    captured(f, lambda _: (x3(), x3() * 2, i32(1)))


@pytest.mark.parametrize("key", [lambda v: i32(v), lambda v: i32([v]), lambda v: Tensor([[v]], ms.uint8),
                                 lambda v: Tensor(v, ms.int64), lambda v: Tensor(bool(v)), lambda v: Tensor(float(v))],
                         ids=["int32", "one element", "uint8", "int64", "bool", "float32"])
def test_index_of_every_kind(key):
    def f(x, i):
        return [x, x + 1][i]
    same(f, lambda v: (x3(), key(v)), variants=(0, 1, 1, 0))


def test_outside_is_an_index_error():
    def f(x, items, i):
        return items[i] + 1

    def alone(x, items, i):
        items[:1][i]
        return x + 1

    def equal(x, items, i):
        return [x, x, x][i], (x,)[i]

    def handled(x, items, i):
        try:
            return items[i]
        except IndexError as e:
            return x, str(e)

    def empty(x, items, i):
        return [][i], x + 1
    for fn in (f, alone, equal, handled, empty):
        same(fn, lambda v: (x3(), [x3(), x3() + 1, x3() + 2], i32(v)), variants=(0, 0, 1, 3, -3, -4, 100, 0, -1))


def test_items_of_other_kinds():
    def f(x, i):
        return [1, 2.5, "a", x][i], (x, x[0])[i], [[x], [x + 1]][i], x + 1
    same(f, lambda v: (x3(), i32(v)), variants=(0, 1, 1, 0))

    def ranges(x, i):
        return range(5)[i], "abc"[i], b"abc"[i], x * 2
    same(ranges, lambda v: (x3(), i32(v)), variants=(0, 1, 2, 0))


def test_items_in_branches_and_loops():
    def f(x, i):
        items = [x, x + 1, x * 2]
        if x.sum() > 0:
            y = items[i]
        else:
            y = x
        for k in range(3):
            y = y + items[i] * k
        while y.sum() < 50:
            y = y * 2 + items[i]
        return y
    same(f, lambda v: (x3(), i32(v)), variants=(0, 1, 2, 0))


def test_gradient_through_a_choice():
    def f(x, w, i):
        return ([x * w, ops.tanh(x), w][i] * x).sum()
    for i in (0, 1, 2, -1):
        want = ms.grad(f, (0, 1))(x3(), x3() + 1, i32(i))
        compiled = ms.grad(ms.jit(f, mode="PIJit"), (0, 1))
        for _ in range(3):
            got = compiled(x3(), x3() + 1, i32(i))
            assert [t.tolist() for t in got] == [t.tolist() for t in want]


class Layers(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3, weight_init="ones", has_bias=False)
        self.layers = (self.dense, nn.Tanh(), nn.ReLU())
        self.listed = nn.CellList([nn.ReLU(), nn.Sigmoid()])

    def construct(self, x, i):
        layer = self.layers[i]
        return layer(x), self.layers[i](x) + self.listed[i % 2](x)


def test_cells():
    net = Layers()

    def f(x, i):
        return net.construct(x.reshape(1, 3), i)
    same(f, lambda v: (x3(), i32(v)), variants=(0, 1, 2, -1, -3, 0, 3))

    def g(x, i):
        return (net.dense, net.layers[1])[i](x.reshape(1, 3))
    captured(g, lambda _: (x3(), i32(0)))


def test_functions_that_are_no_arms():
    log = []

    def f(x, i):
        def noted(v):
            log.append(1)
            return v + 1

        def raises(v):
            raise ValueError("no")

        def other(v):
            return v[0]
        kept = (noted, other)[i]
        first = kept(x)
        try:
            second = [other, raises][i](x)
        except ValueError as e:
            second = str(e)
        return first, second, kept is noted, bool((noted, other)[i]), (len, sum)[i]([1, 2]), len(log)

    for fn in (f, ms.jit(f, mode="PIJit")):
        results = []
        for v in (0, 1, 1, 0, 0):
            del log[:]
            got = fn(x3(), i32(v))
            results.append([t.tolist() if isinstance(t, Tensor) else t for t in got])
        if fn is f:
            want = results
    assert results == want


def test_a_choice_across_a_break():
    def f(x, i):
        layer = (ops.tanh, ops.relu)[i]
        y = x + 1
        sys.stdout.flush()
        return layer(y)
    same(f, lambda v: (x3(), i32(v)), variants=(0, 1, 0))


def test_random_choices_are_not_both_run():
    def f(x, i):
        return (lambda v: ops.dropout(v, 0.5), lambda v: ops.dropout(v, 0.25) + 1)[i](x)
    compiled = ms.jit(f, mode="PIJit")
    for v in (0, 1, 0, 1):
        ms.set_seed(3)
        want = f(x3(), i32(v)).tolist(), ops.rand(2).tolist()
        ms.set_seed(3)
        assert (compiled(x3(), i32(v)).tolist(), ops.rand(2).tolist()) == want


@pytest.mark.captures
def test_what_needs_the_number_ends_the_region():
    def f(x):
        n = int(x.sum())
        return [x + i for i in range(n)]
    _msjit.reset()
    compiled = ms.jit(f, mode="PIJit")
    for _ in range(2):
        assert len(compiled(x3())) == 6
    assert {b["reason"] for b in breaks(f)} == {"tensor_value"}
    assert not FORCED
