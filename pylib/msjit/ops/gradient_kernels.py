"""Primitives that compute gradients (ops.operations._grad_ops), as rows. Networks do not need them: gradients are made
of operators.

Each is computed with ordinary operators, by a formula or as the gradient of the forward operation. So they can be
differentiated and compiled themselves. `dout` is the gradient by the result of the operation. The other arguments (the
input or the result) are in MindSpore's order.
"""
from .. import function_transforms as _transforms
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from . import activation_func as _ac
from . import array_func as _a
from . import nn_func as _n
from . import operations as _op
from . import registry as _k
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows


def _pulled(function, inputs, dout):
    """Computes the gradients of function(*inputs) by all inputs, given the gradient by its result."""
    return _transforms.vjp(function, *inputs)[1](dout)


def _of(name, *attributes):
    """A rule (dout, x): the gradient by x of the primitive with this name."""
    def rule(p, dout, x):
        operation = getattr(_op, name)(*[getattr(p, attribute) for attribute in attributes])
        return _pulled(operation, (x,), dout)[0]
    return rule


def _where(condition, value):
    return _k.where(condition, value, _k.zeros_like(value))


def _gelu(p, dout, x, y):
    return _pulled(_op.GeLU(), (x,), dout)[0]


def _prelu(p, dout, x, weight):
    return _pulled(_ac.prelu, (x, weight), dout)


def _layer_norm(p, x, dout, variance, mean, gamma):
    """Returns (dx, dgamma, dbeta) for the given mean and variance."""
    first = p.begin_norm_axis % x.ndim
    axes = tuple(range(first, x.ndim))
    rows = tuple(range(p.begin_params_axis % x.ndim))
    scale = (variance + 1e-12).rsqrt()
    scaled = (x - mean) * scale
    weighted = dout * gamma
    dx = scale * (weighted - weighted.mean(axes, True) - scaled * (weighted * scaled).mean(axes, True))
    return dx, (dout * scaled).sum(rows), dout.sum(rows)


def _channels(x, data_format):
    """Returns (axes to sum over for each channel, shape that broadcasts one number for each channel)."""
    at = 1 if data_format != "NHWC" else x.ndim - 1
    return tuple(d for d in range(x.ndim) if d != at), tuple(x.shape[d] if d == at else 1 for d in range(x.ndim))


def _batch_norm(p, dout, x, scale, saved_mean, saved_variance, reserve):
    """Returns (dx, dscale, dbias) for the saved mean and variance, which in training are those of the batch."""
    axes, shape = _channels(x, p.data_format)
    inverse = 1 / (saved_variance + p.epsilon).sqrt()
    mean, inverse = saved_mean.reshape(shape), inverse.reshape(shape)
    scaled = (x - mean) * inverse
    dscale, dbias = (dout * scaled).sum(axes), dout.sum(axes)
    if not p.is_training:
        return dout * inverse * scale.reshape(shape), dscale, dbias
    count = x.size // scale.size
    inner = dout - (dbias.reshape(shape) + scaled * dscale.reshape(shape)) / count
    return inner * inverse * scale.reshape(shape), dscale, dbias


def _bias(p, dout):
    return dout.sum(_channels(dout, p.data_format)[0])


def _larger(p, x, y, dout, first):
    """Returns (dx, dy), where `first` says that x was chosen. Both are always returned, as in MindSpore."""
    return _k.sum_to(_where(first, dout), x.shape), _k.sum_to(_where(_k.logical_not(first), dout), y.shape)


def _loss(name, *attributes):
    """A rule (prediction, target, dout): the gradient of a loss by the prediction."""
    def rule(p, prediction, target, dout):
        operation = getattr(_op, name)(*[getattr(p, attribute) for attribute in attributes])
        return _pulled(lambda x: operation(x, target), (prediction,), dout)[0]
    return rule


def _cross_entropy(p, x, target, dout, weight=None):
    return _pulled(lambda x: _n.binary_cross_entropy(x, target, weight, p.reduction), (x,), dout)[0]


def _kl_div(p, dout, x, target):
    return _pulled(lambda x: _op.KLDivLoss(p.reduction)(x, target), (x,), dout)[0]


def _nll(p, logits, dout, labels, weight, total_weight):
    return _pulled(lambda x: _op.NLLLoss(p.reduction, p.ignore_index)(x, labels, weight)[0], (logits,), dout)[0]


def _softmax(p, y, dout):
    return y * (dout - (dout * y).sum(-1, keepdims=True))


def _log_softmax(p, y, dout):
    return dout - _k.exp(y) * dout.sum(p.axis, keepdims=True)


def _pool(name, *attributes):
    """A rule (x, result, dout): the gradient of a pooling by x."""
    def rule(p, x, out, dout):
        return _pulled(getattr(_op, name)(*[getattr(p, attribute) for attribute in attributes]), (x,), dout)[0]
    return rule


def _average_pool_3d(p, shape, dout):
    operation = _op.AvgPool3D(p.kernel_size, p.strides, p.pad_mode, p.pads, p.ceil_mode, p.count_include_pad, p.divisor_override)
    return _pulled(operation, (_a.zeros(tuple(shape), dout.dtype),), dout)[0]


def _conv_weight(p, dout, x, shape):
    dilation = p.dilation if isinstance(p.dilation, int) else tuple(p.dilation)[-2:]
    operation = _op.Conv2D(p.out_channel, p.kernel_size, 1, p.pad_mode, p.pad, p.stride, dilation, p.group, p.data_format)
    return _pulled(lambda weight: operation(x, weight), (_a.zeros(tuple(shape), x.dtype),), dout)[0]


def _numbers(value):
    return tuple(int(n) for n in (value.asnumpy().tolist() if isinstance(value, _Tensor) else value))


def _nearest(p, dout, size):
    operation = _op.ResizeNearestNeighbor(dout.shape[2:], p.align_corners)
    return _pulled(operation, (_a.zeros(dout.shape[:2] + _numbers(size), dout.dtype),), dout)[0]


def _bilinear(p, dout, image):
    operation = _op.ResizeBilinear(dout.shape[2:], p.align_corners, p.half_pixel_centers)
    return _pulled(operation, (_a.zeros(image.shape, dout.dtype),), dout)[0]


def _gathered(p, x, dim, index, dout):
    return _pulled(lambda x: _op.GatherD()(x, dim, index), (x,), dout)[0]


def _sliced(p, dout, x, begin, size):
    return _pulled(lambda x: _op.Slice()(x, _numbers(begin), _numbers(size)), (x,), dout)[0]


def _strided(p, dout, shape, begin, end, strides):
    operation = _op.StridedSlice(p.begin_mask, p.end_mask, p.ellipsis_mask, p.new_axis_mask, p.shrink_axis_mask)
    x = _a.zeros(_numbers(shape), dout.dtype)
    return _pulled(lambda x: operation(x, _numbers(begin), _numbers(end), _numbers(strides)), (x,), dout)[0]


def _mirrored(p, dout, paddings):
    pads = paddings.asnumpy() if isinstance(paddings, _Tensor) else paddings
    shape = tuple(n - int(before) - int(after) for n, (before, after) in zip(dout.shape, pads))
    return _pulled(lambda x: _op.MirrorPad(p.mode)(x, paddings), (_a.zeros(shape, dout.dtype),), dout)[0]


def _diagonal(p, dout, shape):
    return _k.where(_k.eye(*_numbers(shape), _mstype.bool_), dout, False)


def _masked(p, x, mask, dout):
    return _pulled(lambda x: _op.MaskedSelect()(x, mask), (x,), dout)[0]


def _adaptive(p, dout, shape):
    return _pulled(lambda x: _n.adaptive_avg_pool2d(x, dout.shape[-2:]), (_a.zeros(_numbers(shape), dout.dtype),), dout)[0]


def _normalised(p, x, y, dout):
    return _pulled(_op.L2Normalize(p.axis, p.epsilon), (x,), dout)[0]


def _sampled(p, dout, x, grid):
    return _pulled(lambda x, grid: _op.GridSampler2D(p.interpolation_mode, p.padding_mode, p.align_corners)(x, grid), (x, grid), dout)


_LOSS = {"reduction": "mean"}
_POOL = {"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "data_format": "NCHW"}
_RESIZE = {"align_corners": False, "half_pixel_centers": False}
__all__ = _rows(globals(), (
    ("AbsGrad", {}, lambda p, x, dout: dout * _k.sign(x)),
    ("ACosGrad", {}, lambda p, x, dout: -dout / (1 - x * x).sqrt()),
    ("AsinGrad", {}, lambda p, x, dout: dout / (1 - x * x).sqrt()),
    ("AtanGrad", {}, lambda p, x, dout: dout / (1 + x * x)),
    ("AcoshGrad", {}, lambda p, y, dout: dout / y.sinh()),
    ("AsinhGrad", {}, lambda p, y, dout: dout / y.cosh()),
    ("ReciprocalGrad", {}, lambda p, y, dout: -dout * y * y),
    ("InvGrad", {}, lambda p, y, dout: -dout * y * y),
    ("SqrtGrad", {}, lambda p, y, dout: dout / (y * 2)),
    ("RsqrtGrad", {}, lambda p, y, dout: dout * y * y * y * -0.5),
    ("SigmoidGrad", {}, lambda p, y, dout: dout * y * (1 - y)),
    ("TanhGrad", {}, lambda p, y, dout: dout * (1 - y * y)),
    ("ReluGrad", {}, lambda p, dout, x: _where(x > 0, dout)),
    ("ReLU6Grad", {}, lambda p, dout, x: _where(_k.logical_and(x > 0, x < 6), dout)),
    ("EluGrad", {}, lambda p, dout, y: dout * _k.where(y > 0, _k.ones_like(y), y + 1)),
    ("SeluGrad", {}, lambda p, dout, y: dout * _k.where(y > 0, _k.ones_like(y) * 1.0507009873554805, y + 1.7580993408473768)),
    ("HSigmoidGrad", {}, _of("HSigmoid")), ("HSwishGrad", {}, _of("HSwish")), ("SiLUGrad", {}, _of("SiLU")),
    ("FastGeLUGrad", {}, _of("FastGeLU")), ("SoftplusGrad", {}, lambda p, dout, x: dout * _k.sigmoid(x)), ("GeLUGrad", {}, _gelu),
    ("SoftShrinkGrad", {"lambd": 0.5}, lambda p, dout, x: _where(_k.abs(x) > p.lambd, dout)),
    ("HShrinkGrad", {"lambd": 0.5}, lambda p, dout, x: _where(_k.abs(x) > p.lambd, dout)),
    ("LogitGrad", {"eps": -1.0}, _of("Logit", "eps")), ("PReLUGrad", {}, _prelu),
    ("GluGrad", {"axis": _REQUIRED}, lambda p, dout, x: _pulled(lambda x: _ac.glu(x, p.axis), (x,), dout)[0]),
    ("SoftmaxGrad", {}, _softmax), ("LogSoftmaxGrad", {"axis": -1}, _log_softmax),
    ("LayerNormGrad", {"begin_norm_axis": 1, "begin_params_axis": 1}, _layer_norm),
    ("BatchNormGrad", {"is_training": False, "epsilon": 1e-5, "data_format": "NCHW"}, _batch_norm),
    ("BiasAddGrad", {"data_format": "NCHW"}, _bias),
    ("MaximumGrad", {"grad_x": True, "grad_y": True}, lambda p, x, y, dout: _larger(p, x, y, dout, x >= y)),
    ("MinimumGrad", {"grad_x": True, "grad_y": True}, lambda p, x, y, dout: _larger(p, x, y, dout, x <= y)),
    ("BinaryCrossEntropyGrad", _LOSS, _cross_entropy), ("KLDivLossGrad", _LOSS, _kl_div),
    ("SmoothL1LossGrad", {"beta": 1.0, "reduction": "none"}, _loss("SmoothL1Loss", "beta", "reduction")),
    ("SoftMarginLossGrad", _LOSS, _loss("SoftMarginLoss", "reduction")),
    ("SigmoidCrossEntropyWithLogitsGrad", {}, lambda p, x, target, dout: dout * (_k.sigmoid(x) - target)),
    ("NLLLossGrad", {"reduction": "mean", "ignore_index": -100}, _nll),
    ("L2NormalizeGrad", {"axis": 0, "epsilon": 1e-4}, _normalised),
    ("MaxPoolGrad", _POOL, _pool("MaxPool", *_POOL)), ("AvgPoolGrad", _POOL, _pool("AvgPool", *_POOL)),
    ("MaxPool3DGrad", {"kernel_size": 1, "strides": 1, "pad_mode": "VALID", "pad_list": 0, "data_format": "NCDHW"},
     _pool("MaxPool3D", "kernel_size", "strides", "pad_mode", "pad_list")),
    ("AvgPool3DGrad", {"kernel_size": 1, "strides": 1, "pads": 0, "ceil_mode": False, "count_include_pad": True, "divisor_override": 0,
                       "data_format": "NCDHW", "pad_mode": "pad"}, _average_pool_3d),
    ("Conv2DBackpropFilter", {"out_channel": _REQUIRED, "kernel_size": _REQUIRED, "pad_mode": "valid", "pad": 0,
                              "pad_list": (0, 0, 0, 0), "mode": 1, "stride": (1, 1), "dilation": (1, 1, 1, 1), "group": 1,
                              "data_format": "NCHW"}, _conv_weight),
    ("ResizeBilinearGrad", _RESIZE, _bilinear), ("ResizeNearestNeighborGrad", _RESIZE, _nearest),
    ("GatherDGradV2", {}, _gathered), ("SliceGrad", {}, _sliced), ("MirrorPadGrad", {"mode": "REFLECT"}, _mirrored),
    ("StridedSliceGrad", {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}, _strided),
    ("TraceGrad", {}, _diagonal), ("FlattenGrad", {}, lambda p, dout, shape: dout.reshape(_numbers(shape))),
    ("MaskedSelectGrad", {}, _masked), ("DropoutGrad", {"keep_prob": 0.5}, lambda p, dout, mask: dout * mask / p.keep_prob),
    ("AdaptiveAvgPool2DGrad", {}, _adaptive),
    ("GridSampler2DGrad", {"interpolation_mode": "bilinear", "padding_mode": "zeros", "align_corners": False, "output_mask": (1, 1)},
     _sampled),
))
