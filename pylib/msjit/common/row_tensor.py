"""RowTensor: some rows of a tensor whose other rows are zero."""
from .tensor import check_tensor


class RowTensor:
    """values (N, ...) are the rows `indices` (N) of a tensor of a shape; sparse gradients come so in MindSpore.

    A container: operators do not take it.
    """

    def __init__(self, indices=None, values=None, shape=None, row_tensor=None):
        if row_tensor is not None:
            indices, values, shape = row_tensor.indices, row_tensor.values, row_tensor.dense_shape
        self.indices, self.values = check_tensor(indices, "row_tensor"), check_tensor(values, "row_tensor")
        if not isinstance(shape, (tuple, list)):
            raise TypeError("[row_tensor] shape, got %s, expected a tuple" % type(shape).__name__)
        self.dense_shape = tuple(shape)

    def __repr__(self):
        return "RowTensor(shape=%s, dtype=%s, indices=%r, values=%r)" % (
            list(self.dense_shape), self.values.dtype, self.indices, self.values)


RowTensorInner = RowTensor
