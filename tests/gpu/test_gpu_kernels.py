"""Hand-written kernels of the device: indices, windows, losses of labels, random numbers. They give the CPU's results and raise its errors."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, _msjit, nn, ops

RNG = np.random.RandomState(7)


def gpu(array):
    return Tensor(array).move_to("GPU")


def host_runs():
    return _msjit.device_figures(0)["host_runs"]


def same(f, *arrays, tolerance=0.0):
    """Compares f of the tensors on the GPU with f on the CPU. No operator may fall back to the CPU."""
    want, before = f(*[Tensor(a) for a in arrays]), host_runs()
    got = f(*[gpu(a) for a in arrays])
    assert host_runs() == before
    for g, w in zip(*(x if isinstance(x, (tuple, list)) else [x] for x in (got, want))):
        assert g.device == "GPU:0" and g.shape == w.shape and g.dtype == w.dtype
        np.testing.assert_allclose(g.asnumpy().astype("float64"), w.asnumpy().astype("float64"), rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("dtype", ["float32", "float16", "int8", "bool", "float64", "complex64"])
def test_reads_at_indices(dtype):
    x = (RNG.randn(5, 4, 6) * 3).astype(dtype)
    index, other = RNG.randint(-4, 4, (2, 3)), RNG.randint(-6, 6, (3,)).astype(np.int32)
    for f in (lambda t, i, j: t[:, i], lambda t, i, j: t[:, i, j], lambda t, i, j: t[i], lambda t, i, j: t[i, :, j], lambda t, i, j: ops.gather(t, i, 1)):
        want = f(Tensor(x), Tensor(index), Tensor(other)).asnumpy()
        there, before = (gpu(x), gpu(index), gpu(other)), _msjit.device_figures(0)
        got = f(*there)
        after = _msjit.device_figures(0)
        assert (after["waits"], after["host_runs"]) == (before["waits"], before["host_runs"])
        assert got.asnumpy().tobytes() == want.tobytes()


def test_gradients_add_up_in_order():
    words, ids = RNG.randn(9, 3).astype(np.float32), RNG.randint(0, 9, (40,)).astype(np.int32)
    for weight in (words, words.astype(np.float16)):
        same(lambda w, i: ms.grad(lambda t: (ops.embedding(i, t) ** 2 * 3).sum())(w), weight, ids)  # bit for bit
    x, at = RNG.randn(4, 5).astype(np.float32), RNG.randint(0, 5, (4, 7))
    same(lambda t, i: ms.grad(lambda s: (ops.gather_elements(s, 1, i) ** 2).sum())(t), x, at)


def test_writes_at_indices():
    x, index, values = RNG.randn(4, 6).astype(np.float32), np.array([2, 0, 2]), RNG.randn(3, 6).astype(np.float32)

    def write(t, i, v):
        t = t.copy()
        t[i] = v
        t[:, 1:3] = 5
        return t

    want = write(Tensor(x), Tensor(index), Tensor(values))
    assert write(gpu(x), gpu(index), gpu(values)).tolist() == want.tolist()


def test_an_index_out_of_range_is_an_error_that_names_the_operator():
    x = gpu(RNG.randn(4, 3).astype(np.float32))
    for bad, message in [(lambda: ops.gather(x, gpu(np.array([0, 4])), 0), r"\[gather\] index 4 is out of bounds for axis 0 with size 4"),
                         (lambda: x[:, gpu(np.array([7]))], r"\[index\] index 7 is out of bounds for axis 0 with size 3"),
                         (lambda: ops.gather_elements(x, 0, gpu(np.array([[-5, 0]]))), r"\[gather_elements\] index -5 is out of bounds for axis 0 with size 4"),
                         (lambda: ops.nll_loss(x, gpu(np.array([0, 1, 3, 2]))), r"\[nll_loss\] target is out of range, got 3, expected 0 to 2")]:
        got = bad()
        with pytest.raises(IndexError, match=message):
            got.asnumpy()
        assert (x + 1).asnumpy().shape == (4, 3)  # and the process goes on


@pytest.mark.jit
def test_an_index_out_of_range_in_captured_code():
    f = ms.jit(lambda t, i: ops.tanh(ops.gather(t * 2, i, 0)) + 1, mode="PIJit")
    x = gpu(RNG.randn(4, 3).astype(np.float32))
    for _ in range(2):
        assert f(x, gpu(np.array([1, 3]))).shape == (2, 3)
        with pytest.raises(IndexError, match=r"\[gather\] index 9"):
            f(x, gpu(np.array([1, 9]))).asnumpy()


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16", "float64"])
def test_convolutions(dtype):
    tolerance = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 4e-2, "float64": 1e-9}[dtype]
    for x, w, settings in [((2, 4, 7, 6), (6, 4, 3, 3), dict(stride=2, padding=1)), ((1, 4, 7, 7), (4, 2, 3, 2), dict(groups=2, dilation=2)),
                           ((2, 3, 5, 5), (2, 3, 2, 2), dict(padding=[1, 2, 0, 1])), ((3, 4, 5, 6), (7, 4, 1, 1), dict()),
                           ((2, 4, 5, 6), (3, 4, 1, 1), dict(stride=[2, 3]))]:
        x, w, b = [Tensor(RNG.randn(*s).astype(np.float32)).astype(getattr(ms, dtype)) for s in (x, w, w[:1])]
        f = ms.value_and_grad(lambda t, k, o, s=settings: (_msjit.ops.conv2d(t, k, o, **s) ** 2).sum(), (0, 1, 2))
        (want, wants), before = f(x, w, b), host_runs()
        got, gots = f(*[t.move_to("GPU") for t in (x, w, b)])
        for g, v in zip((got, *gots), (want, *wants)):
            scale = np.abs(v.asnumpy().astype("float64")).max()
            np.testing.assert_allclose(g.asnumpy().astype("float64"), v.asnumpy().astype("float64"), atol=tolerance * scale, rtol=tolerance)
        assert host_runs() == before


def test_pooling():
    x = RNG.randn(2, 3, 9, 8).astype(np.float32)
    x[0, 0, 2, 2], x[1, 2, 4:6, 3] = np.nan, np.inf
    x[1, 1] = np.round(x[1, 1])  # equal elements: the first one counts
    P = _msjit.ops
    for settings in (dict(kernel_size=2), dict(kernel_size=3, stride=2, padding=1), dict(kernel_size=[3, 2], stride=[2, 3], ceil_mode=True)):
        same(lambda t, s=settings: P.max_pool2d_with_index(t, **s), x)
        same(lambda t, s=settings: ms.grad(lambda a: (P.max_pool2d(a, **s) * 3).sum())(t), x)
        for extra in (dict(), dict(count_include_pad=False), dict(divisor_override=5)):
            same(lambda t, s=settings, e=extra: P.avg_pool2d(t, **s, **e), x, tolerance=1e-6)
            same(lambda t, s=settings, e=extra: ms.grad(lambda a: (P.avg_pool2d(a, **s, **e) * 3).sum())(t), x, tolerance=1e-6)
    same(lambda t: P.max_pool2d(t, kernel_size=2, dilation=2), x)


def test_losses_of_labels():
    x, t, w = RNG.randn(6, 5).astype(np.float32), RNG.randint(0, 5, 6).astype(np.int32), RNG.rand(5).astype(np.float32)
    for reduction in ("none", "mean", "sum"):
        for settings in (dict(), dict(ignore_index=2), dict(label_smoothing=0.2)):
            def f(a, labels, weights, r=reduction, s=settings):
                step = ms.value_and_grad(lambda y: ops.cross_entropy(y, labels, weights, reduction=r, **s).reshape(-1).sum())
                return step(a)
            same(f, x, t, w, tolerance=1e-6)


def test_random_numbers_are_the_cpus():
    def draw(where):
        ms.set_context(device_target=where)
        ms.set_seed(11)
        return [ops.rand(7), ops.randn(301), ops.uniform((3, 5), Tensor(-2.0), Tensor(3.0)), nn.Dropout(p=0.3).set_train()(ops.ones((4, 9), ms.float16))]

    want, before = draw("CPU"), host_runs()
    got = draw("GPU")
    for g, w in zip(got, want):
        assert g.device == "GPU:0" and g.asnumpy().tobytes() == w.asnumpy().tobytes()
    assert host_runs() == before


def test_what_makes_and_joins_tensors():
    x, y = RNG.randn(3, 4).astype(np.float32), RNG.randn(3, 2).astype(np.float32)
    same(lambda a, b: [ops.concat((a, b), 1), ops.stack((a, a), 1), ops.pad(a, (1, 2)), a[::-1, 1:], a.argmax(1), b.argmin(0),
                       ops.argmax(a)], x, y)
    ms.set_context(device_target="GPU")
    before = host_runs()
    made = [ops.arange(5), ops.arange(1.5, 4, 0.5), ops.full((2,), 7.0), ops.zeros((2, 2)), ops.one_hot(Tensor([1, 0]), 3), ops.ones_like(Tensor([1.0])), ops.full((2,), 1 + 2j, dtype=ms.complex128)]
    assert host_runs() == before
    assert [m.tolist() for m in made] == [[0, 1, 2, 3, 4], [1.5, 2, 2.5, 3, 3.5], [7, 7], [[0, 0], [0, 0]], [[0, 1, 0], [1, 0, 0]], [1], [1 + 2j, 1 + 2j]]
