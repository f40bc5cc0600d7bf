"""heapq on lists in captured code."""
import heapq

import numpy as np
import pytest

from jit_same import captured, same
from msjit import Tensor

pytestmark = pytest.mark.jit


def x3(_=0):
    return [Tensor(np.float32([1, 2, 3]))]


def beams(x):
    found = [(0.0, 0, [1])]
    for _ in range(3):
        candidates = []
        for score, _, tokens in found:
            for token in range(3):
                heapq.heappush(candidates, (score - 0.25 * token, -len(candidates), tokens + [token]))
        found = heapq.nlargest(2, candidates)
    return x + len(found), found


def all_functions(x):
    h, seen = [5, 3, 8, 1, 9, 2, 7, 3.0, 1], []
    heapq.heapify(h)
    seen.append(list(h))
    for item in (4, 0, 10):
        heapq.heappush(h, item)
        seen += [heapq.heappushpop(h, item + 0.5), heapq.heapreplace(h, 6)]
    seen += [heapq.heappop(h) for _ in range(5)]
    return x * 2, seen, h, heapq.nlargest(2, h), heapq.heappushpop([], 3)


def in_python(x):
    return x * 2, heapq.nsmallest(2, [3, 1, 2]), list(heapq.merge([1, 4], [2, 3]))


class Item:
    def __init__(self, rank):
        self.rank = rank

    def __lt__(self, other):
        return self.rank < other.rank


def instances(x):
    h = []
    for rank in (3, 1, 2, 1):
        heapq.heappush(h, Item(rank))
    return x * 2, [heapq.heappop(h).rank for _ in range(4)]


def of_the_program(x, h):
    heapq.heappush(h, 2)
    return x * 2, heapq.heappop(h), h


def wrong_item(x, h):
    try:
        heapq.heappush(h, "text")
    except TypeError as error:
        return x * 2, str(error), h
    return x


def empty(x):
    try:
        heapq.heappop([])
    except IndexError as error:
        return x * 2, str(error)


PROGRAMS = [beams, all_functions, in_python, instances, empty]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_python(program):
    same(program, x3)


@pytest.mark.parametrize("program", [of_the_program, wrong_item], ids=lambda p: p.__name__)
def test_lists_of_the_program(program):
    same(program, lambda v: x3() + [[1, 3, 2] + [5] * v], (0, 0, 0, 1, 0))


def test_order_of_equal_items():
    rng = np.random.RandomState(0)
    for _ in range(5):
        items = rng.randint(0, 5, 12).tolist()

        def ordered(x, items=items):
            h = [(v, float(i)) for i, v in enumerate(items)]
            g = [v * 1.0 for v in items]
            heapq.heapify(h)
            heapq.heapify(g)
            return x * 2, h, g, [heapq.heappop(h) for _ in range(len(items))]
        same(ordered, x3)


@pytest.mark.captures
@pytest.mark.parametrize("program", [all_functions, instances], ids=lambda p: p.__name__)
def test_is_captured(program):
    captured(program, x3)
