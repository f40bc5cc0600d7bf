"""Random transforms of colours."""
import numpy as np

from ..draws import current
from . import color
from .base import Transform, around, hit, integer, is_pil, number, ordered, pillow, probability, uniform
from .random_transforms import Sometimes


class RandomInvert(Sometimes):
    """Inverts the values (255 - value), with a probability."""

    def _change(self, image):
        return color.Invert()(np.asarray(image))


class RandomEqualize(Sometimes):
    """Equalises the histogram of each channel, with a probability."""

    def _change(self, image):
        return color.equalized(np.asarray(image), self._where)


class RandomGrayscale(Sometimes):
    """Converts a Pillow image to gray, with a probability; the number of channels does not change."""

    def __init__(self, prob=0.1):
        super().__init__(prob)

    def _change(self, image):
        if not is_pil(image):
            raise TypeError("[RandomGrayscale] image, got %s, expected a Pillow image" % type(image).__name__)
        return color.Grayscale(3 if image.mode == "RGB" else 1)(image)


class RandomAutoContrast(color.AutoContrast):
    """Stretches each channel over all values as AutoContrast, with a probability."""

    def __init__(self, cutoff=0.0, ignore=None, prob=0.5):
        super().__init__(cutoff, ignore)
        self.prob = probability(prob, self._where)
        if cutoff == 50:
            raise ValueError("[RandomAutoContrast] cutoff, got 50, expected less")

    def _draw(self, image):
        return hit(self.prob)

    def _apply(self, image, drawn):
        return super()._apply(self._array(image)) if drawn else image


class RandomAdjustSharpness(Sometimes):
    """Changes the sharpness as AdjustSharpness, with a probability."""

    def __init__(self, degree, prob=0.5):
        super().__init__(prob)
        self.degree = number(degree, "degree", self._where, 0)

    def _change(self, image):
        return color.sharpness(np.asarray(image), self.degree, self._where)


class RandomColorAdjust(Transform):
    """Changes brightness, contrast, saturation and hue of an RGB image by random factors, in random order.

    Each is a pair (least, greatest) from which the factor is drawn, or one number v for (1 - v, 1 + v). 1 changes nothing. Hue turns by a
    share of the circle between -0.5 and 0.5: v means (-v, v), and 0 changes nothing. Raises TypeError and ValueError for other numbers.
    """

    def __init__(self, brightness=(1, 1), contrast=(1, 1), saturation=(1, 1), hue=(0, 0)):
        where = self._where
        self.brightness = around(brightness, "brightness", where)
        self.contrast = around(contrast, "contrast", where)
        self.saturation = around(saturation, "saturation", where)
        self.hue = around(hue, "hue", where, 0.0, -0.5, 0.5)

    def _draw(self, image):
        steps = [(color.brightness, self.brightness, 1), (color.contrast, self.contrast, 1),
                 (color.saturation, self.saturation, 1), (color.hue, self.hue, 0)]
        drawn = [(change, uniform(*limits)) for change, limits, same in steps if tuple(limits) != (same, same)]
        current().shuffle(drawn)
        return drawn

    def _apply(self, image, drawn):
        image = image if is_pil(image) else self._array(image)
        for change, factor in drawn:
            image = change(image, factor, self._where)
        return image


def _two(values, name, where):
    if isinstance(values, (list, tuple)) and len(values) != 2:
        raise ValueError("[%s] %s, got %r, expected two numbers" % (where, name, values))
    return values


class _Between(Transform):
    """Applies one of the colour functions with a factor between two degrees."""

    def __init__(self, degrees=(0.1, 1.9)):
        self.degrees = ordered(_two(degrees, "degrees", self._where), "degrees", self._where, 0)

    def _draw(self, image):
        return uniform(*self.degrees)

    def _apply(self, image, drawn):
        return self._change(image if is_pil(image) else self._array(image), drawn)


class RandomColor(_Between):
    """Changes the saturation by a random factor between two degrees."""

    def _change(self, image, factor):
        return color.saturation(image, factor, self._where)


class RandomSharpness(_Between):
    """Changes the sharpness by a random factor between two degrees."""

    def _change(self, image, factor):
        return color.sharpness(image, factor, self._where)


class RandomPosterize(Transform):
    """Keeps a random number of the highest bits of each value."""

    def __init__(self, bits=(8, 8)):
        bits = bits if isinstance(bits, (list, tuple)) else (bits, bits)
        self.bits = ordered([integer(b, "bits", self._where, 1, 8) for b in bits], "bits", self._where)

    def _draw(self, image):
        return current().randint(*self.bits)

    def _apply(self, image, drawn):
        return color.posterized(self._array(image), drawn, self._where)


class RandomSolarize(Transform):
    """Inverts the values between two random thresholds."""

    def __init__(self, threshold=(0, 255)):
        self.threshold = ordered(_two(threshold, "threshold", self._where), "threshold", self._where, 0, 255)
        for value in threshold:
            integer(value, "threshold", self._where, 0, 255)

    def _draw(self, image):
        return sorted(current().randint(*self.threshold) for _ in range(2))

    def _apply(self, image, drawn):
        return color.solarized(self._array(image), drawn[0], drawn[1], self._where)


class RandomLighting(Transform):
    """Adds noise along the principal components of the colours of ImageNet (Krizhevsky et al. 2012)."""

    _VALUES = np.array([55.46, 4.794, 1.148])
    _VECTORS = np.array([[-0.5675, 0.7192, 0.4009], [-0.5808, -0.0045, -0.8140], [-0.5836, -0.6948, 0.4203]])

    def __init__(self, alpha=0.05):
        self.alpha = number(alpha, "alpha", self._where, 0)

    def _draw(self, image):
        return self._VECTORS @ (self._VALUES * [current().gauss(0, self.alpha) for _ in range(3)])

    def _apply(self, image, drawn):
        if is_pil(image):
            return pillow().fromarray(self._apply(np.asarray(image.convert("RGB")), drawn))
        image = self._array(image, (3,))
        if image.shape[2] != 3:
            raise RuntimeError("[RandomLighting] channels of the image, got %d, expected 3" % image.shape[2])
        found = image.astype(np.float64) + drawn
        return np.clip(found, 0, 255).astype(image.dtype) if image.dtype.kind in "iu" else found.astype(image.dtype)
