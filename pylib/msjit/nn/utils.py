"""Helpers of layers: no_init_parameters."""
import contextlib

from .. import _paths
from ..common.parameter import Parameter

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.


@contextlib.contextmanager
def no_init_parameters():
    """Says that networks made inside get their values later from a checkpoint: Parameter.init_param is False inside.

    The initial values of the Parameters are made at once all the same, so no later call need make them.

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
