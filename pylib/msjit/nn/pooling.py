"""Pooling layers."""
from .. import ops
from .cell import Cell
from .conv import check_format, int_tuple

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
        self.padding, self.ceil_mode = padding, ceil_mode

    def extend_repr(self):
        return "kernel_size=%s, stride=%s, pad_mode=%s" % (self.kernel_size, self.stride, self.pad_mode.upper())


class MaxPool2d(_Pool2d):
    """Largest element of each window."""

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, dilation=1, return_indices=False,
                 ceil_mode=False, data_format="NCHW"):
        super().__init__("max_pool2d", kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        if return_indices or int_tuple(dilation, 2, "max_pool2d", "dilation") != (1, 1):
            raise NotImplementedError("[max_pool2d] return_indices and dilation are not offered yet")

    def construct(self, x):
        return ops.max_pool2d(x, self.kernel_size, self.stride, self.padding, pad_mode=self.pad_mode,
                              ceil_mode=self.ceil_mode)


class AvgPool2d(_Pool2d):
    """Mean of each window."""

    def __init__(self, kernel_size=1, stride=1, pad_mode="valid", padding=0, ceil_mode=False, count_include_pad=True,
                 divisor_override=None, data_format="NCHW"):
        super().__init__("avg_pool2d", kernel_size, stride, pad_mode, padding, ceil_mode, data_format)
        if divisor_override is not None:
            raise NotImplementedError("[avg_pool2d] divisor_override is not offered yet")
        self.count_include_pad = count_include_pad and self.pad_mode == "pad"

    def construct(self, x):
        return ops.avg_pool2d(x, self.kernel_size, self.stride, self.padding, pad_mode=self.pad_mode,
                              ceil_mode=self.ceil_mode, count_include_pad=self.count_include_pad)


class AdaptiveAvgPool2d(Cell):
    """Mean over windows chosen so that the output has the wanted size; sizes must divide."""

    def __init__(self, output_size):
        super().__init__()
        self.output_size = int_tuple(output_size, 2, "adaptive_avg_pool2d", "output_size")

    def construct(self, x):
        height, width = x.shape[-2:]
        rows, cols = self.output_size
        if height % rows or width % cols:
            raise ValueError("[adaptive_avg_pool2d] input size must be a multiple of the output size, got %s and %s"
                             % ((height, width), self.output_size))
        window = (height // rows, width // cols)
        return ops.avg_pool2d(x, window, window)
