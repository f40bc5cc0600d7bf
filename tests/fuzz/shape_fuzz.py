"""Shape fuzzer: random functions of tensors and ints. The sizes of the tensors and the ints change from call to call.

    python tests/fuzz/shape_fuzz.py [--first N] [--count N] [--seconds N] [--show SEED]

A program runs plainly, under PIJit and, for every third program, under PSJit. Results, ints, shapes, exceptions and gradients must
agree at every size. The seed alone determines a program. The last line is `N programs, N captures, N captured whole, N failed`;
the exit status is 1 when any failed.
"""
import random
import sys

import numpy as np
import programs
from ways import WAYS, SourceText, ways_of

import msjit as ms
from msjit import Tensor, ops

SAME = ["ops.tanh({a})", "{a} * 2", "ops.relu({a}) + {i}", "{a} - {a}.mean(axis=0)", "ops.softmax({a}, axis=-1)",
        "{a} / ({i} + 7)", "{a} + {b}", "{a} * {b}", "ops.where({a} > 0, {a}, {b})", "{a}[::-1] if False else {a}",
        "ops.cumsum({a}, 0)", "{a}.astype(ms.float32)", "ops.maximum({a}, {b})",
        "{a} + ops.arange(0, {a}.shape[-1])", "{a} * len({a})"]
OTHER = ["{a}.T", "{a}.reshape(-1)", "{a}.reshape({a}.shape[0], -1)", "{a}.reshape(-1, {a}.shape[-1])",
         "{a}.sum(axis=0)", "{a}.sum(axis=-1)", "{a}.mean(axis=-1, keepdims=True)", "{a}[{i}:]", "{a}[:{i}]",
         "{a}[{i}]", "{a}[-1]", "{a}[1:-1]", "{a}[..., :{i}]", "{a}[:, None]", "ops.concat(({a}, {b}), axis=0)",
         "ops.concat(({a}, {a}), axis=-1)", "ops.matmul({a}, {b})", "ops.matmul({a}, {a}.T)",
         "ops.stack(({a}, {a}), axis=0)", "ops.split({a}, 2, axis=0)[0]", "{a}.reshape({i}, -1)",
         "ops.zeros(({i}, {a}.shape[-1])) + {a}[:{i}]", "ops.ones({a}.shape) * {i}",
         "ops.broadcast_to({a}, (2,) + {a}.shape)", "{a}.max(axis=0)", "ops.expand_dims({a}, 0)",
         "ops.tile({a}, (2, 1))", "{a}.reshape({a}.shape[::-1])", "ops.full(({i}, 2), {i})",
         "ops.pad({a}, ((1, {i}), (0, 0))) if {a}.ndim == 2 else {a}", "ops.arange({i}) * 0.5",
         "{a}.reshape({a}.size // 2, 2)", "{a}[{a}.shape[0] // 2:]", "{a}.swapaxes(0, -1)"]
INTS = ["{a}.shape[0]", "{a}.shape[-1]", "len({a})", "{a}.size", "{a}.ndim", "{i} + 1", "{i} * 2", "{i} // 2",
        "{i} - {j}", "{i} % 3", "min({i}, {j})", "max({i}, 3)", "-{i}", "{i} * {j}", "abs({i})", "int({i})",
        "{i} // max({j}, 1)", "sum({a}.shape)", "{a}.nbytes // 4", "({i} + {j}) // 2", "{i} ** 2",
        "{i} if {i} > {j} else {j}", "bool({i}) + {i}", "{i} % {j}"]
TESTS = ["{i} > 2", "{i} == {j}", "{a}.shape == {b}.shape", "{a}.shape[0] < 4", "{i} % 2 == 0", "{i}", "not {i}",
         "{a}.shape[0] != {i}", "{i} in (2, 3)", "isinstance({i}, int)", "{i} is None", "3 <= {i} < 6",
         "{a}.ndim == 2"]
SIZES = [(2, 3), (3, 4), (4, 6), (5, 4), (6, 6), (1, 4), (8, 2), (3, 5), (0, 3), (4, 6), (7, 1), (2, 8), (10, 4)]


class Program:
    """One random function: `source` after construction."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        self.tensors, self.ints, self.names = ["x", "y"], ["n"], 0
        body = []
        for _ in range(self.r.randint(2, 8)):
            self.statement(body, "    ")
        result = [name for kind in (self.tensors, self.ints) for name in self.r.sample(kind, min(3, len(kind)))]
        body.append("    return (%s, %s.shape)" % (", ".join(result), self.r.choice(self.tensors)))
        self.source = "def main(x, y, n):\n%s\n" % "\n".join(body)

    def fill(self, template):
        pick = self.r.choice
        number = pick(self.ints) if self.r.random() < 0.8 else str(self.r.randint(0, 4))
        return template.format(a=pick(self.tensors), b=pick(self.tensors), i=number, j=pick(self.ints))

    def fresh(self, kind):
        self.names += 1
        return "%s%d" % (kind, self.names)

    def statement(self, body, pad):
        chance = self.r.random()
        if chance < 0.35:
            name = self.fresh("t")
            body.append("%s%s = %s" % (pad, name, self.fill(self.r.choice(OTHER))))
            self.tensors.append(name)
        elif chance < 0.6:
            name = self.fresh("t")
            body.append("%s%s = %s" % (pad, name, self.fill(self.r.choice(SAME))))
            self.tensors.append(name)
        elif chance < 0.82:
            name = self.fresh("i")
            body.append("%s%s = %s" % (pad, name, self.fill(self.r.choice(INTS))))
            self.ints.append(name)
        elif chance < 0.88:
            body.append("%sprint(%s, %s)" % (pad, self.r.choice(self.ints), self.r.choice(self.ints)))
        elif chance < 0.92:
            body.append("%sn, %s = %s, %s" % (pad, "m", self.r.choice(self.ints), self.r.choice(self.ints)))
        elif chance < 0.94 and pad == "    ":
            body.append("    for k in range(min(%s, 3)):\n        y = y * 0.5 + k" % self.r.choice(self.ints))
        elif chance < 0.96 and pad == "    ":
            # Not 0: values of x - x.mean(axis=0) are 0 but for rounding, which differs between kernels.
            body.append("    if %s.sum() > 0.07:\n        y = %s\n    else:\n        y = %s" % (
                self.r.choice(self.tensors), self.fill(self.r.choice(SAME)), self.fill(self.r.choice(SAME + OTHER))))
        elif chance < 0.97 and pad == "    ":
            body.append("    c = %s.sum() * 0\n    while c < 2.5:\n        x = %s\n        c = c + 1" % (
                self.r.choice(self.tensors), self.fill(self.r.choice(SAME))))
        elif pad == "    ":
            body.append("%sif %s:" % (pad, self.fill(self.r.choice(TESTS))))
            tensors, ints = list(self.tensors), list(self.ints)
            body.append("        y = %s" % self.fill(self.r.choice(SAME)))
            self.tensors, self.ints = tensors, ints


def make_args(shape, n):
    rng = np.random.RandomState(shape[0] * 16 + shape[1])
    x, y = (Tensor(rng.randint(-8, 8, shape).astype(np.float32) / by) for by in (4, 8))
    return [x, y, n]


def gradients(fn, shape, n):
    """The gradient of the sum of the first result, or the error."""
    def total(x, y):
        return fn(x, y, n)[0].sum()
    try:
        return [g.asnumpy() for g in ms.grad(total, (0, 1))(*make_args(shape, n)[:2])]
    except Exception as e:
        return type(e).__name__


def agree(a, b):
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    return len(a) == len(b) and all(p.shape == q.shape and np.allclose(p, q, rtol=1e-4, atol=1e-5, equal_nan=True)
                                    for p, q in zip(a, b))


def check(seed):
    """(None or a text that says what differs, number of captures, number of calls that level STRICT did not refuse)"""
    program, said, whole = Program(seed), [], 0
    space = {"ops": ops, "ms": ms, "print": print}
    sizes = SIZES[:]
    random.Random(seed + 1).shuffle(sizes)
    calls = [(shape, (shape[0], shape[1], turn)[seed % 3]) for turn, shape in enumerate(sizes)]
    held, sys.stdout = sys.stdout, Lines(said)
    try:
        with SourceText("import builtins\n" + program.source) as text:
            plain = text.load(dict(space))["main"]
            expected = [(programs.outcome(plain, make_args(*c), said), gradients(plain, *c) if seed % 4 == 0 else None) for c in calls]
            for way in ways_of(seed):
                jitted = WAYS[way](text.load(dict(space))["main"])
                for turn, c in enumerate(calls):
                    why = compare(jitted, c, said, *expected[turn])
                    if why:
                        return "call %d under %s, shape %s, n %d: %s" % (turn, way, *c, why), 0, 0
                whole += getattr(jitted, "whole", 0)
    finally:
        sys.stdout = held
    return None, programs.captures(), whole


def compare(jitted, at, said, expected, expected_gradients):
    (wanted, arrays), (got, got_arrays) = expected, programs.outcome(jitted, make_args(*at), said)
    if got != wanted or not agree(got_arrays, arrays):
        return "got %s, expected %s" % (got, wanted)
    if expected_gradients is not None and not agree(gradients(jitted, *at), expected_gradients):
        return "gradients"
    return None


class Lines:
    """Stands for sys.stdout."""

    def __init__(self, lines):
        self.lines = lines

    def write(self, text):
        self.lines.append(text)

    def flush(self):
        pass


def fuzz(*args):
    return programs.fuzz(Program, check, *args)


if __name__ == "__main__":
    sys.exit(programs.main(__doc__, Program, check))
