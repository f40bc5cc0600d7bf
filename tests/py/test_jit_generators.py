"""Generators and generator expressions in captured code."""
import gc

import pytest

import msjit as ms
from jit_programs import Programs, assert_same, x22
from msjit import Tensor, _msjit

pytestmark = pytest.mark.jit

programs = Programs()


@programs.add(lambda: [x22(), x22()])
def expressions(xs):
    total = sum(x * x for x in xs)
    return total, list(x + i for i, x in enumerate(xs)), tuple(i for i in range(3)), {i: j for i, j in zip("ab", xs)}


@programs.add(x22)
def lazy_consumption(x):
    seen = []

    def items():
        for i in range(10):
            seen.append(i)
            yield i

    found = any(i == 2 for i in items())
    g = items()
    first = next(g)
    g.close()
    return x * first, found, seen, all(i < 3 for i in items()), any([]), next(items(), 5)


@programs.add(x22)
def interleaved(x):
    log = []

    def producer():
        log.append("start")
        for i in range(3):
            log.append(("made", i))
            yield x * i
            log.append(("resumed", i))
        log.append("end")

    total = x
    for item in producer():
        log.append("used")
        total = total + item
    return total, log


@programs.add(x22)
def broken_off(x):
    def numbers():
        i = 0
        while True:
            yield i
            i += 1

    for i in numbers():
        if i > 3:
            break
        x = x + i
    return x, [a for a, _ in zip(numbers(), "abc")]


@programs.add(x22)
def sent_values(x):
    def accumulate():
        total = x
        while True:
            got = yield total
            if got is None:
                return
            total = total + got

    g = accumulate()
    next(g)
    a = g.send(1.0)
    b = g.send(2.0)
    return a, b, next(g, "stopped")


@programs.add(x22)
def delegated(x):
    def inner(n):
        got = 0
        for i in range(n):
            got = yield x * i
        return ("inner", n, got)

    def outer():
        first = yield from inner(2)
        yield first
        second = yield from [1, 2]
        yield second
        yield from (i * 2 for i in range(2))

    return list(outer()), sum_of(outer)


def sum_of(make):
    g = make()
    out = [next(g)]
    out.append(g.send("sent"))
    return out + [g.send("last")]


@programs.add(x22)
def nested_expressions(x):
    rows = ((x * i + j for j in range(2)) for i in range(2))
    a, b = (x + i for i in range(2))
    (c, d), e = (i for i in [(1, 2), 3])
    return [list(row) for row in rows], a, b, c, d, e


@programs.add(x22)
def star_arguments(x):
    def add(*values):
        return sum(values)

    return add(*(x * i for i in range(3))), [*(i for i in range(2))], max(*(i for i in range(4)))


class Walker:
    def __init__(self, items):
        self.items = items

    def __iter__(self):
        for item in self.items:
            yield item

    def pairs(self):
        yield from zip(self.items, self.items[1:])


@programs.add(x22)
def generator_methods(x):
    w = Walker([x, x + 1, x + 2])
    return sum(w), [a - b for a, b in w.pairs()], [item for item in w]


@programs.add(x22)
def shared_state(x):
    values = [1, 2, 3]

    def consume():
        for v in values:
            yield v
            values.append(v) if len(values) < 5 else None

    factor = 2.0
    doubled = (v * factor for v in consume())
    factor = 3.0
    return sum(doubled) * x, values


@programs.add(x22)
def exceptions_pass_through(x):
    def failing():
        yield 1
        raise KeyError("inside")

    out = []
    try:
        for i in failing():
            out.append(i)
    except KeyError as e:
        out.append(str(e))
    return x * len(out), out


@programs.add(x22)
def caught_inside(x):
    log = []

    def careful():
        for i in range(3):
            item = None
            try:
                if i == 1:
                    raise ValueError(i)
                item = i
            except ValueError:
                item = "caught"
            finally:
                log.append(i)
            yield item

    return x + 1, list(careful()), log


@programs.add(x22)
def yields_in_try_blocks(x):
    log = []

    def guarded():
        try:
            yield x * 2
            yield x * 3
        finally:
            log.append("finished")

    return sum(guarded()), log


@programs.add(x22, whole=False)
def yields_in_a_handler(x):
    def careful():
        try:
            raise ValueError(1)
        except ValueError:
            yield x * 2
        yield x * 3

    return sum(careful())


@programs.add(x22, whole=False)
def finally_runs_when_dropped(x):
    log = []

    def guarded():
        try:
            yield x * 2
            yield x * 3
        finally:
            log.append("closed")

    for item in guarded():
        x = x + item
        break
    log.append("after")
    return x, log


@programs.add(x22, whole=False)
def escapes_half_consumed(x):
    y = x + 1
    g = (y * i for i in range(4))
    first = next(g)
    print("broken", first.shape)
    return list(g), y


@programs.add(x22, whole=False)
def returned(x):
    y = x + 1

    def items():
        yield y
        yield y * 2

    g = items()
    return [next(g)], g.__name__, list(iter(g))


@programs.add(x22, whole=False)
def raises_out_of_the_region(x):
    y = x * 2

    def failing():
        yield y
        raise KeyError("inside")

    return sum(failing())


@programs.add(x22, whole=False)
def stop_iteration_inside(x):
    def bad():
        yield x + 1
        raise StopIteration

    return list(bad())


@programs.add(x22, whole=False)
def too_few_values(x):
    y = x + 1
    a, b = (y for _ in range(1))
    return a, b


@programs.add(x22, whole=False)
def generator_with_prints(x):
    def noisy():
        for i in range(3):
            print("item", i)
            yield x * i

    total = x
    for item in noisy():
        total = total + item
    return total


test_same, test_one_region = programs.tests()


def test_marked_generators_stay_with_python():
    def helper(x):
        return x * 2 + 1

    @ms.jit(mode="PIJit")
    def produce(x):
        for i in range(3):
            yield helper(x) * i

    a, b = [[v.asnumpy().tolist() for v in produce(x22())] for _ in range(2)]
    assert a == b and len(a) == 3


def test_recursive_closures_leave_nothing_behind():
    def f(x):
        class Node:
            pass

        def walk(n):
            yield x * n
            if n:
                yield from walk(n - 1)

        return sum(walk(2))

    def count():
        gc.collect()
        return sum(isinstance(o, Tensor) for o in gc.get_objects())

    assert_same(f, x22)
    before = count()
    for _ in range(3):
        _msjit.reset()
        ms.jit(f, mode="PIJit")(x22())
    _msjit.reset()
    assert count() <= before + 2
