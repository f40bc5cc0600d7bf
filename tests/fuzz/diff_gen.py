"""Random Python programs for the differential fuzzer. A program is a module with a function `main(x, y, n, s, xs, d, o)`;
expressions are built by type, so that most programs run far, and a few go wrong on purpose."""
import random
import re

PRELUDE = '''\
import collections
import copy
import functools
import itertools
import math
import operator

import numpy as np

from msjit import Tensor, jit_class, ops

COUNT = 2
SHARED = [1, 2.5, "w"]
TABLE = {"a": 1, "b": 0.5}
TOTAL = None


class Box:
    scale = 2
    rate = 0.75

    def __init__(self, value, items):
        self.value = value
        self.items = items
        self.count = 0

    def bump(self, by=1):
        self.count += by
        return self.count

    def scaled(self, x, *, k=1):
        return x * self.scale + k

    @property
    def size(self):
        return len(self.items) + self.count

    @staticmethod
    def twice(v):
        return v + v

    @classmethod
    def make(cls, value):
        return cls(value, [value])

    def __call__(self, x):
        return x + self.count

    def __len__(self):
        return 3

    def __getitem__(self, k):
        return self.items[k]

    def __eq__(self, other):
        return isinstance(other, Box) and self.count == other.count

    __hash__ = None


class Child(Box):
    def bump(self, by=1):
        return super().bump(by + 1) + 1

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return len(name)


class Guarded:
    def __init__(self, swallow):
        self.swallow = swallow

    def __enter__(self):
        print("enter", self.swallow)
        return self

    def __exit__(self, kind, value, trace):
        print("exit", kind and kind.__name__)
        return self.swallow


Pair = collections.namedtuple("Pair", "left right")


def affine(x, a=2, *rest, b=1.0, **more):
    for r in rest:
        x = x + r
    return x * a + b + len(more)


def first(seq, default=None):
    for item in seq:
        return item
    return default


def bump_table(key, by):
    TABLE[key] = TABLE.get(key, 0) + by
    return TABLE


def grow(seq, item):
    seq.append(item)
    return seq


def must(flag, text):
    if not flag:
        raise ValueError(text)
    return text
'''

UNARY = ["ops.tanh", "ops.relu", "ops.exp", "ops.abs", "ops.sigmoid", "ops.neg"]
# What level STRICT of PSJit does not have; `is` is there for None, True and False.
OUTSIDE = re.compile(r"\b(repr|divmod|ord|sorted|next|iter|set|frozenset|slice|callable|vars|type|functools|itertools|operator|"
                     r"collections|copy|math|global|nonlocal|del|bump|setattr|grow|is|is not|scaled|Child|make|rate|partial|"
                     r"popitem|enter|items)\b|\{[^:{}]*\}|for .* for |!r|x\[0\] =")
KEYS = ['"a"', '"b"', '"c"', '"k"']


class Program:
    """One random program: `source` after `build()`."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.strict = self.chance(0.3)  # for the most part in the language of level STRICT
        self.lines = []
        self.level = 1
        self.names = 0
        self.loops = 0
        self.scope = {"T": ["x", "y"], "i": ["n"], "s": ["s"], "l": ["xs"], "d": ["d"], "o": ["o"],
                      "f": [], "b": [], "t": [], "c": [], "st": []}
        self.fixed = set()  # names that must not be assigned: loop counters

    # --- helpers ---
    def pick(self, *options):
        return self.r.choice(options)

    def chance(self, p):
        return self.r.random() < p

    def rarely(self, wild, tame):
        return wild if self.chance(0.12) else tame

    def fresh(self, kind):
        self.names += 1
        return "%s%d" % (kind, self.names)

    def line(self, text):
        self.lines.append("    " * self.level + text)

    def var(self, kind):
        names = self.scope[kind]
        return self.r.choice(names) if names else None

    def expr(self, kind, depth=2):
        name = self.var(kind)
        if name and (depth <= 0 or self.chance(0.3)):
            return name
        for _ in range(8 if self.strict else 0):
            text = getattr(self, "expr_" + kind)(depth - 1)
            if not OUTSIDE.search(text):
                return text
        return getattr(self, "expr_" + kind)(-1 if self.strict else depth - 1)

    # --- expressions by type: T tensor, i int, f float, s str, b bool, l list, d dict, t tuple, o Box, c callable,
    #     st set ---
    def expr_T(self, d):
        e = self.expr
        if d < 0:
            return self.pick("x", "y")
        simple = [
            lambda: "(%s %s %s)" % (e("T", d), self.pick("+", "-", "*"), self.expr(self.pick("T", "i", "f"), d)),
            lambda: "(%s %s %s)" % (e("f", d), self.pick("+", "-", "*"), e("T", d)),
            lambda: "%s(%s)" % (self.r.choice(UNARY), e("T", d)),
            lambda: "ops.maximum(%s, %s)" % (e("T", d), e("T", d)),
            lambda: "-%s" % e("T", d),
            lambda: "(%s).sum()" % e("T", d),
            lambda: "ops.where(%s > %s, %s, %s)" % (e("T", d), e("f", d), e("T", d), e("T", d)),
            lambda: "affine(%s, %s, b=%s)" % (e("T", d), e("i", d), e("f", d)),
            lambda: "affine(%s, %s, %s, *%s, q=1)" % (e("T", d), e("i", d), e("T", d), e("t", d)),
            lambda: "%s(%s)" % (e("c", d), e("T", d)),
            lambda: "%s.scaled(%s, k=%s)" % (e("o", d), e("T", d), e("i", d)),
            lambda: "%s(%s)" % (e("o", d), e("T", d)),
            lambda: "(%s if %s else %s)" % (e("T", d), e("b", d), e("T", d)),
            lambda: "sum([%s for q in range(%d)], %s)" % (e("T", d), self.r.randint(0, 3), e("T", d)),
            lambda: "functools.reduce(operator.add, [%s, %s], %s)" % (e("T", d), e("T", d), e("T", d)),
            lambda: "%s.value" % e("o", d),
            lambda: "x[%s]" % self.rarely("5", self.pick("0:1", "...", "None", "..., 0")),
            lambda: "first([%s], %s)" % (e("T", d), e("T", d)),
            lambda: "operator.mul(%s, %s)" % (e("T", d), e("i", d)),
            lambda: "abs(%s)" % e("T", d),
            lambda: "ops.stack([%s, %s]).sum(axis=0)" % ("x", "x"),
            lambda: "next(iter([%s]))" % e("T", d),
            lambda: "max([%s, %s], key=lambda v: v.ndim)" % (e("T", d), e("T", d)),
            lambda: "[%s, %s, %s][%s]" % (e("T", d), e("T", d), e("T", d), self.place(d)),
            lambda: "(%s, %s, ops.neg)[%s](%s)" % (e("c", d), e("c", d), self.place(d), e("T", d)),
            lambda: "ops.%s(%s, %s)" % (self.pick("assign", "assign_add", "assign_sub"), e("T", 0), e("T", d)),
        ]
        return self.r.choice(simple)()

    def place(self, d):
        """An integer tensor that is mostly a valid index of a short list."""
        return "(%s > %s).sum()%s" % (self.expr("T", d), self.threshold(), self.rarely("", self.pick(" % 2", " % 3 - 1")))

    def threshold(self):
        """A number that is seldom so close to a result that rounding decides the comparison."""
        return self.pick("0.0713", "-0.3171", "1.6137", "50.5", "-50.5")

    def condition(self, d):
        """A condition on the value of a tensor."""
        return "%s %s %s" % (self.pick("(%s).sum()", "(%s).max()", "(%s).min()", "ops.abs(%s).sum()") % self.expr("T", d),
                             self.pick("<", ">"), self.threshold())

    def expr_i(self, d):
        e = self.expr
        if d < 0:
            return str(self.r.randint(-2, 4))
        return self.r.choice([
            lambda: "(%s %s %s)" % (e("i", d), self.pick("+", "-", "*", "&", "|", "^"), e("i", d)),
            lambda: "(%s %s %s)" % (e("i", d), self.pick("//", "%"), self.rarely(e("i", d), self.pick("2", "-3"))),
            lambda: "len(%s)" % e(self.pick("l", "d", "t", "s", "o", "st"), d),
            lambda: "x.shape[%s]" % self.pick("0", "-1", "1"),
            lambda: "int(%s)" % e("f", d),
            lambda: "COUNT",
            lambda: "%s.count" % e("o", d),
            lambda: "%s.bump(%s)" % (e("o", d), e("i", d)),
            lambda: "%s.size" % e("o", d),
            lambda: "max(%s, %s)" % (e("i", d), e("i", d)),
            lambda: "min(%s, %s, 3)" % (e("i", d), e("i", d)),
            lambda: "abs(%s)" % e("i", d),
            lambda: "sum(v for v in %s if isinstance(v, int))" % e("l", d),
            lambda: "sum([1 for v in %s])" % e(self.pick("l", "t", "d"), d),
            lambda: self.rarely("%s.index(%s)" % (e("l", d), e("i", d)), "[4, 2, 1].index(2)"),
            lambda: "%s.count(%s)" % (e(self.pick("l", "t"), d), e("i", d)),
            lambda: "ord(%s[:1] or 'z')" % e("s", d),
            lambda: "divmod(%s, 3)[%d]" % (e("i", d), self.r.randint(0, 1)),
            lambda: "round(%s)" % e("f", d),
            lambda: "(%s if %s else %s)" % (e("i", d), e("b", d), e("i", d)),
            lambda: "%s.get(%s, %s)" % ("TABLE", self.r.choice(KEYS), e("i", d)),
            lambda: "x.ndim",
            lambda: "~%s" % e("i", d),
            lambda: "math.gcd(%s, 6)" % e("i", d),
            lambda: "functools.reduce(lambda p, q: p + q, range(%d), %s)" % (self.r.randint(0, 4), e("i", d)),
            lambda: "%s.find(%s)" % (e("s", d), e("s", d)),
            lambda: "(%s and %s)" % (e("i", d), e("i", d)),
            lambda: "(%s or %s)" % (e("i", d), e("i", d)),
            lambda: "Box.scale",
            lambda: "getattr(%s, 'count', 7)" % e("o", d),
            lambda: self.rarely("o.nothing", "o.count"),
            lambda: "next(itertools.count(%s))" % e("i", d),
            lambda: "%s.bit_length()" % e("i", d).replace("-", "").join("()"),
            lambda: "Pair(%s, %s).right" % (e("i", d), e("i", d)),
            lambda: "int(%s)" % self.place(d),
            lambda: "int(%s)" % self.condition(d),
        ])()

    def expr_f(self, d):
        e = self.expr
        if d < 0:
            return self.pick("0.5", "-1.25", "2.0", "3.5")
        return self.r.choice([
            lambda: "(%s %s %s)" % (e("f", d), self.pick("+", "-", "*"), e(self.pick("f", "i"), d)),
            lambda: "(%s / %s)" % (e("i", d), self.rarely(e("i", d), "(1 + abs(%s))" % e("i", d))),
            lambda: "math.sqrt(abs(%s))" % e("f", d),
            lambda: "float(%s)" % e("i", d),
            lambda: "round(%s, 2)" % e("f", d),
            lambda: "math.floor(%s) * 1.0" % e("f", d),
            lambda: "math.pi",
            lambda: "max(%s, %s)" % (e("f", d), e("f", d)),
            lambda: "float(ops.sum(%s))" % e("T", d),
            lambda: "float(%s)" % self.place(d),
            lambda: "((%s).max().item() + 0.0)" % e("T", d),  # which zero is the largest is not defined
            lambda: "SHARED[1]",
            lambda: "pow(%s, 2)" % e("f", d),
            lambda: "%s.rate" % e("o", d),
            lambda: "o.rate",
            lambda: "-%s" % e("f", d),
            lambda: "(%s ** %s)" % (e("f", d), self.pick("2", "0.5", "-1", "n")),
            lambda: "(%s / %s)" % (e("f", d), e("f", d)),
        ])()

    def expr_s(self, d):
        e = self.expr
        if d < 0:
            return self.pick("'ab'", "'a'", "'xyz'", "''")
        return self.r.choice([
            lambda: "(%s + %s)" % (e("s", d), e("s", d)),
            lambda: "f'{%s}-{%s}'" % (self.deny_quotes(e("i", d)), self.var("s")),
            lambda: "f'{%s!r:>6}'" % self.deny_quotes(e("i", d)),
            lambda: "str(%s)" % e(self.pick("i", "b"), d),
            lambda: "repr(%s)" % e(self.pick("i", "s", "t"), d),
            lambda: "%s.upper()" % e("s", d),
            lambda: "%s.replace('a', %s)" % (e("s", d), e("s", d)),
            lambda: "%s[%s:]" % (e("s", d), e("i", d)),
            lambda: "%s[::-1]" % e("s", d),
            lambda: "%s.join([%s, %s])" % (e("s", d), e("s", d), e("s", d)),
            lambda: "'%%s=%%d' %% (%s, %s)" % (e("s", d), e("i", d)),
            lambda: "'{}/{k}'.format(%s, k=%s)" % (e("i", d), e("s", d)),
            lambda: "type(%s).__name__" % e(self.pick("i", "l", "d", "o", "T"), d),
            lambda: "%s * %s" % (e("s", d), self.pick("2", "0", "-1")),
            lambda: "must(%s, %s)" % (self.rarely(e("b", d), "len(s) > 1"), e("s", d)),
            lambda: "%s.strip().split('-')[0]" % e("s", d),
        ])()

    def deny_quotes(self, text):
        return text if not set(text) & set("'\"\\{}:!") else "n"

    def expr_b(self, d):
        e = self.expr
        if d < 0:
            return self.pick("True", "False", "n > 1", "len(xs) > 2")
        return self.r.choice([
            lambda: "%s %s %s" % (e("i", d), self.pick("<", ">", "==", "!=", "<="), e("i", d)),
            lambda: "(%s < %s <= %s)" % (e("i", d), e("i", d), e("i", d)),
            lambda: "not %s" % e("b", d),
            lambda: "(%s and %s)" % (e("b", d), e("b", d)),
            lambda: "(%s or %s)" % (e("b", d), e("b", d)),
            lambda: "(%s %s %s)" % (e("i", d), self.pick("in", "not in"), self.pick("(1, 2, 3)", "{1, 2}", "[0, 1]")),
            lambda: "(%s in %s)" % (self.r.choice(KEYS), e("d", d)),
            lambda: "(%s is %s)" % (e("l", 0), e("l", 0)),
            lambda: "(%s is not %s)" % (e("o", 0), e("o", 0)),
            lambda: "(%s is %s)" % (e("T", 0), e("T", 0)),
            lambda: "isinstance(%s, %s)" % (e(self.pick("i", "l", "o", "T", "s"), d),
                                            self.pick("int", "(list, str)", "Box", "Tensor", "Child", "object")),
            lambda: "(%s == %s)" % (e("s", d), e("s", d)),
            lambda: "(%s %s %s)" % (e("l", d), self.pick("==", "!="), e("l", 0)),
            lambda: "hasattr(%s, %s)" % (e("o", d), self.pick("'items'", "'missing'", "'_q'")),
            lambda: "bool(%s)" % e(self.pick("l", "d", "i", "s", "t"), d),
            lambda: "any([%s, %s])" % (e("b", d), e("b", d)),
            lambda: "all(v for v in [%s, %s])" % (e("i", d), e("b", d)),
            lambda: "callable(%s)" % e(self.pick("c", "i", "o"), d),
            lambda: self.rarely("bool(x > 0)", "bool(ops.sum(%s) > %s)" % (e("T", d), e("i", d))),
            lambda: "(%s == %s)" % (e("o", d), e("o", 0)),
            lambda: "(%s)" % self.condition(d),
            lambda: "(%s)" % self.condition(d),
            lambda: "%s.startswith(%s)" % (e("s", d), e("s", 0)),
            lambda: "(%s == %s)" % (e("t", d), e("t", 0)),
        ])()

    def expr_l(self, d):
        e = self.expr
        any_kind = lambda: self.pick("i", "f", "s", "T", "i")
        if d < 0:
            return self.pick("xs", "[1, 2]", "[]", "o.items", "SHARED")
        return self.r.choice([
            lambda: "[%s]" % ", ".join(e(any_kind(), d) for _ in range(self.r.randint(0, 3))),
            lambda: "[*%s, %s]" % (e("l", d), e("i", d)),
            lambda: "(%s + %s)" % (e("l", d), e("l", d)),
            lambda: "%s[%s:%s]" % (e("l", d), self.pick("", "0", "1", "-2"), self.pick("", "2", "-1")),
            lambda: "%s[::%s]" % (e("l", d), self.pick("-1", "2")),
            lambda: "list(%s)" % e(self.pick("l", "t", "d"), d),
            lambda: "list(range(%s))" % self.pick("3", "n", "1, 4", "4, 0, -2"),
            lambda: "[%s for v in %s]" % (self.pick("v", "(v, 1)", "[v]"), e("l", d)),
            lambda: "[f() for f in [lambda: v for v in %s]]" % e("l", d),
            lambda: "[(lambda: (v, %s))()[0] for v in %s if v]" % (e("i", d), e("l", d)),
            lambda: "[p * q for p in range(2) for q in range(%s) if p != q]" % self.pick("2", "3", "n"),
            lambda: "sorted([%s, %s, 2]%s)" % (e("i", d), e("i", d), self.pick("", ", reverse=True",
                                                                             ", key=lambda v: -v")),
            lambda: "list(map(lambda v: v, %s))" % e("l", d),
            lambda: "list(filter(None, %s))" % "[0, %s, 1]" % e("i", d),
            lambda: "list(reversed(%s))" % e("l", d),
            lambda: "list(zip(%s, %s))" % (e("l", d), e("t", d)),
            lambda: "list(enumerate(%s, %s))" % (e("l", d), self.pick("0", "1")),
            lambda: "%s.items" % e("o", d),
            lambda: "%s.copy()" % e("l", d),
            lambda: "grow(%s, %s)" % (e("l", d), e(any_kind(), d)),
            lambda: "list(%s.%s())" % (e("d", d), self.pick("keys", "values", "items")),
            lambda: "(%s * %s)" % (e("l", d), self.pick("2", "0", "1")),
            lambda: "sorted(%s)" % e("st", d),
            lambda: "list(itertools.chain(%s, %s))" % (e("l", d), e("t", d)),
            lambda: "list(itertools.islice(%s, 2))" % e("l", d),
            lambda: "copy.copy(%s)" % e("l", d),
            lambda: "(%s or %s)" % (e("l", d), e("l", d)),
        ])()

    def expr_d(self, d):
        e = self.expr
        any_kind = lambda: self.pick("i", "f", "s", "T", "l")
        if d < 0:
            return self.pick("d", "{'a': 1}", "{}", "TABLE")
        return self.r.choice([
            lambda: "{%s}" % ", ".join("%s: %s" % (self.r.choice(KEYS), e(any_kind(), d))
                                       for _ in range(self.r.randint(0, 3))),
            lambda: "{**%s, %s: %s}" % (e("d", d), self.r.choice(KEYS), e("i", d)),
            lambda: "dict(%s)" % e("d", d),
            lambda: "dict(a=%s, z=%s)" % (e("i", d), e(any_kind(), d)),
            lambda: "{v: w for v, w in %s.items()}" % e("d", d),
            lambda: "{v: %s for v in range(%s)}" % (e(any_kind(), d), self.pick("2", "n", "0")),
            lambda: "%s.copy()" % e("d", d),
            lambda: "bump_table(%s, %s)" % (self.r.choice(KEYS), e("i", d)),
            lambda: "dict(zip('ab', %s))" % e("l", d),
            lambda: "collections.OrderedDict(%s)" % e("d", d),
        ])()

    def expr_t(self, d):
        e = self.expr
        any_kind = lambda: self.pick("i", "f", "s", "T", "l")
        if d < 0:
            return self.pick("(1, 2)", "()", "(n, s)", "x.shape")
        return self.r.choice([
            lambda: "(%s, %s)" % (e(any_kind(), d), e(any_kind(), d)),
            lambda: "tuple(%s)" % e("l", d),
            lambda: "(*%s, %s)" % (e("t", d), e("i", d)),
            lambda: "(%s + %s)" % (e("t", d), e("t", d)),
            lambda: "%s[%s:]" % (e("t", d), self.pick("0", "1", "-1")),
            lambda: "Pair(%s, %s)" % (e(any_kind(), d), e(any_kind(), d)),
            lambda: "divmod(%s, 4)" % e("i", d),
            lambda: "x.shape",
        ])()

    def expr_o(self, d):
        e = self.expr
        if d < 0:
            return "o"
        return self.r.choice([
            lambda: "o",
            lambda: "Box(%s, %s)" % (e("T", d), e("l", d)),
            lambda: "Child(%s, %s)" % (e("T", d), e("l", d)),
            lambda: "Box.make(%s)" % e("T", d),
            lambda: "copy.copy(o)",
        ])()

    def expr_c(self, d):
        e = self.expr
        if d < 0:
            return self.pick("ops.tanh", "abs", "Box.twice", "operator.neg")
        return self.r.choice([
            lambda: "(lambda v: v %s %s)" % (self.pick("+", "*"), e(self.pick("T", "i"), d)),
            lambda: "(lambda v, k=%s: v * k)" % e("i", d),
            lambda: "functools.partial(affine, b=%s)" % e("f", d),
            lambda: "%s.scaled" % e("o", d),
            lambda: "operator.itemgetter(%s)" % self.pick("0", "-1"),
            lambda: "Box.twice",
        ])()

    def expr_st(self, d):
        e = self.expr
        if d < 0:
            return self.pick("{1, 2}", "set()", "frozenset([n])")
        return self.r.choice([
            lambda: "{%s, %s}" % (e("i", d), e("i", d)),
            lambda: "set([%s, %s])" % (e("i", d), e("i", d)),
            lambda: "{v * 2 for v in range(%s)}" % self.pick("2", "3", "n"),
            lambda: "(%s %s %s)" % (e("st", d), self.pick("|", "&", "-", "^"), e("st", d)),
            lambda: "frozenset([%s])" % e("i", d),
        ])()
