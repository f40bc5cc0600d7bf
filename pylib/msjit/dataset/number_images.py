"""Datasets of small images in a few files of numbers: QMNIST, USPS, Semeion, STL-10, SVHN, PhotoTour."""

import numpy as np

from .files import _Lines
from .images import MnistDataset, _Images, read_idx, usage_of
from .listed import Listed, matlab, one_of
from .modes import Shuffle
from .workers import RowError


def _whole_file(path, width, where):
    """The bytes of a file as rows of `width` bytes."""
    data = np.fromfile(path, np.uint8)
    if not data.size or data.size % width:
        raise RuntimeError("[%s] file, got %s of %d bytes, expected a multiple of %d" % (where, path, data.size, width))
    return data.reshape(-1, width)


class QMnistDataset(MnistDataset):
    """Reads QMNIST: columns image (28, 28, 1) of uint8 and label of uint32.

    The label is the class, or without compat all eight numbers of the file.
    """

    _files_of = {"train": ("qmnist-train",), "test": ("qmnist-test",), "test10k": ("qmnist-test",), "test50k": ("qmnist-test",),
                 "nist": ("xnist",), "all": ("qmnist-train", "qmnist-test", "xnist")}
    _rows_of = {"test10k": slice(0, 10000), "test50k": slice(10000, None)}

    def __init__(self, dataset_dir, usage=None, compat=True, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        found = usage_of(usage, "QMnistDataset", tuple(self._files_of))
        if not isinstance(compat, bool):
            raise TypeError("[QMnistDataset] compat, got %s, expected a bool" % type(compat).__name__)
        super().__init__(dataset_dir, None, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        self._usage, self._compat = found, compat

    def _labels_of(self, path):
        with open(path, "rb") as file:
            data = file.read()
        if len(data) < 12 or int.from_bytes(data[:4], "big") != 3074:
            raise RuntimeError("[QMnistDataset] file, got %s, expected an IDX file that begins with 3074" % (path,))
        count, width = (int.from_bytes(data[at:at + 4], "big") for at in (4, 8))
        if len(data) - 12 < 4 * count * width:
            raise RuntimeError("[QMnistDataset] file, got %s of %d bytes, expected the %d x %d numbers that its head says"
                               % (path, len(data), count, width))
        return np.frombuffer(data, ">u4", count * width, 12).reshape(count, width).astype(np.uint32)

    def _read(self):
        images, labels = [], []
        for name in self._files_of[self._usage]:
            rows = self._rows_of.get(self._usage, slice(None))
            images.append(read_idx(self._files(["%s-images-idx3-ubyte" % name])[0], 2051, self._where)[rows])
            labels.append(self._labels_of(self._files(["%s-labels-idx2-int" % name])[0])[rows])
            if len(images[-1]) != len(labels[-1]):
                raise RuntimeError("[QMnistDataset] labels, got %d, expected %d, the number of images" % (len(labels[-1]), len(images[-1])))
        labels = np.concatenate(labels)
        return np.concatenate(images)[..., None], labels[:, 0] if self._compat else labels

    def _labels(self):
        labels = self._loaded()[1]
        return labels if labels.ndim == 1 else labels[:, 0]


class SemeionDataset(_Images):
    """Reads semeion.data, a line of 256 + 10 numbers for each image: columns image (16, 16) of uint8, 0 and 1, and label of uint32."""

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        super().__init__(dataset_dir, None, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)

    def _read(self):
        path = self._files(["semeion.data"])[0]
        try:
            rows = np.loadtxt(path, ndmin=2)
        except ValueError as error:
            raise RuntimeError("[SemeionDataset] file, got %s that has no numbers (%s), expected 266 in a line" % (path, error)) from None
        if rows.shape[1] != 266:
            raise RuntimeError("[SemeionDataset] numbers in a line of %s, got %d, expected 266" % (path, rows.shape[1]))
        return rows[:, :256].reshape(-1, 16, 16).astype(np.uint8), rows[:, 256:].argmax(1).astype(np.uint32)


class STL10Dataset(_Images):
    """Reads STL-10 from its binary files: columns image (96, 96, 3) of uint8 and label of int32.

    Labels count from 0; -1 means no label.
    """

    _parts = {"train": ("train",), "test": ("test",), "unlabeled": ("unlabeled",), "train+unlabeled": ("train", "unlabeled"),
              "all": ("test", "train", "unlabeled")}

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        found = usage_of(usage, "STL10Dataset", tuple(self._parts))
        super().__init__(dataset_dir, None, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        self._usage = found

    def _read(self):
        images, labels = [], []
        for part in self._parts[self._usage]:
            rows = _whole_file(self._files([part + "_X.bin"])[0], 96 * 96 * 3, self._where)
            images.append(rows.reshape(-1, 3, 96, 96).transpose(0, 3, 2, 1))  # the files store columns of pixels
            if part == "unlabeled":
                labels.append(np.full(len(rows), -1, np.int32))
                continue
            numbers = np.fromfile(self._files([part + "_y.bin"])[0], np.uint8)
            if len(numbers) != len(rows):
                raise RuntimeError("[STL10Dataset] labels, got %d in %s_y.bin, expected %d" % (len(numbers), part, len(rows)))
            labels.append(numbers.astype(np.int32) - 1)
        return np.concatenate(images), np.concatenate(labels)


class SVHNDataset(_Images):
    """Reads SVHN from train, test and extra_32x32.mat: columns image (32, 32, 3) of uint8 and label of uint32. It needs scipy."""

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=1, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None):
        found = usage_of(usage, "SVHNDataset", ("train", "test", "extra", "all"))
        super().__init__(dataset_dir, None, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, None)
        self._usage = found

    def _read(self):
        images, labels = [], []
        for part in ("train", "test", "extra") if self._usage == "all" else (self._usage,):
            found = matlab(self._files([part + "_32x32.mat"])[0], self._where)
            pictures, numbers = found["X"], np.atleast_1d(found["y"])
            pictures = pictures[..., None] if pictures.ndim == 3 else pictures  # one image
            images.append(np.ascontiguousarray(pictures.transpose(3, 0, 1, 2)))
            labels.append(numbers.astype(np.uint32) % 10)  # the files write 10 for the digit 0
        return np.concatenate(images), np.concatenate(labels)


class USPSDataset(_Lines):
    """Reads USPS from the files usps and usps.t: columns image (16, 16, 1) of uint8 and label of uint32.

    The lines are "DIGIT+1 PLACE:VALUE ...".
    """

    _columns = ("image", "label")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, cache=None):
        from .corpora import files_of
        files = files_of(dataset_dir, usage, "USPSDataset", {"train": "usps", "test": "usps.t"})
        super().__init__(files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _read(self, path):
        with open(path, encoding="ascii", errors="replace") as file:
            for number, line in enumerate(file):
                fields = line.split()
                if not fields:
                    continue
                try:
                    values = [float(field.split(":")[1]) for field in fields[1:]]
                    label = int(fields[0]) - 1
                except (ValueError, IndexError):
                    values, label = (), -1
                if len(values) != 256 or not 0 <= label < 10:
                    raise RowError("[USPSDataset] line %d of %s, got %r..., expected a digit + 1 and 256 pairs PLACE:VALUE"
                                   % (number + 1, path, line[:20]))
                pixels = (np.array(values) + 1) / 2 * 255
                yield pixels.astype(np.uint8).reshape(16, 16, 1), np.array(label, np.uint32)


class PhotoTourDataset(Listed):
    """Reads patches of PhotoTour: column image (64, 64, 1) of uint8; for usage 'test' image1, image2 and matches
    (uint32).

    matches is 1 for two patches of the same point.

    There is a folder for each name, with patchesNNNN.bmp of 16 x 16 patches, info.txt, and the pairs in m50_100000_100000_0.txt.
    """

    _names = ("notredame", "yosemite", "liberty", "notredame_harris", "yosemite_harris", "liberty_harris")

    def __init__(self, dataset_dir, name, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None,
                 num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        self._name = one_of(name, "name", self._names, self._where)
        self._usage = one_of(usage, "usage", ("train", "test"), self._where, "train")
        self._columns = ("image",) if self._usage == "train" else ("image1", "image2", "matches")
        self._sheet = None, None

    def _list(self):
        if self._usage == "train":
            return [(number,) for number in range(len(self._lines(self._name, "info.txt")))]
        pairs = [[int(field) for field in line.split()[:5]] for line in self._lines(self._name, "m50_100000_100000_0.txt")]
        return [(fields[0], fields[3], int(fields[1] == fields[4])) for fields in pairs]

    def _patch(self, number):
        sheet, place = divmod(number, 256)
        if self._sheet[0] != sheet:
            from .vision.base import pillow
            path = self._path(self._name, "patches%04d.bmp" % sheet)
            try:
                image = np.array(pillow().open(path).convert("L"))
            except (OSError, ValueError) as error:
                raise RowError("[PhotoTourDataset] file, got %s that Pillow cannot decode (%s)" % (path, error)) from None
            if image.shape != (1024, 1024):
                raise RowError("[PhotoTourDataset] size of %s, got %s, expected (1024, 1024)" % (path, image.shape))
            self._sheet = sheet, image
        row, column = divmod(place, 16)
        return self._sheet[1][64 * row:64 * row + 64, 64 * column:64 * column + 64, None].copy()

    def _made(self, item):
        if len(item) == 1:
            return (self._patch(item[0]),)
        return self._patch(item[0]), self._patch(item[1]), np.array(item[2], np.uint32)


__all__ = [name for name in dict(globals()) if name.endswith("Dataset") and name not in ("MnistDataset",)]
