"""Loops too long to unroll: each turn is a region, later turns cause no further captures, and an object that a turn drops dies when it
would without the JIT."""
import itertools
import time

import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, breaks, captured, same
from msjit import Parameter, Tensor, _msjit, nn, ops

pytestmark = pytest.mark.jit


def x24(_=0):
    return (Tensor(np.arange(8, dtype=np.float32).reshape(2, 4) / 8),)


def batches(n, wrap=iter):
    rng = np.random.RandomState(0)
    rows = [Tensor(rng.randn(4, 4).astype(np.float32)) for _ in range(5)]
    return wrap([rows[i % 5] for i in range(n)])


def counted(x):
    for i in range(6000):
        x = ops.tanh(x * 0.5 + i) - x.mean()
    return x, i


def counted_while(x):
    i = 0
    while i < 6000:
        x = ops.tanh(x * 0.5 + i) - x.mean()
        i += 1
    return x, i


def nested(x):
    for epoch in range(30):
        for step in range(200):
            x = ops.tanh(x * 0.5 + step) - x.mean() * epoch
        x = x + 1
    return x, epoch, step


def numbers(n):
    k = 0
    while k < n:
        yield k
        k += 1


def over_generator(x):
    for i in numbers(3000):
        x = x * 0.5 + i
    return x


def leaves_early(x):
    seen = []
    for i, scale in zip(itertools.count(), itertools.cycle([0.5, 0.25])):
        x = x * scale + i
        if i % 1000 == 0:
            seen.append(x)
            continue
        if i == 4321:
            break
    else:
        seen.append(None)
    return x, seen


def raises_late(x):
    done = []
    try:
        for i in range(9000):
            x = x * 0.5 + i
            if i == 8000:
                done.append(x.sum() / [1, 0][i == 8000] if i < 0 else [1][i])
    except IndexError as e:
        done.append(str(e))
    return x, done


@pytest.mark.parametrize("fn", [counted, counted_while, nested, over_generator, leaves_early, raises_late])
def test_same(fn):
    same(fn, x24, variants=(0, 0))


def epoch(w, data):
    total = w.sum() * 0
    for step, batch in enumerate(data):
        y = ops.tanh(ops.matmul(batch, w))
        w = w - 0.1 * ops.matmul(batch.T, y)
        total = total + (y * y).mean() / (step + 1)
    return w, total


WRAPS = {"list_iterator": iter, "generator": lambda d: (b for b in d), "map": lambda d: map(lambda b: b, d), "list": list}


@pytest.mark.parametrize("wrap", WRAPS.values(), ids=list(WRAPS))
def test_epoch(wrap):
    def make(_):
        return Tensor(np.eye(4, dtype=np.float32)), batches(40, wrap)
    same(epoch, make)


@pytest.mark.captures
def test_a_turn_of_an_opaque_iterator_is_a_region():
    _msjit.reset()
    jitted = ms.jit(epoch, mode="PIJit")
    for _ in range(3):
        jitted(Tensor(np.eye(4, dtype=np.float32)), batches(40))
    if FORCED:
        return
    (found,) = [f for f in _msjit.explain_json() if f["name"] == "epoch"]
    body = [r for r in found["regions"] if r["ops"] > 5]
    assert sum(r["hits"] for r in body) > 90
    assert len(body) <= 5  # the first turns, then one whose counter is open


@pytest.mark.captures
def test_long_loop_ends_the_region_at_its_header():
    _msjit.reset()
    jitted = ms.jit(counted, mode="PIJit")
    begun = time.perf_counter()
    for _ in range(2):
        jitted(*x24())
    if FORCED:
        return
    assert time.perf_counter() - begun < 30
    assert {b["reason"] for b in breaks(counted)} <= {"unroll_limit", "loop_iterator"}
    (found,) = [f for f in _msjit.explain_json() if f["name"] == "counted"]
    assert max(r["ops"] for r in found["regions"]) < 20
    assert len(found["regions"]) < 8


@pytest.mark.captures
def test_count_of_turns_that_changes():
    """A loop with another number of turns in each call is first unrolled for each number. In the end its turns run as regions."""
    def fn(x, n):
        for i in range(n):
            x = x * 0.5 + i
        return x
    _msjit.reset()
    jitted = ms.jit(fn, mode="PIJit")
    for n in list(range(30, 60)) * 2:
        np.testing.assert_array_equal(jitted(*x24(), n).asnumpy(), fn(*x24(), n).asnumpy())
    if not FORCED:
        (found,) = [f for f in _msjit.explain_json() if f["name"] == "fn"]
        assert len(found["regions"]) <= 12


class Handle:
    def __init__(self, log, name):
        self.log, self.name = log, name

    def __del__(self):
        self.log.append("del " + self.name)


def test_what_is_dropped_runs_its_finaliser_in_time():
    def close(log):
        try:
            yield 1
            yield 2
        finally:
            log.append("closed")

    def drops_local(x, log):
        h = Handle(log, "a")
        y = x * 2
        h = None
        log.append("after")
        return y + 1, h

    def leaves_generator(x, log):
        for i in close(log):
            x = x * i + 1
            break
        log.append("after")
        return x * 2

    def returns_from_loop(x, log):
        for i in close(log):
            h = Handle(log, str(i))
            x = x * i + 1
            log.append(h.name)
            if i == 2:
                return x * 2

    for fn in (drops_local, leaves_generator, returns_from_loop):
        same(fn, lambda _: (*x24(), []), variants=(0, 0, 0, 0))


class Many(nn.Cell):
    """As many Parameters as a large network has."""

    def __init__(self, count):
        super().__init__()
        self.w = ms.ParameterTuple([Parameter(Tensor(np.float32([k % 7, 1])), name="w%d" % k) for k in range(count)])

    def construct(self, x):
        return (self.w[0] * x + self.w[-1] * 2).sum()


def test_gradients_by_thousands_of_parameters():
    """The loops of the package over Parameters do not count towards the unrolling limit."""
    net = Many(3000)

    def step(x):
        return ms.value_and_grad(net, None, net.w)(x)

    same(step, lambda _: (Tensor(np.float32([1, 2])),))
    captured(step, lambda _: (Tensor(np.float32([1, 2])),))
