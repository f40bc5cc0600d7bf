"""The functions that stand for Python's operators in MindSpore's graphs (ops.composite.multitype_ops).

Each is a MultitypeFuncGraph: a definition that a program registers goes first, and what none fits is left to the operator itself,
which chooses by the types as Python does. Operators of captured functions are Python's and do not ask here.
"""
import operator as _operator

from .. import _paths
from ..common.tensor import Tensor as _Tensor
from .composite import (  # noqa: F401
    MultitypeFuncGraph,
    _is_a,
    augassign_add,
    augassign_div,
    augassign_floordiv,
    augassign_mod,
    augassign_mul,
    augassign_sub,
)
from .function import ones_like, zeros_like


class OperatorGraph(MultitypeFuncGraph):
    """A function with definitions for combinations of types, and an operator for all others.

    >>> from msjit.ops import multitype_ops
    >>> multitype_ops.add(1, 2), multitype_ops.add([1], [2])
    (3, [1, 2])
    """

    def __init__(self, name, operation, read_value=True):
        super().__init__(name, read_value)
        self._operation = operation

    def __call__(self, *args):
        for names, fn in self.entries:
            if len(names) == len(args) and all(_is_a(a, n) for a, n in zip(args, names)):
                return fn(*args)
        return self._operation(*args)


def _set(data, index, value):
    data[index] = value
    return data


def _both(x, y):
    from . import registry
    return registry.logical_and(x, y) if isinstance(x, _Tensor) and isinstance(y, _Tensor) else x and y


def _either(x, y):
    from . import registry
    return registry.logical_or(x, y) if isinstance(x, _Tensor) and isinstance(y, _Tensor) else x or y


def _negated(x):
    from . import registry
    return registry.logical_not(x) if isinstance(x, _Tensor) else not x


_OPERATIONS = {
    "add": _operator.add, "sub": _operator.sub, "mul": _operator.mul, "div": _operator.truediv, "pow_": _operator.pow,
    "floordiv": _operator.floordiv, "mod": _operator.mod, "uadd": _operator.pos, "negative": _operator.neg,
    "equal": _operator.eq, "not_equal": _operator.ne, "less": _operator.lt, "less_equal": _operator.le,
    "greater": _operator.gt, "greater_equal": _operator.ge, "getitem": _operator.getitem, "setitem": _set,
    "logical_and": _both, "logical_or": _either, "logical_not": _negated, "bitwise_and": _operator.and_,
    "bitwise_or": _operator.or_, "bitwise_xor": _operator.xor, "left_shift": _operator.lshift,
    "right_shift": _operator.rshift, "invert": _operator.invert,
    "in_": lambda x, y: x in y, "not_in_": lambda x, y: x not in y,
}
globals().update((name, OperatorGraph(name.rstrip("_"), operation)) for name, operation in _OPERATIONS.items())
__all__ = [*_OPERATIONS, "zeros_like", "ones_like", "augassign_add", "augassign_div", "augassign_floordiv", "augassign_mod",
           "augassign_mul", "augassign_sub"]
__path__ = _paths.extend([])  # a package in MindSpore: alias.py finds what programs import from below it
