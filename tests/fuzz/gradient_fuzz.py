"""Gradient fuzzer: random functions of three tensors, with branches and loops on tensor values, and with operators whose
derivatives are infinite or NaN at some of the values they meet. There are also steps with custom gradients (custom_steps.py), and
gathers whose result nothing reads and that fail for some values.

    python tests/fuzz/gradient_fuzz.py [--first N] [--count N] [--seconds N] [--show SEED]

A program runs plainly, under PIJit and, for every third program, under PSJit. These must agree in

- the results, which of them are the same tensor, and which share memory;
- the gradients of some results, infinities and NaNs included. The other results must not take part in these.

Some inputs are results of operators outside of the function. Some gradients are differentiated again. Gradients are taken
once of the jitted function, and once by a jitted function that calls `ms.grad`. The seed alone determines a program. The last
line is `N programs, N captures, N captured whole, N failed`; the exit status is 1 when any failed.
"""
import random
import sys

import custom_steps
import numpy as np
import programs
from ways import WAYS, SourceText, ways_of

import msjit as ms
from msjit import Tensor, ops

SIZE = 4
SPACE = {"ops": ops, "ms": ms, **custom_steps.STEPS}
WORKS = ["ops.sqrt({a})", "ops.log({a})", "{a} / {b}", "{a} * {b}", "{a} + {b}", "{a} - {b}", "ops.tanh({a})",
         "ops.relu({a})", "ops.abs({a}) ** 0.5", "1 / {a}", "ops.rsqrt({a})", "{a} * 0", "{a} * 0.5 + {c}", "-{a}",
         "ops.where({a} > 0, {b}, {a})", "ops.maximum({a}, {b})", "ops.stop_gradient({a}) + {b}", "{a} + {b}.sum()",
         "{a}[::-1]", "{a}[:]", "{a}.reshape(-1)", "ops.where({a} > 0, {a}, {a})", "-(-{a})",
         "ops.concat(({a}[:2], {b}[2:]))", "ops.cumsum({a}, 0)", "ops.exp({a})", "{a}", "{a} * {b}.mean()",
         "ops.norm({a}) + {b}", "ops.std({a}) + {b}", "ops.prod({a}) * {b}", "ops.log1p({a})", "ops.softmax({a})",
         "{a}.astype(ms.int32) * {b}", "{a}.astype(ms.int32).astype(ms.float32)", "{a} + {b}.astype(ms.int32) / 2"] + custom_steps.WORKS
PAIRS = ["ops.split({a} * {b}, 2)", "ops.split(ops.sqrt({a}), 2)", "ops.unstack(ops.stack(({a}[:2], {b}[2:])))"]
TESTS = ["{a}.sum() > {c}", "{a}[0] > {b}[1]", "{a}.max() < {c}", "({a} * {b}).sum() <= {c}", "{a}[1] == 0"]
NUMBERS = ["0", "1", "-1", "0.5", "2"]
VALUES = [0, 0, 1, 1, -1, 0.5, 2, 0.25, 4, -2]


class Program:
    """One random function: its `source`, and in `counts` which of its results are differentiated."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.names, self.loops = ["x", "y", "z"], 0
        lines = []
        for _ in range(self.r.randint(2, 7)):
            self.statement(lines, "    ", 0)
        results = self.r.sample(self.names, min(len(self.names), self.r.randint(1, 4)))
        lines.append("    return (%s,)" % ", ".join(results))
        body = "def main(x, y, z):\n%s\n" % "\n".join(lines)
        self.counts = sorted(self.r.sample(range(len(results)), self.r.randint(1, len(results))))
        self.before = [self.r.choice(["{v}", "{v}", "ops.sqrt({v})", "{v} * 2", "1 / {v}"]) for _ in range(3)]
        # Not with conversions to integers: with steep gradients, one bit of rounding before such a conversion makes a large difference.
        self.twice = self.r.random() < 0.2 and "int32" not in body
        self.source = body + self.inside()

    def inside(self):
        """A function that takes the gradients itself."""
        text = "\n\ndef inside(x, y, z):\n    def total(x, y, z):\n        found = main(%s)\n        return %s\n\n" % (
            ", ".join(text.format(v=v) for v, text in zip("xyz", self.before)),
            " + ".join("found[%d].sum() * %d" % (i, i + 1) for i in self.counts))
        if self.twice:
            text += ("    def steepness(x, y, z):\n        a, b, c = ms.grad(total, (0, 1, 2))(x, y, z)\n"
                     "        return (a * a).sum() + (b * b).sum() + (c * c).sum()\n\n")
        return text + "    return ms.grad(%s, (0, 1, 2))(x, y, z)\n" % ("steepness" if self.twice else "total")

    def fill(self, template):
        pick = self.r.choice
        return template.format(a=pick(self.names), b=pick(self.names), c=pick(NUMBERS))

    def target(self, depth):
        """A new name or an existing one. In arms and loop bodies it is mostly an existing one."""
        if self.r.random() < (0.85 if depth else 0.3):
            return self.r.choice(self.names)
        return "v%d" % len(self.names)

    def assign(self, lines, pad, depth):
        if self.r.random() < 0.1:
            p, q = (self.target(depth) for _ in range(2))
            lines.append("%sp, q = %s" % (pad, self.fill(self.r.choice(PAIRS))))
            parts = [self.r.choice(["ops.concat((p, q))", "ops.concat((p, p))", "ops.concat((q, q))"]) for _ in "pq"]
            lines.append("%s%s, %s = %s" % (pad, p, q, ", ".join(parts)))
            self.names += sorted({p, q} - set(self.names)) if not depth else []
        elif self.r.random() < 0.1:
            a, b, c = (self.r.choice(self.names) for _ in range(3))
            lines.append("%s%s, %s = %s, %s" % (pad, a, b, b, self.fill(self.r.choice(WORKS))))
        else:
            name = self.target(depth)
            lines.append("%s%s = %s" % (pad, name, self.fill(self.r.choice(WORKS))))
            self.names += [name] if name not in self.names and not depth else []

    def block(self, lines, pad, depth):
        for _ in range(self.r.randint(1, 2)):
            self.statement(lines, pad + "    ", depth + 1)

    def statement(self, lines, pad, depth):
        chance = self.r.random() * 1.04 + 0.12 * depth  # above 1: a gather
        if chance < 0.25:
            lines.append("%sif %s:" % (pad, self.fill(self.r.choice(TESTS))))
            self.block(lines, pad, depth)
            if self.r.random() < 0.3:
                lines.append("%selif %s:" % (pad, self.fill(self.r.choice(TESTS))))
                self.block(lines, pad, depth)
            if self.r.random() < 0.6:
                lines.append(pad + "else:")
                self.block(lines, pad, depth)
        elif chance < 0.4:
            self.loops += 1
            counter = "n%d" % self.loops
            lines.append("%s%s = ops.zeros(())" % (pad, counter))
            lines.append("%swhile %s < %d:" % (pad, counter, self.r.randint(1, 3)))
            lines.append("%s    %s = %s + 1" % (pad, counter, counter))
            self.block(lines, pad, depth)
        elif chance > 1:
            lines.append(pad + self.fill("ops.gather({a}, ops.clamp({b} * 2, -1, 6).astype(ms.int32), 0)"))
        else:
            self.assign(lines, pad, depth)


def make_values(seed):
    r = random.Random(seed)
    return [np.array([r.choice(VALUES) for _ in range(SIZE)], np.float32) for _ in range(3)]


def gradients(fn, program, values):
    """The gradients of the results that `counts` names, or the error."""
    before = [eval("lambda v, ops=ops, ms=ms: " + text.format(v="v")) for text in program.before]

    def total(*inputs):
        results = fn(*[f(v) for f, v in zip(before, inputs)])
        return sum(results[i].sum() * (i + 1) for i in program.counts)

    def steepness(*inputs):
        return sum((grad * grad).sum() for grad in ms.grad(total, (0, 1, 2))(*inputs))
    try:
        inputs = [Tensor(v) for v in values]
        return [g.asnumpy() for g in ms.grad(steepness if program.twice else total, (0, 1, 2))(*inputs)]
    except Exception as e:
        return "%s: %s" % (type(e).__name__, e)


def gradients_inside(fn, values):
    try:
        return [g.asnumpy() for g in fn(*[Tensor(v) for v in values])]
    except Exception as e:
        return "%s: %s" % (type(e).__name__, e)


def results(fn, values):
    """(the results, and all of them again after each write to an input or result; for each result, which results and inputs are
    the same tensor)"""
    inputs = [Tensor(v) for v in values]
    try:
        found = fn(*inputs)
    except IndexError as e:
        return str(e), None
    arrays = [v.asnumpy().copy() for v in found]
    for i, tensor in enumerate(inputs + list(found)):
        tensor[0] = 50 + i
        arrays += [v.asnumpy().copy() for v in found]
    return arrays, [[a is b for b in list(found) + inputs] for a in found]


def agree(a, b, twice=False):
    """Whether arrays agree. `twice`: gradients of gradients, whose sums run in another order, so that an infinity may become NaN."""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    scale = 1
    if twice:
        a, b = ([np.where(np.isfinite(v), v, np.nan) for v in arrays] for arrays in (a, b))
        scale = max([1] + [np.abs(v[np.isfinite(v)]).max(initial=0) for v in b])  # large terms that cancel out leave their rounding errors
    return all(np.allclose(p, q, rtol=2e-3, atol=1e-4 * scale ** 0.5, equal_nan=True) for p, q in zip(a, b))


def check(seed):
    """(None or a text that says what differs, number of captures, number of calls that level STRICT did not refuse)"""
    program, whole = Program(seed), 0
    with SourceText(program.source) as text:
        plain = text.load(dict(SPACE))["main"]
        inputs = [make_values(seed * 8 + turn) for turn in range(4)]
        expected = [(results(plain, values), gradients(plain, program, values)) for values in inputs]
        for way in ways_of(seed):
            jitted = WAYS[way](text.load(dict(SPACE))["main"])
            for turn, values in enumerate(inputs):
                why = compare(jitted, program, values, *expected[turn])
                if why:
                    return "call %d under %s: %s" % (turn, way, why), 0, 0
            whole += getattr(jitted, "whole", 0)
            inside = WAYS[way](text.load(dict(SPACE))["inside"])
            for turn, values in enumerate(inputs):
                got = gradients_inside(inside, values)
                if not agree(got, expected[turn][1], program.twice):
                    return "call %d of inside() under %s: got %s, expected %s" % (turn, way, got, expected[turn][1]), 0, 0
            whole += getattr(inside, "whole", 0)
    return None, programs.captures(), whole


def compare(jitted, program, values, expected, expected_gradients):
    (arrays, same), (got, got_same) = expected, results(jitted, values)
    if not agree(got, arrays) or got_same != same:
        return "got %s %s, expected %s %s" % (got, got_same, arrays, same)
    got = gradients(jitted, program, values)
    if not agree(got, expected_gradients, program.twice):
        return "results %s of %s%s: got %s, expected %s" % (
            program.counts, program.before, " twice" if program.twice else "", got, expected_gradients)
    return None


def fuzz(*args):
    return programs.fuzz(Program, check, *args)


if __name__ == "__main__":
    sys.exit(programs.main(__doc__, Program, check))
