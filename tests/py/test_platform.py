"""Machines and interpreters msjit cannot run on get an ImportError, not a crash."""
import ctypes
import os

import pytest

from msjit import _platform

GOOD = "processor\t: 0\nmodel\t: 1\nflags\t\t: fpu %s\nbugs\t:\n" % " ".join(_platform.NEEDED)


def test_here():
    _platform.check()


@pytest.mark.parametrize("arguments, text", [
    (dict(version=(3, 6)), r"interpreter, got cpython 3.6, expected CPython 3.7 to 3.14"),
    (dict(version=(3, 15)), "interpreter, got cpython 3.15"),
    (dict(implementation="pypy"), "interpreter, got pypy"),
    (dict(machine="aarch64"), "processor, got aarch64, expected x86_64"),
    (dict(cpuinfo=GOOD.replace("avx2", "sse2")), "processor, got one without avx2, expected one with AVX2 and FMA"),
    (dict(cpuinfo=GOOD.replace(" fma", "")), "without fma"),
])
def test_elsewhere(arguments, text):
    with pytest.raises(ImportError, match=text):
        _platform.check(**arguments)


def test_unknown_cpuinfo_passes():
    assert _platform.missing_features("") == () and _platform.missing_features(GOOD) == ()


def c_environment(name):
    getenv = ctypes.CDLL(None).getenv
    getenv.restype = ctypes.c_char_p
    return getenv(name.encode())


@pytest.mark.parametrize("users", [{}, {"OMP_WAIT_POLICY": "ACTIVE"}, {"GOMP_SPINCOUNT": "7"}])
def test_idle_threads_spin_briefly_unless_the_user_decides(users, monkeypatch):
    for name in ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT"):
        monkeypatch.delenv(name, raising=False)
    for name, value in users.items():
        monkeypatch.setenv(name, value)
    before = dict(os.environ)
    with _platform.bounded_waiting():
        assert c_environment("GOMP_SPINCOUNT") == (None if "OMP_WAIT_POLICY" in users else b"7" if users else b"1000")
        assert dict(os.environ) == before
    assert c_environment("GOMP_SPINCOUNT") == (b"7" if "GOMP_SPINCOUNT" in users else None)
