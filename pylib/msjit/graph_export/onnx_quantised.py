"""Rules for operators on integers of 8 and 4 bits; see onnx_ops.py."""
from .onnx_ops import _pads, _pair, _rule, _turned


def _plus_bias(m, out, x, place):
    bias = x[place] if len(x) > place else None
    return out if bias is None else m.node("Add", [out, m.as_dtype(bias, "float32")])


@_rule("int8_linear")
def _int8_linear(m, x, y, a):
    operands = [m.name(x[0]), _turned(m, m.name(x[1]), 2)]
    if x[0].dtype == "uint8":
        # onnxruntime adds pairs of products with signed weights in 16 bits, too few for some, where the CPU has no instructions for it.
        raised = m.node("Add", [m.cast(operands[1], "int8", "int32"), m.scalar(128, "int32")])
        operands = [operands[0], m.cast(raised, "int32", "uint8"), m.scalar(0, "uint8"), m.scalar(128, "uint8")]
    sums = m.node("MatMulInteger", operands)
    return _plus_bias(m, m.node("Mul", [m.cast(sums, "int32", "float32"), m.name(x[2])]), x, 3)


@_rule("int8_conv2d")
def _int8_conv2d(m, x, y, a):
    sums = m.node("ConvInteger", [m.name(x[0]), m.name(x[1])], strides=_pair(a["stride"]), pads=_pads(a["padding"]),
                  dilations=_pair(a["dilation"]), group=a["groups"])
    channels = m.ints((-1, 1, 1))
    out = m.node("Mul", [m.cast(sums, "int32", "float32"), m.node("Reshape", [m.name(x[2]), channels])])
    bias = x[3] if len(x) > 3 else None
    return out if bias is None else m.node("Add", [out, m.node("Reshape", [m.name(bias), channels])])


def _from_halves(m, weight, size):
    """Unpacks bytes that hold two signed numbers each into floats."""
    both = m.cast(m.name(weight), "uint8", "float32")
    upper = m.node("Floor", [m.node("Div", [both, m.scalar(16, "float32")])])
    lower = m.node("Sub", [both, m.node("Mul", [upper, m.scalar(16, "float32")])])
    rows, columns = weight.shape
    shape = m.ints((rows, columns, 1))
    pairs = m.node("Concat", [m.node("Reshape", [half, shape]) for half in (lower, upper)], axis=2)
    negative = m.cast(m.node("Greater", [pairs, m.scalar(7, "float32")]), "bool", "float32")
    signed = m.node("Sub", [pairs, m.node("Mul", [negative, m.scalar(16, "float32")])])
    flat = m.node("Reshape", [signed, m.ints((rows, 2 * columns))])
    return m.node("Slice", [flat, m.ints([0]), m.ints([size]), m.ints([1])])


def _widened(m, weight, scale, zero, size, bits):
    """A weight as floats (rows, size)."""
    numbers = m.cast(m.name(weight), "int8", "float32") if bits == 8 else _from_halves(m, weight, size)
    rows, groups = weight.shape[0], scale.shape[1] if scale.rank == 2 else 1
    numbers = m.node("Reshape", [numbers, m.ints((rows, groups, size // groups))])
    each = m.ints((rows, groups, 1))
    if zero is not None:
        numbers = m.node("Sub", [numbers, m.node("Reshape", [m.name(zero), each])])
    numbers = m.node("Mul", [numbers, m.node("Reshape", [m.name(scale), each])])
    return m.node("Reshape", [numbers, m.ints((rows, size))])


@_rule("widen_weight")
def _widen_weight(m, x, y, a):
    return _widened(m, x[0], x[1], x[2] if len(x) > 2 else None, a["size"], a["bits"])


@_rule("weight_only_linear")
def _weight_only_linear(m, x, y, a):
    weight = _widened(m, x[1], x[2], x[3] if len(x) > 3 else None, x[0].shape[-1], a["bits"])
    out = m.node("MatMul", [m.as_dtype(x[0], "float32"), _turned(m, weight, 2)])
    return m.cast(_plus_bias(m, out, x, 4), "float32", y[0].dtype)
