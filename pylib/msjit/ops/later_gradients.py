"""Primitives of the gradients of operations with more than one result or with places drawn at random, as rows.

`dout` is the gradient by the result; what else is taken, and in which order, is MindSpore's. Each pulls the gradient back through the
operation itself, so it can be differentiated and compiled in its turn.
"""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from . import array_func as _a
from . import fractional_func as _f
from . import linalg_func as _la
from . import operations as _op
from . import registry as _k
from .gradient_kernels import _numbers, _pulled
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows


def _windows(p, function, rows, columns):
    """The pooling of images (N, H, W, C) over the windows that two sequences of bounds name."""
    rows, columns = _numbers(rows), _numbers(columns)

    def pooled(x):
        return _f.pooled_along(_f.pooled_along(x, 1, rows, p.overlapping, function), 2, columns, p.overlapping, function)
    return pooled


def _fractional_max(p, x, out, dout, rows, columns):
    from .loss_operations import _largest
    return _pulled(_windows(p, _largest, rows, columns), (x,), dout)[0]


def _fractional_mean(p, shape, dout, rows, columns):
    return _pulled(_windows(p, _k.mean, rows, columns), (_a.zeros(_numbers(shape), dout.dtype),), dout)[0]


def _lstm(p, x, h, c, w, y, last_h, last_c, dy, dh, dc, reserve):
    """(by x, by h, by c, by w)"""
    operation = _op.LSTM(p.input_size, p.hidden_size, p.num_layers, p.has_bias, p.bidirectional, p.dropout, p.proj_size)
    return tuple(_pulled(lambda *inputs: operation(*inputs)[:3], (x, h, c, w), (dy, dh, dc)))


def _least_squares(p, dout, a, b):
    """(by a, by b) of the solution of least squares, by the pseudo-inverse of a."""
    return tuple(_pulled(lambda a, b: _k.matmul(_la.pinv(a), b), (a, b), dout))


def _placed(p, dout, image, scale, translation):
    operation = _op.ScaleAndTranslate(p.kernel_type, p.antialias)
    size = _Tensor(list(dout.shape[1:3]), _mstype.int32)
    return _pulled(lambda x: operation(x, size, scale, translation), (image,), dout)[0]


def _offsets(p, dout, x, offsets):
    """(by x, by the offsets)"""
    operation = _op.DeformableOffsets(p.strides, p.pads, p.kernel_size, p.dilations, p.data_format, p.deformable_groups, p.modulated)
    return tuple(_pulled(operation, (x, offsets), dout))


__all__ = _rows(globals(), (
    ("FractionalMaxPoolGrad", {"overlapping": False}, _fractional_max),
    ("FractionalAvgPoolGrad", {"overlapping": False}, _fractional_mean),
    ("LSTMGrad", {"input_size": _REQUIRED, "hidden_size": _REQUIRED, "num_layers": _REQUIRED, "has_bias": _REQUIRED,
                  "bidirectional": _REQUIRED, "dropout": _REQUIRED, "proj_size": 0}, _lstm),
    ("LstsqV2Grad", {}, _least_squares),
    ("ScaleAndTranslateGrad", {"kernel_type": "lanczos3", "antialias": True}, _placed),
    ("DeformableOffsetsGrad", {"strides": _REQUIRED, "pads": _REQUIRED, "kernel_size": _REQUIRED, "dilations": (1, 1, 1, 1),
                               "data_format": "NCHW", "deformable_groups": 1, "modulated": True}, _offsets),
))
