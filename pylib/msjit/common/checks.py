"""Checks of arguments that layers and primitives share."""
from .tensor import check_tensor


def int_tuple(value, count, where, what, least=1):
    """`count` ints of an int or a tuple of them."""
    values = (value,) * count if isinstance(value, int) and not isinstance(value, bool) else value
    if not isinstance(values, (tuple, list)) or len(values) != count:
        raise TypeError("[%s] %s must be an int or %d ints, got %r" % (where, what, count, value))
    for item in values:
        if isinstance(item, bool) or not isinstance(item, int):
            raise TypeError("[%s] %s must be ints, got %s" % (where, what, type(item).__name__))
        if item < least:
            raise ValueError("[%s] %s must be at least %d, got %d" % (where, what, least, item))
    return tuple(values)


def check_format(data_format, where, wanted="NCHW"):
    """Only channel-first layouts are built."""
    if data_format != wanted:
        raise ValueError("[%s] data_format, got %r, expected %r" % (where, data_format, wanted))


def check_same_shape(where, first, second, names):
    """Raises where two tensors differ in shape, or are none."""
    if check_tensor(first, where).shape != check_tensor(second, where).shape:
        raise ValueError("[%s] shape of %s, got %s, expected that of %s, %s"
                         % (where, names[1], second.shape, names[0], first.shape))


def refuse_others(where, keywords, harmless=()):
    """Raises on a keyword that is not supported and would change results. The `harmless` ones only change how results are computed."""
    for name, value in keywords.items():
        if value is not None and name not in harmless:
            raise NotImplementedError("[%s] keyword %s, got %r, expected it left out" % (where, name, value))


def check_count(value, where, what):
    """The value, when it is an int of 0 or more."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[%s] %s must be an int, got %s" % (where, what, type(value).__name__))
    if value < 0:
        raise ValueError("[%s] %s must not be negative, got %d" % (where, what, value))
    return value


def check_callable(fn, where):
    """Raises TypeError for a function to be transformed that cannot be called."""
    if not callable(fn):
        raise TypeError("[%s] fn must be callable, got %s" % (where, type(fn).__name__))


def check_bool(value, where, what):
    """The value, when it is a bool."""
    if not isinstance(value, bool):
        raise TypeError("[%s] %s must be a bool, got %s" % (where, what, type(value).__name__))
    return value


def check_number(value, where, what, types=(int, float)):
    """The value, when it is an int or a float and no bool."""
    if isinstance(value, bool) or not isinstance(value, types):
        raise TypeError("[%s] %s must be a number, got %s" % (where, what, type(value).__name__))
    return value


def check_int(value, where, what):
    """The value as an int, when it is one or another integer that Python takes as an index, such as one of NumPy; no bool."""
    if type(value) is int:
        return value
    if isinstance(value, bool) or not hasattr(type(value), "__index__") or getattr(value, "shape", ()) != ():
        raise TypeError("[%s] %s must be an int, got %s" % (where, what, type(value).__name__))
    return value.__index__()


def _place(at, count, where, what, error):
    """One of `count` places, counted from the first; -1 is the last."""
    at = check_int(at, where, what)
    if not -count <= at < count:
        wanted = "%d to %d" % (-count, count - 1) if count else "a tensor that has one"
        raise error("[%s] %s is out of range, got %d, expected %s" % (where, what, at, wanted))
    return at + count if at < 0 else at


def check_axis(axis, rank, where, what="axis"):
    """An axis of a tensor of `rank` axes, counted from the first. Raises ValueError where there is no such axis."""
    return _place(axis, rank, where, what, ValueError)


def check_position(index, size, where, what="index"):
    """The place of one among `size` elements, counted from the first. Raises IndexError where there is no such element."""
    return _place(index, size, where, what, IndexError)


def check_offset(value, where, what):
    """The value as an int, as check_int; a bool counts as 0 or 1, as in Python."""
    return int(value) if isinstance(value, bool) else check_int(value, where, what)


def check_sequence(value, where, what, expected="a tuple or a list"):
    """The value, when it has items: a tuple, a list, or another object to iterate over, but no text."""
    if not isinstance(value, (tuple, list)) and (isinstance(value, (str, bytes)) or not hasattr(type(value), "__iter__")):
        raise TypeError("[%s] %s, got %s, expected %s" % (where, what, type(value).__name__, expected))
    return value


def check_sizes(shape, where, what="shape"):
    """The sizes of a shape, which may be a single int, as a tuple."""
    return (shape,) if isinstance(shape, int) else tuple(check_sequence(shape, where, what, "an int, a tuple or a list"))


def check_real(value, where, what):
    """The value as a float: that of a number, a bool, a number of NumPy or a Tensor of one element."""
    if isinstance(value, (int, float)):
        return float(value)
    try:  # a text has a value for float(), but is no number
        return value.__float__()
    except (AttributeError, TypeError):
        raise TypeError("[%s] %s, got %s, expected a number" % (where, what, type(value).__name__)) from None


def check_operand(value, where, what):
    """The value, when it is a Tensor or a number, of Python or NumPy; operators take no complex numbers of Python."""
    if not isinstance(value, (int, float)) and (isinstance(value, complex) or not hasattr(type(value), "__float__")):
        raise TypeError("[%s] %s, got %s, expected a Tensor or a number" % (where, what, type(value).__name__))
    return value


def scaled(other, alpha, where, what="other"):
    """alpha times an operand. Both are Tensors or numbers: a list times 2 would be a longer list."""
    return check_operand(other, where, what) * check_operand(alpha, where, "alpha")


def check_numeric(value, where, what):
    """The value, when one can compute with it as with a number: an int, a float, a number of NumPy or a Tensor; no bool."""
    if isinstance(value, bool) or not hasattr(type(value), "__float__"):
        raise TypeError("[%s] %s must be a number, got %s" % (where, what, type(value).__name__))
    return value


def or_all_axes(axis):
    """The axes of a reduction: None, all of them, for an empty tuple or list."""
    return None if isinstance(axis, (tuple, list)) and not axis else axis
