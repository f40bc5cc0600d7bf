"""NumPy scalars as numbers in captured code, NumPy's functions on known values, and arrays made of them."""
import math
import warnings

import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, breaks, captured, same
from msjit import Tensor, _msjit, ops

pytestmark = pytest.mark.jit
RATES = [float(r) if i % 2 else r for i, r in enumerate(np.linspace(0, 0.4, 5))]
SCALARS = [np.float64(0.25), np.float32(0.5), np.int64(3), np.int8(-2), np.uint8(7), np.float16(1.5), np.bool_(True), 0.25, np.float64(0)]


def x23():
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def drop_path(x, rate):
    if rate == 0.0 or rate < 0:
        return x
    keep = 1 - rate
    return x * keep, keep, rate > 0.1, not rate


def arithmetic(x, s):
    return x * (s + 1), s * 2, s / 4, 7 // (s + 20), -(s * 1.5), abs(s), s - 0.5, 2.0 ** (s - s), s >= 1, s == 3, s != s


def as_number(x, s):
    return x * float(s), int(s), math.floor(s), max(s, 0.3), min([s, 2]), bool(s), s.item(), isinstance(s, float), type(s).__name__


def as_index(x, i):
    return x[i], x[0, i], [x, 10, 20][i], (1, 2, 3)[i], x.sum(axis=i), ops.reshape(x, (i + 2, -1)), "abc"[i], list(range(i))


@pytest.mark.parametrize("fn", [drop_path, arithmetic, as_number])
def test_scalars(fn):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of -(uint8)
        same(fn, lambda v: (x23(), SCALARS[v]), variants=(0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 0))


def test_rates_of_linspace():
    same(drop_path, lambda v: (x23(), RATES[v]), variants=(0, 1, 2, 3, 4, 2))


def test_scalars_as_indices():
    same(as_index, lambda v: (x23(), np.int64(v)), variants=(0, 1, 0))
    same(as_index, lambda v: (x23(), np.uint8(v)), variants=(0, 1, 0))


@pytest.mark.captures
def test_scalars_are_captured():
    captured(drop_path, lambda _: (x23(), np.float64(0.25)))
    captured(as_number, lambda _: (x23(), np.float64(0.25)))
    captured(as_index, lambda _: (x23(), np.int64(1)))


class Depth:
    def __init__(self, rate):
        self.rate = rate


def test_scalar_attributes_are_guarded():
    def fn(x, host):
        return x * host.rate if host.rate else x + 1
    same(fn, lambda v: (x23(), Depth(SCALARS[v])), variants=(0, 0, 1, 2, 8, 0))


@pytest.mark.parametrize("a,b", [(1.0, 0.0), (1e308, 1e308), (5e-324, 0.5), (float("nan"), 1.0), (float("inf"), 2.0)])
def test_warnings_come_with_every_call(a, b):
    def fn(x, a, b):
        return x + 1, a / b, a * b, a < b
    jitted, args = ms.jit(fn, mode="PIJit"), (np.float64(a), np.float64(b))
    seen = []
    for call in (fn, jitted, jitted):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = call(x23(), *args)
        seen.append(([str(w.message) for w in caught], str(value[1:])))
    assert seen[0] == seen[1] == seen[2]


def test_integers_wrap_as_without_msjit():
    def fn(x, a):
        return x + 1, a + a, a * a, -a
    for a in (np.int8(100), np.uint8(3), np.int64(2**62), np.bool_(True)):
        jitted, seen = ms.jit(fn, mode="PIJit"), []
        for call in (fn, jitted, jitted):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    value = str(call(x23(), a)[1:])
                except TypeError as e:
                    value = str(e)
            seen.append(([str(w.message) for w in caught], value))
        assert seen[0] == seen[1] == seen[2]


def test_text_of_a_scalar_follows_the_print_options():
    def fn(x, s):
        return x + 1, str(s), "%s" % (s,), "{}".format(s), f"{s!r}"
    jitted, s = ms.jit(fn, mode="PIJit"), np.float64(0.1)
    for _ in range(2):
        assert jitted(x23(), s)[1:] == fn(x23(), s)[1:]
    try:
        np.set_printoptions(legacy="1.13")
        assert jitted(x23(), s)[1:] == fn(x23(), s)[1:]
    finally:
        np.set_printoptions(legacy=False)


def arrays(x, n):
    mask = Tensor(np.zeros((2, 3))).astype(ms.bool_)
    ones = Tensor(np.ones((n, 3)), ms.float32)
    cast = Tensor(np.ones([n, 1]).astype(np.float32))
    return x + ones + cast, mask, Tensor(np.full((3,), 0.5, np.float32)) * x, Tensor(np.arange(3)), np.zeros((n, 2)).shape


def masks(x, n):
    upper = np.triu(np.ones((2, 3)), k=n - 1)
    steps = np.linspace(0, 1, 3, dtype=np.float32)
    table = np.array([[1, 2, 3], [4, 5, n]], np.float32)
    return x + Tensor(upper, ms.float32), x * steps[1] + table[0, 2] * table[-1, n], Tensor(np.tril(table, -1)), Tensor(np.eye(n, 3)), steps


def raises(x, n):
    y = x + 1
    try:
        return y * np.arange(3)[n + 1]
    except IndexError as error:
        return str(error), y


def numbers(x, n):
    scale = np.sqrt(x.shape[-1] + n)
    return x / scale, np.log(2.0), int(np.prod(x.shape)), np.sum([1, 2, n]), np.maximum(n, 2), np.float32(0.5) * n, np.power(2.0, n)


@pytest.mark.parametrize("fn", [arrays, masks, raises, numbers])
def test_functions(fn):
    same(fn, lambda v: (x23(), v + 1), variants=(1, 1, 0, 1))


@pytest.mark.captures
@pytest.mark.parametrize("fn", [arrays, masks])
def test_arrays_are_captured(fn):
    captured(fn, lambda _: (x23(), 2))


def warns(x, n):
    return x + 1, np.linspace(0, [1e308, np.inf][n], 3) - np.linspace(-1e308, 1e308, 3)[n]


def test_numpy_warns_as_ever():
    said = []
    for fn in (warns, ms.jit(warns, mode="PIJit")):
        for n in (0, 1, 1):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                fn(x23(), n)
            said.append([str(w.message) for w in caught])
    assert said[:3] == said[3:]


def test_views_of_an_array_share_what_is_written():
    def fn(x):
        a = np.triu(np.ones((2, 3)))
        row = a[1]
        row[2] = 7
        return x + Tensor(a, ms.float32), a, row
    same(fn, lambda _: (x23(),), variants=(0, 0, 0))


def test_an_array_that_leaves_is_new_each_time():
    def fn(x):
        a = np.zeros(3)
        return a, [a], x + 1
    _msjit.reset()
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(3):
        a, b, _ = jitted(x23())
        assert FORCED or not breaks(fn)
        assert a is b[0] and a.tolist() == [0, 0, 0]
        a[:] = 7
        assert a.flags.writeable and a.flags.owndata


def test_arrays_are_changed_by_the_program():
    def fn(x, n):
        a = np.ones(3, np.float32)
        a[0] = n
        b = a
        b += 1
        return x * Tensor(a), a, bool((a > 1).all()), len(a)
    same(fn, lambda v: (x23(), v), variants=(1, 1, 2))


def test_replaced_functions_are_called():
    def fn(x):
        return x + 1, np.zeros((2,)).tolist()
    jitted, calls, old = ms.jit(fn, mode="PIJit"), [], np.zeros

    def zeros(shape):
        calls.append(shape)
        return old(shape) + 1

    assert jitted(x23())[1] == jitted(x23())[1] == [0, 0]
    try:
        np.zeros = zeros
        assert jitted(x23())[1] == jitted(x23())[1] == [1, 1] and len(calls) == 2
    finally:
        np.zeros = old
    assert jitted(x23())[1] == [0, 0]


def test_bad_arguments_raise_as_without_msjit():
    def negative(x):
        return x + 1, np.zeros((-1,))

    def unknown(x):
        return x + 1, np.ones(3, "no such dtype")

    def text(x):
        return x + 1, np.full((2,), "a"), np.sqrt("a")
    for fn in (negative, unknown, text):
        same(fn, lambda v: (x23(),))
