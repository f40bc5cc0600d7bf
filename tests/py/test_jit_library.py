"""Enumerations, sorting and iterators of the standard library in captured code."""
import collections
import dataclasses
import enum
import functools
import itertools
import math
import sys

import pytest

import msjit as ms
from jit_programs import Programs, x22
from jit_same import captured, same
from msjit import Tensor, _msjit, ops

pytestmark = pytest.mark.jit

programs = Programs()
SINCE_38 = sys.version_info >= (3, 8)  # classes of metaclasses have no version before


class Color(enum.Enum):
    RED = 1
    BLUE = 2
    AZURE = 2

    @property
    def shade(self):
        return self.value * 10


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5
    NONE = 0


class Name(str, enum.Enum):
    A = "a"
    B = "b"


class Odd(enum.IntEnum):
    ONE = 1

    def __add__(self, other):
        return 100


class Rank(enum.IntEnum):
    TOP = 2

    def __lshift__(self, other):
        return "shifted"

    def __and__(self, other):
        return "and"

    def __rfloordiv__(self, other):
        return "divided"

    def __ipow__(self, other):
        return "power"


@programs.add(x22, lambda: 2, lambda: "RED", lambda: Level.HIGH, whole=SINCE_38)
def enumerations(x, number, name, level):
    for member in Color:
        x = x * member.shade
    return (x, Color(number), Color[name], Color(Color.RED) is Color.RED, len(Color), [c.name for c in Color], Color.AZURE,
            Color(1) in (Color.RED,), list(Level), bool(Level.NONE), not Level.LOW)


@programs.add(x22, lambda: Level.HIGH, lambda: Name.A, whole=SINCE_38)
def members_that_are_values(x, level, name):
    rows = [10, 20, 30, 40, 50, 60]
    return (x * level + level, level + 1, 2 * level, level > Level.LOW, level == 5, rows[level], -level % 3,
            name == "a", name + "b", name == Name.A, {"a": 1}[name], Odd.ONE + 1, level / 2, {5: "five"}[level])


@programs.add(x22, lambda: Rank.TOP, whole=SINCE_38)
def members_with_operators_of_their_own(x, rank):
    shifted, power = rank << 1, rank
    power **= 3
    return x * 2, shifted, rank & 3, power


@programs.add(x22, lambda: Rank.TOP, whole=False)
def other_operators_of_such_members(x, rank):
    return x * rank, 7 // rank, rank >> 1, rank ** 2, "abcd"[rank], rank > 1, not rank


class Part(enum.IntFlag):
    BODY = 1
    HEAD = 2
    ALL = 3


Part(0)  # made when it is first asked for


class Rest(enum.Flag):
    NONE = 0
    SOME = 1
    MORE = 2


@programs.add(x22, lambda: Part.HEAD, lambda: Rest.MORE, whole=SINCE_38)
def flags(x, part, rest):
    rows = [10, 20, 30, 40]
    if part & Part.HEAD:
        x = x * 2
    if part & Part.BODY:
        x = x + 1
    if rest & Rest.MORE and not rest & Rest.SOME:
        x = x - 3
    return (x * part, x * (part | Part.BODY).value, part == 2, part < Part.ALL, part in (Part.HEAD, 7), rows[part], part + 1,
            part << 1, -part, bool(Part.ALL), Part.BODY in Part.ALL, type(part | 1) is Part, type(part + 1) is int,
            int(part), float(part), list(range(part)), round(part), math.sqrt(part), (part & Part.ALL) is Part.HEAD, part ^ Part.ALL, {2: "two"}[part], Rest.NONE == 0, not Rest.NONE, rest is Rest.MORE)


@programs.add(x22, lambda: Part.HEAD, whole=False)
def members_of_flags(x, part):
    return [x * member for member in Part], len(Part), [m.name for m in Part if m & part], ~part & Part.ALL, 4 & part, 3 & part


@programs.add(x22, lambda: Level.HIGH, whole=False)
def members_are_no_tensors(x, level):
    refused = []
    for call in (ms.ops.relu, Tensor.sum, lambda v: ms.ops.concat([x, v])):
        try:
            refused.append(call(level))
        except TypeError as error:
            refused.append(str(error))
    return x * 2, refused, ms.ops.add(level, x)


@programs.add(x22, lambda: Level.HIGH, whole=False)
def members_printed_by_their_classes(x, level):
    return x * 2, "%s" % level, "%r!" % level, "%d" % level, "%s %s" % (level, 1), level % 3


@programs.add(x22, lambda: Level.HIGH, lambda: Name.A, whole=SINCE_38)
def errors_name_the_member(x, level, name):
    try:
        {}[level]
    except KeyError as first:
        missing = first.args
    try:
        {"b": 1}[name]
    except KeyError as second:
        return x * 2, missing, second.args


@programs.add(x22, whole=False)
def errors_of_enumerations(x):
    y = x * 2
    try:
        Color(9)
    except ValueError as e:
        y = y + len(str(e)) * 0
    try:
        Color["GREEN"]
    except KeyError as e:
        return y, e.args


@dataclasses.dataclass(order=True)
class Item:
    rank: int
    data: object = dataclasses.field(compare=False, default=None)


class Counted:
    def __init__(self, n, log):
        self.n, self.log = n, log

    def __lt__(self, other):
        self.log.append((self.n, other.n))
        return self.n < other.n


@programs.add(x22, list)
def sorting(x, log):
    items = [Item(3, x), Item(1, x * 2), Item(2)]
    counted = sorted([Counted(n, log) for n in (3, 1, 2, 5, 4)], reverse=True)
    pairs = sorted({"b": x, "a": x * 2}.items())
    triples = sorted([(1, "b", x), (0, "z", x), (1, "a", x)])
    items.sort()
    return ([i.rank for i in items], items[0].data, [c.n for c in counted], log, [k for k, _ in pairs],
            [t[:2] for t in triples], sorted(items, key=lambda i: -i.rank)[0].rank, max(items).rank, min(items) is items[0])


@programs.add(x22, whole=False)
def sorting_tensors(x):
    y = x * 2
    try:
        return sorted([(1, y), (1, x)])
    except ValueError as e:
        return y, len(str(e)) > 0


@programs.add(x22, whole=False)
def sorting_that_raises(x):
    y = x * 2
    rows = [3, "a", 2]
    try:
        rows.sort()
    except TypeError as e:
        return y, str(e), sorted(map(str, rows))


@programs.add(x22, lambda: [1, 2])
def iterators(x, changing):
    parts = [[x], [x * 2, x * 3]]
    total = sum(itertools.chain.from_iterable(parts))
    cycled = [a for a, _ in zip(itertools.cycle("ab"), range(3))]
    longest = list(itertools.zip_longest([1], (2, 3), fillvalue=0))
    text = "-".join(str(d) for d in x.shape), ", ".join(map(repr, changing)), "".join(reversed("abc"))
    return total, cycled, longest, text, functools.reduce(max, changing), f"{x.shape} {x.dtype} {changing}"


@programs.add(x22, lambda: [1, 2], whole=False)
def list_changed_while_cycled(x, items):
    found = []
    for i, item in enumerate(itertools.cycle(items)):
        found.append(item)
        if i == 0:
            items.append(7)
        if i == 5:
            break
    return x * 2, found


test_same, test_one_region = programs.tests()


def test_member_is_guarded():
    f = ms.jit(lambda x, level: x * level, mode="PIJit")
    for _ in range(3):
        assert f(Tensor([1.0]), Level.HIGH).tolist() == [5.0]
        assert f(Tensor([1.0]), Level.LOW).tolist() == [1.0]


def test_counts():
    def f(x, words):
        seen = collections.OrderedDict()
        for word in words:
            seen[word] = seen.get(word, 0) + 1
        return x * len(seen), sorted(seen.items(), key=lambda item: (-item[1], item[0]))

    jitted = ms.jit(f, mode="PIJit")
    for words in (["a", "b", "a"], ["c"], ["b", "a", "b"]):
        assert jitted(x22(), words)[1] == f(x22(), words)[1]


def groups(x, rows):
    found = [(k, [v * 2 for v in g]) for k, g in itertools.groupby(rows, key=lambda r: r // 2)]
    kept = [g for _, g in itertools.groupby(rows)]  # each is empty once the next is taken
    return x + 1, found, [list(g) for g in kept], dict((k, len(list(g))) for k, g in itertools.groupby("aab"))


def groups_with_a_key_that_prints(x, rows):
    def key(r):
        print("key", r)
        return r // 2
    for k, g in itertools.groupby(rows, key):
        print(k, sum(g))
    return x + 1


def partial_that_leaves(x, n):
    p = functools.partial(ops.add, x)
    q = functools.partial(max, n, key=abs)
    return p, q, p(x), q(-2), [p]


def printed_to_a_file(x, n):
    print("a", n, file=sys.stdout)
    print("b", file=None)
    return x + n


def test_groups_partials_and_files():
    same(groups, lambda v: (x22(), [1, 1, 2, 3, 5][v:]), variants=(0, 0, 1, 0))
    same(groups_with_a_key_that_prints, lambda v: (x22(), [1, 1, 2, 3, 5][v:]), variants=(0, 0, 1))
    same(partial_that_leaves, lambda v: (x22(), v + 2), variants=(0, 0, 1))
    same(printed_to_a_file, lambda v: (x22(), v), variants=(0, 0, 1))


@pytest.mark.captures
def test_groups_partials_and_files_are_captured():
    captured(groups, lambda v: (x22(), [1, 1, 2, 3, 5]))
    captured(partial_that_leaves, lambda v: (x22(), 2))
    captured(printed_to_a_file, lambda v: (x22(), 2))
