"""batch, padded_batch and bucket_batch_by_length."""
import numpy as np

from . import config
from .core import Dataset, array, flag, names, row_size, whole
from .steps import Step, known, placed
from .workers import Pool, RowError, call, wanted


class BatchInfo:
    """The argument of functions that are called for each batch: the number of the epoch, and of the batch in it."""

    def __init__(self, epoch, batch):
        self._epoch, self._batch = epoch, batch

    def get_epoch_num(self):
        """Returns the number of the epoch, from 0."""
        return self._epoch

    def get_batch_num(self):
        """Returns the number of the batch in the epoch, from 0."""
        return self._batch


def stacked(values, name):
    """Stacks the values of a column into one array; raises RowError where shapes or dtypes differ."""
    first = values[0]
    if isinstance(first, dict):
        return {key: stacked([array(v[key], "batch") for v in values], key) for key in first}
    if any(v.shape != first.shape for v in values):
        shapes = sorted({v.shape for v in values})
        raise RowError("[batch] shapes of column %r, got %s, expected the same in all rows: map, or padded_batch, "
                           "can make them so" % (name, shapes))
    if first.dtype.kind not in "US" and any(v.dtype != first.dtype for v in values):
        raise RowError("[batch] dtypes of column %r, got %s, expected the same in all rows"
                           % (name, sorted({str(v.dtype) for v in values})))
    return np.stack(values)


class _PerBatch:
    """Wraps per_batch_map as a function of (rows of each column, epoch, batch)."""

    def __init__(self, function, outputs):
        self._function, self._outputs = function, outputs

    def __call__(self, task):
        columns, epoch, batch = task
        found = self._function(*columns, BatchInfo(epoch, batch))
        found = found if isinstance(found, tuple) else (found,)
        if len(found) != self._outputs:
            raise RowError("[batch] columns, got %d from per_batch_map, expected %d" % (len(found), self._outputs))
        for column in found:
            if not isinstance(column, (list, np.ndarray, dict)):
                raise RowError("[batch] a column from per_batch_map, got %s, expected a list of arrays or a dict"
                                   % type(column).__name__)
        return tuple(column if isinstance(column, dict) else [array(value, "batch") for value in column] for column in found)


def _collected(column, name):
    """A column of a batch after per_batch_map.

    A dict that the function returned stays, dicts of rows become one dict of lists, arrays are stacked.
    """
    if isinstance(column, dict):
        return column
    if isinstance(column[0], dict):
        return {key: [row[key] for row in column] for key in column[0]}
    return stacked(column, name)


class Batch(Step):
    """The step that stacks rows."""

    def __init__(self, source, size, drop, num_parallel_workers=None, per_batch_map=None, input_columns=None,
                 output_columns=None, python_multiprocessing=False, max_rowsize=None):
        super().__init__(source)
        if not callable(size):
            whole("batch_size", size, 1)
        if not isinstance(drop, bool):
            raise TypeError("[batch] drop_remainder, got %s, expected a bool" % type(drop).__name__)
        if per_batch_map is not None and not callable(per_batch_map):
            raise TypeError("[batch] per_batch_map, got %s, expected a function" % type(per_batch_map).__name__)
        self._batch_size, self._drop = size, drop
        flag(python_multiprocessing, "python_multiprocessing")
        row_size(max_rowsize)
        self._workers, self._processes = wanted(num_parallel_workers, "batch"), python_multiprocessing
        self._inputs = names(input_columns) or list(source._columns)
        known(self._inputs, source, "batch")
        outputs = names(output_columns) or self._inputs
        self._columns, self._places = placed(source._columns, self._inputs, outputs, "batch")
        self._change = None if per_batch_map is None else _PerBatch(per_batch_map, len(outputs))

    def get_batch_size(self):
        """Returns the number of rows in a batch; -1 if a function decides it."""
        return -1 if callable(self._batch_size) else self._batch_size

    def _open(self, run):
        inner, take = self._source._open(run), [self._source._columns.index(name) for name in self._inputs]
        pool = None
        if self._change and self._workers and not config.get_debug_mode():
            pool = Pool(self._change, self._workers, self._processes, "batch", run.seed)
            run.pools.append(pool)

        def tasks(kept):
            for number, rows in enumerate(self._groups(inner(), run.epoch)):
                columns = list(zip(*rows))
                kept.append(columns)
                yield tuple(list(columns[i]) for i in take), run.epoch, number

        def epoch():
            kept = []
            if self._change is None:
                for _ in tasks(kept):
                    yield self._stack(kept.pop())
                return
            found = tasks(kept)
            for changed in pool.results(found) if pool else (call("batch", self._change, task) for task in found):
                columns = kept.pop(0)
                yield self._stack([changed[i] if new else columns[i] for new, i in self._places])
        return epoch

    def _stack(self, columns):
        join = stacked if self._change is None else _collected
        return tuple(join(column, name) for column, name in zip(columns, self._columns))

    def _groups(self, rows, epoch):
        group, number = [], 0
        size = self._next_size(epoch, 0)
        for row in rows:
            group.append(row)
            if len(group) == size:
                yield group
                group, number = [], number + 1
                size = self._next_size(epoch, number)
        if group and not self._drop:
            yield group

    def _next_size(self, epoch, number):
        if not callable(self._batch_size):
            return self._batch_size
        size = call("batch", self._batch_size, BatchInfo(epoch, number))
        if isinstance(size, bool) or not isinstance(size, int) or size <= 0:
            raise RowError("[batch] result of batch_size, got %r, expected a positive int" % (size,))
        return size

    def _count(self):
        if callable(self._batch_size):
            return Dataset._count(self)
        count = self._source.get_dataset_size()
        return count // self._batch_size if self._drop else -(-count // self._batch_size)


def _checked_padding(pad_info, source):
    if pad_info is None:
        return {}
    if not isinstance(pad_info, dict):
        raise TypeError("[padded_batch] pad_info, got %s, expected a dict" % type(pad_info).__name__)
    known(pad_info, source, "padded_batch")
    for name, info in pad_info.items():
        if not isinstance(info, tuple) or len(info) != 2:
            raise TypeError("[padded_batch] pad_info of %r, got %r, expected (shape or None, value)" % (name, info))
        if info[0] is not None and not isinstance(info[0], list):
            raise TypeError("[padded_batch] shape in pad_info of %r, got %s, expected a list" % (name, type(info[0]).__name__))
        for size in info[0] or ():
            if size is not None:
                whole("size in pad_info", size, 1)
    return pad_info


def padded(values, shape, fill, name):
    """Cuts or fills each value of a column at its ends to one shape; None in the shape means the largest size."""
    if isinstance(values[0], dict):
        raise RowError("[padded_batch] column %r, got dicts, expected arrays" % name)
    rank = values[0].ndim
    shape = [None] * rank if shape is None else list(shape)
    if any(v.ndim != rank for v in values) or len(shape) != rank:
        raise RowError("[padded_batch] rank of column %r, got %s, expected %d in all rows"
                           % (name, sorted({v.ndim for v in values}), len(shape)))
    shape = [max(v.shape[i] for v in values) if size in (None, -1) else size for i, size in enumerate(shape)]
    text = values[0].dtype.kind in "US"
    fill = ("" if values[0].dtype.kind == "U" else b"") if text and fill is None else 0 if fill is None else fill
    out = []
    for value in values:
        cut = value[tuple(slice(0, size) for size in shape)]
        made = np.full(shape, fill, dtype=None if text else value.dtype)
        made = made.astype(np.promote_types(made.dtype, value.dtype)) if text else made
        made[tuple(slice(0, size) for size in cut.shape)] = cut
        out.append(made)
    return out


class PaddedBatch(Batch):
    """The step that pads columns, then stacks rows."""

    def __init__(self, source, size, drop, num_parallel_workers, pad_info):
        super().__init__(source, size, drop, num_parallel_workers)
        self._padding = _checked_padding(pad_info, source)
        self._all = pad_info is not None and not pad_info

    def _stack(self, columns):
        padding = dict.fromkeys(self._columns, (None, None)) if self._all else self._padding
        columns = [padded(column, padding[name][0], padding[name][1], name) if name in padding else column
                   for column, name in zip(columns, self._columns)]
        return super()._stack(columns)


class Buckets(Step):
    """The step that batches rows of similar length.

    Without pad_info all columns are padded with zeros to the largest size in the batch.
    """

    @staticmethod
    def _check(boundaries, sizes, length, to_boundary, drop):
        for name, values in (("bucket_boundaries", boundaries), ("bucket_batch_sizes", sizes)):
            if not isinstance(values, list) or any(isinstance(v, bool) or not isinstance(v, int) for v in values):
                raise TypeError("[bucket_batch_by_length] %s, got %r, expected a list of ints" % (name, values))
        if not boundaries:
            raise ValueError("[bucket_batch_by_length] bucket_boundaries, got none, expected one at least")
        if length is not None and not callable(length):
            raise TypeError("[bucket_batch_by_length] element_length_function, got %s, expected a function" % type(length).__name__)
        flag(to_boundary, "pad_to_bucket_boundary")
        flag(drop, "drop_remainder")

    def __init__(self, source, columns, boundaries, sizes, length, pad_info, to_boundary, drop):
        super().__init__(source)
        self._check(boundaries, sizes, length, to_boundary, drop)
        if len(sizes) != len(boundaries) + 1:
            raise ValueError("[bucket_batch_by_length] bucket_batch_sizes, got %d, expected %d"
                             % (len(sizes), len(boundaries) + 1))
        if any(b <= a for a, b in zip([0] + list(boundaries), boundaries)):
            raise ValueError("[bucket_batch_by_length] bucket_boundaries, got %s, expected them positive and rising"
                             % list(boundaries))
        for size in sizes:
            whole("bucket_batch_sizes", size, 1)
        if length is None and len(columns) != 1:
            raise ValueError("[bucket_batch_by_length] column_names, got %d, expected one without "
                             "element_length_function" % len(columns))
        known(columns, source, "bucket_batch_by_length")
        self._inputs, self._boundaries, self._sizes, self._length = columns, list(boundaries), list(sizes), length
        self._padding, self._to_boundary, self._drop = _checked_padding(pad_info, source), to_boundary, drop
        self._all = not pad_info

    def _open(self, run):
        inner, take = self._source._open(run), [self._source._columns.index(name) for name in self._inputs]

        def epoch():
            groups = [[] for _ in self._sizes]
            for row in inner():
                values = [row[i] for i in take]
                length = int(call("bucket_batch_by_length", self._length, *values)) if self._length else len(values[0])
                place = int(np.searchsorted(self._boundaries, length, side="right"))
                groups[place].append(row)
                if len(groups[place]) == self._sizes[place]:
                    yield self._stack(groups[place], place)
                    groups[place] = []
            for place, group in enumerate(groups):
                if group and not self._drop:
                    yield self._stack(group, place)
        return epoch

    def _stack(self, rows, place):
        out = []
        for column, name in zip(zip(*rows), self._columns):
            if self._all:
                column = padded(list(column), None, None, name)
            elif name in self._padding:
                shape, fill = self._padding[name]
                if self._to_boundary:
                    shape = self._filled(shape, column[0].ndim, place)
                column = padded(list(column), shape, fill, name)
            out.append(stacked(column, name))
        return tuple(out)

    def _filled(self, shape, rank, place):
        if place == len(self._boundaries):
            raise RuntimeError("[bucket_batch_by_length] length of a row, got one beyond the last boundary, expected less "
                               "with pad_to_bucket_boundary")
        size = self._boundaries[place] - 1
        return [size if s is None else s for s in (shape or [None] * rank)]

    def _count(self):
        return Dataset._count(self)
