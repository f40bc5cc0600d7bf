"""Resizing, padding and pooling of mint: the results of PyTorch, which mint follows."""
import numpy as np
import pytest

import msjit as ms
from jit_same import same
from msjit import Tensor, mint, ops

F = mint.nn.functional
_GRID = Tensor(np.arange(12).reshape(3, 4).astype(np.float32))
_IMAGE = Tensor(np.arange(32).reshape(1, 2, 4, 4).astype(np.float32))


@pytest.mark.parametrize("pads, expected", [
    ((-1, 0), [[1, 2, 3], [5, 6, 7], [9, 10, 11]]),
    ((1, -2), [[7, 0, 1], [7, 4, 5], [7, 8, 9]]),
    ((-1, -2, -1, 1), [[5], [9], [7]]),
    ((-4, 0), [[], [], []]),
])
def test_negative_numbers_of_pad_cut_off(pads, expected):
    for pad in (ops.pad, F.pad):
        assert pad(_GRID, pads, value=7.0).tolist() == expected
    assert ms.grad(lambda x: ops.pad(x, (-1, 2)).sum())(_GRID).tolist() == [[0, 1, 1, 1]] * 3


def test_pad_cannot_cut_off_more_than_there_is():
    with pytest.raises(ValueError, match=r"\[pad\] elements cut off, got 5, expected at most 4"):
        ops.pad(_GRID, (-3, -2))


def _cache(x, kernel):
    return F.pad(x, (kernel - x.shape[-1], 0)) * 2


def test_pad_to_a_fixed_length_is_captured():
    same(_cache, lambda kernel: (_GRID, kernel), variants=(3, 3, 4, 6, 2, 3))


@pytest.mark.parametrize("mode, options, row", [
    ("nearest", {"scale_factor": 1.7}, [16, 16, 17, 17, 18, 18]),
    ("bilinear", {"scale_factor": 1.7}, [17.5294, 17.9118, 18.5, 19.0882, 19.6765, 20.2647]),
    ("bicubic", {"scale_factor": 1.7}, [17.1056, 17.5037, 18.1595, 18.7473, 19.4081, 19.9998]),
    ("bicubic", {"size": (5, 3)}, [18.5692, 19.9430, 21.3169]),
    ("bicubic", {"size": (5, 3), "align_corners": True}, [18.6719, 20.1719, 21.6719]),
])
def test_interpolate_places_and_weights(mode, options, row):
    assert np.allclose(F.interpolate(_IMAGE, mode=mode, **options)[0, 1, 1].asnumpy(), row, atol=1e-4)


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize("padding, sides", [(1, (1, 1)), ("same", (1, 2)), ("valid", (0, 0))])
def test_padding_modes_of_convolutions(mode, padding, sides):
    conv = mint.nn.Conv1d(2, 3, 4, padding=padding, padding_mode=mode)
    x = Tensor(np.random.RandomState(0).randn(2, 2, 9).astype(np.float32))
    rows = np.pad(x.asnumpy(), ((0, 0), (0, 0), sides), {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}[mode])
    expected = F.conv1d(Tensor(rows), conv.weight, conv.bias)
    assert np.allclose(conv(x).asnumpy(), expected.asnumpy(), atol=1e-6)
    flat = mint.nn.Conv2d(2, 3, (1, 4), padding=padding if padding != 1 else (0, 1), padding_mode=mode)
    flat.weight.set_data(conv.weight.expand_dims(2)), flat.bias.set_data(conv.bias)
    assert np.allclose(flat(x.expand_dims(2)).squeeze(2).asnumpy(), expected.asnumpy(), atol=1e-6)


def test_an_unknown_padding_mode_is_an_error():
    for layer in (mint.nn.Conv1d, mint.nn.Conv2d, mint.nn.Conv3d):
        with pytest.raises(ValueError, match="padding_mode, got 'edge', expected 'zeros', 'reflect', 'replicate' or 'circular'"):
            layer(2, 2, 3, padding_mode="edge")


@pytest.mark.parametrize("layer", [
    mint.nn.MaxPool2d(3, 1, 1), mint.nn.AvgPool2d(2), mint.nn.Conv2d(2, 3, 3, padding=1), mint.nn.Conv2d(2, 2, 3, padding=1, padding_mode="reflect"),
    mint.nn.ConvTranspose2d(2, 3, 2), lambda x: F.max_pool2d(x, 2), lambda x: F.avg_pool2d(x, 2), lambda x: F.max_pool2d(x, 2, return_indices=True)[1],
])
def test_one_image_without_an_axis_of_the_batch(layer):
    alone, many = layer(_IMAGE[0]), layer(_IMAGE)
    assert alone.shape == many.shape[1:] and np.allclose(alone.asnumpy(), many[0].asnumpy())


def test_one_signal_and_one_volume_without_an_axis_of_the_batch():
    signal, volume = _IMAGE[0, :, 0], Tensor(np.random.RandomState(0).randn(2, 3, 4, 4).astype(np.float32))
    for layer, x in ((mint.nn.Conv1d(2, 3, 2), signal), (mint.nn.Conv3d(2, 3, 2), volume)):
        assert np.allclose(layer(x).asnumpy(), layer(x.expand_dims(0))[0].asnumpy(), atol=1e-6)


@pytest.mark.parametrize("size", [(11, 12), (12, 12), (2, 3, 12, 12)])
def test_a_transposed_convolution_of_a_named_size(size):
    """The same as with the output_padding that gives this size."""
    x = Tensor(np.cos(np.arange(2 * 4 * 6 * 12, dtype=np.float32)).reshape(2, 4, 6, 12))
    layer = mint.nn.ConvTranspose2d(4, 3, 3, stride=(2, 1), padding=1)
    padded = mint.nn.ConvTranspose2d(4, 3, 3, stride=(2, 1), padding=1, output_padding=(size[-2] - 11, 0))
    padded.weight.set_data(layer.weight), padded.bias.set_data(layer.bias)
    out = layer(x, output_size=size)
    assert out.shape == (2, 3) + size[-2:] and np.allclose(out.asnumpy(), padded(x).asnumpy(), atol=1e-6)
    kernel = layer.weight.asnumpy()[:, :, ::-1, ::-1].transpose(1, 0, 2, 3)
    spread = np.zeros((2, 4, 12 + size[-2] - 11 + 1, 14), np.float32)  # the convolution of the input with zeros between its rows
    spread[:, :, 1:12:2, 1:13] = x.asnumpy()
    expected = ops.conv2d(Tensor(spread), Tensor(np.ascontiguousarray(kernel))) + layer.bias.reshape(1, -1, 1, 1)
    np.testing.assert_allclose(out.asnumpy(), expected.asnumpy(), atol=1e-5)
    assert layer(x[0], size[-2:]).shape == (3,) + size[-2:]
    for wrong in ((13, 12), (10, 12), (12, 13), (12,)):
        with pytest.raises(ValueError, match=r"^\[conv_transpose2d\] output_size, got .*, expected \(11, 12\) to \(12, 12\)"):
            layer(x, wrong)
