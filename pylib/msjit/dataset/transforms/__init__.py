"""Transforms of any data; mindspore.dataset.transforms' names."""
from .transforms import (
    Compose, Concatenate, Duplicate, Fill, Mask, OneHot, PadEnd, PyTensorOperation, RandomApply, RandomChoice, RandomOrder, Relational,
    Slice, TensorOperation, TypeCast, Unique,
)
