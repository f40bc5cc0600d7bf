"""Data pipelines: sources of rows, steps that change them, iterators; mindspore.dataset's names."""
from .. import _paths
from ..absent import names as _absent_names
from . import audio, callback, config, dataloader, debug, samplers, text, transforms, vision
from .core import Dataset, zip_datasets as zip
from .samplers import (
    DistributedSampler, IterSampler, PKSampler, RandomSampler, Sampler, SequentialSampler, SubsetRandomSampler, SubsetSampler,
    WeightedRandomSampler,
)
from .batches import BatchInfo
from .sources import GeneratorDataset, NumpySlicesDataset, PaddedDataset
from .files import CSVDataset, TFRecordDataset, TextFileDataset
from .records import MindDataset
from .corpora import (
    AGNewsDataset, AmazonReviewDataset, DBpediaDataset, EnWik9Dataset, IMDBDataset, PennTreebankDataset, SogouNewsDataset,
    WikiTextDataset, YahooAnswersDataset, YelpReviewDataset,
)
from .images import (
    Cifar100Dataset, Cifar10Dataset, EMnistDataset, FakeImageDataset, FashionMnistDataset, ImageFolderDataset, KMnistDataset,
    MnistDataset,
)
from .modes import Shuffle
from .callback import DSCallback, WaitedDSCallback
from .config import ErrorSamplesMode
from .debug import DebugHook
from .random_dataset import RandomDataset
from .schema import Schema
from .utils import LineReader

globals().update(_absent_names(__name__, """CLUEDataset CMUArcticDataset Caltech101Dataset Caltech256Dataset CelebADataset CityscapesDataset
    CoNLL2000Dataset CocoDataset DIV2KDataset FlickrDataset Flowers102Dataset Food101Dataset GTZANDataset IWSLT2016Dataset
    IWSLT2017Dataset KITTIDataset LFWDataset LJSpeechDataset LSUNDataset LibriTTSDataset ManifestDataset Multi30kDataset OBSMindDataset
    OmniglotDataset PhotoTourDataset Places365Dataset QMnistDataset RenderedSST2Dataset SBDataset SBUDataset SQuADDataset
    SST2Dataset STL10Dataset SUN397Dataset SVHNDataset SemeionDataset SpeechCommandsDataset TedliumDataset UDPOSDataset USPSDataset
    VOCDataset WIDERFaceDataset YesNoDataset""", "read its files with GeneratorDataset"))
globals().update(_absent_names(__name__, "DatasetCache compare deserialize serialize show sync_wait_for_dataset",
                         "pipelines here have no caches or saved forms"))
_paths.extend(__path__)
