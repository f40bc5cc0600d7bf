"""Listed: datasets of files in a folder, which are listed when the first row is needed."""
import csv
import os

import numpy as np

from .core import flag
from .images import folder, no_cache
from .samplers import choose
from .sources import Source
from .workers import RowError, wanted

IMAGES = (".jpg", ".jpeg", ".png", ".bmp", ".gif", ".tif", ".tiff")


class Listed(Source):
    """Base class: a subclass defines `_list()`, the items to read, and `_made(item)`, the row of an item.

    The constructor of a subclass calls `_begin` with its arguments; then `_dir` is the folder, and `_decode` says whether to decode images.
    """

    _found, _label_place = None, 1

    def _begin(self, dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache=None, decode=False):
        self._where = type(self).__name__
        self._dir = folder(dataset_dir, self._where)
        self._options(num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode)

    def _options(self, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache, decode):
        no_cache(cache, self._where)
        if decode is not None:
            flag(decode, "decode")
        self._decode, self._workers = bool(decode), wanted(num_parallel_workers, self._where)
        self._sampler = choose(sampler, shuffle, num_samples, num_shards, shard_id)

    def _list(self):
        raise NotImplementedError

    def _made(self, item):
        raise NotImplementedError

    def _items(self):
        if self._found is None:
            self._found = list(self._list())
            if not self._found:
                raise RuntimeError("[%s] dataset_dir, got %s without files of this dataset, expected some" % (self._where, self._dir))
        return self._found

    def _total(self):
        return len(self._items())

    def _row(self, index):
        return tuple(self._made(self._items()[index]))

    def _labels(self):
        return [item[self._label_place] for item in self._items()]

    # -- what subclasses read with --------------------------------------------------------------------------------

    def _path(self, *parts):
        """A path below the folder; raises RuntimeError if it does not exist."""
        path = os.path.join(self._dir, *parts)
        if not os.path.exists(path):
            raise RuntimeError("[%s] dataset_dir, got %s without %s, expected it" % (self._where, self._dir, os.path.join(*parts)))
        return path

    def _lines(self, *parts):
        """The lines of a text file below the folder, without empty ones."""
        path = self._path(*parts)
        try:
            with open(path, encoding="utf-8") as file:
                return [line.rstrip("\r\n") for line in file if line.strip()]
        except UnicodeDecodeError as error:
            raise RuntimeError("[%s] file, got %s that is not UTF-8 (%s)" % (self._where, path, error)) from None

    def _table(self, separator, fields, *parts):
        """The fields of each line of a text file; raises RuntimeError where there are fewer than `fields`."""
        path = self._path(*parts)
        with open(path, encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file, delimiter=separator, quoting=csv.QUOTE_NONE) if row]
        for number, row in enumerate(rows):
            if len(row) < fields:
                raise RuntimeError("[%s] fields, got %d in line %d of %s, expected %d" % (self._where, len(row), number + 1, path, fields))
        return rows

    def _image(self, path):
        """The bytes of an image, or with decode the image itself."""
        return image_of(path, self._decode, self._where)


def image_of(path, decode, where):
    """The bytes of an image file as an array of uint8, or with decode the image (H, W, 3)."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise RowError("[%s] file, got %s (%s), expected an image" % (where, path, error.strerror)) from None
    if not decode:
        return np.frombuffer(data, np.uint8)
    from .vision.values import decoded
    try:
        return np.array(decoded(data, where))
    except RuntimeError as error:
        raise RowError("%s; file %s" % (error, path)) from None


def below(top, endings=IMAGES, deep=False):
    """The paths of the files in a folder with such endings, in the order of their names; with `deep` also in its subfolders."""
    if not deep:
        return [os.path.join(top, name) for name in sorted(os.listdir(top)) if name.lower().endswith(endings)]
    found = []
    for base, folders, files in os.walk(top):
        folders.sort()
        found += [os.path.join(base, name) for name in sorted(files) if name.lower().endswith(endings)]
    return found


def folders(top):
    """The names of the folders in a folder, sorted."""
    return sorted(entry.name for entry in os.scandir(top) if entry.is_dir())


def one_of(value, name, allowed, where, left_out=None):
    """Returns a str that must be one of some; None means `left_out`."""
    if value is None and left_out is not None:
        return left_out
    if not isinstance(value, str):
        raise TypeError("[%s] %s, got %s, expected a str" % (where, name, type(value).__name__))
    if value not in allowed:
        raise ValueError("[%s] %s, got %r, expected one of %s" % (where, name, value, ", ".join(allowed)))
    return value


def matlab(path, where):
    """Reads the variables of a .mat file; raises ImportError without scipy."""
    try:
        from scipy.io import loadmat
    except ImportError:
        raise ImportError("[%s] reading .mat files takes the package scipy, expected it to be installed" % where) from None
    try:
        return loadmat(path, squeeze_me=True)
    except Exception as error:
        raise RuntimeError("[%s] file, got %s that scipy cannot read (%s), expected a .mat file" % (where, path, error)) from None


def text(value):
    """A text as the value of a column."""
    return np.array(value)
