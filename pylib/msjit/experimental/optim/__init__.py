"""msjit.experimental.optim"""
from ... import _paths
from ...optim.grouped_optimizers import ASGD, SGD, Adadelta, Adagrad, Adamax, AdamW, NAdam, RAdam, RMSprop, Rprop
from ...optim.grouped import GroupedOptimizer as Optimizer
from . import lr_scheduler
from .adam import Adam

__all__ = ["Optimizer", "SGD", "Adam", "AdamW", "Adadelta", "Adagrad", "Adamax", "NAdam", "RAdam", "RMSprop",
           "ASGD", "Rprop", "lr_scheduler"]


def prepare_func(lr, weight_decay, state_step, beta1, beta2):
    """(1 - lr weight_decay, the size of a step, the square root of 1 - beta2^step) of AdamW at a step."""
    return 1 - lr * weight_decay, lr / (1 - beta1 ** state_step), (1 - beta2 ** state_step) ** 0.5


def check_not_less_than(arg_value, arg_name, prim, value=0.0):
    """Raises ValueError for a number below `value`; optimizers of packages check their arguments by it."""
    if arg_value < value:
        raise ValueError("[%s] %s, got %s, expected %s or more" % (prim, arg_name, arg_value, value))


def check_not_less_than_without_equal(arg_value, arg_name, prim, value=0.0):
    """Raises ValueError for a number that is not above `value`."""
    if arg_value <= value:
        raise ValueError("[%s] %s, got %s, expected more than %s" % (prim, arg_name, arg_value, value))


_paths.reach(__name__)
