"""Optimizers."""
from .. import _paths
from ..first_use import kept as _kept
from .adam import Adam, AdamOffload, AdamWeightDecay, LazyAdam
from .adaptive import FTRL, Adadelta, Adagrad, AdaMax, ProximalAdagrad, RMSProp
from .averaged import ASGD, Rprop
from .large_batch import LARS, AdaFactor, Lamb
from .momentum import SGD, Momentum
from .optimizer import Optimizer

__all__ = ["Optimizer", "SGD", "Momentum", "Adam", "AdamWeightDecay", "AdamOffload", "LazyAdam", "RMSProp", "Adagrad",
           "Adadelta", "AdaMax", "FTRL", "ProximalAdagrad", "ASGD", "Rprop", "Lamb", "LARS", "AdaFactor"]

# Names of nn that MindSpore also has here; nn takes them from modules that few programs use.
_OF_NN = ("thor", "AdaSumByDeltaWeightWrapCell", "AdaSumByGradWrapCell", "OptTFTWrapper")


@_kept
def __getattr__(name):
    if name not in _OF_NN:
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    from .. import nn
    return getattr(nn, name)


_paths.reach(__name__, "nn.optim")
