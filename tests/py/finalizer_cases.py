"""Calls of functions during which a finalizer runs. A garbage collection starts at the n-th allocation after the start of a call, for each
n in turn. The finalizer then replaces something that the function has read. Up to 3.11 this may happen in the middle of native code.

    MSJIT_STRICT=1 PYTHONMALLOC=debug python finalizer_cases.py PIJit|PSJit name...     freed memory is filled, so that reading it shows

The call itself may give the results from before or from after the change. Later calls must give what they give without the JIT.
"""
import collections
import gc
import itertools
import linecache
import os
import sys

import numpy as np

import msjit as ms
from msjit import Tensor, _msjit, ops

ALLOCATIONS = 24
CASES = {}


def case(make):
    CASES[make.__name__] = make
    return make


def tensor(*values):
    return Tensor(np.float32(values))


def execute(text, space):
    """Executes a text, and stores it in linecache, where PSJit finds it as the source."""
    file = "<case %d>" % len(linecache.cache)
    linecache.cache[file] = len(text), None, text.splitlines(True), file
    exec(compile(text, file, "exec"), space)


class Holder:
    def __init__(self, **names):
        self.__dict__.update(names)


class Own:
    """An object whose attributes CPython keeps in the object itself, without a dict, from 3.11 on."""

    def __init__(self, **names):
        for name, value in names.items():
            setattr(self, name, value)


class Program:
    """function; args(i): arguments of the i-th warm-up call, args(None): of the call in which the finalizer runs; change: what the finalizer does."""

    def __init__(self, function, args, change):
        self.function, self.args, self.change = function, args, change
        self.check = None  # if set, it is asserted instead of comparing results
        self.warm_up = 5


@case
def attributes():
    def f(m, x):
        return x * m.a + m.b * m.c

    def make():
        return Own(a=tensor(2), b=tensor(10), c=tensor(1))

    m, n, x = make(), make(), tensor(1)
    return Program(f, lambda i: (n if i is None else m, x), lambda: setattr(n, "b", tensor(30)))


@case
def items_of_a_tuple():
    space = {"parts": (tensor(2), tensor(10), tensor(1))}
    execute("def f(m, x):\n    return x * m.k * parts[0] + parts[1] * parts[2]\n", space)

    def change():
        space["parts"] = tensor(2), tensor(30), tensor(1)

    m, n, x = Own(k=3.0), Own(k=3.0), tensor(1)
    return Program(space["f"], lambda i: (n if i is None else m, x), change)


@case
def entry_that_dies_in_its_check():
    space = {"ops": ops, "x": None}
    execute("def other(v):\n    return v * 2\nclass Kind:\n    scale = 3.0\n"
            "def f(m, x):\n    return other(x) * m.a, m.b * m.c * Kind.scale\n", space)

    def make():
        return Own(a=tensor(2), b=tensor(10), c=tensor(1))

    def change():
        execute("def other(v):\n    return v * 5\nclass Kind:\n    scale = 7.0\n", space)
        gc.collect()

    m, n, x = make(), make(), tensor(1)
    return Program(space["f"], lambda i: (n if i is None else m, x), change)


@case
def made_before_it_reads():
    def f(m, x):
        made = [[x + 1], {"x": x * 2}, (x,)]
        return made, m.b, m.c

    m, x = Holder(b=tensor(10), c=tensor(20)), tensor(1)

    def change():
        m.b, m.c = tensor(30), tensor(40)

    return Program(f, lambda i: (m, x), change)


@case
def handed_on_by_a_branch():
    def f(m, x):
        made = [[x + 1], {"x": x * 2}, (x,)]
        y = m.b
        if x.sum() > 5:
            y = y * 2
        return made, y

    m, x = Holder(b=tensor(10)), tensor(1)
    return Program(f, lambda i: (m, x), lambda: setattr(m, "b", tensor(30)))


@case
def effects_after_it_made():
    def f(m, x):
        m.log = [x + 1, m.b]
        m.seen = {"b": m.b, "made": [m.c]}
        return x * m.b, m.log, m.seen

    m, x = Holder(b=tensor(10), c=tensor(20), log=None, seen=None), tensor(1)

    def change():
        m.b, m.c = tensor(30), tensor(40)
        m.log, m.seen = [tensor(2), m.b], {"b": m.b, "made": [m.c]}  # which held the old ones

    return Program(f, lambda i: (m, x), change)


@case
def dictionary_of_an_object():
    def f(m, n, x):
        y = n.b * x
        return y, [value + 1 for value in m.__dict__.values()], n.b

    def make():
        return Own(a=tensor(2), c=tensor(10))

    n, x = Holder(b=tensor(10)), tensor(1)
    return Program(f, lambda i: (make(), n, x), lambda: setattr(n, "b", tensor(30)))


@case
def keys_in_order():
    def f(m, table, x):
        y = m.b * x
        return y, [x * value + len(key) for key, value in table.items()], m.b

    m, x = Holder(b=tensor(10)), tensor(1)
    tables = [collections.OrderedDict([("a", tensor(2)), ("bc", tensor(3))]) for _ in range(2)]
    return Program(f, lambda i: (m, tables[i is None], x), lambda: setattr(m, "b", tensor(30)))


@case
def code_that_is_replaced():
    space = {}
    execute("def f(m, x):\n    return [x * m.b, m.b], (x, m.c)\n", space)
    f = space["f"]
    m, x = Holder(b=tensor(10), c=tensor(20)), tensor(1)
    program = Program(f, lambda i: (m, x), None)

    def change():
        execute("def f(m, x):\n    return [x * m.b * 2, m.b], (x, m.c)\n", space)
        f.__code__ = space["f"].__code__
        program.jitted(m, x)
        gc.collect()

    program.change = change
    return program


@case
def class_that_dies_at_the_exit():
    space = {"Holder": Holder}
    execute("class Pair:\n    def __init__(self, a, b):\n        self.a, self.b = a, b\n"
            "def f(m, x):\n    made = [[x], [x + 1]]\n    p = Pair(made, x * 2)\n    return made, p.a, p, m.b\n", space)
    m, x = Holder(b=tensor(10)), tensor(1)

    def change():
        space["Pair"] = lambda a, b: Holder(a=a, b=b)
        m.b = tensor(30)
        gc.collect()

    return Program(space["f"], lambda i: (m, x), change)


@case
def capture_that_is_reset():
    def f(m, x):
        made = [x * m.b]
        print(end="")
        return made, m.c, [x + m.b]

    m, x = Holder(b=tensor(10), c=tensor(20)), tensor(1)

    def change():
        _msjit.reset()
        m.b, m.c = tensor(30), tensor(40)

    return Program(f, lambda i: (m, x), change)


@case
def open_sizes():
    def f(m, x):
        n = x.shape[0]
        return [x * n], m.b, n, m.c

    m = Holder(b=tensor(10), c=tensor(20))
    xs = [tensor(*range(n)) for n in (2, 3, 4, 5, 6, 7, 8, 9)]

    def change():
        m.b, m.c = tensor(30), tensor(40)

    return Program(f, lambda i: (m, xs[-1 if i is None else i]), change)


@case
def captured_meanwhile():
    def f(m, x):
        made = [x * m.b]
        for name in m.names:
            made.append(x * len(name))
        return made, x * m.k

    m, x = Holder(b=tensor(10), k=2, names=["a", "bc"]), tensor(1)

    def change():
        m.b, m.k, m.names = tensor(30), 3, ["abcd", "efghi"]

    program = Program(f, lambda i: (m, x), change)
    program.warm_up = 0
    return program


@case
def list_that_grows_meanwhile():
    def f(m, x):
        made = [[x], (x, 2)]
        m.log.append(x * 2)
        return made, len(m.log)

    m, x = Holder(log=[]), tensor(1)

    def change():
        m.log.append("finalizer")

    def args(i):
        m.log.clear()
        return m, x

    program = Program(f, args, change)
    program.check = lambda: m.log.count("finalizer") == 1 and len(m.log) == 6  # and one of each call since
    return program


def plain(value):
    """Numbers and structure, without tensors."""
    if isinstance(value, Tensor):
        return value.asnumpy().tolist()
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(plain(v) for v in value)
    return plain(vars(value)) if hasattr(value, "__dict__") else value


def no_spare_objects():
    """Objects that use up CPython's free lists while they live, so that making another object is an allocation."""
    return [[{} for _ in range(100)], [[] for _ in range(100)], [slice(None) for _ in range(2)],
            [tuple(range(n)) for n in range(1, 9) for _ in range(2001)], [(i for i in ()) for _ in range(300)]]


def met_by(change, allocation, call):
    """Runs call(). At the n-th allocation that the collector counts, or soon after it, a collection starts whose finalizer runs change()."""
    class Garbage:
        def __del__(self):
            change()

    garbage = Garbage()
    garbage.itself = garbage
    del garbage
    thresholds, spare = gc.get_threshold(), no_spare_objects()
    gc.set_threshold(gc.get_count()[0] + allocation)
    gc.enable()
    try:
        return call()
    finally:
        gc.disable()
        gc.set_threshold(*thresholds)
        del spare


def run(mode, *names):
    gc.freeze()  # the libraries' objects, which every collection would visit
    for name in names:
        print(name, flush=True)  # so that the output of a crash ends with the case
        try_case(name, mode)


def try_case(name, mode):
    ms.reset()  # also sets the statistics to zero
    for allocation in range(1, ALLOCATIONS):
        for spare in (0, 30):
            meet(CASES[name](), allocation, spare, mode)
    assert _msjit.stats()["captured_calls"] or os.environ.get("MSJIT_BREAK_EVERY"), "nothing was captured"


def meet(program, allocation, spare, mode):
    happened = []
    jitted = program.jitted = ms.jit(program.function, mode=mode)
    eager = jitted.__wrapped__
    gc.collect()
    gc.disable()
    for i in range(program.warm_up):
        jitted(*program.args(i))
    before = plain(eager(*program.args(None)))
    args = program.args(None)
    gc.collect()

    def finalizer():
        happened.append((program.change(), [tensor(777) for _ in range(spare)]))  # these are likely to get the memory of the freed tensors

    found = met_by(finalizer, allocation, lambda: jitted(*args))
    gc.collect()
    assert happened
    found, after = plain(found), plain(eager(*args))
    later = [plain(jitted(*args)) for _ in range(3)]
    if program.check:
        assert program.check(), allocation
        return
    assert later == [after] * 3, (allocation, "later calls", later, after)
    assert consistent(found, before, after), (allocation, found, before, after)


def numbers(value):
    if isinstance(value, dict):
        value = list(value.values())
    return list(itertools.chain(*map(numbers, value))) if isinstance(value, (list, tuple)) else [value]


def consistent(found, before, after):
    """Whether each number is the one from before or the one from after the change. Results of another structure are not consistent."""
    if found in (before, after):
        return True
    parts = [numbers(v) for v in (found, before, after)]
    return len({len(p) for p in parts}) == 1 and all(a in (b, c) for a, b, c in zip(*parts))


if __name__ == "__main__":
    run(*sys.argv[1:])
