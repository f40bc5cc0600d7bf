"""RowTensor: some rows of a tensor whose other rows are zero."""
from .tensor import check_tensor


def printed(tensor):
    """The text of a tensor inside the text of a sparse one: without commas between its elements."""
    head, _, elements = repr(tensor).partition("value=")
    elements = elements[:-1].replace(",", "")
    return "%svalue=%s)" % (head, elements[1:] if elements[:1] == " " else elements)


class RowTensor:
    """A tensor of a shape, of which only the rows `indices` (N) are given, by values (N, ...). MindSpore's sparse gradients have this form.

    It is only a container: operators do not accept it.
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
