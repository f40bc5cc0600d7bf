"""Fractional max pooling: windows of one size that overlap, at positions drawn at random but spread over the whole input."""
from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_bool, int_tuple
from ..common.tensor import Tensor, check_tensor
from .cell import Cell


def _starts(where, size, kernel, count, sample):
    """The first indices of `count` windows along an axis, (N, C, count).

    The first window is at 0, and the last one ends with the axis. The windows between have a constant real distance and a
    random offset, rounded down.
    """
    if kernel + count - 1 > size:
        raise ValueError("[%s] kernel_size and output_size, got %d and %d, expected no more than %d together"
                         % (where, kernel, count, size + 1))
    last = size - kernel
    if count == 1:
        return ops.full(sample.shape + (1,), last, dtype=mstype.int32)
    step = last / (count - 1)
    at = ops.arange(0, count, 1, dtype=sample.dtype)
    offset = ops.expand_dims(sample, -1)
    found = ops.cast(ops.floor((at + offset) * step), mstype.int32) - ops.cast(ops.floor(offset * step), mstype.int32)
    return ops.where(at == count - 1, ops.full_like(found, last), found)


class _Fractional(Cell):
    """The base class over two and over three axes."""

    _axes = 2

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        super().__init__()
        where = self._where = type(self).__name__
        self.kernel_size = int_tuple(kernel_size, self._axes, where, "kernel_size")
        if output_size is None and output_ratio is None:
            raise ValueError("[%s] output_size and output_ratio, got None for both, expected one of them" % where)
        self.output_size = None if output_size is None else int_tuple(output_size, self._axes, where, "output_size")
        self.output_ratio = None if output_ratio is None else self._ratios(output_ratio)
        self.return_indices = check_bool(return_indices, where, "return_indices")
        if _random_samples is not None and not isinstance(_random_samples, Tensor):
            raise TypeError("[%s] _random_samples, got %s, expected a Tensor" % (where, type(_random_samples).__name__))
        self._random_samples = _random_samples

    def _ratios(self, ratio):
        ratios = (ratio,) * self._axes if isinstance(ratio, float) else ratio
        if not isinstance(ratios, tuple) or len(ratios) != self._axes or not all(isinstance(r, float) for r in ratios):
            raise TypeError("[%s] output_ratio, got %r, expected a float or %d floats" % (self._where, ratio, self._axes))
        if not all(0 < r < 1 for r in ratios):
            raise ValueError("[%s] output_ratio, got %s, expected between 0 and 1" % (self._where, ratio))
        return ratios

    def construct(self, x):
        axes = self._axes
        if check_tensor(x, self._where).ndim not in (axes + 1, axes + 2):
            raise ValueError("[%s] rank of the input, got %d, expected %d or %d" % (self._where, x.ndim, axes + 1, axes + 2))
        alone = x.ndim == axes + 1
        batch = ops.expand_dims(x, 0) if alone else x
        sizes = batch.shape[2:]
        counts = self.output_size or tuple([int(n * r) for n, r in zip(sizes, self.output_ratio)])
        values, places = self._pooled(batch, sizes, counts, self._samples(batch))
        if alone:
            values, places = ops.squeeze(values, 0), ops.squeeze(places, 0)
        return (values, places) if self.return_indices else values

    def _samples(self, batch):
        """The random offsets, (N, C, axes)."""
        shape = batch.shape[:2] + (self._axes,)
        if self._random_samples is None:
            return ops.rand(shape, dtype=mstype.float32)
        if tuple(self._random_samples.shape) != shape:
            raise ValueError("[%s] shape of _random_samples, got %s, expected %s" % (self._where, self._random_samples.shape, shape))
        return self._random_samples

    def _order(self):
        """The axis of each of the random offsets."""
        return range(self._axes)

    def _pooled(self, batch, sizes, counts, samples):
        lead, axes = batch.shape[:2], self._axes
        flat = ops.full(lead + (1,) * 2 * axes, 0, dtype=mstype.int32)  # places in windows: sizes of the output, then of a window
        for number, axis in enumerate(self._order()):
            starts = _starts(self._where, sizes[axis], self.kernel_size[axis], counts[axis], samples[:, :, number])
            places = ops.expand_dims(starts, -1) + ops.arange(0, self.kernel_size[axis], 1, dtype=mstype.int32)
            shape = [1] * 2 * axes
            shape[axis], shape[axes + axis] = counts[axis], self.kernel_size[axis]
            stride = 1
            for size in sizes[axis + 1:]:
                stride *= size
            flat = flat + ops.reshape(places, lead + tuple(shape)) * stride
        rows = lead[0] * lead[1]
        window = 1
        for size in self.kernel_size:
            window *= size
        index = ops.reshape(flat, (rows, -1))
        chosen = ops.reshape(ops.gather_elements(ops.reshape(batch, (rows, -1)), 1, index), (rows, -1, window))
        best = ops.expand_dims(ops.argmax(chosen, -1), -1)
        values = ops.gather_elements(chosen, 2, best)
        where = ops.gather_elements(ops.reshape(index, (rows, -1, window)), 2, best)
        return ops.reshape(values, lead + counts), ops.cast(ops.reshape(where, lead + counts), mstype.int64)


class FractionalMaxPool2d(_Fractional):
    """Returns the largest element of each window of (N, C, H, W) or (C, H, W); with return_indices also its index in the
    plane.

    The number of windows is output_size, or output_ratio times the input size. _random_samples (N, C, 2), numbers in [0, 1) for columns
    and rows, replaces the random numbers. Raises ValueError if that many windows do not fit.
    """

    def _order(self):
        return (1, 0)


class FractionalMaxPool3d(_Fractional):
    """Takes the largest element of windows at random positions (Graham 2014) of (N, C, D, H, W) or (C, D, H, W).

    As FractionalMaxPool2d, with three axes; _random_samples is (N, C, 3), for depth, rows and columns. Raises ValueError unless one of
    output_size and output_ratio is given.
    """

    _axes = 3
