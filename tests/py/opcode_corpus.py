"""Small functions that together contain every opcode this interpreter's compiler can emit. `CORPUS` maps a name to (source, mode, argument
makers). Mode "exec" is a module that defines `f`. Modes "module" and "single" are code that is run itself, for opcodes that only module
level has. Sources that need a newer interpreter are left out. The functions log what they do in `log`; `T` is a tensor."""

import sys

CORPUS = {}
log = []


def case(source, *makers, since=(3, 7), until=(3, 99), mode="exec", name=None):
    if not since <= sys.version_info[:2] <= until:
        return
    source = source.strip("\n") + "\n"
    if name is None:
        name = source.split("(")[0].replace("async ", "").replace("def ", "").strip()
    assert name not in CORPUS, name
    CORPUS[name] = (source.replace("def %s(" % name, "def f(", 1), mode, makers or (lambda: (),))


def note(*items):
    log.append(items)
    return items[-1]


class Manager:
    def __init__(self, swallow=False):
        self.swallow = swallow

    def __enter__(self):
        note("enter")
        return self

    def __exit__(self, kind, value, traceback):
        note("exit", kind.__name__ if kind else None, str(value))
        return self.swallow


class Point:
    __match_args__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    def __repr__(self):
        return "Point(%r)" % sorted(vars(self).items(), key=str)

    def __eq__(self, other):
        return type(other) is Point and (self.x, self.y) == (other.x, other.y)

    __hash__ = None


class Left:
    """Takes every operator, in place or not."""

    def __init__(self):
        self.done = []

    def __repr__(self):
        return "Left(%r)" % (self.done,)


def _operator(name, result):
    def method(self, other=None):
        self.done.append((name, other))
        return self if result is None else result
    return method


_NUMBER = ("add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "xor", "or")
for _name in _NUMBER:
    setattr(Left, "__%s__" % _name, _operator(_name, _name))
    setattr(Left, "__i%s__" % _name, _operator("i" + _name, None))
for _name in ("neg", "pos", "invert"):
    setattr(Left, "__%s__" % _name, _operator(_name, _name))


# ---- operators ------------------------------------------------------------------------------------------------------
_SYMBOLS = ("+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "&", "^", "|")
for _name, _symbol in zip(_NUMBER, _SYMBOLS):
    _tensor = (lambda: (T(), 2.5), lambda: (T(), T())) if _symbol in ("+", "-", "*", "/", "//", "%", "**") else ()
    case("def binary_%s(a, b):\n    return a %s b\n" % (_name, _symbol),
         lambda: (7, 2), lambda: (Left(), 3), lambda: (1, "x"), lambda: (5, 0), *_tensor)
    case("def inplace_%s(a, b):\n    c = a\n    a %s= b\n    return a, c\n" % (_name, _symbol),
         lambda: (7, 2), lambda: (Left(), 3), lambda: ((), None), *_tensor)
for _name, _symbol in (("pos", "+"), ("neg", "-"), ("invert", "~"), ("not", "not ")):
    case("def unary_%s(a):\n    return %sa\n" % (_name, _symbol),
         lambda: (3,), lambda: (Left(),), lambda: ("x",), lambda: ([],), lambda: (True,))
for _name, _symbol in (("lt", "<"), ("le", "<="), ("eq", "=="), ("ne", "!="), ("gt", ">"), ("ge", ">="), ("is", "is"),
                       ("is_not", "is not"), ("in", "in"), ("not_in", "not in")):
    case("def compare_%s(a, b):\n    return a %s b\n" % (_name, _symbol),
         lambda: (1, 2), lambda: (1, [1]), lambda: ("a", "abc"), lambda: (None, None), lambda: (3, {3: 4}))
    case("def branch_%s(a, b):\n    if a %s b:\n        return 'yes'\n    return 'no'\n" % (_name, _symbol),
         lambda: (1, 2), lambda: (1, [1]), lambda: ("a", "abc"))
case("""
def chained(a, b, c):
    return a < b < c, a is b is not c
""", lambda: (1, 2, 3), lambda: (3, 2, 1), lambda: (1, 1, None))

# ---- variables ------------------------------------------------------------------------------------------------------
case("""
def locals_(a, b):
    c = a
    a, b = b, a
    a, b, c = c, a, b
    del c
    return a, b
""", lambda: (1, 2))
case("""
def unbound(a):
    if a:
        b = 1
    c = 2
    del a
    return b, c
""", lambda: (1,), lambda: (0,))
case("""
def globals_(a):
    global G, H
    G = a
    H = G + 1
    del H
    try:
        H
    except NameError as error:
        note(str(error))
    try:
        del H
    except NameError as error:
        note(str(error))
    return G, len([a])
""", lambda: (5,))
case("""
def closures(a):
    b = [a]
    c = 1
    def inner(x, *, k=a):
        nonlocal c
        c += x
        return a, b, c, k
    def gone():
        return c
    first = inner(2)
    del c
    try:
        gone()
    except NameError as error:
        note(str(error))
    try:
        c
    except NameError as error:
        note(str(error))
    return first
""", lambda: (4,))
case("""
def class_body(a):
    class C:
        k = a
        b = k + 1
        del b
        n: int = 3
        def get(self):
            return __class__.__name__, self.k
        try:
            missing
        except NameError as error:
            note(str(error))
        try:
            del missing
        except NameError as error:
            note(str(error))
    return C().get(), C.__annotations__, sorted(n for n in vars(C) if not n.startswith('_'))
""", lambda: (4,))
case("""
def supers(a):
    class Base:
        def get(self, *more):
            return self.k, more
        k = a
    class C(Base):
        a = a
        def get(self, *more):
            note(super().k, super(C, self).k)
            return super().get(1), super(C, self).get(2, *more)
    return C().get(3), C.a
""", lambda: (4,))
case("""
def template(a):
    made = t'{a} and {a!r:>{a}}'
    return made.strings, [(i.value, i.expression, i.conversion, i.format_spec) for i in made.interpolations]
""", lambda: (4,), since=(3, 14))
case("""
def functions(a):
    def annotated(x: int, y=2, *rest, k: str = 'v', **more) -> float:
        return x, y, rest, k, more
    return annotated(1), annotated(1, 3, 4, k=5, z=6), annotated.__annotations__, (lambda q=a: q)()
""", lambda: (4,))
case("""
from __future__ import annotations
a: int = 1
note(a, sorted(__annotations__))
""", mode="module", name="annotations_as_text")
case("""
a = 1
b: int = a + 1
c: str
from os.path import *
def g():
    return a, b
d = g()
del a
try:
    del a
except NameError as error:
    note(str(error))
try:
    a
except NameError as error:
    note(str(error))
note(d, sorted(__annotations__), callable(basename), len([b for _ in range(3)]))
""", mode="module", name="module_level")
case("""
missing_name
""", mode="module", name="module_name_error")
case("""
1 + len([2]) if note('single') else None
""", mode="single", name="print_expression")

# ---- attributes, items, containers ----------------------------------------------------------------------------------
case("""
def attributes(p):
    p.z = p.x
    p.y += 1
    del p.x
    return p.y, p.z, p.x
""", lambda: (Point(1, 2),), lambda: (3,))
case("""
def items(a, i):
    b = a[i]
    a[i] = [b]
    a[i] += [2]
    del a[i]
    return b, a[0:1], a[::2], a[:]
""", lambda: ([1, 2, 3], 1), lambda: ([1, 2, 3], 7), lambda: ((1, 2), 0), lambda: ({1: 2}, 1), lambda: (T(), 0))
case("""
def slices(a, i):
    b = a[i:2]
    a[i:2] = [9]
    a[i:i] += [8]
    del a[0:i]
    return b, a, a[::-1]
""", lambda: ([1, 2, 3], 1), lambda: ((1, 2), 0))
case("""
def displays(a, b):
    return (a, b), [a, b], {a, b}, {a: b}, {'k': a, 'l': b}, {a: b, b: a}, [1, 2, 3], {1, 2, 3}, (a, [b]), [], {}
""", lambda: (1, 2), lambda: ("x", ()), lambda: ([], 1))
case("""
def comprehensions(a):
    return [x + 1 for x in a if x], {x for x in a}, {x: [y for y in a] for x in a}, sum(x for x in a)
""", lambda: ([0, 1, 2],), lambda: (5,), lambda: ([[]],))
case("""
def captured_comprehension(a):
    return [f() for f in [lambda: x for x in a]], [lambda: a for x in a][0]()
""", lambda: ([0, 1, 2],))
case("""
def one_variable_of_two_comprehensions(a, x):
    g = lambda: x
    return [x for x in a if x], [(x, y) for x in a if x for y in a], [lambda: x for x in a][0](), {x: x for x in a}, g()
""", lambda: ([0, 1, 2], 7), lambda: ([[]], 7), lambda: ([3, 0, 1], 7), lambda: ([], 7))
case("""
def unpack_displays(a, d):
    return [*a, 1, *a], (*a, 2), {*a, *a}, {**d, 'k': 1, **d}
""", lambda: ([1, 2], {"z": 3}), lambda: ("ab", {}), lambda: (5, {}), lambda: ([], 7), lambda: ([[]], {}))
case("""
def unpack_map(d):
    return {'a': 1, **d, 'b': 2}
""", lambda: ({"z": 3},), lambda: ({},), lambda: (7,), lambda: ([(1, 2)],))
case("""
def unpack_calls(a, d):
    def g(*args, **kwargs):
        return args, sorted(kwargs.items())
    return g(*a), g(1, *a, *a), g(**d), g(0, *a, k=1, **d), g(*a, **d, m=2)
""", lambda: ([1, 2], {"z": 3}), lambda: ((), {}), lambda: (5, {}), lambda: ([], 7), lambda: ([], {1: 2}),
     lambda: ([], {"k": 2}))
case("""
def calls(p, a):
    def g(x, y=2, *, k=3):
        return x, y, k
    p.m = g
    return g(a), g(a, y=1), g(a, k=5), p.m(a), p.m(a, k=1), [a].count(a), 'x'.join(['a', 'b']), max(a, 2, key=lambda v: -v)
""", lambda: (Point(1, 2), 4))
case("""
def bad_call(a):
    note(1)
    return a(1, k=2)
""", lambda: (len,), lambda: (3,), lambda: ((lambda: 0),))
case("""
def unpacking(a):
    x, y = a
    z, *w = a
    *u, v = a
    return x, y, z, w, u, v
""", lambda: ([1, 2],), lambda: ((1, 2),), lambda: ("ab",), lambda: ([1],), lambda: (iter([1, 2, 3]),), lambda: (4,))
case("""
def star_middle(a):
    x, *y, z = a
    return x, y, z
""", lambda: ([1, 2, 3, 4],), lambda: ([1],), lambda: (range(2),))
case("""
def formatting(a, w):
    return f'{a}', f'{a!r:>{w}}', f'{a!s}{a!a}|{a:{w}}', f'{a}{w}'
""", lambda: (1, 5), lambda: ("é", 4), lambda: (1.5, 7), lambda: ([], 2))

# ---- control flow ---------------------------------------------------------------------------------------------------
case("""
def branches(a, b):
    c = a and b or 3
    d = a or b and 4
    if not a or b:
        d = 5
    elif a and not b:
        d = 6
    return c, d, 1 if a else 2, (a if b else c)
""", *[lambda a=a, b=b: (a, b) for a in (0, 1) for b in (0, [])], lambda: (1, 1))
case("""
def none_tests(a, b):
    out = []
    if a is None:
        out.append(1)
    if b is not None:
        out.append(2)
    while a is None:
        a = b
        if len(out) > 4:
            break
        out.append(3)
    while b is not None:
        b = None
    for x in (a, b, 1):
        if x is not None:
            continue
        out.append(4)
    for x in (a, b, 1):
        if x is None:
            continue
        out.append(5)
    return out
""", lambda: (None, 1), lambda: (1, None), lambda: (None, None))
case("""
def loops(a):
    out = []
    for x in a:
        if x == 1:
            continue
        if x == 3:
            break
        out.append(x)
    else:
        out.append('else')
    n = 0
    while n < 5:
        n += 1
        if n == 2:
            continue
        if n == 4:
            break
    else:
        out.append('never')
    while True:
        n -= 1
        if not n:
            break
    while not n:
        n = 1
    return out, n
""", lambda: ([0, 1, 2],), lambda: ([0, 3],), lambda: ([],), lambda: (7,))
case("""
def nested_loops(a):
    out = []
    for x in a:
        for y in a:
            if y > x:
                break
            if y == x:
                continue
            out.append((x, y))
        else:
            continue
        out.append(x)
    return out
""", lambda: ([0, 1, 2],))
case("""
def assertion(a):
    assert a, 'text %s' % a
    assert a > 1
    return a
""", lambda: (2,), lambda: (1,), lambda: (0,))
case("""
def walrus(a):
    if (n := a) and (m := n + 1):
        return n, m
    return n
""", lambda: (2,), lambda: (0,), since=(3, 8))
case("""
def long_jump(a):
    t = 0
    for x in a:
        if x:
%s    return t
""" % "".join("            t += %d.5\n" % k for k in range(300)), lambda: ([0, 1],))
case("""
def imports(a):
    import os.path as p
    import json.decoder
    from collections import OrderedDict, abc as other
    try:
        from os import no_such_thing
    except ImportError as error:
        note(type(error).__name__)
    return p.basename('a/b'), json.decoder.__name__, OrderedDict.__name__, other.__name__
""", lambda: (1,))

# ---- exceptions -----------------------------------------------------------------------------------------------------
case("""
def raising(a):
    if a == 0:
        raise ValueError('zero')
    if a == 1:
        raise KeyError(1) from ValueError('cause')
    if a == 2:
        raise ValueError
    try:
        raise IndexError(a)
    except (KeyError, IndexError):
        raise
""", *[lambda a=a: (a,) for a in range(4)])
case("""
def handlers(a):
    out = []
    try:
        out.append(10 / a)
    except ZeroDivisionError as error:
        out.append(str(error))
    except (TypeError, KeyError):
        out.append('type')
    else:
        out.append('else')
    finally:
        out.append('finally')
    try:
        a[0]
    except:
        out.append('bare')
    return out
""", lambda: (2,), lambda: (0,), lambda: ("x",))
case("""
def unhandled(a):
    try:
        try:
            a.missing
        except KeyError:
            pass
        finally:
            note('inner')
    finally:
        note('outer')
""", lambda: (2,))
case("""
def return_in_try(a):
    try:
        if a:
            return note('try', a)
    except KeyError:
        return 1
    finally:
        note('finally')
    return 2
""", lambda: (2,), lambda: (0,))
case("""
def return_in_handler(a):
    try:
        1 / a
    except ZeroDivisionError:
        return note('handler', a)
    except TypeError as error:
        return note(str(error))
    return 2
""", lambda: (2,), lambda: (0,), lambda: ("x",))
case("""
def return_in_loops(a):
    for x in a:
        for y in a:
            try:
                try:
                    if y == 2:
                        return x, y
                finally:
                    note('inner', x, y)
            finally:
                note('outer', x, y)
    return 'end'
""", lambda: ([0, 1],), lambda: ([0, 2],))
case("""
def leave_try(a):
    out = []
    for x in a:
        try:
            if x == 1:
                continue
            if x == 3:
                break
            out.append(x)
        finally:
            out.append('finally')
        try:
            if x == 0:
                continue
            if x == 4:
                break
            out.append(1 / (x - 2))
        except ZeroDivisionError:
            out.append('zero')
    return out
""", lambda: ([0, 1, 2, 5, 3, 0],), lambda: ([4],))
case("""
def leave_handler(a):
    out = []
    for x in a:
        try:
            1 / x
        except ZeroDivisionError as error:
            out.append(str(error))
            continue
        except TypeError:
            break
        finally:
            out.append(x)
    return out
""", lambda: ([0, 1, 0],), lambda: ([1, 'x', 0],))
case("""
def leave_finally(a):
    out = []
    for x in a:
        try:
            out.append(1 / x)
        finally:
            out.append(x)
            if x == 0:
                break
    return out
""", lambda: ([1, 2],), lambda: ([1, 0, 2],))
case("""
def return_in_finally(a):
    try:
        return 1 / a
    finally:
        if a == 0:
            return note('swallowed', a)
        note('kept')
""", lambda: (2,), lambda: (0,), lambda: ("x",))
case("""
def nested_finally(a):
    try:
        try:
            return 1 / a
        finally:
            try:
                note('a')
                if a == 3:
                    raise KeyError(a)
            finally:
                note('b')
    except KeyError as error:
        return note(str(error))
    finally:
        note('c')
""", lambda: (2,), lambda: (3,), lambda: (0,))
case("""
def in_with(m, a):
    with m as n, Manager() as o:
        note(n is m, o is m)
        b = 1 / a
    return b
""", lambda: (Manager(), 2), lambda: (Manager(), 0), lambda: (Manager(True), 0), lambda: (5, 1))
case("""
def leave_with(m, a):
    for x in a:
        with m:
            if x == 1:
                continue
            if x == 2:
                break
            if x == 3:
                return note('x', x)
            1 / x
    return 'end'
""", lambda: (Manager(), [1, 5, 1]), lambda: (Manager(), [1, 2, 0]), lambda: (Manager(), [3]), lambda: (Manager(True), [0, 1]),
     lambda: (Manager(), [0]))
case("""
def with_in_try(m, a):
    try:
        with m:
            with m:
                try:
                    return 1 / a
                finally:
                    note('finally')
    except ZeroDivisionError:
        return 'zero'
    finally:
        note('end')
""", lambda: (Manager(), 2), lambda: (Manager(), 0), lambda: (Manager(True), 0))
case("""
def continue_in_finally(a):
    out = []
    for x in a:
        try:
            out.append(1 / x)
        finally:
            if x == 0:
                continue
            out.append(x)
    return out
""", lambda: ([1, 0, 2],), since=(3, 8))
case("""
def groups(a):
    out = []
    try:
        if a == 0:
            raise ExceptionGroup('g', [ValueError(1), KeyError(2), TypeError(3)])
        if a == 1:
            raise ExceptionGroup('g', [ValueError(1)])
        if a == 2:
            raise KeyError(4)
    except* ValueError as group:
        out.append(str(group))
    except* (KeyError, IndexError) as group:
        out.append(repr(group.exceptions))
    return out
""", *[lambda a=a: (a,) for a in range(4)], since=(3, 11))

# ---- pattern matching -----------------------------------------------------------------------------------------------
case("""
def matching(a):
    match a:
        case 1 | 2 | None:
            return 'literal'
        case [x, y]:
            return 'two', x, y
        case [x, *rest, y]:
            return 'ends', x, rest, y
        case {'k': v, 'l': w}:
            return 'keys', v, w
        case {'k': v, **rest}:
            return 'rest', v, rest
        case Point(0, y=q):
            return 'point', q
        case Point(x=p, y=q) if p == q:
            return 'diagonal', p
        case str(s) | bytes(s):
            return 'text', s
        case int():
            return 'int'
        case _:
            return 'other'
""", lambda: (1,), lambda: (None,), lambda: ([1, 2],), lambda: ((1, 2, 3),), lambda: ({"k": 1, "l": 2},), lambda: ({"k": 1, "m": 2},),
     lambda: ({},), lambda: (Point(0, 5),), lambda: (Point(3, 3),), lambda: (Point(3, 4),), lambda: ("s",), lambda: (b"s",), lambda: (9,),
     lambda: (2.5,), lambda: ([],), since=(3, 10))
case("""
def match_bad_class(a):
    match a:
        case Point(1, 2, 3):
            return 1
""", lambda: (Point(1, 2),), lambda: (1,), since=(3, 10))
case("""
def match_nested(a):
    match a:
        case [Point(x=[p, *q]), {'k': [r, s]}]:
            return p, q, r, s
        case [x, [y, z], *w]:
            return x, y, z, w
        case (x, y, z, u, v):
            return v, u, z
""", lambda: ([Point([1, 2], 0), {"k": [3, 4]}],), lambda: ([1, [2, 3], 4],), lambda: ((1, 2, 3, 4, 5),), lambda: (3,), since=(3, 10))

# ---- generators and coroutines: left to CPython ----------------------------------------------------------------------
case("""
def generators(n):
    def numbers():
        try:
            for i in range(n):
                got = yield i
                note('got', got)
        finally:
            note('closed')
    def all_of():
        back = yield from numbers()
        with Manager():
            yield back
    g = numbers()
    out = [next(g), g.send(5)]
    g.close()
    return out, list(all_of())
""", lambda: (3,))
case("""
def coroutines(n):
    class Async:
        async def __aenter__(self):
            return note('aenter')
        async def __aexit__(self, *args):
            return bool(note('aexit', args[0] is not None))
        def __aiter__(self):
            self.left = n
            return self
        async def __anext__(self):
            if not self.left:
                raise StopAsyncIteration
            self.left -= 1
            return self.left
    async def numbers():
        for i in range(n):
            yield i
    async def main():
        out = []
        async with Async() as entered:
            async for x in Async():
                out.append(x)
            else:
                out.append('else')
        async with Async():
            1 / 0
        out += [y async for y in numbers()]
        await inner()
        return out, entered
    async def inner():
        return 1
    try:
        main().send(None)
    except StopIteration as stop:
        return stop.value
""", lambda: (3,), lambda: (0,))
case("""
def type_parameters(a):
    def g[T: int, *U, **V](x: T) -> T:
        return x
    class C[T]:
        def get(self) -> T:
            return a
    type Alias[K] = dict[K, int]
    class D:
        t = int
        type B = t
    return g(a), C().get(), str(Alias), g.__type_params__[0].__bound__, repr(Alias.__value__), D.B.__value__
""", lambda: (4,), since=(3, 12))


def T():
    import msjit
    return msjit.Tensor([[1.0, 2.0], [3.0, 4.5]])
