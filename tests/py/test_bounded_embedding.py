"""Embeddings with max_norm and scale_grad_by_freq, against their formulas in NumPy; plainly and captured."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, mint, ops

MODES = [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit
TABLE = np.array([[0.3, 0.4], [3.0, 4.0], [6.0, 8.0], [0.0, 0.0]], np.float32)
IDS = Tensor([[1, 0], [1, 3]])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("order", [1.0, 2.0, 3, float("inf")])
def test_rows_in_use_are_scaled_down(order, mode):
    weight = Parameter(Tensor(TABLE), name="weight")
    norms = np.linalg.norm(TABLE, order, 1)
    want = TABLE.copy()
    want[1] *= 2.0 / norms[1]
    look = mode(lambda ids: ops.embedding(ids, weight, max_norm=2.0, norm_type=order))
    for _ in range(3):
        assert np.allclose(look(IDS).asnumpy(), want[IDS.asnumpy()], atol=1e-5)
        assert np.allclose(weight.asnumpy(), want, atol=1e-5) and weight.asnumpy()[2].tolist() == [6, 8]


@pytest.mark.parametrize("mode", MODES)
def test_gradients(mode):
    weight = Parameter(Tensor(TABLE), name="weight")

    def loss(ids):
        return (ops.embedding(ids, weight, scale_grad_by_freq=True) * Tensor([1.0, 10.0])).sum()
    for _ in range(2):
        value, (grad,) = ms.value_and_grad(mode(loss), None, [weight])(IDS)
        assert np.allclose(value.asnumpy(), (TABLE[IDS.asnumpy()] * [1, 10]).sum())
        assert grad.asnumpy().tolist() == [[1, 10], [1, 10], [0, 0], [1, 10]]

    def bounded(ids):
        return (ops.embedding(ids, weight, padding_idx=0, max_norm=1.0) * Tensor([1.0, 10.0])).sum()
    grad = ms.grad(mode(bounded), None, [weight])(IDS)[0]
    assert grad.asnumpy().tolist() == [[0, 0], [2, 20], [0, 0], [1, 10]]


def test_layer():
    layer = mint.nn.Embedding(4, 2, max_norm=1.0, scale_grad_by_freq=True, _weight=Tensor(TABLE))
    assert np.allclose(np.linalg.norm(layer(IDS).asnumpy(), axis=-1), [[1, 0.5], [1, 0]], atol=1e-5)
    assert "max_norm=1.0" in repr(layer) and "scale_grad_by_freq=True" in repr(layer)


def test_bad_input():
    for bad in (dict(max_norm="1"), dict(max_norm=1.0, norm_type=True)):
        with pytest.raises(TypeError, match=r"\[embedding\] (max_norm|norm_type), got"):
            ops.embedding(IDS, Parameter(Tensor(TABLE), name="w"), **bad)
