"""Differential tests of the bytecode JIT: a program runs plainly and under jit, several times, and must return, raise, print
and change its arguments the same; where it says so, it must be captured as one region.

    programs = Programs()

    @programs.add(x22, Box)          # makers of the arguments
    def attributes(x, box): ...

    test_same, test_one_region = programs.tests()
"""
import collections
import contextlib
import io
import traceback

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit


def x22():
    return Tensor(np.arange(4, dtype=np.float32).reshape(2, 2) / 8 - 0.25)


def picture(value, seen=None):
    """A comparable picture of a value; objects met before are shown by the order they were met in, so identity counts."""
    seen = {} if seen is None else seen
    if isinstance(value, Tensor):
        kind = (type(value).__name__, str(value.dtype), value.shape, value.asnumpy().tobytes())
    elif value is None or isinstance(value, (bool, int, float, str, bytes, complex, type, range)):
        return (type(value).__name__, repr(value))
    else:
        kind = type(value).__name__
    if id(value) in seen:
        return ("again", seen[id(value)][0])
    seen[id(value)] = (len(seen), value)
    if isinstance(value, (list, tuple, collections.deque)):
        return (kind, getattr(value, "maxlen", None), [picture(v, seen) for v in value])
    if isinstance(value, dict):
        return (kind, [(picture(k, seen), picture(v, seen)) for k, v in value.items()])
    if isinstance(value, (set, frozenset)):
        return (kind, sorted(map(repr, value)))
    if isinstance(value, BaseException):
        return (kind, picture(value.args, seen), picture(value.__cause__, seen), picture(value.__context__, seen),
                [f[1:3] for f in traceback.extract_tb(value.__traceback__)])
    parts = []
    if callable(value) and hasattr(value, "__name__"):
        parts.append(value.__name__)
    if hasattr(value, "__dict__") and not callable(value):
        parts += [(k, picture(v, seen)) for k, v in vars(value).items()]
    for cls in type(value).__mro__:
        slots = cls.__dict__.get("__slots__", ())
        for name in [slots] if isinstance(slots, str) else slots:
            if hasattr(value, name) and name != "__weakref__":
                parts.append((name, picture(getattr(value, name), seen)))
    return (kind, parts)


def outcome(fn, args, file):
    out = io.StringIO()
    result = error = None
    seen = {}
    with contextlib.redirect_stdout(out):
        try:
            result = fn(*args)
        except Exception as e:
            lines = [(f.name, f.lineno) for f in traceback.extract_tb(e.__traceback__) if f.filename == file]
            chain = [type(c).__name__ for c in (e.__cause__, e.__context__)]
            error = (type(e).__name__, str(e), lines, chain)
    return picture(result, seen), error, out.getvalue(), [picture(a, seen) for a in args]


def regions_of(fn):
    return [r for f in _msjit.explain_json() if f["name"] == fn.__name__ for r in f["regions"]]


def breaks_of(fn):
    return [b for f in _msjit.explain_json() if f["name"] == fn.__name__ for b in f["breaks"]]


def assert_same(fn, *makers, calls=4):
    """Runs `fn` plainly and under jit on equal arguments."""
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(calls):
        expected = outcome(fn, [make() for make in makers], fn.__code__.co_filename)
        assert outcome(jitted, [make() for make in makers], fn.__code__.co_filename) == expected
    return jitted


def assert_one_region(fn, *makers):
    if _msjit.config()["break_every"]:
        pytest.skip("forced breaks split every region")
    _msjit.reset()
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(2):
        jitted(*[make() for make in makers])
    assert breaks_of(fn) == []
    assert len(regions_of(fn)) == 1


class Programs:
    def __init__(self):
        self.all = []

    def add(self, *makers, whole=True):
        """Adds a program; `whole` = it is captured as one region."""
        def add(fn):
            self.all.append((fn, makers, whole))
            return fn
        return add

    def tests(self):
        @pytest.mark.parametrize("fn,makers", [p[:2] for p in self.all], ids=[p[0].__name__ for p in self.all])
        def test_same(fn, makers):
            assert_same(fn, *makers)

        whole = [p for p in self.all if p[2]]

        @pytest.mark.parametrize("fn,makers", [p[:2] for p in whole], ids=[p[0].__name__ for p in whole])
        def test_one_region(fn, makers):
            assert_one_region(fn, *makers)

        return test_same, test_one_region
