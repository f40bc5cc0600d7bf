"""Operators on integers of 8 and 4 bits, and networks that are quantised with them."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from msjit import quantization as q


def integers(seed, shape, low=-127, high=128, dtype=np.int8):
    return np.random.RandomState(seed).randint(low, high, shape).astype(dtype)


def floats(seed, *shape):
    return np.random.RandomState(seed).standard_normal(shape).astype(np.float32)


def pairs(numbers):
    """Numbers of 4 bits, two a byte."""
    padded = np.pad(numbers, ((0, 0), (0, numbers.shape[1] % 2))).astype(np.uint8) & 15
    return padded[:, ::2] | padded[:, 1::2] << 4


def wide(numbers, scale, zero=None):
    """What integers stand for."""
    groups = numbers.astype(np.float64).reshape(len(numbers), -1, numbers.shape[1] // (scale.size // len(scale)))
    shift = 0 if zero is None else zero.reshape(len(numbers), -1, 1)
    return ((groups - shift) * scale.reshape(len(numbers), -1, 1)).reshape(numbers.shape)


@pytest.mark.parametrize("shape", [(1, 64), (5, 100), (2, 3, 33), (0, 8), (7, 1), (3, 0), (40,)])
@pytest.mark.parametrize("dtype", [np.int8, np.uint8])
def test_products_of_integers_are_exact(shape, dtype):
    low, high = (-128, 128) if dtype is np.int8 else (0, 256)
    x, w = integers(0, shape, low, high, dtype), integers(1, (17, shape[-1]), -128)
    scale, bias = np.abs(floats(2, 17)), floats(3, 17)
    sums = x.astype(np.int64) @ w.T.astype(np.int64)
    for _ in range(4):  # packed from the third use on
        assert np.allclose(ops.int8_linear(Tensor(x), Tensor(w), Tensor(scale)).asnumpy(), sums * scale, rtol=1e-6)
    got = ops.int8_linear(Tensor(x), Tensor(w), Tensor(scale), Tensor(bias)).asnumpy()
    assert np.allclose(got, sums * scale + bias, rtol=1e-5, atol=1e-3)
    ones = Tensor(np.ones(17, np.float32))
    assert (ops.int8_linear(Tensor(x), Tensor(w), ones).asnumpy() == sums.astype(np.float32)).all()


def test_products_of_integers_in_any_layout():
    x, w = integers(0, (6, 8)), integers(1, (8, 5))
    scale = np.abs(floats(2, 10))
    got = ops.int8_linear(Tensor(x)[::2], Tensor(w).T, Tensor(scale)[::2])
    assert np.allclose(got.asnumpy(), (x[::2].astype(np.int64) @ w) * scale[::2])


def test_gradients_of_scale_and_bias():
    x, w = Tensor(integers(0, (3, 8))), Tensor(integers(1, (5, 8)))
    out = floats(2, 3, 5)
    by_scale, by_bias = ms.grad(lambda s, b: (ops.int8_linear(x, w, s, b) * Tensor(out)).sum(), (0, 1))(
        Tensor(floats(3, 5)), Tensor(floats(4, 5)))
    sums = x.asnumpy().astype(np.float32) @ w.asnumpy().T.astype(np.float32)
    assert np.allclose(by_scale.asnumpy(), (out * sums).sum(0), rtol=1e-4)
    assert np.allclose(by_bias.asnumpy(), out.sum(0), rtol=1e-5)


@pytest.mark.parametrize("bits", [8, 4])
@pytest.mark.parametrize("inner, groups", [(256, 1), (256, 8), (256, 2), (100, 1), (96, 3), (30, 5), (7, 1), (1, 1), (1061, 1)])
def test_weights_of_few_bits(bits, inner, groups):
    if bits == 4 and groups > 1 and inner // groups % 2:
        pytest.skip("groups of 4 bits are even")
    limit = 127 if bits == 8 else 7
    w = integers(1, (13, inner), -limit - 1, limit + 1)
    scale, zero, bias = np.abs(floats(2, 13, groups)), floats(3, 13, groups), floats(4, 13)
    held = Tensor(w if bits == 8 else pairs(w))
    for zeros in (None, zero):
        full = wide(w, scale, zeros)
        given = None if zeros is None else Tensor(zeros)
        widened = ops.widen_weight(held, Tensor(scale), given, inner, bits)
        assert np.allclose(widened.asnumpy(), full, rtol=1e-5, atol=1e-5)
        for rows in (1, 3, 4, 9, 30):  # vectors, tiles of rows, widened at once
            x = floats(rows, rows, inner)
            got = ops.weight_only_linear(Tensor(x), held, Tensor(scale), given, Tensor(bias), bits).asnumpy()
            want = x @ full.T + bias
            assert np.abs(got - want).max() <= 2e-5 * np.abs(x).max() * np.abs(full).max() * inner ** 0.5 + 1e-5


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
def test_sixteen_bit_activations(dtype):
    w, scale = integers(0, (6, 40)), np.abs(floats(1, 6)) / 100
    x = Tensor(floats(2, 2, 3, 40)).astype(dtype)
    got = ops.weight_only_linear(x, Tensor(w), Tensor(scale))
    assert got.dtype == dtype and got.shape == (2, 3, 6)
    want = x.astype(ms.float32).asnumpy() @ wide(w, scale).T
    assert np.allclose(got.astype(ms.float32).asnumpy(), want, rtol=1e-2, atol=2e-1)


@pytest.mark.parametrize("bits", [8, 4])
def test_gradients_of_weights_of_few_bits(bits):
    w, x, out = integers(0, (5, 12), -7, 8), floats(1, 4, 12), floats(2, 4, 5)
    held = Tensor(w if bits == 8 else pairs(w))
    numbers = Tensor(w.astype(np.float32).reshape(5, 2, 6))

    def narrow(x, scale, zero, bias):
        return (ops.weight_only_linear(x, held, scale, zero, bias, bits) * Tensor(out)).sum()

    def plain(x, scale, zero, bias):
        full = ((numbers - zero.reshape(5, 2, 1)) * scale.reshape(5, 2, 1)).reshape(5, 12)
        return ((ops.matmul(x, full.T) + bias) * Tensor(out)).sum()
    inputs = [Tensor(a) for a in (x, np.abs(floats(3, 5, 2)), floats(4, 5, 2), floats(5, 5))]
    for got, want in zip(ms.grad(narrow, (0, 1, 2, 3))(*inputs), ms.grad(plain, (0, 1, 2, 3))(*inputs)):
        assert np.allclose(got.asnumpy(), want.asnumpy(), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("call, error, text", [
    (lambda i, f: ops.int8_linear(f((2, 3)), i((4, 3)), f((4,))), TypeError, r"\[int8_linear\] x has a wrong dtype, got float32, expected int8 or uint8"),
    (lambda i, f: ops.int8_linear(i((2, 3)), i((4, 5)), f((4,))), ValueError, r"\[int8_linear\] inner dimensions must match, got 3 and 5"),
    (lambda i, f: ops.int8_linear(i((2, 3)), i((4, 3)), f((3,))), ValueError, r"\[int8_linear\] scale must match"),
    (lambda i, f: ops.weight_only_linear(f((2, 3)), i((4, 3)), f((4,)), bits=5), ValueError, "bits, got 5, expected 4 or 8"),
    (lambda i, f: ops.weight_only_linear(f((2, 4)), i((4, 2)), f((4,)), bits=4), TypeError, "weight has a wrong dtype, got int8, expected uint8"),
    (lambda i, f: ops.weight_only_linear(f((2, 4)), i((4, 4)), f((4, 3))), ValueError, "got 3 groups for rows of 4 numbers"),
    (lambda i, f: ops.weight_only_linear(i((2, 4)), i((4, 4)), f((4,))), TypeError, "x has an unsupported dtype, got int8"),
    (lambda i, f: ops.widen_weight(i((4, 4)), f((4,)), None, 5), ValueError, "inner sizes must match, got 4 and 5"),
])
def test_wrong_operands(call, error, text):
    with pytest.raises(error, match=text):
        call(lambda shape: Tensor(np.zeros(shape, np.int8)), lambda shape: Tensor(np.zeros(shape, np.float32)))


class Net(nn.Cell):
    """Layers in every kind of place, one of them in two."""

    def __init__(self):
        super().__init__()
        self.first = nn.Dense(24, 32, activation="relu")
        self.blocks = nn.CellList([nn.SequentialCell(nn.Dense(32, 32), nn.ReLU()), ms.mint.nn.Linear(32, 32)])
        self.named = nn.CellDict([["a", nn.Dense(32, 32, has_bias=False)]])
        self.again = self.blocks[1]
        self.last = nn.Dense(32, 5)

    def construct(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.last(self.again(self.named["a"](x)))


def make_net():
    ms.set_seed(3)
    return Net()


BATCHES = [Tensor(floats(i, 16, 24)) for i in range(3)]


def distance(a, b):
    return np.linalg.norm(a.asnumpy() - b.asnumpy()) / np.linalg.norm(b.asnumpy())


@pytest.mark.parametrize("quantise, bound, ratio", [
    (lambda net: q.quantize_weights(net), 0.02, 3),
    (lambda net: q.quantize_weights(net, 4, 8), 0.3, 3),
    (lambda net: q.quantize_int8(net), 0.03, 3),
    (lambda net: q.quantize_int8(net, BATCHES), 0.04, 3),
])
def test_whole_networks(quantise, bound, ratio):
    net, plain = make_net(), make_net()
    names = [p.name for p in plain.get_parameters()]
    report = quantise(net)
    assert [layer.name for layer in report.layers] == ["first", "blocks.0.0", "blocks.1", "named.a", "last"]
    assert net.again is net.blocks[1] and type(net.first) in (q.WeightOnlyDense, q.Int8Dense)
    assert sum(r.before for r in report.layers) > ratio * sum(r.after for r in report.layers)
    assert all(0 < r.error < bound for r in report.layers) and "blocks.0.0" in str(report)
    got = [p.name for p in net.get_parameters()]
    assert set(names) <= set(got) and len(set(got)) == len(got)
    assert distance(net(BATCHES[0]), plain(BATCHES[0])) < bound


def test_report_of_batches():
    net = make_net()
    report = q.quantize_int8(net, BATCHES)
    outs = make_net()
    pairs = [(net(b).asnumpy(), outs(b).asnumpy()) for b in BATCHES]
    want = np.sqrt(sum(((a - b) ** 2).sum() for a, b in pairs) / sum((b ** 2).sum() for _, b in pairs))
    assert abs(report.error - want) < 1e-5


def test_layers_that_stay(tmp_path):
    net = make_net()
    report = q.quantize_weights(net, skip=("blocks", "last"))
    assert [r.name for r in report.layers] == ["first", "named.a"] and type(net.last) is nn.Dense
    # What is quantised is in a checkpoint.
    ms.save_checkpoint(net, str(tmp_path / "net.ckpt"))
    other = Net()
    q.quantize_weights(other, skip=("blocks", "last"))
    ms.load_checkpoint(str(tmp_path / "net.ckpt"), other)
    assert (other(BATCHES[0]).asnumpy() == net(BATCHES[0]).asnumpy()).all()


def test_training_beside_frozen_weights():
    net = nn.SequentialCell(nn.Dense(8, 8), nn.Dense(8, 1))
    q.quantize_weights(net, skip="1")
    extra = Parameter(Tensor(np.zeros((8, 8), np.float32)), name="extra")
    x, y = Tensor(floats(0, 32, 8)), Tensor(floats(1, 32, 1))

    def loss():
        return ((net[1](net[0](ops.matmul(x, extra) + x)) - y) ** 2).mean()
    params = ms.ParameterTuple([extra] + net.trainable_params())
    assert [p.name for p in params] == ["extra", "0.bias", "1.weight", "1.bias"]
    optimizer, step = nn.Adam(params, 1e-2), ms.value_and_grad(loss, None, params)
    losses = []
    for _ in range(30):
        value, grads = step()
        optimizer(grads)
        losses.append(float(value))
    assert losses[-1] < 0.8 * losses[0]


@pytest.mark.jit
@pytest.mark.parametrize("quantise", [lambda net: q.quantize_weights(net, 4, 8), q.quantize_int8, lambda net: q.quantize_int8(net, BATCHES)])
def test_captured(quantise):
    net = make_net()
    quantise(net)
    for f in (ms.jit(lambda x: net(x), mode="PIJit"), ms.jit(net)):
        for batch in BATCHES:
            assert np.allclose(f(batch).asnumpy(), net(batch).asnumpy(), rtol=1e-5, atol=1e-6)


def test_rows_of_zeros():
    net = nn.SequentialCell(nn.Dense(4, 3, weight_init="zeros"))
    bias = net[0].bias.asnumpy()
    for quantise in (q.quantize_weights, q.quantize_int8):
        quantised = nn.SequentialCell(net[0])
        quantise(quantised)
        assert np.allclose(quantised(Tensor(np.zeros((2, 4), np.float32))).asnumpy(), [bias, bias])


@pytest.mark.parametrize("call, error, text", [
    (lambda: q.quantize_weights(nn.SequentialCell(nn.Dense(2, 2)), bits=3), ValueError, "bits, got 3, expected 4 or 8"),
    (lambda: q.quantize_weights(nn.SequentialCell(nn.Dense(2, 2)), 4, 3), ValueError, "group_size, got 3, expected an even number"),
    (lambda: q.quantize_weights(5), TypeError, "net must be a Cell, got int"),
    (lambda: q.quantize_weights(nn.Dense(2, 2)), TypeError, "a single Dense"),
    (lambda: q.quantize_int8(nn.SequentialCell(nn.Dense(2, 2)), []), ValueError, "batches, got none"),
    (lambda: q.quantize_int8(nn.SequentialCell(nn.Dense(2, 2)), Tensor(np.ones((3, 2), np.float32))), TypeError, r"got Tensor, expected a list of inputs, \[x\] for one"),
    (lambda: q.quantize_int8(nn.SequentialCell(nn.Dense(2, 2)), percentile=20), ValueError, "percentile, got 20"),
    (lambda: q.WeightOnlyDense(nn.Dense(6, 2), 8, 4), ValueError, "group_size, got 4, expected a divisor of 6"),
])
def test_wrong_arguments(call, error, text):
    with pytest.raises(error, match=text):
        call()
