"""Methods of Tensor, and functions of mint, under both of the spellings that MindSpore has for them."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint

X = np.array([[3.0, 1.0, 2.0], [0.5, 4.0, -1.0]], np.float32)
CUBE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
MASK = np.array([[True, False, True], [False, True, True]])


def plain(value):
    return [plain(v) for v in value] if isinstance(value, (tuple, list)) else value.asnumpy() if isinstance(value, Tensor) else value


SPELLED = {
    "sum": (lambda x: (x.sum(dim=1, keepdim=True), x.sum(1, True), x.sum(dim=(0, 1)), x.sum(axis=1, keepdims=True)),
            [X.sum(1, keepdims=True), X.sum(1, keepdims=True), X.sum(), X.sum(1, keepdims=True)]),
    "mean": (lambda x: (x.mean(dim=1, keepdim=True), x.prod(dim=0), x.prod(0, True)),
             [X.mean(1, keepdims=True), X.prod(0), X.prod(0, keepdims=True)]),
    "all": (lambda x: ((x > 0).all(dim=1), (x > 0).any(dim=1, keepdim=True)), [(X > 0).all(1), (X > 0).any(1, keepdims=True)]),
    "std": (lambda x: (x.std(dim=1), x.std(dim=1, correction=1), x.var(dim=0, correction=1, keepdim=True)),
            [X.std(1), X.std(1, ddof=1), X.var(0, ddof=1, keepdims=True)]),
    "argmax": (lambda x: (x.argmax(dim=1, keepdim=True), x.argmin(dim=0)), [X.argmax(1)[:, None], X.argmin(0)]),
    "sort": (lambda x: (x.sort(dim=0), x.argsort(dim=1, descending=True), x.topk(2, dim=1), x.topk(k=1, dim=0, largest=False)[0]),
             [[np.sort(X, 0), X.argsort(0)], (-X).argsort(1), [-np.sort(-X, 1)[:, :2], (-X).argsort(1)[:, :2]], X.min(0)[None]]),
    "parts": (lambda x: (x.split(2, dim=1), x.split(split_size=[1, 2], dim=1), x.chunk(2, dim=0), x.narrow(dim=1, start=1, length=2)),
              [[X[:, :2], X[:, 2:]], [X[:, :1], X[:, 1:]], [X[:1], X[1:]], X[:, 1:]]),
    "places": (lambda x: (x.index_select(dim=0, index=Tensor([1])), x.select(1, -1), x.select(dim=0, index=1),
                          x.select(x > 1, 0.0), x.where(x > 1, other=9.0)),
               [X[[1]], X[:, -1], X[1], np.where(X > 1, X, 0), np.where(X > 1, X, 9)]),
    "sums": (lambda x: (x.cumsum(dim=1), x.cumsum(None), x.median(dim=1)[0], x.logsumexp(dim=1, keepdim=True)),
             [X.cumsum(1), X.cumsum(), np.median(X, 1), np.log(np.exp(X).sum(1, keepdims=True))]),
    "scaled": (lambda x: (x.add(x, alpha=2), x.sub(1, alpha=2), x.div(2, rounding_mode="floor"), x.matmul(tensor2=x.T)),
               [X * 3, X - 2, np.floor(X / 2), X @ X.T]),
    "repeat": (lambda x: (x.repeat(2, 1), x.repeat((1, 2)), x.repeat(2, 1, 1), x.repeat_interleave(2, dim=0), x.repeat(2, axis=1)),
               [np.tile(X, (2, 1)), np.tile(X, (1, 2)), np.tile(X, (2, 1, 1)), X.repeat(2, 0), X.repeat(2, 1)]),
    "diagonals": (lambda x: (x.diagonal(axis1=0, axis2=1), x.trace(1), x.diagonal(1, 0, 1), x.flip(dims=(0, 1)), x.flatten(0, 1)),
                  [X.diagonal(), X.trace(1), X.diagonal(1), X[::-1, ::-1], X.reshape(-1)]),
    "index_add": (lambda x: (x.index_add(0, Tensor([1]), x[:1], alpha=2), x.index_add(Tensor([1], ms.int32), x[:1], 0)),
                  [np.stack([X[0], X[1] + 2 * X[0]]), np.stack([X[0], X[1] + X[0]])]),
    "mint": (lambda x: (mint.add(x, x, alpha=2), mint.sub(x, x, alpha=3), mint.max(x, x * 0), mint.min(x, other=x * 0),
                        mint.repeat_interleave(x, 2, dim=1), mint.ones(size=(2,)), mint.frac(input=x)),
             [X * 3, -2 * X, X.clip(0), X.clip(None, 0), X.repeat(2, 1), np.ones(2), X - np.trunc(X)]),
}


@pytest.mark.parametrize("name", sorted(SPELLED))
def test_both_spellings(name):
    call, want = SPELLED[name]
    for made in (call, ms.jit(call, mode="PIJit"), ms.jit(call, mode="PSJit")):
        for _ in range(2):
            check(plain(made(Tensor(X))), want)


def check(got, want):
    if isinstance(want, list):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            check(g, w)
    else:
        np.testing.assert_allclose(got, want, rtol=2e-6)


def test_transpose_of_two_axes():
    def swap(x, y):
        return x.transpose(1, 2), x.transpose(dim0=0, dim1=-1), y.transpose(0, 1), y.transpose((0, 1)), x.transpose(2, 0, 1)

    want = [CUBE.swapaxes(1, 2), CUBE.swapaxes(0, 2), X.T, X, CUBE.transpose(2, 0, 1)]
    for call in (swap, ms.jit(swap, mode="PIJit"), ms.jit(swap, mode="PSJit")):
        check(plain(call(Tensor(CUBE), Tensor(X))), want)


def test_running_sums_of_bools():
    x = Tensor(MASK)
    assert x.cumsum(1).dtype == ms.int32 and np.array_equal(x.cumsum(1).asnumpy(), MASK.cumsum(1))
    assert Tensor([100, 100], ms.int8).cumsum(0).asnumpy().tolist() == [100, 200]


def test_unique_values_and_places():
    x = Tensor([[3, 1, 3], [1, 1, 2]])
    assert mint.unique(x).asnumpy().tolist() == x.unique().asnumpy().tolist() == [1, 2, 3]
    values, places, counts = x.unique(return_inverse=True, return_counts=True)
    assert np.array_equal(values.asnumpy()[places.asnumpy()], x.asnumpy()) and counts.asnumpy().tolist() == [3, 1, 2]
    rows, places = mint.unique(Tensor([[1, 2], [0, 5], [1, 2]]), return_inverse=True, dim=0)
    assert rows.asnumpy().tolist() == [[0, 5], [1, 2]] and places.asnumpy().tolist() == [1, 0, 1]
    assert [part.asnumpy().tolist() for part in mint.where(x > 2)] == [[0, 0], [0, 2]]


def test_other_spellings():
    x = Tensor(X)
    assert x.type() == "Float32" and x.type(ms.int32).dtype == ms.int32
    row = Tensor([1.0, 2.0, 3.0])
    assert row.searchsorted(v=Tensor([2.0]), side="right").asnumpy().tolist() == [2] and row.searchsorted(2.0).dtype == ms.int32
    assert x.trace(dtype=ms.int32).dtype == ms.int32 and x.float_power(other=2).dtype == ms.float64
    assert x.qr(some=False)[0].shape == (2, 2) and x.T.qr(some=False)[0].shape == (3, 3) and x.T.qr()[0].shape == (3, 2)
    image = Tensor(CUBE[None])
    assert np.array_equal(mint.nn.functional.interpolate(image, scale_factor=2).asnumpy(), CUBE.repeat(2, 1).repeat(2, 2)[None])
    assert ms.initializer("ones", (2,)).init_data().asnumpy().tolist() == [1, 1]


@pytest.mark.parametrize("call, error", [
    (lambda x: x.sum(axis=0, dim=0), TypeError), (lambda x: x.sort(axis=0, dim=1), TypeError), (lambda x: x.select(0), TypeError),
    (lambda x: x.repeat(2), RuntimeError), (lambda x: x.repeat(2, -1), RuntimeError), (lambda x: x.repeat(2.0, 1), TypeError),
    (lambda x: x.transpose(dim0=0), TypeError), (lambda x: x.index_add(0), TypeError), (lambda x: x.flatten(0, 1, 2), TypeError),
    (lambda x: x.split(), TypeError), (lambda x: mint.unique(x, dim=5), ValueError), (lambda x: x.repeat(2, 1, axis=0), TypeError),
])
def test_wrong_arguments(call, error):
    with pytest.raises(error, match=r"\["):
        call(Tensor(X))


def test_gradients():
    def loss(x):
        return (x.sum(dim=1) * x.select(1, 0) + x.transpose(0, 1).mean(dim=0) + x.repeat(2, 1).sum(dim=1)[:2]).sum()

    want = X[:, :1] + X.sum(1, keepdims=True) * np.float32([1, 0, 0]) + 1 + 1 / 3
    for call in (loss, ms.jit(loss, mode="PIJit"), ms.jit(loss, mode="PSJit")):
        np.testing.assert_allclose(ms.grad(call)(Tensor(X)).asnumpy(), want, rtol=1e-6)
