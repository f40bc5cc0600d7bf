"""Containers, builtins and modules in captured code: the same as without msjit, in one region."""
import collections
import copy
import functools
import itertools
import math
import operator
import time

import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, captured, same
from msjit import Tensor, _msjit

pytestmark = pytest.mark.jit

WHOLE, RAISES = [], []


def whole(fn):
    """Captured in one region."""
    WHOLE.append(fn)
    return fn


def raises(fn):
    RAISES.append(fn)
    return fn


def arguments(variant=0):
    x = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2) - 1)
    return [x, [3, 1.5, 2], {"a": 1, "b": x, 3: "c"}]


@whole
def list_methods(x, xs, d):
    ys = xs
    ys.append(x)
    ys.extend((1, 2))
    ys.insert(1, "s")
    ys.remove(1.5)
    last = ys.pop()
    zs = ys.copy()
    zs.reverse()
    zs.clear()
    return ys, zs, last, ys.index(3), [1, 2, 1].count(1), x + len(ys), ys is xs


@whole
def list_slices(x, xs, d):
    xs[1:2] = [x, x + 1]
    del xs[0]
    ys = list(range(8))
    ys[::2] = "abcd"
    del ys[1::3]
    ys[:0] = [0]
    del ys[-1:]
    xs[0] = ys
    return xs, ys[::-1], x * len(ys)


@whole
def list_sorting(x, xs, d):
    xs.sort(reverse=True)
    words = sorted(["b", "aa", "c", "ab"], key=len)
    pairs = sorted([(2, x), (1, x + 1)], key=lambda p: p[0])
    return xs, words, pairs, sorted("hello"), x + 1


@whole
def dict_methods(x, xs, d):
    first = d.setdefault("k", x)
    again = d.setdefault("a", 5)
    d.update([("p", 1)], q=x)
    d.update({"a": 2})
    gone = d.pop("a"), d.pop("none", None), d.popitem()
    e = d.copy()
    e.clear()
    return first, again, gone, d, e, "p" in d, 3 in d.keys(), list(d.items()), x + len(d)


@whole
def views_and_iterators(x, xs, d):
    out = [k for k in d] + list(d.values())
    it = iter(xs)
    next(it)
    rest = list(it)
    return out, rest, list(it), next(it, "end"), list(reversed(xs)), bool({}.keys()), x * 2


@whole
def comparisons(x, xs, d):
    return [1, 2] == [1, 2], xs[:1] == [3], (1, [2]) < (1, [3]), {"a": 1} == {"a": 1}, [1] != [2], x + 1, \
        2 in xs, 1.5 in (1.5,), "ab" in "cabd", 4 in range(3, 6), b"a" in b"ba", x in [x]


@whole
def text_methods(x, xs, d):
    s = "Some-Text"
    return s.lower().split("-"), s.partition("-"), s.find("T"), s.center(12, "*"), "-".join(["a", "b"]), s.encode(), \
        "%s=%d" % ("n", 3), "{}{k}".format(1, k=2), s.translate({83: "Z"}), s.isalpha(), f"{xs[0]:>4}|{s!r}", \
        list(enumerate("ab", 1)), [c for c in s[:3]], b"a-b".split(b"-"), x + len(s)


@whole
def number_methods(x, xs, d):
    return (5).bit_length(), (2.5).is_integer(), (0.5).as_integer_ratio(), (3 + 4j).conjugate(), (7).real, \
        (2 ** 70).to_bytes(9, "big"), range(2, 9, 3).stop, range(5).index(3), slice(1, 2).start, divmod(-7, 3), \
        round(2.567, 2), pow(2, 10, 1000), int("12", 3), float("1e3"), complex(1, 2), hex(255), bin(5), \
        format(3.14159, ".2f"), abs(-3), x * 2


@whole
def math_functions(x, xs, d):
    return math.sqrt(2), math.gcd(12, 18), math.hypot(3, 4), math.fsum([0.1] * 10), math.isclose(1.0, 1.0 + 1e-12), \
        math.factorial(5), math.floor(2.7), math.copysign(1, -0.0), math.log(8, 2), math.frexp(3.0), x + math.pi


@whole
def order_and_choice(x, xs, d):
    return max(xs), min(xs, key=lambda v: -v), max(3, 1, 2), min([], default=x), max("ab", "b"), sum(xs), \
        sum([x, x], x), any([0, "", 1]), all(xs), max([x, x + 1], key=lambda t: t.ndim)


@whole
def maps_and_filters(x, xs, d):
    return list(map(lambda a, b: a + b, [1, 2], [x, x])), list(filter(None, [0, 1, "", "a"])), \
        tuple(map(str, xs)), list(zip(xs, "abc")), dict(zip("ab", xs)), list(filter(lambda v: v > 2, xs)), \
        list(map(str.upper, ["a", "b"]))


@whole
def operators(x, xs, d):
    return operator.add(x, 1), operator.mul(3, 4), operator.getitem(xs, 1), operator.contains(xs, 2), \
        operator.not_(xs), operator.is_(xs, xs), operator.neg(x), operator.lt(1, 2), operator.setitem(xs, 0, x), \
        operator.truth([]), operator.iadd(xs, [1]), xs


@whole
def reductions(x, xs, d):
    return functools.reduce(operator.add, [x, x, x]), functools.reduce(lambda a, b: a * b, range(1, 5), 1), \
        functools.reduce(operator.add, [], x)


@whole
def iterators_of_itertools(x, xs, d):
    return list(itertools.chain(xs, "ab")), list(itertools.islice(itertools.count(5, 2), 1, 4)), \
        list(itertools.product([1, 2], "ab")), list(itertools.permutations([1, 2, x], 2)), \
        list(itertools.combinations("abc", 2)), list(zip(itertools.repeat(x), [1, 2])), \
        list(itertools.repeat(7, 2)), list(itertools.starmap(operator.add, [(1, 2), (x, 1)])), \
        list(itertools.accumulate([1, 2, 3])), list(itertools.takewhile(lambda v: v < 3, [1, 2, 3, 1])), \
        list(itertools.islice(xs, None)), list(itertools.islice([1, 2, 3, 4], 0, None, 2))


@whole
def copies(x, xs, d):
    ys, e = copy.copy(xs), copy.copy(d)
    ys.append(1)
    return ys, xs, e, e is d, copy.copy("a"), x + 1


@whole
def prints(x, xs, d):
    print("begin", xs, d["a"], sep="/")
    xs.append(4)
    y = x + 1
    print("then", xs, end="!\n")
    print(y)
    print()
    return y


@whole
def unbound_methods(x, xs, d):
    list.append(xs, x)
    return str.upper("ab"), [].append, xs, x + 1


@whole
def attributes_by_name(x, xs, d):
    class Plain:
        value = 2
    p = Plain()
    name = "other"
    setattr(p, name, x)
    return hasattr(p, "value"), hasattr(p, "missing"), getattr(p, "missing", 3), p.value + getattr(p, name), \
        issubclass(bool, int), isinstance(p, (int, Plain)), callable(len)


attributes_by_name_whole = WHOLE.pop()  # the class definition ends a region


@raises
def pop_from_empty(x, xs, d):
    y = x + 1
    xs.clear()
    xs.append(y)
    xs.pop()
    return xs.pop()


@raises
def missing_item(x, xs, d):
    y = x * 2
    d["y"] = y
    xs.remove(17)


@raises
def caught(x, xs, d):
    out = []
    for bad in (lambda: xs.pop(9), lambda: d.pop("zz"), lambda: {}.popitem(), lambda: xs.index(99), lambda: int("x"),
                lambda: max([]), lambda: sorted([1, "a"]), lambda: math.sqrt(-1), lambda: "a" in 3, lambda: [1] < ["a"]):
        try:
            out.append(bad())
        except (IndexError, KeyError, ValueError, TypeError) as e:
            out.append((type(e).__name__, str(e)))
    return out, x + 1


@raises
def wrong_slice(x, xs, d):
    xs.append(x + 1)
    xs[::2] = [1]


@raises
def iterators_alive_at_a_break(x, xs, d):
    out = []
    for a, b in itertools.product([1, 2], xs):
        x[0] = a
        out.append((a, b, x + 1))
    for v in map(lambda q: q * 2, xs):
        x[0] = v
        out.append(v)
    for v in itertools.chain(xs, [9]):
        x[0] = v
        out.append(v)
    return out, x


@raises
def other_collections(x, xs, d):
    pair = collections.namedtuple("pair", "a b")(x, 1)
    queue = collections.deque(xs, maxlen=2)
    queue.append(x)
    table = collections.defaultdict(list)
    table["k"].append(x + 1)
    return pair.a + pair.b, list(queue), dict(table), collections.Counter("aab")["a"], {1, 2} | {3}, {v for v in "aa"}


@pytest.mark.parametrize("fn", WHOLE + RAISES + [attributes_by_name_whole], ids=lambda f: f.__name__)
def test_same(fn):
    same(fn, arguments)


@pytest.mark.captures
@pytest.mark.skipif(FORCED, reason="asserts captures")
@pytest.mark.parametrize("fn", WHOLE, ids=lambda f: f.__name__)
def test_captured(fn):
    captured(fn, arguments)


def test_print_goes_to_what_stdout_is_then():
    import contextlib
    import io

    import msjit as ms

    class Loud(io.StringIO):
        def write(self, text):
            return super().write(text.upper())

    @ms.jit(mode="PIJit")
    def f(x):
        print("text")
        return x + 1

    for kind in (io.StringIO, Loud, io.StringIO):
        out = kind()
        with contextlib.redirect_stdout(out):
            f(arguments()[0])
        assert out.getvalue() == ("TEXT\n" if kind is Loud else "text\n")


@pytest.mark.costly
def test_long_iterables_are_not_unrolled():
    """Items that a builtin takes from an iterator count towards the unrolling limit, as turns of a loop do."""
    def f(x):
        return x + sum(range(10**6)) * 0, x * any(range(1, 10**6)), 10**6 - 1 in iter(range(10**6))

    def g(x, n):
        return x, str(n)[:3], divmod(n, 7)[1], n == n + 1

    started = time.time()
    for _ in range(2):
        f(Tensor([1.0]))
    plain = time.time() - started
    jitted, started = ms.jit(f, mode="PIJit"), time.time()
    for _ in range(2):
        jitted(Tensor([1.0]))
    assert time.time() - started < 2 * plain + 1
    same(f, lambda variant: (Tensor(np.float32([1, 2])),))
    same(g, lambda variant: (Tensor(np.float32([1, 2])), 7 ** 4000))
