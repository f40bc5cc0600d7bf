"""Writes between the forward and the backward run. They are an error if a gradient reads the overwritten value, and must have no effect on
other gradients, however a compiled region computes these."""
import re

import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED
from msjit import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.jit

READ = "RuntimeError: [backward] a tensor that is needed was modified in place"


class Net(nn.Cell):
    def __init__(self, body):
        super().__init__()
        self.w = Parameter(Tensor(np.array([[2, 3], [4, 5]], np.float32)), name="w")
        self.state = Parameter(Tensor(np.array([1, 0.5], np.float32)), name="state", requires_grad=False)
        self.body = body

    def construct(self, x):
        return self.body(self, x)


def running_mean(net, x):
    """The root's operand contains the buffer, but the gradient reads only the root."""
    d = ops.sqrt(x * x + net.w + net.state)
    ops.assign(net.state, net.state * 0.9 + x.mean(0) * 0.1)
    return d, d * 2


def quotient_of_a_buffer(net, x):
    d = 1 / (x * net.w - net.state)
    net.state[0] = 7.0
    return d, d


def product_with_a_parameter(net, x):
    y = x * net.w
    net.w[0] = 5.0
    return y, net.w


def sum_with_a_parameter(net, x):
    """The gradient of the sum does not read the Parameter. That of the product, which is not asked for, does."""
    y, z = x + net.w, x * net.w
    net.w[0] = 5.0
    return y, z


def activation_next_to_a_product(net, x):
    """The gradient of the product reads the Parameter, that of relu only its own result."""
    y, z = ops.relu(net.w), net.w * x
    net.w[1] = 5.0
    return y, z


def reversed_parameter(net, x):
    """A reversed slice is a copy."""
    v = net.w[::-1]
    net.w[0] = 5.0
    return v * v, v


def loop_from_a_parameter(net, x):
    y, n = net.w[:], ops.zeros(())
    while n < 3:
        y, n = ops.tanh(y + x), n + 1
    net.w[0] = 5.0
    return y, y


def loop_that_reads_a_parameter(net, x):
    y, n = x, ops.zeros(())
    while n < 3:
        y, n = y * net.w, n + 1
    net.w[0] = 5.0
    return y, y


def branch_from_a_parameter(net, x):
    if x.sum() > 0:
        y = ops.sqrt(net.w + x)
    else:
        y = ops.exp(net.w)
    net.w[0] = 5.0
    return y, y


def branch_that_reads_a_parameter(net, x):
    y = net.w * x if x.sum() > 0 else net.w * 2 * x
    net.w[0] = 5.0
    return y, y


def branch_that_hands_on(net, x):
    """The gradient of the branch for y does not read what that for x reads."""
    y = x
    if x.sum() > -1:
        x = x * net.w
        y = y + 1
    net.w[1] = x[0]
    return y, x


def shown_product(net, x):
    r = ops.matmul(x, net.w)
    return r.reshape(-1), (r * r).sum()


def shown_row(net, x):
    r = ops.matmul(x, net.w)
    return r[0], ops.log(r).sum()


def shown_whole(net, x):
    r = ops.matmul(x, net.w)
    return r[:], (r * r).sum()


def returned_product(net, x):
    r = ops.matmul(x, net.w)
    return r, (r * r).sum()


def returned_sum(net, x):
    out = x + net.w
    return out, ops.sqrt(out + 1).sum()


def returned_factor(net, x):
    out = x * net.w
    y = out + 1
    return out, (y * y).sum()


WITHIN = [
    (running_mean, None), (quotient_of_a_buffer, None), (product_with_a_parameter, READ), (sum_with_a_parameter, None),
    (activation_next_to_a_product, None), (reversed_parameter, None), (loop_from_a_parameter, None),
    (loop_that_reads_a_parameter, READ), (branch_from_a_parameter, None), (branch_that_reads_a_parameter, READ),
    (branch_that_hands_on, None),
]
AFTER = [
    (shown_product, None), (shown_row, None), (shown_whole, None), (returned_product, None), (returned_sum, None),
    (returned_factor, None),
]


def outcome(body, jit, write):
    """For each of three steps the gradients of one result and the value of the other, or the error. With `write`, the second result is
    differentiated, and the first one is overwritten before."""
    net, seen = Net(body), []
    run = ms.jit(net, mode="PIJit") if jit else net

    def loss(x):
        result, other = run(x)
        if write:
            result, other = other, result
            ops.assign(other, other * 0 + 5)
        return result.sum(), other
    for _ in range(3):
        x = Tensor(np.array([[1, 2], [3, 4]], np.float32))
        try:
            (_, other), grads = ms.value_and_grad(loss, 0, net.trainable_params(), has_aux=True)(x)
            seen.append([other.asnumpy(), grads[0].asnumpy(), grads[1][0].asnumpy()])
        except RuntimeError as e:
            text = re.sub("tensor that .* needs.*", "tensor that is needed was modified in place", str(e))
            seen.append("RuntimeError: " + text)
    return seen


@pytest.mark.parametrize("body, error, write", [(*row, False) for row in WITHIN] + [(*row, True) for row in AFTER],
                         ids=[row[0].__name__ for row in WITHIN + AFTER])
def test_overwritten(body, error, write):
    plain, jitted = outcome(body, False, write), outcome(body, True, write)
    for expected, got in zip(plain, jitted):
        if error:
            assert expected == got == error
        else:
            for a, b in zip(got, expected):
                np.testing.assert_allclose(a, b, rtol=1e-5)


def test_a_view_of_what_a_branch_hands_on():
    """A write to the view shows in that tensor, with a history and without one."""
    def fn(x, y, p):
        if x.sum() > 0:
            y = p
        return y[:], x * 2
    for run in (fn, ms.jit(fn, mode="PIJit")):
        for sign in (1, -1, 1):
            p = Tensor(np.float32([7, 8]))

            def loss(x, y):
                view, other = run(x, y, p)
                view[0] = 5.0
                return other.sum() + (view * y).sum(), view
            x, y = Tensor(np.float32([sign, sign])), Tensor(np.float32([3, 4]))
            (_, view), grads = ms.value_and_grad(loss, (0, 1), has_aux=True)(x, y)
            assert p.tolist() == ([5, 8] if sign > 0 else [7, 8]) and y.tolist() == [3, 4]
            assert view.tolist() == ([5, 8] if sign > 0 else [5, 4])
            assert [g.tolist() for g in grads] == [[2, 2], [5, 8] if sign > 0 else [0, 8]]


def test_a_result_has_a_history_when_its_branch_gave_it_one():
    """A write to a tensor shows in its views, with a history and without one."""
    def arms(x, y):
        if x.sum() > 0:
            z = x - 1
        else:
            z = y * 0.5
        return z

    def loop(x, y):
        z, n = x * 2, ops.zeros(())
        while n < y.sum():
            z, n = (z if x.sum() > 0 else y + 0), n + 1
        return z
    for fn in (arms, loop):
        seen = []
        for run in (fn, ms.jit(fn, mode="PIJit")):
            for sign in (1, -1, 1):
                def loss(y):
                    z = run(x, y)
                    view = z[:]
                    z[0] = 3.0
                    return y.sum() + z.sum(), (view, z)
                x, y = Tensor(np.float32([sign, sign])), Tensor(np.float32([1, 1]))
                (_, results), grad = ms.value_and_grad(loss, has_aux=True)(y)
                seen.append([t.tolist() for t in results] + [grad.tolist()])
        assert seen[:3] == seen[3:]
        assert seen[0][0][0] == seen[1][0][0] == 3


@pytest.mark.parametrize("jit", [False, True])
def test_a_gradient_of_which_only_another_one_reads_the_parameter(jit):
    """In eager code the gradient by w of `kept` reads the sign of y and x. That by x, which is not asked for, reads w as well; a region could
    compute y again from w and x."""
    w = Parameter(Tensor(np.array([0.5, -2, 1], np.float32)), name="w")

    def forward(x):
        y = x * w + 1
        return y, (0.5 * y) * w + 1, ops.where(y > 0, y, y) * 2
    forward = ms.jit(forward, mode="PIJit") if jit else forward
    kept = []

    def loss(x):
        y, z, more = forward(x)
        kept.append(more)
        return y.sum() + z.sum()
    x = Tensor(np.array([1, 2, -1], np.float32))
    for _ in range(3):
        _, (_, (by_w,)) = ms.value_and_grad(loss, 0, [w])(x)
        ops.assign_sub(w, by_w * 0.1)
        by_w, = ms.grad(lambda z: (kept.pop() * z).sum(), None, [w])(x)
        assert by_w.asnumpy().tolist() == [2, 8, 2]

def test_a_reversed_slice_is_a_copy_whatever_it_is_of():
    """Also of a broadcast tensor: its stride is zero, so a reversed view would look like the original."""
    def fn(x):
        y = ops.broadcast_to(x, (3,))
        return y[::-1], y
    for run in (fn, ms.jit(fn, mode="PIJit")):
        for _ in range(2):
            x = Tensor(np.float32([1]))
            back, y = run(x)
            back[0] = 5.0
            assert (back.tolist(), y.tolist(), x.tolist()) == ([5, 1, 1], [1, 1, 1], [1])


@pytest.mark.costly
def test_a_short_module_fuzz():
    """Random Cells that change themselves; `make soak` runs the long form."""
    import module_fuzz
    said = []
    programs, found, whole, failed = module_fuzz.fuzz(0, 40 if FORCED else 120, 20, said.append)
    assert not failed, said[0]
    assert programs > 5 and found > programs // 2 and (FORCED or whole)
