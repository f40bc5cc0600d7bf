"""Rules for operators that move, join and cut tensors without computing; see onnx_ops.py. Shapes are constants."""
from .onnx_ops import RULES, _axes, _operands, _rule, _shaped


@_rule("reshape", "flatten", "squeeze", "expand_dims")
def _reshape(m, x, y, a):
    return _shaped(m, m.name(x[0]), y[0])


@_rule("transpose")
def _transpose(m, x, y, a):
    return m.node("Transpose", [m.name(x[0])], perm=[axis % x[0].rank for axis in a["perm"]])


@_rule("swapaxes")
def _swapaxes(m, x, y, a):
    perm = list(range(x[0].rank))
    first, second = a["axis0"], a["axis1"]
    perm[first], perm[second] = perm[second], perm[first]
    return m.node("Transpose", [m.name(x[0])], perm=perm)


@_rule("broadcast_to")
def _broadcast_to(m, x, y, a):
    return m.node("Expand", [m.name(x[0]), m.ints(y[0].shape)])


@_rule("tile")
def _tile(m, x, y, a):
    reps = [a["reps"]] if isinstance(a["reps"], int) else list(a["reps"])
    rank = max(x[0].rank, len(reps))
    name = m.node("Reshape", [m.name(x[0]), m.ints([1] * (rank - x[0].rank) + list(x[0].shape))], allowzero=1)
    return m.node("Tile", [name, m.ints([1] * (rank - len(reps)) + reps)])


@_rule("concat")
def _concat(m, x, y, a):
    return m.node("Concat", _operands(m, x, y[0].dtype), axis=a["axis"])


@_rule("stack")
def _stack(m, x, y, a):
    axis = a["axis"] % y[0].rank
    parts = [m.node("Unsqueeze", [name, m.ints([axis])]) for name in _operands(m, x, y[0].dtype)]
    return m.node("Concat", parts, axis=axis)


def _split_into(m, name, sizes, axis):
    if len(sizes) == 1:
        return [m.node("Identity", [name])]
    return m.node("Split", [name, m.ints(sizes)], len(sizes), axis=axis)


@_rule("split")
def _split(m, x, y, a):
    axis = a["axis"] % x[0].rank
    return _split_into(m, m.name(x[0]), [value.shape[axis] for value in y], axis)


@_rule("unstack")
def _unstack(m, x, y, a):
    parts = _split_into(m, m.name(x[0]), [1] * len(y), a["axis"] % x[0].rank)
    return [_shaped(m, part, value) for part, value in zip(parts, y)]


def _slice_by(m, name, begin, end, step):
    axes = list(range(len(begin)))
    end = [-(1 << 62) if s < 0 and e < 0 else e for e, s in zip(end, step)]  # before the first element
    return m.node("Slice", [name] + [m.ints(part) for part in (begin, end, axes, step)])


@_rule("slice")
def _slice(m, x, y, a):
    return _slice_by(m, m.name(x[0]), list(a["begin"]), list(a["end"]), list(a["step"]))


@_rule("flip")
def _flip(m, x, y, a):
    axes = _axes(a, x[0].rank)
    return m.node("Slice", [m.name(x[0]), m.ints([-1] * len(axes)), m.ints([-(1 << 62)] * len(axes)), m.ints(axes),
                            m.ints([-1] * len(axes))])


@_rule("select_index")
def _select_index(m, x, y, a):
    return m.node("Gather", [m.name(x[0]), m.ints(a["index"])], axis=a["axis"])


@_rule("pad")
def _pad(m, x, y, a):
    before, after = ([v] if isinstance(v, int) else list(v) for v in (a["before"], a["after"]))
    return m.node("Pad", [m.name(x[0]), m.ints(before + after), m.scalar(a["value"], x[0].dtype)])


def _triangle(m, x, a, upper):
    return m.node("Trilu", [m.name(x[0]), m.ints(a["diagonal"])], upper=upper)


RULES["tril"] = lambda m, x, y, a: _triangle(m, x, a, 0)
RULES["triu"] = lambda m, x, y, a: _triangle(m, x, a, 1)
