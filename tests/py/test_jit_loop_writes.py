"""Loops that write to tensors which something else can see: arguments, Parameters, other names and views. Lengths are those of real loops,
which become one node (see also loop_writes.py)."""
import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same
from msjit import Parameter, Tensor, ops

pytestmark = pytest.mark.jit


def rows(count, seed=0):
    return Tensor(np.random.RandomState(seed).randint(-8, 8, (count, 4)).astype(np.float32) / 8)


def into_argument(x, out):
    for t in range(len(x)):
        out[t] = x[t] * 2
    return out.sum()


def state_of_the_caller(x, state):
    for t in range(len(x)):
        state[...] = state * 0.5 + x[t]
        x[t] = state
    return x[0] + 0


def under_a_test(x, out):
    for t in range(len(x)):
        if x[t].sum() > 0:
            out[t] = x[t]
    return out * 1


def counted(x, out):
    t = Tensor(0)
    while t < len(x):
        out[t, 0] = x[t, 1]
        t = t + 1
    return t


def with_a_view_outside(x, out):
    first, again = out[0], out
    for t in range(len(x)):
        out[t] = x[t]
    first[1] = 9
    return first + again[1]


@pytest.mark.parametrize("loop", [into_argument, state_of_the_caller, under_a_test, counted, with_a_view_outside])
@pytest.mark.parametrize("count", [6, 300])
def test_arguments_are_written(loop, count):
    width = 4 if loop is state_of_the_caller else (count, 4)
    same(loop, lambda seed: (rows(count, seed), Tensor(np.ones(width, np.float32))), (0, 1, 2, 0), exact=False)


def test_one_argument_given_twice():
    same(into_argument, lambda seed: (lambda x: (x, x if seed % 2 else rows(300)))(rows(300, seed)), (0, 1, 2, 1, 3))


def test_argument_that_shares_memory():
    def make(seed):
        x = rows(300, seed)
        return (x, x[:]) if seed % 2 else (x[1:], x)
    same(into_argument, make, (0, 1, 2, 3, 0, 1), exact=False)


def test_parameter_written_in_a_loop():
    p = Parameter(Tensor(np.zeros(4, np.float32)), name="p")

    def average(x):
        for t in range(len(x)):
            ops.assign(p, p * 0.9 + x[t] * 0.1)
        return p * 1
    found = []
    for fn in (average, ms.jit(average, mode="PIJit")):
        p.set_data(Tensor(np.zeros(4, np.float32)))
        found.append([fn(rows(300, seed)).asnumpy() for seed in range(3)] + [p.asnumpy()])
    for a, b in zip(*found):
        assert np.allclose(a, b, rtol=1e-5)


def test_nothing_is_written_when_a_turn_fails():
    """The interpreter runs such a call, so the turns before the failing one count, as without the JIT."""
    def fill(x, out):
        for t in range(len(x)):
            out[t] = x[t]
        return out

    for count in (5, 300):
        found = []
        for fn in (fill, ms.jit(fill, mode="PIJit")):
            out = Tensor(np.zeros((count - 1, 4), np.float32))
            for _ in range(3):
                with pytest.raises(IndexError) as error:
                    fn(rows(count), out)
            found.append((str(error.value), out.asnumpy().tolist()))
        assert found[0] == found[1]


def filled(x):
    out = ops.zeros((1000, 4))
    for t in range(1000):
        out[t] = x[t] * 2
    return out


def recurrence(x):
    out = ops.zeros((1000, 4))
    for t in range(1, 1000):
        out[t] = out[t - 1] * 0.5 + x[t]
    return out


@pytest.mark.captures
@pytest.mark.parametrize("loop", [filled, recurrence])
def test_long_loop_is_one_region(loop):
    same(loop, lambda seed: (rows(1000, seed),), exact=False)
    captured(loop, lambda seed: (rows(1000),))


# What an arm writes to, and a view of it that leaves the arm: later writes to one show in the other.
def view_of_a_written_tensor(x, c):
    out = x * 1
    if c > 0:
        out[0] = 1.
        row = out[1]
    else:
        row = x[0] * 1
    out[1] = 7.
    return row, out


def view_of_it_in_the_other_arm(x, c):
    out = x * 1
    row = x[0] * 1
    if c > 0:
        out[0] = 1.
    else:
        row = out[1]
    out.mul_(3)
    return row, out


def written_under_another_test(x, c):
    out = x * 1
    if c > 0:
        out[0] = 1.
        row = out[1]
    else:
        row = x[0] * 1
    if c > -5:
        out[1] = 7.
    return row, out


@pytest.mark.parametrize("program", [view_of_a_written_tensor, view_of_it_in_the_other_arm, written_under_another_test])
def test_views_of_what_an_arm_writes_to(program):
    same(program, lambda c: (rows(3), Tensor(c)), (1, -1, 1, -6))


def beside_an_int(x, h):
    out = ops.zeros((32, 2, 4))
    for t in range(len(x)):
        out[t, 0] = (h + x[t, 1])[0]
        h = ops.softmax(h, -1) + 0.1 * (t % 2)
    return h, out


def test_number_beside_an_int_is_not_kept():
    """A number that has changed often enough is left open. A later store at it went to the place of an earlier one."""
    def make(count):
        r = np.random.RandomState(count)
        return [Tensor(r.randint(-8, 8, shape).astype(np.float32) / 8) for shape in ((count, 2, 4), (2, 4))]
    same(beside_an_int, make, (6, 9, 30, 3, 1, 0, 17, 12, 30, 5), exact=False)


# The first value that the loop or the branch carries has no gradient.
def counter_before_a_loop(h):
    t = Tensor(-1)
    total = h * 1
    while t < 2:
        t = t + 1
        total = total * 2
    return total.sum() * (t > 0)


def counter_before_writes(h):
    t = Tensor(-1)
    total = h * 1
    while t < 2:
        t = t + 1
        total[0] = total[0] * 2
        total.mul_(3)
    return total.sum() * (t > 0)


def counter_before_a_branch(h):
    t = Tensor(-1)
    total = h * 1
    if h.sum() > 0:
        t = t + 1
        total = total * 2
    return total.sum() * (t > -4)


@pytest.mark.parametrize("program", [counter_before_a_loop, counter_before_writes, counter_before_a_branch])
def test_gradient_behind_a_counter(program):
    h = Tensor(np.full((2, 4), 0.05, np.float32))
    wanted = ms.grad(program)(h).asnumpy()
    inside = ms.jit(lambda z: ms.grad(program)(z), mode="PIJit")
    assert np.allclose(inside(h).asnumpy(), wanted) and np.allclose(inside(h).asnumpy(), wanted)
    assert np.allclose(ms.grad(ms.jit(program, mode="PIJit"))(h).asnumpy(), wanted)


def printed_with_a_view(x):
    kept = [x * 1, 1]
    row = kept[0][1]
    print(kept)
    kept[0][0] = 7
    row[1] = 8
    print(kept)
    return kept, row


def test_print_shows_what_was_there():
    same(printed_with_a_view, lambda seed: (rows(2, seed),))


# Results whose elements do not lie in row-major order lie as they do without the JIT.
LAYOUTS = [lambda x: (x * 1).T, lambda x: ops.zeros((2, 3)).T, lambda x: (x * 2).T, lambda x: (x * 1)[:, 1:], lambda x: ((x * 1).T, x * 1),
           lambda x: (x * 1).reshape(2, 2, 2).transpose(2, 0, 1), lambda x: ops.broadcast_to(x[0] * 1, (3, 4))]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_layout_of_results(layout):
    def strides(fn):
        made = fn(rows(2))
        return [t.strides for t in (made if isinstance(made, tuple) else (made,))]
    jitted = ms.jit(layout, mode="PIJit")
    assert strides(jitted) == strides(layout) == strides(jitted)


def swaps(x):
    a, b, c = x * 1, x * 2, x * 3
    for k in range(30):
        if x.sum() > k - 15:
            a, b = b, a
    c[0] = 1
    return a, b, c


def test_what_shares_memory_is_found_in_time():
    """Each branch hands on two tensors, so 2 ** 30 ways lead from the results to what they may be."""
    same(swaps, lambda seed: (rows(3, seed),), (0, 1))
