"""Pooling over one and three axes, by the operators for two; pooling undone, and adaptive pooling."""
from ..common import dtype as _mstype
from ..common.checks import check_int as _check_int
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import check_tensor as _check
from . import distance_func as _d
from . import registry as _k
from . import window_func as _w
from .operands import check_items as _check_items
from .operands import check_operand as _check_operand


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
    kernel, stride = _w._tuple(kernel_size, 1, "avg_pool1d", "kernel_size"), _w._tuple(stride, 1, "avg_pool1d", "stride")
    pads = _w._pads("avg_pool1d", (), kernel, stride, (1,), "pad", padding)[0]
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
    kernel, stride = _w._tuple(kernel_size, 3, "avg_pool3d", "kernel_size"), _w._tuple(stride, 3, "avg_pool3d", "stride")
    pads = _w._pads("avg_pool3d", (), kernel, stride, (1, 1, 1), "pad", padding)
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
    kernel = _w._tuple(kernel_size, 3, "max_pool3d", "kernel_size")
    stride = kernel if stride is None else _w._tuple(stride, 3, "max_pool3d", "stride")
    dilation = _w._tuple(dilation, 3, "max_pool3d", "dilation")
    pads = _w._pads("max_pool3d", (), kernel, stride, dilation, "pad", padding)
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


def _product(sizes):
    total = 1
    for size in sizes:
        total *= size
    return total


def lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """Computes the norm of order norm_type of each window of (N, C, L) or (C, L). Raises TypeError for a norm_type that is no number."""
    kernel, = _w._tuple(kernel_size, 1, "lp_pool1d", "kernel_size")
    stride = kernel if stride is None else stride
    norm_type = _check_operand(norm_type, "lp_pool1d", "norm_type")
    return _root(avg_pool1d(_k.pow(x, float(norm_type)), kernel, stride, 0, ceil_mode), kernel, norm_type)


def lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False):
    """Computes the norm of order norm_type of each window of (N, C, H, W) or (C, H, W). Raises TypeError for a norm_type that is no number."""
    kernel = _w._tuple(kernel_size, 2, "lp_pool2d", "kernel_size")
    stride = kernel if stride is None else _w._tuple(stride, 2, "lp_pool2d", "stride")
    norm_type = _check_operand(norm_type, "lp_pool2d", "norm_type")
    means = _over_planes(lambda p: _k.avg_pool2d(p, kernel, stride, (0, 0, 0, 0), ceil_mode, True, None),
                         _k.pow(x, float(norm_type)))
    return _root(means, kernel[0] * kernel[1], norm_type)


def _root(means, count, norm_type):
    if not norm_type:
        raise ValueError("[lp_pool] norm_type, got 0, expected another number")
    return _d._root(means * float(count), norm_type)


# -- pooling undone ----------------------------------------------------------------------------------------------------


def _unpooled(where, x, indices, kernel_size, stride, padding, output_size, axes):
    kernel = _w._tuple(kernel_size, axes, where, "kernel_size")
    # MindSpore's default stride, 0, is the size of the window.
    stride = tuple(s or k for s, k in zip(_w._tuple(0 if stride is None else stride, axes, where, "stride"), kernel))
    padding = _w._tuple(padding, axes, where, "padding")
    if _check(x, where).shape != _check(indices, where).shape:
        raise ValueError("[%s] shapes of x and indices, got %s and %s, expected the same" % (where, tuple(x.shape), tuple(indices.shape)))
    lead = tuple(x.shape[:-axes])
    if output_size:
        sizes = tuple(_check_items(output_size, where, "output_size", "ints"))[-axes:]
    else:
        sizes = tuple((n - 1) * s - 2 * p + k for n, s, p, k in zip(x.shape[-axes:], stride, padding, kernel))
    rows = _k.reshape(x, (-1, x.size // max(1, _product(lead))))
    whole = _k.full((rows.shape[0], _product(sizes)), 0, x.dtype)
    try:
        return _k.reshape(_k.scatter_elements(whole, _k.reshape(indices, rows.shape), rows, 1), lead + sizes)
    except _ERRORS as error:
        _rename(error, where)
        raise


def max_unpool1d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the results of max pooling back at their indices, with zeros elsewhere; (N, C, L) or (C, L)."""
    return _unpooled("max_unpool1d", x, indices, kernel_size, stride, padding, output_size, 1)


def max_unpool2d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the results of max pooling back at their indices, with zeros elsewhere; (N, C, H, W) or (C, H, W)."""
    return _unpooled("max_unpool2d", x, indices, kernel_size, stride, padding, output_size, 2)


def max_unpool3d(x, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Puts the results of max pooling back at their indices, with zeros elsewhere; (N, C, D, H, W) or (C, D, H, W)."""
    return _unpooled("max_unpool3d", x, indices, kernel_size, stride, padding, output_size, 3)


# -- adaptive pooling --------------------------------------------------------------------------------------------------


def adaptive_avg_pool1d(input, output_size):
    """Means over windows chosen so that the last axis gets the size output_size."""
    size, = _w._tuple(output_size, 1, "adaptive_avg_pool1d", "output_size")
    return _over_lines(lambda x: _k.adaptive_avg_pool2d(x, (1, size)), input)


def adaptive_avg_pool3d(input, output_size):
    """Means over windows chosen so that the last three axes get the size output_size; None keeps the size of that axis."""
    sizes = _wanted("adaptive_avg_pool3d", input, output_size, 3)
    out = _over_planes(lambda p: _k.adaptive_avg_pool2d(p, sizes[1:]), input)
    return _over_depth(lambda p: _k.adaptive_avg_pool2d(p, (sizes[0], -1)), out)


def _wanted(where, x, output_size, axes):
    if _check(x, where).ndim <= axes:
        raise ValueError("[%s] rank of the input, got %d, expected at least %d" % (where, x.ndim, axes + 1))
    sizes = output_size if isinstance(output_size, (tuple, list)) else (output_size,) * axes
    if len(sizes) != axes:
        raise ValueError("[%s] output_size, got %s, expected an int or %d of them" % (where, output_size, axes))
    return tuple(x.shape[i - axes] if size in (None, -1) else _check_int(size, where, "output_size")
                 for i, size in enumerate(sizes))


def _bounds(size, count):
    return [(i * size // count, -(-(i + 1) * size // count)) for i in range(count)]


def _adaptive_max(x, axis, count):
    if x.shape[axis] == count:
        return x
    parts = [_first_largest(_w._along(x, axis, begin, end, 1), axis) for begin, end in _bounds(x.shape[axis], count)]
    return _k.concat(parts, axis)


def _first_largest(x, axis):
    """The largest element along an axis; of equal ones only the first gets a gradient."""
    return _k.gather_elements(x, _k.argmax(x, axis, True), axis)


def adaptive_max_pool1d(input, output_size):
    """Largest elements of windows chosen so that the last axis gets the size output_size."""
    size, = _wanted("adaptive_max_pool1d", input, output_size, 1)
    return _adaptive_max(input, input.ndim - 1, size)


def _adaptive_nd(x, output_size, axes, return_indices):
    sizes = _wanted("adaptive_max_pool2d" if axes == 2 else "adaptive_max_pool3d", x, output_size, axes)
    out = x
    for i, size in reversed(list(enumerate(sizes))):
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
            part, where = _w._along(part, x.ndim - axes + i, begin, end, 1), _w._along(where, i, begin, end, 1)
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


__all__ = ["avg_pool1d", "avg_pool3d", "max_pool3d", "max_unpool1d", "max_unpool2d", "max_unpool3d", "lp_pool1d", "lp_pool2d",
           "adaptive_avg_pool1d", "adaptive_avg_pool3d", "adaptive_max_pool1d", "adaptive_max_pool2d", "adaptive_max_pool3d"]
