"""Primitives: classes whose instances are called, ops.Add()(x, y). Attributes go to the constructor.

The __call__ of a primitive is Python code that calls a function, so the JIT can inline it. Primitives without attributes are rows of
_UNARY, _BINARY and _OTHER; those with attributes are classes below.
"""
import sys as _sys

from .. import _paths
from ..absent import attributes as _absent
from ..common import dtype as _mstype
from ..common.checks import or_all_axes as _or_all_axes
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from ..first_use import kept as _kept
from . import _sparse
from . import activation_func as _ac
from . import array_func as _a
from . import index_func as _i
from . import math_func as _m
from . import nn_func as _n
from . import other_func as _o
from . import reduction_func as _r
from . import registry as _k
from .array_operations import *  # noqa: F401,F403
from .attention_operations import *  # noqa: F401,F403
from .call_names import name_operands as _name_operands
from .communication_operations import *  # noqa: F403
from .communication_operations import ReduceOp  # noqa: F401
from .composite import constexpr  # noqa: F401 - MindSpore has it in the same module as Primitive
from .counting_operations import *  # noqa: F403
from .custom_operation import Custom  # noqa: F401
from .distorted_boxes import SampleDistortedBoundingBoxV2  # noqa: F401
from .drawn_operations import *  # noqa: F403
from .elsewhere_operations import *  # noqa: F403
from .factor_func import Eig  # noqa: F401
from .gradient_operations import HookBackward, InsertGradientOf  # noqa: F401
from .image_operations import *  # noqa: F401,F403
from .loop_operations import *  # noqa: F401,F403
from .loss_operations import *  # noqa: F403
from .nn_operations import (  # noqa: F401
    AvgPool,
    BiasAdd,
    Conv2D,
    Dropout,
    Elu,
    GeLU,
    LayerNorm,
    LeakyReLU,
    MaxPool,
    SoftmaxCrossEntropyWithLogits,
    StandardNormal,
    UniformReal,
)
from .optimizer_operations import *  # noqa: F403
from .primitive import Primitive, PrimitiveWithCheck, PrimitiveWithInfer  # noqa: F401
from .primitive import plain_rows as _plain_rows
from .recurrent_operations import *  # noqa: F403
from .shape_operations import *  # noqa: F403
from .sparse_steps import *  # noqa: F403
from .suppression_operations import *  # noqa: F403
from .transform_operations import *  # noqa: F403
from .vision_operations import *  # noqa: F403


class _Unary(Primitive):
    def __call__(self, x):
        return self._op(x)


class _Binary(Primitive):
    def __call__(self, x, y):
        return self._op(x, y)


def _tensor_shape(x):
    """The shape as an int64 Tensor."""
    return _Tensor(_check_tensor(x, "tensor_shape").shape, _mstype.int64)


def _flatten_rows(input_x):
    """Reshapes to (first size, all others); a vector becomes (size, 1)."""
    return _k.reshape(input_x, (-1, 1)) if _check_tensor(input_x, "flatten").ndim == 1 else _a.flatten(input_x)


_UNARY = {
    "Abs": _k.abs, "Neg": _k.neg, "Exp": _k.exp, "Log": _k.log, "Sqrt": _k.sqrt, "Rsqrt": _k.rsqrt,
    "Square": _k.square, "Sin": _k.sin, "Cos": _k.cos, "Tan": "tan", "Asin": "asin", "ACos": "acos", "Atan": "atan",
    "Sinh": "sinh", "Cosh": "cosh", "Asinh": "asinh", "Acosh": "acosh", "Atanh": "atanh",
    "Tanh": _k.tanh, "Sigmoid": _k.sigmoid, "Erf": "erf", "Erfc": "erfc", "Expm1": "expm1", "Log1p": "log1p",
    "Floor": "floor", "Ceil": "ceil", "Rint": "round", "Trunc": "trunc", "Sign": _k.sign,
    "Reciprocal": "reciprocal", "Inv": "reciprocal", "LogicalNot": "logical_not", "Invert": _m.bitwise_not,
    "IsNan": "isnan", "IsInf": "isinf", "IsFinite": "isfinite", "ReLU": _k.relu, "ReLU6": _ac.relu6,
    "Softplus": "softplus", "Softsign": _ac.softsign, "SiLU": _ac.silu, "Mish": _ac.mish, "HSwish": _ac.hardswish,
    "HSigmoid": _ac.hardsigmoid, "ZerosLike": _a.zeros_like, "OnesLike": _a.ones_like, "Flatten": _flatten_rows,
    "Shape": _a.shape, "Rank": _a.rank, "Size": _a.size, "DType": _o.dtype, "StopGradient": _o.stop_gradient,
    "Identity": "identity", "AddN": _m.addn, "Unique": _i.unique, "NonZero": _i.nonzero, "TensorShape": _tensor_shape,
}
_BINARY = {
    "Add": _k.add, "TensorAdd": _k.add, "Sub": _k.sub, "Mul": _k.mul, "Div": _k.div, "RealDiv": _m.real_div,
    "FloorDiv": _k.floor_div, "FloorMod": _k.mod, "Mod": _k.fmod, "Pow": _k.pow, "Maximum": _k.maximum,
    "Minimum": _k.minimum, "Equal": _k.equal, "NotEqual": _k.not_equal, "Less": _k.less,
    "LessEqual": _k.less_equal, "Greater": _k.greater, "GreaterEqual": _k.greater_equal,
    "LogicalAnd": "logical_and", "LogicalOr": "logical_or", "LogicalXor": "logical_xor", "BitwiseAnd": "bitwise_and",
    "BitwiseOr": "bitwise_or", "BitwiseXor": "bitwise_xor", "Atan2": "atan2", "Cast": _o.cast, "Reshape": _k.reshape,
    "Transpose": _k.transpose, "ExpandDims": _k.expand_dims, "Tile": "tile", "BroadcastToOp": _k.broadcast_to,
    "Assign": _o.assign, "AssignAdd": _o.assign_add, "AssignSub": _o.assign_sub, "Depend": _o.depend,
}
_OTHER = {
    "Select": _k.where, "Slice": _a.slice, "GatherD": _i.gather_d, "GatherNd": _i.gather_nd, "MaskedSelect": _i.masked_select,
    "TensorScatterUpdate": _i.tensor_scatter_update, "TensorScatterAdd": _i.tensor_scatter_add, "ScatterNd": _i.scatter_nd,
    "Fill": _a.fill, "MaskedFill": _i.masked_fill, "MakeTuple": _o.make_tuple, "FillV2": _a.full,
    "LinSpace": _a.linspace, "Dense": _n.dense,
}


def _make(rows, base):
    found = {name: getattr(_k, function, None) if isinstance(function, str) else function for name, function in rows.items()}
    _plain_rows(globals(), {name: function for name, function in found.items() if function is not None}, base)


_make(_UNARY, _Unary)
_make(_BINARY, _Binary)
_make(_OTHER, Primitive)


# -- with attributes ---------------------------------------------------------------------------------------------------


class Round(Primitive):
    """Rounds to whole numbers, or to `decimals` decimal places, halves to even: 2.5 gives 2; -1 rounds to tens. Shape and dtype are those of input.

    Raises TypeError for an input that is no Tensor and for decimals that are no int.
    """

    def __call__(self, input, decimals=0):
        return _m.round(input, decimals=decimals)


class MatMul(Primitive):
    """Multiplies matrices: x (n, m), or (m, n) with transpose_a, and y (m, p), or (p, m) with transpose_b, give (n, p).

    Raises ValueError for other ranks and for inner sizes that differ, TypeError for different dtypes.
    """

    def __init__(self, transpose_a=False, transpose_b=False):
        super().__init__()
        self.transpose_a, self.transpose_b = transpose_a, transpose_b

    def __call__(self, x, y):
        _check_tensor(y, "matmul")
        if _check_tensor(x, "matmul").ndim != 2 or y.ndim != 2:
            raise ValueError("[matmul] operands must be matrices, got %d and %d dimensions" % (x.ndim, y.ndim))
        return _k.matmul(x, y, self.transpose_a, self.transpose_b)


class BatchMatMul(MatMul):
    """Multiplies matrices over the last two axes: (..., n, m) and (..., m, p) give (..., n, p). transpose_a and transpose_b are as in MatMul.

    The other axes broadcast, which MindSpore offers on Ascend only. Raises ValueError for tensors of fewer than two axes, for inner sizes that
    differ and for other axes that do not broadcast, TypeError for different dtypes.
    """

    def __call__(self, x, y):
        _check_tensor(y, "batch_matmul")
        if _check_tensor(x, "batch_matmul").ndim < 2 or y.ndim < 2:
            raise ValueError("[batch_matmul] operands must be stacks of matrices, got shapes %s and %s" % (tuple(x.shape), tuple(y.shape)))
        return _k.matmul(x, y, self.transpose_a, self.transpose_b)


class _Reduce(Primitive):
    def __init__(self, keep_dims=False):
        super().__init__()
        self.keep_dims = keep_dims

    def __call__(self, x, axis=()):
        return self._op(x, _or_all_axes(axis), self.keep_dims)


_make({"ReduceMean": _r.mean, "ReduceMax": _k.max, "ReduceMin": _k.min, "ReduceProd": _r.reduce_prod, "ReduceAll": _k.all,
       "ReduceAny": _k.any}, _Reduce)


class ReduceSum(_Reduce):
    """Sums elements over axes, an int or a tuple of ints; () means all axes, or none with skip_mode. With keep_dims they stay, with size 1.

    The result has the dtype of x. Raises ValueError for an axis that x does not have, TypeError for one that is no int.
    """

    def __init__(self, keep_dims=False, skip_mode=False):
        super().__init__(keep_dims)
        self.skip_mode = skip_mode

    def __call__(self, x, axis=()):
        axis = _or_all_axes(axis)
        if self.skip_mode and axis is None:
            return x
        return _r.reduce_sum(x, axis, self.keep_dims)


class _Axis(Primitive):
    def __init__(self, axis=-1):
        super().__init__()
        if self.name == "Softmax" and not isinstance(axis, (int, tuple)):  # MindSpore's LogSoftmax checks its axis only in the call
            raise TypeError("[Softmax] axis, got %s, expected an int or a tuple of ints" % type(axis).__name__)
        self.axis = axis

    def __call__(self, x):
        return self._op(x, self.axis)


_make({"Softmax": _ac.softmax, "LogSoftmax": _ac.log_softmax}, _Axis)


class _Arg(Primitive):
    def __init__(self, axis=-1, output_type=_mstype.int32):
        super().__init__()
        if isinstance(axis, bool) or not isinstance(axis, int):
            raise TypeError("[%s] axis, got %s, expected an int" % (self.name, type(axis).__name__))
        if output_type not in (_mstype.int32, _mstype.int64):
            raise ValueError("[%s] output_type, got %s, expected int32 or int64" % (self.name, output_type))
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


_make({"ArgMaxWithValue": _r.arg_max_with_value, "ArgMinWithValue": _r.arg_min_with_value}, _ArgWithValue)


class Print(Primitive):
    """Prints each input on a line of its own, as ops.print_: of a Tensor shape, dtype and elements. Returns nothing."""

    def __call__(self, *inputs):
        _o.print_(*inputs)


class Partial(Primitive):
    """Binds arguments to a function: Partial()(func, 1)(2) calls func(1, 2), as functools.partial. Raises TypeError unless func is callable."""

    def __call__(self, func, *args, **kwargs):
        if not callable(func):
            raise TypeError("[%s] func, got %s, expected a function" % (self.name, type(func).__name__))
        return _o.partial(func, *args, **kwargs)


_name_operands(globals())
_primexpr = constexpr
__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.
__all__ = ["ReduceOp"] + [name for name, value in list(globals().items())
                          if name[0] != "_" and isinstance(value, type) and issubclass(value, Primitive)]
_refuse = _absent(__name__)
_PARTS = frozenset("""array_ops comm_ops custom_ops debug_ops image_ops inner_ops linalg_ops math_ops nn_ops other_ops random_ops sparse_ops
    spectral_ops _csr_ops""".split())
_INNER_PARTS = frozenset("_grad_ops _inner_ops _infer_ops _scalar_ops _sequence_ops _quant_ops _rl_inner_ops".split())


@_kept
def __getattr__(name):
    """Loads names for sparse tensors and inner kernels on first use. MindSpore's submodules of this module are this module itself."""
    if name in _PARTS:
        return _sys.modules[__name__]
    found = _sparse.find(name)
    if found is None and (name[:1].isupper() or name in _INNER_PARTS):
        from . import _inner_operations
        found = _inner_operations if name in _INNER_PARTS else _inner_operations.find(name)
    return _refuse(name) if found is None else found

_paths.reach(__name__)
