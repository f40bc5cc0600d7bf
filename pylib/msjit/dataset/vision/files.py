"""Reading, writing and encoding image files; mindspore.dataset.vision's functions of these names."""
import io

import numpy as np

from ...common.tensor import Tensor
from .base import as_array, integer, is_pil, member, pillow
from .utils import ImageReadMode


def _name(filename, where):
    if not isinstance(filename, str):
        raise TypeError("[%s] filename, got %s, expected a str" % (where, type(filename).__name__))
    return filename


def read_file(filename):
    """Reads a file as an array of uint8. Raises RuntimeError if it cannot be read."""
    try:
        with open(_name(filename, "read_file"), "rb") as file:
            return np.frombuffer(file.read(), np.uint8)
    except OSError as error:
        raise RuntimeError("[read_file] file, got %s (%s), expected one that can be read" % (filename, error.strerror)) from None


def read_image(filename, mode=ImageReadMode.UNCHANGED):
    """Reads an image file as an array (H, W, C).

    The mode is UNCHANGED, GRAYSCALE (one channel) or COLOR (three). Raises RuntimeError if it cannot be read or decoded.
    """
    mode = member(mode, ImageReadMode, "mode", "read_image")
    data = read_file(_name(filename, "read_image"))
    try:
        image = pillow().open(io.BytesIO(data.tobytes()))
        if mode == ImageReadMode.UNCHANGED:
            image = image if image.mode in ("L", "RGB", "RGBA") else image.convert("RGB")
        else:
            image = image.convert("L" if mode == ImageReadMode.GRAYSCALE else "RGB")
        found = np.array(image)
    except (OSError, ValueError, SyntaxError) as error:
        raise RuntimeError("[read_image] file, got %s that Pillow cannot decode (%s), expected an image" % (filename, error)) from None
    return found[:, :, None] if found.ndim == 2 else found


def _image(image, where):
    array = as_array(image, where)
    if array.dtype != np.uint8:
        raise RuntimeError("[%s] dtype of the image, got %s, expected uint8" % (where, array.dtype))
    if array.ndim == 3 and array.shape[2] not in (1, 3):
        raise RuntimeError("[%s] channels of the image, got %d, expected 1 or 3" % (where, array.shape[2]))
    return pillow().fromarray(np.ascontiguousarray(array[:, :, 0] if array.ndim == 3 and array.shape[2] == 1 else array))


def _encoded(image, where, kind, **options):
    stream = io.BytesIO()
    _image(image, where).save(stream, kind, **options)
    return np.frombuffer(stream.getvalue(), np.uint8)


def encode_jpeg(image, quality=75):
    """Encodes an (H, W), (H, W, 1) or (H, W, 3) image of uint8 as JPEG; returns its bytes as uint8. quality is 1 to 100."""
    return _encoded(image, "encode_jpeg", "JPEG", quality=integer(quality, "quality", "encode_jpeg", 1, 100))


def encode_png(image, compression_level=6):
    """Encodes an (H, W), (H, W, 1) or (H, W, 3) image of uint8 as PNG; returns its bytes as uint8. compression_level is 0 to 9."""
    level = integer(compression_level, "compression_level", "encode_png", 0, 9)
    return _encoded(image, "encode_png", "PNG", compress_level=level)


def write_file(filename, data):
    """Writes bytes, a uint8 array or Tensor of one axis, to a file. Raises RuntimeError if that fails."""
    if isinstance(data, Tensor):
        data = data.asnumpy()
    if not isinstance(data, np.ndarray):
        raise TypeError("[write_file] data, got %s, expected an array or a Tensor" % type(data).__name__)
    if data.dtype != np.uint8 or data.ndim != 1:
        raise RuntimeError("[write_file] data, got dtype %s and %d axes, expected uint8 and 1" % (data.dtype, data.ndim))
    try:
        with open(_name(filename, "write_file"), "wb") as file:
            file.write(data.tobytes())
    except OSError as error:
        raise RuntimeError("[write_file] file, got %s (%s), expected one that can be written" % (filename, error.strerror)) from None


def write_jpeg(filename, image, quality=75):
    """Writes an image to a JPEG file, as encode_jpeg."""
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename, image, compression_level=6):
    """Writes an image to a PNG file, as encode_png."""
    write_file(filename, encode_png(image, compression_level))


def get_image_size(image):
    """Returns [height, width] of an array or a Pillow image."""
    if is_pil(image):
        return [image.size[1], image.size[0]]
    return list(as_array(image, "get_image_size").shape[:2])


def get_image_num_channels(image):
    """Returns the number of channels of an array or a Pillow image; 1 for an array of two axes."""
    if is_pil(image):
        return len(image.getbands())
    array = as_array(image, "get_image_num_channels")
    return array.shape[2] if array.ndim == 3 else 1
