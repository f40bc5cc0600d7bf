"""Primitives: classes whose instances are called, ops.Add()(x, y); attributes go to the constructor.

A primitive is a plain Python object with a Python __call__ into a function, so the JIT looks through it. Those without
attributes are rows of _UNARY, _BINARY and _OTHER; those with attributes are classes below.
"""
from ..common import dtype as _mstype
from ..common.checks import check_format, int_tuple
from ..common.tensor import Tensor as _Tensor
from . import array_func as _a
from . import index_func as _i
from . import math_func as _m
from . import nn_func as _n
from . import other_func as _o
from . import random_func as _r
from . import registry as _k


class Primitive:
    """Base class; `name` is the primitive's name."""

    _function = None

    def __init__(self, name=None):
        if name is not None and not isinstance(name, str):  # an attribute that MindSpore's has and this one has not
            raise TypeError("[%s] name, got %r, expected a str" % (type(self).__name__, name))
        self.name = name or type(self).__name__
        self._op = self._function

    def add_prim_attr(self, name, value):
        """Keeps an attribute; returns self."""
        setattr(self, name, value)
        return self

    def set_device(self, device_target):
        """Accepted for compatibility; returns self."""
        return self

    def shard(self, in_strategy=None, out_strategy=None):
        """Accepted for compatibility; returns self."""
        return self

    recompute = set_stage = lambda self, *args, **kwargs: self

    def __call__(self, *args):
        return self._op(*args)

    def __repr__(self):
        return "Prim[%s]" % self.name


class _Unary(Primitive):
    def __call__(self, x):
        return self._op(x)


class _Binary(Primitive):
    def __call__(self, x, y):
        return self._op(x, y)


_UNARY = {
    "Abs": _k.abs, "Neg": _k.neg, "Exp": _k.exp, "Log": _k.log, "Sqrt": _k.sqrt, "Rsqrt": _k.rsqrt,
    "Square": _k.square, "Sin": _k.sin, "Cos": _k.cos, "Tan": "tan", "Asin": "asin", "ACos": "acos", "Atan": "atan",
    "Sinh": "sinh", "Cosh": "cosh", "Asinh": "asinh", "Acosh": "acosh", "Atanh": "atanh",
    "Tanh": _k.tanh, "Sigmoid": _k.sigmoid, "Erf": "erf", "Erfc": "erfc", "Expm1": "expm1", "Log1p": "log1p",
    "Floor": "floor", "Ceil": "ceil", "Round": "round", "Rint": "round", "Trunc": "trunc", "Sign": _k.sign,
    "Reciprocal": "reciprocal", "Inv": "reciprocal", "LogicalNot": "logical_not", "Invert": _m.bitwise_not,
    "IsNan": "isnan", "IsInf": "isinf", "IsFinite": "isfinite", "ReLU": _k.relu, "ReLU6": _n.relu6,
    "Softplus": "softplus", "Softsign": _n.softsign, "SiLU": _n.silu, "Mish": _n.mish, "HSwish": _n.hardswish,
    "HSigmoid": _n.hardsigmoid, "ZerosLike": _a.zeros_like, "OnesLike": _a.ones_like, "Flatten": _a.flatten,
    "Shape": _a.shape, "Rank": _a.rank, "Size": _a.size, "DType": _o.dtype, "StopGradient": _k.stop_gradient,
    "Identity": "identity", "AddN": _m.addn, "Unique": _i.unique, "NonZero": _a.nonzero, "TensorShape": _a.shape,
}
_BINARY = {
    "Add": _k.add, "TensorAdd": _k.add, "Sub": _k.sub, "Mul": _k.mul, "Div": _k.div, "RealDiv": _k.div,
    "FloorDiv": _k.floor_div, "FloorMod": _k.mod, "Mod": _k.mod, "Pow": _k.pow, "Maximum": _k.maximum,
    "Minimum": _k.minimum, "Equal": _k.equal, "NotEqual": _k.not_equal, "Less": _k.less,
    "LessEqual": _k.less_equal, "Greater": _k.greater, "GreaterEqual": _k.greater_equal,
    "LogicalAnd": "logical_and", "LogicalOr": "logical_or", "LogicalXor": "logical_xor", "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor", "Atan2": "atan2", "Cast": _k.cast, "Reshape": _k.reshape,
    "Transpose": _k.transpose, "ExpandDims": _k.expand_dims, "Tile": "tile", "BroadcastToOp": _k.broadcast_to,
    "Assign": _o.assign, "AssignAdd": _o.assign_add, "AssignSub": _o.assign_sub,
    "Depend": _o.depend, "LinSpace": _a.linspace,
}
_OTHER = {
    "Select": _k.where, "Slice": _a.slice, "GatherD": _i.gather_d, "GatherNd": _i.gather_nd, "MaskedSelect": _i.masked_select,
    "TensorScatterUpdate": _i.tensor_scatter_update, "TensorScatterAdd": _i.tensor_scatter_add, "ScatterNd": _i.scatter_nd,
    "Fill": _a.fill, "MaskedFill": _a.masked_fill, "MakeTuple": _o.make_tuple, "FillV2": _a.full,
    "Dense": _n.dense,
}


def _make(rows, base):
    for name, function in rows.items():
        if isinstance(function, str):
            function = getattr(_k, function, None)
        if function is None:
            continue
        globals()[name] = type(name, (base,), {
            "_function": staticmethod(function), "__module__": __name__,
            "__doc__": "ops.%s as a primitive." % getattr(function, "__name__", name)})


_make(_UNARY, _Unary)
_make(_BINARY, _Binary)
_make(_OTHER, Primitive)


# -- with attributes ---------------------------------------------------------------------------------------------------


class BiasAdd(Primitive):
    """Adds one number a channel: along axis 1, or the last one where data_format is NHWC."""

    def __init__(self, data_format="NCHW"):
        super().__init__()
        if data_format not in ("NCHW", "NHWC", "NCDHW"):
            raise ValueError("[bias_add] data_format, got %r, expected 'NCHW', 'NHWC' or 'NCDHW'" % (data_format,))
        self.data_format = data_format

    def __call__(self, input_x, bias):
        if self.data_format != "NHWC":
            return _n.bias_add(input_x, bias)
        if bias.shape != input_x.shape[-1:]:
            raise ValueError("[bias_add] shape of bias, got %s, expected %s" % (bias.shape, input_x.shape[-1:]))
        return input_x + bias


class Gather(Primitive):
    """Slices along an axis, by index."""

    def __init__(self, batch_dims=0):
        super().__init__()
        self.batch_dims = batch_dims

    def __call__(self, input_params, input_indices, axis):
        return _a.gather(input_params, input_indices, axis, self.batch_dims)


class Range(Primitive):
    """Numbers from start to end; maxlen bounds memory elsewhere and changes nothing here."""

    def __init__(self, maxlen=1000000):
        super().__init__()

    def __call__(self, start, end, step):
        return _a.range(start, end, step)


class MatMul(Primitive):
    """Matrix product of matrices."""

    def __init__(self, transpose_a=False, transpose_b=False):
        super().__init__()
        self.transpose_a, self.transpose_b = transpose_a, transpose_b

    def __call__(self, x, y):
        return _k.matmul(x, y, self.transpose_a, self.transpose_b)


class BatchMatMul(MatMul):
    """Matrix product over the last two axes."""


class _Reduce(Primitive):
    def __init__(self, keep_dims=False):
        super().__init__()
        self.keep_dims = keep_dims

    def __call__(self, x, axis=()):
        return self._op(x, None if axis == () else axis, self.keep_dims)


_make({"ReduceSum": _k.sum, "ReduceMean": _k.mean, "ReduceMax": _k.max, "ReduceMin": _k.min, "ReduceProd": _k.prod,
       "ReduceAll": _k.all, "ReduceAny": _k.any}, _Reduce)


class Concat(Primitive):
    """Joins tensors along an axis."""

    def __init__(self, axis=0):
        super().__init__()
        self.axis = axis

    def __call__(self, tensors):
        return _k.concat(tensors, self.axis)


class Stack(Concat):
    """Joins tensors along a new axis."""

    def __call__(self, tensors):
        return _k.stack(tensors, self.axis)


class Unstack(Primitive):
    """Slices along an axis."""

    def __init__(self, axis=0, num=None):
        super().__init__()
        self.axis = axis

    def __call__(self, x):
        return _a.unstack(x, self.axis)


class Split(Primitive):
    """Equal parts along an axis."""

    def __init__(self, axis=0, output_num=1):
        super().__init__()
        self.axis, self.output_num = axis, output_num

    def __call__(self, x):
        length = x.shape[self.axis]
        if length % self.output_num:
            raise ValueError("[split] size of the axis must be a multiple of output_num, got %d and %d"
                             % (length, self.output_num))
        return _a.split(x, length // self.output_num, self.axis)


class Squeeze(Primitive):
    """Removes axes of size 1."""

    def __init__(self, axis=()):
        super().__init__()
        self.axis = None if axis == () else axis

    def __call__(self, x):
        return _k.squeeze(x, self.axis)


class _Axis(Primitive):
    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def __call__(self, x):
        return self._op(x, self.axis)


_make({"Softmax": _n.softmax, "LogSoftmax": _n.log_softmax}, _Axis)


class _Arg(Primitive):
    def __init__(self, axis=-1, output_type=_mstype.int32):
        super().__init__()
        self.axis, self.output_type = axis, output_type

    def __call__(self, x):
        return _k.cast(self._op(x, self.axis, False), self.output_type)


_make({"Argmax": _k.argmax, "Argmin": _k.argmin}, _Arg)


class _ArgWithValue(Primitive):
    def __init__(self, axis=0, keep_dims=False):
        super().__init__()
        self.axis, self.keep_dims = axis, keep_dims

    def __call__(self, x):
        return self._op(x, self.axis, self.keep_dims)


_make({"ArgMaxWithValue": _m.arg_max_with_value, "ArgMinWithValue": _m.arg_min_with_value}, _ArgWithValue)


class BroadcastTo(Primitive):
    """Repeats axes of size 1 up to a shape."""

    def __init__(self, shape):
        super().__init__()
        self.shape = tuple(shape)

    def __call__(self, x):
        return _k.broadcast_to(x, self.shape)


class OneHot(Primitive):
    """One-hot rows."""

    def __init__(self, axis=-1):
        super().__init__()
        self.axis = axis

    def __call__(self, indices, depth, on_value=1.0, off_value=0.0):
        on_value = on_value if isinstance(on_value, _Tensor) else _Tensor(on_value, _mstype.float32)
        off_value = off_value if isinstance(off_value, _Tensor) else _Tensor(off_value, _mstype.float32)
        return _a.one_hot(indices, depth, on_value, off_value, self.axis)


class InplaceAdd(Primitive):
    """A copy of x with the rows of v added to the rows `indices`; x itself stays, as in MindSpore."""

    def __init__(self, indices):
        super().__init__()
        indices = (indices,) if isinstance(indices, int) and not isinstance(indices, bool) else indices
        if not isinstance(indices, (tuple, list)) or not all(type(i) is int for i in indices):
            raise TypeError("[%s] indices, got %r, expected an int or a tuple of ints" % (self.name, indices))
        self.indices = tuple(indices)

    def __call__(self, x, v):
        return _i.add_rows(self.name, x, self.indices, v)


class InplaceSub(InplaceAdd):
    """A copy of x with the rows of v subtracted from the rows `indices`; x itself stays, as in MindSpore."""

    def __call__(self, x, v):
        return _i.add_rows(self.name, x, self.indices, -v)


class Pad(Primitive):
    """Pads every axis with zeros: paddings is ((before, after), ...)."""

    def __init__(self, paddings):
        super().__init__()
        self.paddings = tuple(tuple(pair) for pair in paddings)

    def __call__(self, x):
        return _k.pad(x, [p[0] for p in self.paddings], [p[1] for p in self.paddings], 0.0)


def _seed(first, second):
    """One seed of the two that primitives take; None where both are 0: the generator's own."""
    return (first << 32 ^ second) % 2**63 if first or second else None


class Dropout(Primitive):
    """(x with elements dropped and the others scaled, mask)"""

    def __init__(self, keep_prob=0.5, Seed0=0, Seed1=0):
        super().__init__()
        self.keep_prob, self.seed = keep_prob, _seed(Seed0, Seed1)

    def __call__(self, x):
        kept = _k.less(_r.draw_uniform(x.shape, _mstype.float32, self.seed), self.keep_prob)
        return _k.where(kept, x / self.keep_prob, _k.zeros_like(x)), _k.cast(kept, x.dtype)


class GeLU(_Unary):
    """The tanh form of GELU."""

    def __call__(self, x):
        return _n.gelu(x, "tanh")


class Elu(Primitive):
    """ELU."""

    def __init__(self, alpha=1.0):
        super().__init__()
        self.alpha = alpha

    def __call__(self, x):
        return _n.elu(x, self.alpha)


class LeakyReLU(Primitive):
    """LeakyReLU."""

    def __init__(self, alpha=0.2):
        super().__init__()
        self.alpha = alpha

    def __call__(self, x):
        return _n.leaky_relu(x, self.alpha)


class NanToNum(Primitive):
    """Replaces NaN and the infinities."""

    def __init__(self, nan=0.0, posinf=None, neginf=None):
        super().__init__()
        self.nan, self.posinf, self.neginf = nan, posinf, neginf

    def __call__(self, x):
        return _m.nan_to_num(x, self.nan, self.posinf, self.neginf)


class Conv2D(Primitive):
    """2-D convolution."""

    def __init__(self, out_channel, kernel_size, mode=1, pad_mode="valid", pad=0, stride=1, dilation=1, group=1,
                 data_format="NCHW"):
        super().__init__()
        check_format(data_format, "conv2d")
        if mode != 1:
            raise ValueError("[conv2d] mode, got %r, expected 1" % (mode,))
        self.out_channel, self.kernel_size = out_channel, int_tuple(kernel_size, 2, "conv2d", "kernel_size")
        self.pad_mode, self.pad, self.stride = pad_mode.lower(), pad, stride
        self.dilation, self.group = dilation, group

    def __call__(self, x, weight):
        if weight.shape[0] != self.out_channel or weight.shape[2:] != self.kernel_size:
            raise ValueError("[conv2d] shape of weight, got %s, expected out_channel %s and kernel_size %s"
                             % (weight.shape, self.out_channel, self.kernel_size))
        return _n.conv2d(x, weight, None, self.stride, self.pad_mode, self.pad, self.dilation, self.group)


class MaxPool(Primitive):
    """Largest element of each window."""

    def __init__(self, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
        super().__init__()
        check_format(data_format, "pool2d")
        self.kernel_size, self.strides, self.pad_mode = kernel_size, strides, pad_mode.lower()

    def __call__(self, x):
        return _n.max_pool2d(x, self.kernel_size, self.strides, pad_mode=self.pad_mode)


class AvgPool(MaxPool):
    """Mean of each window."""

    def __call__(self, x):
        return _n.avg_pool2d(x, self.kernel_size, self.strides, pad_mode=self.pad_mode, count_include_pad=False)


class SoftmaxCrossEntropyWithLogits(Primitive):
    """(loss of each row, gradient of the summed loss by the logits)"""

    def __call__(self, logits, labels):
        return _n.softmax_cross_entropy_with_logits(logits, labels), _k.softmax(logits, -1) - labels


class LayerNorm(Primitive):
    """(normalised x, mean, variance)"""

    def __init__(self, begin_norm_axis=1, begin_params_axis=1, epsilon=1e-7):
        super().__init__()
        self.begin_norm_axis, self.begin_params_axis, self.epsilon = begin_norm_axis, begin_params_axis, epsilon

    def __call__(self, x, gamma, beta):
        axes = tuple(range(self.begin_norm_axis % x.ndim, x.ndim))
        mean = _k.mean(x, axes, True)
        variance = _k.mean(_k.square(x - mean), axes, True)
        y = _n.layer_norm_axes(x, gamma, beta, self.begin_norm_axis, self.begin_params_axis, self.epsilon)
        return y, mean, variance


def _shifted(x, axis):
    """The elements moved on by one along an axis; a zero comes first and the last one is lost."""
    axis %= x.ndim
    before = [0] * x.ndim
    before[axis] = 1
    return _k.pad(x, before, [0] * x.ndim, 0)[(slice(None),) * axis + (slice(0, x.shape[axis]),)]


class CumSum(Primitive):
    """Running sums along an axis."""

    def __init__(self, exclusive=False, reverse=False):
        super().__init__()
        self.exclusive, self.reverse = exclusive, reverse

    def __call__(self, x, axis):
        if self.reverse:
            x = _k.flip(x, (axis,))
        if self.exclusive:  # by one place, so that an infinite element does not reach its own sum
            x = _shifted(x, axis)
        out = _k.cumsum(x, axis)
        return _k.flip(out, (axis,)) if self.reverse else out


class StandardNormal(Primitive):
    """Standard normal numbers."""

    def __init__(self, seed=0, seed2=0):
        super().__init__()
        self.seed = _seed(seed, seed2)

    def __call__(self, shape):
        return _r.standard_normal(shape, self.seed)


class UniformReal(Primitive):
    """Uniform numbers in [0, 1)."""

    def __init__(self, seed=0, seed2=0):
        super().__init__()
        self.seed = _seed(seed, seed2)

    def __call__(self, shape):
        return _r.uniform(shape, seed=self.seed)


class Print(Primitive):
    """print"""

    def __call__(self, *inputs):
        print(*inputs)


class Partial(Primitive):
    """functools.partial"""

    def __call__(self, func, *args, **kwargs):
        return _o.partial(func, *args, **kwargs)


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and issubclass(value, Primitive)]
