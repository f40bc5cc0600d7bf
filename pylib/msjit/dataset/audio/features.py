"""Features of sounds: ComputeDeltas, SlidingWindowCmn, DetectPitchFrequency; masks along an axis."""
import math

import numpy as np

from ..draws import current
from ..vision.base import flag, integer, member, number
from .transforms import _MODES, _Audio
from .utils import BorderType


class ComputeDeltas(_Audio):
    """Computes how a spectrogram changes over time: the slope of the line through win_length values."""

    _least = 2

    def __init__(self, win_length=5, pad_mode=BorderType.EDGE):
        self._half = (integer(win_length, "win_length", "ComputeDeltas", 3) - 1) // 2
        self._mode = _MODES[member(pad_mode, BorderType, "pad_mode", "ComputeDeltas")]

    def _apply(self, x):
        half, size = self._half, x.shape[-1]
        grown = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(half, half)], self._mode)
        slopes = sum(k * (grown[..., half + k:half + k + size] - grown[..., half - k:half - k + size]) for k in range(1, half + 1))
        return slopes * (3.0 / (half * (half + 1) * (2 * half + 1)))


class SlidingWindowCmn(_Audio):
    """Subtracts from each row of features (..., time, feature) the mean over a sliding window.

    With norm_vars it also divides by the standard deviation.
    """

    _least = 2

    def __init__(self, cmn_window=600, min_cmn_window=100, center=False, norm_vars=False):
        where = "SlidingWindowCmn"
        self._window, self._least_window = integer(cmn_window, "cmn_window", where, 0), integer(min_cmn_window, "min_cmn_window", where, 0)
        self._center, self._norm = flag(center, "center", where), flag(norm_vars, "norm_vars", where)

    def _bounds(self, t, count):
        start = t - (self._window // 2 if self._center else self._window)
        end = start + self._window if self._center else t + 1
        if start < 0:
            start, end = 0, end - start
        if not self._center and end > t:
            end = max(t + 1, self._least_window)
        if end > count:
            start, end = max(0, start - (end - count)), count
        return start, end

    def _apply(self, x):
        found, count = np.empty(x.shape, np.float64), x.shape[-2]
        for t in range(count):
            start, end = self._bounds(t, count)
            part = x[..., start:end, :].astype(np.float64)
            mean = part.mean(-2)
            row = x[..., t, :] - mean
            if self._norm:
                spread = (part ** 2).mean(-2) - mean ** 2
                row = np.zeros_like(row) if end - start == 1 else row / np.sqrt(spread)
            found[..., t, :] = row
        return found.squeeze() if x.ndim == 2 and count == 1 else found  # as MindSpore does


def _likeness(x, frame, lags):
    """(..., frames, lags): the correlation of each frame of a sound with the one `lag` later; 1 for equal ones."""
    frames = -(-x.shape[-1] // frame)
    x = np.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, frames * frame + lags - x.shape[-1])])
    cut = lambda start: x[..., start:start + frames * frame].reshape(x.shape[:-1] + (frames, frame))  # noqa: E731
    here, tiny = cut(0), 1e-9
    norm = tiny + np.sqrt((here ** 2).sum(-1))
    return np.stack([(here * cut(lag)).sum(-1) / norm / (tiny + np.sqrt((cut(lag) ** 2).sum(-1))) for lag in range(1, lags + 1)], -1)


class DetectPitchFrequency(_Audio):
    """Detects the pitch of a sound over time from its autocorrelation, smoothed by medians of win_length frames."""

    def __init__(self, sample_rate, frame_time=0.01, win_length=30, freq_low=85, freq_high=3400):
        where = "DetectPitchFrequency"
        self._rate = integer(sample_rate, "sample_rate", where, -2147483648, 2147483647)
        if self._rate == 0:
            raise ValueError("[DetectPitchFrequency] sample_rate, got 0, expected another number")
        self._frame = int(math.ceil(self._rate * number(frame_time, "frame_time", where, 0, above=True)))
        self._window = integer(win_length, "win_length", where, 1)
        number(freq_low, "freq_low", where, 0, above=True)
        number(freq_high, "freq_high", where, 0, above=True)
        self._lags, self._first = int(math.ceil(self._rate / float(freq_low))), int(math.ceil(self._rate / float(freq_high)))

    def _apply(self, x):
        like = _likeness(x.astype(np.float64), self._frame, self._lags)
        first, half = self._first, self._lags // 2
        best, lag = like[..., first:].max(-1), like[..., first:].argmax(-1)
        low = like[..., first:half]
        # A lag in the lower half is preferred where its correlation is nearly as high: it is the same pitch an octave higher.
        near = low.max(-1) > 0.99 * best
        lag = np.where(near, low.argmax(-1), lag) + first + 1
        return self._rate / (1e-9 + self._smooth(lag))

    def _typed(self, found, dtype):
        return found.astype(np.float32)

    def _smooth(self, lag):
        before, count = (self._window - 1) // 2, lag.shape[-1]
        if count + before < self._window:
            raise RuntimeError("[DetectPitchFrequency] frames of the audio, got %d, expected %d at least, for medians of win_length %d"
                               % (count, self._window - before, self._window))
        grown = np.concatenate([np.repeat(lag[..., :1], before, -1), lag], -1)
        starts = range(grown.shape[-1] - self._window + 1)
        return np.stack([np.sort(grown[..., s:s + self._window], -1)[..., (self._window - 1) // 2] for s in starts], -1).astype(np.float64)


class MaskAlongAxis(_Audio):
    """Sets a band of a spectrogram to a value, along frequency (axis 1) or time (axis 2)."""

    _least = 2

    def __init__(self, mask_start, mask_width, mask_value, axis):
        where = "MaskAlongAxis"
        self._start, self._width = integer(mask_start, "mask_start", where, 0), integer(mask_width, "mask_width", where, 1)
        self._value, self._axis = number(mask_value, "mask_value", where), integer(axis, "axis", where, 1, 2) - 3

    def _apply(self, x):
        size = x.shape[self._axis]
        if self._start + self._width > size:
            raise RuntimeError("[MaskAlongAxis] mask_start and mask_width, got %d and %d, expected a band within %d"
                               % (self._start, self._width, size))
        found = x.copy()
        np.moveaxis(found, self._axis, -1)[..., self._start:self._start + self._width] = self._value
        return found


class MaskAlongAxisIID(_Audio):
    """Sets a random band of at most mask_param elements along an axis to a value; each spectrogram has its own band."""

    _least = 2

    def __init__(self, mask_param, mask_value, axis):
        where = "MaskAlongAxisIID"
        self._most, self._value = integer(mask_param, "mask_param", where, 0), number(mask_value, "mask_value", where)
        self._axis = integer(axis, "axis", where, 1, 2) - 3

    def _apply(self, x):
        size = x.shape[self._axis]
        if self._most > size:
            raise RuntimeError("[MaskAlongAxisIID] mask_param, got %d, expected at most %d" % (self._most, size))
        found = x.copy()
        for part in found.reshape((-1,) + x.shape[-2:]):
            width = current().uniform(0, self._most)
            start = int(current().uniform(0, size - width))
            np.moveaxis(part, self._axis, -1)[..., start:start + int(width)] = self._value
        return found
