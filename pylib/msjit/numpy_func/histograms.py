"""Histograms over one, two and more axes."""
from ..common import dtype as _mstype
from ..common.checks import check_real as _check_real
from ..common.checks import check_sequence as _check_sequence
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..ops import registry as _k
from .shared import as_float as _float
from .shared import as_tensor as _tensor
from .shared import public

__all__ = []
_public = public(__all__)


def _check_span(where, span):
    """The range of a histogram, a pair of numbers; an empty one counts as None."""
    if not isinstance(span, (tuple, list)):
        raise TypeError("[%s] range, got %s, expected a pair of numbers" % (where, type(span).__name__))
    if len(span) not in (0, 2):
        raise ValueError("[%s] range, got %d items, expected a pair of numbers" % (where, len(span)))
    for value in span:
        _check_real(value, where, "range")


def _edges(where, a, bins, span):
    """The edges of the bins: as given, or those of `bins` equal bins over a span (by default that of the elements)."""
    if isinstance(bins, str):
        raise NotImplementedError("[%s] bins, got %r, expected a number or bounds" % (where, bins))
    if isinstance(bins, (tuple, list, _Tensor)):
        found = _tensor(bins)
        if found.ndim != 1 or found.size < 1:
            raise ValueError("[%s] bins, got shape %s, expected one axis" % (where, tuple(found.shape)))
        return found
    if isinstance(bins, bool) or not isinstance(bins, int):
        raise TypeError("[%s] bins, got %s, expected an int or bounds" % (where, type(bins).__name__))
    if bins < 1:
        raise ValueError("[%s] bins, got %d, expected 1 or more" % (where, bins))
    if span is not None:
        _check_span(where, span)
    low, high = (0.0, 1.0) if span is None and not a.size else span or (_k.min(a), _k.max(a))
    if span is not None and not low < high and low != high:
        raise ValueError("[%s] range, got %s, expected numbers that do not fall" % (where, span))
    low, high = (_k.cast(_k.reshape(_tensor(v), ()), _mstype.float32) for v in (low, high))
    same = _k.equal(low, high)
    low, high = _k.where(same, low - 0.5, low), _k.where(same, high + 0.5, high)
    places = _k.arange(0, bins + 1, 1, _mstype.float32)
    return _k.concat([(low + places * ((high - low) / float(bins)))[:-1], _k.reshape(high, (1,))], 0)


@_public
def histogram_bin_edges(a, bins=10, range=None, weights=None):
    """Returns the edges of `bins` equal bins over range, by default that of the elements; a vector of bins is returned itself."""
    return _edges("histogram_bin_edges", _float(_tensor(a)), bins, range)


def _places(values, edges):
    """The bin of each element; the last edge belongs to the last bin. Elements outside all bins get the number of bins."""
    edges = _k.cast(edges, values.dtype)
    count = edges.size - 1
    place = _k.searchsorted(edges, values, True) - 1
    place = _k.where(_k.equal(values, edges[-1]), count - 1, place)
    inside = _k.logical_and(_k.greater_equal(values, edges[0]), _k.less_equal(values, edges[-1]))
    return _k.where(inside, place, count)


def _counted(places, count, weights, where):
    if weights is None:
        weights = _k.full((places.size,), 1.0, _mstype.float32)
    else:
        weights = _k.reshape(_float(_tensor(weights)), (-1,))
        if weights.size != places.size:
            raise ValueError("[%s] size of weights, got %d, expected %d" % (where, weights.size, places.size))
    return _k.index_update([_k.full((count + 1,), 0.0, weights.dtype), weights, places], [0], True)[:count]


@_public
def histogram(a, bins=10, range=None, weights=None, density=False):
    """Counts the elements in each bin; returns (counts, edges).

    Counts are float32. With density they are divided by the total and by the width of the bin.
    """
    values = _k.reshape(_float(_tensor(a)), (-1,))
    edges = _edges("histogram", values, bins, range)
    out = _counted(_places(values, edges), edges.size - 1, weights, "histogram")
    if density:
        out = out / _k.cast(edges[1:] - edges[:-1], out.dtype) / _k.sum(out)
    return out, edges


@_public
def histogramdd(sample, bins=10, range=None, weights=None, density=False):
    """Counts points in the cells of a grid; returns (counts, list of the edges along each axis).

    sample is (points, axes), or a list with one Tensor for each axis.
    """
    if isinstance(sample, (tuple, list)) and sample and isinstance(sample[0], _Tensor):
        columns = [_k.reshape(_float(_tensor(column)), (-1,)) for column in sample]
    else:
        points = _float(_tensor(sample))
        points = _k.expand_dims(points, 1) if points.ndim == 1 else points
        columns = list(_k.unstack(points, 1))
    many = isinstance(bins, (tuple, list))
    if many and len(bins) != len(columns):
        raise ValueError("[histogramdd] bins, got %d, expected %d, one for each axis" % (len(bins), len(columns)))
    spans = [None] * len(columns) if range is None else list(_check_sequence(range, "histogramdd", "range", "a pair for each axis"))
    if len(spans) < len(columns):
        raise ValueError("[histogramdd] range, got %d items, expected %d, one for each axis" % (len(spans), len(columns)))
    edges = [_edges("histogramdd", column, bins[i] if many else bins, spans[i]) for i, column in enumerate(columns)]
    sizes = [edge.size - 1 for edge in edges]
    place, outside, total = 0, None, 1
    for column, edge, size in zip(columns, edges, sizes):
        found = _places(column, edge)
        beyond = _k.equal(found, size)
        outside = beyond if outside is None else _k.logical_or(outside, beyond)
        place, total = place * size + found, total * size
    out = _k.reshape(_counted(_k.where(outside, total, place), total, weights, "histogramdd"), sizes)
    if density:
        all_of_it = _k.sum(out)
        for i, edge in enumerate(edges):
            width = _k.cast(edge[1:] - edge[:-1], out.dtype)
            out = out / _k.reshape(width, [-1 if j == i else 1 for j, _ in enumerate(sizes)])
        out = out / all_of_it
    return out, edges


@_public
def histogram2d(x, y, bins=10, range=None, weights=None, density=False):
    """Counts points (x, y) in the cells of a grid; returns (counts, edges along x, edges along y)."""
    if isinstance(bins, (tuple, list, _Tensor)) and len(bins) not in (1, 2):
        bins = [bins, bins]
    elif isinstance(bins, (tuple, list)) and len(bins) == 1:
        bins = [bins[0], bins[0]]
    try:
        out, edges = histogramdd([_tensor(x), _tensor(y)], bins, range, weights, density)
    except _ERRORS as error:
        _rename(error, "histogram2d")
        raise
    return (out,) + tuple(edges)
