"""FileWriter: makes MindRecord files, with the index beside each."""
import os
import struct

import numpy as np

from .common.exceptions import (
    MRMAddSchemaError,
    MRMDefineIndexError,
    MRMInvalidSchemaError,
    ParamTypeError,
    ParamValueError,
)
from .packing import pack_array, pack_map
from .records import SCALARS, _kind, open_shards
from .shard_file import ShardFile

_SQL = {"int32": "INTEGER", "int64": "INTEGER", "float32": "REAL", "float64": "REAL", "string": "TEXT"}
_MOST_SHARDS = 1000


class FileWriter:
    """Writes rows, which are dicts of the fields of a schema, to `shard_num` files. The files get their names in commit."""

    def __init__(self, file_name, shard_num=1, overwrite=False):
        if not isinstance(file_name, (str, os.PathLike)):
            raise ParamValueError("[FileWriter] file_name, got %s, expected a str" % type(file_name).__name__)
        base = os.path.basename(os.fspath(file_name))
        if not base or set(base) & set("\\:*?\"<>|`&;'"):
            raise ParamValueError("[FileWriter] file_name, got %r, expected the name of a file without such characters" % (file_name,))
        if not isinstance(overwrite, bool):
            raise ParamValueError("[FileWriter] overwrite, got %s, expected a bool" % type(overwrite).__name__)
        if isinstance(shard_num, bool) or not isinstance(shard_num, int) or not 1 <= shard_num <= _MOST_SHARDS:
            raise ParamValueError("[FileWriter] shard_num, got %r, expected 1 to %d" % (shard_num, _MOST_SHARDS))
        path, digits = os.fspath(file_name), len(str(shard_num - 1))
        self._paths = [path] if shard_num == 1 else ["%s%0*d" % (path, digits, i) for i in range(shard_num)]
        for path in self._paths:
            if os.path.exists(path) and not overwrite:
                raise RuntimeError("[FileWriter] file, got %s that is there already, expected overwrite=True" % (path,))
        self._schema, self._desc, self._index, self._shards, self._appends = None, "", [], None, False
        self._header_size, self._page_size = 1 << 24, 1 << 25

    @classmethod
    def open_for_append(cls, file_name):
        """A writer that appends rows to a file, or to all files that belong to the one named; schema and sizes stay as they are.
        The files change only in commit. RuntimeError for files that do not exist or have no index.

        >>> import os, tempfile
        >>> from msjit.mindrecord import FileReader, FileWriter
        >>> path = os.path.join(tempfile.mkdtemp(), "rows.mindrecord")
        >>> first = FileWriter(path)
        >>> _ = first.add_schema({"x": {"type": "int32"}}), first.write_raw_data([{"x": 1}]), first.commit()
        >>> more = FileWriter.open_for_append(path)
        >>> _ = more.write_raw_data([{"x": 2}]), more.commit()
        >>> [row["x"] for row in FileReader(path).get_next()]
        [1, 2]
        """
        if not isinstance(file_name, (str, os.PathLike)) or not os.fspath(file_name):
            raise ParamValueError("[FileWriter] file_name, got %r, expected a str" % (file_name,))
        shards = open_shards(file_name, "FileWriter")
        for shard in shards:
            if not os.path.isfile(shard.path + ".db"):
                raise RuntimeError("[FileWriter] index, got none at %s.db, expected one beside each file" % shard.path)
        made, head = cls.__new__(cls), shards[0].head
        made._paths, made._appends = [shard.path for shard in shards], True
        made._schema, made._desc = dict(shards[0].fields), head["schema"][0].get("desc", "")
        made._index = [field["index_field"] for field in head["index_fields"] or ()]
        made._header_size, made._page_size = int(head["header_size"]), int(head["page_size"])
        made._shards = [ShardFile.behind(shard) for shard in shards]
        return made

    def _power(self, value, name, low, high):
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high or value & (value - 1):
            whole = isinstance(value, int) and not isinstance(value, bool)
            raise (RuntimeError if whole else TypeError)("[FileWriter] %s, got %r, expected a power of 2 from %d to %d" % (name, value, low, high))
        return value

    def set_header_size(self, header_size):
        """Sets the number of bytes before the first page; files that have rows keep theirs."""
        if self._appends:
            return
        self._header_size = self._power(header_size, "header_size", 1 << 14, 1 << 27)

    def set_page_size(self, page_size):
        """Sets the number of bytes of a page, beyond which no row may be longer; files that have rows keep theirs."""
        if self._appends:
            return
        self._page_size = self._power(page_size, "page_size", 1 << 15, 1 << 28)

    def add_schema(self, content, desc=None):
        """{field: {"type": int32, int64, float32, float64, string or bytes; "shape": sizes of an array}}."""
        if self._schema is not None:
            raise MRMAddSchemaError("[FileWriter] schema, got a second one, expected one")
        if desc is not None and not isinstance(desc, str):
            raise TypeError("[FileWriter] desc, got %s, expected a str" % type(desc).__name__)
        if not isinstance(content, dict) or not content:
            raise MRMInvalidSchemaError("[FileWriter] schema, got %r, expected a dict of fields" % (content,))
        for name, about in content.items():
            known = isinstance(name, str) and name.isidentifier() and isinstance(about, dict)
            kind = about.get("type") if known else None
            if kind not in _SQL and kind != "bytes" or set(about) - {"type", "shape"}:
                raise MRMInvalidSchemaError("[FileWriter] field of the schema, got %r: %r, expected a name and {'type': ...}"
                                 % (name, about))
            shape = about.get("shape")
            if shape is not None and (kind not in SCALARS or not isinstance(shape, list)
                                      or not all(isinstance(s, int) for s in shape)):
                raise MRMInvalidSchemaError("[FileWriter] shape of %r, got %r, expected sizes of an array of numbers" % (name, shape))
        self._schema, self._desc = {k: dict(v) for k, v in sorted(content.items())}, desc or ""

    @staticmethod
    def _is_blob(about):
        return about["type"] == "bytes" or "shape" in about

    def add_index(self, index_fields):
        """Sets the fields by which other readers may look rows up; by default the first number or text, if there is one. Files that have rows keep theirs."""
        if not isinstance(index_fields, list):
            raise ParamTypeError("[FileWriter] index_fields, got %s, expected a list" % type(index_fields).__name__)
        if self._appends:
            return
        for name in index_fields:
            if not isinstance(name, str):
                raise ParamTypeError("[FileWriter] index field, got %s, expected a str" % type(name).__name__)
        for name in index_fields:
            if self._schema is None or name not in self._schema or self._is_blob(self._schema[name]):
                raise (MRMDefineIndexError if name in (self._schema or ()) else RuntimeError)("[FileWriter] index field, got %r, expected a number or text of the schema" % (name,))
        self._index = list(index_fields)

    def write_raw_data(self, raw_data, parallel_writer=False):
        """Adds rows; each call shares them out over the files."""
        if not isinstance(raw_data, list) or not all(isinstance(row, dict) for row in raw_data):
            raise ParamTypeError("[FileWriter] raw_data, expected a list of dicts")
        if not isinstance(parallel_writer, bool):
            raise TypeError("[FileWriter] parallel_writer, got %s, expected a bool" % type(parallel_writer).__name__)
        if self._schema is None:
            raise RuntimeError("[FileWriter] schema, got none, expected add_schema before rows")
        if self._shards is None:
            self._index = self._index or [n for n, about in self._schema.items() if not self._is_blob(about)][:1]
            self._shards = [ShardFile(p, self._header_size, self._page_size) for p in self._paths]
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
        return pack_map(plain or [("id", 0)]), blob, tuple(v for name in self._index for v in (0, values[name]))

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
                    "index_fields": [{"index_field": name, "schema_id": 0} for name in self._index] or None,
                    "shard_addresses": [os.path.basename(p) for p in self._paths], "shard_id": i, "statistics": None,
                    "version": "3.0"}, [(name, _SQL[self._schema[name]["type"]]) for name in self._index])
        finally:
            for shard in self._shards:
                shard.drop()
        self._shards = None
