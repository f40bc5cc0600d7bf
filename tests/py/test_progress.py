"""What `make build` and `make test` show while they work."""

import io
import pathlib
import re
import subprocess

import pytest

TOOLS = pathlib.Path(__file__).resolve().parents[1] / "tools"


@pytest.fixture
def progress(monkeypatch):
    monkeypatch.syspath_prepend(str(TOOLS))
    return __import__("progress")


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize("text, found", [
    ("", ""), ("collecting ...", ""), ("....F.. [ 12%]\n......s [ 25%]\n...", "25%"), ("[3/120] Building x.o\n[4/120] ", "4/120"),
    ("[ 3/14] test_scope\n", "3/14"), ("a[3/4] is no step\n", "")])
def test_how_far_a_log_is(progress, tmp_path, text, found):
    log = tmp_path / "job.log"
    log.write_text(text)
    assert progress.how_far(log) == found
    assert progress.how_far(tmp_path / "none.log") == ""


@pytest.mark.costly
@pytest.mark.parametrize("out", [io.StringIO, Terminal])
def test_lines(progress, tmp_path, monkeypatch, out):
    monkeypatch.setattr(progress, "BEAT_S", 0)
    (tmp_path / "b-2.log").write_text("... [ 40%]\n")
    with progress.Progress(2, out()) as shown:
        shown.step("a", tmp_path / "a.log")
        shown.step("b", tmp_path / "b-1.log")
        shown.end("a", "3 passed")
        shown.step("b", tmp_path / "b-2.log")
        assert shown.status() == "1/2 jobs, 0 s: b-2 40%"
        shown.ended.wait(1.5)
        shown.end("b", "4 passed")
    lines = shown.out.getvalue().replace("\r\033[K", "\n").split("\n")
    assert [line for line in lines if line.startswith("[")] == ["[1/2] a: 3 passed", "[2/2] b: 4 passed"]
    assert any(line.startswith("1/2 jobs") and line.endswith("b-2 40%") for line in lines)


def follow(command, tmp_path, beat=15):
    text = '. "%s/progress.sh"; beat=%d; follow work "%s/log" bash -c \'%s\'' % (TOOLS, beat, tmp_path, command)
    done = subprocess.run(["bash", "-c", text], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                          timeout=60)
    assert done.stdout == ""
    return done.returncode, done.stderr


@pytest.mark.costly
def test_steps_of_a_build(tmp_path):
    assert follow("echo [1/2] a; echo [2/2] b; exit 3", tmp_path) == (3, "msjit: work 2/2, 0 s\n")
    assert (tmp_path / "log").read_text() == "[1/2] a\n[2/2] b\n"
    status, text = follow('echo "[1/2] a"; sleep 2.5; printf "no line"', tmp_path, beat=1)
    assert status == 0 and re.match(r"(msjit: work 1/2, \d+ s so far\n)+msjit: work 1/2, \d+ s\n\Z", text), text


def test_nothing_to_do_is_not_spoken_of(tmp_path):
    assert follow("true", tmp_path) == (0, "")
    assert follow('echo "[0/1] Re-checking"; echo "ninja: no work to do."', tmp_path) == (0, "")
