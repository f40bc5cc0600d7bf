"""Functions of mindspore.ops.functional_overload. They are those of mint, which accept the same forms of arguments."""
from .. import absent as _absent
from ..first_use import kept as _kept
from . import auto_generate as _made
from . import function as _function

_NAMES = frozenset("""add addcdiv any bernoulli_ bitwise_not clamp clip conv1d conv2d conv3d div divide einsum empty empty_like eq
    floor_divide fmod ge gelu greater_equal imag index_add kthvalue lerp less lt max min mul nansum pixel_shuffle real remainder
    repeat_interleave sub where xlogy""".split())
_refuse = _absent.attributes(__name__, lambda name: None if name.startswith("_") else _absent.reason_of(name) or (
    "device" if name.startswith(("gmm", "quant_matmul", "lightning")) else None))


def rmod(input, other):
    """Computes the remainder of other divided by input, with the sign of input."""
    return _function.remainder(other, input)


@_kept
def __getattr__(name):
    if name not in _NAMES:
        return _refuse(name)
    found = _made._of_mint(name)
    return getattr(_function, name) if found is None else found
