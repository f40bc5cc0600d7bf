"""Samplers of a DataLoader: they yield indices of samples, or lists of them."""
import numpy as np


def positive(value, name, where):
    """Returns an int above 0, or raises."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError("[%s] %s, got %s, expected an int" % (where, name, type(value).__name__))
    if value <= 0:
        raise ValueError("[%s] %s, got %d, expected 1 or more" % (where, name, value))
    return value


def flag(value, name, where):
    """Returns a bool, or raises TypeError."""
    if not isinstance(value, bool):
        raise TypeError("[%s] %s, got %s, expected a bool" % (where, name, type(value).__name__))
    return value


def drawn_seed():
    """Draws a seed from NumPy's generator, which msjit.set_seed seeds too."""
    return int(np.random.randint(0, 2 ** 63 - 1, dtype=np.int64))


class Sampler:
    """Base class of samplers: a subclass has __iter__, and __len__ if its length is known."""

    def __init__(self, data_source=None):
        pass


class SequentialSampler(Sampler):
    """Yields the indices 0, 1, 2, ..."""

    def __init__(self, data_source):
        super().__init__()
        self.data_source = data_source

    def __iter__(self):
        return iter(range(len(self.data_source)))

    def __len__(self):
        return len(self.data_source)


class RandomSampler(Sampler):
    """Yields num_samples indices in random order; with replacement an index may occur again.

    generator is NumPy's, by default a new one.
    """

    def __init__(self, data_source, replacement=False, num_samples=None, generator=None):
        super().__init__()
        self.data_source, self.replacement = data_source, flag(replacement, "replacement", "RandomSampler")
        self._num_samples = None if num_samples is None else positive(num_samples, "num_samples", "RandomSampler")
        self.generator = generator

    @property
    def num_samples(self):
        """The number of indices."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self):
        count, wanted = len(self.data_source), self.num_samples
        generator = np.random.default_rng(drawn_seed()) if self.generator is None else self.generator
        if self.replacement:
            yield from generator.integers(0, count, wanted).tolist()
            return
        while wanted > 0 and count:
            yield from generator.permutation(count).tolist()[:wanted]
            wanted -= count

    def __len__(self):
        return self.num_samples


class BatchSampler(Sampler):
    """Yields lists of batch_size indices of another sampler; drop_last drops a last, shorter one."""

    def __init__(self, sampler, batch_size, drop_last):
        super().__init__()
        self.sampler, self.batch_size = sampler, positive(batch_size, "batch_size", "BatchSampler")
        self.drop_last = flag(drop_last, "drop_last", "BatchSampler")

    def __iter__(self):
        batch = []
        for number in self.sampler:
            batch.append(number)
            if len(batch) == self.batch_size:
                yield batch
                batch = []
        if batch and not self.drop_last:
            yield batch

    def __len__(self):
        return (len(self.sampler) + (0 if self.drop_last else self.batch_size - 1)) // self.batch_size
