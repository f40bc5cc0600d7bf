"""All operators as functions: those of the registry under their own names, and MindSpore's spellings of them."""
from . import activation_func, array_func, index_func, loss_func, math_func, nn_func, other_func, random_func, registry

_here = globals()
_modules = (registry, math_func, array_func, index_func, nn_func, random_func, other_func, loss_func,
            activation_func)
for _module in _modules:
    for _name in _module.__all__:
        _here[_name] = getattr(_module, _name)

__all__ = sorted({n for m in _modules for n in m.__all__})
