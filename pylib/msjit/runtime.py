"""mindspore.runtime: the names of mindspore.hal and more; see there."""
from . import _paths
from . import hal as _hal
from .hal import *  # noqa: F401,F403

__getattr__ = _hal.__getattr__
__path__ = _paths.extend([])  # a package in MindSpore: alias.py finds what programs import from below it
