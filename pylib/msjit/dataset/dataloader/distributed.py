"""DistributedSampler: each of several processes gets its part of the samples."""
import numpy as np

from .sampler import Sampler, flag, positive


class DistributedSampler(Sampler):
    """Gives each process the indices at rank, rank + num_replicas, ... in an order that all processes share.

    The order is random and differs between epochs, unless shuffle is False. If the parts would differ in size, the first
    indices are repeated; with drop_last the last ones are dropped.
    """

    def __init__(self, dataset, num_replicas=None, rank=None, shuffle=True, seed=0, drop_last=False):
        super().__init__()
        where = "DistributedSampler"
        from ...communication import get_group_size, get_rank
        self.num_replicas = positive(get_group_size() if num_replicas is None else num_replicas, "num_replicas", where)
        self.rank = get_rank() if rank is None else rank
        if isinstance(self.rank, bool) or not isinstance(self.rank, int):
            raise TypeError("[%s] rank, got %s, expected an int" % (where, type(self.rank).__name__))
        if not 0 <= self.rank < self.num_replicas:
            raise ValueError("[%s] rank, got %d, expected 0 to %d" % (where, self.rank, self.num_replicas - 1))
        self.dataset, self.shuffle, self.seed, self.epoch = dataset, flag(shuffle, "shuffle", where), seed, 0
        self.drop_last = flag(drop_last, "drop_last", where)
        count = len(dataset)
        self.num_samples = count // self.num_replicas if self.drop_last else -(-count // self.num_replicas)
        self.total_size = self.num_samples * self.num_replicas

    def __iter__(self):
        count = len(self.dataset)
        order = np.random.default_rng(self.seed + self.epoch).permutation(count) if self.shuffle else np.arange(count)
        return iter(np.resize(order, self.total_size)[self.rank::self.num_replicas].tolist())

    def __len__(self):
        return self.num_samples

    def set_epoch(self, epoch):
        """Sets the number of the epoch; each epoch has a different order."""
        self.epoch = epoch
