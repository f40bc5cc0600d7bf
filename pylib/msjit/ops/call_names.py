"""The parameter names of MindSpore's primitives, for calls such as ops.Add()(input=a, other=b).

Most primitives here share a few methods whose parameters have other names. A class in the table gets a copy of its method with the
parameters renamed, so a call costs no more than before.
"""
import sys
import types

from .primitive import Primitive, Row

# names of the operands (`=` after optional ones): primitives. A line with more indentation continues the one before.
_TABLE = """
    input: ACos Abs Acosh AdaptiveMaxPool2D Angle ArgMaxWithValue ArgMinWithValue Asin Asinh Atan Atanh BroadcastTo Ceil Conj Cos Cosh
        Cummax Cummin Diag Erf Erfc Erfinv Exp Expm1 Floor GeLU Geqrf HShrink HSigmoid HSwish IsFinite IsInf Log Log1p
        LogMatrixDeterminant LogicalNot Logit MatrixDeterminant MatrixExp NanToNum Neg NonZero ReLU Real Reciprocal ReverseV2 Roll Rsqrt
        SiLU Sigmoid Sign Sin Sinc Sinh SoftShrink Softmax Square Squeeze Svd Tan Tanh Trace Triu Trunc UniqueConsecutive
    input other: Add Atan2 Cross Div Equal FloorDiv Gcd Greater GreaterEqual IsClose Less LessEqual LogicalXor Maximum Minimum Mul
        NextAfter NotEqual Sub Xlogy
    input tensor1 tensor2 value: Addcdiv Addcmul
    input_x: Argmax Cholesky CholeskyInverse Elu Flatten Identity ResizeNearestNeighbor Split TensorShape
    variable value: Assign AssignAdd AssignSub
    input target weight= posWeight=: BCEWithLogitsLoss
    a b x: Betainc
    input target weight=: BinaryCrossEntropy
    input_x dtype: Cast
    x1 x2: Cdist LeftShift
    x: CeLU FFTWithSize FastGeLU GLU Qr ReduceStd Reusing
    real imag: Complex
    x axis: CumProd
    input axis: CumSum ReduceAll
    input weight bias=: Dense
    value expr: Depend
    input_x axis: ExpandDims
    n m dtype: Eye
    dtype dims x: Fill
    x dim index: GatherD
    input_x indices: GatherNd
    input_x grid: GridSampler2D GridSampler3D
    x indices v: InplaceUpdateV2
    input_x gamma beta: LayerNorm
    input end weight: Lerp LerpScalar
    start stop num: LinSpace
    logits: LogSoftmax
    input dim= dtype=: LogSoftmaxExt
    input_x mask value: MaskedFill
    input mask source: MaskedScatter
    input mask: MaskedSelect
    input mat2: MatMul
    x target weight=: MultiMarginLoss
    logits labels weight: NLLLoss
    shape dtype: Ones
    input weight: PReLU
    abs angle: Polar
    input exponent: Pow
    n: RandpermV2
    input shape: Reshape
    image size: ResizeBicubic
    x size: ResizeLinear1D
    input_x input_y: RightShift ScalarCast
    x gamma: RmsNorm
    x dtype=: ScalarToTensor
    indices updates shape: ScatterNd
    sorted_sequence values sorter=: SearchSorted
    condition input other: Select
    input begin size: Slice
    prediction target: SmoothL1Loss
    input target: SoftMarginLoss
    input_x begin end strides: StridedSlice
    input_x indices updates: TensorScatterAdd
    data indices updates: TensorScatterElements
    input dims: Tile Transpose
    input dim0 dim1: TransposeExtView
    input input_perm: TransposeView
    input_x segment_ids num_segments: UnsortedSegmentSum
    x output_size= scales=: UpsampleNearest3D UpsampleTrilinear3D
    size dtype: Zeros
"""


def _op1(self, a):
    return self._op(a)


def _op2(self, a, b):
    return self._op(a, b)


def _op3(self, a, b, c):
    return self._op(a, b, c)


def _op4(self, a, b, c, d):
    return self._op(a, b, c, d)


def _rule1(self, a):
    return self._rule(a)


def _rule2(self, a, b):
    return self._rule(a, b)


def _rule3(self, a, b, c):
    return self._rule(a, b, c)


def _rule4(self, a, b, c, d):
    return self._rule(a, b, c, d)


# The methods for any number of operands, and those for exactly 1 to 4.
_FIXED = {Primitive.__call__: (_op1, _op2, _op3, _op4), Row.__call__: (_rule1, _rule2, _rule3, _rule4)}


def _with_names(code, names):
    """Copies a code object with other names for its first local variables."""
    names = names + code.co_varnames[len(names):]
    if len(set(names)) != len(names) or code.co_cellvars:
        raise AssertionError("%s has a variable of the same name, or parameters in closures: %s" % (code.co_name, names))
    if sys.version_info >= (3, 8):
        return code.replace(co_varnames=names)
    return types.CodeType(code.co_argcount, code.co_kwonlyargcount, code.co_nlocals, code.co_stacksize, code.co_flags, code.co_code,
                          code.co_consts, code.co_names, names, code.co_filename, code.co_name, code.co_firstlineno, code.co_lnotab,
                          code.co_freevars, code.co_cellvars)


def _renamed(method, operands, defaults):
    """Copies a method with other parameter names, and with defaults where the primitive has some."""
    method = _FIXED[method][len(operands) - 1] if method in _FIXED else method
    code = _with_names(method.__code__, ("self",) + operands)
    return types.FunctionType(code, method.__globals__, "__call__", defaults or method.__defaults__, method.__closure__)


def _rows():
    """Yields ((names, defaults), primitives) for each row of the table."""
    for line in _TABLE.replace("\n        ", " ").split("\n"):
        if line.strip():
            operands, classes = line.split(": ")
            words = operands.split()
            yield (tuple(word.rstrip("=") for word in words), (None,) * sum(word[-1] == "=" for word in words)), classes.split()


def name_operands(namespace):
    """Gives the primitives of a module the parameter names of the table."""
    made = {}
    for (operands, defaults), classes in _rows():
        for cls in map(namespace.get, classes):
            key = cls.__call__, operands
            if key not in made:
                made[key] = _renamed(cls.__call__, operands, defaults)
            cls.__call__ = made[key]
