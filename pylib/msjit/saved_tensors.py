"""saved_tensors_hooks: what a program does with the tensors that gradients need."""
from functools import wraps

from ._native import _msjit
from .uncaptured import Uncaptured


class saved_tensors_hooks(Uncaptured):  # noqa: N801 - as MindSpore has it
    """Context manager: each tensor that an operation inside keeps for its gradient goes through `pack_hook`, and what that returns
    through `unpack_hook` when the gradient is computed, which uses the result.

    pack_hook(tensor) takes a Tensor and returns anything; unpack_hook(packed) returns a Tensor of the same dtype and shape. They
    are called for the inputs and results whose elements the gradient's formula reads, so not at all for `x + y`. Of contexts
    inside one another the innermost counts. The interpreter runs what is inside: no graph packs anything.

    Raises TypeError for hooks that cannot be called or where unpack_hook returns no Tensor, ValueError where it returns one of
    another dtype or shape, NotImplementedError for a gradient of a gradient. What a hook raises, the operation or the gradient raises.

    >>> import msjit as ms
    >>> def square(x):
    ...     with ms.saved_tensors_hooks(lambda t: t + 1, lambda t: t):
    ...         return ms.ops.exp(x)
    >>> ms.grad(square)(ms.Tensor([0.0])).tolist()
    [2.0]
    """

    def __init__(self, pack_hook, unpack_hook):
        _check_hooks("saved_tensors_hooks", pack_hook, unpack_hook)
        super().__init__()
        self.pack_hook, self.unpack_hook = pack_hook, unpack_hook

    def __enter__(self):
        super().__enter__()
        _msjit.push_saved_hooks(self.pack_hook, self.unpack_hook)

    def __exit__(self, *error):
        _msjit.pop_saved_hooks()
        super().__exit__(*error)


def _check_hooks(where, *hooks):
    for name, hook in zip(("pack_hook", "unpack_hook"), hooks):
        if not callable(hook):
            raise TypeError("[%s] %s, got %s, expected a function" % (where, name, type(hook).__name__))


def register_saved_tensors_hooks(pack_hook, unpack_hook):
    """A decorator: calls of the function are inside saved_tensors_hooks(pack_hook, unpack_hook). TypeError as there."""
    _check_hooks("register_saved_tensors_hooks", pack_hook, unpack_hook)

    def decorate(function):
        @wraps(function)
        def call(*args, **kwargs):
            with saved_tensors_hooks(pack_hook, unpack_hook):
                return function(*args, **kwargs)
        return call
    return decorate


__all__ = ["saved_tensors_hooks", "register_saved_tensors_hooks"]
