"""Power-average pooling, and the inverse of max pooling."""
from .. import ops
from .cell import Cell


class LPPool1d(Cell):
    """Computes the norm of order norm_type of each window of (N, C, L) or (C, L)."""

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def construct(self, x):
        return ops.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(LPPool1d):
    """Computes the norm of order norm_type of each window of (N, C, H, W) or (C, H, W)."""

    def construct(self, x):
        return ops.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class _Unpool(Cell):
    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def construct(self, x, indices, output_size=None):
        return self._unpool(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_Unpool):
    """Puts the results of MaxPool1d back at the indices that it returned, with zeros elsewhere."""

    _unpool = staticmethod(ops.max_unpool1d)


class MaxUnpool2d(_Unpool):
    """Puts the results of MaxPool2d back at the indices that it returned, with zeros elsewhere."""

    _unpool = staticmethod(ops.max_unpool2d)


class MaxUnpool3d(_Unpool):
    """Puts the results of MaxPool3d back at the indices that it returned, with zeros elsewhere."""

    _unpool = staticmethod(ops.max_unpool3d)


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
