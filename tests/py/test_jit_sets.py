"""Sets in captured code: their items come in the order in which CPython's own tables give them."""
import enum
import random
import sys

import pytest

import msjit as ms
from jit_programs import Programs, assert_same, x22
from msjit import _msjit, nn

pytestmark = pytest.mark.jit

programs = Programs()
SINCE_38 = sys.version_info >= (3, 8)  # classes of metaclasses have no version before


class Color(enum.Enum):
    RED = 1
    BLUE = 2


@programs.add(x22, lambda: {"relu", "tanh", 3}, lambda: frozenset([1, 2]))
def reading(x, names, frozen):
    found = [name for name in names]
    for item in frozen:
        x = x * item
    return (x, "relu" in names, "gelu" not in names, len(names), found, list(frozen), bool(set()), names == {3, "tanh", "relu"},
            frozen <= {1, 2, 3}, frozen | {9}, {9} | frozen, names - frozen, names & {"relu"}, names ^ {"relu", 4},
            names.isdisjoint({5}), sorted(frozen, reverse=True), sum(frozen), max(frozen), 2 in {1, 2, 3}, tuple(frozen),
            isinstance(names, set), isinstance(frozen, frozenset), type(names).__name__, str(frozen), f"{sorted(frozen)}")


@programs.add(x22, lambda: {10, 20})
def changing(x, given):
    seen = set()
    for i in (5, 3, 5, 100, 3, 64, 128):
        if i in seen:
            continue
        seen.add(i)
        x = x + i
    seen |= {7, 8, 9, 300, 1000}
    seen.discard(3)
    seen.discard(4)
    seen.remove(100)
    taken = seen.pop()
    given.add(30)
    given.update([40, 50], (60,), {70: 1})
    given -= {10}
    given.intersection_update(set(range(100)))
    try:
        given.remove(999)
    except KeyError as e:
        missing = e.args
    copied = seen.copy()
    copied.clear()
    return x, seen, taken, given, list(given), missing, copied, seen.union([1], "ab"), {i % 3 for i in range(10)}, {*seen, 2}


@programs.add(x22, lambda: [{1, 2}, {"a": {3}}], whole=SINCE_38)
def inside(x, things):
    things[0].add(5)
    made = [set(), frozenset(), {Color.RED, int, None, (1, 2)}, frozenset("b")]
    return x * len(things[1]["a"]), made, things[0], frozenset(made[3]) is made[3], Color.RED in made[2], (1, 2) in made[2]


CELLS = [nn.ReLU(), nn.Tanh()]


@programs.add(x22)
def objects(x):
    seen = set()
    for cell in CELLS + CELLS:
        if cell in seen or id(cell) in seen:
            continue
        seen.add(cell)
        x = cell(x)
    return x, len(seen)


@programs.add(x22, lambda: {3, 1, 2}, whole=False)
def iterators_that_stay(x, s):
    walk, local = iter(s), iter({5, 6, 7})
    first = next(walk), next(local)
    return x * 2, first, walk, local


@programs.add(x22, lambda: {3, 1, 2}, whole=False)
def changed_while_walked(x, s):
    try:
        for item in s:
            s.add(item + 10)
    except RuntimeError as e:
        return x * 2, str(e), s


@programs.add(x22, whole=False)
def tensors_and_lists(x):
    y = x * 2
    try:
        return {y, [1]}
    except TypeError as e:
        return y, str(e)


test_same, test_one_region = programs.tests()


def test_order_of_random_histories():
    def f(x, operations):
        s = set()
        orders = []
        for operation, value in operations:
            if operation == "add":
                s.add(value)
            elif operation == "drop":
                s.discard(value)
            elif operation == "pop" and s:
                orders.append(s.pop())
            elif operation == "update":
                s |= {value, value * 7, value + 64}
            else:
                s = s - {value} if operation == "minus" else s | set(range(value))
            orders.append(list(s))
        return x * 2, s, orders

    rng = random.Random(4)
    for _ in range(12):
        operations = [(rng.choice(["add", "add", "drop", "pop", "update", "minus", "or"]), rng.randrange(40))
                      for _ in range(rng.randrange(25))]
        assert_same(f, x22, lambda: list(operations), calls=2)


def test_items_are_guarded():
    f = ms.jit(lambda x, s: (x * 2, 3 in s, list(s)), mode="PIJit")
    s = {1, 2}
    for _ in range(3):
        assert f(x22(), s)[1:] == (False, [1, 2])
    s.add(3)
    assert f(x22(), s)[1:] == (True, [1, 2, 3])
    s.remove(1)
    assert f(x22(), s)[1:] == (True, [2, 3])
    assert f(x22(), frozenset([3]))[1:] == (True, [3])


def test_change_is_replayed_in_place():
    f = ms.jit(lambda x, s: (x * 2, s.add(len(s))), mode="PIJit")
    s, plain = set(), set()
    for _ in range(30):
        f(x22(), s)
        plain.add(len(plain))
        assert list(s) == list(plain)
