"""Module fuzzer: random Cells whose `construct` changes Parameters, buffers, attributes and containers of its own, in
branches and loops on tensors and on Python values.

    python tests/fuzz/module_fuzz.py [--first N] [--count N] [--seconds N] [--show SEED]

A Cell is called several times plainly, under PIJit and, for every third Cell, under PSJit. The calls must agree in what they
return or raise and print, in the state after them, and in which of all these tensors are the same one.

Half of the Cells are also differentiated, by a function that is itself jitted in a further run. The gradients of all results must
agree. Some of these programs write to results, inputs and Parameters between the forward and the backward run. Plain code then
raises if a gradient needs an overwritten tensor. Compiled code may need fewer of these tensors, and so raise less. It may
need more only where a branch or a loop on tensors decides what is needed. The seed alone determines a program. The last line is
`N programs, N captures, N captured whole, N failed`; the exit status is 1 when any failed.
"""
import contextlib
import io
import random
import re
import sys

import numpy as np
import programs
from ways import WAYS, SourceText, ways_of

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

SIZE = 3
CALLS = 5
WORKS = ["ops.tanh({a})", "{a} * {b}", "{a} + {b}", "{a} - 1", "-{a}", "{a}[::-1]", "{a}[:]", "{a} * 2", "ops.relu({a})",
         "{a}", "{a} * {b}.sum()", "{a} if {a}.sum() > {b}.sum() else {b}", "self.f({a})", "self.g({a}, {b})",
         "ops.where({a} > 0, {b}, {a})", "{a} * self.k", "self.items[{i}]", "self.items[-1] + {a}", "self.d['p']",
         "self.inner({a})", "1 / ({a} * {a} + 1)", "ops.sqrt({a} * {a} + 1)", "{a}.reshape(-1)", "ops.exp({a} * 0.5)",
         "ops.concat(({a}[:1], {b}[1:]))", "self.state + {a}", "ops.stop_gradient({a}) * {b}", "self.scale * {a}"]
TESTS = ["{a}.sum() > {c}", "{a}[0] > {b}[1]", "self.k > 2", "self.n % 2 == 0", "{a}.max() < {c}", "{a} is self.h",
         "len(self.items) > 2", "self.training", "{a} is {b}"]
EFFECTS = ["self.h = {w}", "self.k += 1", "self.items.append({w})", "self.d['p'] = {w}", "{a}[0] = 3.0",
           "ops.assign(self.w, {w})", "self.w.set_data({w} * 1)", "self.n += 1", "print({a}.sum() > 0, self.k)",
           "self.w[1] = {b}[0]", "{a} += {b}", "self.h[1] = 2.0", "self.items[0] = {w}", "{a} *= 0.5",
           "self.items = self.items[-2:]", "ops.assign(self.state, self.state * 0.5 + {w} * 0.5)", "self.state[0] = {a}[1]",
           "ops.assign(self.inner.v, {w})", "ops.assign_add(self.state, {b})", "self.set_train(not self.training)",
           "assert {a}.sum() < 20, 'too much'", "self.h = self.items.pop() if len(self.items) > 2 else {a}"]
WRITES = ["ops.assign({t}, {t} * 2)", "{t}[0] = 5.0", "ops.assign_add({t}, {t})", "{t} *= 3"]
WRITTEN = ["results[0]", "results[-1]", "x", "net.w", "net.state", "net.h", "net.inner.v", "net.items[-1]"]
VALUES = [0, 1, -1, 0.5, 2]
OVERWRITTEN = "RuntimeError: [backward] a tensor that is needed was modified in place"

STEP = '''

def differentiate(net, x, y):
    def loss(x, y):
        results = net(x, y)
%s        return sum([result.sum() * (i + 1) for i, result in enumerate(results)]), results
    (value, results), gradients = ms.value_and_grad(loss, %s, net.trainable_params(), has_aux=True)(x, y)
%s    return [value, results], gradients
'''


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.v = Parameter(Tensor(np.array([0.5, -2, 1], np.float32)), name="v")
        self.calls = 0

    def construct(self, a):
        self.calls += 1
        return a * self.v + self.calls


class Base(nn.Cell):
    """The state on which `construct` of the random Cells works."""

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.array([1, -1, 0.5], np.float32)), name="w")
        self.state = Parameter(Tensor(np.array([0.5, 0, 2], np.float32)), name="state", requires_grad=False)
        self.h = Tensor(np.array([2, 0, -1], np.float32))
        self.inner = Inner()
        self.k, self.n, self.scale = 1, 0, 0.5
        self.items = [Tensor(np.array([0.5, 0.25, 1], np.float32))]
        self.d = {"p": Tensor(np.array([0, 1, 2], np.float32))}

    def f(self, a):
        return ops.tanh(a) * self.w

    def g(self, a, b):
        if a.sum() > 0:
            return a + b
        self.n += 1
        return a - b


class Program:
    """One random Cell: `source` after construction, and how it is used."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names, self.loops = ["x", "y", "self.w", "self.h"], 0
        lines = []
        for _ in range(self.r.randint(3, 8)):
            self.statement(lines, "        ", 0)
        results = self.r.sample(self.names, self.r.randint(1, 3))
        self.source = "class Net(Base):\n    def construct(self, x, y):\n%s\n        return %s,\n" % (
            "\n".join(lines), ", ".join(results))
        self.differentiated = self.r.random() < 0.5
        self.asked = self.r.choice([(0, 1), 0, 1, None])
        self.writes = []
        if self.differentiated and self.r.random() < 0.5:
            self.writes = [self.r.choice(WRITES).format(t=self.r.choice(WRITTEN)) for _ in range(self.r.randint(1, 2))]
        self.decides_on_tensors = bool(re.search(r"\w\.sum\(\) [<>]|\[0\] > |max\(\) <|while |self\.g\(", self.source))
        self.source += self.step()

    def step(self):
        """The text of the function that differentiates the Cell; in some programs it also updates a Parameter."""
        return STEP % ("".join("        %s\n" % write for write in self.writes), self.asked,
                       self.r.choice(["", "    ops.assign_sub(net.inner.v, gradients[-1][-1] * 0.1)\n"])
                       if self.asked is not None else "")

    def fill(self, template):
        pick = self.r.choice
        template = template.replace("{w}", pick(WORKS))
        return template.format(a=pick(self.names), b=pick(self.names), c=pick(["0", "1", "-1"]), i=pick(["0", "-1"]))

    def statement(self, lines, pad, depth):
        chance = self.r.random() + 0.15 * depth
        if chance < 0.2:
            lines.append(pad + "if %s:" % self.fill(self.r.choice(TESTS)))
            self.block(lines, pad, depth)
            if self.r.random() < 0.5:
                lines.append(pad + "else:")
                self.block(lines, pad, depth)
        elif chance < 0.32:
            self.loop(lines, pad, depth)
        elif chance < 0.5:
            lines.append(pad + self.fill(self.r.choice(EFFECTS)))
        else:
            name = self.r.choice(["x", "y"] if depth else ["x", "y", "v%d" % len(self.names)])
            lines.append("%s%s = %s" % (pad, name, self.fill(self.r.choice(WORKS))))
            self.names += [name] if name not in self.names else []

    def loop(self, lines, pad, depth):
        self.loops += 1
        counter, kind = "n%d" % self.loops, self.r.random()
        if kind < 0.5:
            lines.append("%s%s = ops.zeros(())" % (pad, counter))
            lines.append("%swhile %s < %d:" % (pad, counter, self.r.randint(1, 3)))
            lines.append("%s    %s = %s + 1" % (pad, counter, counter))
        elif kind < 0.8:
            lines.append("%sfor %s in range(%d):" % (pad, counter, self.r.randint(1, 3)))
        else:
            lines.append("%sfor %s in list(self.items[:2]):" % (pad, counter))
        self.block(lines, pad, depth)

    def block(self, lines, pad, depth):
        for _ in range(self.r.randint(1, 2)):
            self.statement(lines, pad + "    ", depth + 1)


def numbers(value):
    """`value` with each tensor replaced by a list of rounded numbers."""
    if isinstance(value, Tensor):
        return ["%.3g" % v for v in value.asnumpy().astype(np.float64).round(4).ravel() + 0.0]
    if isinstance(value, (list, tuple)):
        return [numbers(v) for v in value]
    if isinstance(value, dict):
        return {key: numbers(v) for key, v in value.items()}
    return value


def tensors(value):
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [t for v in value for t in tensors(v)] if isinstance(value, (list, tuple)) else []


def message(error):
    """The error as text. For an overwritten tensor the text leaves out what needs it: plainly that is an operator, in compiled
    code the function. Which of several overwritten tensors is found first is not defined either."""
    text = "%s: %s" % (type(error).__name__, error)
    return re.sub(r"tensor that .* needs.*", "tensor that is needed was modified in place", text)


def use(cls, step, seed):
    """The error, if any, and the state of each of a few calls."""
    net, r, seen = cls(), random.Random(seed), []
    for _ in range(CALLS):
        x, y = (Tensor(np.array([r.choice(VALUES) for _ in range(SIZE)], np.float32)) for _ in range(2))
        printed, results, gradients = io.StringIO(), [], ()
        try:
            with contextlib.redirect_stdout(printed):
                if step is not None:
                    results, gradients = step(net, x, y)
                else:
                    results = net(x, y)
        except Exception as e:
            seen.append(message(e))
        shown = [results, x, y, net.w, net.state, net.inner.v, net.h, net.items, net.d]
        every = tensors(shown)
        seen.append((numbers(shown), [net.k, net.n, net.inner.calls, net.training], numbers(gradients), printed.getvalue(),
                     [[a is b for b in every] for a in every]))
        for t in tensors(results)[:1]:
            if t.ndim and t.requires_grad is not True:
                t[0] = 9.0  # makes visible which tensors share memory with the result
    return seen


def check(seed):
    """(None or a text that says what differs, number of captures, number of calls that level STRICT did not refuse)"""
    program, whole = Program(seed), 0
    with SourceText(program.source) as text:
        def load():
            space = text.load({"Base": Base, "ops": ops, "ms": ms})
            return space["Net"], space["differentiate"] if program.differentiated else None
        plain = use(*load(), seed)
        for way in ways_of(seed):
            for inside in (False, True)[:1 + program.differentiated]:
                cls, step = load()
                if inside:
                    jitted = step = WAYS[way](step)
                else:
                    jitted = cls.construct = WAYS[way](cls.construct)
                why = compare(program, plain, use(cls, step, seed))
                if why:
                    return "%s under %s%s" % (why, way, ", jitted as a step" if inside else ""), 0, 0
                whole += getattr(jitted, "whole", 0)
    return None, programs.captures("construct"), whole


def compare(program, plain, jitted):
    for turn, (expected, got) in enumerate(zip(plain, jitted)):
        if expected == OVERWRITTEN != got or program.decides_on_tensors and got == OVERWRITTEN != expected:
            break
        if repr(expected) != repr(got):
            return "step %d: got %s, expected %s" % (turn, got, expected)
    return None


def fuzz(*args):
    return programs.fuzz(Program, check, *args)


if __name__ == "__main__":
    sys.exit(programs.main(__doc__, Program, check))
