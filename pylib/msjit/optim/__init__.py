"""Optimizers."""
from .adam import Adam, AdamWeightDecay
from .momentum import SGD, Momentum
from .optimizer import Optimizer

__all__ = ["Optimizer", "SGD", "Momentum", "Adam", "AdamWeightDecay"]
