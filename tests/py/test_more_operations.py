"""Operators on unusual arguments, and primitives that few programs use; the numbers are MindSpore's."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, mint, nn, ops

P = ops.operations
X = np.arange(6, dtype=np.float32).reshape(2, 3)
INTS = Tensor(np.arange(1, 7).reshape(2, 3), ms.int32)


def x():
    return Tensor(X)


CALLS = {
    "truncated quotient": (lambda t: ops.div(Tensor([7, -7]), Tensor([2, 2]), rounding_mode="trunc"), [3, -3], "Int64"),
    "of mint": (lambda t: mint.div(Tensor([7, -7], ms.int8), 2, rounding_mode="trunc"), [3, -3], "Int8"),
    "median of a number": (lambda t: ops.median(Tensor(2.0))[0], 2, "Float32"),
    "flatten rows": (lambda t: P.Flatten()(t[1]), [[3], [4], [5]], "Float32"),
    "products": (lambda t: P.CumProd()(INTS, 1), [[1, 2, 6], [4, 20, 120]], "Int32"),
    "nansum": (lambda t: ops.nansum(INTS), 21, "Int32"),
    "vander": (lambda t: ops.vander(Tensor([1, 2], ms.int32)), [[1, 1], [2, 1]], "Int64"),
    "cov": (lambda t: ops.cov(t.half()), [[1, 1], [1, 1]], "Float32"),
    "gather in stacks": (lambda t: ops.gather(t, Tensor([[0, 1], [1, 2]]), 1, -1), [[0, 1], [4, 5]], "Float32"),
    "gather of all": (lambda t: ops.gather(t, Tensor([[0, 1], [1, 2]]), 1, -2), [[[0, 1], [1, 2]], [[3, 4], [4, 5]]], "Float32"),
    "norm of halves": (lambda t: ops.norm(Tensor([[3.0, 0.0], [0.0, 4.0]], ms.float16), 2), 4, "Float32"),
    "norm of integers": (lambda t: ops.norm(Tensor([[3, 0], [0, 4]]), "nuc"), 7, "Float32"),
    "one window": (lambda t: ops.max_pool2d(t[None, None], 3, ceil_mode=True), [[[[5]]]], "Float32"),
    "its mean": (lambda t: ops.avg_pool2d(t[None, None], 3, 2, ceil_mode=True), [[[[2.5]]]], "Float32"),
    "variance of halves": (lambda t: P.LayerNorm()(t.half(), Tensor(np.ones(3, np.float16)), Tensor(np.ones(3, np.float16)))[2],
                           [[0.6666667], [0.6666667]], "Float32"),
    "part of nothing": (lambda t: ops.split(t[:0], 2)[0], np.zeros((0, 3)), "Float32"),
    "rounding": (lambda t: ms.numpy.round(Tensor([1.4, 2.6])), [1, 3], "Float32"),
    "quantile of a number": (lambda t: ops.quantile(Tensor(2.0), 0.7, 0), 2, "Float32"),
}


@pytest.mark.jit
@pytest.mark.parametrize("name", sorted(CALLS))
def test_calls(name):
    call, expected, dtype = CALLS[name]
    for run in (call, ms.jit(call, mode="PIJit")):
        out = run(x())
        np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-6)
        assert out.shape == np.shape(expected) and str(out.dtype) == dtype


def test_refusals():
    zero = Tensor(2.0)
    for call, error in ((lambda: ops.rot90(zero, 1, [0, 1]), ValueError), (lambda: P.CumSum(True)(zero, 0), ValueError),
                        (lambda: P.CumProd(True)(zero, 0), ValueError), (lambda: ops.quantile(zero, 0.5, 1), ValueError),
                        (lambda: ops.norm(x(), 2, (0, 5)), ValueError), (lambda: ops.max_pool2d(x()[None, None], (4, 3), 1, ceil_mode=True), ValueError),
                        (lambda: ops.gather(x(), Tensor([[0], [1]]), 1, -3), ValueError), (lambda: ops.eig(Tensor([1.0])), ValueError),
                        (lambda: ops.eig(Tensor([[1, 2], [3, 4]])), TypeError), (lambda: ms.grad(lambda a: ops.eigvals(a).real().sum())(x()[:, :2]), RuntimeError)):
        with pytest.raises(error):
            call()
    assert len(ops.chunk(x()[:0], 3)) == 1


def test_eigenvalues():
    for matrix in (np.float32([[1, 2], [-3, 4]]), np.random.RandomState(0).randn(2, 3, 3), np.complex64([[1, 2j], [3, 4]])):
        values, vectors = ops.eig(Tensor(matrix))
        assert values.dtype == (ms.complex128 if matrix.dtype == np.float64 else ms.complex64)
        w, v = values.asnumpy(), vectors.asnumpy()
        np.testing.assert_allclose(matrix @ v, v * w[..., None, :], atol=1e-5)
        np.testing.assert_allclose(np.abs(v ** 2).sum(-2), 1, rtol=1e-5)
        assert (np.diff(w.real, axis=-1) >= -1e-6).all()
        np.testing.assert_allclose(ops.eigvals(Tensor(matrix)).asnumpy(), w)
    assert P.Eig()(Tensor([[1.0, 0.0], [0.0, 2.0]]))[1].shape == (0,)


def test_lstm_primitive():
    rng = np.random.RandomState(0)
    for ways, bias in ((1, True), (2, True), (1, False)):
        # nn.LSTM holds the same numbers as parameters of their own.
        layer = nn.LSTM(2, 3, has_bias=bias, bidirectional=ways == 2)
        groups = [[], [], []]
        for p in layer.get_parameters():
            value = (rng.randn(*p.shape) * 0.3).astype(np.float32)
            if "bias_hh" in p.name:
                value = np.zeros_like(value)
            elif "bias" in p.name:
                groups[2].append(value.ravel())
            else:
                groups["weight_hh" in p.name].append(value.ravel())
            p.set_data(Tensor(value))
        w = np.concatenate(sum(groups, []))[:, None, None]
        data, h, c = (Tensor(rng.randn(*shape).astype(np.float32)) for shape in ((3, 2, 2), (ways, 2, 3), (ways, 2, 3)))
        out, last, cell = P.LSTM(2, 3, 1, bias, ways == 2, 0.0)(data, h, c, Tensor(w))[:3]
        expected, (expected_last, expected_cell) = layer(data, (h, c))
        for a, b in ((out, expected), (last, expected_last), (cell, expected_cell)):
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError):
        P.LSTM(2, 3, 1, True, False, 0.0)(data, h[:1], c[:1], Tensor(w[:5]))


def test_suppression():
    boxes = Tensor(np.float32([[1, 1, 2, 2], [1, 1, 2, 2.1], [3, 3, 4, 4]]))
    kept = P.NonMaxSuppressionV3()(boxes, Tensor([0.9, 0.8, 0.7]), Tensor(3, ms.int32), Tensor(0.5), Tensor(0.1))
    assert kept.dtype == ms.int32 and kept.tolist() == [0, 2]
    boxes = np.float32([[[[200, 100, 150, 100]], [[220, 120, 150, 100]], [[190, 110, 150, 100]], [[210, 112, 150, 100]]]]) / 1000
    scores = np.float32([[[0.2, 0.7, 0.1], [0.1, 0.8, 0.1], [0.3, 0.6, 0.1], [0.05, 0.9, 0.05]]])
    out = P.CombinedNonMaxSuppression(False, False)(Tensor(boxes), Tensor(scores), Tensor(4, ms.int32), Tensor(4, ms.int32), Tensor(0.1), Tensor(0.5))
    np.testing.assert_allclose(out[0].asnumpy()[0], [[0.21, 0.112, 0.15, 0.1], [0.2, 0.1, 0.15, 0.1], [0] * 4, [0] * 4], rtol=1e-6)
    np.testing.assert_allclose(out[1].asnumpy()[0], [0.9, 0.7, 0, 0], rtol=1e-6)
    assert out[2].tolist() == [[1, 1, 0, 0]] and out[3].tolist() == [2]


def test_sparse_steps():
    value = np.float32([[1, 2], [-3, 4]])
    params = [Parameter(Tensor(value), name=name) for name in "abc"]
    P.SparseApplyRMSProp(0.2, 0.01, 1e-6)(params[0], params[1], params[2], 0.01, Tensor(value), Tensor([0, 1], ms.int32))
    np.testing.assert_allclose(params[0].asnumpy(), [[0.98, 1.9695], [-2.9583, 3.9492]], atol=1e-4)
    np.testing.assert_allclose(params[2].asnumpy(), [[0.02, 0.0305], [-0.0417, 0.0508]], atol=1e-4)
    start = np.float32([[1, 2]])
    dense = [Parameter(Tensor(start), name=name) for name in "def"]
    rows = [Parameter(Tensor(start), name=name) for name in "ghi"]
    P.ApplyAdadelta()(dense[0], dense[1], dense[2], 0.01, 0.9, 1e-6, Tensor(start))
    P.SparseApplyAdadelta(1e-6)(rows[0], rows[1], rows[2], 0.01, 0.9, Tensor(start), Tensor([0], ms.int32))
    for a, b in zip(rows, dense):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)


def test_dtypes_of_numpy_names_and_shifts():
    import msjit.numpy as mnp
    x = Tensor(np.array([[1, 2, 0], [3, 0, 1]], np.int16))
    for name in "ceil fix trunc sign norm".split():
        assert getattr(mnp, name)(x).dtype == ms.float32, name
    assert mnp.float_power(x, x).dtype == ms.float32 and mnp.float_power(x.astype(ms.float64), x).dtype == ms.float32
    assert mnp.nanmax(x).dtype == ms.int16 and mnp.nanmin(x, 1).asnumpy().tolist() == [0, 0] and float(mnp.nanmax(Tensor([1.0, float("nan")]))) == 1.0
    assert mnp.where(x > 1, 1, 0).dtype == ms.int32 and mnp.where(x > 1, x, 0).dtype == ms.int32
    assert x.trace().dtype == ms.int64 and int(mnp.trace(x)) == 1 and x.astype(ms.float16).trace().dtype == ms.float16
    assert mnp.stack(x, 1).shape == (3, 2) and mnp.concatenate(x).shape == (6,) and mnp.hstack(x) is x
    assert mnp.meshgrid(x, x[0])[0].shape == (3, 6) and mnp.full_like(x, x[0]).asnumpy().tolist() == [[1, 2, 0]] * 2
    assert ms.ops.bitwise_left_shift(x, 1).dtype == ms.int16 and x.bitwise_right_shift(1).asnumpy().tolist() == [[0, 1, 0], [1, 0, 0]]
    assert Tensor([1], ms.int32).bitwise_left_shift(Tensor([1], ms.int64)).dtype == ms.int64
    with pytest.raises(TypeError):
        ms.ops.bitwise_left_shift(x.astype(ms.complex64), 1)
    assert x.is_meta is False and Tensor([[2.0, 0.0], [0.0, 3.0]]).eigvals().shape == (2,)
