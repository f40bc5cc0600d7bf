"""RowTensor: some rows of a tensor whose other rows are zero."""
from .tensor import check_tensor


def printed(tensor):
    """A tensor as it stands in the printed form of a sparse one: without commas between its elements."""
    head, _, elements = repr(tensor).partition("value=")
    elements = elements[:-1].replace(",", "")
    return "%svalue=%s)" % (head, elements[1:] if elements[:1] == " " else elements)


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
        return "RowTensor(shape=%s, dtype=%s, indices=%s, values=%s)" % (
            list(self.dense_shape), self.values.dtype, printed(self.indices), printed(self.values))


RowTensorInner = RowTensor
