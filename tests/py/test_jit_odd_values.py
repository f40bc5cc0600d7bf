"""Builtins and operators with unusual values: what tests/fuzz/value_fuzz.py found, and a short run of it."""
import pathlib
import sys

import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED
from msjit import Tensor

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
import value_fuzz  # noqa: E402

pytestmark = pytest.mark.jit

# An expression of x, a and b, and the values of a and b in each call.
REPROS = [
    ("(str(iter([1]))[:6], str(zip([1]))[:4], repr(v for v in [1])[:4], str({'a': 1}.keys())[:9])", [("0", "0")]),
    ("type(x.value)", [("0", "0")]),
    ("type(a.__init__)", [("PLAIN", "0")]),
    ("ops.maximum(x * 2, x.value)", [("0", "0")]),
    ("ops.maximum(x * 2, a.__init__)", [("PLAIN", "0")]),
    ("{}[x.value]", [("0", "0")]),
    ("x.value.missing", [("0", "0")]),
    ("sum(a, b)", [("['a']", "'b'"), ("['a','b']", "''"), ("[b'a']", "b''")]),
    ("sum(a)", [("[0.1] * 10", "0"), ("[1e100, 1.0, -1e100]", "0"), ("[1, 0.1, True] * 3", "0"), ("[0.1, 0.2, 0.3, x, 0.1, 0.2, 0.3]", "0"),
                ("[float('nan'), 1.0]", "0")]),
    ("sum(a, b)", [("[0.1] * 10", "0.5"), ("[0.1] * 10", "1"), ("[0.1, 0.2, 0.3]", "x")]),
    ("sum([v * a for v in range(11)])", [("0.1", "0"), ("0.3", "0"), ("0.7", "0"), ("1", "0")]),
    ("list(enumerate(a, start=b))", [("[5]", "2"), ("[5]", "3"), ("[5]", "'a'")]),
    ("list(enumerate(a, reverse=b))", [("[5]", "2")]),
    ("list(enumerate(axis=a))", [("[5]", "2")]),
    ("[3, 1].sort(reverse=2.5)", [("0", "0")]),
    ("[3, 1].sort(reverse=[a])", [("0", "0")]),
    ("[[3, 1].sort(reverse=a), sorted([3, 1], reverse=a)]", [("1", "0"), ("range(3)", "0"), ("True", "0"), ("None", "0")]),
    ("sorted([3, 1], reverse='a')", [("1", "0")]),
    ("issubclass(a, b)", [("'a'", "[]"), ("int", "[int]"), ("int", "(str, int)")]),
    ("isinstance(a, b)", [("1", "[int]"), ("1", "[]"), ("1", "(int,)")]),
    ("copy.copy(a)", [("collections.defaultdict(int)", "0"), ("collections.OrderedDict(a=1)", "0"), ("Pair(1, 2)", "0"), ("{'a': x}", "0")]),
    ("copy.copy(a) is a", [("Pair(1, 2)", "0"), ("(1, 2)", "0"), ("[1]", "0")]),
    ("iter(a)", [("x", "0"), ("x * 2", "0"), ("[1]", "0")]),
    ("b is a", [("[1].append", "len"), ("len", "len"), ("None", "len"), ("len", "None"), ("None", "None")]),
    ("str.join(start=a)", [("'a'", "0")]),
    ("list.append(x=a)", [("[1]", "0")]),
    ("(a + x * 2, x * 2 + a)", [("Int(2)", "0"), ("2", "0"), ("List([1, 2])", "0")]),
    ("(x * 2) + a", [("Strange(2.5)", "0"), ("StrangeList([1, 2])", "0")]),
    ("(a < b, b > a, a == b)", [("2.5", "Compared(3)"), ("'a'", "Equal('a')"), ("3", "Compared(3)")]),
    ("1.5 + a", [("Added(2)", "0"), ("2", "0")]),
    ("(a % b, a % (b,))", [("'%s'", "Level.HIGH"), ("'%r'", "Level.HIGH"), ("'%5d'", "Level.HIGH"), ("b'%d'", "Level.HIGH"), ("'%s'", "2")]),
    ("a * b, b + a, a == b, a < b", [("np.float32(2)", "Level.HIGH"), ("Level.HIGH", "np.float16(3)"), ("np.int8(3)", "Level.HIGH")]),
    ("a[b]", [("collections.defaultdict(int)", "Level.HIGH"), ("collections.defaultdict(int)", "2"), ("{2: 5}", "Level.HIGH")]),
    ("(1 if a else 2, not a, a and 3, a or 4, bool(a))",
     [("Empty", "0"), ("Full", "0"), ("int", "0"), ("Color", "0"), ("collections.abc.Sized", "0")]),
]


class Strange(float):
    def __radd__(self, other):
        return 4.0


class StrangeList(list):
    def __radd__(self, other):
        return 4.0


class Compared(int):
    def __lt__(self, other):
        return False

    def __gt__(self, other):
        return False


class Equal(str):
    __hash__ = str.__hash__

    def __eq__(self, other):
        return NotImplemented


class Added(int):
    def __radd__(self, other):
        return 9


class Sized(type):
    length = 0

    def __len__(cls):
        return cls.length


class Empty(metaclass=Sized):
    pass


class Full(metaclass=Sized):
    length = 2


@pytest.mark.parametrize("text,calls", REPROS, ids=["%d %s" % (i, r[0]) for i, r in enumerate(REPROS)])
def test_repro(text, calls, monkeypatch):
    for kind in (Strange, StrangeList, Compared, Equal, Added, Empty, Full):
        monkeypatch.setitem(vars(value_fuzz), kind.__name__, kind)
    case = value_fuzz.Case("lambda x, a, b: (x * 2, %s)" % text, [c for c in calls for _ in range(3)])
    assert value_fuzz.run(case) is None


def test_a_method_of_a_tensor_is_handed_out_as_it_is():
    x = Tensor(np.float32([1, 2]))
    value = ms.jit(lambda x: (x * 2, x.sum), mode="PIJit")(x)[1]
    assert type(value) is type(x.sum) and value().asnumpy() == 3 and value.__self__ is x


def test_numpy_asks_the_class_of_tensors():
    assert not np.float32(2) == Tensor
    assert Tensor.__array_priority__ == Tensor(1).__array_priority__ == 1000.0


@pytest.mark.costly
def test_a_short_value_fuzz():
    said = []
    done, whole, failures = value_fuzz.fuzz(seed=1, count=300 if FORCED else 800, report=said.append)
    assert done > 200 and not failures, "\n".join(said)
    assert FORCED or whole > 50
