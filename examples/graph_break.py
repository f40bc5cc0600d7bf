"""A graph break, and what explain says of it.

    python examples/graph_break.py

The value of a tensor is not known while capturing. The function is captured up to where it is asked for, CPython runs that
call in the original frame, and capture goes on behind it. Without it there is one region; a plain print does not end one.
"""
import numpy as np

import msjit as ms
from msjit import Tensor, ops


def with_break(x, y):
    """Three operators, a number from a tensor, two operators."""
    z = ops.tanh(x @ y) + y
    print("half way: sum %.3f" % float(z.sum()))
    return ops.relu(z) * 2


def without_break(x, y):
    """The same without the number."""
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
