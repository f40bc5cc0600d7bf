"""What tests/cpython/run.py counts as a difference. Each test here gives lists: the outcomes of one test case in successive runs."""

import importlib.util
import itertools
import pathlib

import pytest

PATH = pathlib.Path(__file__).resolve().parent.parent / "cpython" / "run.py"


@pytest.fixture
def harness():
    spec = importlib.util.spec_from_file_location("cpython_run", str(PATH))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def found_in(harness, plain, jitted):
    """The difference that is found if successive runs have these outcomes. The last outcome repeats for ever."""
    runs = [itertools.chain(outcomes, itertools.repeat(outcomes[-1])) for outcomes in (plain, jitted)]
    harness.run_module = lambda python, module, with_msjit, limit: ({"test": next(runs[with_msjit])}, True, "")
    return harness.compare("python", "module", 1)[1]


def test_same_outcomes(harness):
    assert found_in(harness, ["ok"], ["ok"]) == {}
    assert found_in(harness, ["ValueError: a"], ["ValueError: a"]) == {}


@pytest.mark.parametrize("plain, jitted", [("ok", "ValueError: a"), ("ValueError: a", "ok"), ("ValueError: a", "ValueError: b"),
                                           ("skip", "ok"), ("ok", "skip")])
def test_steady_difference(harness, plain, jitted):
    assert found_in(harness, [plain], [jitted]) == {"test": (plain, jitted)}


def test_difference_seen_once(harness):
    assert found_in(harness, ["ok"], ["ValueError: a", "ok"]) == {}
    assert found_in(harness, ["ValueError: a", "ok"], ["ok"]) == {}


def test_failures_under_msjit_alone(harness):
    """Two failures are a difference however many passes follow them."""
    assert found_in(harness, ["ok"], ["OSError: a", "OSError: a", "ok"]) == {"test": ("ok", "OSError: a")}


def test_lost_races(harness):
    assert found_in(harness, ["ok", "ok", "ok", "OSError: a"], ["OSError: a"]) == {}
    assert found_in(harness, ["OSError: a"], ["ok", "ok", "ok", "ok", "OSError: a"]) == {}


def test_module_that_crashes(harness):
    harness.run_module = lambda python, module, with_msjit, limit: (
        ({"module": "exit status -11"}, True, "Fatal") if with_msjit else ({"test": "ok"}, True, "")
    )
    count, found, text = harness.compare("python", "module", 1)
    assert count == 1 and text == "Fatal"
    assert found == {"module": ("not run", "exit status -11"), "test": ("ok", "not run")}
