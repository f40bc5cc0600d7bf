"""The differential fuzzer's findings, kept as programs, and a short run of the fuzzer itself (`make soak`: the long one)."""
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

from fuzz_repros import REPROS
from jit_same import same
from msjit import Tensor, _msjit

pytestmark = pytest.mark.jit

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Item:
    def __init__(self, **attributes):
        vars(self).update(attributes)


def arguments(variant):
    x = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2) - 1)
    d = {"a": 1, "b": x} if variant != 1 else {"c": 2}
    return [x, [1, 2.0, "w"][variant:], d, Item(extra=1) if variant != 1 else Item()]


def test_an_argument_assigned_behind_a_loop_that_returns():
    def fn(x, text):
        i = 0
        while i < 3:
            i += 1
            if x.max() < 0.0713:
                return i, -1.25
        text += text
        return text
    same(fn, lambda v: (Tensor(np.ones(2, np.float32) - v), "ab"), variants=(0, 1, 0))


@pytest.mark.parametrize("fn", REPROS, ids=[f.__name__ for f in REPROS])
def test_repro(fn):
    same(fn, arguments, (0, 0, 1, 2, 0, 1))


@pytest.mark.costly
def test_random_programs():
    forced = os.environ.get("MSJIT_BREAK_EVERY")
    command = [sys.executable, str(ROOT / "tests/fuzz/diff_fuzz.py"), "--count", "60" if forced else "120",
               "--seconds", "6" if forced else "10", "--psjit-every", "3"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    text = done.stdout.decode("utf-8", "replace")
    assert done.returncode == 0, text[-4000:]
    enough = int(re.search(r"(\d+) under PSJit", text).group(1)) >= 25  # a busy machine gets through few programs
    assert forced or not enough or not re.search(r" 0 captured whole", text), text
