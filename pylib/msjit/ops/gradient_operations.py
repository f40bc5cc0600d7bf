"""Primitives that return their inputs and act on gradients only."""
from .._native import Tensor, _msjit
from ..gradient_hooks import passed_through, replaced
from .primitive import Primitive


class HookBackward(Primitive):
    """Returns its inputs, one Tensor or a tuple; in the backward pass hook_fn(gradients) gets the tuple of their gradients and may replace them.

    What hook_fn returns, unless None, takes their place. Raises TypeError for a hook_fn that cannot be called and for inputs that are no Tensors.
    """

    def __init__(self, hook_fn, cell_id=""):
        super().__init__()
        if not callable(hook_fn):
            raise TypeError("[hook_backward] hook_fn must be callable, got %s" % type(hook_fn).__name__)
        self._hook = hook_fn

    def __call__(self, *inputs):
        for value in inputs:
            if not isinstance(value, Tensor):
                raise TypeError("[hook_backward] an input, got %s, expected a Tensor" % type(value).__name__)
        if _msjit.records(inputs, {}):
            inputs = passed_through("hook_backward", self._on_gradients, inputs)
        return inputs[0] if len(inputs) == 1 else inputs

    def _on_gradients(self, inputs, outputs, grads):
        grads = tuple(out.new_zeros(tuple(out.shape)) if grad is None else grad for out, grad in zip(outputs, grads))
        return replaced("hook_backward", self._hook(grads), grads, outputs)


class InsertGradientOf(Primitive):
    """Returns its input; in the backward pass f(gradient) replaces the gradient of the input, as one that clips it does.

    Raises TypeError for an f that cannot be called and for an input that is no Tensor.
    """

    def __init__(self, f):
        super().__init__()
        if not callable(f):
            raise TypeError("[insert_gradient_of] f must be callable, got %s" % type(f).__name__)
        self._hook = f

    def __call__(self, x):
        if not isinstance(x, Tensor):
            raise TypeError("[insert_gradient_of] x, got %s, expected a Tensor" % type(x).__name__)
        if _msjit.records((x,), {}):
            return passed_through("insert_gradient_of", self._on_gradients, (x,))[0]
        return x

    def _on_gradients(self, inputs, outputs, grads):
        return replaced("insert_gradient_of", self._hook(grads[0]), grads, outputs)
