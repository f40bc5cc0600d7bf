"""Functions of ops as Cells: matrices, ranges, special functions."""
import math

from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_axis
from ..common.tensor import check_tensor
from ..ops import registry as _k
from .cell import Cell


class Unflatten(Cell):
    """Splits one axis into several, of the sizes unflattened_size."""

    def __init__(self, axis, unflattened_size):
        super().__init__()
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x):
        axis = check_axis(self.axis, input_x.ndim, "Unflatten")
        return ops.reshape(input_x, tuple(input_x.shape[:axis]) + self.unflattened_size + tuple(input_x.shape[axis + 1:]))


class Roll(Cell):
    """Shifts elements cyclically along axes."""

    def __init__(self, shift, axis):
        super().__init__()
        self.shift, self.axis = shift, axis

    def construct(self, input_x):
        return ops.roll(input_x, self.shift, self.axis)


class Tril(Cell):
    """Keeps the lower triangle of matrices, up to diagonal k; elements above it become 0."""

    def construct(self, x, k=0):
        return ops.tril(x, k)


class Triu(Cell):
    """Keeps the upper triangle of matrices, from diagonal k on; elements below it become 0."""

    def construct(self, x, k=0):
        return ops.triu(x, k)


class MatMul(Cell):
    """Multiplies matrices; transpose_x1 and transpose_x2 transpose an operand first."""

    def __init__(self, transpose_x1=False, transpose_x2=False):
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2
        self.squeeze_left_op, self.squeeze_right_op = ops.Squeeze(-2), ops.Squeeze(-1)

    def construct(self, x1, x2):
        return _k.matmul(x1, x2, self.transpose_x1, self.transpose_x2)


class Range(Cell):
    """Returns numbers from start to limit (exclusive), delta apart; float32 where one of the three is a float, else int32."""

    def __init__(self, start, limit=None, delta=1):
        super().__init__()
        if delta == 0:
            raise ValueError("[range] delta must not be 0")
        self.start, self.limit = (0, start) if limit is None else (start, limit)
        self.delta = delta
        self._dtype = mstype.float32 if any(isinstance(n, float) for n in (start, limit, delta)) else mstype.int32

    def construct(self):
        return _k.arange(self.start, self.limit, self.delta, self._dtype)


class LGamma(Cell):
    """Computes the logarithm of the absolute value of the gamma function."""

    def construct(self, x):
        return ops.lgamma(x)


class DiGamma(Cell):
    """Computes the derivative of LGamma."""

    def construct(self, x):
        return ops.digamma(x)


class IGamma(Cell):
    """Computes the regularised lower incomplete gamma function P(a, x), for a > 0 and x >= 0; NaN elsewhere.

    It sums the power series, whose terms are all positive, in float64; the result is float32.
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
    """Computes the logarithm of the beta function of two positive Tensors."""

    def construct(self, x, y):
        return ops.lgamma(x) + ops.lgamma(y) - ops.lgamma(x + y)


class MatInverse(Cell):
    """Computes the inverse of each (n, n) matrix."""

    def construct(self, a):
        return ops.inverse(a)


class MatDet(Cell):
    """Computes the determinant of each (n, n) matrix."""

    def construct(self, a):
        return ops.det(a)


class MatrixDiag(Cell):
    """Puts (..., n) vectors on the diagonals of (..., n, n) matrices."""

    def construct(self, input_x):
        size = check_tensor(input_x, "matrix_diag").shape[-1]
        return ops.where(ops.eye(size, size, mstype.bool_), ops.expand_dims(input_x, -1), ops.full((), 0, dtype=input_x.dtype))


class MatrixDiagPart(Cell):
    """Returns the main diagonals of (..., m, n) matrices."""

    def construct(self, input_x):
        if check_tensor(input_x, "matrix_diag_part").ndim < 2:
            raise ValueError("[matrix_diag_part] rank of the input, got %d, expected 2 or more" % input_x.ndim)
        return ops.diagonal(input_x, 0, -2, -1)


class MatrixSetDiag(Cell):
    """Replaces the main diagonals of (..., m, n) matrices by vectors (..., min(m, n))."""

    def construct(self, input_x, diagonal):
        rows, columns = check_tensor(input_x, "matrix_set_diag").shape[-2:]
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
