"""Element-wise functions that are made of operators, under MindSpore's names and argument orders."""
import math as _math

from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_int as _check_int
from ..common.checks import check_number as _number
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from ..context import FLOAT_DTYPES as _FLOATS
from . import math_func as _m
from . import registry as _k
from .operands import blame as _blame
from .operands import check_operand as _check_operand
from .operands import whole as _whole

arccos, arccosh, arcsin, arcsinh = _k.acos, _k.acosh, _k.asin, _k.asinh
arctan, arctanh, arctan2 = _k.atan, _k.atanh, _k.atan2


def _float(x):
    _check(x, "sinc")
    return x if x.dtype in _FLOATS or x.dtype in _mstype.complex_type else _k.cast(x, _mstype.float32)


def log2(input):
    """Computes the logarithm to base 2, element by element: -inf at 0, NaN below. Shape and dtype are those of a float input; integers give float32.

    Raises TypeError for an input that is no Tensor.
    """
    return _k.log(_check(input, "log2")) / _math.log(2)


def log10(input):
    """Computes the logarithm to base 10, element by element: -inf at 0, NaN below. Shape and dtype are those of a float input; integers give
    float32.

    Raises TypeError for an input that is no Tensor.
    """
    return _k.log(_check(input, "log10")) / _math.log(10)


def exp2(input):
    """Computes 2^x, element by element. Shape and dtype are those of a float input; integers give float32. Raises TypeError for no Tensor."""
    return _k.exp(_check(input, "exp2") * _math.log(2))


def logaddexp2(input, other):
    """Computes log2(2^x + 2^y), element by element, without overflow. The shapes broadcast; ValueError if they do not.

    Raises TypeError unless both are Tensors of floats.
    """
    for value in (input, other):
        if _check(value, "logaddexp2").dtype not in _FLOATS:
            raise TypeError("[logaddexp2] dtype, got %s, expected one of floats" % (value.dtype,))
    return _k.logaddexp(input * _math.log(2), other * _math.log(2)) / _math.log(2)


def deg2rad(x):
    """Converts degrees to radians: x pi / 180, element by element. Floats keep their dtype, integers give float32. TypeError for no Tensor."""
    return _float(_check(x, "deg2rad")) * (_math.pi / 180)


def rad2deg(x):
    """Converts radians to degrees: x 180 / pi, element by element. Floats keep their dtype, integers give float32. TypeError for no Tensor."""
    return _float(_check(x, "rad2deg")) * (180 / _math.pi)


def sinc(input):
    """Computes sin(pi x) / (pi x), and 1 at 0, element by element. Floats and complex numbers keep their dtype, integers give float32.

    Raises TypeError for an input that is no Tensor.
    """
    none, angle = _k.equal(input, 0), _float(input) * _math.pi
    scaled = _k.where(none, 1.0, angle)
    # The first terms of the series have the derivatives that the constant 1 would lack.
    return _k.where(none, 1.0 - _k.square(angle) / 6.0, _k.sin(scaled) / scaled)


def logit(input, eps=None):
    """Computes log(x / (1 - x)), element by element, of x limited to [eps, 1 - eps] where eps is given: the inverse of the sigmoid.

    Without eps (None or negative) 0 gives -inf, 1 gives inf and anything outside NaN. Floats keep their dtype, integers give float32. Raises
    TypeError for an input that is no Tensor and for an eps that is no number.
    """
    if eps is not None and _number(eps, "logit", "eps") >= 0:
        input = _k.clip(input, eps, 1 - eps)
    return _k.log(input) - _k.log(1 - input)


def xlogy(input, other):
    """Computes x log(y), and 0 where x is 0, element by element. There the derivative by x is log(y) for positive y, and else 0.

    x and y broadcast, and one of them may be a number; integers give float32. Raises ValueError for shapes that do not broadcast, TypeError for two
    numbers.
    """
    x, y = _tensors("xlogy", input, other)
    y = _float(y)
    usable = _k.logical_and(_k.greater(y, 0), _k.less(y, float("inf"))) if y.dtype in _FLOATS else _k.not_equal(y, 0)
    return _zero_times(x, y, usable, 1.0, _k.log)


def xdivy(x, y):
    """Computes x / y, and 0 where x is 0, element by element. There the derivative by x is 1 / y, and 0 for y = 0.

    x and y broadcast, and one of them may be a number; integers give float32. Raises ValueError for shapes that do not broadcast, TypeError for two
    numbers.
    """
    x, y = _tensors("xdivy", x, y)
    y = _float(y)
    return _zero_times(x, y, _k.logical_and(_k.not_equal(y, 0), _k.equal(y, y)), float("inf"), _k.reciprocal)


def _zero_times(x, y, usable, root, function):
    """x * function(y). The root of the function takes the place of y where x is 0 and the function of y is not finite."""
    return x * function(_k.where(_k.logical_or(usable, _k.not_equal(x, 0)), y, root))


def _tensors(name, x, y):
    """Both operands of an operator as Tensors; a number gets the dtype of the other operand where that can hold it."""
    if not isinstance(x, _Tensor) and not isinstance(y, _Tensor):
        raise TypeError("[%s] operands, got %s and %s, expected a Tensor" % (name, type(x).__name__, type(y).__name__))
    x = x if isinstance(x, _Tensor) else _k.full((), x, _kind(x, y.dtype))
    return x, y if isinstance(y, _Tensor) else _k.full((), y, _kind(y, x.dtype))


def _kind(number, other):
    """The dtype of a number beside a tensor of the dtype `other`."""
    if other in _FLOATS or (isinstance(number, int) and other != _mstype.bool_):
        return other
    return _mstype.float32 if isinstance(number, float) else _mstype.int64


def ldexp(x, other):
    """Computes x 2^other, element by element. The shapes broadcast, and one of them may be a number; integers give float32.

    Raises ValueError for shapes that do not broadcast, TypeError for operands of another kind.
    """
    try:
        return x * _k.pow(2.0, _float(other) if isinstance(other, _Tensor) else other)
    except _ERRORS as error:
        _blame(error, "ldexp", x=x, other=other)
        raise


def lerp(input, end, weight):
    """Interpolates linearly, element by element: input + weight (end - input). The three broadcast; weight is a Tensor or a number.

    Integers give float32 with a float weight. Raises ValueError for shapes that do not broadcast, TypeError for operands of another kind.
    """
    try:
        return input + weight * (end - input)
    except _ERRORS as error:
        _blame(error, "lerp", input=input, end=end, weight=weight)
        raise


def addcmul(input, tensor1, tensor2, value=1):
    """Computes input + value tensor1 tensor2, element by element. The three broadcast; value is a number or a Tensor.

    Raises ValueError for shapes that do not broadcast, TypeError for operands of another kind.
    """
    try:
        return input + value * (tensor1 * tensor2)
    except _ERRORS as error:
        _blame(error, "addcmul", input=input, tensor1=tensor1, tensor2=tensor2, value=value)
        raise


def addcdiv(input, tensor1, tensor2, value=1):
    """Computes input + value tensor1 / tensor2, element by element. The three broadcast; value is a number or a Tensor. Integers give float32.

    Raises ValueError for shapes that do not broadcast, TypeError for operands of another kind.
    """
    try:
        return input + value * (tensor1 / tensor2)
    except _ERRORS as error:
        _blame(error, "addcdiv", input=input, tensor1=tensor1, tensor2=tensor2, value=value)
        raise


def copysign(x, other):
    """Computes |x| with the sign of other, element by element; the sign of -0.0 counts. x and other broadcast, and one of them may be a number.

    Floats keep their dtype, integers give float32. Raises ValueError for shapes that do not broadcast, TypeError for two numbers.
    """
    x, other = _tensors("copysign", x, other)
    return _k.where(signbit(other), -_k.abs(_float(x)), _k.abs(_float(x)))


def signbit(input):
    """Says where the sign is negative, also that of -0.0: a bool Tensor of the shape of input. Raises TypeError for an input that is no Tensor."""
    _check(input, "signbit")
    if input.dtype not in _FLOATS:
        return _k.less(input, 0)
    return _k.logical_or(_k.less(input, 0), _k.logical_and(_k.equal(input, 0), _k.less(_k.reciprocal(input), 0)))


sgn = _k.sign


def frac(x):
    """Returns the fractional part x - trunc(x), element by element, which has the sign of x. Shape and dtype are those of x; TypeError for no
    Tensor.
    """
    return x - _k.trunc(_check(x, "frac"))


def heaviside(input, values):
    """Step function, element by element: 0 where x < 0, 1 where x > 0, and `values`, a Tensor or a number, where x is 0.

    The shapes broadcast; ValueError if they do not. The result has the dtype to which both promote. Raises TypeError for an input that is no Tensor.
    """
    _check(input, "heaviside")
    return _k.where(_k.equal(input, 0), values, _k.cast(_k.greater(input, 0), input.dtype))


def fmax(input, other):
    """Returns the greater of two elements; where one is NaN, the other one. The operands broadcast, and one of them may be a number.

    Raises ValueError for shapes that do not broadcast, TypeError for two numbers.
    """
    input, other = _tensors("fmax", input, other)
    return _k.where(_k.logical_or(_k.less(input, other), _k.not_equal(input, input)), other, input)


def fmin(input, other):
    """Returns the smaller of two elements; where one is NaN, the other one. The operands broadcast, and one of them may be a number.

    Raises ValueError for shapes that do not broadcast, TypeError for two numbers.
    """
    input, other = _tensors("fmin", input, other)
    return _k.where(_k.logical_or(_k.greater(input, other), _k.not_equal(input, input)), other, input)


def float_power(input, exponent):
    """Computes input^exponent, element by element, in float64, or in complex128 for complex numbers. The operands broadcast; one may be a number.

    Raises ValueError for shapes that do not broadcast, TypeError for anything but Tensors and numbers.
    """
    return _k.pow(_double(input, "input"), _double(exponent, "exponent"))


def _double(x, what):
    if not isinstance(x, _Tensor):
        return x if isinstance(x, complex) else float(_check_operand(x, "float_power", what))
    return _k.cast(x, _mstype.complex128 if x.is_complex() else _mstype.float64)


def polygamma(n, input):
    """Computes the n-th derivative of digamma, element by element: (-1)^(n+1) n! zeta(n + 1, x) for n > 0 (Abramowitz and Stegun 6.4.10).

    n is an int or a Tensor of one element without axes. Floats keep their dtype, integers give float32. Raises ValueError for a negative n and for
    one with axes, TypeError for another n and for an input that is no Tensor.
    """
    if isinstance(n, _Tensor) and n.ndim:
        raise ValueError("[polygamma] n has a wrong rank, got %d, expected 0" % n.ndim)
    order = _whole(n, "polygamma", "n") if isinstance(n, _Tensor) else _check_int(n, "polygamma", "n")
    if order < 0:
        raise ValueError("[polygamma] n must not be negative, got %d" % order)
    _check(input, "polygamma")
    if order < 2:
        return _k.trigamma(input) if order else _k.digamma(input)
    return (-1.0) ** (order + 1) * _math.factorial(order) * _k.zeta(_k.full((), order + 1.0, input.dtype), input)


def mvlgamma(input, p):
    """Computes the logarithm of the multivariate gamma function of dimension p, element by element.

    It is p (p - 1) / 4 log(pi) + sum of lgamma(x - i / 2) for i from 0 to p - 1, defined for x > (p - 1) / 2. Floats keep their dtype, integers give
    float32. Raises ValueError for a p below 1, TypeError for a p that is no int.
    """
    if _check_int(p, "mvlgamma", "p") < 1:
        raise ValueError("[mvlgamma] p, got %d, expected at least 1" % p)
    _check_operand(input, "mvlgamma", "input")
    total = 0.25 * p * (p - 1) * _math.log(_math.pi)
    for i in range(p):
        total = total + _k.lgamma(input - 0.5 * i)
    return total


def positive(input):
    """Returns the tensor itself (unary plus). Raises TypeError for an input that is no Tensor."""
    return _check(input, "positive")


def isposinf(input):
    """Says where elements are positive infinity: a bool Tensor of the shape of input; of integers and bools none are."""
    return _k.equal(input, float("inf"))


def isneginf(input):
    """Says where elements are negative infinity: a bool Tensor of the shape of input; of integers and bools none are."""
    return _k.equal(input, float("-inf"))


def is_floating_point(input):
    """Says whether the dtype of a tensor is float16, bfloat16, float32 or float64: a bool. Raises TypeError for an input that is no Tensor."""
    return _check(input, "is_floating_point").dtype in _FLOATS


def is_nonzero(input):
    """Says whether the element of a tensor of one element is not 0: a bool. Its value is read, so a graph ends before this function.

    Raises ValueError for any other number of elements, TypeError for an input that is no Tensor.
    """
    if _check(input, "is_nonzero").size != 1:
        raise ValueError("[is_nonzero] input must have one element, got %d" % input.size)
    return bool(_k.not_equal(_k.reshape(input, ()), 0))


def approximate_equal(x, y, tolerance=1e-05):
    """Says where |x - y| < tolerance: a bool Tensor. x and y broadcast, and one of them may be a number.

    Raises ValueError for shapes that do not broadcast, TypeError for two numbers and for operands of another kind.
    """
    try:
        return _k.less(_k.abs(x - y), tolerance)
    except _ERRORS as error:
        _blame(error, "approximate_equal", x=x, y=y)
        raise


def allclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Says whether all elements are close: |input - other| <= atol + rtol |other|, as isclose defines it. Returns a bool, so a graph ends here.

    equal_nan says whether two NaN are close. The shapes broadcast; ValueError if they do not, TypeError for anything but Tensors.
    """
    _check(input, "allclose"), _check(other, "allclose")
    try:
        return bool(_k.all(_m.isclose(input, other, rtol, atol, equal_nan)))
    except _ERRORS as error:
        _rename(error, "allclose")
        raise


def swiglu(input, dim=-1):
    """SwiGLU: silu(first half) times the second half along an axis, whose size the result has half of (Shazeer 2020).

    Raises ValueError for an odd size and for an axis that the input does not have, TypeError for an input that is no Tensor.
    """
    size = _check(input, "swiglu").shape[_check_axis(dim, input.ndim, "swiglu", "dim")]
    if size % 2:
        raise ValueError("[swiglu] size of the axis, got %d, expected an even number" % size)
    first, second = _k.split(input, [size // 2] * 2, dim)
    return _k.silu(first) * second


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
