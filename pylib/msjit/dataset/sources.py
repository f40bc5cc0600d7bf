"""Datasets of Python objects: GeneratorDataset, NumpySlicesDataset, PaddedDataset."""
import copy

import numpy as np

from ..common.dtype import dtype_to_nptype
from ..common.tensor import Tensor
from . import config
from .core import Dataset, array, flag, names, row_size
from .samplers import RandomSampler, Sampler, SequentialSampler, choose, pipeline_seed
from .schema import as_schema, numpy_type
from .workers import Pool, RowError, call, wanted


class Source(Dataset):
    """A dataset whose rows can be read by index. A sampler decides which rows are read.

    A subclass defines `_total()`, `_row(index)` and, for PKSampler, `_labels()`.
    """

    _sampler, _order = None, None
    _workers, _processes = 0, False
    _where = "dataset"

    def _total(self):
        raise NotImplementedError

    def _row(self, index):
        raise NotImplementedError

    def _labels(self):
        raise RuntimeError("[PKSampler] source, got %s, expected a dataset of labelled images" % type(self).__name__)

    def add_sampler(self, new_sampler):
        """Adds a sampler that samples from the rows in the order of the current sampler."""
        self._is_sampler(new_sampler)
        new_sampler = copy.copy(new_sampler)
        new_sampler.child_sampler = None
        if self._sampler is not None:
            new_sampler.add_child(self._sampler)
        self._sampler, self._size, self._order = new_sampler, None, None

    def use_sampler(self, new_sampler):
        """Replaces the sampler."""
        self._is_sampler(new_sampler)
        self._sampler, self._size, self._order = new_sampler, None, None

    def _is_sampler(self, value):
        if not isinstance(value, Sampler):
            raise TypeError("[%s] sampler, got %s, expected a Sampler" % (self._where, type(value).__name__))

    def part(self, start, count, randomize):
        """Returns a dataset of some of the rows, for split."""
        made = copy.copy(self)
        if randomize:
            order = RandomSampler()
            order.reshuffle_each_epoch = False
            made.add_sampler(order)
        made.add_sampler(SequentialSampler(start, count))
        return made

    def is_shuffled(self):
        """Says whether the sampler is random."""
        return self._sampler is not None and self._sampler.is_shuffled()

    def is_sharded(self):
        """Says whether the sampler selects a share of the rows."""
        return self._sampler is not None and self._sampler.is_sharded()

    def _open(self, run):
        order = self._sampler.start(self._total(), run.seed, self._labels)
        pool = None
        if self._workers and not config.get_debug_mode():
            pool = Pool(self._row, self._workers, self._processes, self._where, run.seed)
            run.pools.append(pool)

        def epoch():
            indices = order()
            return pool.results(indices) if pool else (call(self._where, self._row, i) for i in indices)
        return epoch

    def _count(self):
        return len(self._sampler.start(self._total(), pipeline_seed(), self._labels)())


def as_row(item, columns, types, where):
    """Converts a source's value to a row: a tuple or list has one value for each column."""
    if isinstance(item, list) and len(columns) == 1 and not (len(item) == 1 and hasattr(item[0], "shape")):
        item = (item,)
    values = item if isinstance(item, (tuple, list)) else (item,)
    if len(values) != len(columns):
        raise RowError("[%s] columns of a row, got %d, expected %d, one for each of %s"
                           % (where, len(values), len(columns), list(columns)))
    row = tuple(array(value, where) for value in values)
    for value, expected, name in zip(row, types or (), columns):
        if expected is not None and getattr(value, "dtype", None) != expected:
            raise RowError("[%s] dtype of column %r, got %s, expected %s, as column_types says"
                               % (where, name, getattr(value, "dtype", type(value).__name__), expected))
    return row


def _types(column_types, columns, where):
    if column_types is None:
        return None
    if not isinstance(column_types, (list, tuple)) or len(column_types) != len(columns):
        raise (ValueError if isinstance(column_types, (list, tuple)) else TypeError)(
            "[%s] column_types, expected a list of %d types" % (where, len(columns)))
    return [None if t is None else np.dtype(dtype_to_nptype(t) if not isinstance(t, (str, type, np.dtype)) else t)
            for t in column_types]


class GeneratorDataset(Source):
    """Reads rows from an iterable, a generator function, or an object with __getitem__ and __len__.

    Only an object with __getitem__ and __len__ can be shuffled, sampled and sharded, and read by several workers. Workers are processes, or
    threads with python_multiprocessing=False.
    """

    _where = "GeneratorDataset"

    def __init__(self, source, column_names=None, column_types=None, schema=None, num_samples=None,
                 num_parallel_workers=1, shuffle=None, sampler=None, num_shards=None, shard_id=None,
                 python_multiprocessing=True, max_rowsize=None, batch_sampler=None, collate_fn=None):
        if schema is not None:  # it replaces column_names and column_types
            found = as_schema(schema, "GeneratorDataset").columns
            column_names, column_types = [c["name"] for c in found], [numpy_type(c) for c in found]
        if column_names is None:
            raise ValueError("[GeneratorDataset] column_names, got None, expected the names of the columns")
        if shuffle is not None:
            flag(shuffle, "shuffle")
        flag(python_multiprocessing, "python_multiprocessing")
        if isinstance(max_rowsize, list):
            raise TypeError("[GeneratorDataset] max_rowsize, got a list, expected an int")
        row_size(max_rowsize)
        self._columns = tuple(names(column_names))
        if not self._columns:
            raise ValueError("[GeneratorDataset] column_names, got none, expected one or more")
        self._types = _types(column_types, self._columns, "GeneratorDataset")
        self._source, self._limit = source, num_samples
        self._random = hasattr(source, "__getitem__") and hasattr(source, "__len__")
        if not self._random and not callable(source) and not hasattr(source, "__iter__"):
            raise TypeError("[GeneratorDataset] source, got %s, expected something to iterate, to call, or with "
                            "__getitem__ and __len__" % type(source).__name__)
        workers = wanted(num_parallel_workers, "GeneratorDataset")
        if not self._random:
            self._no_order(shuffle, sampler, num_shards, shard_id, batch_sampler)
        else:
            self._workers, self._processes = workers, python_multiprocessing
        self._batches, self._collate = batch_sampler, collate_fn
        if collate_fn is not None and batch_sampler is None:
            raise ValueError("[GeneratorDataset] collate_fn, got one without batch_sampler, expected both")
        if batch_sampler is not None:
            if any(v is not None for v in (num_samples, shuffle, num_shards, shard_id, sampler)):
                raise ValueError("[GeneratorDataset] batch_sampler, got one beside num_samples, shuffle, sampler, "
                                 "num_shards or shard_id, expected these left out")
        elif self._random:
            if isinstance(sampler, int):
                raise TypeError("[GeneratorDataset] sampler, got %s, expected a Sampler or indices" % type(sampler).__name__)
            self._sampler = choose(sampler, shuffle, num_samples, num_shards, shard_id)

    @staticmethod
    def _no_order(shuffle, sampler, num_shards, shard_id, batch_sampler):
        for name, value in (("sampler", sampler), ("num_shards", num_shards), ("shard_id", shard_id),
                            ("batch_sampler", batch_sampler)):
            if value is not None:
                raise ValueError("[GeneratorDataset] %s, got %r, expected it left out: the source has no __getitem__ and "
                                 "__len__" % (name, value))
        if shuffle:
            raise RuntimeError("[GeneratorDataset] shuffle, got %r, expected None or False: it needs a source with "
                               "__getitem__ and __len__; shuffle(buffer_size) works for any" % (shuffle,))

    def __getitem__(self, index):
        """Returns the source's value for a row, in the order of the sampler; raises RuntimeError if there is no such row."""
        if isinstance(index, bool) or not isinstance(index, (int, np.number)):
            raise TypeError("[%s] index, got %s, expected an int" % (self._where, type(index).__name__))
        if not self._random or self._batches is not None:
            raise RuntimeError("[%s] index, got %d, expected a source with __getitem__ and __len__" % (self._where, index))
        if self._order is None:
            self._order = self._sampler.start(self._total(), pipeline_seed(), self._labels)()
        if not 0 <= index < len(self._order):
            raise RuntimeError("[%s] index, got %d, expected 0 to %d" % (self._where, index, len(self._order) - 1))
        return self._source[self._order[index]]

    def _total(self):
        return len(self._source)

    def _row(self, index):
        return as_row(self._source[index], self._columns, self._types, "GeneratorDataset")

    def _open(self, run):
        if self._batches is not None:
            return lambda: (call(self._where, self._collated, list(group)) for group in self._batches)
        if self._random:
            return super()._open(run)
        return self._iterated

    def _collated(self, group):
        rows = [self._source[int(index)] for index in group]
        if self._collate is not None:
            return as_row(self._collate(rows), self._columns, self._types, self._where)
        from .batches import stacked
        made = [as_row(row, self._columns, self._types, self._where) for row in rows]
        return tuple(stacked(column, name) for column, name in zip(zip(*made), self._columns))

    def _iterated(self):
        """Yields the rows of a source that can only be iterated over."""
        rows, missing = call(self._where, self._begin), object()
        number = 0
        while not self._limit or number < self._limit:
            item = call(self._where, next, rows, missing)
            if item is missing:
                return
            number += 1
            yield call(self._where, as_row, item, self._columns, self._types, self._where)

    def _begin(self):
        return iter(self._source() if callable(self._source) else self._source)

    def part(self, start, count, randomize):
        """Returns a dataset of some of the rows, for split."""
        if not self._random or self._batches is not None:
            from .steps import Slice
            return Slice(Slice(self, start, None), 0, count)
        return super().part(start, count, randomize)

    def _count(self):
        if self._batches is not None and hasattr(self._batches, "__len__"):
            return len(self._batches)
        if self._random and self._batches is None:
            return super()._count()
        if self._batches is None and hasattr(self._source, "__len__"):
            return min(len(self._source), self._limit or len(self._source))
        return Dataset._count(self)


class _Columns:
    def __init__(self, columns):
        self._data = columns

    def __len__(self):
        return len(self._data[0])

    def __getitem__(self, index):
        return tuple(column[index] for column in self._data)


class NumpySlicesDataset(GeneratorDataset):
    """Reads slices along the first axis of an array or a list, of a tuple of them (one for each column), or of a dict of them.

    Columns are named column_names, the keys of the dict, or column_0, column_1, ... Rows come in random order unless `shuffle` is False;
    num_shards and shard_id read one part of num_shards.

    Raises ValueError for no data, columns of different lengths and another number of names, TypeError for data without axes.

    >>> import msjit.dataset as ds
    >>> rows = ds.NumpySlicesDataset(([1, 2], [3, 4]), ["x", "y"], shuffle=False)
    >>> [row["y"].item() for row in rows.create_dict_iterator(output_numpy=True)]
    [3, 4]
    """

    _where = "NumpySlicesDataset"

    def __init__(self, data, column_names=None, num_samples=None, num_parallel_workers=1, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None):
        if isinstance(data, dict):
            column_names, data = column_names or list(data), tuple(data.values())
        columns = [self._column(d) for d in (data if isinstance(data, tuple) else (data,))]
        if not columns or isinstance(data, list) and not data:
            raise ValueError("[NumpySlicesDataset] data, got nothing, expected an array at least")
        if len({len(c) for c in columns}) != 1:
            raise ValueError("[NumpySlicesDataset] lengths of columns, got %s, expected them to be the same"
                             % [len(c) for c in columns])
        given = names(column_names) or ["column_%d" % i for i in range(len(columns))]
        if len(given) != len(columns):
            raise ValueError("[NumpySlicesDataset] column_names, got %d, expected %d" % (len(given), len(columns)))
        super().__init__(_Columns(columns), given, None, None, num_samples, num_parallel_workers, shuffle, sampler,
                         num_shards, shard_id)

    @staticmethod
    def _column(data):
        if isinstance(data, list) and len({np.shape(row) if not isinstance(row, (list, tuple)) else len(row) for row in data}) > 1:
            return [np.asarray(row) for row in data]  # rows of different shapes
        found = data.asnumpy() if isinstance(data, Tensor) else np.asarray(data)
        if found.ndim == 0:
            raise TypeError("[NumpySlicesDataset] data, got %s, expected arrays or lists" % type(data).__name__)
        return found


class PaddedDataset(GeneratorDataset):
    """Reads rows given as dicts from column names to values."""

    def __init__(self, padded_samples):
        if not isinstance(padded_samples, (list, tuple)) or not padded_samples:
            raise (ValueError if isinstance(padded_samples, (list, tuple)) else TypeError)(
                "[PaddedDataset] padded_samples, expected a list of dicts")
        if any(not isinstance(sample, dict) or set(sample) != set(padded_samples[0]) for sample in padded_samples):
            raise TypeError("[PaddedDataset] padded_samples, expected dicts with the same columns")
        columns = list(padded_samples[0])
        rows = [tuple(np.asarray(sample[name]) for name in columns) for sample in padded_samples]
        super().__init__(rows, columns, shuffle=False)
        self.padded_samples = padded_samples
