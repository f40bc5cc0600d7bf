"""copy.copy() and copy.deepcopy() in captured code: what is shared, what is new, and classes that say how they are copied."""
import copy
import copyreg
import dataclasses
import enum
import sys

import numpy as np
import pytest

from jit_same import captured, same, same_after
from msjit import Tensor

pytestmark = pytest.mark.jit
SINCE_38 = sys.version_info >= (3, 8)  # classes of metaclasses, as enumerations are, have no version before


def x3(_=0):
    return [Tensor(np.float32([1, 2, 3]))]


class Mode(enum.Enum):
    A = "a"


class Config:
    def __init__(self):
        self.size, self.names, self.mode = 3, ["a", {"b": 1}], Mode.A
        self.same = self.names
        self.pair = (1, "a")

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value)


class Hooked(Config):
    def __deepcopy__(self, memo):
        return "deep"

    def __copy__(self):
        return "copied"


class Slots:
    __slots__ = ["a"]

    def __init__(self):
        self.a = [1]


class Reduced(Config):
    def __reduce__(self):
        return (int, (5,))


class State(Config):
    def __setstate__(self, state):
        self.restored = True


class Asks(Config):
    def __getattr__(self, name):
        if name == "__deepcopy__":
            return lambda memo: "asked"
        raise AttributeError(name)


@dataclasses.dataclass
class Row:
    a: int = 1
    b: list = dataclasses.field(default_factory=lambda: [1, 2])


config = Config()


def config_copied(x):
    c, d = copy.deepcopy(config), copy.copy(config)
    c.size, d.size = 7, 8
    c.names[1]["b"] = 5
    return (x * c.size, config.size, config.names, c.names, c.same is c.names, d.names is config.names, c.mode is Mode.A, type(c).__name__,
            c.pair is config.pair, sorted(vars(c)), d.size)


def containers(x):
    inner = [1, {"b": 2}]
    d = {"a": inner, "again": inner, "t": (inner, 3), "u": (1, 2)}
    e, f = copy.deepcopy(d), copy.copy(d)
    e["a"][1]["b"] = 9
    return (x * 2, d, e, e["a"] is e["again"], e["t"][0] is e["a"], f["a"] is inner, e["u"] is d["u"], copy.deepcopy(3), copy.deepcopy("s"),
            copy.deepcopy(None), copy.deepcopy(Mode.A) is Mode.A, copy.deepcopy(Config) is Config, copy.deepcopy(len) is len)


def cycles(x):
    a = [1]
    a.append(a)
    b = copy.deepcopy(a)
    return x * 2, b[1] is b, b[1] is not a, b[0]


def returned(x):
    c = copy.deepcopy(config)
    c.extra = x * 2
    return x + 1, c.names, c.extra, vars(c)["size"]


def rows(x):
    r = Row()
    return x * 2, dataclasses.asdict(r), dataclasses.astuple(r), dataclasses.replace(r, a=3), dataclasses.asdict(r)["b"] is r.b


def hooks(x):
    return (x * 2, copy.deepcopy(Hooked()), copy.copy(Hooked()), copy.deepcopy(Reduced()), copy.copy(Reduced()), vars(copy.deepcopy(State())),
            copy.deepcopy(Slots()).a, copy.deepcopy(Asks()), copy.deepcopy({1, 2}), copy.copy([1, (2,)]))


def with_tensor(x):
    d = {"x": x, "n": [1]}
    e = copy.copy(d)
    f = copy.deepcopy(d)
    return e["x"] is x, f["x"] is x, f["x"] * 2, f["n"] is d["n"]


def module(x):
    return x * 2, copy.deepcopy(copy)


PROGRAMS = [config_copied, containers, cycles, returned, rows, hooks, with_tensor, module]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_python(program):
    same(program, x3)


@pytest.mark.captures
@pytest.mark.skipif(not SINCE_38, reason="enumerations")
@pytest.mark.parametrize("program", [config_copied, containers, returned, rows], ids=lambda p: p.__name__)
def test_is_captured(program):
    captured(program, x3)


def test_objects_that_change():
    setup = """
import copy, copyreg
class C: pass
o = C()
o.a = [1]
def f(o):
    p = copy.deepcopy(o)
    return (p.a if hasattr(p, "a") else p), p is o, getattr(p, "b", None)
"""
    same_after(setup, "(x * 2,) + f(o)", [
        "o.a = [2]", "o.a.append(3)", "o.b = {1: [2]}", "del o.a", "o = C()", "o.a = 'text'", "C.__deepcopy__ = lambda self, memo: 'deep'",
        "del C.__deepcopy__", "o.__deepcopy__ = lambda memo: 'own'", "o = C()", "C.__getattr__ = lambda self, n: (lambda *a: 'asked')"])


def test_classes_registered_later():
    class Registered:
        def __init__(self):
            self.a = 1

    def copied(x, o):
        return x * 2, type(copy.copy(o)).__name__

    def make(v):
        if v == 1:
            copyreg.pickle(Registered, lambda o: (list, ()))
        elif Registered in copyreg.dispatch_table:
            del copyreg.dispatch_table[Registered]
        return x3() + [Registered()]
    same(copied, make, (0, 0, 0, 1, 1, 0))
    make(0)


@pytest.mark.skipif(sys.version_info < (3, 14), reason="these sets are new")
def test_classes_called_atomic_later():
    setup = """
import copy
class C: pass
c = C()
"""
    same_after(setup, "(x * 2, copy.copy(c) is c, copy.deepcopy(c) is c)", ["copy._copy_atomic_types.add(C)", "copy._atomic_types.add(C)"])
