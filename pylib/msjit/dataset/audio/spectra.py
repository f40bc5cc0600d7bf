"""Spectra of sounds and the way back.

LFCC, SpectralCentroid, InverseSpectrogram, GriffinLim, PhaseVocoder, TimeStretch and PitchShift, InverseMelScale; Resample.
"""
import math

import numpy as np

from ..draws import current
from ..vision.base import flag, integer, member, number
from .transforms import AmplitudeToDB, MelScale, Spectrogram, _Audio, _window
from .utils import BorderType, MelType, NormMode, NormType, ResampleMethod, WindowType, create_dct, linear_fbanks


def _complex(x, where):
    if x.shape[-1] != 2:
        raise RuntimeError("[%s] last size of the audio, got %d, expected 2" % (where, x.shape[-1]))
    return x[..., 0] + 1j * x[..., 1].astype(np.float64)


def _pairs(x):
    return np.stack([x.real, x.imag], -1)


def _draws():
    return np.random.RandomState(current().getrandbits(32))


class _Frames:
    """The window of a spectrogram; it converts between sounds and frames."""

    def __init__(self, n_fft, win_length, hop_length, window, where):
        self.size = integer(n_fft, "n_fft", where, 1)
        self.win = self.size if win_length is None else integer(win_length, "win_length", where, 1)
        if self.win > self.size:
            raise ValueError("[%s] win_length, got %d, expected at most n_fft, %d" % (where, self.win, self.size))
        self.hop = max(1, self.win // 2) if hop_length is None else integer(hop_length, "hop_length", where, 1)
        left = (self.size - self.win) // 2
        self.window = np.pad(_window(member(window, WindowType, "window", where), self.win), (left, self.size - self.win - left))

    def spectrum(self, x):
        """The complex spectrum (..., frequency, time) of a sound (..., time)."""
        half = self.size // 2
        x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], "reflect")
        starts = np.arange(0, x.shape[-1] - self.size + 1, self.hop)
        return np.swapaxes(np.fft.rfft(x[..., starts[:, None] + np.arange(self.size)] * self.window), -1, -2)

    def sound(self, spectrum, length=None, center=True, onesided=True):
        """The sound (..., time) of a spectrum: overlapping frames are added and divided by the sum of their squared windows."""
        frames = np.swapaxes(spectrum, -1, -2)
        frames = (np.fft.irfft(frames, self.size) if onesided else np.fft.ifft(frames).real) * self.window
        count = frames.shape[-2]
        whole = self.size + self.hop * (count - 1)
        made, weight = np.zeros(frames.shape[:-2] + (whole,)), np.zeros(whole)
        for i in range(count):
            made[..., i * self.hop:i * self.hop + self.size] += frames[..., i, :]
            weight[i * self.hop:i * self.hop + self.size] += self.window ** 2
        start = self.size // 2 if center else 0
        end = whole - start if length is None else min(whole, start + length)
        made = made[..., start:end] / np.where(weight[start:end] > 1e-11, weight[start:end], 1)
        short = 0 if length is None else length - made.shape[-1]
        return np.pad(made, [(0, 0)] * (made.ndim - 1) + [(0, short)]) if short > 0 else made


class LFCC(_Audio):
    """Computes linear-frequency cepstral coefficients.

    It is the cosine transform of the logarithms (or decibels) of a spectrum in evenly spaced bands. speckwargs are
    Spectrogram's arguments.
    """

    def __init__(self, sample_rate=16000, n_filter=128, n_lfcc=40, f_min=0.0, f_max=None, dct_type=2, norm=NormMode.ORTHO, log_lf=False,
                 speckwargs=None):
        if dct_type != 2:
            raise ValueError("[LFCC] dct_type, got %r, expected 2" % (dct_type,))
        if speckwargs is not None and not isinstance(speckwargs, dict):
            raise TypeError("[LFCC] speckwargs, got %s, expected a dict" % type(speckwargs).__name__)
        options, rate = dict(speckwargs or {}), integer(sample_rate, "sample_rate", "LFCC", 1)
        count = integer(n_filter, "n_filter", "LFCC", 1)
        size = options.get("n_fft", 400)
        if integer(n_lfcc, "n_lfcc", "LFCC", 1) > size:
            raise ValueError("[LFCC] n_lfcc, got %d, expected at most n_fft, %d" % (n_lfcc, size))
        high = rate // 2 if f_max is None else number(f_max, "f_max", "LFCC", 0)
        if number(f_min, "f_min", "LFCC", 0) > high:
            raise ValueError("[LFCC] f_min, got %s, expected at most f_max, %s" % (f_min, high))
        self._spectrogram = Spectrogram(**options)
        self._bank = linear_fbanks(size // 2 + 1, f_min, high, count, rate)
        self._dct, self._decibels = create_dct(n_lfcc, count, member(norm, NormMode, "norm", "LFCC")), AmplitudeToDB()
        self._log = flag(log_lf, "log_lf", "LFCC")

    def _apply(self, x):
        bands = np.swapaxes(np.swapaxes(self._spectrogram._apply(x), -1, -2) @ self._bank, -1, -2)
        bands = np.log(bands + 1e-6) if self._log else self._decibels._apply(bands)
        return np.swapaxes(np.swapaxes(bands, -1, -2) @ self._dct, -1, -2)

    def _typed(self, found, dtype):
        return found.astype(np.float32)


class SpectralCentroid(_Audio):
    """Computes the mean frequency of a sound over time, (..., 1, time)."""

    def __init__(self, sample_rate, n_fft=400, win_length=None, hop_length=None, pad=0, window=WindowType.HANN):
        rate = integer(sample_rate, "sample_rate", "SpectralCentroid", 0)
        self._spectrogram = Spectrogram(n_fft, win_length, hop_length, pad, window, 1.0)
        self._frequencies = np.linspace(0, rate // 2, 1 + n_fft // 2)[:, None]

    def _apply(self, x):
        found = self._spectrogram._apply(x)
        return (self._frequencies * found).sum(-2, keepdims=True) / found.sum(-2, keepdims=True)


class InverseSpectrogram(_Audio):
    """Reconstructs the sound of a complex spectrogram (..., frequency, time, 2)."""

    _least = 3

    def __init__(self, length=None, n_fft=400, win_length=None, hop_length=None, pad=0, window=WindowType.HANN, normalized=False,
                 center=True, pad_mode=BorderType.REFLECT, onesided=True):
        where = "InverseSpectrogram"
        self._length = None if not length else integer(length, "length", where, 1)
        self._frames = _Frames(n_fft, win_length, hop_length, window, where)
        self._pad, self._normalized = integer(pad, "pad", where, 0), flag(normalized, "normalized", where)
        self._center, self._onesided = flag(center, "center", where), flag(onesided, "onesided", where)
        member(pad_mode, BorderType, "pad_mode", where)

    def _apply(self, x):
        spectrum = _complex(x, "InverseSpectrogram")
        bins = self._frames.size // 2 + 1 if self._onesided else self._frames.size
        if spectrum.shape[-2] != bins:
            raise RuntimeError("[InverseSpectrogram] frequencies of the spectrogram, got %d in shape %s, expected %d"
                               % (spectrum.shape[-2], x.shape, bins))
        if self._normalized:
            spectrum = spectrum * math.sqrt((self._frames.window ** 2).sum())
        length = None if self._length is None else self._length + 2 * self._pad
        if length is None and not self._center:
            length = self._frames.hop * (x.shape[-2] - 1)
        found = self._frames.sound(spectrum, length, self._center, self._onesided)
        return found[..., self._pad:found.shape[-1] - self._pad] if self._length is not None and self._pad else found


class GriffinLim(_Audio):
    """Reconstructs a sound from a spectrogram without phases, by iterated guesses of the phases (Griffin and Lim)."""

    _least = 2

    def __init__(self, n_fft=400, n_iter=32, win_length=None, hop_length=None, window_type=WindowType.HANN, power=2.0, momentum=0.99,
                 length=None, rand_init=True):
        where = "GriffinLim"
        self._frames = _Frames(n_fft, win_length, hop_length, window_type, where)
        self._steps, self._power = integer(n_iter, "n_iter", where, 1), number(power, "power", where, 0, above=True)
        self._momentum = number(momentum, "momentum", where, 0)
        self._length = None if not length else integer(length, "length", where, 1)
        self._random = flag(rand_init, "rand_init", where)

    def _apply(self, x):
        if x.shape[-2] != self._frames.size // 2 + 1:
            raise RuntimeError("[GriffinLim] frequencies of the spectrogram, got %d in shape %s, expected %d"
                               % (x.shape[-2], x.shape, self._frames.size // 2 + 1))
        strengths = x.astype(np.float64) ** (1 / self._power)
        draws = _draws()
        phases = draws.rand(*x.shape) + 1j * draws.rand(*x.shape) if self._random else np.ones(x.shape, complex)
        before, share, count = 0.0, self._momentum / (1 + 2 * self._momentum), x.shape[-1]  # MindSpore computes the share in this way
        for _ in range(self._steps):
            rebuilt = self._frames.spectrum(self._frames.sound(strengths * phases, self._length))[..., :count]
            rebuilt = np.pad(rebuilt, [(0, 0)] * (x.ndim - 1) + [(0, count - rebuilt.shape[-1])])
            phases = rebuilt - share * before
            phases, before = phases / (np.abs(phases) + 1e-16), rebuilt
        return self._frames.sound(strengths * phases, self._length)


def _stretched(spectrum, rate, advance):
    """A complex spectrum (..., frequency, time) played `rate` times as fast, at the same pitch."""
    at = np.arange(0, spectrum.shape[-1], rate)
    first = np.angle(spectrum[..., :1])
    spectrum = np.pad(spectrum, [(0, 0)] * (spectrum.ndim - 1) + [(0, 2)])
    low, high, part = spectrum[..., at.astype(int)], spectrum[..., at.astype(int) + 1], at % 1.0
    turn = np.angle(high) - np.angle(low) - advance
    turn = turn - 2 * math.pi * np.round(turn / (2 * math.pi)) + advance
    phase = np.cumsum(np.concatenate([first, turn[..., :-1]], -1), -1)
    return (part * np.abs(high) + (1 - part) * np.abs(low)) * np.exp(1j * phase)


def _same(x):
    return x[None] if x.ndim == 3 else x  # unchanged but for one more axis, as in MindSpore


class PhaseVocoder(_Audio):
    """Plays a complex spectrogram (..., frequency, time, 2) `rate` times as fast, at the same pitch.

    phase_advance (frequencies, 1) is the phase by which each frequency advances in a frame.
    """

    _least = 3

    def __init__(self, rate, phase_advance):
        self._rate = number(rate, "rate", "PhaseVocoder", 0, above=True)
        if not isinstance(phase_advance, np.ndarray):
            raise TypeError("[PhaseVocoder] phase_advance, got %s, expected a NumPy array" % type(phase_advance).__name__)
        if phase_advance.ndim != 2 or phase_advance.shape[1] != 1:
            raise ValueError("[PhaseVocoder] phase_advance, got shape %s, expected (frequencies, 1)" % (phase_advance.shape,))
        self._advance = phase_advance

    def _apply(self, x):
        if x.shape[-3] != len(self._advance):
            raise RuntimeError("[PhaseVocoder] frequencies of the spectrogram, got %d in shape %s, expected %d, as phase_advance has"
                               % (x.shape[-3], x.shape, len(self._advance)))
        spectrum = _complex(x, "PhaseVocoder")
        return _same(x) if self._rate == 1.0 else _pairs(_stretched(spectrum, self._rate, self._advance))


class TimeStretch(_Audio):
    """Plays a complex spectrogram `fixed_rate` times as fast at the same pitch, as PhaseVocoder with frames hop_length apart."""

    _least = 3

    def __init__(self, hop_length=None, n_freq=201, fixed_rate=None):
        bins = integer(n_freq, "n_freq", "TimeStretch", 1)
        self._hop = bins - 1 if hop_length is None else integer(hop_length, "hop_length", "TimeStretch", 1)
        self._rate = 1.0 if fixed_rate is None else number(fixed_rate, "fixed_rate", "TimeStretch", 0, above=True)

    def _apply(self, x):
        spectrum = _complex(x, "TimeStretch")
        if self._rate == 1.0:
            return _same(x)
        return _pairs(_stretched(spectrum, self._rate, np.linspace(0, math.pi * self._hop, x.shape[-3])[:, None]))


def resample(x, before, after, kaiser=False, width=6, rolloff=0.99, beta=None):
    """Resamples a sound from `before` to `after` values each second, by a windowed sinc."""
    divisor = math.gcd(int(before), int(after))
    before, after = int(before) // divisor, int(after) // divisor
    if before == after:
        return x
    scale = min(before, after) * rolloff / before  # zeros of the sinc for each value of the sound
    reach = int(math.ceil(width / scale))
    count = int(math.ceil(after * x.shape[-1] / float(before)))
    x = np.pad(x.astype(np.float64), [(0, 0)] * (x.ndim - 1) + [(reach, reach + 2)])
    return np.concatenate([_sinc_sums(x, np.arange(start, min(start + 65536, count)), before, after, scale, reach, width,
                                      kaiser and (14.769656459379492 if beta is None else beta))
                           for start in range(0, count, 65536)], -1)


def _sinc_sums(x, numbers, before, after, scale, reach, width, beta):
    """The values with these indices of a resampled sound, which begins at x[..., reach]."""
    first = numbers * before // after
    taps = np.arange(-reach, reach + 2)
    part = (numbers * before % after) / float(after)
    at = np.clip((taps - part[:, None]) * scale, -width, width)
    if beta is False:
        window = np.cos(at * math.pi / width / 2) ** 2
    else:
        window = np.i0(beta * np.sqrt(1 - (at / width) ** 2)) / np.i0(beta)
    return (x[..., first[:, None] + taps + reach] * (np.sinc(at) * window * scale)).sum(-1)


class Resample(_Audio):
    """Resamples a sound from orig_freq to new_freq values each second."""

    def __init__(self, orig_freq=16000, new_freq=16000, resample_method=ResampleMethod.SINC_INTERPOLATION, lowpass_filter_width=6,
                 rolloff=0.99, beta=None):
        where = "Resample"
        self._rates = (number(orig_freq, "orig_freq", where, 0, above=True), number(new_freq, "new_freq", where, 0, above=True))
        self._kaiser = member(resample_method, ResampleMethod, "resample_method", where) == ResampleMethod.KAISER_WINDOW
        self._width = integer(lowpass_filter_width, "lowpass_filter_width", where, 1)
        self._rolloff = number(rolloff, "rolloff", where, 0, 1, above=True)
        self._beta = None if beta is None else number(beta, "beta", where)

    def _apply(self, x):
        return resample(x, self._rates[0], self._rates[1], self._kaiser, self._width, self._rolloff, self._beta)


class PitchShift(_Audio):
    """Raises the pitch of a sound by n_steps of bins_per_octave without changing its length."""

    def __init__(self, sample_rate, n_steps, bins_per_octave=12, n_fft=512, win_length=None, hop_length=None, window=WindowType.HANN):
        where = "PitchShift"
        rate = integer(sample_rate, "sample_rate", where, 1)
        octave = integer(bins_per_octave, "bins_per_octave", where, -2147483648, 2147483647)
        if octave == 0:
            raise ValueError("[PitchShift] bins_per_octave, got 0, expected another number")
        win = n_fft if win_length is None else win_length
        self._frames = _Frames(n_fft, win, win // 4 if hop_length is None else hop_length, window, where)
        steps = integer(n_steps, "n_steps", where, -2147483648, 2147483647)
        self._rate, self._speed = rate, 2.0 ** (-float(steps) / octave)

    def _apply(self, x):
        frames, length = self._frames, x.shape[-1]
        advance = np.linspace(0, math.pi * frames.hop, frames.size // 2 + 1)[:, None]
        spectrum = _stretched(frames.spectrum(x.astype(np.float64)), self._speed, advance)
        slow = frames.sound(spectrum, int(round(length / self._speed)))
        found = resample(slow, int(self._rate / self._speed), self._rate)[..., :length]
        return np.pad(found, [(0, 0)] * (x.ndim - 1) + [(0, length - found.shape[-1])])


class InverseMelScale(_Audio):
    """Finds a spectrogram (..., n_stft, time) for one on the mel scale, by gradient descent from a random guess."""

    _least = 2

    def __init__(self, n_stft, n_mels=128, sample_rate=16000, f_min=0.0, f_max=None, max_iter=100000, tolerance_loss=1e-5,
                 tolerance_change=1e-8, sgdargs=None, norm=NormType.NONE, mel_type=MelType.HTK):
        where = "InverseMelScale"
        self._bank = MelScale(n_mels, sample_rate, f_min, f_max, n_stft, norm, mel_type)._bank.astype(np.float64)
        self._most = integer(max_iter, "max_iter", where, 1)
        self._loss, self._change = [
            number(value, name, where, 0, above=True) for name, value in (("tolerance_loss", tolerance_loss), ("tolerance_change", tolerance_change))]
        options = dict({"sgd_lr": 0.1, "sgd_momentum": 0.9}, **(sgdargs or {}))
        self._rate, self._momentum = (number(options[name], name, where, 0) for name in ("sgd_lr", "sgd_momentum"))

    def _apply(self, x):
        if x.shape[-2] != self._bank.shape[1]:
            raise RuntimeError("[InverseMelScale] bands of the spectrogram, got %d in shape %s, expected n_mels, %d"
                               % (x.shape[-2], x.shape, self._bank.shape[1]))
        wanted = np.swapaxes(x, -1, -2).reshape((-1,) + (x.shape[-1], x.shape[-2])).astype(np.float64)
        guess, speed, last = _draws().rand(*(wanted.shape[:2] + (len(self._bank),))), 0.0, math.inf
        for _ in range(self._most):
            error = wanted - guess @ self._bank
            loss = (error ** 2).mean((0, 1)).sum()
            speed = self._momentum * speed - error @ self._bank.T * (2.0 / (wanted.shape[0] * wanted.shape[1]))
            guess = np.maximum(guess - self._rate * speed, 0)
            if loss < self._loss or abs(last - loss) < self._change:
                break
            last = loss
        return np.swapaxes(guess, -1, -2).reshape(x.shape[:-2] + (len(self._bank), x.shape[-1]))
