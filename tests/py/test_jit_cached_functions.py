"""Calls of functions under functools.lru_cache in captured code: the remembered results, the counts of hits, and the order of a bounded cache."""
import functools
import logging

import numpy as np
import pytest

import msjit as ms
from jit_programs import regions_of
from jit_same import FORCED, breaks
from msjit import Tensor, ops

pytestmark = pytest.mark.jit


def x23():
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


def make(maxsize, typed=False):
    made = []

    @functools.lru_cache(maxsize=maxsize, typed=typed)
    def table(n, d=3, *rest):
        made.append((n, d))
        return ops.ones((n, d), ms.float32) * n if n != "text" else "result"
    return table, made


def both(step, calls, maxsize=None, typed=False):
    """Runs step(x, table, *args) for each args plainly and jitted, with a cached function of its own each, and compares all that is seen."""
    seen = []
    for decorate in (lambda f: f, lambda f: ms.jit(f, mode="PIJit")):
        table, made = make(maxsize, typed)

        def run(x, *args):
            return step(x, table, *args)

        run, rows = decorate(run), []
        for args in calls:
            try:
                got = run(x23(), *args)
                rows.append([v.tolist() if isinstance(v, Tensor) else v for v in got])
            except TypeError as error:
                rows.append(str(error))
            rows.append((table.cache_info(), list(made)))
        seen.append(rows)
    assert seen[0] == seen[1]
    return run


def one(x, table, n):
    return x[:1] * 2 + table(n), table(n) is table(n), n


def several(x, table, n, d):
    a, b = table(n, d), table(n)
    return x.sum() * a.sum() + b.sum(), a is b, table("text"), table(n, d, 1, (2, "a"), None)


def by_keyword(x, table, n):
    return x * 2, table(n, d=4), table(n=n)


def unhashable(x, table, n):
    return x * 2, table([n])


@pytest.mark.parametrize("maxsize", [None, 128, 2, 0])
def test_one_argument(maxsize):
    both(one, [(2,), (2,), (2,), (3,), (2,), (4,), (5,), (2,), (3,), (3,), (3,)], maxsize)


@pytest.mark.parametrize("maxsize", [None, 3])
def test_several_arguments(maxsize):
    both(several, [(2, 3), (2, 3), (2, 3), (1, 4), (2, 3), (1, 4), (2, 3)], maxsize)


def test_other_calls():
    both(by_keyword, [(2,), (2,), (2,)])
    both(unhashable, [(2,), (2,), (2,)])
    both(one, [(2,), (2.0,), (True,), (1,), (2,)])
    both(one, [(2,), (2.0,), (True,), (1,), (2,)], typed=True)


def test_the_order_of_a_bounded_cache():
    """A captured call makes its result the latest one, so others are dropped first."""
    def step(x, table, n, m):
        y = x[:1] + table(n)
        return y, table(m)
    both(step, [(1, 1), (2, 2), (1, 1), (1, 1), (1, 1), (3, 3), (1, 1), (2, 2), (1, 1), (3, 3)], maxsize=2)


def test_a_cache_that_is_cleared_or_replaced():
    for maxsize in (None, 8):
        table, made = make(maxsize)

        def fn(x):
            return x + table(2)
        jitted, first = ms.jit(fn, mode="PIJit"), None
        for i in range(8):
            y = jitted(x23())
            assert y.tolist() == fn(x23()).tolist()
            if i == 4:
                table.cache_clear()
        assert len(made) == 2
        table, made = make(maxsize)
        assert jitted(x23()).tolist() == fn(x23()).tolist() and len(made) == 1


def test_a_result_that_is_changed():
    @functools.lru_cache()
    def state(name):
        return {"count": 1, "w": Tensor([1.0, 2.0, 3.0])}

    def fn(x):
        return x * state("a")["w"] * state("a")["count"]
    jitted = ms.jit(fn, mode="PIJit")
    for i in range(6):
        assert jitted(x23()).tolist() == fn(x23()).tolist()
        state("a")["count"] += i // 3
        if i == 4:
            state("a")["w"] = Tensor([5.0, 6.0, 7.0])


def test_errors_of_the_function():
    @functools.lru_cache()
    def broken(n):
        raise ValueError("broken %d" % n)

    def fn(x):
        try:
            return x * broken(2)
        except ValueError as error:
            return str(error)
    jitted = ms.jit(fn, mode="PIJit")
    assert [jitted(x23()) for _ in range(4)] == ["broken 2"] * 4 and broken.cache_info().misses == 4


@pytest.mark.captures
def test_it_is_captured():
    table, _ = make(None)

    def cached(x):
        return x + table(2) * table(2, 3)
    cached(x23())
    jitted = ms.jit(cached, mode="PIJit")
    for _ in range(6):
        jitted(x23())
    assert table.cache_info().hits == 12
    if not FORCED:
        assert len(regions_of(jitted)) == 1 and breaks(cached) == []


@functools.lru_cache(None)
def warning_once(self, *args, **kwargs):
    self.warning(*args, **kwargs)



def test_messages_given_once(monkeypatch):
    lines = []
    logger, other = (logging.getLogger("msjit.tests." + name) for name in ("once", "other"))
    monkeypatch.setattr(logging.Logger, "warning_once", warning_once, raising=False)
    monkeypatch.setattr(logging.Logger, "warning", lambda self, text, *args: lines.append((self.name, text)))

    def step(x, logger, text):
        logger.warning_once("use_cache=%s" % text)
        return x * 2
    jitted = ms.jit(step, mode="PIJit")
    for args in [(logger, "a"), (logger, "a"), (logger, "a"), (logger, "b"), (other, "a"), (logger, "a"), (other, "a"), (other, "b")]:
        jitted(x23(), *args)
    assert lines == [("msjit.tests.once", "use_cache=a"), ("msjit.tests.once", "use_cache=b"), ("msjit.tests.other", "use_cache=a"),
                     ("msjit.tests.other", "use_cache=b")]
    warning_once.cache_clear()
    jitted(x23(), logger, "a")
    assert len(lines) == 5 and warning_once.cache_info().currsize == 1


@pytest.mark.captures
def test_a_message_given_before_is_captured(monkeypatch):
    if FORCED:
        return
    monkeypatch.setattr(logging.Logger, "warning_once", warning_once, raising=False)
    monkeypatch.setattr(logging.Logger, "warning", lambda self, text, *args: None)
    logger = logging.getLogger("msjit.tests.before")

    def noted(x):
        logger.warning_once("known")
        return x * 2
    logger.warning_once("known")
    jitted = ms.jit(noted, mode="PIJit")
    for _ in range(3):
        jitted(x23())
    assert breaks(noted) == []
