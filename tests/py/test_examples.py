"""The programs of examples/ in their short form: each trains in all three ways, with equal losses that go down."""
import json
import math
import pathlib
import subprocess
import sys

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples"
OTHERS = {"train_digits", "graph_break", "_common"}  # programs of another form, and the helper module
PROGRAMS = sorted(path.stem for path in FOLDER.glob("*.py") if path.stem not in OTHERS)
NO_TRAINING = {"quantised"}  # its losses are those of a finished network
CLIMBS = {"reinforce", "gan"}  # their loss does not show progress


def run(program, *options):
    done = subprocess.run([sys.executable, str(FOLDER / program), *options], cwd=str(FOLDER), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, universal_newlines=True, timeout=300)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.costly
@pytest.mark.jit
@pytest.mark.parametrize("name", PROGRAMS)
def test_losses_are_equal_in_all_modes(name, tmp_path):
    path = tmp_path / "rows.json"
    code, out, err = run(name + ".py", "--quick", "--json", str(path))
    assert code == 0, out + err
    assert not err, err
    rows = json.loads(path.read_text())["rows"]
    assert [row["mode"] for row in rows] == ["eager", "PIJit", "PSJit"]
    losses = [row["losses"] for row in rows]
    for other in losses[1:]:
        assert len(other) == len(losses[0])
        assert all(math.isfinite(a) and abs(a - b) <= 1e-4 * max(1.0, abs(a)) for a, b in zip(losses[0], other))
    if name not in NO_TRAINING | CLIMBS:
        third = max(1, len(losses[0]) // 3)
        assert sum(losses[0][-third:]) < sum(losses[0][:third])
    assert rows[0]["captured"] == 0 and rows[1]["captured"] > 0 and rows[2]["captured"] > 0


@pytest.mark.costly
@pytest.mark.jit
def test_training_steps_are_whole_graphs(tmp_path):
    """Every operator of these steps runs in a graph, and there is no break. The run ends before the first trial, in which the interpreter
    would run a call."""
    path = tmp_path / "rows.json"
    for name in ("lenet", "vae", "physics_informed"):
        code, out, err = run(name + ".py", "--quick", "--steps", "15", "--mode", "PIJit", "--json", str(path))
        assert code == 0, out + err
        row, = json.loads(path.read_text())["rows"]
        assert (row["breaks"], row["captured"]) == (0, 1.0), name


def test_wrong_options_are_refused():
    code, _, err = run("lenet.py", "--steps", "0")
    assert code == 2 and "--steps, got 0, expected 1 or more" in err


def test_all_programs_are_in_the_table():
    text = (FOLDER.parent / "docs/examples.md").read_text()
    assert [name for name in PROGRAMS if "`%s.py`" % name not in text] == []


@pytest.mark.costly
def test_graph_break_explains():
    code, out, err = run("graph_break.py")
    assert code == 0, err
    assert "result equals the eager one: True" in out and "result equals the eager one: False" not in out
