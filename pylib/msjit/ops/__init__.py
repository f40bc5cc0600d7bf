"""Operators: functions (ops.add), primitives (ops.Add) and function transforms."""
from ..absent import attributes as _absent
from ..autograd import get_grad, grad, value_and_grad
from ..first_use import kept as _kept
from ..function_transforms import derivative, jacfwd, jacrev, jet, jvp, linearize, vjp, vmap
from ..common.tensor import Tensor
from . import composite, function, functional, operations, registry
from . import _sparse
from . import operations as P
from .composite import (
    GradOperation, HyperMap, Map, MultitypeFuncGraph, add_flags, augassign_add, augassign_div, augassign_floordiv, augassign_mod, augassign_mul,
    augassign_sub, constexpr, core, hyper_add,
)
from .function import *  # noqa: F401,F403
from .operations import *  # noqa: F401,F403
from .primitive import prim_arg_register, prim_attr_register

for _name in composite._FUNCTIONS:
    setattr(composite, _name, getattr(function, _name))

__all__ = ["GradOperation", "get_grad", "grad", "jacfwd", "jacrev", "jvp", "value_and_grad", "vjp", "HyperMap", "Map",
           "MultitypeFuncGraph", "constexpr", "core", "add_flags", "augassign_add", "augassign_div", "augassign_floordiv",
           "augassign_mod", "augassign_mul", "augassign_sub", "hyper_add", "prim_arg_register", "prim_attr_register", "Tensor", "P", "composite", "function", "functional", "operations",
           "registry", "derivative", "jet", "linearize", "vmap"]
__all__ += function.__all__ + operations.__all__
_refused = _absent(__name__)
_LAZY_NAMES = _sparse.names()
# Names of ops.communication. That module imports mint, so it is loaded on first use.
_PROCESSES = frozenset("""P2POp all_gather all_gather_into_tensor all_gather_into_tensor_uneven all_gather_object all_reduce all_to_all
    all_to_all_single all_to_all_v_c barrier batch_isend_irecv broadcast broadcast_object_list destroy_process_group gather_into_tensor
    gather_object get_backend get_global_rank get_group_rank get_process_group_ranks get_world_size init_process_group irecv
    is_available is_initialized isend new_group recv recv_object_list reduce_scatter reduce_scatter_tensor
    reduce_scatter_tensor_uneven scatter_object_list scatter_tensor send send_object_list communication""".split())

# Modules that few programs use; they are loaded on first use.
_LATER = {"signature": "signature", "auto_generate": "auto_generate", "functional_overload": "functional_overload"}
_LATER.update(dict.fromkeys("gen_extend_func gen_ops_def gen_ops_prim pyboost_inner_prim".split(), "auto_generate"))
_CUSTOM = ("CustomRegOp", "DataType", "custom_info_register")

# `from mindspore.ops import *` also gives these names, which are loaded on first use. They are added to the modules' __all__ only here,
# because the modules above have imported names from each other by __all__ before.
__all__ += [*_LAZY_NAMES, *sorted(_PROCESSES), *_LATER, *_CUSTOM]
function.__all__ = [*function.__all__, *function._TRANSFORMS, *(_name for _name in _LAZY_NAMES if _name.islower())]
functional.__all__ = [*functional.__all__, *(_name for _name in _LAZY_NAMES if _name.islower())]
operations.__all__ = [*operations.__all__, *(_name for _name in _LAZY_NAMES if not _name.islower())]


@_kept
def __getattr__(name):
    from importlib import import_module
    if name in _CUSTOM:
        return getattr(import_module(".custom_info", __name__), name)
    if name in _LATER:
        return import_module("." + _LATER[name], __name__)
    if name not in _PROCESSES:
        found = _sparse.find(name)
        if found is None and name[:1].isupper():
            found = import_module("._inner_operations", __name__).find(name)
        return _refused(name) if found is None else found
    module = import_module(".communication", __name__)
    return module if name == "communication" else getattr(module, name)
