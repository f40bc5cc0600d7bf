"""Memory after many calls, captures, training steps and models: it must not grow, and objects that only a call could reach must die.

    python tests/fuzz/memory_soak.py [--calls N] [--captures N] [--steps N] [--models N]
"""
import argparse
import gc
import os
import pathlib
import sys
import weakref

import numpy as np

import msjit as ms
from msjit import Tensor, _msjit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "py"))
import training_programs  # noqa: E402

MIB = 1 << 20
SOURCE = """
class Box:
    def __init__(self, v):
        self.v = v
def helper(x, k):
    return [x * k, {"k": x}]
def returns(x, n):
    return helper(x, 2)[0] + n
def breaks(x, n):
    pair = helper(x, 3)
    note(n)
    return pair[0] + pair[1]["k"]
def makes(x, n):
    boxes = [Box(x + i) for i in range(3)]
    boxes[0].me = boxes
    return boxes
def fails(x, n):
    y = x + 1
    try:
        return y[7 + n % 2]
    except IndexError as error:
        return str(error)
def writes(x, n):
    state.append(x)
    del state[:-2]
    state[0] = x * 2
    return len(state)
"""


def rss():
    """Resident bytes without those of mapped files: pages of libLLVM become resident when they first run, long after the start."""
    with open("/proc/self/statm") as file:
        resident, of_files = file.read().split()[1:3]
    return (int(resident) - int(of_files)) * os.sysconf("SC_PAGE_SIZE")


def program():
    space = {"note": lambda n: None, "state": []}
    exec(SOURCE, space)
    return space


def growth(turn, warm_up, count):
    """By how much `count` turns raise the memory, after some to warm up."""
    turn(warm_up)
    gc.collect()
    before = rss()
    turn(count)
    gc.collect()
    return rss() - before


def many(call, count):
    """call(0), call(1), ...; cycles that wait for the collector must not decide how high the memory rises."""
    for i in range(count):
        call(i)
        if i % 1000 == 0:
            gc.collect()


def calls(count):
    space = program()
    functions = [ms.jit(space[name], mode="PIJit") for name in ("returns", "breaks", "makes", "fails", "writes")]
    x = Tensor(np.ones(1000, np.float32))

    def turn(n):
        many(lambda i: functions[i % len(functions)](x, 1), n)
    return growth(turn, max(500, count // 10), count)


def captures(count):
    """Makes functions, captures them for several shapes and constants, and drops them."""
    x = [Tensor(np.ones(8 + i, np.float32)) for i in range(3)]

    def turn(n):
        for i in range(n):
            space = program()
            f = ms.jit(space["returns"], mode="PIJit")
            for k in range(3):
                f(x[k], i + k)
            code = weakref.ref(space["returns"].__code__)
            tensor = Tensor(np.ones(8, np.float32))
            held = weakref.ref(tensor)
            f(tensor, i)
            del f, space, tensor
            gc.collect(0)
            assert held() is None, "a tensor outlives its call"
            if i % 20 == 0:
                gc.collect()
                assert code() is None, "a code object outlives its function"
    entries = len(_msjit.explain_json())
    risen = growth(turn, max(30, count // 10), count)
    assert len(_msjit.explain_json()) <= entries + 40, "captures outlive their functions"
    return risen


def steps(program, count):
    """Trains one model with a captured step."""
    step, _, batches = program()
    step = ms.jit(step, mode="PIJit")

    def turn(n):
        many(lambda i: step(*batches[i % len(batches)]).asnumpy(), n)
    return growth(turn, max(100, count // 10), count)


def models(count):
    """Makes models with their optimizers, trains each for a few steps, and drops them."""
    def turn(n):
        for i in range(n):
            step, parameters, batches = training_programs.PROGRAMS[i % len(training_programs.PROGRAMS)]()
            jitted = ms.jit(step, mode="PIJit")
            for k in range(4):
                jitted(*batches[k]).asnumpy()
            held = weakref.ref(next(iter(parameters())))
            del step, parameters, batches, jitted
            gc.collect()
            assert held() is None, "a Parameter outlives its model"
    return growth(turn, max(12, count // 4), count)


def measure(n_calls, n_captures, n_steps, n_models):
    """(what, growth in bytes, most allowed)"""
    yield "%d calls" % n_calls, calls(n_calls), 8 * MIB
    yield "%d captures" % n_captures, captures(n_captures), 8 * MIB
    for program in training_programs.PROGRAMS:
        yield "%d steps of %s" % (n_steps, program.__name__), steps(program, n_steps), 8 * MIB
    yield "%d models" % n_models, models(n_models), 8 * MIB


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--calls", type=int, default=1000000)
    parser.add_argument("--captures", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=10000)
    parser.add_argument("--models", type=int, default=100)
    args = parser.parse_args()
    failed = 0
    for what, growth, limit in measure(args.calls, args.captures, args.steps, args.models):
        print("%s: %.2f MiB more" % (what, growth / MIB))
        failed += growth >= limit
    print("%d failed" % failed)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
