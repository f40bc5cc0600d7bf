"""Texts of instances and classes, itemgetter and attrgetter, and names that a module does not have, in captured code."""
import enum
import operator

import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same, same_after
from msjit import Tensor, ops

pytestmark = pytest.mark.jit
SECOND, PAIR, NAME = operator.itemgetter(1), operator.itemgetter(1, 0), operator.attrgetter("spec.name")


def x23(_=0):
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


class Spec:
    def __init__(self, name, size):
        self.name, self.size = name, size


class Layer:
    def __init__(self, name):
        self.name, self.spec = name, Spec(name + "!", 3)

    def __repr__(self):
        return f"{type(self).__name__}({self.name})"


class Shown(Layer):
    def __str__(self):
        return "<" + self.name + ">"


class Formatted(Layer):
    def __format__(self, spec):
        return "format " + spec


class Mode(enum.Enum):
    TRAIN = 1


class Counted(type):
    def __repr__(cls):
        return "counted"


class Odd(metaclass=Counted):
    pass


def texts(x, layer):
    return x + 1, repr(layer), str(layer), f"{layer}", f"{layer!r:>12}", f"{layer!s}", [repr(v) for v in (layer, 1, "a")], layer.__repr__()


def class_texts(x):
    return x + 1, str(type(x)), repr(Layer), f"{Layer}", f"{dict!r}", f"{int!s:>20}", str(type(x.shape)), str(type(None))


def enum_texts(x):
    return x + 1, str(Mode), str(type(Mode.TRAIN)), repr(Mode.TRAIN), str(Mode.TRAIN)


def printed(x, layer):
    print(layer, Layer, [1], type(x))
    print("mode", layer, sep=": ")
    return x * 2


def sorting(x):
    scores = {"b": 2, "a": 3, "c": 1}
    rows = sorted(scores.items(), key=operator.itemgetter(1), reverse=True)
    layers = sorted([Layer("z"), Layer("y")], key=operator.attrgetter("name", "spec.size"))
    best = max(rows, key=SECOND)
    return x * best[1], rows, [v.name for v in layers], PAIR([4, 5]), NAME(layers[0]), operator.itemgetter(slice(0, 2))("abc"), operator.itemgetter(1)(x)


def made_and_returned(x):
    return x + 1, operator.itemgetter(1, 2), operator.attrgetter("a.b"), list(map(operator.itemgetter(0), [(1, 2), (3, 4)]))


def guarded_by_name(x):
    y = ops.relu(x) if hasattr(ops, "relu") else x
    if hasattr(ops, "no_such_function"):
        y = y + 1
    return y * 2, getattr(ops, "no_such_function", None), getattr(ms, "no_such_name_either", 3)


def raises(x):
    try:
        return ops.no_such_function(x)
    except AttributeError as error:
        return str(error), x * 2


@pytest.mark.parametrize("kind", [Layer, Shown, Formatted])
def test_texts_of_instances(kind):
    same(texts, lambda v: (x23(), kind("abc"[v])), variants=(0, 0, 1, 0))


@pytest.mark.parametrize("fn", [class_texts, enum_texts, sorting, guarded_by_name, raises])
def test_functions(fn):
    same(fn, lambda _: (x23(),))


@pytest.mark.parametrize("kind", [Layer, Shown])
def test_print(kind):
    same(printed, lambda v: (x23(), kind("abc"[v])), variants=(0, 0, 1, 0))


@pytest.mark.captures
@pytest.mark.parametrize("fn,make", [(texts, lambda: (x23(), Layer("a"))), (class_texts, lambda: (x23(),)), (printed, lambda: (x23(), Shown("a"))),
                                     (sorting, lambda: (x23(),)), (guarded_by_name, lambda: (x23(),)), (raises, lambda: (x23(),))])
def test_they_are_captured(fn, make):
    captured(fn, lambda _: make())


def test_getters_that_leave_are_new_ones():
    jitted = ms.jit(made_and_returned, mode="PIJit")
    results = [made_and_returned(x23())] + [jitted(x23()) for _ in range(3)]
    assert len({id(r[1]) for r in results}) == 4
    assert all(r[1]("abc") == ("b", "c") and repr(r[1:]) == repr(results[0][1:]) for r in results)


def test_a_getter_that_is_replaced():
    same_after("import operator\nkey = operator.itemgetter(0)\n", "(x + 1, key([1, 2]))", ["key = operator.itemgetter(1)", "key = operator.itemgetter(1, 0)"])


def test_names_of_classes_that_change():
    setup = "class A:\n    def __repr__(self):\n        return 'a'\na = A()\n"
    same_after(setup, "(x + 1, str(A), repr(a), f'{a}')",
               ["A.__qualname__ = 'B'", "A.__module__ = 'elsewhere'", "A.__repr__ = lambda self: 'b'", "A.__str__ = lambda self: 'c'"])


def test_a_name_that_a_module_gets_later():
    same_after("from msjit import ops\n", "(x + 1, hasattr(ops, 'later_name'), getattr(ops, 'later_name', 0))", ["ops.later_name = 5", "vars(ops).pop('later_name', 0)"])


@pytest.mark.parametrize("text", ["repr(Odd)", "str(Odd)", "f'{Layer:>9}'", "operator.itemgetter()", "operator.attrgetter(1)", "operator.itemgetter(5)([1])",
                                  "operator.attrgetter('a.b')(x)", "operator.itemgetter(0)(1, 2)", "repr(object.__new__(Broken))", "f'{Broken()}'"])
def test_errors_and_odd_classes(text):
    same(eval("lambda x: (x + 1, %s)" % text, dict(globals(), Broken=type("Broken", (), {"__repr__": lambda self: 1}))), lambda _: (x23(),))
