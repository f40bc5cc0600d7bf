"""Settings of the CPU."""
from ...hal import device_count as _count
from ...hal import is_available as _available
from . import op_tuning
from .op_tuning import threads_num


def device_count():
    """The number of CPUs that work together as one device: 1."""
    return _count("CPU")


def is_available():
    """True"""
    return _available("CPU")


__all__ = ["op_tuning", "threads_num", "device_count", "is_available"]
