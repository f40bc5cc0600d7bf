"""Convolutions of 8-bit integers, and convolutional networks that are quantised with them."""
import copy

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops
from msjit import quantization as q


def integers(seed, shape, dtype=np.int8):
    low, high = (0, 256) if dtype is np.uint8 else (-128, 128)
    return np.random.RandomState(seed).randint(low, high, shape).astype(dtype)


def floats(seed, *shape):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def distance(a, b):
    return np.linalg.norm(a.asnumpy() - b.asnumpy()) / np.linalg.norm(b.asnumpy())


def sums(x, weight, stride, pads, dilation, groups):
    """The integers, by NumPy."""
    top, bottom, left, right = pads
    x = np.pad(x.astype(np.int64), ((0, 0), (0, 0), (top, bottom), (left, right)))
    out, channels, rows, columns = weight.shape
    high = (x.shape[2] - dilation[0] * (rows - 1) - 1) // stride[0] + 1
    wide = (x.shape[3] - dilation[1] * (columns - 1) - 1) // stride[1] + 1
    y = np.zeros((len(x), out, high, wide), np.int64)
    for o in range(out):
        group = x[:, o // (out // groups) * channels:][:, :channels]
        for i in range(rows):
            for j in range(columns):
                taps = group[:, :, i * dilation[0]:, j * dilation[1]:][:, :, :(high - 1) * stride[0] + 1:stride[0], :(wide - 1) * stride[1] + 1:stride[1]]
                y[:, o] += (taps * weight[o, :, i, j].astype(np.int64)[:, None, None]).sum(1)
    return y


CASES = [  # (images, channels, out, groups, size, kernel), (stride, pads, dilation)
    ((2, 3, 16, 1, (9, 8), (3, 3)), ((1, 1), (1, 1, 1, 1), (1, 1))),
    ((1, 32, 33, 1, (7, 7), (3, 3)), ((2, 1), (0, 1, 2, 0), (1, 2))),
    ((2, 64, 40, 1, (5, 6), (1, 1)), ((1, 1), (0, 0, 0, 0), (1, 1))),
    ((2, 24, 24, 24, (9, 9), (3, 3)), ((2, 2), (1, 1, 1, 1), (1, 1))),  # depthwise
    ((1, 12, 8, 4, (6, 9), (2, 3)), ((1, 1), (1, 0, 1, 0), (2, 1))),
    ((3, 5, 5, 5, (6, 6), (5, 5)), ((1, 1), (2, 2, 2, 2), (1, 1))),
]


@pytest.mark.parametrize("sizes, window", CASES)
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_sums_are_exact(sizes, window, dtype):
    images, channels, out, groups, size, kernel = sizes
    x, weight = integers(0, (images, channels) + size, dtype), integers(1, (out, channels // groups) + kernel)
    scale, bias, want = np.abs(floats(2, out)), floats(3, out), sums(x, weight, *window, groups)
    held, ones = Tensor(weight), Tensor(np.ones(out, np.float32))
    stride, pads, dilation = window

    def of(scale, bias=None):
        return ops.int8_conv2d(Tensor(x), held, Tensor(scale), bias, stride, pads, dilation, groups).asnumpy()
    for _ in range(4):  # packed from the third use on
        assert (of(ones.asnumpy()) == want.astype(np.float32)).all()
    assert np.allclose(of(scale, Tensor(bias)), want * scale[:, None, None] + bias[:, None, None], rtol=1e-5, atol=1e-3)
    captured = ms.jit(lambda x: ops.int8_conv2d(x, held, Tensor(scale), Tensor(bias), stride, pads, dilation, groups), mode="PIJit")
    assert (captured(Tensor(x)).asnumpy() == of(scale, Tensor(bias))).all()


def test_any_layout_and_no_images():
    x, weight, scale = integers(0, (4, 5, 6, 3)), integers(1, (7, 5, 2, 2)), np.abs(floats(2, 14))
    got = ops.int8_conv2d(Tensor(x).transpose(0, 3, 1, 2)[::2], Tensor(weight.transpose(2, 3, 0, 1)[:, :, :, :3]).transpose(2, 3, 0, 1), Tensor(scale)[::2])
    want = sums(x.transpose(0, 3, 1, 2)[::2], weight[:, :3], (1, 1), (0,) * 4, (1, 1), 1) * scale[::2, None, None]
    assert np.allclose(got.asnumpy(), want, rtol=1e-6)
    bias = Tensor(floats(3, 7))
    empty = ops.int8_conv2d(Tensor(x[:0].transpose(0, 3, 1, 2)), Tensor(weight[:, :3]), Tensor(scale[:7]), bias)
    assert empty.shape == (0, 7, 4, 5)
    alone = ops.int8_conv2d(Tensor(np.zeros((2, 0, 4, 4), np.int8)), Tensor(np.zeros((7, 0, 1, 1), np.int8)), Tensor(scale[:7]), bias)
    assert (alone.asnumpy() == np.broadcast_to(bias.asnumpy()[:, None, None], (2, 7, 4, 4))).all()
    padded = ops.int8_conv2d(Tensor(np.zeros((2, 5, 0, 4), np.int8)), Tensor(weight), Tensor(scale[:7]), bias, padding=1)
    assert (padded.asnumpy() == np.broadcast_to(bias.asnumpy()[:, None, None], (2, 7, 1, 5))).all()


def test_gradients_of_scale_and_bias():
    x, weight, out = integers(0, (2, 3, 5, 5)), integers(1, (4, 3, 3, 3)), floats(2, 2, 4, 5, 5)

    def f(scale, bias):
        return (ops.int8_conv2d(Tensor(x), Tensor(weight), scale, bias, padding=1) * Tensor(out)).sum()
    by_scale, by_bias = ms.grad(f, (0, 1))(Tensor(floats(3, 4)), Tensor(floats(4, 4)))
    plain = sums(x, weight, (1, 1), (1, 1, 1, 1), (1, 1), 1)
    assert np.allclose(by_scale.asnumpy(), (out * plain).sum((0, 2, 3)), rtol=1e-3)
    assert np.allclose(by_bias.asnumpy(), out.sum((0, 2, 3)), rtol=1e-4)


@pytest.mark.parametrize("call, error, text", [
    (lambda i, f: ops.int8_conv2d(f((1, 2, 3, 3)), i((4, 2, 3, 3)), f((4,))), TypeError, "x has a wrong dtype, got float32, expected int8 or uint8"),
    (lambda i, f: ops.int8_conv2d(i((1, 2, 3, 3)), f((4, 2, 3, 3)), f((4,))), TypeError, "weight has a wrong dtype, got float32, expected int8"),
    (lambda i, f: ops.int8_conv2d(i((2, 3, 3)), i((4, 2, 3, 3)), f((4,))), ValueError, "x and weight have a wrong rank, got 3 and 4"),
    (lambda i, f: ops.int8_conv2d(i((1, 2, 3, 3)), i((4, 2, 3, 3)), f((3,))), ValueError, "scale must match, got 3 and 4"),
    (lambda i, f: ops.int8_conv2d(i((1, 2, 3, 3)), i((4, 2, 3, 3)), f((4,)), f((5,))), ValueError, "bias must match, got 5 and 4"),
    (lambda i, f: ops.int8_conv2d(i((1, 2, 3, 3)), i((4, 1, 3, 3)), f((4,))), ValueError, "input channels per group must match"),
    (lambda i, f: ops.int8_conv2d(i((1, 2, 3, 3)), i((4, 2, 4, 3)), f((4,))), ValueError, "the kernel does not fit"),
    (lambda i, f: ops.int8_conv2d(i((1, 2, 3, 3)), i((4, 2, 3, 3)), i((4,))), TypeError, "scale has a wrong dtype, got int8, expected float32"),
])
def test_wrong_operands(call, error, text):
    with pytest.raises(error, match=r"\[int8_conv2d\] " + text):
        call(lambda shape: Tensor(np.zeros(shape, np.int8)), lambda shape: Tensor(np.zeros(shape, np.float32)))


# -- layers -----------------------------------------------------------------------------------------------------------

LAYERS = {
    "same": lambda: nn.Conv2d(3, 16, 3, has_bias=True),
    "same, strided": lambda: nn.Conv2d(3, 16, 3, stride=2),
    "valid": lambda: nn.Conv2d(3, 16, (3, 2), pad_mode="valid", has_bias=True),
    "padded": lambda: nn.Conv2d(3, 6, 3, stride=(2, 1), pad_mode="pad", padding=(2, 0, 1, 1), dilation=2, group=3),
    "of mint": lambda: ms.mint.nn.Conv2d(3, 8, 3, padding=1),
    "of mint, same": lambda: ms.mint.nn.Conv2d(3, 8, 4, padding="same"),
}


@pytest.mark.jit
@pytest.mark.parametrize("name", sorted(LAYERS))
@pytest.mark.parametrize("span", [None, (-4.0, 4.0), (0.0, 4.0), (-1.0, 4.0)])
def test_layers(name, span):
    ms.set_seed(1)
    layer = LAYERS[name]()
    x = floats(1, 2, 3, 11, 12)
    x = Tensor(x if span is None else np.clip(x, *span))
    new, want = q.Int8Conv2d(layer, span), layer(x)
    assert new.weight.dtype == ms.int8 and new.weight.shape == layer.weight.shape
    assert new(x).shape == want.shape and new(x).dtype == want.dtype and distance(new(x), want) < 0.02
    for f in (ms.jit(lambda x: new(x), mode="PIJit"), ms.jit(new)):
        assert np.allclose(f(x).asnumpy(), new(x).asnumpy(), rtol=1e-5, atol=1e-5)


def test_layers_over_one_axis():
    ms.set_seed(1)
    for pad_mode in ("same", "valid"):
        layer, x = nn.Conv1d(3, 8, 4, pad_mode=pad_mode, has_bias=True), Tensor(floats(1, 2, 3, 20))
        for span in (None, (-4.0, 4.0)):
            assert distance(q.Int8Conv1d(layer, span)(x), layer(x)) < 0.02
    layer, x = nn.Conv1d(3, 8, 3), Tensor(np.abs(floats(1, 2, 3, 20)))
    assert distance(q.Int8Conv1d(layer, (0.0, 4.0))(x), layer(x)) < 0.02


def test_images_of_sixteen_bits_and_of_zeros():
    layer = nn.Conv2d(3, 8, 3, has_bias=True, dtype=ms.float16)
    x = Tensor(floats(1, 2, 3, 8, 8)).astype(ms.float16)
    for span in (None, (-4.0, 4.0)):
        got = q.Int8Conv2d(layer, span)(x)
        assert got.dtype == ms.float16 and distance(got.astype(ms.float32), layer(x).astype(ms.float32)) < 0.02
        zeros = q.Int8Conv2d(layer, span)(ops.zeros_like(x)).astype(ms.float32).asnumpy()
        assert np.allclose(zeros, layer.bias.astype(ms.float32).asnumpy()[:, None, None], atol=1e-3)


# -- networks ---------------------------------------------------------------------------------------------------------

def settled(norm, seed):
    """A normalisation as training leaves it."""
    random = np.random.RandomState(seed)
    parts = (norm.gamma, norm.beta, norm.moving_mean, norm.moving_variance) if hasattr(norm, "gamma") else (
        norm.weight, norm.bias, norm.running_mean, norm.running_var)
    for part, value in zip(parts, (random.standard_normal, random.standard_normal, random.standard_normal, random.random_sample)):
        part.set_data(Tensor((value(part.shape) + (0.5 if part is parts[3] else 0.0)).astype(np.float32)))
    return norm


class Block(nn.Cell):
    def __init__(self, channels):
        super().__init__()
        self.conv1, self.bn1 = nn.Conv2d(channels, channels, 3), settled(nn.BatchNorm2d(channels), 1)
        self.depthwise, self.bn2 = nn.Conv2d(channels, channels, 3, group=channels), settled(ms.mint.nn.BatchNorm2d(channels), 2)

    def construct(self, x):
        return ops.relu(self.bn2(self.depthwise(ops.relu(self.bn1(self.conv1(x))))) + x)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem = nn.SequentialCell(nn.Conv2d(3, 16, 3, stride=2), settled(nn.BatchNorm2d(16), 0), nn.ReLU(), nn.MaxPool2d(2, 2))
        self.blocks, self.head = nn.CellList([Block(16), Block(16)]), nn.Conv2d(16, 5, 1, has_bias=True)

    def construct(self, x):
        x = self.stem(x)
        for block in self.blocks:
            x = block(x)
        return self.head(x).mean((2, 3))


def make_net():
    ms.set_seed(3)
    return Net().set_train(False)


BATCHES = [Tensor(floats(i, 4, 3, 36, 36)) for i in range(3)]


def test_networks():
    net, plain = make_net(), make_net()
    report = q.quantize_int8(net, BATCHES)
    convs = ["stem.0", "blocks.0.conv1", "blocks.0.depthwise", "blocks.1.conv1", "blocks.1.depthwise", "head"]
    assert [layer.name for layer in report.layers] == convs and all(0 < layer.error < 0.05 for layer in report.layers)
    assert type(net.stem[1]) is type(net.blocks[0].bn1) is type(net.blocks[1].bn2) is nn.Identity
    assert all(type(dict(net.cells_and_names())[name]) is q.Int8Conv2d for name in convs)
    assert report.error < 0.05 and max(distance(net(b), plain(b)) for b in BATCHES) < 0.06
    names = [p.name for p in net.get_parameters()]
    assert len(set(names)) == len(names) and {"stem.0.weight", "stem.0.bias", "blocks.1.depthwise.input_scale", "head.bias"} <= set(names)


def test_networks_without_batches():
    net, plain = make_net(), make_net()
    q.quantize_int8(net)
    assert type(net.blocks[0].bn1) is nn.BatchNorm2d and type(net.head) is q.Int8Conv2d
    assert distance(net(BATCHES[0]), plain(BATCHES[0])) < 0.06


@pytest.mark.jit
def test_captured_networks():
    net = make_net()
    q.quantize_int8(net, BATCHES)
    for f in (ms.jit(lambda x: net(x), mode="PIJit"), ms.jit(net)):
        for batch in BATCHES:
            for _ in range(3):
                assert np.allclose(f(batch).asnumpy(), net(batch).asnumpy(), rtol=1e-4, atol=1e-5)


def test_layers_that_stay():
    net = make_net()
    report = q.quantize_int8(net, BATCHES, skip=("blocks.0", "stem.1"))
    assert [layer.name for layer in report.layers] == ["stem.0", "blocks.1.conv1", "blocks.1.depthwise", "head"]
    assert type(net.blocks[0].conv1) is nn.Conv2d and type(net.blocks[0].bn1) is nn.BatchNorm2d
    assert type(net.stem[1]) is nn.BatchNorm2d


class Uses(nn.Cell):
    """A convolution and its normalisation, put together in several ways."""

    def __init__(self, how):
        super().__init__()
        self.how, self.conv, self.bn, self.other = how, nn.Conv2d(3, 3, 3), settled(nn.BatchNorm2d(3), 4), nn.Conv2d(3, 3, 1)

    def construct(self, x):
        return getattr(self, "_" + self.how)(x)

    def _alone(self, x):
        return self.bn(self.conv(x))

    def _twice(self, x):
        y = self.conv(x)
        return self.bn(y) * 2 + self.bn(y)

    def _again(self, x):
        a, b = self.conv(x), self.conv(x * 2)
        return self.bn(a) + self.bn(b)

    def _beside(self, x):
        y = self.conv(x)
        return self.bn(y) + ops.relu(y)

    def _shared(self, x):
        return self.bn(self.conv(x)) + self.bn(self.other(x))

    def _between(self, x):
        return self.bn(self.conv(x) + 1)

    def _sometimes(self, x):
        y = self.conv(x)
        return self.bn(y) if float(x[0, 0, 0, 0]) > 0 else y


@pytest.mark.parametrize("how, folds", [("alone", True), ("twice", True), ("again", True), ("beside", False), ("shared", False), ("between", False),
                                        ("sometimes", False)])
def test_what_is_folded(how, folds):
    ms.set_seed(2)
    net = Uses(how).set_train(False)
    plain, batches = copy.deepcopy(net), [Tensor(s * np.abs(floats(i, 2, 3, 9, 9))) for i, s in enumerate((1, -1, 1))]
    report = q.quantize_int8(net, batches)
    assert (type(net.bn) is nn.Identity) == folds and report.layers[0].name == "conv" and report.layers[0].error < 0.03
    assert max(distance(net(b), plain(b)) for b in batches) < 0.03
    assert not plain.conv._ms_hooks and not plain.bn._ms_hooks


def test_normalisations_by_the_batch_stay():
    net = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4, use_batch_statistics=True))
    net.set_train(False)
    q.quantize_int8(net, [Tensor(floats(0, 2, 3, 8, 8))])
    assert type(net[1]) is nn.Identity and type(net[3]) is nn.BatchNorm2d
    net = nn.SequentialCell(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).set_train(True)
    q.quantize_int8(net, [Tensor(floats(0, 2, 3, 8, 8))])
    assert type(net[1]) is nn.BatchNorm2d


def test_checkpoints(tmp_path):
    net = make_net()
    q.quantize_int8(net, BATCHES)
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    other = make_net()
    q.quantize_int8(other, [b * 0.5 for b in BATCHES])
    assert (other(BATCHES[0]).asnumpy() != net(BATCHES[0]).asnumpy()).any()
    ms.load_checkpoint(str(tmp_path / "net.ckpt"), other)
    assert (other(BATCHES[0]).asnumpy() == net(BATCHES[0]).asnumpy()).all()
    # Signed inputs where the file has others are no inputs to load scales for.
    signed = nn.SequentialCell(nn.Conv2d(3, 4, 3)).set_train(False)
    unsigned = copy.deepcopy(signed)
    q.quantize_int8(signed, [Tensor(floats(0, 1, 3, 8, 8))])
    q.quantize_int8(unsigned, [Tensor(np.abs(floats(0, 1, 3, 8, 8)))])
    ms.save_checkpoint(signed, str(tmp_path / "signed.ckpt"))
    with pytest.raises((ValueError, RuntimeError), match="input_scale"):
        ms.load_checkpoint(str(tmp_path / "signed.ckpt"), unsigned)
