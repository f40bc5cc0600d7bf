"""A convolution or a dense layer followed by normalisation and activation."""
from .activation import LeakyReLU, get_activation
from .basic import Dense
from .cell import Cell
from .conv import Conv2d
from .normalization import BatchNorm1d, BatchNorm2d

__all__ = ["Conv2dBnAct", "DenseBnAct"]


def _activation(where, activation, alpha):
    if activation is not None and not isinstance(activation, str) and not callable(activation):
        raise TypeError("[%s] activation, got %s, expected a name or a Cell" % (where, type(activation).__name__))
    return LeakyReLU(alpha) if activation == "leakyrelu" else get_activation(activation)


class Conv2dBnAct(Cell):
    """Conv2d, then BatchNorm2d if has_bn, then an activation if one is given; alpha is the slope of 'leakyrelu'.

    after_fake changes nothing; in MindSpore it concerns the training of quantised networks.
    """

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 has_bias=False, weight_init="normal", bias_init="zeros", has_bn=False, momentum=0.997, eps=1e-5, activation=None,
                 alpha=0.2, after_fake=True):
        super().__init__()
        self.conv = Conv2d(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias,
                           weight_init, bias_init)
        self.has_bn, self.has_act, self.after_fake = bool(has_bn), activation is not None, after_fake
        if has_bn:
            self.batchnorm = BatchNorm2d(out_channels, eps, momentum)
        self.activation = _activation("conv2d_bn_act", activation, alpha)

    def construct(self, x):
        x = self.conv(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


class DenseBnAct(Cell):
    """Dense from (N, in_channels) to (N, out_channels), then BatchNorm1d if has_bn, then an activation if one is given, a name or a Cell.

    alpha is the slope of 'leakyrelu'; after_fake is ignored. Raises KeyError for an unknown name; errors of inputs are those of the layers.
    """

    def __init__(self, in_channels, out_channels, weight_init="normal", bias_init="zeros", has_bias=True, has_bn=False,
                 momentum=0.9, eps=1e-5, activation=None, alpha=0.2, after_fake=True):
        super().__init__()
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self.has_bn, self.has_act, self.after_fake = bool(has_bn), activation is not None, after_fake
        if has_bn:
            self.batchnorm = BatchNorm1d(out_channels, eps, momentum)
        self.activation = _activation("dense_bn_act", activation, alpha)

    def construct(self, x):
        x = self.dense(x)
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x
