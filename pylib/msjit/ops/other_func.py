"""Assignment, types, printing and other functions that are no mathematics."""
from functools import partial

from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import is_tensor
from . import registry as _k


def cast(input, dtype):
    """Converts the element type; a number becomes a Tensor."""
    if isinstance(input, (bool, int, float)):
        return _Tensor(input, dtype)
    return _k.cast(input, dtype)


def dtype(input_x):
    """The element type."""
    return input_x.dtype


typeof = dtype


def assign(variable, value):
    """Copies values into a Parameter; returns it."""
    _k.assign(variable, value)
    return variable


def assign_add(variable, value):
    """Adds to a Parameter in place; returns it."""
    _k.assign_add(variable, value)
    return variable


def assign_sub(variable, value):
    """Subtracts from a Parameter in place; returns it."""
    _k.assign_sub(variable, value)
    return variable


def print_(*inputs):
    """print, as a function of the graph in MindSpore."""
    print(*inputs)


def depend(value, expr):
    """`value`; calls already happen in program order."""
    return value


def scalar_to_tensor(input_x, dtype=_mstype.float32):
    """A number as a Tensor."""
    return _Tensor(input_x, dtype)


def scalar_cast(input_x, input_y):
    """A number converted to another type."""
    return _Tensor(input_x, input_y).item()


def tuple_to_array(input_x):
    """A tuple of numbers as a Tensor."""
    return _Tensor(list(input_x))


def make_tuple(*items):
    """The arguments as a tuple."""
    return items


def tensor_slice(input_x, begin, size):
    """As slice."""
    from .array_func import slice as slice_
    return slice_(input_x, begin, size)




__all__ = ["cast", "dtype", "typeof", "assign", "assign_add", "assign_sub", "print_", "depend", "scalar_to_tensor",
           "scalar_cast", "tuple_to_array", "make_tuple", "tensor_slice", "is_tensor", "partial"]
