"""Corrupt code objects: functions whose bytecode, constants or limits were changed at random run plainly and under PIJit, each in a
forked child. What CPython itself survives must not crash or hang under msjit.

    python tests/fuzz/code_fuzz.py [--seed N] [--count N] [--show SEED]
"""
import argparse
import dis
import os
import random
import signal
import sys
import types

import numpy as np

import msjit as ms
from msjit import Tensor, ops

SECONDS = 5
REFUSED = 3  # exit status of a child


def straight(x, n=2, *rest):
    y = x * 2 + n
    z = (y, [y, n], {"k": y})
    return z[0] - z[1][0] + z[2]["k"]


def loops(x, n=2, *rest):
    for i in range(n):
        x = x + i
        if i == 5:
            break
    while n:
        n -= 1
        x = x * 2
    return x


def guarded(x, n=2, *rest):
    try:
        if x.sum() > 0:
            raise ValueError(n)
        x = x + 1
    except (ValueError, TypeError) as e:
        x = x - len(e.args)
    finally:
        x = x * 3
    with open(os.devnull) as f:
        x = x + len(f.read())
    return x


def closures(x, n=2, *rest):
    def inner(y, k=n):
        nonlocal x
        x = x + y
        return [v * k for v in (x, y)]
    a, b = inner(x)
    return sum([v for v in (a, b)]) + ops.tanh(x), f"{n:>3}", {v: v + 1 for v in range(n)}


def generating(x, n=2, *rest):
    def items():
        for i in range(n):
            yield x + i
    return [v.sum() for v in items()], next(items())


FUNCTIONS = [straight, loops, guarded, closures, generating]


def replaced(code, **changes):
    """code.replace(), which 3.7 does not have."""
    if hasattr(code, "replace"):
        return code.replace(**changes)
    names = ("co_argcount co_kwonlyargcount co_nlocals co_stacksize co_flags co_code co_consts co_names co_varnames co_filename "
             "co_name co_firstlineno co_lnotab co_freevars co_cellvars").split()
    return types.CodeType(*[changes.get(n, getattr(code, n)) for n in names])


def change(rng, code):
    raw = bytearray(code.co_code)
    kind = rng.random()
    if kind < 0.75:
        for _ in range(rng.choice([1, 1, 1, 2, 3])):
            at = rng.randrange(0, len(raw), 2)
            what = rng.random()
            if what < 0.45:
                raw[at + 1] = rng.choice([0, 1, 2, 3, 7, 16, 64, 127, 200, 255, rng.randrange(256)])
            elif what < 0.7:
                raw[at] = rng.choice([o for n, o in dis.opmap.items() if o < 256])
            elif what < 0.8:
                raw[at] = rng.randrange(256)
            elif what < 0.9:
                other = rng.randrange(0, len(raw), 2)
                raw[at:at + 2], raw[other:other + 2] = raw[other:other + 2], raw[at:at + 2]
            else:
                del raw[at:at + 2]
                raw = raw or bytearray(b"\0\0")
        return replaced(code, co_code=bytes(raw))
    if kind < 0.8:
        return replaced(code, co_code=bytes(raw[:rng.randrange(2, len(raw) + 1, 2)]))
    if kind < 0.9:
        consts = list(code.co_consts)
        consts[rng.randrange(len(consts))] = rng.choice([None, 3, "s", (), ("a",), (1, 2), len, Tensor(np.float32([1]))])
        return replaced(code, co_consts=tuple(consts))
    if kind < 0.95:
        return replaced(code, co_flags=code.co_flags ^ rng.choice([1, 2, 4, 8, 16, 32, 64, 128]))
    if hasattr(code, "co_exceptiontable"):
        table = bytearray(code.co_exceptiontable or b"\0")
        table[rng.randrange(len(table))] = rng.randrange(256)
        return replaced(code, co_exceptiontable=bytes(table))
    return replaced(code, co_stacksize=rng.choice([code.co_stacksize, code.co_stacksize + 20]))


def inside(rng, code):
    """The code with itself or one of the codes in it changed."""
    places = [i for i, c in enumerate(code.co_consts) if isinstance(c, types.CodeType)]
    if places and rng.random() < 0.4:
        consts = list(code.co_consts)
        place = rng.choice(places)
        consts[place] = change(rng, consts[place])
        return replaced(code, co_consts=tuple(consts))
    return change(rng, code)


def made(seed):
    """A function with a changed code; the plain one when CPython refuses to make it."""
    rng = random.Random(seed)
    fn = rng.choice(FUNCTIONS)
    try:
        return types.FunctionType(inside(rng, fn.__code__), fn.__globals__, fn.__name__, fn.__defaults__)
    except Exception:
        return fn


def read(code):
    """Raises if an operand is out of range: with such code CPython reads behind its tables, which may or may not crash."""
    list(dis.get_instructions(code))
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            read(const)


def is_refused(code):
    """Whether the decoder refuses the code. CPython then runs it and reads outside its tables or stack, so a crash is not msjit's."""
    return not ms._msjit._debug.flows(code) or any(
        is_refused(const) for const in code.co_consts if isinstance(const, types.CodeType))


def call(fn):
    for n in (2, 2, 0):
        try:
            repr(fn(Tensor(np.float32([1, 2])), n))
        except Exception:
            pass


def in_child(work):
    """Exit status of work() in a forked child."""
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        devnull = os.open(os.devnull, os.O_WRONLY)
        os.dup2(devnull, 1)
        os.dup2(devnull, 2)
        failed = 1
        try:
            work()
            failed = 0
        finally:
            os._exit(failed)
    return os.waitpid(child, 0)[1]


def compare(fn):
    """Runs a function under msjit; a code that is refused ends the process with REFUSED."""
    if is_refused(fn.__code__):
        os._exit(REFUSED)
    call(ms.jit(fn, mode="PIJit"))


def fuzz(seed, count, report=print):
    """(codes made, codes that the decoder accepts and CPython survives, seeds of those that fail under msjit only).

    Codes are only made in child processes: CPython may write behind a code whose last instruction lacks its inline caches."""
    ran, survived, failed = 0, 0, []
    for number in range(seed, seed + count):
        ran += 1
        if in_child(lambda n=number: read(made(n).__code__) or call(made(n))):
            continue
        status = in_child(lambda n=number: compare(made(n)))
        if status == REFUSED << 8:
            continue
        survived += 1
        # A code that reads freed memory may survive by chance. It counts as surviving plainly if it does so three times in a row.
        if status and not any(in_child(lambda n=number: call(made(n))) for _ in range(3)):
            failed.append(number)
            report("seed %d: status %d under msjit only" % (number, status))
    return ran, survived, failed


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--show", type=int)
    args = parser.parse_args()
    if args.show is not None:
        fn = made(args.show)
        try:
            dis.dis(fn)
        except Exception as error:  # dis refuses some codes that the interpreter runs
            print(error)
        sys.stdout.flush()
        call(ms.jit(fn, mode="PIJit"))
        return 0
    ran, survived, failed = fuzz(args.seed, args.count)
    print("%d codes, %d survived by CPython, %d failed" % (ran, survived, len(failed)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
