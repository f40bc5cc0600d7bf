"""Private primitives of MindSpore (ops.operations._inner_ops, array_ops, math_ops, nn_ops), as rows.

Their inputs and attributes are MindSpore's. All are computed with ordinary operators, so they can be differentiated and
compiled.
"""
from ..common import dtype as _mstype
from ..common.parameter import Parameter as _Parameter
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import array_func as _a
from . import layout_func as _l
from . import math_func as _m
from . import random_func as _r
from . import registry as _k
from .gradient_kernels import _numbers
from .nn_operations import _seed
from .primitive import REQUIRED as _REQUIRED
from .primitive import rows as _rows


def _axes(value):
    return None if value in (None, (), []) else (value,) if isinstance(value, int) else tuple(value)


def _clipped(p, x, clip_norm):
    """Scales x down where its norm over the axes exceeds clip_norm; float32."""
    x = _k.cast(x, _mstype.float32)
    norm = _k.sqrt(_k.sum(_k.square(x), _axes(p.axis), True))
    return x * _k.where(norm > clip_norm, clip_norm / norm, _k.ones_like(norm))


def _offsets(shapes, axis):
    """For each shape, the offset of its part in the concatenation along an axis."""
    found, start = [], 0
    for shape in shapes:
        found.append([start if at == axis % len(shape) else 0 for at in range(len(shape))])
        start += shape[axis]
    return found


def _concat_offset(p, xs):
    return _Tensor(_offsets([tuple(x.shape) for x in xs], p.axis), _mstype.int64)


def _concat_offset_v1(p, axis, xs):
    return tuple(_Tensor(row, x.dtype) for row, x in zip(_offsets([_numbers(x) for x in xs], _numbers(axis.reshape((1,)))[0]), xs))


def _stitched(p, indices, data):
    """Puts the rows of all data in one tensor, each at its index. For a repeated index, the last row counts."""
    rank = data[0].ndim - indices[0].ndim
    rest = tuple(data[0].shape[data[0].ndim - rank:])
    flat = _k.concat([_k.reshape(at, (-1,)) for at in indices], 0)
    last = {place: at for at, place in enumerate(flat.tolist())}
    rows = _k.concat([_k.reshape(x, (-1,) + rest) for x in data], 0)
    if sorted(last) != list(range(len(last))):
        raise ValueError("[%s] indices, got %s, expected all numbers from 0 on" % (p.name, sorted(last)))
    return _k.gather(rows, _Tensor([last[place] for place in range(len(last))], _mstype.int64), 0)


def _gradient_axes(p, first, second):
    """For each of two shapes that broadcast, the axes of the result to sum its gradient over."""
    shapes = [_numbers(first), _numbers(second)]
    rank = max(len(shape) for shape in shapes)
    shapes = [(1,) * (rank - len(shape)) + shape for shape in shapes]
    for n, m in zip(*shapes):
        if n != m and 1 not in (n, m):
            raise ValueError("[%s] shapes, got %s and %s, expected ones that broadcast" % (p.name, shapes[0], shapes[1]))
    ones = [at for at in range(rank) if shapes[0][at] == shapes[1][at] == 1]
    found = [[at for at in range(rank) if shape[at] == 1 and at not in ones] for shape in shapes]
    return tuple(_Tensor(axes, first.dtype) if axes else _a.zeros((0,), first.dtype) for axes in found)


_ROUND = {"Round": "round", "Floor": "floor", "Ceil": "ceil", "Trunc": "trunc"}


def _quantised(p, x):
    if p.round_mode not in _ROUND:
        raise ValueError("[%s] round_mode, got %r, expected one of %s" % (p.name, p.round_mode, sorted(_ROUND)))
    x = x * p.scale * (p.scale if p.sqrt_mode else 1.0) + p.offset
    return _k.cast(_k.clip(getattr(_k, _ROUND[p.round_mode])(x), -128, 127), _mstype.int8)


def _dequantised(p, x, scale):
    x = _k.cast(x, _mstype.float32) * _k.cast(scale, _mstype.float32) * (_k.cast(scale, _mstype.float32) if p.sqrt_mode else 1.0)
    return _k.cast(_k.relu(x) if p.relu_flag else x, p.dtype)


def _antiquantised(p, x, scale, offset):
    x = scale * (_k.cast(x, _mstype.float32) + offset)
    return _k.cast(x * scale if p.sqrt_mode else x, p.dtype)


def _diagonals(p, x, assist):
    return _k.sum(x * assist, -1 if x.shape[-2] <= x.shape[-1] else -2)


def _with_diagonal(p, x, diagonal, assist):
    """Writes a diagonal to a copy of x where assist is 1."""
    tall = x.shape[-2] <= x.shape[-1]
    return x * (1 - assist) + _k.expand_dims(diagonal, -1 if tall else -2) * assist


def _copied(p, x, value, begin, end, strides):
    """Copies x and writes a value to a slice of the first axes."""
    out = _k.copy(x)
    out[tuple(slice(*bounds) for bounds in zip(_numbers(begin), _numbers(end), _numbers(strides)))] = value
    return out


def _tridiagonal(p, diagonals, rhs):
    """Solves A x = rhs; diagonals are the upper (its last number is unused), the main and the lower (its first is unused)."""
    on = _k.eye(diagonals.shape[-1], diagonals.shape[-1], _mstype.bool_)
    above, main, below = (_k.where(on, _k.expand_dims(diagonals[..., at, :], -1), False) for at in range(3))
    none = _k.zeros_like(main[..., :1])
    matrix = main + _k.concat([none, above[..., :-1]], -1) + _k.concat([below[..., 1:], none], -1)
    return _k.matrix_solve(matrix, rhs, False)


def _finite(p, *gradients):
    """Tells whether all elements of all tensors are finite."""
    items = gradients[0] if len(gradients) == 1 and isinstance(gradients[0], (tuple, list)) else gradients
    return _k.all(_k.stack([_k.all(_k.isfinite(item)) for item in items], 0))


def _sparse_loss(p, logits, labels):
    """Returns (loss of each row, its gradient by the logits)."""
    one = _k.one_hot(labels, logits.shape[-1], 1, 0, -1, logits.dtype)
    scores = _k.log_softmax(logits, -1)
    return -_k.sum(scores * one, -1), _k.exp(scores) - one


def _contrast(p, images, factor):
    """Multiplies the distance of each channel from its mean by a factor; images are (..., height, width, channels)."""
    mean = _k.mean(images, (images.ndim - 3, images.ndim - 2), True)
    return (images - mean) * factor + mean


def _cached(p, past, cur, index):
    """Writes the step `cur` to past, at one position of the third axis for each row of the batch."""
    at = _k.arange(0, past.shape[2], 1, index.dtype)
    here = _k.reshape(_k.equal(_k.expand_dims(index, -1), at), (past.shape[0], 1, past.shape[2], 1))
    _k.assign(past, _k.where(here, cur, past.detach()))
    return past


def _drawn(p, x):
    if p.minval > p.maxval:
        raise ValueError("[%s] minval, got %s, expected at most maxval %s" % (p.name, p.minval, p.maxval))
    return _k.cast(_r.uniform(tuple(x.shape), seed=_seed(p.seed, p.offset)) * (p.maxval - p.minval) + p.minval, x.dtype)


def _same_kind(p, x, y):
    if _check(x, p.name).dtype != _check(y, p.name).dtype or x.shape != y.shape:
        raise TypeError("[%s] y, got %s %s, expected %s %s" % (p.name, y.dtype, tuple(y.shape), x.dtype, tuple(x.shape)))
    return x


def _cast_all(p, dtype, x):
    """Casts floats to another dtype, also inside tuples, lists and dicts."""
    if isinstance(x, (tuple, list)):
        return type(x)(_cast_all(p, dtype, item) for item in x)
    if isinstance(x, dict):
        return {key: _cast_all(p, dtype, item) for key, item in x.items()}
    return _k.cast(x, dtype) if isinstance(x, _Tensor) and x.dtype in _mstype.float_type else x


def _eigen(p, x):
    """Returns (eigenvalues of a symmetric matrix in ascending order, eigenvectors), or the values alone."""
    from ..scipy.linalg import eigh
    return eigh(x, lower=p.lower, eigvals_only=not p.compute_eigenvectors)


def _self_adjoint(p, x):
    """Returns (eigenvalues in ascending order, eigenvectors), whatever compute_v is, as in MindSpore."""
    from ..scipy.linalg import eigh
    return eigh(x)


_QUANT = {"sqrt_mode": False, "dtype": _mstype.float16}
__all__ = _rows(globals(), (
    ("AddV2", {}, lambda p, x, y: _k.add(x, y)), ("ReLUV3", {}, lambda p, x: _k.relu(x)),
    ("Unsqueeze", {"axis": _REQUIRED}, lambda p, x: _k.expand_dims(x, p.axis)),
    ("RangeV2", {"maxlen": 1000000}, lambda p, start, limit, delta: _a.range(start, limit, delta)),
    ("ArgminV2", {}, lambda p, x, axis=-1: _k.argmin(x, axis, False)), ("TransShape", {}, lambda p, x, shape: _k.reshape(x, shape)),
    ("DivMod", {}, lambda p, x, y, rounding_mode=None: _m.div(x, y, rounding_mode=rounding_mode)),
    ("Load", {}, lambda p, x, u=None: x), ("Uniform", {"minval": 0.0, "maxval": 1.0, "seed": 0, "offset": 0}, _drawn),
    ("ConcatOffset", {"N": 2, "axis": 0}, _concat_offset), ("ConcatOffsetV1", {}, _concat_offset_v1),
    ("TridiagonalSolve", {"partial_pivoting": True}, _tridiagonal),
    ("Eigh", {"compute_eigenvectors": True, "lower": True}, _eigen),
    ("SelfAdjointEig", {"compute_v": True}, _self_adjoint), ("AllFinite", {}, _finite),
    ("SparseSoftmaxCrossEntropyWithLogitsV2", {}, _sparse_loss), ("AdjustContrastv2", {}, _contrast), ("KVCacheMgr", {}, _cached),
    ("ClipByNorm", {"axis": None}, _clipped),
    ("Centralization", {}, lambda p, x, axis=(): x - _k.mean(x, _axes(axis), True)),
    ("SequenceMask", {}, lambda p, lengths, maxlen: _l.sequence_mask(lengths, maxlen)), ("DynamicStitch", {}, _stitched),
    ("DynamicBroadcastTo", {}, lambda p, x, shape: _k.broadcast_to(x, _numbers(shape))),
    ("DynamicBroadcastGradientArgs", {}, _gradient_axes), ("TensorCopySlices", {}, _copied),
    ("Quant", {"scale": _REQUIRED, "offset": _REQUIRED, "sqrt_mode": False, "round_mode": "Round"}, _quantised),
    ("Dequant", {"sqrt_mode": False, "relu_flag": False, "dtype": _mstype.float16}, _dequantised), ("AntiQuant", _QUANT, _antiquantised),
    ("MatrixDiag", {}, lambda p, x, assist: _k.expand_dims(x, -2) * assist), ("MatrixDiagPart", {}, _diagonals),
    ("MatrixSetDiag", {}, _with_diagonal), ("SameTypeShape", {}, _same_kind), ("MixedPrecisionCast", {}, _cast_all),
    ("IsConstant", {}, lambda p, x: True), ("IsParameter", {}, lambda p, x: isinstance(x, _Parameter)),
    ("ConvertToDynamic", {"is_dynamic_rank": False}, lambda p, x: x), ("GpuConvertToDynamicShape", {}, lambda p, x: x),
))
