"""Functions on single images that packages import from this module of MindSpore."""
from .base import is_pil  # noqa: F401


def is_numpy(image):
    """Says whether an image is a NumPy array."""
    import numpy
    return isinstance(image, numpy.ndarray)


def hwc_to_chw(image):
    """Transposes an array (H, W, C) to (C, H, W); an array without channels is returned as it is.

    Raises TypeError for anything but a NumPy array, and for an array of another rank.
    """
    if not is_numpy(image):
        raise TypeError("[hwc_to_chw] image, got %s, expected a NumPy array" % type(image).__name__)
    if image.ndim not in (2, 3):
        raise TypeError("[hwc_to_chw] rank of the image, got %d, expected 2 or 3" % image.ndim)
    return image.transpose(2, 0, 1).copy() if image.ndim == 3 else image
