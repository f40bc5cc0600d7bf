"""Errors at run time inside a region: the interpreter raises what the program raises, everything printed before is printed, and later calls
use the region again."""
import contextlib
import io

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops

pytest.importorskip("msjit._msjit")
pytestmark = pytest.mark.jit
STATE = {}


def chosen(x, i):
    print("before", STATE.get("n"))
    STATE["n"] = STATE.get("n", 0) + 1
    y = x * 2
    print("between", x.ndim)
    z = y[i]
    print("behind")
    return z + 1


def then_more(x, i):
    print("before")
    z = x[i]
    print("shape", z.shape)
    print(str(z.ndim), sep="", end="|\n")
    note(z)
    print("last")
    return z


def note(z):
    STATE["n"] = STATE.get("n", 0) + 1
    return STATE


def outcome(fn, x, i):
    STATE.clear()
    text = io.StringIO()
    with contextlib.redirect_stdout(text):
        try:
            result = fn(x, i).tolist()
        except Exception as error:
            trace, lines = error.__traceback__, []
            while trace:
                lines.append((trace.tb_frame.f_code.co_name, trace.tb_lineno))
                trace = trace.tb_next
            result = (type(error), str(error), [line for line in lines if line[0] == fn.__name__])
    return result, text.getvalue(), dict(STATE)


@pytest.mark.parametrize("fn", [chosen, then_more])
def test_output_and_errors_come_in_order(fn):
    x = Tensor(np.float32([1, 2, 3]))
    good, bad = Tensor(np.int64([0, 2])), Tensor(np.int64([0, 9]))
    jitted = ms.jit(fn, mode="PIJit")
    for i in [good, good, bad, good, bad, bad, good, good, bad, good]:
        assert outcome(jitted, x, i) == outcome(fn, x, i)


class Holder:
    value = 0


HOLDER = Holder()


def prints_badly(x, text):
    print("first", x.ndim, flush=True)
    HOLDER.value = HOLDER.value + 1
    y = x * 2
    print("second", text, sep="-", end="!\n")
    HOLDER.value = HOLDER.value + 10
    print("third")
    return y + 1


@pytest.mark.parametrize("closed", [False, True])
def test_output_that_fails_raises_where_it_stands(closed):
    jitted = ms.jit(prints_badly, mode="PIJit")
    x = Tensor(np.float32([1, 2, 3]))

    def run(fn, text):
        HOLDER.value = 0
        raw = io.BytesIO()
        out = io.TextIOWrapper(raw, encoding="ascii", newline="")
        if closed and text == "bad":
            out.close()
        with contextlib.redirect_stdout(out):
            try:
                result = fn(x, "\u20ac" if text == "bad" else text).tolist()
            except (UnicodeEncodeError, ValueError) as error:
                trace = error.__traceback__
                while trace.tb_next:
                    trace = trace.tb_next
                result = (type(error), str(error), trace.tb_lineno)
        written = None
        if not out.closed:
            out.flush()
            written = raw.getvalue()
        return result, written, HOLDER.value

    for text in ["good", "good", "bad", "good", "bad", "bad", "good"]:
        assert run(jitted, text) == run(prints_badly, text)


@pytest.mark.captures
def test_failed_regions_are_tried_again():
    table = Tensor(np.float32([[1, 2], [3, 4]]))
    f = ms.jit(lambda i: ops.tanh(table[i]) * 2 + 1, mode="PIJit")
    good, bad = Tensor(np.int64([0, 1])), Tensor(np.int64([0, 7]))

    def runs(i):
        before = ms.stats()["captured_calls"], ms.stats()["recompiles"]
        try:
            f(i)
        except IndexError:
            pass
        return ms.stats()["captured_calls"] - before[0], ms.stats()["recompiles"] - before[1]

    f(good), f(good)
    assert runs(good) == (1, 0)
    for _ in range(3):
        runs(bad)
    assert [runs(good) for _ in range(40)][-20:] == [(1, 0)] * 20
    for _ in range(200):  # a region that always fails is only tried now and then
        runs(bad)
    assert sum(runs(good)[0] for _ in range(2500)) > 1000
