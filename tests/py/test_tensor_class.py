"""Attributes that a program sets on Tensor itself, as packages add methods to it."""
import gc

import numpy as np
import pytest

pytest.importorskip("msjit._msjit")
import msjit as ms
from jit_same import FORCED
from msjit import Parameter, Tensor

X = [1.0, -2.0, 3.0]


@pytest.fixture
def put():
    """put(name, value): sets an attribute of Tensor until the end of the test."""
    before = {}

    def put(name, value):
        before.setdefault(name, vars(Tensor).get(name))
        setattr(Tensor, name, value)
    yield put
    for name, value in before.items():
        if value is None and name in vars(Tensor):
            delattr(Tensor, name)
        elif value is not None:
            setattr(Tensor, name, value)


def x():
    return Tensor(np.float32(X))


def both(fn):
    """The values of fn: eager, and each of three calls under PIJit."""
    jitted = ms.jit(fn, mode="PIJit") if ms.has_jit else fn
    return [fn(x()).tolist()] + [jitted(x()).tolist() for _ in range(3)]


def test_methods_and_properties(put):
    put("twice", lambda self: self * 2)
    put("first", property(lambda self: self[0]))
    put("made", classmethod(lambda cls, n: cls(np.zeros(n, np.float32))))
    put("plus", staticmethod(lambda a, b: a + b))
    put("unit", 3)
    assert both(lambda x: x.twice()) == [[2, -4, 6]] * 4
    assert both(lambda x: (x + 1).twice() + x.first + x.unit) == [[8, 2, 12]] * 4
    assert both(lambda x: Tensor.plus(x, x.made(3))) == [X] * 4
    p = Parameter(x(), name="p")
    assert p.twice().tolist() == [2, -4, 6] and p.first == 1
    assert callable(x().twice) and hasattr(Tensor, "twice") and "twice" in dir(x())


@pytest.mark.jit
def test_captured_whole(put):
    put("twice", lambda self: self * 2)
    jitted = ms.jit(lambda x: x.twice().twice() + 1, mode="PIJit")
    jitted(x())
    before = ms.stats()
    assert jitted(x()).tolist() == [5, -7, 13]
    after = ms.stats()
    assert FORCED or (after["breaks"] == before["breaks"] and after["eager_ops"] == before["eager_ops"])


@pytest.mark.jit
def test_psjit(put):
    put("twice", lambda self: self * 2)
    source = ms.jit(calls_twice)
    assert [source(x()).tolist() for _ in range(2)] == [[2, -4, 6]] * 2


def calls_twice(x):
    return x.twice()


def test_a_method_is_replaced(put):
    original = Tensor.sum
    jitted = ms.jit(lambda x: x.sum() + 1, mode="PIJit") if ms.has_jit else lambda x: x.sum() + 1
    assert [float(jitted(x())) for _ in range(3)] == [3] * 3
    put("sum", lambda self, *args, **kwargs: original(self, *args, **kwargs) * 10)
    assert float(x().sum()) == 20 and [float(jitted(x())) for _ in range(3)] == [21] * 3
    Tensor.sum = original
    assert float(x().sum()) == 2 and [float(jitted(x())) for _ in range(3)] == [3] * 3


def test_what_is_added_changed_and_deleted_between_calls(put):
    def f(x):
        return x * (x.factor if hasattr(x, "factor") else 1)
    jitted = ms.jit(f, mode="PIJit") if ms.has_jit else f
    assert [jitted(x()).tolist() for _ in range(3)] == [X] * 3
    put("factor", 2)
    assert [jitted(x()).tolist() for _ in range(3)] == [[2, -4, 6]] * 3
    Tensor.factor = 3
    assert [jitted(x()).tolist() for _ in range(3)] == [[3, -6, 9]] * 3
    own = x()
    own.factor = 5  # an instance's own comes first
    assert [jitted(own).tolist() for _ in range(3)] == [[5, -10, 15]] * 3
    assert [jitted(x()).tolist() for _ in range(3)] == [[3, -6, 9]] * 3
    del Tensor.factor
    assert [jitted(x()).tolist() for _ in range(3)] == [X] * 3
    assert [jitted(own).tolist() for _ in range(3)] == [[5, -10, 15]] * 3


@pytest.mark.parametrize("name, value, use, want", [
    ("__getitem__", lambda self, key: "item", lambda x: x[0], "item"),
    ("__add__", lambda self, other: "sum", lambda x: x + 1, "sum"),
    ("__contains__", lambda self, item: item == 7, lambda x: (7 in x, 1.0 in x), (True, False)),
    ("__len__", lambda self: 11, len, 11),
    ("__call__", lambda self, n: n, lambda x: x(4), 4),
    ("__enter__", lambda self: 1, lambda x: type(x).__enter__(x), 1),
])
def test_special_methods(put, name, value, use, want):
    had = name in vars(Tensor)
    put(name, value)
    jitted = ms.jit(use, mode="PIJit") if ms.has_jit and use is not len else use
    assert use(x()) == want and [jitted(x()) for _ in range(3)] == [want] * 3
    assert use(Parameter(x(), name="p")) == want
    if had:
        return
    delattr(Tensor, name)
    with pytest.raises((TypeError, AttributeError)):
        use(x())


@pytest.mark.jit
def test_special_methods_set_back(put):
    original = Tensor.__getitem__
    f = ms.jit(lambda x: x[0] + 1, mode="PIJit")
    assert float(f(x())) == 2
    put("__getitem__", lambda self, key: original(self, key) * 10)
    assert [float(f(x())) for _ in range(3)] == [11] * 3
    Tensor.__getitem__ = original
    assert [float(f(x())) for _ in range(3)] == [2] * 3
    before = ms.stats()
    f(x())
    assert FORCED or ms.stats()["eager_ops"] == before["eager_ops"]


def test_bad_changes():
    with pytest.raises(TypeError, match=r"\[tensor\] attribute sum of the class cannot be deleted"):
        del Tensor.sum
    with pytest.raises(AttributeError):
        del Tensor.nothing_of_the_kind
    with pytest.raises(TypeError):
        setattr(Tensor, 3, 4)
    with pytest.raises(TypeError):
        Tensor.__class__ = type
    assert float(x().sum()) == 2


def test_finalizer_of_what_is_replaced(put):
    log = []

    class Value:
        def __del__(self):
            Tensor.other = len(log)  # changes the class while it is changed
            log.append(float((x() + 1).sum()))
    put("other", 0)
    put("value", Value())
    Tensor.value = 1
    gc.collect()
    assert log == [5] and Tensor.other == 0 and Tensor.value == 1


def test_classes_that_derive():
    class Own(Tensor):
        pass
    Own.thrice = lambda self: self * 3
    Own.sum = lambda self: "own"
    own = Own(np.float32(X))
    assert own.thrice().tolist() == [3, -6, 9] and own.sum() == "own" and not hasattr(x(), "thrice")
    assert isinstance(own, Tensor) and issubclass(Parameter, Tensor) and not issubclass(Tensor, Parameter)
    del Own.sum
    assert float(own.sum()) == 2
