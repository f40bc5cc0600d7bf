"""Functions of numbers, tuples, lists, dicts and strings. MindSpore's graphs need them instead of Python's operators."""
import math as _math

from ..common import dtype as _mstype
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
    """x + y of numbers"""
    _numbers("scalar_add", x, y)
    return x + y


def scalar_sub(x, y):
    """x - y of numbers"""
    _numbers("scalar_sub", x, y)
    return x - y


def scalar_mul(x, y):
    """x * y of numbers"""
    _numbers("scalar_mul", x, y)
    return x * y


def scalar_div(x, y):
    """x / y of numbers; ValueError where y is 0."""
    _numbers("scalar_div", x, y)
    _divisor("scalar_div", y)
    return x / y


def scalar_floordiv(x, y):
    """x // y of numbers; ValueError where y is 0."""
    _numbers("scalar_floordiv", x, y)
    _divisor("scalar_floordiv", y)
    return x // y


def scalar_mod(x, y):
    """x % y of numbers; ValueError where y is 0."""
    _numbers("scalar_mod", x, y)
    _divisor("scalar_mod", y)
    return x % y


def scalar_pow(x, y):
    """x ** y of numbers"""
    _numbers("scalar_pow", x, y)
    return x ** y


def scalar_max(x, y):
    """The greater of two numbers."""
    _numbers("scalar_max", x, y)
    return _k.maximum(x, y) if isinstance(x, _Tensor) or isinstance(y, _Tensor) else max(x, y)


def scalar_min(x, y):
    """The lesser of two numbers."""
    _numbers("scalar_min", x, y)
    return _k.minimum(x, y) if isinstance(x, _Tensor) or isinstance(y, _Tensor) else min(x, y)


def scalar_lt(x, y):
    """x < y of numbers"""
    _numbers("scalar_lt", x, y)
    return x < y


def scalar_le(x, y):
    """x <= y of numbers"""
    _numbers("scalar_le", x, y)
    return x <= y


def scalar_gt(x, y):
    """x > y of numbers"""
    _numbers("scalar_gt", x, y)
    return x > y


def scalar_ge(x, y):
    """x >= y of numbers"""
    _numbers("scalar_ge", x, y)
    return x >= y


def scalar_eq(x, y):
    """x == y of numbers"""
    _numbers("scalar_eq", x, y)
    return x == y


def scalar_ne(x, y):
    """x != y of numbers"""
    _numbers("scalar_ne", x, y)
    return x != y


def scalar_log(x):
    """The natural logarithm of a number."""
    _numbers("scalar_log", x)
    return _k.log(x) if isinstance(x, _Tensor) else _math.log(x)


def scalar_uadd(x):
    """+x of a number"""
    _numbers("scalar_uadd", x)
    return x


def scalar_usub(x):
    """-x of a number"""
    _numbers("scalar_usub", x)
    return -x


def bool_not(x):
    """not x"""
    return _k.logical_not(x) if isinstance(x, _Tensor) else not x


def bool_and(x, y):
    """x and y, of bools"""
    return _k.logical_and(x, y) if isinstance(x, _Tensor) else x and y


def bool_or(x, y):
    """x or y, of bools"""
    return _k.logical_or(x, y) if isinstance(x, _Tensor) else x or y


def bool_eq(x, y):
    """x == y of bools"""
    return x == y


def string_eq(x, y):
    """x == y of strings"""
    return x == y


def string_concat(x, y):
    """x + y of strings"""
    if not isinstance(x, str) or not isinstance(y, str):
        raise TypeError("[string_concat] operands, got %s and %s, expected strs" % (type(x).__name__, type(y).__name__))
    return x + y


def is_(x, y):
    """x is y"""
    return x is y


def is_not(x, y):
    """x is not y"""
    return x is not y


# -- containers --------------------------------------------------------------------------------------------------------


def _of(kind, where, value):
    if not isinstance(value, kind):
        raise TypeError("[%s] argument, got %s, expected a %s" % (where, type(value).__name__, kind.__name__))
    return value


def tuple_getitem(x, index):
    """x[index] of a tuple"""
    return _of(tuple, "tuple_getitem", x)[index]


def list_getitem(x, index):
    """x[index] of a list"""
    return _of(list, "list_getitem", x)[index]


def tuple_setitem(x, index, value):
    """A tuple with another item at a place."""
    items = list(_of(tuple, "tuple_setitem", x))
    items[index] = value
    return tuple(items)


def list_setitem(x, index, value):
    """A list with another item at a place; x itself stays."""
    items = list(_of(list, "list_setitem", x))
    items[index] = value
    return items


def dict_getitem(x, key):
    """x[key] of a dict"""
    return _of(dict, "dict_getitem", x)[key]


def dict_setitem(x, key, value):
    """A dict with another item at a key; x itself stays."""
    items = dict(_of(dict, "dict_setitem", x))
    items[key] = value
    return items


def tuple_len(x):
    """The number of items of a tuple."""
    return len(_of(tuple, "tuple_len", x))


def list_len(x):
    """The number of items of a list."""
    return len(_of(list, "list_len", x))


def tuple_reversed(x):
    """The items of a tuple, the last first."""
    return _of(tuple, "tuple_reversed", x)[::-1]


def tuple_equal(x, y):
    """x == y of tuples"""
    return _of(tuple, "tuple_equal", x) == _of(tuple, "tuple_equal", y)


def list_equal(x, y):
    """x == y of lists"""
    return _of(list, "list_equal", x) == _of(list, "list_equal", y)


def tuple_div(x, y):
    """The quotients of the items of two tuples of ints; RuntimeError where one is not whole."""
    _of(tuple, "tuple_div", x)
    for left, right in zip(x, _of(tuple, "tuple_div", y)):
        if right == 0 or left % right:
            raise RuntimeError("[tuple_div] items, got %s and %s, expected multiples" % (left, right))
    return tuple(left // right for left, right in zip(x, y))


def make_list(*items):
    """The arguments as a list."""
    return list(items)


def make_dict(keys, values):
    """The dict of a tuple of keys and one of values."""
    return dict(zip(keys, values))


def make_range(*bounds):
    """The numbers of range(*bounds) as a tuple."""
    return tuple(range(*bounds))


def make_slice(start, stop, step):
    """slice(start, stop, step)"""
    return slice(start, stop, step)


def in_dict(key, x):
    """Whether a dict has a key."""
    return key in _of(dict, "in_dict", x)


def not_in_dict(key, x):
    """Whether a dict has not a key."""
    return key not in _of(dict, "not_in_dict", x)


# -- shapes ------------------------------------------------------------------------------------------------------------


def shape_mul(input_data):
    """The product of a tuple of ints."""
    out = 1
    for size in _of(tuple, "shape_mul", input_data):
        out *= size
    return out


def reduced_shape(shape, axis):
    """A shape with the axes of a reduction set to 1; all of them where axis is ()."""
    axes = [axis] if isinstance(axis, int) else list(axis) or list(range(len(shape)))
    axes = [a % len(shape) for a in axes]
    return tuple(1 if i in axes else size for i, size in enumerate(shape))


def broadcast_gradient_args(x, y):
    """The axes over which gradients of the two operands of shapes x and y are summed after broadcasting."""
    rank = max(len(x), len(y))
    x, y = (1,) * (rank - len(x)) + tuple(x), (1,) * (rank - len(y)) + tuple(y)
    for a, b in zip(x, y):
        if a != b and 1 not in (a, b):
            raise ValueError("[broadcast_gradient_args] shapes, got %s and %s, expected ones that broadcast" % (x, y))
    return tuple(i for i in range(rank) if x[i] == 1 and y[i] != 1), tuple(i for i in range(rank) if y[i] == 1 and x[i] != 1)


def tensor_range(start, end, step):
    """arange of numbers or of Tensors of one element."""
    return _k.arange(*[value.item() if isinstance(value, _Tensor) else value for value in (start, end, step)],
                     _mstype.float32 if any(isinstance(v, float) for v in (start, end, step)) else _mstype.int64)


def scalar_to_array(input_x):
    """A number as a Tensor of no axes."""
    _numbers("scalar_to_array", input_x)
    return _Tensor(input_x)


def array_to_scalar(x):
    """The number in a Tensor of one element."""
    return x.item()


def isconstant(x):
    """True: outside of a graph all values are known."""
    return True


def is_sequence_shape_unknown(x):
    """False: outside of a graph all sizes are known."""
    return False


def is_sequence_value_unknown(x):
    """False: outside of a graph all values are known."""
    return False


def is_dynamic_sequence_element_unknown(x):
    """False: outside of a graph all items are known."""
    return False


def is_tensor_bool_cond(x):
    """Whether a condition is a Tensor of bools."""
    return isinstance(x, _Tensor) and x.dtype == _mstype.bool_


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
