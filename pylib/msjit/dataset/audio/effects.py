"""Effects: DCShift, Overdrive, Dither, and Flanger and Phaser, which mix a sound with delayed copies of itself."""
import math

import numpy as np

from ..draws import current
from ..vision.base import flag, integer, member, number
from .transforms import _Audio
from .utils import DensityFunction, Interpolation, Modulation


class DCShift(_Audio):
    """Adds a constant to a sound; with limiter_gain, values near the limits are compressed instead of clipped."""

    def __init__(self, shift, limiter_gain=None):
        self._shift = number(shift, "shift", "DCShift", -2.0, 2.0)
        self._limit = self._shift if limiter_gain is None else number(limiter_gain, "limiter_gain", "DCShift")

    def _apply(self, x):
        shift, gain = self._shift, self._limit
        bound = 1.0 - (abs(shift) - gain)
        if gain == shift or not shift:  # nothing to compress
            return np.clip(x + shift, -1, 1)
        sign = 1 if shift > 0 else -1
        pressed = (x - sign * bound) * gain / (1 - bound) + bound + shift  # `bound` for both signs, as in MindSpore
        pressed = np.minimum(pressed, bound) if sign > 0 else np.maximum(pressed, -bound)
        return np.where(sign * x > bound, pressed, np.clip(x + shift, -1, 1))


class Overdrive(_Audio):
    """Distorts a sound like an overdriven amplifier."""

    def __init__(self, gain=20.0, color=20.0):
        self._gain = 10.0 ** (number(gain, "gain", "Overdrive", 0, 100) / 20)
        self._color = number(color, "color", "Overdrive", 0, 100) / 200.0

    def _apply(self, x):
        driven = np.clip(x * self._gain + self._color, -1, 1)
        driven = driven - driven ** 3 / 3
        rows = driven.reshape(-1, driven.shape[-1]).astype(np.float64).tolist()
        for row in rows:
            before = last = 0.0
            for t, value in enumerate(row):
                last, before = value - before + 0.995 * last, value
                row[t] = last
        return np.clip(x * 0.5 + np.array(rows).reshape(x.shape) * 0.75, -1, 1)


def _wave(kind, size, low, high, phase):
    """One period of a wave between low and high, as `size` numbers, beginning at a phase."""
    at = (np.arange(size) + int(phase / math.pi / 2 * size + 0.5)) % size
    if kind == Modulation.SINUSOIDAL:
        level = (np.sin(at / float(size) * 2 * math.pi) + 1) / 2
    else:
        level, quarter = 2.0 * at / size, at * 4 // size
        level = np.where(quarter == 0, level + 0.5, np.where(quarter == 3, level - 1.5, 1.5 - level))
    return level * (high - low) + low


class Phaser(_Audio):
    """Mixes a sound with itself, delayed by a time that oscillates."""

    def __init__(self, sample_rate, gain_in=0.4, gain_out=0.74, delay_ms=3.0, decay=0.4, mod_speed=0.5, sinusoidal=True):
        where = "Phaser"
        rate = integer(sample_rate, "sample_rate", where, -2147483648, 2147483647)
        self._in, self._out = number(gain_in, "gain_in", where, 0, 1), number(gain_out, "gain_out", where, 0, 1e9)
        self._decay = number(decay, "decay", where, 0, 0.99)
        self._size = max(1, int(number(delay_ms, "delay_ms", where, 0, 5.0) * 0.001 * rate + 0.5))
        period = int(rate / number(mod_speed, "mod_speed", where, 0.1, 2) + 0.5)
        kind = Modulation.SINUSOIDAL if flag(sinusoidal, "sinusoidal", where) else Modulation.TRIANGULAR
        self._delays = (_wave(kind, period, 1.0, float(self._size), math.pi / 2) + 0.5).astype(int).tolist()

    def _apply(self, x):
        rows = (x.reshape(-1, x.shape[-1]) * float(self._in)).astype(np.float64).tolist()
        delays, size, decay = self._delays, self._size, self._decay
        for row in rows:
            kept, place = [0.0] * size, 0
            for t, value in enumerate(row):
                value += kept[(place + delays[t % len(delays)]) % size]
                place = (place + 1) % size
                kept[place] = value * decay
                row[t] = value
        return np.clip(np.array(rows).reshape(x.shape) * self._out, -1, 1)


class Flanger(_Audio):
    """Mixes each of up to four channels (the axis before time) with itself, delayed by a time that oscillates."""

    _least = 2

    def __init__(self, sample_rate, delay=0.0, depth=2.0, regen=0.0, width=71.0, speed=0.5, phase=25.0, modulation=Modulation.SINUSOIDAL,
                 interpolation=Interpolation.LINEAR):
        where = "Flanger"
        rate = integer(sample_rate, "sample_rate", where, -2147483648, 2147483647)
        if rate == 0:
            raise ValueError("[Flanger] sample_rate, got 0, expected another number")
        shortest = number(delay, "delay", where, 0, 30) / 1000.0
        self._back = number(regen, "regen", where, -95, 95) / 100.0
        width, self._phase = number(width, "width", where, 0, 100) / 100.0, number(phase, "phase", where, 0, 100) / 100.0
        self._in = 1 / (1 + width)
        self._gain = width / (1 + width) * (1 - abs(self._back))
        self._size = int((shortest + number(depth, "depth", where, 0, 10) / 1000.0) * rate + 0.5) + 2
        self._quadratic = member(interpolation, Interpolation, "interpolation", where) == Interpolation.QUADRATIC
        self._delays = _wave(member(modulation, Modulation, "modulation", where), int(rate / number(speed, "speed", where, 0.1, 10)),
                             math.floor(shortest * rate + 0.5), self._size - 2.0, 3 * math.pi / 2)

    def _apply(self, x):
        channels = x.shape[-2]
        if channels > 4:
            raise RuntimeError("[Flanger] channels of the audio, got %d in shape %s, expected at most 4" % (channels, x.shape))
        moved = np.moveaxis(x.astype(np.float64), -1, 0)
        found, kept, last = np.empty_like(moved), np.zeros((self._size,) + moved.shape[1:]), 0.0
        offsets, every = (np.arange(channels) * len(self._delays) * self._phase + 0.5).astype(int), np.arange(channels)
        place = 0
        for t, value in enumerate(moved):
            place = (place - 1) % self._size
            delay = self._delays[(t + offsets) % len(self._delays)]
            whole = np.floor(delay).astype(int)
            kept[place] = value + last * self._back
            near, far, third = (kept[(place + whole + k) % self._size, ..., every].T for k in (0, 1, 2))
            last = self._between(near, far, third, delay - whole)
            found[t] = value * self._in + last * self._gain
        return np.clip(np.moveaxis(found, 0, -1), -1, 1)

    def _between(self, near, far, third, part):
        if not self._quadratic:
            return near + (far - near) * part
        third, far = third - near, far - near
        return near + ((third * 0.5 - far) * part + far * 2 - third * 0.5) * part


class Dither(_Audio):
    """Rounds to 16 bits after adding noise, so that the rounding error is noise too."""

    def __init__(self, density_function=DensityFunction.TPDF, noise_shaping=False):
        self._density = member(density_function, DensityFunction, "density_function", "Dither")
        self._shaped = flag(noise_shaping, "noise_shaping", "Dither")

    def _noise(self, shape):
        draws = np.random.RandomState(current().getrandbits(32))
        if self._density == DensityFunction.RPDF:
            return draws.uniform(-0.5, 0.5, shape)
        if self._density == DensityFunction.GPDF:
            return draws.uniform(-0.5, 0.5, (6,) + shape).sum(0)
        return draws.triangular(-1.0, 0.0, 1.0, shape)

    def _apply(self, x):
        levels = 2.0 ** 15
        found = np.round(x * levels + self._noise(x.shape)) / levels
        if self._shaped:  # the error of a value is added to the next value
            error = found - x
            found = found + np.concatenate([np.zeros_like(error[..., :1]), error[..., :-1]], -1)
        return found
