"""save: writes the rows of a dataset to MindRecord files."""
import os

import numpy as np

from ..mindrecord.writer import FileWriter
from .core import whole

# The MindRecord type for each NumPy type.
_KINDS = {"bool": "int32", "uint8": "int32", "int8": "int32", "int16": "int32", "uint16": "int32", "int32": "int32", "uint32": "int64",
          "int64": "int64", "uint64": "int64", "float16": "float32", "float32": "float32", "float64": "float64"}
_MOST_FILES, _ROWS = 1000, 1000


def save(dataset, file_name, num_files, file_type):
    """Writes a dataset to MindRecord files; see Dataset.save."""
    if not isinstance(file_name, str):
        raise TypeError("[save] file_name, got %s, expected a str" % type(file_name).__name__)
    whole("num_files", num_files, 1, _MOST_FILES)
    if file_type != "mindrecord":
        raise ValueError("[save] file_type, got %r, expected 'mindrecord'" % (file_type,))
    if not os.path.basename(file_name):
        raise RuntimeError("[save] file_name, got %r, expected the name of a file" % (file_name,))
    writer, columns, waiting = FileWriter(file_name, num_files), list(dataset._columns), []
    kinds = None
    for row in dataset._all_rows():
        if kinds is None:
            kinds = [_kind(name, value) for name, value in zip(columns, row)]
            writer.add_schema(dict(zip(columns, kinds)))
        waiting.append({name: _value(value, kind) for name, value, kind in zip(columns, row, kinds)})
        if len(waiting) == _ROWS:
            writer.write_raw_data(waiting)
            waiting = []
    if kinds is None:
        raise RuntimeError("[save] dataset, got no rows, expected one at least")
    if waiting:
        writer.write_raw_data(waiting)
    writer.commit()


def _kind(name, value):
    """The field of a MindRecord schema for values like this one."""
    if not isinstance(value, np.ndarray) and not isinstance(value, np.generic):
        raise RuntimeError("[save] column %r, got %s, expected numbers, texts or bytes" % (name, type(value).__name__))
    value = np.asarray(value)
    if value.dtype.kind in "US":
        if value.size != 1 or value.ndim > 1:
            raise RuntimeError("[save] column %r, got texts of shape %s, expected one text in each row" % (name, value.shape))
        return {"type": "string" if value.dtype.kind == "U" else "bytes"}
    kind = _KINDS.get(value.dtype.name)
    if kind is None:
        raise RuntimeError("[save] dtype of column %r, got %s, expected numbers, texts or bytes" % (name, value.dtype))
    # The first size of an array may differ between rows, the others may not.
    return {"type": kind} if not value.ndim else {"type": kind, "shape": [-1] + list(value.shape[1:])}


def _value(value, kind):
    value = np.asarray(value)
    if kind["type"] == "bytes":
        return value.item()
    if kind["type"] == "string":
        return str(value)
    if value.dtype == np.uint64 and value.size and value.max() > np.iinfo(np.int64).max:
        raise RuntimeError("[save] value, got %d, expected one within the range of int64" % value.max())
    value = value.astype(kind["type"])
    return value if "shape" in kind else value.item()
