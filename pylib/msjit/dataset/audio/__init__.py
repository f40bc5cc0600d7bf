"""mindspore.dataset.audio: transforms of sounds, which raise when they are made."""
from ...common.refused import refused

globals().update(refused(__name__, """AllpassBiquad AmplitudeToDB Angle BandBiquad BandpassBiquad BandrejectBiquad BassBiquad Biquad
    BorderType ComplexNorm ComputeDeltas Contrast DBToAmplitude DCShift DeemphBiquad DensityFunction DetectPitchFrequency Dither
    EqualizerBiquad Fade FadeShape Filtfilt Flanger FrequencyMasking Gain GainType GriffinLim HighpassBiquad Interpolation
    InverseMelScale InverseSpectrogram LFCC LFilter LowpassBiquad MFCC Magphase MaskAlongAxis MaskAlongAxisIID MelScale MelSpectrogram
    MelType Modulation MuLawDecoding MuLawEncoding NormMode NormType Overdrive PhaseVocoder Phaser PitchShift Resample ResampleMethod
    RiaaBiquad ScaleType SlidingWindowCmn SpectralCentroid Spectrogram TimeMasking TimeStretch TrebleBiquad Vad Vol WindowType
    create_dct linear_fbanks melscale_fbanks""", "sounds are transformed by functions of the program's own, given to map"))
__all__ = [name for name in globals() if name[0] != "_" and name != "refused"]
