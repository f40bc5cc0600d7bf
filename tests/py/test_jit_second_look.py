"""A region that ends in a callee because of something only its first call does is captured again, and then continues behind it."""
import logging
import threading

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit

pytestmark = pytest.mark.jit
LOCK, CACHE, CALLS = threading.RLock(), {}, []
logger = logging.getLogger("msjit.test.second_look")


def factor(n):
    if n not in CACHE:
        with LOCK:
            CALLS.append(n)
            CACHE[n] = n * 2.0
    return CACHE[n]


def with_a_cache(x):
    y = x * 2
    return y * factor(3) + 1


def with_a_silent_log(x):
    y = x * 2
    logger.debug("mean of %s", y.shape)
    return y + 1


def with_a_lock(x):
    def locked():
        with LOCK:
            return 3
    y = x * 2
    return y * locked() + 1


def forget():
    CACHE.clear()
    CALLS.clear()
    logger._cache.clear()
    _msjit.reset()


def regions_of(function, calls):
    """(operations, runs) of the places where regions are left, and the breaks met."""
    forget()
    captured, x = ms.jit(function, mode="PIJit"), Tensor(np.float32([1, 2, 3]))
    for _ in range(calls):
        np.testing.assert_array_equal(captured(x).asnumpy(), function(x).asnumpy())
    (found,) = [f for f in _msjit.explain_json() if f["name"] == function.__name__]
    return [(r["ops"], r["hits"]) for r in found["regions"]], sum(b["count"] for b in found["breaks"])


@pytest.mark.captures
@pytest.mark.parametrize("function, ops", [(with_a_cache, 3), (with_a_silent_log, 2)], ids=lambda p: getattr(p, "__name__", None))
def test_goes_on_behind_the_callee(function, ops):
    regions, breaks = regions_of(function, 20)
    assert (ops, 20) in regions and breaks == 2
    assert CALLS in ([], [3])


@pytest.mark.captures
def test_what_always_breaks_stays_as_it_is():
    regions, breaks = regions_of(with_a_lock, 100)
    assert breaks == 100 and [ops for ops, _ in regions] == [1, 2]


def test_what_is_logged_stays_logged(caplog):
    captured, x = ms.jit(with_a_silent_log, mode="PIJit"), Tensor(np.float32([1, 2, 3]))
    forget()
    for level in (logging.WARNING, logging.DEBUG, logging.WARNING, logging.DEBUG):
        with caplog.at_level(level, logger.name):
            for _ in range(6):
                np.testing.assert_array_equal(captured(x).asnumpy(), [3, 5, 7])
    assert [r.getMessage() for r in caplog.records] == ["mean of (3,)"] * 12
