"""Functions of mint that differ from those of ops only in parameter names and defaults."""
from .. import ops as _ops
from ..common.checks import check_axis as _check_axis
from ..common.checks import check_offset as _check_offset
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from ..ops import registry as _k


def index_select(input, dim, index):
    """Picks the slices along the axis `dim` at the positions in `index`, a Tensor of integers; negative ones count from the end.

    The axis of the result is as long as index. Raises IndexError for a position outside the axis, ValueError for an axis that the input does not
    have, TypeError for an index that is no Tensor or holds floats.
    """
    return _ops.index_select(input, dim, index)


def narrow(input, dim, start, length):
    """Returns `length` elements along an axis, from index `start` on; a negative start counts from the end.

    Raises ValueError where these are not within the axis, and for an axis that the input does not have.
    """
    if type(start) is not int:
        start = _check_offset(start, "narrow", "start")
    if start < 0:
        start += _check_tensor(input, "narrow").shape[_check_axis(dim, input.ndim, "narrow", "dim")]
    return _ops.narrow(input, dim, start, length)


def linspace(start, end, steps, *, dtype=None):
    """Creates a vector of `steps` evenly spaced numbers from start to end (inclusive), float32 unless dtype is given.

    Number i is start + i * (end - start) / (steps - 1). Raises ValueError for less than one step, TypeError for steps that are no int and for
    bounds that are no numbers.
    """
    return _ops.linspace(start, end, steps) if dtype is None else _k.cast(_ops.linspace(start, end, steps), dtype)


def mean(input, dim=None, keepdim=False, *, dtype=None):
    """Computes the arithmetic mean over an axis or a tuple of axes; None means all axes.

    With keepdim these axes stay, with size 1. dtype casts the input first. As in MindSpore the mean of integers is an integer, rounded
    towards 0; that of booleans is float32. Raises ValueError for an axis that the input does not have, TypeError for anything but a Tensor.
    """
    return _ops.mean(input if dtype is None else _k.cast(input, dtype), dim, keepdim)


def prod(input, dim=None, keepdim=False, *, dtype=None):
    """Multiplies the elements over an axis or a tuple of axes; None means all axes. With keepdim these axes stay, with size 1.

    Integers and booleans give int64 unless dtype is given. Raises ValueError for an axis that the input does not have, TypeError for anything
    but a Tensor.
    """
    return _ops.prod(input, dim, keepdim, dtype)


def mv(input, vec):
    """Multiplies a matrix (n, m) by a vector (m,); returns the vector (n,), in their dtype.

    Raises ValueError unless there are two axes and one and the sizes fit, TypeError for different dtypes and for anything but Tensors.
    """
    return _ops.mv(input, vec)


def norm(input, p="fro", dim=None, keepdim=False, *, dtype=None):
    """Computes the p-norm (sum of |x|^p)^(1 / p) over an axis or a tuple of axes; None means all elements as one vector.

    p is a number, inf for the largest |x|, -inf for the smallest, 0 for the count of elements that are not 0; 'fro' is 2. 'nuc' is the sum of the
    singular values of matrices. Integers give float32; dtype casts the input first. Raises TypeError for another p, for 'nuc' of a vector and for
    anything but a Tensor, ValueError for an axis that the input does not have.
    """
    input = input if dtype is None else _k.cast(input, dtype)
    if isinstance(p, str) and p == "nuc":
        return _ops.norm(input, "nuc", dim, keepdim)
    return _ops.vector_norm(input, 2 if p is None or (isinstance(p, str) and p == "fro") else p, dim, keepdim)


def permute(input, dims):
    """Reorders the axes: axis i of the result is axis dims[i] of the input.

    Raises ValueError unless dims names each axis once, TypeError for anything but a Tensor.
    """
    try:
        return _k.transpose(input, dims)
    except _ERRORS as error:
        _rename(error, "permute")
        raise


def pow(input, exponent):
    """Computes input^exponent, element by element, with broadcasting; one of them may be a number.

    Of integers the result is an integer, unless the exponent is a float. Raises ValueError for shapes that do not broadcast and for a negative
    int as the exponent of a Tensor of integers, TypeError for anything but Tensors and numbers.
    """
    if type(exponent) is int and exponent < 0 and isinstance(input, _Tensor) and not (input.is_floating_point() or input.is_complex()):
        raise ValueError("[pow] exponent, got %d, expected 0 or more for a Tensor of %s" % (exponent, input.dtype))
    return _k.pow(input, exponent)


def softmax(input, dim, *, dtype=None):
    """Computes exp(x) / sum(exp(x)) over the axis `dim`, without overflow. Shape and dtype are those of the input; dtype casts it first.

    Raises TypeError for integers without dtype and for anything but a Tensor, ValueError for an axis that the input does not have.
    """
    return _ops.softmax(input, dim, dtype=dtype)


def split(tensor, split_size_or_sections, dim=0):
    """Splits a tensor along an axis into a tuple of parts. An int is the size of each part, the last of which may be smaller; a list names all sizes.

    Raises ValueError for a size below 1, for a list that does not add up to the axis and for an axis that the tensor does not have,
    TypeError for other kinds of arguments.
    """
    return _ops.split(tensor, split_size_or_sections, dim)


def stack(tensors, dim=0):
    """Joins a list or tuple of tensors of one shape along a new axis, which comes before axis `dim` of the parts; -1 makes it the last.

    Different dtypes give their common one. Raises ValueError for different shapes, for no tensors and for an axis out of range, TypeError for
    anything but a list or tuple of Tensors.
    """
    return _k.stack(tensors, dim)


def tile(input, dims):
    """Repeats the whole tensor dims[i] times along axis i; a shorter dims counts from the last axis, a longer one adds axes in front.

    Raises ValueError for a negative number, TypeError for numbers that are no ints and for anything but a Tensor.
    """
    return _ops.tile(input, dims)


__all__ = ["index_select", "linspace", "narrow", "mean", "prod", "mv", "norm", "permute", "pow", "softmax", "split", "stack", "tile"]
