"""Datasets of texts in the files of their authors: tables of fields, lines, and reviews in folders."""
import os

import numpy as np

from .files import CSVDataset, TextFileDataset
from .images import folder, no_cache, usage_of
from .modes import Shuffle
from .samplers import choose
from .sources import Source
from .workers import RowError, wanted


def files_of(dataset_dir, usage, where, names):
    """The files of a usage; `names` maps each usage but "all" to a file name. Raises RuntimeError for a missing file."""
    path, usage = folder(dataset_dir, where), usage_of(usage, where, tuple(names) + ("all",))
    found = [os.path.join(path, name) for kind, name in names.items() if usage in (kind, "all")]
    for file in found:
        if not os.path.isfile(file):
            raise RuntimeError("[%s] dataset_dir, got %s without %s, expected this file" % (where, path, os.path.basename(file)))
    return found


class _Table(CSVDataset):
    """Base class of tables in train.csv and test.csv, without a first line of names."""

    _names = ()

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, cache=None):
        files = files_of(dataset_dir, usage, type(self).__name__, {"train": "train.csv", "test": "test.csv"})
        super().__init__(files, ",", None, list(self._names), num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)


class AGNewsDataset(_Table):
    """Reads AG News from train.csv and test.csv: columns index, title, description."""

    _names = ("index", "title", "description")


class AmazonReviewDataset(_Table):
    """Reads Amazon reviews from train.csv and test.csv: columns label, title, content."""

    _names = ("label", "title", "content")


class DBpediaDataset(_Table):
    """Reads DBpedia from train.csv and test.csv: columns class, title, content."""

    _names = ("class", "title", "content")


class YahooAnswersDataset(_Table):
    """Reads Yahoo Answers from train.csv and test.csv: columns class, title, content, answer."""

    _names = ("class", "title", "content", "answer")


class SogouNewsDataset(_Table):
    """Reads Sogou News from train.csv and test.csv: columns index, title, content."""

    _names = ("index", "title", "content")

    def __init__(self, dataset_dir, usage=None, num_samples=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None,
                 num_parallel_workers=None, cache=None):
        super().__init__(dataset_dir, usage, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)


class YelpReviewDataset(SogouNewsDataset):
    """Reads Yelp reviews from train.csv and test.csv: columns label, text."""

    _names = ("label", "text")


class _Corpus(TextFileDataset):
    """Base class of texts with one column, text: the lines of the files of a usage."""

    _parts = {}

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, cache=None):
        files = files_of(dataset_dir, usage, type(self).__name__, self._parts)
        super().__init__(files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)


class WikiTextDataset(_Corpus):
    """Reads WikiText: column text, the lines that are not empty.

    The files are wiki.train.tokens, wiki.test.tokens and wiki.valid.tokens.
    """

    _parts = {kind: "wiki.%s.tokens" % kind for kind in ("train", "test", "valid")}


class PennTreebankDataset(_Corpus):
    """Reads the Penn Treebank: column text, the lines that are not empty.

    The files are ptb.train.txt, ptb.test.txt and ptb.valid.txt.
    """

    _parts = {kind: "ptb.%s.txt" % kind for kind in ("train", "test", "valid")}


class EnWik9Dataset(TextFileDataset):
    """Reads the file enwik9: column text, its lines, empty ones included."""

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=True, num_shards=None, shard_id=None, cache=None):
        files = files_of(dataset_dir, None, "EnWik9Dataset", {"train": "enwik9"})
        super().__init__(files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _read(self, path):
        with open(path, encoding="utf-8", newline="\n") as file:
            try:
                for line in file:
                    yield (np.array(line[:-1] if line.endswith("\n") else line),)
            except UnicodeDecodeError as error:
                raise RowError("[EnWik9Dataset] file, got %s that is not UTF-8 (%s)" % (path, error)) from None


class IMDBDataset(Source):
    """Reads IMDB reviews from the folders train and test: columns text and label (1 for files of pos, 0 for those of neg)."""

    _columns = ("text", "label")
    _where = "IMDBDataset"

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        self._dir, self._usage = folder(dataset_dir, self._where), usage_of(usage, self._where)
        no_cache(cache, self._where)
        self._workers = wanted(num_parallel_workers, self._where)
        self._sampler = choose(sampler, shuffle, num_samples, num_shards, shard_id)
        self._found = None

    def _listed(self):
        """(path, label) of each review."""
        if self._found is None:
            self._found = []
            for usage in [u for u in ("train", "test") if self._usage in (u, "all")]:
                for name, label in (("pos", 1), ("neg", 0)):
                    top = os.path.join(self._dir, usage, name)
                    if not os.path.isdir(top):
                        raise RuntimeError("[IMDBDataset] dataset_dir, got %s without the folder %s/%s, expected it"
                                           % (self._dir, usage, name))
                    self._found += [(os.path.join(top, file), label) for file in sorted(os.listdir(top))]
        return self._found

    def num_classes(self):
        """Returns the number of classes."""
        return 2

    def _total(self):
        return len(self._listed())

    def _labels(self):
        return [label for _, label in self._listed()]

    def _row(self, index):
        path, label = self._listed()[index]
        try:
            with open(path, encoding="utf-8") as file:
                return np.array(file.read()), np.array(label, np.uint32)
        except UnicodeDecodeError as error:
            raise RowError("[IMDBDataset] file, got %s that is not UTF-8 (%s)" % (path, error)) from None
