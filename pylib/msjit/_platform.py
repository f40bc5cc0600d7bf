"""Checks that the machine can run the compiled half, before that is loaded: loading it on another machine would crash."""
import contextlib
import os
import sys

# Compiled for x86-64-v3.
NEEDED = ("avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe")
OLDEST, NEWEST = (3, 7), (3, 14)


def missing_features(cpuinfo):
    """The features in NEEDED that the text of /proc/cpuinfo does not list; none if the text lists no flags at all."""
    lines = [line for line in cpuinfo.splitlines() if line.startswith("flags")]
    if not lines:
        return ()
    flags = lines[0].split(":", 1)[-1].split()
    return tuple(name for name in NEEDED if name not in flags)


def check(version=sys.version_info[:2], implementation=sys.implementation.name, machine=None, cpuinfo=None):
    """Raises ImportError where msjit cannot run."""
    if implementation != "cpython" or not OLDEST <= tuple(version) <= NEWEST:
        raise ImportError("[msjit] interpreter, got %s %d.%d, expected CPython %d.%d to %d.%d" % (
            (implementation,) + tuple(version) + OLDEST + NEWEST))
    machine = machine or os.uname().machine
    if machine.lower() not in ("x86_64", "amd64"):
        raise ImportError("[msjit] processor, got %s, expected x86_64" % (machine,))
    if cpuinfo is None:
        try:
            with open("/proc/cpuinfo", "rb") as file:
                cpuinfo = file.read(8192).decode("ascii", "replace")
        except OSError:
            cpuinfo = ""
    missing = missing_features(cpuinfo)
    if missing:
        raise ImportError("[msjit] processor, got one without %s, expected one with AVX2 and FMA (x86-64-v3)" % ", ".join(missing))


@contextlib.contextmanager
def bounded_waiting():
    """A libgomp that is loaded inside lets idle threads spin for some 50 us and then sleep, unless the user has set something else. By default
    they spin for many milliseconds, which makes a small training step on two busy cores slower than on one. Neither `os.environ` nor child
    processes see the setting."""
    if any(name in os.environ for name in ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")):
        yield
        return
    os.putenv("GOMP_SPINCOUNT", "1000")
    try:
        yield
    finally:
        os.unsetenv("GOMP_SPINCOUNT")
