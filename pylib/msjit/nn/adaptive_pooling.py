"""Pooling layers whose output has a given size."""
from .. import ops
from ..common.checks import int_tuple
from ..common.tensor import check_tensor
from ..ops import registry as _k
from .cell import Cell


class AdaptiveAvgPool2d(Cell):
    """Takes the means of windows of (N, C, H, W) or (C, H, W), chosen so that the last two axes get the size output_size, an int or two.

    Window i of an axis of n elements goes from floor(i * n / size) to ceil((i + 1) * n / size); None or -1 keeps a size. Raises ValueError for
    another rank and for a size of 0, TypeError for sizes that are no ints.
    """

    def __init__(self, output_size):
        super().__init__()
        sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size, output_size)
        self.output_size = int_tuple(tuple(-1 if s is None else s for s in sizes), 2, "adaptive_avg_pool2d",
                                     "output_size", -1)
        self.adaptive_avgpool2d = ops.AdaptiveAvgPool2D(self.output_size)

    def construct(self, input):
        return _k.adaptive_avg_pool2d(input, self.output_size)


class _Adaptive(Cell):
    """The base class of layers whose windows are chosen so that the output has a given size."""

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices


class _Even(_Adaptive):
    """The base class over one axis: as in MindSpore, the input size must be a multiple of the output size."""

    def __init__(self, output_size):
        super().__init__(int_tuple(output_size, 1, type(self).__name__, "output_size")[0])
        self.squeeze = ops.Squeeze(2)

    def construct(self, x):
        if not check_tensor(x, type(self).__name__).ndim:
            raise ValueError("[%s] rank of the input, got 0, expected 2 or 3" % type(self).__name__)
        if x.shape[-1] % self.output_size:
            raise ValueError("[%s] last size of the input must be a multiple of output_size, got %d and %d"
                             % (type(self).__name__, x.shape[-1], self.output_size))
        return self._pool(x, self.output_size)


class AdaptiveAvgPool1d(_Even):
    """Takes the means of output_size equal windows of the last axis of (N, C, L), so that this axis gets the size output_size.

    Raises ValueError for an L that output_size does not divide, TypeError for an output_size that is no int.
    """

    _pool = staticmethod(ops.adaptive_avg_pool1d)

    def construct(self, input):
        return super().construct(input)


class AdaptiveMaxPool1d(_Even):
    """Takes the largest elements of output_size equal windows of the last axis of (N, C, L), so that this axis gets the size output_size.

    Raises ValueError for an L that output_size does not divide, TypeError for an output_size that is no int.
    """

    _pool = staticmethod(ops.adaptive_max_pool1d)


class AdaptiveAvgPool3d(_Adaptive):
    """Takes the means of windows of (N, C, D, H, W) or (C, D, H, W), chosen so that the last three axes get the size output_size, an int or three.

    Window i of an axis of n elements goes from floor(i * n / size) to ceil((i + 1) * n / size); None keeps a size. Raises ValueError for less
    than four axes.
    """

    def __init__(self, output_size):
        super().__init__(output_size)
        self.adaptive_avg_pool3d = ops.AdaptiveAvgPool3D(output_size)

    def construct(self, input):
        return ops.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """Largest elements of windows of (N, C, H, W) or (C, H, W) chosen so that the output has the size output_size.

    None keeps a size. With return_indices it also returns the index of each. Raises ValueError for less than three axes and another count of
    sizes, TypeError for sizes that are no ints.
    """

    def construct(self, input):
        return ops.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_Adaptive):
    """Largest elements of windows of (N, C, D, H, W) or (C, D, H, W) chosen so that the output has the size output_size.

    None keeps a size. With return_indices it also returns the index of each. Raises ValueError for less than four axes and another count of
    sizes, TypeError for sizes that are no ints.
    """

    def construct(self, input):
        return ops.adaptive_max_pool3d(input, self.output_size, self.return_indices)


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
