"""Collective calls on Tensors, with MindSpore's gradients. MindSpore's primitives and functions are built on them.

Each takes a Group and returns new Tensors; a group of one needs no messages. Before every call the members compare it. A recorded call has a
number, which its gradient sends too. So if processes run gradients in different orders, that is an error, not a wrong sum.

Each is one operator (group_all_reduce and others), which can be part of captured graphs.
"""
from .._native import _msjit
from .agreement import check
from .world import processes

_ops, _dtypes = _msjit.ops, _msjit.dtypes
_HALF = (_dtypes["float16"], _dtypes["bfloat16"])
_INEXACT = tuple([_dtypes[name] for name in ("float32", "float64", "complex64", "complex128")])
_REDUCTIONS = {"sum": 0, "max": 1, "min": 2, "prod": 3, "avg": 0}


def check_reduction(op, where):
    """Raises TypeError for no str or an unknown one."""
    if not isinstance(op, str):
        raise TypeError("[%s] op, got %s, expected a str of ReduceOp" % (where, type(op).__name__))
    if op not in _REDUCTIONS:
        raise TypeError("[%s] op, got %r, expected one of %s" % (where, op, ", ".join(map(repr, _REDUCTIONS))))


def check_rank(group, rank, where):
    """Raises TypeError for anything but an int, ValueError for a rank that no member has."""
    if isinstance(rank, bool) or not isinstance(rank, int):
        raise TypeError("[%s] rank, got %s, expected an int" % (where, type(rank).__name__))
    if not 0 <= rank < group.size:
        raise ValueError("[%s] rank, got %d, expected one from 0 to %d" % (where, rank, group.size - 1))


def _first_axis(x, where):
    if x.ndim == 0:
        raise ValueError("[%s] input, got a Tensor without axes, expected one or more" % where)
    return x.shape[0]


def _reducible(x, op, where):
    """The input without its history, in a dtype that MPI can reduce: 16-bit floats are added in float32."""
    if x.dtype == _dtypes["bool"]:
        raise TypeError("[%s] dtype, got bool, expected a number" % where)
    x = x.detach()
    return x.astype(_dtypes["float32"]) if x.dtype in _HALF else x


def _finished(out, x, op, group):
    if op == "avg":
        out = out / group.size if out.dtype in _INEXACT else out // group.size
    return out if out.dtype == x.dtype else out.astype(x.dtype)


def recorded(name, number, gradient, x, out):
    """`out`, recorded as one step of the tape: gradient(x, out, gradient of out, number of the call) returns the gradient of x."""
    if not _msjit.records((x,), {}):
        return out

    def gradients(inputs, outputs, grads):
        given = _ops.zeros_like(outputs[0]) if grads[0] is None else grads[0]
        return [gradient(inputs[0], outputs[0], given, number)]
    return _msjit.record_gradient(name, gradients, [x], [out])[0]


def all_reduce(x, op, group, where="all_reduce", call=None):
    """The elements of all members, reduced; the gradient is summed over them."""
    check_reduction(op, where)
    data = _reducible(x, op, where)
    if group.size == 1:
        return x
    out, number = _ops.group_all_reduce(data, call, where, op, x.dtype, group.number, _REDUCTIONS[op])
    return recorded(where, number, lambda x, out, g, n: _all_reduce_gradient(x, out, g, op, group, n), x, _finished(out, x, op, group))


def _all_reduce_gradient(x, out, grad, op, group, call):
    where = "gradient of all_reduce"
    if op == "prod":
        return all_reduce(grad * out, "sum", group, where, call) / x
    total = all_reduce(grad, "sum", group, where, call)
    if op == "avg":
        return total / group.size
    return total if op == "sum" else total * _ops.equal(x, out).astype(total.dtype)


def all_gather(x, group, where="all_gather", call=None):
    """(N * n, ...): the inputs, one behind the other along the first axis; the gradient is summed and divided up again."""
    _first_axis(x, where)
    if group.size == 1:
        return x
    out, number = _ops.group_all_gather(x.detach(), call, where, group.number, group.size)
    return recorded(where, number, lambda x, out, g, n: reduce_scatter(g, "sum", group, "gradient of all_gather", n), x, out)


def all_gather_uneven(x, rows, group, where, call=None):
    """The inputs, of `rows[i]` rows on member i, one behind the other; the gradient is summed and divided up again."""
    if _first_axis(x, where) != rows[group.rank]:
        raise ValueError("[%s] first dimension of the input, got %d, expected %d" % (where, x.shape[0], rows[group.rank]))
    if group.size == 1:
        return x
    out, number = _ops.group_all_gather(x.detach(), call, where, group.number, group.size, rows)

    def gradient(x, out, grad, number):
        return reduce_scatter_uneven(grad, rows, "sum", group, "gradient of all_gather", number)
    return recorded(where, number, gradient, x, out)


def reduce_scatter_uneven(x, rows, op, group, where, call=None):
    """This member's `rows[i]` rows of the reduced input; the gradient (of sum) is gathered."""
    check_reduction(op, where)
    if _first_axis(x, where) != sum(rows):
        raise ValueError("[%s] first dimension of the input, got %d, expected %d" % (where, x.shape[0], sum(rows)))
    data = _reducible(x, op, where)
    if group.size == 1:
        return x
    out, number = _ops.group_reduce_scatter(data, call, where, op, x.dtype, group.number, _REDUCTIONS[op], group.rank, rows)

    def gradient(x, out, grad, number):
        if op != "sum":
            raise RuntimeError("[%s] gradient, got that of op %r, expected 'sum'" % (where, op))
        return all_gather_uneven(grad, rows, group, "gradient of reduce_scatter", number)
    return recorded(where, number, gradient, x, _finished(out, x, op, group))


def reduce_scatter(x, op, group, where="reduce_scatter", call=None):
    """(n / N, ...): this member's part of the reduced input; the gradient (of sum) is gathered."""
    check_reduction(op, where)
    rows = _first_axis(x, where)
    if rows % group.size:
        raise ValueError("[%s] first dimension of the input, got %d, expected a multiple of %d, the size of the group"
                         % (where, rows, group.size))
    return reduce_scatter_uneven(x, [rows // group.size] * group.size, op, group, where, call)


def broadcast(x, root, group, where="broadcast", call=None):
    """The input of the member `root`; the gradient is the output's, as in MindSpore."""
    check_rank(group, root, where)
    if group.size == 1:
        return x
    out, number = _ops.group_broadcast(x.detach(), call, where, group.number, group.rank, root)
    return recorded(where, number, lambda x, out, g, n: g, x, out)


def broadcast_into(tensors, root, group, where="broadcast"):
    """Copies the Tensors of the member `root` into those of the other members."""
    check_rank(group, root, where)
    if group.size == 1 or not tensors:
        return
    with group.calling(where):
        check(group, where, "from rank %d" % root, *tensors)
        for tensor in tensors:
            processes.broadcast(group.number, tensor, root)


def reduce(x, op, root, group, where="reduce"):
    """The reduced input on the member `root`, one zero elsewhere; the gradient is broadcast from there."""
    check_reduction(op, where)
    check_rank(group, root, where)
    data = _reducible(x, op, where)
    if group.size == 1:
        return x
    out, number = _ops.group_reduce(data, where, op, x.dtype, group.number, _REDUCTIONS[op], group.rank, root)

    def gradient(x, out, grad, number):
        return broadcast(grad if group.rank == root else _ops.zeros_like(x), root, group, "gradient of reduce", number)
    return recorded(where, number, gradient, x, _finished(out, x, op, group))


def gather(x, root, group, where="gather", call=None):
    """(N * n, ...) on the member `root`, one zero elsewhere; the gradient is sent back from there."""
    check_rank(group, root, where)
    rows = _first_axis(x, where)
    if group.size == 1:
        return x
    out, number = _ops.group_gather(x.detach(), call, where, group.number, group.size, group.rank, root)

    def gradient(x, out, grad, number):
        whole = grad if group.rank == root else _ops.zeros((rows * group.size,) + tuple(x.shape[1:]), x.dtype)
        return scatter(whole, root, group, "gradient of gather", number)
    return recorded(where, number, gradient, x, out)


def scatter(x, root, group, where="scatter", call=None):
    """(n / N, ...): this member's part of the input of the member `root`; the gradient is gathered there, and zero elsewhere."""
    check_rank(group, root, where)
    rows = _first_axis(x, where)
    if rows % group.size:
        raise ValueError("[%s] first dimension of the input, got %d, expected a multiple of %d, the size of the group"
                         % (where, rows, group.size))
    if group.size == 1:
        return x
    out, number = _ops.group_scatter(x.detach(), call, where, group.number, group.size, root)

    def gradient(x, out, grad, number):
        gathered = gather(grad, root, group, "gradient of scatter", number)
        return gathered if group.rank == root else _ops.zeros_like(x)
    return recorded(where, number, gradient, x, out)


def all_to_all(x, sent, received, group, where="all_to_all", call=None):
    """A flat Tensor: `sent[i]` elements of the flat input go to member i, `received[i]` come from there. The gradient goes back."""
    if len(sent) != group.size or len(received) != group.size:
        raise ValueError("[%s] numbers of elements, got %d sent and %d received, expected %d of each, one for each member"
                         % (where, len(sent), len(received), group.size))
    if sum(sent) != x.size:
        raise ValueError("[%s] elements of the input, got %d, expected %d" % (where, x.size, sum(sent)))
    flat = x.reshape(-1)
    if group.size == 1:
        return flat
    out, number = _ops.group_all_to_all(flat.detach(), call, where, group.number, sent, received)

    def gradient(x, out, grad, number):
        return all_to_all(grad, received, sent, group, "gradient of all_to_all", number)
    return recorded(where, number, gradient, flat, out)


def barrier(group, where="barrier"):
    """Comes back when all members are here."""
    if group.size > 1:
        _ops.group_barrier(where, group.number)


def check_equal(text, group, where):
    """ValueError on all members if they give different texts."""
    if group.size > 1:
        with group.calling(where):
            check(group, where, text)
