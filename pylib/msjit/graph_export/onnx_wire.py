"""ONNX's messages in the wire format of protocol buffers: those that a model needs. The numbers of fields are those of onnx.proto."""
import struct

from ..checkpoint_file import _field, _varint

TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
         "float64": 11, "uint32": 12, "uint64": 13, "bfloat16": 16}
_FLOAT, _INT, _STRING, _FLOATS, _INTS = 1, 2, 3, 6, 7
IR_VERSION, OPSET = 8, 17


def _number(field, value):
    return _varint(field << 3) + _varint(value & (1 << 64) - 1)


def _text(field, value):
    return _field(field, value.encode("utf-8"))


def tensor(name, dtype, dims, content):
    """TensorProto."""
    return b"".join(_number(1, d) for d in dims) + _number(2, TYPES[dtype]) + _text(8, name) + _field(9, content)


def value_info(name, dtype, dims):
    """ValueInfoProto of a tensor with a constant shape."""
    shape = b"".join(_field(1, _number(1, d)) for d in dims)
    return _text(1, name) + _field(2, _field(1, _number(1, TYPES[dtype]) + _field(2, shape)))


def attribute(name, value):
    """AttributeProto of an int, float, text, or list of ints or floats."""
    head = _text(1, name)
    if isinstance(value, (list, tuple)):
        if any(isinstance(item, float) for item in value):
            packed = b"".join(_varint(7 << 3 | 5) + struct.pack("<f", item) for item in value)
            return head + packed + _number(20, _FLOATS)
        return head + b"".join(_number(8, item) for item in value) + _number(20, _INTS)
    if isinstance(value, str):
        return head + _text(4, value) + _number(20, _STRING)
    if isinstance(value, float):
        return head + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _FLOAT)
    return head + _number(3, int(value)) + _number(20, _INT)


def node(op, inputs, outputs, attributes):
    """NodeProto."""
    return b"".join(_text(1, name) for name in inputs) + b"".join(_text(2, name) for name in outputs) + \
        _text(3, outputs[0]) + _text(4, op) + b"".join(_field(5, attribute(*item)) for item in sorted(attributes.items()))


def model(name, nodes, initializers, inputs, outputs, version):
    """ModelProto of one graph."""
    graph = b"".join([_field(1, item) for item in nodes] + [_text(2, name)] + [_field(5, item) for item in initializers]
                     + [_field(11, item) for item in inputs] + [_field(12, item) for item in outputs])
    return _number(1, IR_VERSION) + _text(2, "msjit") + _text(3, version) + _field(7, graph) + \
        _field(8, _text(1, "") + _number(2, OPSET))
