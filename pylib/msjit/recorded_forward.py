"""Forward runs that a gradient uses: loss = net(x) and then grad(net, weights)(x, sens), as training steps written by hand have it.

After net.set_grad() such a step runs net once in MindSpore. Here, too, the call is recorded, and the GradOperation that follows takes the
record. So running statistics change once a step, and the gradient belongs to the random numbers with which the loss was computed.
"""
from ._native import Tensor, _msjit
from .autograd import _Pull


def records(cell, args, kwargs):
    """True if a call of a Cell with requires_grad is to be recorded: in training, outside of gradient transforms and no_grad, with Tensors
    by position."""
    if not cell.training or not cell._ms_keeps_forward or kwargs or _msjit.grad_level() > 0:
        return False
    for arg in args:
        if not isinstance(arg, Tensor):
            return False
    return True


def recorded(cell, run, args):
    """run(*args), recorded. The Cell keeps the record until its next call or gradient."""
    object.__setattr__(cell, "_ms_forward", None)
    pull = _Pull(run, args, {}, range(len(args)), [])
    object.__setattr__(cell, "_ms_forward", (args, pull))
    return pull.value()


def forget(cell):
    """Drops a record that this other call of the Cell makes useless. If the gradient of a Cell around it is being taken, later calls are
    not recorded either: a training step of that kind would never use them."""
    object.__setattr__(cell, "_ms_forward", None)
    if _msjit.grad_level() > 0:
        object.__setattr__(cell, "_ms_keeps_forward", False)
