"""Pooling layers."""
from .. import ops
from ..common.checks import check_format, int_tuple
from ..ops import registry as _k
from ..ops.nn_func import fixed_pads
from .cell import Cell

_PAD_MODES = ("same", "valid", "pad")


class _Pool2d(Cell):
    def __init__(self, where, kernel_size, stride, pad_mode, padding, ceil_mode, data_format):
        super().__init__()
        check_format(data_format, where)
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
        if x.ndim == 3:  # one image
            return ops.squeeze(self._pool(ops.expand_dims(x, 0)), 0)
        return self._pool(x)

    def extend_repr(self):
        return "kernel_size=%s, stride=%s, pad_mode=%s" % (self.kernel_size, self.stride, self.pad_mode.upper())


class MaxPool2d(_Pool2d):
    """Largest element of each window.

    >>> import msjit as ms
    >>> ms.nn.MaxPool2d(2, 2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])).asnumpy().tolist()
    [[[[4.0]]]]
    """

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False, data_format="NCHW"):
        super().__init__("max_pool2d", kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        if return_indices or int_tuple(dilation, 2, "max_pool2d", "dilation") != (1, 1):
            raise NotImplementedError("[max_pool2d] return_indices and dilation are not offered yet")

    def _pool(self, x):
        if self._pads is None:
            return ops.max_pool2d(x, self.kernel_size, self.stride, pad_mode="same")
        return _k.max_pool2d(x, self.kernel_size, self.stride, self._pads, self.ceil_mode)


class AvgPool2d(_Pool2d):
    """Mean of each window."""

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None, data_format="NCHW"):
        super().__init__("avg_pool2d", kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        self.divisor_override = divisor_override
        self.count_include_pad = count_include_pad and self.pad_mode == "pad"

    def _pool(self, x):
        if self._pads is None:
            return ops.avg_pool2d(x, self.kernel_size, self.stride, pad_mode="same", count_include_pad=False,
                                  divisor_override=self.divisor_override or 0)
        return _k.avg_pool2d(x, self.kernel_size, self.stride, self._pads, self.ceil_mode, self.count_include_pad,
                             self.divisor_override)


class AdaptiveAvgPool2d(Cell):
    """Mean over windows chosen so that the output has the wanted size; None or -1 keeps a size."""

    def __init__(self, output_size):
        super().__init__()
        sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size, output_size)
        self.output_size = int_tuple(tuple(-1 if s is None else s for s in sizes), 2, "adaptive_avg_pool2d",
                                     "output_size", -1)

    def construct(self, x):
        return _k.adaptive_avg_pool2d(x, self.output_size)
