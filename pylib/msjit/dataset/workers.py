"""Workers of a pipeline: threads or processes that call one function on many rows, in order, a few rows ahead.

An exception in the function is raised where the rows are read, with its traceback. A worker process that dies is reported there too.
"""
import logging
import multiprocessing
import os
import threading
import traceback
from collections import deque
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from concurrent.futures import process as process_executors
from concurrent.futures.process import BrokenProcessPool

from . import config

_log = logging.getLogger("msjit")


class RowError(RuntimeError):
    """An error in a row that the library itself reports; it needs no traceback."""


class _Raised:
    """An exception as text, which can always be sent between processes."""

    def __init__(self, error):
        self.kind, self.message = type(error).__name__, str(error)
        self.text = None if isinstance(error, RowError) else traceback.format_exc()


def failure(where, kind, message, text):
    """The error to raise for a function of the program that raised."""
    if text is None:
        return RowError(message)
    return RuntimeError("[%s] a function of the pipeline raised, got %s: %s, expected a value\n%s"
                        % (where, kind, message, text.rstrip()))


def call(where, function, *args):
    """Calls function(*args); turns exceptions into RuntimeErrors with a traceback."""
    try:
        return function(*args)
    except RowError:
        raise
    except Exception as error:
        raise failure(where, type(error).__name__, error, traceback.format_exc()) from error


def wanted(workers, where):
    """The number of workers of a step; 0 means that the reader itself computes the rows."""
    if workers is None:
        return 0
    if isinstance(workers, bool) or not isinstance(workers, int):
        raise TypeError("[%s] num_parallel_workers, got %s, expected an int" % (where, type(workers).__name__))
    if not 1 <= workers <= config.INT32_MAX:
        raise ValueError("[%s] num_parallel_workers, got %d, expected 1 or more" % (where, workers))
    return 0 if workers == 1 else workers


class Pool:
    """A pool of threads or processes that call `function`."""

    def __init__(self, function, workers, processes, where, seed):
        self._where, self._workers, self._function = where, min(workers, 256), function
        self._processes, self._seed, self._executor, self._waiting = processes, seed, None, ()

    def _start(self):
        if not self._processes:
            return ThreadPoolExecutor(self._workers, "msjit-dataset")
        context = multiprocessing.get_context(config.get_multiprocessing_start_method())
        numbers = context.Value("i", 0)
        return ProcessPoolExecutor(self._workers, context, _prepare, (self._function, self._seed, numbers))

    def _submit(self, task):
        if self._processes:
            return self._executor.submit(_in_process, task)
        return self._executor.submit(_guarded, self._function, task)

    def results(self, tasks, skips=False):
        """Yields the results of the function for the tasks, in order; with `skips` None for a task that raises."""
        if self._executor is None:
            self._executor = self._start()
        ahead, waiting = self._workers * config.get_prefetch_size(), deque()
        self._waiting = waiting
        try:
            for task in tasks:
                waiting.append(self._submit(task))
                if len(waiting) >= ahead:
                    yield self._result(waiting.popleft(), skips)
            while waiting:
                yield self._result(waiting.popleft(), skips)
        except BrokenProcessPool:
            self._executor = None
            raise RuntimeError("[%s] a worker process, got its end (killed, or it left by itself), expected it to live "
                               "as long as there are rows" % self._where) from None
        finally:
            for future in waiting:
                future.cancel()

    def _result(self, future, skips):
        while True:
            try:
                found = future.result(config.get_multiprocessing_timeout_interval())
                break
            except Late:
                _log.warning("[%s] no row from a worker for %d s; still waiting", self._where,
                             config.get_multiprocessing_timeout_interval())
        if isinstance(found, _Raised):
            if skips:
                return None
            raise failure(self._where, found.kind, found.message, found.text)
        return found

    def close(self):
        """Stops the workers, without waiting for them."""
        executor, self._executor = self._executor, None
        if executor is None:
            return
        for future in list(self._waiting):
            future.cancel()
        # Without waiting, a process executor may be closed while its own thread still uses it (CPython issue 39104).
        threading.Thread(target=executor.shutdown, daemon=True).start()


def _guarded(function, task):
    try:
        return function(task)
    except Exception as error:
        return _Raised(error)


_work = {}


def _prepare(function, seed, numbers):
    """Runs first in a worker process: keeps the function, seeds the generators, and watches the parent process."""
    import random
    import signal

    import numpy
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # When it exits, a forked worker would wake the threads of its parent's executors, which it does not have. To do so it takes locks, and
    # one that was held at the fork would block it forever.
    getattr(process_executors, "_threads_wakeups", {}).clear()
    with numbers.get_lock():
        numbers.value += 1
        number = numbers.value
    _work["function"] = function
    random.seed(seed + number)
    numpy.random.seed((seed + number) % 2**32)
    threading.Thread(target=watch, args=(os.getppid(),), daemon=True).start()


def watch(parent):
    """Ends this process when its parent has ended."""
    gone = threading.Event()
    while os.getppid() == parent:
        gone.wait(2)
    os._exit(1)


def _in_process(task):
    return _guarded(_work["function"], task)
