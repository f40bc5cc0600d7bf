"""Functions of ops as Cells: matrices, ranges, special functions."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_axis, check_numeric
from ..common.error_names import ERRORS, rename
from ..common.tensor import check_tensor
from ..ops import registry as _k
from .cell import Cell


class Unflatten(Cell):
    """Splits the axis `axis` into several, of the sizes unflattened_size, a tuple of ints; one of them may be -1 and follows from the others.

    Raises ValueError for an axis that the input does not have and for sizes whose product is not its size, TypeError for anything but a Tensor.
    """

    def __init__(self, axis, unflattened_size):
        super().__init__()
        if not isinstance(unflattened_size, (tuple, list)):
            raise TypeError("[Unflatten] unflattened_size, got %s, expected a tuple of ints" % type(unflattened_size).__name__)
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x):
        axis = check_axis(self.axis, check_tensor(input_x, "Unflatten").ndim, "Unflatten")
        try:
            return ops.reshape(input_x, tuple(input_x.shape[:axis]) + self.unflattened_size + tuple(input_x.shape[axis + 1:]))
        except ERRORS as error:
            rename(error, "Unflatten")
            raise


class Roll(Cell):
    """Shifts elements cyclically along an axis, or along each axis of a tuple with its own shift: element i moves to (i + shift) mod size.

    Raises ValueError for an axis that the input does not have and for shifts and axes of different lengths, TypeError for shifts that are no
    ints.
    """

    def __init__(self, shift, axis):
        super().__init__()
        self.shift, self.axis = shift, axis

    def construct(self, input_x):
        return ops.roll(input_x, self.shift, self.axis)


class Tril(Cell):
    """Keeps the lower triangle of matrices (..., m, n), up to diagonal k; elements above it become 0. k > 0 keeps more, k < 0 less.

    Raises ValueError for less than two axes, TypeError for a k that is no int and for anything but a Tensor.
    """

    def construct(self, x, k=0):
        return ops.tril(x, k)


class Triu(Cell):
    """Keeps the upper triangle of matrices (..., m, n), from diagonal k on; elements below it become 0. k > 0 keeps less, k < 0 more.

    Raises ValueError for less than two axes, TypeError for a k that is no int and for anything but a Tensor.
    """

    def construct(self, x, k=0):
        return ops.triu(x, k)


class MatMul(Cell):
    """Multiplies matrices (..., n, m) by (..., m, p); transpose_x1 and transpose_x2 exchange the last two axes of an operand first.

    A vector counts as a row on the left and as a column on the right, and leaves no axis. Axes before the last two broadcast. Raises ValueError
    for sizes that do not fit, TypeError for different dtypes.
    """

    def __init__(self, transpose_x1=False, transpose_x2=False):
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2
        self.squeeze_left_op, self.squeeze_right_op = ops.Squeeze(-2), ops.Squeeze(-1)

    def construct(self, x1, x2):
        return _k.matmul(x1, x2, self.transpose_x1, self.transpose_x2)


class Range(Cell):
    """Returns the vector start, start + delta, ... below limit (above it for a negative delta); with one number 0 to that. It takes no inputs.

    It is float32 where one of the three is a float, else int32. Raises ValueError for a delta of 0, TypeError for anything but numbers.
    """

    def __init__(self, start, limit=None, delta=1):
        super().__init__()
        if delta == 0:
            raise ValueError("[range] delta must not be 0")
        for value in (start, delta) if limit is None else (start, limit, delta):
            check_numeric(value, "range", "each of start, limit and delta")
        self.start, self.limit = (0, start) if limit is None else (start, limit)
        self.delta = delta
        self._dtype = mstype.float32 if any(isinstance(n, float) for n in (start, limit, delta)) else mstype.int32

    def construct(self):
        return _k.arange(self.start, self.limit, self.delta, self._dtype)


class LGamma(Cell):
    """Computes log(|gamma(x)|), element by element; infinity at 0, -1, -2, ... Integers give float32.

    Raises TypeError for anything but a Tensor.
    """

    def construct(self, x):
        return ops.lgamma(x)


class DiGamma(Cell):
    """Computes the derivative of log(gamma(x)), element by element; NaN at negative integers. Integers give float32.

    Raises TypeError for anything but a Tensor.
    """

    def construct(self, x):
        return ops.digamma(x)


class IGamma(Cell):
    """Computes the regularised lower incomplete gamma function P(a, x), for a > 0 and x >= 0; NaN elsewhere.

    It sums the power series, whose terms are all positive, in float64; the result is float32. Raises TypeError for anything but Tensors.
    """

    def construct(self, a, x):
        a, x = _k.cast(check_tensor(a, "igamma"), mstype.float64), _k.cast(check_tensor(x, "igamma"), mstype.float64)
        a, x = a + ops.zeros_like(x), x + ops.zeros_like(a)
        valid = ops.logical_and(a > 0, x >= 0)
        a = ops.where(valid, a, ops.ones_like(a))
        # Beyond a + 40 sqrt(a) + 40 the result differs from 1 by less than float64 can show.
        end = a + 40 * ops.sqrt(a) + 40
        inside = ops.logical_and(valid, ops.logical_and(x > 0, x < end))
        safe = ops.where(inside, x, ops.ones_like(x))
        steps = int(ops.max(ops.where(inside, 2 * end, ops.ones_like(end)))[0]) + 60
        ratios = ops.log(ops.expand_dims(safe, -1) / (ops.expand_dims(a, -1) + ops.arange(1, steps, 1, dtype=mstype.float64)))
        series = 1 + ops.sum(ops.exp(ops.cumsum(ratios, -1)), -1)
        found = ops.exp(a * ops.log(safe) - safe - ops.lgamma(a + 1)) * series
        found = ops.where(inside, found, ops.cast(x >= end, mstype.float64))
        return _k.cast(ops.where(valid, found, ops.full_like(found, math.nan)), mstype.float32)


class LBeta(Cell):
    """Computes log(gamma(x) * gamma(y) / gamma(x + y)), the logarithm of the beta function, of two positive Tensors, with broadcasting.

    Raises TypeError for anything but Tensors.
    """

    def construct(self, x, y):
        return ops.lgamma(x) + ops.lgamma(y) - ops.lgamma(x + y)


class MatInverse(Cell):
    """Computes the inverse of each (n, n) matrix of (..., n, n), float32 or float64. That of a singular matrix holds infinities or NaN.

    Raises ValueError for matrices that are not square, TypeError for integers and for anything but a Tensor.
    """

    def construct(self, a):
        return ops.inverse(a)


class MatDet(Cell):
    """Computes the determinant of each (n, n) matrix of (..., n, n), float32 or float64; the result has the shape (...).

    Raises ValueError for matrices that are not square, TypeError for integers and for anything but a Tensor.
    """

    def construct(self, a):
        return ops.det(a)


class MatrixDiag(Cell):
    """Puts (..., n) vectors on the diagonals of (..., n, n) matrices, of their dtype, which are 0 elsewhere.

    Raises ValueError for a tensor without axes, TypeError for anything but a Tensor.
    """

    def construct(self, input_x):
        if check_tensor(input_x, "matrix_diag").ndim < 1:
            raise ValueError("[matrix_diag] rank of the input, got 0, expected 1 or more")
        size = input_x.shape[-1]
        return ops.where(ops.eye(size, size, mstype.bool_), ops.expand_dims(input_x, -1), False)


class MatrixDiagPart(Cell):
    """Returns the main diagonals of (..., m, n) matrices, of the shape (..., min(m, n)).

    Raises ValueError for less than two axes, TypeError for anything but a Tensor.
    """

    def construct(self, input_x):
        if check_tensor(input_x, "matrix_diag_part").ndim < 2:
            raise ValueError("[matrix_diag_part] rank of the input, got %d, expected 2 or more" % input_x.ndim)
        return ops.diagonal(input_x, 0, -2, -1)


class MatrixSetDiag(Cell):
    """Replaces the main diagonals of (..., m, n) matrices by vectors (..., min(m, n)), in a new tensor.

    Raises ValueError for other shapes, TypeError for anything but Tensors.
    """

    def construct(self, input_x, diagonal):
        if check_tensor(input_x, "matrix_set_diag").ndim < 2:
            raise ValueError("[matrix_set_diag] rank of the matrices, got %d, expected 2 or more" % input_x.ndim)
        rows, columns = input_x.shape[-2:]
        size = min(rows, columns)
        if check_tensor(diagonal, "matrix_set_diag").shape != input_x.shape[:-2] + (size,):
            raise ValueError("[matrix_set_diag] shapes of the matrices and the diagonals, got %s and %s, expected %s for the diagonals"
                             % (input_x.shape, diagonal.shape, input_x.shape[:-2] + (size,)))
        lead = tuple(range(diagonal.ndim - 1))
        long = ops.pad(diagonal, (0, max(rows, columns) - size)) if rows != columns else diagonal
        spread = ops.expand_dims(long, -1 if rows >= columns else len(lead))
        return ops.where(ops.cast(ops.eye(rows, columns, mstype.int32), mstype.bool_), spread, input_x)


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
