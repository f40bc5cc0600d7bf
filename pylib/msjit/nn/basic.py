"""Dense, Dropout, Flatten, Embedding, Identity, Pad: layers without a family of their own."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.initializer import HeUniform, Uniform, initializer
from ..common.parameter import Parameter
from .activation import get_activation
from .cell import Cell

_linear = ops.registry.linear
_pad = ops.registry.pad
_flatten = ops.registry.flatten
# Primitives that layers have as attributes, for subclasses that call them.
_MATMUL, _BIAS_ADD, _RESHAPE, _SHAPE = ops.MatMul(transpose_b=True), ops.BiasAdd(), ops.Reshape(), ops.Shape()
_GATHER, _EXPAND_DIMS = ops.Gather(), ops.ExpandDims()


class Identity(Cell):
    """Returns its input."""

    def construct(self, x):
        return x


class Dense(Cell):
    """y = activation(x W^T + b) over the last axis.

    x has the shape (..., in_channels), y (..., out_channels); the weight W is (out_channels, in_channels). Raises ValueError where the last
    axis of x is another.

    >>> import msjit as ms
    >>> layer = ms.nn.Dense(3, 2, weight_init="ones", bias_init="zeros", activation="relu")
    >>> layer(ms.Tensor([[1.0, 2.0, 3.0], [-1.0, -1.0, -1.0]])).asnumpy().tolist()
    [[6.0, 6.0], [0.0, 0.0]]
    """

    def __init__(self, in_channels, out_channels, weight_init=None, bias_init=None, has_bias=True, activation=None,
                 dtype=mstype.float32):
        super().__init__()
        self.in_channels = positive_int(in_channels, "dense", "in_channels")
        self.out_channels = positive_int(out_channels, "dense", "out_channels")
        if not isinstance(has_bias, bool):
            raise TypeError("[dense] has_bias must be a bool, got %s" % type(has_bias).__name__)
        self.has_bias = has_bias
        if weight_init is None:
            weight_init = HeUniform(math.sqrt(5))
        self.weight = Parameter(initializer(weight_init, [out_channels, in_channels], dtype), name="weight")
        self.bias = None
        if has_bias:
            if bias_init is None:
                bias_init = Uniform(1 / math.sqrt(in_channels))
            self.bias = Parameter(initializer(bias_init, [out_channels], dtype), name="bias")
        self.activation = get_activation(activation)
        self.activation_flag = self.activation is not None
        self.matmul, self.bias_add, self.reshape, self.shape_op = _MATMUL, _BIAS_ADD, _RESHAPE, _SHAPE

    def construct(self, x):
        x = _linear(x, self.weight, self.bias)
        if self.activation is not None:
            x = self.activation(x)
        return x

    def extend_repr(self):
        return "input_channels=%d, output_channels=%d, has_bias=%s" % (
            self.in_channels, self.out_channels, self.has_bias)


class Flatten(Cell):
    """Joins the axes start_dim..end_dim into one.

    >>> import msjit as ms
    >>> ms.nn.Flatten()(ms.ops.zeros((2, 3, 4), ms.float32)).shape
    (2, 12)
    """

    def __init__(self, start_dim=1, end_dim=-1):
        super().__init__()
        for axis in (start_dim, end_dim):
            if isinstance(axis, bool) or not isinstance(axis, int):
                raise TypeError("[flatten] start_dim and end_dim must be ints, got %s" % type(axis).__name__)
        self.start_dim, self.end_dim = start_dim, end_dim

    def construct(self, x):
        return _flatten(x, self.start_dim, self.end_dim)


class Dropout(Cell):
    """In training, zeroes elements with probability p (or 1 - keep_prob) and scales the others.

    >>> import msjit as ms
    >>> drop, x = ms.nn.Dropout(p=0.5), ms.ops.ones((1000,), ms.float32)
    >>> sorted(set(drop.set_train()(x).asnumpy().tolist())), float(drop.set_train(False)(x).sum())
    ([0.0, 2.0], 1000.0)
    """

    def __init__(self, keep_prob=0.5, p=None, dtype=mstype.float32):
        super().__init__()
        drop = 1.0 - keep_prob if p is None else p
        if isinstance(drop, bool) or not isinstance(drop, (int, float)):
            raise TypeError("[dropout] p must be a float, got %s" % type(drop).__name__)
        if not 0 <= drop < 1:
            raise ValueError("[dropout] p must be in [0, 1), got %s" % drop)
        self.p = float(drop)
        self.keep_prob = 1.0 - self.p
        self.dropout = ops.Dropout(self.keep_prob)

    def construct(self, x):
        if not self.training or self.p == 0:
            return x
        return ops.dropout(x, p=self.p, training=True)

    def extend_repr(self):
        return "p=%s" % self.p


class Embedding(Cell):
    """Rows of a table, looked up by integer index.

    Integers of any shape (...) give a Tensor (..., embedding_size).

    >>> import msjit as ms
    >>> ms.nn.Embedding(10, 4)(ms.Tensor([[1, 2, 3]], ms.int32)).shape
    (1, 3, 4)
    """

    def __init__(self, vocab_size, embedding_size, use_one_hot=False, embedding_table="normal", dtype=mstype.float32,
                 padding_idx=None):
        super().__init__()
        self.vocab_size = positive_int(vocab_size, "embedding", "vocab_size")
        self.embedding_size = positive_int(embedding_size, "embedding", "embedding_size")
        self.use_one_hot, self.padding_idx = use_one_hot, padding_idx
        table = initializer(embedding_table, [vocab_size, embedding_size], dtype)
        if padding_idx is not None:
            if not 0 <= padding_idx < vocab_size:
                raise ValueError("[embedding] padding_idx out of range, got %s, expected below %d"
                                 % (padding_idx, vocab_size))
            values = table.asnumpy().copy()
            values[padding_idx] = 0
            table = type(table)(values)
        self.embedding_table = Parameter(table, name="embedding_table")
        self.gather, self.reshape, self.get_shp, self.expand = _GATHER, _RESHAPE, _SHAPE, _EXPAND_DIMS

    def construct(self, ids):
        return ops.embedding(ids, self.embedding_table)

    def extend_repr(self):
        return "vocab_size=%d, embedding_size=%d" % (self.vocab_size, self.embedding_size)


class Pad(Cell):
    """Pads every axis with zeros, or with mirrored values: paddings is ((before, after), ...)."""

    def __init__(self, paddings, mode="CONSTANT"):
        super().__init__()
        if not isinstance(paddings, tuple):
            raise TypeError("[pad] paddings must be a tuple, got %s" % type(paddings).__name__)
        if mode not in ("CONSTANT", "REFLECT", "SYMMETRIC"):
            raise ValueError("[pad] mode, got %r, expected 'CONSTANT', 'REFLECT' or 'SYMMETRIC'" % (mode,))
        self.paddings, self.mode = tuple(tuple(pair) for pair in paddings), mode

    def construct(self, x):
        if x.ndim != len(self.paddings):
            raise ValueError("[pad] paddings must be pairs for each axis, got %d for %d axes"
                             % (len(self.paddings), x.ndim))
        if self.mode == "CONSTANT":
            return _pad(x, [before for before, _ in self.paddings], [after for _, after in self.paddings], 0)
        for axis, (before, after) in enumerate(self.paddings):
            x = ops.array_func._mirror(x, axis, before, after, self.mode == "SYMMETRIC")
        return x


class Unfold(Cell):
    """Windows of (N, C, H, W) images laid out along axis 1; see ops.ExtractImagePatches."""

    def __init__(self, ksizes, strides, rates, padding="valid"):
        super().__init__()
        self.extract_image_patches = ops.ExtractImagePatches(ksizes, strides, rates, padding)

    def construct(self, input_x):
        return self.extract_image_patches(input_x)


class ConstantPad2d(Cell):
    """Puts `value` around the last two axes: padding is an int, or (left, right) or (left, right, top, bottom) of ints;
    negative ones cut off."""

    def __init__(self, padding, value):
        super().__init__()
        if isinstance(padding, bool) or not isinstance(padding, (int, tuple)):
            raise TypeError("[constant_pad2d] padding, got %s, expected an int or a tuple" % type(padding).__name__)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError("[constant_pad2d] value, got %s, expected an int or a float" % type(value).__name__)
        padding = (padding,) * 4 if isinstance(padding, int) else padding
        if len(padding) not in (2, 4):
            raise ValueError("[constant_pad2d] length of padding, got %d, expected 2 or 4" % len(padding))
        self.padding, self.value = padding, value

    def construct(self, x):
        left, right, top, bottom = self.padding if len(self.padding) == 4 else self.padding + (0, 0)
        if min(self.padding) < 0:
            rows, columns = x.shape[-2:]
            x = x[..., max(-top, 0):rows - max(-bottom, 0), max(-left, 0):columns - max(-right, 0)]
            left, right, top, bottom = max(left, 0), max(right, 0), max(top, 0), max(bottom, 0)
        lead = [0] * (x.ndim - 2)
        return _pad(x, lead + [top, left], lead + [bottom, right], self.value)


class ClipByNorm(Cell):
    """Scales the input down where its norm over an axis exceeds clip_norm."""

    def __init__(self, axis=None):
        super().__init__()
        self.axis = axis

    def construct(self, x, clip_norm):
        x = ops.cast(x, mstype.float32)
        norm = ops.sqrt(ops.sum(ops.square(x), self.axis, True))
        return x * clip_norm / ops.maximum(norm, clip_norm)


def positive_int(value, where, what):
    """The value, when it is an int above zero."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[%s] %s must be an int, got %s" % (where, what, type(value).__name__))
    if value <= 0:
        raise ValueError("[%s] %s must be positive, got %d" % (where, what, value))
    return value
