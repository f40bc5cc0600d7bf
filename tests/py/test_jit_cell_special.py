"""jit(cell) and the methods that Python looks for on a class: those of the Cell's class, and no others."""
import collections.abc
import copy
import gc
import math
import operator
import pickle
import weakref

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn

pytestmark = pytest.mark.jit
X = Tensor(np.array([-1.0, 2.0], np.float32))
JITS = pytest.mark.parametrize("jit", [lambda c: ms.jit(c, mode="PIJit"), ms.jit], ids=["PIJit", "PSJit"])


@JITS
def test_items(jit):
    net = nn.SequentialCell(nn.ReLU(), nn.ReLU())
    run = jit(net)
    assert run(X).tolist() == [0, 2]
    run[0] = nn.Tanh()
    assert isinstance(net[0], nn.Tanh) and run(X).tolist() == net(X).tolist() != [0, 2]
    del run[0]
    assert len(net) == len(run) == 1 and run[-1] is net[0] and list(run) == list(net)
    named = jit(nn.CellDict({"a": nn.ReLU()}))
    assert "a" in named and "b" not in named and list(named) == ["a"]
    named["b"] = nn.Tanh()
    del named["a"]
    assert list(named.__wrapped__) == ["b"]


class Everything(nn.Cell):
    """Notes every special method by which it is reached."""

    def __init__(self, key=1):
        super().__init__()
        self.key, self.seen = key, []

    def construct(self, x):
        return x + 1

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        return kind is KeyError

    def __eq__(self, other):
        return self.key == other.key

    def __hash__(self):
        return hash(self.key)

    def __str__(self):
        return "text of %d" % self.key

    def __format__(self, spec):
        return "%d as %s" % (self.key, spec)

    def __pow__(self, other, modulus=None):
        return "pow", other, modulus

    def __iadd__(self, other):
        self.key += other
        return self

    def __next__(self):
        return self.key


def returning(name):
    return lambda self, *args: (name,) + args


for _name in ("add sub mul matmul truediv floordiv mod divmod lshift rshift and xor or radd rsub rmul rmatmul rtruediv rmod "
              "lt le gt ge neg pos abs invert round getitem").split():
    setattr(Everything, "__%s__" % _name, returning(_name))
for _name, _value in dict(int=3, float=2.5, complex=1j, index=4, trunc=5, floor=6, ceil=7, len=8, length_hint=9, bytes=b"b",
                          contains=True, bool=False, reversed="back", sizeof=1000, fspath="path").items():
    setattr(Everything, "__%s__" % _name, lambda self, *args, _value=_value: _value)

USES = [
    lambda c: [op(c, 2) for op in (operator.add, operator.sub, operator.mul, operator.matmul, operator.truediv, divmod,
                                   operator.floordiv, operator.mod, operator.lshift, operator.rshift, operator.and_,
                                   operator.xor, operator.or_, operator.lt, operator.le, operator.gt, operator.ge)],
    lambda c: (2 + c, 2 - c, 2 * c, 2 / c, 2 % c, operator.matmul(2, c)),
    lambda c: (c ** 2, pow(c, 2, 5), -c, +c, abs(c), ~c, round(c), round(c, 2), c[3], c[1:2]),
    lambda c: (int(c), float(c), complex(c), operator.index(c), [0] * c, math.trunc(c), math.floor(c), math.ceil(c)),
    lambda c: (len(c), bool(c), bytes(c), 5 in c, reversed(c), next(c), c.__sizeof__(), "%s" % c, str(c), format(c, "x")),
    lambda c: (operator.length_hint(c), hash(c), c == Everything(1), c != Everything(1), {c: 1}[Everything(1)]),
]


@JITS
@pytest.mark.parametrize("use", USES)
def test_operators(jit, use):
    assert use(jit(Everything())) == use(Everything())


@JITS
def test_methods_that_return_the_cell(jit):
    cell = Everything()
    run = before = jit(cell)
    run += 4
    assert run is before and cell.key == 5
    with run as entered:
        raise KeyError
    assert entered is run
    with pytest.raises(ValueError):
        with run:
            raise ValueError
    cells = whole = jit(nn.CellList([nn.ReLU()]))
    cells += [nn.Tanh()]
    assert cells is whole and [type(c) for c in cells] == [nn.ReLU, nn.Tanh]


class Plain(nn.Cell):
    def construct(self, x):
        return x + 1


class Unhashable(Plain):
    def __eq__(self, other):
        return True


@JITS
def test_what_the_class_does_not_have(jit):
    run = jit(Plain())
    for use in USES[:4]:
        with pytest.raises(TypeError):
            use(run)
    for name in "add len iter enter contains int index getitem await".split():
        assert not hasattr(run, "__%s__" % name)
    assert not isinstance(run, (collections.abc.Iterable, collections.abc.Sized, collections.abc.Container))
    assert run == run and run != jit(Plain()) and {run: 1}[run] == 1 and bool(run)
    with pytest.raises(TypeError, match="unhashable"):
        hash(jit(Unhashable()))


def test_the_class_of_now():
    cell = Plain()
    run = ms.jit(cell, mode="PIJit")
    run.__class__ = Everything
    run.key = 3
    assert run + 1 == ("add", 1) and len(run) == 8
    cell.__class__ = Plain
    run(X)
    assert not hasattr(run, "__len__")
    Plain.__len__ = lambda self: 2
    try:
        assert len(ms.jit(cell)) == 2
    finally:
        del Plain.__len__


@JITS
def test_attributes_are_the_cells_alone(jit):
    class Own(Plain):
        def __init__(self):
            super().__init__()
            self._compiled, self._compile_function = 1, 2

    cell = Own()
    run = jit(cell)
    run(X)
    assert (run._compiled, run._compile_function) == (1, 2) and vars(run) is vars(cell)
    del run._compiled
    assert not hasattr(run, "_compiled") and not hasattr(Plain(), "_compile_function")
    assert run(X).tolist() == [0, 3]
    assert not hasattr(jit(Plain()), "_compiled") and not hasattr(jit(Plain()), "_compile_function")


@JITS
def test_copies_keep_them(jit):
    run = jit(Everything())
    for made in (copy.copy(run), copy.deepcopy(run), pickle.loads(pickle.dumps(run))):
        assert made + 1 == ("add", 1) and made.__wrapped__ is not run.__wrapped__ and made(X).tolist() == [0, 3]


def test_it_is_freed():
    run = ms.jit(Everything(), mode="PIJit")
    run(X)
    gone = weakref.ref(run)
    del run
    gc.collect()
    assert gone() is None
