"""Arithmetic of integers: common divisors and multiples, division that rounds towards 0, shifts of bits."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..context import FLOAT_DTYPES as _FLOATS
from . import registry as _k
from . import special_func as _sp


def gcd(input, other):
    """Computes the greatest common divisor, element by element; gcd(x, 0) is |x|. The operands broadcast, and one of them may be a number.

    Euclid's algorithm runs a fixed number of steps that suffices for the dtype. Raises ValueError for shapes that do not broadcast, TypeError for
    two numbers.
    """
    a, b = _sp._tensors("gcd", input, other)
    a, b = _k.abs(a), _k.abs(b)
    for _ in range(92 if _mstype.int64 in (a.dtype, b.dtype) else 46):
        rest = _k.mod(a, _k.where(_k.equal(b, 0), 1, b))
        a, b = _k.where(_k.equal(b, 0), a, b), _k.where(_k.equal(b, 0), 0, rest)
    return a


def lcm(input, other):
    """Computes the least common multiple |x y| / gcd(x, y), and 0 where both are 0, element by element. The operands are as in gcd.

    A multiple that the dtype cannot hold wraps around. Raises ValueError for shapes that do not broadcast, TypeError for two numbers.
    """
    input, other = _sp._tensors("lcm", input, other)
    divisor = gcd(input, other)
    return _k.where(_k.equal(divisor, 0), 0, _k.abs(input // _k.where(_k.equal(divisor, 0), 1, divisor) * other))


def truncate_div(x, y):
    """Divides element by element and rounds towards 0: -7 over 2 gives -3. Integers are divided in float64, so those above 2^53 lose digits.

    The operands broadcast, and one of them may be a number; the result has the dtype to which they promote. Raises ValueError for shapes that do not
    broadcast, TypeError for two numbers.
    """
    x, y = _sp._tensors("truncate_div", x, y)
    kind = _k.add(x, y).dtype
    return _k.trunc(_k.div(x, y)) if kind in _FLOATS else _k.cast(_k.trunc(_k.div(_wide(x), _wide(y))), kind)


def _wide(x):
    return _k.cast(x, _mstype.float64) if isinstance(x, _Tensor) else x


def truncate_mod(x, y):
    """Computes the remainder of the division that rounds towards 0, which has the sign of x: -7 over 2 gives -1.

    The operands broadcast; ValueError if they do not.
    """
    return _k.fmod(x, y)


def bitwise_left_shift(input, other):
    """Shifts the bits of integers left, element by element; bits that leave the dtype are lost. The operands broadcast; one may be an int.

    Only the low bits of other count: 6 where the result is int64 or uint64, else 5. Raises TypeError for other dtypes and for two numbers,
    ValueError for shapes that do not broadcast.
    """
    return _shift("bitwise_left_shift", input, other, True)


def bitwise_right_shift(input, other):
    """Shifts the bits of integers right, element by element, rounding down: -5 by 1 gives -3. Else as bitwise_left_shift."""
    return _shift("bitwise_right_shift", input, other, False)


def _shift(name, x, by, left):
    number = type(by) is int  # a Python int does not widen the dtype of x
    x, by = _sp._tensors(name, x, by)
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


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
