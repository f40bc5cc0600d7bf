"""Transforms of batches of images with their labels (MixUpBatch, CutMixBatch, MixUp), and random choices of transforms."""
import math

import numpy as np

from ...common.tensor import Tensor
from ..draws import current
from .base import Transform, flag, integer, member, number, probability
from .utils import ImageBatchFormat


class _BatchOfImages:
    """A transform of (images, one-hot labels), after batch."""

    implementation = None

    def __call__(self, *columns):
        if len(columns) != 2:
            raise RuntimeError("[%s] columns, got %d, expected 2: images and labels" % (type(self).__name__, len(columns)))
        return self._both(*[column.asnumpy() if isinstance(column, Tensor) else column for column in columns])

    def _checked(self, images, labels):
        where = type(self).__name__
        if images.ndim != 4:
            raise RuntimeError("[%s] rank of the images, got %d, expected 4: it works on batches" % (where, images.ndim))
        if labels.ndim not in (2, 3) or len(labels) != len(images) or labels.dtype.kind not in "iuf":
            raise RuntimeError("[%s] labels, got shape %s of %s, expected a one-hot row for each of %d images"
                               % (where, labels.shape, labels.dtype, len(images)))

    @staticmethod
    def _order(count):
        order = list(range(count))
        current().shuffle(order)
        return order

    @staticmethod
    def _mixed(first, second, share):
        share = np.asarray(share, np.float32)
        return first.astype(np.float32) * share + second.astype(np.float32) * (1 - share)


class MixUpBatch(_BatchOfImages):
    """Mixes each image with another of the batch, by a share from a Beta distribution (Zhang et al., "mixup")."""

    def __init__(self, alpha=1.0):
        self.alpha = number(alpha, "alpha", "MixUpBatch", 0, above=True)

    def _both(self, images, labels):
        self._checked(images, labels)
        share, order = current().betavariate(self.alpha, self.alpha), self._order(len(images))
        return (self._mixed(images, images[order], share).astype(images.dtype), self._mixed(labels, labels[order], share))


class CutMixBatch(_BatchOfImages):
    """Replaces a rectangle of each image by that of another of the batch, and mixes labels by area (Yun et al., "CutMix")."""

    def __init__(self, image_batch_format, alpha=1.0, prob=1.0):
        self.format = member(image_batch_format, ImageBatchFormat, "image_batch_format", "CutMixBatch")
        self.alpha = number(alpha, "alpha", "CutMixBatch", 0, above=True)
        self.prob = probability(prob, "CutMixBatch")

    def _both(self, images, labels):
        self._checked(images, labels)
        images, labels, order = images.copy(), labels.astype(np.float32), self._order(len(images))
        view = images if self.format == ImageBatchFormat.NHWC else images.transpose(0, 2, 3, 1)
        before, labels_before, random = view.copy(), labels.copy(), current()
        height, width = view.shape[1:3]
        for i, other in enumerate(order):
            if random.random() >= self.prob:
                continue
            side = math.sqrt(1 - random.betavariate(self.alpha, self.alpha))
            high, wide = int(height * side), int(width * side)
            row, column = random.randrange(height), random.randrange(width)
            top, left = max(0, row - high // 2), max(0, column - wide // 2)
            bottom, right = min(height, row - high // 2 + high), min(width, column - wide // 2 + wide)
            view[i, top:bottom, left:right] = before[other, top:bottom, left:right]
            share = 1 - max(0, bottom - top) * max(0, right - left) / float(height * width)
            labels[i] = self._mixed(labels_before[i], labels_before[other], share)
        return images, labels


class MixUp(_BatchOfImages):
    """Mixes each of batch_size images with the next one, or, without is_single, with the images of the previous call."""

    def __init__(self, batch_size, alpha, is_single=True):
        self.batch_size, self.alpha = integer(batch_size, "batch_size", "MixUp", 1), number(alpha, "alpha", "MixUp", 0, above=True)
        self.is_single, self._before = flag(is_single, "is_single", "MixUp"), None

    def __call__(self, image, label):
        for value, name in ((image, "image"), (label, "label")):
            if not isinstance(value, np.ndarray):
                raise TypeError("[MixUp] %s, got %s, expected a NumPy array" % (name, type(value).__name__))
        shares = np.array([current().betavariate(self.alpha, self.alpha) for _ in range(self.batch_size)])
        if self.is_single:
            after = list(range(1, self.batch_size)) + [0]
            other = image[after], label[after]
        elif self._before is None:
            shares, other = np.ones(self.batch_size), (image, label)
        else:
            other = self._before
        if not self.is_single:
            self._before = image, label
        by_image, by_label = shares.reshape(-1, 1, 1, 1), shares.reshape(-1, 1)
        return by_image * image + (1 - by_image) * other[0], by_label * label + (1 - by_label) * other[1]


class UniformAugment(Transform):
    """Applies num_ops of the transforms, one after another; each of them is left out with probability 1/2."""

    def __init__(self, transforms, num_ops=2):
        if not isinstance(transforms, (list, tuple)) or not all(callable(t) for t in transforms):
            raise TypeError("[UniformAugment] transforms, got %r, expected a list of transforms" % (transforms,))
        self.transforms = list(transforms)
        self.num_ops = integer(num_ops, "num_ops", "UniformAugment", 1)
        if self.num_ops > len(self.transforms):
            raise ValueError("[UniformAugment] num_ops, got %d, expected at most %d" % (num_ops, len(self.transforms)))

    def _draw(self, image):
        random = current()
        return [t for t in random.sample(self.transforms, self.num_ops) if random.random() < 0.5]

    def _apply(self, image, drawn):
        for transform in drawn:
            image = transform(image)
        return image


class RandomSelectSubpolicy(Transform):
    """Applies one of several lists of (transform, probability), chosen at random."""

    def __init__(self, policy):
        if not isinstance(policy, list) or not all(isinstance(p, list) for p in policy):
            raise TypeError("[RandomSelectSubpolicy] policy, got %r, expected a list of lists" % (policy,))
        if not policy or not all(policy):
            raise ValueError("[RandomSelectSubpolicy] policy, got %r, expected no empty lists" % (policy,))
        for item in (item for part in policy for item in part):
            pair = isinstance(item, tuple) and len(item) == 2
            if not pair or not callable(item[0]):
                raise (TypeError if pair else ValueError)("[RandomSelectSubpolicy] item, got %r, expected (transform, probability)" % (item,))
            probability(item[1], "RandomSelectSubpolicy")
        self.policy = policy

    def _draw(self, image):
        random = current()
        return [transform for transform, prob in random.choice(self.policy) if random.random() < prob]

    def _apply(self, image, drawn):
        for transform in drawn:
            image = transform(image)
        return image
