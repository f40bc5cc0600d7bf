"""Arguments and attributes that were once ignored: each has its effect or is refused. Plainly and captured."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, dataset, nn, ops
from msjit.ops import operations as P

MODES = [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit


def t(*shape):
    return Tensor(np.arange(1, 1 + int(np.prod(shape)), dtype=np.float32).reshape(shape))


def values(f, *args):
    """What f gives in each way of running it, as one nested list."""
    found = []
    for mode in MODES:
        out = mode(lambda *xs: f(*xs))(*args)
        found.append([o.tolist() for o in out] if isinstance(out, tuple) else out.tolist())
    assert all(v == found[0] for v in found)
    return found[0]


def error(f, *args):
    """The error f raises in each way of running it."""
    found = []
    for mode in MODES:
        with pytest.raises(Exception) as caught:
            mode(lambda *xs: f(*xs))(*args)
        found.append((caught.type, str(caught.value)))
    assert all(e == found[0] for e in found)
    return "%s: %s" % (found[0][0].__name__, found[0][1])


@pytest.mark.parametrize("invert", [ops.bitwise_not, P.Invert(), lambda x: x.invert()])
def test_bitwise_not(invert):
    assert values(invert, Tensor(np.int32([1, 0, -3]))) == [-2, -1, 2]
    assert values(invert, Tensor(np.uint8([1, 255]))) == [254, 0]
    assert values(invert, Tensor([True, False])) == [False, True]
    assert values(lambda x: invert(invert(x)), Tensor(np.int64([5, -6]))) == [5, -6]
    assert error(invert, t(2)).startswith("TypeError: [invert]")


def test_in_place_rows():
    x = t(3, 2)
    assert values(P.InplaceAdd((0,)), x, t(1, 2)) == [[2, 4], [3, 4], [5, 6]]
    assert values(P.InplaceAdd(1), x, t(1, 2)) == [[1, 2], [4, 6], [5, 6]]
    assert values(P.InplaceSub((1, 1)), x, t(2, 2)) == [[1, 2], [-1, -2], [5, 6]]
    assert x.tolist() == [[1, 2], [3, 4], [5, 6]]  # as MindSpore's, which gives a new tensor
    assert error(P.InplaceAdd((3,)), x, t(1, 2)) == "ValueError: [InplaceAdd] index of a row, got 3, expected one in [0, 3)"
    assert error(P.InplaceAdd((-1,)), x, t(1, 2)).startswith("ValueError")
    assert error(P.InplaceSub((0,)), x, t(2, 2)) == "ValueError: [InplaceSub] shape of v, got (2, 2), expected (1, 2)"
    with pytest.raises(TypeError):
        P.InplaceAdd(1.5)


def test_running_sums():
    x = Tensor(np.float32([1, np.inf, 2]))
    assert values(lambda x: P.CumSum(True, False)(x, 0), t(3)) == [0, 1, 3]
    assert values(lambda x: P.CumSum(False, True)(x, 0), t(3)) == [6, 5, 3]
    assert values(lambda x: P.CumSum(True, True)(x, -1), t(2, 3)) == [[5, 3, 0], [11, 6, 0]]
    assert values(lambda x: P.CumSum(True, False)(x, 0), x) == [0, 1, np.inf]


def test_shapes_of_layer_norm():
    assert "got (9,)" in error(lambda x, w: ops.layer_norm(x, (9,), w, w), t(3, 4), t(4))
    assert "ValueError" in error(lambda x: ops.layer_norm(x, (3,)), t(3, 4))
    assert "ValueError" in error(lambda x: ops.layer_norm(x, ()), t(3, 4))
    wide = values(lambda x, w: P.LayerNorm(1, 0)(x, w, w)[0], t(3, 4), t(3, 4))
    plain = values(lambda x: ops.layer_norm(x, (4,), eps=1e-7), t(3, 4))
    np.testing.assert_allclose(wide, np.array(plain) * t(3, 4).asnumpy() + t(3, 4).asnumpy(), rtol=1e-5)
    net = nn.LayerNorm((3, 4), 1, 0)
    np.testing.assert_allclose(values(net, t(3, 4)), plain, rtol=1e-5)
    assert "ValueError" in error(nn.LayerNorm((5,)), t(3, 4))
    assert "ValueError" in error(nn.LayerNorm((5,), 1, 0), t(3, 4))


@pytest.mark.parametrize("loss", [
    ops.smooth_l1_loss, ops.kl_div, ops.softmax_cross_entropy_with_logits, ops.binary_cross_entropy,
    ops.binary_cross_entropy_with_logits, nn.SmoothL1Loss(), nn.BCELoss(), nn.BCEWithLogitsLoss(),
    nn.SoftmaxCrossEntropyWithLogits(), lambda x, y: nn.CosineEmbeddingLoss()(x, y, Tensor(np.int32([1, -1])))])
def test_shapes_of_losses(loss):
    assert error(loss, t(2, 3) / 10, t(3) / 10).startswith("ValueError")
    assert error(loss, t(2, 3) / 10, t(2, 1) / 10).startswith("ValueError")


def test_labels_of_cosine_embedding_loss():
    labels = Tensor(np.int32([1, -1, 1]))
    assert "shape of target" in error(lambda x: nn.CosineEmbeddingLoss()(x, x, labels), t(2, 3))


def test_batch_norm_moves_the_running_statistics():
    for mode in MODES:
        mean, variance, one, zero = ops.zeros(3), ops.ones(3), ops.ones(3), ops.zeros(3)
        out = mode(lambda x, m, v: ops.batch_norm(x, m, v, one, zero, True, 0.1, 1e-5))(t(2, 3), mean, variance)
        np.testing.assert_allclose(out.asnumpy(), [[-1] * 3, [1] * 3], rtol=1e-4)
        np.testing.assert_allclose(mean.asnumpy(), [0.25, 0.35, 0.45], rtol=1e-5)
        np.testing.assert_allclose(variance.asnumpy(), [1.35] * 3, rtol=1e-5)


def test_diagonals():
    array = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)
    for offset in (-3, -1, 0, 2, 5):
        for dims in ((0, 1), (2, 0), (1, 2), (-1, -2)):
            assert values(lambda x: ops.diagonal(x, offset, *dims), Tensor(array)) == array.diagonal(offset, *dims).tolist()
    assert "dim1 and dim2" in error(lambda x: ops.diagonal(x, 0, 1, -2), Tensor(array))
    assert "dim2 is out of range, got 3" in error(lambda x: ops.diagonal(x, 0, 0, 3), Tensor(array))


def test_greatest_of_some():
    x, mask = t(2, 2), Tensor([[True, False], [False, False]])
    assert values(lambda x: x.max(0, initial=3.5), x) == [3.5, 4]
    assert values(lambda x: x.min(initial=-1.0), x) == -1
    assert values(lambda x: x.max(0, keepdims=True), x) == [[3, 4]] and values(lambda x: x.min(0), x) == [[1, 2], [0, 0]]
    assert values(lambda x, m: x.max(0, initial=0.0, where=m), x, mask) == [1, 0]
    assert values(lambda x, m: x.min(1, initial=9.0, where=m), x, mask) == [1, 9]
    assert "initial, got None" in error(lambda x, m: x.max(where=m), x, mask)
    assert "ValueError" in error(lambda x: x.max(0, initial=1.0, return_indices=True), x)


@pytest.mark.parametrize("data", [[1, 0], [1.5, 0.0], [True, False]])
def test_tilde_is_logical(data):
    assert values(lambda x: ~x, Tensor(data)) == [False, True]


def test_seeds_of_a_call():
    shape = (50,)
    for make in (lambda seed: ops.randn(50, seed=seed), lambda seed: ops.uniform(shape, 0.0, 1.0, seed),
                 lambda seed: ops.dropout(t(50), 0.5, True, seed), lambda seed: P.StandardNormal(seed)(shape),
                 lambda seed: P.UniformReal(seed, 1)(shape), lambda seed: P.Dropout(0.5, seed)(t(50))[0],
                 lambda seed: ops.bernoulli(t(50), 0.5, seed), lambda seed: ops.randint(0, 9, shape, seed=seed)):
        drawn = []
        for seed in (1, 1, 2):
            ms.set_seed(7)
            drawn.append(make(seed).tolist())
        assert drawn[0] == drawn[1] != drawn[2]
        ms.set_seed(8)
        assert make(1).tolist() == drawn[0] and make(1).tolist() != drawn[0]


def test_dropped_elements_are_zero():
    x = Tensor(np.full(64, np.inf, np.float32))
    for out in (ops.dropout(x, 0.5, True, 3), P.Dropout(0.5, 3)(x)[0]):
        assert set(out.tolist()) == {0.0, np.inf}


@pytest.mark.parametrize("make, message", [
    (lambda: P.Conv2D(1, 1, mode=0), "mode"), (lambda: P.Conv2D(1, 1, data_format="NHWC"), "data_format"),
    (lambda: P.MaxPool(2, 2, data_format="NHWC"), "data_format"), (lambda: nn.BatchNorm2d(3, data_format="NHWC"), "data_format"),
    (lambda: P.Conv2D(2, 1)(t(1, 3, 2, 2), t(1, 3, 1, 1)), "out_channel"),
    (lambda: P.Conv2D(1, 2)(t(1, 3, 2, 2), t(1, 3, 1, 1)), "kernel_size"),
    (lambda: P.Conv2D(1, 1, pad_mode="foo")(t(1, 3, 2, 2), t(1, 3, 1, 1)), "pad_mode"),
    (lambda: ops.conv2d(t(1, 3, 2, 2), t(1, 3, 1, 1), pad_mode="valid", padding=1), "padding"),
    (lambda: ops.max_pool2d(t(1, 1, 4, 4), 2, pad_mode="foo"), "pad_mode"),
    (lambda: nn.MaxPool2d(2, 2, "same", 1), "padding"), (lambda: ms.load_checkpoint("x", dec_key=b"k"), "encryption"),
    (lambda: ops.clip_by_norm(t(2) * np.nan, 1.0, 2.0, True), "finite"),
    (lambda: nn.Adam([ms.Parameter(t(2))], use_weird=True), "use_weird"),
    (lambda: dataset.NumpySlicesDataset([1, 2], shuffle=False, num_shards=2), "num_shards"),
    (lambda: ms.train.Model(nn.Dense(1, 1), boost_level="O1"), "boost_level")])
def test_refused(make, message):
    with pytest.raises((ValueError, KeyError, NotImplementedError, RuntimeError), match=message):
        make()


def test_same_padding_of_a_dilated_window():
    x = t(1, 1, 5, 5)
    got = ops.max_pool2d(x, 2, 1, dilation=2, pad_mode="same")
    assert got.shape == (1, 1, 5, 5) and got.tolist() == ops.max_pool2d(x, 2, 1, 1, 2).tolist()


def test_divisor_of_an_average_pool():
    pool = nn.AvgPool2d(2, 2, "same", divisor_override=2)
    assert values(pool, t(1, 1, 4, 4)) == [[[[7, 11], [23, 27]]]]


def test_evaluation_network():
    class Evaluate(nn.Cell):
        def construct(self, x, y):
            return x.sum() * 0 + 5, y, y

    data = dataset.NumpySlicesDataset((np.float32([[1], [2]]), np.float32([[3], [4]])), ["x", "y"], shuffle=False).batch(2)
    model = ms.train.Model(nn.Dense(1, 1), metrics={"loss"}, eval_network=Evaluate(), eval_indexes=[0, 1, 2])
    assert model.eval(data) == {"loss": 5.0}


INF = float("inf")


@pytest.mark.parametrize("ord", [None, 1, 2, -1, -2, 0, 3, INF, -INF])
def test_norms_of_vectors(ord):
    x = t(2, 3) - 2.5
    for dim, keep in ((0, False), (-1, True), ((1,), False)):
        want = np.linalg.norm(x.asnumpy(), ord, dim if isinstance(dim, int) else dim[0], keep)
        np.testing.assert_allclose(values(lambda x: ops.norm(x, ord, dim, keep), x), want, rtol=1e-5)
    np.testing.assert_allclose(values(lambda x: x.norm(ord), x[0]), np.linalg.norm(x[0].asnumpy(), ord), rtol=1e-5)
    assert "TypeError" in error(lambda x: ops.norm(x, "fro", 1), x)


@pytest.mark.parametrize("ord", [None, "fro", 1, -1, INF, -INF])
def test_norms_of_matrices(ord):
    x = t(2, 3, 4) - 9.5
    for dims in ((0, 1), (2, 0), (-1, 1)):
        for keep in (False, True):
            want = np.linalg.norm(x.asnumpy(), ord, dims, keep)
            np.testing.assert_allclose(values(lambda x: ops.norm(x, ord, dims, keep), x), want, rtol=1e-5)
    np.testing.assert_allclose(values(lambda x: ops.norm(x, ord), x[0]), np.linalg.norm(x[0].asnumpy(), ord), rtol=1e-5)
    assert "ValueError" in error(lambda x: ops.norm(x, 3), x[0])
    assert "ValueError" in error(lambda x: ops.norm(x, 1), x)


@pytest.mark.parametrize("shapes", [((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 3), (3, 2)), ((2, 2, 3), (4, 3, 2)),
                                    ((3,), (4, 3, 2)), ((2, 3), (4, 3, 2))])
def test_dot_and_inner(shapes):
    x, y = (t(*s) for s in shapes)
    assert values(ops.dot, x, y) == np.dot(x.asnumpy(), y.asnumpy()).tolist()
    if y.ndim > 1:
        y = y.swapaxes(-1, -2)
    assert values(lambda x, y: x.inner(y), x, y) == np.inner(x.asnumpy(), y.asnumpy()).tolist()


def test_bias_of_each_channel():
    assert values(P.BiasAdd("NHWC"), t(1, 2, 3), t(3)) == [[[2, 4, 6], [5, 7, 9]]]
    assert values(P.BiasAdd(), t(1, 2, 2), t(2)) == [[[2, 3], [5, 6]]]
    assert "ValueError" in error(P.BiasAdd(), t(2, 3), t(1))
    assert "ValueError" in error(P.BiasAdd("NHWC"), t(2, 3), t(1))
    assert values(lambda x: P.Gather(1)(x, Tensor([[0], [1]]), 1), t(2, 3)) == [[1], [5]]
    assert values(lambda x: P.Gather()(x, Tensor([1]), 1), t(2, 3)) == [[2], [5]]
    assert P.Range(10)(0, 5, 2).tolist() == [0, 2, 4]
    with pytest.raises(TypeError, match="name, got 1"):
        P.ReLU(1)


def test_tensor_function():
    assert ms.tensor(shape=(2,), dtype=ms.float32, init="ones").tolist() == [1, 1]


def test_uniform_of_integers():
    low, high = Tensor([1, 10], ms.int32), Tensor([4, 12], ms.int32)
    drawn = ops.uniform((500, 1), low, high, seed=3, dtype=ms.int32)
    assert drawn.dtype == ms.int32 and drawn.shape == (500, 2)
    assert [sorted(set(column)) for column in drawn.asnumpy().T.tolist()] == [[1, 2, 3], [10, 11]]
