"""Functions that write their result into their first argument and return it, such as ops.clamp_ and ops.zero_."""
from ..common.parameter import Parameter as _Parameter
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .other_func import _written
from .variable_writes import put as _put


def stop_gradient_(input):
    """Removes the gradient history of a tensor in place and returns the tensor; no gradient flows through it any more.

    Raises NotImplementedError for a Parameter and for an input of a gradient function, which have no history, TypeError for anything but a Tensor.
    """
    from .._native import _msjit
    if isinstance(_check(input, "stop_gradient_"), _Parameter):
        raise _no_result("a Parameter")
    if _msjit.records((input,), {}):
        try:
            _msjit.become(input, input.detach())
        except NotImplementedError:
            raise _no_result("an input of a gradient function") from None
    return input


def _no_result(what):
    return NotImplementedError("[stop_gradient_] input, got %s, expected the result of an operation" % (what,))


def _method(name, where=None):
    def call(input, *args, **kwargs):
        return getattr(_check(input, where or name), name)(*args, **kwargs)
    call.__name__ = call.__qualname__ = where or name
    call.__doc__ = "Tensor.%s of the first argument, which is written to and returned." % name
    return call


bernoulli_, clamp_, erfinv_, exponential_ = [_method(n) for n in ("bernoulli_", "clamp_", "erfinv_", "exponential_")]
normal_, put_, random_, tanh_ = [_method(n) for n in ("normal_", "put_", "random_", "tanh_")]
uniform_, zero_ = _method("uniform_"), _method("zero_")
inplace_sigmoid, inplace_tanh = _method("sigmoid_", "inplace_sigmoid"), _method("tanh_", "inplace_tanh")


def reshape_(input, shape):
    """Reshapes a tensor; unlike the other functions here, it returns a new one. Raises ValueError for another number of elements."""
    return _k.reshape(input, shape)


def inplace_index_add(var, indices, updates, axis):
    """Adds slices of updates to the slices `indices` of a Parameter along an axis, in place; returns its new values. Repeated indices all count.

    Raises IndexError for an index outside the axis, ValueError for an axis that var does not have and for updates that do not fit.
    """
    from .index_func import slices_added
    _put(_check(var, "inplace_index_add"), slices_added(var.detach(), indices, updates, axis))
    return _written(var)


__all__ = ["stop_gradient_", "bernoulli_", "clamp_", "erfinv_", "exponential_", "normal_", "put_", "random_", "tanh_", "uniform_",
           "zero_", "inplace_sigmoid", "inplace_tanh", "reshape_", "inplace_index_add"]
