"""Helpers for layers: no_init_parameters."""
import contextlib

from .. import _paths
from ..common.parameter import Parameter

__path__ = _paths.extend([])  # MindSpore has a package here; alias.py finds its modules that programs import.


@contextlib.contextmanager
def no_init_parameters():
    """Marks networks made inside as getting their values later from a checkpoint: Parameter.init_param is False inside.

    The Parameters get their initial values at once all the same, so nothing needs to create them later.

    >>> from msjit import nn
    >>> with nn.utils.no_init_parameters():
    ...     net = nn.Dense(2, 3)
    >>> net.weight.shape
    (3, 2)
    """
    Parameter.init_param = False
    try:
        yield
    finally:
        Parameter.init_param = True


__all__ = ["no_init_parameters"]

_paths.reach(__name__)
