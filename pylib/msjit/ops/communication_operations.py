"""Primitives for collective communication (msjit.communication); they are made with a group's name and called with Tensors."""
from ..common import dtype as mstype
from ..common.tensor import check_tensor
from ..communication import collectives as _c
from ..communication import messages as _m
from ..communication.management import get_group_size, get_rank
from ..communication.world import group_of
from . import registry as _k
from .argument_kinds import check_iterable, check_real
from .primitive import Primitive

_GROUP = "hccl_world_group"


class ReduceOp:
    """Names of the reductions."""

    SUM, MAX, MIN, PROD, AVG = "sum", "max", "min", "prod", "avg"


class _Collective(Primitive):
    """Base of the collectives: keeps the group's name, this member's `rank` in it and `rank_size`."""

    def __init__(self, group=_GROUP):
        super().__init__()
        if not isinstance(group, str):
            raise TypeError("[%s] group, got %s, expected a str" % (self.name, type(group).__name__))
        self.group, self.rank, self.rank_size = group, get_rank(group), get_group_size(group)

    def _found(self):
        return group_of(self.group, self.name)

    def _reduction(self, op):
        if not isinstance(op, str):
            raise TypeError("[%s] op, got %s, expected a str of ReduceOp" % (self.name, type(op).__name__))
        if op not in ("sum", "max", "min", "prod", "avg"):
            raise ValueError("[%s] op, got %r, expected one of ReduceOp" % (self.name, op))
        self.op = op

    def _check_int(self, value, what):
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError("[%s] %s, got %s, expected an int" % (self.name, what, type(value).__name__))
        return value


class AllReduce(_Collective):
    """Reduces the inputs of all members; every member gets the result."""

    def __init__(self, op=ReduceOp.SUM, group=_GROUP):
        super().__init__(group)
        self._reduction(op)

    def __call__(self, input_x):
        return _c.all_reduce(check_tensor(input_x, self.name), self.op, self._found(), self.name)


class AllGather(_Collective):
    """Concatenates the inputs of all N members along the first axis: (N * n, ...)."""

    def __call__(self, input_x):
        return _c.all_gather(check_tensor(input_x, self.name), self._found(), self.name)


class ReduceScatter(_Collective):
    """Reduces the inputs of all N members and returns this member's part: (n / N, ...)."""

    def __init__(self, op=ReduceOp.SUM, group=_GROUP):
        super().__init__(group)
        self._reduction(op)

    def __call__(self, input_x):
        return _c.reduce_scatter(check_tensor(input_x, self.name), self.op, self._found(), self.name)


class Broadcast(_Collective):
    """Returns the inputs, a tuple of Tensors, of the member root_rank."""

    def __init__(self, root_rank, group=_GROUP):
        super().__init__(group)
        self.root_rank = self._check_int(root_rank, "root_rank")
        if not 0 <= root_rank < self.rank_size:
            raise ValueError("[%s] root_rank, got %d, expected one from 0 to %d" % (self.name, root_rank, self.rank_size - 1))

    def __call__(self, input_x):
        return tuple([_c.broadcast(check_tensor(x, self.name), self.root_rank, self._found(), self.name) for x in input_x])


class Reduce(_Collective):
    """Reduces the inputs of all members; dest_rank gets the result, and the others get a Tensor of one zero."""

    def __init__(self, dest_rank, op=ReduceOp.SUM, group=_GROUP):
        super().__init__(group)
        self.dest_rank = self._check_int(dest_rank, "dest_rank")
        self._reduction(op)

    def __call__(self, input_x):
        return _c.reduce(check_tensor(input_x, self.name), self.op, self.dest_rank, self._found(), self.name)


class CollectiveGather(_Collective):
    """Concatenates the inputs of all N members on the member dest_rank: (N * n, ...). The others get a Tensor of one zero."""

    def __init__(self, dest_rank, group=_GROUP):
        super().__init__(group)
        self.dest_rank = self._check_int(dest_rank, "dest_rank")

    def __call__(self, input_x):
        return _c.gather(check_tensor(input_x, self.name), self.dest_rank, self._found(), self.name)


class CollectiveScatter(_Collective):
    """Returns this member's part of the input of the member src_rank: (n / N, ...)."""

    def __init__(self, src_rank=0, group=_GROUP):
        super().__init__(group)
        self.src_rank = self._check_int(src_rank, "src_rank")

    def __call__(self, input_x):
        return _c.scatter(check_tensor(input_x, self.name), self.src_rank, self._found(), self.name)


class AlltoAll(_Collective):
    """Sends part i of the input along split_dim to member i, and joins the received parts along concat_dim."""

    def __init__(self, split_count, split_dim, concat_dim, group=_GROUP):
        super().__init__(group)
        self.split_count = self._check_int(split_count, "split_count")
        self.split_dim, self.concat_dim = self._check_int(split_dim, "split_dim"), self._check_int(concat_dim, "concat_dim")
        if split_count != self.rank_size:
            raise ValueError("[%s] split_count, got %d, expected %d, the size of the group" % (self.name, split_count, self.rank_size))

    def __call__(self, input_x):
        x, n, axis = check_tensor(input_x, self.name), self.split_count, self.split_dim
        if not -x.ndim <= axis < x.ndim or x.shape[axis] % n:
            raise ValueError("[%s] input of shape %s, expected dimension %d to be a multiple of %d" % (self.name, tuple(x.shape), axis, n))
        if n == 1:
            return x
        parts = _k.stack(list(_k.split(x, [x.shape[axis] // n] * n, axis)), 0)
        count = x.size // n
        out = _c.all_to_all(parts, [count] * n, [count] * n, self._found(), self.name).reshape(parts.shape)
        return _k.concat([out[i] for i in range(n)], self.concat_dim)


def _numbers(where, what, values):
    """Converts a sequence, an array or a Tensor to a list of ints."""
    values = values.tolist() if hasattr(values, "tolist") else values
    return [int(check_real(n, where, what)) for n in check_iterable(values, where, what)]


class AlltoAllV(_Collective):
    """Sends send_numel_list[i] blocks of a flat input to member i, and receives recv_numel_list[i] blocks from it."""

    def __init__(self, group=_GROUP, block_size=1):
        super().__init__(_GROUP if group is None else group)
        self.block_size = self._check_int(block_size, "block_size")

    def __call__(self, input_x, send_numel_list, recv_numel_list):
        sent = [n * self.block_size for n in _numbers(self.name, "send_numel_list", send_numel_list)]
        received = [n * self.block_size for n in _numbers(self.name, "recv_numel_list", recv_numel_list)]
        return _c.all_to_all(check_tensor(input_x, self.name), sent, received, self._found(), self.name)


class AlltoAllVC(_Collective):
    """Does what AlltoAllV does: send_count_matrix[i * N + j] blocks go from member i to member j, or with transpose from j to i."""

    def __init__(self, group=_GROUP, block_size=1, transpose=False):
        super().__init__(_GROUP if group is None else group)
        self.block_size, self.transpose = self._check_int(block_size, "block_size"), transpose

    def __call__(self, input_x, send_count_matrix):
        counts, size = [n * self.block_size for n in _numbers(self.name, "send_count_matrix", send_count_matrix)], self.rank_size
        if len(counts) != size ** 2:
            raise ValueError("[%s] send_count_matrix, got %d counts, expected %d" % (self.name, len(counts), size ** 2))
        sent, received = counts[self.rank * size:(self.rank + 1) * size], counts[self.rank::size]
        if self.transpose:
            sent, received = received, sent
        return _c.all_to_all(check_tensor(input_x, self.name), sent, received, self._found(), self.name)


class AllGatherV(_Collective):
    """Concatenates the flat inputs of all members; output_split_sizes[i] elements come from member i."""

    def __call__(self, input_x, output_split_sizes):
        sizes = _numbers(self.name, "output_split_sizes", output_split_sizes)
        return _c.all_gather_uneven(check_tensor(input_x, self.name), sizes, self._found(), self.name)


class ReduceScatterV(_Collective):
    """Reduces the flat inputs of all members and returns this member's part; member i gets input_split_sizes[i] elements."""

    def __init__(self, op=ReduceOp.SUM, group=_GROUP):
        super().__init__(group)
        self._reduction(op)

    def __call__(self, input_x, input_split_sizes):
        sizes = _numbers(self.name, "input_split_sizes", input_split_sizes)
        return _c.reduce_scatter_uneven(check_tensor(input_x, self.name), sizes, self.op, self._found(), self.name)


class Barrier(_Collective):
    """Waits until all members have called it; returns a Tensor of one zero."""

    def __call__(self):
        _c.barrier(self._found(), self.name)
        return _k.zeros((1,), mstype.float32)


class Send(_Collective):
    """Sends the input to the member dest_rank, which receives it with the same sr_tag.

    Returns the input. Its gradient comes from that member.
    """

    def __init__(self, sr_tag, dest_rank, group=_GROUP, group_back=_GROUP):
        super().__init__(group)
        self.sr_tag, self.group_back = self._check_int(sr_tag, "sr_tag"), group_back
        self.rank = self.dest_rank = self._check_int(dest_rank, "dest_rank")

    def __call__(self, input_x):
        x = check_tensor(input_x, self.name)
        _m.send(x, self.dest_rank, self._found(), self.sr_tag)

        def gradient(x, out, grad, number):
            came = _k.zeros(tuple(x.shape), x.dtype)
            _m.receive(came, self.dest_rank, group_of(self.group_back, self.name), self.sr_tag)
            return came
        return _c.recorded(self.name, self._found(), gradient, x, x.detach())


class Receive(_Collective):
    """Receives a Tensor of the given shape and dtype from the member src_rank. If the input is differentiated, the
    gradient is sent back; the input has no other use."""

    def __init__(self, sr_tag, src_rank, shape, dtype, group=_GROUP, group_back=_GROUP):
        super().__init__(group)
        self.tag, self.group_back = self._check_int(sr_tag, "sr_tag"), group_back
        self.rank = self.src_rank = self._check_int(src_rank, "src_rank")
        self.shape, self.dtype = tuple(shape), dtype

    def __call__(self, input_x=None):
        out = _k.zeros(self.shape, self.dtype)
        _m.receive(out, self.src_rank, self._found(), self.tag)
        if input_x is None:
            return out

        def gradient(x, out, grad, number):
            _m.send(grad, self.src_rank, group_of(self.group_back, self.name), self.tag)
            return _k.zeros_like(x)
        return _c.recorded(self.name, self._found(), gradient, input_x, out)


class ScalarSummary(Primitive):
    """Does nothing. In MindSpore it records a number in a SummaryRecord, and without one does nothing either."""

    def __call__(self, name, value):
        check_tensor(value, self.name)


__all__ = ["ReduceOp", "AllReduce", "AllGather", "ReduceScatter", "Broadcast", "Reduce", "CollectiveGather", "CollectiveScatter",
           "AlltoAll", "AlltoAllV", "AlltoAllVC", "AllGatherV", "ReduceScatterV", "Barrier", "Send", "Receive", "ScalarSummary"]
