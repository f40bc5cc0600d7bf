"""The compiled operators as module attributes: registry.add calls the operator of kernels/ops/add.cc."""
from .._native import _msjit

__all__ = []
for _name in dir(_msjit.ops):
    if not _name.startswith("_"):
        globals()[_name] = getattr(_msjit.ops, _name)
        __all__.append(_name)


def __getattr__(name):
    raise AttributeError("[ops] there is no operator %r" % name)
