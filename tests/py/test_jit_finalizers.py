"""A finalizer that runs in the middle of a call frees objects. The call must not read them, nor may an entry keep pointers to them (finalizer_cases.py)."""
import os
import subprocess
import sys
import weakref

import numpy as np
import pytest

import msjit as ms
from finalizer_cases import CASES
from msjit import Tensor

pytestmark = pytest.mark.jit


@pytest.mark.costly
@pytest.mark.skipif(os.environ.get("MSJIT_BREAK_EVERY", "1") != "1", reason="a collection at each allocation takes long")
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
@pytest.mark.parametrize("part", range(4))
def test_met_by_a_finalizer(part, mode):
    """Runs a quarter of the cases in one process. It ends at the first failure, so its output ends with the name of that case."""
    script = os.path.join(os.path.dirname(__file__), "finalizer_cases.py")
    done = subprocess.run([sys.executable, script, mode, *list(CASES)[part::4]], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                          env=dict(os.environ, MSJIT_STRICT="1", PYTHONMALLOC="debug"))
    assert done.returncode == 0, done.stdout.decode()[-2000:]


class Noted:
    """Notes its death where the function writes, too."""

    def __init__(self, log):
        self.log = log

    def __del__(self):
        self.log.append("died")


class Slot:
    __slots__ = "v", "log", "items"

    def __init__(self):
        self.log, self.items = [], [1]
        self.v = Noted(self.log)


class Plain:
    def __init__(self):
        Slot.__init__(self)


def attribute(m, x):
    m.v = x * 2
    m.log.append(x)
    return x + 1


def deleted(m, x):
    y = x + len(m.log)
    del m.v
    return y + len(m.log)


def item(m, x):
    m.items[0] = x * 2
    m.log.append(x)
    return x + len(m.log)


def entry(m, x):
    m.items["v"] = x * 2
    m.log.append(x)
    return x + len(m.log)


def texts(log):
    return [str(v) for v in log]


@pytest.mark.parametrize("kind", [Plain, Slot])
@pytest.mark.parametrize("f", [attribute, deleted, item, entry])
def test_a_value_that_is_replaced_dies_where_the_program_replaces_it(f, kind):
    def make():
        m = kind()
        if f in (item, entry):
            m.items = [m.v] if f is item else {"v": m.v}
            m.v = None
        return m

    jitted, x = ms.jit(f, mode="PIJit"), Tensor(np.float32([1]))
    for replaced in (True, True, False, True, False):
        plain, other = make(), make()
        if not replaced:  # nothing dies: a region may run
            for m in (plain, other):
                m.v, m.items = 3, {"v": 4} if f is entry else [4]
                m.log.clear()
        expected, found = f(plain, x), jitted(other, x)
        assert str(found) == str(expected) and texts(other.log) == texts(plain.log)


def cell_and_global():
    space = {}
    exec("def make(value):\n    def f(log, x):\n        nonlocal value\n        value = x * 2\n        log.append(x)\n"
         "        return x + len(log)\n    return f\n"
         "def g(log, x):\n    global value\n    value = x * 2\n    log.append(x)\n    return x + len(log)\n", space)
    return space


@pytest.mark.parametrize("name", ["cell", "global"])
def test_a_variable_that_is_replaced_dies_where_the_program_replaces_it(name):
    def run(wrap):
        space, outcomes = cell_and_global(), []
        for _ in range(4):
            log = []
            if name == "cell":
                f = wrap(space["make"](Noted(log)))
            else:
                f = space.setdefault("wrapped", wrap(space["g"]))
                space["value"] = Noted(log)
            outcomes.append((str(f(log, Tensor(np.float32([1])))), texts(log)))
        return outcomes

    assert run(lambda f: ms.jit(f, mode="PIJit")) == run(lambda f: f)


class Holder:
    def __init__(self, value):
        self.value = value


def held_in_a_list(log):
    return [Noted(log)]


def held_in_a_dict(log):
    return {"v": (1, Noted(log))}


def held_in_an_object(log):
    return Holder([Holder(Noted(log))])


def held_in_a_closure(log):
    value = Noted(log)
    return lambda: value


def watched(log):
    value = Holder(1)
    log.append(weakref.ref(value, lambda _: log.append("died")))
    return value


@pytest.mark.parametrize("kind", [Plain, Slot])
@pytest.mark.parametrize("f", [attribute, item, entry])
@pytest.mark.parametrize("make_value", [held_in_a_list, held_in_a_dict, held_in_an_object, held_in_a_closure, watched])
def test_what_a_replaced_value_alone_holds_dies_with_it(make_value, f, kind):
    def make():
        m = kind()
        m.v = None
        m.log.clear()
        value = make_value(m.log)
        m.v = value if f is attribute else None
        m.items = {attribute: [1], item: [value], entry: {"v": value}}[f]
        return m

    jitted, x = ms.jit(f, mode="PIJit"), Tensor(np.float32([1]))
    for _ in range(4):
        plain, other = make(), make()
        f(plain, x), jitted(other, x)
        assert [t for t in texts(other.log) if "weakref" not in t] == [t for t in texts(plain.log) if "weakref" not in t]
