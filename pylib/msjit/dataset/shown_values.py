"""The values that iterators return: Tensors or arrays, also inside dicts that programs put into rows."""
import numpy as np

from ..common.tensor import Tensor


def tensor(value):
    """Converts an array of numbers to a Tensor; other values stay."""
    return Tensor(value) if isinstance(value, np.ndarray) and value.dtype.kind not in "USO" else value


def inside(value, as_numpy):
    """Converts a value inside a program's dict to an array, or to a Tensor unless it is text. Other objects stay as they are."""
    if isinstance(value, dict):
        return {key: inside(item, as_numpy) for key, item in value.items()}
    if isinstance(value, (tuple, list)):
        return type(value)([inside(item, as_numpy) for item in value]) if type(value) in (tuple, list) else value
    if not isinstance(value, (int, float, str, np.ndarray, np.generic)):
        return value
    found = np.asarray(value)
    if found.dtype.kind == "O" and isinstance(value, np.ndarray):
        raise TypeError("[iterator] an array in a dict, got one of Python objects, expected numbers or texts")
    return value if found.dtype.kind == "O" else found if as_numpy else tensor(found)
