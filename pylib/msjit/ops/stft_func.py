"""The short-time Fourier transform."""
import math as _math

from ..common import dtype as _mstype
from ..common.tensor import check_tensor as _check
from . import complex_func as _c
from . import fft_func as _f
from . import pad_func as _p
from . import registry as _k

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
    spectra = (_f.rfft if onesided else _f.fft)(frames)
    if _flag("normalized", normalized, False):
        spectra = _k.mul(spectra, 1.0 / _math.sqrt(n_fft))
    spectra = _k.swapaxes(spectra, -1, -2)
    return spectra if return_complex else _c.view_as_real(spectra)


__all__ = ["stft"]
