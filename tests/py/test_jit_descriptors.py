"""Descriptors of other classes, methods of other types, slots under several names: they are read, called and stored through as in the
interpreter, which checks that an object is of the descriptor's class."""
import collections
import types

import numpy as np
import pytest

pytest.importorskip("msjit._msjit")
from jit_same import captured, same
from msjit import Tensor

pytestmark = pytest.mark.jit


class Slots:
    __slots__ = ("s", "t")

    def __init__(self):
        self.s, self.t = 2.0, 3.0


Slots.other_name = Slots.s


class Shadowing(Slots):
    __slots__ = ("s",)

    def __init__(self):
        super().__init__()
        self.s = 5.0
        Slots.s.__set__(self, 7.0)

    def both(self, x):
        return x * self.s + super().s


class Borrower:
    slot = Slots.s
    push = list.append
    keys = dict.keys
    upper = str.upper
    names = type.__dict__["__dict__"]
    function_name = types.FunctionType.__dict__["__name__"]
    text = tuple.__repr__
    real = int.real
    __len__ = list.__len__
    __eq__ = int.__eq__
    __hash__ = None

    def __init__(self):
        self.v = 1.0


class BorrowsDict:
    __dict__ = Borrower.__dict__["__dict__"]

    def __init__(self):
        self.v = 1.0


class BorrowsField(collections.namedtuple("Pair", "a b")):
    third = collections.namedtuple("Triple", "a b c").c


def alias_of_a_slot(x, o):
    o = Slots()
    o.other_name = 4.0
    y = x * o.s
    o.s = 6.0
    y = y + o.other_name
    del o.other_name
    return y, hasattr(o, "s")


def alias_of_a_slot_of_an_argument(x, o):
    o.other_name = x * o.other_name
    return o.s + o.other_name, o.t


class Told:
    """Says it is an int, as mock objects and proxies do."""

    @property
    def __class__(self):
        return int


class Asked:
    def __init__(self):
        vars(self)["names"] = []

    def __getattribute__(self, name):
        if name != "names":
            object.__getattribute__(self, "names").append(name)
        return int if name == "__class__" else object.__getattribute__(self, name)


def told_class(x, o):
    told = Told()
    return x * 2, isinstance(told, int), isinstance(told, (str, float)), told.__class__ is int, type(told) is Told, isinstance(told, Told)


def asked_class(x, o):
    asked = Asked()
    return x * 2, isinstance(asked, int), isinstance(asked, Asked), isinstance(asked, str), asked.names


PROGRAMS = {
    "class that is told": told_class,
    "class that is asked for": asked_class,
    "slot": lambda x, o: x + o.slot,
    "slot, stored": lambda x, o: setattr(o, "slot", x),
    "slot, deleted": lambda x, o: delattr(o, "slot"),
    "slot, by object": lambda x, o: object.__getattribute__(o, "slot"),
    "slot, asked itself": lambda x, o: x + Slots.s.__get__(Slots()),
    "slot, asked itself for another": lambda x, o: Slots.s.__get__(o),
    "list method": lambda x, o: o.push(x),
    "dict method": lambda x, o: o.keys(),
    "str method": lambda x, o: o.upper(),
    "repr of tuple": lambda x, o: o.text(),
    "dict of classes": lambda x, o: o.names,
    "name of functions": lambda x, o: o.function_name,
    "len of list": lambda x, o: x * len(o),
    "equality of int": lambda x, o: (x, o == 3),
    "real of int": lambda x, o: x * o.real,
    "own dict": lambda x, o: vars(BorrowsDict())["v"] + x,
    "own dict, by name": lambda x, o: BorrowsDict().__dict__["v"] + x,
    "field of a longer tuple": lambda x, o: BorrowsField(1, 2).third,
    "shadowed slot": lambda x, o: Shadowing().both(x),
    "method of another type": lambda x, o: types.MethodType(dict.get, [1])(0),
    "unbound: dict.pop": lambda x, o: dict.pop([1], 0),
    "unbound: set.add": lambda x, o: set.add([1], 2),
    "unbound: list.append": lambda x, o: list.append((1,), 2),
    "unbound: str.join": lambda x, o: str.join(3, ["a"]),
    "unbound: int.__add__": lambda x, o: x + int.__add__(1.5, 2),
    "unbound: list.__getitem__": lambda x, o: x + list.__getitem__({0: 1}, 0),
    "unbound: dict.__setitem__": lambda x, o: dict.__setitem__([1], 0, 2),
}


@pytest.mark.parametrize("name", sorted(PROGRAMS))
def test_borrowed(name):
    same(PROGRAMS[name], lambda variant: (Tensor(np.float32([1, 2])), Borrower()), [0] * 4)


@pytest.mark.parametrize("program", [alias_of_a_slot, alias_of_a_slot_of_an_argument])
def test_slots_under_two_names(program):
    same(program, lambda variant: (Tensor(np.float32([1, 2])), Slots()), [0] * 4)


def test_slots_are_captured():
    captured(alias_of_a_slot_of_an_argument, lambda variant: (Tensor(np.float32([1, 2])), Slots()))
