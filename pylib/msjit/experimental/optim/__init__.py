"""msjit.experimental.optim"""
from ...optim.grouped import SGD, Adadelta, Adagrad, Adam, Adamax, AdamW, NAdam, RAdam, RMSprop
from ...optim.grouped import GroupedOptimizer as Optimizer
from . import lr_scheduler

__all__ = ["Optimizer", "SGD", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop",
           "lr_scheduler"]
