"""Guard fuzzer: programs whose functions read everything a program can reach, changed between (and during) calls.

    python tests/fuzz/guard_fuzz.py [--seed N] [--mutations N] [--seconds N]

A case is a list of features (what the program reads), a list of function layouts and a list of steps. A step calls `main`
or executes one statement that changes one reachable object. Two copies of the program run side by side, one plain, one
through jit; results, exceptions and everything reachable afterwards must agree. A disagreement is shrunk and printed as a
program that can be run by itself. Cases follow from their seed alone.
"""
import argparse
import builtins
import random
import re
import sys
import time
import types

import numpy as np
from guard_features import FEATURES, FUNCTIONS, NUMBERS, ODD, PRELUDE, TENSORS
from guard_refresh import call_refreshed

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

USES = ["acc = acc * {e}", "acc = acc + {e}", "acc = {e} + acc", "acc = acc + 1 if {e} else acc - 1",
        "tmp.append({e})", "if {e}:\n        acc = acc * 2", "acc = ops.maximum(acc, {e})", "acc = helper{h}(acc, {e})",
        "out['k{h}'] = {e}", "poke()", "try:\n        acc = acc + {e}\n    except TypeError:\n        acc = acc + 9",
        "acc = acc + {e}", "acc = acc * {e}"]


def fill(rng, text, number):
    text = text.replace("#", str(number))
    pools = {"$n": NUMBERS, "$t": TENSORS, "$v": NUMBERS + TENSORS + ODD, "$f": FUNCTIONS}
    return re.sub(r"\$[ntvf]", lambda m: rng.choice(pools[m.group(0)]), text)


class Case:
    """setup: list of texts; body: statements of main; steps: texts, each one of

    "call"         calls main
    a statement    changes something
    "pending: s"   the statement s runs inside the next call
    "refresh n"    during the jitted copy's next call, guard_refresh.py replaces tensors at the n-th allocation
    """

    def __init__(self, setup, body, steps):
        self.setup, self.body, self.steps = setup, body, steps

    @classmethod
    def random(cls, seed, steps):
        rng = random.Random(seed)
        chosen = [(rng.choice(FEATURES), i) for i in range(rng.randint(1, 3))]
        setup = [fill(rng, f.setup, i) for f, i in chosen]
        setup += ["def helper%d(a, b):\n    return %s" % (i, rng.choice(["a + b", "a * b", "a", "(a, b)[0] + 1"]))
                  for i in range(2)]
        body = []
        for _ in range(rng.randint(1, 5)):
            feature, i = rng.choice(chosen)
            body.append(rng.choice(USES).format(e=fill(rng, rng.choice(feature.reads), i), h=rng.randint(0, 1)))
        plan, met = ["call", "call"], random.Random(seed)
        for _ in range(steps):
            feature, i = rng.choice(chosen)
            change = fill(rng, rng.choice(feature.changes), i)
            if rng.random() < 0.1 and "poke()" in body:
                change = "pending: " + change
            plan.append(change)
            if rng.random() < 0.85:
                if met.random() < 0.3:
                    plan.append("refresh %d" % met.choice([1, 1, 1, 2, 3, 5, 8, 13, 21, 34]))
                plan += ["call"] * rng.choice([1, 1, 2])
        return cls(setup, body, plan)

    def source(self):
        text = PRELUDE + "\n".join(self.setup)
        text += "\ndef main(x, n, seq, opt, obj, flag):\n    acc, tmp, out = x, [], {}\n    "
        return text + "\n    ".join(self.body + ["return acc, tmp, out"]) + "\n"

    def script(self):
        """A program that shows the difference by itself."""
        lines = ["import sys; sys.path.insert(0, 'tests/fuzz')", "from guard_fuzz import Case, run", "case = Case(",
                 "    %r," % (self.setup,), "    %r," % (self.body,), "    %r)" % (self.steps,), "print(run(case))"]
        return "\n".join(lines) + "\n# program:\n" + re.sub("(?m)^", "#   ", self.source())


class World:
    """One copy of a case's program."""

    def __init__(self, case, jitted):
        own = types.ModuleType("builtins")  # this copy has its own dict of builtins
        vars(own).update(vars(builtins))
        self.ns = {"__name__": "program", "Tensor": Tensor, "Parameter": Parameter, "np": np, "nn": nn, "ops": ops,
                   "types": types, "builtins": own, "real_abs": abs, "real_len": len, "__builtins__": own}
        self.ns["PENDING"] = pending = []
        ns = self.ns

        def poke(*_):
            while pending:
                self.change(pending.pop())
        ns["poke"] = Poke(poke)
        exec(compile(case.source(), "<program>", "exec"), ns)
        ns["ARGS"] = [Tensor(np.float32([[1, 2, 3], [-4, 5, 6]])), 2, [1.0, Tensor(np.float32([1, 2, 3]))], {"p": 3},
                      ns["Point"](4), True]
        self.main = ms.jit(ns["main"], mode="PIJit") if jitted else ns["main"]
        self.refresh_at = None

    def change(self, statement):
        try:
            exec(compile(statement, "<change>", "exec"), self.ns)
        except Exception:  # noqa: BLE001 - a change that cannot be made is skipped
            pass

    def call(self):
        main, at, self.refresh_at = self.main, self.refresh_at, None
        args = self.ns["ARGS"]
        try:
            return "value", main(*args) if at is None else call_refreshed(lambda: main(*args), self.ns, at)
        except RecursionError:
            return "error", "RecursionError", ""
        except Exception as error:  # noqa: BLE001 - any exception is an outcome
            return "error", type(error).__name__, nameless(error)

    def state(self):
        skip = ("ARGS", "__builtins__", "builtins", "PENDING", "poke", "np", "nn", "ops", "types")
        return {k: v for k, v in self.ns.items() if k not in skip}, self.ns["ARGS"]


class Poke:
    """Runs pending changes. Its class defines __getattribute__, so no capture inlines its calls."""

    __slots__ = ("run",)

    def __init__(self, run):
        self.run = run

    def __call__(self):
        return self.run()

    def __getattribute__(self, name):
        return object.__getattribute__(self, name)


def nameless(value):
    """Its text, without addresses."""
    return re.sub("0x[0-9a-f]+", "0x", str(value))


def own_dict(value):
    try:
        return dict(object.__getattribute__(value, "__dict__"))
    except AttributeError:
        return None


def same(a, b, seen, where=""):
    """Text saying where two reachable structures differ, or None."""
    if type(a).__name__ != type(b).__name__:
        return "%s: %s and %s" % (where, type(a).__name__, type(b).__name__)
    if isinstance(a, Tensor):
        if a.dtype != b.dtype or a.shape != b.shape or a.requires_grad != b.requires_grad:
            return "%s: %s %s and %s %s" % (where, a.dtype, a.shape, b.dtype, b.shape)
        if not np.allclose(a.asnumpy(), b.asnumpy(), 1e-5, 1e-6, equal_nan=True):
            return "%s: %s and %s" % (where, a.asnumpy().tolist(), b.asnumpy().tolist())
        return None
    if isinstance(a, (int, float, complex, str, bytes, type(None), range)):
        return None if repr(a) == repr(b) else "%s: %r and %r" % (where, a, b)  # a subclass may define == as it likes
    if (id(a), id(b)) in seen:
        return None
    seen[id(a), id(b)] = a, b
    if isinstance(a, (list, tuple)):
        if len(a) != len(b):
            return "%s: lengths %d and %d" % (where, len(a), len(b))
        parts = [(x, y, "%s[%d]" % (where, i)) for i, (x, y) in enumerate(zip(a, b))]
    elif isinstance(a, dict):
        if [nameless(k) for k in a] != [nameless(k) for k in b]:
            return "%s: keys %s and %s" % (where, list(a), list(b))
        parts = [(x, y, "%s[%r]" % (where, k)) for (k, x), y in zip(a.items(), b.values())]
    elif isinstance(a, (Poke, types.ModuleType, type, types.FunctionType)):
        return None
    else:
        fields = [own_dict(v) for v in (a, b)]
        return same(fields[0], fields[1], seen, where)
    for x, y, at in parts:
        found = same(x, y, seen, at)
        if found:
            return found
    return None


def run(case):
    """None, or what differs and after how many steps."""
    plain, jitted = World(case, False), World(case, True)
    for number, step in enumerate(case.steps):
        if step.startswith("pending: "):
            plain.ns["PENDING"].append(step[9:])
            jitted.ns["PENDING"].append(step[9:])
        elif step.startswith("refresh "):
            jitted.refresh_at = int(step[8:])
        elif step != "call":
            plain.change(step)
            jitted.change(step)
        else:
            random_state = ms._msjit.rng_state()
            expected = plain.call()
            ms._msjit.set_rng_state(random_state)
            found = same(expected, jitted.call(), {}, "result")
            found = found or same(plain.state(), jitted.state(), {}, "state")
            if found:
                return "step %d: %s" % (number, found)
    return None


def shrink(case, budget=400):
    """A smaller case that still differs."""
    def tries(items):
        size = len(items) // 2
        while size:
            for start in range(0, len(items), size):
                yield items[:start] + items[start + size:]
            size //= 2

    progress = True
    while progress and budget > 0:
        progress = False
        for part in ("steps", "body", "setup"):
            for fewer in tries(getattr(case, part)):
                parts = {"setup": case.setup, "body": case.body, "steps": case.steps}
                parts[part] = fewer
                smaller = Case(**parts)
                budget -= 1
                try:
                    differs = run(smaller)
                except Exception:  # noqa: BLE001 - the smaller case is not a valid program
                    continue
                if differs:
                    case, progress = smaller, True
                    break
                if budget <= 0:
                    break
    return case


def fuzz(seed=0, mutations=1000, seconds=None, steps=24, keep_going=False, report=print):
    """Number of mutations run and the failing cases, shrunk."""
    old = ms.config.max_entries_per_pc
    ms.config.max_entries_per_pc = 64
    done, failures, started = 0, [], time.time()
    try:
        while done < mutations and (seconds is None or time.time() - started < seconds):
            case = Case.random(seed, steps)
            found = run(case)
            done += sum(s != "call" and not s.startswith("refresh ") for s in case.steps)
            if found:
                small = shrink(case)
                failures.append(small)
                report("seed %d: %s\nshrunk: %s\n%s" % (seed, found, run(small), small.script()))
                if not keep_going:
                    break
            seed += 1
            if seed % 50 == 0:
                ms.reset()
    finally:
        ms.config.max_entries_per_pc = old
    return done, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--mutations", type=int, default=1000)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--keep-going", action="store_true")
    args = parser.parse_args()
    started = time.time()
    done, failures = fuzz(args.seed, args.mutations, args.seconds, args.steps, args.keep_going)
    print("python %d.%d: %d mutations in %.1f s, %d disagreements" % (
        sys.version_info[0], sys.version_info[1], done, time.time() - started, len(failures)))
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
