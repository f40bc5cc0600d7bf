"""Collective calls on Tensors, with MindSpore's gradients. MindSpore's primitives and functions are built on them.

Each takes a Group and returns new Tensors; a group of one needs no messages. Before every call the members compare it
(agreement.py). A recorded call has a number, which its gradient sends too. So if processes run gradients in different orders, that is an
error, not a wrong sum.
"""
from .._native import Tensor, _msjit
from .agreement import check
from .world import processes

_ops, _dtypes = _msjit.ops, _msjit.dtypes
_HALF = (_dtypes["float16"], _dtypes["bfloat16"])
_REDUCTIONS = {"sum": 0, "max": 1, "min": 2, "prod": 3, "avg": 0}


def _space(shape, dtype):
    """Memory to be written; its values do not matter."""
    return _ops.zeros(tuple(shape), dtype)


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
        out = out / group.size if out.dtype.is_floating_point or out.dtype.is_complex else out // group.size
    return out if out.dtype == x.dtype else out.astype(x.dtype)


def recorded(name, group, gradient, x, out):
    """`out`, recorded as one step of the tape: gradient(x, out, gradient of out, number of the call) returns the gradient of x."""
    if not _msjit.records((x,), {}):
        return out
    number = group.calls

    def gradients(inputs, outputs, grads):
        given = _ops.zeros_like(outputs[0]) if grads[0] is None else grads[0]
        return [gradient(inputs[0], outputs[0], given, number)]
    return _msjit.record_gradient(name, gradients, [x], [out])[0]


def all_reduce(x, op, group, where="all_reduce", call=0):
    """The elements of all members, reduced; the gradient is summed over them."""
    check_reduction(op, where)
    data = _reducible(x, op, where)
    if group.size == 1:
        return x
    out = _space(x.shape, data.dtype)
    with group.calling(where):
        check(group, where, x, op, call=call)
        processes.all_reduce(group.number, data, out, _REDUCTIONS[op])
    return recorded(where, group, lambda x, out, g, n: _all_reduce_gradient(x, out, g, op, group, n), x, _finished(out, x, op, group))


def _all_reduce_gradient(x, out, grad, op, group, call):
    where = "gradient of all_reduce"
    if op == "prod":
        return all_reduce(grad * out, "sum", group, where, call) / x
    total = all_reduce(grad, "sum", group, where, call)
    if op == "avg":
        return total / group.size
    return total if op == "sum" else total * _ops.equal(x, out).astype(total.dtype)


def all_gather(x, group, where="all_gather", call=0):
    """(N * n, ...): the inputs, one behind the other along the first axis; the gradient is summed and divided up again."""
    rows = _first_axis(x, where)
    if group.size == 1:
        return x
    out = _space((rows * group.size,) + tuple(x.shape[1:]), x.dtype)
    with group.calling(where):
        check(group, where, x, call=call)
        processes.all_gather(group.number, x.detach(), out, [x.size] * group.size)
    return recorded(where, group, lambda x, out, g, n: reduce_scatter(g, "sum", group, "gradient of all_gather", n), x, out)


def _part(shape, rows, group):
    """Describes a member's rows: (their number, the axes after the first, how many elements each row has)."""
    inner, row = tuple(shape[1:]), 1
    for size in inner:
        row *= size
    return rows[group.rank], inner, row


def all_gather_uneven(x, rows, group, where, call=0):
    """The inputs, of `rows[i]` rows on member i, one behind the other; the gradient is summed and divided up again."""
    own, inner, row = _part(x.shape, rows, group)
    if _first_axis(x, where) != own:
        raise ValueError("[%s] first dimension of the input, got %d, expected %d" % (where, x.shape[0], own))
    if group.size == 1:
        return x
    out = _space((sum(rows),) + inner, x.dtype)
    with group.calling(where):
        check(group, where, "%s, rows %s of %s" % (str(x.dtype).lower(), list(rows), inner), call=call)
        processes.all_gather(group.number, x.detach(), out, [n * row for n in rows])

    def gradient(x, out, grad, number):
        return reduce_scatter_uneven(grad, rows, "sum", group, "gradient of all_gather", number)
    return recorded(where, group, gradient, x, out)


def reduce_scatter_uneven(x, rows, op, group, where, call=0):
    """This member's `rows[i]` rows of the reduced input; the gradient (of sum) is gathered."""
    check_reduction(op, where)
    own, inner, row = _part(x.shape, rows, group)
    if _first_axis(x, where) != sum(rows):
        raise ValueError("[%s] first dimension of the input, got %d, expected %d" % (where, x.shape[0], sum(rows)))
    data = _reducible(x, op, where)
    if group.size == 1:
        return x
    out = _space((own,) + inner, data.dtype)
    with group.calling(where):
        check(group, where, x, "%s, rows %s" % (op, list(rows)), call=call)
        processes.reduce_scatter(group.number, data, out, _REDUCTIONS[op], [n * row for n in rows])

    def gradient(x, out, grad, number):
        if op != "sum":
            raise RuntimeError("[%s] gradient, got that of op %r, expected 'sum'" % (where, op))
        return all_gather_uneven(grad, rows, group, "gradient of reduce_scatter", number)
    return recorded(where, group, gradient, x, _finished(out, x, op, group))


def reduce_scatter(x, op, group, where="reduce_scatter", call=0):
    """(n / N, ...): this member's part of the reduced input; the gradient (of sum) is gathered."""
    check_reduction(op, where)
    rows = _first_axis(x, where)
    if rows % group.size:
        raise ValueError("[%s] first dimension of the input, got %d, expected a multiple of %d, the size of the group"
                         % (where, rows, group.size))
    return reduce_scatter_uneven(x, [rows // group.size] * group.size, op, group, where, call)


def broadcast(x, root, group, where="broadcast", call=0):
    """The input of the member `root`; the gradient is the output's, as in MindSpore."""
    check_rank(group, root, where)
    if group.size == 1:
        return x
    out = _space(x.shape, x.dtype)
    if group.rank == root:
        out.assign_value(x.detach())
    with group.calling(where):
        check(group, where, x, "from rank %d" % root, call=call)
        processes.broadcast(group.number, out, root)
    return recorded(where, group, lambda x, out, g, n: g, x, out)


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
    here = group.rank == root
    out = _space(x.shape if here else (1,), data.dtype)
    with group.calling(where):
        check(group, where, x, op, "to rank %d" % root)
        processes.reduce(group.number, data, out, _REDUCTIONS[op], root)

    def gradient(x, out, grad, number):
        return broadcast(grad if here else _ops.zeros_like(x), root, group, "gradient of reduce", number)
    return recorded(where, group, gradient, x, _finished(out, x, op, group))


def gather(x, root, group, where="gather", call=0):
    """(N * n, ...) on the member `root`, one zero elsewhere; the gradient is sent back from there."""
    check_rank(group, root, where)
    rows = _first_axis(x, where)
    if group.size == 1:
        return x
    here = group.rank == root
    out = _space((rows * group.size,) + tuple(x.shape[1:]) if here else (1,), x.dtype)
    with group.calling(where):
        check(group, where, x, "to rank %d" % root, call=call)
        processes.gather(group.number, x.detach(), out, root)

    def gradient(x, out, grad, number):
        whole = grad if here else _space((rows * group.size,) + tuple(x.shape[1:]), x.dtype)
        return scatter(whole, root, group, "gradient of gather", number)
    return recorded(where, group, gradient, x, out)


def scatter(x, root, group, where="scatter", call=0):
    """(n / N, ...): this member's part of the input of the member `root`; the gradient is gathered there, and zero elsewhere."""
    check_rank(group, root, where)
    rows = _first_axis(x, where)
    if rows % group.size:
        raise ValueError("[%s] first dimension of the input, got %d, expected a multiple of %d, the size of the group"
                         % (where, rows, group.size))
    if group.size == 1:
        return x
    here = group.rank == root
    out = _space((rows // group.size,) + tuple(x.shape[1:]), x.dtype)
    with group.calling(where):
        check(group, where, x, "from rank %d" % root, call=call)
        processes.scatter(group.number, x.detach() if here else None, out, root)

    def gradient(x, out, grad, number):
        gathered = gather(grad, root, group, "gradient of scatter", number)
        return gathered if here else _ops.zeros_like(x)
    return recorded(where, group, gradient, x, out)


def all_to_all(x, sent, received, group, where="all_to_all", call=0):
    """A flat Tensor: `sent[i]` elements of the flat input go to member i, `received[i]` come from there. The gradient goes back."""
    if len(sent) != group.size or len(received) != group.size:
        raise ValueError("[%s] numbers of elements, got %d sent and %d received, expected %d of each, one for each member"
                         % (where, len(sent), len(received), group.size))
    if sum(sent) != x.size:
        raise ValueError("[%s] elements of the input, got %d, expected %d" % (where, x.size, sum(sent)))
    flat = x.reshape(-1)
    if group.size == 1:
        return flat
    out = _space((sum(received),), x.dtype)
    with group.calling(where):
        check(group, where, str(x.dtype), call=call)
        _check_counts(group, where, sent, received)
        processes.all_to_all(group.number, flat.detach(), out, list(sent), list(received))

    def gradient(x, out, grad, number):
        return all_to_all(grad, received, sent, group, "gradient of all_to_all", number)
    return recorded(where, group, gradient, flat, out)


def _check_counts(group, where, sent, received):
    """Checks that each member sends as much as the receiver expects."""
    table = _space((group.size * group.size,), _dtypes["int64"])
    processes.all_gather(group.number, Tensor(list(sent), _dtypes["int64"]), table, [group.size] * group.size)
    table = table.tolist()
    wrong = next((source for source in range(group.size) if table[source * group.size + group.rank] != received[source]), None)
    good = wrong is None
    if not processes.agree(group.number, 1 if good else 0) or not good:
        found = "" if good else ": rank %d sends %d elements to rank %d, which expects %d" % (
            group.ranks[wrong], table[wrong * group.size + group.rank], group.ranks[group.rank], received[wrong])
        raise ValueError("[%s] sizes of the parts, got some that differ between sender and receiver%s, expected equal ones"
                         % (where, found or " on another rank"))


def barrier(group, where="barrier"):
    """Comes back when all members are here."""
    if group.size > 1:
        with group.calling(where):
            check(group, where)
            processes.barrier(group.number)


def check_equal(text, group, where):
    """ValueError on all members if they give different texts."""
    if group.size > 1:
        with group.calling(where):
            check(group, where, text)
