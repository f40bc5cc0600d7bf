"""Datasets of sounds with texts or labels, in the folder layouts of their authors, and a reader of WAV files."""
import os
import struct

import numpy as np

from .listed import Listed, below, folders, one_of, text
from .workers import RowError

_WAV = (".wav",)


def _chunks(data, path, where):
    """{name: bytes} of the chunks of a WAV file."""
    if len(data) < 12 or data[:4] != b"RIFF" or data[8:12] != b"WAVE":
        raise RowError("[%s] file, got %s, expected a WAV file" % (where, path))
    found, place = {}, 12
    while place + 8 <= len(data):
        name, size = data[place:place + 4], struct.unpack_from("<I", data, place + 4)[0]
        found.setdefault(name, data[place + 8:place + 8 + size])
        place += 8 + size + size % 2
    return found


def read_wav(path, where):
    """Reads a WAV file of 8, 16, 24 or 32 bits or of floats: (waveform (channels, length) of float32, sample rate).

    Integer samples are scaled to [-1, 1).
    """
    with open(path, "rb") as file:
        chunks = _chunks(file.read(), path, where)
    head, data = chunks.get(b"fmt ", b""), chunks.get(b"data", b"")
    if len(head) < 16:
        raise RowError("[%s] file, got %s without a head, expected a whole WAV file" % (where, path))
    kind, channels, rate, _, _, bits = struct.unpack_from("<HHIIHH", head)
    if kind == 0xFFFE and len(head) >= 26:  # the kind is in the extension of the header
        kind = struct.unpack_from("<H", head, 24)[0]
    width = bits // 8
    if not channels or kind not in (1, 3) or (kind, bits) not in ((1, 8), (1, 16), (1, 24), (1, 32), (3, 32), (3, 64)):
        raise RowError("[%s] file, got %s of kind %d with %d bits, expected numbers of 8 to 32 bits or floats" % (where, path, kind, bits))
    data = data[:len(data) // (width * channels) * width * channels]
    return _samples(data, kind, bits).reshape(-1, channels).T, rate


def _samples(data, kind, bits):
    if kind == 3:
        return np.frombuffer(data, "<f%d" % (bits // 8)).astype(np.float32)
    if bits == 8:
        return (np.frombuffer(data, np.uint8).astype(np.float32) - 128) / 128
    if bits == 24:
        parts = np.frombuffer(data, np.uint8).reshape(-1, 3).astype(np.int32)
        return ((parts[:, 0] << 8 | parts[:, 1] << 16 | parts[:, 2] << 24) / 2.0 ** 31).astype(np.float32)
    return (np.frombuffer(data, "<i%d" % (bits // 8)) / 2.0 ** (bits - 1)).astype(np.float32)


class _Sounds(Listed):
    """Base class of datasets whose first columns are waveform and sample_rate."""

    _rate = np.int32

    def _sound(self, path):
        try:
            wave, rate = read_wav(path, self._where)
        except OSError as error:
            raise RowError("[%s] file, got %s (%s), expected a WAV file" % (self._where, path, error.strerror)) from None
        return wave, np.array(rate, self._rate)


class LJSpeechDataset(_Sounds):
    """Reads LJ Speech: columns waveform, sample_rate (int32), transcription, normalized_transcription.

    It reads metadata.csv and the folder wavs.
    """

    _columns = ("waveform", "sample_rate", "transcription", "normalized_transcription")

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)

    def _list(self):
        return self._table("|", 3, "metadata.csv")

    def _made(self, item):
        return self._sound(self._path("wavs", item[0] + ".wav")) + (text(item[1]), text(item[2]))


class SpeechCommandsDataset(_Sounds):
    """Reads Speech Commands: columns waveform, sample_rate (int32), label, speaker_id, utterance_number (int32).

    There is a folder for each word. Files that neither testing_list.txt nor validation_list.txt lists are 'train'.
    """

    _columns = ("waveform", "sample_rate", "label", "speaker_id", "utterance_number")
    _lists = {"test": "testing_list.txt", "valid": "validation_list.txt"}

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        self._usage = one_of(usage, "usage", ("train", "test", "valid", "all"), self._where, "all")

    def _list(self):
        if self._usage in self._lists:
            return [name.strip() for name in self._lines(self._lists[self._usage])]
        every = ["%s/%s" % (word, os.path.basename(path)) for word in folders(self._dir) if word != "_background_noise_"
                 for path in below(os.path.join(self._dir, word), _WAV)]
        if self._usage == "all":
            return every
        others = {name.strip() for listed in self._lists.values() for name in self._lines(listed)}
        return [name for name in every if name not in others]

    def _labels(self):
        return [item.split("/")[0] for item in self._items()]

    def _made(self, item):
        word, name = item.split("/")[-2:]
        speaker, _, number = os.path.splitext(name)[0].partition("_nohash_")
        if not number.isdigit():
            raise RowError("[SpeechCommandsDataset] file, got %s, expected a name SPEAKER_nohash_NUMBER.wav" % (item,))
        return self._sound(self._path(word, name)) + (text(word), text(speaker), np.array(int(number), np.int32))


class YesNoDataset(_Sounds):
    """Reads YesNo: columns waveform, sample_rate (int32), label (int32, 1 for yes).

    The labels are in the names of the files, 1_0_0_1_1_0_1_0.wav.
    """

    _columns = ("waveform", "sample_rate", "label")

    def __init__(self, dataset_dir, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)

    def _list(self):
        return below(self._dir, _WAV)

    def _made(self, path):
        fields = os.path.splitext(os.path.basename(path))[0].split("_")
        if any(field not in ("0", "1") for field in fields):
            raise RowError("[YesNoDataset] file, got %s, expected a name of 0s and 1s between _" % (path,))
        return self._sound(path) + (np.array([int(field) for field in fields], np.int32),)


class GTZANDataset(_Sounds):
    """Reads GTZAN: columns waveform, sample_rate (uint32), label (the genre).

    There is a folder for each genre; a usage needs its list USAGE_filtered.txt.
    """

    _columns = ("waveform", "sample_rate", "label")
    _rate = np.uint32

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        self._usage = one_of(usage, "usage", ("train", "test", "valid", "all"), self._where, "all")

    def _list(self):
        if self._usage == "all":
            for genre in folders(self._dir):
                for path in below(os.path.join(self._dir, genre), _WAV):
                    yield path, genre
            return
        for name in self._lines("%s_filtered.txt" % self._usage):
            genre = name.strip().split("/")[-1].split(".")[0]
            yield os.path.join(self._dir, genre, name.strip().split("/")[-1] + ("" if name.endswith(".wav") else ".wav")), genre

    def _made(self, item):
        return self._sound(item[0]) + (text(item[1]),)


class CMUArcticDataset(_Sounds):
    """Reads one speaker of CMU Arctic: columns waveform, sample_rate (uint32), transcript, utterance_id.

    It reads the folder wav and etc/txt.done.data.
    """

    _columns = ("waveform", "sample_rate", "transcript", "utterance_id")
    _rate = np.uint32
    _names = tuple("aew ahw aup awb axb bdl clb eey fem gka jmk ksp ljm lnh rms rxr slp slt".split())

    def __init__(self, dataset_dir, name=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        self._speaker = "cmu_us_%s_arctic" % one_of(name, "name", self._names, self._where, "aew")

    def _list(self):
        for line in self._lines(self._speaker, "etc", "txt.done.data"):
            head, _, rest = line.partition('"')  # ( NAME "TEXT" )
            yield head.strip("( "), rest.rpartition('"')[0]

    def _made(self, item):
        name, words = item
        return self._sound(self._path(self._speaker, "wav", name + ".wav")) + (text(words), text(name.split("_")[-1]))


class LibriTTSDataset(_Sounds):
    """Reads LibriTTS: columns waveform, sample_rate (uint32), original_text, normalized_text, speaker_id, chapter_id
    (uint32), utterance_id."""

    _columns = ("waveform", "sample_rate", "original_text", "normalized_text", "speaker_id", "chapter_id", "utterance_id")
    _rate = np.uint32
    _usages = ("dev-clean", "dev-other", "test-clean", "test-other", "train-clean-100", "train-clean-360", "train-other-500")

    def __init__(self, dataset_dir, usage=None, num_samples=None, num_parallel_workers=None, shuffle=None, sampler=None, num_shards=None,
                 shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        self._usage = one_of(usage, "usage", self._usages + ("all",), self._where, "all")

    def _list(self):
        for usage in [name for name in self._usages if os.path.isdir(os.path.join(self._dir, name))] if self._usage == "all" else [self._usage]:
            for speaker in folders(self._path(usage)):
                for chapter in folders(self._path(usage, speaker)):
                    for row in self._table("\t", 3, usage, speaker, chapter, "%s_%s.trans.tsv" % (speaker, chapter)):
                        yield (os.path.join(self._dir, usage, speaker, chapter, row[0] + ".wav"), int(speaker), int(chapter)) + tuple(row[:3])

    def _made(self, item):
        path, speaker, chapter, name, original, normal = item
        return self._sound(path) + (text(original), text(normal), np.array(speaker, np.uint32), np.array(chapter, np.uint32), text(name))


class TedliumDataset(_Sounds):
    """Reads TED-LIUM: columns waveform, sample_rate (int32), transcript, talk_id, speaker_id, identifier.

    There is a row for each line of the STM files, cut out of the NIST SPHERE file of its talk (16 bits, not compressed).
    """

    _columns = ("waveform", "sample_rate", "transcript", "talk_id", "speaker_id", "identifier")

    def __init__(self, dataset_dir, release, usage=None, extensions=None, num_samples=None, num_parallel_workers=None, shuffle=None,
                 sampler=None, num_shards=None, shard_id=None, cache=None):
        self._begin(dataset_dir, num_samples, num_parallel_workers, shuffle, sampler, num_shards, shard_id, cache)
        release = one_of(release, "release", ("release1", "release2", "release3"), self._where)
        usages = ("train", "test", "dev", "all") if release != "release3" else ("all",)
        usage = one_of(usage, "usage", usages, self._where, "all")
        one_of(extensions, "extensions", (".sph",), self._where, ".sph")
        self._parts = ("data",) if release == "release3" else ("train", "test", "dev") if usage == "all" else (usage,)

    def _list(self):
        for part in self._parts:
            for path in below(self._path(part, "stm"), (".stm",)):
                for line in self._lines(part, "stm", os.path.basename(path)):
                    fields = line.split(None, 6)
                    if len(fields) < 6:
                        raise RuntimeError("[TedliumDataset] line of %s, got %r, expected six fields and a text" % (path, line[:60]))
                    yield self._path(part, "sph", fields[0] + ".sph"), fields

    def _made(self, item):
        path, fields = item
        samples, rate = self._sphere(path)
        start, end = (int(float(value) * rate) for value in fields[3:5])
        wave = samples[start:end].astype(np.float32) / 32768
        return wave[None], np.array(rate, np.int32), text(fields[6] if len(fields) > 6 else ""), text(fields[0]), text(fields[2]), text(fields[5])

    def _sphere(self, path):
        with open(path, "rb") as file:
            data = file.read()
        head = {}
        if data[:7] == b"NIST_1A":
            for line in data[:1024].decode("ascii", "replace").splitlines()[2:]:
                fields = line.split(None, 2)
                if len(fields) == 3:
                    head[fields[0]] = fields[2]
        if head.get("sample_n_bytes") != "2" or head.get("channel_count", "1") != "1" or head.get("sample_coding", "pcm") != "pcm":
            raise RowError("[TedliumDataset] file, got %s, expected a NIST SPHERE file of one channel of 16 bits that is not compressed" % (path,))
        order = ">i2" if head.get("sample_byte_format", "01") == "10" else "<i2"
        return np.frombuffer(data[1024:len(data) - len(data) % 2], order), int(head["sample_rate"])


__all__ = [name for name in dict(globals()) if name.endswith("Dataset")]
