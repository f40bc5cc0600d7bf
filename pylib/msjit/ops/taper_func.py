"""Window functions (Hann, Hamming, Kaiser, Bartlett, Blackman) and logspace."""
import math as _math

from ..common import dtype as _mstype
from ..common.checks import check_int as _check_int
from ..common.tensor import Tensor as _Tensor
from ..context import FLOAT_DTYPES as _FLOATS
from . import registry as _k
from .operands import check_operand as _check_operand


def _length(where, value):
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[%s] window_length, got %s, expected an int" % (where, type(value).__name__))
    if value < 0:
        raise ValueError("[%s] window_length, got %d, expected 0 or more" % (where, value))
    return value


def _taper(where, window_length, periodic, dtype, shape):
    """Computes shape(phase) at window_length places, float64 by default; the phase runs from 0 to 1 over the window."""
    length = _length(where, window_length)
    if dtype is not None and dtype not in _FLOATS:
        raise TypeError("[%s] dtype, got %s, expected one of floats" % (where, dtype))
    dtype = _mstype.float64 if dtype is None else dtype
    if length < 2:
        return _k.full((length,), 1.0, dtype)
    places = _k.cast(_k.arange(0, length, 1, _mstype.int64), _mstype.float64)
    return _k.cast(shape(places / float(length if periodic else length - 1)), dtype)


def _one_length(where, window_length):
    """Reads the length in a Tensor without axes, which bartlett_window and blackman_window take."""
    if not isinstance(window_length, _Tensor):
        raise TypeError("[%s] window_length, got %s, expected a Tensor" % (where, type(window_length).__name__))
    if window_length.dtype not in (_mstype.int32, _mstype.int64):
        raise TypeError("[%s] dtype of window_length, got %s, expected int32 or int64" % (where, window_length.dtype))
    if window_length.ndim:
        raise ValueError("[%s] window_length, got %d axes, expected none" % (where, window_length.ndim))
    return int(window_length)


def hann_window(window_length, periodic=True, *, dtype=None):
    """Computes the Hann window, 0.5 - 0.5 cos(2 pi t), of shape (window_length,); float64 by default."""
    return _taper("hann_window", window_length, periodic, dtype, lambda t: 0.5 - 0.5 * _k.cos(2 * _math.pi * t))


def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None):
    """Computes the Hamming window, alpha - beta cos(2 pi t), of shape (window_length,); float32 by default.

    Raises TypeError for an alpha or beta that is no number.
    """
    _check_operand(alpha, "hamming_window", "alpha"), _check_operand(beta, "hamming_window", "beta")
    if dtype is None and isinstance(window_length, int) and window_length > 1:
        dtype = _mstype.float32  # shorter windows are float64, as in MindSpore
    return _taper("hamming_window", window_length, periodic, dtype,
                   lambda t: alpha - beta * _k.cos(2 * _math.pi * t))


def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None):
    """Computes the Kaiser window, I0(beta sqrt(1 - (2t - 1)^2)) / I0(beta), of shape (window_length,); float64 by default.

    Raises TypeError for a beta that is no number.
    """
    from .bessel_func import bessel_i0e
    _check_operand(beta, "kaiser_window", "beta")

    def shape(t):
        inner = beta * _k.sqrt(_k.maximum(1.0 - _k.square(2.0 * t - 1.0), 0.0))
        top = _k.full((1,), abs(float(beta)), _mstype.float64)
        return bessel_i0e(inner) * _k.exp(_k.abs(inner) - top) / bessel_i0e(top)
    return _taper("kaiser_window", window_length, periodic, dtype, shape)


def bartlett_window(window_length, periodic=True, *, dtype=None):
    """Computes the triangular window, 1 - |2t - 1|; window_length is a Tensor without axes. The result is float32 by default."""
    return _taper("bartlett_window", _one_length("bartlett_window", window_length), periodic,
                  _mstype.float32 if dtype is None else dtype, lambda t: 1.0 - _k.abs(2.0 * t - 1.0))


def blackman_window(window_length, periodic=True, *, dtype=None):
    """Computes the Blackman window, 0.42 - 0.5 cos(2 pi t) + 0.08 cos(4 pi t); window_length is a Tensor without axes.
    float32 by default."""
    def shape(t):
        return 0.42 - 0.5 * _k.cos(2 * _math.pi * t) + 0.08 * _k.cos(4 * _math.pi * t)
    return _taper("blackman_window", _one_length("blackman_window", window_length), periodic,
                  _mstype.float32 if dtype is None else dtype, shape)


def logspace(start, end, steps, base=10, *, dtype=_mstype.float32):
    """Returns `steps` numbers from base^start to base^end, with evenly spaced exponents; start and end are floats or
    Tensors without axes."""
    for what, value in (("start", start), ("end", end)):
        if not isinstance(value, (_Tensor, float)):
            raise TypeError("[logspace] %s, got %s, expected a Tensor or a float" % (what, type(value).__name__))
        if isinstance(value, _Tensor) and value.ndim:
            raise ValueError("[logspace] axes of %s, got %d, expected none" % (what, value.ndim))
    steps, base = _check_int(steps, "logspace", "steps"), _check_int(base, "logspace", "base")
    if steps < 0:
        raise ValueError("[logspace] steps, got %d, expected 0 or more" % steps)
    first, last = (_k.cast(value, _mstype.float64) if isinstance(value, _Tensor) else _k.full((), value, _mstype.float64)
                   for value in (start, end))
    places = _k.cast(_k.arange(0, steps, 1, _mstype.int64), _mstype.float64)
    exponents = first + places * ((last - first) / float(max(steps - 1, 1)))
    return _k.cast(_k.pow(_k.full((), float(base), _mstype.float64), exponents), dtype)


__all__ = ["hann_window", "hamming_window", "kaiser_window", "bartlett_window", "blackman_window", "logspace"]
