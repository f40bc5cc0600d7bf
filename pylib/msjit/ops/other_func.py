"""Assignment, type conversion, printing and other functions that do not compute."""
from functools import partial

from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor, is_tensor
from . import registry as _k
from .variable_writes import write as _write


def cast(input, dtype):
    """Converts a tensor to a dtype, in the same shape; a Python number becomes a Tensor without axes.

    Floats become integers by dropping the fraction. Gradients are converted back.
    """
    if isinstance(input, (bool, int, float)):
        return _Tensor(input, dtype)
    return _k.cast(input, dtype)


def dtype(x):
    """Returns the dtype of a tensor, such as mindspore.float32. Raises TypeError for anything but a Tensor."""
    return check_tensor(x, "dtype").dtype


def typeof(x):
    """The type of a value: a TensorType for a tensor of any shape, the dtype float32 for a float, int64 for an int, bool_ for a bool.

    Other objects have the type that mindspore.get_py_obj_dtype gives; NotImplementedError is raised for those without one.
    """
    return _mstype.float32 if isinstance(x, float) else _mstype.get_py_obj_dtype(x)


# How wide a dtype is: assignment converts a value to a wider dtype, as arithmetic does, but never to a narrower one.
_WIDTH = {_mstype.bool_: 0, _mstype.uint8: 1, _mstype.int8: 1, _mstype.int16: 2, _mstype.int32: 3, _mstype.int64: 4,
          _mstype.float16: 5, _mstype.bfloat16: 5, _mstype.float32: 6, _mstype.float64: 7, _mstype.complex64: 8, _mstype.complex128: 9}
_NONE = -1, 10  # the width of uint16, uint32 and uint64 as the variable's dtype and as the value's: as in MindSpore, they are not converted


def _fits(where, variable, value):
    """Raises unless the value has the variable's shape and a dtype that the variable's can hold; Python numbers fit any shape."""
    is_tensor_value = isinstance(value, _Tensor)
    if not isinstance(variable, _Tensor) or not (is_tensor_value or isinstance(value, (bool, int, float))):
        raise TypeError("[%s] operands, got %s and %s, expected a Parameter and a Tensor or a number"
                        % (where, type(variable).__name__, type(value).__name__))
    if is_tensor_value:
        fits = value.dtype == variable.dtype or _WIDTH.get(value.dtype, _NONE[1]) < _WIDTH.get(variable.dtype, _NONE[0])
    else:
        least = 5 if isinstance(value, float) else 0 if isinstance(value, bool) else 1
        fits = _WIDTH.get(variable.dtype, _NONE[0]) >= least
    if not fits:
        raise TypeError("[%s] value has a dtype that cannot be converted, got %s, expected %s"
                        % (where, value.dtype if is_tensor_value else type(value).__name__, variable.dtype))
    if is_tensor_value and value.shape != variable.shape:
        raise ValueError("[%s] value has a wrong shape, got %s, expected %s"
                         % (where, tuple(value.shape), tuple(variable.shape)))


def _written(variable):
    """The result of an operator that has written to a variable: for a Parameter its new values as a Tensor, as in MindSpore.

    They are a copy, because a graph must not return memory that it writes to.
    """
    return variable if type(variable) is _Tensor else _k.copy(variable)


def assign(variable, value):
    """Copies a Tensor of the same shape, or a number for all elements, into a Parameter in place; returns its new values as a Tensor.

    A narrower dtype is converted. Raises ValueError for another shape, TypeError for a value of a wider dtype and for anything but a Tensor or
    number.
    """
    _fits("assign", variable, value)
    _write(_k.assign, variable, value)
    return _written(variable)


def _moved(variable, value, in_place, combined):
    """Writes the sum or difference to a variable. For a Parameter its new values are a Tensor, whose gradient reaches a Tensor `value` too."""
    if type(variable) is _Tensor or not isinstance(value, _Tensor):
        _write(in_place, variable, value)
        return _written(variable)
    made = combined(variable, value if value.dtype == variable.dtype else _k.cast(value, variable.dtype))
    _write(_k.assign, variable, made)
    return made


def assign_add(variable, value):
    """Adds a Tensor of the same shape, or a number, to a Parameter in place; returns its new values as a Tensor.

    Raises ValueError for another shape, TypeError for a value of a wider dtype.
    """
    _fits("assign_add", variable, value)
    return _moved(variable, value, _k.assign_add, _k.add)


def assign_sub(variable, value):
    """Subtracts a Tensor of the same shape, or a number, from a Parameter in place; returns its new values as a Tensor.

    Raises ValueError for another shape, TypeError for a value of a wider dtype.
    """
    _fits("assign_sub", variable, value)
    return _moved(variable, value, _k.assign_sub, _k.sub)


def print_(*inputs):
    """Prints each input on its own line, Tensors with shape and dtype."""
    for item in inputs:
        print(repr(item) if isinstance(item, _Tensor) else item)


def mixed_precision_cast(dst_dtype, x):
    """Converts float Tensors to dst_dtype, also those inside tuples, lists and dicts; other values stay."""
    if isinstance(x, (tuple, list)):
        return type(x)([mixed_precision_cast(dst_dtype, item) for item in x])
    if isinstance(x, dict):
        return {key: mixed_precision_cast(dst_dtype, item) for key, item in x.items()}
    is_float = isinstance(x, _Tensor) and x.dtype in _mstype.float_type
    return _k.cast(x, dst_dtype) if is_float else x


def depend(value, expr):
    """Returns `value`; MindSpore uses it to order calls, and here they already happen in program order."""
    return value


def scalar_to_tensor(input_x, dtype=_mstype.float32):
    """Converts a number to a Tensor, float32 by default. Raises TypeError for anything but a bool, int or float."""
    if isinstance(input_x, complex):
        raise TypeError("[scalar_to_tensor] input_x, got complex, expected a bool, int or float")
    return _Tensor(input_x, dtype)


def scalar_cast(input_x, input_y):
    """Converts a number to another dtype and returns a Python number."""
    return _Tensor(input_x, input_y).item()


def tuple_to_array(input_x):
    """Converts a tuple of numbers, or a range, to a Tensor of shape (n,): float32 where one is a float, else int32. Raises TypeError
    for anything else."""
    if not isinstance(input_x, (tuple, range)):
        raise TypeError("[tuple_to_array] argument, got %s, expected a tuple or a range" % type(input_x).__name__)
    floats = any(isinstance(x, float) for x in input_x)
    return _Tensor(list(input_x), _mstype.float32 if floats else _mstype.int32)


def make_tuple(*items):
    """Returns the arguments as a tuple; without arguments ()."""
    return items


def tensor_slice(input, begin, size):
    """Returns size[i] elements from index begin[i] on along every axis i, as slice."""
    from .array_func import slice as slice_
    return slice_(input, begin, size)


def stop_gradient(value):
    """Returns the same elements as a tensor through which no gradient flows; tuples, lists and dicts item by item, other values as they are."""
    if isinstance(value, _Tensor):
        return _k.stop_gradient(value)
    if isinstance(value, dict):
        return type(value)((key, stop_gradient(item)) for key, item in value.items())
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[stop_gradient(item) for item in value])
    if isinstance(value, (tuple, list)):
        return type(value)([stop_gradient(item) for item in value])
    return value


__all__ = ["stop_gradient", "cast", "dtype", "typeof", "assign", "assign_add", "assign_sub", "print_", "depend", "mixed_precision_cast",
           "scalar_to_tensor",
           "scalar_cast", "tuple_to_array", "make_tuple", "tensor_slice", "is_tensor", "partial"]
