"""Functions of numbers, tuples, lists, dicts and strings. MindSpore's graphs need them instead of Python's operators."""
import math as _math

from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .operands import check_index as _check_index
from .operands import check_items as _check_items
from .operands import item as _item

_NUMBERS = (bool, int, float, _Tensor)


def _numbers(where, *values):
    for value in values:
        if not isinstance(value, _NUMBERS):
            raise TypeError("[%s] operand, got %s, expected a number" % (where, type(value).__name__))


def _divisor(where, y):
    if not isinstance(y, _Tensor) and y == 0:
        raise ValueError("[%s] divisor, got 0, expected another number" % where)


def scalar_add(x, y):
    """Adds two numbers: x + y. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_add", x, y)
    return x + y


def scalar_sub(x, y):
    """Subtracts two numbers: x - y. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_sub", x, y)
    return x - y


def scalar_mul(x, y):
    """Multiplies two numbers: x * y. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_mul", x, y)
    return x * y


def scalar_div(x, y):
    """Divides two numbers: x / y. Raises ValueError where y is 0, TypeError for anything but numbers and Tensors."""
    _numbers("scalar_div", x, y)
    _divisor("scalar_div", y)
    return x / y


def scalar_floordiv(x, y):
    """Divides two numbers and rounds down: x // y. Raises ValueError where y is 0, TypeError for anything but numbers and Tensors."""
    _numbers("scalar_floordiv", x, y)
    _divisor("scalar_floordiv", y)
    return x // y


def scalar_mod(x, y):
    """Computes the remainder of two numbers, with the sign of y: x % y. Raises ValueError where y is 0, TypeError for anything but numbers and
    Tensors.
    """
    _numbers("scalar_mod", x, y)
    _divisor("scalar_mod", y)
    return x % y


def scalar_pow(x, y):
    """Raises a number to a power: x ** y. Raises ValueError for a negative power of 0, TypeError for anything but numbers and Tensors."""
    _numbers("scalar_pow", x, y)
    if not isinstance(x, _Tensor) and x == 0 and not isinstance(y, _Tensor) and y < 0:
        raise ValueError("[scalar_pow] x, got 0, expected another number for the power %s" % (y,))
    return x ** y


def scalar_max(x, y):
    """Returns the greater of two numbers; with a Tensor among them a Tensor. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_max", x, y)
    return _k.maximum(x, y) if isinstance(x, _Tensor) or isinstance(y, _Tensor) else max(x, y)


def scalar_min(x, y):
    """Returns the smaller of two numbers; with a Tensor among them a Tensor. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_min", x, y)
    return _k.minimum(x, y) if isinstance(x, _Tensor) or isinstance(y, _Tensor) else min(x, y)


def scalar_lt(x, y):
    """Compares two numbers: x < y. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_lt", x, y)
    return x < y


def scalar_le(x, y):
    """Compares two numbers: x <= y. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_le", x, y)
    return x <= y


def scalar_gt(x, y):
    """Compares two numbers: x > y. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_gt", x, y)
    return x > y


def scalar_ge(x, y):
    """Compares two numbers: x >= y. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_ge", x, y)
    return x >= y


def scalar_eq(x, y):
    """Compares two numbers: x == y. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_eq", x, y)
    return x == y


def scalar_ne(x, y):
    """Compares two numbers: x != y. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_ne", x, y)
    return x != y


def _logarithm(x):
    if not x > 0:
        raise ValueError("[scalar_log] x, got %s, expected a number above 0" % (x,))
    return _math.log(x)


def scalar_log(x):
    """Computes the natural logarithm of a number, a float, or of a Tensor. Raises ValueError for a number that is not positive, TypeError for
    others.
    """
    _numbers("scalar_log", x)
    return _k.log(x) if isinstance(x, _Tensor) else _logarithm(x)


def scalar_uadd(x):
    """Returns the number itself: +x. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_uadd", x)
    return x


def scalar_usub(x):
    """Negates a number: -x. Raises TypeError for anything but numbers and Tensors."""
    _numbers("scalar_usub", x)
    return -x


def bool_not(x):
    """Negates a bool: not x; of a Tensor, element by element."""
    return _k.logical_not(x) if isinstance(x, _Tensor) else not x


def bool_and(x, y):
    """Computes x and y, of bools; of Tensors, element by element."""
    return _k.logical_and(x, y) if isinstance(x, _Tensor) else x and y


def bool_or(x, y):
    """Computes x or y, of bools; of Tensors, element by element."""
    return _k.logical_or(x, y) if isinstance(x, _Tensor) else x or y


def bool_eq(x, y):
    """Compares two bools: x == y."""
    return x == y


def string_eq(x, y):
    """Compares two strings: x == y."""
    return x == y


def string_concat(x, y):
    """Joins two strings: x + y. Raises TypeError for anything but strings."""
    if not isinstance(x, str) or not isinstance(y, str):
        raise TypeError("[string_concat] operands, got %s and %s, expected strs" % (type(x).__name__, type(y).__name__))
    return x + y


def is_(x, y):
    """Says whether x is y, the same object."""
    return x is y


def is_not(x, y):
    """Says whether x is not y, the same object."""
    return x is not y


# -- containers --------------------------------------------------------------------------------------------------------


def _of(kind, where, value):
    if not isinstance(value, kind):
        wanted = "tuple or list" if isinstance(kind, tuple) else kind.__name__
        raise TypeError("[%s] argument, got %s, expected a %s" % (where, type(value).__name__, wanted))
    return value


def _replaced(where, items, index, value):
    _item(where, items, index)  # for its errors
    items[index] = value
    return items


def tuple_getitem(x, index):
    """Returns x[index] of a tuple, an item or, for a slice, a tuple. Raises IndexError outside, TypeError for anything but a tuple."""
    return _item("tuple_getitem", _of(tuple, "tuple_getitem", x), index)


def list_getitem(x, index):
    """Returns x[index] of a list, an item or, for a slice, a list. Raises IndexError outside, TypeError for anything but a list."""
    return _item("list_getitem", _of(list, "list_getitem", x), index)


def tuple_setitem(x, index, value):
    """Returns a copy of a tuple with the item at an index replaced. Raises IndexError outside, TypeError for anything but a tuple."""
    return tuple(_replaced("tuple_setitem", list(_of(tuple, "tuple_setitem", x)), index, value))


def list_setitem(x, index, value):
    """Returns a copy of a list with the item at an index replaced. Raises IndexError outside, TypeError for anything but a list."""
    return _replaced("list_setitem", list(_of(list, "list_setitem", x)), index, value)


def dict_getitem(x, key):
    """Returns x[key] of a dict. Raises KeyError for a key that is missing, TypeError for anything but a dict."""
    return _of(dict, "dict_getitem", x)[key]


def dict_setitem(x, key, value):
    """Returns a copy of a dict with the item at a key set. Raises TypeError for anything but a dict."""
    items = dict(_of(dict, "dict_setitem", x))
    items[key] = value
    return items


def tuple_len(x):
    """Returns the number of items of a tuple, an int. Raises TypeError for anything else."""
    return len(_of(tuple, "tuple_len", x))


def list_len(x):
    """Returns the number of items of a list, an int. Raises TypeError for anything else."""
    return len(_of(list, "list_len", x))


def tuple_reversed(x):
    """Returns a tuple with the items in reverse order. Raises TypeError for anything but a tuple."""
    return _of(tuple, "tuple_reversed", x)[::-1]


def tuple_equal(x, y):
    """Compares two tuples: x == y, a bool. Raises TypeError for anything else."""
    return _of(tuple, "tuple_equal", x) == _of(tuple, "tuple_equal", y)


def list_equal(x, y):
    """Compares two lists: x == y, a bool. Raises TypeError for anything else."""
    return _of(list, "list_equal", x) == _of(list, "list_equal", y)


def tuple_div(x, y):
    """Divides two tuples of ints of one length item by item, and returns a tuple.

    Raises RuntimeError for another length and where a quotient is not whole, TypeError for anything but tuples of ints.
    """
    if len(_of(tuple, "tuple_div", x)) != len(_of(tuple, "tuple_div", y)):
        raise RuntimeError("[tuple_div] lengths, got %d and %d, expected the same" % (len(x), len(y)))
    for left, right in zip(x, y):
        if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
            raise TypeError("[tuple_div] items, got %s and %s, expected ints" % (type(left).__name__, type(right).__name__))
        if right == 0 or left % right:
            raise RuntimeError("[tuple_div] items, got %s and %s, expected multiples" % (left, right))
    return tuple(left // right for left, right in zip(x, y))


def make_list(*items):
    """Returns the arguments as a list."""
    return list(items)


def make_dict(keys, values):
    """Builds a dict from a tuple of keys and a tuple of values, paired in order; what the longer one has more is left out.

    Raises TypeError for keys or values that are no tuples or lists.
    """
    _check_items(keys, "make_dict", "keys", "keys"), _check_items(values, "make_dict", "values", "values")
    return dict(zip(keys, values))


def make_range(*bounds):
    """Returns the numbers of range(stop), range(start, stop) or range(start, stop, step) as a tuple. Raises TypeError for bounds that are no ints."""
    if not 1 <= len(bounds) <= 3:
        raise TypeError("[make_range] number of bounds, got %d, expected 1 to 3" % len(bounds))
    return tuple(range(*[_check_index(bound, "make_range", "bound") for bound in bounds]))


def make_slice(start, stop, step):
    """Builds a Python slice from start, stop and step."""
    return slice(start, stop, step)


def in_dict(key, x):
    """Says whether a dict has a key. Raises TypeError for anything but a dict."""
    return key in _of(dict, "in_dict", x)


def not_in_dict(key, x):
    """Says whether a dict lacks a key. Raises TypeError for anything but a dict."""
    return key not in _of(dict, "not_in_dict", x)


# -- shapes ------------------------------------------------------------------------------------------------------------


def shape_mul(input_data):
    """Multiplies the ints of a tuple; 1 for an empty one. Raises TypeError for anything but a tuple."""
    out = 1
    for size in _of(tuple, "shape_mul", input_data):
        out *= size
    return out


def reduced_shape(shape, axis):
    """Returns the shape, a tuple, after a reduction with keepdims: the reduced axes have size 1. axis is an int or a tuple of ints; () means all.

    Raises ValueError for an axis outside the shape, TypeError for anything but a shape and axes.
    """
    _of((tuple, list), "reduced_shape", shape)
    axes = [axis] if isinstance(axis, int) else list(_check_items(axis, "reduced_shape", "axis", "ints")) or list(range(len(shape)))
    axes = [_check_axis(a, len(shape), "reduced_shape") for a in axes]
    return tuple(1 if i in axes else size for i, size in enumerate(shape))


def broadcast_gradient_args(x, y):
    """Returns, for the shapes of two operands that broadcast, the axes over which each one's gradient must be summed: two tuples.

    Axes count in the shape of the result. Raises ValueError for shapes that do not broadcast, TypeError for anything but tuples and lists.
    """
    _of((tuple, list), "broadcast_gradient_args", x), _of((tuple, list), "broadcast_gradient_args", y)
    rank = max(len(x), len(y))
    x, y = (1,) * (rank - len(x)) + tuple(x), (1,) * (rank - len(y)) + tuple(y)
    for a, b in zip(x, y):
        if a != b and 1 not in (a, b):
            raise ValueError("[broadcast_gradient_args] shapes, got %s and %s, expected ones that broadcast" % (x, y))
    return tuple(i for i in range(rank) if x[i] == 1 and y[i] != 1), tuple(i for i in range(rank) if y[i] == 1 and x[i] != 1)


def tensor_range(start, end, step):
    """Creates a vector start, start + step, ... below end, as arange, from numbers or Tensors of one element: float32 for a float among them, else
    int64.

    Raises ValueError for a step of 0 and for one that leads away from end.
    """
    return _k.arange(*[value.item() if isinstance(value, _Tensor) else value for value in (start, end, step)],
                     _mstype.float32 if any(isinstance(v, float) for v in (start, end, step)) else _mstype.int64)


def scalar_to_array(input_x):
    """Converts a number to a Tensor without axes: an int to int64, a float to float32, a bool to bool. Raises TypeError for anything else."""
    _numbers("scalar_to_array", input_x)
    return _Tensor(input_x)


def array_to_scalar(x):
    """Returns the number in a Tensor of one element; a graph ends before it. Raises ValueError for other numbers of elements, TypeError for anything
    but a Tensor.
    """
    return _check(x, "array_to_scalar").item()


def isconstant(x):
    """Returns True: outside a MindSpore graph all values are known."""
    return True


def is_sequence_shape_unknown(x):
    """Returns False: outside a MindSpore graph all sizes are known."""
    return False


def is_sequence_value_unknown(x):
    """Returns False: outside a MindSpore graph all values are known."""
    return False


def is_dynamic_sequence_element_unknown(x):
    """Returns False: outside a MindSpore graph all items are known."""
    return False


def is_tensor_bool_cond(x):
    """Says whether a condition is a Tensor of dtype bool; False for a Python bool."""
    return isinstance(x, _Tensor) and x.dtype == _mstype.bool_


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
