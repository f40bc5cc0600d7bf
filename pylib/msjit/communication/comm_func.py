"""mindspore.communication.comm_func: collective calls as functions that return new Tensors. Ranks are numbers in the world."""
from .._native import Tensor, _msjit
from ..common.tensor import check_tensor
from . import collectives as _c
from . import messages as _m
from .management import HCCL_WORLD_COMM_GROUP, place_in_group
from .messages import CommHandle
from .world import group_of

_WORLD = HCCL_WORLD_COMM_GROUP


def _handled(out, async_op):
    """(output, handle). Calls are complete when they return, so a handle has nothing to wait for."""
    return out, CommHandle() if async_op else None


def all_reduce(tensor, op="sum", group=_WORLD, async_op=False):
    """(Tensor, handle): the tensors of all members reduced by op, one of ReduceOp. Shapes and dtypes must agree."""
    check_tensor(tensor, "all_reduce")
    return _handled(_c.all_reduce(tensor, op, group_of(group, "all_reduce")), async_op)


def all_gather_into_tensor(tensor, group=_WORLD, async_op=False):
    """(Tensor (N * n, ...), handle): the tensors of all N members, one behind the other."""
    check_tensor(tensor, "all_gather_into_tensor")
    return _handled(_c.all_gather(tensor, group_of(group, "all_gather_into_tensor"), "all_gather_into_tensor"), async_op)


def reduce_scatter_tensor(tensor, op="sum", group=_WORLD, async_op=False):
    """(Tensor (n / N, ...), handle): this member's part of the tensors of all N members, reduced by op. N must divide n."""
    check_tensor(tensor, "reduce_scatter_tensor")
    return _handled(_c.reduce_scatter(tensor, op, group_of(group, "reduce_scatter_tensor"), "reduce_scatter_tensor"), async_op)


def reduce(tensor, dst, op="sum", group=_WORLD):
    """The reduced tensors of all members on the rank dst; a Tensor of one zero elsewhere."""
    check_tensor(tensor, "reduce")
    found = group_of(group, "reduce")
    return _c.reduce(tensor, op, place_in_group(dst, found, "reduce"), found)


def broadcast(tensor, src=0, group=_WORLD):
    """The tensor of the rank src."""
    check_tensor(tensor, "broadcast")
    found = group_of(group, "broadcast")
    return _c.broadcast(tensor, place_in_group(src, found, "broadcast"), found)


def gather_into_tensor(tensor, dst=0, group=_WORLD):
    """(N * n, ...) on the rank dst: the tensors of all N members; a Tensor of one zero elsewhere."""
    check_tensor(tensor, "gather_into_tensor")
    found = group_of(group, "gather_into_tensor")
    return _c.gather(tensor, place_in_group(dst, found, "gather_into_tensor"), found, "gather_into_tensor")


def scatter_tensor(tensor, src=0, group=_WORLD):
    """(n / N, ...): this member's part of the tensor of the rank src. All members give a tensor of that shape."""
    check_tensor(tensor, "scatter_tensor")
    found = group_of(group, "scatter_tensor")
    return _c.scatter(tensor, place_in_group(src, found, "scatter_tensor"), found, "scatter_tensor")


def barrier(group=_WORLD):
    """Comes back when all members have called it."""
    _c.barrier(group_of(group, "barrier"))


def send(tensor, dst=0, group=_WORLD, tag=0):
    """Sends a tensor to the rank dst, which calls recv."""
    isend(tensor, dst, group, tag).wait()


def recv(tensor, src=0, group=_WORLD, tag=0):
    """The Tensor that the rank src sends: a new one of the shape and dtype of `tensor`."""
    out, handle = irecv(tensor, src, group, tag)
    handle.wait()
    return out


def isend(tensor, dst=0, group=_WORLD, tag=0):
    """Starts to send a tensor to the rank dst. The tensor may be changed after the handle's wait()."""
    check_tensor(tensor, "send")
    found = group_of(group, "send")
    return _m.begin_send(tensor, place_in_group(dst, found, "send"), found, tag)


def irecv(tensor, src=0, group=_WORLD, tag=0):
    """(Tensor, handle). The Tensor has what the rank src sends after the handle's wait()."""
    check_tensor(tensor, "recv")
    found = group_of(group, "recv")
    out = _msjit.ops.zeros(tuple(tensor.shape), tensor.dtype)
    return out, _m.begin_receive(out, place_in_group(src, found, "recv"), found, tag)


def _tensors(values, where):
    if not isinstance(values, (list, tuple)):
        raise TypeError("[%s] tensors, got %s, expected a list or tuple" % (where, type(values).__name__))
    for value in values:
        check_tensor(value, where)
    if len({value.dtype for value in values}) > 1:
        raise TypeError("[%s] dtypes, got different ones, expected one" % where)
    return values


def _shape_of(value, where):
    if isinstance(value, Tensor):
        return tuple(value.shape)
    if not isinstance(value, (tuple, list)):
        raise TypeError("[%s] shape, got %s, expected a Tensor or a tuple of ints" % (where, type(value).__name__))
    return tuple(value)


def _count(shape):
    count = 1
    for size in shape:
        count *= size
    return count


def exchange_tensors(shapes, tensors, group, where):
    """Sends tensor i to member i; returns the received tensors, which have these shapes."""
    if len(tensors) != group.size or len(shapes) != group.size:
        raise ValueError("[%s] tensors, got %d to send and %d to receive, expected %d of each, one for each member"
                         % (where, len(tensors), len(shapes), group.size))
    sent, received = [t.size for t in tensors], [_count(shape) for shape in shapes]
    flat = _msjit.ops.concat([t.reshape(-1) for t in tensors], 0)
    out, parts, at = _c.all_to_all(flat, sent, received, group, where), [], 0
    for shape, count in zip(shapes, received):
        parts.append(out[at:at + count].reshape(shape))
        at += count
    return tuple(parts)


def all_to_all_with_output_shape(output_shape_list, input_tensor_list, group=None, async_op=False):
    """(tuple of Tensors, handle). Tensor i goes to member i. The received ones have the shapes in output_shape_list (Tensors or tuples)."""
    where = "all_to_all_with_output_shape"
    found = group_of(_WORLD if group is None else group, where)
    if not isinstance(output_shape_list, (list, tuple)):
        raise TypeError("[%s] output_shape_list, got %s, expected a list or tuple" % (where, type(output_shape_list).__name__))
    shapes = [_shape_of(value, where) for value in output_shape_list]
    return _handled(exchange_tensors(shapes, _tensors(input_tensor_list, where), found, where), async_op)


def split_counts(rows, sizes, group, where, what):
    """How many rows of the first axis each member gets: `sizes`, or equal parts."""
    if not sizes:
        if rows % group.size:
            raise ValueError("[%s] first dimension of the %s, got %d, expected a multiple of %d, the size of the group"
                             % (where, what, rows, group.size))
        return [rows // group.size] * group.size
    sizes = list(sizes)
    if len(sizes) != group.size or sum(sizes) != rows:
        raise ValueError("[%s] split sizes of the %s, got %s, expected %d that add up to %d" % (where, what, sizes, group.size, rows))
    return sizes


def exchange_rows(shape, tensor, received, sent, group, where):
    """Sends rows of a tensor to the members; returns the received ones as a Tensor of this shape. received, sent: how many for each member."""
    if not shape or not tensor.ndim:
        raise ValueError("[%s] tensors, got one without axes, expected one or more" % where)
    sent = split_counts(tensor.shape[0], sent, group, where, "input")
    received = split_counts(shape[0], received, group, where, "output")
    row_in, row_out = _count(tensor.shape[1:]), _count(shape[1:])
    out = _c.all_to_all(tensor, [n * row_in for n in sent], [n * row_out for n in received], group, where)
    return out.reshape(shape)


def all_to_all_single_with_output_shape(output_shape, tensor, output_split_sizes=None, input_split_sizes=None, group=None,
                                        async_op=False):
    """(Tensor, handle). Rows of the tensor go to the members in parts of input_split_sizes; the received rows come in parts of
    output_split_sizes. By default all parts are equal. output_shape: that of the result, as a tuple or a Tensor."""
    where = "all_to_all_single_with_output_shape"
    check_tensor(tensor, where)
    found = group_of(_WORLD if group is None else group, where)
    shape = _shape_of(output_shape, where)
    return _handled(exchange_rows(shape, tensor, output_split_sizes, input_split_sizes, found, where), async_op)


class P2POp:
    """One entry of batch_isend_irecv: op "isend" or "irecv" (or the function), a Tensor (for irecv a shape too, with recv_dtype), peer."""

    def __init__(self, op, tensor, peer, group=None, tag=0, recv_dtype=None):
        if not (isinstance(op, str) or callable(op)):
            raise TypeError("[P2POp] op, got %s, expected a str or a function" % type(op).__name__)
        name = op if isinstance(op, str) else op.__name__
        if name not in ("isend", "irecv"):
            raise ValueError("[P2POp] op, got %r, expected 'isend' or 'irecv'" % (name,))
        if not isinstance(tensor, (Tensor, tuple)):
            raise TypeError("[P2POp] tensor, got %s, expected a Tensor or a shape" % type(tensor).__name__)
        if isinstance(peer, bool) or not isinstance(peer, int):
            raise TypeError("[P2POp] peer, got %s, expected an int" % type(peer).__name__)
        if tag != 0:
            raise NotImplementedError("[P2POp] tag, got %r, expected 0" % (tag,))
        self.op, self.tensor, self.peer, self.group, self.tag, self.recv_dtype = op, tensor, peer, group, tag, recv_dtype

    @property
    def sends(self):
        """Whether it is an isend."""
        return (self.op if isinstance(self.op, str) else self.op.__name__) == "isend"


def batch_isend_irecv(p2p_op_list):
    """A tuple of Tensors: the received one for each "irecv", a zero for each "isend". All messages are sent at the same time."""
    if not isinstance(p2p_op_list, list) or not p2p_op_list:
        raise TypeError("[batch_isend_irecv] p2p_op_list, got %s, expected a list of one or more" % type(p2p_op_list).__name__)
    outputs, handles = [], []
    for entry in p2p_op_list:
        if not isinstance(entry, P2POp):
            raise TypeError("[batch_isend_irecv] entry, got %s, expected a P2POp" % type(entry).__name__)
        group = _WORLD if entry.group is None else entry.group
        if entry.sends:
            handles.append(isend(entry.tensor, entry.peer, group))
            outputs.append(_msjit.ops.zeros((), entry.tensor.dtype))
            continue
        expected = entry.tensor
        if isinstance(expected, tuple):
            if entry.recv_dtype is None:
                raise ValueError("[batch_isend_irecv] recv_dtype, got None, expected a dtype where irecv has a shape")
            expected = _msjit.ops.zeros(expected, entry.recv_dtype)
        out, handle = irecv(expected, entry.peer, group)
        handles.append(handle)
        outputs.append(out)
    for handle in handles:
        handle.wait()
    return tuple(outputs)


def all_to_all_v_c(output, input, send_count_matrix, group=None, async_op=False):
    """Exchanges rows: send_count_matrix[i * N + j] rows go from member i to member j. Writes the received ones to `output`."""
    where = "all_to_all_v_c"
    check_tensor(output, where), check_tensor(input, where)
    found = group_of(_WORLD if group is None else group, where)
    if not isinstance(send_count_matrix, list) or not all(isinstance(n, int) for n in send_count_matrix):
        raise TypeError("[%s] send_count_matrix, got %r, expected a list of ints" % (where, send_count_matrix))
    size = found.size
    if len(send_count_matrix) != size ** 2:
        raise TypeError("[%s] send_count_matrix, got %d counts, expected %d" % (where, len(send_count_matrix), size ** 2))
    row_in, row_out = _count(input.shape[1:]), _count(output.shape[1:])
    sent = [n * row_in for n in send_count_matrix[found.rank * size:(found.rank + 1) * size]]
    received = [n * row_out for n in send_count_matrix[found.rank::size]]
    if sum(received) != output.size:
        raise ValueError("[%s] elements of the output, got %d, expected %d" % (where, output.size, sum(received)))
    output.assign_value(_c.all_to_all(input, sent, received, found, where).reshape(output.shape))
    return CommHandle() if async_op else None


__all__ = ["all_reduce", "all_gather_into_tensor", "all_to_all_with_output_shape", "all_to_all_single_with_output_shape", "barrier",
           "broadcast", "gather_into_tensor", "isend", "irecv", "reduce_scatter_tensor", "reduce", "scatter_tensor", "send", "recv",
           "P2POp", "batch_isend_irecv", "all_to_all_v_c"]
