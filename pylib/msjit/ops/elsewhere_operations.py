"""Primitives for NPUs that programs construct on every machine. They can be constructed here, but raise when they are called."""
from . import registry as _k
from .primitive import Primitive as _Primitive
from .primitive import rows as _rows


def _elsewhere(p, *inputs):
    """Reads or clears the overflow flag of an NPU in MindSpore. Here it can be constructed, and a call raises NotImplementedError."""
    raise NotImplementedError("[%s] calls are not offered: they read the overflow flag of an NPU; use amp.all_finite on the gradients" % p.name)


class FloatStatus(_Primitive):
    """Returns 1 if an element of a tensor is NaN or infinite, else 0: float32 of shape (1,). Raises TypeError for an input that is no Tensor."""

    def __call__(self, x):
        from ..common import dtype as mstype
        return _k.reshape(_k.cast(_k.logical_not(_k.all(_k.isfinite(x))), mstype.float32), (1,))


__all__ = ["FloatStatus"] + _rows(globals(), [(name, {}, _elsewhere) for name in (
    "NPUAllocFloatStatus", "NPUClearFloatStatus", "NPUGetFloatStatus", "NPUGetFloatStatusV2", "NPUClearFloatStatusV2")])
