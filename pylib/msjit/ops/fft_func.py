"""Discrete Fourier transforms over one axis, two axes or several, with the shift and frequency functions; and the short-time transform.

n or s gives the sizes of the transformed axes: longer input is cut, shorter input is padded with zeros. norm says where the
scaling goes, for m transformed elements. "backward" (the default) scales the inverse transforms by 1 / m and "forward" the
forward ones; "ortho" scales both by 1 / sqrt(m). float16, bfloat16 and integers are cast to float32; bool raises TypeError.
A size below 1, an unknown norm, and axes out of range or repeated raise ValueError.
"""
import math as _math

from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_int as _check_int
from ..common.tensor import check_tensor as _check
from . import complex_func as _c
from . import pad_func as _p
from . import registry as _k

_COMPLEX = (_mstype.complex64, _mstype.complex128)
_NORMS = (None, "backward", "forward", "ortho")


# -- arguments ------------------------------------------------------------------------------------------------------------

def _read(where, input, norm):
    """Checks input and norm; returns input as float32, float64 or complex."""
    if norm not in _NORMS:
        if norm is not None and not isinstance(norm, str):
            raise TypeError("[%s] norm, got %s, expected a str or None" % (where, type(norm).__name__))
        raise ValueError("[%s] norm, got %r, expected 'backward', 'forward' or 'ortho'" % (where, norm))
    dtype = _check(input, where).dtype
    if dtype == _mstype.bool_:
        raise TypeError("[%s] dtype of input, got bool, expected a number" % where)
    if input.ndim == 0:
        raise ValueError("[%s] rank of input, got 0, expected at least 1" % where)
    wide = dtype in _COMPLEX or dtype in (_mstype.float32, _mstype.float64)
    return input if wide else _k.cast(input, _mstype.float32)


def _size(where, what, value):
    value = _check_int(value, where, what)
    if value < 1:
        raise ValueError("[%s] %s, got %d, expected a size above 0" % (where, what, value))
    return value


def _list(where, what, value):
    if not isinstance(value, (tuple, list)):
        raise TypeError("[%s] %s, got %s, expected a tuple or list of ints" % (where, what, type(value).__name__))
    return list(value)


def _one(where, n, dim, rank):
    """Returns (sizes, axes) of a transform over one axis."""
    return [None if n is None else _size(where, "n", n)], [_check_axis(dim, rank, where, "dim")]


def _several(where, s, dim, rank):
    """Returns (sizes, axes) of a transform over several axes; without dim, the last len(s) axes, or all without s."""
    sizes = None if s is None else [_size(where, "s", size) for size in _list(where, "s", s)]
    if dim is None:
        count = rank if sizes is None else len(sizes)
        if count > rank:
            raise ValueError("[%s] s, got %d sizes, expected at most %d" % (where, count, rank))
        axes = list(range(rank - count, rank))
    else:
        axes = [_check_axis(d, rank, where, "dim") for d in _list(where, "dim", dim)]
    if len(set(axes)) != len(axes):
        raise ValueError("[%s] dim, got %s, expected distinct axes" % (where, tuple(dim)))
    sizes = [None] * len(axes) if sizes is None else sizes
    if len(sizes) != len(axes):
        raise ValueError("[%s] s and dim, got %d and %d of them, expected equal lengths" % (where, len(sizes), len(axes)))
    if not axes:
        raise ValueError("[%s] dim, got no axis, expected at least one" % where)
    return sizes, axes


def _resized(x, sizes, axes):
    """Cuts x to the given sizes along axes, or pads it with zeros."""
    rank = x.ndim
    ends, after = list(x.shape), [0] * rank
    for size, axis in zip(sizes, axes):
        if size is not None:
            ends[axis], after[axis] = min(size, x.shape[axis]), max(size - x.shape[axis], 0)
    if tuple(ends) != tuple(x.shape):
        x = _k.slice(x, [0] * rank, ends, [1] * rank)
    return _k.pad(x, [0] * rank, after) if any(after) else x


def _scale(norm, inverse, count):
    if norm == "ortho":
        return 1.0 / _math.sqrt(count) if count else 1.0
    divides = inverse if norm in (None, "backward") else not inverse
    return 1.0 / count if divides and count else 1.0


def _count(shape, axes):
    count = 1
    for axis in axes:
        count *= shape[axis]
    return count


# -- the three kinds ------------------------------------------------------------------------------------------------------

def _full(x, sizes, axes, norm, inverse):
    """The transform from complex numbers to complex numbers."""
    x = _resized(x, sizes, axes)
    if x.dtype not in _COMPLEX:
        x = _k.cast(x, _mstype.complex128 if x.dtype == _mstype.float64 else _mstype.complex64)
    return _k.fft_c2c(x, axes, not inverse, _scale(norm, inverse, _count(x.shape, axes)))


def _half(x, sizes, axes, norm, inverse):
    """The transform of real numbers to the first half along the last of axes. Complex input is transformed in full, then cut."""
    if x.dtype in _COMPLEX:
        full = _full(x, sizes, axes, norm, inverse)
        return _resized(full, [full.shape[axes[-1]] // 2 + 1], axes[-1:])
    x = _resized(x, sizes, axes)
    return _k.fft_r2c(x, axes, not inverse, _scale(norm, inverse, _count(x.shape, axes)))


def _from_half(x, sizes, axes, norm, inverse):
    """The transform from the first half along the last of axes to real numbers."""
    last = axes[-1]
    n = 2 * (x.shape[last] - 1) if sizes[-1] is None else sizes[-1]
    x = _resized(x, sizes[:-1] + [n // 2 + 1], axes)
    if x.dtype not in _COMPLEX:
        x = _k.cast(x, _mstype.complex128 if x.dtype == _mstype.float64 else _mstype.complex64)
    if n < 1:
        return _resized(_k.real(x), [0], [last])
    count = _count(x.shape, axes[:-1]) * n
    return _k.fft_c2r(x, axes, n, not inverse, _scale(norm, inverse, count))


# -- one axis -------------------------------------------------------------------------------------------------------------

def fft(input, n=None, dim=-1, norm=None):
    """Computes the discrete Fourier transform along dim. The result is complex, of size n along dim."""
    x = _read("fft", input, norm)
    return _full(x, *_one("fft", n, dim, x.ndim), norm=norm, inverse=False)


def ifft(input, n=None, dim=-1, norm=None):
    """Computes the inverse discrete Fourier transform along dim. The result is complex, of size n along dim."""
    x = _read("ifft", input, norm)
    return _full(x, *_one("ifft", n, dim, x.ndim), norm=norm, inverse=True)


def rfft(input, n=None, dim=-1, norm=None):
    """Computes the discrete Fourier transform of real numbers along dim. The result is complex, its first n // 2 + 1 elements along dim."""
    x = _read("rfft", input, norm)
    return _half(x, *_one("rfft", n, dim, x.ndim), norm=norm, inverse=False)


def irfft(input, n=None, dim=-1, norm=None):
    """Computes the inverse of rfft along dim: n real numbers, by default 2 * (size - 1)."""
    x = _read("irfft", input, norm)
    return _from_half(x, *_one("irfft", n, dim, x.ndim), norm=norm, inverse=True)


def hfft(input, n=None, dim=-1, norm=None):
    """Computes the Fourier transform of a signal that is Hermitian along dim and given by its first half. The result is
    n real numbers along dim."""
    x = _read("hfft", input, norm)
    return _from_half(x, *_one("hfft", n, dim, x.ndim), norm=norm, inverse=False)


def ihfft(input, n=None, dim=-1, norm=None):
    """Computes the inverse of hfft: the first n // 2 + 1 elements of a Hermitian signal along dim, complex."""
    x = _read("ihfft", input, norm)
    return _half(x, *_one("ihfft", n, dim, x.ndim), norm=norm, inverse=True)


# -- two axes, several ----------------------------------------------------------------------------------------------------

def fft2(input, s=None, dim=(-2, -1), norm=None):
    """Computes the discrete Fourier transform over two axes. The result is complex, of sizes s along them."""
    x = _read("fft2", input, norm)
    return _full(x, *_several("fft2", s, dim, x.ndim), norm=norm, inverse=False)


def ifft2(input, s=None, dim=(-2, -1), norm=None):
    """Computes the inverse discrete Fourier transform over two axes. The result is complex, of sizes s along them."""
    x = _read("ifft2", input, norm)
    return _full(x, *_several("ifft2", s, dim, x.ndim), norm=norm, inverse=True)


def fftn(input, s=None, dim=None, norm=None):
    """Computes the discrete Fourier transform over several axes: dim, else the last len(s), else all. The result is complex, of sizes s."""
    x = _read("fftn", input, norm)
    return _full(x, *_several("fftn", s, dim, x.ndim), norm=norm, inverse=False)


def ifftn(input, s=None, dim=None, norm=None):
    """Computes the inverse discrete Fourier transform over several axes: dim, else the last len(s), else all. The result is complex."""
    x = _read("ifftn", input, norm)
    return _full(x, *_several("ifftn", s, dim, x.ndim), norm=norm, inverse=True)


def rfft2(input, s=None, dim=(-2, -1), norm=None):
    """Computes the Fourier transform of real numbers over two axes. The result is complex, with the first half along the last axis."""
    x = _read("rfft2", input, norm)
    return _half(x, *_several("rfft2", s, dim, x.ndim), norm=norm, inverse=False)


def irfft2(input, s=None, dim=(-2, -1), norm=None):
    """Computes the inverse of rfft2: real numbers, of sizes s; the default size of the last axis is 2 * (size - 1)."""
    x = _read("irfft2", input, norm)
    return _from_half(x, *_several("irfft2", s, dim, x.ndim), norm=norm, inverse=True)


def rfftn(input, s=None, dim=None, norm=None):
    """Computes the Fourier transform of real numbers over several axes, by default all. The result is complex, with the
    first half of the last axis."""
    x = _read("rfftn", input, norm)
    return _half(x, *_several("rfftn", s, dim, x.ndim), norm=norm, inverse=False)


def irfftn(input, s=None, dim=None, norm=None):
    """Computes the inverse of rfftn: real numbers, of sizes s; the default size of the last axis is 2 * (size - 1)."""
    x = _read("irfftn", input, norm)
    return _from_half(x, *_several("irfftn", s, dim, x.ndim), norm=norm, inverse=True)


def hfft2(input, s=None, dim=(-2, -1), norm=None):
    """Computes the Fourier transform over two axes of a signal that is Hermitian along the last. The result is real."""
    x = _read("hfft2", input, norm)
    return _from_half(x, *_several("hfft2", s, dim, x.ndim), norm=norm, inverse=False)


def ihfft2(input, s=None, dim=(-2, -1), norm=None):
    """Computes the inverse of hfft2. The result is complex."""
    x = _read("ihfft2", input, norm)
    return _half(x, *_several("ihfft2", s, dim, x.ndim), norm=norm, inverse=True)


def hfftn(input, s=None, dim=None, norm=None):
    """Computes the Fourier transform over several axes, by default all, of a signal that is Hermitian along the last.
    The result is real."""
    x = _read("hfftn", input, norm)
    return _from_half(x, *_several("hfftn", s, dim, x.ndim), norm=norm, inverse=False)


def ihfftn(input, s=None, dim=None, norm=None):
    """Computes the inverse of hfftn. The result is complex."""
    x = _read("ihfftn", input, norm)
    return _half(x, *_several("ihfftn", s, dim, x.ndim), norm=norm, inverse=True)


# -- frequencies ----------------------------------------------------------------------------------------------------------

def _rolled(where, input, dim, sign):
    x = _check(input, where)
    dims = list(range(x.ndim)) if dim is None else list(dim) if isinstance(dim, (tuple, list)) else [dim]
    axes = [_check_axis(d, x.ndim, where, "dim") for d in dims]
    halves = [x.shape[a] // 2 if sign > 0 else -(x.shape[a] // 2) for a in axes]
    return _k.roll(x, halves, axes) if axes else x


def fftshift(input, dim=None):
    """Moves frequency 0 to the middle of the axes dim, an int or a tuple, by default all: rolls each by half its size, rounded down.

    Shape and dtype are those of input. Raises ValueError for an axis that the input does not have.
    """
    return _rolled("fftshift", input, dim, 1)


def ifftshift(input, dim=None):
    """Reverses fftshift: rolls each of the axes dim by half its size, rounded up. Raises ValueError for an axis that the input does not have."""
    return _rolled("ifftshift", input, dim, -1)


def _frequencies(where, n, d, dtype, first, last):
    _size(where, "n", n)
    if not isinstance(d, float):
        raise TypeError("[%s] d, got %s, expected a float" % (where, type(d).__name__))
    dtype = _mstype.float32 if dtype is None else dtype
    numbers = _k.arange(0, last, 1, _mstype.float64)
    if first < 0:
        numbers = _k.concat([numbers, _k.arange(first, 0, 1, _mstype.float64)], 0)
    return _k.cast(_k.div(numbers, n * d), dtype)


def fftfreq(n, d=1.0, dtype=None):
    """Returns the n frequencies of the elements of fft, for samples at distance d: 0, 1, ..., -2, -1 over n d; float32 unless dtype is given.

    The unit is that of 1 / d. Raises ValueError for an n below 1, TypeError for an n that is no int and a d that is no float.
    """
    return _frequencies("fftfreq", n, d, dtype, -(_size("fftfreq", "n", n) // 2), (n + 1) // 2)


def rfftfreq(n, d=1.0, dtype=None):
    """Returns the n // 2 + 1 frequencies of the elements of rfft, for samples at distance d: 0, 1, ... over n d; float32 unless dtype is given.

    The unit is that of 1 / d. Raises ValueError for an n below 1, TypeError for an n that is no int and a d that is no float.
    """
    return _frequencies("rfftfreq", n, d, dtype, 0, _size("rfftfreq", "n", n) // 2 + 1)


# -- short times -------------------------------------------------------------------------------------------------------

_DTYPES = (_mstype.float32, _mstype.float64, _mstype.complex64, _mstype.complex128)
_MODES = ("CONSTANT", "REFLECT", "SYMMETRIC")


def _flag(name, value, default):
    if value is None:
        return default
    if not isinstance(value, bool):
        raise TypeError("[stft] %s, got %s, expected a bool" % (name, type(value).__name__))
    return value


def _within(name, value, low, high):
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError("[stft] %s, got %s, expected an int" % (name, type(value).__name__))
    if value < low or high is not None and value > high:
        wanted = "at least %d" % low if high is None else "%d to %d" % (low, high)
        raise ValueError("[stft] %s, got %d, expected %s" % (name, value, wanted))
    return value


def _padded(x, pad, mode):
    """Pads x with `pad` elements at both ends of its last axis."""
    if not isinstance(mode, str):
        raise TypeError("[stft] pad_mode, got %s, expected a str" % type(mode).__name__)
    if mode not in _MODES:
        raise ValueError("[stft] pad_mode, got %r, expected 'CONSTANT', 'REFLECT' or 'SYMMETRIC'" % (mode,))
    if mode == "CONSTANT":
        sides = [0] * (x.ndim - 1) + [pad]
        return _k.pad(x, sides, sides)
    return _p.mirrored(x, x.ndim - 1, pad, pad, mode == "SYMMETRIC")


def _window(window, win_length, n_fft):
    """Pads the window with zeros on both sides to n_fft elements."""
    if window is None:
        window = _k.ones((win_length,), _mstype.float32)
    if _check(window, "stft").dtype not in _DTYPES:
        raise TypeError("[stft] dtype of window, got %s, expected float32, float64, complex64 or complex128"
                        % (window.dtype.name,))
    if tuple(window.shape) != (win_length,):
        raise ValueError("[stft] shape of window, got %s, expected %s" % (tuple(window.shape), (win_length,)))
    left = (n_fft - win_length) // 2
    return _k.pad(window, [left], [n_fft - win_length - left])


def stft(x, n_fft, hop_length=None, win_length=None, window=None, center=True, pad_mode="REFLECT", normalized=False,
         onesided=None, return_complex=None):
    """Computes the short-time Fourier transform of a signal or a batch of signals: frames of n_fft elements, hop_length
    apart.

    x has one or two axes, of float32, float64, complex64 or complex128. In the result, frequencies and frames replace the
    last axis of x; onesided keeps the first n_fft // 2 + 1 frequencies. Without return_complex a last axis holds the real
    and the imaginary parts. Without the options, a real signal under a real window gives onesided frequencies and that last
    axis. Other dtypes raise TypeError; sizes out of range raise ValueError.
    """
    if _check(x, "stft").dtype not in _DTYPES:
        raise TypeError("[stft] dtype of x, got %s, expected float32, float64, complex64 or complex128" % (x.dtype.name,))
    if x.ndim not in (1, 2):
        raise ValueError("[stft] rank of x, got %d, expected 1 or 2" % x.ndim)
    _within("n_fft", n_fft, 1, None)
    hop_length = _within("hop_length", n_fft // 4 if hop_length is None else hop_length, 1, None)
    win_length = _within("win_length", n_fft if win_length is None else win_length, 1, n_fft)
    window = _window(window, win_length, n_fft)
    real = x.dtype not in _mstype.complex_type and window.dtype not in _mstype.complex_type
    onesided = _flag("onesided", onesided, real)
    return_complex = _flag("return_complex", return_complex, not real)
    if onesided and not real:
        raise ValueError("[stft] onesided, got True for complex numbers, expected False")
    if _flag("center", center, True):
        x = _padded(x, n_fft // 2, pad_mode)
    _within("n_fft", n_fft, 1, x.shape[-1])
    count = 1 + (x.shape[-1] - n_fft) // hop_length
    starts = _k.reshape(_k.arange(0, count * hop_length, hop_length), (count, 1))
    frames = _k.mul(_k.gather(x, _k.add(starts, _k.arange(0, n_fft)), x.ndim - 1), window)
    spectra = (rfft if onesided else fft)(frames)
    if _flag("normalized", normalized, False):
        spectra = _k.mul(spectra, 1.0 / _math.sqrt(n_fft))
    spectra = _k.swapaxes(spectra, -1, -2)
    return spectra if return_complex else _c.view_as_real(spectra)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
