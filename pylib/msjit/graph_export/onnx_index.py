"""Rules for operators that read or write at indices; see onnx_ops.py."""
from .onnx_ops import _operands, _refuse, _rule, _shaped


def _axes_of(a):
    return [a["axes"]] if isinstance(a["axes"], int) else list(a["axes"])


def _coordinates(m, op, indices, axes):
    """(name of the indices as [..., axis], their shape) of integer indices for the first axes."""
    import numpy
    if axes != list(range(len(axes))) or any(value.dtype == "bool" for value in indices):
        _refuse(op, "axes", axes, "integers for the first axes")
    shape = numpy.broadcast_shapes(*[value.shape for value in indices]) if hasattr(numpy, "broadcast_shapes") else \
        numpy.broadcast(*[numpy.empty(value.shape) for value in indices]).shape
    parts = []
    for value in indices:
        name = m.node("Expand", [m.cast(m.name(value), value.dtype, "int64"), m.ints(shape)])
        parts.append(m.node("Unsqueeze", [name, m.ints([len(shape)])]))
    return (parts[0] if len(parts) == 1 else m.node("Concat", parts, axis=len(shape))), tuple(shape)


@_rule("index", "select_at")
def _index(m, x, y, a):
    axes = _axes_of(a)
    if len(axes) == 1 and x[1].dtype != "bool":
        return m.node("Gather", [m.name(value) for value in x], axis=axes[0])
    return m.node("GatherND", [m.name(x[0]), _coordinates(m, "index", x[1:], axes)[0]])


@_rule("index_update")
def _index_update(m, x, y, a):
    axes = _axes_of(a)
    places, shape = _coordinates(m, "index_update", x[2:], axes)
    value = m.node("Expand", [m.as_dtype(x[1], y[0].dtype), m.ints(shape + x[0].shape[len(axes):])])
    return m.node("ScatterND", [m.as_dtype(x[0], y[0].dtype), places, value],
                  reduction="add" if a["accumulate"] else "none")


@_rule("slice_update")
def _slice_update(m, x, y, a):
    import numpy
    begin, end, step = (list(a[key]) for key in ("begin", "end", "step"))
    if any(s != 1 for s in step):
        _refuse("slice_update", "step", step, "1")
    full = x[0].shape
    begin, end = begin + [0] * (len(full) - len(begin)), end + list(full[len(end):])
    inside = numpy.zeros(full, numpy.bool_)
    inside[tuple(slice(b, e) for b, e in zip(begin, end))] = True
    value = m.node("Expand", [m.as_dtype(x[1], y[0].dtype), m.ints([e - b for b, e in zip(begin, end)])])
    after = [d - e for d, e in zip(full, end)]
    wide = m.node("Pad", [value, m.ints(begin + after), m.scalar(0, y[0].dtype)])
    return m.node("Where", [m.constant(inside), wide] + _operands(m, x[:1], y[0].dtype))


@_rule("scatter_elements")
def _scatter_elements(m, x, y, a):
    names = [m.as_dtype(x[0], y[0].dtype), m.name(x[1]), m.as_dtype(x[2], y[0].dtype)]
    return m.node("ScatterElements", names, axis=a["axis"], reduction=a["reduction"])


@_rule("repeat_interleave")
def _repeat_interleave(m, x, y, a):
    axis = a["axis"] % x[0].rank
    wide = list(x[0].shape)
    name = m.node("Unsqueeze", [m.name(x[0]), m.ints([axis + 1])])
    wide.insert(axis + 1, a["repeats"])
    return _shaped(m, m.node("Expand", [name, m.ints(wide)]), y[0])
