"""All operators as functions: those of the registry under their own names, and MindSpore's spellings of them."""
import sys

from .. import _paths
from ..absent import attributes as _absent
from ..first_use import kept as _kept
from . import (
    _sparse,
    activation_func,
    array_func,
    attention_func,
    bessel_func,
    box_func,
    candidate_func,
    complex_func,
    count_func,
    diagonal_func,
    distance_func,
    einsum_func,
    extended_func,
    factor_func,
    fft_func,
    fractional_func,
    gamma_func,
    image_func,
    in_place_func,
    index_func,
    integer_func,
    layout_func,
    linalg_func,
    loss_func,
    math_func,
    nn_func,
    other_func,
    pad_func,
    pool_func,
    random_func,
    reduction_func,
    registry,
    resize_func,
    sampling_func,
    scatter_func,
    segment_func,
    sequence_func,
    special_func,
    statistics_func,
    taper_func,
    window_func,
)

_here = globals()
_modules = (registry, math_func, reduction_func, array_func, index_func, nn_func, random_func, other_func, special_func, integer_func,
            segment_func, linalg_func, einsum_func, statistics_func, scatter_func, layout_func, window_func, pool_func, image_func,
            sampling_func, resize_func, activation_func, loss_func, distance_func, bessel_func, box_func, candidate_func, count_func,
            diagonal_func, factor_func, gamma_func, sequence_func, taper_func, extended_func, fractional_func, in_place_func,
            complex_func, fft_func, attention_func, pad_func)
for _module in _modules:
    for _name in _module.__all__:
        _here[_name] = getattr(_module, _name)

_here.update(dict.fromkeys(("array_func", "math_func", "nn_func", "clip_func", "linalg_func", "random_func", "other_func",
                            "image_func", "parameter_func", "vmap_func", "debug_func", "spectral_func", "fft_func", "sparse_func"),
                           sys.modules[__name__]))  # MindSpore's submodules; here each of them has all functions
__path__ = _paths.extend([])

__all__ = sorted({n for m in _modules for n in m.__all__})
_refuse = _absent(__name__)
_TRANSFORMS = dict.fromkeys("derivative jacfwd jacrev jet jvp linearize vjp vmap".split(), "function_transforms")
_TRANSFORMS.update(dict.fromkeys("get_grad grad value_and_grad".split(), "autograd"), custom_vjp="custom_function")
# Functions in MindSpore's modules besides the public ones; names ending in _ext mean those of mint.
_GENERATED = frozenset("chunk_view split_view unsqueeze_view new_ones new_zeros".split())


@_kept
def __getattr__(name):
    if name in _TRANSFORMS:
        import importlib
        return getattr(importlib.import_module(".." + _TRANSFORMS[name], __package__), name)
    if name in ("get_square_sum", "apply_global_norm", "_check_same_type", "_expand"):
        from . import inner_functions
        return getattr(inner_functions, name)
    if name in _GENERATED or name.endswith("_ext"):
        from . import auto_generate
        found = auto_generate._function_named(name)
        if found is not None:
            return found
    if name.endswith("_") and name[:1].islower():  # the instances of primitives that MindSpore's modules keep: cast_
        from . import auto_generate
        found = auto_generate.instance_named(name[:-1])
        if found is not None:
            return found
    found = _sparse.find(name)
    return _refuse(name) if found is None else found

_paths.reach(__name__)
