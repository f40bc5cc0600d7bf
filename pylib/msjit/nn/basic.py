"""Layers that have no module of their own: Identity, Dense, BiDense, Flatten, Embedding, OneHot, Unfold."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_count, check_int
from ..common.error_names import ERRORS, rename
from ..common.initializer import HeUniform, Uniform, initializer
from ..common.parameter import Parameter
from ..common.tensor import check_tensor
from .activation import get_activation
from .cell import Cell
from .dropout import Dropout, Dropout1d, Dropout2d, Dropout3d  # noqa: F401 - which MindSpore has in this module
from .padding import Pad  # noqa: F401
from .reduction import ClipByNorm, L1Regularizer, Norm  # noqa: F401

__all__ = """Dropout Flatten Dense Linear ClipByNorm Norm OneHot Pad Unfold Tril Triu MatrixDiag MatrixDiagPart MatrixSetDiag L1Regularizer
    Dropout1d Dropout2d Dropout3d Upsample Roll Identity Unflatten DropoutExt Dropout2dExt""".split()

_linear = ops.registry.linear
_flatten = ops.registry.flatten
# Primitives that the layers have as attributes, because subclasses call them.
_MATMUL, _BIAS_ADD, _RESHAPE, _SHAPE = ops.MatMul(transpose_b=True), ops.BiasAdd(), ops.Reshape(), ops.Shape()
_GATHER, _EXPAND_DIMS = ops.Gather(), ops.ExpandDims()


class Identity(Cell):
    """A layer that returns its input, whatever that is; it has no Parameters."""

    def construct(self, input):
        return input


class Dense(Cell):
    """Fully connected layer: y = activation(x W^T + b) over the last axis.

    x has the shape (..., in_channels), y (..., out_channels), and the weight W (out_channels, in_channels). By default W is drawn by
    HeUniform(sqrt(5)) and b uniformly from +-1 / sqrt(in_channels). Raises ValueError where the last axis of x has another size.

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
        try:
            x = _linear(x, self.weight, self.bias)
        except ERRORS as error:
            rename(error, "dense")
            raise
        if self.activation is not None:
            x = self.activation(x)
        return x

    def extend_repr(self):
        text = "input_channels=%d, output_channels=%d" % (self.in_channels, self.out_channels)
        text += ", has_bias=True" if self.has_bias else ""
        return text + (", activation=%s" % self.activation if self.activation_flag else "")


Dense._keeps_casts = Dense


class BiDense(Cell):
    """Bilinear layer: out[..., k] = sum over i, j of x1[..., i] * W[k, i, j] * x2[..., j], plus b[k].

    x1 is (..., in1_channels) and x2 (..., in2_channels) with the same leading axes. Raises ValueError for other shapes.
    """

    def __init__(self, in1_channels, in2_channels, out_channels, weight_init=None, bias_init=None, has_bias=True,
                 dtype=mstype.float32):
        super().__init__()
        self.in1_channels = positive_int(in1_channels, "bidense", "in1_channels")
        self.in2_channels = positive_int(in2_channels, "bidense", "in2_channels")
        self.out_channels = positive_int(out_channels, "bidense", "out_channels")
        if not isinstance(has_bias, bool):
            raise TypeError("[bidense] has_bias must be a bool, got %s" % type(has_bias).__name__)
        bound = Uniform(1 / math.sqrt(in1_channels))
        shape = [out_channels, in1_channels, in2_channels]
        self.weight = Parameter(initializer(bound if weight_init is None else weight_init, shape, dtype), name="weight")
        self.has_bias, self.bias = has_bias, None
        if has_bias:
            self.bias = Parameter(initializer(bound if bias_init is None else bias_init, [out_channels], dtype), name="bias")

    def construct(self, input1, input2):
        check_tensor(input1, "bidense"), check_tensor(input2, "bidense")
        if input1.shape[-1] != self.in1_channels or input2.shape[-1] != self.in2_channels \
                or input1.shape[:-1] != input2.shape[:-1]:
            raise ValueError("[bidense] shapes of the inputs, got %s and %s, expected (..., %d) and (..., %d)"
                             % (input1.shape, input2.shape, self.in1_channels, self.in2_channels))
        rows = input1.reshape(-1, self.in1_channels)
        weight = ops.transpose(self.weight, (1, 0, 2)).reshape(self.in1_channels, -1)
        product = ops.matmul(rows, weight).reshape(-1, self.out_channels, self.in2_channels)
        out = ops.sum(product * input2.reshape(-1, 1, self.in2_channels), -1)
        out = out if self.bias is None else out + self.bias
        return out.reshape(input1.shape[:-1] + (self.out_channels,))

    def extend_repr(self):
        text = "in1_channels=%d, in2_channels=%d, output_channels=%d" % (self.in1_channels, self.in2_channels, self.out_channels)
        return text + (", has_bias=True" if self.has_bias else "")


class Flatten(Cell):
    """Joins the axes from start_dim to end_dim into one; by default all but the first. Raises ValueError for axes that x does not have.

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


class Embedding(Cell):
    """Looks up rows of a learnt table (vocab_size, embedding_size) by integer index.

    Integers of any shape (...) give a Tensor (..., embedding_size). The row padding_idx starts as zeros. use_one_hot changes nothing.

    Raises ValueError for sizes below 1 and a padding_idx outside the table, IndexError for an index outside it.

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
            if not 0 <= check_int(padding_idx, "embedding", "padding_idx") < vocab_size:
                raise ValueError("[embedding] padding_idx out of range, got %s, expected below %d"
                                 % (padding_idx, vocab_size))
            values = table.asnumpy().copy()
            values[padding_idx] = 0
            table = type(table)(values)
        self.embedding_table = Parameter(table, name="embedding_table")
        self.gather, self.reshape, self.get_shp, self.expand = _GATHER, _RESHAPE, _SHAPE, _EXPAND_DIMS

    def construct(self, ids):
        return ops.embedding(check_tensor(ids, "embedding"), self.embedding_table)

    def extend_repr(self):
        return "vocab_size=%d, embedding_size=%d, use_one_hot=%s, embedding_table=%s, dtype=%s, padding_idx=%s" % (
            self.vocab_size, self.embedding_size, self.use_one_hot, self.embedding_table, self.embedding_table.dtype, self.padding_idx)


class OneHot(Cell):
    """Encodes integers of any shape as vectors of `depth` elements of `dtype` along a new axis: on_value at the index, off_value elsewhere.

    axis is the place of the new axis, -1 for the last. An index outside [0, depth) gives off_value alone. Raises ValueError for a negative depth
    and for an axis that is neither -1 nor up to the rank, TypeError for anything but a Tensor.
    """

    def __init__(self, axis=-1, depth=1, on_value=1.0, off_value=0.0, dtype=mstype.float32):
        super().__init__()
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise TypeError("[one_hot] axis must be an int, got %s" % type(axis).__name__)
        self.axis, self.depth = axis, check_count(depth, "one_hot", "depth")
        self.on_value, self.off_value, self.dtype = on_value, off_value, dtype

    def construct(self, indices):
        if not -1 <= self.axis <= check_tensor(indices, "one_hot").ndim:
            raise ValueError("[one_hot] axis, got %d, expected -1 to %d" % (self.axis, indices.ndim))
        axis = self.axis if self.axis >= 0 else indices.ndim
        shape = [1] * (indices.ndim + 1)
        shape[axis] = self.depth
        hit = ops.expand_dims(indices, axis) == ops.arange(0, self.depth, 1, dtype=indices.dtype).reshape(tuple(shape))
        blank = ops.full(hit.shape, self.off_value, dtype=self.dtype)
        return ops.where(hit, ops.full_like(blank, self.on_value), blank)


class Unfold(Cell):
    """Cuts windows out of (N, C, H, W) images and lays their elements out along axis 1, as ops.ExtractImagePatches: (N, C * kH * kW, H', W').

    ksizes, strides and rates (distances of a window's elements) are lists of four numbers [1, rows, columns, 1]. padding is 'same' or 'valid'.
    Raises ValueError for another padding, TypeError for sizes that are no tuple or list.
    """

    def __init__(self, ksizes, strides, rates, padding="valid"):
        super().__init__()
        self.extract_image_patches = ops.ExtractImagePatches(ksizes, strides, rates, padding)

    def construct(self, input_x):
        return self.extract_image_patches(input_x)


def positive_int(value, where, what):
    """Returns the value if it is an int above 0; raises TypeError or ValueError otherwise."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[%s] %s must be an int, got %s" % (where, what, type(value).__name__))
    if value <= 0:
        raise ValueError("[%s] %s must be positive, got %d" % (where, what, value))
    return value
