"""Transforms of sounds: arrays of floats whose last axis is time; spectrograms have frequency before it."""
import math

import numpy as np

from ...common.tensor import Tensor
from ..draws import current
from ..vision.base import flag, integer, member, number
from .utils import (
    BorderType,
    FadeShape,
    GainType,
    MelType,
    NormMode,
    NormType,
    ScaleType,
    WindowType,
    create_dct,
    melscale_fbanks,
)


class _Audio:
    """Base class: `_apply(array)` of an array of floats with at least `_least` axes."""

    _least = 1

    def __call__(self, *sounds):
        where = type(self).__name__
        if len(sounds) != 1:
            raise RuntimeError("[%s] columns, got %d, expected 1" % (where, len(sounds)))
        audio = sounds[0].asnumpy() if isinstance(sounds[0], Tensor) else sounds[0]
        if not isinstance(audio, np.ndarray):
            raise TypeError("[%s] audio, got %s, expected a NumPy array" % (where, type(audio).__name__))
        if audio.dtype.kind not in "biuf":
            raise RuntimeError("[%s] dtype of the audio, got %s, expected numbers" % (where, audio.dtype))
        if audio.ndim < self._least:
            raise RuntimeError("[%s] rank of the audio, got %d, expected %d or more" % (where, audio.ndim, self._least))
        dtype = np.float64 if audio.dtype == np.float64 else np.float32
        found = self._apply(audio.astype(dtype))
        return tuple(part.astype(dtype) for part in found) if isinstance(found, tuple) else self._typed(found, dtype)

    def _typed(self, found, dtype):
        return found.astype(dtype)


class AmplitudeToDB(_Audio):
    """Converts amplitudes or powers to decibels, limited to at most top_db below the largest value of a spectrogram."""

    def __init__(self, stype=ScaleType.POWER, ref_value=1.0, amin=1e-10, top_db=80.0):
        where = "AmplitudeToDB"
        self._factor = 10.0 if member(stype, ScaleType, "stype", where) == ScaleType.POWER else 20.0
        self._ref, self._amin = number(ref_value, "ref_value", where, 0, above=True), number(amin, "amin", where, 0, above=True)
        self._top = number(top_db, "top_db", where, 0, above=True)

    def _apply(self, x):
        found = self._factor * (np.log10(np.maximum(x, self._amin)) - math.log10(max(self._ref, self._amin)))
        axes = tuple(range(max(0, x.ndim - 3), x.ndim))
        return np.maximum(found, found.max(axes, keepdims=True) - self._top)


class DBToAmplitude(_Audio):
    """Converts decibels to amplitudes or powers: ref * (10^(x / 10))^power."""

    def __init__(self, ref, power):
        self._ref, self._power = number(ref, "ref", "DBToAmplitude"), number(power, "power", "DBToAmplitude")

    def _apply(self, x):
        return self._ref * (10.0 ** (0.1 * x)) ** self._power


class MuLawEncoding(_Audio):
    """Encodes sounds in [-1, 1] as integers below quantization_channels by the mu law."""

    def __init__(self, quantization_channels=256):
        self._mu = integer(quantization_channels, "quantization_channels", type(self).__name__, 1) - 1

    def _apply(self, x):
        found = np.sign(x) * np.log1p(self._mu * np.abs(x)) / np.log1p(self._mu)
        return (found + 1) / 2 * self._mu + 0.5

    def _typed(self, found, dtype):
        return found.astype(np.int32)


class MuLawDecoding(MuLawEncoding):
    """Decodes the result of MuLawEncoding."""

    def _apply(self, x):
        x = x / self._mu * 2 - 1
        return np.sign(x) * np.expm1(np.abs(x) * np.log1p(self._mu)) / self._mu

    _typed = _Audio._typed


class Gain(_Audio):
    """Amplifies a sound by gain_db decibels."""

    def __init__(self, gain_db=1.0):
        self._gain = 10.0 ** (number(gain_db, "gain_db", "Gain") / 20)

    def _apply(self, x):
        return x * self._gain


class Vol(_Audio):
    """Amplifies a sound by an amplitude factor, a power factor or decibels, and clips it to [-1, 1]."""

    def __init__(self, gain, gain_type=GainType.AMPLITUDE):
        member(gain_type, GainType, "gain_type", "Vol")
        number(gain, "gain", "Vol", None if gain_type == GainType.DB else 0, above=gain_type == GainType.POWER)
        self._gain = {GainType.AMPLITUDE: gain, GainType.DB: 10.0 ** (gain / 20), GainType.POWER: math.sqrt(abs(gain))}[gain_type]

    def _apply(self, x):
        return np.clip(x * self._gain, -1, 1)


class Contrast(_Audio):
    """Enhances the contrast of a sound: quiet parts become louder."""

    def __init__(self, enhancement_amount=75.0):
        self._amount = number(enhancement_amount, "enhancement_amount", "Contrast", 0, 100) / 750.0

    def _apply(self, x):
        angle = x * (math.pi / 2)
        return np.sin(angle + self._amount * np.sin(4 * angle))


_SHAPES = {
    FadeShape.LINEAR: lambda t: t, FadeShape.EXPONENTIAL: lambda t: 2.0 ** (t - 1) * t,
    FadeShape.LOGARITHMIC: lambda t: np.log10(0.1 + t) + 1, FadeShape.QUARTER_SINE: lambda t: np.sin(t * math.pi / 2),
    FadeShape.HALF_SINE: lambda t: np.sin(t * math.pi - math.pi / 2) / 2 + 0.5,
}


class Fade(_Audio):
    """Fades a sound in over fade_in_len values, and out over fade_out_len values."""

    def __init__(self, fade_in_len=0, fade_out_len=0, fade_shape=FadeShape.LINEAR):
        self._first, self._last = integer(fade_in_len, "fade_in_len", "Fade", 0), integer(fade_out_len, "fade_out_len", "Fade", 0)
        self._shape = _SHAPES[member(fade_shape, FadeShape, "fade_shape", "Fade")]

    def _apply(self, x):
        size = x.shape[-1]
        if max(self._first, self._last) > size:
            raise RuntimeError("[Fade] fade_in_len and fade_out_len, got %d and %d, expected at most %d, the length of the audio"
                               % (self._first, self._last, size))
        weights = np.ones(size)
        weights[:self._first] *= self._shape(np.linspace(0, 1, self._first))
        weights[size - self._last:] *= self._shape(np.linspace(1, 0, self._last))
        return x * weights


class ComplexNorm(_Audio):
    """Computes the absolute value, to a power, of complex numbers stored as pairs along the last axis."""

    _least = 2

    def __init__(self, power=1.0):
        self._power = number(power, "power", type(self).__name__, 0)

    def _apply(self, x):
        self._pairs(x)
        return (x ** 2).sum(-1) ** (0.5 * self._power)

    def _pairs(self, x):
        if x.shape[-1] != 2:
            raise RuntimeError("[%s] last size of the audio, got %d, expected 2" % (type(self).__name__, x.shape[-1]))


class Angle(ComplexNorm):
    """Computes the angle of complex numbers stored as pairs along the last axis."""

    def __init__(self):
        super().__init__()

    def _apply(self, x):
        self._pairs(x)
        return np.arctan2(x[..., 1], x[..., 0])


class Magphase(ComplexNorm):
    """Returns (absolute value to a power, angle) of complex numbers stored as pairs along the last axis."""

    def _apply(self, x):
        return super()._apply(x), np.arctan2(x[..., 1], x[..., 0])


class _Masking(_Audio):
    """Sets a band along an axis to a value: from mask_start on, or with iid_masks a random one for each example."""

    _least, _axis = 2, -1

    def __init__(self, iid_masks, param, mask_start, mask_value):
        where = type(self).__name__
        self._each, self._width = flag(iid_masks, "iid_masks", where), integer(param, "mask_param", where, 0)
        self._start, self._value = integer(mask_start, "mask_start", where, 0), number(mask_value, "mask_value", where)

    def _apply(self, x):
        size = x.shape[self._axis]
        if self._width > size or not self._each and self._start + self._width > size:
            raise RuntimeError("[%s] mask_param and mask_start, got %d and %d, expected a band within %d"
                               % (type(self).__name__, self._width, self._start, size))
        moved = np.moveaxis(x.copy(), self._axis, -1)
        if not self._each:
            moved[..., self._start:self._start + self._width] = self._value
            return np.moveaxis(moved, -1, self._axis)
        rows = moved.reshape((-1,) + moved.shape[-2:])
        for row in rows:
            width = int(current().uniform(0, self._width))
            start = int(current().uniform(0, size - width))
            row[..., start:start + width] = self._value
        return np.moveaxis(rows.reshape(moved.shape), -1, self._axis)


class TimeMasking(_Masking):
    """Sets a band of time steps of a spectrogram to mask_value.

    The band begins at mask_start; with iid_masks each example has its own random one of at most time_mask_param steps.
    """

    def __init__(self, iid_masks=False, time_mask_param=0, mask_start=0, mask_value=0.0):
        super().__init__(iid_masks, time_mask_param, mask_start, mask_value)


class FrequencyMasking(_Masking):
    """Sets a band of frequencies of a spectrogram to mask_value.

    The band begins at mask_start; with iid_masks each example has its own random one of at most freq_mask_param
    frequencies.
    """

    _axis = -2

    def __init__(self, iid_masks=False, freq_mask_param=0, mask_start=0, mask_value=0.0):
        super().__init__(iid_masks, freq_mask_param, mask_start, mask_value)


def _window(kind, size):
    """A periodic window: the value after the last one would be the first one again."""
    made = {WindowType.HANN: np.hanning, WindowType.HAMMING: np.hamming, WindowType.BARTLETT: np.bartlett,
            WindowType.BLACKMAN: np.blackman, WindowType.KAISER: lambda n: np.kaiser(n, 12.0)}[kind]
    return made(size + 1)[:-1]


_MODES = {BorderType.CONSTANT: "constant", BorderType.EDGE: "edge", BorderType.REFLECT: "reflect", BorderType.SYMMETRIC: "symmetric"}


class Spectrogram(_Audio):
    """Computes the spectrogram of a sound: amplitudes of frequencies over time, to a power.

    With power 0 the result holds complex numbers as pairs along a last axis.
    """

    def __init__(self, n_fft=400, win_length=None, hop_length=None, pad=0, window=WindowType.HANN, power=2.0, normalized=False,
                 center=True, pad_mode=BorderType.REFLECT, onesided=True):
        where = "Spectrogram"
        self._size = integer(n_fft, "n_fft", where, 1)
        win = self._size if win_length is None else integer(win_length, "win_length", where, 1)
        if win > self._size:
            raise ValueError("[Spectrogram] win_length, got %d, expected at most n_fft, %d" % (win, self._size))
        self._hop = max(1, win // 2) if hop_length is None else integer(hop_length, "hop_length", where, 1)
        self._pad, self._power = integer(pad, "pad", where, 0), number(power, "power", where, 0)
        self._mode = _MODES[member(pad_mode, BorderType, "pad_mode", where)]
        self._normalized, self._center = flag(normalized, "normalized", where), flag(center, "center", where)
        self._onesided, window = flag(onesided, "onesided", where), _window(member(window, WindowType, "window", where), win)
        left = (self._size - win) // 2
        self._window = np.pad(window, (left, self._size - win - left))

    def _apply(self, x):
        lead = [(0, 0)] * (x.ndim - 1)
        x = np.pad(x.astype(np.float64), lead + [(self._pad, self._pad)])
        if self._center:
            x = np.pad(x, lead + [(self._size // 2, self._size // 2)], self._mode)
        if x.shape[-1] < self._size:
            raise RuntimeError("[Spectrogram] length of the audio, got %d, expected n_fft, %d, at least" % (x.shape[-1], self._size))
        starts = np.arange(0, x.shape[-1] - self._size + 1, self._hop)
        frames = x[..., starts[:, None] + np.arange(self._size)] * self._window
        found = np.fft.rfft(frames) if self._onesided else np.fft.fft(frames)
        if self._normalized:
            found = found / math.sqrt((self._window ** 2).sum())
        found = np.swapaxes(found, -1, -2)
        if self._power == 0:
            return np.stack([found.real, found.imag], -1)
        return np.abs(found) ** self._power


class MelScale(_Audio):
    """Converts spectrograms (..., n_stft, time) to the mel scale, (..., n_mels, time)."""

    _least = 2

    def __init__(self, n_mels=128, sample_rate=16000, f_min=0.0, f_max=None, n_stft=201, norm=NormType.NONE, mel_type=MelType.HTK):
        where = "MelScale"
        rate = integer(sample_rate, "sample_rate", where, 1)
        high = rate // 2 if f_max is None else number(f_max, "f_max", where, 0, above=True)
        if not number(f_min, "f_min", where) < high:
            raise ValueError("[MelScale] f_min, got %s, expected below f_max, %s" % (f_min, high))
        self._bank = melscale_fbanks(integer(n_stft, "n_stft", where, 1), f_min, high, integer(n_mels, "n_mels", where, 1), rate,
                                     member(norm, NormType, "norm", where), member(mel_type, MelType, "mel_type", where))

    def _apply(self, x):
        if x.shape[-2] != len(self._bank):
            raise RuntimeError("[MelScale] frequencies of the spectrogram, got %d in shape %s, expected %d"
                               % (x.shape[-2], x.shape, len(self._bank)))
        return np.swapaxes(np.swapaxes(x, -1, -2) @ self._bank, -1, -2)


class MelSpectrogram(_Audio):
    """Computes a spectrogram on the mel scale: Spectrogram, then MelScale."""

    def __init__(self, sample_rate=16000, n_fft=400, win_length=None, hop_length=None, f_min=0.0, f_max=None, pad=0, n_mels=128,
                 window=WindowType.HANN, power=2.0, normalized=False, center=True, pad_mode=BorderType.REFLECT, onesided=True,
                 norm=NormType.NONE, mel_scale=MelType.HTK):
        self._spectrogram = Spectrogram(n_fft, win_length, hop_length, pad, window, number(power, "power", "MelSpectrogram", 0, above=True),
                                        normalized, center, pad_mode, onesided)
        self._scale = MelScale(n_mels, sample_rate, f_min, f_max, n_fft // 2 + 1 if onesided else n_fft, norm, mel_scale)

    def _apply(self, x):
        return self._scale._apply(self._spectrogram._apply(x))


class MFCC(_Audio):
    """Computes mel-frequency cepstral coefficients.

    It is the cosine transform of the logarithms (or decibels) of a MelSpectrogram, whose arguments are melkwargs.
    """

    def __init__(self, sample_rate=16000, n_mfcc=40, dct_type=2, norm=NormMode.ORTHO, log_mels=False, melkwargs=None):
        if dct_type != 2:
            raise ValueError("[MFCC] dct_type, got %r, expected 2" % (dct_type,))
        if melkwargs is not None and not isinstance(melkwargs, dict):
            raise TypeError("[MFCC] melkwargs, got %s, expected a dict" % type(melkwargs).__name__)
        options = dict(melkwargs or {})
        self._mel, self._log = MelSpectrogram(sample_rate, **options), flag(log_mels, "log_mels", "MFCC")
        count = options.get("n_mels", 128)
        if integer(n_mfcc, "n_mfcc", "MFCC", 1) > count:
            raise ValueError("[MFCC] n_mfcc, got %d, expected at most n_mels, %d" % (n_mfcc, count))
        self._dct, self._decibels = create_dct(n_mfcc, count, member(norm, NormMode, "norm", "MFCC")), AmplitudeToDB()

    def _apply(self, x):
        mel = self._mel._apply(x)
        mel = np.log(mel + 1e-6) if self._log else self._decibels._apply(mel)
        return np.swapaxes(np.swapaxes(mel, -1, -2) @ self._dct, -1, -2)

    def _typed(self, found, dtype):
        return found.astype(np.float32)
