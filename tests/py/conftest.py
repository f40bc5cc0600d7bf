"""Markers: `jit` needs the bytecode JIT (3.9-3.11); `captures` asserts what gets captured, which forced side exits
(MSJIT_BREAK_EVERY) change, so it is left out there."""

import os
import sys

import pytest

HAS_JIT = (3, 9) <= sys.version_info[:2] <= (3, 11)


def pytest_configure(config):
    config.addinivalue_line("markers", "jit: needs the bytecode JIT")
    config.addinivalue_line("markers", "captures: asserts what is captured")


def pytest_collection_modifyitems(items):
    for item in items:
        if not HAS_JIT and item.get_closest_marker("jit"):
            item.add_marker(pytest.mark.skip(reason="the bytecode JIT serves 3.9-3.11"))
        if os.environ.get("MSJIT_BREAK_EVERY") and item.get_closest_marker("captures"):
            item.add_marker(pytest.mark.skip(reason="asserts captures"))
