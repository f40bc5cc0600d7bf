"""Schema: names, types and shapes of columns, with a JSON form."""
import json
import os

import numpy as np

from ..common.dtype import dtype_to_nptype

_TYPES = ("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64", "string", "bytes")


def _type_name(de_type):
    if isinstance(de_type, str):
        name = de_type
    else:
        name = str(de_type).lower()
        try:
            name = np.dtype(dtype_to_nptype(de_type)).name if name != "string" else name
        except (TypeError, KeyError, ValueError):
            pass
    if name not in _TYPES or isinstance(de_type, type):
        raise TypeError("[Schema] type of a column, got %r, expected one of %s" % (de_type, ", ".join(_TYPES)))
    return name


class Schema:
    """The columns of a dataset, set by add_column, parse_columns, from_json or a JSON file."""

    def __init__(self, schema_file=None):
        self.schema_file, self.columns, self._kind, self._rows = schema_file, [], None, None
        if schema_file is None:
            return
        if not isinstance(schema_file, (str, os.PathLike)):
            raise TypeError("[Schema] schema_file, got %s, expected a str" % type(schema_file).__name__)
        if not os.path.isfile(schema_file):
            raise ValueError("[Schema] schema_file, got %s, expected a file that is there" % (schema_file,))
        with open(schema_file, encoding="utf-8") as file:
            self.from_json(json.load(file))

    def add_column(self, name, de_type, shape=None):
        """Adds a column; shape is a list of sizes (-1: unknown), or None."""
        if not isinstance(name, str):
            raise TypeError("[Schema] name, got %s, expected a str" % type(name).__name__)
        if shape is not None and (not isinstance(shape, list) or any(isinstance(s, bool) or not isinstance(s, int) for s in shape)):
            raise TypeError("[Schema] shape, got %r, expected a list of ints" % (shape,))
        column = {"name": name, "rank": 1 if shape is None else len(shape)}
        if shape is not None:
            column["shape"] = list(shape)
        self.columns.append(dict(column, type=_type_name(de_type)))

    def parse_columns(self, columns):
        """Adds columns from a list of dicts with name, type and shape, or from a dict from names to dicts with type and shape."""
        if isinstance(columns, dict):
            columns = [dict(about, name=name) for name, about in columns.items()]
        if not isinstance(columns, list):
            raise RuntimeError("[Schema] columns, got %s, expected a dict or a list" % type(columns).__name__)
        for about in columns:
            for word in ("name", "type"):
                if not isinstance(about, dict) or word not in about:
                    raise RuntimeError("[Schema] column, got %r, expected a dict with its %s" % (about, word))
            try:
                shape = list(about.get("shape") or [])
                self.add_column(about["name"], about["type"], shape or (None if about.get("rank") else []))
            except TypeError as error:
                raise RuntimeError(str(error)) from None

    def from_json(self, json_obj):
        """Replaces everything by a dict with columns and, where known, datasetType and numRows."""
        if not isinstance(json_obj, dict) or not json_obj:
            raise RuntimeError("[Schema] json_obj, got %r, expected a dict with columns" % (json_obj,))
        for word in json_obj:
            if word not in ("columns", "datasetType", "numRows"):
                raise RuntimeError("[Schema] field, got %r, expected columns, datasetType or numRows" % (word,))
        if not json_obj.get("columns"):
            raise RuntimeError("[Schema] columns, got none, expected one or more")
        self.columns = []
        self.parse_columns(json_obj["columns"])
        self._kind, self._rows = json_obj.get("datasetType"), json_obj.get("numRows")

    def to_json(self):
        """Returns the schema as JSON text."""
        found = {"columns": self.columns or None}
        if self._kind:
            found["datasetType"] = self._kind
        if self._rows:
            found["numRows"] = self._rows
        return json.dumps(found, indent=2, sort_keys=True)

    def get_num_rows(self):
        """Returns the number of rows; 0 if the schema does not say."""
        return self._rows or 0

    def __str__(self):
        return self.to_json()


def as_schema(schema, where):
    """Returns a Schema, or reads that of a file."""
    if isinstance(schema, Schema):
        return schema
    if not isinstance(schema, str):
        raise TypeError("[%s] schema, got %s, expected a Schema or the name of a file" % (where, type(schema).__name__))
    return Schema(schema)


def numpy_type(column):
    """The NumPy dtype of a column; None for texts."""
    return None if column["type"] in ("string", "bytes") else np.dtype(column["type"])
