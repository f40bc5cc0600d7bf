"""Datasets of a DataLoader: samples by index, samples of an iterator, rows of Tensors."""


class Dataset:
    """Base class of datasets with samples by index: a subclass has __getitem__(index), and __len__ for the samplers."""

    def __getitem__(self, index):
        raise NotImplementedError("[Dataset] __getitem__, got none in %s, expected one" % type(self).__name__)


class IterableDataset(Dataset):
    """Base class of datasets that are iterated over: a subclass has __iter__."""

    def __iter__(self):
        raise NotImplementedError("[IterableDataset] __iter__, got none in %s, expected one" % type(self).__name__)


class TensorDataset(Dataset):
    """The rows of Tensors: sample i is the tuple of their rows i. Raises ValueError where their first sizes differ."""

    def __init__(self, *tensors):
        sizes = [tensor.shape[0] for tensor in tensors]
        if len(set(sizes)) > 1:
            raise ValueError("[TensorDataset] tensors, got first sizes %s, expected the same of all" % sizes)
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].shape[0]
