"""Names, order and forms of arguments are MindSpore's, and so is what layers of mint print."""
import numpy as np
import pytest

import msjit as ms
import msjit.numpy as mnp
from msjit import Tensor, mint, nn, ops

X = np.float32([[1, 2], [3, 4]])


def x():
    return Tensor(X)


CALLS = {
    "transpose": (lambda t: ops.transpose(input=t, dims=(1, 0)), X.T), "transpose before 2.9": (lambda t: ops.transpose(t, input_perm=(1, 0)), X.T),
    "i0": (lambda t: ops.i0(input=t), np.i0(X)), "isnan_ext": (lambda t: ops.isnan_ext(tensor=t), np.isnan(X)),
    "isnan": (lambda t: mint.isnan(tensor=t), np.isnan(X)), "reduce_max": (lambda t: ops.reduce_max(x=t, axis=1), X.max(1)),
    "reduce_max of all": (lambda t: ops.reduce_max(t), X.max()), "reduce_min": (lambda t: ops.reduce_min(x=t, axis=0), X.min(0)),
    "addr": (lambda t: t.addr(t[0], t[1], 2, 3), 2 * X + 3 * np.outer(X[0], X[1])),
    "ops.addr": (lambda t: ops.addr(t, t[0], t[1], 2, 3), 2 * X + 3 * np.outer(X[0], X[1])),
    "arccos": (lambda t: mnp.arccos(input=t - t), np.arccos(X - X)), "positive": (lambda t: mnp.positive(a=t), X),
    "negative": (lambda t: mnp.negative(a=t), -X), "logical_not": (lambda t: mnp.logical_not(a=t), np.logical_not(X)),
    "where": (lambda t: mnp.where(condition=t > 2, x=t, y=-t), np.where(X > 2, X, -X)),
    "isclose": (lambda t: t.isclose(x2=t + 1e-4, rtol=1e-3), np.ones((2, 2), bool)),
    "remainder": (lambda t: t.remainder(divisor=2), X % 2), "true_divide": (lambda t: t.true_divide(other=t), X / X),
    "expand_as": (lambda t: t[:1].expand_as(x=t), X[[0, 0]]), "diag": (lambda t: t.diag(diagonal=1), np.diag(X, 1)),
    "diag of a vector": (lambda t: t[0].diag(), np.diag(X[0])),
    "softmax": (lambda t: t.softmax(axis=-1, dtype=ms.float64), np.exp(X) / np.exp(X).sum(-1, keepdims=True)),
    "view": (lambda t: t.view(4, 1), X.reshape(4, 1)), "view of a shape": (lambda t: t.view((1, -1)), X.reshape(1, -1)),
    "view of a dtype": (lambda t: t.view(ms.int32), X.view(np.int32)), "view dtype=": (lambda t: t.view(dtype=ms.float16), X.view(np.float16)),
    "index_fill_": (lambda t: t.copy().index_fill_(dim=0, index=Tensor([1]), value=9.0), [[1, 2], [9, 9]]),
}


@pytest.mark.jit
@pytest.mark.parametrize("name", sorted(CALLS))
def test_calls(name):
    call, expected = CALLS[name]
    for run in (call, ms.jit(call, mode="PIJit")):
        for _ in range(2):
            np.testing.assert_allclose(run(x()).asnumpy(), expected, rtol=1e-6)


def test_places():
    assert x().stride() == [2, 1] and (x().stride(0), x().stride(dim=1), x().stride(-2)) == (2, 1, 2)
    with pytest.raises(IndexError):
        x().stride(2)
    assert ops.shape_(x=x()) == (2, 2) and float(ops.scalar_to_array(input_x=2)) == 2
    assert [t.asnumpy().tolist() for t in mnp.where(x() > 2)] == [[1, 1], [0, 1]]
    with pytest.raises(ValueError):
        mnp.where(x() > 2, x())
    with pytest.raises(TypeError):
        x().view(2, 2, dtype=ms.int32)
    moved = x().set_(Tensor(np.float32([1, 2, 3, 4, 5])), storage_offset=1, size=(2, 2), stride=(2, 1))
    assert moved.asnumpy().tolist() == [[2, 3], [4, 5]]
    with pytest.raises(IndexError):
        x().set_(Tensor(np.float32([1, 2, 3])), 2, (2,), (1,))


def test_left_out_values():
    for made in (ops.eye(2, None, None), mint.eye(2, dtype=None)):
        assert made.dtype == ms.float32 and made.asnumpy().tolist() == [[1, 0], [0, 1]]
    assert ms.Parameter(x(), name="a", device="CPU").name == "a"
    for wrong in (3, "TPU"):
        with pytest.raises(ValueError):
            ms.Parameter(x(), device=wrong)
    rows = x().reverse_sequence(Tensor([1, 2]), 1)
    assert rows.asnumpy().tolist() == [[1, 2], [4, 3]]


def test_random_integers():
    for call in (lambda: mint.randint(low=2, high=3, size=(4,)), lambda: mint.randint(2, 3, size=(4,)), lambda: mint.randint(2, 3, (4,)),
                 lambda: mint.randint(2, high=3, size=(4,))):
        assert call().asnumpy().tolist() == [2] * 4
    for call in (lambda: mint.randint(1, (4,)), lambda: mint.randint(1, size=(4,)), lambda: mint.randint(high=1, size=(4,))):
        assert call().asnumpy().tolist() == [0] * 4
    for call in (lambda: mint.randint(1), lambda: mint.randint(1, 2, (3,), size=(3,)), lambda: mint.randint(size=(3,))):
        with pytest.raises(TypeError):
            call()


def test_printed_layers():
    m = mint.nn
    for layer, text in (
            (m.Linear(3, 4), "Linear(input_features=3, output_features=4, has_bias=True)"), (m.Dropout(), "DropoutExt()"),
            (m.Dropout2d(), "Dropout2dExt()"), (m.AvgPool1d(2), "AvgPool1dExt()"), (m.AvgPool2d(2), "AvgPool2dExt()"),
            (m.AvgPool3d(2), "AvgPool3dExt()"), (m.MaxPool2d(2), "MaxPool2dExt()"), (m.Unfold(2), "UnfoldExt()"),
            (m.LayerNorm(3), "LayerNormExt(normalized_shape=(3,), eps=1e-05, elementwise_affine=True)"), (m.SELU(), "SELU()"),
            (m.Softmax(), "SoftmaxExt()"), (m.LogSoftmax(), "LogSoftmaxExt()"), (m.PReLU(), "PReLUExt()"), (m.L1Loss(), "L1LossExt()"),
            (m.Upsample((2, 2)), "UpsampleExt()"), (m.Softshrink(), "SoftShrink()"), (m.ConstantPad1d(1, 0.5), "ConstantPad1d()"),
            (m.AdaptiveAvgPool1d(2), "AdaptiveAvgPool1d(output_size=2)"), (m.AdaptiveAvgPool2d(2), "AdaptiveAvgPool2d(output_size=2)"),
            (m.AdaptiveMaxPool1d(2), "AdaptiveMaxPool1d(output_size=2, return_indices=False)"), (nn.AdaptiveMaxPool2d(2), "AdaptiveMaxPool2d()"),
            (nn.ReflectionPad1d(1), "ReflectionPad1d()"), (nn.Dropout1d(), "Dropout1d()")):
        assert repr(layer) == text
    assert nn.AvgPool1dExt is m.AvgPool1d and nn.DropoutExt is m.Dropout
    assert "kernel_size=(1, 3), stride=(1, 1), pad_mode=same, padding=(0, 0, 0, 0), dilation=(1, 1)" in repr(nn.Conv1dTranspose(3, 4, 3))


@pytest.mark.jit
def test_layers_of_one_axis():
    line = Tensor(np.arange(10, dtype=np.float32).reshape(1, 2, 5))
    pairs = mint.nn.AdaptiveMaxPool1d(2, return_indices=True)(line)
    assert [p.asnumpy().tolist() for p in pairs] == [[[[2, 4], [7, 9]]], [[[2, 4], [2, 4]]]]
    for layer, expected in ((mint.nn.AdaptiveMaxPool1d(2), [[[2, 4], [7, 9]]]), (mint.nn.AdaptiveAvgPool1d(2), [[[1, 3], [6, 8]]])):
        for run in (layer, ms.jit(layer, mode="PIJit"), ms.jit(layer, mode="PSJit")):
            assert run(line).asnumpy().tolist() == expected


@pytest.mark.jit
def test_sync_batch_norm_in_one_process():
    rng = np.random.RandomState(0)
    for shape, other in (((4, 3), mint.nn.BatchNorm1d), ((4, 3, 2, 2), mint.nn.BatchNorm2d), ((2, 3, 2, 2, 2), mint.nn.BatchNorm3d)):
        batch, synced, plain = Tensor(rng.rand(*shape).astype(np.float32)), mint.nn.SyncBatchNorm(3), other(3)
        for mode in (True, False):
            synced.set_train(mode), plain.set_train(mode)
            for run in (synced, ms.jit(synced, mode="PIJit")):
                np.testing.assert_allclose(run(batch).asnumpy(), plain(batch).asnumpy(), rtol=1e-5, atol=1e-6)
        for name in ("running_mean", "running_var", "num_batches_tracked"):
            np.testing.assert_allclose(getattr(synced, name).asnumpy(), getattr(plain, name).asnumpy(), rtol=1e-5)
    with pytest.raises(TypeError):
        mint.nn.SyncBatchNorm(3, process_group=3)
    with pytest.raises(ValueError):
        mint.nn.SyncBatchNorm(3)(Tensor(np.ones(3, np.float32)))
