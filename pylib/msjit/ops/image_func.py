"""Functions on images: sampling at points, patches, boxes, and blocks of pixels moved to other axes."""
from ..common import dtype as _mstype
from ..common.checks import check_int as _check_int
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from . import window_func as _w
from .argument_kinds import check_index as _check_index
from .argument_kinds import check_real as _real
from .argument_kinds import check_sized as _sized
from .argument_kinds import is_index as _is_index
from .resize_func import interpolate as upsample

# -- sampling --------------------------------------------------------------------------------------------------------


def affine_grid(theta, size, align_corners=False):
    """Returns the points of images or volumes of `size` (N, C, ...), transformed by affine maps theta (N, 2, 3) or (N,
    3, 4).

    The result, (N, ..., 2 or 3) with coordinates from -1 to 1, is a grid for grid_sample.
    Raises TypeError for a theta that is no Tensor and for a size that is no list or tuple of ints, ValueError for other shapes.
    """
    _check(theta, "affine_grid")
    rank = len(_sized(size, "affine_grid", "size")) - 2
    if rank not in (2, 3) or theta.ndim != 3 or tuple(theta.shape[1:]) != (rank, rank + 1):
        raise ValueError("[affine_grid] shapes of theta and size, got %s and %s, expected (N, 2, 3) for 4 sizes or "
                         "(N, 3, 4) for 5" % (tuple(theta.shape), tuple(size)))
    if size[0] != theta.shape[0] or min(size) < 1:
        raise ValueError("[affine_grid] size, got %s, expected sizes of 1 or more, the first %d, that of theta"
                         % (tuple(size), theta.shape[0]))
    axes = []
    for i in range(rank):
        count = size[2 + i]
        steps = _k.arange(0, count, 1, theta.dtype)
        if align_corners:
            steps = steps * (2.0 / (count - 1)) - 1.0 if count > 1 else steps
        else:
            steps = (steps * 2.0 + 1.0) / float(count) - 1.0
        axes.append(_k.broadcast_to(_k.reshape(steps, [-1 if j == i else 1 for j in range(rank)]), tuple(size[2:])))
    points = _k.stack(axes[::-1] + [_k.ones(tuple(size[2:]), theta.dtype)], -1)
    flat = _k.matmul(_k.reshape(points, (-1, rank + 1)), theta, False, True)
    return _k.reshape(flat, (theta.shape[0],) + tuple(size[2:]) + (rank,))


def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """Samples images or volumes (N, C, ...) at points (N, ..., 2 or 3), whose coordinates run from -1 to 1.

    The first coordinate of a point is that of the last axis. padding_mode says what lies outside: 'zeros', 'border' or
    'reflection'.
    """
    _check(input, "grid_sample"), _check(grid, "grid_sample")
    rank = input.ndim - 2
    if rank not in (2, 3) or grid.ndim != rank + 2 or grid.shape[-1] != rank:
        raise ValueError("[grid_sample] shapes of input and grid, got %s and %s, expected (N, C, H, W) and (N, h, w, 2), or "
                         "the same of volumes" % (tuple(input.shape), tuple(grid.shape)))
    if mode not in ("bilinear", "nearest") or padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("[grid_sample] mode and padding_mode, got %r and %r, expected 'bilinear' or 'nearest', and 'zeros', "
                         "'border' or 'reflection'" % (mode, padding_mode))
    places = []
    for i in range(rank):  # coordinates are in the order x, y, z; axes in the order z, y, x
        size = input.shape[1 - i + rank]
        at = grid[..., i]
        at = (at + 1) * ((size - 1) / 2.0) if align_corners else ((at + 1) * float(size) - 1) / 2.0
        if padding_mode == "reflection":
            at = _reflected(at, size, align_corners)
        if padding_mode != "zeros":
            at = _k.clip(at, 0, size - 1)
        places.insert(0, at)
    images = _k.transpose(input, [0] + list(range(2, rank + 2)) + [1])
    if mode == "nearest":
        out = _sampled(images, [_k.round(at) for at in places])
    else:
        out = _between(images, places)
    return _k.transpose(out, [0, rank + 1] + list(range(1, rank + 1)))


def _reflected(at, size, align_corners):
    low, span = (0.0, size - 1.0) if align_corners else (-0.5, float(size))
    if span == 0:
        return _k.zeros_like(at)
    away = _k.abs(at - low)
    turns, rest = _k.floor(away / span), _k.fmod(away, span)
    return low + _k.where(_k.equal(_k.fmod(turns, 2.0), 0), rest, span - rest)


def _sampled(images, places):
    """Elements at whole-number coordinates (one tensor for each axis), zeros outside."""
    batch, inside, indices = images.shape[0], None, []
    for at, size in zip(places, images.shape[1:]):
        fits = _k.logical_and(_k.greater_equal(at, 0), _k.less_equal(at, size - 1))
        inside = fits if inside is None else _k.logical_and(inside, fits)
        indices.append(_k.cast(_k.clip(_k.where(_k.equal(at, at), at, 0), 0, size - 1), _mstype.int64))
    first = _k.reshape(_k.arange(0, batch, 1, _mstype.int64), (batch,) + (1,) * (indices[0].ndim - 1))
    found = _k.index([images, first] + indices, list(range(len(indices) + 1)))
    return found * _k.cast(_k.expand_dims(inside, -1), images.dtype)


def _between(images, places):
    low = [_k.floor(at) for at in places]
    share = [at - floor for at, floor in zip(places, low)]
    total = 0
    for corner in range(2 ** len(places)):
        up = [corner >> i & 1 for i in range(len(places))]
        weight = None
        for part, high in zip(share, up):
            part = part if high else 1 - part
            weight = part if weight is None else weight * part
        found = _sampled(images, [floor + high for floor, high in zip(low, up)])
        total = total + found * _k.expand_dims(weight, -1)
    return total


# -- patches ---------------------------------------------------------------------------------------------------------


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Cuts patches out of (N, C, H, W) and lays them out as columns: (N, C * kH * kW, number of patches)."""
    if _check(input, "unfold").ndim != 4:
        raise ValueError("[unfold] input has a wrong rank, got %d, expected 4" % input.ndim)
    kernel, stride, dilation, pads = _geometry("unfold", kernel_size, dilation, padding, stride)
    x = _k.pad(input, (0, 0) + pads, (0, 0) + pads, 0) if any(pads) else input
    if any(n < (k - 1) * d + 1 for n, k, d in zip(x.shape[2:], kernel, dilation)):
        raise ValueError("[unfold] kernel exceeds the padded input, got kernel_size %s for shape %s"
                         % (kernel, tuple(input.shape)))
    rows = _w._window_slices(x, 2, kernel[0], stride[0], dilation[0])
    parts = [part for row in rows for part in _w._window_slices(row, 3, kernel[1], stride[1], dilation[1])]
    out = _k.stack(parts, 2)
    return _k.reshape(out, (out.shape[0], out.shape[1] * out.shape[2], out.shape[3] * out.shape[4]))


def _geometry(where, kernel_size, dilation, padding, stride):
    sizes = [_w._tuple(value, 2, where, what) for what, value in (("kernel_size", kernel_size), ("stride", stride), ("dilation", dilation))]
    for what, pair in zip(("kernel_size", "stride", "dilation"), sizes):
        if min(pair) < 1:
            raise ValueError("[%s] %s, got %s, expected 1 or more" % (where, what, pair))
    return sizes + [_w._tuple(padding, 2, where, "padding")]


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Undoes unfold, summing patches that overlap: from (N, C * kH * kW, number of patches) to (N, C, H, W)."""
    return _folded("fold", input, output_size, kernel_size, dilation, padding, stride)


def _folded(where, input, output_size, kernel_size, dilation, padding, stride):
    if isinstance(output_size, _Tensor):
        output_size = tuple(int(n) for n in output_size)
    kernel, stride, dilation, pads = _geometry(where, kernel_size, dilation, padding, stride)
    height, width = _w._tuple(output_size, 2, where, "output_size")
    counts = [(n + 2 * p - (k - 1) * d - 1) // s + 1
              for n, p, k, d, s in zip((height, width), pads, kernel, dilation, stride)]
    if _check(input, where).ndim != 3 or input.shape[1] % (kernel[0] * kernel[1]) \
            or input.shape[2] != counts[0] * counts[1]:
        raise ValueError("[%s] shape of input, got %s, expected (N, a multiple of %d, %d)"
                         % (where, tuple(input.shape), kernel[0] * kernel[1], counts[0] * counts[1]))
    places = []
    for k, d, s, n in zip(kernel, dilation, stride, counts):
        places.append(_k.expand_dims(_k.arange(0, k, 1, _mstype.int64) * d, 1) + _k.arange(0, n, 1, _mstype.int64) * s)
    batch, channels = input.shape[0], input.shape[1] // (kernel[0] * kernel[1])
    columns = _k.reshape(input, (batch, channels, kernel[0], kernel[1], counts[0], counts[1]))
    columns = _k.transpose(columns, (0, 1, 2, 4, 3, 5))
    rows = _k.reshape(places[0], (kernel[0], counts[0], 1, 1))
    whole = _k.full((batch, channels, height + 2 * pads[0], width + 2 * pads[1]), 0, input.dtype)
    whole = _k.index_update([whole, columns, rows, places[1]], [2, 3], True)
    return _k.slice(whole, [0, 0, pads[0], pads[1]], [batch, channels, pads[0] + height, pads[1] + width], [1] * 4)


def col2im(input_x, output_size, kernel_size, dilation, padding_value, stride):
    """Sums patches (N, C, kH * kW, number of patches) to images (N, C, H, W).

    Raises TypeError for an input that is no Tensor, ValueError for other shapes.
    """
    if _check(input_x, "col2im").ndim != 4:
        raise ValueError("[col2im] rank of input_x, got %d, expected 4" % input_x.ndim)
    flat = _k.reshape(input_x, (input_x.shape[0], input_x.shape[1] * input_x.shape[2], input_x.shape[3]))
    return _folded("col2im", flat, output_size, kernel_size, dilation, padding_value, stride)


# -- boxes -----------------------------------------------------------------------------------------------------------


def iou(anchor_boxes, gt_boxes, mode="iou"):
    """Computes the overlap of every pair of boxes (x0, y0, x1, y1), over the area of their union.

    With mode 'iof' it is over the area of the box in gt_boxes. The result is (number of gt_boxes, number of anchor_boxes). As in
    MindSpore, it has no gradient: networks use it to choose boxes.
    """
    if mode not in ("iou", "iof"):
        raise ValueError("[iou] mode, got %r, expected 'iou' or 'iof'" % (mode,))
    for boxes in (anchor_boxes, gt_boxes):
        if _check(boxes, "iou").ndim != 2 or boxes.shape[1] != 4:
            raise ValueError("[iou] shape of boxes, got %s, expected (number of boxes, 4)" % (tuple(boxes.shape),))
    first, second = _k.stop_gradient(_k.expand_dims(anchor_boxes, 0)), _k.stop_gradient(_k.expand_dims(gt_boxes, 1))
    low = _k.maximum(first[..., :2], second[..., :2])
    high = _k.minimum(first[..., 2:], second[..., 2:])
    shared = _k.prod(_k.maximum(high - low + 1, 0), -1)
    area1 = _k.prod(first[..., 2:] - first[..., :2] + 1, -1)
    area2 = _k.prod(second[..., 2:] - second[..., :2] + 1, -1)
    return shared / (area1 + area2 - shared if mode == "iou" else area2)


def crop_and_resize(image, boxes, box_indices, crop_size, method="bilinear", extrapolation_value=0.0):
    """Crops images (N, H, W, C) to boxes (y0, x0, y1, x1) and resizes the crops to one size; float32.

    Coordinates 0 and 1 are the edges of the image. Points outside get extrapolation_value. Raises TypeError for an image or boxes that are no Tensors
    and for a crop_size or extrapolation_value of another kind, ValueError for other shapes.
    """
    if method not in ("bilinear", "nearest"):
        raise NotImplementedError("[crop_and_resize] method, got %r, expected 'bilinear' or 'nearest'" % (method,))
    if _check(image, "crop_and_resize").ndim != 4:
        raise ValueError("[crop_and_resize] rank of image, got %d, expected 4" % image.ndim)
    if _check(boxes, "crop_and_resize").ndim != 2 or boxes.shape[1] != 4:
        raise ValueError("[crop_and_resize] shape of boxes, got %s, expected (number of boxes, 4)" % (tuple(boxes.shape),))
    if len(_sized(crop_size, "crop_and_resize", "crop_size")) != 2:
        raise ValueError("[crop_and_resize] crop_size, got %s, expected (height, width)" % (crop_size,))
    _real(extrapolation_value, "crop_and_resize", "extrapolation_value")
    image, places, inside = _k.cast(image, _mstype.float32), [], None
    for axis, (count, size) in enumerate(zip(crop_size, image.shape[1:3])):
        first, last = boxes[:, axis:axis + 1], boxes[:, axis + 2:axis + 3]
        steps = _k.arange(0, count, 1, _mstype.float32)
        if count > 1:
            at = first * (size - 1.0) + steps * ((last - first) * (size - 1.0) / (count - 1.0))
        else:
            at = 0.5 * (first + last) * (size - 1.0) + steps
        at = _k.reshape(at, (-1, count, 1) if axis == 0 else (-1, 1, count))
        fits = _k.logical_and(_k.greater_equal(at, 0), _k.less_equal(at, size - 1))
        inside = fits if inside is None else _k.logical_and(inside, fits)
        places.append(at)
    shape = (boxes.shape[0],) + tuple(crop_size)
    places = [_k.broadcast_to(at, shape) for at in places]
    chosen = _k.gather(image, box_indices, 0)
    out = _sampled(chosen, [_k.round(at) for at in places]) if method == "nearest" else _between(chosen, places)
    return _k.where(_k.expand_dims(inside, -1), out, float(extrapolation_value))


# -- blocks ----------------------------------------------------------------------------------------------------------


def _images(where, input):
    """The sizes of the axes before the last three, and those of the last three: channels, height and width."""
    if _check(input, where).ndim < 3:
        raise ValueError("[%s] input has a wrong rank, got %d, expected at least 3" % (where, input.ndim))
    return list(input.shape[:-3]), input.shape[-3:]


def pixel_shuffle(input, upscale_factor):
    """Rearranges (..., C * r * r, H, W) to (..., C, H * r, W * r), where r is upscale_factor (Shi et al. 2016, sub-pixel convolution).

    Raises ValueError for a number of channels that r * r does not divide and for fewer than three axes.
    """
    r = _check_int(upscale_factor, "pixel_shuffle", "upscale_factor")
    lead, (channels, height, width) = _images("pixel_shuffle", input)
    if r < 1 or channels % (r * r):
        raise ValueError("[pixel_shuffle] channels must be a multiple of %d, got shape %s" % (r * r, tuple(input.shape)))
    n = len(lead)
    x = _k.reshape(input, lead + [channels // (r * r), r, r, height, width])
    x = _k.transpose(x, list(range(n)) + [n, n + 3, n + 1, n + 4, n + 2])
    return _k.reshape(x, lead + [channels // (r * r), height * r, width * r])


def pixel_unshuffle(input, downscale_factor):
    """Rearranges (..., C, H * r, W * r) to (..., C * r * r, H, W), where r is downscale_factor: undoes pixel_shuffle.

    Raises ValueError for a height or width that r does not divide and for fewer than three axes.
    """
    r = _check_int(downscale_factor, "pixel_unshuffle", "downscale_factor")
    lead, (channels, height, width) = _images("pixel_unshuffle", input)
    if r < 1 or height % r or width % r:
        raise ValueError("[pixel_unshuffle] height and width must be multiples of %d, got shape %s"
                         % (r, tuple(input.shape)))
    n = len(lead)
    x = _k.reshape(input, lead + [channels, height // r, r, width // r, r])
    x = _k.transpose(x, list(range(n)) + [n, n + 2, n + 4, n + 1, n + 3])
    return _k.reshape(x, lead + [channels * r * r, height // r, width // r])


def channel_shuffle(x, groups):
    """Interleaves the groups of channels (axis 1): the first channel of each group, then the second of each, and so on.

    Four channels in two groups come in the order 0, 2, 1, 3 (Zhang et al. 2018, ShuffleNet). Raises ValueError for a number of
    channels that `groups` does not divide and for fewer than three axes.
    """
    _check(x, "channel_shuffle")
    if _check_int(groups, "channel_shuffle", "groups") < 1 or x.ndim < 3 or x.shape[1] % groups:
        raise ValueError("[channel_shuffle] channels must be a multiple of %d, got shape %s" % (groups, tuple(x.shape)))
    parts = _k.reshape(x, [x.shape[0], groups, x.shape[1] // groups] + list(x.shape[2:]))
    return _k.reshape(_k.swapaxes(parts, 1, 2), x.shape)


def _blocks(where, what, sizes, pairs_of, pairs):
    """The sizes of the blocks, one for each of the `pairs`, which are checked too; `what` and `pairs_of` are their names."""
    _sized(pairs, where, pairs_of, "a pair of ints for each axis")
    for pair in pairs:
        if len(_sized(pair, where, "an element of " + pairs_of, "a pair of ints")) != 2:
            raise ValueError("[%s] an element of %s, got %s, expected a pair of ints" % (where, pairs_of, pair))
    count = len(pairs)
    if _is_index(sizes):
        sizes = (sizes,) * count
    sizes = tuple([_check_index(size, where, what) for size in _sized(sizes, where, what, "an int or several")])
    if len(sizes) != count:
        raise ValueError("[%s] %s, got %d sizes, expected %d" % (where, what, len(sizes), count))
    if any(size < 1 for size in sizes):
        raise ValueError("[%s] sizes of blocks, got %s, expected 1 or more" % (where, sizes))
    return sizes


def space_to_batch_nd(input_x, block_size, paddings):
    """Pads the last axes with zeros, cuts them into blocks of block_size, and moves the positions within a block to the first axis.

    paddings has a pair (before, after) for each of these axes, block_size one int for all or one for each, which divides the padded
    size. (N, C, H, W) becomes (N * b * b, C, H / b, W / b) for blocks of (b, b).
    Raises TypeError for an input that is no Tensor and for numbers that are no ints, ValueError for another number of them.
    """
    _check(input_x, "space_to_batch_nd")
    blocks = _blocks("space_to_batch_nd", "block_size", block_size, "paddings", paddings)
    axes = len(blocks)
    first = input_x.ndim - axes
    before, after = [0] * first + [p[0] for p in paddings], [0] * first + [p[1] for p in paddings]
    x = _k.pad(input_x, before, after, 0)
    sizes = [s // b for s, b in zip(x.shape[first:], blocks)]
    split = _k.reshape(x, list(x.shape[:first]) + [n for pair in zip(sizes, blocks) for n in pair])
    order = [first + 2 * i + 1 for i in range(axes)] + list(range(first))
    order += [first + 2 * i for i in range(axes)]
    return _k.reshape(_k.transpose(split, order), [-1] + list(x.shape[1:first]) + sizes)


def batch_to_space_nd(input_x, block_shape, crops):
    """Undoes space_to_batch_nd: moves parts of the first axis into blocks of the last axes, then crops these.

    crops has a pair (before, after) for each of these axes. (N * b * b, C, H, W) becomes (N, C, H * b, W * b) less the crops.
    Raises TypeError for an input that is no Tensor and for numbers that are no ints, ValueError for another number of them.
    """
    if not _check(input_x, "batch_to_space_nd").ndim:
        raise ValueError("[batch_to_space_nd] rank of input_x, got 0, expected at least 1")
    blocks = _blocks("batch_to_space_nd", "block_shape", block_shape, "crops", crops)
    axes = len(blocks)
    first, total = input_x.ndim - axes, 1
    for b in blocks:
        total *= b
    split = _k.reshape(input_x, list(blocks) + [input_x.shape[0] // total] + list(input_x.shape[1:]))
    order = list(range(axes, axes + first))
    for i in range(axes):
        order += [axes + first + i, i]
    sizes = [s * b for s, b in zip(input_x.shape[first:], blocks)]
    x = _k.reshape(_k.transpose(split, order), [input_x.shape[0] // total] + list(input_x.shape[1:first]) + sizes)
    begin = [0] * first + [c[0] for c in crops]
    end = list(x.shape[:first]) + [s - c[1] for s, c in zip(x.shape[first:], crops)]
    return _k.slice(x, begin, end, [1] * x.ndim)


__all__ = ["upsample", "affine_grid", "grid_sample", "unfold", "fold", "col2im", "iou", "crop_and_resize",
           "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "space_to_batch_nd", "batch_to_space_nd"]
