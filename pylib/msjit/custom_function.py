"""_Function: a function that defines its own gradient, by static methods forward and backward."""
from . import ops
from ._native import Tensor, _msjit
from .autograd import no_grad


class _Function:
    """Base class: a subclass has `forward(ctx, *args)` and `backward(ctx, *gradients)`, and is called by `apply(*args)`.

    The tape does not record what forward does. backward gets a gradient for each output and returns one for each argument, or
    None for an argument that has none. ctx keeps data from forward for backward: as attributes, and tensors by
    `save_for_backward`. Gradients of gradients flow through tensors saved that way. If there is a static
    `setup_context(ctx, inputs, output)`, forward is called without ctx.
    """

    setup_context = None

    def __init__(self):
        self._saved, self._constant, self._zeros, self.needs_input_grad = (), (), True, ()

    @staticmethod
    def forward(ctx, *args, **kwargs):
        """Computes the result of the function."""
        raise NotImplementedError("[_Function] forward is not defined, expected a static method")

    @staticmethod
    def backward(ctx, *grads):
        """The gradients of the arguments."""
        raise NotImplementedError("[_Function] backward is not defined, expected a static method")

    def save_for_backward(self, *tensors):
        """Keeps tensors (or None) for backward."""
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise TypeError("[_Function] save_for_backward, got %s, expected Tensors; attributes of ctx keep the rest"
                                % type(tensor).__name__)
        self._saved = tensors

    @property
    def saved_tensors(self):
        """The tensors given to save_for_backward."""
        return tuple(self._saved)

    def mark_non_differentiable(self, *outputs):
        """These outputs have no gradient."""
        self._constant = outputs

    def mark_dirty(self, *inputs):
        """Not offered."""
        raise NotImplementedError("[_Function] mark_dirty: changes of inputs in place, got some, expected none")

    def set_materialize_grads(self, value):
        """Whether backward gets zeros (True, the default) or None for outputs without a gradient."""
        self._zeros = bool(value)

    @classmethod
    def apply(cls, *args, **kwargs):
        """Calls the function."""
        ctx = cls()
        ctx.needs_input_grad = tuple(isinstance(a, Tensor) and getattr(a, "requires_grad", True) is not False for a in args)
        with no_grad():
            if cls.setup_context is None:
                output = cls.forward(ctx, *args, **kwargs)
            else:
                output = cls.forward(*args, **kwargs)
                cls.setup_context(ctx, args, output)
        outputs = list(output) if isinstance(output, (tuple, list)) else [output]
        places = [i for i, out in enumerate(outputs) if isinstance(out, Tensor) and _place(out, ctx._constant) is None]
        leaves = [a for a in args if isinstance(a, Tensor)]
        if leaves and places and _msjit.records(args, kwargs):
            step = _Step(cls, ctx, args, outputs, places)
            recorded = _msjit.record_gradient(step.name, step.gradients, leaves, [outputs[i] for i in places])
            for place, out in zip(places, recorded):
                outputs[place] = out
        return type(output)(outputs) if isinstance(output, (tuple, list)) else outputs[0]


def with_gradient(fn, bprop):
    """The function fn, whose gradients are bprop(*args, output, gradient): one for each argument, as with the bprop of a Cell."""
    class Given(_Function):
        @staticmethod
        def forward(ctx, *inputs):
            ctx.given = inputs, fn(*inputs)
            return ctx.given[1]

        @staticmethod
        def backward(ctx, *grads):
            inputs, output = ctx.given
            return bprop(*(inputs + (output, grads[0] if len(grads) == 1 else grads)))
    return Given.apply


class _CustomVjp:
    """A function under custom_vjp."""

    def __init__(self, fwd):
        self.fwd = self._run = fwd

    def defbwd(self, bwd):
        """From now on bwd(*args, output, gradient) gives the gradients, one for each argument."""
        if not callable(bwd):
            raise TypeError("[custom_vjp] bwd, got %s, expected a function" % type(bwd).__name__)
        self._run = with_gradient(self.fwd, bwd)

    def __call__(self, *args):
        return self._run(*args)


def custom_vjp(fn=None):
    """A decorator: `f.defbwd(bwd)` then sets the gradient of the function. TypeError for an argument that is not callable."""
    if fn is None:
        return custom_vjp
    if not callable(fn):
        raise TypeError("[custom_vjp] fn, got %s, expected a function" % type(fn).__name__)
    return _CustomVjp(fn)


def _place(tensor, tensors):
    for i, other in enumerate(tensors):
        if other is tensor:
            return i
    return None


class _Step:
    """One recorded call. If a saved tensor is an input or an output, only its position is kept, not the tensor."""

    def __init__(self, cls, ctx, args, outputs, places):
        self.cls, self.ctx, self.name = cls, ctx, "%s.backward" % cls.__name__
        self.is_tensor = [isinstance(a, Tensor) for a in args]
        self.count, self.places = len(outputs), places
        leaves, out = [a for a in args if isinstance(a, Tensor)], [outputs[i] for i in places]
        self.saved = [(_place(t, leaves), _place(t, out), t) for t in ctx._saved]
        self.saved = [(i, o, t if i is None and o is None else None) for i, o, t in self.saved]
        ctx._saved = ()

    def gradients(self, inputs, outputs, output_grads):
        """Called by the tape: returns a gradient, or None, for each tensor among the arguments."""
        given = [None] * self.count
        for place, out, grad in zip(self.places, outputs, output_grads):
            given[place] = ops.zeros_like(out) if grad is None and self.ctx._zeros else grad
        self.ctx._saved = tuple(inputs[i] if i is not None else outputs[o] if o is not None else t
                                for i, o, t in self.saved)
        try:
            found = self.cls.backward(self.ctx, *given)
        finally:
            self.ctx._saved = ()
        found = tuple(found) if isinstance(found, (tuple, list)) else (found,)
        count = len(self.is_tensor)
        if len(found) > count and all(grad is None for grad in found[count:]):
            found = found[:count]  # more values, all None: for arguments that the call left to their defaults
        if len(found) != count:
            raise ValueError("[%s] number of gradients, got %d, expected %d, one for each argument"
                             % (self.name, len(found), count))
        chosen = [grad for grad, is_tensor in zip(found, self.is_tensor) if is_tensor]
        return [self._fitted(tensor, grad) for tensor, grad in zip(inputs, chosen)]

    def _fitted(self, tensor, grad):
        if grad is None:
            return None
        if not isinstance(grad, Tensor):
            raise TypeError("[%s] a gradient, got %s, expected a Tensor or None" % (self.name, type(grad).__name__))
        if tuple(grad.shape) != tuple(tensor.shape):
            raise ValueError("[%s] shape of a gradient, got %s, expected %s"
                             % (self.name, tuple(grad.shape), tuple(tensor.shape)))
        return grad if grad.dtype == tensor.dtype else grad.astype(tensor.dtype)
