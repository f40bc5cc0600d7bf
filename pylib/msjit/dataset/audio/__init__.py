"""Transforms of sounds, under mindspore.dataset.audio's names. Unsupported ones raise when they are made."""
from ...absent import names as _absent_names
from .transforms import (
    MFCC, AmplitudeToDB, Angle, ComplexNorm, Contrast, DBToAmplitude, Fade, FrequencyMasking, Gain, Magphase, MelScale, MelSpectrogram,
    MuLawDecoding, MuLawEncoding, Spectrogram, TimeMasking, Vol,
)
from .effects import DCShift, Dither, Flanger, Overdrive, Phaser
from .filters import (
    AllpassBiquad, BandBiquad, BandpassBiquad, BandrejectBiquad, BassBiquad, Biquad, DeemphBiquad, EqualizerBiquad, Filtfilt,
    HighpassBiquad, LFilter, LowpassBiquad, RiaaBiquad, TrebleBiquad,
)
from .features import ComputeDeltas, DetectPitchFrequency, MaskAlongAxis, MaskAlongAxisIID, SlidingWindowCmn
from .spectra import (
    LFCC, GriffinLim, InverseMelScale, InverseSpectrogram, PhaseVocoder, PitchShift, Resample, SpectralCentroid, TimeStretch,
)
from .utils import (
    BorderType, DensityFunction, FadeShape, GainType, Interpolation, MelType, Modulation, NormMode, NormType, ResampleMethod, ScaleType,
    WindowType, create_dct, linear_fbanks, melscale_fbanks,
)

globals().update(_absent_names(__name__, "Vad", "such sounds are made by functions of the program's own, given to map"))
__all__ = [name for name in globals() if name[0] != "_" and name not in ("effects", "features", "filters", "spectra", "transforms", "utils")]
