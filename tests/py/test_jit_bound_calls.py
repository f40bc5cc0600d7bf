"""Calls of a captured function by keyword and with defaults: cached ones bind what CPython binds, and refuse what it refuses."""

import pytest

import msjit as ms
from msjit import Tensor

pytestmark = pytest.mark.jit


def scaled(x, y, scale=1.0, *, shift=0.0, power=1):
    return (x + y) * scale + shift * power


x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
CALLS = {
    "by position": lambda f: f(x, y, 2.0),
    "a default": lambda f: f(x, y),
    "by keyword": lambda f: f(x, y=y, scale=3.0),
    "in another order": lambda f: f(scale=0.5, y=y, x=x),
    "keyword-only": lambda f: f(x, y, shift=1.0, power=2),
    "some of them": lambda f: f(x, y, power=3, shift=0.5),
    "a name made anew": lambda f: f(x, **{"".join(["y"]): y}),
}
WRONG = {
    "too many": lambda f: f(x, y, 1.0, 2.0),
    "missing": lambda f: f(x),
    "twice": lambda f: f(x, y, x=x),
    "unknown": lambda f: f(x, y, scal=1.0),
}


@pytest.fixture(scope="module")
def compiled():
    return ms.jit(scaled, mode="PIJit")


@pytest.mark.parametrize("how", sorted(CALLS))
def test_arguments_are_bound_as_cpython_does(compiled, how):
    want = CALLS[how](scaled).asnumpy().tolist()
    for _ in range(5):
        assert CALLS[how](compiled).asnumpy().tolist() == want


@pytest.mark.parametrize("how", sorted(WRONG))
def test_wrong_arguments_raise_what_they_raise(compiled, how):
    CALLS["a default"](compiled)
    with pytest.raises(TypeError) as plain:
        WRONG[how](scaled)
    with pytest.raises(TypeError) as ours:
        WRONG[how](compiled)
    assert str(ours.value) == str(plain.value)


def test_defaults_that_change_count_at_once():
    def f(x, scale=2.0, *, shift=1.0):
        return x * scale + shift

    g = ms.jit(f, mode="PIJit")
    assert [g(x).asnumpy().tolist() for _ in range(3)] == [[3.0, 5.0]] * 3
    f.__defaults__ = (3.0,)
    assert g(x).asnumpy().tolist() == [4.0, 7.0]
    f.__kwdefaults__["shift"] = 0.0
    assert [g(x).asnumpy().tolist() for _ in range(3)] == [[3.0, 6.0]] * 3
    del f.__kwdefaults__["shift"]
    with pytest.raises(TypeError, match="shift"):
        g(x)
    f.__kwdefaults__ = {"shift": 1.0}
    f.__defaults__ = None
    with pytest.raises(TypeError, match="scale"):
        g(x)
    assert g(x, 2.0).asnumpy().tolist() == [3.0, 5.0]


def test_a_default_lives_as_long_as_the_call():
    """A call that replaces the function's defaults while it runs still computes with the defaults it started with."""
    class Gone(list):
        def __del__(self):
            f.__defaults__ = (Tensor([9.0, 9.0]),)

    def f(x, bias=y):
        held.clear()
        return x + bias

    held = []
    g = ms.jit(f, mode="PIJit")
    for _ in range(4):
        f.__defaults__ = (Tensor([1.0, 1.0]),)
        held.append(Gone())
        assert g(x).asnumpy().tolist() == [2.0, 3.0]
        assert f.__defaults__[0].asnumpy().tolist() == [9.0, 9.0]


def test_functions_without_tensors_stay_what_they_are():
    def add(a, b=1):
        return a + b

    g = ms.jit(add, mode="PIJit")
    assert all(g(i) == i + 1 and g(i, b=2) == i + 2 for i in range(600))
    assert g(x).asnumpy().tolist() == [2.0, 3.0] and g("a", b="b") == "ab"
