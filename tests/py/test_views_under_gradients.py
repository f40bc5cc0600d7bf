"""Writes to tensors that share memory, in captured code and inside gradient transforms. The values are those of the function without a gradient, in every mode;
the gradients are central differences of those values, in float64."""
import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, captured, same
from msjit import Parameter, Tensor, mint, nn, ops

pytestmark = pytest.mark.jit
X = np.array([[1., 2.], [3., 4.]])
W = Tensor(np.array([[1., 10.], [100., 1000.]]))
VIEWS = {
    "rows": lambda a: a[0:1], "row": lambda a: a[0], "new_axis": lambda a: a[None], "whole": lambda a: a[:],
    "reshape": lambda a: a.reshape(-1), "view": lambda a: a.view(-1), "transposed": lambda a: a.T,
    "transpose": lambda a: ops.transpose(a, (1, 0)), "squeezed": lambda a: a.unsqueeze(0).squeeze(0),
    "narrow": lambda a: a.narrow(0, 0, 1), "chunk": lambda a: a.chunk(2)[0], "split": lambda a: mint.split(a, 1)[0],
    "unbind": lambda a: a.unbind(0)[0], "select": lambda a: a.select(0, 0), "flatten": lambda a: a.flatten(),
    "item_of_a_loop": lambda a: [row for row in a][0], "column": lambda a: a[:, 1], "view_of_a_view": lambda a: a.T[1],
    "diagonal": lambda a: a.diagonal(), "broadcast": lambda a: a.broadcast_to((1, 2, 2)),
}


def item(t):
    t[0] = 9.


def number(t):
    t.mul_(5)


def squared(t):
    t[...] = t * t * 0.5


def moved(t):
    t[0] = t[-1] * 2


def added(t):
    t[0] += 3


WRITES = [item, number, squared, moved, added]


def through_the_view(a, view, write):
    m = view(a)
    y = (m * m).sum()
    write(m)
    return a, m, y


def to_the_base(a, view, write):
    m = view(a)
    y = (m * m).sum()
    write(a)
    return a, m, y


def to_both(a, view, write):
    m = view(a)
    y = (m * m).sum()
    write(m)
    write(a)
    return a, m, y


def through_another_view(a, view, write):
    m = view(a)
    y = (m * m).sum()
    write(view(a))
    return a, m, y


ORDERS = [through_the_view, to_the_base, to_both, through_another_view]


def differences(f):
    """The value and the gradient of f at X."""
    slope = np.zeros((2, 2))
    for i in range(2):
        for j in range(2):
            step = np.zeros((2, 2))
            step[i, j] = 2. ** -10
            at = [float(f(Tensor(X + k * step))) for k in (-2, -1, 1, 2)]
            slope[i, j] = (at[0] - 8 * at[1] + 8 * at[2] - at[3]) / (12 * step[i, j])
    return float(f(Tensor(X))), slope


def check(f, call, value, slope):
    for _ in range(3):
        got, gradient = call(Tensor(X))
        np.testing.assert_allclose(float(got), value, rtol=1e-12)
        np.testing.assert_allclose(gradient.asnumpy(), slope, atol=1e-8 * abs(value))


@pytest.mark.parametrize("mode", ["eager", "PIJit", "PSJit", "inner"])
@pytest.mark.parametrize("name", sorted(VIEWS))
def test_writes_show_in_all_that_share_the_memory(name, mode):
    view = VIEWS[name]
    for order in ORDERS:
        for write in WRITES:
            def f(x):
                a, m, y = order(x * 1, view, write)
                return (a * W).sum() + (m * m).sum() * 7 + y
            value, slope = differences(f)
            if mode == "inner":
                call = ms.value_and_grad(ms.jit(f, mode="PIJit"))
            else:
                grad = ms.value_and_grad(f)
                call = grad if mode == "eager" else ms.jit(lambda x: grad(x), mode=mode)
            check(f, call, value, slope)


def test_items_of_items():
    """out[i][j] = v writes through a view that nothing else holds."""
    def f(x):
        out = ops.zeros((2, 2), ms.float64)
        for i in range(2):
            for j in range(2):
                out[i][j] = x[i, j] * x[j, i]
        return (out * W).sum()
    value, slope = differences(f)
    check(f, ms.value_and_grad(f), value, slope)
    check(f, ms.jit(lambda x: ms.value_and_grad(f)(x), mode="PIJit"), value, slope)


def test_views_that_overlap():
    def f(x):
        a = (x * 2).reshape(-1)
        left, right = a[:3], a[1:]
        left[1:] = right[1:] * right[:2]
        right[0] = left[0]
        return (a * a).sum() + (left * 3).sum() + (right * right).sum()
    value, slope = differences(f)
    check(f, ms.value_and_grad(f), value, slope)


def test_a_view_of_an_untracked_tensor_gets_a_history():
    def f(x):
        rows = ops.zeros((2, 2), ms.float64)
        first, second = rows[0], rows[1]
        rows[0] = x[1] * x[0]
        second[1] = x[0, 0]
        return (first * 3).sum() + (rows * W).sum() + second.sum()
    value, slope = differences(f)
    check(f, ms.value_and_grad(f), value, slope)


def test_what_was_computed_before_the_write_keeps_its_gradient():
    """The tape needs the old values; they are not lost, and there is no error."""
    def f(x):
        a = x * 2
        row = a[0]
        before = (a * a).sum() + (row * row * row).sum()
        row[0] = 3.
        a[1, 1] = x[0, 0]
        return before + (a * row).sum()
    value, slope = differences(f)
    check(f, ms.value_and_grad(f), value, slope)


def test_second_derivatives():
    def f(x):
        a = x * x
        a[0][1:] = a[1, 1:] * x[0, 0]
        return (a * a).sum()

    def formula(x):
        return x[0, 0] ** 4 + (x[1, 1] ** 2 * x[0, 0]) ** 2 + x[1, 0] ** 4 + x[1, 1] ** 4
    second = lambda g: ms.grad(lambda x: (ms.grad(g)(x) * W).sum())(Tensor(X)).asnumpy()  # noqa: E731
    np.testing.assert_allclose(second(f), second(formula), rtol=1e-5)


def test_a_write_through_a_view_of_a_parameter():
    """It is written in place, as it is directly."""
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(X), name="w")

        def construct(self, x):
            row = self.w[0]
            row[1] = x[0, 0] * 3
            return (row * x[0]).sum() + self.w[0, 1] * 2

    plain, net = Net(), Net()
    want = float(plain(Tensor(X)))
    value, _ = ms.value_and_grad(net, 0, net.trainable_params())(Tensor(X))
    assert float(value) == want
    assert net.w.asnumpy().tolist() == plain.w.asnumpy().tolist() == [[1, 3], [3, 4]]


def test_an_optimizer_step_on_a_tensor_with_a_history_writes_its_moments():
    def loss(x):
        weight, moment = x * 1, ops.zeros((2, 2), ms.float64)
        ops.ApplyMomentum()(weight, moment, 0.5, ops.ones_like(weight), 0.9)
        assert weight.tolist() == (X - 0.5).tolist() and moment.tolist() == [[1, 1], [1, 1]]
        return x.sum()
    ms.grad(loss)(Tensor(X))


def test_many_writes_through_views():
    def f(x):
        a = x.reshape(-1) * 1
        for _ in range(200):
            a[1:][0] = a[0] * 0.5
        return a.sum()
    gradient = ms.grad(f)(Tensor(X)).asnumpy()
    assert gradient.tolist() == [[1.5, 0], [1, 1]]


def test_without_a_gradient_the_writes_are_captured():
    def f(x):
        a, out = x * 1, ops.zeros((2, 2), ms.float64)
        row, column = a[0], a[:, 1]
        row[1] = 5.
        a.T.mul_(2)
        column.add_(1)
        for i in range(2):
            for j in range(2):
                out[i][j] = a[i].sum() * j
        parts = mint.split(out, 1)
        parts[1][...] = 7.
        return a, row, column, out
    same(f, lambda k: (Tensor(X + k),))
    captured(f, lambda k: (Tensor(X + k),))


class Buffers:
    def __init__(self):
        self.rows, self.p = Tensor(np.zeros((2, 3, 2))), Parameter(Tensor(np.ones((2, 2))), name="p")


def test_writes_to_views_of_tensors_of_the_program_are_captured():
    def f(x, buffers):
        x[0][1] = buffers.rows.sum() + 4.
        x.T[0] = 7.
        row = x[1]
        row[...] = row * 2
        buffers.rows[0][1] = x[0]
        for r in buffers.rows:
            r[0] = r[0] + 1
        buffers.p[1][0] = x.sum()
        return row * 1, buffers.rows * 2, buffers.p + 0

    def make(k):
        return Tensor(X + k), Buffers()
    same(f, make)
    captured(f, make)


def test_a_returned_view_of_a_written_tensor_stays_one():
    def f(x):
        row = x[1]
        row[0] = 3.
        return row
    for run in (f, ms.jit(f, mode="PIJit")):
        for _ in range(2):
            x = Tensor(X)
            run(x)[1] = 9.
            assert x.tolist() == [[1, 2], [3, 9]]


def test_results_share_memory_as_in_eager_code():
    """Also two equal views, and parts of a split, with and without a history."""
    def f(x):
        a = x * 1
        return a, a[1:], a[1:], ops.split(a, 1)[1], ops.split(a, 1)[1], a.T
    compiled = ms.jit(f, mode="PIJit")
    for run in (f, compiled, lambda x: ms.value_and_grad(lambda x: (f(x)[0].sum(), f(x)), has_aux=True)(x)[0][1],
                lambda x: ms.value_and_grad(lambda x: ((x * x).sum(), compiled(x)), has_aux=True)(x)[0][1]):
        for _ in range(2):
            results = run(Tensor(X))
            results[4][...] = 9.
            assert [t.asnumpy().tolist() for t in results] == [[[1, 2], [9, 9]]] + [[[9, 9]]] * 4 + [[[1, 9], [2, 9]]]


def test_an_item_at_a_position_that_is_a_tensor_is_a_view():
    def through_the_item(x, i):
        z = x + 0
        y = z[i]
        y[0] = 50.
        return z, y * 1

    def to_the_base(x, i):
        z = x + 0
        y = z[i]
        z[...] = z * 2
        return z, y * 1
    for f in (through_the_item, to_the_base):
        for i in (0, 1, [1], [0, 1]):
            same(lambda x, i: f(x, i), lambda k: (Tensor(X + k), Tensor(i, ms.int32)))
            same(lambda x, i: f(x, i), lambda k: (Tensor(np.arange(k * 2.).reshape(k, 2)), Tensor(i, ms.int32)), variants=(2, 3, 4, 5, 2))


def test_unrecorded_writes_inside_a_captured_transform():
    """A mask is changed in place. Where the gradient needs its old value, there is an error as in eager code."""
    def fits(x):
        mask = ops.full((2, 2), -1.)
        mask[:, :1] = mask[:, :1].masked_fill(mask[:, :1] < 0, 3.)
        return (x * mask).sum()

    def needs_the_old_value(x):
        mask = ops.full((2, 2), -1.)
        y = (x * mask).sum()
        mask[0] = 5.
        return y + mask.sum()
    captured(lambda x: ms.value_and_grad(fits)(x), lambda k: (Tensor(X + k),))
    same(lambda x: ms.value_and_grad(fits)(x), lambda k: (Tensor(X + k),), variants=(0, 1, 2))
    same(lambda x: ms.value_and_grad(needs_the_old_value)(x), lambda k: (Tensor(X + k),))


def test_a_write_to_what_decided_a_branch():
    """The region assumes the outcome of the test, not that of the tensor at its end."""
    def f(x):
        positive = x > 0
        if not positive:
            raise ValueError("negative")
        positive[...] = True
        return x + 1
    compiled = ms.jit(f, mode="PIJit")
    for value in (1., 2., -1., 3., -2.):
        if value > 0:
            assert float(compiled(Tensor(value))) == value + 1
        else:
            with pytest.raises(ValueError, match="negative"):
                compiled(Tensor(value))


def test_elements_that_are_one_place_in_memory():
    """A write to one row of a broadcast tensor is one to all of them."""
    def f(a, rows):
        rows[0] = 7.
        return a * 1, rows * 1
    for run in (f, ms.jit(f, mode="PIJit")):
        for _ in range(3):
            a = Tensor(X[0])
            found = run(a, a.broadcast_to((3, 2)))
            assert a.tolist() == [7, 7] and [t.asnumpy().tolist() for t in found] == [[7, 7], [[7, 7]] * 3]

    def inside(x):
        a = x * 1
        rows = a.broadcast_to((3, 2, 2))
        rows[0] = rows[2] * x[0, 0]
        return (a * W).sum() + (rows * rows).sum()
    value, slope = differences(inside)
    check(inside, ms.value_and_grad(inside), value, slope)


def test_a_detached_tensor_shows_values_without_a_history():
    def f(x):
        a = x * 1
        apart = ops.stop_gradient(a)
        a[...] = a * 3
        return (apart * x).sum(), a, apart
    for run in (ms.value_and_grad(f, has_aux=True), ms.jit(lambda x: ms.value_and_grad(f, has_aux=True)(x), mode="PIJit")):
        for _ in range(2):
            (value, a, apart), gradient = run(Tensor(X))
            assert float(value) == 90 and a.tolist() == apart.tolist() == gradient.tolist() == (X * 3).tolist()


def test_data_of_a_leaf_is_its_memory():
    w = Tensor(X)
    w.requires_grad = True
    w.data[0] = 5.
    (w * w).sum().backward()
    assert w.tolist() == [[5, 5], [3, 4]] and w.grad.tolist() == [[10, 10], [6, 8]]


@pytest.mark.costly
def test_a_short_view_fuzz():
    """Random functions that write to views; `make soak` runs the long form."""
    import view_fuzz
    said = []
    programs, found, _, failed = view_fuzz.fuzz(0, 40 if FORCED else 200, 20, said.append)
    assert not failed, said[0]
    assert programs > 5 and found > programs // 2


@pytest.mark.captures
def test_stores_beside_numbers_and_sizes_that_change():
    """The number stays open; a size that a store depends on is one of the capture."""
    import programs

    from msjit import _msjit

    def stores_a_number(x, n):
        y = x * n
        y[0] = n * 2.
        y[0][1:] = n
        y[y > 3] = n
        return y, y.T[0]

    def stores_rows(x, n):
        out = ops.zeros_like(x)
        for k in range(x.shape[0]):
            out[k] = x[k] * n
            out[k][1] = n
        return out, out.sum()
    for f in (stores_a_number, stores_rows):
        _msjit.reset()
        for mode in ("PIJit", "PSJit"):
            compiled = ms.jit(f, mode=mode)
            for size in (2, 3, 4, 5, 2):
                for n in (0.5, 1.5, 2.5, 3.5):
                    x = np.arange(size * 4, dtype=np.float64).reshape(size, 4) / 4
                    got, wanted = compiled(Tensor(x), n), f(Tensor(x), n)
                    assert all(a.tolist() == b.tolist() for a, b in zip(got, wanted))
        assert programs.captures(f.__name__) < 20
