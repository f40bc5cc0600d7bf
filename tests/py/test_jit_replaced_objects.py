"""What functions find in other objects, and how those objects change between calls: callables with state, members of
enumerations, records, operators of user classes, context managers, networks and their parameters, library functions."""
import pytest

from jit_same import same_after

pytestmark = pytest.mark.jit

# Name: what is set up, an expression of x, statements that change something it uses.
CASES = {
    "partial": ("""
import functools
def scaled(x, k=1, m=2):
    return x * k + m
p = functools.partial(scaled, k=3)
""", "p(x)", ["p.keywords.update(k=5)", "p.keywords.update(m=7)", "p.keywords.clear()", "p.__setstate__((scaled, (), {'k': 9}, {}))"]),
    "partial, positional": ("""
import functools
p = functools.partial(lambda a, x: x * a, 3)
""", "p(x)", ["p.__setstate__((p.func, (4,), {}, {}))", "p.__setstate__((lambda a, x: x - a, (4,), {}, {}))"]),
    "attributes of a function": ("""
def f(x):
    return x * 2
f.k = 3
""", "f(x) * f.k", ["f.k = 4", "f.__dict__.update(k=5)", "f.__dict__ = {'k': 6}", "f.__code__ = (lambda x: x * 9).__code__", "del f.k"]),
    "defaults": ("""
def f(x, a=[1], *, k=2):
    return x * a[0] + k
""", "f(x)", ["f.__defaults__[0][0] = 4", "f.__kwdefaults__['k'] = 3", "f.__kwdefaults__ = {'k': 5}", "f.__defaults__ = ([7],)",
             "f.__kwdefaults__.clear()"]),
    "defaults written by the function": ("""
kept = {'k': 1}
def f(x, *, k=1):
    return x * k
f.__kwdefaults__ = kept
def change(x):
    kept['k'] += 4
    return f(x)
""", "change(x)", ["kept['k'] = 1", "f.__kwdefaults__ = {'k': 9}"]),
    "cells": ("""
def outer():
    n = 1
    def get():
        return n
    def put(v):
        nonlocal n
        n = v
    return get, put
get, put = outer()
def both(x):
    put(get() + 1)
    return x * get() + get.__closure__[0].cell_contents
""", "both(x)", ["put(4)", "put(2.5)"]),
    "bound method": ("""
class C:
    k = 2
    def m(self, x):
        return x * self.k
class D(C):
    k = 3
    def m(self, x):
        return x - self.k
c = C()
m = c.m
""", "m(x) + c.m(x)", ["c.k = 5", "C.m = lambda self, x: x + self.k", "c.__class__ = D", "c.m = lambda x: x", "del c.m, c.k"]),
    "super object": ("""
class A:
    def m(self):
        return 2
class A2(A):
    def m(self):
        return 9
class B(A):
    pass
class B2(A2):
    pass
b, b2 = B(), B2()
s = super(B, b)
""", "x * s.m()", ["super.__init__(s, B2, b2)", "A2.m = lambda self: 4", "A.m = lambda self: 3", "super.__init__(s, B, b)"]),
    "descriptor": ("""
class Descriptor:
    def __init__(self):
        self.v = 1
    def __get__(self, owner, cls):
        return self.v
    def __set__(self, owner, v):
        self.v = v
class C:
    d = Descriptor()
c = C()
""", "x * c.d", ["vars(C)['d'].v = 4", "c.d = 8", "vars(c).update(d=77)", "del Descriptor.__set__", "Descriptor.__set__ = None", "del C.d"]),
    "slots": ("""
class C:
    __slots__ = ('a', '__dict__')
c = C()
c.a, c.b = 1, 2
""", "x * c.a + c.b", ["c.a = 3", "c.__dict__.update(b=9, a=77)", "C.a.__set__(c, 5)", "C.b = property(lambda self: 4)", "del c.a"]),
    "singleton": ("""
class S:
    made = None
    def __new__(cls):
        if cls.made is None:
            cls.made = object.__new__(cls)
            cls.made.n = 1
        return cls.made
""", "x * S().n", ["S().n = 4", "S.made = None", "S.__new__ = lambda cls: cls", "S.n = 6"]),
    "operators": ("""
class C:
    n = 0
    def __len__(self):
        return self.n
    def __bool__(self):
        return self.n > 2
    def __contains__(self, v):
        return v == self.n
    def __getitem__(self, i):
        return self.n + i
c = C()
""", "x * len(c) + (1 if c else 2) + c[3] + (0 in c)", [
        "c.n = 3", "C.__bool__ = lambda self: False", "del C.__bool__", "C.__getitem__ = lambda self, i: 77",
        "C.__len__ = lambda self: 1", "C.__contains__ = None"]),
    "reflected operators": ("""
class C:
    def __add__(self, v):
        return NotImplemented
class D:
    def __radd__(self, v):
        return 3
class E(C):
    def __radd__(self, v):
        return 4
c, d, e = C(), D(), E()
""", "x * (c + d) + (c + e)", ["C.__add__ = lambda self, v: 5", "E.__radd__ = lambda self, v: 6", "del E.__radd__", "del C.__add__"]),
    "in-place operators": ("""
class C:
    n = 1
    def __add__(self, v):
        return self.n + v
c = C()
def f(x):
    total = c
    total += 2
    return x * total
""", "f(x)", ["C.__iadd__ = lambda self, v: 7", "C.__iadd__ = lambda self, v: NotImplemented", "C.__iadd__ = None", "del C.__iadd__"]),
    "call of an object": ("""
class C:
    def __call__(self, x):
        return x * 2
c = C()
""", "c(x)", ["c.__call__ = lambda x: x * 9", "C.__call__ = lambda self, x: x * 4", "del C.__call__"]),
    "index and float": ("""
class C:
    v = 1
    def __index__(self):
        return self.v
    def __float__(self):
        return self.v * 1.5
c = C()
""", "x * [4, 5, 6][c] + float(c)", ["c.v = 2", "C.__float__ = lambda self: 8.0", "C.__index__ = lambda self: 0", "c.v = 7", "del C.__index__"]),
    "iteration": ("""
class C:
    parts = (1, 2)
    def __iter__(self):
        return iter(self.parts)
c = C()
""", "sum([x * k for k in c])", ["c.parts = [3, 4, 5]", "c.parts.append(6)", "C.__iter__ = lambda self: iter((9,))", "C.__iter__ = None"]),
    "iteration by items": ("""
class C:
    def __getitem__(self, i):
        return (4, 5)[i]
c = C()
""", "sum([x * k for k in c])", ["C.__getitem__ = lambda self, i: (4, 5, 6)[i]", "C.__iter__ = lambda self: iter((9,))", "del C.__iter__"]),
    "getattr": ("""
class C:
    a = 1
    def __getattr__(self, name):
        return len(name)
c = C()
""", "x * c.a + c.missing", ["c.missing = 2", "C.__getattr__ = lambda self, name: 5", "del c.missing", "C.missing = 8", "del C.a",
                            "C.__getattribute__ = lambda self, name: 1", "del C.__getattribute__, C.__getattr__"]),
    "comparison": ("""
class C:
    def __init__(self, v):
        self.v = v
    def __eq__(self, other):
        return self.v == other.v
    def __hash__(self):
        return 1
a, b = C(1), C(2)
table = {a: 3}
""", "x * table.get(b, 7) + (a == b) + [b].count(a)", ["b.v = 1", "C.__eq__ = lambda self, other: NotImplemented", "del C.__eq__", "table[b] = 5"]),
    "number of a subclass": ("""
class F(float):
    def __mul__(self, v):
        return 100.0
f = F(2)
""", "x + f * 2", ["F.__mul__ = lambda self, v: 7.0", "del F.__mul__", "f = 3.0"]),
    "key of a subclass": ("""
class K(str):
    def __eq__(self, other):
        return True
    def __hash__(self):
        return hash('a')
table = {'a': 2}
""", "x * table['a']", ["table.clear(); table.update({K('b'): 5})", "K.__eq__ = lambda self, other: False"]),
    "context manager": ("""
class C:
    def __enter__(self):
        return 2
    def __exit__(self, *error):
        return True
c = C()
def f(x):
    with c as k:
        x = x * k
        raise ValueError
    return x
""", "f(x)", ["C.__enter__ = lambda self: 5", "C.__exit__ = lambda self, *error: False", "c.__exit__ = lambda *error: True",
             "C.__exit__ = lambda self, *error: error[0] is ValueError", "del C.__exit__"]),
    "context manager of a generator": ("""
import contextlib
state = [1]
@contextlib.contextmanager
def scope(k):
    state.append(k)
    try:
        yield len(state)
    finally:
        state.pop()
def f(x):
    with scope(3) as n:
        return x * n
""", "f(x)", ["state.append(4)", "scope = contextlib.contextmanager(lambda k: iter([k]))", "state = []"]),
    "enumeration": ("""
import enum
class Color(enum.Enum):
    RED = 1
    GREEN = 2
    @property
    def twice(self):
        return self.value * 2
""", "x * Color.RED.value + Color.GREEN.twice + len(Color.RED.name)", [
        "Color.RED._value_ = 5", "Color.GREEN._value_ = 7", "Color.RED._name_ = 'REDDISH'", "Color.twice = property(lambda self: 3)"]),
    "look-up in an enumeration": ("""
import enum
class Color(enum.Enum):
    RED = 1
    GREEN = 2
""", "x * Color(2).value + Color['GREEN'].value + len(list(Color))", [
        "Color._value2member_map_[2] = Color.RED", "Color._member_map_['GREEN'] = Color.RED", "Color._member_names_.append('RED')"]),
    "named tuple": ("""
import collections
N = collections.namedtuple('N', 'a b')
n = N(1, 2)
""", "x * n.a + n.b + N(3, 4).b + len(N._fields)", [
        "N.a = property(lambda self: 50)", "N.b = 7", "N._fields = ('q',)", "N.__new__ = lambda cls, *a: tuple.__new__(cls, (8, 9))", "n = N(1, 2)"]),
    "data class": ("""
import dataclasses
@dataclasses.dataclass
class C:
    a: float = 1.0
    b: float = 2.0
    c: list = dataclasses.field(default_factory=list)
c = C()
""", "x * c.a + C().b + len(C().c)", [
        "c.a = 3.0", "C.b = 5.0", "C.__init__.__defaults__ = (7.0, 8.0, [1])", "C.__init__ = lambda self: None", "C.c = (1, 2)"]),
    "frozen data class": ("""
import dataclasses
@dataclasses.dataclass(frozen=True)
class C:
    a: float = 1.0
c = C()
""", "x * c.a + dataclasses.replace(c, a=2.0).a", ["object.__setattr__(c, 'a', 3.0)", "C.__setattr__ = object.__setattr__", "c.a = 4.0"]),
    "decorated functions": ("""
import functools
def counted(f):
    @functools.wraps(f)
    def inner(*args, **kwargs):
        inner.calls += 1
        return f(*args, **kwargs) * inner.calls
    inner.calls = 0
    return inner
@counted
def f(x):
    return x + 1
""", "f(x)", ["f.calls = 7", "f.__closure__[0].cell_contents.__code__ = (lambda x: x - 1).__code__", "f = f.__wrapped__"]),
    "cached function": ("""
import functools
base = [1]
@functools.lru_cache(None)
def f(n):
    return base[0] + n
""", "x * f(2)", ["base[0] = 9", "f.cache_clear()", "f = f.__wrapped__", "base[0] = 3"]),
    "single dispatch": ("""
import functools
@functools.singledispatch
def f(a):
    return 1
f.register(int)(lambda a: 2)
""", "x * f(3) + f('s')", ["f.register(str)(lambda a: 9)", "f.register(bool)(lambda a: 4)", "f.register(int)(lambda a: 5)"]),
    "getters of operator": ("""
import operator, types
item, name, call = operator.itemgetter(1), operator.attrgetter('a.b'), operator.methodcaller('get', 'k')
n = types.SimpleNamespace(a=types.SimpleNamespace(b=3), get=len)
""", "x * item([1, 2, 3]) + name(n) + call(n)", [
        "item = operator.itemgetter(2)", "n.a.b = 4", "n.a = types.SimpleNamespace(b=8)", "n.get = lambda key: 6", "call = operator.methodcaller('get', 'kk')"]),
    "default dictionary": ("""
import collections
d = collections.defaultdict(lambda: 3)
""", "x * d.get('q', 1) * d['z']", ["d.clear()", "d.default_factory = lambda: 5", "d.clear()", "d.default_factory = None", "d.clear()"]),
    "ordered dictionary": ("""
import collections
d = collections.OrderedDict(a=1, bb=2)
""", "x * len(list(d)[0]) * list(d.values())[0]", ["d.move_to_end('a')", "d.update(bb=9)", "d.popitem()", "d.clear()"]),
    "views and iterators of a dictionary": ("""
d = {'a': 1, 'b': 2}
keys, items = d.keys(), d.items()
""", "x * len(keys) + sum([v for k, v in items])", ["d['c'] = 3", "d['a'] = 7", "del d['b']", "keys = {'p': 1}.keys()"]),
    "module of the library": ("""
import types
math = types.ModuleType('math')
exec('from math import *', vars(math))
""", "x * math.floor(2.5)", ["math.floor = lambda v: 9", "math.floor = math.ceil", "math.floor = round", "del math.floor"]),
    "iterator kept outside": ("""
it = iter([1, 2, 3, 4, 5, 6, 7, 8, 9])
""", "x * next(it, 0)", ["next(it)", "it = iter((20, 30))"]),
    "generator kept outside": ("""
def numbers():
    n = 1
    while True:
        n += (yield n) or 1
g = numbers()
""", "x * next(g)", ["g.send(5)", "g = numbers()", "g.close()"]),
    "parameter": ("""
import numpy as np
from msjit import Parameter, Tensor
p = Parameter(Tensor(np.float32([1, 2, 3])), name='w')
""", "x * p * len(p.name) + (2 if p.requires_grad else 3) + getattr(p, 'extra', 1)", [
        "p.name = 'longer'", "p.requires_grad = False", "p.extra = 3", "p.extra = 4", "del p.extra", "p.set_data(Tensor(np.float32([5, 5, 5])))",
        "p.asnumpy()[0] = 9", "p = Parameter(Tensor(np.float32([7])), name='v')"]),
    "network": ("""
from msjit import Parameter, nn
net = nn.SequentialCell([nn.Dense(3, 3, weight_init='ones', bias_init='zeros'), nn.ReLU()])
""", "net(x.reshape((1, 3)))", [
        "net[0].weight.set_data(net[0].weight + 1)", "net[0].has_bias = False", "net.append(nn.ReLU())",
        "net[0].weight = Parameter(net[0].weight * 2, name='weight')", "net[1].construct = lambda x: x * 5",
        "nn_relu = type('Mine', (nn.ReLU,), {'construct': lambda self, x: x * 3}); net[1].__class__ = nn_relu",
        "net[0] = nn.Dense(3, 2, weight_init='ones', bias_init='ones')"]),
    "train and eval": ("""
from msjit import nn, ops
norm = nn.BatchNorm1d(3)
""", "norm(ops.stack([x, x * 2]))", ["norm.set_train(True)", "norm.set_train(False)", "norm.gamma.set_data(norm.gamma * 2)", "norm.eps = 0.5"]),
    "hooks of a subclass": ("""
from msjit import nn
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.seen = []
        self.scale = 2.0
    def construct(self, x):
        self.seen.append(len(self.seen))
        return x * self.scale + len(self.seen)
net = Net()
""", "net(x)", ["net.scale = 3.0", "net.seen.clear()", "net.seen = [0] * 9", "Net.construct = lambda self, x: x - self.scale",
               "Net.__call__ = lambda self, x: x"]),
    "array": ("""
import numpy as np
from msjit import Tensor
a = np.float32([1, 2, 3])
z = np.array(2.0, np.float32)
""", "x + Tensor(a) + a[0] + float(a.sum()) + Tensor(z)", ["a[0] = 7", "a.fill(2)", "z[()] = 5", "a = a.reshape((3, 1))", "a = np.float64([1, 2, 3])"]),
    "list that a tensor is made of": ("""
from msjit import Tensor
v = [1.0, 2.0]
""", "x.sum() + Tensor(v).sum()", ["v.append(3.0)", "v[0] = 9.0", "v[:] = [True]", "v.clear()"]),
    "slice and index": ("""
s, i = slice(0, 2), (0,)
""", "x[s].sum() + x[i]", ["s = slice(1, 3)", "i = (2,)", "i = 1", "i = (5,)"]),
}


@pytest.mark.parametrize("name", sorted(CASES))
def test_replaced(name):
    setup, text, changes = CASES[name]
    same_after(setup, text, changes)
