"""Probability: distributions, and bijectors that turn them into new ones."""
from .. import layer  # noqa: F401 - the layers are built on it
from . import bijector, bnn_layers, distribution

__all__ = ["bijector", "bnn_layers", "distribution"]
