"""msjit.mint.nn: layers and losses with the parameters of PyTorch's."""
from .. import _paths
from .. import nn as _nn
from ..nn import (  # noqa: F401
    AdaptiveAvgPool3d, AdaptiveMaxPool2d, Identity, PixelShuffle, ReLU, SoftMarginLoss,
)
from .named_layers import (  # noqa: F401
    BCELoss, ConstantPad1d, ConstantPad2d, ConstantPad3d, CosineEmbeddingLoss, CrossEntropyLoss, Flatten, LogSigmoid, MaxUnpool2d,
    Mish, MSELoss, NLLLoss, ReflectionPad1d, ReflectionPad2d, ReflectionPad3d, ReplicationPad1d, ReplicationPad2d,
    ReplicationPad3d, SELU, Sigmoid, Tanh, UpsampleExt,
)
from .layers import (  # noqa: F401
    AvgPool2dExt, AvgPool3dExt, Conv1d, Conv3d, ConvNames as _ConvNames, ConvTranspose2d, Fold, MaxPool2dExt, UnfoldExt,
    inner_padding as _inner_padding,
)
from ..nn import HShrink as Hardshrink  # noqa: F401
from ..nn import HSigmoid as Hardsigmoid  # noqa: F401
from ..nn import HSwish as Hardswish  # noqa: F401
from . import functional  # noqa: F401
from .layer_variants import (  # noqa: F401
    ELU, BatchNorm1d, BatchNorm2d, BatchNorm3d, BCEWithLogitsLoss, Dropout2dExt, DropoutExt, EmbeddingExt, GroupNorm, Hardtanh,
    KLDivLoss, L1LossExt, LayerNormExt, LogSoftmaxExt, PReLUExt, ReLU6, SiLU, SmoothL1Loss, SoftmaxExt, Threshold,
)
from .sync_batch_norm import SyncBatchNorm  # noqa: F401
from .unbatched import one_or_many as _one_or_many
from .function_layers import (  # noqa: F401
    GLU, AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveMaxPool1d, AvgPool1dExt, SoftShrink, UpsamplingBilinear2d, UpsamplingNearest2d,
    ZeroPad1d, ZeroPad2d, ZeroPad3d,
)

__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.


class Linear(_nn.Dense):
    """Fully connected layer: y = x W^T + b over the last axis, from (..., in_features) to (..., out_features).

    The weight has the shape (out_features, in_features), the bias (out_features,). Raises ValueError for a last size other than in_features and
    for features below 1, TypeError for features that are no ints and for another dtype than that of the weight.
    """

    def __init__(self, in_features, out_features, bias=True, weight_init=None, bias_init=None, dtype=None):
        extra = {} if dtype is None else {"dtype": dtype}
        super().__init__(in_features, out_features, weight_init, bias_init, bias, **extra)
        self.in_features, self.out_features = in_features, out_features

    def extend_repr(self):
        text = "input_features=%d, output_features=%d" % (self.in_features, self.out_features)
        return text + (", has_bias=True" if self.has_bias else "")


class Conv2d(_ConvNames, _nn.Conv2d):
    """2-D convolution: an input (N, in_channels, H, W), or one image (in_channels, H, W), gives (N, out_channels, H', W').

    The weight has the shape (out_channels, in_channels / groups, kH, kW), the bias (out_channels,). `padding` is an int or (rows, columns),
    added on both sides, or 'same' or 'valid'; padding_mode 'reflect', 'replicate' or 'circular' pads with elements of the image instead of
    zeros. Raises ValueError for another padding_mode, channels that `groups` does not divide, and another number of channels.

    >>> import msjit as ms
    >>> ms.mint.nn.Conv2d(3, 8, 3)(ms.ops.zeros((1, 3, 16, 16), ms.float32)).shape
    (1, 8, 14, 14)
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1, bias=True,
                 padding_mode="zeros", dtype=None):
        inner = _inner_padding("conv2d", padding, padding_mode)
        extra = {} if dtype is None else {"dtype": dtype}
        if isinstance(inner, str):
            super().__init__(in_channels, out_channels, kernel_size, stride, inner, 0, dilation, groups, bias, **extra)
        else:
            top, left = (inner, inner) if isinstance(inner, int) else inner
            super().__init__(in_channels, out_channels, kernel_size, stride, "pad", (top, top, left, left), dilation,
                             groups, bias, **extra)
        self._name_arguments(2, padding, groups, padding_mode=padding_mode)

    def construct(self, input):
        return _one_or_many(super().construct, 2, self._padded(input))


class GELU(_nn.GELU):
    """GELU activation, element by element: x times the normal distribution function of x (Hendrycks and Gimpel 2016).

    approximate 'tanh' computes 0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))) instead. Raises ValueError for another word than 'none'
    or 'tanh', TypeError for anything but a Tensor.
    """

    def __init__(self, approximate="none"):
        if approximate not in ("none", "tanh"):
            raise ValueError("[gelu] approximate, got %r, expected 'none' or 'tanh'" % (approximate,))
        super().__init__(approximate == "tanh")

    def construct(self, input):
        return super().construct(input)


# Class names, which a printed network shows, end in Ext where MindSpore has an older layer of the same name; programs use these names.
AvgPool1d, AvgPool2d, AvgPool3d, MaxPool2d, Unfold = AvgPool1dExt, AvgPool2dExt, AvgPool3dExt, MaxPool2dExt, UnfoldExt
Dropout, Dropout2d, Embedding, LayerNorm, PReLU = DropoutExt, Dropout2dExt, EmbeddingExt, LayerNormExt, PReLUExt
Softmax, LogSoftmax, L1Loss, Upsample, Softshrink = SoftmaxExt, LogSoftmaxExt, L1LossExt, UpsampleExt, SoftShrink

_paths.reach(__name__)
