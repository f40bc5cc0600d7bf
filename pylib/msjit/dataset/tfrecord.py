"""TFRecordDataset: reads files of records that are tf.train.Example: lists of int64, float32 or bytes by name.

The format is TensorFlow's: length, checksum, record, checksum. The records are protocol buffer messages.
"""
import struct

import numpy as np

from .core import names
from .files import _Lines
from .modes import Shuffle
from .schema import as_schema, numpy_type
from .workers import RowError

_POLYNOMIAL = 0x82F63B78  # of CRC-32C, bits reversed


def _crc_table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (_POLYNOMIAL if value & 1 else 0)
        table.append(value)
    return table


_TABLE = _crc_table()


def masked_crc(data):
    """The checksum of TFRecord files: CRC-32C, rotated and offset."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ _TABLE[(crc ^ byte) & 255]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(path, where):
    """The records of a file, as bytes.

    The checksums of the lengths are verified, so that any other kind of file is noticed at once.
    """
    with open(path, "rb") as file:
        while True:
            head = file.read(12)
            if not head:
                return
            length, crc = struct.unpack("<QI", head) if len(head) == 12 else (0, -1)
            if crc != masked_crc(head[:8]):
                raise RowError("[%s] file, got %s, expected a TFRecord file that is whole" % (where, path))
            data = file.read(length)
            if len(data) != length or len(file.read(4)) != 4:
                raise RowError("[%s] file, got %s that ends within a record, expected a whole one" % (where, path))
            yield data


def _number(data, place):
    """Reads a varint (7 bits in each byte); returns (the integer, the position behind it)."""
    value = shift = 0
    while True:
        byte = data[place]
        place += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, place
        shift += 7
        if shift > 63:
            raise ValueError("an integer of more than 64 bits")


def _fields(data):
    """Yields (number, value) of the fields of a message; values are ints or memoryviews."""
    place = 0
    while place < len(data):
        key, place = _number(data, place)
        kind = key & 7
        if kind == 0:
            value, place = _number(data, place)
        elif kind in (1, 2, 5):
            size = {1: 8, 5: 4}.get(kind)
            if size is None:
                size, place = _number(data, place)
            if place + size > len(data):
                raise ValueError("a field that is longer than its message")
            value, place = data[place:place + size], place + size
        else:
            raise ValueError("a field of kind %d" % kind)
        yield key >> 3, value


def _signed(value):
    return value - (1 << 64) if value >> 63 else value


def _integers(message):
    found = []
    for number, value in _fields(message):
        if number != 1:
            continue
        if isinstance(value, int):
            found.append(_signed(value))
        else:
            place = 0
            while place < len(value):
                one, place = _number(value, place)
                found.append(_signed(one))
    return np.array(found, np.int64)


def _feature(message):
    """The values of one feature: an array of int64 or float32, or a list of bytes."""
    for number, value in _fields(message):
        if number == 1:
            return [bytes(one) for n, one in _fields(value) if n == 1]
        if number == 2:
            return np.frombuffer(b"".join(bytes(one) for n, one in _fields(value) if n == 1), "<f4").astype(np.float32)
        if number == 3:
            return _integers(value)
    return []


def _texts(parts):
    return np.array([part.decode("utf-8", "surrogateescape") for part in parts], np.str_)


def _bytes(parts, kind):
    """Numbers from byte strings; shorter strings are filled with spaces to the length of the longest."""
    width = max([len(part) for part in parts] or [0])
    data = b"".join(part.ljust(width) for part in parts)
    return np.frombuffer(data[:len(data) // kind.itemsize * kind.itemsize], kind)


def example(data):
    """Parses a tf.train.Example to {name: array or list of bytes}. Raises ValueError, IndexError or TypeError for other data."""
    found = {}
    for number, features in _fields(memoryview(data)):
        for entry_number, entry in _fields(features) if number == 1 else ():
            if entry_number == 1:
                parts = dict(_fields(entry))
                found[bytes(parts.get(1, b"")).decode("utf-8")] = _feature(parts.get(2, b""))
    return found


class TFRecordDataset(_Lines):
    """Reads TFRecord files: one column for each feature.

    Columns are int64, float32, or uint8 for bytes, or what the schema says (a Schema, or the path of its JSON).

    columns_list selects columns. With num_shards the files are divided among the shards; with shard_equal_rows the rows are. Raises
    RuntimeError for other kinds of files, for columns that do not exist, and for values that do not fit the shape in the schema.
    """

    def __init__(self, dataset_files, schema=None, columns_list=None, num_samples=None, num_parallel_workers=None, shuffle=Shuffle.GLOBAL,
                 num_shards=None, shard_id=None, shard_equal_rows=False, cache=None, compression_type=None):
        if compression_type not in (None, "", "GZIP", "ZLIB"):
            raise ValueError("[TFRecordDataset] compression_type, got %r, expected '', 'GZIP' or 'ZLIB'" % (compression_type,))
        if compression_type:
            raise NotImplementedError("[TFRecordDataset] keyword compression_type, got %r, expected files that are not compressed"
                                      % (compression_type,))
        if not isinstance(shard_equal_rows, bool):
            raise TypeError("[TFRecordDataset] shard_equal_rows, got %s, expected a bool" % type(shard_equal_rows).__name__)
        super().__init__(dataset_files, num_samples, num_parallel_workers, shuffle, num_shards, shard_id, cache)
        self._check_files()
        if self._shards is not None and not shard_equal_rows:
            if len(self._paths) < self._shards:
                raise RuntimeError("[TFRecordDataset] files, got %d, expected %d at least, one for each share, or shard_equal_rows=True"
                                   % (len(self._paths), self._shards))
            self._paths, self._shards = self._paths[self._shard::self._shards], None
            self._shared = True
        self._about = {}
        if schema is not None:
            found = as_schema(schema, self._where)
            self._about = {column["name"]: (numpy_type(column), column.get("shape")) for column in found.columns}
            if found.get_num_rows() and self._limit is None:
                self._limit = found.get_num_rows()
        self._columns = tuple(names(columns_list) or sorted(self._about or self._example(next(records(self._paths[0], self._where), b""))))

    _shared = False

    def is_sharded(self):
        """Says whether the source returns only a share of its rows."""
        return self._shared or super().is_sharded()

    def _check_files(self):
        wrong = []
        for path in self._paths:
            try:
                next(records(path, self._where), None)
            except RowError:
                wrong.append(path)
        if wrong:
            raise RuntimeError("[TFRecordDataset] dataset_files, got %s, expected TFRecord files" % (wrong,))

    def _example(self, data):
        try:
            return example(data)
        except (ValueError, IndexError, TypeError, AttributeError) as error:
            raise RowError("[TFRecordDataset] record, got one that is no tf.train.Example (%s), expected such" % error) from None

    def _value(self, found, name, path):
        if name not in found:
            raise RowError("[TFRecordDataset] column, got %r, expected one of %s, which %s has" % (name, sorted(found), path))
        value, (kind, shape) = found[name], self._about.get(name, (np.dtype(np.uint8), None))
        if isinstance(value, list):
            value = _texts(value) if kind is None else _bytes(value, kind)
        elif name in self._about:
            value = value.astype(kind or np.str_)
        if shape is None:
            return value
        try:
            return value.reshape(shape)
        except ValueError:
            raise RowError("[TFRecordDataset] column %r, got %d values, expected the shape %s" % (name, value.size, shape)) from None

    def _read(self, path):
        for data in records(path, self._where):
            found = self._example(data)
            yield tuple(self._value(found, name, path) for name in self._columns)
