"""Hooks on gradients: steps of the tape that pass tensors through unchanged, and change only their gradients."""
from ._native import Tensor, _msjit


def passed_through(name, on_gradients, tensors):
    """Returns the tensors as new ones. Behind them, on_gradients(inputs, outputs, gradients) returns the gradients that the
    originals get. A gradient that did not come is None."""
    return _msjit.record_gradient(name, on_gradients, tensors, tensors, False)


def replaced(name, changed, grads, tensors):
    """The gradients of `tensors` after a hook has returned `changed`."""
    if changed is None:
        return grads
    changed = changed if isinstance(changed, (tuple, list)) else (changed,)
    if len(changed) != len(grads):
        raise TypeError("[%s] number of gradients returned, got %d, expected %d" % (name, len(changed), len(grads)))
    for grad, tensor in zip(changed, tensors):
        if grad is None:
            continue
        if not isinstance(grad, Tensor):
            raise TypeError("[%s] a gradient, got %s, expected a Tensor" % (name, type(grad).__name__))
        if tuple(grad.shape) != tuple(tensor.shape) or grad.dtype != tensor.dtype:
            raise ValueError("[%s] a gradient, got %s%s, expected %s%s"
                             % (name, grad.dtype, tuple(grad.shape), tensor.dtype, tuple(tensor.shape)))
    return tuple(changed)


class HookHandle:
    """The result of Tensor.register_hook. remove() removes the hook."""

    def __init__(self, hook):
        self._hook = hook

    def remove(self):
        """The hook is called no more."""
        self._hook = None

    def _on_gradients(self, inputs, outputs, grads):
        if self._hook is None:
            return grads
        return replaced("register_hook", self._hook(grads[0]), grads, outputs)


# Gets an item when a tensor that no recorded operation made gets a hook. Gradient functions look for hooks only from then on.
leaf_hooks = []


def register_hook(self, hook_fn=None, hook=None):
    """Has hook_fn(gradient) called when the gradient of this tensor is known; it may return another gradient. `hook` is another name of hook_fn.

    Returns a HookHandle. For the result of a recorded operation, the hook gets the gradient of what is computed from the tensor
    after this call. For other tensors (inputs of a gradient function, Parameters, tensors made outside of one) it gets the
    gradient that a gradient function returns for them.
    Raises TypeError if hook_fn is not callable. The gradient raises it if hook_fn returns something else than None or a Tensor of the same dtype
    and shape.
    """
    hook_fn = hook if hook_fn is None else hook_fn
    if not callable(hook_fn):
        raise TypeError("[register_hook] hook_fn must be callable, got %s" % type(hook_fn).__name__)
    handle = HookHandle(hook_fn)
    if _msjit.records((self,), {}):
        try:
            _msjit.become(self, passed_through("register_hook", handle._on_gradients, (self,))[0])
            return handle
        except NotImplementedError:  # no operation made it
            pass
    self._gradient_hooks = getattr(self, "_gradient_hooks", ()) + (handle,)
    if not leaf_hooks:
        leaf_hooks.append(None)
    return handle


def hooked(grad, *tensors):
    """The gradient of one leaf, after the hooks of the given tensor objects, which all stand for that leaf."""
    for tensor in tensors:
        for handle in getattr(tensor, "_gradient_hooks", ()):
            grad = handle._on_gradients((tensor,), (tensor,), (grad,))[0]
    return grad
