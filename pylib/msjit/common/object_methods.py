"""Methods and properties of Tensor that concern the object: its memory, its state, its shape as a matrix, and writes in place."""
from .._native import Tensor, _msjit
from ..absent import REASONS
from .checks import check_numeric, check_offset, check_position, check_sequence, check_sizes
from .error_names import ERRORS, rename
from .methods_shared import bits, of_bits, put_method, written


def _h(self):
    """The transposed matrix of two axes, conjugated if complex. Raises ValueError for another rank."""
    if self.ndim != 2:
        raise ValueError("[H] rank, got %d, expected 2" % self.ndim)
    return _m_h(self)


def _m_t(self):
    """The last two axes exchanged. Raises ValueError for fewer than two axes."""
    if self.ndim < 2:
        raise ValueError("[mT] rank, got %d, expected 2 or more" % self.ndim)
    return _k.swapaxes(self, -1, -2)


def _m_h(self):
    """The last two axes exchanged, conjugated if complex. Raises ValueError for fewer than two axes."""
    return _ops.conj(_m_t(self))


def _fill(self, value):
    """A new tensor with one number in the shape and dtype of this one. Raises TypeError for anything but a number."""
    return _ops.full(self.shape, value, dtype=self.dtype)


def _itemset(self, *args):
    """A copy with one element replaced: itemset(value), or itemset(index in the flattened tensor or coordinates, value).

    Raises ValueError without a place for more than one element and for coordinates of another rank, IndexError for a place outside.
    """
    if not args or len(args) > 2:
        raise ValueError("[itemset] arguments, got %d, expected a value, or a place and a value" % len(args))
    if len(args) == 1 and self.size != 1:
        raise ValueError("[itemset] size, got %d, expected 1 where no place is given" % self.size)
    place = args[0] if len(args) == 2 else 0
    if isinstance(place, tuple):
        if len(place) != self.ndim:
            raise ValueError("[itemset] coordinates, got %d, expected %d" % (len(place), self.ndim))
        at = 0
        for index, size in zip(place, self.shape):
            at = at * size + check_position(index, size, "itemset", "place")
        place = at
    if isinstance(place, bool) or not isinstance(place, int):
        raise TypeError("[itemset] place, got %s, expected an int or a tuple of ints" % type(place).__name__)
    if not -self.size <= place < self.size:
        raise IndexError("[itemset] place, got %d, expected one in [%d, %d)" % (place, -self.size, self.size))
    flat = _k.reshape(self, (-1,)) + _k.zeros((1,), self.dtype)
    flat[place] = args[-1]
    return _k.reshape(flat, self.shape)


_set_attributes = Tensor.__setstate__


def _set_state(self, state):
    """What pickle gives a Tensor: the attributes that the program added, or, for one that MindSpore pickled, {"value": (array,)}."""
    if isinstance(state, dict) and list(state) == ["value"] and isinstance(state["value"], tuple):
        Tensor.__init__(self, *state["value"])
    else:
        _set_attributes(self, state)


def _put_(self, index, source, accumulate=False):
    """Writes (or with accumulate adds) the elements of source, in order, at indices of the flattened tensor, in place; returns this tensor.

    source has as many elements as index, or one. Raises IndexError for an index outside.
    """
    flat = _k.reshape(self, (-1,))
    values = _k.cast(_k.reshape(source, (-1,)), self.dtype)
    made = _k.index_update([flat, values, _k.reshape(index, (-1,))], [0], accumulate)
    return written("put_", self, _k.reshape(made, self.shape))


def _set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Gives this tensor the elements of another one of the same dtype, or those that an offset, sizes and strides select from it.

    Returns this tensor. Raises TypeError for another dtype, IndexError for places outside the source, NotImplementedError for a source that is no
    Tensor.
    """
    if not isinstance(source, Tensor):
        raise NotImplementedError("[set_] source, got %s, expected a Tensor" % type(source).__name__)
    if source.dtype != self.dtype:
        raise TypeError("[set_] dtype of source, got %s, expected %s" % (source.dtype, self.dtype))
    offset = check_offset(storage_offset, "set_", "storage_offset")
    if size is not None or offset:
        size = source.shape if size is None else _ints("set_", size, "size")
        source = _strided("set_", source, size, _row_strides(size) if stride is None else _ints("set_", stride, "stride"), offset)
    self.set_data(source, True)
    return self


def _ints(where, values, what):
    return tuple(check_offset(value, where, what) for value in check_sequence(values, where, what))


def _strided(where, source, sizes, steps, offset):
    """Elements of a tensor at distances `steps` along each axis."""
    places = [offset]
    for size, step in zip(sizes, steps):
        places = [place + i * step for place in places for i in range(size)]
    if places and not 0 <= min(places) <= max(places) < source.size:
        raise IndexError("[%s] offset, sizes and strides, got %d, %s and %s, expected places among %d elements"
                         % (where, offset, tuple(sizes), tuple(steps), source.size))
    return _k.reshape(_k.gather(_k.reshape(source, (-1,)), Tensor(places, "int64"), 0), sizes)


def _row_strides(sizes):
    """The distance of neighbours along each axis, in elements, for elements stored row by row."""
    steps, step = [], 1
    for size in reversed(sizes):
        steps.append(step)
        step *= max(size, 1)
    return tuple(reversed(steps))


def _log_normal(self, mean=1.0, std=2.0):
    """Numbers whose logarithms are normal with this mean and standard deviation, as a new tensor of this shape and dtype.

    Raises TypeError for a mean or deviation that is no number.
    """
    mean, std = float(check_numeric(mean, "log_normal", "mean")), float(check_numeric(std, "log_normal", "std"))
    return _k.cast(_k.exp(_ops.standard_normal(self.shape) * std + mean), self.dtype)


def _cauchy(self, median=0.0, sigma=1.0):
    """Numbers of the Cauchy distribution, density sigma / (pi ((x - median)^2 + sigma^2)), as a new tensor of this shape and dtype.

    Raises TypeError for a median or sigma that is no number.
    """
    import math
    median, sigma = float(check_numeric(median, "cauchy", "median")), float(check_numeric(sigma, "cauchy", "sigma"))
    return _k.cast(_k.tan((_ops.rand(*self.shape) - 0.5) * math.pi) * sigma + median, self.dtype)


def _get_bytes(self):
    """The elements as bytes, row by row, in the byte order of the machine."""
    import numpy
    return numpy.ascontiguousarray(bits(self)).tobytes()


def _bytes_to_tensor(data, shape=None, dtype=None):
    """A Tensor of bytes that get_bytes gave: of one axis, or of `shape`; float32, or `dtype`.

    Raises TypeError for anything but bytes, ValueError for a number of bytes or a shape that does not fit.
    """
    import numpy

    from . import dtype as _mstype
    where = "convert_bytes_to_tensor"
    if not isinstance(data, (bytes, bytearray, memoryview)) and not hasattr(type(data), "__array__"):
        raise TypeError("[%s] data, got %s, expected bytes" % (where, type(data).__name__))
    dtype = _mstype.float32 if dtype is None else dtype
    raw, itemsize = numpy.frombuffer(data, numpy.uint8), _mstype.type_size_in_bytes(dtype)
    if raw.size % itemsize:
        raise ValueError("[%s] number of bytes, got %d, expected a multiple of %d" % (where, raw.size, itemsize))
    made = of_bits(raw.copy(), dtype)
    try:
        return made if shape is None else _k.reshape(made, check_sizes(shape, where))
    except ERRORS as error:
        rename(error, where)
        raise


def _init_data(self, slice_index=None, shape=None, opt_shard_group=None):
    """Returns the tensor itself: here a tensor always has its elements, also if an initializer makes them."""
    return self


def _move_to(self, to="CPU", blocking=True):
    """The tensor on the device "CPU" or "GPU", itself if it lies there. Raises ValueError for another name."""
    return _ops.move_to(self, to, blocking)


def _index(self, indices):
    """Elements at advanced indices, a list of tensors that broadcast: x[indices]. Raises IndexError for an index outside."""
    return self[tuple(check_sequence(indices, "index", "indices", "a tuple or a list of Tensors"))]


def _set_dtype(self, dtype):
    """Casts this tensor in place; returns the dtype. Raises TypeError for another value than an element type."""
    if not isinstance(dtype, _msjit.DType):
        raise TypeError("[set_dtype] dtype, got %s, expected an element type" % type(dtype).__name__)
    if dtype != self.dtype:
        self.assign_value(self.detach().astype(dtype))
    return dtype


def _hooks(self):
    """A list of the hooks of register_hook that wait for the gradient of this tensor."""
    return [handle._hook for handle in getattr(self, "_gradient_hooks", ()) if handle._hook is not None]


def _remove_hook(self):
    """Removes all hooks that wait for the gradient of this tensor."""
    for handle in getattr(self, "_gradient_hooks", ()):
        handle.remove()


def _refused(name, reason):
    def method(self, *args, **kwargs):
        raise NotImplementedError("[%s] Tensor.%s is not offered: %s" % (name, name, REASONS[reason]))
    method.__name__ = method.__qualname__ = name
    method.__doc__ = "Not offered: %s." % REASONS[reason]
    return method


_REFUSED = {
    "unwritten": "_register_forward_hook",
    "device": """offload offload_file_path pin_memory set_device_address untyped_storage storage to_ wait_pipeline
        delete_ virtual_flag""",
    "compiler": "getitem_index_info setitem_index_info assign_value_cpp set_cast_dtype set_param_info set_init_flag",
}


# What the methods do that are one expression.
_TEXTS = {
    "to_coo": "The elements of a matrix that are not zero, as a COOTensor. Raises ValueError for another rank.",
    "to_csr": "The elements of a matrix that are not zero, as a CSRTensor. Raises ValueError for another rank.",
    "is_pinned": "False: no memory here is pinned.", "is_shared": "False: no memory here is shared with other processes.",
    "storage_offset": "0: the elements begin at data_ptr().", "ndimension": "The number of axes, an int.",
    "to_dlpack": "A DLPack capsule that shares the memory, to be read once.",
    "is_init": "False: a tensor has its values from the start.", "data_sync": "Does nothing; accepted for compatibility.",
    "eigvals": "The eigenvalues (..., n) of square matrices (..., n, n), complex, as ops.eigvals. Raises ValueError for others.",
}


def bind():
    """Adds the methods to Tensor; called once, after bind() of function_methods.py."""
    global _k, _ops
    from .. import ops as _ops
    from ..ops import registry as _k
    own = {
        "H": property(_h), "mT": property(_m_t), "mH": property(_m_h), "fill": _fill, "itemset": _itemset, "put_": _put_, "set_": _set_,
        "log_normal": _log_normal, "cauchy": _cauchy, "get_bytes": _get_bytes, "init_data": _init_data, "move_to": _move_to,
        "convert_bytes_to_tensor": staticmethod(_bytes_to_tensor), "index": _index, "hooks": _hooks, "remove_hook": _remove_hook,
        "to_coo": lambda self: _ops.dense_to_sparse_coo(self), "to_csr": lambda self: _ops.dense_to_sparse_csr(self),
        "_offload": lambda self: None, "_load": lambda self: None, "_data_ptr": lambda self: self.data_ptr(),
        "is_pinned": lambda self: False, "is_shared": lambda self: False, "ndimension": lambda self: self.ndim,
        "storage_offset": lambda self: 0, "to_dlpack": lambda self: self.__dlpack__(), "symbolic_shape": None, "init": None,
        "parent_tensor_": None, "param_info": None, "const_arg": False, "init_flag": False, "init_finished": True,
        "is_init": lambda self: False, "is_meta": False, "data_sync": lambda self, wait=True: None, "eigvals": lambda self: _ops.eigvals(self),
        "set_dtype": _set_dtype, "index_of_parent_": None, "delta_seed": 0,
    }
    for name, text in _TEXTS.items():
        own[name].__doc__ = text
    from .tensor import from_dlpack
    own["from_dlpack"] = staticmethod(from_dlpack)
    for name in "angle col2im geqrf igamma igammac lu_solve nextafter orgqr".split():
        own[name] = getattr(_ops, name)
    for reason, names in _REFUSED.items():
        for name in names.split():
            own.setdefault(name, _refused(name, reason))
    put_method("__setstate__", _set_state)
    for name, value in own.items():
        if name not in Tensor.__dict__:
            put_method(name, value)


__all__ = ["bind"]
