"""Random state: NumPy's global generator for the initial weights, a counter-based one for the random operators."""
from .._native import _msjit

_state = {"seed": None, "dataset": None}


def set_seed(seed):
    """Seeds parameter initialisation, random operators, dataset shuffling and numpy.random.

    >>> import msjit as ms
    >>> ms.set_seed(7); first = ms.ops.randn(3).asnumpy().tolist()
    >>> ms.set_seed(7); ms.ops.randn(3).asnumpy().tolist() == first
    True
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError("[set_seed] seed must be an int, got %s" % type(seed).__name__)
    if seed < 0:
        raise ValueError("[set_seed] seed must not be negative, got %d" % seed)
    import numpy
    _state["seed"], _state["dataset"] = seed, seed % 2**32
    numpy.random.seed(seed % 2**32)
    _msjit.set_seed(seed)


def get_seed():
    """The seed set last, or None."""
    return _state["seed"]


def _get_graph_seed(op_seed, kernel_name):
    """The two seeds of a random primitive: that of the program and its own; (0, 0) if there is neither."""
    if op_seed is None and _state["seed"] is None:
        return 0, 0
    return _state["seed"] or 0, op_seed or 0


def set_dataset_seed(seed):
    """Seeds only the datasets."""
    _state["dataset"] = seed


def dataset_seed():
    """The seed of the datasets, or None."""
    return _state["dataset"]


def generator():
    """A NumPy generator for one initial value. Its seed is drawn from NumPy's global generator, by the same call as in MindSpore. So
    numpy.random.seed repeats weights, and numbers that a program draws afterwards are the same in both."""
    import numpy
    seed = int(numpy.random.randint(low=1, high=1 << 63, dtype=numpy.int64))
    return numpy.random.RandomState([seed >> 32, seed & 0xffffffff])
