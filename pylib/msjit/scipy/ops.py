"""mindspore.scipy.ops: the primitives behind mindspore.scipy."""
from ..ops.primitive import Primitive, prim_attr_register
from . import linalg, optimize


class LinearSumAssignment(Primitive):
    """Returns (rows, columns), as optimize.linear_sum_assignment."""

    def __call__(self, cost_matrix, dimension_limit, maximize):
        return optimize.linear_sum_assignment(cost_matrix, maximize, dimension_limit)


class SolveTriangular(Primitive):
    """Solves a x = b for triangular matrices a, as linalg.solve_triangular."""

    def __init__(self, lower=False, unit_diagonal=False, trans="N"):
        super().__init__()
        self.lower, self.unit_diagonal, self.trans = lower, unit_diagonal, trans

    def __call__(self, a, b):
        return linalg.solve_triangular(a, b, self.trans, self.lower, self.unit_diagonal)


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    """Solves a x = b for triangular matrices a, as linalg.solve_triangular."""
    return linalg.solve_triangular(a, b, trans, lower, unit_diagonal)


__all__ = ["LinearSumAssignment", "Primitive", "SolveTriangular", "prim_attr_register", "solve_triangular"]
