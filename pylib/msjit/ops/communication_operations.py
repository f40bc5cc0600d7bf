"""Primitives of collective communication: there is one process, so each gives what a group of one does."""
from ..common.tensor import check_tensor
from .primitive import Primitive

_GROUP = "hccl_world_group"


class ReduceOp:
    """The names of reductions."""

    SUM, MAX, MIN, PROD = "sum", "max", "min", "prod"


class AllReduce(Primitive):
    """The input, reduced over one process."""

    def __init__(self, op=ReduceOp.SUM, group=_GROUP):
        super().__init__()
        if op not in ("sum", "max", "min", "prod"):
            raise ValueError("[%s] op, got %r, expected one of ReduceOp" % (self.name, op))
        self.op, self.group = op, group

    def __call__(self, input_x):
        return check_tensor(input_x, self.name)


class AllGather(Primitive):
    """The input, gathered from one process."""

    def __init__(self, group=_GROUP):
        super().__init__()
        self.group = group

    def __call__(self, input_x):
        return check_tensor(input_x, self.name)


class Broadcast(Primitive):
    """The input, a tuple of Tensors; root_rank can only be 0."""

    def __init__(self, root_rank, group=_GROUP):
        super().__init__()
        if root_rank != 0:
            raise ValueError("[%s] root_rank, got %r, expected 0: there is one process" % (self.name, root_rank))
        self.root_rank, self.group = root_rank, group

    def __call__(self, input_x):
        return tuple(check_tensor(item, self.name) for item in input_x)


class ScalarSummary(Primitive):
    """Notes a number for a SummaryRecord; there is none, so it does nothing, as MindSpore's outside one."""

    def __call__(self, name, value):
        check_tensor(value, self.name)


__all__ = ["ReduceOp", "AllReduce", "AllGather", "Broadcast", "ScalarSummary"]
