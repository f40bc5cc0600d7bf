"""Appending to a list of the program needs neither its length nor its items, so one capture serves while the list grows."""
import collections

import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, breaks
from msjit import Tensor, _msjit, ops

pytestmark = pytest.mark.jit
HISTORY = []


class Meter:
    def __init__(self):
        self.values, self.named = [], {}

    def update(self, name, value):
        self.named.setdefault(name, []).append(value)
        self.values.append(value)


def appends(x, log):
    y = x * 2
    log.append(y)
    return y + 1


def appends_a_number(x, log):
    log.append(float((x * 2).sum()))
    return x + 1


def appends_a_record(x, log):
    log.append({"loss": x.sum(), "step": (1, [x])})
    return x + 1


def extends(x, log):
    log.extend((x, 1))
    log += [x * 2]
    log += (3,)
    return x + len([1])


def through_a_bound_method(x, log):
    add = log.append
    add(x * 2)
    list.append(log, 1)
    return x + 1


def its_own_item(x, log):
    log.append(log)
    log.append([log])
    return x + 1


def reads_what_it_appended(x, log):
    log.append(x * 2)
    log.append(x * 3)
    return log[-1] + log[-2]


def to_a_global(x, log):
    HISTORY.append(x.sum())
    log.append(len(HISTORY) > 3)
    return x + 1


def appends_then_reads(x, log):
    log.append(x * 2)
    return x + len(log), log[0], log[-1], sum(v.sum() for v in log), list(log), log[::2], bool(log)


def appends_then_changes(x, log):
    log.append(x * 2)
    log.append(x * 3)
    log.insert(0, log.pop())
    log.append(x)
    if len(log) > 4:
        del log[1]
    return x + 1, log.count(None)


def in_one_arm(x, log):
    if x.sum() > 5:
        log.append(x)
        y = x * 2
    else:
        y = x
    return y + 1


def in_a_loop(x, log):
    for i in range(3):
        log.append(x * i)
        x = x + 1
    return x


def raises_afterwards(x, log):
    log.append(x * 2)
    try:
        log.append([].pop())
    except IndexError as error:
        log.append(str(error))
    return x + 1


def wrong_arguments(x, log):
    try:
        log.append(x, x)
    except TypeError:
        log.append("TypeError")
    try:
        log += 3
    except TypeError:
        log.append("TypeError")
    return x + 1


def plus_a_tensor(x, log):
    try:
        log += x
    except (TypeError, ValueError) as error:
        return type(error).__name__
    return log


UNREAD = [appends, appends_a_number, appends_a_record, extends, through_a_bound_method, its_own_item, reads_what_it_appended]
READ = [to_a_global, appends_then_reads, appends_then_changes, in_one_arm, in_a_loop, raises_afterwards, wrong_arguments, plus_a_tensor]


def picture(value, seen=()):
    """Plain data of a result; what holds itself is a mark."""
    if isinstance(value, Tensor):
        return value.dtype, value.tolist()
    if id(value) in seen:
        return "itself"
    if isinstance(value, (list, tuple, collections.deque)):
        return type(value).__name__, [picture(v, seen + (id(value),)) for v in value]
    if isinstance(value, dict):
        return {k: picture(v, seen) for k, v in value.items()}
    return value


def calls(function, count=12):
    HISTORY.clear()
    log, found = [], []
    for i in range(count):
        found.append(picture(function(Tensor(np.float32([i % 4, 1, 2])), log)))
    return found, picture(log), len(HISTORY)


@pytest.mark.parametrize("function", UNREAD + READ, ids=lambda f: f.__name__)
def test_as_in_plain_runs(function):
    _msjit.reset()
    for mode in ("PIJit", "PSJit"):
        assert calls(ms.jit(function, mode=mode)) == calls(function)


@pytest.mark.captures
@pytest.mark.parametrize("function", UNREAD, ids=lambda f: f.__name__)
def test_one_capture_serves_while_the_list_grows(function):
    _msjit.reset()
    calls(ms.jit(function, mode="PIJit"), 30)
    (found,) = [f for f in _msjit.explain_json() if f["name"] == function.__name__]
    assert found["breaks"] == [] and [(r["entries"], r["hits"]) for r in found["regions"]] == [(1, 30)]


@pytest.mark.captures
def test_methods_of_instances():
    meter = Meter()

    def step(x):
        y = x * 2
        meter.update("loss", y.sum())
        return y

    _msjit.reset()
    captured = ms.jit(step, mode="PIJit")
    for _ in range(20):
        captured(Tensor(np.float32([1, 2])))
    assert len(meter.values) == len(meter.named["loss"]) == 20 and breaks(step) == []
    assert [v.tolist() for v in meter.values] == [6.0] * 20 and len({id(v) for v in meter.values}) == 20


def test_lists_that_turn_out_to_be_one():
    def both(x, a, b):
        a.append(x)
        b.append(x * 2)
        a.append(x * 3)
        return x + 1

    captured = ms.jit(both, mode="PIJit")
    x = Tensor(np.float32([1]))
    for same in (False, False, True, True, False):
        logs = []
        for function in (both, captured):
            a = []
            b = a if same else []
            function(x, a, b)
            logs.append(picture((a, b)))
        assert logs[0] == logs[1]


def test_of_another_class():
    class Noisy(list):
        def append(self, item):
            super().append(("noisy", item))

    captured = ms.jit(appends, mode="PIJit")
    for kind in (list, list, Noisy, collections.deque, Noisy, list):
        logs = []
        for function in (appends, captured):
            log = kind()
            function(Tensor(np.float32([1])), log)
            logs.append((type(log), picture(list(log))))
        assert logs[0] == logs[1], kind


def test_longer_than_what_is_looked_into():
    captured, log = ms.jit(appends, mode="PIJit"), [None] * 5000
    _msjit.reset()
    for _ in range(4):
        captured(Tensor(np.float32([1])), log)
    assert len(log) == 5004 and (FORCED or breaks(appends) == [])


def test_a_region_that_ends_behind_the_append():
    def step(x, log):
        y = x * 2
        log.append(y)
        print(end="", file=None)
        seen = len(log)
        open(__file__).close()
        log.append(seen)
        return y + seen

    captured = ms.jit(step, mode="PIJit")
    found = [picture((captured(Tensor(np.float32([1])), log), log)) for log in ([], [1], [1, 2], [3, 4])]
    assert found == [picture((step(Tensor(np.float32([1])), log), log)) for log in ([], [1], [1, 2], [3, 4])]


def looks_at_its_length(x, log):
    y = ops.tanh(x * 2) + 1
    log.append(y)
    n = len(log)
    if n % 3 == 0:
        y = y + n
    return y * 2 + 1


@pytest.mark.captures
def test_a_look_at_a_list_that_grows_ends_the_region_before_it():
    """A function that reads the length of a growing list is still captured, up to that place and behind it."""
    _msjit.reset()
    captured, logs, x = ms.jit(looks_at_its_length, mode="PIJit"), ([], []), Tensor(np.float32([1, 2]))
    for _ in range(40):
        assert captured(x, logs[1]).tolist() == looks_at_its_length(x, logs[0]).tolist()
    assert picture(logs[0]) == picture(logs[1])
    found = breaks(looks_at_its_length)
    assert {b["reason"] for b in found} == {"object_type"} and sum(b["count"] for b in found) >= 30
    before = ms.stats()["eager_ops"]
    captured(x, logs[1])
    assert ms.stats()["eager_ops"] == before


@pytest.mark.captures
def test_one_graph_for_each_length_where_a_whole_graph_is_asked_for():
    captured, logs, x = ms.jit(looks_at_its_length, mode="PSJit", fullgraph=True), ([], []), Tensor(np.float32([1, 2]))
    for _ in range(20):
        assert captured(x, logs[1]).tolist() == looks_at_its_length(x, logs[0]).tolist()
