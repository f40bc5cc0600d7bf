"""A graph break, and what explain says of it.

    python examples/graph_break.py

`print` cannot be part of a graph. The function is captured up to it, CPython runs the call in the original frame, and
capture goes on behind it. Without the print there is one region.
"""
import numpy as np

import msjit as ms
from msjit import Tensor, ops


def with_break(x, y):
    """Three operators, a print, two operators."""
    z = ops.tanh(x @ y) + y
    print("half way: shape", z.shape)
    return ops.relu(z) * 2


def without_break(x, y):
    """The same without the print."""
    z = ops.tanh(x @ y) + y
    return ops.relu(z) * 2


def main():
    """Explains both functions."""
    rng = np.random.RandomState(0)
    x = Tensor(rng.randn(4, 4).astype(np.float32))
    y = Tensor(rng.randn(4, 4).astype(np.float32))
    for fn in (with_break, without_break):
        print("-- %s" % fn.__name__)
        explained = ms.explain(fn, x, y)
        print(explained)
        same = np.array_equal(explained.result.asnumpy(), without_break(x, y).asnumpy())
        print("result equals the eager one: %s\n" % same)


if __name__ == "__main__":
    main()
