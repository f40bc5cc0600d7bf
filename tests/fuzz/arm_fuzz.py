"""Fuzzer of branches that write: random functions whose `if` on tensor values writes to Parameters and stores to attributes.

    python tests/fuzz/arm_fuzz.py [--first N] [--count N] [--seconds N] [--show SEED]

A program makes eight calls plainly, under PIJit and, for every third program, under PSJit. These must agree in the results and
in the state after each call: the values of the Parameters, which must keep their memory (one has two names), and the values
and classes of the attributes. Views of Parameters are made before, in and behind the branches. The seed alone determines a
program. The last line is `N programs, N captures, N captured whole, N failed`; the exit status is 1 when any failed.
"""
import random
import sys

import numpy as np
import programs
from ways import WAYS, SourceText, ways_of

import msjit as ms
from msjit import Parameter, Tensor, ops

WORKS = ["{a} + {b}", "{a} - {b}", "{a} * {c}", "ops.maximum({a}, {b})", "ops.where({a} > {b}, {b}, {a})", "{a}[::-1] + 0",
         "ops.abs({a})", "{a} + {b}.sum()", "{a}", "-{a}", "ops.concat(({a}[:2], {b}[2:]))", "{a} * 0", "ops.clip({a}, -4, 4)",
         "{a}.reshape(2, 2).sum(0).tile((2,))", "{a}[:]", "ops.matmul({a}.reshape(2, 2), {b}.reshape(2, 2)).reshape(-1)"]
TESTS = ["{a}.sum() > {c}", "{a}[0] > {b}[1]", "{a}.max() < {c}", "({a} > {b}).any()", "not ({a} > {c}).all()"]
# These use Python numbers made of tensors. Level STRICT refuses those, so only some programs have them.
NUMBER_TESTS = ["float({a}.sum()) > 0.5", "{a}[0].item() - 0.5 < {b}[1].item()", "abs(float({a}.max())) < 2", "max(float({a}.sum()), 1.0) > 2.5",
          "int(({a} > {b}).sum()) / 4 > 0.5", "not float({a}.sum()) * 2 > float({b}.sum())", "int(({a} > {c}).sum()) == 2 or float({a}[0]) < 0",
          "float({a}.sum()) < s.level", "int(({a} > 0).sum()) > s.count"]
NUMBERS = ["0", "1", "-1", "0.5", "2"]
VALUES = [0, 0, 1, 1, -1, 0.5, 2, 0.25, 4, -2]
WRITES = ["ops.assign({p}, {e})", "ops.assign({p}, {e})", "ops.assign_add({p}, {e})", "ops.assign_sub({p}, {e})",
          "{p}.set_data({e} + 0)", "s.part = {e}", "s.part[1:3] = {c}"]
STORES = ["s.count += 1", "s.count -= 3", "s.count = 7", "s.level = s.level * 0.5", "s.level = {c}", "s.level = 1.0 / (s.level + 1)",
          "s.flag = True", "s.flag = not s.flag", "s.count = s.count * 2 + 1", "s.step(2)"]
NUMBER_STORES = ["s.level = float({a}.sum())", "s.level = s.level + {a}[1].item()", "s.count = int(({a} > {b}).sum())"]


class State:
    """What the programs write to."""

    def __init__(self):
        self.a, self.b = Parameter(Tensor([1.0, 2.0, -1.0, 0.5]), name="a"), Parameter(Tensor([0.0, 1.0, 2.0, 3.0]), name="b")
        self.again, self.part = self.a, Tensor([1.0, 1.0, 1.0, 1.0])
        self.count, self.level, self.flag = 0, 1.0, False

    def step(self, by):
        self.count += by

    def shown(self):
        return [self.a.asnumpy().copy(), self.b.asnumpy().copy(), self.part.asnumpy().copy(), self.again is self.a, self.count,
                type(self.count), self.level, type(self.level), self.flag, list(vars(self))]


class Program:
    """One random function: `source` after construction."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names, self.loops = ["x", "y"], 0
        numbers = self.r.random() < 0.4
        self.tests, self.stores = TESTS + NUMBER_TESTS * numbers, STORES + NUMBER_STORES * numbers
        lines = []
        for _ in range(self.r.randint(2, 6)):
            self.statement(lines, "    ", 0)
        if not any("if " in line for line in lines):
            self.branch(lines, "    ", 0)
        lines.append("    return (%s,)" % ", ".join(self.fill("{a} + 0") for _ in range(self.r.randint(1, 3))))
        self.source = "def main(s, x, y):\n%s\n" % "\n".join(lines)

    def operand(self):
        return self.r.choice(self.names + ["s.a", "s.b", "s.again", "s.part"])

    def fill(self, template, **more):
        return template.format(a=self.operand(), b=self.operand(), c=self.r.choice(NUMBERS), **more)

    def work(self):
        return self.fill(self.r.choice(WORKS))

    def block(self, lines, pad, depth):
        for _ in range(self.r.randint(1, 3)):
            self.statement(lines, pad + "    ", depth + 1)

    def branch(self, lines, pad, depth):
        lines.append("%sif %s:" % (pad, self.fill(self.r.choice(self.tests))))
        self.block(lines, pad, depth)
        if self.r.random() < 0.2:
            lines.append("%selif %s:" % (pad, self.fill(self.r.choice(self.tests))))
            self.block(lines, pad, depth)
        if self.r.random() < 0.5:
            lines.append(pad + "else:")
            self.block(lines, pad, depth)

    def loop(self, lines, pad, depth):
        self.loops += 1
        counter = "n%d" % self.loops
        lines.append("%s%s = ops.zeros(())" % (pad, counter))
        lines.append("%swhile %s < %d:" % (pad, counter, self.r.randint(1, 3)))
        lines.append("%s    %s = %s + 1" % (pad, counter, counter))
        self.block(lines, pad, depth)

    def statement(self, lines, pad, depth):
        chance = self.r.random() + 0.15 * depth
        if chance < 0.3:
            self.branch(lines, pad, depth)
        elif chance < 0.34:
            self.loop(lines, pad, depth)
        elif self.r.random() < 0.35:
            target = self.r.choice(["s.a", "s.a", "s.b", "s.again"])
            lines.append(pad + self.fill(self.r.choice(WRITES), p=target, e=self.work()))
        elif self.r.random() < 0.4:
            lines.append(pad + self.fill(self.r.choice(self.stores)))
        elif self.r.random() < 0.05:
            lines.append("%sy = y * s.count" % pad)
        else:
            self.assign(lines, pad, depth)

    def assign(self, lines, pad, depth):
        name = self.r.choice(self.names) if depth or self.r.random() < 0.4 else "v%d" % len(self.names)
        lines.append("%s%s = %s" % (pad, name, self.work()))
        self.names += [name] if name not in self.names else []


def make_values(seed):
    r = random.Random(seed)
    return [np.array([r.choice(VALUES) for _ in range(4)], np.float32) for _ in range(2)]


def run(fn, inputs):
    """For each call its results or error, then the state and `held`, an array that shares the memory of a Parameter."""
    state, found = State(), []
    held = state.a.asnumpy()
    for values in inputs:
        try:
            found.append([result.asnumpy().copy() for result in fn(state, *[Tensor(v) for v in values])])
        except Exception as e:
            found.append("%s: %s" % (type(e).__name__, e))
        found.append(state.shown() + [held.copy()])
    return found


def agree(a, b):
    if isinstance(a, np.ndarray):
        return isinstance(b, np.ndarray) and np.array_equal(a, b, equal_nan=True)
    if isinstance(a, list):
        return isinstance(b, list) and len(a) == len(b) and all(map(agree, a, b))
    return a == b or (a != a and b != b)


def check(seed):
    """(None or a text that says what differs, number of captures, number of calls that level STRICT did not refuse)"""
    program, whole = Program(seed), 0
    inputs = [make_values(seed * 8 + turn) for turn in range(8)]
    with SourceText(program.source) as text:
        expected = run(text.load({"ops": ops, "ms": ms})["main"], inputs)
        for way in ways_of(seed):
            jitted = WAYS[way](text.load({"ops": ops, "ms": ms})["main"])
            for turn, (got, wanted) in enumerate(zip(run(jitted, inputs), expected)):
                if not agree(got, wanted):
                    return "call %d under %s: got %s, expected %s" % (turn // 2, way, got, wanted), 0, 0
            whole += getattr(jitted, "whole", 0)
    return None, programs.captures(), whole


def fuzz(*args):
    return programs.fuzz(Program, check, *args)


if __name__ == "__main__":
    sys.exit(programs.main(__doc__, Program, check))
