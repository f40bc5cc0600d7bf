"""Layers, losses, optimizers and learning rates."""
from ..optim import SGD, Adam, AdamWeightDecay, Momentum, Optimizer
from . import cell, dynamic_lr, loss, wrap
from .activation import (
    CELU,
    ELU,
    GELU,
    Hardtanh,
    HShrink,
    HSigmoid,
    HSwish,
    LeakyReLU,
    LogSigmoid,
    LogSoftmax,
    Mish,
    PReLU,
    ReLU,
    ReLU6,
    Sigmoid,
    SiLU,
    Softmax,
    Softplus,
    SoftShrink,
    Softsign,
    Tanh,
    Tanhshrink,
    get_activation,
)
from .basic import ClipByNorm, ConstantPad2d, Dense, Dropout, Embedding, Flatten, Identity, Pad, Unfold
from .cell import Cell, GraphCell
from .container import CellDict, CellList, SequentialCell
from .conv import Conv1d, Conv2d
from .dynamic_lr import (
    CosineDecayLR,
    ExponentialDecayLR,
    InverseDecayLR,
    LearningRateSchedule,
    NaturalExpDecayLR,
    PolynomialDecayLR,
    WarmUpLR,
    cosine_decay_lr,
    exponential_decay_lr,
    inverse_decay_lr,
    natural_exp_decay_lr,
    piecewise_constant_lr,
    polynomial_decay_lr,
    warmup_lr,
)
from .loss import (
    BCELoss,
    BCEWithLogitsLoss,
    CosineEmbeddingLoss,
    CrossEntropyLoss,
    HuberLoss,
    L1Loss,
    LossBase,
    MSELoss,
    NLLLoss,
    SmoothL1Loss,
    SoftmaxCrossEntropyWithLogits,
)
from .conv_more import Conv1dTranspose, Conv2dTranspose, Conv3d, Conv3dTranspose
from .image import *  # noqa: F401,F403
from .normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, SyncBatchNorm
from .normalization_more import BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .pooling import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d
from .pooling_more import *  # noqa: F401,F403
from .wrap import ForwardValueAndGrad, Jvp, TrainOneStepCell, Vjp, WithGradCell, WithLossCell

SiLu = SiLU

__all__ = [name for name in globals() if name[0] != "_"]
