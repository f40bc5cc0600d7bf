"""Methods of Tensor in MindSpore's spelling; bound to the C type when the package is imported.

Operators whose first parameter is a tensor x are methods already. The methods here differ from them or have no operator.
"""
from .._native import Tensor, _msjit
from . import function_methods, masked, notebook, object_methods, overloads
from .error_names import ERRORS, rename
from .methods_shared import put_method, written
from .overloads import one_of
from .tensor import check_tensor


def _no_out(where, out):
    """The error for `out`, which NumPy's functions pass to the methods they call."""
    return TypeError("[%s] out, got %s, expected None" % (where, type(out).__name__))


def _sum(self, axis=None, dtype=None, keepdims=False, initial=None, *, dim=None, keepdim=False, out=None, where=True):
    """Sum over axes, an int, a tuple of ints or None for all: x.sum(axis, dtype, keepdims) or x.sum(dim, keepdim).

    dtype converts the elements first; bools and integers are summed in int64. `initial` is added; elements where the mask `where` is false do
    not count. Raises ValueError for an axis that x does not have, TypeError for both axis and dim and for `out`.
    """
    if out is not None:
        raise _no_out("sum", out)
    if isinstance(dtype, bool):
        dtype, keepdim = None, dtype
    axis, keepdims = axis if dim is None else one_of("sum", axis, "axis", dim, "dim"), keepdims or keepdim
    out = _ops.sum(masked.filled("sum", self, where, 0), axis, keepdims, dtype)
    return out if initial is None else out + initial


def _mean(self, axis=None, keep_dims=False, *, dim=None, keepdim=False, keepdims=False, dtype=None, out=None, where=True):
    """Mean over axes, an int, a tuple of ints or None for all; with keep_dims they stay, with size 1. dtype converts the elements first.

    The mean of integers is an integer. Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    if out is not None:
        raise _no_out("mean", out)
    axis, keepdims = axis if dim is None else one_of("mean", axis, "axis", dim, "dim"), keepdims or keepdim
    self = self if dtype is None else _k.cast(self, dtype)
    if where is not True:
        return masked.mean("mean", self, axis, keep_dims or keepdims, where)
    return _ops.mean(self, axis, keep_dims or keepdims)


def _prod(self, axis=None, keep_dims=False, dtype=None, *, dim=None, keepdim=False, keepdims=False, initial=None, out=None,
          where=True):
    """Product over axes, an int, a tuple of ints or None for all; with keep_dims they stay, with size 1.

    Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    if out is not None:
        raise _no_out("prod", out)
    axis, keepdims = axis if dim is None else one_of("prod", axis, "axis", dim, "dim"), keepdims or keepdim
    out = _ops.prod(masked.filled("prod", self, where, 1), axis, keep_dims or keepdims, dtype)
    return out if initial is None else out * initial


def _extreme(name, self, reduce, combine, axis, keepdims, initial, where):
    """The greatest or least element among those where a mask is true, and an initial value."""
    if where is not True:
        if initial is None:
            raise ValueError("[%s] initial, got None, expected a number where there is a mask" % name)
        self = masked.filled(name, self, where, initial)
    out = reduce(self, axis, keepdims)
    return out if initial is None else combine(out, initial)


def _max(self, dim=None, keepdim=False, *, axis=None, keepdims=False, initial=None, where=True, return_indices=False,
         out=None):
    """x.max(dim): (largest elements, their indices, int64) along an axis; x.max(axis=axis): the largest, with the indices if asked.

    Without an axis it is the largest of all elements. `initial` counts as one more element, and with the mask `where` it is needed. Raises ValueError
    for an axis that x does not have and for an axis without elements.
    """
    if out is not None:
        raise _no_out("max", out)
    if isinstance(dim, (tuple, list)) or keepdims or return_indices or initial is not None or where is not True:
        axis, dim, keepdims = axis if dim is None else dim, None, keepdim or keepdims  # these keywords are not of max(dim)
    if dim is not None:
        return _ops.max(self, dim, keepdim)
    if initial is None and where is True:
        return _ops.max(self, axis, keepdims) if return_indices else _k.max(self, axis, keepdims)
    if return_indices:
        raise ValueError("[max] return_indices, got True, expected False with initial or where")
    return _extreme("max", self, _k.max, _k.maximum, axis, keepdims, initial, where)


def _min(self, dim=None, keepdim=False, *, axis=None, keepdims=False, initial=None, where=True, return_indices=False,
         out=None):
    """x.min(dim): (smallest elements, their indices, int64) along an axis; x.min(axis=axis): the smallest, with the indices if asked.

    Else as max.
    """
    if out is not None:
        raise _no_out("min", out)
    if isinstance(dim, (tuple, list)) or keepdims or return_indices or initial is not None or where is not True:
        axis, dim, keepdims = axis if dim is None else dim, None, keepdim or keepdims  # these keywords are not of min(dim)
    if dim is not None:
        return _ops.min(self, dim, keepdim)
    if initial is None and where is True:
        return _ops.min(self, axis, keepdims) if return_indices else _k.min(self, axis, keepdims)
    if return_indices:
        raise ValueError("[min] return_indices, got True, expected False with initial or where")
    return _extreme("min", self, _k.min, _k.minimum, axis, keepdims, initial, where)


def _all(self, axis=None, keep_dims=False, *, dim=None, keepdim=False, keepdims=False, out=None, where=True):
    """True where all elements along the axes (an int, a tuple of ints or None for all) are not 0; a bool Tensor.

    Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    if out is not None:
        raise _no_out("all", out)
    axis, keepdims = axis if dim is None else one_of("all", axis, "axis", dim, "dim"), keepdims or keepdim
    if where is not True:
        self = masked.filled("all", _k.cast(self, "bool"), where, True)
    return _ops.all(self, axis, keep_dims or keepdims)


def _any(self, axis=None, keep_dims=False, *, dim=None, keepdim=False, keepdims=False, out=None, where=True):
    """True where an element along the axes (an int, a tuple of ints or None for all) is not 0; a bool Tensor.

    Raises ValueError for an axis that x does not have, TypeError for both axis and dim.
    """
    if out is not None:
        raise _no_out("any", out)
    axis, keepdims = axis if dim is None else one_of("any", axis, "axis", dim, "dim"), keepdims or keepdim
    if where is not True:
        self = masked.filled("any", _k.cast(self, "bool"), where, False)
    return _ops.any(self, axis, keep_dims or keepdims)


def _var(self, axis=None, ddof=None, keepdims=False, *, dim=None, correction=None, keepdim=False, dtype=None, out=None, where=True):
    """Variance over axes, None for all: sum((x - mean)^2) / (count - ddof). ddof, or correction, is 0 by default.

    Integers and bools give float32. Raises ValueError for an axis that x does not have, TypeError for both ddof and correction.
    """
    if out is not None:
        raise _no_out("var", out)
    axis, keepdims = axis if dim is None else one_of("var", axis, "axis", dim, "dim"), keepdims or keepdim
    ddof = one_of("var", ddof, "ddof", correction, "correction") or 0
    self = self if dtype is None else _k.cast(self, dtype)
    if where is not True:
        return masked.var("var", self, axis, ddof, keepdims, where)
    return _ops.var(self, axis, ddof, keepdims)


def _std(self, axis=None, ddof=None, keepdims=False, *, dim=None, correction=None, keepdim=False, dtype=None, out=None, where=True):
    """Standard deviation over axes, the square root of var; the arguments and the errors are those of var."""
    if out is not None:
        raise _no_out("std", out)
    axis, keepdims = axis if dim is None else one_of("std", axis, "axis", dim, "dim"), keepdims or keepdim
    ddof = one_of("std", ddof, "ddof", correction, "correction") or 0
    self = self if dtype is None else _k.cast(self, dtype)
    if where is not True:
        return _k.sqrt(masked.var("std", self, axis, ddof, keepdims, where))
    return _ops.std(self, axis, ddof, keepdims)


def _argmax(self, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """Index of the largest element along an axis, or in the flattened tensor; int64, and the first one of equal elements.

    Raises ValueError for an axis that x does not have, TypeError for one that is no int and for both axis and dim.
    """
    return _k.argmax(self, one_of("argmax", axis, "axis", dim, "dim"), keepdims or keepdim)


def _argmin(self, axis=None, keepdims=False, *, dim=None, keepdim=False):
    """Index of the smallest element."""
    return _ops.argmin(self, one_of("argmin", axis, "axis", dim, "dim"), keepdims or keepdim)


def _stride(self, dim=None):
    """The distance in memory of neighbours along an axis, in elements; without an axis, a list for all axes."""
    steps = list(_native_stride(self))
    if dim is None:
        return steps
    if not -self.ndim <= dim < self.ndim:
        raise IndexError("[stride] dim, got %d, expected one in [%d, %d)" % (dim, -self.ndim, self.ndim))
    return steps[dim]


def _view(self, *shape, dtype=None):
    """The same elements in another shape, one size of which may be -1; given a dtype, the same memory read as elements of that dtype.

    Raises ValueError for a shape with another number of elements, TypeError for both a shape and a dtype.
    """
    if dtype is None and len(shape) == 1 and isinstance(shape[0], _msjit.DType):
        dtype, shape = shape[0], ()
    if dtype is None:
        return _k.reshape(self, *shape)
    if shape:
        raise TypeError("[view] arguments, got a shape and a dtype, expected one of them")
    from .dtype import dtype_to_nptype
    return Tensor.from_numpy(self.asnumpy().view(dtype_to_nptype(dtype)))


def _isclose(self, other=None, rtol=1e-05, atol=1e-08, equal_nan=False, *, x2=None):
    """Where |self - other| <= atol + rtol |other|."""
    return _ops.isclose(self, one_of("isclose", other, "other", x2, "x2"), rtol, atol, equal_nan)


def _softmax(self, axis=-1, dtype=None, *, dim=None):
    """exp(x) divided by its sum along an axis; with a dtype the elements are cast to it first."""
    return _ops.softmax(self, axis if dim is None else dim, dtype=dtype)


def _true_divide(self, divisor=None, *, other=None):
    """self / divisor"""
    return _ops.div(self, one_of("true_divide", divisor, "divisor", other, "other"))


def _remainder(self, other=None, *, divisor=None):
    """The rest of a division rounded down."""
    return _ops.remainder(self, one_of("remainder", other, "other", divisor, "divisor"))


def _expand_as(self, other=None, *, x=None):
    """Repeats axes of size 1 up to the shape of another tensor."""
    return _ops.expand_as(self, one_of("expand_as", other, "other", x, "x"))


def _view_as(self, other):
    """The same elements in the shape of another tensor."""
    return _k.reshape(self, check_tensor(other, "view_as").shape)


def _new_zeros(self, size, dtype=None):
    """Zeros in the shape `size`; dtype is that of self by default. Raises ValueError for a negative size."""
    return _ops.zeros(size, self.dtype if dtype is None else dtype)


def _new_ones(self, size, dtype=None):
    """Ones in the shape `size`; dtype is that of self by default. Raises ValueError for a negative size."""
    return _ops.ones(size, self.dtype if dtype is None else dtype)


def _new_full(self, size, fill_value, dtype=None):
    """One value, of the same dtype."""
    return _ops.full(size, fill_value, dtype=self.dtype if dtype is None else dtype)


def _ptp(self, axis=None, keepdims=False, *, out=None):
    """Largest minus smallest element over axes, an int, a tuple of ints or None for all. Raises ValueError for an axis that x does not have."""
    if out is not None:
        raise _no_out("ptp", out)
    return _k.max(self, axis, keepdims) - _k.min(self, axis, keepdims)


def _round(self, decimals=0, out=None):
    """The nearest numbers with so many decimal places, halves to even."""
    if out is not None:
        raise _no_out("round", out)
    return _ops.round(self, decimals=decimals)


def _python_round(self, ndigits=None):
    """Python's round() of a tensor: a tensor of the same dtype."""
    return _ops.round(self, decimals=0 if ndigits is None else ndigits)


def _in_place(name, op):
    def method(self, other):
        return written(name, self, op(self, other))
    method.__name__ = method.__qualname__ = name
    method.__doc__ = "ops.%s of self, written to self." % name[:-1]
    return method


def _scaled(other, alpha):
    return other if alpha == 1 else other * alpha


def _add_(self, other, *, alpha=1):
    """self + alpha other, written to self, which keeps its dtype: a sum of ints and floats is cut. Returns self.

    Raises ValueError for an `other` that does not broadcast to the shape of self, TypeError unless it is a Tensor or a number.
    """
    return written("add_", self, _k.add(self, _scaled(other, alpha)))


def _sub_(self, other, *, alpha=1):
    """self - alpha other, written to self."""
    return written("sub_", self, _k.sub(self, _scaled(other, alpha)))


def _div_(self, other, *, rounding_mode=None):
    """self over other, rounded as ops.div does, written to self."""
    return written("div_", self, _ops.div(self, other, rounding_mode=rounding_mode))


def _copy_(self, src, non_blocking=False):
    """Sets the elements to those of another tensor, broadcast and converted."""
    if not isinstance(src, Tensor):
        raise TypeError("[copy_] source, got %s, expected a Tensor" % type(src).__name__)
    try:
        return written("copy_", self, _k.broadcast_to(src, self.shape))
    except ERRORS as error:
        rename(error, "copy_")
        raise


def _fill_(self, value):
    """Sets every element to value, a number or a Tensor of one element; returns self.

    Raises TypeError for another value, ValueError for a Tensor of several elements.
    """
    try:
        return written("fill_", self, _ops.full(self.shape, value, dtype=self.dtype))
    except ERRORS as error:
        rename(error, "fill_")
        raise


def _zero_(self):
    """Sets every element to zero."""
    return _fill_(self, 0)


def _gather(self, input_indices=None, axis=None, batch_dims=0, *, dim=None, index=None):
    """x.gather(indices, axis, batch_dims): slices along an axis; x.gather(dim, index): one element for each index, as ops.gather_elements.

    Raises IndexError for an index outside the axis, ValueError for an axis that x does not have, TypeError for indices that are no integers.
    """
    if isinstance(input_indices, int):
        dim, index = input_indices, axis
    if dim is not None:
        return _ops.gather_elements(self, dim, index)
    return _ops.gather(self, input_indices, axis, batch_dims)


def _expand(self, *size):
    """Repeats axes of size 1 up to a shape; -1 keeps a size."""
    return _ops.expand(self, size[0] if len(size) == 1 and isinstance(size[0], (tuple, list, Tensor)) else size)


def _flush_from_cache(self):
    """Accepted for compatibility."""


_native_stride = Tensor.stride

# What the methods do that are one expression.
_TEXTS = {"ravel": "The elements in one axis.", "clone": "A copy, with the same gradients.", "nelement": "The number of elements.",
          "short": "The tensor as int16.", "broadcast_like": "Axes of size 1 repeated up to the shape of another tensor.",
          "set_const_arg": "Returns the tensor; accepted for compatibility."}

# Methods that pass self first to the function of that name in ops.
_FUNCTIONS = """addmm amax amin bmm clamp clip dot gelu leaky_relu
    masked_fill nan_to_num nonzero norm one_hot outer permute unbind unique unsqueeze
    subtract multiply divide negative absolute eq ne lt le gt ge logsigmoid hardshrink elu silu mm
    floor_divide swapdims movedim cast t roll
    gather_elements repeat_interleave""".split()


def bind():
    """Adds all methods to Tensor; importing the package calls it once."""
    global _k, _ops
    from .. import ops as _ops
    from ..ops import registry as _k
    for name in _FUNCTIONS:
        function = getattr(_ops, name, None)
        if function is not None:
            put_method(name, function)
    own = {
        "sum": _sum, "mean": _mean, "prod": _prod, "max": _max, "min": _min, "argmax": _argmax, "argmin": _argmin,
        "all": _all, "any": _any, "var": _var, "std": _std, "round": _round,
        "__round__": _python_round,
        "view": _view, "stride": _stride, "isclose": _isclose, "softmax": _softmax, "true_divide": _true_divide, "remainder": _remainder, "view_as": _view_as, "reshape_as": _view_as,
        "new_zeros": _new_zeros, "new_ones": _new_ones, "new_full": _new_full,
        "ptp": _ptp, "fill_": _fill_, "copy_": _copy_, "zero_": _zero_, "flush_from_cache": _flush_from_cache,
        "ravel": lambda self: _k.reshape(self, (-1,)), "clone": lambda self: self.copy(),
        "mul_": _in_place("mul_", _k.mul), "add_": _add_, "sub_": _sub_, "div_": _div_,
        "expand": _expand, "gather": _gather, "expand_as": _expand_as,
        "nelement": lambda self: self.size, "short": lambda self: _k.cast(self, "int16"),
        "broadcast_like": lambda self, other: _k.broadcast_to(self, other.shape),
        "set_const_arg": lambda self, const_arg=True: self,
        "inner": _ops.inner, "invert": _ops.bitwise_not, "_repr_html_": notebook.tensor_html,
    }
    for name, text in _TEXTS.items():
        own[name].__doc__ = text
    for name, function in own.items():
        put_method(name, function)
    function_methods.bind()
    object_methods.bind()
    overloads.bind()


__all__ = ["bind"]
