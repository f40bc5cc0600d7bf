"""Pooling over one and three axes, adaptive pooling, norms of windows and the reverse of max pooling."""
from .. import ops
from ..common.checks import int_tuple
from ..ops import registry as _k
from ..ops import window_func as _w
from .cell import Cell

_PAD_MODES = ("same", "valid", "pad")


class _Pool(Cell):
    """Attributes and checks common to pooling over one or three axes."""

    def __init__(self, where, dims, kernel_size, stride, pad_mode, padding, ceil_mode):
        super().__init__()
        self.kernel_size = int_tuple(kernel_size, dims, where, "kernel_size")
        self.stride = int_tuple(stride, dims, where, "stride")
        self.pad_mode = pad_mode.lower() if isinstance(pad_mode, str) else pad_mode
        if self.pad_mode not in _PAD_MODES:
            raise ValueError("[%s] pad_mode, got %r, expected 'same', 'valid' or 'pad'" % (where, pad_mode))
        if self.pad_mode != "pad" and padding not in (0, (0,) * dims):
            raise ValueError("[%s] padding, got %r, expected 0 unless pad_mode is 'pad'" % (where, padding))
        if self.pad_mode != "pad" and ceil_mode:
            raise ValueError("[%s] ceil_mode, got True, expected False unless pad_mode is 'pad'" % where)
        self.padding, self.ceil_mode, self.dilation, self._where = padding, ceil_mode, (1,) * dims, where

    def _pads(self, x):
        dims = len(self.kernel_size)
        return _w._pads(self._where, x.shape[-dims:], self.kernel_size, self.stride, self.dilation, self.pad_mode,
                        self.padding)

    def _check(self, x):
        dims = len(self.kernel_size)
        if x.ndim not in (dims + 1, dims + 2):
            raise ValueError("[%s] input has a wrong rank, got %d, expected %d or %d"
                             % (self._where, x.ndim, dims + 1, dims + 2))

    def extend_repr(self):
        return "kernel_size=%s, stride=%s, pad_mode=%s" % (self.kernel_size, self.stride, self.pad_mode.upper())


class MaxPool1d(_Pool):
    """Largest element of each window of (N, C, L) or (C, L), and its position with return_indices."""

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False):
        super().__init__("max_pool1d", 1, kernel_size, stride, pad_mode, padding, ceil_mode)
        self.dilation, self.return_indices = int_tuple(dilation, 1, "max_pool1d", "dilation"), return_indices

    def construct(self, x):
        self._check(x)
        lines, lead = _w._flat(x, 1)
        pool = _k.max_pool2d_with_index if self.return_indices else _k.max_pool2d
        out = pool(ops.expand_dims(lines, 2), (1,) + self.kernel_size, (1,) + self.stride, (0, 0) + self._pads(x)[0],
                   self.ceil_mode, (1,) + self.dilation)
        if not self.return_indices:
            return ops.reshape(out, lead + (out.shape[-1],))
        return tuple([ops.reshape(part, lead + (part.shape[-1],)) for part in out])


class MaxPool3d(_Pool):
    """Largest element of each window of (N, C, D, H, W) or (C, D, H, W), and its position with return_indices."""

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False):
        super().__init__("max_pool3d", 3, kernel_size, stride, pad_mode, padding, ceil_mode)
        self.dilation, self.return_indices = int_tuple(dilation, 3, "max_pool3d", "dilation"), return_indices

    def construct(self, x):
        self._check(x)
        pool = _w._max_with_places if self.return_indices else _w.greatest
        return pool(x, self.kernel_size, self.stride, self._pads(x), self.dilation, self.ceil_mode)


class AvgPool1d(_Pool):
    """Mean of each window of (N, C, L) or (C, L)."""

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__("avg_pool1d", 1, kernel_size, stride, pad_mode, padding, ceil_mode)
        self.count_include_pad = count_include_pad and self.pad_mode == "pad"

    def construct(self, x):
        self._check(x)
        return ops.avg_pool1d(x, self.kernel_size, self.stride, self._pads(x)[0], self.ceil_mode, self.count_include_pad)


class AvgPool3d(_Pool):
    """Mean of each window of (N, C, D, H, W) or (C, D, H, W)."""

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        super().__init__("avg_pool3d", 3, kernel_size, stride, pad_mode, padding, ceil_mode)
        self.count_include_pad = count_include_pad and self.pad_mode == "pad"
        self.divisor_override = divisor_override

    def construct(self, x):
        self._check(x)
        return _w.averaged(x, self.kernel_size, self.stride, self._pads(x), self.ceil_mode, self.count_include_pad,
                           self.divisor_override or 0)


class _Adaptive(Cell):
    """Windows chosen so that the output has the wanted sizes."""

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size, self.return_indices = output_size, return_indices

    def extend_repr(self):
        return "output_size=%s" % (self.output_size,)


class _Even(_Adaptive):
    """As in MindSpore, the layers over one axis take no lengths that the output size does not divide."""

    def __init__(self, output_size):
        super().__init__(int_tuple(output_size, 1, type(self).__name__, "output_size")[0])

    def construct(self, x):
        if x.shape[-1] % self.output_size:
            raise ValueError("[%s] last size of the input must be a multiple of output_size, got %d and %d"
                             % (type(self).__name__, x.shape[-1], self.output_size))
        return self._pool(x, self.output_size)


class AdaptiveAvgPool1d(_Even):
    """Mean over equal windows of (N, C, L)."""

    _pool = staticmethod(ops.adaptive_avg_pool1d)


class AdaptiveMaxPool1d(_Even):
    """Largest element of equal windows of (N, C, L)."""

    _pool = staticmethod(ops.adaptive_max_pool1d)


class AdaptiveAvgPool3d(_Adaptive):
    """Mean over windows of (N, C, D, H, W) or (C, D, H, W); None keeps a size."""

    def __init__(self, output_size):
        super().__init__(output_size)

    def construct(self, x):
        return ops.adaptive_avg_pool3d(x, self.output_size)


class AdaptiveMaxPool2d(_Adaptive):
    """Largest element of windows of (N, C, H, W) or (C, H, W), and its position; None keeps a size."""

    def construct(self, x):
        return ops.adaptive_max_pool2d(x, self.output_size, self.return_indices)


class AdaptiveMaxPool3d(_Adaptive):
    """Largest element of windows of (N, C, D, H, W) or (C, D, H, W), and its position; None keeps a size."""

    def construct(self, x):
        return ops.adaptive_max_pool3d(x, self.output_size, self.return_indices)


class LPPool1d(Cell):
    """Norm of order norm_type of each window of (N, C, L) or (C, L)."""

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def construct(self, x):
        return ops.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(LPPool1d):
    """Norm of order norm_type of each window of (N, C, H, W) or (C, H, W)."""

    def construct(self, x):
        return ops.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class _Unpool(Cell):
    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def construct(self, x, indices, output_size=None):
        return self._unpool(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_Unpool):
    """Elements back at the places they were the largest of, zeros elsewhere."""

    _unpool = staticmethod(ops.max_unpool1d)


class MaxUnpool2d(_Unpool):
    """Elements back at the places they were the largest of, zeros elsewhere."""

    _unpool = staticmethod(ops.max_unpool2d)


class MaxUnpool3d(_Unpool):
    """Elements back at the places they were the largest of, zeros elsewhere."""

    _unpool = staticmethod(ops.max_unpool3d)


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
