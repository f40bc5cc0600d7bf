"""Checks of the arguments of datasets."""
from .config import INT32_MAX


def names(value):
    """Returns a list of column names, or None; raises for other values and for a name that occurs twice."""
    if value is None:
        return None
    if not hasattr(type(value), "__iter__"):
        raise TypeError("[dataset] column names, got %s, expected a str or a list of them" % type(value).__name__)
    found = [value] if isinstance(value, str) else list(value)
    for name in found:
        if not isinstance(name, str):
            raise TypeError("[dataset] column name, got %s, expected a str" % type(name).__name__)
        if not name:
            raise ValueError("[dataset] column name, got '', expected one")
    if len(set(found)) != len(found):
        raise ValueError("[dataset] column names, got %s, expected each once" % (found,))
    return found


def some(found, name):
    """Returns a list of names, or None; raises ValueError for an empty list."""
    if found is not None and not found:
        raise ValueError("[dataset] %s, got none, expected one at least" % name)
    return found


def flag(value, name):
    """Raises TypeError unless the value is a bool."""
    if not isinstance(value, bool):
        raise TypeError("[dataset] %s, got %s, expected a bool" % (name, type(value).__name__))


def row_size(value, name="max_rowsize"):
    """Raises TypeError unless max_rowsize is None, an int or a list."""
    if value is not None and (isinstance(value, bool) or not isinstance(value, (int, list))):
        raise TypeError("[dataset] %s, got %s, expected an int" % (name, type(value).__name__))


def whole(name, value, low, high=INT32_MAX):
    """Raises unless the value is an int in a range."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[dataset] %s, got %s, expected an int" % (name, type(value).__name__))
    if not low <= value <= high:
        raise ValueError("[dataset] %s, got %d, expected %d to %d" % (name, value, low, high))
