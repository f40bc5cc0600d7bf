"""Datasets of images in their usual files: MNIST, Fashion-MNIST, CIFAR-10, CIFAR-100, folders of images.

The file formats are those of their authors: IDX (LeCun), the CIFAR binary version (Krizhevsky).
"""
import os

import numpy as np

from .core import array
from .samplers import choose
from .sources import Source
from .workers import RowError, wanted


def folder(dataset_dir, where):
    """Returns the path of an existing folder; raises TypeError or ValueError otherwise."""
    if not isinstance(dataset_dir, (str, os.PathLike)):
        raise TypeError("[%s] dataset_dir, got %s, expected a str" % (where, type(dataset_dir).__name__))
    path = os.fspath(dataset_dir)
    if not os.path.isdir(path):
        raise ValueError("[%s] dataset_dir, got %s, expected a folder that is there" % (where, path))
    return path


def usage_of(usage, where, allowed=("train", "test", "all")):
    """Returns a checked usage; None means "all"."""
    if usage is None:
        return "all"
    if not isinstance(usage, str):
        raise TypeError("[%s] usage, got %s, expected a str" % (where, type(usage).__name__))
    if usage not in allowed:
        raise ValueError("[%s] usage, got %r, expected one of %s" % (where, usage, ", ".join(allowed)))
    return usage


def no_cache(cache, where):
    """Raises NotImplementedError if a cache is given."""
    if cache is not None:
        raise NotImplementedError("[%s] keyword cache, got %r, expected it left out" % (where, cache))


class _Images(Source):
    """Base class of datasets whose images and labels are arrays, read when first needed."""

    _columns = ("image", "label")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        where = self._where = type(self).__name__
        self._dir, self._usage = folder(dataset_dir, where), usage_of(usage, where)
        no_cache(cache, where)
        wanted(num_parallel_workers, where)
        self._sampler = choose(sampler, shuffle, num_samples, num_shards, shard_id)
        self._data = None

    def _read(self):
        raise NotImplementedError

    def _loaded(self):
        if self._data is None:
            self._data = self._read()
        return self._data

    def _total(self):
        return len(self._loaded()[0])

    def _row(self, index):
        return tuple(np.array(column[index]) for column in self._loaded())

    def _labels(self):
        return self._loaded()[1]

    def _files(self, found):
        """The paths of those of the files that exist; raises RuntimeError if none does."""
        paths = [os.path.join(self._dir, name) for name in found]
        there = [path for path in paths if os.path.isfile(path)]
        if not there:
            raise RuntimeError("[%s] dataset_dir, got %s without %s, expected these files"
                               % (self._where, self._dir, ", ".join(found)))
        return there


def read_idx(path, magic, where):
    """Reads an IDX file of bytes as an array."""
    rank = magic & 255
    with open(path, "rb") as file:
        head = file.read(4 + 4 * rank)
        if len(head) < 4 + 4 * rank or int.from_bytes(head[:4], "big") != magic:
            raise RuntimeError("[%s] file, got %s, expected an IDX file that begins with %d" % (where, path, magic))
        shape = [int.from_bytes(head[4 + 4 * i:8 + 4 * i], "big") for i in range(rank)]
        size = 1
        for length in shape:
            size *= length
        if os.fstat(file.fileno()).st_size - len(head) < size:
            raise RuntimeError("[%s] file, got %s with fewer bytes than its head says, %s, expected a whole file"
                               % (where, path, shape))
        return np.frombuffer(file.read(size), np.uint8).reshape(shape)


class MnistDataset(_Images):
    """Reads MNIST from its four IDX files in the folder dataset_dir: columns image (28, 28, 1) of uint8 and label () of uint32.

    usage is 'train', 'test' or 'all' (the default). Rows come in random order unless `shuffle` is False; num_shards and shard_id read one
    part of num_shards. Raises RuntimeError where the files are missing or broken.
    """

    _sets = (("t10k", "test"), ("train", "train"))

    def _read(self):
        images, labels = [], []
        sets = [name for name, usage in self._sets if self._usage in (usage, "all")]
        for path in self._files(["%s-images-idx3-ubyte" % name for name in sets]):
            other = path.replace("-images-idx3-", "-labels-idx1-")
            self._files([os.path.basename(other)])
            images.append(read_idx(path, 2051, self._where))
            labels.append(read_idx(other, 2049, self._where))
            if len(images[-1]) != len(labels[-1]):
                raise RuntimeError("[%s] labels, got %d in %s, expected %d, the number of images"
                                   % (self._where, len(labels[-1]), other, len(images[-1])))
        return np.concatenate(images)[..., None], np.concatenate(labels).astype(np.uint32)


class FashionMnistDataset(MnistDataset):
    """Reads Fashion-MNIST, with the files and columns of MnistDataset."""


class KMnistDataset(MnistDataset):
    """Reads Kuzushiji-MNIST, with the files and columns of MnistDataset."""


class EMnistDataset(MnistDataset):
    """Reads a part of EMNIST, with the columns of MnistDataset.

    The part is 'byclass', 'bymerge', 'balanced', 'letters', 'digits' or 'mnist'.
    """

    def __init__(self, dataset_dir, name, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        parts = ("byclass", "bymerge", "balanced", "letters", "digits", "mnist")
        if name not in parts:
            raise ValueError("[EMnistDataset] name, got %r, expected one of %s" % (name, ", ".join(parts)))
        self._sets = tuple(("emnist-%s-%s" % (name, usage), usage) for usage in ("test", "train"))
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)


class FakeImageDataset(Source):
    """Draws random images: columns image of uint8 and label of uint32.

    The same base_seed gives the same images, but not those of MindSpore.
    """

    _columns = ("image", "label")
    _where = "FakeImageDataset"

    def __init__(self, num_images=1000, image_size=(224, 224, 3), num_classes=10, base_seed=0, num_samples=None,
                 num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None, shard_id=None, cache=None):
        for name, value in (("num_images", num_images), ("num_classes", num_classes)):
            if isinstance(value, bool) or not isinstance(value, int):
                raise TypeError("[FakeImageDataset] %s, got %s, expected an int" % (name, type(value).__name__))
            if value <= 0:
                raise ValueError("[FakeImageDataset] %s, got %d, expected above 0" % (name, value))
        if not isinstance(image_size, (list, tuple)) or len(image_size) != 3 or not all(isinstance(n, int) and n > 0 for n in image_size):
            raise ValueError("[FakeImageDataset] image_size, got %r, expected three ints above 0" % (image_size,))
        if isinstance(base_seed, bool) or not isinstance(base_seed, int) or base_seed < 0:
            raise ValueError("[FakeImageDataset] base_seed, got %r, expected an int of 0 or more" % (base_seed,))
        no_cache(cache, self._where)
        self._images, self._shape, self._classes, self._seed = num_images, tuple(image_size), num_classes, base_seed
        self._workers = wanted(num_parallel_workers, self._where)
        self._sampler = choose(sampler, shuffle, num_samples, num_shards, shard_id)

    def num_classes(self):
        """Returns the number of classes."""
        return self._classes

    def _total(self):
        return self._images

    def _labels(self):
        return [int(np.random.RandomState([self._seed, i]).randint(self._classes)) for i in range(self._images)]

    def _row(self, index):
        draws = np.random.RandomState([self._seed, index])
        label = np.array(draws.randint(self._classes), np.uint32)
        return draws.randint(0, 256, self._shape).astype(np.uint8), label


class Cifar10Dataset(_Images):
    """Reads CIFAR-10 from its binary files in the folder dataset_dir: columns image (32, 32, 3) of uint8 and label () of uint32.

    usage is 'train', 'test' or 'all' (the default). Rows come in random order unless `shuffle` is False; num_shards and shard_id read one
    part of num_shards. Raises RuntimeError where the files are missing or broken.
    """

    _train = ["data_batch_%d.bin" % i for i in range(1, 6)]
    _test = ["test_batch.bin"]
    _label_bytes = 1

    def _read(self):
        names = (self._train if self._usage != "test" else []) + (self._test if self._usage != "train" else [])
        parts = []
        for path in self._files(names):
            data = np.fromfile(path, np.uint8)
            if not data.size or data.size % (3072 + self._label_bytes):
                raise RuntimeError("[%s] file, got %s of %d bytes, expected a multiple of %d: the binary version"
                                   % (self._where, path, data.size, 3072 + self._label_bytes))
            parts.append(data.reshape(-1, 3072 + self._label_bytes))
        rows = np.concatenate(parts)
        images = rows[:, self._label_bytes:].reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
        return (images,) + tuple(rows[:, i].astype(np.uint32) for i in range(self._label_bytes))


class Cifar100Dataset(Cifar10Dataset):
    """Reads CIFAR-100 from its binary files: columns image (32, 32, 3) of uint8, coarse_label and fine_label of uint32."""

    _columns = ("image", "coarse_label", "fine_label")
    _train, _test, _label_bytes = ["train.bin"], ["test.bin"], 2

    def _labels(self):
        return self._loaded()[2]


class ImageFolderDataset(Source):
    """Reads a folder with one subfolder of images for each class.

    The columns are image (the bytes of a file, or with decode the image (H, W, 3)) and label (int32).
    """

    _columns = ("image", "label")
    _where = "ImageFolderDataset"

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 extensions=None, class_indexing=None, decode=False, num_shards=None, shard_id=None, cache=None,
                 decrypt=None):
        where = self._where
        self._dir, self._decode = folder(dataset_dir, where), decode
        no_cache(cache, where)
        if decrypt is not None and not callable(decrypt):
            raise TypeError("[%s] decrypt, got %s, expected a function" % (where, type(decrypt).__name__))
        if not isinstance(decode, bool):
            raise TypeError("[%s] decode, got %s, expected a bool" % (where, type(decode).__name__))
        if class_indexing is not None and not isinstance(class_indexing, dict):
            raise TypeError("[%s] class_indexing, got %s, expected a dict" % (where, type(class_indexing).__name__))
        extensions = [extensions] if isinstance(extensions, str) else extensions
        self._extensions = None if extensions is None else tuple(e.lower() for e in extensions)
        self._given_classes = self._classes = class_indexing
        self._decrypt = decrypt
        self._workers = wanted(num_parallel_workers, where)
        self._sampler = choose(sampler, shuffle, num_samples, num_shards, shard_id)
        self._found = None

    def _listed(self):
        """(path, label) of each image, with classes and files in the order of their names."""
        if self._found is None:
            self._found = []
            for name, label in sorted(self.get_class_indexing().items()):
                top = os.path.join(self._dir, name)
                if not os.path.isdir(top):
                    raise RuntimeError("[%s] class_indexing, got %r without a folder of that name in %s"
                                       % (self._where, name, self._dir))
                for base, _, files in sorted(os.walk(top)):
                    for file in sorted(files):
                        if self._extensions is None or os.path.splitext(file)[1].lower() in self._extensions:
                            self._found.append((os.path.join(base, file), label))
            if not self._found:
                raise RuntimeError("[%s] dataset_dir, got %s without images, expected a folder of images for each class"
                                   % (self._where, self._dir))
        return self._found

    def get_class_indexing(self):
        """Returns a dict from class name to number."""
        if self._classes is None:
            names = sorted(e.name for e in os.scandir(self._dir) if e.is_dir())
            self._classes = {name: i for i, name in enumerate(names)}
        return self._classes

    def num_classes(self):
        """Returns the number of classes."""
        return len(self.get_class_indexing())

    def _total(self):
        return len(self._listed())

    def _labels(self):
        return [label for _, label in self._listed()]

    def _row(self, index):
        path, label = self._listed()[index]
        if self._decrypt is not None:
            data = self._decrypt(path)
        else:
            with open(path, "rb") as file:
                data = file.read()
        if self._decode:
            from .vision.values import decoded
            try:
                image = np.array(decoded(data, self._where))
            except RuntimeError as error:
                raise RowError("%s; file %s" % (error, path)) from None
        else:
            image = np.frombuffer(data, np.uint8)
        return array(image, self._where), np.array(label, np.int32)
