"""FileWriter: makes MindRecord files, with the index beside each, a SQLite database with the places of its rows."""
import json
import os
import sqlite3
import struct

import numpy as np

from .packing import pack_array, pack_map
from .records import SCALARS, _kind

_SQL = {"int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL", "string": "TEXT"}
_PLACES = ("ROW_ID", "PAGE_ID_RAW", "PAGE_OFFSET_RAW", "PAGE_OFFSET_RAW_END", "ROW_GROUP_ID", "PAGE_ID_BLOB",
           "PAGE_OFFSET_BLOB", "PAGE_OFFSET_BLOB_END")
_MOST_SHARDS = 1000


class _ShardFile:
    """One file under its temporary name."""

    def __init__(self, path, header_size, page_size):
        self.path, self.header_size, self.page_size = path, header_size, page_size
        self.temporary = "%s.%d.tmp" % (path, os.getpid())
        self.file = open(self.temporary, "wb")  # noqa: SIM115 - closed by finish or drop
        self.pages, self.places, self.rows = [], [], 0
        self.raw, self.blob, self.first = bytearray(), bytearray(), 0

    def add(self, raw, blob, indexed):
        raw, blob = struct.pack("<Q", len(raw)) + raw, struct.pack("<Q", len(blob)) + blob
        if max(len(raw), len(blob)) > self.page_size:
            raise RuntimeError("[FileWriter] row, got %d bytes, expected at most page_size, %d"
                               % (max(len(raw), len(blob)), self.page_size))
        if max(len(self.raw) + len(raw), len(self.blob) + len(blob)) > self.page_size:
            self.flush()
        at, pages = (len(self.raw), len(self.blob)), len(self.pages)
        self.raw += raw
        self.blob += blob
        self.places.append((self.rows, pages + 1, at[0], len(self.raw), pages // 2, pages, at[1], len(self.blob)) + indexed)
        self.rows += 1

    def flush(self):
        """A page of blobs and a page of numbers: one group of rows."""
        if self.first == self.rows:
            return
        group = len(self.pages) // 2
        for kind, data, start, end in (("BLOB_DATA", self.blob, self.first, self.rows), ("RAW_DATA", self.raw, 0, 0)):
            page = len(self.pages)
            self.file.seek(self.header_size + page * self.page_size)
            self.file.write(data)
            self.pages.append({"end_row_id": end, "page_id": page, "page_size": len(data), "page_type": kind,
                               "page_type_id": group, "row_group_ids": [{"id": group, "offset": 0}],
                               "start_row_id": start})
        self.raw, self.blob, self.first = bytearray(), bytearray(), self.rows

    def finish(self, head, index_fields):
        self.flush()
        data = json.dumps(dict(head, page=[dict(p, shard_id=head["shard_id"]) for p in self.pages])).encode()
        if len(data) + 8 > self.header_size:
            raise RuntimeError("[FileWriter] head, got %d bytes, expected at most header_size, %d"
                               % (len(data) + 8, self.header_size))
        self.file.seek(0)
        self.file.write(struct.pack("<Q", len(data)) + data)
        self.file.seek(0, 2)
        if self.file.tell() < self.header_size:
            self.file.truncate(self.header_size)
        self.file.close()
        self._index(index_fields)
        os.replace(self.temporary, self.path)
        os.replace(self.temporary + ".db", self.path + ".db")

    def _index(self, index_fields):
        if os.path.exists(self.temporary + ".db"):
            os.remove(self.temporary + ".db")
        database = sqlite3.connect(self.temporary + ".db")
        try:
            fields = "".join(", INC_%d INT, %s_0 %s" % (i, name, kind) for i, (name, kind) in enumerate(index_fields))
            keys = "".join(", INC_%d" % i for i in range(len(index_fields)))
            database.execute("CREATE TABLE INDEXES(%s%s, PRIMARY KEY(ROW_ID%s))"
                             % (", ".join(name + " INT NOT NULL" for name in _PLACES), fields, keys))
            database.execute("CREATE TABLE SHARD_NAME(NAME TEXT NOT NULL)")
            marks = ", ".join("?" * (len(_PLACES) + 2 * len(index_fields)))
            database.executemany("INSERT INTO INDEXES VALUES(%s)" % marks, self.places)
            database.execute("INSERT INTO SHARD_NAME VALUES(?)", (os.path.basename(self.path),))
            database.commit()
        finally:
            database.close()

    def drop(self):
        self.file.close()
        for path in (self.temporary, self.temporary + ".db"):
            if os.path.exists(path):
                os.remove(path)


class FileWriter:
    """Writes rows, dicts of the fields of a schema, to `shard_num` files; they take their names in commit."""

    def __init__(self, file_name, shard_num=1, overwrite=False):
        if not isinstance(file_name, (str, os.PathLike)):
            raise TypeError("[FileWriter] file_name, got %s, expected a str" % type(file_name).__name__)
        if isinstance(shard_num, bool) or not isinstance(shard_num, int) or not 1 <= shard_num <= _MOST_SHARDS:
            raise ValueError("[FileWriter] shard_num, got %r, expected 1 to %d" % (shard_num, _MOST_SHARDS))
        path, digits = os.fspath(file_name), len(str(shard_num - 1))
        self._paths = [path] if shard_num == 1 else ["%s%0*d" % (path, digits, i) for i in range(shard_num)]
        for path in self._paths:
            if os.path.exists(path) and not overwrite:
                raise RuntimeError("[FileWriter] file, got %s that is there already, expected overwrite=True" % path)
        self._schema, self._desc, self._index, self._shards = None, "", [], None
        self._header_size, self._page_size = 1 << 24, 1 << 25

    @classmethod
    def open_for_append(cls, file_name):
        """Not offered."""
        raise NotImplementedError("[FileWriter] open_for_append, expected a new file to be written")

    def _power(self, value, name, low, high):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high or value & (value - 1):
            raise ValueError("[FileWriter] %s, got %r, expected a power of 2 from %d to %d" % (name, value, low, high))
        return value

    def set_header_size(self, header_size):
        """Bytes before the first page."""
        self._header_size = self._power(header_size, "header_size", 1 << 14, 1 << 27)

    def set_page_size(self, page_size):
        """Bytes of a page; no row may be longer."""
        self._page_size = self._power(page_size, "page_size", 1 << 15, 1 << 28)

    def add_schema(self, content, desc=None):
        """{field: {"type": int32, int64, float32, float64, string or bytes; "shape": sizes of an array}}."""
        if not isinstance(content, dict) or not content:
            raise ValueError("[FileWriter] schema, got %r, expected a dict of fields" % (content,))
        for name, about in content.items():
            known = isinstance(name, str) and name.isidentifier() and isinstance(about, dict)
            kind = about.get("type") if known else None
            if kind not in _SQL and kind != "bytes" or set(about) - {"type", "shape"}:
                raise ValueError("[FileWriter] field of the schema, got %r: %r, expected a name and {'type': ...}"
                                 % (name, about))
            shape = about.get("shape")
            if shape is not None and (kind not in SCALARS or not isinstance(shape, list)
                                      or not all(isinstance(s, int) for s in shape)):
                raise ValueError("[FileWriter] shape of %r, got %r, expected sizes of an array of numbers" % (name, shape))
        self._schema, self._desc = {k: dict(v) for k, v in sorted(content.items())}, desc or ""
        if all(self._is_blob(about) for about in self._schema.values()):
            self._schema["id"] = {"type": "int64"}  # an index needs a number
        return 0

    @staticmethod
    def _is_blob(about):
        return about["type"] == "bytes" or "shape" in about

    def add_index(self, index_fields):
        """Fields by which other readers may look rows up; by default the first number or text."""
        if not isinstance(index_fields, list):
            raise TypeError("[FileWriter] index_fields, got %s, expected a list" % type(index_fields).__name__)
        for name in index_fields:
            if self._schema is None or name not in self._schema or self._is_blob(self._schema[name]):
                raise ValueError("[FileWriter] index field, got %r, expected a number or text of the schema" % (name,))
        self._index = list(index_fields)

    def write_raw_data(self, raw_data, parallel_writer=False):
        """Adds rows; each call shares them out over the files."""
        if not isinstance(raw_data, list) or not all(isinstance(row, dict) for row in raw_data):
            raise ValueError("[FileWriter] raw_data, expected a list of dicts")
        if self._schema is None:
            raise RuntimeError("[FileWriter] schema, got none, expected add_schema before rows")
        if self._shards is None:
            self._index = self._index or [next(n for n, about in self._schema.items() if not self._is_blob(about))]
            self._shards = [_ShardFile(p, self._header_size, self._page_size) for p in self._paths]
        packed = [self._packed(row, i) for i, row in enumerate(raw_data)]
        share, rest, at = len(packed) // len(self._shards), len(packed) % len(self._shards), 0
        for i, shard in enumerate(self._shards):
            count = share + (i < rest)
            for row in packed[at:at + count]:
                shard.add(*row)
            at += count

    def _packed(self, row, number):
        plain, blobs = [], []
        for name, about in self._schema.items():
            if name not in row and name == "id":
                row = dict(row, id=number)
            if name not in row:
                raise RuntimeError("[FileWriter] row %d, got no field %r, expected all of the schema" % (number, name))
            try:
                (blobs if self._is_blob(about) else plain).append((name, self._value(row[name], about)))
            except (TypeError, ValueError, OverflowError) as error:
                raise RuntimeError("[FileWriter] field %r of row %d, got %s (%s), expected %s"
                                   % (name, number, type(row[name]).__name__, error, about)) from None
        parts = [data for _, data in blobs]
        if len(parts) == 1:
            blob = parts[0]
        else:
            blob = b"".join(struct.pack(">Q", len(p)) + p for p in parts) if parts else bytes(4)
        values = dict(plain)
        return pack_map(plain), blob, tuple(v for name in self._index for v in (0, values[name]))

    @staticmethod
    def _value(value, about):
        dtype, shape = _kind(about)
        if dtype in (str, bytes):
            if not isinstance(value, dtype) and not (dtype is bytes and isinstance(value, (bytearray, memoryview))):
                raise TypeError("another type")
            return value if dtype is str else bytes(value)
        if shape is None:
            if isinstance(value, (bool, str, bytes)) or np.ndim(value):
                raise TypeError("no number")
            if np.dtype(dtype).kind == "f":
                return float(np.dtype(dtype).type(value))
            info = np.iinfo(dtype)
            if int(value) != value or not info.min <= value <= info.max:
                raise OverflowError("out of range")
            return int(value)
        if np.asarray(value).dtype != dtype:
            raise TypeError("an array of %s" % np.asarray(value).dtype)
        return pack_array(np.ascontiguousarray(np.asarray(value).reshape(shape)))

    def commit(self):
        """Completes the files and their indexes."""
        if self._shards is None:
            raise RuntimeError("[FileWriter] rows, got none, expected write_raw_data before commit")
        schema = [{"blob_fields": [n for n, about in self._schema.items() if self._is_blob(about)], "desc": self._desc,
                   "schema": self._schema}]
        try:
            for i, shard in enumerate(self._shards):
                shard.finish({
                    "header_size": self._header_size, "page_size": self._page_size, "compression_size": 0, "schema": schema,
                    "index_fields": [{"index_field": name, "schema_id": 0} for name in self._index],
                    "shard_addresses": [os.path.basename(p) for p in self._paths], "shard_id": i, "statistics": None,
                    "version": "3.0"}, [(name, _SQL[self._schema[name]["type"]]) for name in self._index])
        finally:
            for shard in self._shards:
                shard.drop()
        self._shards = None
        return 0
