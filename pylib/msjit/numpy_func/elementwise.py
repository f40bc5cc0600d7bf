"""Functions of each element of one tensor, or of each pair of elements of two."""
from .. import ops as _ops
from ..common import dtype as _mstype
from ..ops import registry as _k
from .shared import as_float as _float
from .shared import as_tensor as _tensor

__all__ = []


def _as_floats(function):
    """Wraps a function so that integers and bools become float32 first."""
    return lambda x: function(x if x.dtype in _mstype.float_type + _mstype.complex_type else _k.cast(x, _mstype.float32))


def _make(name, function, count):
    """Makes a function of one or two operands and a dtype for the result."""
    def one(x, dtype=None):
        out = function(_tensor(x))
        return out if dtype is None else _k.cast(out, dtype)

    def two(x1, x2, dtype=None):
        out = function(_tensor(x1), _tensor(x2))
        return out if dtype is None else _k.cast(out, dtype)

    call = one if count == 1 else two
    call.__name__ = call.__qualname__ = name
    call.__doc__ = "As numpy.%s, element by element." % name
    globals()[name] = call
    __all__.append(name)


def _float_power(x, y):
    """Powers in float32, as MindSpore computes them here."""
    return _k.pow(_k.cast(x, _mstype.float32), _k.cast(y, _mstype.float32))


for _name, _function in (
        ("absolute", _ops.abs), ("fabs", _ops.abs), ("arccosh", _ops.acosh), ("arcsin", _ops.asin),
        ("arcsinh", _ops.asinh), ("arctan", _ops.atan), ("arctanh", _ops.atanh), ("bitwise_not", _ops.bitwise_not),
        ("invert", _ops.bitwise_not), ("ceil", _as_floats(_ops.ceil)), ("cosh", _ops.cosh), ("sinh", _ops.sinh), ("tan", _ops.tan),
        ("deg2rad", _ops.deg2rad), ("radians", _ops.deg2rad), ("rad2deg", _ops.rad2deg), ("exp2", _ops.exp2),
        ("expm1", _ops.expm1), ("log1p", _ops.log1p), ("log2", _ops.log2), ("log10", _ops.log10), ("isnan", _ops.isnan),
        ("isfinite", _ops.isfinite), ("isinf", _ops.isinf), ("isposinf", _ops.isposinf), ("isneginf", _ops.isneginf),
        ("reciprocal", _ops.reciprocal), ("rint", _ops.round), ("sign", _as_floats(_ops.sign)),
        ("signbit", _ops.signbit), ("trunc", _as_floats(_ops.trunc)), ("fix", _as_floats(_ops.trunc)),
        ("cbrt", lambda x: _k.sign(x) * _k.pow(_k.abs(_float(x)), 1.0 / 3))):
    _make(_name, _function, 1)
for _name, _function in (
        ("arctan2", _ops.atan2), ("bitwise_and", _ops.bitwise_and), ("bitwise_or", _ops.bitwise_or),
        ("bitwise_xor", _ops.bitwise_xor), ("copysign", lambda x, y: _k.cast(_ops.copysign(x, y), x.dtype)), ("float_power", _float_power),
        ("floor_divide", _ops.floor_divide), ("fmod", _ops.fmod), ("gcd", _ops.gcd), ("lcm", _ops.lcm),
        ("heaviside", _ops.heaviside), ("hypot", _ops.hypot), ("logaddexp", _ops.logaddexp), ("fmax", _ops.fmax),
        ("logaddexp2", lambda x, y: _ops.logaddexp2(_float(x), _float(y))), ("logical_xor", _ops.logical_xor), ("mod", _ops.remainder), ("fmin", _ops.fmin),
        ("remainder", _ops.remainder), ("true_divide", _ops.div)):
    _make(_name, _function, 2)


def arccos(input, dtype=None):
    """Computes the arc cosine of each element, as numpy.arccos."""
    out = _ops.acos(_tensor(input))
    return out if dtype is None else _k.cast(out, dtype)


def positive(a, dtype=None):
    """Returns each element unchanged, as numpy.positive."""
    out = _ops.positive(_tensor(a))
    return out if dtype is None else _k.cast(out, dtype)


def divmod(x1, x2, dtype=None):
    """Returns (quotient rounded down, remainder), as numpy.divmod."""
    return floor_divide(x1, x2, dtype), remainder(x1, x2, dtype)  # noqa: F821


int_, float_ = _mstype.int32, _mstype.float32
__all__ += ["arccos", "positive", "divmod", "int_", "float_"]
