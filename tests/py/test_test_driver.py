"""tests/tools/run_tests.py when the time of --until comes."""
import pathlib
import time

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools"


@pytest.fixture
def driver(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(TOOLS))
    module = __import__("run_tests")
    monkeypatch.setattr(module, "BUILD", tmp_path)
    monkeypatch.setattr(module.Deadline, "at", time.time() + 0.5)
    return module


def cut_off(driver):
    driver.run(["bash", "-c", "echo '..F. [ 1%]'; sleep 60"], "a", driver.environment())


def test_failures_shown(driver):
    assert driver.failures_shown("..F.s [ 1%]\nE...  [ 2%]\n[  FAILED  ] A.b (3 ms)\nFAILED tests/x\n") == 3
    assert driver.failures_shown("..s. [ 1%]\nError\n[       OK ] A.b\n") == 0


def test_a_job_that_is_given_up_keeps_its_failures(driver):
    def failed():
        part = driver.Result("part")
        part.passed, part.failed = 2, 1
        return part

    total = driver.Result("break3.11")
    total.add_parts(failed, lambda: cut_off(driver), failed)
    assert (total.passed, total.failed, total.finished) == (2, 2, False)


@pytest.mark.parametrize("name, failed", [("py3.11", 1), ("cpp", 1), ("launcher3.11", 0)])
def test_only_required_jobs_fail_for_lack_of_time(driver, monkeypatch, name, failed):
    monkeypatch.setattr(driver.Deadline, "at", 0.0)
    result = driver.perform((name, lambda: cut_off(driver)))
    assert (result.failed, result.finished) == (failed, False)
