"""Objects of the standard library in captured code: ExitStack, deques and methods made there, Counters of words, abstract classes."""
import collections
import collections.abc
import contextlib
import numbers
import sys
import types

import numpy as np
import pytest

import msjit as ms
from jit_same import breaks, captured, same
from msjit import Tensor

pytestmark = pytest.mark.jit
X = Tensor(np.float32([1, -2, 3]))


def warmed(fn, make):
    """Calls the function once, so that CPython has cached the answers of isinstance() for abstract classes."""
    fn(*make(0))
    return fn


class Notes:
    def __init__(self, log, name, quiet=False):
        self.log, self.name, self.quiet = log, name, quiet

    def __enter__(self):
        self.log.append("enter " + self.name)
        return self.name

    def __exit__(self, kind, value, trace):
        self.log.append("exit %s %s" % (self.name, kind and kind.__name__))
        return self.quiet


def stacked(x, log):
    with contextlib.ExitStack() as stack:
        names = [stack.enter_context(Notes(log, name)) for name in ("a", "b")]
        y = x * 2
    return y + 1, names


def stack_without_a_context(x, log):
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.nullcontext())
        stack.push(Notes(log, "c").__exit__)
        y = x * 2
    return y + 1


def stack_that_suppresses(x, log):
    with contextlib.ExitStack() as stack:
        stack.enter_context(Notes(log, "a", quiet=True))
        stack.enter_context(Notes(log, "b"))
        raise ValueError(x.shape)
    return x + 1


def callbacks(x, log):
    with contextlib.ExitStack() as stack:
        stack.callback(log.append, "called")
        y = x * 2
    return y + len(log)


def queue(x, log):
    todo = collections.deque([x, x * 2])
    todo.appendleft(x + 1)
    todo.extend((x + 2, 4))
    total, last = todo.popleft(), todo.pop()
    while todo:
        total = total + todo.popleft()
    return total * last, len(todo), todo, collections.deque("ab")


def empty_queue(x, log):
    try:
        collections.deque().pop()
    except IndexError as error:
        return x + 1, error.args


def limited_queue(x, log):
    window = collections.deque(maxlen=2)
    for i in range(3):
        window.append(x + i)
    return list(window)


def cleared_queue(x, log):
    todo = collections.deque([1])
    todo.clear()
    return x + len(todo), bool(todo)


def bound(x, log):
    scale = types.MethodType(lambda self, by: self * by, x)
    return scale(2) + 1, scale


def nothing_handled(x, log):
    return x + 1, sys.exc_info()


def handled(x, log):
    try:
        raise ValueError("a")
    except ValueError:
        return x + 1, sys.exc_info()[0]


def exception(x, log):
    handled = [sys.exception()]
    try:
        raise ValueError("a")
    except ValueError as error:
        handled.append(sys.exception() is error)
    return x + 1, handled, sys.exception()


def counted(x, log):
    words = collections.Counter("abracadabra")
    words.update(["a", "z"])
    words.update({"b": 3})
    return x * words["a"], words, sum(words.values())


def abstract(x, log):
    mapping = isinstance({}, collections.abc.Mapping), isinstance([], collections.abc.Mapping)
    return x + isinstance(3, numbers.Number), mapping, isinstance(log, collections.abc.Sequence), isinstance(x, collections.abc.Sized)


ALL = [stacked, stack_without_a_context, stack_that_suppresses, callbacks, queue, empty_queue, limited_queue, cleared_queue, bound,
       nothing_handled, handled, counted, abstract]
WHOLE = [queue, empty_queue, cleared_queue, bound, nothing_handled, counted, abstract]
if sys.version_info >= (3, 8):  # before, ExitStack marks functions that it makes
    WHOLE += [stacked, stack_without_a_context]
if hasattr(sys, "exception"):
    ALL += [exception]
    WHOLE += [exception]


def arguments(_):
    return X, []


@pytest.mark.parametrize("fn", ALL)
def test_same(fn):
    same(fn, arguments)


@pytest.mark.parametrize("fn", WHOLE)
def test_one_region(fn):
    captured(warmed(fn, arguments), arguments)


def test_exc_info_where_the_caller_handles_one():
    def f(x):
        return x + 1, sys.exc_info()[0]
    jitted = ms.jit(f, mode="PIJit")
    for _ in range(3):
        assert jitted(X)[1] is None
        try:
            raise KeyError
        except KeyError:
            assert jitted(X)[1] is KeyError
    assert jitted(X)[1] is None


def test_a_class_that_is_registered_later():
    class Shape(collections.abc.Sized):
        pass

    class Box:
        pass

    def f(x, box):
        return x + 1, isinstance(box, Shape)
    jitted = ms.jit(f, mode="PIJit")
    assert [jitted(X, Box())[1] for _ in range(70)] == [False] * 70
    Shape.register(Box)
    assert [jitted(X, Box())[1] for _ in range(3)] == [True] * 3


@pytest.mark.captures
def test_an_answer_that_cpython_has_given_since():
    class Shape(collections.abc.Sized):
        pass

    def f(x):
        y = x + 1
        return y * isinstance(3, Shape)
    jitted = ms.jit(f, mode="PIJit")
    for _ in range(80):
        assert jitted(X).tolist() == [0, 0, 0]
    before = sum(b["count"] for b in breaks(f))
    for _ in range(3):
        jitted(X)
    assert sum(b["count"] for b in breaks(f)) == before
