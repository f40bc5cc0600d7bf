"""Small values of the standard library in captured code: named tuples that are compared, the version of Python, isinstance() of objects that
read attributes in their own way, pure functions."""
import bisect
import collections
import os
import sys
import typing

import numpy as np
import pytest

from jit_same import captured, same, same_after
from msjit import Tensor

pytestmark = pytest.mark.jit


def x3(_=0):
    return [Tensor(np.float32([1, 2, 3]))]


Size = collections.namedtuple("Size", "h w")


class Pair(typing.NamedTuple):
    a: int
    b: float = 2.0


class Odd(tuple):
    def __eq__(self, other):
        return "odd"
    __hash__ = tuple.__hash__


def compared(x):
    s = Size(1, 2)
    return (x * 2, s == (1, 2), s != Size(1, 3), s < (1, 3), s._replace(h=4) > s, Pair(1) == (1, 2.0), s in [(1, 2)], (1, 2) == s,
            Size(1, "a") == Size(1, 2), s <= (1,))


def version(x):
    return x + (1 if sys.version_info >= (3, 6) else 2), sys.version_info[0] == 3, sys.version_info[:2] > (2, 7), sys.version_info.major


def own_comparison(x):
    return x, Odd((1, 2)) == (1, 2)


def pure(x):
    return x * 2, bisect.bisect_left([1, 3, 5], 3), bisect.bisect([1, 2], 1), os.path.join("a", "b"), os.path.basename("q/w.txt"), os.fspath("p")


class Config:
    kind = "config"

    def __getattribute__(self, name):
        if name == "alias":
            name = "kind"
        return super().__getattribute__(name)


class Liar(Config):
    def __getattribute__(self, name):
        return dict if name == "__class__" else super().__getattribute__(name)


class Mute(Config):
    def __getattribute__(self, name):
        if name == "__class__":
            raise AttributeError(name)
        return super().__getattribute__(name)


config, liar, mute = Config(), Liar(), Mute()


def classes(x):
    return (x * 2, isinstance(config, dict), isinstance(config, (list, Config)), isinstance(liar, dict), isinstance(liar, list), isinstance(liar, Liar),
            isinstance(mute, dict), isinstance(mute, Mute), config.alias)


PROGRAMS = [compared, version, own_comparison, pure, classes]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_python(program):
    same(program, x3)


@pytest.mark.captures
@pytest.mark.parametrize("program", [compared, version, pure, classes], ids=lambda p: p.__name__)
def test_is_captured(program):
    captured(program, x3)


def test_values_that_change():
    setup = """
import collections
Size = collections.namedtuple("Size", "h w")
class Config:
    def __getattribute__(self, name): return super().__getattribute__(name)
s, c = Size(1, 2), Config()
"""
    same_after(setup, "(x, s == (1, 2), s > (1, 1), isinstance(c, dict))", [
        "s = Size(1, 3)", "s = (1, 2)", "s = Size(0, 0)", "Config.__getattribute__ = lambda self, n: dict", "Size.__eq__ = lambda a, b: 'eq'",
        "Size.__gt__ = lambda a, b: 'gt'"])
