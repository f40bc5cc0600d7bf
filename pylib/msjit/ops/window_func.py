"""Convolution and pooling over one and three axes, and transposed convolution, by the operators for two axes."""
from ..common import dtype as _mstype
from ..common.checks import check_int as _check_int
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import distance_func as _d
from . import registry as _k


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
    (left, right)).
    """
    _rank("conv1d", input, 3)
    _rank("conv1d", weight, 3)
    stride, dilation = _tuple(stride, 1, "conv1d", "stride"), _tuple(dilation, 1, "conv1d", "dilation")
    (before, after), = _pads("conv1d", input.shape[2:], weight.shape[2:], stride, dilation, pad_mode, padding)
    if input.shape[1] != weight.shape[1] * groups:
        raise ValueError("[conv1d] channels of input, got %d in shape %s, expected %d" % (input.shape[1], input.shape, weight.shape[1] * groups))
    out = _k.conv2d(_k.expand_dims(input, 2), _k.expand_dims(weight, 2), bias, (1,) + stride, (0, 0, before, after),
                    (1,) + dilation, groups)
    return _k.squeeze(out, 2)


def conv3d(input, weight, bias=None, stride=1, pad_mode="valid", padding=0, dilation=1, groups=1):
    """3-D convolution: input (N, C, D, H, W), weight (O, C / groups, kD, kH, kW), bias (O,).

    pad_mode is 'valid', 'same' or 'pad', as in conv1d.
    """
    _rank("conv3d", input, 5)
    _rank("conv3d", weight, 5)
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
    rank = len(sizes)
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


# -- pooling ---------------------------------------------------------------------------------------------------------


def _flat(x, axes):
    """Reshapes the last axes to a stack of images (count, 1, ...); returns (images, sizes of the other axes)."""
    _check(x, "pool")
    lead = tuple(x.shape[:-axes])
    return _k.reshape(x, (-1, 1) + tuple(x.shape[-axes:])), lead


def _over_lines(pool, x):
    """Applies a 2-D pooling to the lines (1, L) of a tensor (..., L)."""
    lines, lead = _flat(x, 1)
    out = pool(_k.expand_dims(lines, 2))
    return _k.reshape(out, lead + (out.shape[-1],))


def _over_depth(pool, x):
    """Applies a 2-D pooling to the depth, as (D, 1) windows, of a tensor (..., D, H, W)."""
    lead, depth, plane = tuple(x.shape[:-3]), x.shape[-3], tuple(x.shape[-2:])
    out = pool(_k.reshape(x, (-1, 1, depth, plane[0] * plane[1])))
    return _k.reshape(out, lead + (out.shape[2],) + plane)


def _over_planes(pool, x):
    """Applies a 2-D pooling to the planes (H, W) of a tensor (..., H, W)."""
    planes, lead = _flat(x, 2)
    out = pool(planes)
    return _k.reshape(out, lead + tuple(out.shape[-2:]))


def avg_pool1d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True):
    """Returns the mean of each window of (N, C, L) or (C, L)."""
    kernel, stride = _tuple(kernel_size, 1, "avg_pool1d", "kernel_size"), _tuple(stride, 1, "avg_pool1d", "stride")
    pads = _pads("avg_pool1d", (), kernel, stride, (1,), "pad", padding)[0]
    try:
        return _over_lines(lambda x: _k.avg_pool2d(x, (1,) + kernel, (1,) + stride, (0, 0) + pads, ceil_mode,
                                                   count_include_pad, None), input_x)
    except _ERRORS as error:
        _rename(error, "avg_pool1d")
        raise


def avg_pool3d(input_x, kernel_size=1, stride=1, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=0):
    """Returns the mean of each window of (N, C, D, H, W) or (C, D, H, W); divisor_override, if not 0, divides the sum
    instead of the count."""
    if _check(input_x, "avg_pool3d").ndim not in (4, 5):
        raise ValueError("[avg_pool3d] rank of input_x, got %d, expected 4 or 5" % input_x.ndim)
    kernel, stride = _tuple(kernel_size, 3, "avg_pool3d", "kernel_size"), _tuple(stride, 3, "avg_pool3d", "stride")
    pads = _pads("avg_pool3d", (), kernel, stride, (1, 1, 1), "pad", padding)
    return averaged(input_x, kernel, stride, pads, ceil_mode, count_include_pad, divisor_override)


def averaged(x, kernel, stride, pads, ceil_mode, count_include_pad, divisor):
    """Means of 3-D windows: over planes, then along the depth."""
    out = _over_planes(lambda p: _k.avg_pool2d(p, kernel[1:], stride[1:], pads[1] + pads[2], ceil_mode, count_include_pad,
                                               1 if divisor else None), x)
    return _over_depth(lambda p: _k.avg_pool2d(p, (kernel[0], 1), (stride[0], 1), pads[0] + (0, 0), ceil_mode,
                                               count_include_pad, divisor or None), out)


def max_pool3d(x, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False, return_indices=False):
    """Returns the largest element of each window of (N, C, D, H, W) or (C, D, H, W); with return_indices also its index in the volume."""
    if _check(x, "max_pool3d").ndim not in (4, 5):
        raise ValueError("[max_pool3d] rank of x, got %d, expected 4 or 5" % x.ndim)
    kernel = _tuple(kernel_size, 3, "max_pool3d", "kernel_size")
    stride = kernel if stride is None else _tuple(stride, 3, "max_pool3d", "stride")
    dilation = _tuple(dilation, 3, "max_pool3d", "dilation")
    pads = _pads("max_pool3d", (), kernel, stride, dilation, "pad", padding)
    if return_indices:
        return _max_with_places(x, kernel, stride, pads, dilation, ceil_mode)
    return greatest(x, kernel, stride, pads, dilation, ceil_mode)


def greatest(x, kernel, stride, pads, dilation, ceil_mode):
    """Largest elements of 3-D windows: over planes, then along the depth."""
    out = _over_planes(lambda p: _k.max_pool2d(p, kernel[1:], stride[1:], pads[1] + pads[2], ceil_mode, dilation[1:]), x)
    return _over_depth(lambda p: _k.max_pool2d(p, (kernel[0], 1), (stride[0], 1), pads[0] + (0, 0), ceil_mode,
                                               (dilation[0], 1)), out)


def _max_with_places(x, kernel, stride, pads, dilation, ceil_mode):
    planes, lead = _flat(x, 2)
    values, places = _k.max_pool2d_with_index(planes, kernel[1:], stride[1:], pads[1] + pads[2], ceil_mode, dilation[1:])
    plane = tuple(values.shape[-2:])
    depth = lead[-1]
    values = _k.reshape(values, (-1, 1, depth, plane[0] * plane[1]))
    places = _k.reshape(places, values.shape)
    values, level = _k.max_pool2d_with_index(values, (kernel[0], 1), (stride[0], 1), pads[0] + (0, 0), ceil_mode,
                                             (dilation[0], 1))
    # `level` is an index into (depth, plane of windows): it gives the depth, and picks the index in the input's plane.
    flat = _k.reshape(places, (places.shape[0], -1))
    chosen = _k.gather_elements(flat, _k.reshape(level, (level.shape[0], -1)), 1)
    level = _k.reshape(level, chosen.shape) // (plane[0] * plane[1])
    shape = lead[:-1] + (values.shape[2],) + plane
    return _k.reshape(values, shape), _k.reshape(level * (x.shape[-2] * x.shape[-1]) + chosen, shape)


def _unpooled(where, x, indices, kernel_size, stride, padding, output_size, axes):
    kernel = _tuple(kernel_size, axes, where, "kernel_size")
    # MindSpore's default stride, 0, is the size of the window.
    stride = tuple(s or k for s, k in zip(_tuple(0 if stride is None else stride, axes, where, "stride"), kernel))
    padding = _tuple(padding, axes, where, "padding")
    if _check(x, where).shape != _check(indices, where).shape:
        raise ValueError("[%s] shapes of x and indices, got %s and %s, expected the same" % (where, tuple(x.shape), tuple(indices.shape)))
    lead = tuple(x.shape[:-axes])
    if output_size:
        sizes = tuple(output_size)[-axes:]
    else:
        sizes = tuple((n - 1) * s - 2 * p + k for n, s, p, k in zip(x.shape[-axes:], stride, padding, kernel))
    total = 1
    for size in sizes:
        total *= size
    rows = _k.reshape(x, (-1, x.size // max(1, _product(lead))))
    whole = _k.full((rows.shape[0], total), 0, x.dtype)
    return _k.reshape(_k.scatter_elements(whole, _k.reshape(indices, rows.shape), rows, 1), lead + sizes)


def _product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


def max_unpool1d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the results of max pooling back at their indices, with zeros elsewhere; (N, C, L) or (C, L)."""
    return _unpooled("max_unpool1d", x, indices, kernel_size, stride, padding, output_size, 1)


def max_unpool2d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the results of max pooling back at their indices, with zeros elsewhere; (N, C, H, W) or (C, H, W)."""
    return _unpooled("max_unpool2d", x, indices, kernel_size, stride, padding, output_size, 2)


def max_unpool3d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the results of max pooling back at their indices, with zeros elsewhere; (N, C, D, H, W) or (C, D, H, W)."""
    return _unpooled("max_unpool3d", x, indices, kernel_size, stride, padding, output_size, 3)


def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """Computes the norm of order norm_type of each window of (N, C, L) or (C, L)."""
    stride = kernel_size if stride is None else stride
    return _root(avg_pool1d(_k.pow(x, float(norm_type)), kernel_size, stride, 0, ceil_mode), kernel_size, norm_type)


def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """Computes the norm of order norm_type of each window of (N, C, H, W) or (C, H, W)."""
    kernel = _tuple(kernel_size, 2, "lp_pool2d", "kernel_size")
    stride = kernel if stride is None else _tuple(stride, 2, "lp_pool2d", "stride")
    means = _over_planes(lambda p: _k.avg_pool2d(p, kernel, stride, (0, 0, 0, 0), ceil_mode, True, None),
                         _k.pow(x, float(norm_type)))
    return _root(means, kernel[0] * kernel[1], norm_type)


def _root(means, count, norm_type):
    if not norm_type:
        raise ValueError("[lp_pool] norm_type, got 0, expected another number")
    return _d._root(means * float(count), norm_type)


def lrn(x, depth_radius=5, bias=1.0, alpha=1.0, beta=0.5, norm_region="ACROSS_CHANNELS"):
    """Local response normalisation of (N, C, H, W): x / (bias + alpha * s)^beta.

    s is the sum of squares over the channel itself and depth_radius channels on either side.
    """
    _rank("lrn", x, 4)
    if norm_region != "ACROSS_CHANNELS":
        raise ValueError("[lrn] norm_region, got %r, expected 'ACROSS_CHANNELS'" % (norm_region,))
    squares = _k.pad(_k.square(x), [0, depth_radius, 0, 0], [0, depth_radius, 0, 0], 0)
    total = 0
    for part in _window_slices(squares, 1, 2 * depth_radius + 1, 1, 1):
        total = total + part
    return x / _k.pow(bias + alpha * total, beta)


# -- adaptive pooling ------------------------------------------------------------------------------------------------


def adaptive_avg_pool1d(input, output_size):
    """Means over windows chosen so that the last axis gets the size output_size."""
    size, = _tuple(output_size, 1, "adaptive_avg_pool1d", "output_size")
    return _over_lines(lambda x: _k.adaptive_avg_pool2d(x, (1, size)), input)


def adaptive_avg_pool3d(input, output_size):
    """Means over windows chosen so that the last three axes get the size output_size; None keeps the size of that axis."""
    sizes = _wanted(input, output_size, 3)
    out = _over_planes(lambda p: _k.adaptive_avg_pool2d(p, sizes[1:]), input)
    return _over_depth(lambda p: _k.adaptive_avg_pool2d(p, (sizes[0], -1)), out)


def _wanted(x, output_size, axes):
    sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * axes
    if len(sizes) != axes:
        raise ValueError("[adaptive_pool] output_size, got %s, expected an int or %d of them" % (output_size, axes))
    return tuple(x.shape[i - axes] if size in (None, -1) else _check_int(size, "adaptive_pool", "output_size")
                 for i, size in enumerate(sizes))


def _bounds(size, count):
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _adaptive_max(x, axis, count):
    if x.shape[axis] == count:
        return x
    parts = [_first_largest(_along(x, axis, begin, end, 1), axis) for begin, end in _bounds(x.shape[axis], count)]
    return _k.concat(parts, axis)


def _first_largest(x, axis):
    """The largest element along an axis; of equal ones only the first gets a gradient."""
    return _k.gather_elements(x, _k.argmax(x, axis, True), axis)


def adaptive_max_pool1d(input, output_size):
    """Largest elements of windows chosen so that the last axis gets the size output_size."""
    size, = _wanted(input, output_size, 1)
    _check(input, "adaptive_max_pool1d")
    return _adaptive_max(input, input.ndim - 1, size)


def _adaptive_nd(x, output_size, axes, return_indices):
    sizes = _wanted(x, output_size, axes)
    out = x
    for i, size in reversed(list(enumerate(sizes))):
        _check(x, "adaptive_max_pool")
        out = _adaptive_max(out, x.ndim - axes + i, size)
    if not return_indices:
        return out
    lead, volume = tuple(x.shape[:-axes]), tuple(x.shape[-axes:])
    number = _k.reshape(_k.arange(0, _product(volume), 1, _mstype.int64), volume)
    cells = [()]
    for size, count in zip(volume, sizes):
        cells = [cell + (bound,) for cell in cells for bound in _bounds(size, count)]
    found = []
    for cell in cells:
        part, where = x, number
        for i, (begin, end) in enumerate(cell):
            part, where = _along(part, x.ndim - axes + i, begin, end, 1), _along(where, i, begin, end, 1)
        best = _k.argmax(_k.reshape(part, lead + (-1,)), -1)
        found.append(_k.gather(_k.reshape(where, (-1,)), best, 0))
    places = _k.reshape(_k.stack(found, -1), lead + sizes)
    return out, _k.cast(places, _mstype.int32) if axes == 3 else places


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Largest elements of windows chosen so that the last two axes get the size output_size.

    With return_indices also their indices in the plane.
    """
    return _adaptive_nd(input, output_size, 2, return_indices)


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """Largest elements of windows chosen so that the last three axes get the size output_size.

    With return_indices also their indices in the volume.
    """
    return _adaptive_nd(input, output_size, 3, return_indices)


__all__ = ["conv1d", "conv3d", "conv_transpose2d", "conv3d_transpose", "avg_pool1d", "avg_pool3d", "max_pool3d",
           "max_unpool1d", "max_unpool2d", "max_unpool3d", "lp_pool1d", "lp_pool2d", "lrn", "adaptive_avg_pool1d", "adaptive_avg_pool3d",
           "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"]
