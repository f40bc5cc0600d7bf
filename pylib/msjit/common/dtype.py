"""Element types: `float32`, `int64`, ... and how they relate to NumPy and Python types."""
from .._native import Tensor, _msjit, dtypes

DType = Type = _msjit.DType

bool_ = dtypes["bool"]
uint8 = dtypes["uint8"]
int8 = dtypes["int8"]
int16 = dtypes["int16"]
int32 = dtypes["int32"]
int64 = dtypes["int64"]
float16 = dtypes["float16"]
bfloat16 = dtypes["bfloat16"]
float32 = dtypes["float32"]
float64 = dtypes["float64"]
uint16 = dtypes["uint16"]
uint32 = dtypes["uint32"]
uint64 = dtypes["uint64"]
complex64 = dtypes["complex64"]
complex128 = dtypes["complex128"]

byte, short, int_, long = int8, int16, int64, int64
intc, intp, uintc, uintp = int32, int64, uint32, uint64
cfloat, cdouble = complex64, complex128
ubyte, ushort, uint, ulong = uint8, uint16, uint32, uint64
half, float_, single, double = float16, float32, float32, float64

number_type = (int8, int16, int32, int64, uint8, uint16, uint32, uint64, float16, float32, float64, bfloat16,
               complex64, complex128)
int_type = (int8, int16, int32, int64)
uint_type = (uint8, uint16, uint32, uint64)
float_type = (float16, float32, float64, bfloat16)
complex_type = (complex64, complex128)
signed_type = int_type + float_type
all_types = (bool_,) + number_type


def type_size_in_bytes(type_):
    """Bytes of one element."""
    if isinstance(type_, OtherType) and type_.bits:
        return type_.bits // 8
    import numpy
    return 2 if type_ == bfloat16 else numpy.dtype(dtype_to_nptype(type_)).itemsize


class TensorType:
    """The type of tensors with a given element type. It is used in annotations, and get_py_obj_dtype returns it for a Tensor.

    Two are equal if their element types are.
    """

    def __init__(self, element):
        self.element = element

    def element_type(self):
        """The dtype of the elements."""
        return self.element

    def __eq__(self, other):
        return isinstance(other, TensorType) and self.element == other.element

    def __hash__(self):
        return hash(("TensorType", self.element))

    def __repr__(self):
        return "mindspore.tensor[%s]" % _name(self.element)

    def __str__(self):
        return "Tensor[%s]" % self.element


class _TextType:
    def __repr__(self):
        return "String"


class OtherType:
    """A type of MindSpore that no tensor has here. It can be compared and printed. bits: of one element, if it is a dtype."""

    def __init__(self, name, text, bits=0):
        self._name, self._text, self.bits = name, text, bits

    def __repr__(self):
        return "mindspore." + self._name

    def __str__(self):
        return self._text


# 8-bit floats and pairs of 4-bit integers, which only NPUs compute with.
float8_e4m3fn, float8_e5m2 = OtherType("float8_e4m3fn", "Float8E4M3FN", 8), OtherType("float8_e5m2", "Float8E5M2", 8)
hifloat8, qint4x2 = OtherType("hifloat8", "HiFloat8", 8), OtherType("int4", "Int4", 8)
# The types of values of a graph that are no tensors.
number, list_, tuple_ = OtherType("number", "Number"), OtherType("list_", "List"), OtherType("tuple_", "Tuple")
type_type = OtherType("type_type", "TypeType")


class _Family(type):
    """The base of the classes of dtypes: isinstance() tests for the kind of a dtype, a call makes the dtype of a given width."""

    def __instancecheck__(cls, value):
        return isinstance(value, DType) and value in cls.members.values()

    def __subclasscheck__(cls, other):
        return other is cls

    def __call__(cls, *width):
        if len(width) > 1 or (width and (isinstance(width[0], bool) or not isinstance(width[0], int))):
            raise TypeError("[%s] number of bits, got %s, expected one int or none" % (cls.__name__, width))
        key = width[0] if width else None
        if key not in cls.members:
            raise RuntimeError("[%s] number of bits, got %s, expected one of %s"
                               % (cls.__name__, key, sorted(bits for bits in cls.members if bits)))
        return cls.members[key]


def _family(name, members, words):
    return _Family(name, (), {"members": members, "__module__": __name__, "__doc__": words})


Float = _family("Float", {None: float32, 16: float16, 32: float32, 64: float64},
                "Kind of the IEEE floats: isinstance(float16, Float); Float(64) is float64, Float() float_.")
Int = _family("Int", {None: int64, 8: int8, 16: int16, 32: int32, 64: int64},
              "Kind of the signed ints: isinstance(int8, Int); Int(32) is int32, Int() int_.")
Bool = _family("Bool", {None: bool_}, "Kind of bool_: isinstance(bool_, Bool); Bool() is bool_.")

tensor_type = TensorType
string = _TextType()
type_none = type(None)

_PYTHON = {bool: bool_, int: int64, float: float64, complex: complex128, str: string}


def dtype_to_nptype(type_):
    """NumPy type of an element type: float16 gives numpy.float16; bfloat16, which NumPy lacks, gives float32. Raises TypeError for anything else."""
    import numpy
    if type_ == bfloat16:
        return numpy.float32
    return numpy.bool_ if type_ == bool_ else getattr(numpy, _name(type_))


def dtype_to_pytype(type_):
    """Python type that holds one element: bool for bool_, complex for complex dtypes, float for floats, int for the others."""
    if type_ == bool_:
        return bool
    if type_ in complex_type:
        return complex
    return float if type_ in float_type else int


def pytype_to_dtype(obj):
    """Element type for a Python type, a NumPy type or its name, or an element type: int gives int64, float float64, numpy.int8 int8.

    Raises NotImplementedError for one without an element type.
    """
    if isinstance(obj, DType):
        return obj
    if isinstance(obj, type) and obj in _PYTHON:
        return _PYTHON[obj]
    import numpy
    try:
        return dtypes[numpy.dtype(obj).name]
    except (TypeError, KeyError):
        raise NotImplementedError("[dtype] no element type for %r" % (obj,)) from None


def get_py_obj_dtype(obj):
    """The type of a value: for a Tensor a TensorType, for a number a dtype, for another object the type that MindSpore has for it.

    An int gives int64, a float float64, a tuple or list the kinds Tuple and List. Raises NotImplementedError for objects without one, such as a
    dict.
    """
    if isinstance(obj, Tensor):
        return TensorType(obj.dtype)
    if obj is None:
        return type_none
    if isinstance(obj, (list, tuple)):
        return list_ if isinstance(obj, list) else tuple_
    if isinstance(obj, type) or isinstance(obj, DType):
        return pytype_to_dtype(obj) if isinstance(obj, type) else type_type
    return obj.dtype if hasattr(obj, "dtype") else pytype_to_dtype(type(obj))


def issubclass_(type_, dtype):
    """True when type_ is dtype or one of a tuple of them; of `number` all dtypes are."""
    if dtype is number:
        return isinstance(type_, DType)
    return type_ in dtype if isinstance(dtype, tuple) else type_ == dtype


_issubclass_ = issubclass_


def _name(type_):
    for name, value in dtypes.items():
        if value == type_:
            return name
    raise TypeError("[dtype] expected an element type, got %r" % (type_,))


# These names are those of Python's own types, and the functions here mean Python's.
_SHADOWING = {"bool": bool_, "int": int32, "float": float32}


def __getattr__(name):
    if name == "QuantDtype":
        from .quant_dtype import QuantDtype
        return QuantDtype
    if name in _SHADOWING:
        return _SHADOWING[name]
    if name in ("typing", "String"):
        from . import type_kinds
        return type_kinds if name == "typing" else type_kinds.String
    raise AttributeError("module 'msjit.common.dtype' has no attribute %r" % name)
