"""Functions of mint that make, divide, join and change tensors, where names, defaults or results differ from those of ops."""
from .. import ops as _ops
from ..common.checks import check_offset as _check_offset
from ..common.checks import scaled as _scaled
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from ..ops import registry as _k
from ..ops.index_func import elements_scattered as _elements_scattered
from ..ops.index_func import slices_added as _slices_added


def chunk(input, chunks, dim=0):
    """Splits a tensor along an axis into a tuple of at most `chunks` parts of equal size, ceil(size / chunks); the last may be smaller.

    An empty axis gives `chunks` empty parts. Raises ValueError for less than one chunk and for an axis that the input does not have, TypeError for
    chunks that are no int and for anything but a Tensor.
    """
    parts = _ops.chunk(input, chunks, dim)
    return parts if input.shape[dim] else parts * chunks


def concat(tensors, dim=0):
    """Joins a list or tuple of tensors along an axis, whose sizes may differ; the other sizes are the same. Different dtypes give their common one.

    Raises ValueError for no tensors, for different ranks or other sizes and for an axis out of range, TypeError for anything but a list or
    tuple of Tensors.
    """
    return _k.concat(tensors, dim)


cat = concat


def clone(input):
    """Returns a copy of a tensor, through which gradients flow. Raises TypeError for anything but a Tensor."""
    return _k.copy(_check_tensor(input, "clone"))


def diag(input, diagonal=0):
    """Builds the square matrix with a vector on a diagonal, zeros elsewhere; of a matrix returns a diagonal as a vector.

    diagonal 0 is the main one, a positive number lies above it, a negative one below; one outside of a matrix gives an empty vector. Raises
    ValueError for another rank, TypeError for anything but a Tensor.
    """
    if _check_tensor(input, "diag").ndim not in (1, 2):
        raise ValueError("[diag] rank of input, got %d, expected 1 or 2" % input.ndim)
    diagonal = _check_offset(diagonal, "diag", "diagonal")
    return _ops.diag_embed(input, diagonal) if input.ndim == 1 else _ops.diagonal(input, diagonal)


def empty(*size, dtype=None, device=None):
    """Creates a tensor of zeros, because memory is never left uninitialised; float32 by default. size is ints, or one tuple of them.

    device is ignored. Raises ValueError for a negative size, TypeError for sizes that are no ints.
    """
    size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    return _ops.zeros(tuple(size), dtype)


def empty_like(input, *, dtype=None, device=None, pin_memory=False):
    """Creates zeros in the shape of a tensor, because memory is never left uninitialised, and in its dtype unless dtype is given.

    device and pin_memory are ignored. Raises TypeError for anything but a Tensor.
    """
    return _ops.zeros_like(input, dtype=dtype)


def meshgrid(*tensors, indexing="ij"):
    """Expands n vectors to the n coordinate tensors of a grid: element i, j, ... of result k is element i, j, ... number k of vector k.

    indexing 'ij' gives shapes (size of the first, size of the second, ...), 'xy' exchanges the first two axes. Each keeps its dtype. Raises
    ValueError for tensors that are no vectors and for another indexing, TypeError for anything but Tensors.
    """
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    return _ops.meshgrid(*tensors, indexing="ij" if indexing is None else indexing)


def scatter(input, dim, index, src):
    """Returns a copy with elements replaced along one axis: for two axes and dim 0, out[index[i][j]][j] = src[i][j]; for dim 1, out[i][index[i][j]].

    index is a Tensor of integers with the axes of input, nowhere longer except along dim; negative ones count from the end. src is a Tensor that
    broadcasts to the shape of index, or a number; what it has beyond that shape is not used. Raises IndexError for an index outside the axis,
    ValueError for shapes that do not fit, TypeError for an index of floats.
    """
    src = src if isinstance(src, _Tensor) else _k.full((), src, _check_tensor(input, "scatter").dtype)
    try:
        return _elements_scattered(input, index, src, dim)
    except _ERRORS as error:
        _rename(error, "scatter")
        raise


def scatter_add(input, dim, index, src):
    """Returns a copy with elements of src added along one axis: for two axes and dim 0, out[index[i][j]][j] += src[i][j]. Equal positions add up.

    Shapes and errors are those of scatter, but src is always a Tensor.
    """
    try:
        return _elements_scattered(input, index, src, dim, "add")
    except _ERRORS as error:
        _rename(error, "scatter_add")
        raise


def index_add(input, dim, index, source, *, alpha=1):
    """Returns a copy with alpha times slice i of `source` added to the slice index[i], along the axis `dim`. Equal positions add up.

    index is a vector of integers, as long as that axis of source. Raises IndexError for a position outside the axis, ValueError for sizes that do
    not fit and for an axis that the input does not have, TypeError for an index of floats.
    """
    return _slices_added(input, index, source if alpha == 1 else _scaled(source, alpha, "index_add", "source"), dim)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
