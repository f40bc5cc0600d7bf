"""Layers of mint.nn that call one function, against NumPy; interpreted and compiled."""
import numpy as np
import pytest

import msjit as ms
from jit_same import same
from msjit import Tensor, mint
from msjit import int64 as int64_type

LINE = np.arange(12, dtype=np.float32).reshape(1, 2, 6)
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
VOLUME = IMAGE.reshape(1, 1, 1, 4, 4)


def taken(x, rows, columns):
    return x[:, :, rows][..., columns]


CASES = [
    ("means", mint.nn.AvgPool1d(2), LINE, LINE.reshape(1, 2, 3, 2).mean(-1)),
    ("means without the edge", mint.nn.AvgPool1d(3, 1, 1, count_include_pad=False), LINE[:, :1],
     np.array([[[0.5, 1, 2, 3, 4, 4.5]]], np.float32)),
    ("nearest size", mint.nn.UpsamplingNearest2d(size=(2, 3)), IMAGE, taken(IMAGE, [0, 2], [0, 1, 2])),
    ("nearest factor", mint.nn.UpsamplingNearest2d(scale_factor=(2.0, 1.0)), IMAGE, IMAGE.repeat(2, 2)),
    ("nearest factor that is no ratio", mint.nn.UpsamplingNearest2d(scale_factor=[1.0, 1.6]), IMAGE,
     taken(IMAGE, [0, 1, 2, 3], [0, 0, 1, 1, 2, 3])),
    ("bilinear size", mint.nn.UpsamplingBilinear2d(size=[2, 3]), IMAGE, np.array([[[[0, 1.5, 3], [12, 13.5, 15]]]], np.float32)),
    ("bilinear factor", mint.nn.UpsamplingBilinear2d(scale_factor=(0.5, 0.75)), IMAGE,
     np.array([[[[0, 1.5, 3], [12, 13.5, 15]]]], np.float32)),
    ("gated", mint.nn.GLU(1), LINE / 8, LINE[:, :1] / 8 / (1 + np.exp(-LINE[:, 1:] / 8))),
    ("shrunk", mint.nn.Softshrink(2.5), LINE - 5, np.sign(LINE - 5) * np.maximum(np.abs(LINE - 5) - 2.5, 0)),
    ("zeros", mint.nn.ZeroPad1d([1, 2]), LINE, np.pad(LINE, ((0, 0), (0, 0), (1, 2)))),
    ("zeros and a cut", mint.nn.ZeroPad1d((-1, 2)), LINE, np.pad(LINE[..., 1:], ((0, 0), (0, 0), (0, 2)))),
    ("zeros on all sides", mint.nn.ZeroPad2d(1), IMAGE, np.pad(IMAGE, ((0, 0), (0, 0), (1, 1), (1, 1)))),
    ("zeros in a volume", mint.nn.ZeroPad3d((1, 0, 0, 1, 1, 0)), VOLUME, np.pad(VOLUME, ((0, 0), (0, 0), (1, 0), (0, 1), (1, 0)))),
]


@pytest.mark.parametrize("layer, x, expected", [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_layers(layer, x, expected):
    same(lambda value: layer(value), lambda variant: (Tensor(x),))
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, 1e-6)


def test_unpooling():
    out = mint.nn.MaxUnpool2d(2)(Tensor([[[[5.0, 7], [13, 15]]]]), Tensor([[[[5, 7], [13, 15]]]], int64_type))
    expected = np.zeros(16)
    expected[[5, 7, 13, 15]] = [5, 7, 13, 15]
    np.testing.assert_array_equal(out.asnumpy().reshape(-1), expected)


@pytest.mark.parametrize("call, error", [
    (lambda: mint.nn.UpsamplingNearest2d(scale_factor=2.0)(Tensor(IMAGE)), TypeError),
    (lambda: mint.nn.UpsamplingNearest2d(size=3)(Tensor(IMAGE)), TypeError),
    (lambda: mint.nn.UpsamplingNearest2d()(Tensor(IMAGE)), ValueError),
    (lambda: mint.nn.UpsamplingBilinear2d((3, 3), (2.0, 2.0))(Tensor(IMAGE)), ValueError),
    (lambda: mint.nn.UpsamplingBilinear2d((3,))(Tensor(IMAGE)), ValueError),
    (lambda: mint.nn.UpsamplingBilinear2d((3, 3))(Tensor(LINE)), ValueError),
    (lambda: mint.nn.ZeroPad1d((1, 2, 3)), ValueError), (lambda: mint.nn.ZeroPad1d("a"), ValueError),
    (lambda: mint.nn.ZeroPad3d(1)(Tensor([1.0])), ValueError)])
def test_refused(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("mode", [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit)
@pytest.mark.parametrize("make", [
    lambda i: mint.nn.ReLU6(i), lambda i: mint.nn.SiLU(i), lambda i: mint.nn.ELU(0.5, i), lambda i: mint.nn.Hardtanh(-1.0, 2.0, i),
    lambda i: mint.nn.Threshold(0.5, 9.0, i), lambda i: mint.nn.Dropout(0.5, i)])
def test_layers_in_place(make, mode):
    values = [[-2.0, 0.3, 1.5, 7.0]]
    want = make(False).set_train(False)(Tensor(values)).asnumpy()
    layer = make(True).set_train(False)
    x = Tensor(values)
    out = mode(lambda t: layer(t))(x)
    assert np.array_equal(out.asnumpy(), want) and np.array_equal(x.asnumpy(), want)
    plain = make(False).set_train(False)
    gradients = [ms.grad(mode(function))(Tensor(values)).asnumpy()
                 for function in (lambda t: (plain(t * 1) * 3).sum(), lambda t: (layer(t * 1) * 3).sum())]
    assert np.array_equal(*gradients)
    with pytest.raises(TypeError, match="inplace, got int, expected a bool"):
        make(1)


def test_batch_norm_starts_anew():
    layer = mint.nn.BatchNorm1d(2).set_train()
    layer(Tensor([[1.0, 2.0], [3.0, 6.0]]))
    layer.weight.set_data(layer.weight * 3)
    layer.reset_running_stats()
    assert layer.running_mean.asnumpy().tolist() == [0, 0] and layer.running_var.asnumpy().tolist() == [1, 1]
    assert int(layer.num_batches_tracked) == 0 and layer.weight.asnumpy().tolist() == [3, 3]
    layer.reset_parameters()
    assert layer.weight.asnumpy().tolist() == [1, 1] and layer.bias.asnumpy().tolist() == [0, 0]
    mint.nn.BatchNorm1d(2, affine=False, track_running_stats=False).reset_parameters()
