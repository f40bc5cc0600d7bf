"""Layers of sparse matrices."""
from .. import ops
from .cell import Cell


class SparseToDense(Cell):
    """Converts a COOTensor to a dense tensor of its shape and dtype, 0 where it has no element. Of elements at one position the last one counts."""

    def __init__(self):
        super().__init__()
        self.sparse_to_dense = ops.SparseToDense()

    def construct(self, input):
        return self.sparse_to_dense(input.indices, input.values, input.shape)


class SparseTensorDenseMatmul(Cell):
    """Multiplies a sparse matrix, given as indices (N, 2), values (N,) and a shape, by a dense matrix.

    adjoint_st and adjoint_dt transpose the sparse and the dense matrix first.
    """

    def __init__(self, adjoint_st=False, adjoint_dt=False):
        super().__init__()
        self.adj_st, self.adj_dt = adjoint_st, adjoint_dt
        self.sparse_dense_matmul = ops.SparseTensorDenseMatmul(adjoint_st, adjoint_dt)

    def construct(self, indices, values, sparse_shape, dense):
        return self.sparse_dense_matmul(indices, values, sparse_shape, dense)
