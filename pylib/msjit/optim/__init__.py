"""Optimizers."""
from .. import _paths
from .adam import Adam, AdamOffload, AdamWeightDecay, LazyAdam
from .adaptive import FTRL, Adadelta, Adagrad, AdaMax, ProximalAdagrad, RMSProp
from .averaged import ASGD, Rprop
from .large_batch import LARS, AdaFactor, Lamb
from .momentum import SGD, Momentum
from .optimizer import Optimizer

__all__ = ["Optimizer", "SGD", "Momentum", "Adam", "AdamWeightDecay", "AdamOffload", "LazyAdam", "RMSProp", "Adagrad",
           "Adadelta", "AdaMax", "FTRL", "ProximalAdagrad", "ASGD", "Rprop", "Lamb", "LARS", "AdaFactor"]

_paths.reach(__name__, "nn.optim")
