"""The rule of last resort: an entry that is slower than op by op stops being used. MSJIT_TRIAL=lose has every entry lose."""

import json
import os
import subprocess
import sys

import pytest

import msjit as ms

pytestmark = [pytest.mark.jit, pytest.mark.captures]

PROGRAM = """
import time
import numpy as np
import msjit as ms
from msjit import _msjit, ops

total = ms.Parameter(ms.Tensor(np.zeros(6, np.float32)), requires_grad=False)

def step(x, scale):
    y = ops.tanh(x) * scale
    total.assign_add(y)
    return y.sum()

DOOR
def tiers():
    regions = [r for f in _msjit.explain_json() for r in f["regions"] if f["name"] == "step"]
    return [r["tier"] for r in regions]

x = ms.Tensor(np.arange(6, dtype=np.float32) / 8)
sums = []
for i in range(200):
    sums.append(float(run(x, 0.5)))
    while i == 1 and tiers() != [1]:  # its kernels are being compiled
        time.sleep(0.01)
want = float(np.tanh(np.arange(6, dtype=np.float32) / 8).sum() * 0.5)
assert np.allclose(sums, want, 1e-5, 0), sums
assert np.allclose(total.asnumpy(), 200 * 0.5 * np.tanh(x.asnumpy()), 1e-4), total
"""
DOORS = {"jit": "run = ms.jit(step, mode='PIJit')", "frame": "run = step"}


def run(door, tmp_path, **env):
    script, report = tmp_path / "program.py", tmp_path / "report.json"
    script.write_text(PROGRAM.replace("DOOR", DOORS[door]))
    command = [sys.executable, "-m", "msjit", "--explain-json", str(report), str(script)]
    env = dict(os.environ, MSJIT_BREAK_EVERY="", MSJIT_SYNC_COMPILE="", **env)
    subprocess.run(command, check=True, env=env, timeout=120)
    functions = json.loads(report.read_text())["functions"]
    return next(function for function in functions if function["name"] == "step")


@pytest.mark.costly
@pytest.mark.parametrize("door", sorted(DOORS))
def test_an_entry_that_loses_is_given_up(door, tmp_path):
    step = run(door, tmp_path, MSJIT_TRIAL="lose")
    assert [b["reason"] for b in step["breaks"]] == ["slower"]
    assert "no longer used" in step["breaks"][0]["detail"] and " us" in step["breaks"][0]["detail"]
    assert step["breaks"][0]["count"] == 1


@pytest.mark.costly
@pytest.mark.parametrize("door", sorted(DOORS))
def test_a_short_call_is_not_even_tried(door, tmp_path):
    step = run(door, tmp_path)
    assert step["breaks"] == [] and step["regions"][0]["hits"] >= 198


@pytest.mark.costly
def test_a_call_that_raises_is_no_trial(tmp_path):
    """If the interpreter's timed call raises, the error is the program's, and the time does not count."""
    script = tmp_path / "raises.py"
    script.write_text("""
import numpy as np, time
import msjit as ms
calls = []
@ms.jit(mode="PIJit")
def f(x, limit):
    calls.append(1)
    y = x * 2
    if y.sum() > limit:
        raise ValueError("too much")
    return y
x = ms.Tensor(np.ones(4, np.float32))
errors = 0
for i in range(100):
    try:
        f(x, 9.0 if i % 5 else 7.0)
    except ValueError as error:
        errors += str(error) == "too much"
    time.sleep(0.0002 if i else 1)  # kernels are compiled meanwhile
assert errors == 20 and len(calls) == 100, (errors, len(calls))
""")
    env = dict(os.environ, MSJIT_TRIAL="lose", MSJIT_SYNC_COMPILE="")
    subprocess.run([sys.executable, str(script)], check=True, env=env, timeout=120)


SIZES = """
import os
import time
import numpy as np
import msjit as ms
from msjit import _msjit, ops

def step(x):
    y = ops.tanh(x) * 0.5
    return (y * y).sum()

DOOR
inputs = [ms.Tensor(np.arange(2 * n, dtype=np.float32).reshape(n, 2) / 8) for n in range(3, 9)]
wanted = [float(np.square(np.tanh(x.asnumpy()) * 0.5).sum()) for x in inputs]
lost = os.environ.get("MSJIT_TRIAL") == "lose"

@ms.skip
def captured_in_a_pass(inputs):
    before = _msjit.stats()["captured_calls"]
    for x in inputs:
        run(x)
    return _msjit.stats()["captured_calls"] - before

deadline = time.time() + 50

@ms.skip
def settle(inputs, least):
    # Runs passes until many in a row are as wanted: graphs are made by a thread, and tried, while calls go on.
    turns = 0
    while turns < 50 or _msjit.stats()["captured_calls"] <= least:
        assert time.time() < deadline, (turns, _msjit.stats())
        turns = turns + 1 if captured_in_a_pass(inputs) == (0 if lost else len(inputs)) else 0
        if not turns:
            time.sleep(0.002)

settle(inputs, 6 * len(inputs))
for i in range(50):
    for x, want in zip(inputs, wanted):
        assert np.isclose(float(run(x)), want, 1e-5), (i, x.shape)
# Sizes never met before: where all others have lost, the interpreter serves these too.
settle([ms.Tensor(np.ones((n, 2), np.float32)) for n in range(20, 24)], 0)
"""


@pytest.mark.costly
@pytest.mark.parametrize("door", sorted(DOORS))
@pytest.mark.parametrize("lose", [True, False])
def test_regions_of_open_sizes_are_tried_size_by_size(door, lose, tmp_path, monkeypatch):
    monkeypatch.setattr(sys.modules[__name__], "PROGRAM", SIZES)
    for chance in range(3):  # on a busy machine graphs may lose in earnest: the thread that compiles them starves
        try:
            step = run(door, tmp_path, **({"MSJIT_TRIAL": "lose"} if lose else {}))
            break
        except subprocess.CalledProcessError:
            if lose or chance == 2:
                raise
    assert [b["reason"] for b in step["breaks"]] == (["slower"] if lose else [])


PIECES = """
import numpy as np
import msjit as ms
from msjit import _msjit, ops

class Meter:
    def __del__(self):
        seen.append("gone")

seen = []

def step(x, n):
    y = ops.tanh(x) * n
    text = str(y.asnumpy().tolist())  # ends the region
    meter = Meter()
    seen.append(len(text))
    return y + n

run = ms.jit(step, mode="PIJit")
x = ms.Tensor(np.arange(3, dtype=np.float32))
for i in range(60):
    got, seen_then = run(x, i % 3), list(seen)
    seen.clear()
    want = step(x, i % 3)
    assert (got == want).all() and seen == seen_then and len(seen) == 2, (i, seen, seen_then)
    seen.clear()
"""


def test_pieces_that_lose_are_left_to_the_interpreter(tmp_path):
    script, report = tmp_path / "program.py", tmp_path / "report.json"
    script.write_text(PIECES)
    env = dict(os.environ, MSJIT_TRIAL="pieces", MSJIT_SYNC_COMPILE="", MSJIT_BREAK_EVERY="")
    command = [sys.executable, "-m", "msjit", "--mode", "eager", "--explain-json", str(report), str(script)]
    subprocess.run(command, check=True, env=env, timeout=120)
    step = next(f for f in json.loads(report.read_text())["functions"] if f["name"] == "step")
    slower = [b for b in step["breaks"] if b["reason"] == "slower"]
    assert len(slower) == 1 and slower[0]["count"] == 1, step["breaks"]
