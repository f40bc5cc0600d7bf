"""Element-wise functions that are made of operators, under MindSpore's names and argument orders."""
import math as _math

from ..common import dtype as _mstype
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from ..context import FLOAT_DTYPES as _FLOATS
from . import math_func as _m
from . import registry as _k

arccos, arccosh, arcsin, arcsinh = _k.acos, _k.acosh, _k.asin, _k.asinh
arctan, arctanh, arctan2 = _k.atan, _k.atanh, _k.atan2


def _float(x):
    _check(x, "sinc")
    return x if x.dtype in _FLOATS or x.dtype in _mstype.complex_type else _k.cast(x, _mstype.float32)


def log2(input):
    """Computes the logarithm to base 2.

    Element by element: NaN for negative elements, -inf for 0. Integers give float32. Raises TypeError for anything but a Tensor.
    """
    return _k.log(_check(input, "log2")) / _math.log(2)


def log10(input):
    """Computes the logarithm to base 10.

    Element by element: NaN for negative elements, -inf for 0. Integers give float32. Raises TypeError for anything but a Tensor.
    """
    return _k.log(_check(input, "log10")) / _math.log(10)


def exp2(input):
    """Computes 2^x.

    Element by element; integers give float32. Raises TypeError for anything but a Tensor.
    """
    return _k.exp(_check(input, "exp2") * _math.log(2))


def logaddexp2(input, other):
    """Computes log2(2^x + 2^y), without overflow. Raises TypeError unless both are Tensors of floats."""
    for value in (input, other):
        if _check(value, "logaddexp2").dtype not in _FLOATS:
            raise TypeError("[logaddexp2] dtype, got %s, expected one of floats" % (value.dtype,))
    return _k.logaddexp(input * _math.log(2), other * _math.log(2)) / _math.log(2)


def deg2rad(x):
    """Converts degrees to radians."""
    return _float(_check(x, "deg2rad")) * (_math.pi / 180)


def rad2deg(x):
    """Converts radians to degrees."""
    return _float(_check(x, "rad2deg")) * (180 / _math.pi)


def sinc(input):
    """Computes sin(pi x) / (pi x), and 1 at 0."""
    none, angle = _k.equal(input, 0), _float(input) * _math.pi
    scaled = _k.where(none, 1.0, angle)
    # The first terms of the series have the derivatives that the constant 1 would lack.
    return _k.where(none, 1.0 - _k.square(angle) / 6.0, _k.sin(scaled) / scaled)


def logit(input, eps=None):
    """Computes log(x / (1 - x)), of x limited to [eps, 1 - eps] where eps is given."""
    if eps is not None and eps >= 0:
        input = _k.clip(input, eps, 1 - eps)
    return _k.log(input) - _k.log(1 - input)


def xlogy(input, other):
    """Computes x * log(y), and 0 where x is 0. There the derivative by x is log(y) for positive y, and else 0."""
    x, y = _tensors(input, other)
    y = _float(y)
    usable = _k.logical_and(_k.greater(y, 0), _k.less(y, float("inf"))) if y.dtype in _FLOATS else _k.not_equal(y, 0)
    return _zero_times(x, y, usable, 1.0, _k.log)


def xdivy(x, y):
    """Computes x / y, and 0 where x is 0. There the derivative by x is 1 / y, and 0 for y = 0."""
    x, y = _tensors(x, y)
    y = _float(y)
    return _zero_times(x, y, _k.logical_and(_k.not_equal(y, 0), _k.equal(y, y)), float("inf"), _k.reciprocal)


def _zero_times(x, y, usable, root, function):
    """x * function(y). The root of the function takes the place of y where x is 0 and the function of y is not finite."""
    return x * function(_k.where(_k.logical_or(usable, _k.not_equal(x, 0)), y, root))


def _tensors(x, y):
    """Both operands as Tensors; a number gets the dtype of the other operand where that can hold it."""
    if not isinstance(x, _Tensor) and not isinstance(y, _Tensor):
        raise TypeError("operands, got %s and %s, expected a Tensor" % (type(x).__name__, type(y).__name__))
    x = x if isinstance(x, _Tensor) else _k.full((), x, _kind(x, y.dtype))
    return x, y if isinstance(y, _Tensor) else _k.full((), y, _kind(y, x.dtype))


def _kind(number, other):
    """The dtype of a number beside a tensor of the dtype `other`."""
    if other in _FLOATS or (isinstance(number, int) and other != _mstype.bool_):
        return other
    return _mstype.float32 if isinstance(number, float) else _mstype.int64


def ldexp(x, other):
    """Computes x * 2^other."""
    return x * _k.pow(2.0, _float(other) if isinstance(other, _Tensor) else other)


def lerp(input, end, weight):
    """Interpolates linearly: input + weight * (end - input)."""
    try:
        return input + weight * (end - input)
    except _ERRORS as error:
        _rename(error, "lerp")
        raise


def addcmul(input, tensor1, tensor2, value=1):
    """Computes input + value * tensor1 * tensor2."""
    return input + value * (tensor1 * tensor2)


def addcdiv(input, tensor1, tensor2, value=1):
    """Computes input + value * tensor1 / tensor2."""
    return input + value * (tensor1 / tensor2)


def copysign(x, other):
    """Computes |x| with the sign of other; the sign of -0.0 counts."""
    x, other = _tensors(x, other)
    return _k.where(signbit(other), -_k.abs(_float(x)), _k.abs(_float(x)))


def signbit(input):
    """Says where the sign is negative, also that of -0.0."""
    _check(input, "signbit")
    if input.dtype not in _FLOATS:
        return _k.less(input, 0)
    return _k.logical_or(_k.less(input, 0), _k.logical_and(_k.equal(input, 0), _k.less(_k.reciprocal(input), 0)))


sgn = _k.sign


def frac(x):
    """Returns the fractional part, x - trunc(x), with the sign of x."""
    return x - _k.trunc(_check(x, "frac"))


def heaviside(input, values):
    """Step function: 0 where x < 0, 1 where x > 0, and `values` where x is 0."""
    _check(input, "heaviside")
    return _k.where(_k.equal(input, 0), values, _k.cast(_k.greater(input, 0), input.dtype))


def fmax(input, other):
    """Returns the greater of two elements; where one is NaN, the other one."""
    input, other = _tensors(input, other)
    return _k.where(_k.logical_or(_k.less(input, other), _k.not_equal(input, input)), other, input)


def fmin(input, other):
    """Returns the smaller of two elements; where one is NaN, the other one."""
    input, other = _tensors(input, other)
    return _k.where(_k.logical_or(_k.greater(input, other), _k.not_equal(input, input)), other, input)


def float_power(input, exponent):
    """Computes input^exponent in float64, or in complex128 for complex numbers."""
    return _k.pow(_double(input), _double(exponent))


def _double(x):
    if isinstance(x, str):
        raise TypeError("[float_power] argument, got str, expected a Tensor or a number")
    if not isinstance(x, _Tensor):
        return x if isinstance(x, complex) else float(x)
    return _k.cast(x, _mstype.complex128 if x.is_complex() else _mstype.float64)


def gcd(input, other):
    """Computes the greatest common divisor by Euclid's algorithm, in a fixed number of steps that suffices for the dtype."""
    a, b = _tensors(input, other)
    a, b = _k.abs(a), _k.abs(b)
    for _ in range(92 if _mstype.int64 in (a.dtype, b.dtype) else 46):
        rest = _k.mod(a, _k.where(_k.equal(b, 0), 1, b))
        a, b = _k.where(_k.equal(b, 0), a, b), _k.where(_k.equal(b, 0), 0, rest)
    return a


def lcm(input, other):
    """Computes the least common multiple."""
    input, other = _tensors(input, other)
    divisor = gcd(input, other)
    return _k.where(_k.equal(divisor, 0), 0, _k.abs(input // _k.where(_k.equal(divisor, 0), 1, divisor) * other))


def truncate_div(x, y):
    """Divides and rounds towards 0; integers are divided in float64."""
    x, y = _tensors(x, y)
    kind = _k.add(x, y).dtype
    return _k.trunc(_k.div(x, y)) if kind in _FLOATS else _k.cast(_k.trunc(_k.div(_wide(x), _wide(y))), kind)


def _wide(x):
    return _k.cast(x, _mstype.float64) if isinstance(x, _Tensor) else x


def truncate_mod(x, y):
    """Computes the remainder of the division that rounds towards 0."""
    return _k.fmod(x, y)


def bitwise_left_shift(input, other):
    """Shifts the bits of integers left.

    Only the low bits of other count: 6 where the result is int64 or uint64, else 5. Raises TypeError for other dtypes.
    """
    return _shift("bitwise_left_shift", input, other, True)


def bitwise_right_shift(input, other):
    """Shifts the bits of integers right, rounding down; only the low bits of other count, as in bitwise_left_shift."""
    return _shift("bitwise_right_shift", input, other, False)


def _shift(name, x, by, left):
    number = type(by) is int  # a Python int does not widen the dtype of x
    x, by = _tensors(x, by)
    others = _mstype.float_type + _mstype.complex_type
    if x.dtype in others or by.dtype in others:
        raise TypeError("[%s] operands, got %s and %s, expected integers" % (name, x.dtype, by.dtype))
    kind = x.dtype if number and x.dtype != _mstype.bool_ else _k.add(x, by).dtype
    wide, count = _k.cast(x, kind), _k.cast(_k.cast(by, kind), _mstype.int64)
    count = _k.bitwise_and(count, 63 if kind in (_mstype.int64, _mstype.uint64) else 31)
    if kind == _mstype.uint64:
        return _long_shift(wide, count, left)
    wide, last = _k.cast(wide, _mstype.int64), _k.equal(count, 63)
    power = _k.pow(_k.full((), 2, _mstype.int64), _k.minimum(count, 62))
    if left:  # 2^63 does not fit int64, so the last doubling is separate
        return _k.cast(wide * power * _k.where(last, 2, 1), kind)
    return _k.cast(_k.floor_div(_k.floor_div(wide, power), _k.where(last, 2, 1)), kind)


def _long_shift(wide, count, left):
    """Shifts uint64 in two steps of at most 32 bits."""
    half = _k.minimum(count, 32)
    powers = [_k.cast(_k.pow(_k.full((), 2, _mstype.int64), part), _mstype.uint64) for part in (half, count - half)]
    return wide * powers[0] * powers[1] if left else _k.floor_div(_k.floor_div(wide, powers[0]), powers[1])


def polygamma(n, input):
    """Computes the n-th derivative of digamma."""
    if isinstance(n, _Tensor) and n.ndim:
        raise ValueError("[polygamma] n has a wrong rank, got %d, expected 0" % n.ndim)
    order = int(n)
    if order < 0:
        raise ValueError("[polygamma] n must not be negative, got %d" % order)
    if order < 2:
        return _k.trigamma(input) if order else _k.digamma(input)
    return (-1.0) ** (order + 1) * _math.factorial(order) * _k.zeta(_k.full((), order + 1.0, input.dtype), input)


def mvlgamma(input, p):
    """Computes the logarithm of the multivariate gamma function of dimension p."""
    total = 0.25 * p * (p - 1) * _math.log(_math.pi)
    for i in range(p):
        total = total + _k.lgamma(input - 0.5 * i)
    return total


def positive(input):
    """Returns the tensor itself (unary plus)."""
    return _check(input, "positive")


def isposinf(input):
    """Says where elements are positive infinity."""
    return _k.equal(input, float("inf"))


def isneginf(input):
    """Says where elements are negative infinity."""
    return _k.equal(input, float("-inf"))


def is_floating_point(input):
    """Says whether the dtype of a tensor is a float."""
    return _check(input, "is_floating_point").dtype in _FLOATS


def is_nonzero(input):
    """Says whether a tensor of one element is not 0; raises ValueError for any other number of elements."""
    if _check(input, "is_nonzero").size != 1:
        raise ValueError("[is_nonzero] input must have one element, got %d" % input.size)
    return bool(_k.not_equal(_k.reshape(input, ()), 0))


def approximate_equal(x, y, tolerance=1e-05):
    """Says where |x - y| < tolerance."""
    return _k.less(_k.abs(x - y), tolerance)


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Says whether all elements are close, as isclose defines it; returns a bool."""
    return bool(_k.all(_m.isclose(input, other, rtol, atol, equal_nan)))


def swiglu(input, dim=-1):
    """SwiGLU: silu(first half) * second half along an axis."""
    _check(input, "swiglu")
    first, second = _k.split(input, [input.shape[dim] // 2] * 2, dim)
    return _k.silu(first) * second


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
