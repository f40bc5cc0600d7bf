"""Functions of numbers, tuples, lists, dicts and strings. MindSpore's graphs need them instead of Python's operators."""
import math as _math

from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.tensor import Tensor as _Tensor
from . import registry as _k

_NUMBERS = (bool, int, float, _Tensor)


def _numbers(where, *values):
    for value in values:
        if not isinstance(value, _NUMBERS):
            raise TypeError("[%s] operand, got %s, expected a number" % (where, type(value).__name__))


def _divisor(where, y):
    if not isinstance(y, _Tensor) and y == 0:
        raise ValueError("[%s] divisor, got 0, expected another number" % where)


def scalar_add(x, y):
    """Adds two numbers: x + y."""
    _numbers("scalar_add", x, y)
    return x + y


def scalar_sub(x, y):
    """Subtracts two numbers: x - y."""
    _numbers("scalar_sub", x, y)
    return x - y


def scalar_mul(x, y):
    """Multiplies two numbers: x * y."""
    _numbers("scalar_mul", x, y)
    return x * y


def scalar_div(x, y):
    """Divides two numbers: x / y. Raises ValueError where y is 0."""
    _numbers("scalar_div", x, y)
    _divisor("scalar_div", y)
    return x / y


def scalar_floordiv(x, y):
    """Divides two numbers and rounds down: x // y. Raises ValueError where y is 0."""
    _numbers("scalar_floordiv", x, y)
    _divisor("scalar_floordiv", y)
    return x // y


def scalar_mod(x, y):
    """Computes the remainder of two numbers: x % y. Raises ValueError where y is 0."""
    _numbers("scalar_mod", x, y)
    _divisor("scalar_mod", y)
    return x % y


def scalar_pow(x, y):
    """Raises a number to a power: x ** y."""
    _numbers("scalar_pow", x, y)
    return x ** y


def scalar_max(x, y):
    """Returns the greater of two numbers."""
    _numbers("scalar_max", x, y)
    return _k.maximum(x, y) if isinstance(x, _Tensor) or isinstance(y, _Tensor) else max(x, y)


def scalar_min(x, y):
    """Returns the smaller of two numbers."""
    _numbers("scalar_min", x, y)
    return _k.minimum(x, y) if isinstance(x, _Tensor) or isinstance(y, _Tensor) else min(x, y)


def scalar_lt(x, y):
    """Compares two numbers: x < y."""
    _numbers("scalar_lt", x, y)
    return x < y


def scalar_le(x, y):
    """Compares two numbers: x <= y."""
    _numbers("scalar_le", x, y)
    return x <= y


def scalar_gt(x, y):
    """Compares two numbers: x > y."""
    _numbers("scalar_gt", x, y)
    return x > y


def scalar_ge(x, y):
    """Compares two numbers: x >= y."""
    _numbers("scalar_ge", x, y)
    return x >= y


def scalar_eq(x, y):
    """Compares two numbers: x == y."""
    _numbers("scalar_eq", x, y)
    return x == y


def scalar_ne(x, y):
    """Compares two numbers: x != y."""
    _numbers("scalar_ne", x, y)
    return x != y


def scalar_log(x):
    """Computes the natural logarithm of a number."""
    _numbers("scalar_log", x)
    return _k.log(x) if isinstance(x, _Tensor) else _math.log(x)


def scalar_uadd(x):
    """Returns the number itself: +x."""
    _numbers("scalar_uadd", x)
    return x


def scalar_usub(x):
    """Negates a number: -x."""
    _numbers("scalar_usub", x)
    return -x


def bool_not(x):
    """Negates a bool: not x."""
    return _k.logical_not(x) if isinstance(x, _Tensor) else not x


def bool_and(x, y):
    """Computes x and y, of bools."""
    return _k.logical_and(x, y) if isinstance(x, _Tensor) else x and y


def bool_or(x, y):
    """Computes x or y, of bools."""
    return _k.logical_or(x, y) if isinstance(x, _Tensor) else x or y


def bool_eq(x, y):
    """Compares two bools: x == y."""
    return x == y


def string_eq(x, y):
    """Compares two strings: x == y."""
    return x == y


def string_concat(x, y):
    """Joins two strings: x + y."""
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
        raise TypeError("[%s] argument, got %s, expected a %s" % (where, type(value).__name__, kind.__name__))
    return value


def tuple_getitem(x, index):
    """Returns x[index] of a tuple."""
    return _of(tuple, "tuple_getitem", x)[index]


def list_getitem(x, index):
    """Returns x[index] of a list."""
    return _of(list, "list_getitem", x)[index]


def tuple_setitem(x, index, value):
    """Returns a copy of a tuple with the item at an index replaced."""
    items = list(_of(tuple, "tuple_setitem", x))
    items[index] = value
    return tuple(items)


def list_setitem(x, index, value):
    """Returns a copy of a list with the item at an index replaced."""
    items = list(_of(list, "list_setitem", x))
    items[index] = value
    return items


def dict_getitem(x, key):
    """Returns x[key] of a dict."""
    return _of(dict, "dict_getitem", x)[key]


def dict_setitem(x, key, value):
    """Returns a copy of a dict with the item at a key set."""
    items = dict(_of(dict, "dict_setitem", x))
    items[key] = value
    return items


def tuple_len(x):
    """Returns the number of items of a tuple."""
    return len(_of(tuple, "tuple_len", x))


def list_len(x):
    """Returns the number of items of a list."""
    return len(_of(list, "list_len", x))


def tuple_reversed(x):
    """Returns a tuple in reverse order."""
    return _of(tuple, "tuple_reversed", x)[::-1]


def tuple_equal(x, y):
    """Compares two tuples: x == y."""
    return _of(tuple, "tuple_equal", x) == _of(tuple, "tuple_equal", y)


def list_equal(x, y):
    """Compares two lists: x == y."""
    return _of(list, "list_equal", x) == _of(list, "list_equal", y)


def tuple_div(x, y):
    """Divides two tuples of ints item by item; raises RuntimeError where a quotient is not whole."""
    _of(tuple, "tuple_div", x)
    for left, right in zip(x, _of(tuple, "tuple_div", y)):
        if right == 0 or left % right:
            raise RuntimeError("[tuple_div] items, got %s and %s, expected multiples" % (left, right))
    return tuple(left // right for left, right in zip(x, y))


def make_list(*items):
    """Returns the arguments as a list."""
    return list(items)


def make_dict(keys, values):
    """Builds a dict from a tuple of keys and a tuple of values."""
    return dict(zip(keys, values))


def make_range(*bounds):
    """Returns the numbers of range(*bounds) as a tuple."""
    return tuple(range(*bounds))


def make_slice(start, stop, step):
    """Builds a Python slice from start, stop and step."""
    return slice(start, stop, step)


def in_dict(key, x):
    """Says whether a dict has a key."""
    return key in _of(dict, "in_dict", x)


def not_in_dict(key, x):
    """Says whether a dict lacks a key."""
    return key not in _of(dict, "not_in_dict", x)


# -- shapes ------------------------------------------------------------------------------------------------------------


def shape_mul(input_data):
    """Multiplies the ints of a tuple."""
    out = 1
    for size in _of(tuple, "shape_mul", input_data):
        out *= size
    return out


def reduced_shape(shape, axis):
    """Returns the shape after a reduction with keepdims: the reduced axes have size 1. () means all axes."""
    axes = [axis] if isinstance(axis, int) else list(axis) or list(range(len(shape)))
    axes = [_check_axis(a, len(shape), "reduced_shape") for a in axes]
    return tuple(1 if i in axes else size for i, size in enumerate(shape))


def broadcast_gradient_args(x, y):
    """Returns, for the shapes of two operands that broadcast, the axes over which each one's gradient must be summed."""
    rank = max(len(x), len(y))
    x, y = (1,) * (rank - len(x)) + tuple(x), (1,) * (rank - len(y)) + tuple(y)
    for a, b in zip(x, y):
        if a != b and 1 not in (a, b):
            raise ValueError("[broadcast_gradient_args] shapes, got %s and %s, expected ones that broadcast" % (x, y))
    return tuple(i for i in range(rank) if x[i] == 1 and y[i] != 1), tuple(i for i in range(rank) if y[i] == 1 and x[i] != 1)


def tensor_range(start, end, step):
    """Creates a vector as arange, from numbers or Tensors of one element."""
    return _k.arange(*[value.item() if isinstance(value, _Tensor) else value for value in (start, end, step)],
                     _mstype.float32 if any(isinstance(v, float) for v in (start, end, step)) else _mstype.int64)


def scalar_to_array(input_x):
    """Converts a number to a Tensor without axes."""
    _numbers("scalar_to_array", input_x)
    return _Tensor(input_x)


def array_to_scalar(x):
    """Returns the number in a Tensor of one element."""
    return x.item()


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
    """Says whether a condition is a Tensor of bools."""
    return isinstance(x, _Tensor) and x.dtype == _mstype.bool_


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
