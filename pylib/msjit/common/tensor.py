"""Tensor is the C type; this module adds the constructors and helpers that are Python."""
from .._native import Tensor
from ..absent import attributes as _absent
from ..first_use import kept as _kept
from .dtype import DType

_TensorMeta = type(Tensor)

def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg=False, device=None):
    """A new Tensor, as Tensor(input_data, dtype, shape, init), where the arguments are explained. const_arg and device change nothing."""
    if shape is None and init is None:
        return Tensor(input_data, dtype)
    return Tensor(input_data, dtype, shape, init)


class TensorDescription:
    """The result of Tensor(shape=[None, 3], dtype=ms.float32): the shape and dtype of later inputs, for Cell.set_inputs.

    An open size (None or a Symbol) is -1 in its shape; symbolic_shape tells more of a Symbol. If the rank is open, the shape is (-2,). It has no
    elements, and no operator accepts it.

    >>> import msjit as ms
    >>> ms.Tensor(shape=[None, 3], dtype=ms.float32).shape
    (-1, 3)
    """

    def __init__(self, shape, dtype):
        from ..graph_hints import Symbol  # late: it needs this module
        sizes = (-2,) if shape is None else tuple(-1 if size is None or isinstance(size, Symbol) else size for size in shape)
        self.symbolic_shape = [size.to_dict() if isinstance(size, Symbol) else size for size in shape or ()]
        for size in sizes:
            if isinstance(size, bool) or not isinstance(size, int):
                raise TypeError("[Tensor] shape, got %s, expected None or ints" % type(size).__name__)
            if size < -1 and sizes != (-2,):
                raise ValueError("[Tensor] dimension, got %d, expected -1, None or a non-negative int" % size)
        if not isinstance(dtype, DType):
            raise TypeError("[Tensor] dtype, got %s, expected a dtype" % type(dtype).__name__)
        self.shape, self.dtype, self.ndim = sizes, dtype, len(sizes)

    def __repr__(self):
        return "Tensor(shape=%s, dtype=%s, without elements)" % (list(self.shape), self.dtype)


def is_tensor(obj):
    """True for Tensors and Parameters."""
    return isinstance(obj, Tensor)


def check_tensor(value, where, what="argument"):
    """Returns the value if it is a Tensor. For functions that read attributes of it before they call an operator."""
    if not isinstance(value, Tensor):
        raise TypeError("[%s] %s, got %s, expected a Tensor" % (where, what, type(value).__name__))
    return value


def from_numpy(array):
    """A Tensor that shares the memory of a NumPy array, if the layout of the array allows it.

    >>> import numpy as np
    >>> import msjit as ms
    >>> array = np.zeros(2, np.float32)
    >>> shared = ms.from_numpy(array)
    >>> array[0] = 5
    >>> shared.asnumpy().tolist()
    [5.0, 0.0]
    """
    return Tensor.from_numpy(array)


def frombuffer(buffer, *, dtype, count=-1, offset=0):
    """A Tensor (count,) of the contents of a buffer (bytearray, array, ...) from byte `offset` on; if count is negative, up to its end.
    It shares the memory of the buffer; a read-only buffer is copied. Raises RuntimeError, as MindSpore does, for anything but a buffer, for a
    dtype that is no element type, an offset or count beyond the end of the buffer, and if there are no elements.

    >>> import msjit as ms
    >>> ms.frombuffer(bytearray(b"\\x01\\x02\\x03"), dtype=ms.uint8, offset=1).asnumpy().tolist()
    [2, 3]
    """
    import numpy

    from .dtype import DType, bfloat16, dtype_to_nptype
    if not isinstance(dtype, DType):
        raise RuntimeError("[frombuffer] dtype, got %s, expected an element type" % type(dtype).__name__)
    if dtype == bfloat16:
        raise NotImplementedError("[frombuffer] dtype, got BFloat16, expected one that NumPy has")
    try:
        size = memoryview(buffer).nbytes
    except TypeError:
        raise RuntimeError("[frombuffer] buffer, got %s, expected an object with the buffer protocol"
                           % type(buffer).__name__) from None
    item = numpy.dtype(dtype_to_nptype(dtype)).itemsize
    if size == 0 or count == 0:
        raise RuntimeError("[frombuffer] bytes and count, got %d and %d, expected no 0" % (size, count))
    if not 0 <= offset < size:
        raise RuntimeError("[frombuffer] offset, got %d, expected one in [0, %d)" % (offset, size))
    if count < 0 and (size - offset) % item:
        raise RuntimeError("[frombuffer] bytes from the offset on, got %d, expected a multiple of %d" % (size - offset, item))
    if count > 0 and count * item > size - offset:
        raise RuntimeError("[frombuffer] bytes from the offset on, got %d, expected %d" % (size - offset, count * item))
    array = numpy.frombuffer(buffer, dtype_to_nptype(dtype), count, offset)
    return Tensor.from_numpy(array if array.flags.writeable else array.copy())


class _Exported:
    """A DLPack capsule as an object that exports it."""

    def __init__(self, capsule):
        self._capsule = capsule

    def __dlpack__(self, **options):
        return self._capsule

    def __dlpack_device__(self):
        return 1, 0  # the CPU


def from_dlpack(dlpack):
    """A Tensor that shares the memory of a DLPack capsule, or of an object with __dlpack__, such as a NumPy array or a torch tensor.

    A capsule can be read once. Raises TypeError for one that was read, and for anything else.
    """
    from .._native import _msjit
    return _msjit.from_dlpack(dlpack if hasattr(dlpack, "__dlpack__") else _Exported(dlpack))


def to_dlpack(tensor):
    """A DLPack capsule of the Tensor's memory, to be read once by from_dlpack of another package. Raises TypeError for anything but a Tensor."""
    return check_tensor(tensor, "to_dlpack").__dlpack__()


class MutableTuple(tuple):
    """A tuple made by `mutable`. A gradient by it is a tuple of the gradients by its items; a gradient by any other tuple is ()."""

    __slots__ = ()


class MutableDict(dict):
    """As MutableTuple, for a dict."""

    __slots__ = ()


# Lists are missing: code that gets a subclass of list is not captured.
MUTABLE = {tuple: MutableTuple, dict: MutableDict}


def mutable(input_data, dynamic_len=False):
    """Says that values change from call to call. A tuple or dict is copied into one whose tensors have gradients, anything else is
    returned unchanged.

    The gradient by such a tuple or dict has the same structure; it is 0 or 0.0 for a number in it. Accepts a number, a Tensor, or a
    tuple, list or dict of them; other items are a TypeError. Nothing else needs the mark: values never become constants of a graph
    without a guard.

    >>> import msjit as ms
    >>> slopes = ms.grad(lambda pair: pair[0] * pair[1])(ms.mutable((ms.Tensor(2.0), ms.Tensor(5.0))))
    >>> [float(slope) for slope in slopes]
    [5.0, 2.0]
    """
    if not isinstance(dynamic_len, bool):
        raise TypeError("[mutable] dynamic_len, got %s, expected a bool" % type(dynamic_len).__name__)
    if dynamic_len and not isinstance(input_data, (tuple, list)):
        raise TypeError("[mutable] input_data, got %s, expected a tuple or a list with dynamic_len" % type(input_data).__name__)
    _check_mutable(input_data)
    kind = MUTABLE.get(type(input_data))
    return input_data if kind is None else kind(input_data)


def _check_mutable(value):
    if isinstance(value, (tuple, list)):
        for item in value:
            _check_mutable(item)
    elif isinstance(value, dict):
        for item in value.values():
            _check_mutable(item)
    elif not isinstance(value, (bool, int, float, Tensor)):
        raise TypeError("[mutable] input_data, got %s, expected a number, a Tensor or a tuple, list or dict of them"
                        % type(value).__name__)


def swap_tensors(t1, t2):
    """Exchanges the elements of two Tensors of one shape and dtype, in place; returns nothing.

    Raises ValueError for another shape or dtype, TypeError for anything but Tensors.
    """
    first = check_tensor(t1, "swap_tensors").copy()
    if t1.shape != check_tensor(t2, "swap_tensors").shape or t1.dtype != t2.dtype:
        raise ValueError("[swap_tensors] t2, got %s%s, expected %s%s" % (t2.dtype, tuple(t2.shape), t1.dtype, tuple(t1.shape)))
    t1.assign_value(t2)
    t2.assign_value(first)


def check_hook_fn(hook_fn):
    """True, where a hook can be called; TypeError otherwise."""
    if not callable(hook_fn):
        raise TypeError("[register_hook] hook_fn, got %s, expected a function" % type(hook_fn).__name__)
    return True


__all__ = ["Tensor", "tensor", "is_tensor", "from_numpy", "frombuffer", "from_dlpack", "to_dlpack", "mutable"]
_refuse = _absent(__name__)


@_kept
def __getattr__(name):
    if name == "Symbol":
        from ..graph_hints import Symbol
        return Symbol
    return _refuse(name)
