"""Dataset: the methods that every dataset has, and the iterators.

A dataset is a chain of steps. `_open(run)` of a step returns a function, which is called once for each epoch and returns an iterator over
the rows of that epoch. The closure of the function holds what lives through all epochs of one reading: random engines, workers. Rows are
tuples of NumPy arrays; the iterators convert them to tensors.
"""
import itertools
import traceback
import weakref

import numpy as np

from ..common.tensor import Tensor
from .arguments import flag, names, row_size, some, whole  # noqa: F401 - other files import them from here
from .config import INT32_MAX
from .samplers import pipeline_seed
from .shown_values import inside, tensor
from .workers import RowError


class Run:
    """One reading of a pipeline: its seed, its epoch, and the workers that are stopped with it."""

    def __init__(self):
        self.seed, self.epoch, self.pools = pipeline_seed(), 0, []
        self.repeats = False  # whether `repeat` starts another pass in this epoch after the current one
        self._steps = itertools.count()

    def step(self):
        """Returns the number of the next step, which becomes part of the key for its random draws."""
        return next(self._steps)

    def close(self):
        """Stops the workers."""
        for pool in self.pools:
            pool.close()


class Dataset:
    """Base class of datasets: a subclass defines `_open` and, if possible, `_count`, `_columns` and `_children`."""

    _columns = ()
    _children = ()
    _size = None

    def _open(self, run):
        raise NotImplementedError

    def _count(self):
        run = Run()
        try:
            return sum(1 for _ in self._open(run)())
        finally:
            run.close()

    # -- steps ------------------------------------------------------------------------------------------------------

    def batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, **kwargs):
        """Stacks batch_size rows (an int, or a function of a BatchInfo) into one.

        per_batch_map(*columns, info) changes the lists of rows of the input_columns before they are stacked.
        """
        _waiting.batched(self, batch_size)
        return _steps.Batch(self, batch_size, drop_remainder, _waiting.workers(self, num_parallel_workers), **kwargs)

    def padded_batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, pad_info=None):
        """Pads columns, then stacks rows as batch: pad_info maps a column to (shape or None, value).

        An empty pad_info pads every column with zeros to the largest size in the batch, None pads none.
        """
        _waiting.batched(self, batch_size)
        return _steps.PaddedBatch(self, batch_size, drop_remainder, _waiting.workers(self, num_parallel_workers), pad_info)

    def bucket_batch_by_length(self, column_names, bucket_boundaries, bucket_batch_sizes, element_length_function=None,
                               pad_info=None, pad_to_bucket_boundary=False, drop_remainder=False):
        """Batches rows of similar length, those between the same two boundaries.

        The length is element_length_function(*columns), or that of the one column. pad_info is as in padded_batch.
        """
        return _steps.Buckets(self, names(column_names), bucket_boundaries, bucket_batch_sizes,
                              element_length_function, pad_info, pad_to_bucket_boundary, drop_remainder)

    def map(self, operations, input_columns=None, output_columns=None, num_parallel_workers=None, **kwargs):
        """Applies one operation, or several one after another, to the input_columns (by default the first column).

        With num_parallel_workers above 1 threads make the rows; with python_multiprocessing=True processes do.
        """
        workers = _waiting.workers(self, num_parallel_workers)
        return _steps.Map(self, operations, some(names(input_columns), "input_columns"), names(output_columns), workers, **kwargs)

    def filter(self, predicate, input_columns=None, num_parallel_workers=None):
        """Keeps the rows for which predicate(*input_columns) is true."""
        return _steps.Filter(self, predicate, some(names(input_columns), "input_columns"), num_parallel_workers)

    def flat_map(self, func):
        """Replaces each row by the rows of the dataset that func(*row) returns."""
        return _steps.FlatMap(self, func)

    def shuffle(self, buffer_size):
        """Shuffles within a buffer of rows. The order differs between epochs, and is fixed by the seed."""
        whole("buffer_size", buffer_size, 2)
        if _waiting.waiting(self):
            raise RuntimeError("[shuffle] dataset, got one with sync_wait, expected shuffle before it")
        return _steps.Shuffle(self, buffer_size)

    def repeat(self, count=None):
        """Repeats the rows `count` times in each epoch; without end for None or -1."""
        if count is not None and count != -1:
            whole("count", count, 1)
        return self if count == 1 else _steps.Repeat(self, count)

    def take(self, count=-1):
        """Keeps only the first `count` rows; all for -1."""
        if count == -1:
            return self
        whole("count", count, 1)
        return _steps.Slice(self, 0, count)

    def skip(self, count):
        """Drops the first `count` rows."""
        whole("count", count, 0)
        return _steps.Slice(self, count, None)

    def project(self, columns):
        """Keeps only these columns, in this order."""
        return _steps.Project(self, some(names(columns), "columns"))

    def rename(self, input_columns, output_columns):
        """Renames columns."""
        return _steps.Rename(self, names(input_columns), names(output_columns))

    def zip(self, datasets):
        """Joins the columns of several datasets side by side."""
        if not isinstance(datasets, (tuple, list)) and not isinstance(datasets, Dataset):
            raise TypeError("[zip] datasets, got %s, expected a Dataset or a tuple of them" % type(datasets).__name__)
        return zip_datasets((self,) + (tuple(datasets) if isinstance(datasets, (tuple, list)) else (datasets,)))

    def concat(self, datasets):
        """Appends the rows of other datasets."""
        datasets = list(datasets) if isinstance(datasets, (tuple, list)) else [datasets]
        return _steps.Concat([self] + datasets)

    def __add__(self, datasets):
        return self.concat(datasets)

    def apply(self, apply_func):
        """Returns apply_func(self), which must be a dataset."""
        if not callable(apply_func):
            raise TypeError("[apply] apply_func, got %s, expected a function" % type(apply_func).__name__)
        found = apply_func(self)
        if not isinstance(found, Dataset):
            raise TypeError("[apply] result of apply_func, got %s, expected a dataset" % type(found).__name__)
        return found

    def split(self, sizes, randomize=True):
        """Splits the dataset into several without common rows: sizes are numbers of rows, or fractions that add up to 1."""
        from .splitting import split
        flag(randomize, "randomize")
        return split(self, sizes, randomize)

    def save(self, file_name, num_files=1, file_type="mindrecord"):
        """Writes the rows of one epoch to MindRecord files, which MindDataset reads.

        Columns are numbers, texts, bytes, or arrays of int32, int64, float32 or float64. Other integers, bools and float16 are converted to the
        next larger one of these types. Raises ValueError for another file_type or num_files outside 1 to 1000, RuntimeError for existing files.

        >>> import os, tempfile
        >>> from msjit import dataset as ds
        >>> path = os.path.join(tempfile.mkdtemp(), "rows.mindrecord")
        >>> ds.NumpySlicesDataset([3, 4], ["x"], shuffle=False).save(path)
        >>> [int(row[0]) for row in ds.MindDataset(path, shuffle=False)]
        [3, 4]
        """
        from .saving import save
        save(self, file_name, num_files, file_type)

    def build_vocab(self, columns, freq_range, top_k, special_tokens, special_first):
        """Builds the text.Vocab of the words in columns, as text.Vocab.from_dataset."""
        from .text import Vocab
        return Vocab.from_dataset(self, columns, freq_range, top_k, special_tokens, special_first)

    def reset(self):
        """Does nothing: each iterator starts its next epoch by itself."""

    def sync_wait(self, condition_name, num_batch=1, callback=None):
        """Makes rows wait for sync_update, except those of the first `num_batch` batches of each epoch.

        sync_update calls callback(data), which can change how later steps handle the next rows. The later steps have no workers: the thread that
        reads rows also computes them. A read that waits longer than config.get_callback_timeout() raises RuntimeError; so does a condition name
        that is already used.

        >>> from msjit import dataset as ds
        >>> factor = [1]
        >>> data = ds.NumpySlicesDataset([1, 2, 3], ["x"], shuffle=False).sync_wait("ready", callback=factor.append)
        >>> data = data.map(lambda x: x * factor[-1], ["x"])
        >>> for x, in data.create_tuple_iterator(num_epochs=1, output_numpy=True):
        ...     print(x)
        ...     data.sync_update("ready", data=10)
        1
        20
        30
        """
        return _waiting.SyncWait(self, condition_name, num_batch, callback)

    def sync_update(self, condition_name, num_batch=None, data=None):
        """Calls the callback of a sync_wait with data, and releases the rows of `num_batch` more batches, by default one.

        Raises RuntimeError for an unknown name, and for a num_batch that is not an int above 0."""
        _waiting.update(self, condition_name, num_batch, data)

    # -- what a dataset is ------------------------------------------------------------------------------------------

    def get_dataset_size(self):
        """Returns the number of rows in an epoch (of batches, after batch)."""
        if self._size is None:
            self._size = self._count()
        return self._size

    @property
    def dataset_size(self):
        """The number of rows in an epoch, as get_dataset_size returns it."""
        return self.get_dataset_size()

    def get_batch_size(self):
        """Returns the number of rows in a batch."""
        return self._children[0].get_batch_size() if self._children else 1

    def get_repeat_count(self):
        """Returns how often the rows are repeated in an epoch."""
        return self._children[0].get_repeat_count() if self._children else 1

    def get_col_names(self):
        """Returns the names of the columns."""
        return list(self._columns)

    def num_classes(self):
        """Returns the number of classes of the source, or None."""
        return self._children[0].num_classes() if self._children else None

    def get_class_indexing(self):
        """Returns a dict from class name to number, if the source has classes."""
        return self._children[0].get_class_indexing() if self._children else {}

    def is_shuffled(self):
        """Says whether a step or a sampler puts rows into random order."""
        return any(child.is_shuffled() for child in self._children)

    def is_sharded(self):
        """Says whether the source returns only a share of its rows."""
        return any(child.is_sharded() for child in self._children)

    def output_shapes(self, estimate=False):
        """Returns the shape of each column of the first row; with estimate it reads all rows, and sizes that differ are None."""
        flag(estimate, "estimate")
        shapes = None
        for row in self._all_rows() if estimate else itertools.islice(self._all_rows(), 1):
            found = [list(value.shape) if hasattr(value, "shape") else [0] for value in row]
            shapes = found if shapes is None else [_common_shape(a, b) for a, b in zip(shapes, found)]
        if shapes is None:
            raise RuntimeError("[output_shapes] dataset, got no rows, expected one at least")
        return shapes

    def output_types(self):
        """Returns the NumPy dtype of each column of the first row."""
        for row in self._all_rows():
            types = [value.dtype if hasattr(value, "dtype") else np.dtype("O") for value in row]
            return [np.dtype(t.kind) if t.kind in "US" else t for t in types]
        raise RuntimeError("[output_types] dataset, got no rows, expected one at least")

    def _all_rows(self):
        run = Run()
        try:
            for row in self._open(run)():
                yield row
        finally:
            run.close()

    # -- reading ----------------------------------------------------------------------------------------------------

    def create_tuple_iterator(self, columns=None, num_epochs=-1, output_numpy=False, do_copy=False):
        """Returns an iterator over rows as lists; each pass over it is one epoch."""
        return TupleIterator(self if columns is None else self.project(columns), num_epochs, output_numpy, False, do_copy)

    def create_dict_iterator(self, num_epochs=-1, output_numpy=False, do_copy=False):
        """Returns an iterator over rows as dicts; each pass over it is one epoch."""
        return DictIterator(self, num_epochs, output_numpy, True, do_copy)

    def __iter__(self):
        return self.create_tuple_iterator(num_epochs=1)

    def __len__(self):
        return self.get_dataset_size()


class Iterator:
    """Reads a pipeline. StopIteration ends an epoch; reading on starts the next one."""

    def __init__(self, source, num_epochs, output_numpy, as_dict, do_copy=False):
        flag(output_numpy, "output_numpy")
        flag(do_copy, "do_copy")
        if isinstance(num_epochs, bool) or not isinstance(num_epochs, int):
            raise TypeError("[iterator] num_epochs, got %s, expected an int" % type(num_epochs).__name__)
        if num_epochs != -1 and not 1 <= num_epochs <= INT32_MAX:
            raise (RuntimeError if num_epochs == 0 else ValueError)("[iterator] num_epochs, got %d, expected -1 or at least 1" % num_epochs)
        # Columns with names such as _meta-filename appear only if they are renamed.
        self._shown = [i for i, name in enumerate(source._columns) if not name.startswith("_meta-")]
        self._columns, self._numpy, self._as_dict = [source._columns[i] for i in self._shown], output_numpy, as_dict
        self._shown = self._shown if len(self._shown) < len(source._columns) else None
        self._run, self._limit, self._rows = Run(), num_epochs, None
        self._finalizer = weakref.finalize(self, self._run.close)
        self._finalizer.atexit = False  # at exit, concurrent.futures stops its workers itself
        self._epoch = source._open(self._run)

    def __iter__(self):
        return self

    def __next__(self):
        if self._rows is None:
            if self._limit != -1 and self._run.epoch >= self._limit:
                raise RuntimeError("[iterator] epoch, got a row asked for after the last of %d, expected num_epochs to be "
                                   "larger or -1" % self._limit)
            self._rows = self._epoch()
        try:
            row = next(self._rows)
        except StopIteration:
            self._rows = None
            self._run.epoch += 1
            if self._run.epoch == self._limit:
                self._finalizer()
            raise
        except RowError as error:  # the plain class, which programs print
            raise RuntimeError(*error.args) from error.__cause__
        if self._shown is not None:
            row = [row[i] for i in self._shown]
        values = [inside(v, self._numpy) if isinstance(v, dict) else v if self._numpy else tensor(v) for v in row]
        return dict(zip(self._columns, values)) if self._as_dict else values

    def release(self):
        """Stops the workers; no row can be read any more."""
        self._finalizer()
        self._limit, self._rows = self._run.epoch, None

    stop = close = release


class TupleIterator(Iterator):
    """The result of create_tuple_iterator."""


class DictIterator(Iterator):
    """The result of create_dict_iterator."""


def _common_shape(a, b):
    return [x if x == y else None for x, y in zip(a, b)] if len(a) == len(b) else [None] * max(len(a), len(b))


def zip_datasets(datasets):
    """Joins the columns of several datasets side by side."""
    return _steps.Zip(list(datasets))


def array(value, where):
    """Converts the value that a function returned for a column to an array; dicts stay as they are."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O" or isinstance(value, dict):
        return value
    if isinstance(value, Tensor):
        return value.asnumpy()
    try:
        found = np.asarray(value)
    except Exception as error:
        raise RowError("[%s] value, got %s, expected an array\n%s"
                           % (where, type(value).__name__, traceback.format_exc())) from error
    if found.dtype.kind == "O" and not _is_image(value):
        raise RowError("[%s] value, got %s of Python objects, expected numbers, texts or a dict"
                           % (where, type(value).__name__))
    return found


def _is_image(value):
    return type(value).__module__.startswith("PIL.")


from . import steps as _steps  # noqa: E402 - at the end, because the steps are datasets themselves
from . import waiting as _waiting  # noqa: E402
