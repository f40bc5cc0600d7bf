"""Datasets of texts for language tasks: CLUE, CoNLL-2000, UD-POS, SQuAD, SST-2, Multi30k, IWSLT."""
import json
import os
import re

import numpy as np

from .corpora import files_of
from .files import _Lines
from .images import folder, usage_of
from .listed import one_of, text
from .modes import Shuffle
from .workers import RowError

# The columns of each task of CLUE, by usage.
_U32 = np.uint32
_CLUE = {
    "AFQMC": {"train": "label sentence1 sentence2", "eval": "label sentence1 sentence2", "test": "id sentence1 sentence2"},
    "CMNLI": {"train": "label sentence1 sentence2", "eval": "label sentence1 sentence2", "test": "id sentence1 sentence2"},
    "CSL": {"train": "id abst keyword label", "eval": "id abst keyword label", "test": "id abst keyword"},
    "IFLYTEK": {"train": "label label_des sentence", "eval": "label label_des sentence", "test": "id sentence"},
    "TNEWS": {"train": "label label_desc sentence keywords", "eval": "label label_desc sentence keywords", "test": "id sentence keywords"},
    "WSC": {"train": "span1_index span2_index span1_text span2_text idx label text",
            "eval": "span1_index span2_index span1_text span2_text idx label text",
            "test": "span1_index span2_index span1_text span2_text idx text"},
}
_KEYS = {("WSC", "span1_index"): ("target", "span1_index"),
         ("WSC", "span2_index"): ("target", "span2_index"), ("WSC", "span1_text"): ("target", "span1_text"),
         ("WSC", "span2_text"): ("target", "span2_text")}
_NUMBERS = {"id", "span1_index", "span2_index", "idx"}


class CLUEDataset(_Lines):
    """Reads a task of CLUE from files of JSON lines: the columns of the task and usage.

    Labels are texts; ids and positions are uint32.
    """

    def __init__(self, dataset_files, task="AFQMC", usage="train", num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, cache=None):
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self._task = one_of(task, "task", tuple(_CLUE), self._where)
        self._columns = tuple(sorted(_CLUE[task][one_of(usage, "usage", ("train", "test", "eval"), self._where)].split()))

    def _value(self, entry, column):
        for key in _KEYS.get((self._task, column), (column,)):
            entry = entry[key]
        if column in _NUMBERS:
            return np.array(int(entry), _U32)
        return np.array(entry if isinstance(entry, list) else str(entry))

    def _read(self, path):
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file):
                if not line.strip():
                    continue
                try:
                    entry = json.loads(line)
                    row = tuple(self._value(entry, column) for column in self._columns)
                except (ValueError, KeyError, TypeError) as error:
                    raise RowError("[CLUEDataset] line %d of %s, got one without the columns of %s (%r), expected %s"
                                   % (number + 1, path, self._task, error, list(self._columns))) from None
                yield row


class _Tagged(_Lines):
    """Base class of files with a word and its tags in each line, and an empty line after each sentence: one row for each sentence."""

    _files, _separator = {}, " "
    _take = (0, 1, 2)

    def __init__(self, dataset_dir, usage=None, num_samples=None, shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None,
                 num_parallel_workers=None, cache=None):
        files = files_of(dataset_dir, usage, type(self).__name__, self._files)
        super().__init__(files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _read(self, path):
        rows = []
        with open(path, encoding="utf-8") as file:
            for number, line in enumerate(file):
                fields = line.rstrip("\r\n").split(self._separator)
                if not line.strip():
                    if rows:
                        yield tuple(np.array(column) for column in zip(*rows))
                    rows = []
                elif len(fields) < 3:
                    raise RowError("[%s] line %d of %s, got %r, expected a word and two tags" % (self._where, number + 1, path, line[:40]))
                else:
                    rows.append([fields[i] for i in self._take])
        if rows:
            yield tuple(np.array(column) for column in zip(*rows))


class CoNLL2000Dataset(_Tagged):
    """Reads CoNLL-2000 from train.txt and test.txt: columns word, pos_tag, chunk_tag, arrays with a text for each word."""

    _columns = ("word", "pos_tag", "chunk_tag")
    _files = {"train": "train.txt", "test": "test.txt"}


class UDPOSDataset(_Tagged):
    """Reads UD-POS: columns word, universal, stanford, arrays with a text for each word.

    The files are en-ud-v2-train.txt, -test.txt and -dev.txt, with tabs between fields.
    """

    _columns = ("word", "universal", "stanford")
    _files = {"train": "en-ud-tag.v2.train.txt", "test": "en-ud-tag.v2.test.txt", "valid": "en-ud-tag.v2.dev.txt"}
    _separator = "\t"


class SQuADDataset(_Lines):
    """Reads SQuAD: columns context, question, text, answer_start (uint32).

    The files are train-v1.1.json and dev-v1.1.json, or those of version 2.0.

    A question without an answer has an empty text and the start 4294967295.
    """

    _columns = ("context", "question", "text", "answer_start")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, cache=None):
        top = folder(dataset_dir, "SQuADDataset")
        version = "v2.0" if os.path.isfile(os.path.join(top, "train-v2.0.json")) or os.path.isfile(os.path.join(top, "dev-v2.0.json")) else "v1.1"
        files = files_of(dataset_dir, usage, "SQuADDataset", {kind: "%s-%s.json" % (kind, version) for kind in ("train", "dev")})
        super().__init__(files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)

    def _read(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                paragraphs = [paragraph for article in json.load(file)["data"] for paragraph in article["paragraphs"]]
            for paragraph in paragraphs:
                for question in paragraph["qas"]:
                    answers = question["answers"] or [{"text": "", "answer_start": -1}]
                    yield (text(paragraph["context"]), text(question["question"]), np.array([one["text"] for one in answers]),
                           np.array([one["answer_start"] & 0xFFFFFFFF for one in answers], np.uint32))
        except (ValueError, KeyError, TypeError) as error:
            raise RowError("[SQuADDataset] file, got %s (%r), expected the JSON of SQuAD" % (path, error)) from None


class SST2Dataset(_Lines):
    """Reads SST-2 from train.tsv, dev.tsv and test.tsv: columns sentence and label (a text); usage 'test' has only sentence."""

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, cache=None):
        usage = one_of(usage, "usage", ("train", "test", "dev"), "SST2Dataset", "train")
        files = files_of(dataset_dir, usage, "SST2Dataset", {kind: kind + ".tsv" for kind in ("train", "test", "dev")})
        super().__init__(files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self._columns = ("sentence",) if usage == "test" else ("sentence", "label")

    def _read(self, path):
        with open(path, encoding="utf-8") as file:
            next(file, None)
            for number, line in enumerate(file):
                fields = line.rstrip("\r\n").split("\t")
                if len(fields) < 2:
                    raise RowError("[SST2Dataset] line %d of %s, got %r, expected two fields" % (number + 2, path, line[:40]))
                yield (text(fields[1]),) if len(self._columns) == 1 else (text(fields[0]), text(fields[1]))


class _Pairs(_Lines):
    """Base class of pairs of files with as many lines: columns text and translation. `_other` maps a file to its pair."""

    _columns = ("text", "translation")

    def _begin(self, pairs, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache):
        super().__init__([first for first, _ in pairs], num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self._other = dict(pairs)

    def _sentences(self, path):
        try:
            with open(path, encoding="utf-8") as file:
                return [line.rstrip("\r\n") for line in file if line.strip()]
        except OSError as error:
            raise RowError("[%s] file, got %s (%s), expected it" % (self._where, path, error.strerror)) from None

    def _read(self, path):
        first, second = self._sentences(path), self._sentences(self._other[path])
        if len(first) != len(second):
            raise RowError("[%s] lines of %s, got %d, expected %d, as in %s" % (self._where, self._other[path], len(second), len(first), path))
        for source, translation in zip(first, second):
            yield text(source), text(translation)


def _languages(pair, where, allowed, left_out):
    if pair is None:
        return left_out
    if not isinstance(pair, (list, tuple)) or not all(isinstance(one, str) for one in pair):
        raise TypeError("[%s] language_pair, got %r, expected two texts" % (where, pair))
    if tuple(pair) not in allowed:
        raise ValueError("[%s] language_pair, got %r, expected one of %s" % (where, pair, sorted(allowed)))
    return tuple(pair)


class Multi30kDataset(_Pairs):
    """Reads Multi30k: columns text and translation.

    The files are training/train.en and .de, validation/val.en and .de, mmt16_task1_test/test.en and .de.
    """

    _parts = {"train": ("training", "train"), "valid": ("validation", "val"), "test": ("mmt16_task1_test", "test")}

    def __init__(self, dataset_dir, usage=None, language_pair=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 num_shards=None, shard_id=None, cache=None):
        top = folder(dataset_dir, "Multi30kDataset")
        usage = usage_of(usage, "Multi30kDataset", ("train", "test", "valid", "all"))
        source, target = _languages(language_pair, "Multi30kDataset", {("en", "de"), ("de", "en")}, ("en", "de"))
        names = [os.path.join(top, *self._parts[kind]) for kind in self._parts if usage in (kind, "all")]
        self._begin([(name + "." + source, name + "." + target) for name in names], num_samples, num_parallel_workers,
                    Shuffle.GLOBAL if shuffle is None else shuffle, num_shards, shard_id, cache)


class _Talks(_Pairs):
    """Base class of the TED talks of IWSLT: train.tags.A-B.A of tagged lines, IWSLTnn.TED.SET.A-B.A.xml of <seg> elements."""

    _year = ""

    def _sentences(self, path):
        lines = super()._sentences(path)
        if path.endswith(".xml"):
            found = [re.match(r"\s*<seg[^>]*>(.*)</seg>\s*$", line) for line in lines]
            return [one.group(1).strip() for one in found if one]
        return [line for line in lines if not line.lstrip().startswith("<")]

    def _open_talks(self, top, pair, usage, sets, options):
        name, files = "%s-%s" % pair, []
        ends = ["train.tags.%s." % name] if usage in ("train", "all") else []
        ends += ["IWSLT%s.TED.%s.%s." % (self._year, part, name) for kind, part in sets if usage in (kind, "all")]
        for end in ends:
            tail = "" if end.startswith("train") else ".xml"
            files.append(tuple(os.path.join(top, end + language + tail) for language in pair))
        self._begin(files, *options)
        self._paths = [first for first, _ in files]  # keeps the order of the list, not of the names


class IWSLT2016Dataset(_Talks):
    """Reads IWSLT 2016: columns text and translation, from texts/A/B/A-B for the languages A and B."""

    _year = "16"
    _sets = ("dev2010", "tst2010", "tst2011", "tst2012", "tst2013", "tst2014")

    def __init__(self, dataset_dir, usage=None, language_pair=None, valid_set=None, test_set=None, num_samples=None,
                 shuffle=Shuffle.GLOBAL, num_shards=None, shard_id=None, num_parallel_workers=None, cache=None):
        where = "IWSLT2016Dataset"
        others = ("fr", "de", "cs", "ar")
        allowed = {("en", one) for one in others} | {(one, "en") for one in others}
        pair = _languages(language_pair, where, allowed, ("de", "en"))
        usage = usage_of(usage, where, ("train", "valid", "test", "all"))
        sets = (("valid", one_of(valid_set, "valid_set", self._sets, where, "tst2013")),
                ("test", one_of(test_set, "test_set", self._sets, where, "tst2014")))
        top = os.path.join(folder(dataset_dir, where), "texts", pair[0], pair[1], "%s-%s" % pair)
        self._open_talks(top, pair, usage, sets, (num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache))


class IWSLT2017Dataset(_Talks):
    """Reads IWSLT 2017: columns text and translation, from the folder DeEnItNlRo of five languages.

    'valid' is dev2010, 'test' tst2010.
    """

    _year = "17"

    def __init__(self, dataset_dir, usage=None, language_pair=None, num_samples=None, shuffle=Shuffle.GLOBAL, num_shards=None,
                 shard_id=None, num_parallel_workers=None, cache=None):
        where = "IWSLT2017Dataset"
        known = ("en", "nl", "de", "it", "ro")
        pair = _languages(language_pair, where, {(a, b) for a in known for b in known if a != b}, ("de", "en"))
        usage = usage_of(usage, where, ("train", "valid", "test", "all"))
        top = os.path.join(folder(dataset_dir, where), "DeEnItNlRo", "DeEnItNlRo", "DeEnItNlRo-DeEnItNlRo")
        self._open_talks(top, pair, usage, (("valid", "dev2010"), ("test", "tst2010")),
                         (num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache))


__all__ = [name for name in dict(globals()) if name.endswith("Dataset")]
