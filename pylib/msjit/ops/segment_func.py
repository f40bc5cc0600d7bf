"""Sums, products and extremes of the slices that share a segment id."""
from ..common.limits import ENDS as _ENDS
from ..common.tensor import check_tensor as _check
from . import registry as _k
from . import scatter_func as _sc
from .operands import whole as _whole


def _segments(name, x, segment_ids, num_segments, start, how):
    count = _whole(num_segments, name, "num_segments")
    if count <= 0:
        raise ValueError("[%s] num_segments must be positive, got %d" % (name, count))
    lead = _check(segment_ids, name).ndim
    _check(x, name)
    if tuple(x.shape[:lead]) != tuple(segment_ids.shape):
        raise ValueError("[%s] shape of segment_ids, got %s, expected the first sizes of %s"
                         % (name, tuple(segment_ids.shape), tuple(x.shape)))
    rest = tuple(x.shape[lead:])
    # A negative id names no segment: its elements go to an extra row, which is cut off.
    ids = _k.reshape(segment_ids, (-1,))
    ids = _k.where(_k.less(ids, 0), count, ids)
    rows = _k.reshape(x, (segment_ids.size,) + rest)
    out = _sc._combined(name, _k.full((count + 1,) + rest, start, x.dtype), rows, [ids], [0], how)
    return _k.slice(out, [0] * out.ndim, [count] + list(rest), [1] * out.ndim)


def _ends(dtype):
    """The (smallest, greatest) number of a dtype. Raises TypeError for bools."""
    if dtype not in _ENDS:
        raise TypeError("[unsorted_segment] dtype of x, got %s, expected a number" % (dtype,))
    return _ENDS[dtype]


def unsorted_segment_sum(input_x, segment_ids, num_segments):
    """Sums the slices with the same segment id; 0 for an id without slices. Slices with a negative id do not count.

    segment_ids has the first sizes of input_x; the result has num_segments slices. Raises ValueError for another shape and for a
    num_segments that is not positive, TypeError for one that is no int.

    >>> import msjit as ms
    >>> ms.ops.unsorted_segment_sum(ms.Tensor([1, 2, 3]), ms.Tensor([0, 2, 0]), 3).asnumpy().tolist()
    [4, 0, 2]
    """
    return _segments("unsorted_segment_sum", input_x, segment_ids, num_segments, 0, "add")


def unsorted_segment_prod(x, segment_ids, num_segments):
    """Multiplies the slices with the same segment id; 1 for an id without slices.

    segment_ids, integers, has the first sizes of x; the result has num_segments slices, of the dtype of x. Slices with a negative id do not count.

    Raises ValueError for segment_ids of another shape and for a num_segments that is not positive, IndexError for an id above num_segments,
    TypeError for ids that are no integers.
    """
    return _segments("unsorted_segment_prod", x, segment_ids, num_segments, 1, "mul")


def unsorted_segment_max(x, segment_ids, num_segments):
    """Takes the maximum of the slices with the same segment id; the smallest number of the dtype for an id without slices.

    segment_ids, integers, has the first sizes of x; the result has num_segments slices, of the dtype of x. Slices with a negative id do not count.

    Raises ValueError for segment_ids of another shape and for a num_segments that is not positive, IndexError for an id above num_segments,
    TypeError for ids that are no integers and for a bool x.
    """
    _check(x, "unsorted_segment_max")
    return _segments("unsorted_segment_max", x, segment_ids, num_segments, _ends(x.dtype)[0], "max")


def unsorted_segment_min(x, segment_ids, num_segments):
    """Takes the minimum of the slices with the same segment id; the greatest number of the dtype for an id without slices.

    segment_ids, integers, has the first sizes of x; the result has num_segments slices, of the dtype of x. Slices with a negative id do not count.

    Raises ValueError for segment_ids of another shape and for a num_segments that is not positive, IndexError for an id above num_segments,
    TypeError for ids that are no integers and for a bool x.
    """
    _check(x, "unsorted_segment_min")
    return _segments("unsorted_segment_min", x, segment_ids, num_segments, _ends(x.dtype)[1], "min")


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
