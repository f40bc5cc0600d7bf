"""Objects that a capture identifies by identity, but whose parts can be replaced: the functions in properties and static methods, the class
of a module, the metaclass of a class, the builtins of a function's globals."""
import numpy as np
import pytest

import msjit as ms
from jit_same import same_after
from msjit import Tensor

pytest.importorskip("msjit._msjit")
pytestmark = pytest.mark.jit

SETUP = """
import types

def get(self):
    return 2

def other_get(self):
    return 5

def put(self, v):
    self.kept = v

def other_put(self, v):
    self.kept = v * 3

def double(x):
    return x * 2

def triple(x):
    return x * 3

def of_class(cls, x):
    return x * cls.factor

def of_class_twice(cls, x):
    return x * cls.factor * 2

def new(cls):
    return object.__new__(cls)

def other_new(cls):
    made = object.__new__(cls)
    made.kept = 9
    return made

class C:
    factor = 4
    kept = 1
    value = property(get, put)
    static = staticmethod(double)
    method = classmethod(of_class)

class New:
    kept = 1
    __new__ = staticmethod(new)

class Sub(C):
    def parent(self, x):
        return super().static(x) * super().value

class Meta(type):
    scale = 2

class Loud(type):
    scale = 7
    def __call__(cls):
        return 5
    def __instancecheck__(cls, value):
        return True
    @property
    def factor(cls):
        return 11

class Made(metaclass=Meta):
    factor = 3

class Module(types.ModuleType):
    @property
    def scale(self):
        return 7

c, sub = C(), Sub()
module = types.ModuleType("module")
module.scale = 2
"""
PARTS = "vars(C)['%s'].__init__(%s)"
# What a function returns, and changes between its calls.
CASES = {
    "property": ("x * c.value", [PARTS % ("value", "other_get"), PARTS % ("value", "get, put"), PARTS % ("value", "None")]),
    "setter": ("(setattr(c, 'value', 4), x * c.kept)[1]", [PARTS % ("value", "get, other_put"), PARTS % ("value", "get")]),
    "static method": ("c.static(x)", [PARTS % ("static", "triple"), PARTS % ("static", "len")]),
    "static method of the class": ("C.static(x)", [PARTS % ("static", "triple"), PARTS % ("static", "double")]),
    "class method": ("c.method(x)", [PARTS % ("method", "of_class_twice"), PARTS % ("method", "of_class")]),
    "class method of the class": ("C.method(x)", [PARTS % ("method", "of_class_twice"), PARTS % ("method", "of_class")]),
    "super": ("sub.parent(x)", [PARTS % ("static", "triple"), PARTS % ("value", "other_get")]),
    "new": ("x * New().kept", ["vars(New)['__new__'].__init__(other_new)", "vars(New)['__new__'].__init__(new)"]),
    "module": ("x * module.scale", ["module.__class__ = Module", "Module.scale = property(lambda self: 8)", "module.__class__ = types.ModuleType"]),
    "metaclass, attribute": ("x * Made.factor * Made.scale", ["Made.__class__ = Loud", "Loud.scale = 8", "Made.__class__ = Meta", "Meta.scale = 1"]),
    "metaclass, call": ("x * (1 if Made() == 5 else 2)", ["Made.__class__ = Loud", "del Loud.__call__", "Made.__class__ = Meta",
                                                         "Meta.__call__ = lambda cls: 5"]),
    "metaclass, isinstance": ("x * (1 if isinstance(x, Made) else 2)", ["Made.__class__ = Loud", "Made.__class__ = Meta",
                                                                       "Meta.__instancecheck__ = lambda cls, value: True"]),
    "metaclass, type": ("x * (1 if type(Made) is Meta else 2)", ["Made.__class__ = Loud", "Made.__class__ = Meta"]),
}


def outcome(f, x):
    try:
        return f(x).asnumpy().tolist()
    except (AttributeError, TypeError, NameError) as error:
        return str(error)


@pytest.mark.parametrize("name", sorted(CASES))
def test_replaced(name):
    same_after(SETUP, *CASES[name])


def test_builtins_of_a_called_function_are_replaced():
    """Before Python 3.10 every frame looks up its builtins in the globals. Later versions keep those with which the function was made."""
    names = {"__builtins__": {"size": lambda x: 5}}
    exec("def g(x):\n    return x * size(x)\ndef h(x):\n    return (lambda x: x + size(x))(x)\n", names)
    g, h = names["g"], names["h"]
    x = Tensor(np.float32([1, 2]))
    changes = [lambda: None, lambda: names["__builtins__"].update(size=lambda x: 6), lambda: names.update(__builtins__={"size": lambda x: 9}),
               lambda: names.update(size=lambda x: 11), lambda: names.pop("size"), lambda: names["__builtins__"].clear(),
               lambda: names.pop("__builtins__")]
    for late in range(len(changes)):
        called = [ms.jit(lambda x: g(x), mode="PIJit"), ms.jit(lambda x: h(x), mode="PIJit"), ms.jit(g, mode="PIJit")]
        names["__builtins__"] = {"size": lambda x: 5}
        for i, change in enumerate(changes):
            change()
            for jitted, plain in zip(called, (g, h, g)) if i >= late else ():
                for _ in range(3):
                    assert outcome(jitted, x) == outcome(plain, x), i
