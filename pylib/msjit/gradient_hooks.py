"""Steps that change nothing but the gradients on their way back."""
from ._native import Tensor, _msjit


def passed_through(name, on_gradients, tensors):
    """The tensors as others, at which on_gradients(inputs, outputs, gradients) gives the gradients to hand on; None stands
    for one that did not come."""
    return _msjit.record_gradient(name, on_gradients, tensors, tensors, False)


def replaced(name, changed, grads, tensors):
    """The gradients of `tensors` after a hook that returned `changed`."""
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
    """What Tensor.register_hook returns: remove() takes the hook away."""

    def __init__(self, hook):
        self._hook = hook

    def remove(self):
        """The hook is called no more."""
        self._hook = None

    def _on_gradients(self, inputs, outputs, grads):
        if self._hook is None:
            return grads
        return replaced("register_hook", self._hook(grads[0]), grads, outputs)


# Holds one item once a tensor that no recorded operation made has a hook: gradient functions look for hooks only then.
leaf_hooks = []


def register_hook(self, hook_fn=None, hook=None):
    """hook_fn(gradient), or hook by its other name, is called when the gradient of this tensor is known, and may return another one; see HookHandle.

    Of the result of a recorded operation, what is computed from the tensor afterwards is hooked. Of others (inputs of a
    gradient function, Parameters, tensors made outside of one) it is the gradient that a gradient function gives for them.
    Raises TypeError where hook_fn cannot be called; and, when it is called, where it returns no Tensor of that dtype and shape.
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
    """The gradient of one leaf after the hooks of the tensor objects that stand for it."""
    for tensor in tensors:
        for handle in getattr(tensor, "_gradient_hooks", ()):
            grad = handle._on_gradients((tensor,), (tensor,), (grad,))[0]
    return grad
