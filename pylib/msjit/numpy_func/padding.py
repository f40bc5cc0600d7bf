"""numpy.pad: values around a tensor."""
from .. import ops as _ops
from ..common.checks import check_offset as _check_offset
from ..common.checks import check_real as _check_real
from ..common.tensor import Tensor as _Tensor
from ..ops import pad_func as _pad
from ..ops import registry as _k
from .shared import as_float as _float
from .shared import as_tensor as _tensor
from .shared import public

__all__ = []
_public = public(__all__)
_STATISTICS = {"maximum": _ops.amax, "minimum": _ops.amin, "mean": _ops.mean}
_MODES = ("constant", "edge", "reflect", "symmetric", "wrap", "linear_ramp", "maximum", "minimum", "mean", "empty")


def _pairs(where, given, rank):
    """(before, after) for each axis, from a number, a pair for all axes, or a pair for each axis."""
    if not isinstance(given, (tuple, list)):
        return [(given, given)] * rank
    if not given or not isinstance(given[0], (tuple, list)):
        given = [tuple(given) * (2 if len(given) == 1 else 1)]
    for pair in given:
        if not isinstance(pair, (tuple, list)):
            raise TypeError("[pad] %s, got %s among pairs, expected pairs" % (where, type(pair).__name__))
    pairs = [tuple(pair) * (2 if len(pair) == 1 else 1) for pair in given] * (rank if len(given) == 1 else 1)
    if len(pairs) != rank or any(len(pair) != 2 for pair in pairs):
        raise ValueError("[pad] %s, got %s, expected a number, a pair, or a pair for each of %d axes" % (where, given, rank))
    return pairs


def _block(arr, axis, count, value):
    return _k.full([count if at == axis else size for at, size in enumerate(arr.shape)], value, arr.dtype)


def _ramp(arr, axis, count, end, before):
    """`count` slices that go linearly from a number to an edge (before) or from an edge to a number."""
    at = 0 if before else arr.shape[axis] - 1
    edge = _float(_ops.narrow(arr, axis, at, 1))
    steps = [i / float(count) for i in range(count)]
    shares = _k.reshape(_Tensor(steps if before else steps[::-1], edge.dtype), [-1 if i == axis else 1 for i in range(arr.ndim)])
    return _k.cast(end + (edge - end) * shares, arr.dtype)


def _statistic(arr, axis, count, mode, length, before):
    size = arr.shape[axis]
    length = size if length is None else min(length, size)
    part = _ops.narrow(arr, axis, 0 if before else size - length, length)
    found = _STATISTICS[mode](part if mode != "mean" else _float(part), axis, True)
    return _k.broadcast_to(_k.cast(found, arr.dtype), [count if i == axis else n for i, n in enumerate(arr.shape)])


@_public
def pad(arr, pad_width, mode="constant", stat_length=None, constant_values=0, end_values=0, reflect_type="even", **kwargs):
    """Pads a tensor in one of NumPy's modes.

    The mode is 'constant', 'edge', 'reflect', 'symmetric', 'wrap', 'linear_ramp', 'maximum', 'minimum', 'mean' or 'empty'
    (zeros, because memory is never left uninitialised). Raises NotImplementedError for others.
    """
    arr = _tensor(arr)
    if mode not in _MODES or reflect_type != "even" or kwargs:
        raise NotImplementedError("[pad] mode, got %r, expected one of %s, with reflect_type 'even'" % (mode, ", ".join(_MODES)))
    pairs = [[_check_offset(count, "pad", "pad_width") for count in pair] for pair in _pairs("pad_width", pad_width, arr.ndim)]
    if mode == "constant" and isinstance(constant_values, (int, float)):
        return _k.pad(arr, [p[0] for p in pairs], [p[1] for p in pairs], constant_values)
    lengths, ends = _pairs("stat_length", stat_length, arr.ndim), _pairs("end_values", end_values, arr.ndim)
    for at in (0, 1):
        for axis in range(arr.ndim):
            _check_real(ends[axis][at], "pad", "end_values")
            if lengths[axis][at] is not None:
                _check_offset(lengths[axis][at], "pad", "stat_length")
    constants = _pairs("constant_values", constant_values, arr.ndim)
    for axis, (before, after) in enumerate(pairs):
        if mode in ("reflect", "symmetric"):
            arr = _pad.mirrored(arr, axis, before, after, mode == "symmetric")
        elif mode in ("edge", "wrap"):
            arr = _pad.extended(arr, axis, before, after, "replicate" if mode == "edge" else "circular")
        else:
            blocks = []
            for count, at in ((before, 0), (after, 1)):
                if mode == "linear_ramp":
                    blocks.append(_ramp(arr, axis, count, ends[axis][at], at == 0) if count else None)
                elif mode in ("constant", "empty"):
                    blocks.append(_block(arr, axis, count, constants[axis][at] if mode == "constant" else 0))
                else:
                    blocks.append(_statistic(arr, axis, count, mode, lengths[axis][at], at == 0))
            arr = _k.concat([part for part in (blocks[0], arr, blocks[1]) if part is not None and part.shape[axis]], axis)
    return arr
