"""mindspore.parallel._cell_wrapper: Cells of one collective each, which code that saves checkpoints makes."""
from .. import ops
from ..nn.cell import Cell


class AllGatherCell(Cell):
    """Joins the parts of a tensor that the processes of a group have, along the first axis."""

    def __init__(self, group, do_reshape=False, after_reshape_slice_shape=()):
        super().__init__(auto_prefix=False)
        self.allgather = ops.AllGather(group) if group else ops.AllGather()
        self.do_reshape, self.after_reshape_slice_shape = do_reshape, tuple(after_reshape_slice_shape)

    def construct(self, x):
        if self.do_reshape:
            x = ops.reshape(x, self.after_reshape_slice_shape)
        return self.allgather(x)


class SaveOptShardCkptCell(AllGatherCell):
    """Joins the parts of an optimizer's state over a group, then those of the whole world."""

    def __init__(self, group, do_reshape, after_reshape_slice_shape):
        super().__init__(group, do_reshape, after_reshape_slice_shape)
        self.allgather1, self.allgather2 = self.allgather, ops.AllGather()

    def construct(self, x):
        x = self.allgather1(x)
        if self.do_reshape:
            x = ops.reshape(x, self.after_reshape_slice_shape)
        return self.allgather2(x)


class SingleCommunicator(Cell):
    """Sums a tensor over the processes of a group."""

    def __init__(self, group_name):
        super().__init__()
        self.allreduce = ops.AllReduce(group=group_name)

    def construct(self, loaded_param):
        return self.allreduce(loaded_param)


def get_allgather_cell(group, need_merge_twice=False, do_reshape=False, after_reshape_slice_shape=()):
    """The Cell that joins the parts of a divided tensor; group "" means all processes."""
    kind = SaveOptShardCkptCell if need_merge_twice else AllGatherCell
    return kind(group, do_reshape, after_reshape_slice_shape)


def destroy_allgather_cell():
    """Nothing is kept here, so there is nothing to forget."""
