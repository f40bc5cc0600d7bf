"""mindspore.scipy: factorisations and solutions against NumPy and their gradients against differences; minimisation with MindSpore
2.10's figures; assignments against all permutations."""
import itertools

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.scipy import linalg, optimize

A = np.array([[4, 1, 2], [1, 5, 3], [2, 3, 6]], np.float32)
B = np.array([[1, 2, 3], [4, 5, 6], [7, 8, 10]], np.float32)
V, M = np.array([1, 2, 3], np.float32), np.arange(6, dtype=np.float32).reshape(3, 2)
UPPER, LOWER = np.triu(B), np.tril(B)
UNIT = np.triu(B, 1) + np.eye(3)
FUNCTIONS = {
    "inv": (lambda a: linalg.inv(a), B, np.linalg.inv(B)), "det": (lambda a: linalg.det(a), B, np.linalg.det(B)),
    "cholesky": (lambda a: linalg.cholesky(a), A, np.linalg.cholesky(A).T),
    "cholesky lower": (lambda a: linalg.cholesky(a, lower=True), A, np.linalg.cholesky(A)),
    "cho_solve": (lambda a: linalg.cho_solve(linalg.cho_factor(a), Tensor(V)), A, np.linalg.solve(A, V)),
    "cho_solve lower": (lambda a: linalg.cho_solve(linalg.cho_factor(a, True), Tensor(M)), A, np.linalg.solve(A, M)),
    "upper": (lambda a: linalg.solve_triangular(a, Tensor(V)), B, np.linalg.solve(UPPER, V)),
    "lower": (lambda a: linalg.solve_triangular(a, Tensor(M), lower=True), B, np.linalg.solve(LOWER, M)),
    "transposed": (lambda a: linalg.solve_triangular(a, Tensor(V), trans="T"), B, np.linalg.solve(UPPER.T, V)),
    "unit": (lambda a: linalg.solve_triangular(a, Tensor(V), unit_diagonal=True), B, np.linalg.solve(UNIT, V)),
    "eigenvalues": (lambda a: linalg.eigh(a, eigvals_only=True), A, np.linalg.eigvalsh(A)),
    "eigenvalues upper": (lambda a: linalg.eigh(a, lower=False, eigvals_only=True), B, np.linalg.eigvalsh(B, "U")),
    "lu": (lambda a: linalg.lu(a, permute_l=True)[0] @ linalg.lu(a)[2], B, B),
    "lu_factor": (lambda a: linalg.lu_factor(a)[0], B, [[7, 8, 10], [1 / 7, 6 / 7, 11 / 7], [4 / 7, 0.5, -0.5]]),
    "lstsq": (lambda a: linalg.lstsq(a, Tensor(V))[0], B[:, :2], np.linalg.lstsq(B[:, :2], V, None)[0]),
}


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_values_and_gradients(name):
    function, matrix, expected = FUNCTIONS[name]
    for run in (function, ms.jit(function)):
        np.testing.assert_allclose(run(Tensor(matrix)).asnumpy(), expected, 1e-4, 1e-4)

    def total(a):
        made = function(a) if not isinstance(a, np.ndarray) else function(Tensor(a))
        return (made * Tensor(np.linspace(1, 2, made.size).reshape(made.shape), made.dtype)).sum()

    wide = matrix.astype(np.float64)
    if name in ("cho_solve", "cho_solve lower", "upper", "lower", "transposed", "unit", "lstsq"):
        return  # their right-hand side is float32
    found = ms.grad(total)(Tensor(wide)).asnumpy()
    for place in np.ndindex(*wide.shape):
        moved = np.zeros_like(wide)
        moved[place] = 1e-6
        moved = moved if "cholesky" not in name else (moved + moved.T) / 2
        slope = (float(total(wide + moved)) - float(total(wide - moved))) / 2e-6
        np.testing.assert_allclose(found[place], slope, 1e-4, 1e-6)


@pytest.mark.parametrize("options", [{}, {"lower": True}, {"trans": "T"}, {"lower": True, "trans": 2, "unit_diagonal": True}])
def test_gradients_of_triangular_solutions(options):
    left, right = B.astype(np.float64), V.astype(np.float64)

    def total(a, b):
        return (linalg.solve_triangular(a, b, **options) * Tensor([1.0, 2, 3], ms.float64)).sum()

    found = ms.grad(total, (0, 1))(Tensor(left), Tensor(right))
    for index, value in enumerate((left, right)):
        for place in np.ndindex(*value.shape):
            ends = []
            for sign in (1, -1):
                moved = [left.copy(), right.copy()]
                moved[index][place] += sign * 1e-6
                ends.append(float(total(Tensor(moved[0]), Tensor(moved[1]))))
            np.testing.assert_allclose(found[index].asnumpy()[place], (ends[0] - ends[1]) / 2e-6, 1e-4, 1e-6)


def test_factors_and_dtypes():
    order, lower, upper = (part.asnumpy() for part in linalg.lu(Tensor(B)))
    assert order.tolist() == [[0, 1, 0], [0, 0, 1], [1, 0, 0]] and order.dtype == np.int32
    np.testing.assert_allclose(order @ lower @ upper, B, 1e-6)
    assert linalg.lu_factor(Tensor(B))[1].asnumpy().tolist() == [2, 2, 2]
    values, vectors = (part.asnumpy() for part in linalg.eigh(Tensor(A)))
    np.testing.assert_allclose(A @ vectors, vectors * values, 1e-5, 1e-5)
    assert linalg.inv(Tensor(A.astype(np.int32))).dtype == linalg.eigh(Tensor(A.astype(np.int64)))[0].dtype == ms.float64
    assert linalg.solve_triangular(Tensor([[2]]), Tensor([4])).dtype == ms.float32
    assert linalg.solve_triangular(Tensor(np.stack([A, A])), Tensor(np.ones((2, 3), np.float32))).shape == (2, 3)
    assert linalg.solve_triangular(Tensor(np.stack([A, A])), Tensor(np.ones((2, 3, 1), np.float32))).shape == (2, 3, 1)
    made = linalg.block_diag(Tensor([[1, 2], [3, 4]]), Tensor([5, 6]), Tensor(7))
    assert made.asnumpy().tolist() == [[1, 2, 0, 0, 0], [3, 4, 0, 0, 0], [0, 0, 5, 6, 0], [0, 0, 0, 0, 7]]
    assert linalg.block_diag().shape == (1, 0) and int(linalg.lstsq(Tensor([[1, 2], [2, 4]]), Tensor([1, 1]))[2]) == 1
    np.testing.assert_allclose(linalg.cho_solve((Tensor([[2]]), True), Tensor([8])).asnumpy(), [2])


@pytest.mark.parametrize("call, error", [
    (lambda: linalg.inv(Tensor(np.ones((2, 3), np.float32))), ValueError), (lambda: linalg.inv(3), TypeError),
    (lambda: linalg.inv(Tensor(A, ms.float16)), TypeError), (lambda: linalg.inv(Tensor(np.stack([A, A]))), ValueError),
    (lambda: linalg.inv(Tensor(A), overwrite_a=1), TypeError), (lambda: linalg.cholesky(Tensor(-A)), ValueError),
    (lambda: linalg.cho_solve((Tensor(A), True), Tensor(np.ones((2, 2), np.float32))), ValueError),
    (lambda: linalg.eigh(Tensor(A), b=Tensor(A)), ValueError), (lambda: linalg.lu(Tensor(B[:, :2])), ValueError),
    (lambda: linalg.lu_factor(Tensor(B[:2])), ValueError), (lambda: linalg.block_diag(Tensor(np.ones((1, 1, 1)))), ValueError),
    (lambda: linalg.solve_triangular(Tensor(A), Tensor(V), trans="X"), ValueError),
    (lambda: linalg.solve_triangular(Tensor(A), Tensor(V), trans=3), RuntimeError),
    (lambda: linalg.solve_triangular(Tensor(A), Tensor(V[:2])), ValueError),
    (lambda: linalg.solve_triangular(Tensor(A), Tensor(V.astype(np.float64))), TypeError),
    (lambda: optimize.minimize(rosen, Tensor([0.0, 0.0])), ValueError),
    (lambda: optimize.minimize(rosen, Tensor([0.0, 0.0]), method="x"), ValueError),
    (lambda: optimize.minimize(rosen, Tensor([0.0, 0.0]), args=3, method="BFGS"), TypeError),
    (lambda: optimize.minimize(rosen, Tensor([0.0, 0.0]), method="BFGS", options={"foo": 1}), TypeError),
    (lambda: optimize.minimize(3, Tensor([0.0, 0.0]), method="LAGRANGE"), TypeError),
    (lambda: optimize.minimize(rosen, Tensor([0.0, 0.0]), method="LAGRANGE", constraints=[3]), TypeError),
    (lambda: optimize.minimize(rosen, Tensor([0.0, 0.0]), method="LAGRANGE", constraints=[rosen], tol=[1.0, 2.0]), ValueError),
    (lambda: optimize.line_search(rosen, [0.0], Tensor([1.0])), TypeError),
    (lambda: optimize.linear_sum_assignment(Tensor(A), Tensor(True)), TypeError),
    (lambda: optimize.linear_sum_assignment(Tensor(V), True), ValueError),
    (lambda: optimize.linear_sum_assignment(Tensor([[np.nan]]), True), ValueError)])
def test_refused(call, error):
    with pytest.raises(error):
        call()


def rosen(x):
    return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def test_minimum():
    found = optimize.minimize(rosen, Tensor([0.0, 0.0]), method="BFGS", options={"maxiter": None, "gtol": 1e-6})
    np.testing.assert_allclose(found.x.asnumpy(), [1, 1], 1e-5)
    np.testing.assert_allclose(found.hess_inv.asnumpy(), [[0.5, 1], [1, 2]], 0.05)
    assert found.success and found.status == 0 and found.nfev == found.njev and abs(found.nit - 20) <= 2
    far = optimize.minimize(rosen, Tensor([1.3, 0.7, 0.8, 1.9, 1.2]), method="BFGS", options={"gtol": 1e-6})
    np.testing.assert_allclose(far.x.asnumpy(), np.ones(5), 1e-4)
    close = optimize.minimize(lambda x, at: ((x - at) ** 2).sum(), Tensor([0.0, 0.0]), (Tensor([1.0, 2.0]),), "bfgs")
    np.testing.assert_allclose(close.hess_inv.asnumpy(), [[0.9, -0.2], [-0.2, 0.6]], 1e-5)
    assert (close.nfev, close.nit, close.success) == (3, 1, True)
    short = optimize.minimize(rosen, Tensor([0.0, 0.0]), method="BFGS", options={"maxiter": 2})
    assert (short.success, short.status, short.nit) == (False, 1, 2)


def test_line_search():
    found = optimize.line_search(rosen, Tensor([1.3, 0.7]), Tensor([1.0, 8.0]), maxiter=3)
    np.testing.assert_allclose([found.a_k, found.f_k], [0.2502576, 9.228689], 1e-4)
    np.testing.assert_allclose(found.g_k.asnumpy(), [-184.163, 59.7525], 1e-4)
    assert (found.failed, found.nit, found.nfev, found.ngev, found.k, found.status) == (False, 1, 3, 3, 2, 0)
    up = optimize.line_search(rosen, Tensor([0.0, 0.0]), Tensor([-2.0, 0.0]))
    assert (up.failed, up.nit, up.nfev, up.a_k, up.f_k, up.status) == (True, 1, 12, 1.0, 1.0, 1)
    assert up.g_k.asnumpy().tolist() == [-2, 0]


@pytest.mark.parametrize("shape", [(3, 3), (4, 6), (6, 4), (1, 3), (5, 5)])
def test_assignments(shape):
    random = np.random.RandomState(sum(shape))
    for maximize, _ in itertools.product((False, True), range(4)):
        costs = random.randint(-9, 9, shape).astype(np.float32)
        rows, columns = (part.asnumpy() for part in optimize.linear_sum_assignment(Tensor(costs), maximize))
        flat = costs if shape[0] <= shape[1] else costs.T
        sums = [flat[range(len(flat)), list(order)].sum() for order in itertools.permutations(range(flat.shape[1]), len(flat))]
        assert costs[rows, columns].sum() == (max(sums) if maximize else min(sums)) and sorted(set(rows)) == rows.tolist()
    first = optimize.linear_sum_assignment(Tensor([[4.0, 1.0, 0.0], [2.0, 0.0, 0.0]]), False, Tensor(2))
    assert first[1].asnumpy().tolist() == [1, 0] and ops.add(first[0], 0).dtype == ms.int64


def test_cosine_transforms():
    from msjit.scipy.fft import dct, dctn, idct, idctn
    x = np.array([[1, 2, 4, 8], [3, 1, 2, 7]], np.float32)

    def basis(n):
        rows = np.cos(np.pi * np.outer(np.arange(n), 2 * np.arange(n) + 1) / (2 * n)) * np.sqrt(2 / n)
        rows[0] /= np.sqrt(2)
        return rows

    for run in (dct, ms.jit(dct)):
        np.testing.assert_allclose(run(Tensor(x)).asnumpy(), x @ basis(4).T, 1e-5, 1e-5)
    np.testing.assert_allclose(dct(Tensor(x), axis=0).asnumpy(), basis(2) @ x, 1e-5, 1e-5)
    np.testing.assert_allclose(dct(Tensor(x), n=3).asnumpy(), x[:, :3] @ basis(3).T, 1e-5, 1e-5)
    np.testing.assert_allclose(dct(Tensor(x), n=6).asnumpy(), np.pad(x, ((0, 0), (0, 2))) @ basis(6).T, 1e-5, 1e-5)
    np.testing.assert_allclose(idct(dct(Tensor(x))).asnumpy(), x, 1e-5, 1e-5)
    np.testing.assert_allclose(dctn(Tensor(x)).asnumpy(), basis(2) @ x @ basis(4).T, 1e-5, 1e-5)
    np.testing.assert_allclose(idctn(dctn(Tensor(x), s=(2, 4)), axes=(0, 1)).asnumpy(), x, 1e-5, 1e-5)
    assert dct(Tensor([1, 2])).dtype == ms.float32 and dct(Tensor(x.astype(np.float64))).dtype == ms.float64
    np.testing.assert_allclose(ms.grad(lambda x: dct(x)[0, 1])(Tensor(x)).asnumpy(), [basis(4)[1], [0] * 4], 1e-5, 1e-6)
    for bad in (dict(type=1), dict(norm="forward"), dict(axis=2), dict(n=0)):
        with pytest.raises(ValueError, match="dct"):
            dct(Tensor(x), **bad)
    with pytest.raises(ValueError, match="dctn"):
        dctn(Tensor(x), s=(2,), axes=(0, 1))


def test_solutions_from_factors():
    for trans, matrix in ((0, B), (1, B.T), (2, B.T)):
        for right in (V, M):
            got = linalg.lu_solve(linalg.lu_factor(Tensor(B)), Tensor(right), trans).asnumpy()
            np.testing.assert_allclose(got, np.linalg.solve(matrix, right), 1e-4, 1e-4)
    with pytest.raises(ValueError, match="trans"):
        linalg.lu_solve(linalg.lu_factor(Tensor(B)), Tensor(V), 3)


def test_pairs_that_are_left_over():
    from msjit.scipy.ops import LinearSumAssignment, solve_triangular
    costs = Tensor(np.array([[2, 3, 3], [3, 2, 3], [3, 3, 2.0]]))
    rows, columns = LinearSumAssignment()(costs, Tensor(2), False)
    assert rows.asnumpy().tolist() == columns.asnumpy().tolist() == [0, 1, -1]
    for limit in (0, 4):
        with pytest.raises(ValueError, match="dimension_limit"):
            optimize.linear_sum_assignment(costs, False, limit)
    np.testing.assert_allclose(solve_triangular(Tensor(UPPER), Tensor(V)).asnumpy(), np.linalg.solve(UPPER, V), 1e-4, 1e-4)


@pytest.mark.parametrize("history_size, calls, steps", [(20, 21, 12), (2, 20, 10)])
def test_limited_memory(history_size, calls, steps):
    """Himmelblau's function; MindSpore needs so many calls and steps."""
    from msjit.scipy.optimize import minimize

    def himmelblau(p):
        return (p[0] ** 2 + p[1] - 11) ** 2 + (p[0] + p[1] ** 2 - 7) ** 2
    options = {"gtol": 1e-6, "history_size": history_size} if history_size == 20 else {"history_size": history_size}
    found = minimize(himmelblau, Tensor(np.zeros(2, np.float32)), method="LBFGS", options=options)
    assert found.success and found.status == 0 and (found.nfev, found.nit) == (calls, steps) and found.hess_inv is None
    np.testing.assert_allclose(found.x.asnumpy(), [3, 2], atol=1e-4)
    early = minimize(himmelblau, Tensor(np.zeros(2, np.float32)), method="lbfgs", options={"maxiter": 3})
    assert not early.success and early.status == 1 and early.nfev == 10
    np.testing.assert_allclose(early.x.asnumpy(), [2.2011464, 2.8459265], rtol=1e-5)


def test_limited_memory_of_many_numbers():
    from msjit.scipy.optimize import minimize
    scale, place = Tensor(np.linspace(1, 30, 40).astype(np.float32)), Tensor(np.linspace(-2, 2, 40).astype(np.float32))
    found = minimize(lambda x, shift: (scale * (x - place - shift) ** 2).sum(), Tensor(np.zeros(40, np.float32)), (1.0,), method="LBFGS",
                     options={"gtol": 1e-3})
    assert found.success
    np.testing.assert_allclose(found.x.asnumpy(), place.asnumpy() + 1, atol=1e-3)


def test_constraints():
    """The point next to (2, 1) on the line x + y = 1 is (1, 0)."""
    from msjit.scipy.optimize import minimize

    def distance(x):
        return ((x - Tensor([2.0, 1.0])) ** 2).sum()
    found = minimize(distance, Tensor([0.3, 0.2]), method="LAGRANGE", constraints=[lambda x: x.sum() - 1.0], tol=[1e-2],
                     options={"rounds": 25, "steps": 40, "learning_rate": 0.05})
    assert found.succeeded and found.loss_value[0] < 1e-2
    np.testing.assert_allclose(found.best_value, [1, 0], atol=0.03)
    assert abs(found.object_value - 2) < 0.05 and abs(float(distance(Tensor(found.best_value))) - found.object_value) < 1e-6
    bounds = {"lower": Tensor([0.0, 0.2]), "upper": Tensor([1.5, 0.6])}
    inside = minimize(lambda x, total: distance(x) + 0 * total, Tensor([-3.0, -3.0]), method="LAGRANGE", constraints=[lambda x, total: total - 1.0],
                      tol=[1e-2], options=dict(bounds, rounds=25, steps=40, learning_rate=0.05, coincide_fun=lambda x: x.sum()))
    assert inside.succeeded and 0.2 <= inside.best_value[1] <= 0.6
    np.testing.assert_allclose(inside.best_value, [0.8, 0.2], atol=0.05)
    never = minimize(distance, Tensor([0.3, 0.2]), method="LAGRANGE", constraints=[lambda x: x.sum() * 0 + 5.0], options={"rounds": 1, "steps": 2})
    assert not never.succeeded and never.best_value.tolist() == pytest.approx([0.3, 0.2])
