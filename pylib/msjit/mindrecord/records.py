"""Rows of MindRecord files.

A file begins with the length of its head in eight bytes and the head as JSON; behind header_size bytes follow pages of
page_size bytes. Pages of RAW_DATA have the numbers and texts of the rows, pages of BLOB_DATA their bytes and arrays,
both in the order of the rows; each row begins with its length in eight bytes, little-endian.
"""
import json
import mmap
import os
import struct

import numpy as np

from .common.exceptions import ParamTypeError, ParamValueError
from .packing import BadRecord, Unpacker, unpack_array

SCALARS = {"int32": np.int32, "int64": np.int64, "float32": np.float32, "float64": np.float64}


class Shard:
    """One file, read by the numbers of its rows."""

    def __init__(self, path):
        self.path = path
        with open(path, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < 8:
                raise BadRecord("it has no head")
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        self.head = self._head(size)
        try:
            self._header_size, self._page_size = int(self.head["header_size"]), int(self.head["page_size"])
            schema = self.head["schema"][0]
            self.fields, self.blobs = dict(schema["schema"]), list(schema["blob_fields"])
            self.addresses = [str(a) for a in self.head["shard_addresses"]]
            pages = sorted(self.head["page"], key=lambda page: page["page_type_id"])
            self.raw = self._rows([p for p in pages if p["page_type"] == "RAW_DATA"], size)
            self.blob = self._rows([p for p in pages if p["page_type"] == "BLOB_DATA"], size)
            self.types = {name: _kind(about) for name, about in self.fields.items()}
        except (KeyError, IndexError, TypeError, ValueError, AttributeError) as error:
            if isinstance(error, BadRecord):
                raise
            raise BadRecord("its head is not complete (%s: %s)" % (type(error).__name__, error)) from None
        if len(self.raw) != len(self.blob):
            raise BadRecord("it has %d rows of numbers and %d of blobs" % (len(self.raw), len(self.blob)))

    def _head(self, size):
        length = struct.unpack("<Q", self._data[:8])[0]
        if length > size - 8:
            raise BadRecord("its head reaches beyond the end")
        try:
            head = json.loads(self._data[8:8 + length].decode("utf-8"))
        except (ValueError, RecursionError):
            raise BadRecord("its head is no JSON") from None
        if not isinstance(head, dict):
            raise BadRecord("its head is no map")
        return head

    def _rows(self, pages, size):
        """(start, stop) in the file of each row."""
        found = []
        for page in pages:
            at = self._header_size + int(page["page_id"]) * self._page_size
            end = at + int(page["page_size"])
            if not 0 <= at <= end <= size:
                raise BadRecord("a page reaches beyond the end")
            while at < end:
                if end - at < 8:
                    raise BadRecord("a row has no length")
                length = struct.unpack("<Q", self._data[at:at + 8])[0]
                if length > end - at - 8:
                    raise BadRecord("a row reaches beyond its page")
                found.append((at + 8, at + 8 + length))
                at += 8 + length
        return found

    def __len__(self):
        return len(self.raw)

    def row(self, index, names=None):
        """A dict of the fields of a row (of those named)."""
        start, stop = self.raw[index]
        values = Unpacker(self._data[start:stop]).map()
        row = {}
        for name, value in values.items():
            if name in self.types and (names is None or name in names):
                row[name] = value
        if self.blobs:
            start, stop = self.blob[index]
            for name, data in self._parts(self._data[start:stop]):
                if names is None or name in names:
                    dtype, shape = self.types[name]
                    row[name] = data if dtype is bytes else unpack_array(data, np.dtype(dtype), shape)
        return row

    def _parts(self, data):
        if len(self.blobs) == 1:
            yield self.blobs[0], data
            return
        reader = Unpacker(data)
        for name in self.blobs:
            yield name, reader.take(reader.number(">Q"))


def _kind(about):
    """(type, shape or None) of a field of the schema."""
    kind, shape = about["type"], about.get("shape")
    if kind in ("string", "bytes"):
        return (str if kind == "string" else bytes), None
    return SCALARS[kind], None if shape is None else tuple(int(s) for s in shape)


def open_shards(files, where, absent=RuntimeError):
    """The shards of a file (and of those that its head names), or those of a list of files. absent is raised where one is not there."""
    paths = [files] if isinstance(files, (str, os.PathLike)) else files
    if not isinstance(paths, (list, tuple)) or not paths or not all(isinstance(p, (str, os.PathLike)) for p in paths):
        raise TypeError("[%s] file, got %s, expected a str or a list of them" % (where, type(files).__name__))
    for path in paths:
        if not os.path.isfile(path):
            raise absent("[%s] file, got %s, expected one that is there" % (where, path))
    try:
        shards = [Shard(os.fspath(path)) for path in paths]
        if paths is not files:
            base, first = os.path.dirname(paths[0]), shards[0]
            if len(first.addresses) > 1:
                shards = [Shard(os.path.join(base, os.path.basename(name))) for name in first.addresses]
    except BadRecord as error:
        raise RuntimeError("[%s] file, got %s: %s, expected a MindRecord file" % (where, list(paths), error)) from None
    except OSError as error:
        raise RuntimeError("[%s] file, got %s (%s), expected all its shards" % (where, list(paths), error)) from None
    if any(shard.fields != shards[0].fields for shard in shards):
        raise RuntimeError("[%s] files, got different schemas, expected the same" % where)
    return shards


class FileReader:
    """The rows of a MindRecord file as dicts."""

    def __init__(self, file_name, num_consumer=4, columns=None, operator=None):
        if columns is not None and not isinstance(columns, list):
            raise ParamTypeError("[FileReader] columns, got %s, expected a list" % type(columns).__name__)
        if isinstance(num_consumer, bool) or not isinstance(num_consumer, int) or num_consumer < 1:
            raise ParamValueError("[FileReader] num_consumer, got %r, expected 1 or more" % (num_consumer,))
        if operator is not None:
            raise NotImplementedError("[FileReader] keyword operator, got %r, expected it left out" % (operator,))
        self._shards = open_shards(file_name, "FileReader")
        self._columns = columns
        self._fields = self._shards[0].fields
        missing = [c for c in self._columns or () if c not in self._shards[0].fields]
        if missing:
            raise RuntimeError("[FileReader] columns, got %s, expected some of %s" % (missing, list(self._shards[0].fields)))

    def get_next(self):
        """Iterator over the rows."""
        for shard in self._shards:
            for i in range(len(shard)):
                yield shard.row(i, self._columns)

    def schema(self):
        """The schema: a dict of fields."""
        return dict(self._fields)

    def len(self):
        """The number of rows."""
        return sum(len(shard) for shard in self._shards)

    def close(self):
        """No row can be read any more."""
        self._shards = []
