"""Captured calls give NaN, infinities, signed zeros, denormals and wrapped integers as eager ones do; see edge_values.py."""
import os
import pathlib
import subprocess
import sys

import pytest


@pytest.mark.costly
@pytest.mark.jit
@pytest.mark.captures
@pytest.mark.parametrize("part", ["unary", "binary", "constants", "other", "chains"])
def test_as_eager(part):
    program = pathlib.Path(__file__).with_name("edge_values.py")
    done = subprocess.run([sys.executable, str(program), part], env=dict(os.environ, MSJIT_SYNC_COMPILE="1"),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    lines = done.stdout.splitlines()
    assert done.returncode == 0, done.stdout
    assert lines[:-1] == []
    words = lines[-1].split()
    assert int(words[1].strip(",")) > 20 and words[-1] == "0"
