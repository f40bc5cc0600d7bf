"""msjit.experimental: optimizers with groups of options, and schedulers that change their rates."""
from ..absent import attributes as _absent

_refuse = _absent(__name__)


def __getattr__(name):
    if name == "optim":
        from importlib import import_module
        return import_module(".optim", __name__)
    return _refuse(name)
