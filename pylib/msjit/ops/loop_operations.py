"""Primitives that call a function repeatedly."""
from ..common.tensor import Tensor as _Tensor
from . import registry as _k
from .primitive import Primitive


def _check_function(where, name, value):
    if not callable(value):
        raise TypeError("[%s] %s, got %s, expected a function" % (where, name, type(value).__name__))


def _check_unroll(where, unroll):
    if not isinstance(unroll, bool):
        raise TypeError("[%s] unroll, got %s, expected a bool" % (where, type(unroll).__name__))


def _bound(name, value):
    if isinstance(value, bool) or not isinstance(value, (int, _Tensor)):
        raise TypeError("[ForiLoop] %s, got %s, expected an int or a Tensor" % (name, type(value).__name__))
    return int(value)


class ForiLoop(Primitive):
    """Applies value = loop_func(i, value) for each i from lower to upper (exclusive); returns the last value.

    Raises TypeError for bounds that are no ints or Tensors, for a loop_func that cannot be called and an unroll that is no bool.
    """

    def __call__(self, lower, upper, loop_func, init_val, unroll=True):
        lower, upper = _bound("lower", lower), _bound("upper", upper)
        _check_function("ForiLoop", "loop_func", loop_func)
        _check_unroll("ForiLoop", unroll)
        value = init_val
        for i in range(lower, upper):
            value = loop_func(i, value)
        return value


class WhileLoop(Primitive):
    """Applies value = loop_func(value) while cond_func(value) is true; returns the last value.

    Raises TypeError for functions that cannot be called.
    """

    def __call__(self, cond_func, loop_func, init_val):
        _check_function("WhileLoop", "cond_func", cond_func)
        _check_function("WhileLoop", "loop_func", loop_func)
        value = init_val
        while cond_func(value):
            value = loop_func(value)
        return value


class Scan(Primitive):
    """Applies state, output = loop_func(state, x) to the slices of a Tensor or the items of a list; returns (last state, outputs).

    Where xs is None, loop_func gets None `length` times; with xs, `length` has no effect. Raises TypeError for a loop_func that cannot be
    called, for other types of xs and length, and for an unroll that is no bool, ValueError where both xs and length are None.
    """

    def __call__(self, loop_func, init, xs, length=None, unroll=True):
        _check_function("Scan", "loop_func", loop_func)
        _check_unroll("Scan", unroll)
        if length is not None and (isinstance(length, bool) or not isinstance(length, int)):
            raise TypeError("[Scan] length, got %s, expected an int or None" % type(length).__name__)
        state, outputs = init, []
        for item in self._items(xs, length):
            state, output = loop_func(state, item)
            outputs.append(output)
        return state, outputs

    def _items(self, xs, length):
        if isinstance(xs, _Tensor):
            return _k.unstack(xs, 0)
        if isinstance(xs, (tuple, list)):
            return xs
        if xs is not None:
            raise TypeError("[Scan] xs, got %s, expected a tuple, a list, a Tensor or None" % type(xs).__name__)
        if length is None:
            raise ValueError("[Scan] length, got None, expected an int where xs is None")
        return [None] * length


__all__ = ["ForiLoop", "WhileLoop", "Scan"]
