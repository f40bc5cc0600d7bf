"""The part of mint.distributed that sends messages and Python objects. Ranks are numbers in the world, the group of all processes."""
from ..common.tensor import check_tensor as _check_tensor
from ..communication import management as _g
from ..communication import messages as _m
from ..communication import objects as _o
from ..communication.management import group_or_world as _found


def isend(tensor, dst=0, group=None, tag=0):
    """Starts to send a tensor to the rank dst. Returns a handle; the tensor may be changed after its wait().

    Raises ValueError for a dst that is this process or no member of the group, TypeError for anything but a Tensor.
    """
    found = _found(group, "send")
    return _m.begin_send(_check_tensor(tensor, "send"), _g.place_in_group(dst, found, "send"), found, tag)


def irecv(tensor, src=0, group=None, tag=0):
    """Starts to receive from the rank src into `tensor`. Returns a handle; the tensor is complete after its wait().

    Raises ValueError for a src that is this process or no member of the group, TypeError for anything but a Tensor.
    """
    found = _found(group, "recv")
    return _m.begin_receive(_check_tensor(tensor, "recv"), _g.place_in_group(src, found, "recv"), found, tag)


def send(tensor, dst=0, group=None, tag=0):
    """Sends a tensor to the rank dst, and returns when it may be changed. Errors are those of isend."""
    isend(tensor, dst, group, tag).wait()


def recv(tensor, src=0, group=None, tag=0):
    """Receives from the rank src into `tensor`, and returns 0 when it is complete. Errors are those of irecv."""
    irecv(tensor, src, group, tag).wait()
    return 0


class P2POp:
    """One entry of batch_isend_irecv: isend or irecv (the function or its name), a tensor, and the peer's rank in the world.

    Raises TypeError for another op and for a peer that is no int, NotImplementedError for a tag other than 0.
    """

    def __init__(self, op, tensor, peer, group=None, tag=0):
        if op not in ("isend", "irecv", isend, irecv):
            raise TypeError("[P2POp] op, got %r, expected isend or irecv" % (op,))
        if isinstance(peer, bool) or not isinstance(peer, int):
            raise TypeError("[P2POp] peer, got %s, expected an int" % type(peer).__name__)
        if tag != 0:
            raise NotImplementedError("[P2POp] tag, got %r, expected 0" % (tag,))
        self.op, self.tensor, self.peer, self.group, self.tag = op, _check_tensor(tensor, "P2POp"), peer, group, tag


def batch_isend_irecv(p2p_op_list):
    """Starts all messages of a list of P2POp; returns a list of handles with wait(). Raises TypeError for an empty list and for other entries."""
    if not p2p_op_list:
        raise TypeError("[batch_isend_irecv] p2p_op_list, got %r, expected a list of one or more" % (p2p_op_list,))
    for entry in p2p_op_list:
        if not isinstance(entry, P2POp):
            raise TypeError("[batch_isend_irecv] entry, got %s, expected a P2POp" % type(entry).__name__)
    return [(isend if entry.op in ("isend", isend) else irecv)(entry.tensor, entry.peer, entry.group) for entry in p2p_op_list]


# -- Python objects ---------------------------------------------------------------------------------------------------------


def _list(values, size, where):
    if not isinstance(values, list) or size is not None and len(values) != size:
        raise TypeError("[%s] list, got %s, expected one of %s" % (where, len(values) if isinstance(values, list) else
                                                                type(values).__name__, size if size is not None else "any length"))


def all_gather_object(object_list, obj, group=None):
    """Writes the picklable objects of all members to object_list, item i that of member i. Raises TypeError for a list of another length."""
    found = _found(group, "all_gather_object")
    _list(object_list, found.size, "all_gather_object")
    object_list[:] = _o.all_gather_object(obj, found)


def broadcast_object_list(object_list, src=0, group=None, device=None):
    """Writes the picklable objects of the rank src to object_list on all members, which has the same length everywhere.

    Raises TypeError for anything but a list and for another length, ValueError for a src that is no member.
    """
    found = _found(group, "broadcast_object_list")
    _list(object_list, None, "broadcast_object_list")
    came = _o.broadcast_object(list(object_list), _g.place_in_group(src, found, "broadcast_object_list"), found)
    _list(object_list, len(came), "broadcast_object_list")
    object_list[:] = came


def gather_object(obj, object_gather_list=None, dst=0, group=None):
    """Writes the picklable objects of all members to object_gather_list on the rank dst, item i that of member i; others pass None.

    Raises TypeError on dst for a list of another length, ValueError for a dst that is no member.
    """
    found = _found(group, "gather_object")
    place = _g.place_in_group(dst, found, "gather_object")
    if found.rank == place:
        _list(object_gather_list, found.size, "gather_object")
    came = _o.gather_object(obj, place, found)
    if came is not None:
        object_gather_list[:] = came


def scatter_object_list(scatter_object_output_list, scatter_object_input_list, src=0, group=None):
    """Writes item i of the rank src's list of picklable objects to the first item of the output list of member i.

    Raises TypeError for an empty output list and on src for a list of another length, ValueError for a src that is no member.
    """
    found = _found(group, "scatter_object_list")
    place = _g.place_in_group(src, found, "scatter_object_list")
    if not isinstance(scatter_object_output_list, list) or not scatter_object_output_list:
        raise TypeError("[scatter_object_list] output list, got %r, expected a list of one or more" % (scatter_object_output_list,))
    if found.rank == place:
        _list(scatter_object_input_list, found.size, "scatter_object_list")
    scatter_object_output_list[0] = _o.scatter_object(scatter_object_input_list, place, found)


def send_object_list(object_list, dst=0, group=None, device=None):
    """Sends a list of picklable objects to the rank dst. Raises TypeError for anything but a list, ValueError for a dst as in isend."""
    found = _found(group, "send")
    _list(object_list, None, "send_object_list")
    _o.send_object(list(object_list), _g.place_in_group(dst, found, "send"), found)


def recv_object_list(object_list, src=0, group=None, device=None):
    """Receives the objects of send_object_list from the rank src into a list. Raises TypeError for a list of another length."""
    found = _found(group, "recv")
    came = _o.receive_object(_g.place_in_group(src, found, "recv"), found)
    _list(object_list, len(came), "recv_object_list")
    object_list[:] = came
