"""OcclusionSensitivity: how much a classifier's score falls when a part of the image is covered."""
import itertools

from ..common.tensor import Tensor
from ..nn.cell import Cell
from .metrics import Metric, rearrange_inputs


class OcclusionSensitivity(Metric):
    """Occlusion sensitivity (Zeiler and Fergus 2014): the score of a class minus its score with a part of the image
    covered, for each position.

    pad_val    the value of covered elements, a float
    margin     an int, or a list with one for each axis except the batch: along an axis the positions [i - margin, i + margin) are covered
    n_batch    how many covered images the model gets at a time
    b_box      None, or a list with the first and the last position for each axis except the batch; -1, -1 means the whole axis

    update(model, image, label) takes a Cell that returns (batch, classes), an image as a batch of one, and the number of the class.
    eval() returns the differences of the last update as an array, without axes of size 1.

    Raises TypeError for other types, and ValueError for another number of inputs or a box outside the image. Raises RuntimeError for a
    batch other than one, and if there was no update.

    >>> import numpy as np, msjit as ms
    >>> metric = ms.train.OcclusionSensitivity(margin=1)
    >>> weights = ms.Tensor([[1.0, 1.0], [2.0, 1.0], [4.0, 1.0]])
    >>> class Net(ms.nn.Cell):
    ...     def construct(self, x):
    ...         return ms.ops.matmul(x, weights)
    >>> metric.update(Net(), np.ones((1, 3), np.float32), np.array(0))
    >>> metric.eval().tolist()
    [1.0, 3.0, 6.0]
    """

    def __init__(self, pad_val=0.0, margin=2, n_batch=128, b_box=None):
        super().__init__()
        for name, value, kinds in (("pad_val", pad_val, (float,)), ("margin", margin, (int, list)), ("n_batch", n_batch, (int,)),
                                   ("b_box", b_box, (list, type(None)))):
            if not isinstance(value, kinds) or isinstance(value, bool):
                raise TypeError("[OcclusionSensitivity] %s, got %s, expected %s"
                                % (name, type(value).__name__, " or ".join(kind.__name__ for kind in kinds)))
        if n_batch < 1:
            raise ValueError("[OcclusionSensitivity] n_batch, got %d, expected 1 or more" % n_batch)
        self.pad_val, self.margin, self.n_batch, self.b_box = pad_val, margin, n_batch, b_box
        self.clear()

    def clear(self):
        """Forgets the last image."""
        self._differences = None

    @rearrange_inputs
    def update(self, *inputs):
        """Covers the image at one position after another and records the scores."""
        import numpy
        if len(inputs) != 3:
            raise ValueError("[OcclusionSensitivity] update takes 3 inputs, a model, an image and a label, got %d" % len(inputs))
        model, image, label = inputs
        if not isinstance(model, Cell):
            raise TypeError("[OcclusionSensitivity] model, got %s, expected a Cell" % type(model).__name__)
        if isinstance(image, (int, float)):
            raise TypeError("[OcclusionSensitivity] image, got %s, expected a Tensor or an array" % type(image).__name__)
        image, label = self._convert_data(image), self._convert_data(label)
        if image.ndim < 2 or image.shape[0] != 1 or label.size != 1:
            raise RuntimeError("[OcclusionSensitivity] batch, got an image of shape %s and %d labels, expected one image and one label"
                               % (image.shape, label.size))
        ranges, number = self._ranges(image.shape[1:]), int(label.reshape(()))
        places = list(itertools.product(*ranges))
        scores = numpy.concatenate([self._scores(model, image, places[i:i + self.n_batch], number)
                                    for i in range(0, len(places), self.n_batch)])
        whole = model(Tensor(image)).asnumpy()[0, number]
        self._differences = (whole - scores).reshape([len(one) for one in ranges]).squeeze()

    def eval(self):
        """Returns the differences of the last image, an array."""
        self._require(self._differences is not None)
        return self._differences

    def _margins(self, axes):
        margins = self.margin if isinstance(self.margin, list) else [self.margin] * axes
        if len(margins) != axes:
            raise ValueError("[OcclusionSensitivity] margin, got %d numbers, expected %d" % (len(margins), axes))
        return margins

    def _ranges(self, shape):
        """The positions to cover along each axis."""
        box = [-1] * (2 * len(shape)) if self.b_box is None else self.b_box
        if len(box) != 2 * len(shape):
            raise ValueError("[OcclusionSensitivity] b_box, got %d numbers, expected two for each of %d axes" % (len(box), len(shape)))
        found = []
        for least, greatest, size in zip(box[::2], box[1::2], shape):
            if (least, greatest) == (-1, -1):
                least, greatest = 0, size - 1
            if not 0 <= least <= greatest < size:
                raise ValueError("[OcclusionSensitivity] b_box, got %s to %s, expected places from 0 to %d" % (least, greatest, size - 1))
            found.append(range(least, greatest + 1))
        return found

    def _scores(self, model, image, places, number):
        """The scores of a class for copies of the image, covered at these positions."""
        import numpy
        covered = numpy.repeat(image, len(places), 0)
        for one, place in zip(covered, places):
            one[tuple(slice(max(at - margin, 0), at + margin) for at, margin in zip(place, self._margins(len(place))))] = self.pad_val
        return model(Tensor(covered)).asnumpy()[:, number]
