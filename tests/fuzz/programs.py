"""What the fuzzers of random functions share. Each has a class `Program(seed)`, and a function `check(seed)` that returns: None or a
text that says what differs, the number of captures, and how many calls level STRICT of PSJit did not refuse."""
import argparse
import time

import numpy as np

from msjit import Tensor, _msjit


def fuzz(program, check, first, count, seconds=1e9, report=print):
    """(programs, captures, programs captured whole at level STRICT, failed)."""
    np.seterr(all="ignore")
    end, captures, whole, failed, done = time.time() + seconds, 0, 0, 0, 0
    for seed in range(first, first + count):
        if time.time() > end:
            break
        _msjit.reset()
        why, captured, passed = check(seed)
        done += 1
        captures += captured
        whole += passed > 0
        if why:
            failed += 1
            report("seed %d: %s\n%s" % (seed, why, program(seed).source))
    return done, captures, whole, failed


def outcome(fn, args, said):
    """(picture, arrays) of one call of a program's `main`, which prints into `said`."""
    said.clear()
    arrays = []

    def picture(value):
        if isinstance(value, Tensor):
            arrays.append(value.asnumpy())
            return "tensor", str(value.dtype), tuple(value.shape)
        if isinstance(value, (tuple, list)):
            return (type(value).__name__,) + tuple(picture(v) for v in value)
        return type(value).__name__, repr(value)
    try:
        result = picture(fn(*args))
    except Exception as e:
        trace = e.__traceback__
        while trace.tb_frame.f_code.co_name != "main":
            trace = trace.tb_next
        result = type(e).__name__, str(e), trace.tb_lineno
    return (result, tuple(said)), arrays


def captures(name="main"):
    """How often functions of this name were captured since the last reset."""
    return sum(1 + sum(r["count"] for r in f["recompiles"]) for f in _msjit.explain_json() if f["name"] == name)


def main(doc, program, check):
    parser = argparse.ArgumentParser(description=doc)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--show", type=int)
    given = parser.parse_args()
    if given.show is not None:
        print(program(given.show).source)
        return 0
    done, captures, whole, failed = fuzz(program, check, given.first, given.count, given.seconds)
    print("%d programs, %d captures, %d captured whole, %d failed" % (done, captures, whole, failed))
    return 1 if failed else 0
