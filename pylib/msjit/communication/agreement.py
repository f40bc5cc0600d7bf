"""Before a collective call, the members of a group exchange what they are about to call. Different shapes, dtypes or calls are an error on all.

Operators do this themselves (kernels/processes/agreement.h); this is for calls that are no operators.
"""
from .._native import Tensor
from .world import processes

_GOODBYE = "the end of the program"


def tensor_text(x):
    """float32 (2, 3)"""
    return "%s %s" % (str(x.dtype).lower(), tuple(x.shape))


def check(group, where, *details):
    """Raises if the members differ in the call (RuntimeError), the dtype (TypeError) or other details (ValueError).
    details: Tensors, whose shapes and dtypes are compared, or texts.
    """
    dtypes = " ".join(str(d.dtype).lower() for d in details if isinstance(d, Tensor))
    text = ", ".join(tensor_text(d) if isinstance(d, Tensor) else str(d) for d in details)
    processes.check(group.number, where, dtypes, text)


def say_goodbye(group):
    """Waits until all members are at the end of the program. A collective call that another member still makes raises there."""
    if group.size == 1:
        return
    with group:
        while not processes.agree(group.number, processes.digest(_GOODBYE)):
            processes.exchange(group.number, _GOODBYE)
