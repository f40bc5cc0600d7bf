"""Tensor, Parameter, element types and initialisers."""
from .. import _paths
from . import dtype, initializer
from .dtype import *  # noqa: F401,F403
from ..absent import attributes as _absent
from ..first_use import kept as _kept
from .parameter import Parameter, ParameterTuple
from .seed import get_seed, set_seed
from .tensor import Tensor, from_numpy, is_tensor, mutable, tensor

__all__ = ["dtype", "initializer", "Parameter", "ParameterTuple", "get_seed", "set_seed", "Tensor",
           "from_numpy", "is_tensor", "mutable", "tensor"]

_LATER = dict.fromkeys("Generator default_generator get_rng_state initial_seed manual_seed set_rng_state".split(), "common.generator")
_LATER.update({"swap_tensors": "common.tensor", "RowTensor": "common.row_tensor", "JitConfig": "jit", "jit": "jit", "jit_class": "jit"})
_LATER.update(dict.fromkeys(("COOTensor", "CSRTensor", "SparseTensor"), "common.sparse_tensor"))
_LATER.update(dict.fromkeys(("Symbol", "enable_dynamic", "ms_memory_recycle", "no_inline", "set_dump"), "graph_hints"))
_LATER.update(dict.fromkeys(("saved_tensors_hooks", "register_saved_tensors_hooks"), "saved_tensors"))
_LATER.update(DeviceCtx="hal", QuantDtype="common.dtype")
_OF_PACKAGE = ("lazy_inline", "recompute", "set_recursion_limit")
__all__ += [name for name, value in vars(dtype).items() if name[0] != "_" and not isinstance(value, type(dtype))]
__all__ += [*_LATER, *_OF_PACKAGE]
_refuse = _absent(__name__)


@_kept
def __getattr__(name):
    import importlib
    if name in _LATER:
        return getattr(importlib.import_module("..%s" % _LATER[name], __name__), name)
    if name in ("bool", "int", "float"):
        return getattr(dtype, name)
    if name in _OF_PACKAGE:
        return getattr(importlib.import_module(__name__.rpartition(".")[0]), name)
    return _refuse(name)


_paths.reach(__name__)
