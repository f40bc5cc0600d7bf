"""Augmentation policies: AutoAugment, RandAugment, TrivialAugmentWide. Each chooses operations and their strengths.

An operation is (name, strength). The sign of the strength is drawn at random where both directions make sense.
"""
import math

import numpy as np

from ..draws import current
from . import color, warps
from .base import Transform, fills, integer, inter, member
from .utils import AutoAugmentPolicy, Inter

_SIGNED = ("ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast", "Sharpness")
_PLAIN = ("Identity", "AutoContrast", "Equalize", "Invert")


def _operation(image, name, strength, interpolation, fill, where):
    """The image after one operation."""
    factor = 1.0 + strength
    if name in ("ShearX", "ShearY"):
        shear = (math.degrees(math.atan(strength)), 0.0) if name == "ShearX" else (0.0, math.degrees(math.atan(strength)))
        return warps.affine_map(image, 0.0, (0, 0), 1.0, shear, interpolation, fill, where)
    if name in ("TranslateX", "TranslateY"):
        moved = (int(strength), 0) if name == "TranslateX" else (0, int(strength))
        return warps.affine_map(image, 0.0, moved, 1.0, (0.0, 0.0), interpolation, fill, where)
    if name == "Rotate":
        return warps.rotated(image, strength % 360, interpolation, False, None, fill, where)
    if name == "Posterize":
        return color.posterized(image, int(strength), where)
    if name == "Solarize":
        return color.solarized(image, min(255, int(math.ceil(strength))), 255, where)
    if name == "AutoContrast":
        return color.auto_contrast(image, 0, (), where)
    if name == "Equalize":
        return color.equalized(image, where)
    if name == "Invert":
        return 255 - image
    changes = {"Brightness": color.brightness, "Color": color.saturation, "Contrast": color.contrast, "Sharpness": color.sharpness}
    return image if name == "Identity" else changes[name](image, factor, where)


def _strengths(name, bins, shape, wide=False):
    """The strengths of an operation, weak to strong; None for an operation that has no strength."""
    def even(high):
        return np.linspace(0.0, high, bins)
    if name in _PLAIN:
        return None
    if name == "Posterize":
        return 8 - np.round(np.arange(bins) / ((bins - 1) / (6 if wide else 4)))
    if name == "Solarize":
        return np.linspace(255.0, 0.0, bins)
    if name in ("ShearX", "ShearY"):
        return even(0.99 if wide else 0.3)
    if name in ("TranslateX", "TranslateY"):
        return even(32.0 if wide else 150.0 / 331.0 * shape[1 if name == "TranslateX" else 0])
    if name == "Rotate":
        return even(135.0 if wide else 30.0)
    return even(0.99 if wide else 0.9)


class _Policy(Transform):
    """Applies the operations that _chosen draws to an (H, W, 3) image of uint8."""

    def __init__(self, interpolation, fill_value):
        self.interpolation, self.fill_value = inter(interpolation, self._where), fills(fill_value, self._where)

    def _draw(self, image):
        image = self._array(image)
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
            raise RuntimeError("[%s] image, got shape %s and dtype %s, expected (height, width, 3) of uint8"
                               % (self._where, image.shape, image.dtype))
        return [(name, self._signed(name, strength)) for name, strength in self._chosen(image.shape)]

    def _signed(self, name, strength):
        return -strength if name in _SIGNED and current().random() < 0.5 else strength

    def _apply(self, image, drawn):
        image = self._array(image)
        for name, strength in drawn:
            image = _operation(image, name, strength, self.interpolation, self.fill_value, self._where)
        return image


_RAND = ("Identity", "ShearX", "ShearY", "TranslateX", "TranslateY", "Rotate", "Brightness", "Color", "Contrast", "Sharpness",
         "Posterize", "Solarize", "AutoContrast", "Equalize")


class RandAugment(_Policy):
    """Applies num_ops operations, each drawn from all of them, with the strength `magnitude` out of num_magnitude_bins."""

    def __init__(self, num_ops=2, magnitude=9, num_magnitude_bins=31, interpolation=Inter.NEAREST, fill_value=0):
        self.num_ops = integer(num_ops, "num_ops", "RandAugment", 0)
        self.num_magnitude_bins = integer(num_magnitude_bins, "num_magnitude_bins", "RandAugment", 2)
        self.magnitude = integer(magnitude, "magnitude", "RandAugment", 0, self.num_magnitude_bins - 1)
        super().__init__(interpolation, fill_value)

    def _chosen(self, shape):
        found = []
        for _ in range(self.num_ops):
            name = current().choice(_RAND)
            strengths = _strengths(name, self.num_magnitude_bins, shape)
            found.append((name, 0.0 if strengths is None else float(strengths[self.magnitude])))
        return found


class TrivialAugmentWide(_Policy):
    """Applies one operation, drawn from all of them, with a strength drawn from num_magnitude_bins in wide ranges."""

    def __init__(self, num_magnitude_bins=31, interpolation=Inter.NEAREST, fill_value=0):
        self.num_magnitude_bins = integer(num_magnitude_bins, "num_magnitude_bins", "TrivialAugmentWide", 2)
        super().__init__(interpolation, fill_value)

    def _chosen(self, shape):
        name = current().choice(_RAND)
        strengths = _strengths(name, self.num_magnitude_bins, shape, wide=True)
        return [(name, 0.0 if strengths is None else float(strengths[current().randrange(self.num_magnitude_bins)]))]


_SHORT = {"SX": "ShearX", "SY": "ShearY", "TX": "TranslateX", "TY": "TranslateY", "R": "Rotate", "B": "Brightness", "C": "Color",
          "K": "Contrast", "H": "Sharpness", "P": "Posterize", "S": "Solarize", "A": "AutoContrast", "E": "Equalize", "I": "Invert"}
# The pairs of operations for three data sets: short name, probability, strength from 0 to 9 (missing if the operation has none).
_POLICIES = {
    AutoAugmentPolicy.IMAGENET: """P.4,8 R.6,9|S.6,5 A.6|E.8 E.6|P.6,7 P.6,6|E.4 S.2,4|E.4 R.8,8|S.6,3 E.6|P.8,5 E1.|R.2,3 S.6,8|
        E.6 P.4,6|R.8,8 C.4,0|R.4,9 E.6|E.0 E.8|I.6 E1.|C.6,4 K1.,8|R.8,8 C1.,2|C.8,8 S.8,7|H.4,7 I.6|SX.6,5 E1.|C.4,0 E.6|
        E.4 S.2,4|S.6,5 A.6|I.6 E1.|C.6,4 K1.,8|E.8 E.6""",
    AutoAugmentPolicy.CIFAR10: """I.1 K.2,6|R.7,2 TX.3,9|H.8,1 H.9,3|SY.5,8 TY.7,9|A.5 E.9|SY.2,7 P.3,7|C.4,3 B.6,7|H.3,9 B.7,9|
        E.6 E.5|K.6,7 H.6,5|C.7,7 TX.5,8|E.3 A.4|TY.4,3 H.2,6|B.9,6 C.2,8|S.5,2 I.0|E.2 A.6|E.2 E.6|C.9,9 E.6|A.8 S.2,8|
        B.1,3 C.7,0|S.4,5 A.9|TY.9,9 TY.7,9|A.9 S.8,3|E.8 I.1|TY.7,9 A.9""",
    AutoAugmentPolicy.SVHN: """SX.9,4 I.2|SY.9,8 I.7|E.6 S.6,6|I.9 E.6|E.6 R.9,3|SX.9,4 A.8|SY.9,8 I.4|SY.9,5 S.2,6|I.9 A.8|
        E.6 R.9,3|SX.9,4 S.3,3|SY.8,8 I.7|E.9 TY.6,6|I.9 E.6|K.3,3 R.8,4|I.8 TY.0,2|SY.7,6 S.4,8|I.6 R.8,4|SY.3,7 TX.9,3|
        SX.1,6 I.6|S.7,2 TY.6,7|SY.8,4 I.8|SX.7,9 TY.8,3|SY.8,5 A.7|SX.7,2 I.1""",
}


def _parsed(text):
    """Parses the text of a policy into lists of (name, probability, strength or None)."""
    found = []
    for part in text.split("|"):
        pairs = []
        for item in part.split():
            short = item.rstrip("0123456789.,")
            prob, _, level = item[len(short):].partition(",")
            pairs.append((_SHORT[short], float(prob), int(level) if level else None))
        found.append(pairs)
    return found


class AutoAugment(_Policy):
    """Applies a pair of operations, drawn from those of a policy; each has its own probability and strength."""

    def __init__(self, policy=AutoAugmentPolicy.IMAGENET, interpolation=Inter.NEAREST, fill_value=0):
        self.policy = member(policy, AutoAugmentPolicy, "policy", "AutoAugment")
        self._pairs = _parsed(_POLICIES[self.policy])
        super().__init__(interpolation, fill_value)

    def _chosen(self, shape):
        found = []
        for name, prob, level in current().choice(self._pairs):
            if current().random() < prob:
                strengths = _strengths(name, 10, shape)
                found.append((name, 0.0 if strengths is None else float(strengths[level])))
        return found
