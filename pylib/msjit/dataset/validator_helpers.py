"""mindspore.dataset.core.validator_helpers: limits of numbers, and checks that programs use for operations and datasets of their own."""
import inspect
import os

POS_INT_MIN = 1
UINT8_MIN, UINT8_MAX = 0, (1 << 8) - 1
UINT32_MIN, UINT32_MAX = 0, (1 << 32) - 1
UINT64_MIN, UINT64_MAX = 0, (1 << 64) - 1
INT32_MIN, INT32_MAX = -(1 << 31), (1 << 31) - 1
INT64_MIN, INT64_MAX = -(1 << 63), (1 << 63) - 1
FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER = -(1 << 24), 1 << 24
DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER = -(1 << 53), 1 << 53
valid_detype = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 string".split()


def is_iterable(obj):
    """Whether iter(obj) works."""
    try:
        iter(obj)
    except TypeError:
        return False
    return True


def replace_none(value, default):
    """`default` in place of None."""
    return default if value is None else value


def parse_user_args(method, *args, **kwargs):
    """(the values of the parameters of a method, without self, as a list; all of them by name)"""
    parameters = inspect.signature(method).parameters
    is_method = "self" in parameters or "cls" in parameters
    bound = inspect.signature(method).bind(*((method,) if is_method else ()) + args, **kwargs)
    bound.apply_defaults()
    return [bound.arguments.get(name) for name in list(parameters)[int(is_method):]], bound.arguments


def type_check(arg, types, arg_name):
    """Raises TypeError unless arg is of one of the types; a bool is no int."""
    if not isinstance(arg, types) or (isinstance(arg, bool) and int in types and bool not in types):
        raise TypeError("[dataset] %s, got %r of type %s, expected %s" % (
            arg_name, arg, type(arg).__name__, " or ".join(kind.__name__ for kind in types)))


def type_check_list(args, types, arg_names):
    """type_check of each element of a list or tuple; arg_names is one name or a list of them."""
    type_check(args, (list, tuple), arg_names)
    if isinstance(arg_names, str):
        arg_names = ["%s[%d]" % (arg_names, i) for i in range(len(args))]
    if len(args) != len(arg_names):
        raise ValueError("[dataset] number of names, got %d, expected %d" % (len(arg_names), len(args)))
    for arg, name in zip(args, arg_names):
        type_check(arg, types, name)


def check_value(value, valid_range, arg_name="", left_open_interval=False, right_open_interval=False):
    """Raises ValueError for a number outside of a range."""
    low, high = valid_range
    if value < low or value > high or (left_open_interval and value == low) or (right_open_interval and value == high):
        raise ValueError("[dataset] %s, got %s, expected it within the interval %s%s, %s%s" % (
            arg_name or "value", value, "(" if left_open_interval else "[", low, high, ")" if right_open_interval else "]"))


def check_value_cutoff(value, valid_range, arg_name=""):
    """check_value without the upper end."""
    check_value(value, valid_range, arg_name, False, True)


def check_value_ratio(value, valid_range, arg_name=""):
    """check_value without the lower end."""
    check_value(value, valid_range, arg_name, True, False)


check_value_normalize_std = check_value_ratio


def check_range(values, valid_range, arg_name=""):
    """Raises ValueError unless the two numbers are a range within another."""
    if not valid_range[0] <= values[0] <= values[1] <= valid_range[1]:
        raise ValueError("[dataset] %s, got %s, expected it within [%s, %s]" % (arg_name or "range", tuple(values), *valid_range))


def _within(kinds, low, high, left_open=False):
    def check(value, arg_name=""):
        """Raises TypeError or ValueError for a number of another type or out of its range."""
        type_check(value, kinds, arg_name)
        check_value(value, (low, high), arg_name, left_open)
    return check


_REAL = (float, int)
check_int32 = _within((int,), INT32_MIN, INT32_MAX)
check_uint8 = _within((int,), UINT8_MIN, UINT8_MAX)
check_uint32 = _within((int,), UINT32_MIN, UINT32_MAX)
check_pos_uint32 = _within((int,), POS_INT_MIN, UINT32_MAX)
check_pos_int32 = _within((int,), POS_INT_MIN, INT32_MAX)
check_uint64 = _within((int,), UINT64_MIN, UINT64_MAX)
check_pos_int64 = _within((int,), POS_INT_MIN, INT64_MAX)
check_non_negative_int32 = _within((int,), 0, INT32_MAX)
check_float32 = _within(_REAL, FLOAT_MIN_INTEGER, FLOAT_MAX_INTEGER)
check_float64 = _within(_REAL, DOUBLE_MIN_INTEGER, DOUBLE_MAX_INTEGER)
check_pos_float32 = _within(_REAL, 0, FLOAT_MAX_INTEGER, True)
check_pos_float64 = _within(_REAL, 0, DOUBLE_MAX_INTEGER, True)
check_non_negative_float32 = _within(_REAL, 0, FLOAT_MAX_INTEGER)
check_non_negative_float64 = _within(_REAL, 0, DOUBLE_MAX_INTEGER)


def _refuse_unless(holds, name, value, expected):
    if not holds:
        raise ValueError("[dataset] %s, got %r, expected %s" % (name or "value", value, expected))


def check_positive(value, arg_name=""):
    """Raises ValueError unless the number is above 0."""
    _refuse_unless(value > 0, arg_name, value, "above 0")


def check_odd(value, arg_name=""):
    """Raises ValueError for an even number."""
    _refuse_unless(value % 2 == 1, arg_name, value, "an odd number")


def check_2tuple(value, arg_name=""):
    """Raises ValueError unless the value is a tuple of two."""
    _refuse_unless(isinstance(value, tuple) and len(value) == 2, arg_name, value, "a tuple of two")


def check_valid_str(value, valid_strings, arg_name=""):
    """Raises unless the value is one of the texts."""
    type_check(value, (str,), arg_name)
    _refuse_unless(value in valid_strings, arg_name, value, "one of %s" % (list(valid_strings),))


def check_list_same_size(list1, list2, list1_name="", list2_name=""):
    """Raises ValueError for lists of two lengths."""
    _refuse_unless(len(list1) == len(list2), list2_name, len(list2), "as many as %s, %d" % (list1_name, len(list1)))


def check_valid_detype(type_):
    """True for the name of a dtype of datasets, else TypeError."""
    if type_ not in valid_detype:
        raise TypeError("[dataset] type of a column, got %r, expected one of %s" % (type_, ", ".join(valid_detype)))
    return True


def check_dir(dataset_dir):
    """Raises ValueError unless there is such a folder that can be read."""
    type_check(dataset_dir, (str,), "dataset_dir")
    _refuse_unless(os.path.isdir(dataset_dir) and os.access(dataset_dir, os.R_OK), "dataset_dir", dataset_dir, "a folder that can be read")


def check_file(dataset_file):
    """Raises ValueError unless there is such a file that can be read."""
    type_check(dataset_file, (str,), "dataset_file")
    _refuse_unless(os.path.isfile(dataset_file) and os.access(dataset_file, os.R_OK), "dataset_file", dataset_file, "a file that can be read")


def check_num_parallel_workers(value):
    """Raises unless the value is a number of workers, at least 1."""
    check_pos_int32(value, "num_parallel_workers")


def check_num_samples(value):
    """Raises unless the value is a number of samples, at least 0."""
    type_check(value, (int,), "num_samples")
    check_value(value, (0, INT64_MAX), "num_samples")
