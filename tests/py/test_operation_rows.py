"""Primitives made of rows (steps of optimizers, images, counting, losses), writes in place and hooks, in every mode."""
import math

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, ops

RNG = np.random.RandomState(3)
V, S, G = np.float32([1, 2, -3]), np.float32([0.5, 1, 2]), np.float32([0.5, -2, 1])


def modes(function):
    """The function as it is and through both forms of the JIT."""
    def called(*operands):
        return function(*operands)
    fresh = eval("lambda *xs: function(*xs)", {"function": function})  # no captures of the other cases lie on it
    return [function] + [ms.jit(fresh, mode="PIJit"), ms.jit(called, mode="PSJit")] * ms.has_jit


def sign_max(x, by):
    return np.sign(x) * np.maximum(np.abs(x) - by, 0)


def adam(v, m, s):
    m, s = 0.9 * m + 0.1 * G, 0.99 * s + 0.01 * G ** 2
    return v - 0.1 * math.sqrt(0.1) / 0.5 * m / (np.sqrt(s) + 1e-8), m, s


def decayed(v, m, s):
    m, s = 0.9 * m + 0.1 * G, 0.99 * s + 0.01 * G ** 2
    return v - 0.1 * (m / (np.sqrt(s) + 1e-8) + 0.01 * v), m, s


def largest(v, m, s):
    m, s = 0.9 * m + 0.1 * G, np.maximum(0.99 * s, np.abs(G))
    return v - 0.1 / 0.5 * m / (s + 1e-8), m, s


def adadelta(v, a, u):
    a = 0.9 * a + 0.1 * G ** 2
    step = np.sqrt(u + 1e-6) / np.sqrt(a + 1e-6) * G
    return v - 0.1 * step, a, 0.9 * u + 0.1 * step ** 2


def rms(v, s, m):
    s = 0.9 * s + 0.1 * G ** 2
    m = 0.8 * m + 0.1 * G / np.sqrt(s + 1e-6)
    return v - m, s, m


def ftrl(v, a, n):
    after = a + G ** 2
    n = n + G - (np.sqrt(after) - np.sqrt(a)) / 0.1 * v
    return np.where(np.abs(n) <= 0.2, 0, (np.sign(n) * 0.2 - n) / (np.sqrt(after) / 0.1 + 2 * 0.3)), after, n


def proximal(v, a):
    a = a + G ** 2
    rate = 0.1 / np.sqrt(a)
    return sign_max(v - rate * G, rate * 0.2) / (1 + rate * 0.3), a


# name: (attributes, inputs behind the Parameters, the step in NumPy, what the Parameters hold before)
STEPS = {
    "ApplyMomentum": ((), (0.1, G, 0.9), lambda v, a: (v - 0.1 * (0.9 * a + G), 0.9 * a + G), V, S),
    "ApplyKerasMomentum": ((), (0.1, G, 0.9), lambda v, a: (v + 0.9 * a - 0.1 * G, 0.9 * a - 0.1 * G), V, S),
    "Adam": ((), (0.5, 0.9, 0.1, 0.9, 0.99, 1e-8, G), adam, V, S, S),
    "AdamWeightDecay": ((), (0.1, 0.9, 0.99, 1e-8, 0.01, G), decayed, V, S, S),
    "ApplyAdaMax": ((), (0.5, 0.1, 0.9, 0.99, 1e-8, G), largest, V, S, S),
    "ApplyAdadelta": ((), (0.1, 0.9, 1e-6, G), adadelta, V, S, S),
    "ApplyAdagrad": ((), (0.1, G), lambda v, a: (v - 0.1 * G / np.sqrt(a + G ** 2), a + G ** 2), V, S),
    "ApplyAdagradV2": ((1e-3,), (0.1, G), lambda v, a: (v - 0.1 * G / (np.sqrt(a + G ** 2) + 1e-3), a + G ** 2), V, S),
    "ApplyRMSProp": ((), (0.1, G, 0.9, 0.8, 1e-6), rms, V, S, S),
    "ApplyFtrl": ((), (G, 0.1, 0.2, 0.3, -0.5), ftrl, V, S, S),
    "ApplyGradientDescent": ((), (0.1, G), lambda v: (v - 0.1 * G,), V),
    "ApplyProximalGradientDescent": ((), (0.1, 0.2, 0.3, G), lambda v: (sign_max(v - 0.1 * G, 0.02) / 1.03,), V),
    "ApplyProximalAdagrad": ((), (0.1, 0.2, 0.3, G), proximal, V, S),
    "ApplyAddSign": ((), (0.1, 1.0, 0.9, 0.8, G), lambda v, m: (
        v - 0.1 * (1 + 0.9 * np.sign(G) * np.sign(0.8 * m + 0.2 * G)) * G, 0.8 * m + 0.2 * G), V, S),
    "ApplyPowerSign": ((), (0.1, 1.0, 0.9, 0.8, G), lambda v, m: (
        v - 0.1 * np.exp(0.9 * np.sign(G) * np.sign(0.8 * m + 0.2 * G)) * G, 0.8 * m + 0.2 * G), V, S),
}


@pytest.mark.parametrize("name", STEPS)
def test_steps(name):
    attributes, inputs, step, *before = STEPS[name]
    primitive, want = getattr(ops, name)(*attributes), step(*before)
    inputs = [Tensor(x) if isinstance(x, np.ndarray) else x for x in inputs]
    for run in modes(primitive):
        held = [Parameter(Tensor(x), name="p%d" % i) for i, x in enumerate(before)]
        out = run(*(held + inputs))
        out = out if isinstance(out, tuple) else (out,)
        for parameter, wanted in zip(held, want):
            np.testing.assert_allclose(parameter.asnumpy(), wanted, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(out[0].asnumpy(), want[0], rtol=1e-5, atol=1e-6)


def test_sgd_begins_with_the_gradient():
    primitive = ops.SGD(0.1, 0.5, True)
    v, a, first = (Parameter(Tensor(x), name=n) for x, n in ((V, "v"), (S, "a"), (np.ones(3, np.float32), "f")))
    gradient, accumulated, value = G + 0.5 * V, G + 0.5 * V, V
    for _ in range(2):
        primitive(v, Tensor(G), Tensor(0.1), a, Tensor(0.9), first)
        value = value - 0.1 * (gradient + 0.9 * accumulated)
        np.testing.assert_allclose(v.asnumpy(), value, rtol=1e-5)
        gradient = G + 0.5 * value
        accumulated = 0.9 * accumulated + 0.9 * gradient
    assert first.tolist() == [0, 0, 0]


def hue(colours):
    import colorsys
    return np.array([colorsys.rgb_to_hsv(*c) for c in colours.reshape(-1, 3)]).reshape(colours.shape)


COLOURS = RNG.rand(1, 2, 3, 3).astype(np.float32)
X = RNG.rand(3, 4).astype(np.float32)
IMAGE = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)

# name: (function of tensors, the wanted array, operands)
CASES = {
    "RGBToHSV": (ops.RGBToHSV(), hue(COLOURS), COLOURS),
    "HSVToRGB": (lambda x: ops.HSVToRGB()(ops.RGBToHSV()(x)), COLOURS, COLOURS),
    "AdjustHue": (lambda x: ops.AdjustHue()(x, Tensor(1.0)), COLOURS, COLOURS),
    "AdjustSaturation": (lambda x: ops.AdjustSaturation()(x, Tensor(0.0)), np.repeat(COLOURS.max(-1, keepdims=True), 3, -1), COLOURS),
    "L2Loss": (ops.L2Loss(), (X ** 2).sum() / 2, X),
    "MulNoNan": (lambda x: ops.MulNoNan()(x, Tensor(np.float32([0, 1, 2, 3]))), np.array([[0, 1, 4, np.inf]]), np.float32([[np.nan, 1, 2, np.inf]])),
    "SquareSumAll": (lambda x: ops.SquareSumAll()(x, x * 2)[1], 4 * (X ** 2).sum(), X),
    "EqualCount": (lambda x: ops.EqualCount()(x, x * Tensor(np.float32([1, 0, 1, 0]))), [6], X),
    "CumulativeLogsumexp": (lambda x: ops.CumulativeLogsumexp(False, True)(x, Tensor(1)), np.log(np.exp(X)[:, ::-1].cumsum(1)[:, ::-1]), X),
    "Bucketize": (ops.Bucketize([0.2, 0.5]), np.digitize(X, [0.2, 0.5]), X),
    "NthElement": (lambda x: ops.NthElement()(x, 1), np.sort(X)[:, 1], X),
    "SegmentMean": (lambda x: ops.SegmentMean()(x, Tensor([0, 0, 2], ms.int32)), [X[:2].mean(0), X[0] * 0, X[2]], X),
    "SegmentMax": (lambda x: ops.SegmentMax()(x, Tensor([0, 0, 2], ms.int32)), [X[:2].max(0), X[0] * 0, X[2]], X),
    "EmbeddingLookup": (lambda x: ops.EmbeddingLookup()(x, Tensor([1, 3, 9], ms.int32), 1), [X[0], X[2], X[0] * 0], X),
    "CompareAndBitpack": (lambda x: ops.CompareAndBitpack()(ops.reshape(x, (8,)), Tensor(0.5)),
                          np.packbits(X.reshape(-1)[:8] > 0.5), X.reshape(-1)[:8]),
    "TridiagonalMatMul": (lambda x: ops.TridiagonalMatMul()(Tensor([[1.0, 1, 0]]), Tensor([[2.0, 2, 2]]), Tensor([[0.0, 3, 3]]), x),
                          np.array([[2, 1, 0], [3, 2, 1], [0, 3, 2]]) @ X, X),
    "ResizeArea": (lambda x: ops.ResizeArea()(ops.transpose(x, (0, 2, 3, 1)), Tensor([2, 2], ms.int32)),
                   IMAGE.reshape(1, 2, 2, 2, 2).mean((2, 4))[..., None], IMAGE),
    "ResizeLinear1D": (lambda x: ops.ResizeLinear1D()(ops.reshape(x, (1, 3, 4)), (7,)),
                       np.array([[np.interp(np.linspace(0, 3, 7), np.arange(4), row) for row in X]]), X),
    "UpsampleNearest3D": (lambda x: ops.UpsampleNearest3D()(ops.reshape(x, (1, 1, 1, 4, 4)), [2, 4, 8]),
                          IMAGE[:, :, None].repeat(2, 2).repeat(2, 4), IMAGE),
    "ROIAlign": (lambda x: ops.ROIAlign(2, 2, 1.0, 2, 0)(x, Tensor([[0.0, 0, 0, 3, 3]])), [[[[3.75, 5.25], [9.75, 11.25]]]], IMAGE),
    "MaxPoolWithArgmaxV2": (lambda x: ops.MaxPoolWithArgmaxV2(2)(x)[1], [[[[5, 7], [13, 15]]]], IMAGE),
    "MaxUnpool2D": (lambda x: ops.MaxUnpool2D(2, 2)(*ops.MaxPoolWithArgmaxV2(2)(x)), np.where(np.isin(IMAGE, [5, 7, 13, 15]), IMAGE, 0), IMAGE),
    "ExtractVolumePatches": (lambda x: ops.ExtractVolumePatches([1, 1, 1, 2, 2], [1, 1, 1, 2, 2], "VALID")(ops.expand_dims(x, 2)),
                             IMAGE.reshape(2, 2, 2, 2).transpose(1, 3, 0, 2).reshape(1, 4, 1, 2, 2), IMAGE),
    "PadV3": (lambda x: ops.PadV3("edge")(ops.expand_dims(x, 0), Tensor([1, 2])), np.pad(X[None], ((0, 0), (0, 0), (1, 2)), "edge"), X),
    "SpaceToBatch": (ops.SpaceToBatch(2, [[0, 0], [0, 0]]), IMAGE.reshape(1, 2, 2, 2, 2).transpose(2, 4, 0, 1, 3).reshape(4, 1, 2, 2), IMAGE),
    "DataFormatDimMap": (lambda x: ops.DataFormatDimMap()(ops.cast(x, ms.int32)), [0, 3, 1, 2, 2], np.float32([0, 1, 2, 3, -1])),
    "deformable_conv2d": (lambda x: ops.deformable_conv2d(x, ops.ones((1, 1, 2, 2)), ops.concat([ops.zeros((1, 8, 3, 3)), ops.ones((1, 4, 3, 3))], 1),
                                                          (2, 2), (1, 1, 1, 1), (0, 0, 0, 0)),
                          IMAGE[..., :3, :3] + IMAGE[..., 1:, :3] + IMAGE[..., :3, 1:] + IMAGE[..., 1:, 1:], IMAGE),
    "rms_norm": (lambda x: ops.rms_norm(x, ops.ones((4,)))[0], X / np.sqrt((X ** 2).mean(-1, keepdims=True) + 1e-6), X),
    "rotary_position_embedding": (lambda x: ops.rotary_position_embedding(x, ops.zeros((4,)), ops.ones((4,))),
                                  np.concatenate([-X[:, 2:], X[:, :2]], 1), X),
    "bidense": (lambda x: ops.bidense(x, x, ops.ones((2, 4, 4))), np.repeat(X.sum(1, keepdims=True) ** 2, 2, 1), X),
    "mirror_pad": (lambda x: ops.mirror_pad(x, Tensor([[1, 0], [2, 2]]), "SYMMETRIC"), np.pad(X, ((1, 0), (2, 2)), "symmetric"), X),
}


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    function, want, *operands = CASES[name]
    for run in modes(function):
        for _ in range(2):
            out = run(*[Tensor(x) for x in operands])
            assert tuple(out.shape) == np.shape(want)
            np.testing.assert_allclose(out.asnumpy(), want, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("name", ["AdjustHue", "CumulativeLogsumexp", "SegmentMean", "ResizeArea", "ROIAlign", "MaxUnpool2D", "deformable_conv2d",
                                  "rms_norm", "bidense", "PadV3", "TridiagonalMatMul", "EmbeddingLookup"])
def test_gradients(name):
    function, _, operand = CASES[name]
    shape = function(Tensor(operand)).shape
    weights = Tensor(np.cos(np.arange(int(np.prod(shape)))).reshape(tuple(shape)).astype(np.float32))
    direction = np.sin(1 + np.arange(operand.size)).reshape(operand.shape).astype(np.float32)

    def loss(x):
        return (function(x) * weights).sum()
    sides = [float(loss(Tensor(operand + step * direction))) for step in (np.float32(1e-2), np.float32(-1e-2))]
    want = (sides[0] - sides[1]) / 2e-2
    for run in modes(ms.grad(loss)):
        assert abs(float((run(Tensor(operand)).asnumpy() * direction).sum()) - want) < 3e-2 * (1 + abs(want))


def test_fractional_pooling():
    x = RNG.rand(2, 3, 6, 7).astype(np.float32)
    values, places = ops.fractional_max_pool2d(Tensor(x), 2, output_ratio=0.5, return_indices=True)
    assert values.shape == (2, 3, 3, 3)
    picked = np.take_along_axis(x.reshape(2, 3, -1), places.asnumpy().reshape(2, 3, -1), 2)
    np.testing.assert_array_equal(picked.reshape(values.shape), values.asnumpy())
    assert (values.asnumpy()[:, :, -1, -1] == x[:, :, -2:, -2:].max((2, 3))).all()  # the last window ends with the image
    grad = ms.grad(lambda v: ops.fractional_max_pool2d(v, 2, output_size=(2, 2), _random_samples=Tensor(np.full((2, 3, 2), 0.5, np.float32))).sum())
    assert grad(Tensor(x)).asnumpy().sum() == 24
    for call in (lambda: ops.fractional_max_pool2d(Tensor(x), 2), lambda: ops.fractional_max_pool2d(Tensor(x), 5, output_size=(4, 4)),
                 lambda: ops.fractional_max_pool3d(Tensor(x[0]), 2, output_size=1), lambda: ops.fractional_max_pool2d(Tensor(x), 2, output_ratio=1.5)):
        with pytest.raises(ValueError):
            call()


def test_boxes():
    anchors, boxes = Tensor([[2.0, 2, 6, 9], [0, 0, 3, 3]]), Tensor([[1.0, 2, 4, 8], [1, 1, 2, 6]])
    deltas = ops.bounding_box_encode(anchors, boxes, (0.1, 0, 0, 0), (1, 2, 1, 1))
    for run in modes(lambda a, d: ops.bounding_box_decode(a, d, (20, 20), (0.1, 0, 0, 0), (1, 2, 1, 1))):
        np.testing.assert_allclose(run(anchors, deltas).asnumpy(), boxes.asnumpy(), atol=1e-5)
    scored = Tensor(np.float32([[0, 0, 4, 4, 0.5], [1, 1, 5, 5, 0.9], [6, 6, 9, 9, 0.7]]))
    rows, places, kept = ops.NMSWithMask(0.3)(scored)
    assert rows.asnumpy()[:, 4].tolist() == pytest.approx([0.9, 0.7, 0.5]) and kept.tolist() == [True, True, False]
    assert ops.check_valid(Tensor([[0.0, 0, 3, 3], [0, 0, 9, 3]]), Tensor([5.0, 5, 1])).tolist() == [True, False]


def test_sequences_of_words():
    scores = np.log(np.float32([[[0.6, 0.3, 0.1]], [[0.6, 0.3, 0.1]], [[0.1, 0.1, 0.8]], [[0.1, 0.8, 0.1]]]))
    found = ops.ctc_greedy_decoder(Tensor(scores), Tensor([4], ms.int32))
    assert found[1].tolist() == [0, 1] and found[0].tolist() == [[0, 0], [0, 1]] and found[2].tolist() == [1, 2]
    assert ops.ctc_greedy_decoder(Tensor(scores), Tensor([4], ms.int32), False)[1].tolist() == [0, 0, 1]
    one = [Tensor([[0, 0], [0, 1]]), Tensor([1, 2]), Tensor([1, 2])]
    other = [Tensor([[0, 0], [0, 1], [0, 2]]), Tensor([3, 1, 2]), Tensor([1, 3])]
    assert ops.EditDistance(False)(*(one + other)).tolist() == [1]
    assert ops.EditDistance()(*(one + other)).tolist() == pytest.approx([1 / 3])
    banned = ops.NoRepeatNGram(2)(Tensor([[[1, 2, 1]]], ms.int32), Tensor(np.zeros((1, 1, 4), np.float32)))
    assert (banned.asnumpy() < -1e38).reshape(-1).tolist() == [False, False, True, False]


def test_experts():
    tokens, chosen = Tensor(RNG.rand(4, 3).astype(np.float32)), Tensor([[1, 0], [0, 2], [2, 1], [1, 2]], ms.int32)
    permuted, places = ops.moe_token_permute(tokens, chosen)
    order = np.argsort(chosen.asnumpy().reshape(-1), kind="stable")
    np.testing.assert_array_equal(permuted.asnumpy(), tokens.asnumpy()[order // 2])
    back = ops.moe_token_unpermute(permuted, places, Tensor(np.full((4, 2), 0.5, np.float32)))
    np.testing.assert_allclose(back.asnumpy(), tokens.asnumpy(), rtol=1e-6)


def test_counting():
    for kind, values in ((ms.int16, [0, 255, -1, -32768]), (ms.int64, [0, 7, -1, 2 ** 40]), (ms.uint8, [0, 255, 1, 128])):
        width = {ms.int16: 16, ms.int64: 64, ms.uint8: 8}[kind]
        want = [bin(v % (1 << width)).count("1") for v in values]
        for run in modes(ops.population_count):
            assert run(Tensor(values, kind)).tolist() == want
    assert ops.nextafter(Tensor([1.0]), Tensor([2.0])).asnumpy() == np.nextafter(np.float32(1), np.float32(2))
    places, sums, _ = ops.coalesce(Tensor([[0, 0, 1], [1, 1, 2]]), Tensor([1.0, 5, 4]), Tensor([3, 3]))
    assert places.tolist() == [[0, 1], [1, 2]] and sums.tolist() == [6, 4]
    splits, numbers = ops.RaggedRange(ms.int64)(Tensor([2, 5]), Tensor([4, 5]), Tensor([1, 1]))
    assert splits.tolist() == [0, 2, 2] and numbers.tolist() == [2, 3]


def test_random_choices():
    ms.set_seed(1)
    true = Tensor([[True, False, True], [False, True, True]])
    where, there = ops.choice_with_mask(true, 6)
    assert there.tolist() == [True] * 4 + [False] * 2 and sorted(map(tuple, where.tolist()[:4])) == [(0, 0), (0, 2), (1, 1), (1, 2)]
    sampled, wanted, counts = ops.uniform_candidate_sampler(Tensor([[1], [3]]), 1, 4, True, 4)
    assert sorted(sampled.tolist()) == [0, 1, 2, 3] and wanted.shape == (2, 1) and 0 < counts.asnumpy().max() <= 1
    assert ops.log_uniform_candidate_sampler(Tensor([[1, 2]]), 2, 3, False, 8)[0].shape == (3,)
    cut = ops.TruncatedNormal()(Tensor([4000])).asnumpy()
    assert np.abs(cut).max() <= 2 and abs(cut.std() - 0.8796) < 0.03
    drawn = ops.RandomPoisson()(Tensor([4000]), Tensor([4.0])).asnumpy()
    assert abs(drawn.mean() - 4) < 0.2 and drawn.dtype == np.int64
    mask = ops.DropoutGenMask()((1000,), 0.75)
    kept = ops.DropoutDoMask()(Tensor(np.ones(1000, np.float32)), mask, 0.75).asnumpy()
    assert np.allclose(np.unique(kept), [0, 4 / 3]) and abs((kept > 0).mean() - 0.75) < 0.06


def test_morph_and_copies():
    def tripled(x, output, grad):
        return (grad * 3,)
    twice = ops.Morph(lambda x: x * 2, lambda s: s, lambda d: d, tripled)
    for run in modes(ms.grad(lambda x: twice(x).sum())):
        assert run(Tensor([1.0, 2.0])).tolist() == [3, 3]
    assert ms.grad(lambda x: ops.Morph(lambda v: v * 2, lambda s: s, lambda d: d)(x).sum())(Tensor([1.0])).tolist() == [2]
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    assert ops.CopyWithSlice()(p, Tensor([3.0, 4.0])) is p and p.tolist() == [3, 4]
    assert ops.TupleToTensor()((1, 2)).dtype == ms.int64 and ops.TupleToTensor()((1, 2), ms.float32).dtype == ms.float32
    with pytest.raises(TypeError):
        ops.Morph(1, lambda s: s, lambda d: d)


def test_custom_vjp():
    from msjit.ops.function import arg_max_with_value_, cast_, custom_vjp

    @custom_vjp
    def product(x, y):
        return x * y
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    assert ms.grad(lambda a, b: product(a, b).sum())(x, y).tolist() == [3, 4]
    product.defbwd(lambda a, b, out, grad: (grad * 2, grad * out))
    for run in modes(ms.grad(lambda a, b: product(a, b).sum(), (0, 1))):
        assert [g.tolist() for g in run(x, y)] == [[2, 2], [3, 8]]
    for wrong in (lambda: custom_vjp(3), lambda: product.defbwd(None)):
        with pytest.raises(TypeError):
            wrong()
    assert cast_(x, ms.int32).dtype == ms.int32 and arg_max_with_value_(x)[0].item() == 1


# -- writes in place and hooks ---------------------------------------------------------------------------------------------


def added(x):
    y = x * 2
    y.add_(x)
    return (y * y).sum()


def scaled(x):
    y = x * 2
    z = y * y
    y.mul_(3.0).sub_(x, alpha=2)
    return (z + y).sum()


def cleared(x):
    y = x * 2
    y.zero_()
    return (y * x + x).sum()


def exponential(x):
    y = x * 2
    y.exp_()
    return y.sum()


def copied(x):
    y = x * 2
    y.copy_(x * x)
    return y.sum()


def placed(x):
    y = x * 2
    y.put_(Tensor([0]), x[1:2] * 5)
    return y.sum()


@pytest.mark.parametrize("function, want", [
    (added, lambda x: 18 * x), (scaled, lambda x: 8 * x + 4), (cleared, lambda x: 1 + 0 * x), (exponential, lambda x: 2 * np.exp(2 * x)),
    (copied, lambda x: 2 * x), (placed, lambda x: np.float32([0, 7, 2]))])
def test_gradients_through_writes(function, want):
    x = np.float32([0.5, 1, 1.5])
    for run in modes(ms.grad(function)):
        for _ in range(2):
            np.testing.assert_allclose(run(Tensor(x)).asnumpy(), want(x), rtol=1e-6)
    value = function(Tensor(x)).item()
    for run in modes(function):
        assert run(Tensor(x)).item() == pytest.approx(value)


def test_methods_of_the_object():
    x = Tensor(np.float32([[1, 2], [3, 4]]))
    assert x.H.tolist() == x.mT.tolist() == [[1, 3], [2, 4]] and x.ndimension() == 2 and x.storage_offset() == 0
    assert x.itemset((0, 1), 9.0).tolist() == [[1, 9], [3, 4]] and x.fill(5.0).tolist() == [[5, 5], [5, 5]] and x.tolist() == [[1, 2], [3, 4]]
    assert Tensor.convert_bytes_to_tensor(x.get_bytes(), (2, 2), ms.float32).tolist() == x.tolist()
    assert x.put_(Tensor([0, 3]), Tensor([7.0, 8.0]), True) is x and x.tolist() == [[8, 2], [3, 12]]
    assert x.set_(Tensor(np.float32([[1, 2], [0, 0]]))) is x and x.tolist() == [[1, 2], [0, 0]] and not x.is_pinned()
    for call, kind in ((lambda: x[0].H, ValueError), (lambda: x[0].mT, ValueError), (lambda: x.itemset(5, 1.0), IndexError), (lambda: x.itemset(1.0), ValueError),
                       (lambda: x.set_(Tensor([1])), TypeError), (lambda: x.offload(), NotImplementedError),
                       (lambda: x[0].add_(Tensor(np.ones((2, 2), np.float32))), ValueError), (lambda: x.move_to("GPU"), ValueError)):
        with pytest.raises(kind):
            call()


def test_hooks_of_inputs_and_parameters():
    seen = []

    def hook(grad):
        seen.append(grad.tolist())
        return grad * 2

    def hooked(v):
        v.register_hook(hook)
        return (v * v).sum()
    x = Tensor([1.0, 2.0])
    for run in modes(ms.grad(hooked)):
        seen.clear()
        assert run(x).tolist() == [4, 8] and seen == [[2, 4]]
    outside = Tensor([1.0, 2.0])
    handle = outside.register_hook(lambda grad: grad * 5)
    p = Parameter(Tensor([3.0, 4.0]), name="p")
    other = p.register_hook(lambda grad: grad * 3)
    gradient = ms.grad(lambda v: (v * v * p).sum(), 0, [p])
    found = gradient(outside)
    assert found[0].tolist() == [30, 80] and found[1][0].tolist() == [3, 12] and len(outside.hooks()) == 1
    handle.remove()
    other.remove()
    found = gradient(outside)
    assert found[0].tolist() == [6, 16] and found[1][0].tolist() == [1, 4] and not outside.hooks()
    outside.register_hook(lambda grad: grad[:1])
    with pytest.raises(ValueError):
        gradient(outside)
    outside.remove_hook()


def test_names_for_graphs():
    assert ops.scalar_add(1, 2) == 3 and ops.scalar_div(1, 2) == 0.5 and ops.tuple_setitem((1, 2), 0, 5) == (5, 2)
    assert ops.dict_setitem({"a": 1}, "a", 2) == {"a": 2} and ops.string_concat("a", "b") == "ab" and ops.make_range(1, 4) == (1, 2, 3)
    assert ops.reduced_shape((2, 3), (1,)) == (2, 1) and ops.broadcast_gradient_args((2, 1, 3), (4, 1)) == ((1,), (0, 2))
    assert ops.hyper_add((1, (2, 3)), (4, (5, 6))) == (5, (7, 9))
    for call, kind in ((lambda: ops.scalar_div(1, 0), ValueError), (lambda: ops.scalar_add("a", 1), TypeError),
                       (lambda: ops.tuple_getitem([1], 0), TypeError), (lambda: ops.tuple_div((1,), (2,)), RuntimeError)):
        with pytest.raises(kind):
            call()
    for run in modes(lambda x: ops.scalar_mul(x, ops.scalar_add(1, 2))):
        assert run(Tensor([2.0])).tolist() == [6]


def test_keywords():
    x, mask = Tensor(np.float32([[1, 5], [3, 2]])), Tensor([[True, False], [True, True]])
    for run in modes(lambda v, m: (ops.amax(v, 1, initial=0.0, where=m), ops.max(v, 1, initial=4.0, where=m)[0], ops.min(v, 0, initial=2.5)[0],
                                   ops.subtract(v, v, alpha=2), ops.true_divide(dividend=v, divisor=v))):
        assert [t.tolist() for t in run(x, mask)] == [[1, 3], [4, 4], [1, 2], [[-1, -5], [-3, -2]], [[1, 1], [1, 1]]]
    with pytest.raises(ValueError):
        ops.amax(x, 1, where=mask)
    assert ms.grad(lambda v: v * v, sens_param=True)(x, x).tolist() == [[2, 50], [18, 8]]
    value, slope = ms.value_and_grad(lambda v: v * v, sens_param=True)(x, x)
    assert value.tolist() == [[1, 25], [9, 4]] and slope.tolist() == [[2, 50], [18, 8]]
    rows = ms.grad(lambda w: ops.embedding(Tensor([0, 1, 0]), w, padding_idx=0).sum())(x)
    assert rows.tolist() == [[0, 0], [1, 1]]
    with pytest.raises(ValueError, match="padding_idx, got 2, expected -2 to 1"):
        ops.embedding(Tensor([0]), x, padding_idx=2)


def test_names_of_mint():
    from msjit import mint
    F = mint.functional
    x = Tensor(np.float32([[-1, 5], [3, 2]]))
    assert mint.stack((x, x), dim=2).shape == (2, 2, 2) and mint.narrow(x, dim=1, start=1, length=1).tolist() == [[5], [2]]
    assert mint.mean(x, dim=0).tolist() == [1, 3.5] and mint.norm(Tensor([3.0, 4.0])).item() == 5 and mint.norm(x, 1, 0).tolist() == [4, 7]
    assert F.leaky_relu(x).asnumpy()[0, 0] == np.float32(-0.01) and F.one_hot(Tensor([0, 2])).tolist() == [[1, 0, 0], [0, 0, 1]]
    assert F.avg_pool2d(Tensor(IMAGE), 2).shape == (1, 1, 2, 2) and F.adaptive_max_pool1d(x, 1, True)[1].tolist() == [[1], [0]]
    assert F.relu(x, inplace=True) is x and x.tolist() == [[0, 5], [3, 2]] and F.threshold(x, 2.5, 9.0).tolist() == [[9, 5], [3, 9]]
    assert F.elu_(Tensor([-1.0, 1.0])).tolist()[1] == 1 and mint.addr_(Tensor(np.zeros((2, 2), np.float32)), x[0], x[1]).tolist() == [[0, 0], [15, 10]]


def test_a_primitive_by_name_alone():
    x = Tensor(np.float32([0, 0]))
    assert ops.Primitive("Add")(x, x + 1).asnumpy().tolist() == [1, 1]
    assert ops.Primitive("Softmax").add_prim_attr("axis", 0).add_prim_attr("other", 3)(x).asnumpy().tolist() == [0.5, 0.5]
    assert ops.Primitive("ReduceSum")(ops.ones((2, 3), ms.float32), 1, True).asnumpy().tolist() == [[3], [3]]
    assert ops.Primitive("Concat")((x, x + 1), 0).asnumpy().tolist() == [0, 0, 1, 1]
    assert ops.Primitive("TanhGrad")(x, x + 1).asnumpy().tolist() == [1, 1]
    assert ops.Primitive("LogSoftmaxGrad").add_prim_attr("axis", 0)(x, x + 1).asnumpy().tolist() == [-1, -1]
    with pytest.raises(RuntimeError, match=r"\[primitive\] name, got 'Nope', expected the name of an operation"):
        ops.Primitive("Nope")(x)


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_a_primitive_by_name_alone_compiled(mode):
    soft, sums = ops.Primitive("Softmax").add_prim_attr("axis", 0), ops.Primitive("ReduceSum")

    def function(x):
        return soft(x) + sums(x, 0, True)
    x = Tensor(np.float32([1, 2]))
    assert np.allclose(ms.jit(function, mode=mode)(x).asnumpy(), function(x).asnumpy())
    assert np.allclose(ms.grad(function)(x).asnumpy(), 2)
