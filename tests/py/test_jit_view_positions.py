"""Views whose place only the run knows: x[i] with a tensor i, and views that an arm or a loop on a tensor returns. They share memory with
the tensor they show, as without the JIT."""
import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same
from msjit import Tensor, ops

pytestmark = pytest.mark.jit


def square(start=0):
    return Tensor(np.arange(start, start + 9, dtype=np.float32).reshape(3, 3))


POSITIONS = {
    "a row": lambda x, i: x[i],
    "a column": lambda x, i: x[:, i],
    "an element": lambda x, i: x[i, i // 2],
    "ints beside it": lambda x, i: x[1:, i][0],
    "a part of a row": lambda x, i: x[i][1:],
    "a new axis": lambda x, i: x[i, None],
    "of three axes": lambda x, i: x.reshape(3, 3, 1)[i, :, i * 0],
}


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("dtype", [ms.int64, ms.int32, ms.uint8])
def test_position_is_a_view(name, dtype):
    def outcomes(fn):
        found = []
        for i in (0, 1, 2, 1):
            x = square()
            part = fn(x, Tensor(i, dtype))
            x[...] = x * 10
            found.append(part.asnumpy().tolist())
            part[...] = -1
            found.append(x.asnumpy().tolist())
        return found
    view = POSITIONS[name]
    assert outcomes(ms.jit(view, mode="PIJit")) == outcomes(view)


@pytest.mark.captures
@pytest.mark.parametrize("name", POSITIONS)
def test_position_is_captured(name):
    captured(POSITIONS[name], lambda variant: (square(), Tensor(1)))


def test_position_out_of_range():
    def pick(x, i):
        return x[i] + 1

    def pick_in_an_arm(x, i):
        y = x[0]
        if i > 2:
            y = x[i]
        return y + 1
    for fn in (pick, pick_in_an_arm):
        same(fn, lambda i: (square(), Tensor(i)), (0, 2, 3, -3, -4, 0, 7))
    same(pick, lambda n: (Tensor(np.ones((n, 2), np.float32)), Tensor(n - 1)), (1, 2, 3, 4, 5))


def test_position_in_a_tensor_without_elements():
    same(lambda x, i: x[i], lambda n: (Tensor(np.ones((n, 2), np.float32)), Tensor(0)), (2, 0, 3, 0, 4, 0))


def test_write_at_a_position_shows():
    def rows(x, i):
        y = x * 1
        row, other = y[i], y[0]
        y[i] = 5
        row[1] = 7
        return y, row + 0, other + 0, row
    same(rows, lambda i: (square(), Tensor(i)), (0, 1, 2, 0))
    captured(rows, lambda i: (square(), Tensor(i)))


def test_gradient_at_a_position():
    def loss(x, i):
        return (x[i] * x[:, i] * x[i, i]).sum()
    for i in (0, 2, -1):
        grads = [ms.grad(fn)(square(1), Tensor(i)).asnumpy() for fn in (loss, ms.jit(loss, mode="PIJit"))]
        inside = ms.jit(lambda x, i: ms.grad(loss)(x, i), mode="PIJit")(square(1), Tensor(i)).asnumpy()
        assert np.array_equal(grads[0], grads[1]) and np.array_equal(grads[0], inside)


# Expressions of tensors x and w, an int32 tensor i without axes, and v, a row of x.
ROWS = ["x[0]", "x[i]", "x.T[0]", "x[:, i]", "w[i]", "w[0] * 2", "(x * 1)[i]", "v", "x[i][::-1]", "x.reshape(-1)[3:6]"]
ARMS = "if c > 0:\n        y = {a}\n    else:\n        y = {b}"
LOOP = "y = {b}\n    while i < c:\n        y = {a}\n        i = i + 1"
WRITES = ["pass", "y[...] = 7", "x[...] = 5", "v[0] = 9", "y += 1"]


def function(source):
    found = {}
    exec(source, found)
    return found["f"]


def seen(fn, c):
    """What the function returns, and what writes to each tensor change in the others."""
    x, w = square(), square(10)
    y, v, total = fn(x, w, Tensor(1, ms.int32), Tensor(c))
    found = [total.asnumpy().tolist(), y is v, y is x]
    for n, t in enumerate((x, w, y, v)):
        t[...] = t * 0 + 100 + n
        found += [other.asnumpy().tolist() for other in (x, w, y, v)]
    return found


@pytest.mark.parametrize("form", [ARMS, LOOP], ids=["arms", "loop"])
@pytest.mark.parametrize("a", ROWS)
def test_views_from_arms_and_loops(form, a):
    for b in ROWS:
        for write in WRITES:
            f = function("def f(x, w, i, c):\n    v = x[1]\n    %s\n    %s\n    return y, v, x.sum() + y.sum() + v.sum()\n" % (form.format(a=a, b=b), write))
            jitted = ms.jit(f, mode="PIJit")
            for c in (2, -1):
                assert seen(jitted, c) == seen(f, c), (b, write)


@pytest.mark.captures
@pytest.mark.parametrize("form", [ARMS, LOOP], ids=["arms", "loop"])
def test_views_from_arms_and_loops_are_captured(form):
    f = function("def f(x, w, i, c):\n    v = x[1]\n    %s\n    return y * 2\n" % form.format(a="x[i]", b="x[0]"))
    captured(f, lambda c: (square(), square(10), Tensor(0), Tensor(c)))


def test_view_of_all_of_a_tensor_is_another_tensor():
    def f(x, c):
        y = x
        if c > 0:
            y = x.reshape(3, 3)
        return y, x[:] if c > 5 else x
    jitted = ms.jit(f, mode="PIJit")
    for c in (1, -1, 9, 1):
        x = square()
        for fn in (f, jitted):
            y, z = fn(x, Tensor(c))
            assert (y is x, z is x) == (c <= 0, c <= 5)
            y[0] = c
            assert x[0, 0] == c


def test_gradients_through_views_from_arms():
    def f(x, w, c):
        z = x * 1.5
        if c > 0:
            y = z[0]
        else:
            y = w[1]
        y[...] = y * y
        return (y * z[0]).sum() + (z * z).sum()
    for c in (1, -1, 1):
        wanted = ms.grad(f, (0, 1))(square(1), square(2), Tensor(c))
        for fn in (ms.grad(ms.jit(f, mode="PIJit"), (0, 1)), ms.jit(lambda *args: ms.grad(f, (0, 1))(*args), mode="PIJit")):
            for a, b in zip(fn(square(1), square(2), Tensor(c)), wanted):
                assert np.allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)


def test_parameter_written_behind_an_arm_that_shows_it():
    p = ms.Parameter(square(), name="p")

    def f(i, c):
        if c > 0:
            row = p[0]
        else:
            row = p[i]
        ops.assign(p, p * 2)
        return row
    found = []
    for fn in (f, ms.jit(f, mode="PIJit")):
        p.set_data(square())
        found.append([(fn(Tensor(2), Tensor(c)).asnumpy().tolist(), p.asnumpy().tolist()) for c in (1, -1, 1, -1)])
    assert found[0] == found[1]


def test_sizes_change_under_arms_that_return_views():
    def f(x, i, c):
        if c > 0:
            y = x[i]
        else:
            y = x[1:][0]
        return y * 2, y
    same(f, lambda n: (Tensor(np.arange(n * 2., dtype=np.float32).reshape(n, 2)), Tensor(n - 1), Tensor(n % 2)), (2, 3, 4, 5, 6, 7, 4))
