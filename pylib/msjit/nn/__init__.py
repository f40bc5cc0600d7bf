"""Layers, losses, optimizers and learning rates."""
import sys

from .. import optim
from ..optim import *  # noqa: F403
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
from .activation_more import FastGelu, GLU, RReLU, SeLU, Softmax2d, Softmin, Threshold
from .attention import MultiheadAttention
from .basic import ClipByNorm, ConstantPad2d, Dense, Dropout, Embedding, Flatten, Identity, Pad, Unfold
from .basic_more import (
    BiDense,
    Dropout1d,
    Dropout2d,
    Dropout3d,
    L1Regularizer,
    Moments,
    Norm,
    OneHot,
)
from .cell import Cell
from .graph_cell import GraphCell
from .container import CellDict, CellList, SequentialCell
from .conv import Conv1d, Conv2d
from .conv_more import Conv1dTranspose, Conv2dTranspose, Conv3d, Conv3dTranspose
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
from .image import *  # noqa: F403
from .loss import *  # noqa: F403
from .normalization import BatchNorm1d, BatchNorm2d, GroupNorm, LayerNorm, SyncBatchNorm
from .normalization_more import BatchNorm3d, InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .pooling import AdaptiveAvgPool2d, AvgPool2d, MaxPool2d
from .pooling_more import *  # noqa: F403
from .rnn import GRU, LSTM, RNN
from .rnn_cells import GRUCell, LSTMCell, RNNCell
from .transformer import (
    Transformer,
    TransformerDecoder,
    TransformerDecoderLayer,
    TransformerEncoder,
    TransformerEncoderLayer,
)
from .wrap import (
    DistributedGradReducer,
    ForwardValueAndGrad,
    Jvp,
    ParameterUpdate,
    TimeDistributed,
    TrainOneStepCell,
    Vjp,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
)
from .wrap_scaled import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell, TrainOneStepWithLossScaleCell

SiLu = SiLU
learning_rate_schedule, layer = dynamic_lr, sys.modules[__name__]  # MindSpore's modules of these names

_OF_MINT = {"Linear": "Linear", "LayerNormExt": "LayerNorm", "EmbeddingExt": "Embedding", "DropoutExt": "Dropout",
            "Dropout2dExt": "Dropout2d", "LogSoftmaxExt": "LogSoftmax", "PReLUExt": "PReLU", "L1LossExt": "L1Loss"}

__all__ = [name for name in globals() if name[0] != "_"]


def __getattr__(name):
    """The metrics, and the layers of mint.nn, which MindSpore has under nn too; loaded at the first use."""
    if name in _OF_MINT:
        from .. import mint
        return getattr(mint.nn, _OF_MINT[name])
    if not name.startswith("_"):
        from ..train import metrics
        if name in metrics.__all__:
            return getattr(metrics, name)
    raise AttributeError("module 'msjit.nn' has no attribute %r" % name)
