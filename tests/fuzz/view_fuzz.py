"""View fuzzer: random functions that make views of tensors and write to tensors and views.

    python tests/fuzz/view_fuzz.py [--first N] [--count N] [--seconds N] [--show SEED]

A program runs plainly, under PIJit and, for every third program, under PSJit. It also runs inside a gradient transform: plainly, compiled,
and in a compiled function that contains the transform. Results and exceptions must agree, and so must what a write to one result
changes in the others. Inside the transform the results must be those without it. The seed alone determines a program. The last line is
`N programs, N captures, N captured whole, N failed`; the exit status is 1 when any failed.
"""
import random
import sys

import numpy as np
import programs
from ways import WAYS, SourceText, ways_of

import msjit as ms
from msjit import Tensor, ops

# {a}, {b}: tensors; {i}: 0 or 1; {n}: 1 or 2; {c}: a number or a tensor of one element. k: a tensor, 0 or 1.
VIEWS = ["{a}[{i}]", "{a}[{i}:]", "{a}[:, {i}:]", "{a}[:, {i}]", "{a}.T", "{a}.reshape(-1)", "{a}.swapaxes(0, 1)", "{a}[None]", "{a}[::{n}]",
         "{a}[...]", "{a}.unsqueeze(0)", "{a}.flatten()", "{a}[::-1]", "ops.split({a}, 1)[{i}]", "{a}.unbind(0)[{i}]", "{a}.transpose(1, 0)",
         "{a}[{i}][None]", "{a}.narrow(0, 0, 2)", "ops.stop_gradient({a})", "{a}.squeeze(0)", "{a}.select(0, {i})", "list({a})[{i}]",
         "{a}.view(-1)", "{a}.contiguous()", "{a}[k]", "{a}[:, k]", "{a}[k][{i}:]", "{a}[k, k]"]
# Views made under a test or in a loop on tensors; both arms often have the same shape.
ARMS = ["if y > {t}:\n    {new} = {one}\nelse:\n    {new} = {two}", "{new} = {two}\nif y > {t}:\n    {new} = {one}",
        "{new} = {two}\nq = k * 0\nwhile q < 2:\n    {new} = {one}\n    q = q + 1",
        "{new} = {two}\nq = k * 0\nwhile q < 2:\n    if {new}.sum() > {t}:\n        {new} = {one}\n    q = q + 1"]
WRITES = ["{a}[{i}] = {c}", "{a}[...] = {a} * {c}", "{a}.mul_({c})", "{a}.add_(x.sum())", "{a}[{i}:] = {b}.sum()", "{a}[0] = {a}[-1] * 2",
          "{a} *= 2", "{a}.zero_()", "{a}[{a} > 1] = {c}", "{a}[{i}] += {c}", "ops.assign({a}, {a} * {c})", "{a}.copy_({a} + 1)",
          "{a}.fill_({c})", "{a}[[0, 1]] = {c}", "{a}.masked_fill_({a} > 2, 0.5)", "{a}.sub_({a})", "{a}[{i}][...] = {c}"]
READS = ["y = y + {a}.sum()", "y = y + ({a} * {a}).sum()", "{new} = {a} * {c}", "{new} = {a} + 0", "y = y + {a}.max()"]
HEADS = ["for q in range(2):", "if y > 0:", "if x.sum() > 100:", "with contextlib.suppress(KeyError):"]
NUMBERS = ["0.5", "2.0", "3", "-1.5", "y", "x[0, 0]"]


class Program:
    """One random function: `source` after construction."""

    def __init__(self, seed):
        r = random.Random(seed)
        body, names, pad = [r.choice(["a = x * 1", "a = x * 1", "a = x", "a = x[:]"]), "y = x.sum()", "k = (x[0, 0] > 1.1).astype(ms.int32)"], ["a"], ""
        for k in range(r.randint(4, 12)):
            kind, new = r.random(), "v%d" % k
            fields = dict(a=r.choice(names), b=r.choice(names), i=r.randint(0, 1), n=r.randint(1, 2), c=r.choice(NUMBERS), new=new)
            if kind < 0.35:
                body.append("%s%s = %s" % (pad, new, r.choice(VIEWS).format(**fields)))
                if pad:  # not made on all paths
                    body.append(pad + r.choice(WRITES).format(**dict(fields, a=new)))
                else:
                    names.append(new)
            elif kind < 0.42 and not pad:
                body += self.arms(r, fields, names)
                names.append(new)
            elif kind < 0.75:
                body.append(pad + r.choice(WRITES).format(**fields))
            elif kind < 0.9:
                body.append(pad + r.choice(READS).format(**fields))
                if not pad and new in body[-1]:
                    names.append(new)
            elif pad or kind > 0.95:
                pad = ""
            else:
                body.append(r.choice(HEADS))
                pad = "    "
                body.append(pad + "y = y + 1")
        body.append("return y, %s" % ", ".join(names))
        self.source = "def main(x):\n%s\n" % "\n".join("    " + line for line in body)

    @staticmethod
    def arms(r, fields, names):
        view, again = r.choice(VIEWS), dict(fields, a=r.choice(names), i=r.randint(0, 1))
        two = view if r.random() < 0.8 else r.choice(VIEWS)
        text = r.choice(ARMS).format(new=fields["new"], t=r.choice([0, 5, 100]), one=view.format(**fields), two=two.format(**again))
        return text.split("\n")


def tensors_in(value):
    return [value] if isinstance(value, Tensor) else [t for item in value for t in tensors_in(item)]


def outcome(fn, turn):
    """Arrays and class names of exceptions of one call, and of writes to its first results afterwards."""
    x = Tensor(np.array([[1., 2.], [3., 0.5]]) * (1 + turn * 0.25))
    try:
        results = tensors_in(fn(x))
    except Exception as e:
        text = str(e)
        return ["%s: %s" % (type(e).__name__, "modified in place" if "modified in place" in text else text)]
    found = [t.asnumpy().copy() for t in results]
    for t in results[1:4]:
        try:
            t[...] = 77
        except RuntimeError:
            found.append("a write fails")
    return found + [t.asnumpy().copy() for t in results + [x]]


def agree(a, b):
    def same(p, q):
        if isinstance(p, str) or isinstance(q, str):
            return isinstance(p, str) and isinstance(q, str) and p == q
        return p.shape == q.shape and np.allclose(p, q, rtol=1e-9, atol=1e-9, equal_nan=True)
    return len(a) == len(b) and all(same(p, q) for p, q in zip(a, b))


def values_inside(main):
    """The function, called inside a gradient transform."""
    transform = ms.value_and_grad(main, has_aux=True)
    return lambda x: tensors_in(transform(x)[0])


def transformed(main):
    return ms.value_and_grad(main, has_aux=True)


def compiled(fn):
    return ms.jit(fn, mode="PIJit")


def check(seed):
    """(None or a text that says what differs, number of captures, number of calls that level STRICT did not refuse)"""
    whole = 0
    space = {"ms": ms, "ops": ops, "contextlib": __import__("contextlib")}
    with SourceText(Program(seed).source) as text:
        def main():
            return text.load(dict(space))["main"]

        def transform_in_a_function():
            transform = transformed(main())
            return compiled(lambda x: transform(x))
        pairs = [(way, main(), WAYS[way](main())) for way in ways_of(seed)]
        pairs.append(("PIJit inside a transform", transformed(main()), transformed(compiled(main()))))
        pairs.append(("a transform inside PIJit", transformed(main()), transform_in_a_function()))
        for name, plain, other in pairs:
            for turn in range(3):
                wanted, got = outcome(plain, turn), outcome(other, turn)
                if not agree(got, wanted):
                    return "call %d, %s: got %s, expected %s" % (turn, name, got, wanted), 0, 0
            whole += getattr(other, "whole", 0)
        # Inside, the caller's tensor is not changed. A backward pass that needs a value written to fails.
        wanted, got = outcome(main(), 0)[:-1], outcome(values_inside(main()), 0)
        if not agree(got[:-1], wanted) and "modified in place" not in str(got[0]):
            return "inside a transform: got %s, expected %s" % (got, wanted), 0, 0
    return None, programs.captures(), whole


def fuzz(*args):
    return programs.fuzz(Program, check, *args)


if __name__ == "__main__":
    sys.exit(programs.main(__doc__, Program, check))
