"""throw() and close() of generators in captured code, and del of globals and closure variables."""
import contextlib
import sys

import pytest

import msjit as ms
from jit_programs import Programs, x22
from msjit import Tensor

pytestmark = pytest.mark.jit
programs = Programs()
HELD = 3


def source(x, log):
    """Scales what it gives by what is thrown into it."""
    try:
        while True:
            try:
                got = yield x
                log.append(got)
                x = x + 1
            except ValueError as e:
                x = x * 10
                log.append(e.args)
    finally:
        log.append("closed")


@programs.add(x22)
def thrown_and_closed(x):
    log = []
    g = source(x, log)
    a = next(g)
    b = g.throw(ValueError("a", 1))
    c = g.throw(ValueError)
    d = g.send(5)
    g.close()
    return a + b + c + d, log, next(g, None)


@programs.add(x22)
def what_nobody_catches_inside(x):
    log = []
    g = source(x, log)
    y = next(g)
    try:
        g.throw(KeyError("k"))
    except KeyError as e:
        log.append(e.args)
    try:
        next(g)
    except StopIteration:
        y = y * 2
    g.close()
    return y, log


@programs.add(x22)
def before_the_start_and_behind_the_end(x):
    log = []
    g = source(x, log)
    try:
        g.throw(KeyError("k"))
    except KeyError:
        log.append("at once")
    g = (i for i in range(2))
    for _ in g:
        pass
    try:
        g.throw(OverflowError())
    except OverflowError:
        log.append("at the end")
    g.close()
    return x * 2, log


def returns(x):
    try:
        yield x
    except ValueError:
        return x * 5
    except GeneratorExit:
        x = x * 7


@contextlib.contextmanager
def replaced(table, value, catches=()):
    before, table["k"] = table["k"], value
    try:
        yield table
    except catches:
        table["caught"] = value
    finally:
        table["k"] = before


@programs.add(x22, whole=sys.version_info >= (3, 11))  # 3.7 gives the class of contextlib no version
def context_managers(x):
    table, seen = {"k": 1.0}, []
    with replaced(table, 2.0) as t:
        seen.append(x * t["k"])
    with replaced(table, 3.0, KeyError):
        seen.append(x * table["k"])
        raise KeyError("a")
    return seen, table


@programs.add(x22, whole=False)
def a_context_manager_that_does_not_catch(x):
    table, seen = {"k": 1.0}, []
    try:
        with replaced(table, 3.0, KeyError):
            seen.append(x * table["k"])
            raise ValueError("a")
    except ValueError as e:
        return seen, table, str(e)


@programs.add(x22, whole=False)
def the_value_returned(x):
    g = returns(x)
    y = next(g)
    try:
        g.throw(ValueError)
    except StopIteration as e:
        y = y + e.value
    g = returns(x)
    next(g)
    return y, g.close()


@programs.add(x22, whole=False)
def goes_on_in_spite_of_close(x):
    def stubborn():
        for _ in range(2):
            try:
                yield x * 2
            except GeneratorExit:
                pass

    g = stubborn()
    y = next(g)
    try:
        g.close()
    except RuntimeError as e:
        return y, str(e)


@programs.add(x22, whole=False)
def through_yield_from(x):
    log = []

    def outer():
        yield from source(x, log)

    g = outer()
    a = next(g)
    b = g.throw(ValueError("in"))
    g.close()
    return a + b, log


@programs.add(x22, whole=False)
def raises_out_of_the_function(x):
    g = source(x, [])
    next(g)
    return g.throw(TypeError("t"))


@programs.add(x22, whole=False)
def close_gives_what_was_returned(x):
    def last():
        try:
            yield x
        except GeneratorExit:
            return 4

    g = last()
    next(g)
    return x * 2, g.close()  # None up to 3.12


@programs.add(x22)
def a_deleted_closure_variable(x):
    t = x * 2

    def inner():
        return t

    y = inner() + 1
    del t
    t = 2
    return y * inner()


@programs.add(x22, whole=False)
def read_while_deleted(x):
    global HELD
    t = x * 2

    def inner():
        return t  # noqa: F821 - deleted below

    y = x + 1
    del t, HELD
    for look in (inner, lambda: HELD):
        try:
            look()
        except NameError as e:
            y = y * 3
    HELD = 3
    return y


@programs.add(x22)
def a_deleted_global(x):
    global MADE, HELD
    MADE = x * HELD
    y = MADE + 1
    del MADE
    HELD = 4
    del HELD
    HELD = 3
    return y


@programs.add(x22, whole=False)
def no_such_global(x):
    global NEVER
    y = x * 2
    del NEVER
    return y


test_same, test_one_region = programs.tests()


@pytest.mark.captures
def test_names_stay_deleted():
    space = {}
    exec("def outer(x):\n    v = 2\n    def f(x):\n        nonlocal v\n        y = x * v\n        del v\n        return y\n"
         "    return f, lambda: v\n"
         "def g(x):\n    global K, len\n    y = x * K * len\n    del K\n    del len\n    return y, len('ab')\n", space)
    for wrap in (lambda fn: fn, lambda fn: ms.jit(fn, mode="PIJit")):
        f, get = space["outer"](x22())
        f = wrap(f)
        g = wrap(space["g"])
        f(x22())
        for call in (lambda f=f: f(x22()), get):
            with pytest.raises(NameError):
                call()
        for _ in range(3):
            space.update(K=3.0, len=2)
            y, size = g(x22())
            assert isinstance(y, Tensor) and size == 2 and "K" not in space and "len" not in space
