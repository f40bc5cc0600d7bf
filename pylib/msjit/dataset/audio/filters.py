"""Recursive filters of sounds: LFilter, Filtfilt, and second-order filters by R. Bristow-Johnson's cookbook formulas."""
import math

import numpy as np

from ..vision.base import flag, integer, number
from .transforms import _Audio


def recursive(x, a, b):
    """Solves a[0] y[t] = sum b[k] x[t - k] - sum a[k] y[t - k] for y over the last axis, in float64."""
    b, a = [value / a[0] for value in b], [value / a[0] for value in a]
    rows = x.reshape(-1, x.shape[-1]).astype(np.float64)
    forward = np.zeros_like(rows)
    for k, factor in enumerate(b[:rows.shape[1]]):
        forward[:, k:] += factor * rows[:, :rows.shape[1] - k]
    made = [(_second_order if len(a) == 3 else _any_order)(row, a) for row in forward.tolist()]
    return np.array(made, np.float64).reshape(x.shape)


def _second_order(row, a):
    # Python floats: indexing an array for each value would cost ten times as much.
    first, second, last, before = a[1], a[2], 0.0, 0.0
    for t, value in enumerate(row):
        last, before = value - first * last - second * before, last
        row[t] = last
    return row


def _any_order(row, a):
    done = [0.0] * (len(a) - 1)
    for t, value in enumerate(row):
        for factor, earlier in zip(a[1:], done):
            value -= factor * earlier
        done = [value] + done[:-1] if done else done
        row[t] = value
    return row


def _coefficients(values, name, where):
    if not isinstance(values, (list, tuple)) or not values:
        raise TypeError("[%s] %s, got %r, expected a list of numbers" % (where, name, values))
    return [float(number(value, name, where)) for value in values]


class LFilter(_Audio):
    """Filters with the coefficients a_coeffs of the outputs and b_coeffs of the inputs, the latest first."""

    def __init__(self, a_coeffs, b_coeffs, clamp=True):
        where = type(self).__name__
        self._a, self._b = _coefficients(a_coeffs, "a_coeffs", where), _coefficients(b_coeffs, "b_coeffs", where)
        if len(self._a) != len(self._b):
            raise ValueError("[%s] a_coeffs and b_coeffs, got %d and %d, expected as many of each" % (where, len(self._a), len(self._b)))
        if self._a[0] == 0:
            raise ValueError("[%s] first of a_coeffs, got 0, expected another number" % where)
        self._clamp = flag(clamp, "clamp", where)

    def _apply(self, x):
        with np.errstate(all="ignore"):
            found = recursive(x, self._a, self._b)
        return np.clip(found, -1, 1) if self._clamp else found


class Filtfilt(LFilter):
    """Filters as LFilter forward in time, then backward."""

    def _apply(self, x):
        with np.errstate(all="ignore"):
            forward = recursive(x, self._a, self._b)
            found = recursive(forward[..., ::-1], self._a, self._b)[..., ::-1]
        return np.clip(found, -1, 1) if self._clamp else found


class Biquad(_Audio):
    """Second-order filter with the given coefficients."""

    def __init__(self, b0, b1, b2, a0, a1, a2):
        self._set([b0, b1, b2], [a0, a1, a2])

    def _set(self, b, a):
        where = type(self).__name__
        self._b, self._a = [float(number(value, "b", where)) for value in b], [float(number(value, "a", where)) for value in a]
        if self._a[0] == 0:
            raise ValueError("[%s] a0, got 0, expected another number" % where)

    def _apply(self, x):
        return np.clip(recursive(x, self._a, self._b), -1, 1)

    def _angle(self, sample_rate, freq, Q, name="central_freq"):
        """(cosine of the angle of a frequency, half of its sine over Q)"""
        where = type(self).__name__
        if integer(sample_rate, "sample_rate", where, -2147483648, 2147483647) == 0:
            raise ValueError("[%s] sample_rate, got 0, expected another number" % where)
        number(freq, name, where)
        angle = 2 * math.pi * freq / sample_rate
        return math.cos(angle), math.sin(angle) / 2 / number(Q, "Q", where, 0, 1, above=True)

    def _amplitude(self, gain):
        return 10.0 ** (number(gain, "gain", type(self).__name__) / 40)

    def _shelf(self, cos, alpha, amp, sign):
        """Sets a shelf above the frequency (sign 1) or below it (sign -1)."""
        slope, less, more = 2 * math.sqrt(amp) * alpha, (amp - 1) * cos, (amp + 1) * cos
        self._set([amp * (amp + 1 + sign * less + slope), -2 * sign * amp * (amp - 1 + sign * more), amp * (amp + 1 + sign * less - slope)],
                  [amp + 1 - sign * less + slope, 2 * sign * (amp - 1 - sign * more), amp + 1 - sign * less - slope])


class AllpassBiquad(Biquad):
    """Second-order filter that changes phases around a frequency, but no amplitudes."""

    def __init__(self, sample_rate, central_freq, Q=0.707):
        cos, alpha = self._angle(sample_rate, central_freq, Q)
        self._set([1 - alpha, -2 * cos, 1 + alpha], [1 + alpha, -2 * cos, 1 - alpha])


class BandBiquad(Biquad):
    """Second-order filter that keeps the frequencies around one, falling off slowly; `noise` is for sounds without a pitch."""

    def __init__(self, sample_rate, central_freq, Q=0.707, noise=False):
        cos, _ = self._angle(sample_rate, central_freq, Q)
        a2 = math.exp(-2 * math.pi * (central_freq / Q) / sample_rate)
        a1 = -4 * a2 / (1 + a2) * cos
        b0 = math.sqrt(1 - a1 * a1 / (4 * a2)) * (1 - a2)
        if flag(noise, "noise", "BandBiquad"):
            b0 = math.sqrt(((1 + a2) ** 2 - a1 * a1) * (1 - a2) / (1 + a2))
        self._set([b0, 0, 0], [1, a1, a2])


class BandpassBiquad(Biquad):
    """Second-order filter that keeps the frequencies around one."""

    def __init__(self, sample_rate, central_freq, Q=0.707, const_skirt_gain=False):
        cos, alpha = self._angle(sample_rate, central_freq, Q)
        top = alpha * Q if flag(const_skirt_gain, "const_skirt_gain", "BandpassBiquad") else alpha
        self._set([top, 0, -top], [1 + alpha, -2 * cos, 1 - alpha])


class BandrejectBiquad(Biquad):
    """Second-order filter that removes the frequencies around one."""

    def __init__(self, sample_rate, central_freq, Q=0.707):
        cos, alpha = self._angle(sample_rate, central_freq, Q)
        self._set([1, -2 * cos, 1], [1 + alpha, -2 * cos, 1 - alpha])


class BassBiquad(Biquad):
    """Second-order filter that raises low frequencies by `gain` decibels."""

    def __init__(self, sample_rate, gain, central_freq=100.0, Q=0.707):
        self._shelf(*self._angle(sample_rate, central_freq, Q), self._amplitude(gain), -1)


class TrebleBiquad(Biquad):
    """Second-order filter that raises high frequencies by `gain` decibels."""

    def __init__(self, sample_rate, gain, central_freq=3000, Q=0.707):
        self._shelf(*self._angle(sample_rate, central_freq, Q), self._amplitude(gain), 1)


class EqualizerBiquad(Biquad):
    """Second-order filter that raises the frequencies around one by `gain` decibels."""

    def __init__(self, sample_rate, center_freq, gain, Q=0.707):
        cos, alpha = self._angle(sample_rate, center_freq, Q, "center_freq")
        amp = self._amplitude(gain)
        self._set([1 + alpha * amp, -2 * cos, 1 - alpha * amp], [1 + alpha / amp, -2 * cos, 1 - alpha / amp])


class HighpassBiquad(Biquad):
    """Second-order filter that keeps frequencies above cutoff_freq."""

    def __init__(self, sample_rate, cutoff_freq, Q=0.707):
        cos, alpha = self._angle(sample_rate, cutoff_freq, Q, "cutoff_freq")
        self._set([(1 + cos) / 2, -1 - cos, (1 + cos) / 2], [1 + alpha, -2 * cos, 1 - alpha])


class LowpassBiquad(Biquad):
    """Second-order filter that keeps frequencies below cutoff_freq."""

    def __init__(self, sample_rate, cutoff_freq, Q=0.707):
        cos, alpha = self._angle(sample_rate, cutoff_freq, Q, "cutoff_freq")
        self._set([(1 - cos) / 2, 1 - cos, (1 - cos) / 2], [1 + alpha, -2 * cos, 1 - alpha])


_DEEMPHASIS = {44100: (5283.0, 0.4845, -9.477), 48000: (5356.0, 0.479, -9.62)}  # frequency, slope, decibels


def _rate(sample_rate, known, where):
    if isinstance(sample_rate, bool) or not isinstance(sample_rate, int):
        raise TypeError("[%s] sample_rate, got %s, expected an int" % (where, type(sample_rate).__name__))
    if sample_rate not in known:
        raise ValueError("[%s] sample_rate, got %d, expected one of %s" % (where, sample_rate, sorted(known)))
    return known[sample_rate]


class DeemphBiquad(Biquad):
    """Undoes the emphasis of Compact Discs (a shelf, ISO 908)."""

    def __init__(self, sample_rate):
        freq, slope, gain = _rate(sample_rate, _DEEMPHASIS, "DeemphBiquad")
        angle, amp = 2 * math.pi * freq / sample_rate, self._amplitude(gain)
        alpha = math.sin(angle) / 2 * math.sqrt((amp + 1 / amp) * (1 / slope - 1) + 2)
        self._shelf(math.cos(angle), alpha, amp, 1)


# Zeros and poles of the playback curve of vinyl records.
_RIAA = {44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)), 48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
         88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)), 96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946))}


class RiaaBiquad(Biquad):
    """Applies the playback curve of vinyl records (RIAA)."""

    def __init__(self, sample_rate):
        zeros, poles = _rate(sample_rate, _RIAA, "RiaaBiquad")
        b, a = ([1.0, -(one + other), one * other] for one, other in (zeros, poles))
        step = np.exp(-2j * math.pi * 1000 / sample_rate)  # 1 kHz keeps its amplitude
        gain = abs(np.polyval(a[::-1], step)) / abs(np.polyval(b[::-1], step))
        self._set([float(value * gain) for value in b], a)
