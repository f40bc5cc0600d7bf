"""Numbers that differ from call to call: one that a capture leaves open must behave as a constant of that value would."""
import collections
import math

import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, captured, same
from msjit import Tensor, _msjit, ops

pytestmark = pytest.mark.jit


def x23(fill=1.0):
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) * np.float32(fill))


def test_tuples_of_other_lengths_are_compared_item_by_item():
    """A comparison of tuples with an open size and a tensor of several elements: the tensor's truth raises, although the lengths of the tuples differ."""
    def fn(x, n, xs):
        y = ops.tanh(x) * n
        return y, tuple(xs) == (n, 2), (n, 1) != tuple(xs)
    same(fn, lambda v: (x23(), v, [v, x23(), 1] if v > 6 else [v, 2]), variants=(3, 4, 5, 6, 7, 8))
    same(fn, lambda v: (x23(), v, [x23()] if v > 6 else [v, 2]), variants=(3, 4, 5, 6, 7, 8))


class Schedule:
    def __init__(self, rate=0.1):
        self.rate, self.step = rate, 0


def rate_argument(x, lr):
    return x - lr * ops.tanh(x), lr


def rate_decays(x, s):
    s.rate = s.rate * 0.9
    s.step += 1
    return x * s.rate + s.step


def bias_correction(x, lr, t):
    c = 1 - 0.9 ** t
    d = 1.0 - lr / 3 ** 0.5
    return x * (lr / c) + (-d), c, d


def through_float(x, lr):
    return x * float(lr) + (lr if isinstance(lr, float) else 1), type(lr) is float


def compared(x, lr):
    if lr > 0.31:
        return x * lr
    return x + lr


def in_order(x, p):
    return x * p, p < 0.3, 0.3 <= p, p == 0.25, p != 1, 2 > p, p >= 0, p < 2 ** 60, p > True, 0.5 < p < 0.75, not p == p * 1


def divides(x, lr):
    return x / lr, 1 / lr


def overflows(x, lr):
    return x * (lr ** 400.0)


def becomes_complex(x, lr):
    return x.sum(), (lr - 0.3) ** 0.5


def prints(x, lr):
    print("rate", lr, lr * 2, -lr)
    return x * lr


def in_containers(x, d, rates):
    d["lr"] = d["lr"] / 2
    total = 0.0
    for r in rates:
        total += r
    return x * d["lr"] + total, [r * 2 for r in rates]


def mixed_with_sizes(x, lr, n):
    return x / n * lr, n / 7, n ** -1, n ** 2, lr * n - n / (n + 1)


def reused(x, lr):
    key = {lr: 1}
    y = x * lr
    return y, key, [1, 2][int(lr)], round(lr, 1), "%.2f" % lr, max(lr, 0.2), lr == lr, lr is lr


def under_a_branch(x, lr):
    if x.sum() > 3:
        y = x * lr
    else:
        y = x - lr * 2
    return y + lr


def same_number_twice(x, a, b):
    return x * a + x * b, a is b


def schedules(x, lr, n):
    warm = min(1.0, n / 6.0)
    decay = 0.5 * (1 + math.cos(math.pi * lr))
    top = max(0.0, 1.0 - lr, lr / 2)
    return x * (warm * decay) + top, warm, decay, top, math.sqrt(n), math.exp(-lr), math.pow(lr, 2.0), math.fabs(-lr), abs(-lr)


def in_a_domain(x, lr):
    return x + lr, math.sqrt(lr), math.log(lr)


NUMBERS = [0.1, 0.2, 0.25, 0.3, 0.35, 0.4, 0.1, 0.125]


@pytest.mark.parametrize("fn", [rate_argument, through_float, compared, prints, reused, under_a_branch])
def test_changing_float(fn):
    same(fn, lambda v: (x23(), NUMBERS[v]), variants=tuple(range(8)))


def test_changing_state():
    held = [Schedule(), Schedule()]

    def make(_):
        held.reverse()
        return x23(), held[0]
    same(rate_decays, make, variants=(0,) * 8)


def test_arithmetic_is_that_of_python():
    same(bias_correction, lambda v: (x23(), NUMBERS[v], v + 1), variants=tuple(range(8)))
    same(mixed_with_sizes, lambda v: (x23(), NUMBERS[v], v + 1), variants=tuple(range(8)))
    same(in_containers, lambda v: (x23(), {"lr": NUMBERS[v]}, [NUMBERS[v], 1.5, NUMBERS[-v]]), variants=tuple(range(8)))
    same(same_number_twice, lambda v: (x23(), NUMBERS[v], NUMBERS[v] if v > 5 else NUMBERS[v] + 1), variants=tuple(range(8)))


def test_functions_of_changing_numbers():
    rates = NUMBERS + [0.0, -0.0, 2.5, float("nan"), -1.0, 1e300, 1.0]
    same(schedules, lambda v: (x23(), rates[v], v), variants=tuple(range(15)))


@pytest.mark.captures
def test_functions_of_changing_numbers_are_captured_three_times():
    _msjit.reset()
    jitted = ms.jit(schedules, mode="PIJit")
    for v in range(1, 14):
        jitted(x23(), v / 16, v)
    [report] = [f for f in _msjit.explain_json() if f["name"] == "schedules"]
    assert report["breaks"] == [] and len(report["regions"]) <= 3


def test_a_replaced_function_computes(monkeypatch):
    def fn(x, lr):
        return x * math.cos(lr), min(lr, 0.5)
    jitted = ms.jit(fn, mode="PIJit")
    for v in range(8):
        jitted(x23(), v / 10)
    monkeypatch.setattr(math, "cos", lambda v: 2.0)
    monkeypatch.setitem(globals(), "min", lambda a, b: 7.0)
    for v in range(3):
        y, least = jitted(x23(), v / 10)
        assert (y.asnumpy() == (x23() * 2.0).asnumpy()).all() and least == 7.0


def test_what_raises_raises():
    rates = [0.1, 0.2, 0.25, 0.3, 0.0, 0.35, 0.4, float("inf"), float("nan"), 3.0, -2.0]
    for fn in (divides, overflows, becomes_complex, in_order, in_a_domain):
        same(fn, lambda v: (x23(), rates[v]), variants=tuple(range(4)) + tuple(range(11)))


def test_type_changes():
    mixed = [0.1, 0.2, 0.3, 1, True, 0.5, np.float64(0.25), 2, 3, 4, 0.75]
    same(rate_argument, lambda v: (x23(), mixed[v]), variants=tuple(range(11)))
    same(compared, lambda v: (x23(), mixed[v]), variants=tuple(range(11)))


@pytest.mark.captures
def test_a_changing_float_is_captured_three_times():
    for fn, args in ((rate_argument, lambda v: (x23(), v / 16)), (bias_correction, lambda v: (x23(), v / 16, v))):
        _msjit.reset()
        jitted = ms.jit(fn, mode="PIJit")
        for v in range(1, 30):
            jitted(*args(v))
        (found,) = [f for f in _msjit.explain_json() if f["name"] == fn.__name__]
        assert found["breaks"] == []
        assert sum(r["entries"] for r in found["regions"]) == 3


def tensor_of_a_number(x, n):
    t = n if isinstance(n, Tensor) else Tensor([n], ms.int64)
    return x * t.broadcast_to((2,))[:, None].float(), t


def tensors_of_ints(x, n):
    return x + 1, Tensor(n), Tensor([n, 1]), Tensor((n, n + 1, 2), ms.float32), Tensor([n], ms.int32) * Tensor([1], ms.int8)


def tensors_of_floats(x, n):
    p = n * 0.5 + 0.1
    return x + 1, Tensor(p), Tensor([p, 1.0]), Tensor([p, 1], ms.float32), Tensor([p], ms.float64), Tensor(p, ms.float16)


TIMES = [3, 5, 6, 7, 1000, 2 ** 31 - 1, 2 ** 31, -2 ** 31, -1, 0, True, 9]


@pytest.mark.parametrize("fn", [tensor_of_a_number, tensors_of_ints, tensors_of_floats])
def test_tensors_of_open_numbers(fn):
    same(fn, lambda v: (x23(), TIMES[v]), variants=tuple(range(6)) + tuple(range(12)))


@pytest.mark.captures
@pytest.mark.parametrize("fn", [tensor_of_a_number, tensors_of_ints])
def test_tensors_of_open_ints_are_captured_three_times(fn):
    _msjit.reset()
    jitted = ms.jit(fn, mode="PIJit")
    for v in range(3, 30):
        jitted(x23(), v)
    (found,) = [f for f in _msjit.explain_json() if f["name"] == fn.__name__]
    assert found["breaks"] == [] and sum(r["entries"] for r in found["regions"]) == 3


@pytest.mark.captures
def test_a_comparison_is_captured_for_each_way_it_comes_out():
    def skip(x, p):
        return x + 1 if p < 0.5 else x * 2

    _msjit.reset()
    jitted = ms.jit(skip, mode="PIJit")
    for v in np.random.RandomState(0).rand(60).tolist():
        np.testing.assert_array_equal(jitted(x23(), v).asnumpy(), skip(x23(), v).asnumpy())
    (found,) = [f for f in _msjit.explain_json() if f["name"] == "skip"]
    assert found["breaks"] == [] and sum(r["entries"] for r in found["regions"]) == 4  # two of them for one number each


def unused_quotient(x, n):
    n / RATE
    return x + 1


def unused_remainder(x, n):
    (n + 0.5) % RATE
    return x + 1


def unused_power(x, n):
    RATE ** (n * 500.5)
    return x + 1


def unused_quotient_of_sizes(x, n):
    _ = n / (x.shape[0] - 6)
    return x + 1


def unused_quotient_in_a_branch(x, n):
    if x.sum() > 0:
        n / RATE
        y = x + 1
    else:
        y = x - 1
    return y


@pytest.mark.parametrize("fn", [unused_quotient, unused_remainder, unused_power, unused_quotient_of_sizes, unused_quotient_in_a_branch],
                         ids=lambda fn: fn.__name__)
def test_arithmetic_that_raises_is_done_though_nobody_uses_it(fn, monkeypatch):
    def make(v):
        monkeypatch.setitem(globals(), "RATE", [0.5, 0.75, 1.5, 1.25, 0.0, 1.5][v % 6])
        return Tensor(np.ones(2 + v, np.float32)), 3
    same(fn, make, variants=(0, 1, 2, 3, 4, 5, 4))


@pytest.mark.parametrize("last", [30, 2500])
def test_numbers_made_of_themselves_again_and_again(last):
    """The expression of such a number doubles in each turn. Without a limit on its terms a call would take minutes."""
    def floats(x, n):
        for _ in range(last):
            n = n * n
        return x * n

    def sizes(x, _):
        n = x.shape[0]
        for _ in range(last):
            n = (n * n + 1) % 997
        return x * n
    for fn in (floats, sizes):
        same(fn, lambda v: (Tensor(np.ones(2 + v, np.float32)), 1 - v / 2**20), variants=(0, 1, 2, 3, 4))


RATE = 0.5
NUMPY = [np.float32(2), np.float64(0.5), np.int64(3), np.float32(-0.0), np.float32(0.0), np.float64("nan"), np.bool_(True), np.int8(-2),
         np.float16(1.5), np.float32(2), 0.25, np.uint8(200)]
SCALE = np.float32(0.3)


def numpy_operand(x, s):
    return x * s + SCALE, s - x, x < s, SCALE / (x + 1)


def test_numpy_scalars_beside_tensors():
    same(numpy_operand, lambda v: (x23(), NUMPY[v]), variants=(0, 0, 1, 2, 3, 4, 3, 5, 6, 7, 8, 9, 10, 11))
    same(numpy_operand, lambda v: (x23().astype(ms.int32), NUMPY[v]), variants=(0, 2, 8, 11))


@pytest.mark.captures
def test_numpy_scalars_are_captured():
    def fn(x, s):
        return x * SCALE - s
    captured(fn, lambda _: (x23(), np.float64(2.5)))


Pair = collections.namedtuple("Pair", "left right")


def test_named_tuples_as_text():
    def fn(x, n):
        p = Pair(n, "q")
        return x * n, "%s" % (p,), f"{p} {[p]!r}", str(p), p == (n, "q"), max(p, Pair(2, "a"))
    same(fn, lambda v: (x23(), v + 1))


class Steps:
    def __init__(self):
        self.step, self.names = 0, []


def named_steps(x, s):
    s.step += 1
    s.names.append("step_%d" % s.step)
    return x * 2 + s.step


def cosine_schedule(x, s):
    s.step += 1
    return x * (0.5 * (1 + math.cos(math.pi * s.step / 40)))


def warm_up(x, s):
    s.step += 1
    return x * min(1.0, s.step / 10)


@pytest.mark.parametrize("fn", [cosine_schedule, warm_up])
def test_schedules_are_one_region(fn):
    _msjit.reset()
    jitted, plain, held = ms.jit(fn, mode="PIJit"), Steps(), Steps()
    for _ in range(40):
        np.testing.assert_array_equal(jitted(x23(), held).asnumpy(), fn(x23(), plain).asnumpy())
    if FORCED:
        return
    (found,) = [f for f in _msjit.explain_json() if f["name"] == fn.__name__]
    assert found["breaks"] == [] and found["regions"][-1]["hits"] > 30


@pytest.mark.parametrize("fn", [named_steps])
def test_a_number_that_is_looked_at_in_each_call_ends_the_region_there(fn):
    """It does not end the captures of the function."""
    _msjit.reset()
    jitted, plain, held = ms.jit(fn, mode="PIJit"), Steps(), Steps()
    for _ in range(40):
        np.testing.assert_array_equal(jitted(x23(), held).asnumpy(), fn(x23(), plain).asnumpy())
    assert vars(held) == vars(plain)
    if FORCED:
        return
    (found,) = [f for f in _msjit.explain_json() if f["name"] == fn.__name__]
    assert {b["reason"] for b in found["breaks"]} == {"object_type"}
    assert found["regions"][-1]["hits"] > 30


def test_layers_by_number():
    """More layers than captures at one place."""
    layers = [Tensor(np.float32([i])) for i in range(12)]

    def layer(x, i):
        return ops.tanh(x * layers[i]) + i

    same(lambda x, n: [layer(x, i) for i in range(n)], lambda v: (x23(), 12), variants=(0, 0, 0))
    jitted = ms.jit(layer, mode="PIJit")
    for _ in range(5):
        for i in range(12):
            np.testing.assert_array_equal(jitted(x23(), i).asnumpy(), layer(x23(), i).asnumpy())
