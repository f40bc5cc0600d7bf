"""Attributes a program adds to tensors, read and written in captured functions."""
import numpy as np
import pytest

pytest.importorskip("msjit._msjit")
import msjit as ms
from jit_same import FORCED, captured, same
from msjit import Tensor, ops

pytestmark = pytest.mark.jit


def noted(**attributes):
    t = Tensor(np.float32([1, 2, 3]))
    for name, value in attributes.items():
        setattr(t, name, value)
    return t


def scaled(t):
    return t * t.scale


def maybe_scaled(t):
    y = t + 1
    return y * t.scale if hasattr(t, "scale") else y


def with_default(t):
    return t * getattr(t, "scale", 5.0)


def caught(t):
    try:
        return t * t.scale
    except AttributeError:
        return t - 1


def bound(t):
    return t * t.other


@pytest.mark.parametrize("fn", [scaled, maybe_scaled, with_default, caught])
def test_read(fn):
    makes = [lambda: noted(scale=2.0), lambda: noted(scale=3.0), noted, lambda: noted(scale="x"), lambda: noted(other=1),
             lambda: noted(scale=2.0)]
    same(fn, lambda i: (makes[i](),), (0, 0, 1, 2, 2, 3, 4, 5, 0))


def test_tensor_in_an_attribute():
    same(bound, lambda i: (noted(other=Tensor(np.float32([i, 1, 2]))),), (0, 1, 2, 0))


def test_captured_whole():
    captured(with_default, lambda _: (noted(scale=2.0),))
    captured(maybe_scaled, lambda _: (noted(),))


W = noted()


def of_global(x):
    return x * getattr(W, "scale", 1.0)


def test_changed_between_calls():
    jitted, x = ms.jit(of_global, mode="PIJit"), Tensor(np.float32([1]))
    for change, want in [(None, 1), (2.0, 2), (3.0, 3), ("del", 1), (4.0, 4), ("del", 1)]:
        if change == "del":
            del W.scale
        elif change is not None:
            W.scale = change
        assert [jitted(x).tolist() for _ in range(3)] == [[want]] * 3


class Holder(ms.nn.Cell):
    def __init__(self):
        super().__init__()
        self.buffer = noted()

    def construct(self, x):
        return x * (self.buffer.scale if hasattr(self.buffer, "scale") else 1.0)


def test_changed_on_a_cell():
    net, x = Holder(), Tensor(np.float32([1]))
    jitted = ms.jit(net.construct, mode="PIJit")
    for change, want in [(None, 1), (2.0, 2), (3.0, 3), (None, 1), (noted(scale=7.0), 7), (None, 1)]:
        if isinstance(change, Tensor):
            net.buffer = change
        elif change is not None:
            net.buffer.scale = change
        else:
            net.buffer = noted()
        assert [jitted(x).tolist() for _ in range(3)] == [[want]] * 3


def test_write():
    def f(t):
        t.scale = t.shape[0]
        y = t * 2
        y.note = t.scale
        return y * y.note, y.note
    same(f, lambda _: (noted(),))


def test_made_in_the_region():
    def f(t):
        y = t + 1
        return y * getattr(y, "scale", 3.0), hasattr(y, "scale")
    same(f, lambda _: (noted(scale=9.0),))


def test_behind_a_branch():
    def f(t):
        y = t
        if t.sum() > 100:
            y = t * 2
        return y * getattr(y, "scale", 3.0)
    same(f, lambda i: (noted(scale=9.0) if i else noted(),), (0, 1, 0, 1))


def test_result_of_an_operator_that_returns_its_input():
    def f(t):
        y = ops.cast(t, ms.float32)
        return getattr(y, "scale", 3.0), y + 1
    same(f, lambda _: (noted(scale=9.0),))


def named(name):
    return ms.Parameter(Tensor(np.float32([1, 2])), name=name)


def test_a_parameter_keeps_the_name_it_has():
    def f(p, name):
        p.name = name + "weight"
        return p * 2, p.name
    same(f, lambda i: (named("0.weight"), ("0.", "1.", "")[i]), (0, 0, 1, 1, 2, 0))
    captured(f, lambda _: (named("0.weight"), "0."))


def test_what_only_equals_the_attribute_is_stored():
    def f(p):
        p.note = -0.0
        return p * 2, str(p.note)

    def make(value):
        p = named("w")
        p.note = value
        return (p,)
    same(f, lambda i: make((0.0, -0.0, 0, False)[i]), (0, 1, 2, 3, 0))


def test_a_part_of_a_container_in_construct():
    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.layers = ms.nn.CellList([ms.nn.Dense(2, 2, weight_init="ones", has_bias=False) for _ in range(3)])

        def construct(self, x):
            for layer in self.layers[1:]:
                x = layer(x)
            return x
    net, other, x = Net(), Net(), Tensor(np.float32([[1, 2]]))
    jitted = ms.jit(net.construct, mode="PIJit")
    assert [jitted(x).tolist() for _ in range(3)] == [other(x).tolist()] * 3
    names = [p.name for p in net.get_parameters()]
    assert names == [p.name for p in other.get_parameters()]
    assert names == ["layers.0.weight", "0.weight", "1.weight"]
    breaks = ms.stats()["breaks"]
    jitted(x)
    assert FORCED or ms.stats()["breaks"] == breaks
