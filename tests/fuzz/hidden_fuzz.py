"""Hidden-code fuzzer: random functions on tensors during which code of the program runs although no call is written there: finalizers,
callbacks of weak references, metaclasses, codecs. Between the calls, classes change their bases and methods.

    python tests/fuzz/hidden_fuzz.py [--first N] [--count N] [--seconds N] [--show SEED]

A program makes several calls plainly, under PIJit and, for every third program, under PSJit. These must agree in what they return or
raise, in the order in which the hidden code ran and what it saw, and in the state after the call. The seed alone determines a program.
The last line is `N programs, N captures, N captured whole, N failed`; the exit status is 1 when any failed.
"""
import codecs
import contextlib
import gc
import random
import sys
import weakref

import numpy as np
import programs
from ways import WAYS, SourceText, ways_of

from msjit import Tensor, ops

CALLS = 6
LOG = []  # what has run, in order


class Meta(type):
    """A metaclass that defines operators, isinstance() and attribute reads of its classes in Python, and logs each use."""

    def __eq__(cls, other):
        LOG.append("eq " + cls.__name__)
        return cls is other

    def __hash__(cls):
        return type.__hash__(cls)

    def __instancecheck__(cls, value):
        LOG.append("instancecheck " + cls.__name__)
        return type.__instancecheck__(cls, value)

    def __subclasscheck__(cls, other):
        LOG.append("subclasscheck " + cls.__name__)
        return type.__subclasscheck__(cls, other)

    def __getattribute__(cls, name):
        if not name.startswith("_"):
            LOG.append("metaclass read " + name)
        return type.__getattribute__(cls, name)

    def __len__(cls):
        LOG.append("len " + type.__getattribute__(cls, "__name__"))
        return 3


class Quiet(type):
    """A metaclass that defines nothing."""


SOURCE_OF_CLASSES = '''
class Noted:
    """Notes its end, and does something there to what the function works on."""
    def __init__(self, name, does=None):
        self.name, self.does = name, does
    def __repr__(self):
        return self.name
    def __del__(self):
        LOG.append("died " + self.name)
        if self.does:
            self.does(self)


class First:
    scale = 2.0
    def method(self, x):
        return x * self.scale
    def only(self, x):
        return x + 1


class Second:
    scale = 3.0
    def method(self, x):
        return x - self.scale


class Base(First):
    pass


class Spoken(Base, metaclass=Meta):
    def __init__(self):
        self.v = 1.5


class Silent(Base, metaclass=Quiet):
    def method(self, x):
        return super().method(x) + 1


class Box(Base):
    def __init__(self):
        self.log, self.items, self.d, self.n = LOG, [1], {"k": 1}, 0
        self.held = self.kept = self.t = None
        self.members = {1}
        self.kind, self.quiet = Spoken, Silent()
        self.spoken = Spoken()
    def tell(self, what):
        self.log.append("told " + what)
'''

# What a finalizer or callback does to the box; `box` is a name where these texts are evaluated.
ENDS = ["None", "lambda me: box.items.append('end')", "lambda me: box.d.update(end=len(box.d))", "lambda me: setattr(box, 'n', box.n + 100)",
        "lambda me: LOG.append(len(box.items))", "lambda me: box.items.clear()", "lambda me: setattr(box, 'kept', None)",
        "lambda me: box.members.clear()", "lambda me: setattr(Base, 'scale', 5.0)", "lambda me: LOG.append(repr(sorted(box.d)))", "lambda me: setattr(box, 't', None)"]
# What is stored before each call: mostly an object with a finalizer.
HOLDS = ["box.held = Noted('held', {end})", "box.items[0] = Noted('item', {end})", "box.d['k'] = Noted('value', {end})",
         "box.kept = [Noted('inner', {end})]", "watch(box, 'held', {end})", "box.items.append(Noted('last', {end}))",
         "box.__dict__['other'] = Noted('other', {end})", "box.held = box.items[0] = box.d['k'] = Noted('shared', {end})",
         "box.kept = [Noted('twice', {end})]; box.held = (box.kept[0],)", "box.d[Noted('key', {end})] = 2", "box.members = {{2, Noted('member', {end})}}",
         "box.t = Tensor([1.0]); box.t.owner = Noted('owner', {end})", "pass"]
STATEMENTS = ["box.held = None", "box.held = y", "box.items[0] = y", "box.items[0] = None", "box.items.pop()", "box.items.clear()",
              "box.items.append(y)", "box.items[:] = [y, 1]", "box.d['k'] = y", "box.d.pop('k', None)", "box.d.clear()", "box.d['new'] = 2",
              "box.kept = None", "del box.held", "box.n += 1", "box.tell('mid')", "LOG.append('mid')", "LOG.append(box.n)",
              "box.t = y", "local = box.held", "local = None", "box.other = 1", "box.d = {}", "box.items = [y]",
              "box.held, box.kept = box.kept, box.held", "LOG.append(len(box.items))", "box.items[0], other = 1, box.items[0]",
              "box.members.clear()", "box.members.add(2)", "box.members = box.members & {1, 2}", "LOG.append(len(box.members))",
              "box.d = {k: v for k, v in box.d.items() if k == 'k'}", "box.d.popitem()", "box.held, local = None, box.held"]
VALUES = ["y * 2", "y + x", "box.method(y)", "box.quiet.method(y)", "y * box.scale", "y * len(box.items)", "y + box.n", "ops.tanh(y)",
          "y * (2 if isinstance(box, First) else 3)", "y * (2 if issubclass(Box, Second) else 3)", "y + (1 if box.held is None else 2)",
          "y * (2 if isinstance(box.spoken, box.kind) else 3)", "y * box.kind.scale", "y * (2 if box.kind == Spoken else 3)",
          "y * len('abc'.encode('heard'))", "y + len(b'ab'.decode('heard'))", "y * len(box.kind)", "y * (1 if box.kind else 0)",
          "y * (2 if issubclass(box.kind, Base) else 3)", "box.only(y)", "y * box.spoken.v", "y + len('%s' % box.n)",
          "y + float('1.5')", "y * len(str(box.n))", "y * (2 if type(box) is Box else 3)", "y + len('ab'.encode('utf-8'))",
          "y * (2 if hasattr(box, 'held') else 3)", "y * getattr(box, 'extra', 2)", "y * Base.scale", "y.sum() + y"]
# What happens between the calls.
CHANGES = ["pass", "Base.__bases__ = (Second,)", "Base.__bases__ = (First,)", "First.scale = 7.0", "Box.method = lambda self, x: x * 11",
           "del_attribute(Box, 'method')", "box.__class__ = Box2", "box.__class__ = Box", "Spoken.scale = 4.0", "box.kind = Silent",
           "box.kind = Spoken", "Silent.method = First.method", "Box.extra = 5", "del_attribute(Box, 'extra')", "box.n += 1", "gc.collect()",
           "heard['longer'] = not heard['longer']", "box.quiet = Spoken()", "box.quiet = Silent()", "Meta.__len__ = lambda cls: 4"]

ORIGINAL_LEN = Meta.__len__
heard = {"longer": False}


def find_codec(name):
    """A codec that logs each use, and gives a text twice as long while heard["longer"] is true."""
    if name != "heard":
        return None

    def encode(text, errors="strict"):
        LOG.append("encoded")
        return text.encode() * (2 if heard["longer"] else 1), len(text)

    def decode(data, errors="strict"):
        LOG.append("decoded")
        return bytes(data).decode() * (2 if heard["longer"] else 1), len(data)
    return codecs.CodecInfo(encode, decode, name="heard")


codecs.register(find_codec)


def watch(box, name, does):
    """Stores an object as attribute `name`. The box also holds a weak reference to it, with a callback."""
    class Plain:
        pass
    value = Plain()

    def gone(reference):
        LOG.append("gone " + name)
        if does:
            does(reference)
    box.__dict__["watcher"] = weakref.ref(value, gone)
    setattr(box, name, value)


def del_attribute(cls, name):
    if name in cls.__dict__:
        delattr(cls, name)


class Program:
    """`source` defines `main(box, x)`. `steps` has, for each call, two statements that run before it."""

    def __init__(self, seed):
        self.r = r = random.Random(seed)
        lines = ["y = x + 0.5"]
        for _ in range(r.randint(2, 7)):
            if r.random() < 0.5:
                lines.append(r.choice(STATEMENTS))
            else:
                lines.append("y = " + r.choice(VALUES))
            if r.random() < 0.12:
                lines[-1] = "if box.n % 2 == 0: " + lines[-1]
        lines.append("return " + r.choice(["y", "y, box.n", "y, box.items", "y * 2, box.t", "[y, x]"]))
        self.source = "def main(box, x):\n" + "".join("    %s\n" % line for line in lines)
        self.steps = [[self.hold(), r.choice(CHANGES) if r.random() < 0.5 else "pass"] for _ in range(CALLS)]

    def hold(self):
        return self.r.choice(HOLDS).format(end=self.r.choice(ENDS))


def numbers(value):
    if isinstance(value, Tensor):
        return "tensor", ["%.4g" % v for v in value.asnumpy().ravel()]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__] + [numbers(v) for v in value]
    if isinstance(value, dict):
        return [(numbers(k), numbers(v)) for k, v in value.items()]
    if isinstance(value, set):
        return sorted(map(numbers, value))
    return repr(value) if isinstance(value, (int, float, str, type(None))) else type(value).__name__


def use(text, steps, decorate):
    """(for each call its result or error, the log and the state of the box; the decorated function)"""
    heard["longer"] = False
    Meta.__len__ = ORIGINAL_LEN
    del LOG[:]
    space = {"LOG": LOG, "Meta": Meta, "Quiet": Quiet, "ops": ops, "gc": gc, "watch": watch, "heard": heard, "del_attribute": del_attribute,
             "Tensor": Tensor}
    exec(SOURCE_OF_CLASSES, space)
    exec("class Box2(Box):\n    def method(self, x):\n        return x * 9\n", space)
    text.load(space)
    main = decorate(space["main"])
    box, seen = space["Box"](), []
    space["box"] = box
    for number, (hold, change) in enumerate(steps):
        for line in (hold, change):
            try:
                exec(line, space)
            except Exception as e:  # the statement does not fit the state that the function has left
                LOG.append("setup " + type(e).__name__)
        try:
            result = numbers(main(box, Tensor(np.float32([1, number - 2]))))
        except Exception as e:
            result = type(e).__name__, str(e)
        seen.append((result, list(map(numbers, LOG)), [(k, numbers(v)) for k, v in vars(box).items() if k not in ("log", "watcher")]))
    del box, space["box"]
    gc.collect()
    seen.append(list(map(numbers, LOG)))
    return seen, main



@contextlib.contextmanager
def ignored_errors_noted():
    """Logs the errors of finalizers and callbacks. 3.7 has no hook for these and prints them."""
    before = getattr(sys, "unraisablehook", None)
    sys.unraisablehook = lambda error: LOG.append("ignored " + error.exc_type.__name__)
    try:
        yield
    finally:
        sys.unraisablehook = before


def check(seed):
    """(None or a text that says what differs, number of captures, number of calls that level STRICT did not refuse)"""
    with ignored_errors_noted():
        return compare(seed)


def compare(seed):
    program, whole = Program(seed), 0
    with SourceText(program.source) as text:
        plain, _ = use(text, program.steps, lambda fn: fn)
        for way in ways_of(seed):
            seen, jitted = use(text, program.steps, WAYS[way])
            whole += getattr(jitted, "whole", 0)
            for turn, (expected, got) in enumerate(zip(plain, seen)):
                if expected != got:
                    steps = "".join("\n# before call %d: %s; %s" % (i, *step) for i, step in enumerate(program.steps))
                    return "call %d under %s:\n got      %s\n expected %s%s" % (turn, way, got, expected, steps), 0, 0
    return None, programs.captures(), whole


def fuzz(*args):
    return programs.fuzz(Program, check, *args)


if __name__ == "__main__":
    sys.exit(programs.main(__doc__, Program, check))
