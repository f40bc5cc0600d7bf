"""Generators: states of random numbers that can be read and restored. All functions draw from default_generator."""
from .._native import Tensor, _msjit
from ..absent import attributes as _absent
from . import dtype as _mstype
from .seed import set_seed


def _number(where, seed):
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError("[%s] seed, got %s, expected an int" % (where, type(seed).__name__))
    return seed


class Generator:
    """The state of random numbers: a seed and the number of draws so far.

    A generator that a program makes has its own state. get_state and set_state copy states between it and the default one.
    """

    def __init__(self):
        self._own = (0, 0)

    def _read(self):
        return self._own

    def _write(self, state):
        self._own = state

    def manual_seed(self, seed):
        """Begins anew from a seed; returns self."""
        self._write((_number("manual_seed", seed), 0))
        return self

    def seed(self):
        """Starts again with a seed from the operating system, and returns the seed."""
        import os
        seed = int.from_bytes(os.urandom(6), "little")
        self.manual_seed(seed)
        return seed

    def initial_seed(self):
        """The seed it began from."""
        return self._read()[0]

    def get_state(self):
        """The state as a Tensor, uint8 (16,)."""
        import numpy
        return Tensor(numpy.array(self._read(), numpy.int64).view(numpy.uint8))

    def set_state(self, state):
        """Goes on from a state that get_state gave."""
        import numpy
        if not isinstance(state, Tensor):
            raise TypeError("[set_state] state, got %s, expected a Tensor" % type(state).__name__)
        if state.dtype != _mstype.uint8 or tuple(state.shape) != (16,):
            raise ValueError("[set_state] state, got %s%s, expected uint8 (16,)" % (state.dtype, tuple(state.shape)))
        self._write(tuple(int(n) for n in numpy.ascontiguousarray(state.asnumpy()).view(numpy.int64)))

    def _step(self, step):
        """The seed and the number of draws so far, two int64 Tensors (); the number then advances by step, an integer Tensor of one element.

        Layers that draw by themselves, as the dropout of mindformers, call this.
        """
        if not isinstance(step, Tensor):
            raise TypeError("[_step] step, got %s, expected a Tensor" % type(step).__name__)
        seed, drawn_before = self._read()
        self._write((seed, drawn_before + int(step)))
        return Tensor(seed, _mstype.int64), Tensor(drawn_before, _mstype.int64)


class _Default(Generator):
    """The generator of all functions."""

    def _read(self):
        return _msjit.rng_state()

    def _write(self, state):
        _msjit.set_rng_state(state)

    def manual_seed(self, seed):
        """Begins anew from a seed; returns self."""
        if _number("manual_seed", seed) < 0:
            return super().manual_seed(seed)
        set_seed(seed)
        return self


default_generator = _Default()


def drawn(where, generator, function, *args, **kwargs):
    """Calls function(*args, **kwargs) with random numbers from a generator. The state of that generator advances, the default one's does not."""
    if not isinstance(generator, Generator):
        raise TypeError("[%s] generator, got %s, expected a Generator or None" % (where, type(generator).__name__))
    if generator is default_generator:
        return function(*args, **kwargs)
    kept = _msjit.rng_state()
    _msjit.set_rng_state(generator._read())
    try:
        return function(*args, **kwargs)
    finally:
        generator._write(_msjit.rng_state())
        _msjit.set_rng_state(kept)


def manual_seed(seed):
    """Starts the default generator again with a seed; returns the generator."""
    return default_generator.manual_seed(seed)


def seed():
    """Starts the default generator again with a seed from the operating system, and returns the seed."""
    return default_generator.seed()


def initial_seed():
    """The seed that the default generator began from."""
    return default_generator.initial_seed()


def get_rng_state():
    """The state of the default generator, a uint8 Tensor of 16 elements."""
    return default_generator.get_state()


def set_rng_state(state):
    """Restores a state that get_rng_state returned."""
    default_generator.set_state(state)


__all__ = ["Generator", "default_generator", "manual_seed", "seed", "initial_seed", "get_rng_state", "set_rng_state"]
__getattr__ = _absent(__name__)
