"""MindDataset: the rows of MindRecord files."""
import numpy as np

from ..mindrecord.packing import BadRecord
from ..mindrecord.records import open_shards
from .core import names
from .images import no_cache
from .modes import Shuffle
from .samplers import choose
from .sources import Source
from .workers import RowError, wanted


class MindDataset(Source):
    """Columns in the order of their names, or as columns_list says: numbers, texts, arrays, and bytes as one item of bytes."""

    _where = "MindDataset"

    def __init__(self, dataset_files, columns_list=None, num_parallel_workers=None, shuffle=None, num_shards=None,
                 shard_id=None, sampler=None, padded_sample=None, num_padded=None, num_samples=None, cache=None):
        where = self._where
        no_cache(cache, where)
        for name, value in (("padded_sample", padded_sample), ("num_padded", num_padded)):
            if value is not None:
                raise NotImplementedError("[%s] keyword %s, got %r, expected it left out" % (where, name, value))
        if shuffle is not None and not isinstance(shuffle, bool) and shuffle not in (Shuffle.GLOBAL, Shuffle.FALSE):
            raise NotImplementedError("[%s] shuffle, got %r, expected a bool or Shuffle.GLOBAL" % (where, shuffle))
        self._shards = open_shards(dataset_files, where)
        self._types = self._shards[0].types
        self._columns = tuple(names(columns_list) or sorted(self._types))
        for name in self._columns:
            if name not in self._types:
                raise RuntimeError("[%s] columns_list, got %r, expected some of %s" % (where, name, sorted(self._types)))
        wanted(num_parallel_workers, where)
        shuffle = shuffle if shuffle is None or isinstance(shuffle, bool) else shuffle == Shuffle.GLOBAL
        self._sampler = choose(sampler, shuffle, num_samples, num_shards, shard_id)

    def _total(self):
        return sum(len(shard) for shard in self._shards)

    def _row(self, index):
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
