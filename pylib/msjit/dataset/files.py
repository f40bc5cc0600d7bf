"""Datasets of text files: TextFileDataset and CSVDataset.

As in MindSpore, as many files are read at once as there are workers, and a row is taken from each in turn.
"""
import csv
import glob
import os

import numpy as np

from . import config
from .core import Dataset, names
from .engines import Engine32
from .images import no_cache
from .modes import Shuffle
from .samplers import check_shards
from .steps import Shuffle as ShuffleStep
from .workers import RowError, wanted


def found_files(patterns, where):
    """The files that paths and patterns match, sorted; raises ValueError for those that match none."""
    patterns = [patterns] if isinstance(patterns, (str, os.PathLike)) else patterns
    if not isinstance(patterns, (list, tuple)) or not patterns:
        raise TypeError("[%s] dataset_files, got %s, expected a str or a list of them" % (where, type(patterns).__name__))
    found, missing = set(), []
    for pattern in patterns:
        if not isinstance(pattern, (str, os.PathLike)):
            raise TypeError("[%s] dataset_files, got %s, expected texts" % (where, type(pattern).__name__))
        pattern = os.fspath(pattern)
        paths = [pattern] if os.path.isfile(pattern) else [p for p in glob.glob(pattern) if os.path.isfile(p)]
        found.update(paths)
        if not paths:
            missing.append(pattern)
    if missing:
        raise ValueError("[%s] dataset_files, got %s, expected files that are there" % (where, missing))
    return sorted(found)


class _Lines(Dataset):
    """Base class of datasets whose rows come from text files."""

    def __init__(self, dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache):
        where = self._where = type(self).__name__
        no_cache(cache, where)
        self._paths = found_files(dataset_files, where)
        if not isinstance(shuffle, (bool, Shuffle)) or shuffle in (Shuffle.PARTIAL, Shuffle.ADAPTIVE, Shuffle.INFILE):
            raise TypeError("[%s] shuffle, got %r, expected a bool, Shuffle.GLOBAL or Shuffle.FILES" % (where, shuffle))
        if (num_shards is None) != (shard_id is None):
            raise ValueError("[%s] num_shards and shard_id, expected both or neither" % where)
        if num_shards is not None:
            check_shards(num_shards, shard_id)
        if num_samples is not None and (isinstance(num_samples, bool) or not isinstance(num_samples, int)
                                        or num_samples < 0):
            raise ValueError("[%s] num_samples, got %r, expected 0 or more" % (where, num_samples))
        wanted(num_parallel_workers, where)
        self._readers = num_parallel_workers or config.get_num_parallel_workers()
        self._limit, self._shards, self._shard = num_samples or None, num_shards, shard_id
        self._mode = {True: Shuffle.GLOBAL, False: Shuffle.FALSE}.get(shuffle, shuffle)
        self._lengths = None

    def is_shuffled(self):
        """Says whether the order is random."""
        return self._mode != Shuffle.FALSE

    def is_sharded(self):
        """Says whether there is more than one share."""
        return (self._shards or 1) > 1

    def _read(self, path):
        """Returns an iterator over the rows of a file."""
        raise NotImplementedError

    def _blocks(self, order):
        """The blocks of rows of this share, file by file: (path, first row, row behind the last or None)."""
        if self._shards is None:
            return [(path, 0, None) for path in order]
        if self._lengths is None:
            self._lengths = {path: sum(1 for _ in self._read(path)) for path in self._paths}
        total = sum(self._lengths.values())
        share = -(-total // self._shards)
        start, blocks = share * self._shard, []
        for begin in (0, total):  # after the last row the first one follows again
            for path in order:
                low, high = max(start, begin), min(start + share, begin + self._lengths[path])
                if low < high:
                    blocks.append((path, low - begin, high - begin))
                begin += self._lengths[path]
        return blocks

    def _block_rows(self, block):
        path, first, last = block
        for number, row in enumerate(self._read(path)):
            if last is not None and number >= last:
                return
            if number >= first:
                yield row

    def _in_turn(self, order):
        blocks = self._blocks(order)
        readers = [iter(row for block in blocks[i::self._readers] for row in self._block_rows(block))
                   for i in range(min(self._readers, len(blocks)))]
        done, end = 0, object()
        while readers:
            for reader in list(readers):
                row = next(reader, end)
                if row is end:
                    readers.remove(reader)
                    continue
                if self._limit is not None and done >= self._limit:
                    return
                done += 1
                yield row

    def _open(self, run):
        passes, order = [0], list(self._paths)

        def epoch():
            if self._mode != Shuffle.FALSE and len(order) > 1:
                Engine32(run.seed + passes[0]).shuffle(order)
            passes[0] += 1
            return self._in_turn(order)
        if self._mode != Shuffle.GLOBAL:
            return epoch
        return ShuffleStep(_Opened(self, epoch), 10000)._open(run)

    def _count(self):
        return sum(1 for _ in self._in_turn(self._paths))


class _Opened(Dataset):
    """A dataset that is being read."""

    def __init__(self, source, epoch):
        self._columns, self._epoch = source._columns, epoch

    def _open(self, run):
        return self._epoch


class TextFileDataset(_Lines):
    """Reads text files: one column `text` with the lines that are not empty."""

    _columns = ("text",)

    def __init__(self, dataset_files, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _read(self, path):
        with open(path, encoding="utf-8", newline="\n") as file:
            try:
                for line in file:
                    line = line[:-1] if line.endswith("\n") else line
                    if line:
                        yield (np.array(line),)
            except UnicodeDecodeError as error:
                raise RowError("[TextFileDataset] file, got %s that is not UTF-8 (%s)" % (path, error)) from None


_CSV_TYPES = {int: np.int32, float: np.float32, str: np.str_}


class CSVDataset(_Lines):
    """Reads CSV files: one column for each field.

    Columns are texts, or have the types of column_defaults: int (int32), float (float32) or text.

    Without column_names the first line of each file holds the names.
    """

    def __init__(self, dataset_files, field_delim=",", column_defaults=None, column_names=None, num_samples=None,
                 num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        if not isinstance(field_delim, str) or len(field_delim) != 1 or field_delim in "\"\r\n":
            raise ValueError("[CSVDataset] field_delim, got %r, expected one character" % (field_delim,))
        if column_defaults is not None:
            if not isinstance(column_defaults, list):
                raise TypeError("[CSVDataset] column_defaults, got %s, expected a list" % type(column_defaults).__name__)
            for value in column_defaults:
                if type(value) not in _CSV_TYPES:
                    raise TypeError("[CSVDataset] column_defaults, got %r, expected ints, floats and texts" % (value,))
        self._delim, self._defaults, self._has_names = field_delim, column_defaults, column_names is not None
        self._columns = tuple(names(column_names) if column_names is not None else self._first_line(self._paths[0]))
        if column_defaults is not None and len(column_defaults) != len(self._columns):
            raise RuntimeError("[CSVDataset] column_defaults, got %d, expected %d, the number of columns"
                               % (len(column_defaults), len(self._columns)))

    def _first_line(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            found = next(csv.reader(file, delimiter=self._delim), None)
        if not found:
            raise RuntimeError("[CSVDataset] file, got %s without a first line, expected the names of the columns" % (path,))
        return names(found)

    def _read(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.reader(file, delimiter=self._delim)
            if not self._has_names:
                next(reader, None)
            for fields in reader:
                if not fields:
                    continue
                if len(fields) != len(self._columns):
                    raise RowError("[CSVDataset] fields, got %d in line %d of %s, expected %d"
                                   % (len(fields), reader.line_num, path, len(self._columns)))
                yield tuple(self._value(i, field, path, reader.line_num) for i, field in enumerate(fields))

    def _value(self, i, field, path, line):
        if self._defaults is None:
            return np.array(field)
        default = self._defaults[i]
        try:
            return np.array(type(default)(field) if field else default, _CSV_TYPES[type(default)])
        except (ValueError, OverflowError):
            raise RowError("[CSVDataset] field, got %r in line %d of %s, expected %s"
                           % (field, line, path, type(default).__name__)) from None
