"""Functions that count, order and pack integers and bits, and neighbours of floats."""
from ..common import dtype as _mstype
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from ..context import FLOAT_DTYPES as _FLOATS
from . import integer_func as _int
from . import registry as _k
from . import statistics_func as _st
from .argument_kinds import check_iterable as _iterable
from .argument_kinds import check_real as _real

_BITS = {_mstype.int8: 8, _mstype.uint8: 8, _mstype.int16: 16, _mstype.uint16: 16, _mstype.int32: 32, _mstype.uint32: 32,
         _mstype.int64: 64, _mstype.uint64: 64}


def population_count(input_x):
    """Counts the one bits of each integer, in two's complement: uint8, in the shape of the input. Raises TypeError for other dtypes."""
    if _check(input_x, "population_count").dtype not in _BITS:
        raise TypeError("[population_count] dtype, got %s, expected one of ints" % (input_x.dtype,))
    bits = _BITS[input_x.dtype]
    x = _k.cast(input_x, _mstype.int64)
    x = x if bits == 64 else _k.bitwise_and(x, (1 << bits) - 1)
    pairs, nibbles = 0x5555555555555555, 0x3333333333333333
    x = x - _k.bitwise_and(_int.bitwise_right_shift(x, 1), pairs)
    x = _k.bitwise_and(x, nibbles) + _k.bitwise_and(_int.bitwise_right_shift(x, 2), nibbles)
    x = _k.bitwise_and(x + _int.bitwise_right_shift(x, 4), 0x0F0F0F0F0F0F0F0F)
    for step in (8, 16, 32):
        x = x + _int.bitwise_right_shift(x, step)
    return _k.cast(_k.bitwise_and(x, 0x7F), _mstype.uint8)


def nextafter(input, other):
    """Returns the next float after input towards other, element by element, without a gradient. The shapes broadcast.

    Raises TypeError unless both are float32 or both float64, ValueError for shapes that do not broadcast.
    """
    import numpy
    for value in (_check(input, "nextafter"), _check(other, "nextafter")):
        if value.dtype not in (_mstype.float32, _mstype.float64) or value.dtype != input.dtype:
            raise TypeError("[nextafter] dtype, got %s, expected float32 or float64, the same for both" % (value.dtype,))
    try:
        return _Tensor(numpy.nextafter(input.asnumpy(), other.asnumpy()))
    except ValueError:
        raise ValueError("[nextafter] shapes cannot be broadcast, got %s and %s" % (tuple(input.shape), tuple(other.shape))) from None


def equal_count(x, y):
    """Counts the equal elements of two tensors of one shape: (1,), in the dtype of x."""
    if _check(x, "EqualCount").shape != _check(y, "EqualCount").shape:
        raise ValueError("[EqualCount] shape of y, got %s, expected %s" % (tuple(y.shape), tuple(x.shape)))
    return _k.cast(_k.reshape(_k.sum(_k.cast(_k.equal(x, y), _mstype.int32)), (1,)), x.dtype)


def cumulative_logsumexp(x, axis, exclusive=False, reverse=False):
    """Computes log of the running sums of exp(x) along an axis, without overflow; exclusive leaves out the element itself."""
    _check(x, "CumulativeLogsumexp")
    axis = int(_real(axis, "CumulativeLogsumexp", "axis"))
    if not -x.ndim <= axis < x.ndim:
        raise ValueError("[CumulativeLogsumexp] axis, got %d, expected one in [%d, %d)" % (axis, -x.ndim, x.ndim))
    axis %= x.ndim
    x = _k.flip(x, (axis,)) if reverse else x
    out = _st.logcumsumexp(x, axis)
    if exclusive:
        least = {_mstype.float16: -65504.0, _mstype.float32: -3.4028234663852886e38}.get(x.dtype, -1.7976931348623157e308)
        first = _k.full([1 if i == axis else n for i, n in enumerate(x.shape)], least, x.dtype)
        out = _k.concat([first, out[(slice(None),) * axis + (slice(0, -1),)]], axis)
    return _k.flip(out, (axis,)) if reverse else out


def bucketize(input, boundaries):
    """Counts the boundaries that are not above each element, int32."""
    values = _k.cast(_check(input, "Bucketize"), _mstype.float64)
    bounds = _Tensor(list(_iterable(boundaries, "Bucketize", "boundaries", "a list of numbers")), _mstype.float64)
    return _k.cast(_st.searchsorted(bounds, values, right=True), _mstype.int32)


def bound(sorted_x, values, out_type, right):
    """Counts the elements of each row of sorted_x that are below (with right: not above) each number in the row of values."""
    where = "UpperBound" if right else "LowerBound"
    _check(sorted_x, where), _check(values, where)
    if sorted_x.ndim != 2 or values.ndim != 2 or sorted_x.shape[0] != values.shape[0]:
        raise ValueError("[%s] shapes, got %s and %s, expected as many rows"
                         % (where, tuple(sorted_x.shape), tuple(values.shape)))
    return _k.cast(_st.searchsorted(sorted_x, values, right=right), out_type)


def nth_element(input, n, reverse=False):
    """Returns the n-th smallest (with reverse: greatest) element of each row; n counts from 0."""
    if not _check(input, "NthElement").ndim:
        raise ValueError("[NthElement] rank of input, got 0, expected at least 1")
    n = int(_real(n, "NthElement", "n"))
    if not 0 <= n < input.shape[-1]:
        raise ValueError("[NthElement] n, got %d, expected one in [0, %d)" % (n, input.shape[-1]))
    return _k.sort(input, -1, reverse)[0][..., n]


def list_diff(x, y, out_idx=_mstype.int32):
    """Returns (the elements of x that are not in y, their indices), in the order of x."""
    import numpy
    if _check(x, "ListDiff").ndim != 1:
        raise ValueError("[ListDiff] rank of x, got %d, expected 1" % x.ndim)
    values = x.asnumpy()
    places = numpy.flatnonzero(~numpy.isin(values, _check(y, "ListDiff").asnumpy()))
    return _Tensor(values[places]), _k.cast(_Tensor(places.astype(numpy.int64)), out_idx)


def sub_and_filter(input_x, max_num, offset):
    """Returns (input_x - offset, indices), of only the elements where input_x - offset is in [0, max_num)."""
    import numpy
    most, start = int(_real(max_num, "SubAndFilter", "max_num")), int(_real(offset, "SubAndFilter", "offset"))
    found = _check(input_x, "SubAndFilter").asnumpy() - start
    places = numpy.flatnonzero((found >= 0) & (found < most))
    return _Tensor(found[places]), _Tensor(places.astype(numpy.int32))


def packed_comparison(x, threshold):
    """Packs the bits of x > threshold, eight along the last axis into one uint8, the first as the highest bit."""
    if _check(x, "CompareAndBitpack").ndim < 1 or x.shape[-1] % 8:
        raise ValueError("[CompareAndBitpack] size of the last axis, got shape %s, expected a multiple of 8" % (tuple(x.shape),))
    bits = _k.reshape(_k.cast(_k.greater(x, threshold), _mstype.int32), tuple(x.shape[:-1]) + (x.shape[-1] // 8, 8))
    return _k.cast(_k.sum(bits * _Tensor([128, 64, 32, 16, 8, 4, 2, 1], _mstype.int32), -1), _mstype.uint8)


def sorted_segments(name, x, segment_ids, how):
    """Reduces the slices of x with the same segment id; ids rise, and how is 'add', 'mul', 'max', 'min' or 'mean'."""
    from . import segment_func as _sg
    if not _check(x, name).ndim:
        raise ValueError("[%s] rank of x, got 0, expected at least 1" % name)
    if _check(segment_ids, name).ndim != 1 or segment_ids.shape[0] != x.shape[0]:
        raise ValueError("[%s] shape of segment_ids, got %s, expected (%d,)" % (name, tuple(segment_ids.shape), x.shape[0]))
    numbers = segment_ids.tolist()
    if numbers != sorted(numbers) or (numbers and numbers[0] < 0):
        raise ValueError("[%s] segment_ids, got %s, expected numbers of 0 or more that do not fall" % (name, numbers))
    count = numbers[-1] + 1 if numbers else 0
    if how == "mean":
        total = _sg.unsorted_segment_sum(x, segment_ids, count)
        each = _sg.unsorted_segment_sum(_k.ones_like(segment_ids), segment_ids, count)
        each = _k.reshape(_k.cast(_k.maximum(each, 1), x.dtype), (count,) + (1,) * (x.ndim - 1))
        return total / each if x.dtype in _FLOATS else _k.cast(total // each, x.dtype)
    out = getattr(_sg, "unsorted_segment_" + {"add": "sum", "mul": "prod"}.get(how, how))(x, segment_ids, count)
    if how in ("max", "min"):  # 0 for an id without slices
        missing = [n not in set(numbers) for n in range(count)]
        if any(missing):
            out = _k.where(_k.reshape(_Tensor(missing), (count,) + (1,) * (x.ndim - 1)), _k.zeros_like(out), out)
    return out


def unravelled(indices, dims):
    """Returns the coordinates, one row for each axis, of indices into a flattened tensor of shape `dims`."""
    import numpy
    sizes, places = _check(dims, "UnravelIndex").asnumpy(), _check(indices, "UnravelIndex").asnumpy()
    if places.size and (places.min() < 0 or places.max() >= sizes.prod()):
        raise ValueError("[UnravelIndex] indices, got %d to %d, expected ones in [0, %d)"
                         % (places.min(), places.max(), sizes.prod()))
    return _Tensor(numpy.stack(numpy.unravel_index(places, tuple(sizes.tolist()))).astype(places.dtype))


def ragged_range(starts, limits, deltas, splits_dtype):
    """Returns (where each range begins in the values, the values of all ranges from starts to limits by deltas)."""
    import numpy
    rows = numpy.broadcast_arrays(*[numpy.atleast_1d(_check(v, "RaggedRange").asnumpy()) for v in (starts, limits, deltas)])
    ranges = [numpy.arange(*row).astype(starts.asnumpy().dtype) for row in zip(*rows)]
    splits = numpy.cumsum([0] + [r.size for r in ranges])
    values = numpy.concatenate(ranges) if ranges else numpy.zeros(0, starts.asnumpy().dtype)
    return _k.cast(_Tensor(splits.astype(numpy.int64)), splits_dtype), _Tensor(values)


def coalesce(x_indices, x_values, x_shape):
    """Merges entries with equal coordinates; returns (distinct coordinates (axes, n) in order, sums of their values, shape)."""
    import numpy

    from . import segment_func as _sg
    for operand in (x_indices, x_values, x_shape):
        _check(operand, "coalesce")
    if x_indices.ndim != 2 or x_values.ndim != 1 or x_shape.ndim != 1:
        raise ValueError("[coalesce] ranks of x_indices, x_values and x_shape, got %d, %d and %d, expected 2, 1 and 1"
                         % (x_indices.ndim, x_values.ndim, x_shape.ndim))
    if x_indices.shape[1] != x_values.shape[0] or x_indices.shape[0] != x_shape.shape[0]:
        raise ValueError("[coalesce] shapes, got %s, %s and %s, expected (axes, n), (n,) and (axes,)"
                         % (tuple(x_indices.shape), tuple(x_values.shape), tuple(x_shape.shape)))
    found, places = numpy.unique(x_indices.asnumpy(), axis=1, return_inverse=True)
    sums = _sg.unsorted_segment_sum(x_values, _Tensor(places.reshape(-1).astype(numpy.int64)), found.shape[1])
    return _Tensor(numpy.ascontiguousarray(found)), sums, x_shape


__all__ = ["population_count", "nextafter", "coalesce"]
