"""`same(fn, make)` asserts that a function behaves under PIJit as plainly: result, identities, output, exception with its lines, and
changed arguments. `same_after(setup, text, changes)` asserts it after each of some changes to what the function uses. `captured(fn, make)`
asserts that a function is captured whole."""
import contextlib
import io
import pathlib
import sys

import numpy as np

import msjit as ms
from msjit import Tensor, _msjit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "fuzz"))
from diff_run import Picture, error_of, same_tensors  # noqa: E402

FORCED = bool(_msjit.config()["break_every"])


def outcome(fn, args):
    """(picture of everything a caller can see, tensors) of one call."""
    out, result, error = io.StringIO(), None, None
    with contextlib.redirect_stdout(out):
        try:
            result = fn(*args)
        except Exception as e:
            error = error_of(e, fn.__code__.co_filename)
    picture = Picture()
    return {"values": picture.of([result, args]), "error": error, "output": out.getvalue()}, picture.tensors


def same(fn, make, variants=(0, 0, 0), exact=True):
    """Calls fn(*make(variant)) plainly and jitted, one call a variant. Not `exact`: tensors may differ by rounding."""
    jitted = ms.jit(fn, mode="PIJit")
    for variant in variants:
        args = make(variant)
        expected, tensors = outcome(fn, args)
        args = make(variant)
        got, got_tensors = outcome(jitted, args)
        assert got == expected
        assert same_tensors(got_tensors, tensors)
        if exact:
            assert [t.tobytes() for t in got_tensors] == [t.tobytes() for t in tensors]
    return jitted


def same_after(setup, text, changes):
    """Runs `setup` in two namespaces. Evaluates `text`, an expression of x, plainly in one and jitted in the other: three times, and again
    after each of the statements `changes`. The changes must have changed the result in the end."""
    spaces = [{"__name__": __name__}, {"__name__": __name__}]
    for space in spaces:
        exec(setup, space)
    jitted = ms.jit(eval("lambda x: " + text, spaces[1]), mode="PIJit")
    seen = set()
    for change in ["pass"] + changes:
        for space in spaces:
            exec(change, space)
        for _ in range(3):
            plain = eval("lambda x: " + text, spaces[0])  # new code: 3.12 and later keep the getter of a property in warm code
            (expected, tensors), (got, got_tensors) = (outcome(f, (Tensor(np.float32([1, 2, 3])),)) for f in (plain, jitted))
            expected, got = ((o, [t.tolist() for t in ts]) for o, ts in ((expected, tensors), (got, got_tensors)))
            assert got == expected, change
            seen.add(str(expected))
    assert len(seen) > 1


def breaks(fn):
    return [b for f in _msjit.explain_json() if f["name"] == fn.__name__ for b in f["breaks"]]


def captured(fn, make):
    """Runs fn twice under jit and asserts that it was one region without a break."""
    if FORCED:
        return
    _msjit.reset()
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(2):
        with contextlib.redirect_stdout(io.StringIO()):
            jitted(*make(0))
    assert breaks(fn) == []
    regions = [r for f in _msjit.explain_json() if f["name"] == fn.__name__ for r in f["regions"]]
    assert len(regions) == 1
