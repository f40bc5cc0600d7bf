"""Loop fuzzer: random for loops over rows and time steps, whose lengths change from call to call.

    python tests/fuzz/loop_fuzz.py [--first N] [--count N] [--seconds N] [--show SEED]

A program runs plainly, under PIJit and, for every third program, under PSJit. Results, output and exceptions must agree at every length.
For every third program so must gradients: of the compiled function, and by a compiled function that calls `ms.grad`. The seed alone
determines a program. The last line is
`N programs, N captures, N captured whole, N failed`; the exit status is 1 when any failed.
"""
import math
import random
import sys

import numpy as np
import programs
from shape_fuzz import Lines, agree
from ways import WAYS, SourceText, ways_of

import msjit as ms
from msjit import Tensor, _msjit, ops

HEADS = ["for t in range(x.shape[0]):", "for t in range(len(x)):", "for row in x:", "for t in range(n):", "for t in range(1, x.shape[0]):",
         "for t in range(x.shape[0] - 1):", "for t in range(n):", "for row in x * 2:", "for t in range(0, n):",
         "for t in reversed(range(n)):", "for t in range(n - 1, -1, -1):", "for t, row in enumerate(x):", "for row, other in zip(x, x * 2):",
         "for row in reversed(x):", "for t, (row, other) in enumerate(zip(x, reversed(x))):", "for t, row in zip(range(n), x):",
         "for t in range(0, n, 2):", "for t in range(n - 1, 0, -2):", "for t, row in enumerate(x[1:], start=1):"]
# Long enough to be one node: over numbers that are known. `while` loops count in `t`.
LONG_HEADS = ["for t, b in zip(range(LONG), TABLE * 7):", "for t, b in enumerate((TABLE * 7)[:LONG]):", "for t, b in zip(range(LONG), STEPS):", "for t in range(LONG):",
              "for t in reversed(range(LONG)):", "for b, t in zip(reversed(TABLE * 7), range(LONG)):", "while t < LONG:", "while t <= LONG - 1:", "while n + t < n + LONG:"]
LONG_VALUES = ["h = h * 0.5 + {v} * TABLE[t % 32]", "h = h * STEPS[t] + {v} * (1 - float(STEPS[t]))", "h = h * 0.5 + {v} * np.sqrt(STEPS[t])", "h = h * 0.5 + {v} * 0.9 ** t",
               "h = h * rate + {v} * 0.5\n    rate *= 0.97", "rate = rate * 0.5 + TABLE[t % 32] / (t + 1)\n    h = h * rate + {v} * 0.5", "i += t\n    h = h * 0.5 + {v} * (i * 0.001)",
               "if t % 40 == 0:\n        h = h * 0.9", "h = h * 0.5 + {v} * math.sqrt(t + rate)", "rate, rest = rest, rate\n    h = h * rate", "if h.sum() > 0.07:\n        rate = rate * 0.9",
               "rest = min(rest, float(h.max()))", "h = h * 0.5 + {v} * (1 / (t - 60))", "i = (i * 2 + 1) % 7", "rate = TABLE[t % 32]", "h = h * 0.5 + x[t % 3] * rest"]
ODD_HEADS = ["for t, row in enumerate(zip(x, [1, 2, 3])):", "for t in reversed(reversed(range(n))):", "for t in list(range(n)):", "for t, row in list(enumerate(x)):",
             "for t in range(12):", "for t in [0, 1, 2]:", "for t in range(n + 1):", "for row in x if n > 4 else [h, h]:", "for row in outs[::-1]:", "for row in reversed(outs):"]
ROWS = ["x[t]", "x[n - 1 - t]", "x[-1 - t]", "x[t]", "x[t, :, :]", "z[:, t]", "x[t, 1]", "x[t][0]", "x[t, :, 1:3].sum(-1, keepdims=True)", "ids[t]"]
VALUES = ["ops.tanh({a} + {b})", "ops.tanh(ops.matmul({a}, w) + {b})", "{a} * 0.5 + {b} * 0.5", "ops.sigmoid({a}) * {b}", "ops.relu({a} - {b})",
          "ops.tanh(ops.matmul({a}, w.T))", "ops.sin({a})", "ops.where({a} > 0.07, {a}, {b})", "ops.maximum({a}, {b})", "{a} - {a}.mean()",
          "ops.softmax({a}, -1)", "{b}", "{a} + bias", "ops.tanh({a} * c)"]
ODD_VALUES = ["{a} * t", "{a} + (0.5 if t % 2 else 0.25)", "ops.dropout({a}, p=0.5)", "{a}[:1] + {b}", "{a} + len(outs)", "x[t + 1]", "x[t - 1]", "x[2 * t]", "x[-t]", "x[-1] * {a}",
              "(outs[-1] if outs else {a})", "{a} + x.shape[0]"]
# Writes to a tensor made in the function, or to an argument (w), and reads of it.
WRITES = ["buf[t] = {v}", "buf[t, 0] = ({v})[0]", "buf[t] = buf[t - 1] * 0.5 + {v}", "buf[t + 1] = {v} + buf[t]", "buf[:, 1] = ({v}).mean()", "buf[t, :, 1] = s",
          "buf[t][0] = ({v})[1]", "buf[0] = buf[0] + {v}", "h = buf[t] + {v}", "last = buf[t]", "buf[t] = {v}\n    buf[t] = buf[t] * 0.5", "outs.append(buf[t] * 1)",
          "buf[t] *= 0.5", "buf.mul_(0.9)", "w[0] = ({v})[0]", "if ({v}).sum() > 0.07:\n        buf[t] = {v}", "row_of = buf[t]\n    buf[t] = {v}\n    h = row_of * 0.5"]
# What turns hand on to each other: tuples, lists, dicts, attributes, counters; numbers of turns beside tensors.
HANDED_ON = ["pair = ({v}, pair[0])", "pair = (pair[0] * 0.9, pair[1] * 0.5 + {v})", "p, q = pair\n    pair = (q, p * 0.5 + {v})", "pack[0] = {v}",
             "pack[1] = pack[0] * 0.5 + pack[1]", "for k in range(2):\n        pack[k] = pack[k] * 0.5 + {v}", "pack = [{v}, pack[0]]",
             "pack = [p * 0.5 + h for p in pack]", "named['h'] = named['h'] * 0.5 + {v}", "named = {{'h': {v}, 'c': named['h']}}", "box.h = box.h * 0.5 + {v}",
             "h = box.h * 0.5 + {v}", "h = pack[0] + named['c'] * 0.5", "i += 1", "i += 1\n    h = h * 0.9 + i", "h = h * 0.5 + i", "h = x[i] + h * 0.5\n    i += 1",
             "i -= 2", "outs.append(pair[0])", "if ({v}).sum() > 0.07:\n        pair = (h, pair[0])", "if t % 2 == 0:\n        pair = (h, pair[1])",
             "h = h * (t < lens).astype(ms.float32).expand_dims(1) + {v} * 0.5", "h = ops.where((lens == t).expand_dims(1), {v}, h)",
             "seen = h if t == 0 else ops.maximum(seen, h)", "box.seen = {v}\n    h = h + box.seen", "pack[0].mul_(0.5)", "named['c'] = pack[1]",
             "h = h * 0.5 + {v} * min(t, 3)", "h = h + abs(t - 2) * {v}", "h = h + float(t) * 0.1", "h = h * 0.5 + x[t // 2]", "h = x[max(t - 1, 0)] + h * 0.5",
             "h = h * 0.5 + Tensor(t, ms.float32) * {v}", "h = ops.maximum(h, t)", "h = ops.add({v}, t) * 0.5", "h = h * 0.5 + x[t:t + 1].sum(0)",
             "outs.append(z[:, t:t + 1].squeeze(1) + h)", "if t > 1:\n        box.h = {v}", "h = h * (1 / (t + 1))", "h = h + {v} * (t * t)", "h = h * ((t + 1) / n)",
             "h = h + {v} * (1 / (t - 2))", "h = h * TABLE[t] + {v} * (1 - TABLE[-1 - t])", "h = h + {v} * TABLE[2 * t]", "nest = (nest[0], [nest[1][0] * 0.5 + h])"]
ODD_HANDED_ON = ["pack.append({v})", "pack = pack + [h]", "named['n'] = {v}", "i *= 2", "if t % 2:\n        i += 1", "del named['c']", "pair = pair + (h,)", "h = h + x[t - 1:t].sum()", "h = h + x[t:t + 2].sum(0)", "h = h + x[t // 2 + 3]", "keep[0] = {v}",
                 "pack = keep", "box = Box()\n    box.h = h", "h = h + (1 if pack is keep else 2)", "pair = pack", "named = dict(named)", "keep[0] = {v}\n    pack = [h, keep[0]]", "last = pack[0]\n    pack[0] = h", "pack = [kept, h]", "kept.mul_(0.5)", "nest[1][0] = h"]
TABLE = [0.5 + 0.01 * i for i in range(32)]
STEPS, LONG = np.linspace(0.1, 0.9, 210), 200
LENGTHS = [6, 9, 30, 3, 1, 0, 17, 12, 30, 5]


class Box:
    pass


class Program:
    """One random function: `source` after construction."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        pick, chance = self.r.choice, self.r.random
        odd = chance() < 0.3
        self.states = ["h", "g", "s"][:self.r.randint(1, 3)]
        self.local, self.odd, self.writes = [], odd, chance() < 0.5
        body = ["outs, more = [], %s" % pick(["[]", "[]", "[h]"]), "z, bias, c = x.transpose(1, 0, 2), w[0] * 0.5, 0.9",
                "ids = (x[:, 0, 0] > 0).astype(ms.float32)", "n = %s" % pick(["x.shape[0]", "len(x)", "x.shape[0] // 2 + 1"])]
        body += ["g = %s" % pick(["h * 0.5", "h", "None", "ops.zeros_like(h)"]), "s = %s" % pick(["0", "0.0", "h.sum()", "Tensor(1.0)"]), "t = -1", "last = h"]
        if self.writes:
            body.append("buf = %s" % pick(["ops.zeros((32, 2, 4))", "ops.zeros((32, 2, 4)) + h", "ops.zeros((n + 2, 2, 4))", "x * 1"]))
        self.hands_on = chance() < 0.5
        if self.hands_on:
            body += ["pair, pack, named, box, i, lens = (h, h * 0.5), [h * 1, h + 1], {'h': h, 'c': h * 0.5}, Box(), %d, Tensor([2, 5])" % self.r.randint(0, 2),
                     "box.h, keep, nest, kept = h, pack, (h, [h]), pack[0]"]
        self.long = chance() < 0.15
        if self.long:
            body += ["rate, rest, i = 0.5, 0.25, %d" % self.r.randint(0, 2)]
            self.long_loop(body)
        for _ in range((not self.long) + (chance() < 0.2)):
            self.loop(body, odd)
        results = self.states + self.r.sample(["t", "last", "len(outs)", "ops.stack(outs)", "ops.stack(outs, axis=1)", "ops.cat(outs)", "ops.stack(more)", "ops.stack(outs[::-1])"],
                                              self.r.randint(0, 3))
        if self.writes:
            results += ["buf"] + self.r.sample(["w", "buf[0]", "(buf * buf).sum()"], 1)
        if self.long:
            results += self.r.sample(["rate", "h * rest", "i", "t"], 2)
        if self.hands_on:
            results += self.r.sample(["pair", "pack", "named", "box.h", "i", "keep", "keep is pack", "nest", "pack[0] + pair[1]", "named['h']", "list(named)", "pair[0]"], 4)
        if odd:
            results += self.r.sample(["outs", "outs[-1]", "more[0] if more else 0", "outs is more"], self.r.randint(0, 2))
        body.append("return (%s,)" % ", ".join(results))
        self.source = "def main(x, h, w):\n%s\n" % "\n".join("    " + line for line in body)

    def long_loop(self, body):
        self.head = self.r.choice(LONG_HEADS)
        self.rows = ["x[t % 3]", "x[0]", "x[1]"] if self.r.random() < 0.5 else ["x[0]"]
        counted = self.head.startswith("while")
        body += ["t = 0"] * counted + ["if n > 2:  # rows for every turn", "  " + self.head]
        lines = []
        for _ in range(self.r.randint(2, 5)):
            lines += ("    " + self.r.choice(LONG_VALUES).format(v=self.value())).split("\n")
        lines += ["    h = ops.tanh(ops.matmul(h, w) + h * 0.5) * 0.9 + ops.sigmoid(h) * 0.1 - ops.relu(h) * 0.2"] + ["    t += 1"] * counted
        body += ["  " + line for line in lines]

    def loop(self, body, odd):
        pick, chance = self.r.choice, self.r.random
        self.head = pick(ODD_HEADS) if odd and chance() < 0.3 else pick(HEADS)
        tested = self.writes and chance() < 0.3
        if tested:
            self.head = "while t < n - 1:"
            body.append("t = Tensor(-1)")
        body.append(self.head)
        if tested:
            body.append("    t = t + 1")
        self.rows = [row for row in ROWS if "t" in self.head.split("in")[0] or "t]" not in row and "t," not in row] or ["x[0]"]
        if "row" in self.head:
            self.rows = ["row"] + (["other"] if "other" in self.head else []) + (self.rows[:1] if " t," in self.head else [])
        for _ in range(self.r.randint(1, 5)):
            if self.writes and chance() < 0.35:
                body += ("    " + pick(WRITES).format(v=self.value())).split("\n")
            elif self.hands_on and chance() < 0.5:
                odd_one = odd and chance() < 0.3
                body += ("    " + pick(ODD_HANDED_ON if odd_one else HANDED_ON).format(v=self.value())).split("\n")
            else:
                self.statement(body, "    ")

    def value(self):
        names = [self.r.choice(self.rows), self.r.choice(["h", "h", "last"] + (["g"] if "g" in self.states else []))]
        self.r.shuffle(names)
        template = self.r.choice(ODD_VALUES) if self.odd and self.r.random() < 0.2 else self.r.choice(VALUES)
        return template.format(a=names[0], b=names[1])

    def statement(self, body, pad):
        chance, pick = self.r.random(), self.r.choice
        if chance < 0.35:
            body.append("%sh = %s" % (pad, self.value()))
        elif chance < 0.45 and "g" in self.states:
            body.append("%sg = %s" % (pad, pick([self.value(), "h if g is None else g * 0.5 + h", "h"])))
        elif chance < 0.55 and "s" in self.states:
            body.append("%ss = s + %s" % (pad, pick(["h.sum()", "(h * h).mean()", "1", "h[0, 0]"])))
        elif chance < 0.7:
            body.append("%souts.append(%s)" % (pad, pick(["h", "h", "last", self.value()])))
        elif chance < 0.75:
            body.append("%smore.append(%s)" % (pad, pick(["h", "w[:2]"])))
        elif chance < 0.83:
            body.append("%slast = %s" % (pad, self.value()))
        elif chance < 0.88 and pad == "    ":
            body.append("%sif %s:" % (pad, pick(["h.sum() > 0.07", "x.shape[0] > 4", "h[0, 0] > 0.07"])))
            body.append("%s    h = %s" % (pad, self.value()))
        elif chance < 0.92 and pad == "    ":
            body.append("%sfor k in range(%d):" % (pad, self.r.randint(1, 3)))
            body.append("%s    h = h * 0.9 + k" % pad)
        elif self.odd:
            body.append(pad + pick(["print(t)", "if t == 2:\n            break", "if t % 3 == 1:\n            continue", "c = c * 0.9", "t = t + 1",
                                    "h = h if h.sum() < 9 else h * 0.1", "h += 0.5", "if h.sum() > 4.07:\n            break"]))
        else:
            body.append("%sh = ops.tanh(h)" % pad)


def make_args(length):
    rng = np.random.RandomState(length)
    return [Tensor(rng.randint(-8, 8, shape).astype(np.float32) / 8) for shape in ((length, 2, 4), (2, 4), (4, 4))]


def outcome(fn, length, said):
    ms.set_seed(length)
    return programs.outcome(fn, make_args(length), said)


GRADIENT = """
def total(x, h, w):
    return sum(part.sum() for part in main(x, h, w) if isinstance(part, Tensor))

def gradient(x, h, w):
    return ms.grad(inner, (0, 1, 2))(x, h, w)
"""


def gradients(space, length):
    try:
        ms.set_seed(length)
        return [g.asnumpy() for g in space["gradient"](*make_args(length))]
    except Exception as e:
        return type(e).__name__


def with_gradients(space, compile_total=lambda f: f, compile_gradient=lambda f: f):
    exec(GRADIENT, space)
    space["inner"] = compile_total(space["total"])
    space["gradient"] = compile_gradient(space["gradient"])
    return space


def check(seed):
    """(None or a text that says what differs, number of captures, number of calls that level STRICT did not refuse)"""
    program, said, whole = Program(seed), [], 0
    space = {"ops": ops, "ms": ms, "print": print, "Tensor": Tensor, "Box": Box, "TABLE": TABLE, "STEPS": STEPS, "LONG": LONG, "np": np, "math": math}
    held, sys.stdout = sys.stdout, Lines(said)
    try:
        with SourceText("import builtins\n" + program.source) as text:
            plain = text.load(dict(space))["main"]
            expected = [outcome(plain, length, said) for length in LENGTHS]
            for way in ways_of(seed):
                jitted = WAYS[way](text.load(dict(space))["main"])
                for length, (wanted, arrays) in zip(LENGTHS, expected):
                    got, got_arrays = outcome(jitted, length, said)
                    if seed % 4 == 1:  # the next call with these sizes finds its graph ready
                        _msjit.wait_compiled()
                    if got != wanted or not agree(got_arrays, arrays):
                        return "length %d under %s: got %s, expected %s" % (length, way, got, wanted), 0, 0
                whole += getattr(jitted, "whole", 0)
            if seed % 3 == 0:
                why = check_gradients(text, space)
                if why:
                    return why, 0, 0
    finally:
        sys.stdout = held
    return None, programs.captures(), whole


def brief(found):
    return found if isinstance(found, str) else [np.round(g.reshape(-1)[:6], 4).tolist() for g in found]


def check_gradients(text, space):
    def jit(f):
        return ms.jit(f, mode="PIJit")
    plain = with_gradients(text.load(dict(space)))
    ways = {"of a compiled function": with_gradients(text.load(dict(space)), compile_total=jit),
            "inside": with_gradients(text.load(dict(space)), compile_gradient=jit)}
    for length in LENGTHS:
        wanted = gradients(plain, length)
        for name, way in ways.items():
            got = gradients(way, length)
            if not agree(got, wanted):
                return "gradients %s, length %d: got %s, expected %s" % (name, length, brief(got), brief(wanted))
    return None


def fuzz(*args):
    return programs.fuzz(Program, check, *args)


if __name__ == "__main__":
    sys.exit(programs.main(__doc__, Program, check))
