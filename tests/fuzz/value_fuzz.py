"""Value fuzzer: builtins, operators, methods and statements over values of every kind, plain, under PIJit and, every third case,
under both levels of PSJit.

    python tests/fuzz/value_fuzz.py [--seed N] [--count N] [--keep-going]

A case is a function of a tensor and two values, and the values for some calls. Most of these are of one kind, later ones of other
kinds, so that code captured for one kind gets another. Result (types, contents, order), exception and changed arguments must
agree. The seed alone determines a case. A disagreement is printed as a program that can be run by itself.
"""
import argparse
import collections.abc
import copy
import enum
import functools
import io
import itertools
import math
import operator
import random
import re
import sys
import time
import warnings
from contextlib import redirect_stdout

import numpy as np
from ways import WAYS, SourceText, ways_of

import msjit as ms
from msjit import Tensor, ops


class Plain:
    v = 2

    def m(self, *args):
        return 3

    def __len__(self):
        return 2

    def __iter__(self):
        return iter([1, 2])

    def __repr__(self):
        return "Plain"


class Int(int):
    pass


class Text(str):
    pass


class List(list):
    pass


class Dict(dict):
    pass


class Color(enum.Enum):
    RED = 1


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 2


class Rank(enum.IntEnum):
    TOP = 3

    def __and__(self, other):
        return "and"

    def __rfloordiv__(self, other):
        return "divided"

    def __iadd__(self, other):
        return "added"


class Sized(type):
    def __len__(cls):
        return 0


class Empty(metaclass=Sized):
    pass


NAMED = copy, functools, math, operator, ops  # in the texts below
Pair = collections.namedtuple("Pair", "a b")
PLAIN = Plain()

HUGE = "2**70"
VALUES = """0|1|-3|2.5|True|None|'ab'|''|b'ab'|[1,2]|[]|(1,2)|()|{'a':1}|{}|{1,2}|frozenset([1])|range(3)|slice(1,2)|1j|float('nan')
float('inf')|2**70|iter([1,2])|zip([1],[2])|(i for i in [1,2])|{'a':1}.keys()|{'a':1}.items()|enumerate([5])|map(str,[1])
reversed([1,2])|PLAIN|Plain|Int(2)|Text('ab')|List([1,2])|Dict(a=1)|Color.RED|Level.HIGH|Rank.TOP|Empty|Pair(1,2)|len|x|x*2|(x,1)|[x*2]|{'t':x*2}
PLAIN.m|lambda *a: 1|'a b'.split|[1].append|int|Color|np.float32(2)|np.float32([1,2])|np.float64(2.5)|np.int64(2)|np.bool_(True)|np.str_('ab')|x.shape|x.dtype|Ellipsis|NotImplemented|x.value
bytearray(b'a')|collections.deque([1])|collections.OrderedDict(a=1)|collections.defaultdict(int)|'%s'|'%r'|[[1,2],[3,4]]
['a','b']|[(1,2)]|print|PLAIN.__init__|Tensor|ops.relu|math.pi|str""".replace("\n", "|").split("|")
FUNCTIONS = """abs all any ascii bin bool bytes callable chr complex dict divmod enumerate filter float format frozenset getattr hasattr hex
int isinstance issubclass iter len list map max min next oct ord pow print range repr reversed round set slice sorted str sum tuple type vars
zip math.floor math.sqrt math.isnan math.fsum math.gcd math.pow math.copysign math.log operator.add operator.mul operator.lt operator.eq
operator.getitem operator.contains operator.neg operator.index operator.concat operator.itemgetter operator.is_ operator.not_ operator.truth
operator.iadd operator.matmul operator.length_hint operator.attrgetter itertools.chain itertools.islice itertools.accumulate
itertools.product itertools.combinations itertools.zip_longest itertools.starmap itertools.takewhile itertools.groupby functools.reduce
functools.partial collections.deque collections.OrderedDict collections.Counter collections.namedtuple copy.copy Tensor ops.relu
ops.add ops.reshape ops.concat ops.stack ops.zeros ops.maximum np.float32 np.sqrt np.array""".split()
METHODS = """'a,b'.split 'ab'.join 'ab'.replace 'ab'.find 'ab'.startswith '{}'.format 'ab'.count 'ab'.strip 'ab'.encode 'ab'.upper 'ab'.zfill
[3,1].index [3,1].count [3,1].append [3,1].extend [3,1].insert [3,1].pop [3,1].remove [3,1].sort [3,1].copy (3,1).index (3,1).count
{'a':1}.get {'a':1}.pop {'a':1}.update {'a':1}.setdefault {'a':1}.keys {'a':1}.items {'a':1}.copy dict.fromkeys {1,2}.union {1,2}.add
{1,2}.discard {1,2}.issubset {1,2}.intersection {1,2}.difference frozenset([1]).union b'ab'.decode b'ab'.join (2).bit_length
(2.5).is_integer int.from_bytes range(5).index range(5).count slice(1,5).indices x.reshape x.sum x.astype x.transpose (x*2).mean
(x*2).view (x*2).item (x*2).asnumpy (x*2).expand_dims Pair._make Pair(1,2)._replace Pair(1,2)._asdict PLAIN.m Plain Int Text List Dict
Color Level Pair str.join list.append dict.get Tensor.sum int.__add__ (1).__add__ [1].__len__ 'a'.__contains__ [1].__getitem__
{'a':1}.__getitem__ {'a':1}.__contains__""".split()
ARGUMENTS = ["a", "a", "a, b", "a, b", "b, a", "*a", "*a, *b", "a, b, 1", "a, key=b", "a, default=b", "a, start=b", "a, reverse=b", "a, sep=b",
             "k=a", "**a", "x*2, a", "a, x*2"]
AROUND = ["list(%s)", "len(%s)", "(%s)[0]", "next(%s)", "[i for i in %s][:3]", "sum(%s)", "(%s) * (x*2)", "bool(%s)"]
OPERATIONS = ["%s + %s", "%s - %s", "%s * %s", "%s / %s", "%s // %s", "%s %% %s", "%s ** %s", "%s @ %s", "%s & %s", "%s | %s", "%s ^ %s",
              "%s << %s", "%s < %s", "%s == %s", "%s != %s", "%s >= %s", "%s is %s", "%s in %s", "%s not in %s", "%s and %s", "%s or %s",
              "%s[%s]", "(lambda *a, **k: (a, list(k)))(*%s, **%s)", "[*%s, *%s]", "{**%s, **%s}", "'%%s %%s' %% (%s, %s)",
              "(f'{%s}', f'{%s!r:>9}')", "{%s: %s}", "{%s, %s}", "[i for i in %s if i != %s]", "added(%s, %s)", "stored(%s, %s)",
              "sliced(%s, %s)", "unpacked(%s, %s)", "raised(%s, %s)", "entered(%s, %s)", "looped(%s, %s)", "deleted(%s, %s)", "named(%s, %s)"]
UNARY = ["-%s", "+%s", "~%s", "not %s", "%s()", "%s.zz", "%s.__class__", "(1 if %s else 2)"]
SMALL = re.compile(r"^lambda x, a, b: \(x \* 2, [ab] ([-+%&|^<>]|//|==|!=|>=|is|in|not in|and|or) [ab]\)$")  # with a huge int
ENDLESS = re.compile(r"iter\((?!a\))")  # iter(function, sentinel)
ADDRESSES = re.compile(r"(list|in) ?\(?(str|repr|ascii|format|'\{\}'|Text)")  # a list of the characters of one
UNORDERED = re.compile(r"(list|tuple|\[i for i in|next|sum|format|str|repr|ascii|f'|%).*(set|union|intersection|difference|\{1,2\})")


def added(a, b):
    a += b
    return a


def stored(a, b):
    a[b] = 5
    return a


def sliced(a, b):
    return a[b:], a[:b]


def unpacked(a, b):
    p, *q = a
    r, s = b
    return p, q, r, s


def raised(a, b):
    try:
        raise a
    except b:
        return 1


def entered(a, b):
    with a as q:
        return q, b


def looped(a, b):
    n = 0
    for i in a:
        n += 1
        if i == b:
            break
    else:
        n = -n
    return n


def deleted(a, b):
    del a[b]
    return a


def named(a, b):
    a.q = b
    return a.q, a.__class__


class Case:
    def __init__(self, text, calls):
        self.text, self.calls = text, calls

    @classmethod
    def random(cls, seed):
        rng = random.Random(seed)
        kind = rng.random()
        if kind < 0.45:
            text = "%s(%s)" % (rng.choice(rng.choice([FUNCTIONS, FUNCTIONS, METHODS])), rng.choice(ARGUMENTS))
            if rng.random() < 0.3:
                text = rng.choice(AROUND) % text
        elif kind < 0.9:
            text = rng.choice(OPERATIONS) % (rng.choice("aaab"), rng.choice("bbba"))
        else:
            text = rng.choice(UNARY) % "a"
        pool = [rng.choice(VALUES) for _ in range(3)]
        calls = [[rng.choice(pool if rng.random() < 0.8 else VALUES) for _ in "ab"] for _ in range(9)]
        return cls("lambda x, a, b: (x * 2, %s)" % text, calls)

    def can_run(self):
        try:
            compile(self.text, "<case>", "eval")
        except SyntaxError:
            return False
        huge = any(HUGE in pair for pair in self.calls) and not SMALL.match(self.text)
        return not huge and not any(odd.search(self.text) for odd in (ENDLESS, ADDRESSES, UNORDERED))

    def script(self):
        return "\n".join(["import sys; sys.path.insert(0, 'tests/fuzz')", "from value_fuzz import Case, run",
                          "print(run(Case(%r,\n    %r)))" % (self.text, self.calls)])


def picture(value, depth=0):
    """A comparable picture of a value; sets have no order, addresses are left out."""
    kind = type(value).__name__
    if depth > 4:
        return kind
    if isinstance(value, Tensor):
        return kind, str(value.dtype), value.asnumpy().tolist().__repr__()
    if type(value) in (list, tuple, collections.deque):
        return (kind,) + tuple(picture(v, depth + 1) for v in value)
    if type(value) in (set, frozenset):
        return kind, sorted(str(picture(v, depth + 1)) for v in value)
    if type(value) in (dict, collections.OrderedDict, collections.defaultdict):
        return kind, [(picture(k, depth + 1), picture(v, depth + 1)) for k, v in value.items()]
    if hasattr(value, "__next__"):
        try:
            return kind, [picture(v, depth + 1) for v in itertools.islice(value, 6)]
        except Exception as error:  # noqa: BLE001 - the function that a map() calls may raise
            return kind, nameless(error)
    return kind, nameless(repr(value))


def nameless(text):
    return re.sub("0x[0-9a-f]+", "0x", str(text))


def call(fn, texts):
    """Pictures of the result or error of a call, its arguments afterwards and its output. None if an argument cannot be made."""
    space = dict(globals(), x=Tensor(np.float32([1, 2])))
    try:
        a, b = (eval(text, space) for text in texts)
    except (TypeError, ValueError):
        return None
    out = io.StringIO()
    with warnings.catch_warnings(), redirect_stdout(out):
        warnings.simplefilter("ignore")
        try:
            result = picture(fn(space["x"], a, b))
        except RecursionError:
            return "recursion"
        except Exception as error:  # noqa: BLE001 - any exception is an outcome
            result = type(error).__name__, nameless(error)
        return result, picture(a), picture(b), picture(space["x"]), nameless(out.getvalue())


def run(case, ways=tuple(WAYS), whole=None):
    """None, or what differs and in which call. Appends to `whole`, if given, how many calls level STRICT did not refuse."""
    with SourceText(case.text) as text:
        plain = text.function(globals())
        expected = [call(plain, texts) for texts in case.calls]
        for way in ways:
            jitted = WAYS[way](text.function(globals()))
            for number, texts in enumerate(case.calls):
                got = call(jitted, texts)
                if expected[number] != got:
                    return "call %d: %s and under %s %s" % (number, expected[number], way, got)
            if way == "STRICT" and whole is not None:
                whole.append(jitted.whole)
    return None


def shrink(case):
    """The case without the calls that are not needed for the difference."""
    number = len(case.calls)
    while number:
        number -= 1
        fewer = Case(case.text, case.calls[:number] + case.calls[number + 1:])
        if run(fewer):
            case = fewer
    return case


def fuzz(seed=0, count=1000, keep_going=False, report=print):
    """(cases run, cases that level STRICT captured whole, the cases that fail)"""
    done, whole, failures = 0, [], []
    for number in range(seed, seed + count):
        case = Case.random(number)
        if not case.can_run():
            continue
        done += 1
        if run(case, ways_of(number), whole):
            small = shrink(case)
            failures.append(small)
            report("seed %d: %s\n%s" % (number, run(small), small.script()))
            if not keep_going:
                break
        if done % 500 == 0:
            ms.reset()
    return done, sum(map(bool, whole)), failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--keep-going", action="store_true")
    args = parser.parse_args()
    started = time.time()
    done, whole, failures = fuzz(args.seed, args.count, args.keep_going)
    print("python %d.%d: %d cases in %.1f s, %d captured whole, %d disagreements" % (
        sys.version_info[0], sys.version_info[1], done, time.time() - started, whole, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
