"""Pooling to a wanted size."""
from .. import ops
from ..common.checks import int_tuple
from ..ops import registry as _k
from .cell import Cell


class AdaptiveAvgPool2d(Cell):
    """Mean over windows chosen so that the output has the wanted size; None or -1 keeps a size."""

    def __init__(self, output_size):
        super().__init__()
        sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size, output_size)
        self.output_size = int_tuple(tuple(-1 if s is None else s for s in sizes), 2, "adaptive_avg_pool2d",
                                     "output_size", -1)
        self.adaptive_avgpool2d = ops.AdaptiveAvgPool2D(self.output_size)

    def construct(self, input):
        return _k.adaptive_avg_pool2d(input, self.output_size)


class _Adaptive(Cell):
    """Windows chosen so that the output has the wanted sizes."""

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices


class _Even(_Adaptive):
    """As in MindSpore, the layers over one axis take no lengths that the output size does not divide."""

    def __init__(self, output_size):
        super().__init__(int_tuple(output_size, 1, type(self).__name__, "output_size")[0])
        self.squeeze = ops.Squeeze(2)

    def construct(self, x):
        if x.shape[-1] % self.output_size:
            raise ValueError("[%s] last size of the input must be a multiple of output_size, got %d and %d"
                             % (type(self).__name__, x.shape[-1], self.output_size))
        return self._pool(x, self.output_size)


class AdaptiveAvgPool1d(_Even):
    """Mean over equal windows of (N, C, L)."""

    _pool = staticmethod(ops.adaptive_avg_pool1d)

    def construct(self, input):
        return super().construct(input)


class AdaptiveMaxPool1d(_Even):
    """Largest element of equal windows of (N, C, L)."""

    _pool = staticmethod(ops.adaptive_max_pool1d)


class AdaptiveAvgPool3d(_Adaptive):
    """Mean over windows of (N, C, D, H, W) or (C, D, H, W); None keeps a size."""

    def __init__(self, output_size):
        super().__init__(output_size)
        self.adaptive_avg_pool3d = ops.AdaptiveAvgPool3D(output_size)

    def construct(self, input):
        return ops.adaptive_avg_pool3d(input, self.output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """Largest element of windows of (N, C, H, W) or (C, H, W), and its position; None keeps a size."""

    def construct(self, input):
        return ops.adaptive_max_pool2d(input, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_Adaptive):
    """Largest element of windows of (N, C, D, H, W) or (C, D, H, W), and its position; None keeps a size."""

    def construct(self, input):
        return ops.adaptive_max_pool3d(input, self.output_size, self.return_indices)


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
