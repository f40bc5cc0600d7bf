"""DataLoader: batches of the samples of a dataset, fetched by this process or by worker processes."""
import multiprocessing
import queue
import weakref

from ._utils.collate import default_collate, default_convert
from ._utils.worker import RESET, STOP, Ended, Failure, work
from .dataset import IterableDataset
from .sampler import BatchSampler, RandomSampler, SequentialSampler, drawn_seed, flag, positive

_W = "DataLoader"


class _Fetch:
    """Makes the function that fetches samples: by index from a dataset, or the next ones of an iterator."""

    def __init__(self, dataset, iterable, batched, collate, drop_last):
        self.dataset, self.iterable, self.batched, self.collate, self.drop_last = dataset, iterable, batched, collate, drop_last

    def __call__(self):
        return self._following(iter(self.dataset)) if self.iterable else self._numbered

    def _numbered(self, index):
        return self.collate([self.dataset[i] for i in index] if self.batched else self.dataset[index])

    def _following(self, samples):
        def fetch(index):
            if not self.batched:
                return self.collate(next(samples))
            found = [sample for _, sample in zip(index, samples)]
            if not found or self.drop_last and len(found) < len(index):
                raise StopIteration
            return self.collate(found)
        return fetch


class _Endless:
    """Endless indices, or ranges of them, for an iterable dataset, which ends by itself."""

    def __init__(self, batch_size):
        self._item = None if batch_size is None else range(batch_size)

    def __iter__(self):
        while True:
            yield self._item


class DataLoader:
    """Loads batches of the samples of a dataset. Each iteration over it reads the dataset once.

    Args:
        dataset: has __getitem__ and __len__, or is an IterableDataset.
        batch_size (int): samples in a batch; None: single samples. Default 1.
        shuffle (bool): whether the order is random, and different each time. Default None, which means False.
        sampler (iterable): indices of samples, in place of shuffle.
        batch_sampler (iterable): lists of indices, in place of batch_size, shuffle, sampler and drop_last.
        num_workers (int): worker processes that fetch; 0: this process fetches. Default 0.
        collate_fn (callable): makes a batch of a list of samples. Default default_collate, or default_convert for single samples.
        pin_memory (bool): changes nothing on a CPU.
        drop_last (bool): drops a last batch that is not full. Default False.
        timeout (float): seconds to wait for a worker before it raises RuntimeError; 0: no limit. Default 0.
        worker_init_fn (callable): called with the number of each worker as it starts.
        multiprocessing_context: how workers start, a context or its name. Default "fork" where the platform has it.
        generator (numpy.random.Generator): for the random order and the seeds of the workers.
        prefetch_factor (int): batches that each worker fetches ahead. Default 2.
        persistent_workers (bool): whether workers keep running after the last batch. Default False.
        in_order (bool): whether batches from workers come in order. Default True.
    """

    def __init__(self, dataset, batch_size=1, shuffle=None, sampler=None, batch_sampler=None, num_workers=0, collate_fn=None,
                 pin_memory=False, drop_last=False, timeout=0.0, worker_init_fn=None, multiprocessing_context=None, generator=None, *,
                 prefetch_factor=None, persistent_workers=False, in_order=True):
        self.dataset, self._iterable = dataset, isinstance(dataset, IterableDataset)
        if not self._iterable and not hasattr(dataset, "__getitem__"):
            raise NotImplementedError("[DataLoader] dataset, got %s, expected __getitem__ or an IterableDataset" % type(dataset).__name__)
        self.num_workers, self.timeout = _not_negative(num_workers, "num_workers", int), _not_negative(timeout, "timeout", (int, float))
        self.pin_memory, self.worker_init_fn, self.generator = flag(pin_memory, "pin_memory", _W), worker_init_fn, generator
        self.in_order, self.drop_last = flag(in_order, "in_order", _W), flag(drop_last, "drop_last", _W)
        self._check_workers(multiprocessing_context, prefetch_factor, flag(persistent_workers, "persistent_workers", _W))
        self.batch_size = None if batch_size is None else positive(batch_size, "batch_size", _W)
        self._check_order(shuffle, sampler, batch_sampler)
        self._set_order(bool(shuffle), sampler, batch_sampler)
        self.auto_collation = self.batch_sampler is not None
        self.collate_fn = collate_fn or (default_collate if self.auto_collation else default_convert)
        self._kept = None

    def _check_workers(self, context, prefetch_factor, persistent):
        if not self.num_workers:
            for name, value in (("multiprocessing_context", context), ("prefetch_factor", prefetch_factor), ("persistent_workers", persistent)):
                if value:
                    raise ValueError("[DataLoader] %s, got %r with num_workers=0, expected it with workers alone" % (name, value))
        if prefetch_factor is not None:
            positive(prefetch_factor, "prefetch_factor", _W)
        if self.num_workers and (context is None or isinstance(context, str)):
            context = multiprocessing.get_context(context or ("fork" if "fork" in multiprocessing.get_all_start_methods() else None))
        self.multiprocessing_context, self.persistent_workers = context, persistent
        self.prefetch_factor = 2 if prefetch_factor is None and self.num_workers else prefetch_factor

    def _check_order(self, shuffle, sampler, batch_sampler):
        if shuffle is not None:
            flag(shuffle, "shuffle", _W)
        given = [name for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler))
                 if value is not None]
        if self._iterable and given:
            raise ValueError("[DataLoader] %s, got one with an IterableDataset, expected none: it has an order" % given[0])
        if len(given) > 1:
            raise ValueError("[DataLoader] %s, got both, expected one of them" % " and ".join(given))
        if batch_sampler is not None and (self.batch_size != 1 or self.drop_last):
            raise ValueError("[DataLoader] batch_size or drop_last, got one with batch_sampler, expected none: it makes the batches")

    def _set_order(self, shuffle, sampler, batch_sampler):
        if batch_sampler is not None:
            self.batch_size = None
        if sampler is None and not self._iterable:
            sampler = RandomSampler(self.dataset, generator=self.generator) if shuffle else SequentialSampler(self.dataset)
        if self._iterable:
            sampler = _Endless(None)
            batch_sampler = None if self.batch_size is None else _Endless(self.batch_size)
        elif batch_sampler is None and self.batch_size is not None:
            batch_sampler = BatchSampler(sampler, self.batch_size, self.drop_last)
        self.sampler, self.batch_sampler = sampler, batch_sampler

    @property
    def index_sampler(self):
        """The sampler that decides which samples come next: batch_sampler or sampler."""
        return self.batch_sampler if self.auto_collation else self.sampler

    def __len__(self):
        if not self._iterable:
            return len(self.index_sampler)
        count, size = len(self.dataset), self.batch_size
        return count if size is None else (count + (0 if self.drop_last else size - 1)) // size

    def __iter__(self):
        make = _Fetch(self.dataset, self._iterable, self.auto_collation, self.collate_fn, self.drop_last)
        if not self.num_workers:
            return _here(make, self.index_sampler)
        if self._kept is not None and self._kept.alive():
            self._kept.reset()
        else:
            self._kept = _Workers(self, make)
        workers = self._kept
        if not self.persistent_workers:
            self._kept = None
        return workers.batches(self.index_sampler)


def _here(make, numbers):
    """Yields the batches, fetched by this process."""
    fetch = make()
    for index in numbers:
        try:
            found = fetch(index)
        except StopIteration:
            return
        yield found


def _not_negative(value, name, kinds):
    if isinstance(value, bool) or not isinstance(value, kinds):
        raise TypeError("[DataLoader] %s, got %s, expected a number" % (name, type(value).__name__))
    if value < 0:
        raise ValueError("[DataLoader] %s, got %s, expected 0 or more" % (name, value))
    return value


def _end(processes, queues):
    for tasks in queues:
        tasks.put((STOP, None))
    for process in processes:
        process.join(1)
        if process.is_alive():
            process.terminate()


class _Workers:
    """The worker processes of one reading, or of several with persistent_workers."""

    def __init__(self, loader, make):
        context, count = loader.multiprocessing_context, loader.num_workers
        self._ahead, self._timeout = loader.prefetch_factor, loader.timeout
        self._in_order, self._keep = loader.in_order, loader.persistent_workers
        seed = drawn_seed() if loader.generator is None else int(loader.generator.integers(0, 2 ** 62))
        self._results, self._tasks = context.Queue(), [context.Queue() for _ in range(count)]
        self._processes = [context.Process(target=work, daemon=True, args=(
            i, count, seed + i, loader.dataset, make, loader.worker_init_fn, self._tasks[i], self._results)) for i in range(count)]
        for process in self._processes:
            process.start()
        self._sent = self._wanted = 0
        self.close = weakref.finalize(self, _end, self._processes, self._tasks)

    def alive(self):
        """Says whether all workers are running."""
        return self.close.alive and all(process.is_alive() for process in self._processes)

    def reset(self):
        """Starts another reading. Results left over from the previous one are recognised by their keys and dropped."""
        for tasks in self._tasks:
            tasks.put((RESET, None))
        self._wanted = self._sent

    def batches(self, numbers):
        """Yields the batches with these indices of samples."""
        numbers, busy, arrived = iter(numbers), list(range(len(self._tasks))), {}
        first, waiting = self._sent, {}  # the worker that each key was sent to
        try:
            for _ in range(self._ahead):
                for worker in busy:
                    self._send(numbers, worker, waiting)
            while waiting:
                key, worker, found = self._next()
                if key < first or key not in waiting:
                    continue  # left over from an earlier reading
                if isinstance(found, Ended):
                    busy = [other for other in busy if other != worker]
                elif worker in busy:
                    self._send(numbers, worker, waiting)
                arrived[key] = found
                yield from self._ready(arrived, waiting)
        finally:
            if not self._keep:
                self.close()

    def _send(self, numbers, worker, waiting):
        for index in numbers:
            self._tasks[worker].put((self._sent, index))
            waiting[self._sent] = worker
            self._sent += 1
            return

    def _ready(self, arrived, waiting):
        """Yields the batches that may be returned now."""
        for key in sorted(arrived):
            if self._in_order and key != min(waiting):
                return
            del waiting[key]
            found = arrived.pop(key)
            if isinstance(found, Failure):
                raise RuntimeError("[DataLoader] worker, got %s, expected a batch\n%s" % (found.kind, found.text.rstrip()))
            if not isinstance(found, Ended):
                yield found

    def _next(self):
        waited = 0.0
        while True:
            try:
                return self._results.get(timeout=min(1.0, self._timeout or 1.0))
            except queue.Empty:
                waited += 1.0
            if any(not process.is_alive() for process in self._processes):
                raise RuntimeError("[DataLoader] a worker process, got its end, expected it to live as long as there are batches")
            if self._timeout and waited >= self._timeout:
                raise RuntimeError("[DataLoader] batch, got none for %s s, expected one within timeout" % self._timeout)
