"""Finalizers and weak-reference callbacks run where CPython runs them, see what they would see there, and their changes stay. This also
holds if a region drops the last two references to an object at two places, and for keys, members of sets, and tensors."""
import collections
import gc
import weakref

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit

pytestmark = pytest.mark.jit
X = Tensor(np.float32([1, 2]))
CASES = {}


def case(make):
    """Registers a function of a tensor, a log, and the objects that make(end) returns; end() writes to the log."""
    def add(function):
        CASES[function.__name__] = function, make
        return function
    return add


class Ends:
    def __init__(self, end):
        self.end = end

    def __del__(self):
        self.end()


class Parts:
    def __init__(self, **parts):
        self.__dict__.update(parts)


def key():
    pass


def watched(value, end):
    """The value and a weak reference to it whose callback is end()."""
    return value, weakref.ref(value, lambda _: end())


@case(lambda end: ([Ends(end)],))
def item_is_replaced(x, log, items):
    items[0] = None
    log.append("mid")
    return x + 1


@case(lambda end: (Parts(r=Ends(end)),))
def old_is_closed(x, log, m):
    m.r = x * 2
    log.append("mid")
    return x + 1


@case(lambda end: ())
def cleared_and_filled(x, log):
    log.clear()
    log.append("mid")
    return x + 1


def held_twice(end):
    value = Ends(end)
    return Parts(a=value), {"k": value}


@case(held_twice)
def two_places(x, log, m, table):
    m.a = None
    log.append("mid")
    table["k"] = None
    log.append("end")
    return x + 1


def held_twice_inside(end):
    value = Ends(end)
    return Parts(a=[value], b=(value,)),


@case(held_twice_inside)
def two_holders(x, log, m):
    m.a = None
    log.append("mid")
    m.b = None
    log.append("end")
    return x + 1


def in_a_deque(end):
    value = Ends(end)
    return collections.deque([value, 3], 2), Parts(a=value)


@case(in_a_deque)
def pushed_out(x, log, queue, m):
    queue.append(1)
    log.append("mid")
    m.a = 2
    log.append("end")
    return x + 1


@case(lambda end: ([Ends(end)],))
def local_dies_first(x, log, items):
    value = items.pop()
    log.append("mid")
    value = None
    log.append(value)
    return x + 1


@case(lambda end: (Parts(a=None), [Ends(end)]))
def moved_then_dropped(x, log, m, items):
    m.a = items.pop()
    log.append("mid")
    m.a = None
    log.append("end")
    return x + 1


def tensor(end):
    value, reference = watched(X * 3, end)
    return Parts(t=value, r=reference),


@case(tensor)
def tensor_is_replaced(x, log, m):
    log.append("mid")
    m.t = x * 2
    log.append("end")
    return x + 1


def attribute_of_a_tensor(end):
    value = X * 3
    value.owner = Ends(end)
    return Parts(t=value),


@case(attribute_of_a_tensor)
def tensor_with_an_owner(x, log, m):
    log.append("mid")
    m.t = x * 2
    log.append("end")
    return x + 1


def function_key(end):
    value, reference = watched(lambda: 1, end)
    return {"a": 1, value: 2}, reference


@case(function_key)
def key_is_dropped(x, log, table, reference):
    table.clear()
    log.append("mid")
    return x + 1


def instance_key(end):
    return {Ends(end): 1, "b": 2},


@case(instance_key)
def instance_as_key_is_dropped(x, log, table):
    table.clear()
    log.append("mid")
    return x + 1


@case(instance_key)
def instance_as_key_is_dropped_before_a_read(x, log, table):
    y = x + len(log)
    table.clear()
    log.append(len(log))
    return y * len(log)


def function_in_a_set(end):
    value, reference = watched(lambda: 1, end)
    return {1, value}, reference


@case(function_in_a_set)
def member_is_dropped(x, log, members, reference):
    members.clear()
    log.append("mid")
    return x + 1


def outcomes(f, make, calls=4):
    found = []
    for _ in range(calls):
        log = []
        args = make(lambda: log.append("died"))
        if not args:
            log.append(Ends(lambda: log.append("died")))
        result = f(X, log, *args)
        found.append((result.asnumpy().tolist(), list(log)))
    return found


@pytest.mark.parametrize("name", list(CASES))
def test_ends_run_where_the_program_lets_go(name):
    function, make = CASES[name]
    assert outcomes(ms.jit(function, mode="PIJit"), make) == outcomes(function, make)


def test_a_finalizer_changes_the_global_that_the_function_changes():
    space = {"Ends": Ends}
    exec("count = 0\ndef add():\n    global count\n    count += 1\n"
         "def f(items, x):\n    global count\n    items.pop()\n    count += 100\n    return x + 1\n", space)
    f = ms.jit(space["f"], mode="PIJit")
    for _ in range(4):
        f([Ends(space["add"])], X)
    assert space["count"] == 404


@pytest.mark.captures
def test_what_is_moved_or_kept_does_not_end():
    log = []

    def f(m, items, x):
        m.a = items.pop()
        items.append(m.b)
        m.b = None
        return x + 1

    f = ms.jit(f, mode="PIJit")
    for _ in range(4):
        m, items = Parts(a=None, b=Ends(lambda: log.append("b"))), [Ends(lambda: log.append("a"))]
        before = _msjit.stats()["captured_calls"]
        f(m, items, X)
        assert _msjit.stats()["captured_calls"] == before + 1 and not log
        del m, items
        assert sorted(log) == ["a", "b"]
        log.clear()


def keyed(x, table):
    y = x
    for value in table.values():
        y = y * value
    return y


def contained(x, members):
    return x * len(members)


@pytest.mark.captures
@pytest.mark.parametrize("f, make", [(keyed, lambda key: {key: 2.0}), (contained, lambda key: {key, 3})])
def test_captures_keep_no_key_of_the_program_alive(f, make):
    f = ms.jit(f, mode="PIJit")
    dead = []
    for _ in range(3):
        def key():
            pass
        dead.append(weakref.ref(key))
        holder = make(key)
        for _ in range(2):
            f(X, holder)
        del key, holder
    gc.collect()
    assert [r() for r in dead] == [None] * 3


@pytest.mark.captures
def test_a_set_made_of_members_of_the_program():
    def f(members, x):
        both = members | {1}
        members.add(2)
        return x * len(both), both

    jitted, plain, own = ms.jit(f, mode="PIJit"), {key, 5}, {key, 5}
    for _ in range(3):
        expected, found = f(plain, X), jitted(own, X)
        assert found[1] == expected[1] and own == plain and found[0].asnumpy().tolist() == expected[0].asnumpy().tolist()


@pytest.mark.captures
def test_a_function_that_goes_from_a_dict_into_a_set():
    def f(table, members, x):
        members.add(table.pop("k"))
        return x + 1, {table.pop("j"), 1}

    f = ms.jit(f, mode="PIJit")
    for _ in range(3):
        table, members = {"k": lambda: 1, "j": lambda: 2}, set()
        made = f(table, members, X)[1]
        assert not table and [m() for m in members] == [1] and len(made) == 2


def replaces(x, log, m):
    y = x * 2 + 1
    log.append("before")
    m.r = None
    log.append("behind")
    return y * y + 3


def calls_what_replaces(x, log, m):
    return replaces(x + 1, log, m) * 2


@pytest.mark.captures
@pytest.mark.parametrize("f, ops", [(replaces, 4), (calls_what_replaces, 6)])
def test_what_stands_before_and_behind_the_end_of_an_object_is_captured(f, ops):
    jitted = ms.jit(f, mode="PIJit")
    for quiet in (False, True, False, True, False):
        found = []
        for run in (f, jitted):
            log = []
            m = Parts(r=None if quiet else Ends(lambda: log.append("died")))
            before = _msjit.stats()["graph_ops"]
            found.append((run(X, log, m).asnumpy().tolist(), log))
        assert found[0] == found[1] and _msjit.stats()["graph_ops"] - before == ops
    said = [b["reason"] for e in _msjit.explain_json() if e["name"] == "replaces" for b in e["breaks"]]
    assert set(said) == {"ends_object"}


@pytest.mark.captures
def test_objects_that_end_at_different_places():
    def f(x, log, m):
        x = x * 2
        m.a = None
        log.append(1)
        x = x + 3
        m.b = None
        log.append(2)
        return x * x

    jitted = ms.jit(f, mode="PIJit")
    for names in ("a", "b", "ab", "", "b", "a", "ab"):
        found = []
        for run in (f, jitted):
            log = []
            m = Parts(**{n: Ends(lambda n=n: log.append(n)) if n in names else 0 for n in "ab"})
            found.append((run(X, log, m).asnumpy().tolist(), log))
        assert found[0] == found[1]
