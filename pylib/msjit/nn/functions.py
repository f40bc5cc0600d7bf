"""Functions of ops as Cells: matrices, ranges, special functions."""
from .. import ops
from ..common import dtype as mstype
from ..ops import registry as _k
from .cell import Cell


class Unflatten(Cell):
    """One axis as several."""

    def __init__(self, axis, unflattened_size):
        super().__init__()
        self.axis, self.unflattened_size = axis, tuple(unflattened_size)

    def construct(self, input_x):
        axis = self.axis % input_x.ndim
        return ops.reshape(input_x, tuple(input_x.shape[:axis]) + self.unflattened_size + tuple(input_x.shape[axis + 1:]))


class Roll(Cell):
    """The elements moved along axes."""

    def __init__(self, shift, axis):
        super().__init__()
        self.shift, self.axis = shift, axis

    def construct(self, input_x):
        return ops.roll(input_x, self.shift, self.axis)


class Tril(Cell):
    """The lower triangle of matrices."""

    def construct(self, x, k=0):
        return ops.tril(x, k)


class Triu(Cell):
    """The upper triangle of matrices."""

    def construct(self, x, k=0):
        return ops.triu(x, k)


class MatMul(Cell):
    """Matrix product, of transposed operands where asked."""

    def __init__(self, transpose_x1=False, transpose_x2=False):
        super().__init__()
        self.transpose_x1, self.transpose_x2 = transpose_x1, transpose_x2
        self.squeeze_left_op, self.squeeze_right_op = ops.Squeeze(-2), ops.Squeeze(-1)

    def construct(self, x1, x2):
        return _k.matmul(x1, x2, self.transpose_x1, self.transpose_x2)


class Range(Cell):
    """Numbers from start to limit (exclusive), int32 or float32."""

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
    """Logarithm of the absolute value of the gamma function."""

    def construct(self, x):
        return ops.lgamma(x)


class DiGamma(Cell):
    """Derivative of LGamma."""

    def construct(self, x):
        return ops.digamma(x)


__all__ = [name for name, value in list(globals().items())
           if name[0] != "_" and isinstance(value, type) and value.__module__ == __name__]
