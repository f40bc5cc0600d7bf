"""Steps with several datasets before them: zip and concat."""
import itertools

from .core import Dataset
from .samplers import DistributedSampler, RandomSampler


class _Several(Dataset):
    def __init__(self, sources, where):
        if len(sources) < 1:
            raise ValueError("[%s] datasets, got none, expected one at least" % where)
        for source in sources:
            if not isinstance(source, Dataset):
                raise TypeError("[%s] datasets, got %s, expected datasets" % (where, type(source).__name__))
        self._children = tuple(sources)


class Zip(_Several):
    """The step that joins columns side by side; it has as many rows as the shortest dataset."""

    def __init__(self, sources):
        super().__init__(sources, "zip")
        if len(set(map(id, sources))) != len(sources):
            raise ValueError("[zip] datasets, got one of them twice, expected each once")
        self._columns = tuple(c for s in sources for c in s._columns)
        if len(set(self._columns)) != len(self._columns):
            raise RuntimeError("[zip] columns, got %s, expected each name once" % list(self._columns))

    def _open(self, run):
        inner = [child._open(run) for child in self._children]

        def epoch():
            for rows in zip(*[start() for start in inner]):
                yield tuple(value for row in rows for value in row)
        return epoch

    def _count(self):
        return min(child.get_dataset_size() for child in self._children)


class Concat(_Several):
    """The step that appends datasets."""

    def __init__(self, sources):
        super().__init__(sources, "concat")
        self._columns = sources[0]._columns
        for source in sources[1:]:
            if source._columns != self._columns:
                raise RuntimeError("[concat] columns, got %s, expected %s"
                                   % (list(source._columns), list(self._columns)))
        self._sampler = None

    def use_sampler(self, sampler):
        """Selects a share of all rows by a DistributedSampler without shuffle, or shuffles all by a RandomSampler."""
        if not isinstance(sampler, (DistributedSampler, RandomSampler)):
            raise TypeError("[concat] sampler, got %s, expected a DistributedSampler or a RandomSampler" % type(sampler).__name__)
        if isinstance(sampler, DistributedSampler) and sampler.is_shuffled():
            raise ValueError("[concat] shuffle of the DistributedSampler, got True, expected False")
        if isinstance(sampler, DistributedSampler) and sampler.get_num_samples():
            raise ValueError("[concat] num_samples of the DistributedSampler, got %d, expected None" % sampler.get_num_samples())
        if isinstance(sampler, RandomSampler) and sampler.replacement:
            raise ValueError("[concat] replacement of the RandomSampler, got True, expected False")
        self._sampler, self._size = sampler, None

    def _open(self, run):
        inner, sampler = [child._open(run) for child in self._children], self._sampler

        def epoch():
            return (row for start in inner for row in start())

        def at_random():
            rows = list(epoch())
            return (rows[i] for i in sampler.start(len(rows), run.seed + run.epoch)())
        if isinstance(sampler, DistributedSampler):
            return lambda: itertools.islice(epoch(), sampler.shard_id, None, sampler.num_shards)
        return epoch if sampler is None else at_random

    def _count(self):
        count = sum(child.get_dataset_size() for child in self._children)
        if isinstance(self._sampler, DistributedSampler):
            return len(range(self._sampler.shard_id, count, self._sampler.num_shards))
        return min(count, self._sampler.get_num_samples() or count) if self._sampler is not None else count
