"""Bessel and gamma functions, windows, matrices with given diagonals and in factors: against NumPy, in every mode."""
import math

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops

RNG = np.random.RandomState(11)
X = np.concatenate([RNG.uniform(0.05, 7.9, 20), RNG.uniform(8.1, 60, 20)])
A, B, SQUARE = RNG.rand(4, 3), RNG.rand(4, 2), RNG.rand(2, 3, 3) + 2 * np.eye(3)


def integral(function, x):
    """The mean of function(x, angle) over half a turn: exact for periodic functions with enough points."""
    angles = (np.arange(2000) + 0.5) * (np.pi / 2000)
    return np.array([np.mean(function(v, angles)) for v in x])


def far(function, x, end, count=200000):
    """The integral of function(x, t) for t from 0 to end, by the middles of parts."""
    t = (np.arange(count) + 0.5) * (end / count)
    return np.array([np.sum(function(v, t)) * (end / count) for v in x])


def y(order, x):
    first = far(lambda v, a: np.sin(v * np.sin(a) - order * a), x, np.pi) / np.pi
    return first - far(lambda v, t: (np.exp(order * t) + (-1) ** order * np.exp(-order * t)) * np.exp(-v * np.sinh(t)), x, 8) / np.pi


BESSEL = {
    "bessel_i0": lambda x: integral(lambda v, a: np.exp(v * np.cos(a)), x),
    "bessel_i0e": lambda x: integral(lambda v, a: np.exp(v * (np.cos(a) - 1)), x),
    "bessel_i1": lambda x: integral(lambda v, a: np.exp(v * np.cos(a)) * np.cos(a), x),
    "bessel_i1e": lambda x: integral(lambda v, a: np.exp(v * (np.cos(a) - 1)) * np.cos(a), x),
    "bessel_j0": lambda x: integral(lambda v, a: np.cos(v * np.sin(a)), x),
    "bessel_j1": lambda x: integral(lambda v, a: np.cos(a - v * np.sin(a)), x),
    "bessel_k0": lambda x: far(lambda v, t: np.exp(-v * np.cosh(t)), x, 8),
    "bessel_k0e": lambda x: far(lambda v, t: np.exp(-v * (np.cosh(t) - 1)), x, 8),
    "bessel_k1": lambda x: far(lambda v, t: np.exp(-v * np.cosh(t)) * np.cosh(t), x, 8),
    "bessel_k1e": lambda x: far(lambda v, t: np.exp(-v * (np.cosh(t) - 1)) * np.cosh(t), x, 8),
    "bessel_y0": lambda x: y(0, x),
    "bessel_y1": lambda x: y(1, x),
}


def modes(function):
    """The function as it is and through both forms of the JIT."""
    def called(*operands):
        return function(*operands)
    fresh = eval("lambda *xs: function(*xs)", {"function": function})  # no captures of the other cases lie on it
    return [function] + [ms.jit(fresh, mode="PIJit"), ms.jit(called, mode="PSJit")] * ms.has_jit


@pytest.mark.costly
@pytest.mark.parametrize("name", BESSEL)
def test_bessel(name):
    function, want = getattr(ops, name), BESSEL[name](X)
    np.testing.assert_allclose(function(Tensor(X)).asnumpy(), want, rtol=2e-9, atol=2e-8 if name[7] == "y" else 1e-10 if name[7] == "j" else 0)
    narrow = function(Tensor(X.astype(np.float32)))
    assert narrow.dtype == ms.float32
    for run in modes(function):
        for _ in range(2):
            np.testing.assert_allclose(run(Tensor(X.astype(np.float32))).asnumpy(), narrow.asnumpy(), rtol=1e-6, atol=1e-7)
    slope = ms.grad(function)(Tensor(X)).asnumpy()
    step = 1e-5
    wanted = (function(Tensor(X + step)).asnumpy() - function(Tensor(X - step)).asnumpy()) / (2 * step)
    np.testing.assert_allclose(slope, wanted, rtol=1e-6, atol=1e-7)
    with pytest.raises(TypeError):
        function(Tensor([1, 2]))
    with pytest.raises(TypeError):
        function(1.0)


def test_bessel_at_special_values():
    ends = Tensor([0.0, float("inf"), -float("inf"), float("nan")])
    assert ops.bessel_i0e(ends).tolist()[:3] == [1, 0, 0] and ops.bessel_k0(Tensor([0.0, -1.0])).tolist()[0] == float("inf")
    assert np.isnan(ops.bessel_i0e(ends).tolist()[3]) and np.isnan(ops.bessel_y0(Tensor([-1.0])).item())
    assert ops.bessel_y0(Tensor([0.0])).item() == -float("inf") and ops.bessel_j1(Tensor([-2.0])).item() == -ops.bessel_j1(Tensor([2.0])).item()


def test_incomplete_gamma():
    a, x = np.array([0.5, 1.0, 2.0, 3.0, 1.0]), np.array([0.3, 2.0, 5.0, 0.0, 40.0])
    lower = np.array([math.erf(math.sqrt(0.3)), 1 - math.exp(-2), 1 - math.exp(-5) * 6, 0, 1 - math.exp(-40)])
    upper = np.array([math.erfc(math.sqrt(0.3)), math.exp(-2), math.exp(-5) * 6, 1, math.exp(-40)])
    np.testing.assert_allclose(ops.igamma(Tensor(a), Tensor(x)).asnumpy(), lower, rtol=1e-13)
    np.testing.assert_allclose(ops.igammac(Tensor(a), Tensor(x)).asnumpy(), upper, rtol=1e-12)
    for run in modes(lambda a, x: ops.igamma(a, x) + ops.igammac(a, x)):
        np.testing.assert_allclose(run(Tensor(a), Tensor(x)).asnumpy(), 1, rtol=1e-13)
    wide = ops.igamma(Tensor([[1.0], [2.0]]), Tensor([1.0, 2.0, 3.0]))
    assert wide.shape == (2, 3)
    at = [Tensor(np.array([0.7, 2.5, 30.0])), Tensor(np.array([0.4, 3.0, 28.0]))]
    found = ms.grad(lambda a, x: ops.igamma(a, x).sum(), (0, 1))(*at)
    for i, slope in enumerate(found):
        sides = [ops.igamma(*[v + step if j == i else v for j, v in enumerate(at)]).asnumpy() for step in (1e-5, -1e-5)]
        np.testing.assert_allclose(slope.asnumpy(), (sides[0] - sides[1]) / 2e-5, rtol=1e-6, atol=1e-9)
    assert np.isnan(ops.igamma(Tensor([-1.0, 0.0, 2.0]), Tensor([1.0, 1.0, -1.0])).asnumpy()).all()
    for operands in ((1.0, Tensor([1.0])), (Tensor([1]), Tensor([1])), (Tensor([1.0]), Tensor([1.0], ms.float64))):
        with pytest.raises(TypeError):
            ops.igamma(*operands)


def test_incomplete_gamma_of_infinities_needs_few_terms(monkeypatch):
    from msjit.ops import gamma_func
    monkeypatch.setattr(gamma_func, "_TERMS", 400)  # more would be seconds; without an end the results below are NaN or wrong
    a, x = Tensor([6.0, 2.5, 0.5]), Tensor([float("inf"), float("inf"), 1.0])
    with np.errstate(all="raise", under="ignore"):
        upper = ops.igammac(a, x).asnumpy()
        lower = ops.igamma(a, x).asnumpy()
    np.testing.assert_allclose(upper, [0, 0, math.erfc(1)], rtol=1e-6)
    np.testing.assert_allclose(lower, [1, 1, math.erf(1)], rtol=1e-6)


def test_incomplete_beta():
    a, b, x = np.array([1.0, 2.0, 0.5, 5.0]), np.array([1.0, 5.0, 0.5, 1.0]), np.array([0.5, 0.25, 0.3, 0.9])
    want = [0.5, 1 - 0.75 ** 6 - 6 * 0.25 * 0.75 ** 5, 2 / math.pi * math.asin(math.sqrt(0.3)), 0.9 ** 5]
    for run in modes(ops.Betainc()):
        np.testing.assert_allclose(run(Tensor(a), Tensor(b), Tensor(x)).asnumpy(), want, rtol=1e-13)
    slopes = ms.grad(lambda a, b, x: ops.Betainc()(a, b, x).sum(), (0, 1, 2))(Tensor(a), Tensor(b), Tensor(x))
    assert not slopes[0].asnumpy().any() and not slopes[1].asnumpy().any()
    np.testing.assert_allclose(slopes[2].asnumpy()[[0, 3]], [1, 5 * 0.9 ** 4], rtol=1e-12)
    with pytest.raises(ValueError):
        ops.Betainc()(Tensor([1.0]), Tensor([1.0, 2.0]), Tensor([0.5]))


@pytest.mark.parametrize("name, want", [("hann_window", np.hanning), ("hamming_window", np.hamming)])
def test_windows(name, want):
    function = getattr(ops, name)
    np.testing.assert_allclose(function(7, False).asnumpy(), want(7), atol=1e-7)
    np.testing.assert_allclose(function(6).asnumpy(), want(7)[:-1], atol=1e-7)
    assert function(1).tolist() == [1] and function(0).shape == (0,) and function(4, dtype=ms.float32).dtype == ms.float32
    for wrong, kind in ((-1, ValueError), (2.5, TypeError), (True, TypeError)):
        with pytest.raises(kind):
            function(wrong)
    with pytest.raises(TypeError):
        function(3, dtype=ms.int32)


def test_other_windows():
    np.testing.assert_allclose(ops.kaiser_window(9, False, 5.0).asnumpy(), np.kaiser(9, 5.0), rtol=1e-9)
    np.testing.assert_allclose(ops.bartlett_window(Tensor(7), False).asnumpy(), np.bartlett(7), atol=1e-7)
    np.testing.assert_allclose(ops.blackman_window(Tensor(7), False, dtype=ms.float64).asnumpy(), np.blackman(7), atol=1e-15)
    np.testing.assert_allclose(ops.logspace(Tensor(0.0), Tensor(2.0), 5, dtype=ms.float64).asnumpy(), np.logspace(0, 2, 5), rtol=1e-12)
    for call in (lambda: ops.bartlett_window(5), lambda: ops.logspace(0, 1, 3), lambda: ops.logspace(Tensor(0.0), Tensor(1.0), 2.0)):
        with pytest.raises(TypeError):
            call()


def test_diagonals():
    rows = Tensor(np.float32([[1, 2], [3, 4]]))
    for run in modes(lambda x: ops.matrix_diag(x, 1)):
        np.testing.assert_array_equal(run(rows).asnumpy(), [np.diag([1, 2], 1), np.diag([3, 4], 1)])
    band = Tensor(np.float32([[0, 8, 9], [1, 2, 3], [4, 5, 0]]))
    made = ops.matrix_diag(band, (-1, 1), 3, 3)
    np.testing.assert_array_equal(made.asnumpy(), np.diag([1, 2, 3]) + np.diag([8, 9], 1) + np.diag([4, 5], -1))
    part = ops.matrix_diag_part(made, (-1, 1), 0.0)
    np.testing.assert_array_equal(part.asnumpy(), band.asnumpy())
    changed = ops.matrix_set_diag(made, Tensor(np.float32([7, 7, 7])))
    np.testing.assert_array_equal(np.diag(changed.asnumpy()), [7, 7, 7])
    weights = Tensor(RNG.rand(3, 3).astype(np.float32))
    slope = ms.grad(lambda x: (ops.matrix_diag(x, (-1, 1), 3, 3) * weights).sum())(band).asnumpy()
    np.testing.assert_allclose(slope, ops.matrix_diag_part(weights, (-1, 1), 0.0).asnumpy())
    for call, kind in ((lambda: ops.matrix_diag(rows, Tensor([1])), TypeError), (lambda: ops.matrix_diag(rows, 0, align="x"), ValueError),
                       (lambda: ops.matrix_diag_part(rows, 5, 0.0), ValueError), (lambda: ops.matrix_diag(rows, 0, 1, 1), ValueError),
                       (lambda: ops.matrix_set_diag(rows, Tensor([1.0])), ValueError)):
        with pytest.raises(kind):
            call()


def test_reflectors():
    packed, tau = ops.geqrf(Tensor(A))
    q, r = np.linalg.qr(A)
    np.testing.assert_allclose(np.triu(packed.asnumpy()[:3]), r, atol=1e-12)
    for run in modes(ops.orgqr):
        np.testing.assert_allclose(run(packed, tau).asnumpy(), q, atol=1e-12)
    whole = np.linalg.qr(A, mode="complete")[0]
    for left, transpose, want in ((True, False, whole @ B), (True, True, whole.T @ B), (False, False, B.T @ whole), (False, True, B.T @ whole.T)):
        other = Tensor(B if left else np.ascontiguousarray(B.T))
        np.testing.assert_allclose(ops.ormqr(packed, tau, other, left, transpose).asnumpy(), want, atol=1e-12)
    with pytest.raises(ValueError):
        ops.orgqr(Tensor(np.ascontiguousarray(A.T)), tau)
    with pytest.raises(TypeError):
        ops.geqrf(Tensor([[1, 2], [3, 4]]))


def test_lu():
    data, pivots = Tensor(np.float64([[4, 3], [0.5, 2]])), Tensor([2, 2], ms.int32)
    p, lower, upper = ops.lu_unpack(data, pivots)
    matrix = p.asnumpy() @ lower.asnumpy() @ upper.asnumpy()
    for run in modes(ops.lu_solve):
        found = run(Tensor(np.float64([[1], [2]])), data, pivots).asnumpy()
        np.testing.assert_allclose(matrix @ found, [[1], [2]], atol=1e-12)
    assert ops.lu_unpack(data, pivots, False)[1] is None and ops.lu_unpack(data, pivots, True, False)[0] is None
    for wrong in (Tensor([0, 2], ms.int32), Tensor([1, 3], ms.int32), Tensor([1], ms.int32)):
        with pytest.raises(ValueError):
            ops.lu_unpack(data, wrong)


def test_condition_numbers():
    for p in (None, 1, -1, float("inf"), "fro"):
        want = [np.linalg.cond(m, p) for m in SQUARE]
        for run in modes(lambda x: ops.cond(x, p)):
            np.testing.assert_allclose(run(Tensor(SQUARE)).asnumpy(), want, rtol=1e-9)
    with pytest.raises(ValueError):
        ops.cond(Tensor(A))


def test_cumprod_gradient_at_zero():
    for values in ([2.0, 0.0, 3.0, 4.0], [0.0, 2.0, 0.0, 5.0], [1.0, 2.0, 3.0, 4.0], [0.0, 0.0, 0.0, 1.0]):
        x = np.array([values, values[::-1]])
        want = np.zeros_like(x)
        for i in range(2):
            for j in range(4):  # linear in each element: the difference of 1 and 0 there
                one, none = x[i].copy(), x[i].copy()
                one[j], none[j] = 1, 0
                want[i, j] = np.cumprod(one).sum() - np.cumprod(none).sum()
        for run in modes(ms.grad(lambda v: ops.cumprod(v, 1).sum())):
            np.testing.assert_allclose(run(Tensor(x)).asnumpy(), want)


@pytest.mark.parametrize("name", "i0 i1 i0e i1e j0 j1 y0 y1 k0 k1 k0e k1e".split())
def test_derivatives_of_bessel_functions_where_their_series_meet(name):
    """At 2 and 8 as elsewhere; minimum and maximum would halve them there."""
    def b(kind):
        return getattr(ops, "bessel_" + kind)(x)
    x = Tensor(np.array([0.5, 2.0, 8.0, 9.0]))
    expected = {"i0": lambda: b("i1"), "i1": lambda: b("i0") - b("i1") / x, "i0e": lambda: b("i1e") - b("i0e"),
                "i1e": lambda: b("i0e") - b("i1e") / x - b("i1e"), "j0": lambda: -b("j1"), "j1": lambda: b("j0") - b("j1") / x,
                "y0": lambda: -b("y1"), "y1": lambda: b("y0") - b("y1") / x, "k0": lambda: -b("k1"), "k1": lambda: -b("k0") - b("k1") / x,
                "k0e": lambda: b("k0e") - b("k1e"), "k1e": lambda: b("k1e") - b("k0e") - b("k1e") / x}[name]()
    found = ms.grad(lambda t: getattr(ops, "bessel_" + name)(t).sum())(x)
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-9)
