"""Guard fuzzer: programs whose functions read everything a program can reach, changed between (and during) calls.

    python tests/fuzz/guard_fuzz.py [--seed N] [--mutations N] [--seconds N]

A case is a list of features (what the program reads), a list of function layouts and a list of steps. A step calls `main`
or executes one statement that changes one reachable object. Two copies of the program run side by side, one plain, one
through jit; results, exceptions and everything reachable afterwards must agree. A disagreement is shrunk and printed as a
program that can be run by itself. Cases follow from their seed alone.
"""
import argparse
import builtins
import random
import re
import sys
import time
import types

import numpy as np

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

NUMBERS = ["0", "1", "2", "-1", "3", "True", "False", "0.5", "1.0", "-0.0", "2.5", "float('nan')", "2**70"]
TENSORS = ["Tensor(np.float32([1, 2, 3]))", "Tensor(np.float32([[1, 2, 3], [4, 5, 6]]))", "Tensor(np.int32([1, 2, 3]))",
           "Tensor(np.float64([2, 2, 2]))", "Tensor(np.float32([[1], [2]]))", "Tensor(np.float32(3))"]
ODD = ["None", "'s'", "(1, 2)", "[1, 2]", "{'a': 1}", "len", "Point(1)", "Point", "lambda *a: 2", "b'x'", "range(3)"]
FUNCTIONS = ["lambda *a, **k: a[-1]", "lambda *a, **k: 3", "lambda x=1, *a: x", "lambda self, x=2: x", "abs", "None"]

PRELUDE = """
class Point:
    def __init__(self, v):
        self.v = v

class Other:
    v = 7
    def __init__(self, v=0):
        self.w = v
    def meth(self, x):
        return x - 1
    @property
    def prop(self):
        return 9
    def __call__(self, x):
        return x * 5

class Odd(types.ModuleType):
    a = 8
    @property
    def t(self):
        return 9
"""


class Feature:
    """What a program may read. In the texts # is the feature's number, $n a number, $t a tensor, $v any value, $f a
    function; `names` is what main defines for it."""

    def __init__(self, name, setup, reads, changes):
        self.name, self.setup, self.reads, self.changes = name, setup, reads, changes


FEATURES = [
    Feature("number", "G# = $n", ["G#", "-G#", "(G# + 1)", "(x.ndim + G#)", "(G# if G# else 4)"],
            ["G# = $n", "G# = $v", "del G#", "G# += 1", "G# = $t"]),
    Feature("rate", "F# = 0.5", ["F#", "(F# * 2)", "(1 - F#)", "(x.ndim / F#)", "(F# ** 2)", "-F#", "(F# if F# > 0.3 else 1)"],
            ["F# = 0.25", "F# *= 0.75", "F# += 0.125", "F# -= 0.5", "F# = $n"]),
    Feature("tensor", "T# = $t", ["T#", "T#.shape[-1]", "T#.sum()", "(T# * 2)", "T#.ndim"],
            ["T# = $t", "T# = $v", "T#.set_data($t)", "T# = T# + 1", "T#[0] = 5", "T#.requires_grad = True",
             "T#.requires_grad = False"]),
    Feature("sizes", "S# = Tensor(np.float32([[1, 2, 3]] * 2))\nN# = 2",
            ["S#.shape[0]", "S#.sum(axis=0)", "S#.reshape(-1)[:3]", "(S# * S#.shape[0]).sum()", "len(S#)", "(S#[:N#] + N#)[-1]",
             "ops.zeros((N#, 3))", "(x * N#)", "(S#.size // N#)"],
            ["S# = Tensor(np.float32([[1, 2, 3]] * %d))" % k for k in (1, 2, 3, 4, 5, 6, 7)] +
            ["N# += 1", "N# = 1", "N# = $n", "S# = $t", "S# = S#.T", "S#.set_data(Tensor(np.float32([[1, 2, 3]] * 8)))"]),
    Feature("builtin", "", ["len([x, x])", "abs(-2)", "int(2.5)", "max(1, 2)", "float(3)"],
            ["len = lambda s: 40", "abs = $f", "int = $f", "max = lambda *a: a[0]", "del len", "del abs",
             "del max", "builtins.abs = $f", "builtins.len = lambda s: 30", "builtins.abs = real_abs",
             "builtins.len = real_len", "float = $f"]),
    Feature("module", "import types as types#\nM# = types#.ModuleType('helper#')\nM#.a = $n\nM#.f = lambda x: x + M#.a\n"
                      "M#.t = $t", ["M#.a", "M#.f(x)", "M#.t", "M#.f(M#.a)"],
            ["M#.a = $v", "del M#.a", "M#.f = $f", "M#.t = $t", "M# = Point(1)", "M#.f.__code__ = (lambda x: x + 2).__code__",
             "M# = types#.ModuleType('again'); M#.a = $n; M#.f = $f", "M#.__dict__['a'] = $n", "M#.__getattr__ = $f", "M#.__class__ = Odd",
             "M#.__class__ = types.ModuleType", "Odd.t = property(lambda m: 7)"]),
    Feature("closure", "def make#():\n    c = $n\n    d = $t\n    def read(x):\n        return x * c + d\n    def write(v):\n"
                       "        nonlocal c\n        c = v\n    def retensor(v):\n        nonlocal d\n        d = v\n"
                       "    def drop():\n        nonlocal c\n        del c\n"
                       "    return read, write, retensor, drop\nread#, write#, retensor#, drop# = make#()",
            ["read#(x)", "read#(2)", "read#.__closure__[0].cell_contents"],
            ["write#($n)", "write#($v)", "retensor#($t)", "drop#()", "read#.__closure__[0].cell_contents = $n",
             "read#, write#, retensor#, drop# = make#()", "read#.__code__ = make#()[0].__code__"]),
    Feature("defaults", "def dflt#(x, a=$n, *rest, k=$n, **more):\n    return x * a + k + len(rest) + len(more)",
            ["dflt#(x)", "dflt#(x, 2)", "dflt#(x, k=3)", "dflt#(2)", "dflt#(x, 1, 2, z=1)"],
            ["dflt#.__defaults__ = ($n,)", "dflt#.__defaults__ = None", "dflt#.__kwdefaults__ = {'k': $n}",
             "dflt#.__kwdefaults__['k'] = $v", "dflt#.__kwdefaults__ = None", "dflt#.__defaults__ = ($v,)",
             "del dflt#.__kwdefaults__['k']", "dflt#.__kwdefaults__['a'] = 3",
             "dflt#.__code__ = (lambda x, a=1, *rest, k=1, **more: x + a).__code__", "dflt# = $f"]),
    Feature("instance",
            "class C#:\n    attr = $n\n    lst = [1, 2]\n    ten = $t\n    def __init__(self):\n        self.a = $n\n"
            "        self.t = $t\n    def meth(self, x):\n        return x * self.a\n    @property\n    def prop(self):\n"
            "        return self.a\n    @staticmethod\n    def stat(x):\n        return x + 1\n    @classmethod\n"
            "    def klass(cls, x):\n        return x * cls.attr\n    def __call__(self, x):\n        return x + self.attr\n"
            "    def __len__(self):\n        return 3\n"
            "class D#(C#):\n    def meth(self, x):\n        return super().meth(x) + 1\nI# = D#()",
            ["I#.a", "I#.t", "I#.attr", "I#.meth(x)", "I#.prop", "I#.stat(x)", "I#.klass(x)", "I#(x)", "len(I#)", "C#.attr",
             "I#.lst[0]", "I#.ten", "isinstance(I#, C#)", "hasattr(I#, 'b')", "getattr(I#, 'a')", "D#.klass(x)",
             "C#.meth(I#, x)", "type(I#).attr", "getattr(I#, 'zz', 3)"],
            ["I#.a = $v", "del I#.a", "I#.t = $t", "I#.attr = $n", "C#.attr = $v", "D#.attr = $n", "del D#.attr",
             "I#.meth = $f", "D#.meth = lambda self, x: x + 5", "C#.meth = lambda self, x: x + 6", "del D#.meth",
             "C#.prop = 5", "C#.prop = property(lambda s: 8)", "I#.__dict__['prop'] = 4", "C#.stat = staticmethod($f)",
             "C#.klass = classmethod(lambda cls, x: x)", "I#.__class__ = C#", "I#.__class__ = Other", "I# = C#()",
             "I# = D#()", "I# = Other()", "C#.__call__ = lambda self, x: x", "C#.lst[0] = $n", "C#.lst = (5,)",
             "C#.lst.append(1)", "C#.ten = $t", "I#.__dict__ = {'a': 3, 't': 2}", "I#.b = 1", "C#.__len__ = lambda s: 4",
             "C#.__getattr__ = lambda self, n: 11", "C#.__getattribute__ = lambda self, n: 12", "del C#.attr",
             "I#.__dict__.clear()", "D#.__bases__ = (Other, C#)", "D#.__bases__ = (C#,)", "C#.a = property(lambda s: 21)",
             "I#.stat = $f", "I#.__len__ = lambda: 9", "C#.meth.__code__ = (lambda self, x: x - 4).__code__",
             "C#.meth.__defaults__ = (2,)", "C#.zz = $n", "D#.lst = I#.lst", "vars(C#)['stat'].__init__($f)",
             "vars(C#)['klass'].__init__(lambda cls, x: x * 3)"]),
    Feature("metaclass",
            "class MA#(type):\n    k = $n\nclass MB#(type):\n    k = $n\n    def __call__(cls, *a):\n        return 4\n"
            "    def __instancecheck__(cls, o):\n        return True\nclass X#(metaclass=MA#):\n    v = $n",
            ["X#.k", "X#.v", "(2 if isinstance(x, X#) else 3)", "(2 if type(X#) is MA# else 5)", "(3 if X#() == 4 else 1)",
             "(2 if hasattr(X#, 'w') else 3)", "(2 if isinstance(X#, MB#) else 3)"],
            ["X#.__class__ = MB#", "X#.__class__ = MA#", "MA#.k = $v", "MB#.k = $n", "X#.v = $v", "X#.k = $n", "del X#.k",
             "MA#.__call__ = lambda cls, *a: 4", "del MB#.__call__", "MA#.v = property(lambda cls: 3)", "MB#.w = $n",
             "MA#.__instancecheck__ = lambda cls, o: o is not cls", "del MB#.__instancecheck__", "MA#.__getattr__ = lambda cls, n: 6"]),
    Feature("special",
            "class V#:\n    def __init__(self, v):\n        self.v = v\n    def __add__(self, o):\n        return self.v + o\n"
            "    def __mul__(self, o):\n        return o * self.v\n    def __bool__(self):\n        return bool(self.v)\n"
            "    def __eq__(self, o):\n        return self.v == o\n    def __getitem__(self, i):\n        return self.v + i\n"
            "    def __contains__(self, i):\n        return i == self.v\n    def __iter__(self):\n        return iter([1, self.v])\n"
            "    def __enter__(self):\n        return self.v\n    def __exit__(self, *a):\n        return False\n"
            "    def __setattr__(self, n, v):\n        object.__setattr__(self, n, v)\nV_# = V#($n)\nW_# = V#($n)",
            ["(V_# + 1)", "(V_# * x)", "(2 if V_# else 3)", "(2 if V_# == 2 else 3)", "V_#[1]", "(1 in V_#)", "sum(V_#)",
             "(2 if not V_# else 5)", "held#(V_#)", "fresh#(x)", "(2 if V_# == W_# else 4)"],
            ["V_#.v = $v", "V_# = V#($n)", "V#.__add__ = lambda s, o: 4", "V#.__bool__ = lambda s: True", "del V#.__bool__",
             "V#.__eq__ = lambda s, o: True", "V#.__getitem__ = lambda s, i: 6", "del V#.__contains__", "del V#.__mul__",
             "V#.__iter__ = lambda s: iter([3])", "V#.__exit__ = lambda s, *a: True", "V_#.__class__ = Other",
             "V#.__radd__ = lambda s, o: 7", "V#.__init__ = lambda s, v: s.__dict__.update(v=9)", "V_# = W_#", "W_# = V_#",
             "V#.__new__ = lambda c, *a: object.__new__(c)", "V#.__setattr__ = lambda s, n, v: None",
             "V_#.__dict__['v'] = $n", "V_#.__add__ = lambda o: 1"]),
    Feature("tensor control", "H# = $n\nJ# = [1, 2]", ["sign#(x)", "sign#(-x)", "loop#(x)", "grown#(x, J#)", "caught#(x)"],
            ["H# = $n", "H# = $t", "J#.append(3)", "J#.pop()", "J# = $v", "sign#.__code__ = loop#.__code__", "H# = $v",
             "J#[0] = $t", "J#.clear()"]),
    Feature("named", "import collections as co#\nY# = co#.namedtuple('Y#', 'a b')\nZ# = Y#($n, $t)",
            ["Z#.a", "Z#[0]", "Z#.b", "len(Z#)", "(Z#.a if isinstance(Z#, tuple) else 2)"],
            ["Z# = Y#($n, $t)", "Z# = ($n, $n)", "Z# = Y#($v, $v)", "Y#.c = $n", "Y#.a = property(lambda s: 3)"]),
    Feature("slots", "class S#:\n    __slots__ = ('a', 'b')\n    k = $n\nO# = S#()\nO#.a = $n", ["O#.a", "O#.k"],
            ["O#.a = $v", "del O#.a", "O# = S#()", "S#.k = $n", "O# = Other()"]),
    Feature("list", "L# = [$n, $t, $n]", ["L#[0]", "L#[-1]", "len(L#)", "(L#[0] if L# else 3)", "sum([1 for v in L#])",
                                         "(1 in L#)", "(x * L#[1])"],
            ["L#[0] = $v", "L#.append($n)", "L#.pop()", "L#[1] = $t", "L#.clear()", "L# = tuple(L#)", "L# = $v",
             "L#.reverse()", "L#[:] = [1, 2, 3]", "L# = list(L#)", "L#.insert(0, $t)", "del L#[0]"]),
    Feature("dict", "D_# = {'a': $n, 'b': $t, 3: $n}", ["D_#['a']", "D_#['b']", "D_#[3]", "len(D_#)", "('a' in D_#)",
                                                      "D_#.get('c', 4)", "sum([1 for k in D_#])",
                                                      "[k for k in D_#][0].__len__()", "sum([2 for v in D_#.values()])"],
            ["D_#['a'] = $v", "del D_#['a']", "D_#['c'] = $n", "D_#['b'] = $t", "D_#.clear()", "D_# = $v",
             "D_#['a'] = D_#.pop('a')", "D_# = dict(D_#)", "D_#.update(a=$n)", "D_# = dict(reversed(list(D_#.items())))"]),
    Feature("tuple", "U# = ($n, ($n, $t))", ["U#[0]", "U#[1][0]", "len(U#)", "U#[1][1]", "U#[-1][-1]"],
            ["U# = ($n, ($n, $t))", "U# = ($n,)", "U# = [1, (2, 3)]", "U# = $v"]),
    Feature("alias", "A# = [1.0]\nB# = A#\nP# = Point($n)\nQ# = P#",
            ["grow#(A#, B#)", "(2 if A# is B# else 3)", "(2 if P# is Q# else 3)", "both#(P#, Q#)"],
            ["A# = [1.0]", "B# = A#", "A# = B#", "B#.append(2.0)", "Q# = Point($n)", "P# = Q#", "P#.v = $n", "Q#.v = $n",
             "A#[0] = $n"]),
    Feature("net",
            "class Net#(nn.Cell):\n    def __init__(self):\n        super().__init__()\n"
            "        self.w = Parameter(Tensor(np.float32([2, 3, 4])), name='w')\n        self.scale = $n\n"
            "        self.act = nn.ReLU()\n    def construct(self, x):\n        y = self.act(x * self.w) * self.scale\n"
            "        if self.training:\n            y = y + 1\n        return y\n"
            "class Wrap#(nn.Cell):\n    def __init__(self):\n        super().__init__()\n        self.inner = Net#()\n"
            "        self.cells_ = nn.SequentialCell([Net#(), nn.ReLU()])\n"
            "    def construct(self, x):\n        return self.cells_(self.inner(x))\nN# = Wrap#()",
            ["N#(x)", "N#.inner(x)", "N#.inner.w", "N#.training"],
            ["N#.set_train(True)", "N#.set_train(False)", "N#.inner = Net#()", "N#.inner.w.set_data($t)",
             "N#.inner.w = Parameter($t, name='w')", "N#.inner.scale = $v", "N#.inner.act = nn.Tanh()",
             "N#.inner.act = lambda x: x", "Net#.construct = lambda self, x: x", "N#.inner.training = True",
             "N#.inner.w.requires_grad = False", "N# = Wrap#()", "del N#.inner", "N#.inner.__class__ = Wrap#",
             "N#.cells_[0].scale = $n", "N#.cells_.append(nn.ReLU())", "N#.inner.construct = lambda x: x * 3",
             "N#.inner.w.requires_grad = True", "N#.inner.w.data[0] = 9",
             "N#.inner.w.__class__ = type('Heavy', (Parameter,), {'__rmul__': lambda s, x: x * 8})",
             "N#.inner.w.__class__ = type('Light', (Tensor,), {'__rmul__': lambda s, x: x - 1})",
             "N#.inner.w.__class__ = Parameter"]),
    Feature("types", "K# = $v", ["(1 if type(K#) is int else 2)", "(1 if isinstance(K#, (int, Point)) else 2)",
                               "(1 if K# is None else 2)", "(3 if K# == 2 else 4)", "(3 if callable(K#) else 4)"],
            ["K# = $v", "K# = $n", "K# = $t", "del K#"]),
    Feature("function", "def fn#(x):\n    return x + 1\ndef fm#(x):\n    return x * 2", ["fn#(x)", "fm#(fn#(x))", "call#(fn#, x)"],
            ["fn#.__code__ = fm#.__code__", "fn# = fm#", "fn# = $f", "del fn#", "fm# = fn#", "fn#.attr = 3",
             "fn# = types.FunctionType(fm#.__code__, {'x': 1})", "fm#.__code__ = (lambda x: x + UNBOUND).__code__"]),
    Feature("effects", "E# = Point(0)\nEL# = []\nED# = {}\nEG# = 0",
            ["bump#()", "push#(x)", "put#(x)", "glob#()"],
            ["E#.v = $n", "del E#.v", "EL#.clear()", "ED#.clear()", "E# = Other()", "EL# = ()", "EG# = $n", "E#.__class__ = Other",
             "ED#['k'] = $n"]),
    Feature("namespace", "NS# = Point($n)\nNS#.a = $n\nND# = {'a': $n, 'v': $n}\nNM# = types.ModuleType('m')\nNM#.a = $n\n"
                         "NT#, NU# = Point($n), Other()\nNT#.a = NU#.a = $n",
            ["into#(NS#, ND#)", "outof#(NS#, ND#)", "into#(NM#, ND#)", "NS#.v", "ND#['a']", "across#(NS#, NM#)", "across#(NS#, NT#)",
             "across#(NT#, NU#)", "dropped#(NS#, NU#)"],
            ["ND# = NS#.__dict__", "ND# = vars(NM#)", "ND# = {'a': $n, 'v': $n}", "NS# = Point($n); NS#.a = $n", "NS#.a = $n",
             "ND#['a'] = $n", "NS#.__dict__ = ND#", "NS#.b = $n", "del NS#.a", "NS#.v = $t", "NM#.a = $n",
             "NS#.__dict__ = vars(NM#)", "NT#.__dict__ = NS#.__dict__", "NU#.__dict__ = NT#.__dict__", "NT#.__dict__ = {'a': $n}",
             "NS#.__dict__ = vars(into#)", "NU#.__dict__ = NS#.__dict__", "NT# = NS#", "ND# = None; NS# = Point($n); NS#.a = $n"]),
    Feature("argument", "", ["n", "flag", "seq[0]", "opt['p']", "obj.v", "len(seq)", "(x if flag else x + n)", "seq[-1]"],
            ["ARGS[0] = $t", "ARGS[1] = $n", "ARGS[2] = [$n, $t]", "ARGS[3] = {'p': $n}", "ARGS[4] = Point($n)",
             "ARGS[5] = $n", "ARGS[2] = (1, 2, 3)", "ARGS[4].v = $v", "ARGS[2][0] = $v", "ARGS[3]['p'] = $v",
             "ARGS[4] = ARGS[2]", "ARGS[1] = ARGS[0]", "ARGS[4] = Other()", "ARGS[4] = N0", "ARGS[0] = ARGS[0][0]",
             "ARGS[0] = Tensor(np.float32([[1, 2, 3]]).T)", "ARGS[0] = Parameter($t, name='p')"]),
]

HELPERS = {
    "special": "def held#(v):\n    with v as w:\n        return w + 1\n    return 9\ndef fresh#(x):\n    v = V#(2)\n"
               "    v.w = v.v + 1\n    return v * x + v.w\n",
    "tensor control": "def sign#(x):\n    if x.sum() > H#:\n        return x + 1\n    return x - 1\ndef loop#(x):\n"
                      "    i = 0\n    while x.sum() < 100 and i < 3:\n        x = x + H# + 1\n        i += 1\n    return x\n"
                      "def grown#(x, items):\n    for v in items:\n        x = x + v\n    return x\ndef caught#(x):\n"
                      "    try:\n        return x + J#[1]\n    except (IndexError, TypeError):\n        return x * 2\n",
    "alias": "def grow#(a, b):\n    a[0] = a[0] + 1\n    return b[0]\ndef both#(p, q):\n    p.v = 5\n    return q.v\n",
    "namespace": "def into#(o, d):\n    d['a'] = 5\n    return o.a\ndef outof#(o, d):\n    o.a = 6\n    return d['a']\n"
                 "def across#(o, p):\n    o.a = p.a + 1\n    return p.a\ndef dropped#(o, p):\n    del o.a\n"
                 "    return 1 if hasattr(p, 'a') else 2\n",
    "function": "def call#(f, x):\n    return f(x)\n",
    "effects": "def bump#():\n    E#.v = E#.v + 1\n    return E#.v\ndef push#(v):\n    EL#.append(v)\n    return len(EL#)\n"
               "def put#(v):\n    ED#['k'] = v\n    return len(ED#)\ndef glob#():\n    global EG#\n    EG# = EG# + 1\n"
               "    return EG#\n",
}

USES = ["acc = acc * {e}", "acc = acc + {e}", "acc = {e} + acc", "acc = acc + 1 if {e} else acc - 1",
        "tmp.append({e})", "if {e}:\n        acc = acc * 2", "acc = ops.maximum(acc, {e})", "acc = helper{h}(acc, {e})",
        "out['k{h}'] = {e}", "poke()", "try:\n        acc = acc + {e}\n    except TypeError:\n        acc = acc + 9",
        "acc = acc + {e}", "acc = acc * {e}"]


def fill(rng, text, number):
    text = text.replace("#", str(number))
    pools = {"$n": NUMBERS, "$t": TENSORS, "$v": NUMBERS + TENSORS + ODD, "$f": FUNCTIONS}
    return re.sub(r"\$[ntvf]", lambda m: rng.choice(pools[m.group(0)]), text)


class Case:
    """setup: list of texts; body: statements of main; steps: "call" or a statement, "pending: s" runs inside the next
    call."""

    def __init__(self, setup, body, steps):
        self.setup, self.body, self.steps = setup, body, steps

    @classmethod
    def random(cls, seed, steps):
        rng = random.Random(seed)
        chosen = [(rng.choice(FEATURES), i) for i in range(rng.randint(1, 3))]
        setup = [fill(rng, HELPERS.get(f.name, "") + f.setup, i) for f, i in chosen]
        setup += ["def helper%d(a, b):\n    return %s" % (i, rng.choice(["a + b", "a * b", "a", "(a, b)[0] + 1"]))
                  for i in range(2)]
        body = []
        for _ in range(rng.randint(1, 5)):
            feature, i = rng.choice(chosen)
            body.append(rng.choice(USES).format(e=fill(rng, rng.choice(feature.reads), i), h=rng.randint(0, 1)))
        plan = ["call", "call"]
        for _ in range(steps):
            feature, i = rng.choice(chosen)
            change = fill(rng, rng.choice(feature.changes), i)
            if rng.random() < 0.1 and "poke()" in body:
                change = "pending: " + change
            plan.append(change)
            if rng.random() < 0.85:
                plan += ["call"] * rng.choice([1, 1, 2])
        return cls(setup, body, plan)

    def source(self):
        text = PRELUDE + "\n".join(self.setup)
        text += "\ndef main(x, n, seq, opt, obj, flag):\n    acc, tmp, out = x, [], {}\n    "
        return text + "\n    ".join(self.body + ["return acc, tmp, out"]) + "\n"

    def script(self):
        """A program that shows the difference by itself."""
        lines = ["import sys; sys.path.insert(0, 'tests/fuzz')", "from guard_fuzz import Case, run", "case = Case(",
                 "    %r," % (self.setup,), "    %r," % (self.body,), "    %r)" % (self.steps,), "print(run(case))"]
        return "\n".join(lines) + "\n# program:\n" + re.sub("(?m)^", "#   ", self.source())


class World:
    """One copy of a case's program."""

    def __init__(self, case, jitted):
        own = types.ModuleType("builtins")  # a table of builtins of its own
        vars(own).update(vars(builtins))
        self.ns = {"__name__": "program", "Tensor": Tensor, "Parameter": Parameter, "np": np, "nn": nn, "ops": ops,
                   "types": types, "builtins": own, "real_abs": abs, "real_len": len, "__builtins__": own}
        self.ns["PENDING"] = pending = []
        ns = self.ns

        def poke(*_):
            while pending:
                self.change(pending.pop())
        ns["poke"] = Poke(poke)
        exec(compile(case.source(), "<program>", "exec"), ns)
        ns["ARGS"] = [Tensor(np.float32([[1, 2, 3], [-4, 5, 6]])), 2, [1.0, Tensor(np.float32([1, 2, 3]))], {"p": 3},
                      ns["Point"](4), True]
        self.main = ms.jit(ns["main"], mode="PIJit") if jitted else ns["main"]

    def change(self, statement):
        try:
            exec(compile(statement, "<change>", "exec"), self.ns)
        except Exception:  # noqa: BLE001 - a change that does not apply is none
            pass

    def call(self):
        try:
            return "value", self.main(*self.ns["ARGS"])
        except RecursionError:
            return "error", "RecursionError", ""
        except Exception as error:  # noqa: BLE001 - any exception is an outcome
            return "error", type(error).__name__, re.sub("0x[0-9a-f]+", "0x", str(error))

    def state(self):
        skip = ("ARGS", "__builtins__", "builtins", "PENDING", "poke", "np", "nn", "ops", "types")
        return {k: v for k, v in self.ns.items() if k not in skip}, self.ns["ARGS"]


class Poke:
    """Runs pending changes; its class is not one that captures look into."""

    __slots__ = ("run",)

    def __init__(self, run):
        self.run = run

    def __call__(self):
        return self.run()

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


def own_dict(value):
    try:
        return dict(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        return None


def same(a, b, seen, where=""):
    """Text saying where two reachable structures differ, or None."""
    if type(a).__name__ != type(b).__name__:
        return "%s: %s and %s" % (where, type(a).__name__, type(b).__name__)
    if isinstance(a, Tensor):
        if a.dtype != b.dtype or a.shape != b.shape or a.requires_grad != b.requires_grad:
            return "%s: %s %s and %s %s" % (where, a.dtype, a.shape, b.dtype, b.shape)
        if not np.allclose(a.asnumpy(), b.asnumpy(), 1e-5, 1e-6, equal_nan=True):
            return "%s: %s and %s" % (where, a.asnumpy().tolist(), b.asnumpy().tolist())
        return None
    if isinstance(a, (int, float, complex, str, bytes, type(None), range)):
        return None if a == b or a != a and b != b else "%s: %r and %r" % (where, a, b)
    if (id(a), id(b)) in seen:
        return None
    seen[id(a), id(b)] = a, b
    if isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return "%s: lengths %d and %d" % (where, len(a), len(b))
        parts = [(x, y, "%s[%d]" % (where, i)) for i, (x, y) in enumerate(zip(a, b))]
    elif isinstance(a, dict):
        if [str(k) for k in a] != [str(k) for k in b]:
            return "%s: keys %s and %s" % (where, list(a), list(b))
        parts = [(x, y, "%s[%r]" % (where, k)) for (k, x), y in zip(a.items(), b.values())]
    elif isinstance(a, (Poke, types.ModuleType, type, types.FunctionType)):
        return None
    else:
        fields = [own_dict(v) for v in (a, b)]
        return same(fields[0], fields[1], seen, where)
    for x, y, at in parts:
        found = same(x, y, seen, at)
        if found:
            return found
    return None


def run(case):
    """None, or what differs and after how many steps."""
    plain, jitted = World(case, False), World(case, True)
    for number, step in enumerate(case.steps):
        if step.startswith("pending: "):
            plain.ns["PENDING"].append(step[9:])
            jitted.ns["PENDING"].append(step[9:])
        elif step != "call":
            plain.change(step)
            jitted.change(step)
        else:
            random_state = ms._msjit.rng_state()
            expected = plain.call()
            ms._msjit.set_rng_state(random_state)
            found = same(expected, jitted.call(), {}, "result")
            found = found or same(plain.state(), jitted.state(), {}, "state")
            if found:
                return "step %d: %s" % (number, found)
    return None


def shrink(case, budget=400):
    """A smaller case that still differs."""
    def tries(items):
        size = len(items) // 2
        while size:
            for start in range(0, len(items), size):
                yield items[:start] + items[start + size:]
            size //= 2

    progress = True
    while progress and budget > 0:
        progress = False
        for part in ("steps", "body", "setup"):
            for fewer in tries(getattr(case, part)):
                parts = {"setup": case.setup, "body": case.body, "steps": case.steps}
                parts[part] = fewer
                smaller = Case(**parts)
                budget -= 1
                try:
                    differs = run(smaller)
                except Exception:  # noqa: BLE001 - no program any more
                    continue
                if differs:
                    case, progress = smaller, True
                    break
                if budget <= 0:
                    break
    return case


def fuzz(seed=0, mutations=1000, seconds=None, steps=24, keep_going=False, report=print):
    """Number of mutations run and the failing cases, shrunk."""
    old = ms.config.max_entries_per_pc
    ms.config.max_entries_per_pc = 64
    done, failures, started = 0, [], time.time()
    try:
        while done < mutations and (seconds is None or time.time() - started < seconds):
            case = Case.random(seed, steps)
            found = run(case)
            done += sum(s != "call" for s in case.steps)
            if found:
                small = shrink(case)
                failures.append(small)
                report("seed %d: %s\nshrunk: %s\n%s" % (seed, found, run(small), small.script()))
                if not keep_going:
                    break
            seed += 1
            if seed % 50 == 0:
                ms.reset()
    finally:
        ms.config.max_entries_per_pc = old
    return done, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutations", type=int, default=1000)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--keep-going", action="store_true")
    args = parser.parse_args()
    started = time.time()
    done, failures = fuzz(args.seed, args.mutations, args.seconds, args.steps, args.keep_going)
    print("python %d.%d: %d mutations in %.1f s, %d disagreements" % (
        sys.version_info[0], sys.version_info[1], done, time.time() - started, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
