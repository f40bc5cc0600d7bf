"""Callables, enumerations, records, operators, iterators, texts and exceptions as features of the guard fuzzer. See guard_features.py: name, set-up, what is read, what changes."""
FEATURES = [
    ("callable", """
import functools as ft#
def base#(x, a=$n, b=2):
    return x * a + b
p# = ft#.partial(base#, b=$n)
class CB#:
    k = $n
    def __call__(self, x):
        return x * self.k
class CC#:
    k = $n
    part = ft#.partial(base#, b=3)
    obj = CB#()
    def meth(self, x):
        return x + self.k
    also = meth
    @ft#.lru_cache(None)
    def kept(self):
        return 4
    def deco(f):
        @ft#.wraps(f)
        def inner(self, *a):
            return f(self, *a) * self.k
        return inner
    @deco
    def wrapped(self, x):
        return x - 1
ci# = CC#()
bm# = ci#.meth
sp# = super(CC#, ci#)
""",
     ["p#(x)", "p#(2)", "ci#.part(x)", "ci#.obj(x)", "ci#.meth(x)", "ci#.also(x)", "bm#(x)", "ci#.kept()", "ci#.wrapped(x)",
      "p#.keywords['b']", "(2 if bm#.__self__ is ci# else 3)", "(2 if callable(ci#.obj) else 3)", "len(sp#.__repr__()[:3])"],
     ["p#.keywords['b'] = $v", "p#.keywords.clear()", "p#.keywords['a'] = $n", "p# = ft#.partial(base#, $n)",
      "p#.__setstate__((base#, ($n,), {}, {}))", "p#.__setstate__(($f, (), {}, {}))", "CB#.k = $n", "ci#.k = $v",
      "CB#.__call__ = lambda s, x: x - 2", "del CB#.__call__", "CC#.obj = $f", "CC#.meth = lambda s, x: x", "ci#.meth = $f",
      "bm# = CC#().meth", "bm#.__func__.__code__ = (lambda s, x: x * 7).__code__", "CC#.part = base#",
      "ci#.__class__ = Other", "base#.__defaults__ = ($n, $n)", "base#.__code__ = (lambda x, a=1, b=2: b).__code__",
      "CB#.__get__ = lambda s, o, t: (lambda x: x * 9)", "CC#.deco = None", "ci#.__class__ = CC#", "CC#.k = $n",
      "CB#.k = property(lambda s: 3)", "CC#.wrapped.__closure__[0].cell_contents = lambda s, x: x * 3"]),
    ("members", """
import enum as en#, dataclasses as dc#
class EA#(en#.Enum):
    A = $n
    B = 'b'
    @property
    def more(self):
        return self._value_
class EB#(en#.IntEnum):
    A = 1
    B = 2
@dc#.dataclass
class DK#:
    a: object = $n
    b: object = 2
    c: list = dc#.field(default_factory=list)
@dc#.dataclass(frozen=True, order=True)
class DF#:
    a: object = 1
k# = DK#()
f# = DF#()
e# = EA#.A
""",
     ["EA#.A.value", "e#.value", "e#.more", "(2 if e# is EA#.A else 3)", "(2 if e# == EA#.B else 3)", "(EB#.B + 1)",
      "len(e#.name)", "len(list(EA#))", "EB#(2)", "EA#['A'].value", "{EA#.A: 2, EA#.B: 3}[e#]", "k#.a", "DK#().b",
      "len(DK#().c)", "f#.a", "(2 if f# == DF#(1) else 3)", "(2 if f# < DF#(2) else 3)", "dc#.replace(k#, b=4).b",
      "(2 if k# == DK#() else 3)", "len(k#.c)"],
     ["EA#.A._value_ = $n", "EA#.B._value_ = $n", "e# = EA#.B", "e# = EB#.A", "e# = $v", "EA#.A._name_ = 'other'",
      "EA#._member_names_.append('A')", "EA#._member_map_['A'] = EA#.B", "EA#.more = property(lambda s: 8)",
      "EA#.__eq__ = lambda s, o: True", "EA#.__hash__ = lambda s: 1", "EB#._value2member_map_[2] = EB#.A",
      "EA#.A.extra = $n", "k#.a = $v", "k#.b = $n", "del k#.a", "DK#.a = $n", "DK#.b = $n", "k#.c.append(1)", "k#.c = $v",
      "DK#.__init__ = lambda s: None", "DK#.__init__.__defaults__ = ($n, $n)", "f# = DF#($n)",
      "object.__setattr__(f#, 'a', $n)", "DF#.__lt__ = lambda s, o: False", "DF#.__eq__ = lambda s, o: False",
      "k#.__class__ = DF#", "DK#.__eq__ = lambda s, o: True", "DF#.__setattr__ = object.__setattr__", "f#.a = $n"]),
    ("operator", """
def inplace#(v):
    v += 2
    return v
def iadd#(x, v):
    y = x + 0
    y += v
    return y
class OA#:
    v = $n
    def __add__(self, o):
        return NotImplemented
    def __index__(self):
        return 1
    def __lt__(self, o):
        return self.v < 2
    def __len__(self):
        return 2
    def __hash__(self):
        return 3
class OB#:
    def __radd__(self, o):
        return 3
class OC#(OA#):
    pass
class OS#(str):
    pass
class OF#(float):
    pass
oa#, ob#, oc#, os#, of# = OA#(), OB#(), OC#(), OS#('ab'), OF#(2.5)
ot# = {oa#: 4, 'ab': 5, 2.5: 6}
""",
     ["(oa# + ob#)", "(oa# + oc#)", "[4, 5, 6][oa#]", "(2 if oa# < oc# else 3)", "(2 if oa# > 1 else 3)", "len(oa#)",
      "(2 if oa# else 3)", "(x * of#)", "(of# * 2)", "len(os#)", "ot#[oa#]", "ot#[os#]", "ot#[of#]", "inplace#(oa#)",
      "inplace#(oc#)", "max(oa#, oc#).v", "(2 if oa# == oc# else 3)", "sorted([oc#, oa#])[0].v",
      "(2 if oa# in [oc#] else 3)", "(os# + 'x')[0].__len__()", "abs(of#)", "ot#.get(oc#, 9)", "-oc#", "iadd#(x, of#)"],
     ["OA#.__add__ = lambda s, o: 5", "OA#.__radd__ = lambda s, o: 6", "OC#.__radd__ = lambda s, o: 7", "del OC#.__radd__",
      "del OA#.__add__", "OB#.__radd__ = lambda s, o: NotImplemented", "OA#.__iadd__ = lambda s, o: 8",
      "OC#.__iadd__ = lambda s, o: NotImplemented", "OA#.__iadd__ = None", "OA#.__index__ = lambda s: 2",
      "del OA#.__index__", "OA#.__gt__ = lambda s, o: True", "del OA#.__lt__", "OA#.v = $n", "oa#.v = $n",
      "OA#.__bool__ = lambda s: False", "OA#.__bool__ = None", "OA#.__len__ = lambda s: 0", "OA#.__eq__ = lambda s, o: True",
      "OA#.__hash__ = lambda s: 3", "OS#.__len__ = lambda s: 7", "OF#.__mul__ = lambda s, o: 9.0",
      "OF#.__rmul__ = lambda s, o: 8.0", "OS#.__eq__ = lambda s, o: False", "OS#.__hash__ = lambda s: 1", "of# = OF#($n)",
      "oc#.__class__ = OA#", "oa#.__class__ = OC#", "OA#.__contains__ = $f", "OC#.__neg__ = lambda s: 2", "OA#.__neg__ = $f",
      "OA#.__add__ = OB#()", "OF#.__abs__ = lambda s: 1.5", "ot#[oc#] = 3", "OC#.__eq__ = lambda s, o: NotImplemented",
      "OA#.__ne__ = lambda s, o: True", "OF#.__radd__ = lambda s, o: 4.0"]),
    ("protocol", """
def entered#(x, c):
    with c as k:
        x = x * k
        raise ValueError
    return x
def scoped#(x):
    with scope#(3) as n:
        return x * n
def unpacked#(v):
    a, b = v
    return a * 2 + b
class PA#:
    parts = [1, 2]
    def __iter__(self):
        return iter(self.parts)
    def __enter__(self):
        return 2
    def __exit__(self, t, e, b):
        return t is ValueError
class PB#:
    def __getitem__(self, i):
        return (4, 5)[i]
class PC#:
    n = 3
    def __iter__(self):
        return self
    def __next__(self):
        self.n -= 1
        if self.n < 0:
            raise StopIteration
        return self.n
pa#, pb# = PA#(), PB#()
it# = iter([1, 2, 3, 4, 5, 6, 7])
def gen#(n):
    for i in range(n):
        yield i * GK#
GK# = 2
ge# = gen#(9)
import contextlib as cl#
PK# = [1]
@cl#.contextmanager
def scope#(k):
    PK#.append(k)
    try:
        yield len(PK#)
    finally:
        PK#.pop()
""",
     ["sum(pa#)", "sum(pb#)", "sum([v for v in pa#])", "max(pb#)", "sum(PC#())", "next(it#, 8)", "sum(gen#(3))",
      "next(ge#, 9)", "entered#(x, pa#)", "scoped#(x)", "(2 if 1 in pa# else 3)", "(2 if 5 in pb# else 3)",
      "list(zip(pa#, pb#))[0][1]", "len([*pa#, *pb#])", "unpacked#(pa#)", "dict(zip('ab', pa#))['a']",
      "sum(map(float, pa#))", "any(v > 1 for v in pb#)"],
     ["PA#.parts = $v", "PA#.parts.append(3)", "pa#.parts = [$n, $n]", "PA#.__iter__ = lambda s: iter((9, 9))",
      "PA#.__iter__ = None", "del PA#.__iter__", "PB#.__getitem__ = lambda s, i: (7, 8, 9)[i]",
      "PB#.__iter__ = lambda s: iter([6])", "PA#.__contains__ = lambda s, v: True", "PC#.n = 2",
      "PC#.__next__ = lambda s: 1 / 0", "it# = iter([5])", "next(it#)", "GK# = $n", "ge#.close()", "ge# = gen#(3)",
      "gen# = lambda n: [n]", "PA#.__enter__ = lambda s: 5", "PA#.__exit__ = lambda s, *e: False",
      "PA#.__exit__ = lambda s, *e: True", "pa#.__exit__ = $f", "PK#.append(1)", "PK# = [1, 2, 3]",
      "scope# = cl#.contextmanager(lambda k: iter([k]))", "pa#.__class__ = PB#", "pb#.__class__ = PA#",
      "PB#.__len__ = lambda s: 1", "gen#.__code__ = (lambda n: (i for i in range(n))).__code__"]),
    ("subclass", """
def iadd#(x, v):
    y = x + 0
    y += v
    return y
class SL#(list):
    pass
class SD#(dict):
    pass
class ST#(tuple):
    pass
class SI#(int):
    pass
class SS#(set):
    pass
sl#, sd#, st#, si#, ss# = SL#([1, $n]), SD#(a=$n), ST#((3, 4)), SI#(2), SS#([1, 2])
""",
     ["len(sl#)", "sl#[0]", "(x + si#)", "(si# * x)", "sd#['a']", "(1 in sl#)", "sum(sl#)", "(2 if sl# else 3)",
      "(2 if sl# == [1, 2] else 3)", "len(sl# + [1])", "sd#.get('z', 4)", "len([k for k in sd#])", "st#[1]", "sum(st#)",
      "(2 if st# == (3, 4) else 3)", "(st# + (1,))[0]", "(si# + 1)", "(1.5 + si#)", "(2 if si# < 2.5 else 3)",
      "(2 if 2.5 > si# else 3)", "[7, 8, 9][si#]", "(2 if 1 in ss# else 3)", "len(ss# | {5})", "max(si#, 1)",
      "range(5)[si#]", "iadd#(x, sl#)", "iadd#(x, si#)", "abs(si#)", "float(si#)", "(2 if si# == 2 else 3)",
      "{2: 5, 3: 6}.get(si#, 7)", "len(x.reshape(-1)[:si#])", "sorted(sl#, key=str)[0]"],
     ["sl#.append($n)", "sl#[0] = $n", "sl#.clear()", "sl# = SL#([2])", "sl# = [1, 2]", "SL#.__len__ = lambda s: 7",
      "SL#.__getitem__ = lambda s, i: 8", "SL#.__iter__ = lambda s: iter([5])", "SL#.__contains__ = lambda s, v: False",
      "SL#.__bool__ = lambda s: False", "SL#.__eq__ = lambda s, o: True", "SL#.__add__ = lambda s, o: [0]",
      "SL#.__radd__ = lambda s, o: 3", "del SL#.__len__", "SL#.v = 1", "sd#['a'] = $v", "sd#.clear()",
      "SD#.__getitem__ = lambda s, k: 6", "SD#.__missing__ = lambda s, k: 5", "del sd#['a']", "SD#.get = lambda s, *a: 9",
      "SD#.__iter__ = lambda s: iter('abc')", "st# = ST#((5, 6))", "ST#.__getitem__ = lambda s, i: 8",
      "ST#.__eq__ = lambda s, o: False", "ST#.__add__ = lambda s, o: (9,)", "si# = SI#(1)", "SI#.__radd__ = lambda s, o: 6",
      "SI#.__rmul__ = lambda s, o: 7", "SI#.__gt__ = lambda s, o: False", "SI#.__index__ = lambda s: 0",
      "SI#.__lt__ = lambda s, o: False", "SI#.__eq__ = lambda s, o: False", "SI#.__hash__ = lambda s: 2",
      "SI#.__float__ = lambda s: 8.5", "SI#.__abs__ = lambda s: 3", "SI#.__add__ = lambda s, o: NotImplemented",
      "ss#.add(7)", "SS#.__contains__ = lambda s, v: False", "SS#.__or__ = lambda s, o: {1}", "sl#.__class__ = Other",
      "sl#.extra = $n", "si# = True", "si# = 2.0"]),
    ("texts", """
class TA#:
    v = $n
    def __str__(self):
        return 'a' * int(self.v)
    def __repr__(self):
        return 'repr'
    def __format__(self, spec):
        return 'f' + spec
ta# = TA#()
ts# = 'a,b,c'
tp# = '%s-%s'
""",
     ["len(str(ta#))", "len(repr(ta#))", "len(f'{ta#}')", "len(f'{ta#!r:>9}')", "len('%s' % ta#)", "len(tp# % (ta#, 1))",
      "len('{:x}'.format(ta#))", "len(ts#.split(','))", "len(f'{ts#:>9}')", "len(ts#.replace('a', 'zz'))",
      "(2 if ts#.startswith('a') else 3)", "len(str([ta#]))", "len(','.join([ts#, 'z']))", "ts#.find('b')",
      "len(f'{x.shape}{ta#.v}')", "len(ts# * 2)", "(2 if ts# == 'a,b,c' else 3)", "ord(ts#[0])", "len(str(TA#.__name__))",
      "int('3' + ts#[:0])", "len(type(ta#).__name__)"],
     ["ta#.v = $n", "TA#.v = $n", "TA#.__str__ = lambda s: 'long text'", "del TA#.__str__", "TA#.__repr__ = lambda s: 'r'",
      "TA#.__format__ = lambda s, spec: 'formatted'", "del TA#.__format__", "ts# = 'b'", "ts# = $v", "tp# = '%s%s%%'",
      "tp# = '%s'", "ta# = Other()", "ta#.__class__ = Other", "TA#.__name__ = 'Renamed'", "ts# = 'a,b,c,d'",
      "TA#.__qualname__ = 'Q'", "str = $f", "TA#.__str__ = None", "repr = lambda v: 'xyz'"]),
    ("errors", """
def raised#(x):
    try:
        y = x * 2
        raise XW#(1, 2)
    except XT# as e:
        return y + len(e.args)
def tried#(x, kind):
    try:
        raise kind('a')
    except XA# as e:
        return x + e.size
    except Exception:
        return x - 1
def looked#(d, k):
    try:
        return d[k]
    except XT#:
        return 5
def final#(x):
    try:
        return x * XA#.code
    finally:
        x = x + 1
class XA#(Exception):
    code = $n
    def __init__(self, *a):
        super().__init__(*a)
        self.size = len(a)
class XB#(XA#):
    pass
XT# = (XA#, KeyError)
XW# = XA#
""",
     ["raised#(x)", "tried#(x, XA#)", "tried#(x, XB#)", "tried#(x, ValueError)", "looked#({'a': 1}, 'a')",
      "looked#({'a': 1}, 'b')", "final#(x)", "(2 if issubclass(XB#, XA#) else 3)", "(2 if isinstance(XW#(), XT#) else 3)",
      "XW#(1, 2).size", "len(str(XA#('ab')))", "XA#(3).args[0]", "(2 if XB#().code == 2 else 3)"],
     ["XT# = (KeyError,)", "XT# = ()", "XT# = ValueError", "XT# = $v", "XW# = XB#", "XW# = ValueError", "XW# = $f",
      "XA#.code = $n", "XB#.code = $n", "XA#.__init__ = lambda s, *a: None", "XA#.__str__ = lambda s: 'text'",
      "XB#.__bases__ = (KeyError,)", "XB#.__init__ = lambda s, *a: setattr(s, 'size', 7)",
      "XA#.__new__ = lambda c, *a: Exception.__new__(c)", "XA#.__init__ = $f", "del XA#.__init__",
      "XB#.size = property(lambda s: 5)"]),
]
