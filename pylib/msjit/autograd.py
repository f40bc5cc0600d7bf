"""Gradients of Python functions: grad, value_and_grad. function_transforms.py has vjp, jvp and the like.

A transform opens a gradient scope, in which Parameters are recorded too. It calls the function on aliases of the differentiated
arguments (new tensors with the same value), and then asks the tape for the gradients by the aliases. Thanks to aliases
`grad(f)(x, x)` has a gradient for each position, and other uses of `x` inside `f` do not count. Inside another transform the
tape also records the alias and the backward pass. Gradients of gradients need nothing more.
"""
from ._native import Tensor, _msjit
from .common.checks import check_bool, check_callable
from .common.parameter import Parameter
from .common.tensor import MUTABLE
from .gradient_hooks import hooked, leaf_hooks

# One item for each thread that is inside a transform. This list is also the default of Cell._ms_intercept, a flag that every call of a Cell
# tests anyway. So outside of transforms it costs a call nothing, and compiled code one more guard.
transforms = []


class KeepsForward:
    """Base of what may keep the record of its last call, for the gradient that follows (recorded_forward.py)."""

    _ms_forward = None  # (arguments, _Pull)
    _ms_keeps_forward = True  # False for a Cell whose gradients are taken through another Cell


class no_grad:  # noqa: N801 - used like a function
    """Context manager and decorator: nothing inside is recorded.

    >>> import msjit as ms
    >>> x = ms.Tensor([1.0])
    >>> with ms.no_grad():
    ...     y = x * 2
    """

    def __enter__(self):
        _msjit.push_grad_scope(False)
        return self

    def __exit__(self, kind, value, trace):
        _msjit.pop_grad_scope()
        return False

    def __call__(self, fn):
        from functools import wraps

        @wraps(fn)
        def wrapper(*args, **kwargs):
            with no_grad():
                return fn(*args, **kwargs)
        return wrapper


_no_grad = no_grad


class _Scope:
    """A grad scope; `nested` is True when the results must stay differentiable."""

    def __enter__(self):
        self.nested = _msjit.grad_level() > 0 and _msjit.grad_recording()
        if not self.nested:
            transforms.append(None)  # before the scope opens: if memory runs out here, nothing would close it
        _msjit.push_grad_scope(True)
        return self

    def __exit__(self, kind, value, trace):
        if not self.nested:
            transforms.pop()
        _msjit.pop_grad_scope()
        return False


# -- structures ---------------------------------------------------------------------------------------------------

_DIFFERENTIABLE = (Tensor, *MUTABLE.values())


def _flatten(value, out):
    """Appends the tensors of nested tuples, lists and dicts to `out`."""
    if isinstance(value, Tensor):
        out.append(value)
    elif isinstance(value, (tuple, list)):
        for item in value:
            _flatten(item, out)
    elif isinstance(value, dict):
        for item in value.values():
            _flatten(item, out)
    return out


def _rebuild(value, replacements):
    """`value` with its tensors replaced in the order of _flatten."""
    if isinstance(value, Tensor):
        return next(replacements)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_rebuild(item, replacements) for item in value])
    if isinstance(value, (tuple, list)):
        return type(value)([_rebuild(item, replacements) for item in value])
    if isinstance(value, dict):
        return type(value)((key, _rebuild(item, replacements)) for key, item in value.items())
    return value


def _like(argument, gradients):
    """The next of the gradients. For a container, a plain container of the same structure; its numbers have the gradient 0 or 0.0."""
    if isinstance(argument, Tensor):
        return next(gradients)
    if isinstance(argument, dict):
        return {key: _like(item, gradients) for key, item in argument.items()}
    if isinstance(argument, (tuple, list)):
        found = [_like(item, gradients) for item in argument]
        return found if isinstance(argument, list) else tuple(found)
    return 0.0 if isinstance(argument, float) else 0


def _detached(value):
    return _rebuild(value, iter([_msjit.detach(t) for t in _flatten(value, [])]))


def _positions(grad_position, count, where):
    if grad_position is None or not count:
        return ()
    single = isinstance(grad_position, int) and not isinstance(grad_position, bool)
    positions = (grad_position,) if single else tuple(grad_position)
    for position in positions:
        if not isinstance(position, int) or isinstance(position, bool):
            raise TypeError("[%s] grad_position must be ints, got %s" % (where, type(position).__name__))
        if not 0 <= position < count:
            raise ValueError("[%s] grad_position out of range, got %d, expected below the %d arguments" % (where, position, count))
    if len(set(positions)) != len(positions):
        raise ValueError("[%s] grad_position, got %s, expected each position once" % (where, positions))
    return positions


def _check_positions(grad_position, where):
    if grad_position is not None and (isinstance(grad_position, bool) or not isinstance(grad_position, (int, tuple, list))):
        raise TypeError("[%s] grad_position must be ints, got %s" % (where, type(grad_position).__name__))
    if isinstance(grad_position, (tuple, list)) and not grad_position:
        raise ValueError("[%s] grad_position, got %s, expected one position at least, or None" % (where, grad_position))


def _weight_list(weights, where):
    if weights is None:
        return []
    found = [weights] if isinstance(weights, Parameter) else list(weights)
    for weight in found:
        if not isinstance(weight, Tensor):
            raise TypeError("[%s] weights must be Parameters, got %s" % (where, type(weight).__name__))
    return found


def _trained(weights):
    """The weights without the Parameters that require no gradient."""
    return [w for w in weights if not isinstance(w, Parameter) or w.requires_grad]


def _with_zeros(weights, gradients):
    """The gradients by _trained(weights), and zeros for the other weights, as in MindSpore: an optimizer leaves them as they are."""
    found = iter(gradients)
    return [w.new_zeros(tuple(w.shape)) if isinstance(w, Parameter) and not w.requires_grad else next(found) for w in weights]


# -- the one transform --------------------------------------------------------------------------------------------


class _Pull:
    """One recorded call of a function: its output, and the tensors to differentiate by.

    `positions` number the arguments first, then the keywords. Of these only Tensors have gradients (`self.positions`);
    containers and other values have none. With `containers`, those made by `mutable` have gradients of their structure.
    """

    def __init__(self, fn, args, kwargs, positions, weights, containers=False):
        self.weights = weights
        with _Scope() as scope:
            given = list(args) + list(kwargs.values())
            kinds = _DIFFERENTIABLE if containers else Tensor
            self.positions = [p for p in positions if isinstance(given[p], kinds)]
            self.arguments = [given[p] for p in self.positions]
            self.inputs = _flatten(self.arguments, [])
            self.leaves = [_msjit.alias(x) for x in self.inputs]
            # The function gets stand-ins for the leaves, so that it may write to its arguments.
            self.given = [_msjit.stand_in(leaf) for leaf in self.leaves]
            stand_ins = iter(self.given)
            for position, argument in zip(self.positions, self.arguments):
                given[position] = _rebuild(argument, stand_ins)
            self.output = fn(*given[:len(args)], **dict(zip(kwargs, given[len(args):])))
        self.nested = scope.nested

    def restrict(self, positions, weights):
        """Drops the positions that are not asked for. All arguments of the call were Tensors."""
        kept = [i for i, position in enumerate(self.positions) if position in positions]
        self.positions, self.arguments, self.inputs, self.leaves, self.given = [
            [parts[i] for i in kept] for parts in (self.positions, self.arguments, self.inputs, self.leaves, self.given)]
        self.weights = weights

    def gradients(self, outputs, seeds, keep=False):
        """(gradients by position, gradients by weight) of the summed outputs. A Parameter that requires no gradient has the gradient 0."""
        trained = _trained(self.weights)
        wrt = self.leaves + trained
        grads = list(_msjit.gradients(outputs, seeds, wrt, self.nested or keep)) if wrt else []
        if len(trained) < len(self.weights):
            grads[len(self.leaves):] = _with_zeros(self.weights, grads[len(self.leaves):])
        if leaf_hooks:
            grads = [hooked(*found) for found in zip(grads, self.given + list(self.weights), self.inputs + [None] * len(self.weights))]
        by_leaf = iter(grads)
        return [_like(argument, by_leaf) for argument in self.arguments], grads[len(self.leaves):]

    def value(self):
        """The output, detached from the tape unless an outer transform needs its history."""
        return self.output if self.nested else _detached(self.output)


def _differentiated(output, has_aux, where):
    """The tensors of the output that are differentiated; there may be none."""
    if has_aux:
        if not isinstance(output, (tuple, list)) or len(output) < 2:
            raise ValueError("[%s] has_aux needs a function with two or more outputs, got %s" % (where, type(output).__name__))
        output = output[0]
    return _flatten(output, [])


def _unpacked(found):
    """One by itself, others as a tuple."""
    return found[0] if len(found) == 1 else tuple(found)


class _Request:
    """What the caller of a transform asked for, and the structure in which it gets the gradients."""

    def __init__(self, fn, grad_position, weights, has_aux, return_ids, where):
        check_callable(fn, where)
        if grad_position is None and weights is None:
            raise ValueError("[%s] grad_position and weights, got None for both, expected one of them" % where)
        _check_positions(grad_position, where)
        check_bool(has_aux, where, "has_aux"), check_bool(return_ids, where, "return_ids")
        self.fn, self.grad_position, self.weights = fn, grad_position, weights
        self.has_aux, self.return_ids, self.where = has_aux, return_ids, where

    def run(self, args, kwargs, sens=None):
        """(output, gradients in the structure asked for); with `sens`, those of the outputs times `sens`"""
        positions = _positions(self.grad_position, len(args) + len(kwargs), self.where)
        weights = _weight_list(self.weights, self.where)
        pull = _Pull(self.fn, args, kwargs, positions, weights, containers=True)
        outputs = _differentiated(pull.output, self.has_aux, self.where)
        by_position, by_weight = pull.gradients(outputs, None if sens is None else _seeds(sens, outputs, self.where))
        return pull.value(), self._shape(pull.positions, weights, by_position, by_weight)

    def _shape(self, positions, weights, by_position, by_weight):
        if self.return_ids:
            by_position = list(zip(positions, by_position))
            by_weight = [(getattr(w, "name", None), g) for w, g in zip(weights, by_weight)]
        of_inputs = _unpacked(by_position)
        of_weights = by_weight[0] if isinstance(self.weights, Parameter) else tuple(by_weight)
        if self.weights is None:
            return of_inputs
        return of_weights if self.grad_position is None else (of_inputs, of_weights)


def grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False, sens_param=False):
    """A function that returns the gradient of `fn` by the arguments at grad_position and by `weights`.

    With has_aux only the first output of `fn` is differentiated, and the others are returned beside the gradient. With
    sens_param the last argument of the call is the gradient by the output, with which the backward pass starts.

    grad_position is an int, a tuple of ints or None. The gradient has the same structure: one Tensor, a tuple, or, with `weights` too, a pair
    (by arguments, by weights). The result can be differentiated again. Raises TypeError if `fn` is no function.

    >>> import msjit as ms
    >>> slope = ms.grad(lambda x: x ** 3)
    >>> float(slope(ms.Tensor(2.0))), float(ms.grad(slope)(ms.Tensor(2.0)))
    (12.0, 12.0)
    >>> by_both = ms.grad(lambda x, y: x * y, (0, 1))
    >>> [float(g) for g in by_both(ms.Tensor(2.0), ms.Tensor(5.0))]
    [5.0, 2.0]
    """
    request = _Request(fn, grad_position, weights, has_aux, return_ids, "grad")
    if sens_param:
        def weighed(*args, **kwargs):
            value, grads = request.run(args[:-1], kwargs, args[-1])
            return (grads, tuple(value[1:])) if has_aux else grads
        return weighed

    def gradient(*args, **kwargs):
        value, grads = request.run(args, kwargs)
        return (grads, tuple(value[1:])) if has_aux else grads
    return gradient


def value_and_grad(fn, grad_position=0, weights=None, has_aux=False, return_ids=False, sens_param=False):
    """As grad, but the resulting function returns (output, gradient).

    If grad_position is None and `weights` is a list of Parameters, the gradients are a tuple with one for each Parameter, as optimizers take them.

    >>> import msjit as ms
    >>> net = ms.nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
    >>> step = ms.value_and_grad(lambda x: net(x).sum(), None, net.trainable_params())
    >>> loss, gradients = step(ms.Tensor([[1.0, 3.0]]))
    >>> float(loss), [g.asnumpy().tolist() for g in gradients]
    (4.0, [[[1.0, 3.0]], [1.0]])
    """
    request = _Request(fn, grad_position, weights, has_aux, return_ids, "value_and_grad")
    if sens_param:
        return lambda *args, **kwargs: request.run(args[:-1], kwargs, args[-1])

    def value_and_gradient(*args, **kwargs):
        return request.run(args, kwargs)
    return value_and_gradient


def get_grad(gradients, identifier):
    """Picks one gradient out of the result of a function made by grad(..., return_ids=True).

    identifier is the position of an argument, a Parameter, or its name. Raises RuntimeError where there is no such gradient, and
    TypeError for another identifier.

    >>> import msjit as ms
    >>> found = ms.grad(lambda x, y: x * y, (0, 1), return_ids=True)(ms.Tensor(2.0), ms.Tensor(5.0))
    >>> float(ms.get_grad(found, 1))
    2.0
    """
    if isinstance(identifier, Parameter):
        identifier = identifier.name
    if type(identifier) not in (int, str):
        raise TypeError("[get_grad] identifier, got %s, expected an int, a Parameter or its name" % type(identifier).__name__)
    pending = [gradients]
    while pending:
        item = pending.pop(0)
        if isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], Tensor) and isinstance(item[0], (int, str)):
            if item[0] == identifier and type(item[0]) is type(identifier):
                return item[1]
        elif isinstance(item, (tuple, list)):
            pending.extend(item)
    raise RuntimeError("[get_grad] no gradient for %r among the given ones" % (identifier,))


def _seeds(sens, outputs, where):
    if sens is None:
        return None
    found = _flatten(sens, []) if isinstance(sens, (Tensor, tuple, list)) else []
    if isinstance(sens, (int, float)):
        found = [outputs[0].new_full(tuple(outputs[0].shape), sens)] if len(outputs) == 1 else []
    if len(found) != len(outputs):
        raise ValueError("[%s] the gradient of the output, got %d tensors, expected %d" % (where, len(found), len(outputs)))
    return [_seed(seed, output, where) for seed, output in zip(found, outputs)]


def _seed(seed, output, where):
    """The seed in the output's shape and dtype. Training cells give a loss of shape () a scale of shape (1,)."""
    shape = tuple(output.shape)
    if tuple(seed.shape) != shape:
        if seed.size != 1 or output.size != 1:
            raise ValueError("[%s] shape of the gradient of the output, got %s, expected %s" % (where, tuple(seed.shape), shape))
        seed = seed.reshape(shape)
    return seed if seed.dtype == output.dtype else seed.astype(output.dtype)
