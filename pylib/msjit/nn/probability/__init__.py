"""Probability: distributions, and bijectors that make new ones of them."""
from . import bijector, distribution

__all__ = ["bijector", "distribution"]
