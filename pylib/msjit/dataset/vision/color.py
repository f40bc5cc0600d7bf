"""Transforms of colours: brightness, contrast, saturation, hue, sharpness, gamma, and the tables of Pillow's ImageOps."""
import numpy as np

from ..._native import _msjit
from .base import Transform, changed, flag, integer, is_pil, looked_up, number, ordered, pillow
from .hues import hsv_to_rgb, rgb_to_hsv
from .values import gray


def _bytes(values):
    return np.clip(np.rint(values), 0, 255).astype(np.uint8)


def _luminance(image):
    if image.dtype == np.uint8:
        return changed(_msjit.images.gray, image, 1)[:, :, 0]
    return gray(image)


def _mixed(image, other, factor):
    return np.float32(1 - factor) * other + np.float32(factor) * image.astype(np.float32)


def _blend(image, other, factor):
    """other + factor * (image - other), rounded and clipped for uint8."""
    if image.dtype == np.uint8 and np.ndim(other) == 0:
        return looked_up(image, _bytes(_mixed(np.arange(256), other, factor)))
    found = _mixed(image, other, factor)
    return _bytes(found) if image.dtype == np.uint8 else found.astype(image.dtype)


def _enhanced(image, name, factor):
    return getattr(pillow("ImageEnhance"), name)(image).enhance(factor)


def _rgb(image, where):
    if image.ndim != 3 or image.shape[2] != 3:
        raise RuntimeError("[%s] shape of the image, got %s, expected (height, width, 3)" % (where, image.shape))
    return image


def brightness(image, factor, where):
    """Multiplies the values by a factor."""
    if is_pil(image):
        return _enhanced(image, "Brightness", factor)
    return _blend(image, np.float32(0), factor)


def contrast(image, factor, where):
    """Moves values away from the mean luminance (factor above 1) or towards it."""
    if is_pil(image):
        return _enhanced(image, "Contrast", factor)
    middle = _luminance(_rgb(image, where)).mean()
    return _blend(image, np.float32(middle if image.dtype.kind == "f" else round(float(middle))), factor)


def saturation(image, factor, where):
    """Moves colours away from gray (factor above 1) or towards it."""
    if is_pil(image):
        return _enhanced(image, "Color", factor)
    if _rgb(image, where).dtype == np.uint8:
        return changed(_msjit.images.saturate, image, 3, factor)
    return _blend(image, gray(image).astype(np.float32)[:, :, None], factor)


def sharpness(image, factor, where):
    """Moves the image away from a smoothed one (factor above 1) or towards it; the border does not change."""
    if is_pil(image):
        return _enhanced(image, "Sharpness", factor)
    smooth, parts = image.astype(np.float32).copy(), image.astype(np.float32)
    rows, columns = image.shape[:2]
    if rows > 2 and columns > 2:
        total = 4 * parts[1:-1, 1:-1]
        for i in range(3):
            for j in range(3):
                total = total + parts[i:rows - 2 + i, j:columns - 2 + j]
        inner = total / 13
        smooth[1:-1, 1:-1] = np.rint(inner) if image.dtype == np.uint8 else inner
    return _blend(image, smooth, factor)


def hue(image, factor, where):
    """Turns the hue by a fraction of the colour circle."""
    if is_pil(image):
        bands = list(image.convert("HSV").split())
        turned = (np.asarray(bands[0]).astype(np.int64) + int(factor * 255)) % 256
        bands[0] = pillow().fromarray(turned.astype(np.uint8))
        return pillow().merge("HSV", bands).convert(image.mode)
    image = _rgb(image, where)
    if image.dtype != np.uint8:
        hsv = rgb_to_hsv(image.astype(np.float64))
        hsv[..., 0] = (hsv[..., 0] + factor) % 1.0
        return hsv_to_rgb(hsv).astype(image.dtype)
    return changed(_msjit.images.turn_hue, image, 3, factor)


def _table_only(image, where):
    if image.dtype != np.uint8:
        raise RuntimeError("[%s] dtype of the image, got %s, expected uint8" % (where, image.dtype))
    return image


def equalized(image, where):
    """Equalises the histogram of each channel."""
    if is_pil(image):
        return pillow("ImageOps").equalize(image)
    image = _table_only(image, where)
    return looked_up(image, np.stack([_equalizing(counts) for counts in _histograms(image)]))


def _histograms(image):
    flat = image.reshape(image.shape[:2] + (-1,))
    return [np.bincount(flat[:, :, channel].reshape(-1), minlength=256) for channel in range(flat.shape[2])]


def _equalizing(counts):
    first = int(np.nonzero(counts)[0][0])
    rest = counts.sum() - counts[first]
    return _bytes((np.cumsum(counts) - counts[first]) * (np.float32(255) / rest)) if rest else np.arange(256, dtype=np.uint8)


def auto_contrast(image, cutoff, ignore, where):
    """Stretches the values so that the smallest becomes 0 and the greatest 255, after cutting off a percentage at both ends."""
    if is_pil(image):
        return pillow("ImageOps").autocontrast(image, cutoff, ignore or None)
    image = _table_only(image, where)
    counts = _histograms(image)
    for channel in counts:
        channel[list(ignore)] = 0
    return looked_up(image, np.stack([_stretch(channel, cutoff) for channel in counts]).astype(np.uint8))


def _stretch(counts, cutoff):
    cut = int(counts.sum() * cutoff // 100)
    kept = np.nonzero(np.cumsum(counts) > cut)[0]
    low = kept[0] if len(kept) else 0
    kept = np.nonzero(np.cumsum(counts[::-1]) > cut)[0]
    high = 255 - kept[0] if len(kept) else 0
    if high <= low:
        return np.arange(256)
    scale = np.float32(255) / np.float32(high - low)  # in float32 as in MindSpore: the last bits decide how values are rounded down
    return np.clip((np.arange(256, dtype=np.float32) * scale - np.float32(low) * scale).astype(np.int64), 0, 255)


def solarized(image, low, high, where):
    """Inverts the values from low to high."""
    pil, image = is_pil(image), np.asarray(image)
    high = np.inf if low == high else high  # equal bounds: all values from there on, as in MindSpore
    found = np.where((image >= low) & (image <= high), 255 - image, image).astype(image.dtype)
    return pillow().fromarray(found) if pil else found


def posterized(image, bits, where):
    """Keeps only the highest `bits` bits of each value."""
    return _table_only(np.asarray(image), where) & np.uint8(256 - (1 << (8 - bits)))


def blurred(image, size, sigma, where):
    """Smooths with a Gaussian window of (width, height); the border is mirrored without its outermost row."""
    windows = [_window(image.shape[axis], size[1 - axis], sigma[1 - axis]) for axis in (0, 1)]
    if image.dtype == np.uint8:
        found = np.empty_like(image, order="C")
        three = image.shape + (1,) if image.ndim == 2 else image.shape
        _msjit.images.smooth(np.ascontiguousarray(image.reshape(three)), *(windows[0] + windows[1] + (found.reshape(three),)))
        return found
    found = image.astype(np.float64)
    for axis in (1, 0):
        places, weights = windows[axis]
        grown = np.take(found, places, axis)
        found = sum(w * np.take(grown, range(k, k + found.shape[axis]), axis) for k, w in enumerate(weights))
    return found.astype(image.dtype)


def _window(extent, length, width):
    """The positions along an axis, extended at both ends, and the weights of a Gaussian of `length` positions."""
    at = np.arange(length) - (length - 1) / 2.0
    weights = np.exp(-at * at / (2 * width * width))
    reach = length // 2
    places = np.pad(np.arange(extent), reach, "reflect" if extent > reach else "symmetric")
    return places.astype(np.int64), weights / weights.sum()


class _Factor(Transform):
    _change, _name, _low, _high = None, "factor", 0, None

    def __init__(self, factor):
        self.factor = number(factor, self._name, self._where, self._low, self._high)

    def _apply(self, image):
        image = image if is_pil(image) else self._array(image)
        return type(self)._change(image, self.factor, self._where)


def _adjusting(name, change, argument, low=0, high=None, doc=""):
    """Makes a transform class for one of the functions above; `argument` is the name of its parameter."""
    space = {}
    exec("def __init__(self, %s):\n    start(self, %s)\n" % (argument, argument), {"start": _Factor.__init__}, space)
    return type(name, (_Factor,), {"__init__": space["__init__"], "_change": staticmethod(change), "_name": argument,
                                   "_low": low, "_high": high, "__doc__": doc, "__module__": __name__})


AdjustBrightness = _adjusting("AdjustBrightness", brightness, "brightness_factor", doc="Values times a factor.")
AdjustContrast = _adjusting("AdjustContrast", contrast, "contrast_factor", doc="Away from the mean luminance.")
AdjustSaturation = _adjusting("AdjustSaturation", saturation, "saturation_factor", doc="Away from gray.")
AdjustSharpness = _adjusting("AdjustSharpness", lambda image, *rest: sharpness(np.asarray(image), *rest), "sharpness_factor", doc="Away from a smoothed image.")
AdjustHue = _adjusting("AdjustHue", hue, "hue_factor", -0.5, 0.5, "Round the colour circle by a share of it.")


class AdjustGamma(Transform):
    """Gamma correction: 255 * gain * (value / 255) ** gamma for uint8 images, (gain * value) ** gamma limited to [0, 1] for floats."""

    _batches = True

    def __init__(self, gamma, gain=1):
        self.gamma, self.gain = number(gamma, "gamma", "AdjustGamma", 0), number(gain, "gain", "AdjustGamma")

    def _apply(self, image):
        if not is_pil(image) and self._array(image).dtype.kind == "f":
            return np.clip(np.power(image * np.float32(self.gain), np.float32(self.gamma)), 0, 1).astype(np.float32)
        pil, image = is_pil(image), _table_only(np.asarray(image), "AdjustGamma")
        table = np.clip((255 + 1 - 1e-3) * self.gain * (np.arange(256) / 255.0) ** self.gamma, 0, 255)
        found = looked_up(image, table.astype(np.uint8))
        return pillow().fromarray(found) if pil else found


class Invert(Transform):
    """Inverts the values: 255 - value."""

    def _apply(self, image):
        if is_pil(image):
            return pillow("ImageOps").invert(image)
        image = self._array(image)
        return (255 - image.astype(np.float64)).astype(image.dtype)


class Grayscale(Transform):
    """Converts a Pillow image to gray, in one or three channels."""

    def __init__(self, num_output_channels=1):
        if num_output_channels not in (1, 3):
            raise (ValueError if isinstance(num_output_channels, int) else TypeError)("[Grayscale] num_output_channels, got %r, expected 1 or 3" % (num_output_channels,))
        self.num_output_channels = num_output_channels

    def _apply(self, image):
        if not is_pil(image):
            raise TypeError("[Grayscale] image, got %s, expected a Pillow image" % type(image).__name__)
        found = image.convert("L")
        return found if self.num_output_channels == 1 else pillow().merge("RGB", [found] * 3)


class Equalize(Transform):
    """Equalises the histogram of each channel."""

    def _apply(self, image):
        return equalized(image if is_pil(image) else self._array(image), "Equalize")


class AutoContrast(Transform):
    """Stretches each channel over all values, after cutting off `cutoff` percent at both ends."""

    def __init__(self, cutoff=0.0, ignore=None):
        self.cutoff = number(cutoff, "cutoff", self._where, 0, 50)
        ignore = [] if ignore is None else ignore if isinstance(ignore, (list, tuple)) else [ignore]
        self.ignore = [integer(i, "ignore", self._where, 0, 255) for i in ignore]

    def _apply(self, image):
        return auto_contrast(image if is_pil(image) else self._array(image), self.cutoff, self.ignore, self._where)


class Solarize(Transform):
    """Inverts the values from a threshold on, or between two thresholds."""

    def __init__(self, threshold):
        pair = threshold if isinstance(threshold, (list, tuple)) else (threshold, 255)
        self.threshold = ordered(pair, "threshold", "Solarize", 0, 255)

    def _apply(self, image):
        return np.asarray(solarized(self._array(image), self.threshold[0], self.threshold[1], "Solarize"))


class Posterize(Transform):
    """Keeps only the highest `bits` bits of each value."""

    def __init__(self, bits):
        self.bits = integer(bits, "bits", "Posterize", 0, 8)

    def _apply(self, image):
        return posterized(self._array(image), self.bits, "Posterize")


class GaussianBlur(Transform):
    """Smooths an image with a Gaussian window of kernel_size (width, height) and sigma."""

    def __init__(self, kernel_size, sigma=None):
        size = kernel_size if isinstance(kernel_size, (list, tuple)) else (kernel_size, kernel_size)
        if len(size) != 2:
            raise TypeError("[GaussianBlur] kernel_size, got %r, expected an int or two (width, height)" % (kernel_size,))
        self.kernel_size = [integer(k, "kernel_size", "GaussianBlur", 1) for k in size]
        if any(k % 2 == 0 for k in self.kernel_size):
            raise ValueError("[GaussianBlur] kernel_size, got %r, expected odd numbers" % (kernel_size,))
        sigma = sigma if isinstance(sigma, (list, tuple)) else (sigma, sigma)
        if len(sigma) != 2:
            raise TypeError("[GaussianBlur] sigma, got %r, expected a number or two" % (sigma,))
        given = [0 if s is None else number(s, "sigma", "GaussianBlur", 0) for s in sigma]
        across = given[0] or 0.3 * ((self.kernel_size[0] - 1) * 0.5 - 1) + 0.8
        self.sigma = [across, given[1] or across]

    def _apply(self, image):
        return blurred(self._array(image), self.kernel_size, self.sigma, "GaussianBlur")


class RgbToHsv(Transform):
    """Converts red, green and blue to hue, saturation and value."""

    _convert = staticmethod(rgb_to_hsv)

    def __init__(self, is_hwc=False):
        self.is_hwc = flag(is_hwc, "is_hwc", self._where)

    def _apply(self, image):
        if not isinstance(image, np.ndarray):
            raise TypeError("[%s] image, got %s, expected a NumPy array" % (self._where, type(image).__name__))
        if image.ndim not in (3, 4):
            raise TypeError("[%s] rank of the image, got %d, expected 3 or 4" % (self._where, image.ndim))
        image = self._array(image, None)
        axis = -1 if self.is_hwc else -3
        if image.shape[axis] != 3:
            raise TypeError("[%s] channels of the image, got %d, expected 3" % (self._where, image.shape[axis]))
        return np.moveaxis(self._convert(np.moveaxis(image, axis, -1)), -1, axis)


class HsvToRgb(RgbToHsv):
    """Converts hue, saturation and value to red, green and blue."""

    _convert = staticmethod(hsv_to_rgb)
