"""MindSpore's names of the classes of steps and sources, for programs that test isinstance."""
from . import batches, files, joining, sources, steps, waiting
from .core import Dataset

BatchDataset, PaddedBatchDataset, BucketBatchByLengthDataset = batches.Batch, batches.PaddedBatch, batches.Buckets
MapDataset, FilterDataset, ShuffleDataset, RepeatDataset = steps.Map, steps.Filter, steps.Shuffle, steps.Repeat
ProjectDataset, RenameDataset = steps.Project, steps.Rename
ZipDataset, ConcatDataset, SyncWaitDataset = joining.Zip, joining.Concat, waiting.SyncWait
TakeDataset = SkipDataset = steps.Slice
SourceDataset = UnionBaseDataset = Dataset
MappableDataset = VisionBaseDataset = AudioBaseDataset = sources.Source
TextBaseDataset = files._Lines
__all__ = [name for name in globals() if name.endswith("Dataset") and name != "Dataset"]
