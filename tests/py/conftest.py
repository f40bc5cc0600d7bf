"""Three markers. A test with `jit` needs the bytecode JIT. A test with `captures` asserts what gets captured; forced side exits
(MSJIT_BREAK_EVERY) change that, so it is skipped under them. A test with `costly` takes a second or more; the interpreters share
such tests among them (--part)."""

import gc
import importlib
import os
import signal
import zlib

import pytest

os.environ.setdefault("MSJIT_CACHE_DIR", "")  # what a test compiles does not depend on earlier runs
HAS_JIT = importlib.import_module("msjit._msjit").has_jit


def pytest_addoption(parser):
    parser.addoption("--part", default="0/1", metavar="I/N", help="of the tests marked costly, part I of N (counted from 0)")


def pytest_configure(config):
    config.addinivalue_line("markers", "jit: needs the bytecode JIT")
    config.addinivalue_line("markers", "captures: asserts what is captured")
    config.addinivalue_line("markers", "costly: takes long; see --part")
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs start without it


def pytest_collection_modifyitems(config, items):
    keep_part(config, items)
    for item in items:
        if not HAS_JIT and item.get_closest_marker("jit"):
            item.add_marker(pytest.mark.skip(reason="no bytecode JIT here"))
        if os.environ.get("MSJIT_BREAK_EVERY") and item.get_closest_marker("captures"):
            item.add_marker(pytest.mark.skip(reason="asserts captures"))


def keep_part(config, items):
    """A test's name alone decides its part, so that a new test moves no other."""
    part, parts = map(int, config.getoption("--part").split("/"))
    other = [item for item in items
             if item.get_closest_marker("costly") and zlib.crc32(item.nodeid.encode()) % parts != part]
    if other:
        config.hook.pytest_deselected(items=other)
        left_out = set(other)
        items[:] = [item for item in items if item not in left_out]


def pytest_collection_finish():
    """Freezes what the tests and their libraries have loaded, so that collections do not visit these hundreds of thousands of objects."""
    gc.collect()
    gc.freeze()
