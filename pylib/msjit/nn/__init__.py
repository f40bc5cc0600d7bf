"""Layers, losses, optimizers and learning rates."""
import sys

from .. import _paths, optim
from ..first_use import kept as _kept
from ..optim import *  # noqa: F403
from . import (
    activation,
    basic,
    cell,
    container,
    conv,
    dynamic_lr,
    functions,
    image,
    inner_primitives,
    loss,
    normalization,
    padding,
    pooling,
    wrap,
)
from .activation import (
    CELU,
    ELU,
    GELU,
    GLU,
    FastGelu,
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
    RReLU,
    SeLU,
    Sigmoid,
    SiLU,
    Softmax,
    Softmax2d,
    Softmin,
    Softplus,
    SoftShrink,
    Softsign,
    Tanh,
    Tanhshrink,
    Threshold,
    get_activation,
)
from .attention import MultiheadAttention
from .adaptive_pooling import *  # noqa: F403
from .basic import BiDense, Dense, Embedding, Flatten, Identity, OneHot, Unfold
from .cell import Cell
from .container import CellDict, CellList, SequentialCell
from .conv import Conv1d, Conv2d, Conv3d
from .conv_transpose import Conv1dTranspose, Conv2dTranspose, Conv3dTranspose
from .dropout import Dropout, Dropout1d, Dropout2d, Dropout3d
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
from .functions import *  # noqa: F403
from .graph_cell import GraphCell
from .image import *  # noqa: F403
from .instance_norm import InstanceNorm1d, InstanceNorm2d, InstanceNorm3d
from .loss import *  # noqa: F403
from .data_parallel import DistributedGradReducer, SyncBatchNorm
from .normalization import BatchNorm1d, BatchNorm2d, BatchNorm3d, GroupNorm, LayerNorm
from .padding import *  # noqa: F403
from .pooling import (
    AvgPool1d,
    AvgPool2d,
    AvgPool3d,
    LPPool1d,
    LPPool2d,
    MaxPool1d,
    MaxPool2d,
    MaxPool3d,
    MaxUnpool1d,
    MaxUnpool2d,
    MaxUnpool3d,
)
from .reduction import ClipByNorm, L1Regularizer, Moments, Norm, ReduceLogSumExp
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
    ForwardValueAndGrad,
    Jvp,
    ParameterUpdate,
    TimeDistributed,
    TrainOneStepCell,
    Vjp,
    WithEvalCell,
    WithGradCell,
    WithLossCell,
    no_init_parameters,
)
from .wrap_scaled import DynamicLossScaleUpdateCell, FixedLossScaleUpdateCell, TrainOneStepWithLossScaleCell

SiLu = SiLU
inner_primitives.attach([sys.modules[__name__]] + [sys.modules[__name__ + "." + name] for name in (
    "loss_base", "normalization", "adaptive_pooling", "instance_norm")])
learning_rate_schedule = dynamic_lr  # a module of this name in MindSpore

_LATER = {name: module for module, names in {
    "combined": "Conv2dBnAct DenseBnAct", "embedding": "EmbeddingLookup MultiFieldEmbeddingLookup",
    "fractional_pooling": "FractionalMaxPool2d FractionalMaxPool3d", "similarity": "MSSSIM PSNR SSIM",
    "thor_layer": "Conv2dThor DenseThor EmbeddingLookupThor EmbeddingThor thor",
    "micro_batches": """AdaSumByDeltaWeightWrapCell AdaSumByGradWrapCell GetNextSingleOp GradAccumulationCell MicroBatchInterleaved
        OptTFTWrapper _MicroBatch PipelineCell PipelineGradReducer VirtualDatasetCellTriple""",
    "sparse_layers": "SparseTensorDenseMatmul SparseToDense",
}.items() for name in names.split()}
_OF_MINT = {"Linear": "Linear", "LayerNormExt": "LayerNorm", "EmbeddingExt": "Embedding", "DropoutExt": "Dropout",
            "Dropout2dExt": "Dropout2d", "AvgPool2dExt": "AvgPool2d", "AvgPool3dExt": "AvgPool3d", "MaxPool2dExt": "MaxPool2d",
            "LogSoftmaxExt": "LogSoftmax", "PReLUExt": "PReLU", "L1LossExt": "L1Loss", "AvgPool1dExt": "AvgPool1d"}

_METRICS = """Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1 Fbeta HausdorffDistance Loss MAE MSE
    MeanSurfaceDistance Metric OcclusionSensitivity Perplexity Precision ROC Recall RootMeanSquareDistance Top1CategoricalAccuracy Top5CategoricalAccuracy
    TopKCategoricalAccuracy auc get_metric_fn get_metrics names rearrange_inputs""".split()
_MODULES = ("cell", "dynamic_lr", "learning_rate_schedule", "loss", "wrap")
__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and (not isinstance(value, type(sys)) or name in _MODULES)]
__all__ += [*(name for name in _LATER if name[0] != "_"), *_OF_MINT]
from . import layer  # noqa: E402  - it has the names above
__all__ += _METRICS


def _of_package(name):
    """Finds a name that a module of nn lacks, because MindSpore divides the layers into other modules."""
    if name[:2] != "__" and (name in globals() or name in _LATER or name in _OF_MINT):
        return getattr(sys.modules[__name__], name)
    raise AttributeError("module of msjit.nn has no attribute %r" % name)


for _module in (activation, basic, container, conv, functions, image, normalization, padding, pooling, wrap):
    _module.__getattr__ = _of_package
_paths.reach(wrap.__name__)


@_kept
def __getattr__(name):
    """Loads on first use the layers that few programs use, the metrics, and layers of mint.nn that MindSpore also has in nn."""
    import importlib
    if name in ("probability", "embedding", "utils"):
        return importlib.import_module(__name__ + "." + name)
    if name in ("metrics", "optim"):  # modules of these names in MindSpore
        return importlib.import_module("..train.metrics" if name == "metrics" else "..optim", __name__)
    if name in _LATER:
        return getattr(importlib.import_module("%s.%s" % (__name__, _LATER[name])), name)
    if name in _OF_MINT:
        from .. import mint
        return getattr(mint.nn, _OF_MINT[name])
    if name in _METRICS:
        from ..train import metrics
        return getattr(metrics, name)
    raise AttributeError("module 'msjit.nn' has no attribute %r" % name)


_paths.reach(__name__)
# `from mindspore.nn.optim import *` and that of nn.layer.image give these too. They are added here, as this module has taken its names from
# there before.
optim.__all__ = [*optim.__all__, *optim._OF_NN]
image.__all__ = [*image.__all__, "SSIM", "MSSSIM", "PSNR"]
