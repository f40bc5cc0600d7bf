"""Checks of arguments under MindSpore's names, which packages written for it import."""
import numbers

from .common.tensor import Tensor

INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = (False, False), (True, False), (False, True), (True, True)
_SIDES = {"eq": (lambda a, b: a == b, "equal to"), "ne": (lambda a, b: a != b, "not equal to"), "lt": (lambda a, b: a < b, "below"),
          "le": (lambda a, b: a <= b, "at most"), "gt": (lambda a, b: a > b, "above"), "ge": (lambda a, b: a >= b, "at least")}
EQ, NE, LT, LE, GT, GE = _SIDES
IN = "in"


def _where(arg_name, prim_name):
    return "[%s] %s" % (prim_name or "check", arg_name or "the value")


def check_value_type(arg_name, arg_value, valid_types, prim_name=None):
    """The value, where it is of one of the types; a bool is no number."""
    types = tuple(valid_types) if isinstance(valid_types, (list, tuple, set)) else (valid_types,)
    if not isinstance(arg_value, types) or isinstance(arg_value, bool) and bool not in types:
        raise TypeError("%s, got %s, expected %s" % (_where(arg_name, prim_name), type(arg_value).__name__,
                                                     " or ".join(t.__name__ for t in types)))
    return arg_value


def check_is_number(arg_value, arg_type, arg_name=None, prim_name=None):
    """The value, where it is a finite number of a type."""
    check_value_type(arg_name, arg_value, arg_type, prim_name)
    if isinstance(arg_value, float) and (arg_value != arg_value or abs(arg_value) == float("inf")):
        raise ValueError("%s, got %s, expected a finite number" % (_where(arg_name, prim_name), arg_value))
    return arg_value


def check_number(arg_value, value, rel, arg_type=int, arg_name=None, prim_name=None):
    """The value, where it is a number of a type that stands to another one as `rel` says: GT, GE, LT, LE, EQ or NE."""
    check_is_number(arg_value, arg_type, arg_name, prim_name)
    holds, words = _SIDES[rel]
    if not holds(arg_value, value):
        raise ValueError("%s, got %s, expected %s %s" % (_where(arg_name, prim_name), arg_value, words, value))
    return arg_value


def check_number_range(arg_value, lower_limit, upper_limit, rel, value_type, arg_name=None, prim_name=None):
    """The value, where it is a number of a type between two; `rel` says which ends belong: INC_BOTH, INC_LEFT, ..."""
    check_is_number(arg_value, value_type, arg_name, prim_name)
    low = arg_value >= lower_limit if rel[0] else arg_value > lower_limit
    high = arg_value <= upper_limit if rel[1] else arg_value < upper_limit
    if not low or not high:
        raise ValueError("%s, got %s, expected %s%s, %s%s" % (_where(arg_name, prim_name), arg_value, "[" if rel[0] else "(",
                                                              lower_limit, upper_limit, "]" if rel[1] else ")"))
    return arg_value


def check_int(arg_value, value, rel, arg_name=None, prim_name=None):
    """check_number of an int."""
    return check_number(arg_value, value, rel, int, arg_name, prim_name)


def check_float(arg_value, value, rel, arg_name=None, prim_name=None):
    """check_number of a float."""
    return check_number(arg_value, value, rel, float, arg_name, prim_name)


def check_is_int(arg_value, arg_name=None, prim_name=None):
    """The value, where it is an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value, arg_name=None, prim_name=None):
    """The value, where it is a finite float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_positive_int(arg_value, arg_name=None, prim_name=None):
    """The value, where it is an int above 0."""
    return check_int(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_int(arg_value, arg_name=None, prim_name=None):
    """The value, where it is an int of 0 or more."""
    return check_int(arg_value, 0, GE, arg_name, prim_name)


def check_positive_float(arg_value, arg_name=None, prim_name=None):
    """The value, where it is a float above 0."""
    return check_float(arg_value, 0, GT, arg_name, prim_name)


def check_non_negative_float(arg_value, arg_name=None, prim_name=None):
    """The value, where it is a float of 0 or more."""
    return check_float(arg_value, 0, GE, arg_name, prim_name)


def check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """check_number_range of an int."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """check_number_range of a float."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_bool(arg_value, arg_name=None, prim_name=None):
    """The value, where it is a bool."""
    return check_value_type(arg_name, arg_value, bool, prim_name)


def check_string(arg_value, valid_values, arg_name=None, prim_name=None):
    """The value, where it is one of the texts."""
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        raise ValueError("%s, got %r, expected one of %s" % (_where(arg_name, prim_name), arg_value, list(valid_values)))
    return arg_value


def check_subclass(arg_name, type_, template_types, prim_name=None):
    """Raises TypeError where a class is no subclass of one of others."""
    types = tuple(template_types) if isinstance(template_types, (list, tuple)) else (template_types,)
    if not isinstance(type_, type) or not issubclass(type_, types):
        raise TypeError("%s, got %s, expected a subclass of %s" % (_where(arg_name, prim_name), type_,
                                                                  " or ".join(t.__name__ for t in types)))


def check_isinstance(arg_name, arg_value, classes):
    """The value, where it is of one of the classes."""
    return check_value_type(arg_name, arg_value, classes)


def is_number(value):
    """Whether the value is a number and no Tensor."""
    return isinstance(value, numbers.Number) and not isinstance(value, Tensor)
