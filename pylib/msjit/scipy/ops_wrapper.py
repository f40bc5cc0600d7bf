"""mindspore.scipy.ops_wrapper."""
from ..ops import matrix_set_diag as _set


def matrix_set_diag(input_x, diagonal, k=0, alignment="RIGHT_LEFT"):
    """Replaces diagonals of matrices, as ops.matrix_set_diag."""
    return _set(input_x, diagonal, k, alignment)


__all__ = ["matrix_set_diag"]
