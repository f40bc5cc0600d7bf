"""Private primitives of MindSpore (ops.operations._inner_ops, _grad_ops, ...) that some packages import nevertheless.

They are rows of the modules named in MODULES; a module is imported when one of its names is first used. A public primitive
of the same name takes precedence. Names in none of the modules can be imported and raise when they are called.
"""
from importlib import import_module as _import_module

from .. import absent as _absent

MODULES = ("operations", "gradient_kernels", "window_gradients", "norm_gradients", "value_gradients", "later_gradients",
           "sequence_operations", "inner_kernels")
# Names that ops.auto_generate makes from functions.
_GENERATED = frozenset("TopkExt AddcdivExt AddcmulExt LayerNormExt MSELossExt SoftplusExt Embedding TypeAs".split())

_refuse = _absent.attributes(
    __name__, lambda name: None if not name[:1].isupper() else "gradient kernel" if "Grad" in name else "compiler")


def find(name):
    """Finds the class of a primitive by name, public or not; None if there is none."""
    for path in MODULES:
        module = _import_module("." + path, __package__)
        if name in module.__all__:
            return getattr(module, name)
    if name in _GENERATED:
        module = _import_module(".auto_generate", __package__)
        if name not in vars(module):
            setattr(module, name, module._class_named(name))
        return getattr(module, name)
    return None


def __getattr__(name):
    found = None if name.startswith("_") else find(name)
    if found is not None and name.startswith(("bit_", "string_")):  # instances, in MindSpore too
        found = found()
    return _refuse(name) if found is None else found
