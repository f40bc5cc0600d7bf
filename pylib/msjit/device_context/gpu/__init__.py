"""Settings of GPUs, of which there are none here."""
from ...hal import is_available as _available
from . import op_precision, op_tuning


def device_count():
    """RuntimeError: there is no such device."""
    raise RuntimeError("[device_count] device_target, got 'GPU', expected 'CPU'")


def is_available():
    """False"""
    return _available("GPU")


__all__ = ["op_precision", "op_tuning", "device_count", "is_available"]
