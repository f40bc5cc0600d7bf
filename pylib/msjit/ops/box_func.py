"""Functions of boxes in images, rows of (x0, y0, x1, y1): coding against anchors, checks, suppression and pooling."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .argument_kinds import check_factor as _factor
from .argument_kinds import check_index as _check_index
from .argument_kinds import check_real as _real


def _rows(where, x, what, columns=4):
    if _check(x, where).ndim != 2 or x.shape[1] != columns:
        raise ValueError("[%s] shape of %s, got %s, expected (boxes, %d)" % (where, what, tuple(x.shape), columns))
    return x


def _four(where, what, value):
    """Reads a tuple of four numbers; one number counts four times."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return (float(value),) * 4
    if not isinstance(value, (tuple, list)):
        raise TypeError("[%s] %s, got %s, expected a tuple of numbers" % (where, what, type(value).__name__))
    if len(value) != 4:
        raise ValueError("[%s] %s, got %d numbers, expected 4" % (where, what, len(value)))
    return tuple(float(_real(item, where, what)) for item in value)


def _centre(boxes):
    """Returns (centre, size) of boxes whose last pixel counts, two numbers for each row."""
    start, end = boxes[:, 0:2], boxes[:, 2:4]
    return (start + end) * 0.5, end - start + 1.0


def bounding_box_encode(anchor_box, groundtruth_box, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0)):
    """Encodes boxes (boxes, 4) relative to their anchors (boxes, 4).

    A row of the result is (dx, dy, log of the width ratio, log of the height ratio), less `means`, divided by `stds`; dx
    and dy are in units of the anchor's size.
    """
    where = "bounding_box_encode"
    _rows(where, anchor_box, "anchor_box")
    _rows(where, groundtruth_box, "groundtruth_box")
    means, stds = (_Tensor([_four(where, what, value)], anchor_box.dtype)
                   for what, value in (("means", means), ("stds", stds)))
    (place, size), (wanted, extent) = _centre(anchor_box), _centre(groundtruth_box)
    return (_k.concat([(wanted - place) / size, _k.log(extent / size)], 1) - means) / stds


def bounding_box_decode(anchor_box, deltas, max_shape, means=(0.0, 0.0, 0.0, 0.0), stds=(1.0, 1.0, 1.0, 1.0),
                        wh_ratio_clip=0.016):
    """Reverses bounding_box_encode: gives boxes (boxes, 4) from `deltas` and anchors, clipped to max_shape, (height,
    width).

    The logarithms of sizes are clipped to +-|log(wh_ratio_clip)|. Raises TypeError for boxes that are no Tensors and for what should be numbers and
    is not, ValueError for boxes and a max_shape of another shape.
    """
    import math
    where = "bounding_box_decode"
    _rows(where, anchor_box, "anchor_box")
    _rows(where, deltas, "deltas")
    if not isinstance(max_shape, (tuple, list)) or len(max_shape) != 2:
        raise ValueError("[%s] max_shape, got %r, expected (height, width)" % (where, max_shape))
    for size in max_shape:
        _real(size, where, "max_shape")
    _real(wh_ratio_clip, where, "wh_ratio_clip")
    means, stds = (_Tensor([_four(where, what, value)], anchor_box.dtype)
                   for what, value in (("means", means), ("stds", stds)))
    deltas = deltas * stds + means
    limit = abs(math.log(wh_ratio_clip))
    place, size = _centre(anchor_box)
    middle = place + size * deltas[:, 0:2]
    half = size * _k.exp(_k.clip(deltas[:, 2:4], -limit, limit)) * 0.5
    most = _Tensor([[float(max_shape[1]), float(max_shape[0])] * 2], anchor_box.dtype)
    return _k.minimum(_k.maximum(_k.concat([middle - half + 0.5, middle + half - 0.5], 1), 0.0), most)


def check_valid(bboxes, img_metas):
    """Tests whether each box (boxes, 4) lies inside an image.

    img_metas is (height, width, ratio); the image has height * ratio times width * ratio pixels.
    """
    _rows("check_valid", bboxes, "bboxes")
    if tuple(_check(img_metas, "check_valid").shape) != (3,):
        raise ValueError("[check_valid] shape of img_metas, got %s, expected (3,)" % (tuple(img_metas.shape),))
    high, wide = img_metas[0] * img_metas[2] - 1, img_metas[1] * img_metas[2] - 1
    low = _k.greater_equal(_k.min(bboxes[:, 0:2], 1), 0)
    inside = _k.logical_and(_k.less_equal(bboxes[:, 2], wide), _k.less_equal(bboxes[:, 3], high))
    return _k.logical_and(low, inside)


def _overlaps(boxes):
    """Intersection over union of each pair of boxes in an array."""
    import numpy
    start = numpy.maximum(boxes[:, None, :2], boxes[None, :, :2])
    end = numpy.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = numpy.prod(numpy.maximum(end - start, 0), -1)
    area = numpy.prod(boxes[:, 2:] - boxes[:, :2], -1)
    with numpy.errstate(divide="ignore", invalid="ignore"):
        return shared / (area[:, None] + area[None, :] - shared)


def _kept(overlaps, threshold, most=None):
    """Numbers of the rows that stay, best first, where a kept row drops later ones that overlap it by more than a threshold."""
    import numpy
    alive, kept = numpy.ones(len(overlaps), bool), []
    for i in range(len(overlaps)):
        if not alive[i] or (most is not None and len(kept) == most):
            continue
        kept.append(i)
        alive[i + 1:] &= ~(overlaps[i + 1:, i] > threshold)
    return kept


def nms_with_mask(bboxes, iou_threshold=0.5):
    """Returns (boxes with scores (boxes, 5), sorted by falling score, their positions, int32, mask of those that stay); no gradient."""
    import numpy
    _real(iou_threshold, "NMSWithMask", "iou_threshold")
    rows = _rows("NMSWithMask", bboxes, "bboxes", 5).asnumpy()
    order = numpy.argsort(-rows[:, 4], kind="stable")
    rows = rows[order]
    mask = numpy.zeros(len(rows), bool)
    mask[_kept(_overlaps(rows[:, :4]), iou_threshold)] = True
    return _Tensor(rows), _Tensor(numpy.arange(len(rows), dtype=numpy.int32)), _Tensor(mask)


def nms_with_overlaps(overlaps, scores, max_output_size, overlap_threshold, score_threshold):
    """Positions, int32, of at most max_output_size boxes by falling score that overlap no better kept box above a threshold."""
    import numpy
    where = "NonMaxSuppressionWithOverlaps"
    table, points = _check(overlaps, where).asnumpy(), _check(scores, where).asnumpy()
    _real(max_output_size, where, "max_output_size"), _real(overlap_threshold, where, "overlap_threshold")
    _real(score_threshold, where, "score_threshold")
    if points.ndim != 1 or table.shape != (points.size, points.size):
        raise ValueError("[%s] shapes of overlaps and scores, got %s and %s, expected (n, n) and (n,)" % (where, table.shape, points.shape))
    order = [i for i in numpy.argsort(-points, kind="stable") if points[i] > float(score_threshold)]
    kept = _kept(table[numpy.ix_(order, order)], float(overlap_threshold), int(max_output_size))
    return _Tensor(numpy.array([order[i] for i in kept], numpy.int32))


def _weights(place, size):
    """Returns (lower position, upper position, weight of the upper one, whether outside) of points along an axis."""
    outside = _k.logical_or(_k.less(place, -1.0), _k.greater(place, float(size)))
    place = _k.clip(place, 0.0, float(size - 1))
    low = _k.floor(place)
    return _k.cast(low, _mstype.int64), _k.cast(_k.minimum(low + 1.0, float(size - 1)), _mstype.int64), place - low, outside


def _points(start, length, bins, samples):
    """Positions of `samples` points in each of `bins` parts of a box: (boxes, bins * samples)."""
    steps = _k.cast(_k.arange(0, bins * samples, 1, _mstype.int64), start.dtype)
    part = _k.floor(steps / float(samples))
    offset = (steps - part * float(samples) + 0.5) / float(samples)
    return _k.expand_dims(start, 1) + _k.expand_dims(length / float(bins), 1) * _k.expand_dims(part + offset, 0)


def roi_align(features, rois, pooled_height, pooled_width, spatial_scale, sample_num=2, roi_end_mode=1):
    """Averages bilinear samples in the parts of boxes: (boxes, channels, pooled_height, pooled_width).

    features is (images, channels, height, width). A row of rois is (image, x0, y0, x1, y1), scaled by spatial_scale. The
    last pixel of a box counts where roi_end_mode is 1; otherwise boxes are at least one pixel wide and high. Each part has
    sample_num points along each axis; below 1, it has one for each pixel. As in MindSpore, the boxes get no gradient.
    """
    if _check(features, "ROIAlign").ndim != 4:
        raise ValueError("[ROIAlign] rank of features, got %d, expected 4" % features.ndim)
    _rows("ROIAlign", rois, "rois", 5)
    _check_index(pooled_height, "ROIAlign", "pooled_height"), _check_index(pooled_width, "ROIAlign", "pooled_width")
    _factor(spatial_scale, "ROIAlign", "spatial_scale"), _check_index(sample_num, "ROIAlign", "sample_num")
    _real(roi_end_mode, "ROIAlign", "roi_end_mode")
    rois = _k.stop_gradient(rois)
    count, channels = rois.shape[0], features.shape[1]
    image = _k.cast(rois[:, 0], _mstype.int64)
    start = rois[:, 1:3] * spatial_scale
    length = (rois[:, 3:5] + float(roi_end_mode)) * spatial_scale - start
    length = length if roi_end_mode else _k.maximum(length, 1.0)
    samples = [sample_num] * 2
    if sample_num <= 0:
        counts = {tuple(max(1, int(n) // part) for n, part in zip(row, (pooled_width, pooled_height))) for row in length.tolist()}
        if len(counts) > 1:  # boxes of different sizes have different numbers of points, so each is pooled alone
            each = [roi_align(features, rois[i:i + 1], pooled_height, pooled_width, spatial_scale, sample_num, roi_end_mode)
                    for i in range(count)]
            return _k.concat(each, 0)
        samples = list(counts.pop())[::-1]
    y = _points(start[:, 1], length[:, 1], pooled_height, samples[0])
    x = _points(start[:, 0], length[:, 0], pooled_width, samples[1])
    top, bottom, down, above = _weights(y, features.shape[2])
    left, right, along, beside = _weights(x, features.shape[3])
    out = 0.0
    for rows, row_share in ((top, 1.0 - down), (bottom, down)):
        for columns, column_share in ((left, 1.0 - along), (right, along)):
            # (boxes, rows, columns, channels)
            taken = _k.index([features, _k.reshape(image, (count, 1, 1)), _k.expand_dims(rows, 2),
                              _k.expand_dims(columns, 1)], [0, 2, 3])
            share = _k.expand_dims(row_share, 2) * _k.expand_dims(column_share, 1)
            out = out + taken * _k.expand_dims(share, 3)
    missing = _k.logical_or(_k.expand_dims(above, 2), _k.expand_dims(beside, 1))
    out = _k.where(_k.expand_dims(missing, 3), 0.0, out)
    out = _k.reshape(out, (count, pooled_height, samples[0], pooled_width, samples[1], channels))
    return _k.transpose(_k.mean(out, (2, 4)), (0, 3, 1, 2))


__all__ = ["bounding_box_encode", "bounding_box_decode", "check_valid"]
