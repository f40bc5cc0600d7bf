"""What the guard fuzzer's programs read and what changes it: numbers, tensors, modules, functions, containers, arguments.
Classes and their instances are in guard_classes.py, objects of the library and of builtin kinds in guard_objects.py.

In the texts # is the feature's number, $n a number, $t a tensor, $v any value, $f a function.
"""
import collections
import sys

import guard_classes
import guard_objects

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

# On 3.14, CPython's specialized code reads the module's dict, although the class that the module was given has a property.
ODD_MODULES = ["M#.__class__ = Odd"] if sys.version_info < (3, 14) else []

# Text that sets it up, expressions that read it, statements that change it.
Feature = collections.namedtuple("Feature", "name setup reads changes")

FEATURES = [Feature(*parts) for parts in guard_classes.FEATURES + guard_objects.FEATURES + [
    ("number", "G# = $n",
     ["G#", "-G#", "(G# + 1)", "(x.ndim + G#)", "(G# if G# else 4)"],
     ["G# = $n", "G# = $v", "del G#", "G# += 1", "G# = $t"]),
    ("rate", "F# = 0.5",
     ["F#", "(F# * 2)", "(1 - F#)", "(x.ndim / F#)", "(F# ** 2)", "-F#", "(F# if F# > 0.3 else 1)"],
     ["F# = 0.25", "F# *= 0.75", "F# += 0.125", "F# -= 0.5", "F# = $n"]),
    ("tensor", "T# = $t",
     ["T#", "T#.shape[-1]", "T#.sum()", "(T# * 2)", "T#.ndim"],
     ["T# = $t", "T# = $v", "T#.set_data($t)", "T# = T# + 1", "T#[0] = 5", "T#.requires_grad = True",
      "T#.requires_grad = False"]),
    ("sizes", """
S# = Tensor(np.float32([[1, 2, 3]] * 2))
N# = 2
""",
     ["S#.shape[0]", "S#.sum(axis=0)", "S#.reshape(-1)[:3]", "(S# * S#.shape[0]).sum()", "len(S#)", "(S#[:N#] + N#)[-1]",
      "ops.zeros((N#, 3))", "(x * N#)", "(S#.size // N#)"],
     ["S# = Tensor(np.float32([[1, 2, 3]] * 1))", "S# = Tensor(np.float32([[1, 2, 3]] * 2))",
      "S# = Tensor(np.float32([[1, 2, 3]] * 3))", "S# = Tensor(np.float32([[1, 2, 3]] * 4))",
      "S# = Tensor(np.float32([[1, 2, 3]] * 5))", "S# = Tensor(np.float32([[1, 2, 3]] * 6))",
      "S# = Tensor(np.float32([[1, 2, 3]] * 7))", "N# += 1", "N# = 1", "N# = $n", "S# = $t", "S# = S#.T",
      "S#.set_data(Tensor(np.float32([[1, 2, 3]] * 8)))"]),
    ("builtin", "",
     ["len([x, x])", "abs(-2)", "int(2.5)", "max(1, 2)", "float(3)"],
     ["len = lambda s: 40", "abs = $f", "int = $f", "max = lambda *a: a[0]", "del len", "del abs", "del max",
      "builtins.abs = $f", "builtins.len = lambda s: 30", "builtins.abs = real_abs", "builtins.len = real_len", "float = $f"]),
    ("module", """
import types as types#
M# = types#.ModuleType('helper#')
M#.a = $n
M#.f = lambda x: x + M#.a
M#.t = $t
""",
     ["M#.a", "M#.f(x)", "M#.t", "M#.f(M#.a)"],
     ["M#.a = $v", "del M#.a", "M#.f = $f", "M#.t = $t", "M# = Point(1)", "M#.f.__code__ = (lambda x: x + 2).__code__",
      "M# = types#.ModuleType('again'); M#.a = $n; M#.f = $f", "M#.__dict__['a'] = $n", "M#.__getattr__ = $f",
      *ODD_MODULES, "M#.__class__ = types.ModuleType", "Odd.t = property(lambda m: 7)"]),
    ("closure", """
def make#():
    c = $n
    d = $t
    def read(x):
        return x * c + d
    def write(v):
        nonlocal c
        c = v
    def retensor(v):
        nonlocal d
        d = v
    def drop():
        nonlocal c
        del c
    return read, write, retensor, drop
read#, write#, retensor#, drop# = make#()
""",
     ["read#(x)", "read#(2)", "read#.__closure__[0].cell_contents"],
     ["write#($n)", "write#($v)", "retensor#($t)", "drop#()", "read#.__closure__[0].cell_contents = $n",
      "read#, write#, retensor#, drop# = make#()", "read#.__code__ = make#()[0].__code__"]),
    ("defaults", """
def dflt#(x, a=$n, *rest, k=$n, **more):
    return x * a + k + len(rest) + len(more)
""",
     ["dflt#(x)", "dflt#(x, 2)", "dflt#(x, k=3)", "dflt#(2)", "dflt#(x, 1, 2, z=1)"],
     ["dflt#.__defaults__ = ($n,)", "dflt#.__defaults__ = None", "dflt#.__kwdefaults__ = {'k': $n}",
      "dflt#.__kwdefaults__['k'] = $v", "dflt#.__kwdefaults__ = None", "dflt#.__defaults__ = ($v,)",
      "del dflt#.__kwdefaults__['k']", "dflt#.__kwdefaults__['a'] = 3",
      "dflt#.__code__ = (lambda x, a=1, *rest, k=1, **more: x + a).__code__", "dflt# = $f"]),
    ("spread", """
def first#(a, *rest):
    return a
def starred#(v):
    a, *b = v
    return a + len(b)
OTHER = {'K': 2, 'g': lambda v: v + 1}
exec('def other#(x):\\n    return g(x) * K + len([1])', OTHER)
other# = OTHER['other#']
qa#, qk# = [1, $n], {'b': $n}
def qf#(x, a=1, *rest, b=2, **more):
    return x * a + b + len(rest) + len(more)
class QK#:
    def keys(self):
        return ['b', 'c']
    def __getitem__(self, k):
        return 3
qo# = QK#()
qm# = {'ns': 1}
""",
     ["qf#(x, *qa#)", "qf#(x, **qk#)", "qf#(x, *qa#, **qk#)", "qf#(2, **qo#)", "len([*qa#, 5])", "len({**qk#, 'z': 1})",
      "first#(*qa#)", "starred#(qa#)", "other#(x)", "qf#(x, *(v for v in qa#))"],
     ["qa#.append($n)", "qa#.clear()", "qa# = ($n, 2, 3)", "qa# = $v", "qk#['c'] = 1", "qk#['b'] = $v", "qk# = {}",
      "qk# = {'x': 1}", "qk#[1] = 2", "qf#.__kwdefaults__ = {'b': 9}", "qf#.__defaults__ = (4,)",
      "QK#.keys = lambda s: ['b']", "QK#.__getitem__ = lambda s, k: 5", "qo# = {'b': 7}", "other#.__globals__['K'] = $n",
      "del other#.__globals__['K']", "other#.__globals__['len'] = lambda v: 9", "other#.__globals__['g'] = lambda v: v * 2",
      "first# = lambda *a: a[-1]", "qf#.__code__ = (lambda x, a=1, *rest, b=2, **more: a).__code__"]),
    ("tensor control", """
def sign#(x):
    if x.sum() > H#:
        return x + 1
    return x - 1
def loop#(x):
    i = 0
    while x.sum() < 100 and i < 3:
        x = x + H# + 1
        i += 1
    return x
def grown#(x, items):
    for v in items:
        x = x + v
    return x
def caught#(x):
    try:
        return x + J#[1]
    except (IndexError, TypeError):
        return x * 2
H# = $n
J# = [1, 2]
""",
     ["sign#(x)", "sign#(-x)", "loop#(x)", "grown#(x, J#)", "caught#(x)"],
     ["H# = $n", "H# = $t", "J#.append(3)", "J#.pop()", "J# = $v", "sign#.__code__ = loop#.__code__", "H# = $v",
      "J#[0] = $t", "J#.clear()"]),
    ("list", "L# = [$n, $t, $n]",
     ["L#[0]", "L#[-1]", "len(L#)", "(L#[0] if L# else 3)", "sum([1 for v in L#])", "(1 in L#)", "(x * L#[1])"],
     ["L#[0] = $v", "L#.append($n)", "L#.pop()", "L#[1] = $t", "L#.clear()", "L# = tuple(L#)", "L# = $v", "L#.reverse()",
      "L#[:] = [1, 2, 3]", "L# = list(L#)", "L#.insert(0, $t)", "del L#[0]"]),
    ("dict", "D_# = {'a': $n, 'b': $t, 3: $n}",
     ["D_#['a']", "D_#['b']", "D_#[3]", "len(D_#)", "('a' in D_#)", "D_#.get('c', 4)", "sum([1 for k in D_#])",
      "[k for k in D_#][0].__len__()", "sum([2 for v in D_#.values()])"],
     ["D_#['a'] = $v", "del D_#['a']", "D_#['c'] = $n", "D_#['b'] = $t", "D_#.clear()", "D_# = $v",
      "D_#['a'] = D_#.pop('a')", "D_# = dict(D_#)", "D_#.update(a=$n)", "D_# = dict(reversed(list(D_#.items())))"]),
    ("tuple", "U# = ($n, ($n, $t))",
     ["U#[0]", "U#[1][0]", "len(U#)", "U#[1][1]", "U#[-1][-1]"],
     ["U# = ($n, ($n, $t))", "U# = ($n,)", "U# = [1, (2, 3)]", "U# = $v"]),
    ("alias", """
def grow#(a, b):
    a[0] = a[0] + 1
    return b[0]
def both#(p, q):
    p.v = 5
    return q.v
A# = [1.0]
B# = A#
P# = Point($n)
Q# = P#
""",
     ["grow#(A#, B#)", "(2 if A# is B# else 3)", "(2 if P# is Q# else 3)", "both#(P#, Q#)"],
     ["A# = [1.0]", "B# = A#", "A# = B#", "B#.append(2.0)", "Q# = Point($n)", "P# = Q#", "P#.v = $n", "Q#.v = $n",
      "A#[0] = $n"]),
    ("types", "K# = $v",
     ["(1 if type(K#) is int else 2)", "(1 if isinstance(K#, (int, Point)) else 2)", "(1 if K# is None else 2)",
      "(3 if K# == 2 else 4)", "(3 if callable(K#) else 4)"],
     ["K# = $v", "K# = $n", "K# = $t", "del K#"]),
    ("function", """
def call#(f, x):
    return f(x)
def fn#(x):
    return x + 1
def fm#(x):
    return x * 2
""",
     ["fn#(x)", "fm#(fn#(x))", "call#(fn#, x)"],
     ["fn#.__code__ = fm#.__code__", "fn# = fm#", "fn# = $f", "del fn#", "fm# = fn#", "fn#.attr = 3",
      "fn# = types.FunctionType(fm#.__code__, {'x': 1})", "fm#.__code__ = (lambda x: x + UNBOUND).__code__"]),
    ("effects", """
def bump#():
    E#.v = E#.v + 1
    return E#.v
def push#(v):
    EL#.append(v)
    return len(EL#)
def put#(v):
    ED#['k'] = v
    return len(ED#)
def glob#():
    global EG#
    EG# = EG# + 1
    return EG#
E# = Point(0)
EL# = []
ED# = {}
EG# = 0
""",
     ["bump#()", "push#(x)", "put#(x)", "glob#()"],
     ["E#.v = $n", "del E#.v", "EL#.clear()", "ED#.clear()", "E# = Other()", "EL# = ()", "EG# = $n", "E#.__class__ = Other",
      "ED#['k'] = $n"]),
    ("namespace", """
def into#(o, d):
    d['a'] = 5
    return o.a
def outof#(o, d):
    o.a = 6
    return d['a']
def across#(o, p):
    o.a = p.a + 1
    return p.a
def dropped#(o, p):
    del o.a
    return 1 if hasattr(p, 'a') else 2
NS# = Point($n)
NS#.a = $n
ND# = {'a': $n, 'v': $n}
NM# = types.ModuleType('m')
NM#.a = $n
NT#, NU# = Point($n), Other()
NT#.a = NU#.a = $n
""",
     ["into#(NS#, ND#)", "outof#(NS#, ND#)", "into#(NM#, ND#)", "NS#.v", "ND#['a']", "across#(NS#, NM#)",
      "across#(NS#, NT#)", "across#(NT#, NU#)", "dropped#(NS#, NU#)"],
     ["ND# = NS#.__dict__", "ND# = vars(NM#)", "ND# = {'a': $n, 'v': $n}", "NS# = Point($n); NS#.a = $n", "NS#.a = $n",
      "ND#['a'] = $n", "NS#.__dict__ = ND#", "NS#.b = $n", "del NS#.a", "NS#.v = $t", "NM#.a = $n",
      "NS#.__dict__ = vars(NM#)", "NT#.__dict__ = NS#.__dict__", "NU#.__dict__ = NT#.__dict__", "NT#.__dict__ = {'a': $n}",
      "NS#.__dict__ = vars(into#)", "NU#.__dict__ = NS#.__dict__", "NT# = NS#", "ND# = None; NS# = Point($n); NS#.a = $n"]),
    ("argument", "",
     ["n", "flag", "seq[0]", "opt['p']", "obj.v", "len(seq)", "(x if flag else x + n)", "seq[-1]"],
     ["ARGS[0] = $t", "ARGS[1] = $n", "ARGS[2] = [$n, $t]", "ARGS[3] = {'p': $n}", "ARGS[4] = Point($n)", "ARGS[5] = $n",
      "ARGS[2] = (1, 2, 3)", "ARGS[4].v = $v", "ARGS[2][0] = $v", "ARGS[3]['p'] = $v", "ARGS[4] = ARGS[2]",
      "ARGS[1] = ARGS[0]", "ARGS[4] = Other()", "ARGS[4] = N0", "ARGS[0] = ARGS[0][0]",
      "ARGS[0] = Tensor(np.float32([[1, 2, 3]]).T)", "ARGS[0] = Parameter($t, name='p')"]),
]]
