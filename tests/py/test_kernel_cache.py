"""Compiled kernels kept between processes, and a machine without the code generator."""
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import msjit

pytestmark = [pytest.mark.jit, pytest.mark.captures]

# Prints whether the result is right, the tier of the first call, and whether LLVM was loaded.
PROGRAM = """
import sys, numpy as np, msjit as ms
from msjit import Tensor, ops
f = ms.jit(lambda x: (ops.exp(x * 0.5) + 1).sum(1), mode="PIJit")
x = np.arange(12, dtype=np.float32).reshape(3, 4)
y = f(Tensor(x))
tier = ms.report()["functions"][0]["regions"][0]["tier"]
print(np.allclose(y.asnumpy(), (np.exp(x * 0.5) + 1).sum(1), rtol=1e-6), tier, "libLLVM" in open("/proc/self/maps").read())
"""


def start(program=PROGRAM, **env):
    env = dict({k: v for k, v in os.environ.items() if k not in ("MSJIT_CACHE_DIR", "XDG_CACHE_HOME")}, **env)
    return subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env,
                            universal_newlines=True)


def finish(process):
    out, error = process.communicate(timeout=120)
    assert process.returncode == 0 and not error, error
    right, tier, llvm = out.split()
    assert right == "True"
    return int(tier), llvm == "True"


def run(**env):
    return finish(start(**env))


def fill(folder):
    assert run(MSJIT_CACHE_DIR=str(folder), MSJIT_SYNC_COMPILE="1") == (1, True)
    return sorted(folder.iterdir())


def test_a_second_process_starts_at_full_speed_without_llvm(tmp_path):
    files = fill(tmp_path)
    assert files and all(f.suffix == ".msjit" for f in files)
    assert run(MSJIT_CACHE_DIR=str(tmp_path)) == (1, False)
    assert sorted(tmp_path.iterdir()) == files


@pytest.mark.costly
def test_kept_in_the_users_cache_directory_unless_told_otherwise(tmp_path):
    home, other, named = (tmp_path / n for n in ("home", "other", "named"))
    home.mkdir()
    other.mkdir()
    run(HOME=str(home), MSJIT_SYNC_COMPILE="1")
    assert list((home / ".cache/msjit").iterdir())
    assert run(HOME=str(home)) == (1, False)
    run(HOME=str(other), XDG_CACHE_HOME=str(named), MSJIT_SYNC_COMPILE="1")
    assert list((named / "msjit").iterdir())
    run(HOME=str(other), MSJIT_CACHE_DIR="", MSJIT_SYNC_COMPILE="1")
    assert not list(other.iterdir())


@pytest.mark.costly
def test_damaged_files_are_compiled_again(tmp_path):
    files = fill(tmp_path)
    for damage in (lambda b: b[:len(b) // 2], lambda b: b"", lambda b: b[:-1] + bytes([b[-1] ^ 1]), lambda b: b"\0" * len(b)):
        for file in files:
            file.write_bytes(damage(file.read_bytes()))
        fill(tmp_path)
        assert run(MSJIT_CACHE_DIR=str(tmp_path)) == (1, False)


@pytest.mark.costly
def test_a_directory_that_cannot_be_used_is_done_without(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    for place in (file, file / "below", shared, pathlib.Path("/proc/1"), pathlib.Path("/dev/full")):
        assert run(MSJIT_CACHE_DIR=str(place), MSJIT_SYNC_COMPILE="1") == (1, True)
    assert not list(shared.iterdir())


def test_files_that_others_could_have_written_are_not_run(tmp_path):
    for file in fill(tmp_path):
        file.chmod(0o666)
    assert run(MSJIT_CACHE_DIR=str(tmp_path), MSJIT_SYNC_COMPILE="1") == (1, True)


@pytest.mark.costly
def test_processes_that_write_at_once(tmp_path):
    processes = [start(MSJIT_CACHE_DIR=str(tmp_path), MSJIT_SYNC_COMPILE="1") for _ in range(4)]
    assert [finish(p)[0] for p in processes] == [1] * 4
    assert all(f.suffix == ".msjit" for f in tmp_path.iterdir())
    assert run(MSJIT_CACHE_DIR=str(tmp_path)) == (1, False)


def test_nothing_kept_is_used_where_kernels_are_switched_off(tmp_path):
    fill(tmp_path)
    assert run(MSJIT_CACHE_DIR=str(tmp_path), MSJIT_NO_LLVM="1") == (0, False)


@pytest.mark.costly
def test_without_the_code_generator_one_warning_says_what_to_install(tmp_path):
    package = tmp_path / "msjit"
    shutil.copytree(os.path.dirname(msjit.__file__), str(package), ignore=shutil.ignore_patterns(
        "libmsjit_llvm.so", "__pycache__", *("*.cpython-%s*" % v for v in ("37", "38", "39", "310", "311", "312", "313")
                                             if v != "%d%d" % sys.version_info[:2])))
    program = """if True:
        import sys, time, warnings
        sys.path.insert(0, %r)
        seen = []
        warnings.showwarning = lambda message, *rest, **named: seen.append(str(message))
    """ % str(tmp_path) + PROGRAM + """
end = time.time() + 30
while not seen and time.time() < end:
    time.sleep(0.01)
f(Tensor(x[:2]) * 2)
time.sleep(0.1)
assert len(seen) == 1 and "apt install libllvm19" in seen[0], seen
"""
    core = os.path.dirname(os.path.realpath(msjit._msjit.__file__))
    libraries = os.path.join(os.path.dirname(os.path.dirname(core)), "deps", "lib")
    assert finish(start(program, MSJIT_CACHE_DIR="", LD_LIBRARY_PATH=libraries)) == (0, False)
