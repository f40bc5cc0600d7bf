"""Tests of one GPU, or of the device that MSJIT_DEVICE_LIBRARY names. Without either they are skipped."""
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "py"))
os.environ.setdefault("MSJIT_CACHE_DIR", "")

from msjit import _msjit  # noqa: E402


def pytest_collection_modifyitems(items):
    problem = _msjit.gpu_problem()
    for item in items:
        if problem:
            item.add_marker(pytest.mark.skip(reason=problem))
        elif item.get_closest_marker("jit") and not _msjit.has_jit:
            item.add_marker(pytest.mark.skip(reason="no bytecode JIT here"))


def pytest_configure(config):
    config.addinivalue_line("markers", "jit: needs the bytecode JIT")


@pytest.fixture(autouse=True)
def on_cpu():
    """Makes the CPU the default device again: each test says itself what lies on the GPU."""
    import msjit
    msjit.set_context(device_target="CPU")
    yield
    msjit.set_context(device_target="CPU")
