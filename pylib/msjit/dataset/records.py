"""MindDataset: reads the rows of MindRecord files."""
import numpy as np

from ..mindrecord.packing import BadRecord
from ..mindrecord.records import open_shards
from .core import names
from .engines import Engine32
from .images import no_cache
from .modes import Shuffle
from .samplers import Sampler, choose
from .sources import Source
from .workers import RowError, wanted


def _padding(sample, count, columns, where):
    """The checked (values of the padding rows, their number)."""
    if sample is None and count is None:
        return None, 0
    if sample is None or count is None or not columns:
        raise RuntimeError("[%s] padded_sample and num_padded, expected both, and columns_list with them" % where)
    if not isinstance(sample, dict):
        raise TypeError("[%s] padded_sample, got %s, expected a dict" % (where, type(sample).__name__))
    if isinstance(count, bool) or not isinstance(count, int):
        raise TypeError("[%s] num_padded, got %s, expected an int" % (where, type(count).__name__))
    if count < 0:
        raise ValueError("[%s] num_padded, got %d, expected 0 or more" % (where, count))
    missing = [name for name in names(columns) if name not in sample]
    if missing:
        raise ValueError("[%s] padded_sample, got none of %s, expected all columns of columns_list" % (where, missing))
    return sample, count


class _ByFile(Sampler):
    """Shuffles the files, or the rows within each file. Padding rows come last."""

    def __init__(self, sizes, behind, files):
        super().__init__()
        self._sizes, self._behind, self._files = sizes, behind, files

    def is_shuffled(self):
        """Returns True."""
        return True

    def _start(self, count, seed, labels):
        engine = Engine32(seed)

        def epoch():
            groups, at = [], 0
            for size in self._sizes:
                groups.append(list(range(at, at + size)))
                at += size
            for items in [groups] if self._files else groups:
                engine.shuffle(items)
            return [row for group in groups for row in group] + list(range(at, at + self._behind))
        return epoch


class MindDataset(Source):
    """Reads MindRecord files.

    The columns are in alphabetical order, or as columns_list says: numbers, texts, arrays, and bytes as an array of one
    item.

    num_padded rows with the values of padded_sample, a dict of the columns, follow those of the files. Shuffle.FILES shuffles the files,
    Shuffle.INFILE the rows within each file, any other kind all rows.
    """

    _where = "MindDataset"

    def __init__(self, dataset_files, columns_list=None, num_parallel_workers=None, shuffle=None, num_shards=None,
                 shard_id=None, sampler=None, padded_sample=None, num_padded=None, num_samples=None, cache=None):
        where = self._where
        no_cache(cache, where)
        if shuffle is not None and not isinstance(shuffle, (bool, Shuffle)):
            raise TypeError("[%s] shuffle, got %r, expected a bool or a Shuffle" % (where, shuffle))
        self._shards = open_shards(dataset_files, where, ValueError)
        self._types = self._shards[0].types
        self._columns = tuple(names(columns_list) or sorted(self._types))
        for name in self._columns:
            if name not in self._types:
                raise RuntimeError("[%s] columns_list, got %r, expected some of %s" % (where, name, sorted(self._types)))
        wanted(num_parallel_workers, where)
        self._padding = _padding(padded_sample, num_padded, columns_list, where)
        if shuffle in (Shuffle.FILES, Shuffle.INFILE):
            self._sampler = choose(sampler, False, num_samples, num_shards, shard_id)
            self._sampler.add_child(_ByFile([len(shard) for shard in self._shards], self._padding[1], shuffle == Shuffle.FILES))
        else:
            shuffle = shuffle if shuffle is None or isinstance(shuffle, bool) else shuffle != Shuffle.FALSE
            self._sampler = choose(sampler, shuffle, num_samples, num_shards, shard_id)

    def _total(self):
        return sum(len(shard) for shard in self._shards) + self._padding[1]

    def _row(self, index):
        if index >= self._total() - self._padding[1]:
            return tuple(self._array(name, self._padding[0][name]) for name in self._columns)
        for shard in self._shards:
            if index < len(shard):
                break
            index -= len(shard)
        try:
            row = shard.row(index, self._columns)
            return tuple(self._array(name, row[name]) for name in self._columns)
        except (BadRecord, KeyError, OverflowError, TypeError) as error:
            raise RowError("[MindDataset] row, got %d of %s: %s, expected a whole one" % (index, shard.path, error)) from None

    def _array(self, name, value):
        dtype, shape = self._types[name]
        if shape is not None:
            return value
        return np.array([value]) if dtype is bytes else np.array(value, None if dtype is str else dtype)
