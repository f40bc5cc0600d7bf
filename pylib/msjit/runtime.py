"""mindspore.runtime: the names of mindspore.hal and more; see there."""
from . import hal as _hal
from .hal import *  # noqa: F401,F403

__getattr__ = _hal.__getattr__
