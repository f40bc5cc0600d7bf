"""Transforms of any data; mindspore.dataset.transforms' names."""
from ... import _paths
from .transforms import (
    Compose, Concatenate, Duplicate, Fill, Mask, OneHot, PadEnd, PyTensorOperation, RandomApply, RandomChoice, RandomOrder, Relational,
    Slice, TensorOperation, TypeCast, Unique,
)


_paths.reach(__name__)
