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
from .files import CSVDataset, TextFileDataset
from .records import MindDataset
from .corpora import (
    AGNewsDataset, AmazonReviewDataset, DBpediaDataset, EnWik9Dataset, IMDBDataset, PennTreebankDataset, SogouNewsDataset,
    WikiTextDataset, YahooAnswersDataset, YelpReviewDataset,
)
from .images import (
    Cifar100Dataset, Cifar10Dataset, EMnistDataset, FakeImageDataset, FashionMnistDataset, ImageFolderDataset, KMnistDataset,
    MnistDataset,
)
from .modes import Implementation, Shuffle
from .callback import DSCallback, WaitedDSCallback
from .config import ErrorSamplesMode
from .debug import DebugHook
from .random_dataset import RandomDataset
from .schema import Schema
from .utils import LineReader

globals().update(_absent_names(__name__, "DatasetCache", "pipelines here have no caches"))
globals().update(_absent_names(__name__, "OBSMindDataset sync_wait_for_dataset", "files in object stores are not read"))

# Names that are loaded on first use: {module: names}.
_FILES = {
    "class_folders": "Caltech256Dataset LSUNDataset OmniglotDataset RenderedSST2Dataset SUN397Dataset",
    "labelled_images": """CelebADataset Caltech101Dataset FlickrDataset Flowers102Dataset Food101Dataset LFWDataset ManifestDataset
        Places365Dataset SBUDataset""",
    "pipeline_files": "compare deserialize serialize show",
    "number_images": "PhotoTourDataset QMnistDataset STL10Dataset SVHNDataset SemeionDataset USPSDataset",
    "scenes": "CityscapesDataset CocoDataset DIV2KDataset KITTIDataset SBDataset VOCDataset WIDERFaceDataset",
    "sounds": """CMUArcticDataset GTZANDataset LJSpeechDataset LibriTTSDataset SpeechCommandsDataset TedliumDataset YesNoDataset""",
    "token_files": """CLUEDataset CoNLL2000Dataset IWSLT2016Dataset IWSLT2017Dataset Multi30kDataset SQuADDataset SST2Dataset
        UDPOSDataset""",
    "tfrecord": "TFRecordDataset",
    "step_names": """AudioBaseDataset BatchDataset BucketBatchByLengthDataset ConcatDataset FilterDataset MapDataset MappableDataset
        PaddedBatchDataset ProjectDataset RenameDataset RepeatDataset ShuffleDataset SkipDataset SourceDataset SyncWaitDataset TakeDataset
        TextBaseDataset UnionBaseDataset VisionBaseDataset ZipDataset""",
}
_LAZY = set(_FILES) | {"listed"}
_LAZY_NAMES = {name: module for module, names in _FILES.items() for name in names.split()}
_paths.extend(__path__)
__all__ = [_name for _name, _value in list(globals().items()) if _name[0] != "_" and not isinstance(_value, type(_paths))]
__all__ += [_name for _name, _module in _LAZY_NAMES.items() if _module != "step_names"]


def __getattr__(name):
    if name not in _LAZY_NAMES:
        raise AttributeError("module 'msjit.dataset' has no attribute %r" % name)
    from importlib import import_module
    found = getattr(import_module("." + _LAZY_NAMES[name], __name__), name)
    globals()[name] = found
    return found


def __dir__():
    return sorted(set(globals()) | set(_LAZY_NAMES))


_paths.reach(__name__, "dataset.engine", "dataset.core")
