"""Two markers. A test with `jit` needs the bytecode JIT. A test with `captures` asserts what gets captured; forced side exits
(MSJIT_BREAK_EVERY) change that, so it is skipped under them."""

import gc
import importlib
import os
import signal

import pytest

os.environ.setdefault("MSJIT_CACHE_DIR", "")  # what a test compiles does not depend on earlier runs
HAS_JIT = importlib.import_module("msjit._msjit").has_jit


def pytest_configure(config):
    config.addinivalue_line("markers", "jit: needs the bytecode JIT")
    config.addinivalue_line("markers", "captures: asserts what is captured")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start without it


def pytest_collection_modifyitems(items):
    for item in items:
        if not HAS_JIT and item.get_closest_marker("jit"):
            item.add_marker(pytest.mark.skip(reason="no bytecode JIT here"))
        if os.environ.get("MSJIT_BREAK_EVERY") and item.get_closest_marker("captures"):
            item.add_marker(pytest.mark.skip(reason="asserts captures"))


def pytest_collection_finish():
    """Freezes what the tests and their libraries have loaded, so that collections do not visit these hundreds of thousands of objects."""
    gc.collect()
    gc.freeze()
