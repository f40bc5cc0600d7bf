"""Argument fuzzer: public functions and methods of Tensor with arguments of every kind, most of which do not fit.

    python tests/fuzz/argument_fuzz.py [--first N] [--count N] [--seconds N] [--show SEED]

A program is one call. It runs plainly, twice under PIJit and, for every third program, under both levels of PSJit, each time on copies
of its arguments. These must agree in what they return or raise, in the text of an error, and in the arguments afterwards; none may end
the process. Calls that take longer than LIMIT seconds or too much memory are left out. The seed alone determines a program.
The last line is `N programs, N captures, N captured whole, N failed`; the exit status is 1 when any failed.
"""
import contextlib
import inspect
import random
import re
import resource
import signal
import sys
import warnings

import numpy as np
import programs
from ways import WAYS, SourceText, ways_of

import msjit as ms
from msjit import Tensor, mint, ops
from msjit import numpy as mnp

LIMIT = 2  # seconds
MEMORY = 6 << 30  # bytes of address space of the process
MOST = 20000  # elements of a result that are compared
MODULES = {"ops": ops, "mint": mint, "mint.nn.functional": mint.nn.functional, "mnp": mnp}
# They print, change what later programs see, or talk to other processes.
LEFT_OUT = {"print_", "set_seed", "seed", "manual_seed", "initial_seed", "get_rng_state", "set_rng_state", "tensordump", "send", "recv",
            "barrier", "data_ptr", "tofile", "set_data", "register_hook", "run_check"}
DTYPES = ("float32", "float32", "float32", "float16", "float64", "bfloat16", "int32", "int64", "int8", "uint8", "uint16", "bool_", "complex64")
NUMBERS = ("0", "1", "-1", "2", "3", "-2", "5", "-5", "10", "2**31", "2**31 - 1", "-2**31", "2**63 - 1", "-2**63", "2**62", "10**30", "0.0", "1.0",
           "-1.0", "0.5", "1e-5", "1e30", "float('nan')", "float('inf')", "-0.0", "True", "False", "1j")
WORDS = ("mean", "sum", "none", "same", "valid", "reflect", "constant", "", "x", "relu", "ij,jk->ik", "linear", "bilinear", "nearest", "NCHW")
OTHERS = ("None", "None", "ms.float32", "ms.int64", "slice(None)", "slice(1, None, 2)", "Ellipsis", "b'x'", "np.float32(2)", "np.arange(3)",
          "range(3)", "{1}", "{'a': 1}", "str", "object")


def functions():
    found = []
    for path, module in MODULES.items():
        for name in dir(module):
            value = getattr(module, name, None)
            if callable(value) and not inspect.isclass(value) and not name.startswith("_") and name not in LEFT_OUT:
                found.append("%s.%s" % (path, name))
    return found


def methods():
    return [n for n in dir(Tensor) if not n.startswith("_") and n not in LEFT_OUT and callable(getattr(Tensor, n))]


FUNCTIONS, METHODS = functions(), methods()


def T(shape, dtype, seed, scale=1.0, swapped=False):
    """A tensor of normal numbers; `swapped`: its first and last axis are exchanged, by a view."""
    values = np.random.RandomState(seed).standard_normal(shape) * scale
    t = Tensor(np.asarray(values, np.float32)).astype(getattr(ms, dtype))
    return t.swapaxes(0, -1) if swapped else t


class Program:
    """`source` defines main(); `arguments()` makes its arguments."""

    def __init__(self, seed):
        self.r = random.Random(seed)
        if self.r.random() < 0.3:
            name = self.r.choice(METHODS)
            call, function, self.values = "a0." + name, getattr(Tensor, name), [self.tensor()]
        else:
            call = self.r.choice(FUNCTIONS)
            function, self.values = eval(call, dict(MODULES)), []
        texts = ["a%d" % i for i in range(len(self.values))] if not call.startswith("a0.") else []
        for name in self.names(function, len(self.values)):
            texts.append(("%s=" % name if name else "") + "a%d" % len(self.values))
            self.values.append(self.value())
        names = ", ".join("a%d" % i for i in range(len(self.values)))
        self.main = "def main(%s):\n    return %s(%s)\n" % (names, call, ", ".join(texts))
        self.source = self.main + "main(%s)\n" % ", ".join(self.values)

    def names(self, function, given):
        """Of its further arguments: "" for one by position."""
        try:
            known = [p for p in inspect.signature(function).parameters.values() if p.kind in (p.KEYWORD_ONLY, p.POSITIONAL_OR_KEYWORD)]
        except (TypeError, ValueError):
            known = []
        known = known[given:]
        if not known or self.r.random() < 0.2:
            return [""] * self.r.choice((0, 1, 1, 2, 2, 3, 4))
        needed = sum(p.default is p.empty for p in known)
        positions = max(needed, self.r.choice((needed, len(known))))
        return [""] * positions + [p.name for p in known[positions:] if self.r.random() < 0.15]

    def tensor(self):
        shape = tuple(self.r.choice((0, 1, 1, 2, 2, 3, 3, 4, 5, 7)) for _ in range(self.r.choice((0, 1, 1, 2, 2, 2, 3, 3, 4, 5))))
        text = "T(%r, %r, %d" % (shape, self.r.choice(DTYPES), self.r.randrange(1000))
        if self.r.random() < 0.3:
            text += ", %s" % self.r.choice(("3", "100", "1e10", "np.nan"))
        return text + (", swapped=True)" if len(shape) > 1 and self.r.random() < 0.2 else ")")

    def value(self, depth=0):
        kind = self.r.random()
        if kind < 0.5:
            return self.tensor()
        if kind < 0.75:
            return self.r.choice(NUMBERS)
        if kind < 0.8:
            return repr(self.r.choice(WORDS))
        if kind < 0.88 or depth:
            return self.r.choice(OTHERS)
        items = [self.value(1) if self.r.random() < 0.3 else self.r.choice(("0", "1", "2", "-1", "3")) for _ in range(self.r.choice((0, 1, 2, 2, 3, 4)))]
        return "[%s]" % ", ".join(items) if self.r.random() < 0.5 else "(%s)" % "".join(i + ", " for i in items)

    def arguments(self):
        return [eval(v, {"T": T, "np": np, "ms": ms}) for v in self.values]


class TakesTooLong(BaseException):
    pass


@contextlib.contextmanager
def limited():
    def stop(*_):
        raise TakesTooLong

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def picture(value):
    """Types and contents as text, arrays apart."""
    arrays = []

    def of(value):
        if isinstance(value, Tensor):
            if value.size <= MOST:
                arrays.append(value.asnumpy())
            return "tensor", str(value.dtype), tuple(value.shape)
        if isinstance(value, (tuple, list)):
            return (type(value).__name__,) + tuple(of(v) for v in value)
        if isinstance(value, np.ndarray):
            return "ndarray", str(value.dtype), value.shape
        plain = isinstance(value, (int, float, complex, str, bool, type(None)))
        return (type(value).__name__, repr(value)) if plain else type(value).__name__

    return of(value), arrays


def outcome(fn, arguments):
    """None: the call takes too long or too much memory."""
    ms.set_seed(7)
    np.random.seed(7)
    try:
        with limited():
            try:
                result = picture(fn(*arguments))
            except MemoryError:
                return None
            except Exception as e:
                text = re.sub(r"0x[0-9a-f]+", "", str(e))
                if isinstance(e, SystemError) or "InternalError" in type(e).__name__:
                    return "%s: %s" % (type(e).__name__, text)
                result = ("raises", type(e).__name__, text), []
            return [result, picture(arguments)]
    except TakesTooLong:
        return None


def close(a, b):
    for x, y in zip(a, b):
        if x.dtype != y.dtype or x.shape != y.shape:
            return False
        if x.dtype.kind not in "fcV":
            if not np.array_equal(x, y):
                return False
            continue
        x, y = (v.astype(np.complex128 if v.dtype.kind == "c" else np.float64) for v in (x, y))
        finite = np.abs(np.where(np.isfinite(x), x, 0))
        if not np.allclose(x, y, rtol=2e-3, atol=1e-4 * (1 + finite.max(initial=0)), equal_nan=True):
            return False
    return len(a) == len(b)


def same(a, b):
    return all(x[0] == y[0] and close(x[1], y[1]) for x, y in zip(a, b))


def check(seed):
    program, whole = Program(seed), 0
    with SourceText(program.main) as text, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        want = outcome(text.load(dict(MODULES))["main"], program.arguments())
        if isinstance(want, str):
            return want, 0, 0
        for way in ways_of(seed) if want else ():
            fn = WAYS[way](text.load(dict(MODULES))["main"])
            for turn in range(2):
                got = outcome(fn, program.arguments())
                if isinstance(got, str) or (got and not same(want, got)):
                    return "%s, call %d: %s, expected %s" % (way, turn, got, want), programs.captures(), whole
            whole += getattr(fn, "whole", 0)
    return None, programs.captures(), whole


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    sys.exit(programs.main(__doc__, Program, check))
