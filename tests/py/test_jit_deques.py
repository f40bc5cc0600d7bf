"""Deques to which a captured region appends: they grow from call to call without another capture."""
import collections
import gc

import msjit as ms
from jit_programs import Programs, regions_of, x22

programs = Programs()


class Agent:
    def __init__(self):
        self.memory = collections.deque(maxlen=4)


def queue():
    return collections.deque([1, "b"])


def short():
    return collections.deque([1, 2], maxlen=2)


@programs.add(x22, queue)
def appends(x, q):
    q.append(x + 1)
    q.appendleft("first")
    return x * 2


@programs.add(x22, short)
def of_bounded_length(x, q):
    for i in range(3):
        q.append((i, x + i))
    return x.sum()


@programs.add(x22, queue)
def extends(x, q):
    q.extend([x, x + 1])
    q.extend(())
    return q.append(3)


@programs.add(x22, Agent)
def attribute_of_an_object(x, agent):
    agent.memory.append((x, 1.5))
    return x + 1


@programs.add(x22, queue)
def bound_method(x, q):
    put = q.append
    put(x + 1)
    return q, x


@programs.add(x22, queue)
def under_two_names(x, q):
    other = q
    other.append(q)
    return other is q, x + 1


@programs.add(x22)
def made_of_bounded_length(x):
    q = collections.deque(maxlen=3)
    for i in range(5):
        q.append(x * i)
    last = collections.deque([1, 2, 3], 2)
    last.appendleft(0)
    none = collections.deque("ab", maxlen=0)
    none.append(1)
    return q[0] + q[-1] + len(q), sum(q, x), list(last), q, last, none, collections.deque([1], maxlen=None)


@programs.add(x22)
def turned(x):
    q = collections.deque([1, 2, 3, x])
    q.rotate()
    a = list(q)
    q.rotate(-2)
    q.rotate(7)
    return x * 2, a, q, [v for v in q], [*enumerate(q)], collections.deque().rotate(3)


@programs.add(x22)
def beyond_its_ends(x):
    q = collections.deque([x, 2])
    try:
        q[2]
    except IndexError as e:
        return x * q[-2], e.args


@programs.add(x22, whole=False)
def changed_while_iterated(x):
    q, seen = collections.deque([1, 2], maxlen=2), []
    y = x + 1
    try:
        for v in q:
            seen.append(v)
            q.append(v)
    except RuntimeError as e:
        return y * 2, seen, str(e)


@programs.add(x22, queue, whole=False)
def looked_at_afterwards(x, q):
    q.append(x + 1)
    return len(q), q[-1] * 2, list(q)[:2]


@programs.add(x22, queue, whole=False)
def wrong_arguments(x, q):
    q.append(x, 1)


@programs.add(x22, queue, whole=False)
def in_an_arm(x, q):
    y = x * 2
    if y.sum() > -100:
        q.append(y)
    return y + 1


@programs.add(x22, queue)
def length_of_the_programs(x, q):
    before = len(q)
    q.append(1)
    q.appendleft(2)
    return x * len(q), before, bool(q), len(q) if q else 0


@programs.add(x22, short)
def length_of_a_bounded_one(x, q):
    q.append(1)
    return x * len(q), bool(q)


@programs.add(x22, collections.deque)
def length_of_an_empty_one(x, q):
    if not q:
        q.append(x)
    return x + len(q)


test_same, test_one_region = programs.tests()


def test_lengths_and_bounds_that_change():
    def fn(x, q):
        q.append(x + 1)
        return (x * 2 if len(q) >= 4 else x - 1), len(q)
    jitted = ms.jit(fn, mode="PIJit")
    for bound in (None, 3, 5, None, 3):
        plain, traced = (collections.deque(maxlen=bound) for _ in range(2))
        for _ in range(12):
            expected, got = fn(x22(), plain), jitted(x22(), traced)
            assert expected[0].tolist() == got[0].tolist() and expected[1] == got[1] and len(plain) == len(traced)


def test_one_capture_serves_all_lengths():
    memory = collections.deque()

    @ms.jit(mode="PIJit")
    def grows(x):
        y = x * 2 + 1
        memory.append(y)
        return y

    for _ in range(40):
        grows(x22())
    assert len(memory) == 40
    assert ms.config.break_every or len(regions_of(grows)) == 1


class Noisy:
    log = []

    def __del__(self):
        self.log.append(len(self.queue))


def test_finalizers_of_what_falls_out():
    """An item dropped from a full deque may have a finalizer. It runs where CPython runs it, and sees what it would see there."""
    def run(decorate):
        q = collections.deque(maxlen=2)
        Noisy.log, Noisy.queue = [], q
        for _ in range(2):
            q.append(Noisy())

        def step(x, q):
            y = x + 1
            q.append(y)
            Noisy.log.append("after")
            return y

        step = decorate(step)
        for _ in range(4):
            step(x22(), q)
        gc.collect()
        return list(Noisy.log), len(q)
    assert run(ms.jit(mode="PIJit")) == run(lambda f: f)
