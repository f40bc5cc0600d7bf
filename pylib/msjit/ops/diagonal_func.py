"""Diagonals and triangles of matrices. matrix_diag, matrix_diag_part and matrix_set_diag also take several neighbouring diagonals, a band.

In these three k is the number of a diagonal (positive: above the main one) or (lowest, highest) of a band; a tensor of these is int32. The
diagonals of a band are stored as rows of equal length, the highest diagonal first. `align` says at which end of the row a shorter upper
and a shorter lower diagonal lie: RIGHT_LEFT, LEFT_RIGHT, LEFT_LEFT or RIGHT_RIGHT.
"""
from ..common import dtype as _mstype
from ..common.checks import check_axis as _check_axis
from ..common.tensor import Tensor as _Tensor
from ..common.tensor import check_tensor as _check
from . import registry as _k
from .argument_kinds import check_index as _check_index
from .argument_kinds import check_real as _check_real

_ALIGNMENTS = ("RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT")


# -- one diagonal, triangles -----------------------------------------------------------------------------------------


def diagonal(input, offset=0, dim1=0, dim2=1):
    """Returns the diagonal over the axes dim1 and dim2 as a new last axis; a positive offset means above the main diagonal, a negative one below.

    An offset outside the matrix gives an axis of size 0. Raises ValueError for fewer than two axes, and for axes that are equal or that the input
    does not have, TypeError for an input that is no Tensor and for an offset that is no int.
    """
    _check(input, "diagonal"), _check_index(offset, "diagonal", "offset")
    rank = input.ndim
    if rank < 2:
        raise ValueError("[diagonal] input has a wrong rank, got %d, expected at least 2" % rank)
    dim1, dim2 = _check_axis(dim1, rank, "diagonal", "dim1"), _check_axis(dim2, rank, "diagonal", "dim2")
    if dim1 == dim2:
        raise ValueError("[diagonal] dim1 and dim2, got %d for both, expected two axes" % dim1)
    lead = [i for i in range(rank) if i not in (dim1, dim2)]
    if lead or dim1 > dim2:
        input = _k.transpose(input, lead + [dim1, dim2])
    lead, (rows, cols) = tuple(input.shape[:-2]), input.shape[-2:]
    length = min(rows + min(offset, 0), cols - max(offset, 0))
    if length <= 0:
        return _k.full(lead + (0,), 0, input.dtype)
    first = max(offset, 0) + max(-offset, 0) * cols
    index = _k.arange(0, length, 1, _mstype.int64) * (cols + 1) + first
    return _k.gather(_k.reshape(input, lead + (rows * cols,)), index, rank - 2)


def trace(input):
    """Sums the diagonal of a matrix, in the dtype of the matrix; the result has no axes. Raises ValueError unless there are two axes."""
    if _check(input, "trace").ndim != 2:
        raise ValueError("[trace] input must be a matrix, got %d axes" % input.ndim)
    return _k.cast(_k.sum(diagonal(input)), input.dtype)


def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Puts the last axis of the input on the diagonals of square matrices, which span the axes dim1 and dim2 of the result, zeros elsewhere.

    A positive offset means above the main diagonal, a negative one below; the matrices have the size n + |offset|. Raises ValueError for axes that
    are equal or that the result does not have, TypeError for an offset that is no int.
    """
    _check_index(offset, "diag_embed", "offset")
    rank = _check(input, "diag_embed").ndim + 1
    first, second = _check_axis(dim1, rank, "diag_embed", "dim1"), _check_axis(dim2, rank, "diag_embed", "dim2")
    if first == second:
        raise ValueError("[diag_embed] dim1 and dim2, got %d for both, expected two axes" % first)
    size = input.shape[-1] + abs(offset)
    eye = _k.eye(size, size, _mstype.bool_)  # chosen by, not multiplied with: an infinity times 0 is NaN
    rows = _k.pad(input, [0] * (rank - 2) + [max(-offset, 0)], [0] * (rank - 2) + [max(offset, 0)], 0)
    out = _k.where(_k.roll(eye, offset, 1) if offset else eye, _k.expand_dims(rows, -1), False)
    order = [i for i in range(rank) if i not in (first, second)]
    order += [first, second]
    return _k.transpose(out, [order.index(i) for i in range(rank)])


def diagflat(input, offset=0):
    """Builds the square matrix whose diagonal holds all elements of the input in row order, zeros elsewhere; offset is as in diag_embed.

    Raises TypeError for an input that is no Tensor and for an offset that is no int.
    """
    _check(input, "diagflat"), _check_index(offset, "diagflat", "offset")
    return diag_embed(_k.reshape(input, (-1,)), offset)


def tril_indices(row, col, offset=0, *, dtype=_mstype.int64):
    """Returns the indices (i, j) with j - i <= offset of a (row, col) matrix: a tensor (2, n), row indices and column indices, int64 by default.

    Raises TypeError for sizes and an offset that are no ints.
    """
    _check_triangle("tril_indices", row, col, offset)
    return _triangle([(i, j) for i in range(row) for j in range(min(max(i + offset + 1, 0), col))], dtype)


def triu_indices(row, col, offset=0, *, dtype=_mstype.int64):
    """Returns the indices (i, j) with j - i >= offset of a (row, col) matrix: a tensor (2, n), row indices and column indices, int64 by default.

    Raises TypeError for sizes and an offset that are no ints.
    """
    _check_triangle("triu_indices", row, col, offset)
    return _triangle([(i, j) for i in range(row) for j in range(max(i + offset, 0), col)], dtype)


def _check_triangle(where, row, col, offset):
    for what, value in (("row", row), ("col", col), ("offset", offset)):
        _check_index(value, where, what)


def _triangle(pairs, dtype):
    if not pairs:
        return _k.full((2, 0), 0, dtype)
    return _Tensor([[i for i, _ in pairs], [j for _, j in pairs]], dtype)


def matrix_band_part(x, lower, upper):
    """Sets elements of matrices to 0 that lie more than `lower` below or `upper` above the diagonal.

    A negative number keeps all elements on that side. Raises TypeError for an x that is no Tensor and for bounds that are no numbers.
    """
    _check(x, "matrix_band_part"), _check_real(lower, "matrix_band_part", "lower"), _check_real(upper, "matrix_band_part", "upper")
    lower, upper = int(lower), int(upper)
    x = x if lower < 0 else _k.triu(x, -lower)
    return x if upper < 0 else _k.tril(x, upper)


# -- bands -----------------------------------------------------------------------------------------------------------


def _number(where, what, value):
    """The ints in an int, a sequence or an int32 Tensor, as a tuple."""
    if isinstance(value, _Tensor):
        if value.dtype != _mstype.int32:
            raise TypeError("[%s] dtype of %s, got %s, expected int32" % (where, what, value.dtype))
        value = value.tolist()
    numbers = tuple(value) if isinstance(value, (tuple, list)) else (value,)
    for item in numbers or (value,):
        if isinstance(item, bool) or not isinstance(item, int):
            raise TypeError("[%s] %s, got %s, expected ints" % (where, what, type(item).__name__))
    return numbers


def _band(where, k, align):
    if align not in _ALIGNMENTS:
        raise ValueError("[%s] align, got %r, expected one of %s" % (where, align, ", ".join(_ALIGNMENTS)))
    numbers = _number(where, "k", k)
    if len(numbers) not in (1, 2) or numbers[0] > numbers[-1]:
        raise ValueError("[%s] k, got %s, expected one int or two that do not fall" % (where, numbers))
    return numbers[0], numbers[-1]


def _places(rows, columns, low, high, longest, align):
    """[rows, columns] -> index of each element in the flattened [diagonals, longest], or -1 if it is on none of them."""
    import numpy
    upper_right, lower_right = align.startswith("RIGHT"), align.endswith("RIGHT")
    row, column = numpy.indices((rows, columns))
    number = column - row
    length = numpy.minimum(rows + numpy.minimum(number, 0), columns - numpy.maximum(number, 0))
    right = numpy.where(number > 0, upper_right, numpy.where(number < 0, lower_right, upper_right or lower_right))
    along = numpy.minimum(row, column) + numpy.where(right, longest - length, 0)
    inside = (number >= low) & (number <= high)
    return numpy.where(inside, (high - number) * longest + along, -1)


def _picked(flat, places, lead, otherwise):
    """Elements of the last axis of `flat` at an array of indices; `otherwise` where an index is -1."""
    import numpy
    taken = _k.gather(flat, _Tensor(numpy.maximum(places, 0).reshape(-1).astype(numpy.int64)), len(lead))
    taken = _k.reshape(taken, lead + places.shape)
    return _k.where(_Tensor(places >= 0), taken, otherwise)


def _filling(where, value, x):
    if isinstance(value, _Tensor):
        if value.dtype != x.dtype:
            raise TypeError("[%s] dtype of padding_value, got %s, expected %s" % (where, value.dtype, x.dtype))
        return _k.reshape(value, ())
    return _k.full((), value, x.dtype)


def _extent(where, rows, columns, longest, low, high):
    """The sizes of a matrix; -1 means the smallest size that fits."""
    least_rows, least_columns = longest - min(high, 0), longest + max(low, 0)
    if rows == columns == -1:
        rows = columns = max(least_rows, least_columns)
    rows, columns = least_rows if rows == -1 else rows, least_columns if columns == -1 else columns
    if rows < least_rows or columns < least_columns or (rows != least_rows and columns != least_columns):
        raise ValueError("[%s] num_rows and num_cols, got %d and %d, expected them to fit diagonals of %d elements"
                         % (where, rows, columns, longest))
    return rows, columns


def matrix_diag(x, k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    """Builds matrices with the rows of x as diagonals and padding_value elsewhere.

    x is (..., length), or (..., diagonals, length) for a band.
    """
    low, high = _band("matrix_diag", k, align)
    count = high - low + 1
    if _check(x, "matrix_diag").ndim < (1 if count == 1 else 2):
        raise ValueError("[matrix_diag] rank of x, got %d, expected %d at least" % (x.ndim, 1 if count == 1 else 2))
    if count > 1 and x.shape[-2] != count:
        raise ValueError("[matrix_diag] number of diagonals of x, got %d, expected %d" % (x.shape[-2], count))
    lead, longest = tuple(x.shape[:-1] if count == 1 else x.shape[:-2]), x.shape[-1]
    rows, columns = _extent("matrix_diag", _number("matrix_diag", "num_rows", num_rows)[0],
                            _number("matrix_diag", "num_cols", num_cols)[0], longest, low, high)
    places = _places(rows, columns, low, high, longest, align)
    return _picked(_k.reshape(x, lead + (count * longest,)), places, lead, _filling("matrix_diag", padding_value, x))


def _longest(where, x, low, high):
    rows, columns = x.shape[-2:]
    if not -rows < low <= high < columns:
        raise ValueError("[%s] k, got %d to %d, expected diagonals of matrices %d x %d" % (where, low, high, rows, columns))
    return min(rows + min(high, 0), columns - max(low, 0))


def matrix_diag_part(x, k, padding_value, align="RIGHT_LEFT"):
    """Returns the diagonals of matrices (..., rows, columns): (..., length), or (..., diagonals, length) for a band."""
    import numpy
    low, high = _band("matrix_diag_part", k, align)
    if _check(x, "matrix_diag_part").ndim < 2:
        raise ValueError("[matrix_diag_part] rank of x, got %d, expected 2 at least" % x.ndim)
    longest, lead = _longest("matrix_diag_part", x, low, high), tuple(x.shape[:-2])
    rows, columns = x.shape[-2:]
    to = _places(rows, columns, low, high, longest, align).reshape(-1)
    places = numpy.full((high - low + 1) * longest, -1)
    places[to[to >= 0]] = numpy.flatnonzero(to >= 0)
    places = places.reshape((-1, longest) if high > low else (longest,))
    flat = _k.reshape(x, lead + (rows * columns,))
    return _picked(flat, places, lead, _filling("matrix_diag_part", padding_value, x))


def matrix_set_diag(x, diagonal, k=0, align="RIGHT_LEFT"):
    """Replaces diagonals of matrices (..., rows, columns) by `diagonal`, which has the form that matrix_diag_part returns."""
    low, high = _band("matrix_set_diag", k, align)
    if _check(x, "matrix_set_diag").ndim < 2:
        raise ValueError("[matrix_set_diag] rank of x, got %d, expected 2 at least" % x.ndim)
    longest, lead = _longest("matrix_set_diag", x, low, high), tuple(x.shape[:-2])
    wanted = lead + ((high - low + 1, longest) if high > low else (longest,))
    if tuple(_check(diagonal, "matrix_set_diag").shape) != wanted:
        raise ValueError("[matrix_set_diag] shape of diagonal, got %s, expected %s" % (tuple(diagonal.shape), wanted))
    if diagonal.dtype != x.dtype:
        raise TypeError("[matrix_set_diag] dtype of diagonal, got %s, expected %s" % (diagonal.dtype, x.dtype))
    flat = _k.reshape(diagonal, lead + ((high - low + 1) * longest,))
    return _picked(flat, _places(x.shape[-2], x.shape[-1], low, high, longest, align), lead, x)


__all__ = ["diag_embed", "diagflat", "diagonal", "matrix_band_part", "matrix_diag", "matrix_diag_part", "matrix_set_diag", "trace",
           "tril_indices", "triu_indices"]
