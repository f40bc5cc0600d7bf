"""Random state: one seed for the initial weights (NumPy) and for the random operators (counter-based)."""
from .._native import _msjit

_state = {"seed": None, "generator": None}


def set_seed(seed):
    """Seeds parameter initialisation, random operators, dataset shuffling and numpy.random."""
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError("[set_seed] seed must be an int, got %s" % type(seed).__name__)
    if seed < 0:
        raise ValueError("[set_seed] seed must not be negative, got %d" % seed)
    import numpy
    _state["seed"] = seed
    _state["generator"] = numpy.random.RandomState(seed % 2**32)
    numpy.random.seed(seed % 2**32)
    _msjit.set_seed(seed)


def get_seed():
    """The seed set last, or None."""
    return _state["seed"]


def generator():
    """NumPy generator for initial weights."""
    if _state["generator"] is None:
        import numpy
        _state["generator"] = numpy.random.RandomState()
    return _state["generator"]
