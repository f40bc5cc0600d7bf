"""Transforms of any data; mindspore.dataset.transforms' names."""
from .transforms import (
    Compose, Concatenate, Duplicate, Fill, Mask, OneHot, PadEnd, RandomApply, RandomChoice, RandomOrder, Relational, Slice,
    TypeCast, Unique,
)
