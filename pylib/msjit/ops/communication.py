"""mindspore.ops.communication: collective calls that write to the Tensors passed in, as those of mint.distributed do."""
from ..absent import attributes as _absent
from ..common.tensor import check_tensor as _check_tensor
from ..communication import collectives as _c
from ..communication.comm_func import all_to_all_v_c
from ..communication.management import group_or_world as _found
from ..communication.management import place_in_group as _place
from ..communication.messages import CommHandle
from ..mint import distributed as _distributed
from ..mint.distributed import *  # noqa: F403


def gather_into_tensor(output_tensor, input_tensor, dst=0, group=None, async_op=False):
    """Writes the inputs of all members, concatenated, to output_tensor on rank dst."""
    where = "gather_into_tensor"
    found = _found(group, where)
    place = _place(dst, found, where)
    out = _c.gather(_check_tensor(input_tensor, where).detach(), place, found, where)
    if found.rank == place:
        _distributed.write(_check_tensor(output_tensor, where), out, where)
    return CommHandle() if async_op else None


def scatter_tensor(output_tensor, input_tensor, src=0, group=None, async_op=False):
    """Writes this member's part of the input of rank src to output_tensor."""
    where = "scatter_tensor"
    found = _found(group, where)
    out = _c.scatter(_check_tensor(input_tensor, where).detach(), _place(src, found, where), found, where)
    _distributed.write(_check_tensor(output_tensor, where), out, where)
    return CommHandle() if async_op else None


__all__ = _distributed.__all__ + ["all_to_all_v_c", "gather_into_tensor", "scatter_tensor"]
__getattr__ = _absent(__name__)
