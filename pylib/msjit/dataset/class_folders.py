"""Datasets of images with one folder for each class."""
import os

import numpy as np

from .images import usage_of
from .listed import Listed, below, folders


class _Classes(Listed):
    """Base class of datasets with one folder for each class: columns image and label."""

    _columns = ("image", "label")
    _kind_of_label = np.uint32

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)

    def _tops(self):
        """(name, folder) of each class, in the order of the labels."""
        return [(name, os.path.join(self._dir, name)) for name in folders(self._dir)]

    def get_class_indexing(self):
        """Returns a dict from class name to number."""
        return {name: i for i, (name, _) in enumerate(self._tops())}

    def num_classes(self):
        """Returns the number of classes."""
        return len(self._tops())

    def _list(self):
        for label, (_, top) in enumerate(self._tops()):
            for path in below(top):
                yield path, label

    def _made(self, item):
        return self._image(item[0]), np.array(item[1], self._kind_of_label)


class Caltech256Dataset(_Classes):
    """Reads Caltech 256, one folder for each class: columns image and label (int32)."""

    _kind_of_label = np.int32


class SUN397Dataset(_Classes):
    """Reads SUN397, the folders of the classes in ClassName.txt: columns image and label (uint32)."""

    def _tops(self):
        return [(line.strip(), self._path(*line.strip().strip("/").split("/"))) for line in self._lines("ClassName.txt")]


class OmniglotDataset(_Classes):
    """Reads Omniglot's images_background, or images_evaluation where background is False: columns image and label (int32)."""

    _kind_of_label = np.int32

    def __init__(self, dataset_dir, background=None, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        if background is not None and not isinstance(background, bool):
            raise TypeError("[OmniglotDataset] background, got %s, expected a bool" % type(background).__name__)
        super().__init__(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id, cache)
        self._top = "images_evaluation" if background is False else "images_background"

    def _tops(self):
        top = self._path(self._top)
        found = [os.path.join(alphabet, name) for alphabet in folders(top) for name in folders(os.path.join(top, alphabet))]
        return [(name, os.path.join(top, name)) for name in found or folders(top)]


class RenderedSST2Dataset(_Classes):
    """Reads Rendered SST2 from the folders train, test and valid: columns image and label (uint32; 0 negative, 1 positive)."""

    _folders = {"train": "train", "test": "test", "val": "valid"}

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id, cache)
        self._usage = usage_of(usage, self._where, ("train", "val", "test", "all"))

    def _tops(self):
        return [("negative", ""), ("positive", "")]

    def _list(self):
        for usage in ("test", "train", "val") if self._usage == "all" else (self._usage,):
            for label, name in enumerate(("negative", "positive")):
                for path in below(self._path(self._folders[usage], name)):
                    yield path, label


class LSUNDataset(_Classes):
    """Reads LSUN: columns image and label (uint32).

    The folders are CLASS_train and CLASS_val, and test, whose images have the label 0.

    For usage 'all' each of the folders CLASS_train and CLASS_val is a separate class.
    """

    def __init__(self, dataset_dir, usage=None, classes=None, num_samples=None, num_parallel_workers=None, shuffle=None, decode=False,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_dir, num_samples, num_parallel_workers, shuffle, decode, sampler, num_shards, shard_id, cache)
        self._usage = usage_of(usage, self._where, ("train", "test", "valid", "all"))
        classes = [classes] if isinstance(classes, str) else classes
        if classes is not None and not (isinstance(classes, list) and all(isinstance(name, str) for name in classes)):
            raise TypeError("[LSUNDataset] classes, got %r, expected a str or a list of them" % (classes,))
        self._wanted = classes

    def _tops(self):
        ends = {"train": ("_train",), "valid": ("_val",), "all": ("_train", "_val"), "test": ()}[self._usage]
        found = {name[:-len(end)] for name in folders(self._dir) for end in ends if name.endswith(end)}
        return [(name, self._dir) for name in (self._wanted or sorted(found))]

    def _list(self):
        if self._usage == "test":
            for path in below(self._path("test")):
                yield path, 0
            return
        ends = [end for end, usage in (("train", "train"), ("val", "valid")) if self._usage in (usage, "all")]
        tops = ["%s_%s" % (name, end) for name, _ in self._tops() for end in ends]
        for label, top in enumerate(top for top in tops if os.path.isdir(os.path.join(self._dir, top))):
            for path in below(os.path.join(self._dir, top)):
                yield path, label


__all__ = [name for name in dict(globals()) if name.endswith("Dataset")]
