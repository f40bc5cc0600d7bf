"""Combines samples to a batch: arrays and numbers become Tensors, also inside dicts, tuples and lists."""
from collections import abc

import numpy as np

from ....common.tensor import Tensor


def _tensor(value):
    return value if isinstance(value, Tensor) else Tensor(value)


def default_convert(data):
    """Converts each array of numbers to a Tensor, also inside dicts, tuples and lists."""
    if isinstance(data, (np.ndarray, np.generic)):
        return Tensor(data) if data.dtype.kind in "biufc" else data
    return _rebuilt(data, default_convert) if isinstance(data, (abc.Mapping, abc.Sequence)) else data


def _rebuilt(data, function):
    """A mapping or sequence of the same kind, with a function applied to its values."""
    if isinstance(data, abc.Mapping):
        return _mapping(data, {key: function(value) for key, value in data.items()})
    if isinstance(data, tuple) and hasattr(data, "_fields"):
        return type(data)(*[function(value) for value in data])
    if isinstance(data, (str, bytes)):
        return data
    return [function(value) for value in data]


def _mapping(like, values):
    try:
        return type(like)(values)
    except TypeError:  # the class does not take a dict
        return values


def collate(batch, *, collate_fn_map=None):
    """Combines samples to a batch by the function that collate_fn_map has for their type, or value by value.

    The function is called with the batch and collate_fn_map; mappings and sequences are combined value by value. Raises
    TypeError for another type, RuntimeError for sequences that differ in length.
    """
    first, functions = batch[0], collate_fn_map or {}
    function = functions.get(type(first))
    if function is None:
        function = next((made for kind, made in functions.items() if isinstance(first, kind)), None)
    if function is not None:
        return function(batch, collate_fn_map=collate_fn_map)
    if isinstance(first, abc.Mapping):
        return _mapping(first, {key: collate([sample[key] for sample in batch], collate_fn_map=collate_fn_map) for key in first})
    if not isinstance(first, abc.Sequence):
        raise TypeError("[collate] sample, got %s, expected a type of collate_fn_map, a mapping or a sequence" % type(first))
    if any(len(sample) != len(first) for sample in batch):
        raise RuntimeError("[collate] samples, got %s values, expected as many in each" % sorted({len(sample) for sample in batch}))
    columns = [collate(column, collate_fn_map=collate_fn_map) for column in zip(*batch)]
    return type(first)(*columns) if isinstance(first, tuple) and hasattr(first, "_fields") else columns


def _stack_tensors(batch, *, collate_fn_map=None):
    from ....ops import stack
    return stack([_tensor(value) for value in batch])


def _stack_arrays(batch, *, collate_fn_map=None):
    if batch[0].dtype.kind not in "biufc":
        raise TypeError("[default_collate] dtype of an array, got %s, expected numbers" % (batch[0].dtype,))
    return Tensor(np.stack(batch))


def _of_numbers(batch, *, collate_fn_map=None):
    return Tensor(np.array(batch, np.float64 if isinstance(batch[0], float) else None))


def _as_they_are(batch, *, collate_fn_map=None):
    return batch


_FUNCTIONS = {Tensor: _stack_tensors, np.ndarray: _stack_arrays, np.number: _stack_arrays, np.bool_: _stack_arrays, float: _of_numbers,
              int: _of_numbers, str: _as_they_are, bytes: _as_they_are}


def default_collate(batch):
    """Combines samples to a batch: arrays and numbers are stacked to Tensors along a new first axis, texts become lists."""
    return collate(batch, collate_fn_map=_FUNCTIONS)
