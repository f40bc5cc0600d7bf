"""Enumerations that transforms of sounds take, and filter banks."""
import math
from enum import Enum

import numpy as np

from ..vision.base import integer, member, number


def _enumeration(name, words, doc):
    return Enum(name, {word.upper(): word for word in words.split()}, type=str, module=__name__)


WindowType = _enumeration("WindowType", "bartlett blackman hamming hann kaiser", "Windows.")
BorderType = _enumeration("BorderType", "constant edge reflect symmetric", "What lies outside of a sound.")
NormType = _enumeration("NormType", "slaney none", "How filters of the mel scale are weighed.")
NormMode = _enumeration("NormMode", "ortho none", "How a cosine transform is weighed.")
ScaleType = _enumeration("ScaleType", "power magnitude", "What amplitudes are.")
MelType = _enumeration("MelType", "htk slaney", "Kinds of the mel scale.")
GainType = _enumeration("GainType", "amplitude power db", "What a gain is.")
FadeShape = _enumeration("FadeShape", "quarter_sine half_sine linear logarithmic exponential", "Shapes of fades.")
Modulation = _enumeration("Modulation", "sinusoidal triangular", "Waves of delays.")
Interpolation = _enumeration("Interpolation", "linear quadratic", "What lies between two values.")
ResampleMethod = _enumeration("ResampleMethod", "sinc_interpolation kaiser_window", "Windows of a resampling filter.")
DensityFunction = Enum("DensityFunction", {name: name for name in ("TPDF", "RPDF", "GPDF")}, type=str, module=__name__)


def create_dct(n_mfcc, n_mels, norm=NormMode.NONE):
    """Returns the (n_mels, n_mfcc) matrix of a discrete cosine transform of type 2."""
    integer(n_mfcc, "n_mfcc", "create_dct", 1, 2147483647)
    integer(n_mels, "n_mels", "create_dct", 1, 2147483647)
    member(norm, NormMode, "norm", "create_dct")
    at, order = np.arange(n_mels), np.arange(n_mfcc)[:, None]
    found = np.cos(math.pi / n_mels * (at + 0.5) * order)
    if norm == NormMode.ORTHO:
        found[0] *= 1 / math.sqrt(2)
        found *= math.sqrt(2.0 / n_mels)
    else:
        found *= 2
    return found.T.astype(np.float32)


def _to_mel(hertz, kind):
    if kind == MelType.HTK:
        return 2595.0 * math.log10(1 + hertz / 700.0)
    return hertz * 3 / 200 if hertz < 1000 else 15 + math.log(hertz / 1000.0) / (math.log(6.4) / 27)


def _to_hertz(mels, kind):
    if kind == MelType.HTK:
        return 700.0 * (10.0 ** (mels / 2595.0) - 1)
    return np.where(mels < 15, mels * 200 / 3, 1000.0 * np.exp((math.log(6.4) / 27) * (mels - 15)))


def _checked(where, f_min, f_max, **counts):
    """Checks frequencies, and numbers such as that of the filters."""
    for name, value in counts.items():
        integer(value, name, where, 1, 2147483647)
    number(f_min, "f_min", where, 0)
    number(f_max, "f_max", where, 0)
    if f_min > f_max:
        raise ValueError("[%s] f_min, got %r, expected at most f_max, %r" % (where, f_min, f_max))


def _triangles(n_freqs, sample_rate, points):
    """(n_freqs, filters): each filter rises from one point to the next and falls to the one after it."""
    freqs, steps = np.linspace(0, sample_rate // 2, n_freqs), np.diff(points)
    slopes = points[None, :] - freqs[:, None]
    return np.maximum(np.minimum(-slopes[:, :-2] / steps[:-1], slopes[:, 2:] / steps[1:]), 0) + 0.0


def melscale_fbanks(n_freqs, f_min, f_max, n_mels, sample_rate, norm=NormType.NONE, mel_type=MelType.HTK):
    """Returns the (n_freqs, n_mels) matrix of triangular filters that are evenly spaced on the mel scale."""
    where = "melscale_fbanks"
    _checked(where, f_min, f_max, n_freqs=n_freqs, n_mels=n_mels, sample_rate=sample_rate)
    member(norm, NormType, "norm", where)
    member(mel_type, MelType, "mel_type", where)
    points = _to_hertz(np.linspace(_to_mel(f_min, mel_type), _to_mel(f_max, mel_type), n_mels + 2), mel_type)
    found = _triangles(n_freqs, sample_rate, points)
    if norm == NormType.SLANEY:
        found = found * (2.0 / (points[2:] - points[:-2]))
    return found.astype(np.float32)


def linear_fbanks(n_freqs, f_min, f_max, n_filter, sample_rate):
    """Returns the (n_freqs, n_filter) matrix of triangular filters that are evenly spaced between two frequencies."""
    _checked("linear_fbanks", f_min, f_max, n_freqs=n_freqs, n_filter=n_filter, sample_rate=sample_rate)
    return _triangles(n_freqs, sample_rate, np.linspace(f_min, f_max, n_filter + 2)).astype(np.float32)
