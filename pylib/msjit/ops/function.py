"""All operators as functions: those of the registry under their own names, and MindSpore's spellings of them."""
import sys

from .. import _paths
from . import (
    activation_func,
    array_func,
    distance_func,
    image_func,
    index_func,
    layout_func,
    linalg_func,
    loss_func,
    math_func,
    nn_func,
    other_func,
    random_func,
    registry,
    resize_func,
    sampling_func,
    scatter_func,
    special_func,
    statistics_func,
    window_func,
)

_here = globals()
_modules = (registry, math_func, array_func, index_func, nn_func, random_func, other_func, special_func,
            linalg_func, statistics_func, scatter_func, layout_func, window_func, image_func, sampling_func,
            resize_func, activation_func, loss_func,
            distance_func)
for _module in _modules:
    for _name in _module.__all__:
        _here[_name] = getattr(_module, _name)

_here.update(dict.fromkeys(("array_func", "math_func", "nn_func", "clip_func", "linalg_func", "random_func", "other_func",
                            "image_func", "parameter_func", "vmap_func", "debug_func", "spectral_func", "fft_func", "sparse_func"),
                           sys.modules[__name__]))  # MindSpore's modules below this one: here each of them has all functions
__path__ = _paths.extend([])

__all__ = sorted({n for m in _modules for n in m.__all__})
