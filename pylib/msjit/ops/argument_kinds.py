"""Checks of the kinds of arguments that functions made of several kernels share.

Each raises TypeError under the name of the function that the program called. None reads the values of a Tensor, and an argument of the usual kind
costs one isinstance.
"""
from ..common.tensor import Tensor as _Tensor

_FACTORS = (_Tensor, int, float, complex)
_OPERANDS = _FACTORS + (list, tuple)
_LISTS = (tuple, list)
_NO_INDICES = _LISTS + (_Tensor,)


def is_index(value):
    """Whether the value is an int or an integer of NumPy."""
    return isinstance(value, int) or (not isinstance(value, _NO_INDICES) and _indexes(value))


def _indexes(value):
    return hasattr(type(value), "__index__") and getattr(value, "shape", ()) == ()


def check_index(value, where, what):
    """The value, when Python takes it as an index: an int or bool, an integer of NumPy or a Tensor without axes."""
    if not isinstance(value, int) and not _indexes(value):
        raise TypeError("[%s] %s, got %s, expected an int" % (where, what, type(value).__name__))
    return value


def check_real(value, where, what):
    """The value, when float() takes it as one number; no str."""
    if not isinstance(value, (float, int)) and not (hasattr(type(value), "__float__") and getattr(value, "size", 1) == 1):
        raise TypeError("[%s] %s, got %s, expected a number" % (where, what, type(value).__name__))
    return value


def check_factor(value, where, what):
    """The value, when a Tensor can be multiplied by it: a Tensor, a number or an array of NumPy."""
    if not isinstance(value, _FACTORS) and not hasattr(type(value), "__float__"):
        raise TypeError("[%s] %s, got %s, expected a Tensor or a number" % (where, what, type(value).__name__))
    return value


def check_operand(value, where, what):
    """The value, when it can be added to a Tensor: also a list or tuple of numbers."""
    if not isinstance(value, _OPERANDS) and not hasattr(type(value), "__float__"):
        raise TypeError("[%s] %s, got %s, expected a Tensor or a number" % (where, what, type(value).__name__))
    return value


def check_sized(value, where, what, wanted="a tuple or list of ints"):
    """The value, when it has a length and elements: a tuple, a list, an array or a Tensor; no text and no dict."""
    if not isinstance(value, _LISTS) and (isinstance(value, (str, bytes, dict)) or not hasattr(type(value), "__len__")):
        raise TypeError("[%s] %s, got %s, expected %s" % (where, what, type(value).__name__, wanted))
    return value


def check_iterable(value, where, what, wanted="a tuple or list of ints"):
    """The value, when one can go over its elements; no text and no dict."""
    if not isinstance(value, _LISTS) and (isinstance(value, (str, bytes, dict)) or not hasattr(type(value), "__iter__")):
        raise TypeError("[%s] %s, got %s, expected %s" % (where, what, type(value).__name__, wanted))
    return value


def check_pair(value, where, what):
    """The two numbers of a tuple, a list or an array, such as the padding before and after an axis."""
    if len(check_sized(value, where, what, "a pair of ints")) != 2:
        raise ValueError("[%s] %s, got %s, expected a pair of ints" % (where, what, value))
    return [check_real(size, where, what) for size in value]


def check_sizes(value, where, what="shape"):
    """The numbers of a Tensor or of a tuple or list as a tuple of ints."""
    values = value.tolist() if isinstance(value, _Tensor) else value
    return tuple([int(check_real(size, where, what)) for size in check_iterable(values, where, what)])


def check_seeds(where, *seeds):
    """Raises TypeError unless the seeds of a primitive are ints."""
    for seed in seeds:
        if not isinstance(seed, int):
            raise TypeError("[%s] seed, got %s, expected an int" % (where, type(seed).__name__))
