"""Dictionaries in captured code: OrderedDict, defaultdict, the dict of an instance, keys that are no strings."""
import collections
import enum
import sys

import pytest

import msjit as ms
from jit_programs import Programs, assert_same, x22
from msjit import Tensor, _msjit, nn

pytestmark = pytest.mark.jit

programs = Programs()
SINCE_38 = sys.version_info >= (3, 8)  # classes of metaclasses have no version before


class Color(enum.Enum):
    RED = 1
    BLUE = 2


class Box:
    limit = 3

    def __init__(self, **values):
        self.__dict__.update(values)


def five():
    return 5


BY_KEY = {Color.RED: 2.0, int: 3.0, (1, "a"): 4.0, b"x": 5.0, None: 6.0, len: 7.0}


@programs.add(x22, lambda: Color.RED, lambda: 1, whole=SINCE_38)
def keys(x, color, one):
    local = {Color.RED: x, (one, one + 1): 5, str: 7}
    key = (1, one + 1)
    local[key] = 6
    return (x * BY_KEY[color] + BY_KEY[int] + BY_KEY[one, "a"] + BY_KEY[b"x"] + BY_KEY[None] + local[str],
            local, Color.BLUE in BY_KEY, BY_KEY.get(Color.BLUE), [k for k in local])


@programs.add(x22, lambda: float("nan"), whole=False)
def nan_key(x, nan):
    d = {nan: 1}
    return x, nan in d, float("nan") in d


@programs.add(x22, lambda: collections.OrderedDict(a=1, b=2, c=3))
def ordered(x, d):
    for _, v in d.items():
        x = x * v
    d.move_to_end("a")
    first = d.popitem(last=False)
    d["z"] = x
    d.move_to_end("z", last=False)
    d.update(q=1)
    e = d.copy()
    f = collections.OrderedDict([("p", 1)], r=2)
    return (x + len(d), list(d), first, list(e.values()), type(e), dict(f), f, f.pop("nope", 7),
            f == collections.OrderedDict(r=2, p=1), f == dict(r=2, p=1), isinstance(d, dict), "b" in d)


@programs.add(x22, lambda: collections.defaultdict(list, a=[1]), lambda: collections.defaultdict(five))
def defaults(x, d, e):
    d["a"].append(2)
    d["b"].append(x)
    e["n"] += 1
    mine = collections.defaultdict(int)
    mine["k"] += 2
    none = collections.defaultdict()
    try:
        none["q"]
        missed = False
    except KeyError as error:
        missed = error.args
    return x * mine["k"] + e["n"], mine, missed, d.get("c"), "c" in d, type(mine) is dict, none


@programs.add(x22, lambda: collections.defaultdict(None))
def no_factory(x, d):
    try:
        d[1]
    except KeyError:
        return x * 2
    return x


@programs.add(x22, lambda: Box(a=1, b=2))
def instance_dict(x, box):
    d = box.__dict__
    d["c"] = x
    box.e = 5
    vars(box)["f"] = 6
    before = ("a" in d, "nope" in d, d.get("g", 8), d["b"], len(d), list(d), list(d.values())[:2], bool(d))
    del d["a"]
    d.pop("b")
    popped = d.pop("b", 9)
    fresh = Box(**{**vars(box), "h": 1})
    d.setdefault("i", 3)
    return x + box.c + d["e"], before, popped, box.f, fresh, dict(fresh.__dict__), hasattr(box, "a"), d is vars(box)


@programs.add(x22, lambda: Box(a=1), whole=False)
def instance_dict_escapes(x, box):
    d = box.__dict__
    box.b = x * 2
    fresh = Box(z=1)
    kept = fresh.__dict__
    fresh.y = d
    return kept, d, fresh


@programs.add(x22, lambda: Box(a=1), whole=False)
def grown_while_walked(x, box):
    try:
        for name in vars(box):
            setattr(box, name + "_", x)
    except RuntimeError as e:
        return x * 2, str(e)
    return x


@programs.add(x22, lambda: Box(a=1), whole=False)
def same_dict_twice(x, box):
    d = box.__dict__
    print("break", file=None)
    exec("pass")
    d["a"] = 7
    return x * box.a + d["a"]


@programs.add(x22, whole=SINCE_38)
def names_of_things(x):
    def inner(a):
        return a
    return (x * 2, type(x).__name__, Box.__name__, Box.__qualname__, Box.__module__, keys.__name__, keys.__doc__,
            x.__class__ is Tensor, (1).__class__, [].__class__, getattr(x, "nope", 3), hasattr([1], "shape"),
            getattr(Box, "nope", 4), hasattr(enum, "nope"), hasattr(keys, "mark"), inner(1))


def make_network():
    class Counted(nn.Cell):
        def __init__(self):
            super().__init__()
            self.fc = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")
            self.calls = 0
            self.last = None

        def construct(self, x):
            self.calls = 1
            self.last = x
            return self.fc(x)
    return Counted()


NETWORK = make_network()


@programs.add(x22)
def cell_attributes(x):
    return NETWORK(x) + NETWORK.calls + NETWORK.last


test_same, test_one_region = programs.tests()


def test_order_of_an_ordered_dict_is_guarded():
    f = ms.jit(lambda x, d: (x * 2, list(d)), mode="PIJit")
    d = collections.OrderedDict(a=1, b=2)
    for _ in range(3):
        assert f(x22(), d)[1] == ["a", "b"]
    d.move_to_end("a")
    assert f(x22(), d)[1] == ["b", "a"]
    d["c"] = 1
    assert f(x22(), d)[1] == ["b", "a", "c"]


def test_factory_is_guarded():
    f = ms.jit(lambda x, d: x * d[0], mode="PIJit")
    d = collections.defaultdict(lambda: 2.0)
    for _ in range(3):
        d.clear()
        assert f(Tensor([1.0]), d).tolist() == [2.0]
    d.clear()
    d.default_factory = lambda: 3.0
    assert f(Tensor([1.0]), d).tolist() == [3.0]


def test_class_name_is_guarded():
    class Named:
        pass

    f = ms.jit(lambda x, o: (x * 2, type(o).__name__), mode="PIJit")
    for _ in range(3):
        assert f(x22(), Named())[1] == "Named"
    Named.__name__ = "Other"
    assert f(x22(), Named())[1] == "Other"


def test_function_attributes_are_guarded():
    def g():
        """doc"""

    g.mark = 1
    f = ms.jit(lambda x: (x * 2, g.mark, g.__name__, g.__doc__, hasattr(g, "late")), mode="PIJit")
    for _ in range(3):
        assert f(x22())[1:] == (1, "g", "doc", False)
    g.mark, g.__name__, g.__doc__, g.late = 2, "h", "other", 1
    assert f(x22())[1:] == (2, "h", "other", True)


def test_enum_key_is_guarded():
    f = ms.jit(lambda x, c: x * {Color.RED: 2.0, Color.BLUE: 3.0}[c], mode="PIJit")
    for _ in range(3):
        assert f(Tensor([1.0]), Color.RED).tolist() == [2.0]
        assert f(Tensor([1.0]), Color.BLUE).tolist() == [3.0]


def test_named_tuple_behind_a_branch_keeps_its_class():
    Pair = collections.namedtuple("Pair", "a b")

    def f(x):
        if x.sum() > 0:
            p = Pair(x, 1)
        else:
            p = Pair(x * 2, 1)
        return p

    assert_same(f, x22)
