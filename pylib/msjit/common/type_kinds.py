"""Names of mindspore._c_expression.typing: the kinds of dtypes, for isinstance and for making them.

isinstance(x.dtype, typing.Number) asks whether a dtype is a number's, typing.UInt(8) is uint8.
"""
from . import dtype as mstype
from .dtype import Bool, Float, Int, TensorType, Type, _family, type_size_in_bytes  # noqa: F401

UInt = _family("UInt", {None: mstype.uint32, 8: mstype.uint8, 16: mstype.uint16, 32: mstype.uint32, 64: mstype.uint64},
               "Kind of the unsigned ints: isinstance(uint8, UInt); UInt(8) is uint8.")
BFloat = _family("BFloat", {None: mstype.bfloat16, 16: mstype.bfloat16}, "Kind of bfloat16: BFloat(16) is bfloat16.")
Complex = _family("Complex", {None: mstype.complex64, 64: mstype.complex64, 128: mstype.complex128},
                  "Kind of the complex numbers: isinstance(complex64, Complex); Complex(64) is complex64.")


class _AllNumbers(type):
    def __instancecheck__(cls, value):
        return isinstance(value, Type) or value is mstype.number

    def __call__(cls):
        return mstype.number


Number = _AllNumbers("Number", (), {"__module__": __name__, "__doc__": "Kind of all dtypes of numbers, bool_ among them."})
String, TypeNone = type(mstype.string), mstype.type_none

for _kind, _members in (("Int", mstype.int_type), ("UInt", mstype.uint_type), ("Float", mstype.float_type), ("Complex", mstype.complex_type)):
    for _member in _members:
        globals()["k%s" % _member] = _member
kBool, kInt, kUInt, kFloat, kNumber, kString = mstype.bool_, mstype.int64, mstype.uint32, mstype.float64, mstype.number, mstype.string
_BY_NAME = {str(member).lower(): member for member in mstype.all_types}
_BY_NAME.update(bool_=mstype.bool_, int=mstype.int64, float=mstype.float64, string=mstype.string)


def is_subclass(type_, other):
    """Whether a dtype belongs to a kind (Float), or to the kind that a dtype without bits stands for (number)."""
    if other is mstype.number or other is Number:
        return isinstance(type_, Type)
    return isinstance(type_, other) if isinstance(other, type) else type_ == other


def str_to_type(name):
    """The dtype of a name, as "float32" or "Float32"; RuntimeError for another."""
    if str(name).lower() not in _BY_NAME:
        raise RuntimeError("[str_to_type] name, got %r, expected one of %s" % (name, sorted(_BY_NAME)))
    return _BY_NAME[str(name).lower()]
