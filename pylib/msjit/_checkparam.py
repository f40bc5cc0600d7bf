"""Argument checks under the names of mindspore._checkparam; packages written for MindSpore call them.

A check returns the value, or raises TypeError for another type and ValueError for a number or text that is not allowed.
"""
import operator

from .absent import attributes as _absent
from .common import dtype as _mstype
from .common.tensor import Tensor

EQ, NE, LT, LE, GT, GE, INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH, IN, NOT_IN = range(1, 13)

_SIGNS = {EQ: ("=", operator.eq), NE: ("!=", operator.ne), LT: ("<", operator.lt), LE: ("<=", operator.le),
          GT: (">", operator.gt), GE: (">=", operator.ge)}
_SPANS = {INC_NEITHER: ("(%s, %s)", operator.lt, operator.lt), INC_LEFT: ("[%s, %s)", operator.le, operator.lt),
          INC_RIGHT: ("(%s, %s]", operator.lt, operator.le), INC_BOTH: ("[%s, %s]", operator.le, operator.le)}


def _fail(kind, prim_name, arg_name, value, expected):
    raise kind("[%s] %s, got %r, expected %s" % (prim_name or "check", arg_name or "argument", value, expected))


def _typed(value, kinds, words, arg_name, prim_name):
    if isinstance(value, bool) or not isinstance(value, kinds):
        _fail(TypeError, prim_name, arg_name, type(value).__name__, words)
    return value


def check(arg_name, arg_value, value_name, value, rel=EQ, prim_name=None, excp_cls=ValueError):
    """Returns the value if it stands in the relation `rel` to another one."""
    if rel in (IN, NOT_IN):
        if (arg_value in value) != (rel == IN):
            _fail(excp_cls, prim_name, arg_name, arg_value, "%s %s %s" % ("one of" if rel == IN else "none of", value_name, value))
    elif not _SIGNS[rel][1](arg_value, value):
        _fail(excp_cls, prim_name, arg_name, arg_value, "%s %s, %s" % (_SIGNS[rel][0], value_name, value))
    return arg_value


def check_is_number(arg_value, arg_type, arg_name=None, prim_name=None):
    """Returns the value if it is a number of a type (no bool); a float must be finite."""
    _typed(arg_value, arg_type, getattr(arg_type, "__name__", str(arg_type)), arg_name, prim_name)
    if isinstance(arg_value, float) and arg_value - arg_value != 0:
        _fail(ValueError, prim_name, arg_name, arg_value, "a finite number")
    return arg_value


def check_is_int(arg_value, arg_name=None, prim_name=None):
    """Returns the value if it is an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value, arg_name=None, prim_name=None):
    """Returns the value if it is a float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_number(arg_name, arg_value, value, rel, prim_name):
    """Returns the value if it is a number that stands in a relation to another one."""
    _typed(arg_value, (int, float), "a number", arg_name, prim_name)
    return check(arg_name, arg_value, "value", value, rel, prim_name)


def check_int(arg_value, value, rel, arg_name=None, prim_name=None):
    """Returns the value if it is an int that stands in a relation to another one."""
    return check(arg_name, check_is_int(arg_value, arg_name, prim_name), "value", value, rel, prim_name)


def check_float(arg_value, value, rel, arg_name=None, prim_name=None):
    """Returns the value if it is a float that stands in a relation to another one."""
    return check(arg_name, check_is_float(arg_value, arg_name, prim_name), "value", value, rel, prim_name)


def _signed(kind, rel, words):
    def one(arg_value, arg_name=None, prim_name=None):
        return check(arg_name, check_is_number(arg_value, kind, arg_name, prim_name), "value", kind(0), rel, prim_name)
    one.__doc__ = "The value, where it is %s." % words
    return one


check_positive_int, check_non_negative_int = _signed(int, GT, "an int above 0"), _signed(int, GE, "an int of 0 or more")
check_negative_int, check_non_positive_int = _signed(int, LT, "an int below 0"), _signed(int, LE, "an int of 0 or less")
check_positive_float, check_non_negative_float = _signed(float, GT, "a float above 0"), _signed(float, GE, "a float of 0 or more")
check_negative_float = _signed(float, LT, "a float below 0")


def check_equal_int(arg_value, value, arg_name=None, prim_name=None):
    """Returns the value if it is equal to that int."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def check_number_range(arg_value, lower_limit, upper_limit, rel, value_type, arg_name=None, prim_name=None):
    """Returns the value if it is a number of a type and within limits."""
    check_is_number(arg_value, value_type, arg_name, prim_name)
    text, low, high = _SPANS[rel]
    if not (low(lower_limit, arg_value) and high(arg_value, upper_limit)):
        _fail(ValueError, prim_name, arg_name, arg_value, "a number in " + text % (lower_limit, upper_limit))
    return arg_value


def check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Returns the value if it is an int within limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Returns the value if it is a float or an int within limits."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, (float, int), arg_name, prim_name)


def check_bool(arg_value, arg_name=None, prim_name=None):
    """Returns the value if it is a bool."""
    if not isinstance(arg_value, bool):
        _fail(TypeError, prim_name, arg_name, type(arg_value).__name__, "a bool")
    return arg_value


def check_string(arg_value, valid_values, arg_name=None, prim_name=None):
    """Returns the value if it is one of some texts."""
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        _fail(ValueError, prim_name, arg_name, arg_value, "one of %s" % (valid_values,))
    return arg_value


def check_value_type(arg_name, arg_value, valid_types, prim_name=None):
    """Returns the value if it is an instance of one of the types; a bool does not count as an int."""
    kinds = tuple(valid_types) if isinstance(valid_types, (list, tuple, set)) else (valid_types,)
    if (isinstance(arg_value, bool) and bool not in kinds) or not isinstance(arg_value, kinds):
        _fail(TypeError, prim_name, arg_name, type(arg_value).__name__,
              "one of %s" % ", ".join(getattr(kind, "__name__", str(kind)) for kind in kinds))
    return arg_value


def check_isinstance(arg_name, arg_value, classes):
    """Returns the value if it is an instance of a class."""
    if not isinstance(arg_value, classes):
        _fail(TypeError, None, arg_name, type(arg_value).__name__, "an instance of %s" % (classes,))
    return arg_value


def check_type_name(arg_name, arg_type, valid_types, prim_name):
    """Returns the dtype or type if it is one of some."""
    valid = valid_types if isinstance(valid_types, (list, tuple, set, frozenset)) else (valid_types,)
    if arg_type not in valid:
        _fail(TypeError, prim_name, arg_name, arg_type, "one of %s" % ", ".join(map(str, valid)))
    return arg_type


def check_subclass(arg_name, type_, template_types, prim_name, addition_error_info=None):
    """Returns the type if it is one of the given types or derived from one."""
    kinds = tuple(template_types) if isinstance(template_types, (list, tuple, set)) else (template_types,)
    fits = any(type_ == kind or (isinstance(type_, type) and isinstance(kind, type) and issubclass(type_, kind)) for kind in kinds)
    if not fits:
        _fail(TypeError, prim_name, arg_name, type_, "one of %s" % ", ".join(map(str, kinds)))
    return type_


def check_tensor_dtype_valid(arg_name, arg_type, valid_dtypes, prim_name):
    """Returns the dtype of a tensor if it is one of some."""
    return check_type_name(arg_name, getattr(arg_type, "dtype", arg_type), valid_dtypes, prim_name)


def check_positive_int_sequence(sequence, arg_name=None, prim_name=None):
    """The sequence, where all its items are ints above 0."""
    for i, item in enumerate(sequence):
        check_positive_int(item, "%s[%d]" % (arg_name or "sequence", i), prim_name)
    return sequence


def check_non_negative_int_sequence(sequence, arg_name=None, prim_name=None):
    """Returns the sequence if all its items are ints of 0 or more."""
    for i, item in enumerate(sequence):
        check_non_negative_int(item, "%s[%d]" % (arg_name or "sequence", i), prim_name)
    return sequence


def check_element_type_of_iterable(arg_name, arg_value, valid_types, prim_name=None):
    """Checks that all items of an iterable are of some types."""
    for i, item in enumerate(arg_value):
        check_value_type("%s[%d]" % (arg_name, i), item, valid_types, prim_name)


def check_hook_fn(hook_fn):
    """Checks that a hook can be called."""
    if not callable(hook_fn):
        _fail(TypeError, "register_hook", "hook_fn", type(hook_fn).__name__, "a function")
    return True


def check_axis_in_range(axis, ndim):
    """Returns the axis, counted from the front, if a tensor of `ndim` axes has it."""
    check_is_int(axis, "axis")
    if not -ndim <= axis < ndim:
        _fail(ValueError, None, "axis", axis, "one in [%d, %d)" % (-ndim, ndim))
    return axis % ndim


def check_is_tensor(value, arg_name=None, prim_name=None):
    """Returns the value if it is a Tensor."""
    return check_value_type(arg_name, value, Tensor, prim_name)


def _several(count):
    def one(x):
        return tuple(x) if isinstance(x, (tuple, list)) else (x,) * count
    one.__doc__ = "A value %d times, or the tuple given." % count
    return one


once, twice, triple = _several(1), _several(2), _several(3)


def args_type_check(*type_args, **type_kwargs):
    """A decorator that checks the types of a function's arguments. None is always accepted."""
    from functools import wraps
    from inspect import signature

    def deco(function):
        wanted = signature(function)
        rest = [p.name for p in wanted.parameters.values() if p.kind is p.VAR_KEYWORD]  # the name of **kwargs: its items are checked by their own names

        def by_name(arguments):
            extra = arguments.pop(rest[0], {}) if rest else {}
            return {**arguments, **extra}
        kinds = by_name(dict(wanted.bind_partial(*type_args, **type_kwargs).arguments))

        @wraps(function)
        def call(*args, **kwargs):
            for name, value in by_name(dict(wanted.bind(*args, **kwargs).arguments)).items():
                if name in kinds and value is not None:
                    check_value_type(name, value, kinds[name], function.__name__)
            return function(*args, **kwargs)
        return call
    return deco


number_type = _mstype.number_type
_refuse = _absent(__name__, lambda name: "unwritten" if name.startswith("check_") else None)


def is_stub_tensor(tensor):
    """False: every tensor has its values when an operator returns it."""
    return False


def __getattr__(name):
    if not name.startswith("_"):
        from .common import param_checks
        if hasattr(param_checks, name):
            return getattr(param_checks, name)
    return _refuse(name)
