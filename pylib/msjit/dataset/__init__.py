"""Data pipelines: sources of rows, steps that change them, iterators; mindspore.dataset's names."""
from .. import _paths
from . import config, samplers, text, transforms, vision
from .core import Dataset, zip_datasets as zip
from .samplers import (
    DistributedSampler, PKSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, SubsetSampler,
    WeightedRandomSampler,
)
from .batches import BatchInfo
from .sources import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from .files import CSVDataset, TFRecordDataset, TextFileDataset
from .records import MindDataset
from .images import Cifar100Dataset, Cifar10Dataset, FashionMnistDataset, ImageFolderDataset, MnistDataset
from .modes import Shuffle

_paths.extend(__path__)
