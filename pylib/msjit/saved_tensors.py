"""saved_tensors_hooks: hooks on the tensors that the tape keeps for gradients."""
from functools import wraps

from ._native import _msjit


class saved_tensors_hooks:  # noqa: N801 - as MindSpore has it
    """Context manager: an operation inside calls pack_hook for each tensor that it keeps for its gradient, and keeps the result
    instead. When the gradient is computed, it calls unpack_hook with that result and uses the Tensor that comes back.

    pack_hook(tensor) takes a Tensor and returns anything; unpack_hook(packed) returns a Tensor of the same dtype and shape. They
    are called for the inputs and results whose elements the gradient's formula reads, so not at all for `x + y`. If contexts
    are nested, the innermost one counts. The interpreter runs the code inside, because graphs do not pack tensors.

    Raises TypeError for hooks that are not callable and if unpack_hook returns no Tensor, ValueError if it returns one of
    another dtype or shape, NotImplementedError for a gradient of a gradient. An exception in a hook is raised by the operation or the gradient.

    >>> import msjit as ms
    >>> def square(x):
    ...     with ms.saved_tensors_hooks(lambda t: t + 1, lambda t: t):
    ...         return ms.ops.exp(x)
    >>> ms.grad(square)(ms.Tensor([0.0])).tolist()
    [2.0]
    """

    def __init__(self, pack_hook, unpack_hook):
        _check_hooks("saved_tensors_hooks", pack_hook, unpack_hook)
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        _msjit.push_saved_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *error):
        _msjit.pop_saved_hooks()


def _check_hooks(where, *hooks):
    for name, hook in zip(("pack_hook", "unpack_hook"), hooks):
        if not callable(hook):
            raise TypeError("[%s] %s, got %s, expected a function" % (where, name, type(hook).__name__))


def register_saved_tensors_hooks(pack_hook, unpack_hook):
    """A decorator: runs calls of the function inside saved_tensors_hooks(pack_hook, unpack_hook). TypeError as there."""
    _check_hooks("register_saved_tensors_hooks", pack_hook, unpack_hook)

    def decorate(function):
        @wraps(function)
        def call(*args, **kwargs):
            with saved_tensors_hooks(pack_hook, unpack_hook):
                return function(*args, **kwargs)
        return call
    return decorate


__all__ = ["saved_tensors_hooks", "register_saved_tensors_hooks"]
