"""sync_wait and sync_update: rows wait until the program has handled the results of earlier ones."""
import threading
import weakref

from . import config
from .core import whole
from .steps import Step
from .workers import RowError, wanted


class _Gate:
    """Lets rows through as they are released. There is one gate for each reading of the pipeline."""

    def __init__(self, name):
        self._name, self._free, self._change = name, 0, threading.Condition()

    def begin(self, rows):
        """Starts an epoch, in which the first `rows` rows need not wait."""
        with self._change:
            self._free = rows

    def release(self, rows):
        """Lets more rows through."""
        with self._change:
            self._free += rows
            self._change.notify_all()

    def take(self):
        """Waits until one row is released; raises RowError after the callback timeout."""
        seconds = config.get_callback_timeout()
        with self._change:
            if not self._change.wait_for(lambda: self._free > 0, seconds):
                raise RowError("[sync_wait] condition %r, got no sync_update within %d seconds, expected one before the next rows are "
                               "read" % (self._name, seconds))
            self._free -= 1


class SyncWait(Step):
    """The step whose rows wait at a gate, except the first ones of each epoch."""

    def __init__(self, source, condition_name, num_batch, callback):
        super().__init__(source)
        if not isinstance(condition_name, str):
            raise TypeError("[sync_wait] condition_name, got %s, expected a str" % type(condition_name).__name__)
        whole("num_batch", num_batch, 1)
        if callback is not None and not callable(callback):
            raise TypeError("[sync_wait] callback, got %s, expected a function or None" % type(callback).__name__)
        if condition_name in [step.name for step in waiting(source)]:
            raise RuntimeError("[sync_wait] condition_name, got %r twice, expected another name" % (condition_name,))
        self.name, self._batches, self._callback = condition_name, num_batch, callback
        self.rows_in_batch = 1  # a later batch step sets the number
        self._gates = weakref.WeakSet()

    def _open(self, run):
        inner, gate = self._source._open(run), _Gate(self.name)
        self._gates.add(gate)

        def epoch():
            gate.begin(self._batches * self.rows_in_batch)
            for row in inner():
                gate.take()
                yield row
        return epoch

    def update(self, num_batch, data):
        """Passes data to the callback, then releases batches."""
        if self._callback is not None and data is not None:
            self._callback(data)
        for gate in list(self._gates):
            gate.release((1 if num_batch is None else num_batch) * self.rows_in_batch)


def waiting(dataset):
    """The sync_wait steps of a pipeline, the last first."""
    found = [dataset] if isinstance(dataset, SyncWait) else []
    for child in dataset._children:
        found += waiting(child)
    return found


def workers(dataset, count):
    """The num_parallel_workers of a later step.

    If rows wait, it has no workers, because these would ask for rows that sync_update has not released.
    """
    return None if waiting(dataset) and wanted(count, "dataset") else count


def batched(dataset, size):
    """Tells the sync_wait steps how many rows a batch has."""
    if isinstance(size, int):
        for step in waiting(dataset):
            step.rows_in_batch = size


def update(dataset, condition_name, num_batch, data):
    """Implements sync_update: lets waiting rows of the named sync_wait step go on."""
    if num_batch is not None and (isinstance(num_batch, bool) or not isinstance(num_batch, int) or num_batch < 1):
        raise RuntimeError("[sync_update] num_batch, got %r, expected an int of 1 or more" % (num_batch,))
    for step in waiting(dataset):
        if step.name == condition_name:
            return step.update(num_batch, data)
    raise RuntimeError("[sync_update] condition_name, got %r, expected one of %s"
                       % (condition_name, [step.name for step in waiting(dataset)]))
