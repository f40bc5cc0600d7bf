"""Functions of mint that make, divide, join and change tensors, where names, defaults or results differ from those of ops."""
from .. import ops as _ops
from ..common.error_names import ERRORS as _ERRORS
from ..common.error_names import rename as _rename
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check_tensor
from ..ops import registry as _k


def chunk(input, chunks, dim=0):
    """Splits a tensor along an axis into at most `chunks` parts of equal size; an empty axis gives `chunks` empty parts."""
    parts = _ops.chunk(input, chunks, dim)
    return parts if input.shape[dim] else parts * chunks


def concat(tensors, dim=0):
    """Joins tensors along an axis."""
    return _k.concat(tensors, dim)


cat = concat


def clone(input):
    """Copies a tensor."""
    return _k.copy(_check_tensor(input, "clone"))


def diag(input, diagonal=0):
    """Builds the matrix with a vector on a diagonal, or returns a diagonal of a matrix."""
    if _check_tensor(input, "diag").ndim not in (1, 2):
        raise ValueError("[diag] rank of input, got %d, expected 1 or 2" % input.ndim)
    return _ops.diag_embed(input, diagonal) if input.ndim == 1 else _ops.diagonal(input, diagonal)


def empty(*size, dtype=None, device=None):
    """Creates a tensor of zeros, because memory is never left uninitialised; float32 by default."""
    size = size[0] if len(size) == 1 and isinstance(size[0], (tuple, list)) else size
    return _ops.zeros(tuple(size), dtype)


def empty_like(input, *, dtype=None, device=None, pin_memory=False):
    """Creates zeros in the shape of another tensor, because memory is never left uninitialised."""
    return _ops.zeros_like(input, dtype=dtype)


def meshgrid(*tensors, indexing="ij"):
    """Expands vectors to the coordinate tensors of a grid; indexing 'xy' exchanges the first two axes, 'ij' does not."""
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, list)):
        tensors = tensors[0]
    return _ops.meshgrid(*tensors, indexing="ij" if indexing is None else indexing)


def scatter(input, dim, index, src):
    """Returns a copy with elements along `dim` replaced by src, a Tensor or a number, at the positions in index."""
    src = src if isinstance(src, _Tensor) else _k.full((), src, _check_tensor(input, "scatter").dtype)
    try:
        return _k.scatter_elements(input, index, src, dim)
    except _ERRORS as error:
        _rename(error, "scatter")
        raise


def scatter_add(input, dim, index, src):
    """Returns a copy with elements of src added along `dim` at the positions in index."""
    try:
        return _k.scatter_elements(input, index, src, dim, "add")
    except _ERRORS as error:
        _rename(error, "scatter_add")
        raise


def index_add(input, dim, index, source, *, alpha=1):
    """Returns a copy with alpha times the slices of `source` added to the slices `index` along an axis."""
    return _ops.index_add(input, index, source if alpha == 1 else source * alpha, dim)


__all__ = [name for name, value in list(globals().items()) if name[0] != "_" and callable(value)]
