"""Exceptions and `with` blocks in captured code."""
import contextlib
import sys

import pytest

import msjit as ms
from jit_programs import Programs, assert_same, breaks_of, x22
from msjit import _msjit, ops

pytestmark = pytest.mark.jit

programs = Programs()


class Custom(ValueError):
    def __init__(self, code, detail=""):
        super().__init__(code, detail)
        self.code = code

    def __str__(self):
        return "code " + str(self.code)


class Plain(Exception):
    level = 3


# Out of reach of pytest, which rewrites assertions.
exec("""
def check(n):
    if n < 0:
        raise ValueError("negative: %d" % n)
    if n == 0:
        raise Custom(7, detail="zero")
    assert n < 10, "large"
    return n


def asserts(x):
    y = x + 1
    assert y.shape[0] == 3, "three"
    return y
""")
check, asserts = globals()["check"], globals()["asserts"]


@programs.add(x22)
def raised_and_caught(x):
    try:
        check(-3)
    except ValueError as e:
        x = x + len(str(e))
    return x * 2


@programs.add(x22)
def clauses(x):
    out = []
    for n in (-1, 0, 1, 11):
        try:
            out.append(check(n))
        except Custom as e:
            out.append((str(e), e.code, e.args, Plain.level))
        except (KeyError, ValueError) as e:
            out.append(str(e))
        except AssertionError as e:
            out.append(f"assertion {e}")
        else:
            out.append("none")
        finally:
            out.append(n)
    return x * len(out), out


@programs.add(x22)
def not_caught_by_the_first(x):
    try:
        try:
            check(0)
        except KeyError:
            x = x * 100
        finally:
            x = x + 1
    except ValueError:
        x = x * 2
    return x


@programs.add(x22)
def raised_again(x):
    out = []
    try:
        try:
            raise Plain
        except Plain:
            out.append("inner")
            raise
    except Exception as e:
        out.append(type(e) is Plain)
    try:
        try:
            raise KeyError("a")
        except KeyError as e:
            raise ValueError("b") from e
    except ValueError as e:
        out.append(str(e))
    return x + 1, out


@programs.add(x22)
def raised_in_a_handler(x):
    out = []
    try:
        try:
            raise KeyError("a")
        except KeyError as e:
            out.append(str(e))
            check(-1)
        finally:
            out.append("finally")
    except ValueError as e:
        out.append(str(e))
    else:
        out.append("else")
    return x - 1, out


def early(x, n):
    for i in range(5):
        try:
            if i == n:
                return x * i
            if i == 3:
                break
            if i == 0:
                continue
        finally:
            x = x + 1
    return x


@programs.add(x22)
def finally_and_jumps(x):
    return early(x, 0), early(x, 2), early(x, 7)


def finally_returns(x):
    try:
        raise KeyError
    finally:
        return x * 3  # noqa: B012


@programs.add(x22)
def return_in_finally(x):
    return finally_returns(x)


@programs.add(x22, lambda: {"a": 1}, lambda: [1, 2])
def errors_of_builtins(x, d, xs):
    out = []
    try:
        out.append(d["a"])
        d["b"]
    except KeyError as e:
        out.append(("key", str(e), e.args))
    try:
        out.append(xs[1])
        xs[5]
    except IndexError as e:
        out.append(str(e))
    try:
        xs[-3] = 1
    except LookupError as e:
        out.append(str(e))
    try:
        del d["c"]
    except KeyError as e:
        out.append(str(e))
    try:
        1 // (len(xs) - 2)
    except ZeroDivisionError as e:
        out.append(str(e))
    try:
        x.shape[7]
    except IndexError as e:
        out.append(str(e))
    try:
        a, b, c = xs
    except ValueError as e:
        out.append(str(e))
    try:
        a, b = (1, 2, 3)
    except ValueError as e:
        out.append(str(e))
    try:
        "a" + 1
    except TypeError:
        out.append("type")
    return x * len(out), out


class Holder:
    present = 1


@programs.add(x22, Holder)
def missing_attributes(x, h):
    try:
        value = h.absent
    except AttributeError as e:
        value = str(e)
    return x * 2, value, getattr(h, "absent", "default"), h.present


@programs.add(x22)
def errors_of_ops(x):
    try:
        y = ops.matmul(x, ops.ones((3, 4)))
    except ValueError as e:
        y = x * len(str(e))
    try:
        z = x.reshape(3, 3)
    except (ValueError, TypeError) as e:
        z = str(e)
    return y, z


def parse(text):
    try:
        return int(text)
    except ValueError:
        return None


@programs.add(x22)
def conversions(x):
    return x + 1, parse("12")


class Manager:
    def __init__(self, log, swallow=False):
        self.log = log
        self.swallow = swallow

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, value, traceback):
        self.log.append((kind is None, value is None, traceback is None))
        if kind is not None:
            self.log.append((kind.__name__ if False else str(value)))
        return self.swallow


@programs.add(x22, list)
def with_blocks(x, log):
    with Manager(log) as m, Manager(m.log):
        x = x * 2
    with Manager(log, swallow=True):
        x = x + 1
        check(-1)
        x = x * 100
    try:
        with Manager(log):
            x = x + 3
            check(0)
    except Custom as e:
        log.append(e.code)
    return x


def leaves_early(x, log):
    for i in range(3):
        with Manager(log):
            if i == 1:
                continue
            if i == 2:
                return x * i
    return x


@programs.add(x22, list)
def leaving_with_blocks(x, log):
    return leaves_early(x, log) + 1


class Scope:
    depth = 0

    def __init__(self):
        self.stack = []

    def __enter__(self):
        self.stack.append(len(self.stack))
        return self.stack[-1]

    def __exit__(self, *exc):
        self.stack.pop()


@programs.add(x22, Scope)
def reentered_manager(x, scope):
    with scope as a:
        with scope as b:
            x = x + a + b
    return x, a, b


@programs.add(x22, whole=False)
def escapes(x):
    y = x + 1
    check(-1)
    return y


@programs.add(x22, whole=False)
def escapes_from_a_handler(x):
    y = x + 1
    try:
        check(-1)
    except ValueError as e:
        raise KeyError("again") from e
    return y


@programs.add(x22, whole=False)
def escapes_through_with(x):
    log = []
    y = x + 1
    with Manager(log):
        y = y * 2
        raise Custom(1)
    return y


@programs.add(x22, whole=False)
def kept_exception(x):
    y = x + 1
    kept = None
    try:
        check(-1)
    except ValueError as e:
        kept = e
    z = y * 2
    return z, str(kept), kept


@programs.add(x22, whole=False)
def exception_made_but_not_raised(x):
    y = x + 1
    e = ValueError("made", 1)
    return y, e


@programs.add(x22, whole=False)
def looked_at(x):
    y = x + 1
    try:
        check(-1)
    except ValueError as e:
        tb = e.__traceback__
        kind = sys.exc_info()[0]
        line = tb.tb_lineno
        context = e.__context__
    return y * 2, kind, line, context


@programs.add(x22, whole=False)
def break_in_a_try_block(x):
    y = x + 1
    try:
        y = y * 2
        print("try")
        y = y + 3
        check(-1)
    except ValueError:
        y = y - 1
        print("except")
        y = y * 5
    finally:
        y = y + 7
        print("finally")
    return y * 2


@programs.add(x22, list, whole=False)
def break_in_a_with_block(x, log):
    with Manager(log):
        x = x + 1
        print("inside")
        x = x * 2
    with contextlib.suppress(KeyError):
        x = x * 3
        raise KeyError("suppressed")
    return x - 1


@contextlib.contextmanager
def managed(log):
    log.append("in")
    try:
        yield len(log)
    finally:
        log.append("out")


@programs.add(x22, list, whole=False)
def generator_manager(x, log):
    with managed(log) as n:
        x = x * n
    return x + 1


@programs.add(x22, whole=False)
def raises_what_existed(x):
    y = x * 2
    error = SAVED
    try:
        raise error
    except ValueError as e:
        return y, e is SAVED


SAVED = ValueError("saved")


@programs.add(x22, whole=False)
def wrong_raises(x):
    y = x * 2
    out = []
    try:
        raise 3  # noqa: B016
    except TypeError as e:
        out.append(str(e))
    try:
        raise
    except RuntimeError as e:
        out.append(str(e))
    return y, out


@programs.add(x22, whole=False)
def exceptions_in_loops(x):
    count = 0
    for i in range(4):
        try:
            x = x + 1
            if i % 2:
                raise KeyError(i)
            x = x * 2
        except KeyError as e:
            count += e.args[0]
            print(count)
    return x, count


test_same, test_one_region = programs.tests()


@pytest.mark.captures
def test_a_failed_assertion_breaks_where_it_is():
    _msjit.reset()
    assert_same(asserts, x22)
    assert {b["reason"] for b in breaks_of(asserts)} == {"raises"}


def test_changed_exceptions_are_seen():
    class Base(Exception):
        pass

    class Derived(Base):
        pass

    caught = [Base]

    def f(x):
        try:
            raise Derived
        except caught[0]:
            return x * 2
        except Exception:
            return x * 3

    jitted = assert_same(f, x22)
    caught[0] = KeyError
    assert jitted(x22()).asnumpy().tolist() == f(x22()).asnumpy().tolist()
    assert isinstance(ms.jit(f, mode="PIJit")(x22()), ms.Tensor)
