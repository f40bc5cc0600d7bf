"""Hints for the compiler: sizes that stay open (Symbol, enable_dynamic), functions that are not to be inlined, cells whose values are to be
dumped. msjit finds open sizes by itself and inlines all calls, so the hints are checked but change nothing."""
import inspect
import warnings

from . import _paths
from .common.tensor import Tensor, TensorDescription

__path__ = _paths.extend([])  # Packages in MindSpore. alias.py finds the modules below them that programs import.


class Symbol:
    """An open size in Tensor(shape=[...], dtype=...), with what is known of it. It is at least `min`, at most `max` (if that is larger), and
    divisor * n + remainder for some n. With `unique` all places of one Symbol have the same size.

    Raises TypeError for other types than int and bool, ValueError for a min or divisor below 1 and a remainder outside [0, divisor).

    >>> import msjit as ms
    >>> ms.Tensor(shape=[ms.Symbol(divisor=8, max=64), 3], dtype=ms.float32).shape
    (-1, 3)
    """

    def __init__(self, max=0, min=1, divisor=1, remainder=0, unique=False, **kwargs):
        for name, value in (("max", max), ("min", min), ("divisor", divisor), ("remainder", remainder)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError("[symbol] %s, got %s, expected an int" % (name, type(value).__name__))
        if not isinstance(unique, bool):
            raise TypeError("[symbol] unique, got %s, expected a bool" % type(unique).__name__)
        for name, value in (("min", min), ("divisor", divisor)):
            if value < 1:
                raise ValueError("[symbol] %s, got %d, expected 1 or more" % (name, value))
        if not 0 <= remainder < divisor:
            raise ValueError("[symbol] remainder, got %d, expected 0 to %d" % (remainder, divisor - 1))
        self.max, self.min, self.divisor, self.remainder, self.unique, self.id = max, min, divisor, remainder, unique, id(self)

    def to_dict(self):
        """The arguments that differ from those of a size of which nothing is known, as a dict."""
        known = {"max": self.max} if self.max > self.min else {}
        known.update((name, getattr(self, name)) for name, usual in (("min", 1), ("divisor", 1), ("remainder", 0))
                     if getattr(self, name) != usual)
        if self.unique:
            known["id"] = self.id
        return known

    def __str__(self):
        return str(self.to_dict())


def _open_somewhere(name, value):
    """Checks that the description of a parameter leaves a size open."""
    if isinstance(value, (tuple, list)):
        for part in value:
            _open_somewhere(name, part)
    elif not isinstance(value, (Tensor, TensorDescription)):
        raise TypeError("[enable_dynamic] argument %s, got %s, expected a Tensor, or a tuple or list of Tensors" % (name, type(value).__name__))
    elif not any(size < 0 for size in value.shape):
        raise TypeError("[enable_dynamic] shape of argument %s, got %s, expected a None in it" % (name, list(value.shape)))


def enable_dynamic(**kwargs):
    """A decorator that says which sizes of a function's parameters are open: y=Tensor(shape=[None, 3], dtype=ms.float32).

    Raises ValueError without a parameter and for names that the function does not have, TypeError for anything but a Tensor with an open size.

    >>> import msjit as ms
    >>> @ms.enable_dynamic(x=ms.Tensor(shape=[None], dtype=ms.float32))
    ... @ms.jit
    ... def double(x):
    ...     return x * 2
    >>> double(ms.Tensor([1.0, 2.0])).asnumpy().tolist()
    [2.0, 4.0]
    """
    if not kwargs:
        raise ValueError("[enable_dynamic] arguments, got none, expected a Tensor for a parameter of the function")

    def decorate(function):
        names = list(inspect.signature(function).parameters)
        for name, value in kwargs.items():
            if name not in names:
                raise ValueError("[enable_dynamic] argument, got %r, expected one of %s" % (name, names))
            _open_somewhere(name, value)
        return function
    return decorate


def no_inline(fn=None):
    """Returns the function itself; captured code inlines calls of it all the same. AttributeError for anything but a function."""
    if fn is None:
        return no_inline
    if not callable(fn):
        raise AttributeError("[no_inline] fn, got %s, expected a function" % type(fn).__name__)
    return fn


def set_dump(target, enabled=True):
    """Checks its arguments and warns: only MindSpore's NPUs dump values.

    target   a Cell or Primitive; enabled  a bool. Raises ValueError for others.
    """
    from .nn.cell import Cell
    from .ops.primitive import Primitive
    if not isinstance(target, (Cell, Primitive)):
        raise ValueError("[set_dump] target, got %s, expected a Cell or a Primitive" % type(target).__name__)
    if not isinstance(enabled, bool):
        raise ValueError("[set_dump] enabled, got %s, expected a bool" % type(enabled).__name__)
    warnings.warn("[set_dump] values are dumped on NPUs alone: this changes nothing", stacklevel=2)


def ms_memory_recycle():
    """Returns memory that the allocator keeps for reuse to the system."""
    from .hal import empty_cache
    empty_cache()
