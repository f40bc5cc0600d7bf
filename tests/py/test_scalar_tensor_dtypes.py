"""Products and quotients of a tensor with axes and one without: of two floats or two ints the first decides the dtype, as in MindSpore.
Sums promote."""
import operator

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, ops

MODES = [None, pytest.param("PIJit", marks=pytest.mark.jit), pytest.param("PSJit", marks=pytest.mark.jit)]
FLOATS = [ms.float16, ms.bfloat16, ms.float32, ms.float64]


def in_mode(function, mode):
    return ms.jit(function, mode=mode) if mode else function


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("function", [operator.mul, operator.truediv, ops.mul, ops.div, mint.mul, mint.div], ids=range(6))
def test_floats(function, mode):
    for a in FLOATS:
        for b in FLOATS:
            x, y = Tensor([1.5, 2.5], a), Tensor(2.0, b)
            for result, wanted in ((in_mode(lambda x, y: function(x, y), mode)(x, y), function(x, y.astype(a))),
                                   (in_mode(lambda x, y: function(y, x), mode)(x, y), function(y.astype(a), x))):
                assert result.dtype == wanted.dtype == a
                assert result.astype(ms.float32).tolist() == wanted.astype(ms.float32).tolist()


@pytest.mark.parametrize("mode", MODES)
def test_other_pairs(mode):
    run = in_mode(lambda x, y: (x * y, x + y, x * y.reshape(1)), mode)
    half, one = Tensor([1.5, 2.5], ms.float16), Tensor(2.0, ms.float32)
    assert [t.dtype for t in run(half, one)] == [ms.float16, ms.float32, ms.float32]
    assert [t.dtype for t in run(Tensor([1, 2], ms.int32), Tensor(2, ms.int64))] == [ms.int32, ms.int64, ms.int64]
    assert [t.dtype for t in run(Tensor([1, 2], ms.int32), one)] == [ms.float32] * 3
    assert [t.dtype for t in run(Tensor(1.5, ms.float16), one)] == [ms.float32] * 3
    assert (Tensor([1, 2], ms.int32) / Tensor(2, ms.int64)).dtype == ms.float32


@pytest.mark.parametrize("mode", MODES)
def test_gradients_have_the_dtypes_of_the_inputs(mode):
    def loss(x, y):
        return (x * y / (y + 1)).sum()
    x, y = Tensor(np.float16([1.5, 2.5])), Tensor(2.0, ms.float32)
    gradients = in_mode(lambda x, y: ms.grad(loss, (0, 1))(x, y), mode)(x, y)
    assert [g.dtype for g in gradients] == [ms.float16, ms.float32]
    np.testing.assert_allclose(gradients[0].asnumpy(), [2 / 3] * 2, rtol=2e-3)
    np.testing.assert_allclose(gradients[1].asnumpy(), 4 / 9, rtol=4e-3)
