"""Files of other datasets as MindRecord files: CIFAR-10, CIFAR-100, MNIST, ImageNet, CSV and TFRecord."""
import csv
import gzip
import io
import os
import pickle

import numpy as np

from .common.exceptions import ParamValueError
from .writer import FileWriter

_ROWS = 1000  # written at once


class _Converter:
    """A subclass gives `transform`."""

    def run(self):
        """As transform."""
        self.transform()

    def _text(self, value, name):
        if not isinstance(value, (str, os.PathLike)) or not os.fspath(value):
            raise ParamValueError("[%s] %s, got %r, expected a path" % (type(self).__name__, name, value))
        return os.fspath(value)

    def _write(self, destination, schema, rows, partitions=1, index=(), desc=""):
        writer, waiting = FileWriter(destination, partitions), []
        writer.add_schema(schema, desc)
        if index:
            writer.add_index(list(index))
        for row in rows:
            waiting.append(row)
            if len(waiting) == _ROWS:
                writer.write_raw_data(waiting)
                waiting = []
        if waiting:
            writer.write_raw_data(waiting)
        writer.commit()


def _jpeg(image):
    """The bytes of a JPEG file of an image (H, W) or (H, W, 3)."""
    from ..dataset.vision.base import pillow
    stream = io.BytesIO()
    pillow().fromarray(np.ascontiguousarray(image)).save(stream, "JPEG", quality=95)
    return stream.getvalue()


class _ArraysOnly(pickle.Unpickler):
    """Unpickles dicts, lists, texts and NumPy's arrays, and runs no other code."""

    _KNOWN = {("numpy.core.multiarray", "_reconstruct"), ("numpy._core.multiarray", "_reconstruct"), ("numpy", "ndarray"),
              ("numpy", "dtype"), ("numpy.core.multiarray", "scalar"), ("numpy._core.multiarray", "scalar"), ("_codecs", "encode")}

    def find_class(self, module, name):
        """The function or class of a name, if it belongs to arrays."""
        if (module, name) not in self._KNOWN:
            raise pickle.UnpicklingError("%s.%s" % (module, name))
        return super().find_class(module, name)


def _batch(path, where):
    """The dict of a pickled batch of CIFAR, with texts as keys."""
    with open(path, "rb") as file:
        try:
            found = _ArraysOnly(file, encoding="bytes").load()
            return {key.decode() if isinstance(key, bytes) else key: value for key, value in found.items()}
        except (pickle.UnpicklingError, EOFError, AttributeError, ValueError, IndexError, ImportError, TypeError, KeyError) as error:
            raise RuntimeError("[%s] file, got %s (%r), expected a batch of the Python version" % (where, path, error)) from None


class Cifar10ToMR(_Converter):
    """The Python version of CIFAR-10, its folder `source`, as the files `destination` and `destination`_test.

    Fields: id and label (int64), data (the bytes of a JPEG file).
    """

    _train, _test = ["data_batch_%d" % i for i in range(1, 6)], ["test_batch"]
    _labels = (("label", "labels"),)

    def __init__(self, source, destination):
        self.source, self.destination = self._text(source, "source"), self._text(destination, "destination")

    def _rows(self, names):
        where, number = type(self).__name__, 0
        for name in names:
            batch = _batch(os.path.join(self.source, name), where)
            try:
                images = np.asarray(batch["data"], np.uint8).reshape(-1, 3, 32, 32).transpose(0, 2, 3, 1)
                labels = [[int(value) for value in batch[key]] for _, key in self._labels]
            except (KeyError, ValueError, TypeError) as error:
                raise RuntimeError("[%s] file, got %s (%r), expected 'data' and labels" % (where, name, error)) from None
            for image, *values in zip(images, *labels):
                row = {"id": number, "data": _jpeg(image)}
                row.update((field, value) for (field, _), value in zip(self._labels, values))
                yield row
                number += 1

    def transform(self, fields=None):
        """Writes the files; `fields` are those of an index. Raises RuntimeError for files that are no batches."""
        if fields is not None and not isinstance(fields, list):
            raise ParamValueError("[%s] fields, got %r, expected a list of texts" % (type(self).__name__, fields))
        schema = {"id": {"type": "int64"}, "data": {"type": "bytes"}}
        schema.update((field, {"type": "int64"}) for field, _ in self._labels)
        for names, path in ((self._train, self.destination), (self._test, self.destination + "_test")):
            self._write(path, schema, self._rows(names), 1, fields or (), "img_schema")

    def run(self, fields=None):
        """As transform."""
        self.transform(fields)


class Cifar100ToMR(Cifar10ToMR):
    """The Python version of CIFAR-100, as Cifar10ToMR; fields id, fine_label, coarse_label (int64) and data."""

    _train, _test = ["train"], ["test"]
    _labels = (("fine_label", "fine_labels"), ("coarse_label", "coarse_labels"))


class MnistToMR(_Converter):
    """The four .gz files of MNIST in the folder `source`, as `destination`_train.mindrecord and `destination`_test.mindrecord.

    Fields: label (int64), data (the bytes of a JPEG file).
    """

    def __init__(self, source, destination, partition_number=1):
        self.source, self.destination = self._text(source, "source"), self._text(destination, "destination")
        self.partition_number = partition_number
        FileWriter(self.destination + "_train.mindrecord", partition_number, overwrite=True)  # checks the number

    def _array(self, name, magic):
        path, rank = os.path.join(self.source, name), magic & 255
        try:
            with gzip.open(path, "rb") as file:
                data = file.read()
        except (OSError, EOFError) as error:
            raise RuntimeError("[MnistToMR] file, got %s (%s), expected an IDX file in gzip" % (path, error)) from None
        numbers = [int.from_bytes(data[4 * i:4 * i + 4], "big") for i in range(rank + 1)]
        size = int(np.prod(numbers[1:], dtype=np.int64))
        if numbers[0] != magic or len(data) < 4 * (rank + 1) + size:
            raise RuntimeError("[MnistToMR] file, got %s, expected a whole IDX file that begins with %d" % (path, magic))
        return np.frombuffer(data, np.uint8, size, 4 * (rank + 1)).reshape(numbers[1:])

    def transform(self):
        """Writes the files. Raises RuntimeError for files that are not those of MNIST."""
        for name, end in (("train", "_train.mindrecord"), ("t10k", "_test.mindrecord")):
            images, labels = self._array(name + "-images-idx3-ubyte.gz", 2051), self._array(name + "-labels-idx1-ubyte.gz", 2049)
            rows = ({"label": int(label), "data": _jpeg(image)} for image, label in zip(images, labels))
            self._write(self.destination + end, {"label": {"type": "int64"}, "data": {"type": "bytes"}}, rows,
                        self.partition_number, ["label"], "mnist_schema")


class ImageNetToMR(_Converter):
    """Images in a folder for each class, and a file of lines "FOLDER LABEL", as `partition_number` files.

    Fields: label (int32), image (the bytes of the file), file_name.
    """

    def __init__(self, map_file, image_dir, destination, partition_number=1):
        self.map_file, self.image_dir = self._text(map_file, "map_file"), self._text(image_dir, "image_dir")
        self.destination, self.partition_number = self._text(destination, "destination"), partition_number
        FileWriter(self.destination, partition_number, overwrite=True)

    def _rows(self):
        if not os.path.exists(self.map_file):
            raise OSError("[ImageNetToMR] map_file, got %s, expected a file that is there" % (self.map_file,))
        with open(self.map_file, encoding="utf-8") as file:
            classes = [line.split() for line in file if line.strip()]
        for fields in classes:
            if len(fields) != 2 or not fields[1].isdigit():
                raise RuntimeError("[ImageNetToMR] line of %s, got %r, expected a folder and a number" % (self.map_file, " ".join(fields)))
            folder = os.path.join(self.image_dir, fields[0])
            for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
                path = os.path.join(folder, name)
                with open(path, "rb") as file:
                    yield {"label": int(fields[1]), "image": file.read(), "file_name": path}

    def transform(self):
        """Writes the files."""
        schema = {"label": {"type": "int32"}, "image": {"type": "bytes"}, "file_name": {"type": "string"}}
        self._write(self.destination, schema, self._rows(), self.partition_number, ["label", "file_name"], "imagenet_schema")


class CsvToMR(_Converter):
    """A CSV file with the names of its columns first, as `partition_number` files: columns of int64, float64 or texts."""

    def __init__(self, source, destination, columns_list=None, partition_number=1):
        self.source, self.destination = self._text(source, "source"), self._text(destination, "destination")
        if columns_list is not None and not (isinstance(columns_list, list) and all(isinstance(one, str) for one in columns_list)):
            raise ParamValueError("[CsvToMR] columns_list, got %r, expected a list of texts" % (columns_list,))
        self.columns_list, self.partition_number = columns_list, partition_number
        FileWriter(self.destination, partition_number, overwrite=True)

    @staticmethod
    def _column(values):
        """(type, values) of a column of texts."""
        for kind, name in ((int, "int64"), (float, "float64")):
            try:
                return name, [kind(value) for value in values]
            except ValueError:
                continue
        return "string", values

    def transform(self):
        """Writes the files. OSError for a file that is not there, RuntimeError for columns that it has not and for uneven lines."""
        if not os.path.exists(self.source):
            raise OSError("[CsvToMR] source, got %s, expected a file that is there" % (self.source,))
        with open(self.source, encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
        names = rows[0] if rows else []
        for number, row in enumerate(rows):
            if len(row) != len(names):
                raise RuntimeError("[CsvToMR] fields, got %d in row %d of %s, expected %d" % (len(row), number + 1, self.source, len(names)))
        chosen = self.columns_list or names
        for name in chosen:
            if name not in names:
                raise RuntimeError("[CsvToMR] columns_list, got %r, expected columns of %s" % (name, names))
        columns = {name: self._column([row[names.index(name)] for row in rows[1:]]) for name in chosen}
        schema = {name: {"type": kind} for name, (kind, _) in columns.items()}
        made = (dict(zip(columns, values)) for values in zip(*(values for _, values in columns.values())))
        self._write(self.destination, schema, made, self.partition_number, chosen[:1], "csv_schema")


class TFRecordToMR(_Converter):
    """A TFRecord file as a MindRecord file. feature_dict says shape and dtype of each feature: objects with `shape` and `dtype`,
    such as TensorFlow's FixedLenFeature. Features of texts that bytes_fields names are bytes, the others texts."""

    _kinds = {"int64": "int64", "int32": "int32", "float32": "float32", "float64": "float64", "string": "string"}

    def __init__(self, source, destination, feature_dict, bytes_fields=None):
        self.source, self.destination = self._text(source, "source"), self._text(destination, "destination")
        if not isinstance(feature_dict, dict) or not feature_dict:
            raise ValueError("[TFRecordToMR] feature_dict, got %r, expected a dict of features" % (feature_dict,))
        if bytes_fields is not None and not (isinstance(bytes_fields, list) and set(bytes_fields) <= set(feature_dict)):
            raise ValueError("[TFRecordToMR] bytes_fields, got %r, expected a list of names of feature_dict" % (bytes_fields,))
        self.feature_dict, self.bytes_fields = feature_dict, bytes_fields or []

    def _about(self, name):
        """(field of the schema, shape) of a feature."""
        feature = self.feature_dict[name]
        dtype = getattr(feature, "dtype", None)
        kind = self._kinds.get(getattr(dtype, "name", dtype))
        if kind is None or not hasattr(feature, "shape"):
            raise ValueError("[TFRecordToMR] feature %r, got %r, expected one with shape and dtype" % (name, feature))
        shape = [int(size) for size in np.atleast_1d(np.asarray(feature.shape, np.int64))]
        if name in self.bytes_fields:
            return {"type": "bytes"}, shape
        return ({"type": kind, "shape": shape} if shape and kind != "string" else {"type": kind}), shape

    def tfrecord_iterator(self):
        """Yields a dict of the fields for each record."""
        from ..dataset.tfrecord import example, records
        about = {name: self._about(name) for name in self.feature_dict}
        for data in records(self.source, "TFRecordToMR"):
            found = example(data)
            yield {name: self._value(found, name, *about[name]) for name in about}

    @staticmethod
    def _value(found, name, kind, shape):
        if name not in found or not len(found[name]):
            raise RuntimeError("[TFRecordToMR] feature, got none of the name %r in a record, expected one" % name)
        values = found[name]
        if isinstance(values, list):
            return values[0] if kind["type"] == "bytes" else values[0].decode("utf-8")
        values = values.astype(kind["type"])
        return values.reshape(shape) if "shape" in kind else values[0].item()

    def transform(self):
        """Writes the file."""
        if not os.path.isfile(self.source):
            raise OSError("[TFRecordToMR] source, got %s, expected a file that is there" % (self.source,))
        schema = {name: self._about(name)[0] for name in self.feature_dict}
        self._write(self.destination, schema, self.tfrecord_iterator(), 1, (), "tfrecord_schema")
