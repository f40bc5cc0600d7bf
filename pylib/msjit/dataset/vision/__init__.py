"""Transforms of images; mindspore.dataset.vision's names."""
from ... import _paths
from ...absent import names as _absent_names
from .utils import AutoAugmentPolicy, Border, ConvertMode, ImageBatchFormat, ImageReadMode, Inter, SliceMode
from .augmentation import AutoAugment, RandAugment, TrivialAugmentWide
from .boxes import (
    BoundingBoxAugment, RandomCropWithBBox, RandomHorizontalFlipWithBBox, RandomResizedCropWithBBox, RandomResizeWithBBox,
    RandomVerticalFlipWithBBox, ResizeWithBBox,
)
from .color import (
    AdjustBrightness, AdjustContrast, AdjustGamma, AdjustHue, AdjustSaturation, AdjustSharpness, AutoContrast, Equalize,
    GaussianBlur, Grayscale, HsvToRgb, Invert, Posterize, RgbToHsv, Solarize,
)
from .files import (
    encode_jpeg, encode_png, get_image_num_channels, get_image_size, read_file, read_image, write_file, write_jpeg, write_png,
)
from .geometry import (
    CenterCrop, Crop, FiveCrop, HorizontalFlip, Pad, PadToSize, Resize, ResizedCrop, SlicePatches, TenCrop, VerticalFlip,
)
from .mixing import CutMixBatch, MixUp, MixUpBatch, RandomSelectSubpolicy, UniformAugment
from .random_colors import (
    RandomAdjustSharpness, RandomAutoContrast, RandomColor, RandomColorAdjust, RandomEqualize, RandomGrayscale, RandomInvert,
    RandomLighting, RandomPosterize, RandomSharpness, RandomSolarize,
)
from .random_transforms import (
    RandomAffine, RandomCrop, RandomCropDecodeResize, RandomErasing, RandomHorizontalFlip, RandomPerspective, RandomResize,
    RandomResizedCrop, RandomRotation, RandomVerticalFlip,
)
from .values import (
    ConvertColor, CutOut, Decode, Erase, HWC2CHW, LinearTransformation, Normalize, NormalizePad, Rescale, ToNumpy, ToPIL,
    ToTensor, ToType,
)
from .warps import Affine, Perspective, Rotate

globals().update(_absent_names(__name__, "DecodeVideo VideoDecoder read_video read_video_timestamps", "videos are not decoded"))
try:
    import PIL.Image  # noqa: F401  - programs use PIL.Image after `import PIL` alone, because MindSpore's module loads it
except ImportError:
    pass  # base.pillow() raises when it is needed
_paths.reach(__name__)
