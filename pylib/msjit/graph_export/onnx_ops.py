"""A rule for each operator: rule(model, inputs, outputs, attributes) writes ONNX nodes and returns the names of the results.

Inputs are Values, or None for an optional one that is left out. Shapes are constants, so an operator that only changes the shape is a Reshape.
"""
import math

from .onnx_model import same_dtype
from .onnx_wire import TYPES

RULES = {}
_FLOATS = ("float16", "float32", "float64", "bfloat16")


def _rule(*names):
    def keep(function):
        RULES.update((name, function) for name in names)
        return function
    return keep


def _refuse(op, what, got, expected):
    raise ValueError("[export] %s of %s, got %s, expected %s in an ONNX file" % (what, op, got, expected))


# -- element by element ---------------------------------------------------------------------------------------------------

_UNARY = {"abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
          "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "exp": "Exp", "floor": "Floor", "log": "Log", "neg": "Neg",
          "reciprocal": "Reciprocal", "relu": "Relu", "round": "Round", "sigmoid": "Sigmoid", "sign": "Sign", "sin": "Sin",
          "sinh": "Sinh", "softplus": "Softplus", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh"}
_BINARY = {"add": "Add", "sub": "Sub", "mul": "Mul", "div": "Div", "pow": "Pow"}
_LOGICAL = {"logical_and": "And", "logical_or": "Or", "logical_xor": "Xor"}
_COMPARE = {"equal": "Equal", "greater": "Greater", "greater_equal": "GreaterOrEqual", "less": "Less", "less_equal": "LessOrEqual"}


def _shaped(m, name, value):
    return m.node("Reshape", [name, m.ints(value.shape)], allowzero=1)


def _operands(m, inputs, dtype):
    return [m.as_dtype(value, dtype) for value in inputs]


def _add_families():
    for name, op in _UNARY.items():
        RULES[name] = lambda m, x, y, a, op=op: m.node(op, _operands(m, x, y[0].dtype))
    for name, op in _BINARY.items():
        RULES[name] = lambda m, x, y, a, op=op: _arithmetic(m, op, x, y)
    for name, op in _LOGICAL.items():
        RULES[name] = lambda m, x, y, a, op=op: m.node(op, _operands(m, x, "bool"))
    for name, op in _COMPARE.items():
        RULES[name] = lambda m, x, y, a, op=op: m.node(op, _operands(m, x, same_dtype(x)))
    for name, op in (("maximum", "Max"), ("minimum", "Min")):
        RULES[name] = lambda m, x, y, a, op=op: m.node(op, _operands(m, x, y[0].dtype))


def _arithmetic(m, op, x, y):
    dtype = y[0].dtype
    if dtype == "bool":  # + is or, * is and, - is xor
        op = {"Add": "Or", "Mul": "And", "Sub": "Xor"}.get(op, op)
    return m.node(op, _operands(m, x, dtype))


_add_families()


@_rule("logical_not")
def _logical_not(m, x, y, a):
    return m.node("Not", _operands(m, x, "bool"))


@_rule("not_equal")
def _not_equal(m, x, y, a):
    return m.node("Not", [m.node("Equal", _operands(m, x, same_dtype(x)))])


def _is_special(m, op, x):
    if x[0].dtype not in _FLOATS:
        _refuse(op, "dtype", x[0].dtype, "a float")
    return m.node(op, [m.name(x[0])])


RULES["isnan"] = lambda m, x, y, a: _is_special(m, "IsNaN", x)
RULES["isinf"] = lambda m, x, y, a: _is_special(m, "IsInf", x)


@_rule("isfinite")
def _isfinite(m, x, y, a):
    return m.node("Not", [m.node("Or", [_is_special(m, "IsNaN", x), _is_special(m, "IsInf", x)])])


@_rule("square")
def _square(m, x, y, a):
    name, = _operands(m, x, y[0].dtype)
    return m.node("Mul", [name, name])


@_rule("rsqrt")
def _rsqrt(m, x, y, a):
    return m.node("Reciprocal", [m.node("Sqrt", _operands(m, x, y[0].dtype))])


@_rule("silu")
def _silu(m, x, y, a):
    name, = _operands(m, x, y[0].dtype)
    return m.node("Mul", [name, m.node("Sigmoid", [name])])


def _half_gate(m, x, dtype, gate):
    """0.5 x (1 + gate)."""
    return m.node("Mul", [m.node("Mul", [x, m.scalar(0.5, dtype)]), m.node("Add", [gate, m.scalar(1, dtype)])])


@_rule("gelu")
def _gelu(m, x, y, a):
    dtype = y[0].dtype
    name, = _operands(m, x, dtype)
    return _half_gate(m, name, dtype, m.node("Erf", [m.node("Mul", [name, m.scalar(math.sqrt(0.5), dtype)])]))


@_rule("gelu_tanh")
def _gelu_tanh(m, x, y, a):
    dtype = y[0].dtype
    name, = _operands(m, x, dtype)
    cube = m.node("Mul", [m.node("Mul", [name, name]), name])
    inner = m.node("Add", [name, m.node("Mul", [cube, m.scalar(0.044715, dtype)])])
    return _half_gate(m, name, dtype, m.node("Tanh", [m.node("Mul", [inner, m.scalar(math.sqrt(2 / math.pi), dtype)])]))


@_rule("expm1")
def _expm1(m, x, y, a):
    return m.node("Sub", [m.node("Exp", _operands(m, x, y[0].dtype)), m.scalar(1, y[0].dtype)])


@_rule("log1p")
def _log1p(m, x, y, a):
    return m.node("Log", [m.node("Add", _operands(m, x, y[0].dtype) + [m.scalar(1, y[0].dtype)])])


@_rule("erfc")
def _erfc(m, x, y, a):
    return m.node("Sub", [m.scalar(1, y[0].dtype), m.node("Erf", _operands(m, x, y[0].dtype))])


@_rule("leaky_relu")
def _leaky_relu(m, x, y, a):
    return m.node("LeakyRelu", _operands(m, x, y[0].dtype), alpha=float(a["alpha"]))


@_rule("elu")
def _elu(m, x, y, a):
    return m.node("Elu", _operands(m, x, y[0].dtype), alpha=float(a["alpha"]))


@_rule("relu6")
def _relu6(m, x, y, a):
    return _clip(m, x, y, {"min": 0, "max": 6})


@_rule("clip")
def _clip(m, x, y, a):
    dtype = y[0].dtype
    limits = ["" if a[key] is None else m.scalar(a[key], dtype) for key in ("min", "max")]
    return m.node("Clip", _operands(m, x, dtype) + limits)


@_rule("where")
def _where(m, x, y, a):
    return m.node("Where", [m.as_dtype(x[0], "bool")] + _operands(m, x[1:], y[0].dtype))


@_rule("cast")
def _cast(m, x, y, a):
    return m.node("Cast", [m.name(x[0])], to=TYPES[y[0].dtype])


@_rule("identity", "copy", "stop_gradient")
def _identity(m, x, y, a):
    return m.node("Identity", [m.name(x[0])])


@_rule("floor_div")
def _floor_div(m, x, y, a):
    if y[0].dtype not in _FLOATS:
        _refuse("floor_div", "dtype", y[0].dtype, "a float")
    return m.node("Floor", [m.node("Div", _operands(m, x, y[0].dtype))])


@_rule("mod")
def _mod(m, x, y, a):
    names = _operands(m, x, y[0].dtype)
    if y[0].dtype not in _FLOATS:
        return m.node("Mod", names)
    whole = m.node("Floor", [m.node("Div", names)])
    return m.node("Sub", [names[0], m.node("Mul", [whole, names[1]])])


# -- reductions and products ----------------------------------------------------------------------------------------------


def _axes(a, rank):
    axis = a["axis"]
    axis = [axis] if isinstance(axis, int) else axis
    return sorted(i % rank for i in axis) if axis else list(range(rank))


def _reduce(m, name, op, axes, keepdims):
    if not axes:
        return m.node("Identity", [name])
    if op == "ReduceSum":
        return m.node(op, [name, m.ints(axes)], keepdims=keepdims)
    return m.node(op, [name], axes=axes, keepdims=keepdims)


def _add_reductions():
    for name, op in (("sum", "ReduceSum"), ("mean", "ReduceMean"), ("max", "ReduceMax"), ("min", "ReduceMin"), ("prod", "ReduceProd")):
        RULES[name] = lambda m, x, y, a, op=op: _reduce(
            m, m.as_dtype(x[0], y[0].dtype), op, _axes(a, x[0].rank), a["keepdims"])
    for name, op in (("any", "ReduceMax"), ("all", "ReduceMin")):
        RULES[name] = lambda m, x, y, a, op=op: m.cast(_reduce(
            m, m.cast(m.as_dtype(x[0], "bool"), "bool", "int32"), op, _axes(a, x[0].rank), a["keepdims"]), "int32", "bool")
    for name, op in (("argmax", "ArgMax"), ("argmin", "ArgMin")):
        RULES[name] = lambda m, x, y, a, op=op: _arg(m, op, x, y, a)


def _arg(m, op, x, y, a):
    name, axis, keep = m.name(x[0]), a["axis"], a["keepdims"]
    if axis is None:
        name, axis, keep = m.node("Reshape", [name, m.ints([-1])]), 0, False
    found = m.cast(m.node(op, [name], axis=axis, keepdims=keep), "int64", y[0].dtype)
    return _shaped(m, found, y[0]) if a["axis"] is None else found


_add_reductions()


@_rule("sum_to")
def _sum_to(m, x, y, a):
    extra = x[0].rank - y[0].rank
    axes = list(range(extra)) + [i + extra for i, d in enumerate(y[0].shape) if d == 1 and x[0].shape[i + extra] != 1]
    return _shaped(m, _reduce(m, m.name(x[0]), "ReduceSum", axes, True), y[0])


@_rule("cumsum")
def _cumsum(m, x, y, a):
    return m.node("CumSum", [m.as_dtype(x[0], y[0].dtype), m.ints(a["axis"])])


RULES["softmax"] = lambda m, x, y, a: m.node("Softmax", _operands(m, x, y[0].dtype), axis=a["axis"])
RULES["log_softmax"] = lambda m, x, y, a: m.node("LogSoftmax", _operands(m, x, y[0].dtype), axis=a["axis"])


def _turned(m, name, rank):
    """The last two axes exchanged."""
    perm = list(range(rank - 2)) + [rank - 1, rank - 2]
    return m.node("Transpose", [name], perm=perm) if rank >= 2 else name


@_rule("matmul")
def _matmul(m, x, y, a):
    names = _operands(m, x, y[0].dtype)
    if a["transpose_a"]:
        names[0] = _turned(m, names[0], x[0].rank)
    if a["transpose_b"]:
        names[1] = _turned(m, names[1], x[1].rank)
    return m.node("MatMul", names)


@_rule("linear", "linear_act")
def _linear(m, x, y, a):
    names = [None if value is None else m.as_dtype(value, y[0].dtype) for value in x]
    if x[0].rank == 2 and len(names) > 2 and names[2]:
        out = m.node("Gemm", names, transB=1)
    else:
        out = m.node("MatMul", [names[0], _turned(m, names[1], 2)])
        if len(names) > 2 and names[2]:
            out = m.node("Add", [out, names[2]])
    if "activation" not in a:
        return out
    if a["activation"] not in _UNARY:
        _refuse("linear_act", "activation", a["activation"], "one of %s" % ", ".join(_UNARY))
    return m.node(_UNARY[a["activation"]], [out])


# -- windows and normalisations -------------------------------------------------------------------------------------------


def _pair(value):
    value = [value] if isinstance(value, int) else list(value)
    return value * 2 if len(value) == 1 else value


def _pads(value):
    """(top, left, bottom, right) of one, two or four numbers, four being top, bottom, left, right."""
    value = [value] if isinstance(value, int) else list(value)
    if len(value) == 4:
        top, bottom, left, right = value
        return [top, left, bottom, right]
    return _pair(value) * 2


@_rule("conv2d")
def _conv2d(m, x, y, a):
    names = [m.as_dtype(value, y[0].dtype) for value in x if value is not None]
    return m.node("Conv", names, strides=_pair(a["stride"]), pads=_pads(a["padding"]), dilations=_pair(a["dilation"]),
                  group=a["groups"])


def _pool(a):
    kernel = _pair(a["kernel_size"])
    return {"kernel_shape": kernel, "strides": _pair(a["stride"]) if a["stride"] else kernel, "pads": _pads(a["padding"]),
            "ceil_mode": a["ceil_mode"]}


@_rule("max_pool2d")
def _max_pool2d(m, x, y, a):
    return m.node("MaxPool", [m.name(x[0])], dilations=_pair(a["dilation"]), **_pool(a))


@_rule("avg_pool2d")
def _avg_pool2d(m, x, y, a):
    if a["divisor_override"] is not None:
        _refuse("avg_pool2d", "divisor_override", a["divisor_override"], "None")
    return m.node("AveragePool", [m.name(x[0])], count_include_pad=a["count_include_pad"], **_pool(a))


@_rule("adaptive_avg_pool2d")
def _adaptive_avg_pool2d(m, x, y, a):
    given, wanted = x[0].shape[-2:], y[0].shape[-2:]
    if any(g % w for g, w in zip(given, wanted)):
        _refuse("adaptive_avg_pool2d", "output_size", wanted, "one that divides %s" % (given,))
    return m.node("AveragePool", [m.name(x[0])], kernel_shape=[g // w for g, w in zip(given, wanted)],
                  strides=[g // w for g, w in zip(given, wanted)])


@_rule("batch_norm")
def _batch_norm(m, x, y, a):
    return m.node("BatchNormalization", [m.name(value) for value in x], epsilon=float(a["epsilon"]))


@_rule("layer_norm_stats")
def _layer_norm(m, x, y, a):
    count, dtype = a["num_axes"], y[0].dtype
    dims = x[0].shape[x[0].rank - count:]
    weight = m.as_dtype(x[1], dtype) if len(x) > 1 and x[1] else m.filled(dims, 1, dtype)
    names = [m.as_dtype(x[0], dtype), weight] + ([m.as_dtype(x[2], dtype)] if len(x) > 2 and x[2] else [])
    out = m.node("LayerNormalization", names, 3, axis=-count, epsilon=float(a["epsilon"]))
    return [out[0], _shaped(m, out[1], y[1]), _shaped(m, out[2], y[2])]


# -- indices --------------------------------------------------------------------------------------------------------------


@_rule("gather")
def _gather(m, x, y, a):
    return m.node("Gather", [m.name(value) for value in x], axis=a["axis"])


@_rule("embedding")
def _embedding(m, x, y, a):
    return m.node("Gather", [m.name(x[1]), m.name(x[0])], axis=0)


@_rule("gather_elements")
def _gather_elements(m, x, y, a):
    return m.node("GatherElements", [m.name(value) for value in x], axis=a["axis"])


@_rule("one_hot")
def _one_hot(m, x, y, a):
    import numpy
    pair = m.constant(numpy.array([a["off_value"], a["on_value"]], y[0].dtype))
    return m.node("OneHot", [m.name(x[0]), m.ints(a["depth"]), pair], axis=a["axis"])


@_rule("topk")
def _topk(m, x, y, a):
    values, places = m.node("TopK", [m.name(x[0]), m.ints([a["k"]])], 2, axis=a["axis"], largest=a["largest"])
    return [values, m.cast(places, "int64", y[1].dtype)]


RULES["full_like"] = lambda m, x, y, a: m.filled(y[0].shape, a["value"], y[0].dtype)
RULES["zeros_like"] = lambda m, x, y, a: m.filled(y[0].shape, 0, y[0].dtype)
RULES["ones_like"] = lambda m, x, y, a: m.filled(y[0].shape, 1, y[0].dtype)
