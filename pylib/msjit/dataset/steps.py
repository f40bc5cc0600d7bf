"""The steps of a pipeline that change rows or columns: map, filter, shuffle, repeat, ..."""
from collections import deque

from . import config, draws
from .callback import as_callbacks, watched
from .core import Dataset, array, flag, row_size
from .engines import Engine64
from .transforms.transforms import Compose
from .workers import Pool, RowError, call, wanted


def known(columns, source, where, error=ValueError):
    """Raises unless all columns are among those of the source."""
    for name in columns:
        if name not in source._columns:
            raise error("[%s] there is no column %r among %s" % (where, name, list(source._columns)))


class Step(Dataset):
    """Base class of steps with one dataset before them."""

    def __init__(self, source):
        if not isinstance(source, Dataset):
            raise TypeError("[dataset] source, got %s, expected a dataset" % type(source).__name__)
        self._source, self._columns, self._children = source, source._columns, (source,)

    def _count(self):
        return self._source.get_dataset_size()


class _Transform:
    """The function that map applies to one row: it takes (key of the row's random generator, values)."""

    def __init__(self, operations, outputs):
        self._operations, self._outputs = operations, outputs

    def __call__(self, task):
        key, current = task
        with draws.row(key):
            for operation in self._operations:
                found = operation(*current)
                current = found if isinstance(found, tuple) else (found,)
        for value in current:
            if value is None:
                raise RowError("[map] result of a function, got None, expected a value")
        if len(current) != self._outputs:
            raise RowError("[map] columns, got %d from the last function, expected %d"
                           % (len(current), self._outputs))
        return tuple(array(value, "map") for value in current)


    def with_hooks(self):
        """A copy with the hooks of config.set_debug_mode before the first operation and after each."""
        operations = []
        for operation in self._operations:
            operations += operation.transforms if type(operation) is Compose else [operation]
        hooked = config.hooks(operations[0], True)
        for operation in operations:
            hooked += [operation] + config.hooks(operation)
        return _Transform(hooked, self._outputs)


class Map(Step):
    """The step that applies operations to columns."""

    def __init__(self, source, operations, inputs, outputs, num_parallel_workers=None, python_multiprocessing=False,
                 cache=None, callbacks=None, max_rowsize=None, offload=None):
        super().__init__(source)
        if cache is not None:
            raise NotImplementedError("[map] keyword cache, got %r, expected it left out" % (cache,))
        self._callbacks = as_callbacks(callbacks)
        operations = list(operations) if isinstance(operations, (list, tuple)) else [operations]
        for operation in operations:
            if not callable(operation):
                raise ValueError("[map] operations, got %r, expected functions or transforms" % (operation,))
        inputs = inputs or [source._columns[0]]
        known(inputs, source, "map")
        outputs = outputs or inputs
        flag(python_multiprocessing, "python_multiprocessing")
        row_size(max_rowsize)
        if offload is not None:
            flag(offload, "offload")
        self._processes, self._workers = python_multiprocessing, wanted(num_parallel_workers, "map")
        self._transform, self._inputs = _Transform(operations, len(outputs)), inputs
        self._operations, self._outputs = operations, outputs
        self._columns, self._places = placed(source._columns, inputs, outputs, "map")

    def _open(self, run):
        inner, step, passes = self._source._open(run), run.step(), [0]
        take = [self._source._columns.index(name) for name in self._inputs]
        pool, transform = None, self._transform
        if config.get_debug_mode():
            transform = transform.with_hooks()
        elif self._workers:
            pool = Pool(transform, self._workers, self._processes, "map", run.seed)
            run.pools.append(pool)

        def tasks(rows, kept):
            start = "%d/%d/%d/" % (run.seed, step, passes[0])
            passes[0] += 1
            for number, row in enumerate(rows):
                kept.append(row)
                yield start + str(number), tuple(row[i] for i in take)

        def epoch():
            kept = deque()
            skips = config.get_error_samples_mode() == config.ErrorSamplesMode.SKIP
            found = tasks(inner(), kept)
            found = pool.results(found, skips) if pool else self._here(transform, found, skips)
            for values in found:
                row = kept.popleft()
                if values is not None:
                    yield tuple(values[i] if new else row[i] for new, i in self._places)
        return watched(epoch, self._callbacks, run) if self._callbacks else epoch

    @staticmethod
    def _here(transform, tasks, skips):
        for task in tasks:
            try:
                yield call("map", transform, task)
            except RuntimeError:
                if not skips:
                    raise
                yield None


def placed(columns, inputs, outputs, where):
    """Returns the column names after `outputs` have replaced `inputs`, and the origin of each column: (is new, index)."""
    if len(outputs) == len(inputs):
        new = dict(zip(inputs, outputs))
        found = [new.get(c, c) for c in columns]
        places = [(True, inputs.index(c)) if c in new else (False, i) for i, c in enumerate(columns)]
    else:
        rest = [i for i, c in enumerate(columns) if c not in inputs]
        found = list(outputs) + [columns[i] for i in rest]
        places = [(True, i) for i in range(len(outputs))] + [(False, i) for i in rest]
    if len(set(found)) != len(found):
        raise RuntimeError("[%s] columns, got %s, expected each name once" % (where, found))
    return tuple(found), places


class Filter(Step):
    """The step that keeps the rows for which a function is true."""

    def __init__(self, source, predicate, inputs, num_parallel_workers):
        super().__init__(source)
        if not callable(predicate):
            raise TypeError("[filter] predicate, got %s, expected a function" % type(predicate).__name__)
        wanted(num_parallel_workers, "filter")
        known(inputs or (), source, "filter")
        self._predicate, self._inputs = predicate, inputs or list(source._columns)

    def _open(self, run):
        inner, take = self._source._open(run), [self._source._columns.index(name) for name in self._inputs]

        def epoch():
            for row in inner():
                keep = call("filter", self._predicate, *[row[i] for i in take])
                if call("filter", bool, keep):
                    yield row
        return epoch

    def _count(self):
        return Dataset._count(self)


class FlatMap(Step):
    """The step that replaces each row by the rows of the dataset that a function makes of it."""

    def __init__(self, source, function):
        super().__init__(source)
        if not callable(function):
            raise TypeError("[flat_map] func, got %s, expected a function" % type(function).__name__)
        self._function, self._known = function, None

    @property
    def _columns(self):
        if self._known is None:
            for row in self._source._all_rows():
                self._known = self._made(row)._columns
                break
            else:
                raise RuntimeError("[flat_map] dataset, got no rows, expected one at least")
        return self._known

    @_columns.setter
    def _columns(self, value):
        pass

    def _made(self, row):
        found = call("flat_map", self._function, *row)
        if not isinstance(found, Dataset):
            raise TypeError("[flat_map] result of func, got %s, expected a dataset" % type(found).__name__)
        return found

    def _open(self, run):
        inner = self._source._open(run)

        def epoch():
            for row in inner():
                for made in self._made(row)._open(run)():
                    yield made
        return epoch

    def _count(self):
        return Dataset._count(self)


class Shuffle(Step):
    """The step that shuffles within a buffer.

    It draws each next row from the buffer, by MindSpore's random engine, and refills the buffer with the next input row.
    """

    def __init__(self, source, size, reshuffle=True):
        super().__init__(source)
        self._buffer, self._reshuffle = size, reshuffle

    def is_shuffled(self):
        """Returns True."""
        return True

    def _open(self, run):
        inner, engine = self._source._open(run), [Engine64(run.seed)]

        def epoch():
            if not self._reshuffle:
                engine[0] = Engine64(run.seed)
            buffer, random = [], engine[0]
            for row in inner():
                if len(buffer) < self._buffer:
                    buffer.append(row)
                    continue
                place = random() % self._buffer
                drawn, buffer[place] = buffer[place], buffer[-1]
                buffer[-1] = row
                yield drawn
            while buffer:
                place = random() % len(buffer)
                drawn, buffer[place] = buffer[place], buffer[-1]
                buffer.pop()
                yield drawn
        return epoch


class Repeat(Step):
    """The step that repeats the rows several times, or without end."""

    def __init__(self, source, count):
        super().__init__(source)
        self._times = None if count in (None, -1) else count

    def get_repeat_count(self):
        """Returns the number of passes; -1 without end."""
        return -1 if self._times is None else self._times

    def _open(self, run):
        inner = self._source._open(run)

        def epoch():
            done, rows, outer = 0, 0, run.repeats
            while self._times is None or done < self._times:
                run.repeats = outer or done + 1 != self._times
                for row in inner():
                    rows += 1
                    yield row
                done += 1
                if self._times is None and not rows:
                    raise RuntimeError("[repeat] dataset, got no rows, expected one at least")
            run.repeats = outer
        return epoch

    def _count(self):
        return (self._times or 1) * self._source.get_dataset_size()


class Slice(Step):
    """The step that drops the first rows, or keeps only the first rows."""

    def __init__(self, source, start, count):
        super().__init__(source)
        self._start, self._limit = start, count

    def _open(self, run):
        inner = self._source._open(run)

        def epoch():
            rows = inner()
            for _ in range(self._start):
                next(rows, None)
            left = self._limit
            while left is None or left > 0:
                try:
                    row = next(rows)
                except StopIteration:
                    return
                left = None if left is None else left - 1
                yield row
        return epoch

    def _count(self):
        count = max(0, self._source.get_dataset_size() - self._start)
        return count if self._limit is None else min(count, self._limit)


class Project(Step):
    """The step that keeps some of the columns."""

    def __init__(self, source, columns):
        super().__init__(source)
        known(columns, source, "project", RuntimeError)
        self._columns = tuple(columns)

    def _open(self, run):
        inner, take = self._source._open(run), [self._source._columns.index(name) for name in self._columns]
        return lambda: (tuple(row[i] for i in take) for row in inner())


class Rename(Step):
    """The step that renames columns."""

    def __init__(self, source, before, after):
        super().__init__(source)
        if len(before) != len(after):
            raise ValueError("[rename] output_columns, got %d names, expected %d" % (len(after), len(before)))
        known(before, source, "rename", RuntimeError)
        self._columns, _ = placed(source._columns, before, after, "rename")

    def _open(self, run):
        return self._source._open(run)


from .batches import Batch, Buckets, PaddedBatch  # noqa: E402,F401
from .joining import Concat, Zip  # noqa: E402,F401 - more steps, in separate files
