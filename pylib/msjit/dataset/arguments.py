"""Checks of the arguments of datasets."""
from .config import INT32_MAX


def names(value):
    """A list of column names, or None."""
    if value is None:
        return None
    found = [value] if isinstance(value, str) else list(value)
    for name in found:
        if not isinstance(name, str):
            raise TypeError("[dataset] column name, got %s, expected a str" % type(name).__name__)
        if not name:
            raise ValueError("[dataset] column name, got '', expected one")
    if len(set(found)) != len(found):
        raise ValueError("[dataset] column names, got %s, expected each once" % found)
    return found


def some(found, name):
    """A list of names that is not empty, or None."""
    if found is not None and not found:
        raise ValueError("[dataset] %s, got none, expected one at least" % name)
    return found


def flag(value, name):
    """Checks a bool."""
    if not isinstance(value, bool):
        raise TypeError("[dataset] %s, got %s, expected a bool" % (name, type(value).__name__))


def row_size(value, name="max_rowsize"):
    """Checks max_rowsize: None, an int, or a list of ints."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, list))):
        raise TypeError("[dataset] %s, got %s, expected an int" % (name, type(value).__name__))


def whole(name, value, low, high=INT32_MAX):
    """Checks an int."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[dataset] %s, got %s, expected an int" % (name, type(value).__name__))
    if not low <= value <= high:
        raise ValueError("[dataset] %s, got %d, expected %d to %d" % (name, value, low, high))
