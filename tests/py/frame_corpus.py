"""Functions that between them use every operation the bytecode front end knows, each with arguments to call it with.

`CORPUS` maps a name to (function, maker of a fresh argument tuple). The functions report what they do through `log`,
so that a run can be compared with another one step by step."""

import sys

log = []


def note(*items):
    log.append(items)
    return items[-1]


class Token:
    """An argument whose reference count tells whether a run leaked."""

    def __init__(self, value=1):
        self.value = value
        self.items = {}

    def __repr__(self):
        return "Token(%r)" % (self.value,)

    def method(self, *args, **kwargs):
        note("method", args, sorted(kwargs.items()))
        return self.value

    def fail(self):
        raise KeyError("fail")

    def __add__(self, other):
        return note("add", other)

    def __iadd__(self, other):
        self.value = note("iadd", other)
        return self

    def __getitem__(self, key):
        return note("getitem", key)

    def __setitem__(self, key, value):
        note("setitem", key, value)

    def __delitem__(self, key):
        note("delitem", key)

    def __bool__(self):
        return bool(note("bool", self.value))

    def __lt__(self, other):
        return note("lt", other)


class Manager:
    def __init__(self, swallow=False):
        self.swallow = swallow

    def __enter__(self):
        note("enter")
        return self

    def __exit__(self, kind, value, traceback):
        note("exit", kind.__name__ if kind else None, str(value), traceback is not None)
        return self.swallow


class BadEnter(Manager):
    def __enter__(self):
        raise OSError("enter")


class Items:
    """An iterator written in Python that may fail."""

    def __init__(self, count, fail=False):
        self.count, self.fail = count, fail

    def __iter__(self):
        note("iter")
        return self

    def __next__(self):
        if self.count == 0:
            if self.fail:
                raise ValueError("items")
            raise StopIteration
        self.count -= 1
        return self.count


CORPUS = {}


def case(*makers, name=None):
    def add(function):
        for k, maker in enumerate(makers):
            CORPUS["%s-%d" % (name or function.__name__, k)] = (function, maker)
        return function
    return add


@case(lambda: (3, 4), lambda: (-1, 2), lambda: ("a", 1))
def arithmetic(a, b):
    c = a + b
    c -= a * 2
    d = (c << 2) ^ (b | 3) & 7
    e = a / b - c // b + a % b + a ** 2
    return [c, d, -e, +a, ~b, not a, a > b, a is b, a is not b, e >> 1 if d < 0 else d >> 1]


@case(lambda: (Token(), Token(0)))
def protocols(a, b):
    a + 1
    a += 2
    a[0] = b
    a[1] += 5
    del a[2]
    a.extra = b
    a.value += 7
    del a.extra
    return a[1:2], a[::3], a < b, bool(b) or a and 3, a.method(1, *(2, 3), k=4, **{"z": 5})


@case(lambda: (range(4),), lambda: ([],), lambda: (5,), lambda: (Items(3),), lambda: (Items(2, True),))
def loops(xs):
    total = 0
    for i, x in enumerate(xs):
        if x == 1:
            continue
        total += x * i
        if total > 100:
            break
    else:
        note("else", total)
    while total < 5:
        total += 2
    return total


@case(lambda: (1,), lambda: (0,), lambda: ("x",))
def handlers(x):
    out = []
    try:
        try:
            out.append(10 / x)
        except ZeroDivisionError as error:
            out.append(str(error))
        else:
            out.append("else")
        finally:
            out.append("finally")
        out.append([1, 2][x])
    except (IndexError, TypeError) as error:
        note(type(error).__name__)
        raise ValueError("second") from error
    finally:
        note("outer", list(out))
    return out


@case(lambda: (0,), lambda: (1,), lambda: (2,))
def leaving(x):
    for i in range(3):
        try:
            if i == x:
                continue
            if i == 2:
                return note("return", i)
        finally:
            note("finally", i)
            if x == 0 and i == 1:
                break
    return "end"


@case(lambda: (Manager(), 1), lambda: (Manager(), 0), lambda: (Manager(True), 0), lambda: (BadEnter(), 1), lambda: (3, 1))
def managers(manager, x):
    with manager as m, Manager() as inner:
        y = 1 / x
        note(m is manager, inner is not m, y)
    with Manager():
        return note("done", x)


@case(lambda: (Token(),), lambda: (None,))
def closures(token, offset=3):
    total = [offset]
    count = 0

    def inner(x, *rest, scale: int = 2, **options):
        nonlocal count
        count += 1
        total.append(x * scale)
        return token

    inner(1)
    inner(2, 5, scale=7, other=3)
    adders = [lambda y: y + k + offset for k in range(3)]
    offset = 10
    return count, total, inner(4) is token, [f(1) for f in adders], inner.__annotations__, inner.__qualname__


def make_free():
    free = "free"

    def uses_free(a):
        b = a
        local = lambda: (free, b)
        return free, b, local()

    return uses_free


case(lambda: (5,), name="uses_free")(make_free())


@case(lambda: ([3, 1, 2], {"a": 1}), lambda: ((), {}))
def containers(xs, d):
    squares = [x * x for x in xs if x != 1]
    keys = {k for k in d}
    swapped = {v: k for k, v in d.items()}
    merged = {**d, "b": 2, **swapped}
    spread = [*xs, 4, *squares]
    together = {*xs, 5}
    const = {"one": 1, "two": squares}
    pair = (*xs, "end")
    gen = sum(x for x in xs)
    return squares, keys, swapped, merged, spread, together, const, pair, gen, xs[0:2], xs[slice(None, None, -1)]


@case(lambda: ((1, 2, 3),), lambda: ([1, 2],), lambda: ("abcd",), lambda: (Items(3),), lambda: (7,), lambda: (Items(1, True),))
def unpacking(xs):
    a, b, c = xs
    return c, b, a


@case(lambda: ((1, 2, 3, 4),), lambda: ([1],), lambda: (Items(5),), lambda: (None,))
def star_unpacking(xs):
    a, *b, c = xs
    (d, e), *f = [(a, c), b, b]
    return a, b, c, d, e, f


@case(lambda: (3.14159, "w"), lambda: (None, "é"))
def formatting(x, name):
    return f"{x!r:>10}|{name!a}|{name!s:^5}|{x}" + f"{name}" + "%s %s" % (x, name)


@case(lambda: (1,), lambda: (None,))
def branches(x):
    y = x or note("or", 2)
    z = x and note("and", 3)
    w = 1 < (x or 2) < 3
    if x is None:
        v = "none"
    elif x is not None and not z:
        v = "zero"
    else:
        v = "other"
    assert v, "never"
    return y, z, w, v, 1 in [x], 1 not in (x,), x if x else v


@case(lambda: (1,), lambda: (0,))
def unbound(x):
    if x:
        y = 1
    del x
    return y


@case(lambda: (1,), lambda: (0,))
def unbound_cell(x):
    if x:
        y = 1
    def inner():
        return y
    if x:
        del y
    return inner()


@case(lambda: ())
def missing_name():
    note("before")
    return no_such_name + 1  # noqa: F821


@case(lambda: ())
def missing_callee():
    note("before")
    return no_such_function(1, 2)  # noqa: F821


GLOBAL = 1


@case(lambda: (5,))
def global_names(x):
    global GLOBAL, FRESH
    GLOBAL = x
    FRESH = GLOBAL + len([x])
    del FRESH
    try:
        del FRESH
    except NameError as error:
        note(str(error))
    return GLOBAL


@case(lambda: ())
def imports():
    import os.path as p
    from collections import OrderedDict, abc
    import json.decoder
    try:
        from os import no_such_thing
    except ImportError as error:
        note(type(error).__name__)
    return p.basename("a/b"), OrderedDict.__name__, abc.__name__, json.decoder.__name__


@case(lambda: (2,))
def classes(x):
    class Base:
        k = x

        def get(self):
            return self.k

    class Derived(Base, metaclass=type):
        def get(self):
            return super().get() + x

    return Derived().get(), Derived.__qualname__


class Sub(Token):
    def method(self, *args):
        here = super().method(*args)
        return here, __class__.__name__

    def captured(self):
        return (lambda: self)() is self, super().method(9)


case(lambda: (Sub(3),), name="super_call")(Sub.method)
case(lambda: (Sub(3),), name="super_cell")(Sub.captured)


@case(lambda: (Token(), (1, 2), {"k": 3}), lambda: (Token(), [1], {}), lambda: (Token(), 5, {}), lambda: (Token(), (), {"k": 1, 2: 3}),
      lambda: (Token(), (), None))
def star_calls(token, args, options):
    a = token.method(*args)
    b = token.method(0, *args, **options)
    c = note(*args, 9)
    return a, b, c, max(*args, 3, key=lambda v: -v), token.method(k=0, **options)


@case(lambda: (Token(),))
def bad_calls(token):
    note("before")
    try:
        len(1, 2)
    except TypeError as error:
        note(str(error))
    token.fail()


@case(lambda: (3,))
def recursion(n):
    return 1 if n == 0 else n * recursion(n - 1)


def deep(n):
    if n == 0:
        raise RuntimeError("deep")
    return deep(n - 1) + 1


@case(lambda: (2,))
def traceback_lines(n):
    x = 1
    y = (x +
         deep(
             n))
    return y


@case(lambda: (1, 2))
def frame_facts(a, b):
    c = a
    first = sys._getframe(0).f_lineno - sys._getframe(0).f_code.co_firstlineno
    mine = sorted(locals().items(), key=str)
    caller = sys._getframe(0).f_back is not None
    d = eval("a + b")
    return first, mine, caller, d, sorted(vars()), sys.exc_info(), c


@case(lambda: (1,))
def many_locals(x):
    a = b = c = x
    a, b = b, a
    a, b, c = c, a, b
    a = b = [a, b]
    a[0], b[1] = 5, 6
    a[0] += 1
    return a, b, c


@case(lambda: (Token(),))
def deletions(token):
    x = [token, token]
    del x[0]
    y = x
    del x
    return y


@case(lambda: (3,))
def generators(n):
    def numbers():
        try:
            for i in range(n):
                got = yield i
                note("got", got)
        finally:
            note("closed")
    g = numbers()
    a = next(g)
    b = g.send(5)
    g.close()
    return a, b, list(numbers()), [*(x + 1 for x in numbers())]


@case(lambda: (None,), lambda: (1,))
def none_jumps(x):
    out = []
    while x is None:
        out.append(1)
        x = 0
    for y in (None, 1, x):
        if y is not None:
            out.append(y)
    return out


@case(lambda: ())
def raising():
    try:
        raise KeyError
    except KeyError:
        try:
            raise
        except KeyError as again:
            note(repr(again))
    try:
        raise ValueError("a") from None
    except ValueError as error:
        note(error.__suppress_context__)
    raise SystemError("end")


if sys.version_info >= (3, 8):
    exec('''
@case(lambda: (1,), lambda: (None,))
def walrus(x):
    return x if (n := x) else n, n, [k for y in (1, 2) if (k := y)]
''')


if sys.version_info >= (3, 10):
    exec('''
@case(lambda: ([1, 2, 3],), lambda: ({"k": 5, "z": 1},), lambda: (Token(4),), lambda: (7,), lambda: ("s",), lambda: ([],))
def matching(x):
    match x:
        case [a, b, *rest] if rest:
            return a, b, rest
        case {"k": value, **others}:
            return value, others
        case Token(value=v):
            return v
        case int() | str():
            return "scalar"
        case _:
            return None
''')

# EXTENDED_ARG before operands and jumps.
exec("@case(lambda: (1,), lambda: (0,))\ndef extended(x):\n    t = 0\n    if x:\n%s    for i in range(2):\n        t += i\n    return t"
     % "".join("        t += note('c%d', %d)\n" % (k, k + 1000) for k in range(300)))
