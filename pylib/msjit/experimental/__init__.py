"""msjit.experimental: optimizers with groups of options, and schedulers that change their rates."""
from ..absent import attributes as _absent

__getattr__ = _absent(__name__)
