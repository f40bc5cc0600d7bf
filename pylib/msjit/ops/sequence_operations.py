"""Primitives for numbers, tuples, lists and strings, which MindSpore's graphs use for Python's operators.

Numbers are Python numbers or tensors. Each primitive returns a new tuple or list and does not change its arguments. Errors
are those of Python, except that a division by 0 raises ValueError.
"""
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import array_func as _a
from . import registry as _k
from . import sequence_func as _s
from .primitive import rows as _rows


def _plain(function):
    """Makes a rule that calls a function with the inputs only."""
    def rule(p, *inputs):
        return function(*inputs)
    return rule


def _fixed(count, function):
    """Makes such a rule for exactly one or two inputs."""
    return (lambda p, x: function(x)) if count == 1 else (lambda p, x, y: function(x, y))


def _sequence(p, value):
    if not isinstance(value, (tuple, list)):
        raise TypeError("[%s] sequence, got %s, expected a tuple or a list" % (p.name, type(value).__name__))
    return value


def _same(x, y):
    """Tells whether two elements are equal; tensors are equal where all their elements are."""
    if isinstance(x, _Tensor) or isinstance(y, _Tensor):
        if isinstance(x, _Tensor) and isinstance(y, _Tensor) and x.shape != y.shape:
            return False
        return bool(_k.all(_k.equal(x, y)))
    return x == y


def _index(p, sequence, target, start=0, end=None):
    end = len(_sequence(p, sequence)) if end is None else end
    for at in range(*slice(start, end).indices(len(sequence))):
        if _same(sequence[at], target):
            return at
    raise ValueError("[%s] target, got %s, expected one of the elements" % (p.name, target))


def _inserted(p, values, at, target):
    values = list(_sequence(p, values))
    values.insert(at, target)
    return values


def _popped(p, values, at):
    values = list(_sequence(p, values))
    values.pop(at)
    return values


def _zeros(value):
    if isinstance(value, (tuple, list)):
        return type(value)(_zeros(item) for item in value)
    return _k.zeros_like(value) if isinstance(value, _Tensor) else type(value)(0)


def _slice_grad(p, dout, x, start, stop, step):
    """Returns zeros like the elements of x, with dout written where the slice took its elements."""
    found = [_zeros(item) for item in _sequence(p, x)]
    found[slice(start, stop, step)] = list(dout)
    return type(x)(found)


def _slice_set(p, values, target, start, stop, step):
    found = list(_sequence(p, values))
    found[slice(start, stop, step)] = list(target)
    return type(values)(found)


def _product_grad(p, values, dout):
    """For each number, dout times the product of the other numbers."""
    found = []
    for at in range(len(_sequence(p, values))):
        product = dout
        for other in values[:at] + values[at + 1:]:
            product = product * other
        found.append(product)
    return tuple(found)


def _total(p, values):
    out = _sequence(p, values)[0]
    for value in values[1:]:
        out = out + value
    return out


def _number(p, x):
    if _check(x, p.name).size != 1:
        raise ValueError("[%s] number of elements, got %d, expected 1" % (p.name, x.size))
    return x.item()


def _tile_size(p, shape, out_shape, ndim):
    """How often to repeat each axis: once where the sizes are equal."""
    found = [1] * ndim
    for at, (size, wanted) in enumerate(zip(shape, out_shape)):
        found[at] = 1 if size == wanted else wanted
    return tuple(found)


def _boolean(x):
    return bool(x)


_ORDER = {"equal": lambda x, y: x == y, "greater_than": lambda x, y: x > y, "greater_equal": lambda x, y: x >= y,
          "lt": lambda x, y: x < y, "le": lambda x, y: x <= y}
_OF_TWO = {
    "ScalarAdd": _s.scalar_add, "ScalarSub": _s.scalar_sub, "ScalarMul": _s.scalar_mul, "ScalarDiv": _s.scalar_div,
    "ScalarFloorDiv": _s.scalar_floordiv, "ScalarMod": _s.scalar_mod, "ScalarPow": _s.scalar_pow, "ScalarEq": _s.scalar_eq,
    "ScalarGe": _s.scalar_ge, "ScalarGt": _s.scalar_gt, "ScalarLe": _s.scalar_le, "ScalarLt": _s.scalar_lt,
    "ScalarMax": _s.scalar_max, "ScalarMin": _s.scalar_min, "bit_and": lambda x, y: x & y, "bit_or": lambda x, y: x | y,
    "bit_xor": lambda x, y: x ^ y, "bit_left_shift": lambda x, y: x << y, "bit_right_shift": lambda x, y: x >> y,
    "string_ge": lambda x, y: x >= y, "string_gt": lambda x, y: x > y, "string_le": lambda x, y: x <= y,
    "string_lt": lambda x, y: x < y, "string_in": lambda x, y: x in y, "string_getitem": lambda x, y: x[y],
    "string_mul": lambda x, y: x * y,
}
_OF_TWO.update(("%s_%s" % (kind, name), function) for kind in ("tuple", "list") for name, function in _ORDER.items())
_OF_ONE = {"ScalarUadd": _s.scalar_uadd, "ScalarUsub": _s.scalar_usub, "ScalarBool": _boolean, "ScalarLog": _s.scalar_log,
           "bool_not": lambda x: not x, "string_not": lambda x: not x, "sequence_len": len, "shape_mul": _s.shape_mul}
__all__ = _rows(globals(), [(name, {}, _fixed(2, function)) for name, function in _OF_TWO.items()]
                + [(name, {}, _fixed(1, function)) for name, function in _OF_ONE.items()])
__all__ += _rows(globals(), (
    ("make_range", {}, _plain(lambda *limits: tuple(range(*limits)))),
    ("InSequence", {}, lambda p, x, sequence: any(_same(item, x) for item in _sequence(p, sequence))),
    ("ListAppend", {}, lambda p, values, target: list(_sequence(p, values)) + [target]), ("ListInsert", {}, _inserted),
    ("ListAppendAndInsertGrad", {}, _popped),
    ("SequenceAdd", {}, lambda p, x, y: _sequence(p, x) + _sequence(p, y)), ("SequenceAddN", {}, _total),
    ("SequenceAddOffset", {}, lambda p, x, y: (0, len(_sequence(p, x)))),
    ("SequenceCount", {}, lambda p, sequence, x: sum(_same(item, x) for item in _sequence(p, sequence))), ("SequenceIndex", {}, _index),
    ("SequenceMax", {}, lambda p, x: max(_sequence(p, x))), ("SequenceMin", {}, lambda p, x: min(_sequence(p, x))),
    ("SequenceMul", {}, lambda p, x, n: _sequence(p, x) * n),
    ("SequenceSlice", {}, lambda p, x, start, stop, step: _sequence(p, x)[start:stop:step]), ("SequenceSliceGrad", {}, _slice_grad),
    ("SequenceSliceSetItem", {}, _slice_set), ("SequenceZerosLike", {}, lambda p, x: _zeros(_sequence(p, x))),
    ("SequenceStack", {"axis": 0}, lambda p, x: _k.stack(_sequence(p, x), p.axis)),
    ("SequenceUnstack", {"axis": 0, "num": None}, lambda p, x: _a.unstack(x, p.axis)), ("ShapeMulGrad", {}, _product_grad),
    ("TensorToList", {}, lambda p, x: _check(x, p.name).tolist()), ("TensorToScalar", {}, _number),
    ("Format", {}, _plain(lambda text, *values: text.format(*values))),
    ("TileSize", {}, _tile_size),
))
