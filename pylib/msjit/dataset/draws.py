"""The random generators of transforms: one for each row inside a pipeline, else one for each thread.

A pipeline seeds the generator of a row with the pipeline's seed, the epoch and the row's number. So random numbers do not depend on
the number of workers, nor on which of them handles the row.
"""
import random
import threading
from contextlib import contextmanager

from . import config

_local = threading.local()


def current():
    """The random.Random to draw from now."""
    found = getattr(_local, "row", None)
    if found is not None:
        return found
    seed = config.get_seed()
    if getattr(_local, "seed", None) != (seed,):
        _local.seed = (seed,)
        _local.eager = random.Random() if seed == config.UNSEEDED else random.Random(seed)
    return _local.eager


@contextmanager
def row(key):
    """Makes random numbers inside the block come from a generator seeded by the text `key`; None changes nothing."""
    if key is None:
        yield
        return
    before, _local.row = getattr(_local, "row", None), _Later(key)
    try:
        yield
    finally:
        _local.row = before


class _Later:
    """A generator that is made at its first use, because most rows draw no random numbers."""

    def __init__(self, key):
        self._key, self._random = key, None

    def __getattr__(self, name):
        if self._random is None:
            self._random = random.Random(self._key)
        return getattr(self._random, name)
