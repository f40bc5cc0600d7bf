"""Transforms of images; mindspore.dataset.vision's names."""
from .utils import AutoAugmentPolicy, Border, ConvertMode, ImageBatchFormat, ImageReadMode, Inter, SliceMode
from .color import (
    AdjustBrightness, AdjustContrast, AdjustGamma, AdjustHue, AdjustSaturation, AdjustSharpness, AutoContrast, Equalize,
    GaussianBlur, Grayscale, HsvToRgb, Invert, Posterize, RgbToHsv, Solarize,
)
from .geometry import (
    Affine, CenterCrop, Crop, FiveCrop, HorizontalFlip, Pad, PadToSize, Perspective, Resize, ResizedCrop, Rotate,
    SlicePatches, TenCrop, VerticalFlip,
)
from .random_transforms import (
    RandomAdjustSharpness, RandomAffine, RandomAutoContrast, RandomColor, RandomColorAdjust, RandomCrop,
    RandomCropDecodeResize, RandomEqualize, RandomErasing, RandomGrayscale, RandomHorizontalFlip, RandomInvert,
    RandomLighting, RandomPerspective, RandomPosterize, RandomResize, RandomResizedCrop, RandomRotation, RandomSharpness,
    RandomSolarize, RandomVerticalFlip,
)
from .values import (
    ConvertColor, CutOut, Decode, Erase, HWC2CHW, LinearTransformation, Normalize, NormalizePad, Rescale, ToNumpy, ToPIL,
    ToTensor, ToType,
)
