"""mindspore.runtime: the names of mindspore.hal and more; see there."""
from . import _paths
from . import hal as _hal
from .hal import *  # noqa: F401,F403

__getattr__ = _hal.__getattr__
__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.

_paths.reach(__name__)
