"""Layers of the Transformer (Vaswani et al. 2017), and stacks of them."""
import copy

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_count
from ..common.initializer import initializer
from ..common.tensor import check_tensor
from .activation import GELU, ReLU
from .attention import MultiheadAttention
from .basic import Dense, Dropout
from .cell import Cell
from .container import CellList
from .normalization import LayerNorm

__all__ = ["MultiheadAttention", "TransformerEncoderLayer", "TransformerDecoderLayer", "TransformerEncoder", "TransformerDecoder", "Transformer"]

_FLOATS = (mstype.float16, mstype.float32, mstype.float64, mstype.bfloat16)


def _activation(activation, where):
    """Returns the function for 'relu' or 'gelu', or the given one if it is one of these as a function or a Cell."""
    if isinstance(activation, str):
        if activation not in ("relu", "gelu"):
            raise ValueError("[%s] activation, got %r, expected 'relu' or 'gelu'" % (where, activation))
        return ops.relu if activation == "relu" else ops.gelu
    if isinstance(activation, (ReLU, GELU)) or activation is ops.relu or activation is ops.gelu:
        return activation
    raise ValueError("[%s] activation, got %s, expected 'relu', 'gelu', ops.relu, ops.gelu, nn.ReLU or nn.GELU"
                     % (where, activation))


def _check_padding(mask):
    if mask is not None and check_tensor(mask, "transformer", "src_key_padding_mask").dtype != mstype.bool_ and mask.dtype not in _FLOATS:
        raise AssertionError("[transformer] dtype of src_key_padding_mask, got %s, expected bool or a float" % (mask.dtype,))


class _Layer(Cell):
    """The parts that encoder and decoder layers share: self-attention and two dense layers."""

    def __init__(self, d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
                 dtype, crossed):
        super().__init__()
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, dtype=dtype)
        if crossed:
            self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, dtype=dtype)
        self.dense1 = Dense(d_model, dim_feedforward, dtype=dtype)
        self.dropout = Dropout(p=dropout)
        self.dense2 = Dense(dim_feedforward, d_model, dtype=dtype)
        places = (1, 2, 3) if crossed else (1, 2)
        for at in places:
            setattr(self, "norm%d" % at, LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype))
        for at in places:
            setattr(self, "dropout%d" % at, Dropout(p=dropout))
        self.activation1, self.activation = activation, _activation(activation, type(self).__name__)
        self.d_model, self.nhead, self.dim_feedforward, self.dropout_num = d_model, nhead, dim_feedforward, dropout
        self.layernorm_eps, self.batch_first, self.norm_first, self.dtype = layer_norm_eps, batch_first, norm_first, dtype

    def _sa_block(self, x, attn_mask, key_padding_mask):
        attended = self.self_attn(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False)
        return self.dropout1(attended[0])

    def _feed_forward(self, x):
        return self.dense2(self.dropout(self.activation(self.dense1(x))))


class TransformerEncoderLayer(_Layer):
    """Self-attention, then two dense layers, each part with dropout, a residual connection and a LayerNorm (Vaswani et al. 2017).

    It is called with src (length, batch, d_model), or (batch, length, d_model) with batch_first, perhaps src_mask and
    src_key_padding_mask, and returns a Tensor of the same shape. The inner dense layer has dim_feedforward outputs and the activation, 'relu'
    or 'gelu'. norm_first puts the LayerNorm before each part instead of behind it.

    Raises ValueError for another activation, and for a d_model that nhead does not divide.

    >>> import msjit as ms
    >>> layer = ms.nn.TransformerEncoderLayer(8, 2, dim_feedforward=16)
    >>> layer(ms.ops.zeros((5, 3, 8), ms.float32)).shape
    (5, 3, 8)
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation="relu", layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, dtype=mstype.float32):
        super().__init__(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
                         dtype, False)

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        """Encodes src (length, batch, d_model), or (batch, length, d_model) with batch_first."""
        _check_padding(src_key_padding_mask)
        if self.norm_first:
            src = src + self._sa_block(self.norm1(src), src_mask, src_key_padding_mask)
            return src + self._ff_block(self.norm2(src))
        src = self.norm1(src + self._sa_block(src, src_mask, src_key_padding_mask))
        return self.norm2(src + self._ff_block(src))

    def _ff_block(self, x):
        return self.dropout2(self._feed_forward(x))


class TransformerDecoderLayer(_Layer):
    """As TransformerEncoderLayer, with attention to the encoder's output between self-attention and dense layers (Vaswani et al. 2017).

    It is called with tgt (target length, batch, d_model), memory (source length, batch, d_model) and perhaps masks for both, and returns a Tensor
    of the shape of tgt. With batch_first the batch is the first axis. Raises ValueError for a d_model that nhead does not divide and for another
    activation, TypeError for a dropout that is no float.
    """

    def __init__(self, d_model, nhead, dim_feedforward=2048, dropout=0.1, activation="relu", layer_norm_eps=1e-5,
                 batch_first=False, norm_first=False, dtype=mstype.float32):
        super().__init__(d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first,
                         dtype, True)

    def _mha_block(self, x, mem, attn_mask, key_padding_mask):
        return self.dropout2(self.multihead_attn(x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask,
                                                 need_weights=False)[0])

    def construct(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                  memory_key_padding_mask=None):
        """Decodes tgt (target length, batch, d_model), attending to memory (source length, batch, d_model); the batch
        comes first with batch_first."""
        if self.norm_first:
            tgt = tgt + self._sa_block(self.norm1(tgt), tgt_mask, tgt_key_padding_mask)
            tgt = tgt + self._mha_block(self.norm2(tgt), memory, memory_mask, memory_key_padding_mask)
            return tgt + self._ff_block(self.norm3(tgt))
        tgt = self.norm1(tgt + self._sa_block(tgt, tgt_mask, tgt_key_padding_mask))
        tgt = self.norm2(tgt + self._mha_block(tgt, memory, memory_mask, memory_key_padding_mask))
        return self.norm3(tgt + self._ff_block(tgt))

    def _ff_block(self, x):
        return self.dropout3(self._feed_forward(x))


class _Stack(Cell):
    """num_layers layers with the arguments of the given one, all starting from the same weights, and a norm behind them. As in MindSpore
    they are of the class `kind`, also if the given one is of a class derived from it."""

    def __init__(self, kind, layer, num_layers, norm):
        super().__init__()
        if not isinstance(layer, Cell):
            raise TypeError("[%s] layer, got %s, expected a %s" % (type(self).__name__, type(layer).__name__, kind.__name__))
        first = kind(layer.d_model, layer.nhead, layer.dim_feedforward, layer.dropout_num, layer.activation1, layer.layernorm_eps,
                     layer.batch_first, layer.norm_first, dtype=layer.dtype)
        self.layers = CellList([copy.deepcopy(first) for _ in range(check_count(num_layers, type(self).__name__, "num_layers"))])
        self.num_layers, self.norm = num_layers, norm


class TransformerEncoder(_Stack):
    """A stack of num_layers TransformerEncoderLayers (Vaswani et al. 2017), and `norm` behind them if it is given.

    The layers have the arguments of the given one. src (length, batch, d_model), with batch_first (batch, length, d_model), keeps its shape.
    src_mask (length, length) and src_key_padding_mask (batch, length) are as in the layer. Raises TypeError for a layer that is no Cell,
    ValueError for another d_model.
    """

    def __init__(self, encoder_layer, num_layers, norm=None):
        super().__init__(TransformerEncoderLayer, encoder_layer, num_layers, norm)

    def construct(self, src, src_mask=None, src_key_padding_mask=None):
        _check_padding(src_key_padding_mask)
        for layer in self.layers:
            src = layer(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return src if self.norm is None else self.norm(src)


class TransformerDecoder(_Stack):
    """A stack of num_layers TransformerDecoderLayers (Vaswani et al. 2017), and `norm` behind them if it is given.

    The layers have the arguments of the given one. tgt (target length, batch, d_model) attends to memory (source length, batch, d_model) and
    keeps its shape; with batch_first the batch comes first. Masks are as in the layer. Raises TypeError for a layer that is no Cell, ValueError
    for another d_model.
    """

    def __init__(self, decoder_layer, num_layers, norm=None):
        super().__init__(TransformerDecoderLayer, decoder_layer, num_layers, norm)

    def construct(self, tgt, memory, tgt_mask=None, memory_mask=None, tgt_key_padding_mask=None,
                  memory_key_padding_mask=None):
        for layer in self.layers:
            tgt = layer(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                        tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask)
        return tgt if self.norm is None else self.norm(tgt)


class Transformer(Cell):
    """Encoder and decoder (Vaswani et al. 2017): src (source length, batch, d_model) and tgt (target length, batch, d_model) give the shape of tgt.

    With batch_first the batch comes first. custom_encoder and custom_decoder replace the stacks. Raises ValueError for a d_model that nhead does
    not divide, and for sizes of src and tgt that do not fit.
    """

    def __init__(self, d_model=512, nhead=8, num_encoder_layers=6, num_decoder_layers=6, dim_feedforward=2048, dropout=0.1,
                 activation="relu", custom_encoder=None, custom_decoder=None, layer_norm_eps=1e-5, batch_first=False,
                 norm_first=False, dtype=mstype.float32):
        super().__init__()
        args = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        if custom_encoder is None:
            norm = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
            custom_encoder = TransformerEncoder(TransformerEncoderLayer(*args, dtype=dtype), num_encoder_layers, norm)
        if custom_decoder is None:
            norm = LayerNorm((d_model,), epsilon=layer_norm_eps, dtype=dtype)
            custom_decoder = TransformerDecoder(TransformerDecoderLayer(*args, dtype=dtype), num_decoder_layers, norm)
        self.encoder, self.decoder = custom_encoder, custom_decoder
        for param in self.get_parameters():
            if param.ndim > 1:
                param.set_data(initializer("xavier_uniform", param.shape, param.dtype))
        self.d_model, self.nhead, self.batch_first = d_model, nhead, batch_first

    def construct(self, src, tgt, src_mask=None, tgt_mask=None, memory_mask=None, src_key_padding_mask=None,
                  tgt_key_padding_mask=None, memory_key_padding_mask=None):
        check_tensor(src, "Transformer", "src"), check_tensor(tgt, "Transformer", "tgt")
        axis = 0 if self.batch_first else 1
        if src.ndim < 2 or tgt.ndim < 2:
            raise ValueError("[Transformer] ranks of src and tgt, got %d and %d, expected 2 or 3" % (src.ndim, tgt.ndim))
        if src.ndim == 3 and src.shape[axis] != tgt.shape[axis]:
            raise ValueError("[Transformer] batch of src and tgt, got %d and %d, expected the same"
                             % (src.shape[axis], tgt.shape[axis]))
        if src.shape[-1] != self.d_model or tgt.shape[-1] != self.d_model:
            raise ValueError("[Transformer] features of src and tgt, got %d and %d, expected %d"
                             % (src.shape[-1], tgt.shape[-1], self.d_model))
        memory = self.encoder(src, src_mask=src_mask, src_key_padding_mask=src_key_padding_mask)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask)
