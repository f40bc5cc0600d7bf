"""Transforms of an image's values and format: Decode, Normalize, Rescale, HWC2CHW, ToTensor, ToPIL, Erase, CutOut, ..."""
import io

import numpy as np

from ...common.dtype import dtype_to_nptype
from ..draws import current
from .base import Transform, as_pil, flag, integer, is_pil, looked_up, number, pillow
from .utils import ConvertMode


def numpy_type(value, where):
    """The NumPy dtype of a MindSpore or NumPy type."""
    try:
        return np.dtype(value)
    except TypeError:
        pass
    try:
        return np.dtype(dtype_to_nptype(value))
    except Exception:
        raise TypeError("[%s] data_type, got %r, expected a type of numbers" % (where, value)) from None


def decoded(data, where):
    """Decodes the bytes of an image file to an RGB Pillow image."""
    if isinstance(data, np.ndarray):
        if data.ndim > 1:
            raise TypeError("[%s] rank of the encoded image, got %d, expected 1" % (where, data.ndim))
        if data.dtype.kind == "U" or data.dtype.kind == "S" and data.size != 1:
            raise TypeError("[%s] dtype of the encoded image, got %s, expected bytes as uint8" % (where, data.dtype))
        data = data.tobytes() if data.dtype.kind == "S" else data.astype(np.uint8).tobytes()
    if not isinstance(data, (bytes, bytearray)):
        raise TypeError("[%s] image, got %s, expected the bytes of an encoded image" % (where, type(data).__name__))
    module = pillow()
    try:
        return module.open(io.BytesIO(data)).convert("RGB")
    except Exception as error:
        raise RuntimeError("[%s] image, got bytes that Pillow cannot decode (%s), expected JPEG, PNG, BMP, ..."
                           % (where, error)) from None


class Decode(Transform):
    """Decodes the bytes of an image file to an RGB array (H, W, 3), or with to_pil to a Pillow image."""

    def __init__(self, to_pil=False):
        self.to_pil = flag(to_pil, "to_pil", "Decode")

    def _apply(self, image):
        found = decoded(image, "Decode")
        return found if self.to_pil else np.array(found)


def _per_channel(mean, std, where):
    for name, values in (("mean", mean), ("std", std)):
        if not isinstance(values, (list, tuple, np.ndarray)):
            raise TypeError("[%s] %s, got %s, expected a list of numbers" % (where, name, type(values).__name__))
    if len(mean) != len(std):
        raise ValueError("[%s] length of std, got %d, expected that of mean, %d" % (where, len(std), len(mean)))
    mean = [float(number(m, "mean", where, 0, 255)) for m in mean]
    std = [float(number(s, "std", where, 0, 255, above=True)) for s in std]
    return np.array(mean, np.float32), np.array(std, np.float32)


class Normalize(Transform):
    """Computes (image - mean) / std for each channel, as float32.

    mean and std are lists of numbers in [0, 255]. Raises RuntimeError where their length is not the number of channels.
    """

    _batches = True

    def __init__(self, mean, std, is_hwc=True):
        self.mean, self.std = _per_channel(mean, std, self._where)
        self.is_hwc = flag(is_hwc, "is_hwc", self._where)

    def _apply(self, image):
        image = self._array(image)
        if image.ndim == 2:
            channels, shape = 1, (1,)
        else:
            channels = image.shape[2 if self.is_hwc else 0]
            shape = (-1,) if self.is_hwc else (-1, 1, 1)
        if len(self.mean) not in (1, channels):
            raise RuntimeError("[%s] channels of the image, got %d, expected %d, the length of mean"
                               % (self._where, channels, len(self.mean)))
        if image.dtype == np.uint8 and self.is_hwc:
            levels = np.arange(256, dtype=np.float32)
            return looked_up(image, (levels - self.mean[:, None]) / self.std[:, None])
        mean, std = self.mean.reshape(shape), self.std.reshape(shape)
        if channels > 1 and self.is_hwc:  # whole rows, because NumPy's inner loop over few channels is slow
            mean, std = [np.broadcast_to(values, image.shape[1:]).copy() for values in (mean, std)]
        found = image.astype(np.float32)
        found -= mean
        found /= std
        return found


class NormalizePad(Normalize):
    """Normalises as Normalize and adds a channel of zeros."""

    def __init__(self, mean, std, dtype="float32", is_hwc=True):
        super().__init__(mean, std, is_hwc)
        if dtype not in ("float32", "float16"):
            raise (ValueError if isinstance(dtype, str) else TypeError)("[NormalizePad] dtype, got %r, expected 'float32' or 'float16'" % (dtype,))
        self.dtype = np.dtype(dtype)

    def _apply(self, image):
        found = super()._apply(image).astype(self.dtype)
        found = found[:, :, None] if found.ndim == 2 else found
        axis = 2 if self.is_hwc else 0
        shape = list(found.shape)
        shape[axis] = 1
        return np.concatenate([found, np.zeros(shape, self.dtype)], axis)


class Rescale(Transform):
    """Computes image * rescale + shift, as float32, for an array of any shape; Rescale(1 / 255, 0) brings bytes to [0, 1]."""

    def __init__(self, rescale, shift):
        self.rescale = np.float32(number(rescale, "rescale", "Rescale"))
        self.shift = np.float32(number(shift, "shift", "Rescale"))

    def _apply(self, image):
        return self._array(image, None).astype(np.float32) * self.rescale + self.shift


class HWC2CHW(Transform):
    """Transposes (H, W, C) to (C, H, W); an image without channels does not change."""

    def _apply(self, image):
        image = self._array(image)
        return image if image.ndim == 2 else np.ascontiguousarray(image.transpose(2, 0, 1))


class ToTensor(Transform):
    """Converts (H, W, C) to (C, H, W) and divides by 255; the result is an array of floats, float32 by default."""

    def __init__(self, output_type=np.float32):
        self.output_type = numpy_type(output_type, "ToTensor")

    def _apply(self, image):
        array = self._array(image)
        array = array[:, :, None] if array.ndim == 2 else array
        if is_pil(image):
            found = array.astype(np.float32) / np.float32(255)
        else:
            found = array.astype(np.float32) * np.float32(1 / 255.0)
        return np.ascontiguousarray(found.transpose(2, 0, 1)).astype(self.output_type, copy=False)


class ToPIL(Transform):
    """Converts an array to a Pillow image: uint8 with 1, 3 or 4 channels, or another type that Pillow knows with one."""

    def _apply(self, image):
        if isinstance(image, np.ndarray) and image.ndim not in (2, 3):
            raise ValueError("[ToPIL] rank of the image, got %d, expected 2 or 3" % image.ndim)
        if is_pil(image) or self._array(image).dtype == np.uint8:
            return as_pil(image, "ToPIL")
        image = image[:, :, 0] if image.ndim == 3 and image.shape[2] == 1 else image
        try:
            return pillow().fromarray(np.ascontiguousarray(image))
        except TypeError as error:
            raise TypeError("[ToPIL] image, got %s of shape %s (%s), expected uint8" % (image.dtype, image.shape, error)) from None


class ToNumpy(Transform):
    """Converts a Pillow image, or anything that numpy.array takes, to an array."""

    def _apply(self, image):
        return np.array(image)


class ToType(Transform):
    """Converts an image to another dtype."""

    def __init__(self, data_type):
        self.data_type = numpy_type(data_type, "ToType")

    def _apply(self, image):
        return self._array(image, None).astype(self.data_type)


def gray(image, order=(0, 1, 2)):
    """Luminance with the weights of ITU-R BT.601; for integers with 15-bit weights as in OpenCV."""
    if image.dtype.kind == "f":
        red, green, blue = (image[..., i] for i in order)
        return (red * 0.299 + green * 0.587 + blue * 0.114).astype(image.dtype)
    image = image.astype(np.int64)
    total = image[..., order[0]] * 9798 + image[..., order[1]] * 19235 + image[..., order[2]] * 3735
    return (total + (1 << 14)) >> 15


# The source channel of each channel of the result; 3 is the alpha channel, which is opaque if the source has none.
_ORDERS = {
    ConvertMode.COLOR_BGR2BGRA: (0, 1, 2, 3), ConvertMode.COLOR_BGRA2BGR: (0, 1, 2),
    ConvertMode.COLOR_BGR2RGBA: (2, 1, 0, 3), ConvertMode.COLOR_RGBA2BGR: (2, 1, 0),
    ConvertMode.COLOR_BGR2RGB: (2, 1, 0), ConvertMode.COLOR_BGRA2RGBA: (2, 1, 0, 3),
    ConvertMode.COLOR_GRAY2BGR: (0, 0, 0), ConvertMode.COLOR_GRAY2BGRA: (0, 0, 0, 3),
}
_GRAYS = {ConvertMode.COLOR_BGR2GRAY: (2, 1, 0), ConvertMode.COLOR_RGB2GRAY: (0, 1, 2),
          ConvertMode.COLOR_BGRA2GRAY: (2, 1, 0), ConvertMode.COLOR_RGBA2GRAY: (0, 1, 2)}
_FROM_GRAY = (ConvertMode.COLOR_GRAY2BGR, ConvertMode.COLOR_GRAY2BGRA)


class ConvertColor(Transform):
    """Changes the order or number of the colour channels.

    Modes for three channels also take four, and the other way round; a missing alpha channel is opaque. Modes whose result is not gray also
    take images of one channel, whose values become all three colours.
    """

    def __init__(self, convert_mode):
        if not isinstance(convert_mode, ConvertMode):
            raise TypeError("[ConvertColor] convert_mode, got %s, expected a ConvertMode" % type(convert_mode).__name__)
        self.convert_mode = convert_mode

    def _apply(self, image):
        image = self._array(image)
        array, mode = image[:, :, None] if image.ndim == 2 else image, self.convert_mode
        channels = array.shape[2]
        takes = (1,) if mode in _FROM_GRAY else (3, 4) if mode in _GRAYS else (1, 3, 4)
        if channels not in takes:
            raise RuntimeError("[ConvertColor] channels of the image, got %d, expected %s for %s"
                               % (channels, " or ".join(str(c) for c in takes), mode.name))
        if mode in _GRAYS:
            return gray(array, _GRAYS[mode]).astype(array.dtype)
        opaque = np.full(array.shape[:2], 255 if array.dtype == np.uint8 else 1, array.dtype)
        parts = [array[:, :, i if channels > 1 else 0] for i in range(3)] + [array[:, :, 3] if channels == 4 else opaque]
        return np.stack([parts[i] for i in _ORDERS[mode]], 2)


class LinearTransformation(Transform):
    """Subtracts mean_vector from the flattened image and multiplies by a square matrix."""

    def __init__(self, transformation_matrix, mean_vector):
        matrix, mean = transformation_matrix, mean_vector
        for name, value in (("transformation_matrix", matrix), ("mean_vector", mean)):
            if not isinstance(value, np.ndarray):
                raise TypeError("[LinearTransformation] %s, got %s, expected a NumPy array" % (name, type(value).__name__))
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or mean.shape != matrix.shape[:1]:
            raise ValueError("[LinearTransformation] transformation_matrix and mean_vector, got shapes %s and %s, expected "
                             "(n, n) and (n,)" % (matrix.shape, mean.shape))
        self.matrix, self.mean = matrix, mean

    def _apply(self, image):
        if not isinstance(image, np.ndarray):
            raise TypeError("[LinearTransformation] image, got %s, expected a NumPy array" % type(image).__name__)
        image = self._array(image)
        if image.size != self.mean.size:
            raise ValueError("[LinearTransformation] values of the image, got %d, expected %d"
                             % (image.size, self.mean.size))
        return np.dot(image.reshape(-1) - self.mean, self.matrix).reshape(image.shape)


class Erase(Transform):
    """Fills a rectangle with a value, or with one value for each channel."""

    def __init__(self, top, left, height, width, value=0.0, inplace=False):
        self.top, self.left = integer(top, "top", "Erase", 0), integer(left, "left", "Erase", 0)
        self.height, self.width = integer(height, "height", "Erase", 1), integer(width, "width", "Erase", 1)
        values = value if isinstance(value, (list, tuple)) else (value,)
        if len(values) not in (1, 3):
            raise TypeError("[Erase] value, got %r, expected a number or three of them" % (value,))
        self.value = np.array([number(v, "value", "Erase", 0, 255) for v in values])
        self.inplace = flag(inplace, "inplace", "Erase")

    def _apply(self, image):
        image = self._array(image)
        channels = image.shape[2] if image.ndim == 3 else 1
        if self.top + self.height > image.shape[0] or self.left + self.width > image.shape[1]:
            raise RuntimeError("[Erase] rectangle, got rows up to %d and columns up to %d, expected at most %s"
                               % (self.top + self.height, self.left + self.width, image.shape[:2]))
        if len(self.value) not in (1, channels):
            raise RuntimeError("[Erase] channels of the image, got %d, expected %d, the length of value" % (channels, len(self.value)))
        image = image if self.inplace and image.flags.writeable else image.copy()
        value = self.value if image.ndim == 3 else self.value[0]
        image[self.top:self.top + self.height, self.left:self.left + self.width] = value
        return image


class CutOut(Transform):
    """Sets num_patches squares of side `length` at random positions to 0."""

    def __init__(self, length, num_patches=1, is_hwc=True):
        self.length = integer(length, "length", "CutOut", 1)
        self.num_patches = integer(num_patches, "num_patches", "CutOut", 1)
        self.is_hwc = flag(is_hwc, "is_hwc", "CutOut")

    def _draw(self, image):
        shape = self._array(image, (3,)).shape
        height, width = shape[:2] if self.is_hwc else shape[1:]
        if self.length > min(height, width):
            raise RuntimeError("[CutOut] length, got %d, expected at most %d, the size of the image"
                               % (self.length, min(height, width)))
        random = current()
        return [(random.randrange(height), random.randrange(width)) for _ in range(self.num_patches)]

    def _apply(self, image, drawn):
        image, half = np.array(self._array(image, (3,))), self.length // 2
        view = image if self.is_hwc else image.transpose(1, 2, 0)
        for row, column in drawn:
            top, left = row - half, column - half
            view[max(0, top):max(0, top + self.length), max(0, left):max(0, left + self.length)] = 0
        return image
