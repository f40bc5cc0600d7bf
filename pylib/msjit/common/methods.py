"""Methods of Tensor in MindSpore's spelling; bound to the C type when the package is imported.

Operators whose first parameter is a tensor x are methods already. The methods here differ from them or have no operator.
"""
from .._native import Tensor, _msjit
from . import function_methods, notebook, object_methods, overloads, reduction_methods
from .checks import check_position, scaled
from .error_names import ERRORS, rename
from .methods_shared import bits, no_out, of_bits, put_method, written, written_text
from .overloads import one_of
from .tensor import check_tensor


def _stride(self, dim=None):
    """The distance in memory of neighbours along an axis, in elements; without an axis, a list for all axes.

    Raises IndexError for an axis that x does not have, TypeError for one that is no int.
    """
    steps = list(_native_stride(self))
    if dim is None:
        return steps
    return steps[check_position(dim, self.ndim, "stride", "dim")]


def _view(self, *shape, dtype=None):
    """The same elements in another shape, one size of which may be -1; given a dtype, the same memory read as elements of that dtype.

    Raises ValueError for a shape with another number of elements and for a last axis whose bytes are no whole elements of the dtype, TypeError
    for both a shape and a dtype.
    """
    if dtype is None and len(shape) == 1 and isinstance(shape[0], _msjit.DType):
        dtype, shape = shape[0], ()
    if dtype is None:
        return _k.reshape(self, *shape)
    if shape:
        raise TypeError("[view] arguments, got a shape and a dtype, expected one of them")
    from .dtype import type_size_in_bytes
    old, new = self.itemsize, type_size_in_bytes(dtype)
    if old != new and (not self.ndim or self.shape[-1] * old % new):
        raise ValueError("[view] bytes of the last axis, got %d, expected a multiple of %d" % (self.shape[-1] * old if self.ndim else 0, new))
    return of_bits(bits(self), dtype)


def _isclose(self, other=None, rtol=1e-05, atol=1e-08, equal_nan=False, *, x2=None):
    """Where |self - other| <= atol + rtol |other|: a bool Tensor. An infinity is close only to itself, NaN to NaN only with equal_nan.

    Raises ValueError for shapes that do not broadcast, TypeError unless other is a Tensor.
    """
    return _ops.isclose(self, one_of("isclose", other, "other", x2, "x2"), rtol, atol, equal_nan)


def _softmax(self, axis=-1, dtype=None, *, dim=None):
    """exp(x) divided by its sum along an axis, the last by default; with a dtype the elements are cast to it first. The shape is that of x.

    Raises ValueError for an axis that x does not have, TypeError for integers without a float dtype.
    """
    return _ops.softmax(self, axis if dim is None else dim, dtype=dtype)


def _true_divide(self, divisor=None, *, other=None):
    """self / divisor, a Tensor or a number, element by element; integers give float32. The shapes broadcast; ValueError if they do not."""
    return _ops.div(self, one_of("true_divide", divisor, "divisor", other, "other"))


def _remainder(self, other=None, *, divisor=None):
    """The rest of a division rounded down, element by element: x - floor(x / other) other, with the sign of other; 0 for an integer divisor of 0.

    other is a Tensor or a number, TypeError for anything else. The shapes broadcast; ValueError if they do not.
    """
    try:
        return _ops.remainder(self, one_of("remainder", other, "other", divisor, "divisor"))
    except ERRORS as error:
        rename(error, "remainder")
        raise


def _expand_as(self, other=None, *, x=None):
    """Repeats axes of size 1, and adds axes in front, up to the shape of another tensor. ValueError where x does not broadcast to it."""
    return _ops.expand_as(self, one_of("expand_as", other, "other", x, "x"))


def _view_as(self, other):
    """The same elements in the shape of another tensor. Raises ValueError for another number of elements, TypeError for anything but a Tensor."""
    try:
        return _k.reshape(self, check_tensor(other, "view_as").shape)
    except ERRORS as error:
        rename(error, "view_as")
        raise


def _new_zeros(self, size, dtype=None):
    """Zeros in the shape `size`, an int or a tuple of ints; dtype is that of self by default. Raises ValueError for a negative size."""
    return _ops.zeros(size, self.dtype if dtype is None else dtype)


def _new_ones(self, size, dtype=None):
    """Ones in the shape `size`, an int or a tuple of ints; dtype is that of self by default. Raises ValueError for a negative size."""
    return _ops.ones(size, self.dtype if dtype is None else dtype)


def _new_full(self, size, fill_value, dtype=None):
    """fill_value in the shape `size`, an int or a tuple of ints; dtype is that of self by default.

    Raises ValueError for a negative size, TypeError for a value that is no number.
    """
    try:
        return _ops.full(size, fill_value, dtype=self.dtype if dtype is None else dtype)
    except ERRORS as error:
        rename(error, "new_full")
        raise


def _ptp(self, axis=None, keepdims=False, *, out=None):
    """Largest minus smallest element over axes, an int, a tuple of ints or None for all; with keepdims they stay, with size 1.

    Raises ValueError for an axis that x does not have, TypeError for `out`.
    """
    if out is not None:
        raise no_out("ptp", out)
    return _k.max(self, axis, keepdims) - _k.min(self, axis, keepdims)


def _round(self, decimals=0, out=None):
    """The nearest numbers with so many decimal places, halves to even; -1 rounds to tens. Shape and dtype are those of x.

    Raises TypeError for decimals that are no int, and for `out`.
    """
    if out is not None:
        raise no_out("round", out)
    return _ops.round(self, decimals=decimals)


def _python_round(self, ndigits=None):
    """Python's round() of a tensor: a tensor of the same shape and dtype, halves to even. Raises TypeError for digits that are no int."""
    return _ops.round(self, decimals=0 if ndigits is None else ndigits)


def _in_place(name, op):
    def method(self, other):
        try:
            return written(name, self, op(self, other))
        except ERRORS as error:
            rename(error, name)
            raise
    method.__name__ = method.__qualname__ = name
    method.__doc__ = written_text(name[:-1], op)
    return method


def _add_(self, other, *, alpha=1):
    """self + alpha other, written to self, which keeps its dtype. Returns self.

    Raises ValueError for an `other` that does not broadcast to the shape of self, TypeError unless it is a Tensor or a number, and for floats in a
    tensor of integers.
    """
    return written("add_", self, _k.add(self, other if alpha == 1 else scaled(other, alpha, "add_")))


def _sub_(self, other, *, alpha=1):
    """self - alpha other, written to self, which keeps its dtype. Returns self.

    Raises ValueError for an `other` that does not broadcast to the shape of self, TypeError unless it is a Tensor or a number, and for floats in a
    tensor of integers.
    """
    return written("sub_", self, _k.sub(self, other if alpha == 1 else scaled(other, alpha, "sub_")))


def _div_(self, other, *, rounding_mode=None):
    """self over other, rounded as rounding_mode says (None, 'floor' or 'trunc'), written to self, which keeps its dtype. Returns self.

    Raises ValueError for an `other` that does not broadcast to the shape of self and for another rounding_mode, TypeError for a tensor of
    integers without a rounding_mode: its quotients are floats.
    """
    return written("div_", self, _ops.div(self, other, rounding_mode=rounding_mode))


def _copy_(self, src, non_blocking=False):
    """Sets the elements to those of the Tensor src, broadcast to this shape and converted to this dtype; returns self. non_blocking is ignored.

    Raises ValueError for a src that does not broadcast, TypeError for anything but a Tensor.
    """
    if not isinstance(src, Tensor):
        raise TypeError("[copy_] source, got %s, expected a Tensor" % type(src).__name__)
    try:
        return written("copy_", self, _k.broadcast_to(src, self.shape), converts=True)
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
    """Sets every element to zero, in place; returns self."""
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
    """Repeats axes of size 1, and adds axes in front, up to a shape, ints or one tuple; -1 keeps a size. The elements are not copied in the result's
    axes.

    Raises ValueError for a shape to which x does not broadcast.
    """
    return _ops.expand(self, size[0] if len(size) == 1 and isinstance(size[0], (tuple, list, Tensor)) else size)


def _flush_from_cache(self):
    """Does nothing: elements are never outside of memory. Accepted for compatibility."""


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
        "round": _round,
        "__round__": _python_round,
        "view": _view, "stride": _stride, "isclose": _isclose, "softmax": _softmax, "true_divide": _true_divide, "remainder": _remainder, "view_as": _view_as, "reshape_as": _view_as,
        "new_zeros": _new_zeros, "new_ones": _new_ones, "new_full": _new_full,
        "ptp": _ptp, "fill_": _fill_, "copy_": _copy_, "zero_": _zero_, "flush_from_cache": _flush_from_cache,
        "ravel": lambda self: _k.reshape(self, (-1,)), "clone": lambda self: self.copy(),
        "mul_": _in_place("mul_", _k.mul), "add_": _add_, "sub_": _sub_, "div_": _div_,
        "expand": _expand, "gather": _gather, "expand_as": _expand_as,
        "nelement": lambda self: self.size, "short": lambda self: _k.cast(self, "int16"),
        "broadcast_like": lambda self, other: _k.broadcast_to(self, check_tensor(other, "broadcast_like").shape),
        "set_const_arg": lambda self, const_arg=True: self,
        "inner": _ops.inner, "invert": _ops.bitwise_not, "_repr_html_": notebook.tensor_html,
    }
    for name, text in _TEXTS.items():
        own[name].__doc__ = text
    for name, function in own.items():
        put_method(name, function)
    function_methods.bind()
    object_methods.bind()
    reduction_methods.bind()
    overloads.bind()


__all__ = ["bind"]
