"""Non-maximum suppression of boxes, computed with NumPy: NonMaxSuppressionV3 and CombinedNonMaxSuppression."""
from ..common.tensor import Tensor as _Tensor
from .primitive import rows as _rows


def _overlaps(box, boxes):
    """Intersection over union of a box with others, (y0, x0, y1, x1) with corners in any order."""
    import numpy
    low, high = numpy.minimum(boxes[:, :2], boxes[:, 2:]), numpy.maximum(boxes[:, :2], boxes[:, 2:])
    first, last = numpy.minimum(box[:2], box[2:]), numpy.maximum(box[:2], box[2:])
    common = numpy.clip(numpy.minimum(high, last) - numpy.maximum(low, first), 0, None).prod(1)
    areas, area = (high - low).prod(1), (last - first).prod()
    total = areas + area - common
    return numpy.where((areas > 0) & (area > 0), common / numpy.where(total > 0, total, 1), 0)


def _kept(boxes, scores, count, most_overlap, least_score):
    """Numbers of the boxes that are kept, best first."""
    import numpy
    kept = []
    for at in numpy.argsort(-scores, kind="stable"):
        if len(kept) >= count or not scores[at] > least_score:
            break
        if not kept or _overlaps(boxes[at], boxes[kept]).max() <= most_overlap:
            kept.append(int(at))
    return kept


def _number(value):
    return value.asnumpy().item() if isinstance(value, _Tensor) else value


def _checked(where, name, value, low, high):
    value = _number(value)
    if not low <= value <= high:
        raise ValueError("[%s] %s, got %s, expected %s to %s" % (where, name, value, low, high))
    return value


def _suppressed(p, boxes, scores, max_output_size, iou_threshold, score_threshold):
    import numpy
    if boxes.ndim != 2 or boxes.shape[1] != 4 or tuple(scores.shape) != (boxes.shape[0],):
        raise ValueError("[NonMaxSuppressionV3] shapes of boxes and scores, got %s and %s, expected (boxes, 4) and (boxes,)"
                         % (tuple(boxes.shape), tuple(scores.shape)))
    overlap = _checked("NonMaxSuppressionV3", "iou_threshold", iou_threshold, 0, 1)
    kept = _kept(boxes.asnumpy().astype(numpy.float64), scores.asnumpy().astype(numpy.float64), int(_number(max_output_size)), overlap,
                 _number(score_threshold))
    return _Tensor(numpy.array(kept, numpy.int32))


def _combined(p, boxes, scores, max_output_size_per_class, max_total_size, iou_threshold, score_threshold):
    import numpy
    if boxes.ndim != 4 or boxes.shape[3] != 4 or scores.ndim != 3 or boxes.shape[2] not in (1, scores.shape[2]):
        raise ValueError("[CombinedNonMaxSuppression] shapes of boxes and scores, got %s and %s, expected (images, boxes, 1 or classes, 4) and "
                         "(images, boxes, classes)" % (tuple(boxes.shape), tuple(scores.shape)))
    each, total = int(_number(max_output_size_per_class)), int(_number(max_total_size))
    overlap, least = _checked("CombinedNonMaxSuppression", "iou_threshold", iou_threshold, 0, 1), _number(score_threshold)
    classes = scores.shape[2]
    size = min(total, each * classes) if p.pad_per_class else total
    out = [numpy.zeros((len(boxes), size, 4), numpy.float32), numpy.zeros((len(boxes), size), numpy.float32),
           numpy.zeros((len(boxes), size), numpy.float32), numpy.zeros(len(boxes), numpy.int32)]
    for image, (all_boxes, all_scores) in enumerate(zip(boxes.asnumpy(), scores.asnumpy())):
        found = []
        for kind in range(classes):
            own = all_boxes[:, kind if all_boxes.shape[1] > 1 else 0]
            found += [(-all_scores[at, kind], kind, own[at]) for at in _kept(own.astype(float), all_scores[:, kind], each, overlap, least)]
        found = sorted(found, key=lambda item: item[0])[:size]
        out[3][image] = len(found)
        for place, (score, kind, box) in enumerate(found):
            out[0][image, place] = numpy.clip(box, 0, 1) if p.clip_boxes else box
            out[1][image, place], out[2][image, place] = -score, kind
    return tuple(_Tensor(value) for value in out)


__all__ = _rows(globals(), (
    ("NonMaxSuppressionV3", {}, _suppressed),
    ("CombinedNonMaxSuppression", {"clip_boxes": True, "pad_per_class": False}, _combined),
))
