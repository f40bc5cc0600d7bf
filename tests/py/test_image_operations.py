"""Resizing, patches, transposed convolution, norms: values obtained from MindSpore 2.10 or computed with NumPy."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops

X = np.arange(12, dtype=np.float32).reshape(1, 1, 3, 4)
LINE = np.arange(4, dtype=np.float32).reshape(1, 1, 4)
BOX = np.arange(12, dtype=np.float32).reshape(1, 1, 2, 3, 2)
Y = np.arange(18, dtype=np.float32).reshape(1, 2, 3, 3)
HALF = [0, 0.5, 1.1667, 1.8333, 2.5, 3]

# (input, keywords, first row of what MindSpore gives)
RESIZED = [
    (X, {"size": (5, 6), "mode": "nearest"}, [0, 0, 1, 2, 2, 3]),
    (X, {"size": (5, 6), "mode": "nearest-exact"}, [0, 1, 1, 2, 3, 3]),
    (X, {"size": (2, 3), "mode": "nearest-exact"}, [0, 2, 3, 8, 10, 11]),
    (X, {"size": (5, 6), "mode": "bilinear"}, HALF + [1.6, 2.1, 2.7667, 3.4333, 4.1, 4.6]),
    (X, {"size": (2, 3), "mode": "bilinear"}, [1.1667, 2.5, 3.8333, 7.1667, 8.5, 9.8333]),
    (X, {"size": (5, 6), "mode": "bilinear", "align_corners": True}, [0, 0.6, 1.2, 1.8, 2.4, 3, 2, 2.6]),
    (X, {"size": (5, 6), "mode": "bicubic"}, [-0.368, 0.1097, 0.8649, 1.5309, 2.2861, 2.7638, 1.1596, 1.6372]),
    (X, {"size": (2, 3), "mode": "bicubic"}, [0.7746, 2.1715, 3.5685, 7.4315, 8.8285, 10.2254]),
    (X, {"size": (5, 6), "mode": "bicubic", "align_corners": True}, [0, 0.5036, 1.2482, 1.7518, 2.4964, 3, 1.625]),
    (X, {"size": (2, 3), "mode": "area"}, [2.5, 3.5, 4.5, 6.5, 7.5, 8.5]),
    (X, {"scale_factor": 1.5, "mode": "area"}, [0, 0.5, 1, 2, 2.5, 3, 2, 2.5]),
    (X, {"scale_factor": 1.7, "recompute_scale_factor": True}, [0, 0, 1, 2, 2, 3, 0, 0]),
    (LINE, {"size": 6, "mode": "linear"}, HALF),
    (LINE, {"size": (6,), "mode": "linear", "align_corners": True}, [0, 0.6, 1.2, 1.8, 2.4, 3]),
    (BOX, {"size": (3, 4, 5), "mode": "nearest"}, [0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 2, 2]),
    (BOX, {"size": (1, 2, 2), "mode": "area"}, [4, 5, 6, 7]),
]


@pytest.mark.parametrize("case", range(len(RESIZED)))
def test_interpolate(case):
    x, keywords, first = RESIZED[case]
    out = ops.interpolate(Tensor(x), **keywords)
    np.testing.assert_allclose(out.asnumpy().ravel()[:len(first)], first, atol=1e-4)
    same = ms.jit(lambda x: ops.interpolate(x, **keywords), mode="PIJit")
    np.testing.assert_allclose(same(Tensor(x)).asnumpy(), out.asnumpy(), atol=1e-5)


@pytest.mark.parametrize("mode", ["nearest", "bilinear", "bicubic", "area"])
def test_gradient_of_interpolate(mode):
    """Resizing is linear, so the gradient of a sum with factors follows from resizing unit images."""
    factors = np.cos(np.arange(20, dtype=np.float32)).reshape(1, 1, 5, 4)
    grad = ms.grad(lambda x: (ops.interpolate(x, size=(5, 4), mode=mode) * Tensor(factors)).sum())(Tensor(X[..., :3]))
    units = Tensor(np.eye(9, dtype=np.float32).reshape(9, 1, 3, 3))
    expected = (ops.interpolate(units, size=(5, 4), mode=mode).asnumpy() * factors).sum((1, 2, 3))
    np.testing.assert_allclose(grad.asnumpy().ravel(), expected, atol=1e-5)


def test_dtypes_of_interpolate():
    for dtype in (ms.float16, ms.float32, ms.float64):
        assert ops.interpolate(Tensor(X, dtype), size=(5, 6), mode="bilinear").dtype == dtype
    with pytest.raises(TypeError, match="dtype of input, got Int32"):
        ops.interpolate(Tensor(X, ms.int32), size=(5, 6))


@pytest.mark.parametrize("error, keywords", [
    (ValueError, {}), (ValueError, {"size": (5, 6), "scale_factor": 2.0}), (ValueError, {"size": (5,)}),
    (ValueError, {"size": (5, 6), "mode": "foo"}), (ValueError, {"size": (5, 6), "mode": "linear"}),
    (ValueError, {"size": (5, 6), "align_corners": True}), (ValueError, {"scale_factor": 2.0}), (ValueError, {"size": (0, 6)}),
    (TypeError, {"scale_factor": 2, "recompute_scale_factor": True}), (TypeError, {"size": (5.0, 6)}),
    (ValueError, {"size": (5, 6), "recompute_scale_factor": True}),
])
def test_wrong_arguments_of_interpolate(error, keywords):
    with pytest.raises(error, match=r"\[interpolate\]"):
        ops.interpolate(Tensor(X), **keywords)


def test_resizing_primitives():
    cases = [
        (ops.ResizeNearestNeighbor((5, 6), True)(Tensor(X)), [0, 1, 1, 2, 2, 3, 4, 5]),
        (ops.ResizeNearestNeighborV2()(Tensor(X), (2, 3)), [0, 1, 2, 4, 5, 6]),
        (ops.ResizeBilinearV2()(Tensor(X), (5, 6)), [0, 0.6667, 1.3333, 2, 2.6667, 3, 2.4]),
        (ops.ResizeBilinearV2(False, True)(Tensor(X), (5, 6)), HALF),
        (ops.ResizeBilinear((5, 6), True)(Tensor(X)), [0, 0.6, 1.2, 1.8, 2.4, 3, 2]),
    ]
    for out, first in cases:
        np.testing.assert_allclose(out.asnumpy().ravel()[:len(first)], first, atol=1e-4)
    with pytest.raises(ValueError, match="half_pixel_centers"):
        ops.ResizeBilinearV2(True, True)


def test_patches():
    """Axis 1 is (row, column, channel) of the window."""
    out = nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1])(Tensor(Y)).asnumpy()
    expected = np.stack([Y[0, c, r:r + 2, k:k + 2] for r in (0, 1) for k in (0, 1) for c in (0, 1)])
    np.testing.assert_array_equal(out[0], expected)
    assert nn.Unfold([1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "same")(Tensor(Y)).shape == (1, 8, 2, 2)
    assert nn.Unfold([1, 2, 2, 1], [1, 1, 1, 1], [1, 2, 2, 1])(Tensor(Y)).shape == (1, 8, 1, 1)
    with pytest.raises(ValueError, match=r"ksizes, got \[2, 2, 2, 1\]"):
        nn.Unfold([2, 2, 2, 1], [1, 1, 1, 1], [1, 1, 1, 1])


def test_transposed_convolution():
    weight = ops.ones((2, 1, 3, 3))
    out = ops.Conv2DTranspose(2, 3)(Tensor(Y), weight, (1, 1, 5, 5)).asnumpy()
    assert out[0, 0, :2].tolist() == [[9, 20, 33, 24, 13], [24, 52, 84, 60, 32]]
    out = ops.Conv2DTranspose(2, 3, pad_mode="pad", pad=1, stride=2)(Tensor(Y), weight, (1, 1, 5, 5)).asnumpy()
    assert out[0, 0, :2].tolist() == [[9, 20, 11, 24, 13], [24, 52, 28, 60, 32]]
    out = ops.Conv2DTranspose(2, 3, pad_mode="same", stride=2)(Tensor(Y), weight, (1, 1, 6, 6)).asnumpy()
    assert out[0, 0, 0].tolist() == [9, 9, 20, 11, 24, 13]


def test_norms():
    np.testing.assert_allclose(ops.L2Normalize(-1, 1e-12)(Tensor(X)).asnumpy(),
                               X / np.sqrt((X * X).sum(-1, keepdims=True)), rtol=1e-5)
    np.testing.assert_allclose(ops.LpNorm([1, 2], p=3, keep_dims=True)(Tensor(Y)).asnumpy(),
                               (Y ** 3).sum((1, 2), keepdims=True) ** (1 / 3), rtol=1e-5)
    assert ops.LpNorm(1, p=0)(Tensor(Y)).asnumpy()[0, 0].tolist() == [1, 2, 2]
    with pytest.raises(TypeError, match="axis, got 2 axes"):
        ops.L2Normalize([1, 2])


def test_batch_norm_primitive():
    mean, variance = ms.Parameter(Tensor([1.0, 1.0])), ms.Parameter(Tensor([1.0, 2.0]))
    out = ops.BatchNorm(True)(Tensor(Y), Tensor([1.0, 2.0]), Tensor([0.0, 1.0]), mean, variance)
    np.testing.assert_allclose(out[0].asnumpy().ravel()[:2], [-1.549192, -1.161894], rtol=1e-4)
    np.testing.assert_allclose(mean.asnumpy(), [0.9 + 0.4, 0.9 + 1.3], rtol=1e-5)
    np.testing.assert_allclose(variance.asnumpy(), [0.9 + 0.75, 1.8 + 0.75], rtol=1e-5)


def test_constant_pad():
    out = nn.ConstantPad2d((1, 0, 0, -1), 2)(Tensor(X)).asnumpy()
    assert out.tolist() == [[[[2, 0, 1, 2, 3], [2, 4, 5, 6, 7]]]]
    with pytest.raises(ValueError, match="length of padding"):
        nn.ConstantPad2d((1, 2, 3), 2)


def test_split_and_tensordot():
    parts = ms.numpy.split(Tensor(X), [1, 3], 3)
    assert isinstance(parts, list) and [p.shape[3] for p in parts] == [1, 2, 1]
    with pytest.raises(ValueError, match="positions that grow"):
        ms.numpy.split(Tensor(X), [3, 2], 3)
    other = np.swapaxes(Y[0], 0, 2)
    for axes in (1, 2, ((1, 2), (1, 0))):
        out = ms.numpy.tensordot(Tensor(Y[0]), Tensor(other), axes).asnumpy()
        np.testing.assert_allclose(out, np.tensordot(Y[0], other, axes))


def test_gradient_accumulation():
    from msjit.boost import GradientAccumulation
    weight = ms.Parameter(Tensor([1.0]), name="w")
    cell = GradientAccumulation(2, nn.SGD([weight], 0.5))
    for step, expected in ((1.0, 1.0), (3.0, 0.0), (1.0, 0.0)):
        assert cell(Tensor(5.0), (Tensor([step]),)).item() == 5.0
        assert weight.asnumpy().tolist() == [expected]


def test_names_for_imports():
    assert ops.AllReduce(ops.ReduceOp.SUM)(Tensor([1.0])).asnumpy().tolist() == [1]
    assert ops.functional.mixed_precision_cast(ms.float16, (Tensor([1.0]), 2))[0].dtype == ms.float16
    assert ops.constexpr(lambda a: a + 1)(2) == 3 and ops.constexpr(get_instance=False)(lambda: 4)()() == 4
    assert ms.RowTensor(Tensor([0]), Tensor([[1.0]]), (3, 1)).dense_shape == (3, 1)


def test_sizes_may_be_a_tensor():
    x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    for name in ("ResizeNearestNeighborV2", "ResizeBilinearV2"):
        op = getattr(ops.operations, name)()
        assert np.array_equal(op(x, Tensor([3, 5], ms.int32)).asnumpy(), op(x, (3, 5)).asnumpy())
        with pytest.raises(TypeError, match="size must be ints, got float"):
            op(x, Tensor([3.0, 5.0]))


SCALED = {  # of 0 ** 1.5, 1 ** 1.5, ... 11 ** 1.5 as (3, 4), numbers of MindSpore 2.10: to (4, 3) with filters widened, to (2, 3) without
    "lanczos1": ([.8953, 3.9881, 0, 5.7683, 10.2765, 0, 12.5055, 18.6482, 0, 26.2398, 33.9961, 0], [4.0804, 7.4264, 11.7391, 22.7956, 29.3114, 36.2959]),
    "lanczos5": ([.88, 4.3309, 0, 1.8939, 6.6403, 0, 16.3125, 24.7619, 0, 25.6363, 35.0626, 0], [1.0511, 3.4773, 7.3325, 24.7476, 30.6451, 37.2868]),
    "gaussian": ([1.5473, 4.2371, 0, 6.0559, 9.8634, 0, 15.0065, 20.3937, 0, 25.0697, 31.51, 0], [4.436, 7.4264, 11.2125, 23.5396, 29.3114, 35.469]),
    "box": ([.5, 4.0123, 0, 5.0451, 10.3104, 0, 9.5902, 16.6086, 0, 24.8137, 34.0528, 0], [4, 7.4264, 11.8582, 22.6274, 29.3114, 36.4829]),
    "triangle": ([1.0285, 3.8115, 0, 5.947, 10.0291, 0, 15.0828, 20.9141, 0, 26.5297, 33.5826, 0], [4.3484, 7.4264, 11.3423, 23.3562, 29.3114, 35.6729]),
    "keyscubic": ([-.0864, 2.8659, 0, 4.4228, 8.9737, 0, 14.8951, 21.861, 0, 26.2461, 34.5116, 0], [3.0988, 6.0743, 10.0973, 24.9182, 31.3287, 38.2125]),
    "mitchellcubic": ([.5981, 3.428, 0, 5.1272, 9.3353, 0, 15.1759, 21.4303, 0, 25.657, 33.0619, 0], [3.6911, 6.6565, 10.5453, 24.3508, 30.4318, 36.9433])}


@pytest.mark.parametrize("kind", sorted(SCALED))
def test_scale_and_translate(kind):
    image = Tensor(np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1) ** 1.5)

    def pair(a, b, dtype=np.float32):
        return Tensor(np.array([a, b], dtype))
    widened = ops.operations.ScaleAndTranslate(kind)(image, pair(4, 3, np.int32), pair(1.3, 0.6), pair(0.2, -0.3))
    plain = ops.operations.ScaleAndTranslate(kind, antialias=False)(image, pair(2, 3, np.int32), pair(0.5, 0.75), pair(0, 0))
    assert widened.shape == (1, 4, 3, 1) and plain.shape == (1, 2, 3, 1)
    np.testing.assert_allclose(widened.asnumpy().ravel(), SCALED[kind][0], 1e-4, 1e-4)
    np.testing.assert_allclose(plain.asnumpy().ravel(), SCALED[kind][1], 1e-4, 1e-4)
    for call, error in ((lambda: ops.operations.ScaleAndTranslate("sinc")(image, pair(1, 1, np.int32), pair(1, 1), pair(0, 0)), ValueError),
                        (lambda: ops.operations.ScaleAndTranslate(3)(image, pair(1, 1, np.int32), pair(1, 1), pair(0, 0)), TypeError),
                        (lambda: ops.operations.ScaleAndTranslate(kind)(image, pair(0, 1, np.int32), pair(1, 1), pair(0, 0)), ValueError),
                        (lambda: ops.operations.ScaleAndTranslate(kind)(image, pair(1, 1), pair(1, 1), pair(0, 0)), TypeError),
                        (lambda: ops.operations.ScaleAndTranslate(kind)(image[0], pair(1, 1, np.int32), pair(1, 1), pair(0, 0)), ValueError)):
        with pytest.raises(error):
            call()


@pytest.mark.parametrize("options, offset, expected", [  # of a 3 x 4 image to 2 x 3, numbers of MindSpore 2.10
    ((True, True), (0, 0), [0, 1, 2, 4, 5, 6]), ((True, True), (1, 1), [10, 11, 0, 0, 0, 0]), ((True, True), (0.5, -0.5), [4, 5, 6, 8, 9, 10]),
    ((True, True), (-1, -1), [0, 0, 0, 0, 0, 1]), ((True, True), (2, 3), [0] * 6), ((True, True), (0.3, 1.7), [3, 0, 0, 7, 0, 0]),
    ((False, False), (0, 0), [0, 0, 0, 0, 0, 1]), ((False, False), (0.5, -0.5), [0, 0, 0, 0, 0, 4]), ((False, False), (2, 3), [5, 6, 7, 9, 10, 11]),
    ((True, False), (1, 1), [5, 6, 7, 9, 10, 11]), ((True, False), (2, 3), [6, 7, 0, 10, 11, 0]), ((False, True), (1, 1), [10, 11, 0, 0, 0, 0])])
def test_extract_glimpse(options, offset, expected):
    image, size = Tensor(np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)), Tensor(np.int32([2, 3]))
    cut = ops.operations.ExtractGlimpse(*options, uniform_noise=False, noise="zero")
    assert cut(image, size, Tensor(np.float32([offset]))).asnumpy().ravel().tolist() == expected


def test_extract_glimpse_noise_and_errors():
    op, image, size = ops.operations.ExtractGlimpse, Tensor(np.full((2, 1, 1, 3), 99, np.float32)), Tensor(np.int32([30, 30]))
    places = Tensor(np.zeros((2, 2), np.float32))
    even = op()(image, size, places).asnumpy()
    assert (even == 99).sum() == 6 and -1 <= even.min() < -0.9 < 0.9 < np.sort(even.ravel())[-7] < 1
    normal = op(noise="gaussian", uniform_noise=False)(image, size, places).asnumpy()
    assert abs(np.median(normal) - 10) < 0.1
    for call, error in ((lambda: op(noise="x")(image, size, places), ValueError), (lambda: op(noise="zero")(image, size, places), ValueError),
                        (lambda: op(centered=1)(image, size, places), TypeError), (lambda: op()(image[0], size, places), RuntimeError),
                        (lambda: op()(image, Tensor(np.int32([2, 0])), places), ValueError), (lambda: op()(image, size, places[:1]), ValueError),
                        (lambda: op()(image.astype(ms.float64), size, places), TypeError)):
        with pytest.raises(error):
            call()
