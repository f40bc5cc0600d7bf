"""MindSpore's boost: of it, the accumulation of gradients."""
from .grad_accumulation import GradientAccumulation

__all__ = ["GradientAccumulation"]
