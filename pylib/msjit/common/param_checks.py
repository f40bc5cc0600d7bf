"""Checks of shapes, axes, dtypes and texts under the names of mindspore._checkparam, which looks here for what it has not itself."""
import re as _re

from .. import _checkparam as _c
from . import dtype as _mstype
from .tensor import Tensor as _Tensor

_INDICES = (_mstype.int16, _mstype.int32, _mstype.int64)
check_non_positive_float = _c._signed(float, _c.LE, "a float of 0 or less")
_ints = int  # a bool counts here, as in MindSpore


def _distinct(axes, where):
    if len(set(axes)) != len(axes):
        _c._fail(ValueError, where, "axis", axes, "no axis twice")
    return axes


def check_and_canonicalize_axes(axes, ndim):
    """The axes, a tuple or one int, counted from the front and each once."""
    axes = axes if isinstance(axes, tuple) else (axes,)
    for axis in axes:
        if not isinstance(axis, _ints):
            _c._fail(TypeError, None, "axis", type(axis).__name__, "an int")
    return _distinct(tuple(_c.check_axis_in_range(int(axis), ndim) for axis in axes), None)


def check_axis_valid(axes, ndim):
    """The axes as a tuple counted from the front; None means all of them."""
    if axes is None:
        return tuple(range(ndim))
    if not isinstance(axes, (tuple, list)):
        return (_c.check_axis_in_range(axes, ndim),)
    return _distinct(tuple(_c.check_axis_in_range(axis, ndim) for axis in axes), None)


def check_axis_type(axis, type_int=True, type_tuple=True, type_list=True):
    """True, where the axis is of a type that is allowed: an int, a tuple or a list of ints."""
    if type_int and isinstance(axis, _ints):
        return True
    if (type_tuple and isinstance(axis, tuple)) or (type_list and isinstance(axis, list)):
        for one in axis:
            if not isinstance(one, _ints):
                _c._fail(TypeError, None, "axis", type(one).__name__, "an int")
        return True
    words = [word for word, allowed in (("int", type_int), ("tuple", type_tuple), ("list", type_list)) if allowed]
    return _c._fail(TypeError, None, "axis", type(axis).__name__, "one of " + ", ".join(words))


def check_swapaxes_axis(axes, ndim):
    """The axis, or the tuple of axes, counted from the front."""
    if isinstance(axes, _ints):
        return _c.check_axis_in_range(axes, ndim)
    if not isinstance(axes, (tuple, list)):
        _c._fail(TypeError, "swapaxes", "axes", type(axes).__name__, "an int, a list or a tuple")
    return tuple(_c.check_axis_in_range(axis, ndim) for axis in axes)


def check_transpose_axis(axes, ndim):
    """The order of the axes as one tuple, of the arguments of Tensor.transpose; without any, backwards."""
    if not axes or (len(axes) == 1 and axes[0] is None):
        return tuple(range(ndim - 1, -1, -1))
    if len(axes) == 1 and isinstance(axes[0], (list, tuple)):
        return tuple(axes[0])
    if len(axes) == 1 and not isinstance(axes[0], _ints):
        _c._fail(TypeError, "transpose", "axes", type(axes[0]).__name__, "a tuple, a list or ints")
    if len(axes) != ndim:
        _c._fail(ValueError, "transpose", "number of axes", len(axes), "%d" % ndim)
    return axes


def check_reshape_shp(shp):
    """The shape as one tuple, of the arguments of Tensor.reshape."""
    if len(shp) != 1 or isinstance(shp[0], _ints):
        return shp
    if not isinstance(shp[0], (list, tuple)):
        _c._fail(TypeError, "reshape", "shape", type(shp[0]).__name__, "an int, a list or a tuple")
    return tuple(shp[0])


def check_flatten_order(order):
    """Checks that an order is 'C' or 'F'."""
    if not isinstance(order, str):
        _c._fail(TypeError, "flatten", "order", type(order).__name__, "a str")
    if order not in ("C", "F"):
        _c._fail(ValueError, "flatten", "order", order, "'C' or 'F'")


def check_reduce_shape(ori_shape, shape, axis, prim_name, arg_name1, arg_name2):
    """Checks that a shape without some axes is another shape."""
    axes = tuple(axis) if hasattr(axis, "__iter__") else (axis,)
    left = [size for i, size in enumerate(ori_shape) if i not in axes]
    if list(shape) != left:
        _c._fail(ValueError, prim_name, "shape of %s" % arg_name2, tuple(shape), "%s, that of %s without the axes %s" % (tuple(left), arg_name1, axes))


def prepare_shape_for_squeeze(shape, axes):
    """The shape without some axes, which must be of size 1, or without all such axes."""
    if not isinstance(axes, (int, tuple, list)):
        _c._fail(TypeError, "squeeze", "axes", type(axes).__name__, "an int, a tuple or a list")
    ndim = len(shape)
    gone = {_c.check_axis_in_range(axis, ndim) for axis in ((axes,) if isinstance(axes, int) else axes)}
    for axis in gone:
        if shape[axis] != 1:
            _c._fail(ValueError, "squeeze", "size of axis %d" % axis, shape[axis], "1")
    return tuple(size for axis, size in enumerate(shape) if axis not in gone)


def infer_out_shape(*shapes):
    """The shape that several shapes are broadcast to."""
    length = max(len(shape) for shape in shapes)
    rows = [(1,) * (length - len(shape)) + tuple(shape) for shape in shapes]
    out = []
    for sizes in zip(*rows):
        most = 0 if 0 in sizes else max(sizes)
        if any(size not in (1, most) for size in sizes):
            _c._fail(ValueError, None, "shapes", shapes, "shapes that can be broadcast")
        out.append(most)
    return tuple(out)


def expanded_shape(ndim, axis_size, axis):
    """A shape of ones with a size at one axis."""
    return tuple(axis_size if i == axis else 1 for i in range(ndim))


def max_(*args):
    """The largest of the arguments."""
    return max(*args)


def min_(*args):
    """The smallest of the arguments."""
    return min(*args)


def tuple_slice(tup, start, end):
    """A part of a tuple."""
    return tup[start:end]


def _sequence(count):
    def convert(m):
        if isinstance(m, (tuple, list)):
            if len(m) != count or any(isinstance(n, bool) or not isinstance(n, int) for n in m):
                _c._fail(TypeError, None, "sequence", m, "%d ints" % count)
            return tuple(m)
        if isinstance(m, bool) or not isinstance(m, int):
            _c._fail(TypeError, None, "argument", type(m).__name__, "an int, or a tuple or list of ints")
        return (m,) * count
    convert.__doc__ = "An int %d times, or the %d ints given, as a tuple." % (count, count)
    return convert


once_sequence, twice_sequence, triple_sequence = _sequence(1), _sequence(2), _sequence(3)


def check_astype_dtype(dtype):
    """The dtype that a name, a type of Python or a dtype stands for."""
    if isinstance(dtype, str):
        import numpy
        try:
            return _mstype.pytype_to_dtype(numpy.dtype(dtype.lower()))
        except (TypeError, NotImplementedError):
            _c._fail(TypeError, "astype", "dtype", dtype, "the name of a dtype")
    if isinstance(dtype, type):
        return _mstype.pytype_to_dtype(dtype)
    if dtype not in _mstype.number_type + (_mstype.bool_,):
        _c._fail(TypeError, "astype", "dtype", dtype, "a dtype")
    return dtype


def _tensor(where, name, value):
    if not isinstance(value, _Tensor):
        _c._fail(TypeError, where, name, type(value).__name__, "a Tensor")


def check_sparse_tensor_input(indices, values, shape):
    """Checks that indices and values are Tensors and the shape a tuple."""
    _tensor("sparse_tensor", "indices", indices)
    _tensor("sparse_tensor", "values", values)
    if not isinstance(shape, tuple):
        _c._fail(TypeError, "sparse_tensor", "shape", type(shape).__name__, "a tuple")


check_coo_tensor_input = check_sparse_tensor_input


def check_csr_tensor_input(indptr, indices, values, shape):
    """Checks that indptr, indices and values are Tensors and the shape a tuple."""
    _tensor("csr_tensor", "indptr", indptr)
    check_sparse_tensor_input(indices, values, shape)


def check_coo_tensor_dtype(indices_dtype):
    """Checks that a dtype is int16, int32 or int64."""
    if indices_dtype not in _INDICES:
        _c._fail(TypeError, "coo_tensor", "dtype of indices", indices_dtype, "int16, int32 or int64")


def check_csr_tensor_dtype(indptr_dtype, indices_dtype):
    """Checks that both dtypes are int16, int32 or int64."""
    for name, dtype in (("indptr", indptr_dtype), ("indices", indices_dtype)):
        if dtype not in _INDICES:
            _c._fail(TypeError, "csr_tensor", "dtype of " + name, dtype, "int16, int32 or int64")


def _sizes(where, shape):
    total = 1
    for size in shape:
        if not isinstance(size, int):
            _c._fail(TypeError, where, "size of shape", type(size).__name__, "an int")
        if size <= 0:
            _c._fail(ValueError, where, "size of shape", size, "one above 0")
        total *= size
    return total


def _demand(where, holds, what, got, expected):
    if not holds:
        _c._fail(ValueError, where, what, got, expected)


def check_coo_tensor_shape(indices_shp, values_shp, coo_shp):
    """Checks that shapes of indices (n, 2) and values (n,) fit the shape of a COOTensor."""
    where = "coo_tensor"
    _demand(where, len(coo_shp) == 2, "shape", coo_shp, "two sizes")
    if indices_shp == (0,) and values_shp == (0,):
        return
    total = _sizes(where, coo_shp)
    _demand(where, total >= values_shp[0], "number of values", values_shp[0], "at most %d" % total)
    _demand(where, len(indices_shp) == 2 and indices_shp[1] == 2, "shape of indices", indices_shp, "(n, 2)")
    _demand(where, len(values_shp) == 1, "shape of values", values_shp, "(n,)")
    _demand(where, indices_shp[0] == values_shp[0], "number of indices", indices_shp[0], "that of values, %d" % values_shp[0])


def check_csr_tensor_shape(indptr_shp, indices_shp, values_shp, csr_shp):
    """Checks that shapes of indptr, indices and values fit the shape of a CSRTensor."""
    where = "csr_tensor"
    if indptr_shp == (0,) and indices_shp == (0,) and values_shp == (0,):
        return
    total, count = _sizes(where, csr_shp), _sizes(where, values_shp)
    _demand(where, total >= count, "number of values", count, "at most %d" % total)
    _demand(where, len(indices_shp) == 1, "shape of indices", indices_shp, "(n,)")
    _demand(where, len(indptr_shp) == 1 and indptr_shp[0] == csr_shp[0] + 1, "shape of indptr", indptr_shp, "(%d,)" % (csr_shp[0] + 1))
    _demand(where, indices_shp[0] == values_shp[0], "number of indices", indices_shp[0], "that of values, %d" % values_shp[0])
    _demand(where, values_shp[1:] == csr_shp[2:], "shape of values", values_shp, "(n,) + %s" % (csr_shp[2:],))


def check_element_type_of_dict(arg_name, arg_value, key_types, value_types, prim_name=None):
    """Checks that all keys and values of a dict are of some types."""
    _c.check_value_type(arg_name, arg_value, [dict], prim_name)
    for what, items, kinds in (("keys", arg_value, key_types), ("values", arg_value.values(), value_types)):
        for item in items:
            if not isinstance(item, tuple(kinds)):
                _c._fail(TypeError, prim_name, "%s of %s" % (what, arg_name), type(item).__name__,
                         "one of %s" % ", ".join(getattr(kind, "__name__", str(kind)) for kind in kinds))


def check_size_and_element_type_of_tuple(arg_name, arg_value, expect_size, expect_element_type, prim_name=None):
    """Checks that a tuple has so many items, all of a type."""
    _c.check_value_type(arg_name, arg_value, [tuple], prim_name)
    _c.check_equal_int(len(arg_value), expect_size, arg_name + " size", prim_name)
    _c.check_element_type_of_iterable(arg_name, arg_value, [expect_element_type], prim_name)


def check_positive_float_sequence(sequence, arg_name=None, prim_name=None):
    """The sequence, where all its items are floats above 0."""
    for i, item in enumerate(sequence):
        _c.check_positive_float(item, "%s[%d]" % (arg_name or "sequence", i), prim_name)
    return sequence


def _matches(target, reg, flag, prim_name):
    if _re.match(reg, target, flag) is None:
        _c._fail(ValueError, prim_name, "text", target, "one that matches %r" % reg)
    return True


def check_str_by_regular(target, reg=None, flag=_re.ASCII, prim_name=None):
    """True, where a text matches an expression: letters, digits, "_" and ".", of one character at least."""
    return _matches(target, r"^\w+[0-9a-zA-Z\_\.]*$" if reg is None else reg, flag, prim_name)


def check_str_and_none_by_regular(target, reg=None, flag=_re.ASCII, prim_name=None):
    """True, where a text matches an expression: letters, digits, "_", "." and "-", or nothing."""
    return _matches(target, r"^\w*[0-9a-zA-Z\_\.\-]*$" if reg is None else reg, flag, prim_name)


def check_file_name_by_regular(target, reg=None, prim_name=None):
    """True, where a text is the name of a file, not of a folder."""
    if not isinstance(target, str):
        _c._fail(TypeError, prim_name, "file name", type(target).__name__, "a str")
    if target.endswith(("\\", "/")):
        _c._fail(ValueError, prim_name, "file name", target, "not a folder")
    return _matches(target, r"^[0-9a-zA-Z@\_\-\.\:\/\\]+$" if reg is None else reg, 0, prim_name)


def check_input_data(*data, data_class):
    """Checks that all items of arguments, and of lists, tuples and dicts among them, are of some types; None may be one of these."""
    kinds = tuple(data_class) if isinstance(data_class, (tuple, list)) else (data_class,)
    for item in data:
        if isinstance(item, (list, tuple, dict)):
            check_input_data(*(item.values() if isinstance(item, dict) else item), data_class=data_class)
        elif not any(item is None if kind is None else isinstance(item, kind) for kind in kinds):
            _c._fail(TypeError, None, "input data", type(item).__name__, "one of %s" % ", ".join(getattr(k, "__name__", str(k)) for k in kinds))


def check_input_dataset(*dataset, dataset_type):
    """Whether there are arguments and all are of a type."""
    return bool(dataset) and all(isinstance(item, dataset_type) for item in dataset)


def check_output_data(data):
    """RuntimeError where there is no data."""
    if data is None:
        raise RuntimeError("[check] output data, got None, expected data: see the network and its input")


def check_input_format(input_param):
    """The format, which must be "NCHW"."""
    return input_param if input_param == "NCHW" else _c._fail(ValueError, None, "format", input_param, "'NCHW'")


def check_pad_value_by_mode(pad_mode, padding, prim_name):
    """The padding, which must be 0 where the mode is not "pad"."""
    if pad_mode != "pad" and padding != 0:
        _c._fail(ValueError, prim_name, "padding", padding, "0 with pad_mode %r" % pad_mode)
    return padding


def check_valid_input(arg_name, arg_value, prim_name):
    """The value, which must not be None."""
    return _c._fail(ValueError, prim_name, arg_name, None, "a value") if arg_value is None else arg_value


def check_type_support(dtype, device, supported_dtypes):
    """Whether a dtype is among some, or the program is for another device."""
    from ..context import get_context
    return dtype in supported_dtypes or get_context("device_target") != device


def check_types_same_and_valid(args, valid_values, prim_name):
    """Checks that the types of a dict {argument: type} are all the same and one of some."""
    first = None
    for name, kind in args.items():
        _c.check_subclass(name, kind, valid_values, prim_name)
        if first is not None and kind != first[1]:
            _c._fail(TypeError, prim_name, "type of " + name, kind, "that of %s, %s" % first)
        first = first or (name, kind)


def check_tensors_dtypes_same_and_valid(args, valid_dtypes, prim_name):
    """Checks that the dtypes of a dict {argument: dtype or Tensor} are all the same and one of some."""
    valid = valid_dtypes if isinstance(valid_dtypes, (tuple, list, set, frozenset)) else (valid_dtypes,)
    check_types_same_and_valid({name: getattr(kind, "dtype", kind) for name, kind in args.items()}, valid, prim_name)


def check_scalar_or_tensor_types_same(args, valid_values, prim_name, allow_mix=False):
    """The same, of a dict {argument: dtype, Tensor or number}: all of one dtype."""
    check_tensors_dtypes_same_and_valid(args, valid_values, prim_name)
