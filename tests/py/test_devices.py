"""The tests of tests/gpu on a fake device. It checks streams, copies and lifetimes, and runs its threads one by one on the CPU."""
import os
import subprocess
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY = os.path.join(HERE, "..", "..", "build", "msjit_fake_device.so")


@pytest.mark.costly
@pytest.mark.parametrize("file", ["test_gpu_programs.py", "test_gpu_matrix.py"])
def test_on_the_checking_device(file):
    if not os.path.exists(LIBRARY):
        pytest.skip("built without the C++ tests")
    if sys.version_info[:2] not in ((3, 7), (3, 11)) and file == "test_gpu_matrix.py":
        pytest.skip("the operators are the same on all versions")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", os.path.join(HERE, "..", "gpu", file)],
                          env=dict(os.environ, MSJIT_DEVICE_LIBRARY=LIBRARY), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
    assert done.returncode == 0 and " passed" in done.stdout, done.stdout[-4000:]
