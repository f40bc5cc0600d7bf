"""Devices other than the CPU, for which there is an error that says what is missing."""
from ._native import _msjit


def refusal(where, parameter, name):
    """The ValueError for a device that cannot be had. For a GPU it names the cause: no driver, one that is too old, no device."""
    text = "[%s] %s, got %r, expected 'CPU'" % (where, parameter, name)
    if isinstance(name, str) and name.split(":")[0].upper() in ("GPU", "CUDA"):
        text += "; " + _msjit.gpu_problem()
    return ValueError(text)
