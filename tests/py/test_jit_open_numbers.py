"""Numbers that differ from call to call: what is left open must behave as the number it is."""
import numpy as np
import pytest

from jit_same import same
from msjit import Tensor, _msjit, ops

pytestmark = pytest.mark.jit


def x23(fill=1.0):
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) * np.float32(fill))


def test_tuples_of_other_lengths_are_compared_item_by_item():
    """An open size beside a tensor of several elements: its truth raises although the lengths differ."""
    def fn(x, n, xs):
        y = ops.tanh(x) * n
        return y, tuple(xs) == (n, 2), (n, 1) != tuple(xs)
    same(fn, lambda v: (x23(), v, [v, x23(), 1] if v > 6 else [v, 2]), variants=(3, 4, 5, 6, 7, 8))
    same(fn, lambda v: (x23(), v, [x23()] if v > 6 else [v, 2]), variants=(3, 4, 5, 6, 7, 8))
