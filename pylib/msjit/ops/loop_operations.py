"""Primitives that call a function repeatedly."""
from ..common.tensor import Tensor as _Tensor
from . import registry as _k
from .primitive import Primitive


class ForiLoop(Primitive):
    """Applies value = loop_func(i, value) for each i from lower to upper (exclusive); returns the last value."""

    def __call__(self, lower, upper, loop_func, init_val, unroll=True):
        value = init_val
        for i in range(int(lower), int(upper)):
            value = loop_func(i, value)
        return value


class WhileLoop(Primitive):
    """Applies value = loop_func(value) while cond_func(value) is true; returns the last value."""

    def __call__(self, cond_func, loop_func, init_val):
        value = init_val
        while cond_func(value):
            value = loop_func(value)
        return value


class Scan(Primitive):
    """Applies state, output = loop_func(state, x) to the slices of a Tensor or the items of a list; returns (last state, outputs)."""

    def __call__(self, loop_func, init, xs, length=None, unroll=True):
        items = _k.unstack(xs, 0) if isinstance(xs, _Tensor) else xs
        if items is None:
            if length is None:
                raise ValueError("[Scan] length, got None, expected an int where xs is None")
            items = [None] * length
        if length is not None and length != len(items):
            raise ValueError("[Scan] length, got %d, expected that of xs, %d" % (length, len(items)))
        state, outputs = init, []
        for item in items:
            state, output = loop_func(state, item)
            outputs.append(output)
        return state, outputs


__all__ = ["ForiLoop", "WhileLoop", "Scan"]
