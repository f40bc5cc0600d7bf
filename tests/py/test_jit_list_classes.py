"""Instances of classes derived from list in captured code: stopping criteria, processors and other lists that can be called."""
import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same, same_after
from msjit import Tensor

pytestmark = pytest.mark.jit


def x3(_=0):
    return [Tensor(np.float32([1, 2, 3]))]


class MaxLength:
    def __init__(self, limit):
        self.limit = limit

    def __call__(self, ids, scores, **kwargs):
        return ids.shape[-1] >= self.limit


class Criteria(list):
    def __call__(self, ids, scores, **kwargs):
        return any(c(ids, scores, **kwargs) for c in self)

    @property
    def limit(self):
        for c in self:
            if isinstance(c, MaxLength):
                return c.limit
        return None


class Doubling(list):
    """Its own methods answer, where list's do not call them."""

    def __init__(self, items=(), name="d"):
        super().__init__(items)
        self.name = name

    def append(self, item):
        super().append(item * 2)
        self.last = item

    def __getitem__(self, index):
        return ("item", super().__getitem__(index))

    def __contains__(self, item):
        return False

    def __iter__(self):
        return iter([8, 9])


criteria = Criteria([MaxLength(20), MaxLength(3)])


def asked(x):
    return x + criteria.limit, criteria(x, None), len(criteria), bool(criteria), criteria[0].limit, criteria[-1] is criteria[1]


def made(x):
    c = Criteria()
    c.append(MaxLength(2))
    c.extend([MaxLength(5), MaxLength(7)])
    c[0] = MaxLength(4)
    c.insert(1, MaxLength(6))
    last = c.pop()
    return x + c[0].limit, c(x, None), len(c), [i.limit for i in c], last.limit, isinstance(c, list), type(c).__name__, c.limit in [4]


def returned(x):
    c = Criteria([1, x * 2])
    c.extra = "attribute"
    d = Criteria(v for v in range(3))
    d.reverse()
    return x + 1, c, d, c + [3], type(c + [3]), list(d), sorted(d), [*d, 4], tuple(c)[0]


def own_methods(x):
    d = Doubling([1, 2])
    d.append(5)
    d.extend([3])
    return x + len(d), d[0], d[-1], 1 in d, list(d), d.name, d.last, d.index(10), d.count(1), d


def grown(x, items):
    items.append(x.shape[0])
    items.extend([7, 8])
    return x * 2, len(items), items[-1], items


def emptied(x, items):
    del items[0]
    items.sort(reverse=True)
    items.remove(2)
    return x * 2, items


def index_error(x, items):
    seen = len(items)
    items.append(1)
    return x * 2, seen, items[9]


def two_names(x, items, other):
    items.append(1)
    return x * len(other), len(items), items is other


PROGRAMS = [asked, made, returned, own_methods]
CHANGING = [grown, emptied, index_error]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_python(program):
    same(program, x3)


@pytest.mark.parametrize("cls", [Criteria, Doubling], ids=["plain", "own"])
@pytest.mark.parametrize("program", CHANGING, ids=lambda p: p.__name__)
def test_lists_of_the_program(program, cls):
    same(program, lambda v: x3() + [cls([3, 1, 2] + [4] * v)], (0, 0, 0, 1, 2, 0))


def test_aliases():
    def make(v):
        items = Criteria([1, 2])
        return x3() + [items, items if v else Criteria([1, 2, 3])]
    same(two_names, make, (0, 0, 1, 1, 0))


@pytest.mark.captures
@pytest.mark.parametrize("program", [asked, made, returned, own_methods], ids=lambda p: p.__name__)
def test_is_captured(program):
    captured(program, x3)


@pytest.mark.captures
def test_changes_are_captured():
    captured(grown, lambda v: x3() + [Criteria([1, 2])])


def test_lists_that_change():
    setup = """
class L(list):
    def total(self): return sum(self)
class M(L):
    def __len__(self): return 50
    def __iter__(self): return iter([100])
items = L([1, 2])
other = items
"""
    same_after(setup, "(x * items.total(), len(items), list(other), 2 in items, items[0])", [
        "items.append(5)", "items[0] = 9", "items.clear(); items.append(4)", "other = L([7])", "items = M([3])", "items = L([1])",
        "L.total = lambda self: 11", "L.__len__ = lambda self: 5", "del L.__len__", "items = [6, 7] if False else M([2])"])


def in_a_branch(x, items):
    if x.sum() > 3:
        items.append(1)
        y = x * 2
    else:
        y = x
    return y, items


def in_a_loop(x, items):
    for i, item in enumerate(items):
        x = x + item
        if i == 1:
            items.append(3)
        if len(items) > 5:
            break
    return x, items


def test_branches_and_loops():
    for program in (in_a_branch, in_a_loop):
        same(program, lambda v: [Tensor(np.float32([1, 2, 3]) * (1 - v)), Criteria([1, 2])], (0, 0, 1, 0, 1))


class Watched(list):
    log = []

    def __del__(self):
        self.log.append("gone")


def test_finalizers_run_where_python_runs_them():
    def run(x):
        w = Watched([1])
        y = x * len(w)
        del w
        return y, list(Watched.log)
    for decorate in (lambda f: f, lambda f: ms.jit(f, mode="PIJit")):
        Watched.log.clear()
        step = decorate(run)
        assert [len(step(*x3())[1]) for _ in range(3)] == [1, 2, 3]
