"""Pooling layers over one, two and three axes; power-average pooling; the inverse of max pooling."""
from .. import ops
from ..common.checks import check_format, int_tuple
from ..common.tensor import check_tensor
from ..ops import pool_func as _po
from ..ops import registry as _k
from ..ops import window_func as _w
from ..ops.nn_func import fixed_pads
from .cell import Cell

__all__ = """AvgPool3d MaxPool3d AvgPool2d MaxPool2d AvgPool1d MaxPool1d FractionalMaxPool2d FractionalMaxPool3d AdaptiveAvgPool1d AdaptiveMaxPool1d
    AdaptiveMaxPool2d AdaptiveMaxPool3d AdaptiveAvgPool2d AdaptiveAvgPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d LPPool1d LPPool2d
    AvgPool2dExt AvgPool3dExt MaxPool2dExt AvgPool1dExt""".split()

_PAD_MODES = ("same", "valid", "pad")


def _only_padded(where, cell):
    if cell.pad_mode != "pad" and (cell.return_indices or any(step != 1 for step in cell.dilation)):
        raise ValueError("[%s] return_indices and dilation, got %s and %s, expected False and 1 unless pad_mode is 'pad'"
                         % (where, cell.return_indices, cell.dilation))


class _Pool2d(Cell):
    def __init__(self, where, kernel_size, stride, pad_mode, padding, ceil_mode, data_format):
        super().__init__()
        check_format(data_format, where)
        self._given, self._where = (kernel_size, stride), where
        self.kernel_size = int_tuple(kernel_size, 2, where, "kernel_size")
        self.stride = int_tuple(stride, 2, where, "stride")
        self.pad_mode = pad_mode.lower() if isinstance(pad_mode, str) else pad_mode
        if self.pad_mode not in _PAD_MODES:
            raise ValueError("[%s] pad_mode, got %r, expected 'same', 'valid' or 'pad'" % (where, pad_mode))
        if self.pad_mode != "pad" and padding not in (0, (0, 0), (0, 0, 0, 0)):
            raise ValueError("[%s] padding, got %r, expected 0 unless pad_mode is 'pad'" % (where, padding))
        if self.pad_mode != "pad" and ceil_mode and where == "max_pool2d":
            raise ValueError("[%s] ceil_mode, got True, expected False unless pad_mode is 'pad'" % where)
        self.ceil_mode = ceil_mode
        self._pads = fixed_pads(self.kernel_size, self.stride, (1, 1), self.pad_mode, padding)

    def construct(self, x):
        if check_tensor(x, self._where).ndim == 3:  # one image
            out = self._pool(ops.expand_dims(x, 0))
            return tuple([ops.squeeze(part, 0) for part in out]) if isinstance(out, tuple) else ops.squeeze(out, 0)
        return self._pool(x)

    def extend_repr(self):
        return "kernel_size=%s, stride=%s, pad_mode=%s" % (self._given + (self.pad_mode.upper(),))


class MaxPool2d(_Pool2d):
    """Returns the largest element of each window of images (N, C, H, W), or of one image (C, H, W).

    kernel_size, stride and dilation are an int or (height, width). pad_mode "valid" leaves out windows that do not fit, "same" gives
    H / stride rows, rounded up, and "pad" pads by `padding`. What is padded never counts. Only with "pad" may ceil_mode, dilation and
    return_indices be used: ceil_mode also keeps a last window that fits in part, return_indices gives (values, their indices in the
    flattened plane, int64).

    Raises ValueError for an unknown pad_mode and for arguments that it does not allow.

    >>> import msjit as ms
    >>> ms.nn.MaxPool2d(2, 2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).asnumpy().tolist()
    [[[[4.0]]]]
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False, data_format="NCHW"):
        super().__init__("max_pool2d", kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        self.dilation, self.return_indices = int_tuple(dilation, 2, "max_pool2d", "dilation"), return_indices
        _only_padded("max_pool2d", self)
        if self.pad_mode != "pad":
            self.max_pool = ops.MaxPool(self.kernel_size, self.stride, self.pad_mode, data_format)

    def _pool(self, x):
        if self._pads is None:
            return ops.max_pool2d(x, self.kernel_size, self.stride, pad_mode="same")
        pool = _k.max_pool2d_with_index if self.return_indices else _k.max_pool2d
        return pool(x, self.kernel_size, self.stride, self._pads, self.ceil_mode, self.dilation)


class AvgPool2d(_Pool2d):
    """Returns the mean of each window of images (N, C, H, W), or of one image (C, H, W).

    kernel_size, stride and pad_mode are those of MaxPool2d. What is padded counts as zeros only where pad_mode is "pad" and
    count_include_pad is True. divisor_override divides the sum of a window instead of the number of its elements.

    Raises ValueError for an unknown pad_mode, and for `padding` with another pad_mode than "pad".

    >>> import msjit as ms
    >>> ms.nn.AvgPool2d(2, 2)(ms.Tensor([[[[1.0, 2.0], [3.0, 6.0]]]])).asnumpy().tolist()
    [[[[3.0]]]]
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None, data_format="NCHW"):
        super().__init__("avg_pool2d", kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        self.divisor_override = divisor_override
        self.count_include_pad = count_include_pad and self.pad_mode == "pad"
        if self.pad_mode != "pad":
            self.avg_pool = ops.AvgPool(self.kernel_size, self.stride, self.pad_mode, data_format)

    def _pool(self, x):
        if self._pads is None:
            return ops.avg_pool2d(x, self.kernel_size, self.stride, pad_mode="same", count_include_pad=False,
                                  divisor_override=self.divisor_override or 0)
        return _k.avg_pool2d(x, self.kernel_size, self.stride, self._pads, self.ceil_mode, self.count_include_pad,
                             self.divisor_override)


class _Pool(Cell):
    """The attributes and checks that pooling over one and over three axes share."""

    def __init__(self, where, dims, kernel_size, stride, pad_mode, padding, ceil_mode):
        super().__init__()
        self.kernel_size = int_tuple(kernel_size, dims, where, "kernel_size")
        self.stride = int_tuple(stride, dims, where, "stride")
        self._given = (kernel_size, stride) if dims > 1 else ((1,) + self.kernel_size, (1,) + self.stride)
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
        if check_tensor(x, self._where).ndim not in (dims + 1, dims + 2):
            raise ValueError("[%s] input has a wrong rank, got %d, expected %d or %d"
                             % (self._where, x.ndim, dims + 1, dims + 2))

    def extend_repr(self):
        return "kernel_size=%s, stride=%s, pad_mode=%s" % (self._given + (self.pad_mode.upper(),))


class MaxPool1d(_Pool):
    """Returns the largest element of each window of (N, C, L) or (C, L); with return_indices also its index.

    The arguments are those of MaxPool2d for one axis. Raises ValueError for arguments that pad_mode does not allow and for another rank.
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False):
        super().__init__("max_pool1d", 1, kernel_size, stride, pad_mode, padding, ceil_mode)
        self.dilation, self.return_indices = int_tuple(dilation, 1, "max_pool1d", "dilation"), return_indices
        _only_padded("max_pool1d", self)
        if self.pad_mode != "pad":
            self.max_pool = ops.MaxPool((1,) + self.kernel_size, (1,) + self.stride, self.pad_mode)
        self.squeeze = ops.Squeeze(2)

    def construct(self, x):
        self._check(x)
        lines, lead = _po._flat(x, 1)
        pool = _k.max_pool2d_with_index if self.return_indices else _k.max_pool2d
        out = pool(ops.expand_dims(lines, 2), (1,) + self.kernel_size, (1,) + self.stride, (0, 0) + self._pads(x)[0],
                   self.ceil_mode, (1,) + self.dilation)
        if not self.return_indices:
            return ops.reshape(out, lead + (out.shape[-1],))
        return tuple([ops.reshape(part, lead + (part.shape[-1],)) for part in out])


class MaxPool3d(_Pool):
    """Returns the largest element of each window of (N, C, D, H, W) or (C, D, H, W). stride is 1 by default, and pad_mode 'valid'.

    With return_indices, in pad_mode 'pad' only, it also returns the index of each in the flattened volume. Raises ValueError for another pad_mode
    or rank and for sizes below 1.
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False):
        super().__init__("max_pool3d", 3, kernel_size, stride, pad_mode, padding, ceil_mode)
        self.dilation, self.return_indices = int_tuple(dilation, 3, "max_pool3d", "dilation"), return_indices
        _only_padded("max_pool3d", self)

    def construct(self, x):
        self._check(x)
        pool = _po._max_with_places if self.return_indices else _po.greatest
        return pool(x, self.kernel_size, self.stride, self._pads(x), self.dilation, self.ceil_mode)


class AvgPool1d(_Pool):
    """Returns the mean of each window of (N, C, L) or (C, L).

    The arguments are those of AvgPool2d for one axis. Raises ValueError for another rank.
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__("avg_pool1d", 1, kernel_size, stride, pad_mode, padding, ceil_mode)
        self.count_include_pad = count_include_pad and self.pad_mode == "pad"
        if self.pad_mode != "pad":
            self.avg_pool = ops.AvgPool((1,) + self.kernel_size, (1,) + self.stride, self.pad_mode)
        self.squeeze = ops.Squeeze(2)

    def construct(self, x):
        self._check(x)
        return ops.avg_pool1d(x, self.kernel_size, self.stride, self._pads(x)[0], self.ceil_mode, self.count_include_pad)


class AvgPool3d(_Pool):
    """Returns the mean of each window of (N, C, D, H, W) or (C, D, H, W). stride is 1 by default, and pad_mode 'valid'.

    Without count_include_pad, padding does not count in the mean; divisor_override replaces the count. Raises ValueError for another pad_mode or
    rank and for sizes below 1.
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None):
        super().__init__("avg_pool3d", 3, kernel_size, stride, pad_mode, padding, ceil_mode)
        self.count_include_pad = count_include_pad  # here also for 'same' padding, unlike pooling over one or two axes
        self.divisor_override = divisor_override

    def construct(self, x):
        self._check(x)
        return _po.averaged(x, self.kernel_size, self.stride, self._pads(x), self.ceil_mode, self.count_include_pad,
                           self.divisor_override or 0)


class LPPool1d(Cell):
    """Computes (sum of x^p)^(1 / p), p = norm_type, of each window of the last axis of (N, C, L) or (C, L); stride is kernel_size by default.

    L becomes floor((L - kernel_size) / stride) + 1, or ceil with ceil_mode.
    """

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type, self.kernel_size, self.stride, self.ceil_mode = norm_type, kernel_size, stride, ceil_mode

    def construct(self, x):
        return ops.lp_pool1d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class LPPool2d(LPPool1d):
    """Computes (sum of x^p)^(1 / p), p = norm_type, of each window of the last two axes of (N, C, H, W) or (C, H, W); sizes are as in LPPool1d."""

    def construct(self, x):
        return ops.lp_pool2d(x, self.norm_type, self.kernel_size, self.stride, self.ceil_mode)


class _Unpool(Cell):
    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        self.kernel_size, self.stride, self.padding = kernel_size, stride, padding

    def construct(self, x, indices, output_size=None):
        return self._unpool(x, indices, self.kernel_size, self.stride, self.padding, output_size)


class MaxUnpool1d(_Unpool):
    """Puts the results of MaxPool1d, (N, C, L) or (C, L), back at the indices that it returned, with zeros elsewhere.

    L becomes (L - 1) * stride - 2 * padding + kernel_size, unless the call gives output_size. Raises ValueError where the shapes of the two
    differ, IndexError for an index outside.
    """

    _unpool = staticmethod(ops.max_unpool1d)


class MaxUnpool2d(_Unpool):
    """Puts the results of MaxPool2d, (N, C, H, W) or (C, H, W), back at the indices that it returned, with zeros elsewhere.

    Sizes and errors are those of MaxUnpool1d, for each axis.
    """

    _unpool = staticmethod(ops.max_unpool2d)


class MaxUnpool3d(_Unpool):
    """Puts the results of MaxPool3d, (N, C, D, H, W) or (C, D, H, W), back at the indices that it returned, with zeros elsewhere.

    Sizes and errors are those of MaxUnpool1d, for each axis.
    """

    _unpool = staticmethod(ops.max_unpool3d)
