"""Transforms of sounds; mindspore.dataset.audio's names. Those that are not offered raise when they are made."""
from ...absent import names as _absent_names
from .transforms import (
    MFCC, AmplitudeToDB, Angle, ComplexNorm, Contrast, DBToAmplitude, Fade, FrequencyMasking, Gain, Magphase, MelScale, MelSpectrogram,
    MuLawDecoding, MuLawEncoding, Spectrogram, TimeMasking, Vol,
)
from .utils import (
    BorderType, FadeShape, GainType, MelType, NormMode, NormType, ScaleType, WindowType, create_dct, linear_fbanks, melscale_fbanks,
)

globals().update(_absent_names(__name__, """AllpassBiquad BandBiquad BandpassBiquad BandrejectBiquad BassBiquad Biquad ComputeDeltas DCShift
    DeemphBiquad DensityFunction DetectPitchFrequency Dither EqualizerBiquad Filtfilt Flanger GriffinLim HighpassBiquad Interpolation
    InverseMelScale InverseSpectrogram LFCC LFilter LowpassBiquad MaskAlongAxis MaskAlongAxisIID Modulation Overdrive PhaseVocoder
    Phaser PitchShift Resample ResampleMethod RiaaBiquad SlidingWindowCmn SpectralCentroid TimeStretch TrebleBiquad
    Vad""", "such sounds are made by functions of the program's own, given to map"))
__all__ = [name for name in globals() if name[0] != "_" and name not in ("refused", "transforms", "utils")]
