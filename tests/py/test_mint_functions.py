"""Functions of mint that differ from those of the same name in ops; interpreted and compiled."""
import numpy as np
import pytest

import msjit as ms
from jit_same import same
from msjit import Tensor, mint


@pytest.mark.parametrize("other, expected", [
    ([1, 2, 3], True), ([1, 2, 4], False), ([1.0, 2.0, 3.0], True), ([1, 2], False), ([[1, 2, 3]], False), ([1.5, 2, 3], False)])
def test_equal_is_one_answer(other, expected):
    jitted = same(mint.equal, lambda _: (Tensor([1, 2, 3]), Tensor(other))) if ms.has_jit else mint.equal
    found = jitted(Tensor([1, 2, 3]), Tensor(other))
    assert found.shape == () and found.dtype == ms.bool_ and bool(found) is expected
    assert mint.eq(Tensor([1, 2, 3]), 1).shape == (3,)


LONG = Tensor(np.float32([[1, 2, 3], [4, 5, 6], [7, 8, 9]]))
WRITES = {
    "scatter": (lambda x, i, v: mint.scatter(x, 1, i, v), [[0, 1, 0], [4, 0, 0]]),
    "scatter_add": (lambda x, i, v: mint.scatter_add(x, 1, i, v), [[0, 1, 0], [4, 0, 0]]),
    "x.scatter": (lambda x, i, v: x.scatter(1, i, v), [[0, 1, 0], [4, 0, 0]]),
    "x.scatter_add": (lambda x, i, v: x.scatter_add(1, i, v), [[0, 1, 0], [4, 0, 0]]),
    "x.scatter_": (lambda x, i, v: (x * 1).scatter_(1, i, v), [[0, 1, 0], [4, 0, 0]]),
    "x.scatter_add_": (lambda x, i, v: (x * 1).scatter_add_(1, i, v), [[0, 1, 0], [4, 0, 0]]),
}


@pytest.mark.parametrize("name", WRITES)
def test_scatter_uses_as_much_as_there_are_indices(name):
    write, expected = WRITES[name]
    operands = (ms.ops.zeros((2, 3)), Tensor([[1], [0]]), LONG)
    if ms.has_jit:
        same(write, lambda _: operands)
    assert write(*operands).tolist() == expected
    grads = ms.grad(lambda x, v: (write(x, operands[1], v) * Tensor([1.0, 2.0, 3.0])).sum(), (0, 1))(operands[0], LONG)
    assert grads[1].tolist() == [[2, 0, 0], [1, 0, 0], [0, 0, 0]]


def test_scatter_refuses_too_few_values():
    with pytest.raises(ValueError, match="shapes cannot be broadcast"):
        mint.scatter(LONG, 1, Tensor([[0, 1, 2], [0, 1, 2]]), LONG[:, :2])
