"""A Python number beside a tensor of 16-bit floats, in comparisons: it takes the tensor's dtype first, as in NumPy and MindSpore."""
import operator

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops

COMPARISONS = ["eq", "ne", "lt", "le", "gt", "ge"]
MODES = [None, pytest.param("PIJit", marks=pytest.mark.jit), pytest.param("PSJit", marks=pytest.mark.jit)]
NUMBERS = [0.1, -0.1, 1 / 3, 3, 2049, 65519.0, 65520.0, 1e-9, -1e9, float("inf"), float("nan")]


def in_mode(function, mode):
    return ms.jit(function, mode=mode) if mode else function


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16], ids=str)
@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons(name, number, dtype, mode):
    compare = getattr(operator, name)
    t = Tensor([0.1, 1 / 3, 3.0, 2048.0, 65504.0, 0.0, -0.1, float("inf")], dtype)
    rounded = Tensor([number], dtype)
    for found, wanted in ((in_mode(lambda t: compare(t, number), mode)(t), compare(t, rounded)),
                          (in_mode(lambda t: compare(number, t), mode)(t), compare(rounded, t))):
        assert found.asnumpy().tolist() == wanted.asnumpy().tolist()


@pytest.mark.parametrize("mode", MODES)
def test_in_a_chain_and_by_function(mode):
    """In the middle of a fused kernel, with a strided tensor, and where the number differs between calls."""
    t = Tensor(np.float16([[0.1, 0.2], [0.3, 0.1]]))
    run = in_mode(lambda t, x: (ops.where(t.T == x, t.T * 2, t.T - 1), ops.equal(t, x), ops.less(x, t)), mode)
    for x in (0.1, 0.2, 0.3):
        chosen, same, less = run(t, x)
        near = np.float16(x)
        np.testing.assert_array_equal(same.asnumpy(), t.asnumpy() == near)
        np.testing.assert_array_equal(less.asnumpy(), near < t.asnumpy())
        np.testing.assert_array_equal(chosen.asnumpy(), np.where(t.asnumpy().T == near, t.asnumpy().T * 2, t.asnumpy().T - np.float16(1)))


def test_other_dtypes_are_compared_as_before():
    assert (Tensor([0.1], ms.float32) == 0.1).asnumpy().tolist() == [True]
    assert (Tensor([0.1], ms.float64) == 0.1).asnumpy().tolist() == [True]
    assert (Tensor([3], ms.int32) < 3.5).asnumpy().tolist() == [True]
