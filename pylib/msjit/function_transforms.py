"""Transforms of functions, built on the gradients of autograd.py: vjp, jvp, Jacobians, vmap, derivative, jet, linearize."""
from types import FunctionType

from ._native import _msjit
from .autograd import (
    _check_positions,
    _detached,
    _differentiated,
    _positions,
    _Pull,
    _rebuild,
    _Scope,
    _seeds,
    _unpacked,
    _weight_list,
)
from .common.checks import check_bool, check_callable
from .common.parameter import Parameter
from .common.tensor import Tensor

# -- vectors and Jacobians --------------------------------------------------------------------------------------------


def _check_tensors(numbered, where, what="input", kinds=Tensor):
    """A number has no derivative here: taken as a constant, it would give zeros or nothing without a word."""
    for number, value in numbered:
        if not isinstance(value, kinds):
            raise TypeError("[%s] %s %d, got %s, expected a Tensor" % (where, what, number, type(value).__name__))


def vjp(fn, *inputs, **options):
    """(output, pullback): pullback(*sens) gives the gradients by all inputs (and `weights`).

    >>> import msjit as ms
    >>> output, pullback = ms.vjp(lambda x: x * x, ms.Tensor([1.0, 2.0]))
    >>> pullback(ms.Tensor([1.0, 10.0]))[0].asnumpy().tolist()
    [2.0, 40.0]
    """
    weights, has_aux = options.pop("weights", None), options.pop("has_aux", False)
    if options:
        raise TypeError("[vjp] unknown keyword %r" % sorted(options)[0])
    check_callable(fn, "vjp")
    _check_tensors(enumerate(inputs), "vjp", kinds=(Tensor, tuple, list))
    chosen = _weight_list(weights, "vjp")
    pull = _Pull(fn, inputs, {}, range(len(inputs)), chosen, containers=True)
    outputs = _differentiated(pull.output, has_aux, "vjp")

    def pullback(*sens):
        given = sens[0] if len(sens) == 1 else sens
        by_position, by_weight = pull.gradients(outputs, _seeds(given, outputs, "vjp"), keep=_msjit.grad_level() > 0)
        if weights is None:
            return tuple(by_position)
        return tuple(by_position), (by_weight[0] if isinstance(weights, Parameter) else tuple(by_weight))
    value = pull.value()
    if has_aux:
        return value[0], pullback, _unpacked(value[1:])
    return value, pullback


def jvp(fn, inputs, v, has_aux=False):
    """(output, directional derivative of fn at inputs along v), by differentiating the pullback.

    >>> import msjit as ms
    >>> output, slope = ms.jvp(lambda x: x * x, ms.Tensor([3.0]), ms.Tensor([1.0]))
    >>> float(output), float(slope)
    (9.0, 6.0)
    """
    check_callable(fn, "jvp")
    inputs = inputs if isinstance(inputs, (tuple, list)) else (inputs,)
    tangents = v if isinstance(v, (tuple, list)) else (v,)
    if len(inputs) != len(tangents):
        raise ValueError("[jvp] v must have one tensor an input, got %d and %d" % (len(tangents), len(inputs)))
    _check_tensors(enumerate(inputs), "jvp")
    _check_tensors(enumerate(tangents), "jvp", "v")
    with _Scope() as scope:
        pull = _Pull(fn, inputs, {}, range(len(inputs)), [])
        outputs = _differentiated(pull.output, has_aux, "jvp")
        duals = [_msjit.alias(o.new_zeros(tuple(o.shape))) for o in outputs]
        by_position, _ = pull.gradients(outputs, duals, keep=True)
        directions = _seeds(list(tangents), by_position, "jvp")
        results = _msjit.gradients(by_position, directions, duals, scope.nested)
    value = pull.output if scope.nested else _detached(pull.output)
    first = value[0] if has_aux else value
    tangent = _rebuild(first, iter(results))
    return (first, tangent, _unpacked(value[1:])) if has_aux else (value, tangent)


def _jacobian_rows(pull, output):
    """The Jacobians of one output by each of the inputs."""
    from . import ops
    rows, size, shape = [], output.size, tuple(output.shape)
    for i in range(size):
        seed = ops.one_hot(Tensor([i]), size).astype(output.dtype).reshape(shape)
        rows.append(pull.gradients([output], [seed], keep=True)[0])
    stacked = [ops.stack([row[k] for row in rows]).reshape(shape + tuple(rows[0][k].shape)) for k in range(len(pull.positions))]
    return stacked if pull.nested else [_msjit.detach(t) for t in stacked]


def jacrev(fn, grad_position=0, has_aux=False):
    """A function that returns the Jacobian of `fn`, or a tuple of them for several outputs. It runs a backward pass for each element of the output.

    >>> import msjit as ms
    >>> ms.jacrev(lambda x: x * x)(ms.Tensor([1.0, 2.0])).asnumpy().tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    return _jacobian(fn, grad_position, has_aux, "jacrev")


def _jacobian(fn, grad_position, has_aux, where):
    check_callable(fn, where)
    _check_positions(grad_position, where)
    check_bool(has_aux, where, "has_aux")

    def jacobian(*args, **kwargs):
        positions = _positions(grad_position, len(args) + len(kwargs), where)
        given = (*args, *kwargs.values())
        _check_tensors(((p, given[p]) for p in positions), where)
        pull = _Pull(fn, args, kwargs, positions, [])
        outputs = _differentiated(pull.output, has_aux, where)
        if not outputs:
            raise TypeError("[%s] number of tensors returned by the function, got 0, expected 1 or more" % where)
        result = _unpacked([_unpacked(_jacobian_rows(pull, output)) for output in outputs])
        return (result, _unpacked(pull.value()[1:])) if has_aux else result
    return jacobian


def jacfwd(fn, grad_position=0, has_aux=False, randomness="error"):
    """A function that returns the Jacobian of `fn`. It computes the same values as jacrev, in the same way; randomness changes nothing."""
    return _jacobian(fn, grad_position, has_aux, "jacfwd")


# -- vmap -------------------------------------------------------------------------------------------------------------


def _axis(axis, rank, where):
    if isinstance(axis, bool) or not isinstance(axis, int):
        raise RuntimeError("[%s] axis, got %r, expected an int, None or a tuple of them" % (where, axis))
    if not -rank <= axis < rank:
        raise RuntimeError("[%s] axis, got %d, expected %s"
                           % (where, axis, "%d to %d" % (-rank, rank - 1) if rank else "None for a tensor without axes"))
    return axis % rank


def _sizes(value, axes, found):
    """Collects the lengths of the mapped axes."""
    if axes is None:
        return
    if isinstance(value, (tuple, list)):
        for item, axis in zip(value, _for_each(value, axes)):
            _sizes(item, axis, found)
    elif isinstance(value, Tensor):
        found.append(value.shape[_axis(axes, len(value.shape), "vmap")])
    else:
        raise RuntimeError("[vmap] argument, got %s, expected a Tensor, or None for its axis" % type(value).__name__)


def _for_each(value, axes):
    if isinstance(axes, (tuple, list)):
        if len(axes) != len(value):
            raise RuntimeError("[vmap] axes, got %d, expected %d" % (len(axes), len(value)))
        return axes
    return [axes] * len(value)


def _taken(value, axes, i):
    """Slice i of a value along its axes."""
    if axes is None:
        return value
    if isinstance(value, (tuple, list)):
        return type(value)(_taken(item, axis, i) for item, axis in zip(value, _for_each(value, axes)))
    return value[(slice(None),) * (axes % len(value.shape)) + (i,)]


def _stacked(results, axes):
    from . import ops
    if isinstance(results[0], (tuple, list)):
        each = _for_each(results[0], axes)
        return tuple(_stacked([r[k] for r in results], axis) for k, axis in enumerate(each))
    if axes is None:
        return results[0]
    if not isinstance(results[0], Tensor):
        raise RuntimeError("[vmap] result, got %s, expected a Tensor" % type(results[0]).__name__)
    return ops.stack(results, _axis(axes, len(results[0].shape) + 1, "vmap"))


def vmap(fn, in_axes=0, out_axes=0):
    """fn for each slice of its arguments along in_axes (None: the whole argument), results stacked along out_axes.

    It calls fn once for each slice, so fn may do everything that it could do without vmap. If fn is a CellList (of two Cells or more), each
    Cell gets one slice, or the whole arguments if in_axes has only None.

    Raises TypeError for a fn that cannot be called, ValueError for a CellList of one Cell, and at the call RuntimeError for axes that are no
    ints or do not fit.

    >>> import msjit as ms
    >>> dot = ms.vmap(lambda a, b: (a * b).sum(), in_axes=(0, None))
    >>> dot(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1.0, 10.0])).asnumpy().tolist()
    [21.0, 43.0]
    """
    cells = _cells_of(fn)

    def mapped(*args):
        axes, sizes = _for_each(args, in_axes), []
        _sizes(args, axes, sizes)
        if cells is not None:
            sizes.append(len(cells))
        if not sizes:
            raise RuntimeError("[vmap] in_axes, got only None, expected an axis of one argument at least")
        if len(set(sizes)) != 1:
            raise RuntimeError("[vmap] lengths of the mapped axes, got %s, expected them to be the same" % (sizes,))
        if not sizes[0]:
            raise RuntimeError("[vmap] length of the mapped axes, got 0, expected 1 or more")
        each = cells if cells is not None else [fn] * sizes[0]
        return _stacked([one(*[_taken(a, axis, i) for a, axis in zip(args, axes)]) for i, one in enumerate(each)], out_axes)
    return mapped


def _cells_of(fn):
    """The Cells of a CellList, None for another function."""
    if isinstance(fn, FunctionType):  # at once, as a graph imports nothing
        return check_callable(fn, "vmap")
    from .nn.container import CellList
    if not isinstance(fn, CellList):
        return check_callable(fn, "vmap")
    if len(fn) < 2:
        raise ValueError("[vmap] Cells of the CellList, got %d, expected 2 or more" % len(fn))
    return list(fn)


# -- derivatives along directions -------------------------------------------------------------------------------------


def _ones_like(tensors):
    return [t.new_ones(tuple(t.shape)) for t in tensors]


def derivative(fn, primals, order):
    """(fn(primals), its derivative of that order along the direction of ones). For an elementwise fn that is the derivative by each element.

    primals is a Tensor or a tuple of them; the derivative has the shape of the output. Raises TypeError for primals that are no Tensors and
    an order that is no int, ValueError for an order below 1.

    >>> import msjit as ms
    >>> value, third = ms.ops.derivative(lambda x: x ** 3, ms.Tensor([1.0, 2.0]), 3)
    >>> third.asnumpy().tolist()
    [6.0, 6.0]
    """
    check_callable(fn, "derivative")
    if isinstance(order, bool) or not isinstance(order, int):
        raise TypeError("[derivative] order, got %s, expected an int" % type(order).__name__)
    if order < 1:
        raise ValueError("[derivative] order, got %d, expected 1 or more" % order)
    inputs = _tensors(primals, "derivative")
    made = fn
    for _ in range(order):
        made = _along_ones(made)
    return fn(*inputs), made(*inputs)


def _along_ones(fn):
    return lambda *inputs: jvp(fn, inputs, tuple(_ones_like(inputs)))[1]


def _tensors(values, where):
    found = tuple(values) if isinstance(values, (tuple, list)) else (values,)
    for value in found:
        if not isinstance(value, Tensor):
            raise TypeError("[%s] argument, got %s, expected Tensors" % (where, type(value).__name__))
    return found


def jet(fn, primals, series):
    """(fn(primals), derivatives of fn along a curve). The curve goes through primals, and series[k - 1] is its k-th derivative there.

    The derivatives of the result are stacked along a new first axis, like those in `series`.
    """
    from . import ops
    check_callable(fn, "jet")
    inputs, given = _tensors(primals, "jet"), _tensors(series, "jet")
    if len(inputs) != len(given):
        raise ValueError("[jet] series, got %d, expected %d, one for each primal" % (len(given), len(inputs)))
    for tensor, terms in zip(inputs, given):
        if tuple(terms.shape[1:]) != tuple(tensor.shape) or not terms.shape:
            raise ValueError("[jet] shape of a series, got %s, expected an axis before %s"
                             % (tuple(terms.shape), tuple(tensor.shape)))
    orders = {terms.shape[0] for terms in given}
    if len(orders) != 1:
        raise ValueError("[jet] lengths of the series, got %s, expected them to be the same" % sorted(orders))

    def curve(t):
        points = []
        for tensor, terms in zip(inputs, given):
            factor = 1.0
            for k in range(terms.shape[0]):
                factor = factor * t / (k + 1)
                tensor = tensor + factor * terms[k]
            points.append(tensor)
        return fn(*points)
    start, made, found = inputs[0].new_zeros(()), curve, []
    for _ in range(orders.pop()):
        made = _along_ones(made)
        found.append(made(start))
    output = fn(*inputs)
    if isinstance(output, (tuple, list)):
        return output, tuple(ops.stack([term[i] for term in found]) for i in range(len(output)))
    return output, ops.stack(found)


def linearize(fn, inputs):
    """(fn(inputs), a function that gives the directional derivative for tangents of the shapes of the inputs).

    inputs is a Tensor or a tuple of them. Each call of the function runs fn again. Raises TypeError for inputs that are no Tensors.

    >>> import msjit as ms
    >>> value, slope = ms.ops.linearize(lambda x: x * x, ms.Tensor([3.0]))
    >>> slope(ms.Tensor([1.0])).asnumpy().tolist()
    [6.0]
    """
    check_callable(fn, "linearize")
    given = _tensors(inputs, "linearize")

    def pushed(v):
        return jvp(fn, given, tuple(v) if isinstance(v, (tuple, list)) else (v,))[1]
    return fn(*given), pushed
