"""Cells that define their own gradient by a method bprop(inputs..., out, dout) beside construct(inputs...).

A recorded call of such a Cell is one step of the tape. The tape does not record the operations inside construct; bprop returns the
gradients of the inputs. Parameters that construct uses get zeros, because no gradient reaches them. Those in the Cell's attribute
`internal_params`, a list, are the exception: bprop then returns the gradients of the inputs as one tuple, and a dict with the gradient of
each of these Parameters.
"""
import types

from .. import ops
from .._native import Tensor, _msjit
from ..autograd import _flatten, _rebuild, no_grad
from ..common.parameter import Parameter


def internal_params(cell):
    """The Parameters whose gradients the Cell's bprop returns, as a tuple."""
    params = getattr(cell, "internal_params", ())
    if not isinstance(params, (tuple, list)) or not all(isinstance(p, Parameter) for p in params):
        raise TypeError("[%s.bprop] internal_params, got %r, expected a list of Parameters" % (type(cell).__name__, params))
    return tuple(params)

_VARARGS, _VARKEYWORDS = 4, 8  # of a code object's co_flags, as in the module inspect


def recorded_call(cell, construct, args, kwargs):
    """Runs a Cell's construct, or a function that does the same, as one step of the tape with the Cell's bprop as gradient."""
    with no_grad():
        output = construct(*args, **kwargs)
    inputs = _bound(cell.construct, args, kwargs)
    step = _Step(cell, inputs, output)
    results = _msjit.record_gradient(step.name, step.gradients, step.leaves, _flatten(output, []))
    step.leaves = None
    return _rebuild(output, iter(results))


def _bound(construct, args, kwargs):
    """The arguments that bprop gets: in the order of construct's parameters, defaults included."""
    code = getattr(construct, "__code__", None)
    if code is not None and not code.co_kwonlyargcount:
        bound_self = 1 if isinstance(construct, types.MethodType) else 0
        count = code.co_argcount - bound_self
        if not kwargs and len(args) >= count:
            return list(args)
        if not code.co_flags & (_VARARGS | _VARKEYWORDS):
            names, values = code.co_varnames[bound_self:], list(args)
            for i in range(len(args), count):
                values.append(kwargs[names[i]] if names[i] in kwargs else construct.__defaults__[i - count])
            return values
    import inspect  # imported here, so that `import msjit` need not load it
    bound = inspect.signature(construct).bind(*args, **kwargs)
    bound.apply_defaults()
    values = []
    for name, parameter in bound.signature.parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            values.extend(bound.arguments[name])
        elif parameter.kind is parameter.VAR_KEYWORD:
            values.extend(bound.arguments[name].values())
        else:
            values.append(bound.arguments[name])
    return values


class _Step:
    """One recorded call. The tape owns the tensors; the copies here have no history and only show the structure."""

    def __init__(self, cell, inputs, output):
        self.cell, self.name = cell, "%s.bprop" % type(cell).__name__
        self.params = internal_params(cell)
        self.leaves = _flatten(inputs, []) + list(self.params)
        self.inputs = _without_history(inputs)
        self.output = _without_history(output)

    def gradients(self, inputs, outputs, output_grads):
        """Called by the tape: returns a gradient, or None, for each tensor among the inputs."""
        bprop = self.cell.bprop
        if not callable(bprop):
            raise TypeError("[%s] the gradient function, got %s, expected a function"
                            % (self.name, type(bprop).__name__))
        grads = [ops.zeros_like(out) if grad is None else grad for out, grad in zip(outputs, output_grads)]
        given = grads[0] if len(grads) == 1 else tuple(grads)
        arguments = _rebuild(self.inputs, iter(inputs))
        result, of_params = self._divided(bprop(*(arguments + [_rebuild(self.output, iter(outputs)), given])))
        if isinstance(result, Tensor) and len(arguments) == 1:
            result = (result,)
        if not isinstance(result, (tuple, list)):
            raise TypeError("[%s] gradients, got %s, expected a tuple of %d"
                            % (self.name, type(result).__name__, len(arguments)))
        if len(result) < len(arguments):
            raise ValueError("[%s] number of gradients, got %d, expected %d"
                             % (self.name, len(result), len(arguments)))
        found = []
        for argument, grad in zip(arguments, result):
            self._collect(argument, grad, found)
        return found + [self._fitted(param, grad) for param, grad in zip(self.params, of_params)]

    def _divided(self, result):
        """The gradients of the inputs and of the internal Parameters in what bprop has returned."""
        of_params = {}
        if isinstance(result, (tuple, list)) and len(result) == 2 and isinstance(result[0], (tuple, list)) and _by_parameter(result[1]):
            result, of_params = result
        found = []
        for param in self.params:
            grads = [grad for key, grad in of_params.items() if key is param]
            if not grads:
                raise ValueError("[%s] gradient of the Parameter %s in internal_params, got none, expected one in a dict behind those of "
                                 "the inputs" % (self.name, param.name))
            found.append(grads[0])
        return result, found

    def _collect(self, argument, grad, found):
        """Appends the gradients of the tensors in one argument, in the order of _flatten."""
        if isinstance(argument, Tensor):
            found.append(self._fitted(argument, grad))
        elif isinstance(argument, dict):
            for key, item in argument.items():
                self._collect(item, grad.get(key) if isinstance(grad, dict) else None, found)
        elif isinstance(argument, (tuple, list)):
            if isinstance(grad, (tuple, list)) and len(grad) != len(argument):
                raise ValueError("[%s] number of gradients of a %s, got %d, expected %d"
                                 % (self.name, type(argument).__name__, len(grad), len(argument)))
            for i, item in enumerate(argument):
                self._collect(item, grad[i] if isinstance(grad, (tuple, list)) else None, found)

    def _fitted(self, tensor, grad):
        """Brings a gradient into the shape and dtype of its tensor; axes that were broadcast are summed."""
        if grad is None:
            return None
        if isinstance(grad, (int, float)):
            grad = Tensor(grad, tensor.dtype)
        if not isinstance(grad, Tensor):
            raise TypeError("[%s] a gradient, got %s, expected a Tensor" % (self.name, type(grad).__name__))
        shape, wanted = tuple(grad.shape), tuple(tensor.shape)
        if shape != wanted:
            extra = len(shape) - len(wanted)
            if extra < 0 or any(w not in (1, s) for s, w in zip(shape[extra:], wanted)):
                raise ValueError("[%s] shape of a gradient, got %s, expected %s" % (self.name, shape, wanted))
            summed = [i for i in range(len(shape)) if i < extra or wanted[i - extra] != shape[i]]
            grad = grad.sum(axis=tuple(summed)).reshape(wanted)
        return grad if grad.dtype == tensor.dtype else grad.astype(tensor.dtype)


def _by_parameter(value):
    return isinstance(value, dict) and all(isinstance(key, Parameter) for key in value)


def _without_history(value):
    return _rebuild(value, iter([_msjit.detach(t) for t in _flatten(value, [])]))
