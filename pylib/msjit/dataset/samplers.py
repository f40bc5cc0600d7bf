"""Samplers: they decide which rows of a random-access source are read, and in which order."""
from collections import deque
from itertools import islice

from . import config
from .config import INT32_MAX
from .engines import Engine32
from .modes import Shuffle

_INT64_MAX = 9223372036854775807


def _samples(value, where):
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[%s] num_samples, got %s, expected an int" % (where, type(value).__name__))
    if not 0 <= value <= _INT64_MAX:
        raise ValueError("[%s] num_samples, got %d, expected 0 or more" % (where, value))
    return value


def _flag(value, name, where):
    if not isinstance(value, bool):
        raise TypeError("[%s] %s, got %r, expected a bool" % (where, name, value))
    return value


class Sampler:
    """Base class of samplers: a subclass in a program defines __iter__, which yields row indices."""

    def __init__(self, num_samples=None):
        self.num_samples = _samples(num_samples, "Sampler") or None
        self.child_sampler = None

    def __iter__(self):
        raise NotImplementedError("[Sampler] __iter__ is not defined by %s" % type(self).__name__)

    def add_child(self, sampler):
        """Sets a child: a sampler from whose order this one samples."""
        if not isinstance(sampler, (Sampler, list, tuple)):
            raise TypeError("[Sampler] child, got %s, expected a Sampler" % type(sampler).__name__)
        if getattr(self, "child_sampler", None) is not None:
            raise RuntimeError("[Sampler] this sampler has a child already, expected none")
        self.child_sampler = as_sampler(sampler)

    def get_child(self):
        """Returns the sampler from which this one samples, or None."""
        return getattr(self, "child_sampler", None)

    def get_num_samples(self):
        """Returns the number of rows asked for, or None for all."""
        return getattr(self, "num_samples", None)

    def get_indices(self):
        """Returns the indices of one pass of a sampler that a program defines."""
        return list(iter(self))

    def is_shuffled(self):
        """Says whether this sampler or its child is random."""
        child = self.get_child()
        return child is not None and child.is_shuffled()

    def is_sharded(self):
        """Says whether this sampler or its child selects a share of the rows."""
        child = self.get_child()
        return child is not None and child.is_sharded()

    def start(self, count, seed, labels=None):
        """Returns a function that returns the list of row indices of the next epoch, for a source of `count` rows."""
        child = self.get_child()
        if child is None:
            order, below = self._start(count, seed, labels), None
        else:
            below = child.start(count, seed, labels)
            first = [below()]
            order = self._start(len(first[0]), seed, labels)

        def epoch():
            if below is None:
                return _within(order(), count)
            found = first.pop() if first else below()
            return [found[i] for i in _within(order(), len(found))]
        return epoch

    def _start(self, count, seed, labels):
        def epoch():
            return [int(i) for i in islice(self.__iter__(), self.get_num_samples() or None)]
        return epoch


def _within(indices, count):
    for i in indices:
        if not 0 <= i < count:
            raise RuntimeError("[Sampler] row number, got %d, expected 0 to %d" % (i, count - 1))
    return indices


class SequentialSampler(Sampler):
    """Samples rows in their order, from start_index on."""

    def __init__(self, start_index=None, num_samples=None):
        super().__init__(num_samples)
        if start_index is not None and (isinstance(start_index, bool) or not isinstance(start_index, int)):
            raise TypeError("[SequentialSampler] start_index, got %s, expected an int" % type(start_index).__name__)
        self.start_index = start_index or 0

    def _start(self, count, seed, labels):
        if self.start_index < 0 or self.start_index > count:
            raise RuntimeError("[SequentialSampler] start_index, got %d, expected 0 to %d" % (self.start_index, count))
        stop = count if not self.num_samples else min(count, self.start_index + self.num_samples)
        return lambda: list(range(self.start_index, stop))


class RandomSampler(Sampler):
    """Samples rows in random order, with or without replacement; each epoch has a different order."""

    reshuffle_each_epoch = True

    def __init__(self, replacement=False, num_samples=None, shuffle=Shuffle.GLOBAL):
        super().__init__(num_samples)
        if not isinstance(shuffle, Shuffle):
            raise TypeError("[RandomSampler] shuffle, got %r, expected a Shuffle" % (shuffle,))
        if shuffle in (Shuffle.FALSE, Shuffle.FILES, Shuffle.INFILE):
            raise NotImplementedError("[RandomSampler] shuffle, got %s, expected Shuffle.GLOBAL; MindDataset takes it as its shuffle" % (shuffle,))
        self.deterministic = False
        self.replacement = _flag(replacement, "replacement", "RandomSampler")

    def is_shuffled(self):
        """Returns True."""
        return True

    def _start(self, count, seed, labels):
        engine, order, passes = [Engine32(seed)], list(range(count)), [0]
        take = min(count, self.num_samples or count)
        if not self.replacement:
            engine[0].shuffle(order)

        def epoch():
            passes[0] += 1
            if passes[0] > 1 and self.reshuffle_each_epoch:
                engine[0] = Engine32(seed + passes[0] - 1)
                if not self.replacement:
                    engine[0].shuffle(order)
            if self.replacement:
                return [engine[0].below(count) for _ in range(take)]
            return order[:take]
        return epoch


class DistributedSampler(Sampler):
    """Samples every num_shards-th row from shard_id on.

    The first rows are repeated where the shares would differ in size.
    """

    def __init__(self, num_shards, shard_id, shuffle=True, num_samples=None, offset=-1):
        for name, value in (("num_shards", num_shards), ("shard_id", shard_id), ("offset", offset)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError("[DistributedSampler] %s, got %s, expected an int" % (name, type(value).__name__))
        super().__init__(num_samples)
        self.num_shards, self.shard_id, self.offset = num_shards, shard_id, offset
        self.shuffle = _flag(shuffle, "shuffle", "DistributedSampler")

    def is_shuffled(self):
        """Says whether the order is random."""
        return self.shuffle or super().is_shuffled()

    def is_sharded(self):
        """Says whether there is more than one share."""
        return self.num_shards > 1 or super().is_sharded()

    def _start(self, count, seed, labels):
        check_shards(self.num_shards, self.shard_id, RuntimeError)
        if self.offset > self.num_shards:
            raise RuntimeError("[DistributedSampler] offset, got %d, expected at most num_shards, %d"
                               % (self.offset, self.num_shards))
        order, passes = list(range(count)), [0]
        # MindSpore advances the seed of this sampler once before the first epoch, unlike that of the others.
        first = seed + 1

        def epoch():
            if self.shuffle:
                Engine32(first + passes[0]).shuffle(order)
            passes[0] += 1
            if self.offset >= 0:
                numbers = range((self.shard_id - self.offset) % self.num_shards, count, self.num_shards)
            else:
                numbers = range(self.shard_id, self.shard_id + -(-count // self.num_shards) * self.num_shards,
                                self.num_shards)
            return [order[i % count] for i in numbers][:self.num_samples or None]
        return epoch


def check_shards(num_shards, shard_id, error=ValueError):
    """Raises unless shard_id is a valid number for num_shards shares."""
    if not 1 <= num_shards <= INT32_MAX:
        raise error("[dataset] num_shards, got %d, expected 1 or more" % num_shards)
    if not 0 <= shard_id < num_shards:
        raise error("[dataset] shard_id, got %d, expected 0 to %d" % (shard_id, num_shards - 1))


class SubsetSampler(Sampler):
    """Samples the rows with the given indices, in the given order."""

    def __init__(self, indices, num_samples=None):
        super().__init__(num_samples)
        if not isinstance(indices, (list, tuple)):
            try:
                indices = list(iter(indices)) if not isinstance(indices, str) else None
            except TypeError:
                indices = None
            if indices is None:
                raise TypeError("[SubsetSampler] indices, expected a list of ints")
        for i, value in enumerate(indices):
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise TypeError("[SubsetSampler] indices[%d], got %s, expected an int" % (i, type(value).__name__))
        self.indices = [int(i) for i in indices]

    def _start(self, count, seed, labels):
        return lambda: self.indices[:self.num_samples or None]

    def get_indices(self):
        """Returns the indices."""
        return list(self.indices)


class SubsetRandomSampler(SubsetSampler):
    """Samples the rows with the given indices, in random order."""

    def is_shuffled(self):
        """Returns True."""
        return True

    def _start(self, count, seed, labels):
        order = list(self.indices)

        def epoch():
            Engine32(seed).shuffle(order)
            return order[:self.num_samples or None]
        return epoch


class WeightedRandomSampler(Sampler):
    """Samples rows at random with the given weights, with or without replacement."""

    def __init__(self, weights, num_samples=None, replacement=True):
        super().__init__(num_samples)
        if not isinstance(weights, (list, tuple)):
            weights = list(weights)
        for i, value in enumerate(weights):
            if isinstance(value, bool) or not isinstance(value, (int, float)) and not hasattr(value, "__float__"):
                raise TypeError("[WeightedRandomSampler] weights[%d], got %s, expected a number"
                                % (i, type(value).__name__))
        self.weights = [float(w) for w in weights]
        self.replacement = _flag(replacement, "replacement", "WeightedRandomSampler")

    def is_shuffled(self):
        """Returns True."""
        return True

    def _start(self, count, seed, labels):
        take, total = min(self.num_samples or count, count), sum(self.weights)
        if any(w < 0 for w in self.weights) or not self.weights or not 0 < total < float("inf"):
            raise RuntimeError("[WeightedRandomSampler] weights, expected none negative and a positive sum")
        if len(self.weights) > count:
            raise RuntimeError("[WeightedRandomSampler] weights, got %d, expected at most %d, the number of rows"
                               % (len(self.weights), count))
        if not self.replacement and take > len(self.weights):
            raise RuntimeError("[WeightedRandomSampler] num_samples, got %d, expected at most %d, the number of weights"
                               % (take, len(self.weights)))
        return lambda: self._draw(Engine32(seed), take, total)

    def _draw(self, engine, take, total):
        import numpy
        if self.replacement:
            bounds = numpy.cumsum(numpy.array(self.weights) / total)
            bounds[-1] = 1.0
            return numpy.searchsorted(bounds, [engine.canonical() for _ in range(take)]).tolist()
        times = [engine.exponential() / w if w else float("inf") for w in self.weights]
        return sorted(range(len(times)), key=times.__getitem__)[:take]


class PKSampler(Sampler):
    """Samples num_val rows of each class, at random; for datasets of labelled images."""

    def __init__(self, num_val, num_class=None, shuffle=False, class_column="label", num_samples=None):
        super().__init__(num_samples)
        if isinstance(num_val, bool) or not isinstance(num_val, int):
            raise TypeError("[PKSampler] num_val, got %s, expected an int" % type(num_val).__name__)
        if num_class is not None:
            raise NotImplementedError("[PKSampler] num_class, got %r, expected None: all classes" % (num_class,))
        self.num_val, self.class_column = num_val, class_column
        self.shuffle = _flag(shuffle, "shuffle", "PKSampler")

    def is_shuffled(self):
        """Says whether the classes come in random order."""
        return self.shuffle or super().is_shuffled()

    def _start(self, count, seed, labels):
        if labels is None:
            raise RuntimeError("[PKSampler] source, expected a dataset of labelled images")
        if self.num_val <= 0:
            raise RuntimeError("[PKSampler] num_val, got %d, expected 1 or more" % self.num_val)
        groups = {}
        for number, label in enumerate(labels()):
            groups.setdefault(int(label), []).append(number)
        engine, classes = Engine32(seed), sorted(groups)
        if self.shuffle:
            engine.shuffle(classes)

        def epoch():
            taken = deque()
            for label in classes:
                members = groups[label]
                taken.extend(members[engine.below(len(members))] for _ in range(self.num_val))
            return list(taken)[:self.num_samples or None]
        return epoch


class IterSampler(Sampler):
    """Samples the indices that iterating over another object yields, in each epoch anew; its length, if any, limits their number."""

    def __init__(self, sampler, num_samples=None):
        super().__init__(len(sampler) if num_samples is None and hasattr(sampler, "__len__") else num_samples)
        self.sampler = sampler

    def __iter__(self):
        return iter(self.sampler)


def as_sampler(sampler):
    """Converts a `sampler` argument to a Sampler: it may be a Sampler, a list of indices, or an iterable of them."""
    if isinstance(sampler, Sampler):
        return sampler
    if isinstance(sampler, (list, tuple)):
        return SubsetSampler(sampler)
    if isinstance(sampler, int) and not isinstance(sampler, bool):
        return SubsetSampler([sampler])
    if _is_iterable(sampler) and not isinstance(sampler, (str, bytes, type)):
        return IterSampler(sampler)
    raise TypeError("[dataset] sampler, got %s, expected a Sampler or a list of ints" % type(sampler).__name__)


def _is_iterable(value):
    """Says whether iter() accepts the value; __getitem__ alone is enough for that."""
    return hasattr(value, "__iter__") or hasattr(type(value), "__getitem__")


def choose(sampler, shuffle, num_samples, num_shards, shard_id):
    """The sampler for the arguments of a dataset."""
    if sampler is not None:
        if any(value is not None for value in (shuffle, num_samples, num_shards, shard_id)):
            raise ValueError("[dataset] sampler, got one beside shuffle=%r, num_samples=%r, num_shards=%r, shard_id=%r, "
                             "expected these left out" % (shuffle, num_samples, num_shards, shard_id))
        return as_sampler(sampler)
    if (num_shards is None) != (shard_id is None):
        raise ValueError("[dataset] num_shards and shard_id, expected both or neither")
    shuffled = shuffle is None or bool(shuffle)
    if num_shards is not None:
        check_shards(num_shards, shard_id)
        return DistributedSampler(num_shards, shard_id, shuffled, num_samples)
    if shuffled:
        return RandomSampler(num_samples is not None, num_samples)
    return SequentialSampler(0, num_samples)


def pipeline_seed():
    """The seed of a pipeline that starts now: the one that was set, or else a new one."""
    from .engines import fresh_seed
    seed = config.get_seed()
    return fresh_seed() if seed == config.UNSEEDED else seed
