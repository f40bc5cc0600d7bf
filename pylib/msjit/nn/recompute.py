"""Recomputation: the gradient of a Cell computes the Cell's intermediate results again from the inputs instead of
keeping them.

A recorded call is one step of the tape. Its leaves are the Tensors among the arguments and the Cell's trainable Parameters.
Random operators draw the same numbers in both runs. Tensors that construct reads from a closure or a global are constants.
Writes, such as those to the running statistics of BatchNorm, happen in both runs.
"""
from .._native import _msjit
from ..absent import names as _absent_names
from ..autograd import _flatten, _Pull, _rebuild, no_grad
from ..ops import registry as _k


def recomputed_call(name, weights, run, args, kwargs):
    """Calls run(*args, **kwargs) as one step of the tape, which runs it again for the gradients. `weights` are the Parameters it uses."""
    state = _msjit.rng_mark()
    with no_grad():
        output = run(*args, **kwargs)
    outputs = _flatten(output, [])
    if not outputs:
        return output
    given = (list(args), kwargs)
    tensors = _flatten(given, [])
    step = _Step(weights, run, _rebuild(given, iter([_Place(i) for i in range(len(tensors))])), len(tensors), state)
    return _rebuild(output, iter(_msjit.record_gradient(name, step.gradients, tensors + weights, outputs)))


class _Step:
    """One recorded call.

    It keeps the arguments, with placeholders for the Tensors, which the tape keeps, and the state of the random generator
    at its start.
    """

    def __init__(self, weights, run, given, count, state):
        self.weights, self.run, self.given, self.count, self.state = weights, run, given, count, state

    def gradients(self, inputs, outputs, output_grads):
        """Called by the tape: returns a gradient, or None, for each leaf."""
        now = _msjit.rng_mark()
        _msjit.rng_rewind(self.state)
        try:
            given = [_k.compute_anew(tensor) for tensor in inputs[:self.count]]
            pull = _Pull(self._again, given, {}, range(self.count), self.weights)
        finally:
            _msjit.rng_resume(now)
        found = [(out, grad) for out, grad in zip(_flatten(pull.output, []), output_grads) if grad is not None]
        by_position, by_weight = pull.gradients([out for out, _ in found], [grad for _, grad in found])
        return list(by_position) + list(by_weight)

    def _again(self, *tensors):
        args, kwargs = _placed(self.given, tensors)
        return self.run(*args, **kwargs)


class _Place:
    """A placeholder for a Tensor among the arguments."""

    def __init__(self, number):
        self.number = number


def _placed(value, tensors):
    """Returns `value` with the placeholders replaced by the tensors."""
    if isinstance(value, _Place):
        return tensors[value.number]
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*[_placed(item, tensors) for item in value])
    if isinstance(value, (tuple, list)):
        return type(value)([_placed(item, tensors) for item in value])
    if isinstance(value, dict):
        return type(value)((key, _placed(item, tensors)) for key, item in value.items())
    return value


def recompute(block, *args, use_reentrant=True, output_recompute=False, **kwargs):
    """Calls the Cell `block` without keeping its intermediate results: the gradient computes them again.

    With use_reentrant=False the block may also be a function or a method; for a method, the Parameters of its Cell get gradients.
    output_recompute changes nothing. Raises TypeError for another block.
    """
    owner = getattr(block, "__self__", block)
    if not callable(block) or use_reentrant and not hasattr(block, "trainable_params"):
        raise TypeError("[recompute] block, got %s, expected a Cell, or a function with use_reentrant=False" % type(block).__name__)
    if not _msjit.records(args, kwargs):
        return block(*args, **kwargs)
    weights = owner.trainable_params() if hasattr(owner, "trainable_params") else []
    return recomputed_call("recompute", weights, block, args, kwargs)


globals().update(_absent_names(__name__, """_RecomputeCell _check_input_args_validate _padding_input_grads _detach_input""",
                               "recomputation is a step of the tape here; recompute() makes one"))
