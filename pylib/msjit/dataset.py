"""Datasets: GeneratorDataset and NumpySlicesDataset with map, batch, shuffle, repeat, take, zip and iterators.

A dataset is a chain of steps; each step knows how to iterate the rows of the one before it. Rows are tuples of NumPy
arrays, turned into tensors by the iterators.
"""
import numpy as np

from .common.checks import refuse_others
from .common.seed import get_seed
from .common.tensor import Tensor

# Keywords of MindSpore about how rows are made, not which.
_HOW = ("python_multiprocessing", "max_rowsize", "cache", "offload", "num_parallel_workers", "callbacks")


class Dataset:
    """Base class: subclasses define _rows(epoch), column names and sizes."""

    _columns = ()
    _batch_size = 1

    # -- to be defined ----------------------------------------------------------------------------------------------

    def _rows(self, epoch):
        raise NotImplementedError

    def _count(self):
        return sum(1 for _ in self._rows(0))

    # -- steps ------------------------------------------------------------------------------------------------------

    def batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, **kwargs):
        """Stacks batch_size rows into one."""
        if isinstance(batch_size, bool) or not isinstance(batch_size, int) or batch_size <= 0:
            raise ValueError("[dataset] batch_size must be a positive int, got %r" % (batch_size,))
        refuse_others("batch", kwargs, _HOW)
        return _Batch(self, batch_size, drop_remainder)

    def map(self, operations, input_columns=None, output_columns=None, num_parallel_workers=None, **kwargs):
        """Applies functions to columns."""
        refuse_others("map", kwargs, _HOW)
        operations = list(operations) if isinstance(operations, (list, tuple)) else [operations]
        return _Map(self, operations, _names(input_columns) or [self._columns[0]], _names(output_columns))

    def shuffle(self, buffer_size):
        """Shuffles within a buffer of rows; another order each epoch, the same for the same seed."""
        if buffer_size < 2:
            raise ValueError("[dataset] buffer_size must be at least 2, got %r" % (buffer_size,))
        return _Shuffle(self, buffer_size)

    def repeat(self, count=None):
        """The rows `count` times over."""
        return _Repeat(self, 1 if count is None else count)

    def take(self, count=-1):
        """The first rows."""
        return self if count == -1 else _Slice(self, 0, count)

    def skip(self, count):
        """Without the first rows."""
        return _Slice(self, count, None)

    def project(self, columns):
        """Only these columns."""
        return _Project(self, _names(columns))

    def rename(self, input_columns, output_columns):
        """Other column names."""
        renamed = _Project(self, list(self._columns))
        new = dict(zip(_names(input_columns), _names(output_columns)))
        renamed._columns = tuple(new.get(c, c) for c in self._columns)
        return renamed

    def zip(self, datasets):
        """Columns of several datasets side by side."""
        return zip_datasets((self,) + (tuple(datasets) if isinstance(datasets, (tuple, list)) else (datasets,)))

    # -- reading ----------------------------------------------------------------------------------------------------

    def get_dataset_size(self):
        """Number of rows (of batches, after batch)."""
        return self._count()

    def get_batch_size(self):
        """Rows in a batch."""
        return self._batch_size

    def get_col_names(self):
        """Names of the columns."""
        return list(self._columns)

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=True):
        """Iterator over rows as lists; each pass over it is one epoch."""
        source = self if columns is None else self.project(columns)
        return _Iterator(source, output_numpy, False)

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=True):
        """Iterator over rows as dicts; each pass over it is one epoch."""
        return _Iterator(self, output_numpy, True)

    def __iter__(self):
        return iter(self.create_tuple_iterator())

    def __len__(self):
        return self._count()


class _Iterator:
    def __init__(self, source, output_numpy, as_dict):
        self._source, self._numpy, self._as_dict = source, output_numpy, as_dict
        self._epoch, self._current = 0, None

    def __iter__(self):
        for row in self._source._rows(self._epoch):
            yield self._convert(row)
        self._epoch += 1

    def __next__(self):
        if self._current is None:
            self._current = iter(self)
        try:
            return next(self._current)
        except StopIteration:
            self._current = None
            raise

    def _convert(self, row):
        values = [v if self._numpy or v.dtype.kind in "USO" else Tensor(v) for v in row]
        return dict(zip(self._source._columns, values)) if self._as_dict else values


class GeneratorDataset(Dataset):
    """Rows of an iterable, a generator function, or an object with __getitem__ and __len__."""

    def __init__(self, source, column_names=None, column_types=None, schema=None, num_samples=None,
                 num_parallel_workers=1, shuffle=None, sampler=None, **kwargs):
        refuse_others("dataset", kwargs, _HOW)
        self._source, self._limit = source, num_samples
        self._columns = tuple(_names(column_names) or ())
        if not self._columns:
            raise ValueError("[dataset] column_names must be given")
        self._random_access = hasattr(source, "__getitem__") and hasattr(source, "__len__")
        self._order = sampler
        self._shuffle = self._random_access and sampler is None if shuffle is None else shuffle
        if self._shuffle and not self._random_access:
            raise RuntimeError("[dataset] shuffle needs a source with __getitem__ and __len__")

    def _indices(self, epoch):
        if self._order is not None:
            return list(self._order)
        order = np.arange(len(self._source))
        if self._shuffle:
            _random(epoch).shuffle(order)
        return order

    def _rows(self, epoch):
        if self._random_access:
            items = (self._source[int(i)] for i in self._indices(epoch))
        else:
            items = iter(self._source() if callable(self._source) else self._source)
        for number, item in enumerate(items):
            if self._limit is not None and number >= self._limit:
                return
            row = item if isinstance(item, (tuple, list)) else (item,)
            if len(row) != len(self._columns):
                raise RuntimeError("[dataset] source gave %d columns, expected %d" % (len(row), len(self._columns)))
            yield tuple(_array(v) for v in row)

    def _count(self):
        if not self._random_access:
            return super()._count()
        count = len(self._source) if self._order is None else len(list(self._order))
        return count if self._limit is None else min(count, self._limit)


class NumpySlicesDataset(GeneratorDataset):
    """Slices along the first axis of an array, a tuple of arrays, or a dict of them."""

    def __init__(self, data, column_names=None, num_samples=None, num_parallel_workers=1, shuffle=None, sampler=None,
                 **kwargs):
        refuse_others("dataset", kwargs, _HOW)
        if isinstance(data, dict):
            column_names, data = list(data), tuple(data.values())
        columns = [_array(d) for d in (data if isinstance(data, tuple) else (data,))]
        if len({len(c) for c in columns}) != 1:
            raise ValueError("[dataset] columns must have the same length, got %s" % [len(c) for c in columns])
        names = column_names or ["column_%d" % i for i in range(len(columns))]
        super().__init__(_Columns(columns), names, None, None, num_samples, num_parallel_workers, shuffle, sampler)


class _Columns:
    def __init__(self, columns):
        self._data = columns

    def __len__(self):
        return len(self._data[0])

    def __getitem__(self, index):
        return tuple(c[index] for c in self._data)


class _Step(Dataset):
    def __init__(self, source):
        self._source, self._columns, self._batch_size = source, source._columns, source._batch_size


class _Batch(_Step):
    def __init__(self, source, size, drop):
        super().__init__(source)
        self._batch_size, self._drop = size, drop

    def _rows(self, epoch):
        rows = []
        for row in self._source._rows(epoch):
            rows.append(row)
            if len(rows) == self._batch_size:
                yield tuple(np.stack(column) for column in zip(*rows))
                rows = []
        if rows and not self._drop:
            yield tuple(np.stack(column) for column in zip(*rows))

    def _count(self):
        count = self._source._count()
        return count // self._batch_size if self._drop else -(-count // self._batch_size)


class _Map(_Step):
    def __init__(self, source, operations, inputs, outputs):
        super().__init__(source)
        unknown = [c for c in inputs if c not in source._columns]
        if unknown:
            raise ValueError("[dataset] there is no column %r among %s" % (unknown[0], list(source._columns)))
        self._operations, self._inputs, self._outputs = operations, inputs, outputs or inputs
        rest = [c for c in source._columns if c not in inputs]
        if self._outputs != self._inputs:
            self._columns = tuple(self._outputs + rest)

    def _rows(self, epoch):
        for row in self._source._rows(epoch):
            values = dict(zip(self._source._columns, row))
            current = tuple(values[c] for c in self._inputs)
            for operation in self._operations:
                current = operation(*current)
                current = current if isinstance(current, tuple) else (current,)
            values.update(zip(self._outputs, (_array(v) for v in current)))
            yield tuple(values[c] for c in self._columns)

    def _count(self):
        return self._source._count()


class _Shuffle(_Step):
    def __init__(self, source, size):
        super().__init__(source)
        self._size = size

    def _rows(self, epoch):
        random, buffer = _random(epoch), []
        for row in self._source._rows(epoch):
            buffer.append(row)
            if len(buffer) == self._size:
                yield buffer.pop(random.randint(len(buffer)))
        while buffer:
            yield buffer.pop(random.randint(len(buffer)))

    def _count(self):
        return self._source._count()


class _Repeat(_Step):
    def __init__(self, source, count):
        super().__init__(source)
        self._times = count

    def _rows(self, epoch):
        for i in range(self._times):
            for row in self._source._rows(epoch * self._times + i):
                yield row

    def _count(self):
        return self._times * self._source._count()


class _Slice(_Step):
    def __init__(self, source, start, count):
        super().__init__(source)
        self._start, self._limit = start, count

    def _rows(self, epoch):
        for number, row in enumerate(self._source._rows(epoch)):
            if self._limit is not None and number >= self._start + self._limit:
                return
            if number >= self._start:
                yield row


class _Project(_Step):
    def __init__(self, source, columns):
        super().__init__(source)
        self._columns = tuple(columns)
        self._at = [source._columns.index(c) for c in columns]

    def _rows(self, epoch):
        for row in self._source._rows(epoch):
            yield tuple(row[i] for i in self._at)

    def _count(self):
        return self._source._count()


class _Zip(_Step):
    def __init__(self, sources):
        super().__init__(sources[0])
        self._sources = sources
        self._columns = tuple(c for s in sources for c in s._columns)
        if len(set(self._columns)) != len(self._columns):
            raise ValueError("[dataset] zipped datasets share column names: %s" % list(self._columns))

    def _rows(self, epoch):
        for rows in zip(*[s._rows(epoch) for s in self._sources]):
            yield tuple(v for row in rows for v in row)

    def _count(self):
        return min(s._count() for s in self._sources)


def zip_datasets(datasets):
    """Columns of several datasets side by side."""
    return _Zip(tuple(datasets))


def _names(value):
    return [value] if isinstance(value, str) else (list(value) if value is not None else None)


def _array(value):
    return value.asnumpy() if isinstance(value, Tensor) else np.asarray(value)


def _random(epoch):
    seed = get_seed()
    return np.random.RandomState() if seed is None else np.random.RandomState((seed + 7919 * epoch) % 2**32)
