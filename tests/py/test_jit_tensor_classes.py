"""Classes derived from Tensor and Parameter: methods and attributes that they define are used, as by the interpreter."""
import numpy as np
import pytest

pytest.importorskip("msjit._msjit")
import msjit as ms
from jit_same import captured, same
from msjit import Parameter, Tensor

pytestmark = pytest.mark.jit


def x3():
    return Tensor(np.float32([1, 2, 3]))


def derived(base=Tensor, **members):
    return type("Derived", (base,), members)


def answer(self, *args):
    return 40.0 + len(args)


# name of a special method: an expression that uses it
SPECIALS = {
    "__add__": "t + x", "__radd__": "x + t", "__sub__": "t - 1", "__rsub__": "1 - t", "__mul__": "t * 2.0", "__rmul__": "2.0 * t",
    "__truediv__": "t / x", "__floordiv__": "t // x", "__mod__": "t % 2", "__pow__": "t ** 2", "__rpow__": "2 ** t",
    "__matmul__": "t @ x", "__rmatmul__": "x @ t", "__neg__": "-t", "__pos__": "+t", "__abs__": "abs(t)", "__invert__": "~t",
    "__and__": "t & 1", "__or__": "t | 1", "__eq__": "t == x", "__ne__": "x != t", "__lt__": "t < x", "__gt__": "x < t",
    "__le__": "t <= 1", "__getitem__": "t[0]", "__contains__": "2.0 in t", "__call__": "t(x)", "__iadd__": "add_to(t, x)",
    "__float__": "x * float(t[0:1])", "__round__": "round(t)", "__getattr__": "t.nothing", "__divmod__": "divmod(t, 2)",
}


def add_to(t, x):
    t += x
    return t


@pytest.mark.parametrize("base", [Tensor, Parameter])
@pytest.mark.parametrize("name", sorted(SPECIALS))
def test_special_methods(name, base):
    space = {"add_to": add_to}
    exec("def f(t, x):\n    y = x * 3 + 1\n    return %s, y + 1\n" % SPECIALS[name], space)
    same(space["f"], lambda _: (derived(base, **{name: answer})(x3()), x3()))


@pytest.mark.parametrize("method, use", [
    ("__len__", "len(t)"), ("__bool__", "1 if t else 2"), ("__int__", "int(t)"), ("__index__", "[5, 6, 7][t]"),
    ("__hash__", "hash(t)"), ("__str__", "str(t)"), ("__repr__", "'%r' % (t,)"), ("__format__", "f'{t:x}'"),
])
def test_special_methods_of_other_types(method, use):
    space = {}
    exec("def f(t, x):\n    y = x * 3\n    return %s, y + 1\n" % use, space)
    result = "text" if method in ("__str__", "__repr__", "__format__") else True if method == "__bool__" else 2
    same(space["f"], lambda _: (derived(**{method: lambda self, *args: result})(x3()), x3()))


def test_iteration_context_and_stores():
    class Odd(Tensor):
        def __iter__(self):
            return iter([1.0, 2.0])

        def __enter__(self):
            return 5.0

        def __exit__(self, *args):
            return True

        def __setitem__(self, key, value):
            self.stored = key

        def __setattr__(self, name, value):
            object.__setattr__(self, name, value * 2)

        def __getattribute__(self, name):
            return 9 if name == "ndim" else super().__getattribute__(name)

    def f(t, x):
        y = x + sum(t)
        with t as five:
            y = y * five
            raise ValueError
        t[3] = 2
        t.other = 2
        return y, t.stored, t.other, t.ndim, [v for v in t]

    same(f, lambda _: (Odd(x3()), x3()))


def test_methods_and_attributes_of_the_class():
    class Named(Parameter):
        rate = 2.0
        shape = (9,)

        def sum(self):
            return Tensor.sum(self) * self.rate

        @property
        def T(self):  # noqa: N802
            return 7

        def twice(self, x):
            return self * 2 + x

    def f(t, x):
        return t.sum() + x * t.T, t.shape, t.twice(x), t + x, t.ndim, t.dtype, t.name

    make = lambda _: (Named(x3(), name="w"), x3())
    same(f, make)
    captured(f, make)


def test_attributes_of_an_instance_hide_methods():
    def f(t, x):
        return t.sum(), x * 2, t.shape, t.abs()

    jitted = ms.jit(f, mode="PIJit")
    t, x = Parameter(x3(), name="w"), x3()
    assert [float(jitted(t, x)[0]) for _ in range(3)] == [6.0] * 3
    t.sum = lambda: 5
    assert [jitted(t, x)[0] for _ in range(3)] == [5] * 3
    vars(t)["shape"] = 3  # Tensor's own comes first
    t.abs = lambda: 8
    assert [jitted(t, x)[2:] for _ in range(3)] == [((3,), 8)] * 3
    del t.sum
    assert [float(jitted(t, x)[0]) for _ in range(3)] == [6.0] * 3


def test_a_method_added_later_is_noticed():
    cls = derived(Parameter)
    t, x = cls(x3(), name="w"), x3()
    jitted = ms.jit(lambda t, x: (t * x + 1) * 2, mode="PIJit")
    for _ in range(4):
        assert jitted(t, x).asnumpy().tolist() == [4, 10, 20]
    cls.__mul__ = lambda self, other: other
    for _ in range(4):
        assert jitted(t, x).asnumpy().tolist() == [4, 6, 8]
    del cls.__mul__
    assert jitted(t, x).asnumpy().tolist() == [4, 10, 20]


def test_a_base_behind_tensor_counts():
    class Mixed(derived(Tensor), type("Mixin", (), {"__rfloordiv__": answer, "__lshift__": answer})):
        pass

    same(lambda t, x: (t << 1, x * 2), lambda _: (Mixed(x3()), x3()))


@pytest.mark.captures
def test_comparisons_of_the_class_of_a_tensor():
    class Mine(Parameter):
        pass

    def kinds(t, p):
        y = t + 1
        found = [type(y) in (int, float), type(y) == Tensor, type(y) != Tensor, type(p) in [Mine, Tensor], type(p) == type(y)]  # noqa: E721
        return y * 2, found, {Parameter: 1, Mine: 2}[type(p)], y.device

    def make(variant):
        return x3(), Mine(x3()) if variant else Parameter(x3())
    same(kinds, make, (0, 1, 0))
    captured(kinds, make)
