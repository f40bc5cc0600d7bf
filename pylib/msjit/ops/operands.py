"""Errors about arguments of another kind, in functions that hand their arguments to Python's own operators and functions.

Python's errors do not name the function that the program called. A function whose good path needs no check explains them afterwards, which costs
nothing while there is no error:

    try:
        return input + weight * (end - input)
    except ERRORS as error:
        blame(error, "lerp", input=input, end=end, weight=weight)
        raise
"""
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor

# What the text of an error of Python says, and what the function expected instead of that argument.
_EXPECTED = (
    ("unsupported operand", "a Tensor or a number"), ("can't multiply sequence", "a Tensor or a number"),
    ("can only concatenate", "a Tensor or a number"), ("bad operand type", "a Tensor or a number"), ("not supported between", "a number"),
    ("float() argument", "a number"), ("int() argument", "an int"), ("as an integer", "an int"), ("indices must be", "an int"),
    ("is not iterable", "a tuple or list"), ("must be an iterable", "a tuple or list"), ("has no len()", "a tuple or list"),
    ("is not subscriptable", "a tuple or list"),
)


def _expected(error, text):
    """What a function expected where Python raised an error with this text; None for errors of other causes."""
    if isinstance(error, AttributeError):
        return "a Tensor" if hasattr(_Tensor, text.rpartition("attribute ")[2].strip("'")) else None
    return next((wanted for part, wanted in _EXPECTED if part in text), None)


def _shown(kind):
    """The ways in which Python's errors name a type."""
    return {"'%s'" % kind.__name__, "'%s.%s'" % (kind.__module__, kind.__name__), "not %s" % kind.__name__, "concatenate %s " % kind.__name__}


def is_ours(error):
    """Says whether an error was raised in a module of this package, and not in a function of the program that was called from there."""
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_globals.get("__name__", "").partition(".")[0] == __name__.partition(".")[0]


def blame(error, where, **arguments):
    """Raises TypeError for the first argument whose type an error of Python's own names. Otherwise the error gets the name `where`, as by rename.

    An error of the program's own functions stays as it is.
    """
    blame_among(error, where, arguments)


def blame_among(error, where, arguments):
    """As blame, with the arguments in a dict."""
    text = str(error)
    wanted = None if text[:1] == "[" or not is_ours(error) else _expected(error, text)
    if wanted is not None:
        sequence = (tuple, list, str, bytes) if text.startswith("can't multiply sequence") else ()  # the text names the type of the other operand
        for name, value in arguments.items():
            if isinstance(value, sequence) or (not isinstance(value, _Tensor) and any(shown in text for shown in _shown(type(value)))):
                raise TypeError("[%s] %s, got %s, expected %s" % (where, name, type(value).__name__, wanted)) from None
    _rename(error, where)


def check_operand(value, where, what):
    """The value, when it is a Tensor or one can compute with it as with a number; bools and arrays of NumPy are such values too."""
    if not isinstance(value, _Tensor) and (isinstance(value, complex) or not hasattr(type(value), "__float__")):
        raise TypeError("[%s] %s, got %s, expected a Tensor or a number" % (where, what, type(value).__name__))
    return value


def check_items(value, where, what, items="Tensors"):
    """The value, when one can iterate over it, as over a tuple or a list of `items`."""
    if not isinstance(value, (tuple, list)) and not hasattr(type(value), "__iter__"):
        raise TypeError("[%s] %s, got %s, expected a tuple or list of %s" % (where, what, type(value).__name__, items))
    return value


def check_index(value, where, what):
    """The value, when Python takes it as an index: an int, an integer of NumPy or a Tensor of one integer."""
    if not hasattr(type(value), "__index__"):
        raise TypeError("[%s] %s, got %s, expected an int" % (where, what, type(value).__name__))
    return value


def item(where, x, index):
    """x[index] of a tuple or list. Raises IndexError outside, TypeError for anything but an int or a slice."""
    try:
        return x[index]
    except IndexError:
        raise IndexError("[%s] index, got %s, expected %d to %d" % (where, index, -len(x), len(x) - 1)) from None
    except TypeError:
        raise TypeError("[%s] index, got %s, expected an int or a slice" % (where, type(index).__name__)) from None


def whole(value, where, what):
    """The value as an int, as int() converts it. Raises TypeError for texts and for what it does not convert, ValueError for NaN and infinity."""
    if type(value) is int:
        return value
    if isinstance(value, (str, bytes, complex)) or not (hasattr(type(value), "__int__") or hasattr(type(value), "__index__")):
        raise TypeError("[%s] %s, got %s, expected an int" % (where, what, type(value).__name__))
    try:
        return int(value)
    except (TypeError, ValueError, OverflowError) as error:
        if str(error)[:1] == "[":  # a Tensor with several elements
            raise
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind("[%s] %s, got %s, expected an int" % (where, what, value)) from None
