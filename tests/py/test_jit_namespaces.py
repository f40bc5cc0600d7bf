"""Dictionaries that are at the same time attributes or globals, and instances for which CPython makes a dictionary only on demand."""
import builtins
import gc
import sys
import types

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor

pytest.importorskip("msjit._msjit")
pytestmark = pytest.mark.jit
SCALE = 2.0


def x2():
    return Tensor(np.float32([1, 2]))


class Point:
    def __init__(self, a=2.0):
        self.a = a


def jit(fn):
    return ms.jit(fn, mode="PIJit")


def test_a_dict_may_be_that_of_an_instance():
    def write(o, d, x):
        d["a"] = 5.0
        return x * o.a

    def read(o, d, x):
        o.a = 7.0
        return x * d["a"]

    for fn, other, own in ((write, [2, 4], [5, 10]), (read, [3, 6], [7, 14])):
        for first in (False, True):
            jitted, p = jit(fn), Point()
            if not first:
                for _ in range(3):
                    assert jitted(Point(), {"a": 3.0}, x2()).asnumpy().tolist() == other
            for _ in range(3):
                assert jitted(p, p.__dict__, x2()).asnumpy().tolist() == own
            assert jitted(Point(), {"a": 3.0}, x2()).asnumpy().tolist() == other


def test_a_dict_may_be_globals():
    globe = {"SCALE": 2.0, "__builtins__": __builtins__}
    exec("def write(d, x):\n    d['SCALE'] = 5.0\n    return x * SCALE\n"
         "def read(d, x):\n    global SCALE\n    SCALE = 7.0\n    return x * d['SCALE']\n", globe)
    write, read = jit(globe["write"]), jit(globe["read"])
    for _ in range(3):
        assert write({"SCALE": 1.0}, x2()).asnumpy().tolist() == [2, 4]
    for _ in range(3):
        assert write(globe, x2()).asnumpy().tolist() == [5, 10]
    for _ in range(3):
        assert read({"SCALE": 1.0}, x2()).asnumpy().tolist() == [1, 2]
    for _ in range(3):
        globe["SCALE"] = 2.0
        assert read(globe, x2()).asnumpy().tolist() == [7, 14]


def test_a_dict_may_be_that_of_a_module():
    module = types.ModuleType("helper")
    module.scale = 2.0

    def write(d, x):
        d["scale"] = 5.0
        return x * module.scale

    jitted = jit(write)
    for _ in range(3):
        assert jitted({"scale": 1.0}, x2()).asnumpy().tolist() == [2, 4]
    for _ in range(3):
        assert jitted(module.__dict__, x2()).asnumpy().tolist() == [5, 10]


class Borg(Point):
    pass


class Marked(Tensor):
    pass


def module(**names):
    result = types.ModuleType("namespace")
    vars(result).update(names)
    return result


def with_dict(object, dict):
    object.__dict__ = dict
    return object


def function(text, **names):
    """The function of a def statement, with globals of its own."""
    names.setdefault("__builtins__", builtins)
    exec(text, names)
    return names["f"]


WRITES_GLOBAL = function("def f(o, x):\n    global a\n    a = 6.0\n    return x * o.a\n", a=1.0)
READS_GLOBAL = function("def f(o, x):\n    o.a = 6.0\n    return x * a\n", a=1.0)
READS_BUILTIN = function("def f(o, x):\n    o.a = 6.0\n    return x * a\n", __builtins__={"a": 1.0})
HELPER = function("def f(x):\n    return x * a\n", a=1.0)
WRITES_AND_CALLS = function("def f(helper, x):\n    global a\n    a = 6.0\n    return helper(x)\n", a=1.0)
NAMES = {f: f.__globals__ for f in (WRITES_GLOBAL, READS_GLOBAL, WRITES_AND_CALLS)}
NAMES[READS_BUILTIN] = READS_BUILTIN.__globals__["__builtins__"]


def stores_then_reads(o, other, x):
    o.a = 6.0
    return x * other.a


def reads_stores_reads(o, other, x):
    before = other.a
    o.a = before + 6.0
    other.b = before
    return x * other.a + o.a


def deletes(o, other, x):
    del o.a
    return x * (2 if hasattr(other, "a") else 3)


def stores_then_lists(o, other, x):
    o.b = 6.0
    return x * len(vars(other))


# The function, arguments that share no names, arguments that do.
SHARED = {
    **{"%s, %s" % (fn.__name__, kind): (fn, lambda make=make: (Point(), make({"a": 1.0})), lambda make=make: pair(make))
       for fn in (stores_then_reads, reads_stores_reads, deletes, stores_then_lists)
       for kind, make in {"instance": lambda d: with_dict(Point(), d), "class": lambda d: with_dict(Borg(), d),
                          "function": lambda d: with_dict(lambda: 0, d), "tensor": lambda d: with_dict(Marked(x2()), d)}.items()},
    "module": (stores_then_reads, lambda: (Point(), module(a=1.0)), lambda: (lambda m: (with_dict(Point(), vars(m)), m))(module(a=1.0))),
    "written globals": (WRITES_GLOBAL, lambda: (Point(),), lambda: (with_dict(Point(), WRITES_GLOBAL.__globals__),)),
    "read globals": (READS_GLOBAL, lambda: (Point(),), lambda: (with_dict(Point(), READS_GLOBAL.__globals__),)),
    "builtins": (READS_BUILTIN, lambda: (Point(),), lambda: (with_dict(Point(), READS_BUILTIN.__globals__["__builtins__"]),)),
    "function's globals": (WRITES_AND_CALLS, lambda: (HELPER,),
                           lambda: (types.FunctionType(HELPER.__code__, WRITES_AND_CALLS.__globals__),)),
}


def pair(make):
    names = {"a": 1.0}
    return with_dict(Point(), names), make(names)


@pytest.mark.parametrize("name", sorted(SHARED))
@pytest.mark.parametrize("order", [(0, 1, 0), (1, 0, 1)])
def test_two_objects_may_keep_their_names_in_one_dict(name, order):
    fn, *makes = SHARED[name]

    def outcome(call, args):
        try:
            return call(*args, x2()).asnumpy().tolist(), [sorted(vars(a)) for a in args]
        except AttributeError as error:
            return str(error)

    jitted = jit(fn)
    for shared in order:
        for _ in range(3):
            NAMES.get(fn, {})["a"] = 1.0
            expected = outcome(fn, makes[shared]())
            NAMES.get(fn, {})["a"] = 1.0
            assert outcome(jitted, makes[shared]()) == expected, shared


def test_globals_written_and_read_through_modules():
    """One code object with the globals of a module, and with others."""
    own, other = module(a=1.0, Tensor=Tensor), module(a=1.0)
    text = "def f(m, x):\n    global a\n    before = m.a\n    a = 6.0\n    return x * m.a + before\n"
    exec(text, vars(own))
    f = jit(own.f)
    g = jit(types.FunctionType(own.f.__code__, vars(other)))
    for _ in range(3):
        for call, m, expected in ((f, own, [7, 13]), (f, other, [2, 3]), (g, own, [2, 3]), (g, other, [7, 13])):
            own.a = other.a = 1.0
            assert call(m, x2()).asnumpy().tolist() == expected


class Plain:
    kind = 3.0

    def __init__(self, i):
        self.a = float(i)
        self.t = Tensor(np.float32([i, i]))

    def work(self, x):
        return x * self.a + self.t * self.kind


def reads(o, x):
    return o.work(x) + (o.missing if hasattr(o, "missing") else 0)


@pytest.mark.skipif(sys.version_info < (3, 11), reason="every instance has a dictionary")
def test_looking_at_an_instance_makes_no_dictionary():
    jitted = jit(reads)
    objects = [Plain(i) for i in range(4)]
    for o in objects * 3:
        jitted(o, x2())
    has = [any(type(r) is dict and "a" in r for r in gc.get_referents(o)) for o in objects]
    assert has == [False] * 4
    assert all(o.__dict__["a"] == i for i, o in enumerate(objects))


CHANGES = [
    lambda o: setattr(o, "a", 5.0), lambda o: setattr(o, "t", Tensor(np.float32([7, 7]))), lambda o: setattr(o, "missing", 100.0),
    lambda o: delattr(o, "a"), lambda o: setattr(o, "a", 6.0), lambda o: setattr(o, "kind", 1.0), lambda o: o.__dict__.update(a=8.0),
    lambda o: setattr(o, "__dict__", {"a": 9.0, "t": o.t}), lambda o: o.__dict__.__setitem__(3, 4), lambda o: delattr(o, "missing"),
    lambda o: [setattr(o, "n%d" % i, i) for i in range(40)], lambda o: setattr(o, "work", lambda x: x), lambda o: o.__dict__.clear(),
    lambda o: o.__init__(3), lambda o: setattr(o, "__class__", Other)]


class Other(Plain):
    kind = 11.0


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("order", range(4))
def test_instances_change_between_calls(order, shared):
    """One object seen by the capture, or one of several of its class; with a dictionary made at some time, or never."""
    changes = list(CHANGES)
    np.random.RandomState(order).shuffle(changes)
    o = Plain(1)
    run = jit(lambda x: reads(o, x)) if shared else jit(lambda x, o: reads(o, x))

    def outcome(fn, *args):
        try:
            return fn(*args).asnumpy().tolist()
        except AttributeError as error:
            return str(error)

    for change in [lambda o: None] + changes:
        try:
            change(o)
        except AttributeError:
            pass
        for _ in range(3):
            assert outcome(run, *((x2(),) if shared else (x2(), o))) == outcome(reads, o, x2())
