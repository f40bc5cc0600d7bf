"""Random transforms that move pixels: flips, crops, rotation, affine and perspective maps, erasing."""
import math

import numpy as np

from ..draws import current
from . import geometry, warps
from .base import (
    Transform,
    around,
    border,
    filled,
    fills,
    flag,
    hit,
    integer,
    inter,
    is_pil,
    number,
    ordered,
    pair,
    pillow,
    probability,
    sides,
    size_of,
    uniform,
)
from .utils import Border, Inter
from .values import decoded


class Sometimes(Transform):
    """Applies `_change` to the image with a probability."""

    def __init__(self, prob=0.5):
        self.prob = probability(prob, self._where)

    def _draw(self, image):
        return hit(self.prob)

    def _apply(self, image, drawn):
        image = image if is_pil(image) else self._array(image)
        return self._change(image) if drawn else image

    def _change(self, image):
        raise NotImplementedError


class RandomHorizontalFlip(Sometimes):
    """Mirrors an image left to right, with a probability."""

    _batches = True

    def _change(self, image):
        return _mirrored(image, 1)


class RandomVerticalFlip(Sometimes):
    """Mirrors an image top to bottom, with a probability."""

    _batches = True

    def _change(self, image):
        return _mirrored(image, 0)


def _mirrored(image, axis):
    if is_pil(image):
        return image.transpose(pillow().FLIP_LEFT_RIGHT if axis else pillow().FLIP_TOP_BOTTOM)
    return geometry.flipped(image, axis)


class RandomPerspective(Sometimes):
    """Applies a random perspective map, with a probability."""

    def __init__(self, distortion_scale=0.5, prob=0.5, interpolation=Inter.BICUBIC):
        super().__init__(prob)
        self.distortion_scale = number(distortion_scale, "distortion_scale", self._where, 0.0, 1.0)
        self.interpolation = inter(interpolation, self._where)

    def _draw(self, image):
        if not hit(self.prob):
            return None
        height, width = size_of(image if is_pil(image) else self._array(image))
        down, right, random = int(self.distortion_scale * (height // 2)), int(self.distortion_scale * (width // 2)), current()
        corners = [(0, 0), (width - 1, 0), (width - 1, height - 1), (0, height - 1)]
        moved = []
        for x, y in corners:
            dx, dy = random.randint(0, right), random.randint(0, down)
            moved.append((x + (dx if x == 0 else -dx), y + (dy if y == 0 else -dy)))
        return corners, moved

    def _apply(self, image, drawn):
        if drawn is None:
            return image
        return warps.distorted(image, drawn[0], drawn[1], self.interpolation, self._where)


class RandomCrop(Transform):
    """Crops a part of `size`, (height, width) or one int for both, at a random position of an image (H, W) or (H, W, C), after padding.

    padding, fill_value and padding_mode are those of Pad. pad_if_needed then pads an image that is still smaller than `size`; without it a
    smaller image raises RuntimeError (ValueError for Pillow images).
    """

    _batches = True

    def __init__(self, size, padding=None, pad_if_needed=False, fill_value=0, padding_mode=Border.CONSTANT):
        self.size, self.fill_value = pair(size, self._where), fills(fill_value, self._where)
        self.padding = None if padding is None else sides(padding, self._where)
        if isinstance(padding, (list, tuple)) and len(padding) == 2:
            self.padding = (padding[0], padding[1], padding[0], padding[1])
        self.pad_if_needed = flag(pad_if_needed, "pad_if_needed", self._where)
        self.padding_mode = border(padding_mode, self._where)

    def _grown(self, image):
        image = image if is_pil(image) else self._array(image)
        if self.padding is not None:
            image = geometry.padded(image, self.padding, self.fill_value, self.padding_mode)
        if self.pad_if_needed:
            height, width = size_of(image)
            more = (max(0, self.size[1] - width), max(0, self.size[0] - height)) * 2
            if any(more):
                image = geometry.padded(image, more, self.fill_value, self.padding_mode)
        return image

    def _draw(self, image):
        height, width = size_of(image)
        if self.padding is not None:
            height, width = height + self.padding[1] + self.padding[3], width + self.padding[0] + self.padding[2]
        if self.pad_if_needed:
            height += 2 * max(0, self.size[0] - height)
            width += 2 * max(0, self.size[1] - width)
        if height < self.size[0] or width < self.size[1]:
            raise (ValueError if is_pil(image) else RuntimeError)(
                "[%s] size, got %s, expected at most that of the image, %s" % (self._where, self.size, (height, width)))
        random = current()
        return random.randint(0, height - self.size[0]), random.randint(0, width - self.size[1])

    def _apply(self, image, drawn):
        return geometry.cropped(self._grown(image), drawn[0], drawn[1], *self.size)


class RandomResizedCrop(Transform):
    """Crops a part of random area and aspect ratio and resizes it (Szegedy et al., "Going deeper with convolutions")."""

    _batches = True

    def __init__(self, size, scale=(0.08, 1.0), ratio=(3. / 4., 4. / 3.), interpolation=Inter.BILINEAR, max_attempts=10):
        self.size, self.interpolation = pair(size, self._where), inter(interpolation, self._where)
        self.scale = ordered(scale, "scale", self._where, 0)
        self.ratio = ordered(ratio, "ratio", self._where, 0)
        if self.scale[1] <= 0 or self.ratio[0] <= 0:
            raise ValueError("[%s] scale and ratio, got %r and %r, expected positive ones" % (self._where, scale, ratio))
        self.max_attempts = integer(max_attempts, "max_attempts", self._where, 1)

    def _draw(self, image):
        height, width = size_of(image if is_pil(image) else self._array(image))
        random = current()
        for _ in range(self.max_attempts):
            area = height * width * random.uniform(*self.scale)
            ratio = math.exp(random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            wide, high = int(round(math.sqrt(area * ratio))), int(round(math.sqrt(area / ratio)))
            if 0 < wide <= width and 0 < high <= height:
                return random.randint(0, height - high), random.randint(0, width - wide), high, wide
        high, wide = height, width
        if width / height < self.ratio[0]:
            high = max(1, int(round(width / self.ratio[0])))
        elif width / height > self.ratio[1]:
            wide = max(1, int(round(height * self.ratio[1])))
        return (height - high) // 2, (width - wide) // 2, high, wide

    def _apply(self, image, drawn):
        image = image if is_pil(image) else self._array(image)
        return geometry.resized(geometry.cropped(image, *drawn), self.size[0], self.size[1], self.interpolation,
                                self._where)


class RandomCropDecodeResize(RandomResizedCrop):
    """Decodes an image, then applies RandomResizedCrop."""

    def __call__(self, *images):
        images = [image.asnumpy() if hasattr(image, "asnumpy") else image for image in images]
        return super().__call__(*[np.array(decoded(image, self._where)) for image in images])


class RandomResize(Transform):
    """Resizes an image with a random interpolation."""

    _batches = True

    def __init__(self, size):
        self.size = size
        geometry.Resize(size)

    def _draw(self, image):
        return current().choice([Inter.NEAREST, Inter.BILINEAR, Inter.BICUBIC, Inter.AREA])

    def _apply(self, image, drawn):
        return geometry.Resize(self.size, drawn)(self._array(image))


class RandomRotation(Transform):
    """Rotates an image by random degrees: up to a number in both directions, or between two numbers."""

    def __init__(self, degrees, resample=Inter.NEAREST, expand=False, center=None, fill_value=0):
        self.degrees = around(degrees, "degrees", self._where, 0.0, None)
        self.resample, self.expand = inter(resample, self._where), flag(expand, "expand", self._where)
        self.center, self.fill_value = warps.center_point(center, self._where), fills(fill_value, self._where)

    def _draw(self, image):
        return uniform(*self.degrees)

    def _apply(self, image, drawn):
        if is_pil(image):
            mode = geometry.pil_mode(self.resample, self._where)
            fill = self.fill_value if len(self.fill_value) > 1 else self.fill_value * len(image.getbands())
            return image.rotate(drawn, mode, self.expand, self.center,
                                fillcolor=fill if len(image.getbands()) > 1 else fill[0])
        return warps.rotated(self._array(image), drawn, self.resample, self.expand, self.center, self.fill_value,
                                self._where)


class RandomAffine(Transform):
    """Rotates, moves by fractions of the size, scales and shears an image at random."""

    def __init__(self, degrees, translate=None, scale=None, shear=None, resample=Inter.NEAREST, fill_value=0):
        where = self._where
        self.degrees = around(degrees, "degrees", where, 0.0, None)
        self.translate, self.scale, self.shear = translate, scale, shear
        if translate is not None:
            if not isinstance(translate, (list, tuple)) or len(translate) not in (2, 4):
                raise TypeError("[%s] translate, got %r, expected two or four numbers" % (where, translate))
            for value in translate:
                number(value, "translate", where, -1, 1)
        if scale is not None:
            self.scale = ordered(scale, "scale", where, 0)
            number(scale[1], "scale", where, 0, above=True)
        if shear is not None:
            shear = (-shear, shear) if not isinstance(shear, (list, tuple)) else tuple(shear)
            if len(shear) not in (2, 4):
                raise TypeError("[%s] shear, got %r, expected a number, two or four" % (where, shear))
            self.shear = ordered(shear[:2], "shear", where) + ordered(shear[2:] or (0, 0), "shear", where)
        self.resample, self.fill_value = inter(resample, where), fills(fill_value, where)

    def _draw(self, image):
        height, width = size_of(image if is_pil(image) else self._array(image))
        moved = (0, 0)
        if self.translate is not None:
            t = self.translate
            x, y = ((-t[0], t[0]), (-t[1], t[1])) if len(t) == 2 and min(t) >= 0 else (t[:2], t[2:] or (0, 0))
            moved = (round(uniform(*x) * width), round(uniform(*y) * height))
        shear = (0, 0) if self.shear is None else (uniform(*self.shear[:2]), uniform(*self.shear[2:]))
        return uniform(*self.degrees), moved, 1.0 if self.scale is None else uniform(*self.scale), shear

    def _apply(self, image, drawn):
        if is_pil(image):
            mode, bands = geometry.pil_mode(self.resample, self._where), len(image.getbands())
            fill = tuple(int(value) for value in filled(self.fill_value, bands))
            return image.transform(image.size, pillow().AFFINE, _pil_matrix(image.size, *drawn), mode,
                                   fillcolor=fill if bands > 1 else fill[0])
        return warps.affine_map(self._array(image), *drawn, resample=self.resample, fill=self.fill_value,
                                   where=self._where)


def _pil_matrix(size, degrees, moved, scale, shear):
    """The six numbers of an affine map for Pillow; both shears are angles that are added to the rotation."""
    first, second = [math.radians(degrees + angle) for angle in shear]
    share = scale * math.cos(first - second)
    a, b, c, d = math.cos(first) / share, math.sin(first) / share, -math.sin(second) / share, math.cos(second) / share
    x, y = size[0] * 0.5 + 0.5, size[1] * 0.5 + 0.5
    right, down = x + moved[0], y + moved[1]
    return a, b, x - a * right - b * down, c, d, y - c * right - d * down


class RandomErasing(Transform):
    """Fills a random rectangle of an array (channels, height, width) with a value or with "random" noise, with a probability."""

    def __init__(self, prob=0.5, scale=(0.02, 0.33), ratio=(0.3, 3.3), value=0, inplace=False, max_attempts=10):
        where = self._where
        self.prob, self.scale = probability(prob, where), ordered(scale, "scale", where, 0)
        self.ratio, self.inplace = ordered(ratio, "ratio", where, 0), flag(inplace, "inplace", where)
        if self.ratio[0] <= 0:
            raise ValueError("[%s] ratio, got %r, expected positive numbers" % (where, ratio))
        self.max_attempts = integer(max_attempts, "max_attempts", where, 1)
        if value != "random":
            values = value if isinstance(value, (list, tuple)) else (value,)
            if isinstance(value, str) or len(values) not in (1, 3):
                raise ValueError("[%s] value, got %r, expected a number, three of them or 'random'" % (where, value))
            value = [number(v, "value", where, 0, 255) for v in values]
        self.value = value

    def _draw(self, image):
        if not hit(self.prob):
            return None
        if not isinstance(image, np.ndarray):
            raise TypeError("[RandomErasing] image, got %s, expected a NumPy array" % type(image).__name__)
        shape, random = self._array(image, (3,)).shape, current()
        for _ in range(self.max_attempts):
            area = shape[1] * shape[2] * random.uniform(*self.scale)
            ratio = math.exp(random.uniform(math.log(self.ratio[0]), math.log(self.ratio[1])))
            high, wide = int(round(math.sqrt(area * ratio))), int(round(math.sqrt(area / ratio)))
            if 0 < high < shape[1] and 0 < wide < shape[2]:
                return random.randint(0, shape[1] - high), random.randint(0, shape[2] - wide), high, wide
        return None

    def _apply(self, image, drawn):
        if drawn is None:
            return image
        top, left, high, wide = drawn
        image = image if self.inplace else image.copy()
        part = image[:, top:top + high, left:left + wide]
        if self.value == "random":
            random = current()
            part[...] = np.array([random.gauss(0, 1) for _ in range(part.size)]).reshape(part.shape)
        else:
            part[...] = np.array(self.value).reshape(-1, 1, 1)
        return image
