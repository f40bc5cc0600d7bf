"""Worker processes of a DataLoader. Each fetches the batches whose indices are sent to it."""
import os
import threading
import traceback

from ...workers import watch

_state = {"info": None}
STOP, RESET = "stop", "reset"


class WorkerInfo:
    """Describes a worker process: id, num_workers, seed, dataset."""

    def __init__(self, number, num_workers, seed, dataset):
        self.id, self.num_workers, self.seed, self.dataset = number, num_workers, seed, dataset

    def __repr__(self):
        return "WorkerInfo(id=%d, num_workers=%d, seed=%d, dataset=%r)" % (self.id, self.num_workers, self.seed, self.dataset)


def get_worker_info():
    """Returns the WorkerInfo of the worker process that calls it, None elsewhere."""
    return _state["info"]


class Failure:
    """An exception of a worker process, as text."""

    def __init__(self, error):
        self.kind, self.text = type(error).__name__, traceback.format_exc()


class Ended:
    """Says that a worker has no more samples."""


def work(number, count, seed, dataset, make_fetch, init, tasks, results):
    """The main function of a worker process: it receives (key, index or indices) and sends (key, number of the worker, fetched samples)."""
    import random

    import numpy as np
    results.cancel_join_thread()  # results that nobody reads must not keep the process from ending
    threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start()
    random.seed(seed)
    np.random.seed(seed % 2 ** 32)
    _state["info"] = WorkerInfo(number, count, seed, dataset)
    try:
        if init is not None:
            init(number)
        fetch = make_fetch()
    except Exception as error:
        fetch = _raising(Failure(error))
    while True:
        key, index = tasks.get()
        if key == STOP:
            return
        if key == RESET:
            fetch = make_fetch()
            continue
        try:
            found = fetch(index)
        except StopIteration:
            found = Ended()
        except Exception as error:
            found = Failure(error)
        results.put((key, number, found))


def _raising(failure):
    return lambda index: failure
