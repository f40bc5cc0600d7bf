"""Convolution, pooling and normalisation over one to three axes, pads and image layers: numbers of MindSpore or NumPy."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, nn, ops

LINE, IMAGE, VOLUME = (Tensor(np.cos(np.arange(int(np.prod(shape)))).astype(np.float32).reshape(shape))
                       for shape in ((2, 4, 6), (2, 4, 4, 6), (2, 4, 4, 6, 4)))


def names(cell):
    return [(p.name, tuple(p.shape), p.requires_grad) for p in cell.get_parameters()]


def test_parameters_are_mindspores():
    assert names(nn.Conv1dTranspose(2, 4, 3, has_bias=True)) == [("weight", (2, 4, 1, 3), True), ("bias", (4,), True)]
    assert names(nn.Conv2dTranspose(2, 4, 3)) == [("weight", (2, 4, 3, 3), True)]
    assert names(nn.Conv3d(2, 4, 3, has_bias=True)) == [("weight", (4, 2, 3, 3, 3), True), ("bias", (4,), True)]
    assert names(nn.Conv3dTranspose(2, 4, 3, group=2)) == [("weight", (2, 2, 3, 3, 3), True)]
    assert names(nn.InstanceNorm2d(3)) == [("mean", (3,), False), ("variance", (3,), False), ("gamma", (3,), True),
                                           ("beta", (3,), True)]
    assert [p.name for p in nn.BatchNorm3d(3).get_parameters()] == [
        "bn2d.moving_mean", "bn2d.moving_variance", "bn2d.gamma", "bn2d.beta"]
    assert [p.name for p in mint.nn.BatchNorm2d(3).get_parameters()] == [
        "weight", "bias", "running_mean", "running_var", "num_batches_tracked"]


@pytest.mark.parametrize("make, x, shape", [
    (lambda: nn.Conv1dTranspose(4, 2, 3, 2), LINE, (2, 2, 12)),
    (lambda: nn.Conv1dTranspose(4, 2, 3, 2, "valid"), LINE, (2, 2, 13)),
    (lambda: nn.Conv2dTranspose(4, 2, 3, 4, "valid"), IMAGE, (2, 2, 16, 24)),
    (lambda: nn.Conv2dTranspose(4, 2, 3, 2, "pad", 1, 1), IMAGE, (2, 2, 8, 12)),
    (lambda: nn.Conv3dTranspose(4, 2, 3, 2, "pad", 1, output_padding=1), VOLUME, (2, 2, 8, 12, 8)),
    (lambda: nn.Conv3d(4, 2, 3, 2), VOLUME, (2, 2, 2, 3, 2)),
    (lambda: nn.Conv3d(4, 2, 3, 1, "pad", 1, 2, 2), VOLUME, (2, 2, 2, 4, 2)),
    (lambda: nn.MaxPool1d(3, 2, "same"), LINE, (2, 4, 3)), (lambda: nn.AvgPool1d(3, 2, "pad", 1), LINE, (2, 4, 3)),
    (lambda: nn.MaxPool3d(2, 2), VOLUME, (2, 4, 2, 3, 2)), (lambda: nn.AvgPool3d(3, 2, "same"), VOLUME, (2, 4, 2, 3, 2)),
    (lambda: nn.AdaptiveAvgPool1d(3), LINE, (2, 4, 3)), (lambda: nn.AdaptiveMaxPool1d(2), LINE, (2, 4, 2)),
    (lambda: nn.AdaptiveMaxPool2d((3, None)), IMAGE, (2, 4, 3, 6)),
    (lambda: nn.AdaptiveAvgPool3d(3), VOLUME, (2, 4, 3, 3, 3)), (lambda: nn.LPPool2d(1.0, 2), IMAGE, (2, 4, 2, 3)),
    (lambda: nn.InstanceNorm1d(4), LINE, (2, 4, 6)), (lambda: nn.InstanceNorm3d(4), VOLUME, (2, 4, 4, 6, 4)),
    (lambda: nn.BatchNorm3d(4).set_train(), VOLUME, (2, 4, 4, 6, 4)), (lambda: nn.LRN(1), IMAGE, (2, 4, 4, 6)),
    (lambda: nn.ReflectionPad1d((1, 2)), LINE, (2, 4, 9)), (lambda: nn.ReplicationPad3d(1), VOLUME, (2, 4, 6, 8, 6)),
    (lambda: nn.ConstantPad3d((1, 0, 2, 1, 0, 1), 2.0), VOLUME, (2, 4, 5, 9, 5)),
    (lambda: nn.ZeroPad2d((1, 2, 0, 1)), IMAGE, (2, 4, 5, 9)), (lambda: nn.PixelShuffle(2), IMAGE, (2, 1, 8, 12)),
    (lambda: nn.PixelUnshuffle(2), IMAGE, (2, 16, 2, 3)), (lambda: nn.ChannelShuffle(2), IMAGE, (2, 4, 4, 6)),
    (lambda: nn.Upsample((5, 3), mode="bilinear"), IMAGE, (2, 4, 5, 3)), (lambda: nn.Unflatten(1, (2, 2)), IMAGE, (2, 2, 2, 4, 6)),
    (lambda: nn.CentralCrop(0.5), IMAGE, (2, 4, 2, 4)), (lambda: nn.ReduceLogSumExp(1), IMAGE, (2, 4, 6)),
    (lambda: nn.Roll(1, 2), IMAGE, (2, 4, 4, 6)), (lambda: nn.Tril(), IMAGE, (2, 4, 4, 6)), (lambda: nn.LGamma(), LINE, (2, 4, 6)),
    (lambda: mint.nn.Conv1d(4, 2, 3, padding=1), LINE, (2, 2, 6)), (lambda: mint.nn.Conv3d(4, 2, 3), VOLUME, (2, 2, 2, 4, 2)),
    (lambda: mint.nn.ConvTranspose2d(4, 2, 3, 2), IMAGE, (2, 2, 9, 13)), (lambda: mint.nn.MaxPool2d(2), IMAGE, (2, 4, 2, 3)),
    (lambda: mint.nn.BatchNorm2d(4).set_train(), IMAGE, (2, 4, 4, 6)), (lambda: mint.nn.Unfold(2), IMAGE, (2, 16, 15)),
])
def test_shape_gradient_and_jit(make, x, shape):
    cell = make()
    out = cell(x)
    assert tuple(out.shape) == shape
    grad = ms.grad(lambda v: ops.sum(cell(v) * cell(v)))(x)
    assert grad.shape == x.shape
    if ms.has_jit:
        jitted = ms.jit(cell.construct, mode="PIJit")
        for _ in range(2):
            np.testing.assert_allclose(jitted(x).asnumpy(), out.asnumpy(), rtol=1e-4, atol=1e-5)


def test_transposed_convolution_is_the_gradient():
    for make, conv, x in ((nn.Conv2dTranspose, nn.Conv2d, IMAGE), (nn.Conv3dTranspose, nn.Conv3d, VOLUME)):
        there, back = conv(2, 4, 3, 2, "same"), make(4, 2, 3, 2, "same")
        there.weight.set_data(back.weight)
        big = ops.ones((2, 2) + tuple(2 * n for n in x.shape[2:]))
        want = ms.grad(lambda v, there=there, x=x: ops.sum(there(v) * x))(big)
        np.testing.assert_allclose(back(x).asnumpy(), want.asnumpy(), rtol=1e-4, atol=1e-5)


def test_instance_norm():
    x = IMAGE.asnumpy()
    want = (x - x.mean((2, 3), keepdims=True)) / np.sqrt(x.var((2, 3), keepdims=True) + 1e-5)
    np.testing.assert_allclose(nn.InstanceNorm2d(4)(IMAGE).asnumpy(), want, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="must have 4 dimensions"):
        nn.InstanceNorm2d(4)(LINE)


@pytest.mark.parametrize("mode", [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit)
@pytest.mark.parametrize("layer, data", [(nn.InstanceNorm1d, LINE), (nn.InstanceNorm2d, IMAGE), (nn.InstanceNorm3d, VOLUME)])
def test_running_statistics_of_instance_norm(layer, data, mode):
    norm = layer(4, momentum=0.3)
    run, x = mode(norm), data.asnumpy().reshape(2, 4, -1)
    run(data)  # no training
    assert norm.moving_mean.asnumpy().tolist() == [0] * 4 and norm.moving_variance.asnumpy().tolist() == [1] * 4
    norm.set_train()
    mean, variance = np.zeros(4), np.ones(4)
    for _ in range(3):
        run(data)
        mean = 0.7 * mean + 0.3 * x.mean(2).mean(0)
        variance = 0.7 * variance + 0.3 * x.var(2, ddof=1).mean(0)
    np.testing.assert_allclose(norm.moving_mean.asnumpy(), mean, 1e-5, 1e-6)
    np.testing.assert_allclose(norm.moving_variance.asnumpy(), variance, 1e-5, 1e-6)
    with pytest.raises(ValueError, match="channels of the input, got 4"):
        layer(3)(data)


def test_output_padding_of_conv2d_transpose_adds_zeros():
    made = nn.Conv2dTranspose(1, 1, 2, 2, "pad", 0, 1, has_bias=True, weight_init="ones", bias_init="ones")
    assert made(ops.ones((1, 1, 1, 1))).tolist() == [[[[2, 2, 0], [2, 2, 0], [0, 0, 0]]]]


@pytest.mark.parametrize("make, text", [
    (lambda: nn.Conv3dTranspose(2, 2, 3, output_padding=1), "output_padding, got 1, expected 0 unless pad_mode is 'pad'"),
    (lambda: nn.Conv3d(2, 2, 3, data_format="NDHWC"), "data_format, got 'NDHWC', expected 'NCDHW'"),
    (lambda: nn.AdaptiveAvgPool1d(4)(LINE), "must be a multiple of output_size, got 6 and 4"),
    (lambda: nn.ReflectionPad1d((1, 2, 3)), "padding, got (1, 2, 3), expected an int or a tuple of 2 ints"),
    (lambda: nn.MaxPool1d(2, pad_mode="full"), "pad_mode, got 'full', expected 'same', 'valid' or 'pad'"),
    (lambda: nn.AvgPool3d(2)(LINE.reshape(-1)), "input has a wrong rank, got 1, expected 4 or 5"),
    (lambda: nn.Conv2dTranspose(4, 2, 3)(LINE), "input has a wrong rank, got 3, expected 4"),
])
def test_errors(make, text):
    with pytest.raises(ValueError) as caught:
        make()
    assert text in str(caught.value)


def test_tensors_as_weights_of_one_axis():
    values = np.arange(24, dtype=np.float32).reshape(2, 4, 3)
    for layer, shape in ((nn.Conv1d, (4, 2)), (nn.Conv1dTranspose, (2, 4))):
        made = layer(2, 4, 3, weight_init=Tensor(values.reshape(shape + (3,))))
        assert made.weight.shape == shape + (1, 3) and made.weight.asnumpy().ravel().tolist() == values.ravel().tolist()
        for wrong in ((4, 2, 1, 3), (4, 2)):
            with pytest.raises(ValueError, match=r"weight_init, got a Tensor of shape .*, expected three axes"):
                layer(2, 4, 3, weight_init=Tensor(np.zeros(wrong, np.float32)))
        with pytest.raises(ValueError, match="shape does not match"):
            layer(2, 4, 3, weight_init=Tensor(np.zeros((4, 4, 4), np.float32)))
