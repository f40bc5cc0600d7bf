"""Checks that callbacks and scripts written for MindSpore import from train._utils."""
import os

from ..absent import names as _absent_names


def check_value_type(arg_name, arg_value, valid_types):
    """Raises TypeError unless a value has one of the types; a bool does not count as an int."""
    kinds = tuple(valid_types) if isinstance(valid_types, (list, tuple, set)) else (valid_types,)
    if isinstance(arg_value, bool) and bool not in kinds or not isinstance(arg_value, kinds):
        raise TypeError("[check_value_type] %s, got %s, expected %s"
                        % (arg_name, type(arg_value).__name__, " or ".join(kind.__name__ for kind in kinds)))


def make_directory(path, arg_name="path"):
    """Creates a folder if it does not exist; returns its real path.

    Raises TypeError for anything but a str, ValueError for a folder that cannot be created.
    """
    if not isinstance(path, str):
        raise TypeError("[make_directory] %s, got %s, expected a str" % (arg_name, type(path).__name__))
    if not path.strip():
        raise ValueError("[make_directory] %s, got %r, expected a path" % (arg_name, path))
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise ValueError("[make_directory] %s, got %r (%s), expected a folder that can be made" % (arg_name, path, error.strerror)) from None
    return os.path.realpath(path)


_make_directory = make_directory  # MindSpore's name


globals().update(_absent_names(__name__, "get_parameter_redundancy remove_param_redundancy", "networks are not divided over processes"))
