"""A finalizer that runs in the midst of a call leaves no freed object in what is read there or remembered (finalizer_cases.py)."""
import os
import subprocess
import sys

import pytest

from finalizer_cases import CASES

pytestmark = pytest.mark.jit


@pytest.mark.parametrize("name", list(CASES))
def test_met_by_a_finalizer(name):
    script = os.path.join(os.path.dirname(__file__), "finalizer_cases.py")
    done = subprocess.run([sys.executable, script, name], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300,
                          env=dict(os.environ, PYTHONMALLOC="debug"))
    assert done.returncode == 0, done.stdout.decode()[-2000:]
