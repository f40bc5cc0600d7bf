"""Embedding tables: one that gives zeros for indices outside it, and one that combines the rows of each field."""
from .. import ops
from ..common import dtype as mstype
from ..common.checks import check_number
from ..common.initializer import initializer
from ..common.parameter import Parameter
from ..common.tensor import check_tensor
from .basic import Embedding, positive_int  # noqa: F401 - MindSpore has Embedding in this module
from .cell import Cell

__all__ = "Embedding EmbeddingExt EmbeddingLookup MultiFieldEmbeddingLookup".split()

_OPERATORS = ("SUM", "MAX", "MEAN")


class EmbeddingLookup(Cell):
    """Looks up rows of a learnt table; an index outside the table gives zeros.

    max_norm scales down returned rows whose 2-norm is larger.

    target, slice_mode, manual_shapes and sparse say where MindSpore keeps the table; they change nothing here.
    """

    def __init__(self, vocab_size, embedding_size, param_init="normal", target="CPU", slice_mode="batch_slice", manual_shapes=None,
                 max_norm=None, sparse=True, dtype=mstype.float32):
        super().__init__()
        where = self._where = type(self).__name__
        if target not in ("CPU", "DEVICE"):
            raise ValueError("[%s] target, got %r, expected 'CPU' or 'DEVICE'" % (where, target))
        if not sparse and target == "CPU":
            raise ValueError("[%s] sparse, got %r, expected True where target is 'CPU'" % (where, sparse))
        self.vocab_size = positive_int(vocab_size, where, "vocab_size")
        self.embedding_size = positive_int(embedding_size, where, "embedding_size")
        self.target, self.sparse = target, sparse
        if max_norm is not None and not check_number(max_norm, where, "max_norm") > 0:
            raise ValueError("[%s] max_norm, got %s, expected above 0" % (where, max_norm))
        self.max_norm = None if max_norm is None else float(max_norm)
        self.embedding_table = Parameter(initializer(param_init, [vocab_size, embedding_size], dtype), name="embedding_table")

    def construct(self, indices):
        return self._rows(indices)

    def _rows(self, indices):
        if check_tensor(indices, self._where).dtype not in (mstype.int32, mstype.int64):
            raise TypeError("[%s] dtype of the indices, got %s, expected int32 or int64" % (self._where, indices.dtype))
        inside = ops.logical_and(indices >= 0, indices < self.vocab_size)
        rows = ops.embedding(ops.where(inside, indices, ops.zeros_like(indices)), self.embedding_table)
        rows = rows * ops.expand_dims(ops.cast(inside, rows.dtype), -1)
        if self.max_norm is None:
            return rows
        norm = ops.sqrt(ops.sum(ops.square(rows), -1, True))
        return rows * self.max_norm / ops.maximum(norm, self.max_norm)


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Looks up rows of a table, weighs them and combines them within each field.

    (N, L) indices, values and fields give (N, field_size, embedding_size).

    operator is 'SUM', 'MEAN' or 'MAX' over the entries of a field; entries of value 0 do not count. A field without entries gives zeros.
    """

    def __init__(self, vocab_size, embedding_size, field_size, param_init="normal", target="CPU", slice_mode="batch_slice",
                 feature_num_list=None, max_norm=None, sparse=True, operator="SUM", dtype=mstype.float32):
        super().__init__(vocab_size, embedding_size, param_init, target, slice_mode, feature_num_list, max_norm, sparse, dtype)
        self.field_size = positive_int(field_size, self._where, "field_size")
        if operator not in _OPERATORS:
            raise ValueError("[%s] operator, got %r, expected one of %s" % (self._where, operator, list(_OPERATORS)))
        self.operator = operator

    def construct(self, input_indices, input_values, field_ids):
        for name, given in (("input_values", input_values), ("field_ids", field_ids)):
            if check_tensor(given, self._where).shape != input_indices.shape or given.ndim != 2:
                raise ValueError("[%s] shape of %s, got %s, expected that of input_indices, %s with two axes"
                                 % (self._where, name, given.shape, input_indices.shape))
        batch, fields = input_indices.shape[0], self.field_size
        values = ops.expand_dims(input_values, -1)
        rows = self._rows(input_indices) * values
        count = batch * fields
        segments = ops.reshape(field_ids + ops.expand_dims(ops.arange(0, count, fields, dtype=field_ids.dtype), -1), (-1,))
        used = ops.reshape(values != 0, (-1,))
        rows = ops.reshape(rows, (-1, self.embedding_size))
        if self.operator == "MAX":
            lowest = ops.full_like(rows, -3.4e38 if rows.dtype != mstype.float16 else -65504)
            rows = ops.where(ops.expand_dims(used, -1), rows, lowest)
            found = ops.unsorted_segment_max(rows, segments, count)
        else:
            found = ops.unsorted_segment_sum(rows, segments, count)
        entries = ops.unsorted_segment_sum(ops.cast(ops.expand_dims(used, -1), rows.dtype), segments, count)
        if self.operator == "MEAN":
            found = found / ops.maximum(entries, 1)
        found = ops.where(entries > 0, found, ops.zeros_like(found))
        return ops.reshape(found, (batch, fields, self.embedding_size))


def __getattr__(name):
    """Finds EmbeddingExt, which MindSpore has in this module too."""
    if name == "EmbeddingExt":
        from ..mint.nn import Embedding
        return Embedding
    raise AttributeError("module 'msjit.nn.embedding' has no attribute %r" % name)
