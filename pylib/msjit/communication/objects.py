"""Sends pickled Python objects between processes. Unpickling may run code: data from another process of the program is trusted."""
import pickle

from .._native import Tensor, _msjit
from . import collectives
from .agreement import check
from .messages import receive, send
from .world import processes

_UINT8, _INT64 = _msjit.dtypes["uint8"], _msjit.dtypes["int64"]


def _packed(obj):
    """A Tensor of the bytes of a pickled object."""
    import numpy as np
    return Tensor.from_numpy(np.frombuffer(pickle.dumps(obj), np.uint8).copy())


def _unpacked(x):
    return pickle.loads(x.asnumpy().tobytes())


def _space(size):
    return _msjit.ops.zeros((size,), _UINT8)


def all_gather_object(obj, group, where="all_gather_object"):
    """The objects of all members, as a list."""
    if group.size == 1:
        return [pickle.loads(pickle.dumps(obj))]
    data = _packed(obj)
    with group.calling(where):
        sizes = collectives.all_gather(Tensor([data.size], _INT64), group, where).tolist()
        out = _space(sum(sizes))
        processes.all_gather(group.number, data, out, sizes)
    parts, at = [], 0
    for size in sizes:
        parts.append(_unpacked(out[at:at + size]))
        at += size
    return parts


def broadcast_object(obj, root, group, where="broadcast_object_list"):
    """The object of the member `root`."""
    if group.size == 1:
        return obj
    here = group.rank == root
    data = _packed(obj) if here else None
    with group.calling(where):
        size = collectives.broadcast(Tensor([data.size if here else 0], _INT64), root, group, where).tolist()[0]
        data = data if here else _space(size)
        processes.broadcast(group.number, data, root)
    return obj if here else _unpacked(data)


def gather_object(obj, root, group, where="gather_object"):
    """The objects of all members on the member `root`, None elsewhere."""
    found = all_gather_object(obj, group, where)
    return found if group.rank == root else None


def scatter_object(objects, root, group, where="scatter_object_list"):
    """This member's part of the list of the member `root`."""
    if group.size == 1:
        return objects[0]
    here = group.rank == root
    parts = [_packed(obj) for obj in objects] if here else []
    with group.calling(where):
        check(group, where, "from rank %d" % root)
        sizes = [part.size for part in parts] if here else [0] * group.size
        sizes = collectives.broadcast(Tensor(sizes, _INT64), root, group, where).tolist()
        out = _space(sizes[group.rank])
        sent = _msjit.ops.concat(parts, 0) if here else _space(0)
        processes.all_to_all(group.number, sent, out, sizes if here else [0] * group.size,
                             [sizes[group.rank] if rank == root else 0 for rank in range(group.size)])
    return _unpacked(out)


def send_object(obj, rank, group):
    """Sends an object to a member."""
    data = _packed(obj)
    send(Tensor([data.size], _INT64), rank, group, 0)
    send(data, rank, group, 0)


def receive_object(rank, group):
    """The object that a member sends."""
    size = Tensor([0], _INT64)
    receive(size, rank, group, 0)
    data = _space(size.tolist()[0])
    receive(data, rank, group, 0)
    return _unpacked(data)
