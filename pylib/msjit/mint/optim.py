"""msjit.mint.optim"""
from ..optim.grouped import SGD, Adam, AdamW

FusedAdamW = AdamW

__all__ = ["Adam", "AdamW", "FusedAdamW", "SGD"]
