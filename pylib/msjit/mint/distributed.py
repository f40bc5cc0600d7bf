"""mint.distributed: groups of processes, and collective calls that write to their arguments.

Ranks are numbers in the world, the group of all processes.
"""
from .. import _paths
from ..absent import attributes as _absent
from ..common.tensor import check_tensor as _check_tensor
from ..communication import collectives as _c
from ..communication import management as _g
from ..communication.comm_func import exchange_rows as _exchange_rows
from ..communication.comm_func import exchange_tensors as _exchange_tensors
from ..communication.comm_func import split_counts as _split_counts
from ..communication.messages import CommHandle
from ..communication.management import group_or_world as _found
from ..communication.world import state as _state
from .distributed_messages import (  # noqa: F401
    P2POp,
    all_gather_object,
    batch_isend_irecv,
    broadcast_object_list,
    gather_object,
    irecv,
    isend,
    recv,
    recv_object_list,
    scatter_object_list,
    send,
    send_object_list,
)


def _done(async_op):
    """A call is complete when it returns, so the handle of an asynchronous one has nothing to wait for."""
    if not isinstance(async_op, bool):
        raise TypeError("[distributed] async_op, got %s, expected a bool" % type(async_op).__name__)
    return CommHandle() if async_op else None


def write(out, value, where):
    """Writes a value to an output; raises ValueError or TypeError if the shape or dtype of the output differs."""
    if tuple(out.shape) != tuple(value.shape):
        raise ValueError("[%s] shape of the output, got %s, expected %s" % (where, tuple(out.shape), tuple(value.shape)))
    if out.dtype != value.dtype:
        raise TypeError("[%s] dtype of the output, got %s, expected %s" % (where, out.dtype, value.dtype))
    out.assign_value(value)


# -- groups -------------------------------------------------------------------------------------------------------------


def is_available():
    """Returns True: communication is part of every build. Without mpirun there is one process."""
    return True


def is_initialized():
    """Returns whether init_process_group, or communication.init, was called and not undone by destroy_process_group."""
    return _state.joined


def init_process_group(backend="hccl", init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None):
    """Joins the processes of mpirun, as communication.init; world_size and rank, if given, must be those of mpirun.

    Raises ValueError for a backend other than "hccl" and "mccl" (both mean MPI here) and for another world_size or rank. Raises
    NotImplementedError for init_method and store, because mpirun says where the processes are.
    """
    if backend not in ("hccl", "mccl"):
        raise ValueError("[init_process_group] backend, got %r, expected 'hccl' or 'mccl'" % (backend,))
    if init_method is not None or store is not None:
        raise NotImplementedError("[init_process_group] init_method and store, got one, expected None: the processes are those of mpirun")
    _g.init()
    if world_size not in (-1, _g.get_group_size()):
        raise ValueError("[init_process_group] world_size, got %r, expected %d" % (world_size, _g.get_group_size()))
    if rank not in (-1, _g.get_rank()):
        raise ValueError("[init_process_group] rank, got %r, expected %d" % (rank, _g.get_rank()))


def destroy_process_group(group=None):
    """Removes a group, given by its name.

    Without a group, or for the group of all processes, it leaves the other processes, as communication.release.
    """
    if group is None or group in (_g.HCCL_WORLD_COMM_GROUP, _g.MCCL_WORLD_COMM_GROUP):
        _g.release()
    else:
        _g.destroy_group(group)


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None):
    """Creates a group of these ranks and returns its name; "" in a process that is not a member.

    Without ranks, or with all of them, it is the group of all processes.
    """
    if ranks is None:
        return _g.GlobalComm.WORLD_COMM_GROUP
    if not isinstance(ranks, list):
        raise TypeError("[new_group] ranks, got %s, expected a list" % type(ranks).__name__)
    if backend not in (None, "hccl", "mccl"):
        raise TypeError("[new_group] backend, got %r, expected 'hccl' or 'mccl'" % (backend,))
    if _state.joined and _g.get_rank() not in ranks:
        return ""
    name = "%s_%d_%s" % (backend or "hccl", len(ranks), "_".join(map(str, sorted(ranks))))
    _g.create_group(name, ranks)
    return name


def _number(ask, group, where):
    """Asks a group for a number; -1 where this process is not a member of the group."""
    if group is None:
        group = _g.GlobalComm.WORLD_COMM_GROUP
    try:
        return ask(group)
    except (RuntimeError, ValueError):
        return -1


def get_rank(group=None):
    """Returns the number of this process in a group; -1 if it is not a member."""
    return _number(_g.get_rank, group, "get_rank")


def get_world_size(group=None):
    """Returns the number of processes in a group, by default of all; -1 if this process is not a member."""
    return _number(_g.get_group_size, group, "get_world_size")


def get_backend(group=None):
    """Returns "mccl", MindSpore's name of its backend for CPUs. Raises TypeError for a group that is no str."""
    if group is not None and not isinstance(group, str):
        raise TypeError("[get_backend] group, got %s, expected a str" % type(group).__name__)
    return "mccl"


def get_global_rank(group, group_rank):
    """Returns the rank in the world of the process with the number group_rank in a group; None is the group of all processes.

    Raises ValueError for a number that the group does not have.
    """
    return _g.get_world_rank_from_group_rank(_g.GlobalComm.WORLD_COMM_GROUP if group is None else group, group_rank)


def get_group_rank(group, global_rank):
    """Returns the number in a group of the process with the rank global_rank in the world; None is the group of all processes.

    Raises ValueError for a process that is no member.
    """
    return _g.get_group_rank_from_world_rank(global_rank, _g.GlobalComm.WORLD_COMM_GROUP if group is None else group)


def get_process_group_ranks(group=None):
    """Returns the list of the ranks in the world of the members of a group, by default of all processes."""
    return _g.get_process_group_ranks(_g.GlobalComm.WORLD_COMM_GROUP if group is None else group)


# -- collective calls -----------------------------------------------------------------------------------------------------


def all_reduce(tensor, op="sum", group=None, async_op=False):
    """Reduces the tensors of all members, element by element, and writes the result to `tensor`; op is "sum", "prod", "max", "min" or "avg".

    With async_op it returns a handle with wait(). Raises TypeError for another op and anything but a Tensor, ValueError for a group that this
    process is no member of.
    """
    write(_check_tensor(tensor, "all_reduce"), _c.all_reduce(tensor.detach(), op, _found(group, "all_reduce")), "all_reduce")
    return _done(async_op)


def reduce(tensor, dst, op="sum", group=None, async_op=False):
    """Reduces the tensors of all members, element by element, and writes the result to `tensor` on the rank dst; the others keep theirs.

    Arguments and errors are those of all_reduce; ValueError for a dst that is no member.
    """
    found = _found(group, "reduce")
    place = _g.place_in_group(dst, found, "reduce")
    out = _c.reduce(_check_tensor(tensor, "reduce").detach(), op, place, found)
    if found.rank == place:
        write(tensor, out, "reduce")
    return _done(async_op)


def broadcast(tensor, src, group=None, async_op=False):
    """Writes the tensor of the rank src to `tensor` on all members, which has the same shape and dtype there.

    With async_op it returns a handle with wait(). Raises ValueError for a src that is no member, TypeError for anything but a Tensor.
    """
    found = _found(group, "broadcast")
    _c.broadcast_into([_check_tensor(tensor, "broadcast")], _g.place_in_group(src, found, "broadcast"), found)
    return _done(async_op)


def all_gather_into_tensor(output_tensor, input_tensor, group=None, async_op=False):
    """Writes the inputs (n, ...) of all N members, one after another, to the output (N * n, ...) on each of them.

    With async_op it returns a handle with wait(). Raises ValueError for an output of another shape, TypeError for one of another dtype.
    """
    where = "all_gather_into_tensor"
    out = _c.all_gather(_check_tensor(input_tensor, where).detach(), _found(group, where), where)
    write(_check_tensor(output_tensor, where), out, where)
    return _done(async_op)


def reduce_scatter_tensor(output, input, op="sum", group=None, async_op=False):
    """Reduces the inputs (n, ...) of all N members, element by element, and writes this member's part to the output (n / N, ...).

    op is as in all_reduce. Raises ValueError for an output of another shape, TypeError for one of another dtype.
    """
    where = "reduce_scatter_tensor"
    out = _c.reduce_scatter(_check_tensor(input, where).detach(), op, _found(group, where), where)
    write(_check_tensor(output, where), out, where)
    return _done(async_op)


def _same(tensors, tensor, group, where):
    if not isinstance(tensors, (list, tuple)) or len(tensors) != group.size:
        raise TypeError("[%s] list of tensors, got %s, expected %d of them, one for each member"
                        % (where, len(tensors) if isinstance(tensors, (list, tuple)) else type(tensors).__name__, group.size))
    for other in tensors:
        if tuple(_check_tensor(other, where).shape) != tuple(tensor.shape) or other.dtype != tensor.dtype:
            raise TypeError("[%s] a tensor of the list, got %s %s, expected %s %s"
                            % (where, other.dtype, tuple(other.shape), tensor.dtype, tuple(tensor.shape)))


def all_gather(tensor_list, tensor, group=None, async_op=False):
    """Writes the tensor of member i to tensor_list[i] on all members; the list has one tensor for each member, all of one shape and dtype.

    With async_op it returns a handle with wait(). Raises TypeError for a list of another length and for tensors of another shape or dtype.
    """
    found = _found(group, "all_gather")
    _same(tensor_list, _check_tensor(tensor, "all_gather"), found, "all_gather")
    out = _c.all_gather(tensor.detach().reshape((1,) + tuple(tensor.shape)), found)
    for target, value in zip(tensor_list, out):
        target.assign_value(value)
    return _done(async_op)


def reduce_scatter(output, input_list, op="sum", group=None, async_op=False):
    """Reduces the tensors input_list[i] of all members, element by element, and writes the result to the output of member i.

    op is as in all_reduce. Raises TypeError for a list of another length and for tensors of another shape or dtype than the output.
    """
    found = _found(group, "reduce_scatter")
    _same(input_list, _check_tensor(output, "reduce_scatter"), found, "reduce_scatter")
    from .. import ops
    out = _c.reduce_scatter(ops.stack([t.detach() for t in input_list]), op, found)
    write(output, out.reshape(output.shape), "reduce_scatter")
    return _done(async_op)


def gather(tensor, gather_list, dst=0, group=None, async_op=False):
    """Writes the tensor of member i to gather_list[i] on the rank dst, whose list has one tensor for each member; others pass None.

    Raises ValueError for a dst that is no member, TypeError for a list of another length and for tensors of another shape or dtype.
    """
    found = _found(group, "gather")
    place = _g.place_in_group(dst, found, "gather")
    if found.rank == place:
        _same(gather_list, _check_tensor(tensor, "gather"), found, "gather")
    out = _c.gather(_check_tensor(tensor, "gather").detach().reshape((1,) + tuple(tensor.shape)), place, found)
    if found.rank == place:
        for target, value in zip(gather_list, out):
            target.assign_value(value)
    return _done(async_op)


def scatter(tensor, scatter_list, src=0, group=None, async_op=False):
    """Writes scatter_list[i] of the rank src to the tensor of member i; the list has one tensor for each member, and others pass None.

    Raises ValueError for a src that is no member, TypeError for a list of another length and for tensors of another shape or dtype.
    """
    found = _found(group, "scatter")
    place = _g.place_in_group(src, found, "scatter")
    from .. import ops
    whole = ops.zeros((found.size,) + tuple(_check_tensor(tensor, "scatter").shape), tensor.dtype)
    if found.rank == place:
        _same(scatter_list, tensor, found, "scatter")
        whole = ops.stack([t.detach() for t in scatter_list])
    write(tensor, _c.scatter(whole, place, found).reshape(tensor.shape), "scatter")
    return _done(async_op)


def all_gather_into_tensor_uneven(output, input, output_split_sizes=None, group=None, async_op=False):
    """Writes the inputs of all members, one after another, to the output.

    output_split_sizes gives the number of rows of each member; they are equal by default.
    """
    where = "all_gather_into_tensor_uneven"
    found, x, out = _found(group, where), _check_tensor(input, where), _check_tensor(output, where)
    rows = _split_counts(out.shape[0], output_split_sizes, found, where, "output")
    write(out, _c.all_gather_uneven(x.detach(), rows, found, where), where)
    return _done(async_op)


def reduce_scatter_tensor_uneven(output, input, input_split_sizes=None, op="sum", group=None, async_op=False):
    """Reduces the inputs of all members and writes this member's rows to the output.

    input_split_sizes gives the number of rows of each member; they are equal by default.
    """
    where = "reduce_scatter_tensor_uneven"
    found, x = _found(group, where), _check_tensor(input, where)
    rows = _split_counts(x.shape[0], input_split_sizes, found, where, "input")
    write(_check_tensor(output, where), _c.reduce_scatter_uneven(x.detach(), rows, op, found, where), where)
    return _done(async_op)


def _list_of_one_dtype(tensors, where):
    if not isinstance(tensors, (list, tuple)):
        raise TypeError("[%s] tensors, got %s, expected a list" % (where, type(tensors).__name__))
    if len({_check_tensor(t, where).dtype for t in tensors}) > 1:
        raise TypeError("[%s] dtypes, got different ones, expected one" % where)
    return tensors


def all_to_all(output_tensor_list, input_tensor_list, group=None, async_op=False):
    """Sends input tensor i to member i, and writes the tensor received from member i to output tensor i. Shapes may differ, dtypes may not.

    With async_op it returns a handle with wait(). Raises TypeError for anything but lists of Tensors and for different dtypes.
    """
    found, outputs = _found(group, "all_to_all"), _list_of_one_dtype(output_tensor_list, "all_to_all")
    inputs = [t.detach() for t in _list_of_one_dtype(input_tensor_list, "all_to_all")]
    for target, value in zip(outputs, _exchange_tensors([tuple(t.shape) for t in outputs], inputs, found, "all_to_all")):
        write(target, value, "all_to_all")
    return _done(async_op)


def all_to_all_single(output, input, output_split_sizes=None, input_split_sizes=None, group=None, async_op=False):
    """Sends rows of the input to the members and writes the rows received from them to the output.

    The parts have input_split_sizes and output_split_sizes rows; they are equal by default.
    """
    where = "all_to_all_single"
    found, out = _found(group, where), _check_tensor(output, where)
    value = _exchange_rows(tuple(out.shape), _check_tensor(input, where).detach(), output_split_sizes, input_split_sizes, found, where)
    write(out, value, where)
    return _done(async_op)


def barrier(group=None, async_op=False, device_ids=None):
    """Returns when all members have called it; with async_op it returns a handle with wait().

    Raises ValueError for a group that this process is no member of.
    """
    _c.barrier(_found(group, "barrier"))
    return _done(async_op)


__all__ = ["init_process_group", "destroy_process_group", "get_rank", "get_world_size", "new_group", "get_backend", "get_global_rank",
           "get_process_group_ranks", "get_group_rank", "all_reduce", "all_gather_into_tensor", "all_to_all", "all_to_all_single",
           "reduce_scatter_tensor", "all_gather_into_tensor_uneven", "reduce_scatter_tensor_uneven", "isend", "irecv", "send", "recv", "send_object_list", "recv_object_list", "gather", "scatter",
           "all_gather", "reduce_scatter", "barrier", "broadcast", "reduce", "P2POp", "batch_isend_irecv", "all_gather_object",
           "broadcast_object_list", "gather_object", "scatter_object_list", "is_available", "is_initialized"]
__getattr__ = _absent(__name__)
__path__ = _paths.extend([])  # A package in MindSpore. alias.py finds the modules below it that programs import.

_paths.reach(__name__)
