"""Layers for the optimizer thor: the usual layers, plus the matrices that thor needs. thor itself is not supported."""
from ..absent import names as _absent_names
from ..common import dtype as mstype
from ..common.initializer import initializer
from ..common.parameter import Parameter
from .basic import Dense, Embedding
from .conv import Conv2d
from .embedding import EmbeddingLookup

__all__ = ["DenseThor", "Conv2dThor", "EmbeddingThor", "EmbeddingLookupThor"]


def _kept(name, shape, init="zeros"):
    return Parameter(initializer(init, shape, mstype.float32), name=name, requires_grad=False)


class DenseThor(Dense):
    """A Dense layer with the Parameters matrix_a and matrix_g for thor."""

    def __init__(self, in_channels, out_channels, weight_init="normal", bias_init="zeros", has_bias=True, activation=None):
        super().__init__(in_channels, out_channels, weight_init, bias_init, has_bias, activation)
        self.matrix_a = _kept("matrix_a", [in_channels, in_channels])
        self.matrix_g = _kept("matrix_g", [out_channels, out_channels])


class Conv2dThor(Conv2d):
    """A Conv2d layer with the Parameters a_normalizer, g_normalizer, matrix_a_cov and matrix_g_cov for thor."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, pad_mode="same", padding=0, dilation=1, group=1,
                 has_bias=False, weight_init="normal", bias_init="zeros"):
        super().__init__(in_channels, out_channels, kernel_size, stride, pad_mode, padding, dilation, group, has_bias, weight_init,
                         bias_init)
        size = in_channels * self.kernel_size[0] * self.kernel_size[1]
        self.a_normalizer, self.g_normalizer = _kept("a_normalizer", [1]), _kept("g_normalizer", [1])
        self.matrix_a_cov = _kept("matrix_a", [size, size])
        self.matrix_g_cov = _kept("matrix_g", [out_channels, out_channels])


class EmbeddingThor(Embedding):
    """An Embedding layer with the Parameters matrix_a and matrix_g for thor."""

    def __init__(self, vocab_size, embedding_size, use_one_hot=False, embedding_table="normal", dtype=mstype.float32, padding_idx=None):
        super().__init__(vocab_size, embedding_size, use_one_hot, embedding_table, dtype, padding_idx)
        self.matrix_a, self.matrix_g = _kept("matrix_a", [vocab_size]), _kept("matrix_g", [embedding_size, embedding_size])


class EmbeddingLookupThor(EmbeddingLookup):
    """An EmbeddingLookup layer with the Parameters matrix_a and matrix_g for thor."""

    def __init__(self, vocab_size, embedding_size, param_init="normal", target="CPU", slice_mode="batch_slice", manual_shapes=None,
                 max_norm=None, sparse=True):
        super().__init__(vocab_size, embedding_size, param_init, target, slice_mode, manual_shapes, max_norm, sparse)
        self.matrix_a, self.matrix_g = _kept("matrix_a", [vocab_size]), _kept("matrix_g", [embedding_size, embedding_size])


globals().update(_absent_names(__name__, "thor", "there is no second-order optimizer; nn.AdamWeightDecay and nn.Lamb are"))
