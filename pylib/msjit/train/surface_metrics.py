"""Metrics of segmentations: distances between the surfaces of two sets of pixels."""
from .metrics import Metric, rearrange_inputs

_DISTANCES = ("euclidean", "chessboard", "taxicab")
_AT_ONCE = 1 << 22  # the most distances in memory at a time


def _edges(mask):
    """The pixels of a set that have a neighbour outside the set or outside the image."""
    import numpy
    padded = numpy.pad(mask, 1)
    inside = mask.copy()
    for axis in range(mask.ndim):
        for step in (-1, 1):
            moved = numpy.roll(padded, step, axis)
            inside &= moved[tuple(slice(1, -1) for _ in range(mask.ndim))]
    return mask & ~inside


def _nearest(points, others, metric):
    """The distance of each point to the nearest of the others; infinite if there are no others."""
    import numpy
    if not len(others):
        return numpy.full(len(points), numpy.inf)
    found, rows = [], max(1, _AT_ONCE // (len(others) * points.shape[1]))
    for start in range(0, len(points), rows):
        apart = numpy.abs(points[start:start + rows, None, :] - others[None, :, :])
        if metric == "euclidean":
            found.append(numpy.sqrt((apart ** 2).sum(2).min(1)))
        else:
            found.append((apart.max(2) if metric == "chessboard" else apart.sum(2)).min(1).astype(float))
    return numpy.concatenate(found) if found else numpy.zeros(0)


class _Surface(Metric):
    """Base class: update(prediction, label map, label) takes one pair of maps, and the label whose surfaces are compared."""

    _crops = True

    def __init__(self, distance_metric):
        super().__init__()
        if distance_metric not in _DISTANCES:
            raise ValueError("[%s] distance_metric, got %r, expected one of %s"
                             % (type(self).__name__, distance_metric, list(_DISTANCES)))
        self.distance_metric = distance_metric
        self.clear()

    def clear(self):
        self._edges = None

    @rearrange_inputs
    def update(self, *inputs):
        import numpy
        where = type(self).__name__
        if len(inputs) != 3:
            raise ValueError("[%s] update, got %d inputs, expected prediction, label and the index of a label"
                             % (where, len(inputs)))
        y_pred, y, label = self._convert_data(inputs[0]), self._convert_data(inputs[1]), inputs[2]
        if isinstance(label, bool) or not isinstance(label, (int, float)):
            raise TypeError("[%s] index of the label, got %s, expected an int or a float" % (where, type(label).__name__))
        if not y_pred.size or y_pred.shape != y.shape:
            raise ValueError("[%s] shapes of prediction and label, got %s and %s, expected the same, with elements"
                             % (where, y_pred.shape, y.shape))
        first, second = y_pred == label, y == label
        if not first.any() and not second.any():
            raise ValueError("[%s] index of the label, got %s, expected one that is in prediction or label" % (where, label))
        if self._crops:
            at = numpy.argwhere(first | second)
            box = tuple(slice(low, high + 1) for low, high in zip(at.min(0), at.max(0)))
            first, second = first[box], second[box]
        self._edges = [numpy.argwhere(_edges(mask)).astype(float) for mask in (first, second)]

    def _distances(self, back=False):
        """The distance of each pixel of the prediction's surface to the label's surface; with `back` the other way round."""
        self._require(self._edges is not None)
        first, second = self._edges[::-1] if back else self._edges
        return _nearest(first, second, self.distance_metric)


class HausdorffDistance(_Surface):
    """Hausdorff distance: the largest distance of a pixel of one surface to the other surface, or a percentile of these distances.

    It is the larger one of both directions; with `directed` only that from the prediction to the label. Raises ValueError for another
    distance_metric, RuntimeError for eval() before update().
    """

    def __init__(self, distance_metric="euclidean", percentile=None, directed=False, crop=True):
        super().__init__(distance_metric)
        if percentile is not None and not isinstance(percentile, float):
            raise TypeError("[HausdorffDistance] percentile must be a float, got %s" % type(percentile).__name__)
        if percentile is not None and not 0 <= percentile <= 100:
            raise ValueError("[HausdorffDistance] percentile, got %s, expected 0 to 100" % (percentile,))
        for name, value in (("directed", directed), ("crop", crop)):
            if not isinstance(value, bool):
                raise TypeError("[HausdorffDistance] %s must be a bool, got %s" % (name, type(value).__name__))
        self.percentile, self.directed, self._crops = percentile, directed, crop

    def eval(self):
        self._require(self._edges is not None)
        found = self._one(False)
        return found if self.directed else max(found, self._one(True))

    def _one(self, back):
        import numpy
        distances = self._distances(back)
        if not len(distances):
            return numpy.float64(numpy.nan)
        return distances.max() if self.percentile is None else numpy.percentile(distances, self.percentile)


class _Mean(_Surface):
    def __init__(self, symmetric=False, distance_metric="euclidean"):
        super().__init__(distance_metric)
        if not isinstance(symmetric, bool):
            raise TypeError("[%s] symmetric must be a bool, got %s" % (type(self).__name__, type(symmetric).__name__))
        self.symmetric = symmetric

    def _mean(self, power):
        """The mean of a power of the distances from the prediction to the label; with `symmetric` the mean of both directions."""
        import numpy
        found = [self._distances()] + ([self._distances(True)] if self.symmetric else [])
        means = [(d ** power).mean() if len(d) else numpy.inf for d in found]
        return numpy.float64(sum(means) / len(means))


class MeanSurfaceDistance(_Mean):
    """Mean distance of the prediction's surface to the label's: update(prediction, label, index of a class).

    With symmetric it is the mean of both directions. Raises ValueError for another number of inputs, TypeError for a symmetric that is no bool.
    """

    def eval(self):
        return self._mean(1)


class RootMeanSquareDistance(_Mean):
    """Root mean square distance of both surfaces to each other with `symmetric`.

    Without it, as in MindSpore, it is the mean square distance (no root) of the prediction's surface to the label's. Raises TypeError for a
    symmetric that is no bool, RuntimeError for eval() before update().
    """

    def eval(self):
        return self._mean(2) ** 0.5 if self.symmetric else self._mean(2)
