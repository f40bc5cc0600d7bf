"""Functions for batches of images or signals that take a single one too."""
from ..ops import registry as _k


def one_or_many(function, rank, input, *args):
    """function(input, *args) for an input with `rank` axes after its channels, and an axis of the batch before them or none."""
    if getattr(input, "ndim", None) != rank + 1:
        return function(input, *args)
    out = function(_k.expand_dims(input, 0), *args)
    return tuple(_k.squeeze(part, 0) for part in out) if isinstance(out, tuple) else _k.squeeze(out, 0)
