"""Convolution over one and three axes, and transposed convolution, by the operators for two axes. Pooling is in pool_func.py."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .operands import check_index as _check_index
from .operands import check_operand as _check_operand


def _tuple(value, count, where, what):
    if isinstance(value, int) and not isinstance(value, bool):
        return (value,) * count
    if isinstance(value, (tuple, list)) and len(value) in (1, count) and all(isinstance(v, int) for v in value):
        return tuple(value) * (count // len(value))
    typed = isinstance(value, (tuple, list)) and all(isinstance(v, int) for v in value)
    raise (ValueError if typed else TypeError)("[%s] %s, got %r, expected an int or %d ints" % (where, what, value, count))


def _pads(where, sizes, kernel, stride, dilation, pad_mode, padding):
    """The padding as ((before, after), ...), one pair for each axis, for any pad_mode and form of the padding argument."""
    count = len(kernel)
    if pad_mode not in ("valid", "same", "pad"):
        raise ValueError("[%s] pad_mode, got %r, expected 'valid', 'same' or 'pad'" % (where, pad_mode))
    if pad_mode == "pad":
        if isinstance(padding, (tuple, list)) and len(padding) == 2 * count:
            return tuple((padding[2 * i], padding[2 * i + 1]) for i in range(count))
        return tuple((p, p) for p in _tuple(padding, count, where, "padding"))
    if padding not in (0, (0,) * count, (0,) * (2 * count), [0] * count, [0] * (2 * count)):
        raise ValueError("[%s] padding with pad_mode %r, got %s, expected 0" % (where, pad_mode, padding))
    if pad_mode == "valid":
        return ((0, 0),) * count
    found = []
    for size, k, s, d in zip(sizes, kernel, stride, dilation):
        need = max((-(-size // s) - 1) * s + (k - 1) * d + 1 - size, 0)
        found.append((need // 2, need - need // 2))
    return tuple(found)


def _along(x, axis, begin, end, step):
    starts, ends, steps = [0] * x.ndim, list(x.shape), [1] * x.ndim
    starts[axis], ends[axis], steps[axis] = begin, end, step
    return _k.slice(x, starts, ends, steps)


def _window_slices(x, axis, kernel, stride, dilation):
    """One slice for each position in a window that moves along an axis."""
    count = (x.shape[axis] - (kernel - 1) * dilation - 1) // stride + 1
    return [_along(x, axis, k * dilation, k * dilation + (count - 1) * stride + 1, stride) for k in range(kernel)]


def _rank(where, x, rank):
    if _check(x, where).ndim != rank:
        raise ValueError("[%s] input has a wrong rank, got %d, expected %d" % (where, x.ndim, rank))


# -- convolution -----------------------------------------------------------------------------------------------------


def conv1d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """1-D convolution: input (N, C, L), weight (O, C / groups, k), bias (O,); the result is (N, O, L').

    pad_mode is 'valid' (none), 'same' (the result has L / stride elements, rounded up) or 'pad' (padding zeros: an int or
    (left, right)). Raises TypeError for anything but Tensors and for sizes and groups that are no ints.
    """
    _rank("conv1d", input, 3)
    _rank("conv1d", weight, 3)
    _check_index(groups, "conv1d", "groups")
    stride, dilation = _tuple(stride, 1, "conv1d", "stride"), _tuple(dilation, 1, "conv1d", "dilation")
    (before, after), = _pads("conv1d", input.shape[2:], weight.shape[2:], stride, dilation, pad_mode, padding)
    if input.shape[1] != weight.shape[1] * groups:
        raise ValueError("[conv1d] channels of input, got %d in shape %s, expected %d" % (input.shape[1], input.shape, weight.shape[1] * groups))
    out = _k.conv2d(_k.expand_dims(input, 2), _k.expand_dims(weight, 2), bias, (1,) + stride, (0, 0, before, after),
                    (1,) + dilation, groups)
    return _k.squeeze(out, 2)


def conv3d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """3-D convolution: input (N, C, D, H, W), weight (O, C / groups, kD, kH, kW), bias (O,).

    pad_mode is 'valid', 'same' or 'pad', as in conv1d. Raises TypeError as conv1d does.
    """
    _rank("conv3d", input, 5)
    _rank("conv3d", weight, 5)
    _check_index(groups, "conv3d", "groups")
    stride, dilation = _tuple(stride, 3, "conv3d", "stride"), _tuple(dilation, 3, "conv3d", "dilation")
    kernel = tuple(weight.shape[2:])
    if input.shape[1] != weight.shape[1] * groups:
        raise ValueError("[conv3d] channels of input, got %d in shape %s, expected %d" % (input.shape[1], input.shape, weight.shape[1] * groups))
    (front, back), rows, columns = _pads("conv3d", input.shape[2:], kernel, stride, dilation, pad_mode, padding)
    x = _k.pad(input, [0, 0, front, 0, 0], [0, 0, back, 0, 0], 0) if front or back else input
    if x.shape[2] < (kernel[0] - 1) * dilation[0] + 1:
        raise ValueError("[conv3d] kernel exceeds the padded depth, got %d and %d" % (kernel[0], x.shape[2]))
    # One 2-D convolution does it: the kernel's positions along the depth become channels, the result's depths become images.
    x = _k.stack(_window_slices(x, 2, kernel[0], stride[0], dilation[0]), 2)
    count, channels, depth = x.shape[0], x.shape[1], x.shape[3]
    images = _k.reshape(_k.transpose(x, (0, 3, 1, 2, 4, 5)), (count * depth, channels * kernel[0]) + tuple(x.shape[4:]))
    flat = _k.reshape(weight, (weight.shape[0], weight.shape[1] * kernel[0]) + kernel[1:])
    out = _k.conv2d(images, flat, bias, stride[1:], rows + columns, dilation[1:], groups)
    out = _k.reshape(out, (count, depth) + tuple(out.shape[1:]))
    return _k.transpose(out, (0, 2, 1, 3, 4))


def transposed(where, x, weight, bias, sizes, stride, pads, dilation, groups):
    """Transposed convolution with a result of the given sizes: x (N, C, ...), weight (C, O / groups, ...)."""
    rank, groups = len(sizes), _check_index(groups, where, "groups")
    if x.shape[1] != weight.shape[0]:
        raise ValueError("[%s] channels of the input, got %d in shape %s, expected %d" % (where, x.shape[1], x.shape, weight.shape[0]))
    if min(sizes) < 1:
        raise ValueError("[%s] size of the result must be positive, got %s" % (where, tuple(sizes)))
    channels = weight.shape[1] * groups
    if rank == 1:
        out = _k.squeeze(_k.conv2d_input_grad(
            _k.expand_dims(x, 2), _k.expand_dims(weight, 2), [x.shape[0], channels, 1, sizes[0]], (1,) + stride,
            (0, 0) + pads[0], (1,) + dilation, groups), 2)
    elif rank == 2:
        out = _k.conv2d_input_grad(x, weight, [x.shape[0], channels] + list(sizes), stride, pads[0] + pads[1], dilation,
                                   groups)
    else:
        out = _transposed_depth(x, weight, channels, sizes, stride, pads, dilation, groups)
    return out if bias is None else out + _k.reshape(bias, (-1,) + (1,) * rank)


def _transposed_depth(x, weight, channels, sizes, stride, pads, dilation, groups):
    count, depth, kernel = x.shape[0], x.shape[2], weight.shape[2]
    images = _k.reshape(_k.transpose(x, (0, 2, 1, 3, 4)), (count * depth, x.shape[1]) + tuple(x.shape[3:]))
    flat = _k.reshape(weight, (weight.shape[0], weight.shape[1] * kernel) + tuple(weight.shape[3:]))
    planes = _k.conv2d_input_grad(images, flat, [count * depth, channels * kernel] + list(sizes[1:]), stride[1:],
                                  pads[1] + pads[2], dilation[1:], groups)
    planes = _k.reshape(planes, [count, depth, channels, kernel] + list(sizes[1:]))
    planes = _k.transpose(planes, (0, 2, 1, 3, 4, 5))
    places = _Tensor([[d * stride[0] + k * dilation[0] for k in range(kernel)] for d in range(depth)], _mstype.int64)
    longest = max(sizes[0] + pads[0][0], (depth - 1) * stride[0] + (kernel - 1) * dilation[0] + 1)
    whole = _k.full([count, channels, longest] + list(sizes[1:]), 0, x.dtype)
    return _along(_k.index_update([whole, planes, places], [2], True), 2, pads[0][0], pads[0][0] + sizes[0], 1)


def _transposed_of(where, rank, x, weight, bias, stride, padding, output_padding, dilation, groups, pad_mode="pad"):
    _rank(where, x, rank + 2)
    _rank(where, weight, rank + 2)
    stride, dilation = _tuple(stride, rank, where, "stride"), _tuple(dilation, rank, where, "dilation")
    extra, kernel = _tuple(output_padding, rank, where, "output_padding"), tuple(weight.shape[2:])
    if any(more >= s for more, s in zip(extra, stride)):
        raise ValueError("[%s] output_padding, got %s, expected less than the stride, %s" % (where, extra, stride))
    if pad_mode == "same":
        sizes = [size * s for size, s in zip(x.shape[2:], stride)]
        pads = _pads(where, sizes, kernel, stride, dilation, "same", padding)
    else:
        pads = _pads(where, x.shape[2:], kernel, stride, dilation, pad_mode, padding)
        sizes = [(size - 1) * s - sum(p) + (k - 1) * d + 1 + more
                 for size, s, p, k, d, more in zip(x.shape[2:], stride, pads, kernel, dilation, extra)]
    return transposed(where, x, weight, bias, sizes, stride, pads, dilation, groups)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1):
    """Transposed 2-D convolution: input (N, C, H, W), weight (C, O / groups, kH, kW)."""
    return _transposed_of("conv_transpose2d", 2, input, weight, bias, stride, padding, output_padding, dilation, groups)


def conv3d_transpose(inputs, weight, pad_mode="valid", padding=0, stride=1, dilation=1, group=1, output_padding=0):
    """Transposed 3-D convolution: inputs (N, C, D, H, W), weight (C, O / group, kD, kH, kW)."""
    return _transposed_of("conv3d_transpose", 3, inputs, weight, None, stride, padding, output_padding, dilation, group,
                          pad_mode)


# -- normalisation -----------------------------------------------------------------------------------------------------


def lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
    """Local response normalisation of (N, C, H, W): x / (bias + alpha * s)^beta.

    s is the sum of squares over the channel itself and depth_radius channels on either side. Raises TypeError for a depth_radius that is no int and
    for other arguments that are no numbers.
    """
    _rank("lrn", x, 4)
    if norm_region != "ACROSS_CHANNELS":
        raise ValueError("[lrn] norm_region, got %r, expected 'ACROSS_CHANNELS'" % (norm_region,))
    _check_index(depth_radius, "lrn", "depth_radius")
    for value, what in ((bias, "bias"), (alpha, "alpha"), (beta, "beta")):
        _check_operand(value, "lrn", what)
    squares = _k.pad(_k.square(x), [0, depth_radius, 0, 0], [0, depth_radius, 0, 0], 0)
    total = 0
    for part in _window_slices(squares, 1, 2 * depth_radius + 1, 1, 1):
        total = total + part
    return x / _k.pow(bias + alpha * total, beta)


__all__ = ["conv1d", "conv3d", "conv_transpose2d", "conv3d_transpose", "lrn"]
