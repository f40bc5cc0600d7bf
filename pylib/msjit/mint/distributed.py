"""mint.distributed: communication between processes. There is one: what only asks about it answers, the rest raises."""
from .. import _paths
from ..absent import attributes as _absent
from ..absent import reason_of as _reason_of
from ..communication import get_rank  # noqa: F401


def get_world_size(group=None):
    """1"""
    return 1


def is_initialized():
    """False: no group of processes was made."""
    return False


def is_available():
    """False: there is nothing to communicate with."""
    return False


__all__ = ["get_rank", "get_world_size", "is_initialized", "is_available"]
_NAMES = "gather scatter".split()
__getattr__ = _absent(__name__, lambda name: "communication" if name in _NAMES else _reason_of(name))
__path__ = _paths.extend([])  # a package in MindSpore: alias.py finds what programs import from below it
