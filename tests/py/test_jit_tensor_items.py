"""x[...] = value in captured code: on tensors that the region makes and on those of the program, inside of branches too."""
import numpy as np
import pytest

import msjit as ms
from jit_same import FORCED, captured, same
from msjit import Parameter, Tensor, nn, ops

pytestmark = pytest.mark.jit


def x34(v=0):
    return Tensor(np.arange(12, dtype=np.float32).reshape(3, 4) - 4 * v)


def basic(x):
    y = x * 2
    y[0] = 1
    y[1:, 2] = x[1:, 0]
    y[-1, ..., None] = Tensor(np.float32([[9], [8], [7], [6]]))
    y[0, 1:3] += 10
    y[2, ::2] = [5, 6]
    return y


def masks(x):
    y = x + 0
    y[y > 3] = 0
    y[x.sum(axis=1) > 20] = Tensor(np.float32([1, 2, 3, 4]))
    y[y == 1] = Tensor([[-1.0]])
    return y


def tensors(x, i):
    y = ops.zeros((3, 4), ms.float32)
    y[i] = x[0]
    y[:, i] = 5
    y[i, i] = 7
    y[Tensor([0, 0])] = Tensor(np.float32([[1, 1, 1, 1], [2, 2, 2, 2]]))
    return y


def program(x):
    x[0] = 1
    x[x > 8] = -1
    x[Tensor([1, 2])] += 3
    return x + 1


def mixed(x):
    x[Tensor([1, 2]), 0] = 3
    x[0, Tensor([0, 2])] = x[1, 1]
    return x + 1


def branches(x):
    y = x * 2
    if x.sum() > 0:
        y[0] = 1
        y[1] = x[2] + 2
    else:
        y[2] = 4
    y[:, 0] = y[:, 0] + 1
    return y


def one_arm(x):
    y, z = x * 2, x * 3
    if x.sum() > 0:
        y[0] = 1
        if x[0, 0] > -1:
            z[1] = x[0]
            y[x > 3] = 5
    return y, z, y + z


def arms_that_read_what_they_write(x):
    y, z = x * 2, x * 3
    if x.sum() > 0:
        y[0] = 1
        y[1] = y[0] + x[2]
        if x[0, 0] > -1:
            z[1] = y[0]
            y[2] += z[1] * 2
    return y, z, y + z


def in_place(x):
    y = x * 2
    y.add_(x)
    y.mul_(2.0)
    y.masked_fill_(y > 9, 0.0)
    y.sub_(1)
    return y


@pytest.mark.parametrize("fn", [basic, masks, program, mixed, branches, one_arm, arms_that_read_what_they_write, in_place])
def test_stores(fn):
    same(fn, lambda v: (x34(v),), variants=(0, 0, 1, 3, 0))


def test_stores_at_index_tensors():
    same(tensors, lambda v: (x34(), Tensor([v, 2])), variants=(0, 0, 1))
    same(tensors, lambda v: (x34(), Tensor([-1, v])), variants=(0, 2, 0, 4))  # the last is out of range


@pytest.mark.captures
@pytest.mark.parametrize("fn", [basic, masks, program, branches, one_arm, in_place])
def test_stores_are_captured(fn):
    captured(fn, lambda v: (x34(),))


def view_before(x):
    y = x * 2
    v = y[0]
    y[0] = 1
    return y, v, v + 1


def view_used_in_between(x):
    y = x * 2
    v = y[0] + 1
    y[0] = 1
    return y, v


def two_names(x):
    y = x * 2
    z = y
    y[0] = 1
    return z + 1, z is y, y


def handed_on(x):
    y, z = x * 2, x * 3
    if x.sum() > 0:
        y[0] = 1
        z = y
    y[1] = 5
    return y, z, z is y


def view_in_an_arm(x):
    y = x * 2
    v = x[0]
    if x.sum() > 0:
        v = y[0]
    else:
        y[0] = 3
    y[1] = 4
    return y, v


def view_of_the_program(x):
    v = x[0]
    x[0] = 1
    return v + 1, x, v


def in_a_while_loop(x):
    y = x * 2
    while y.sum() < 300:
        y[0] = y[0] + 100
    return y


def in_a_for_loop(x):
    y = ops.zeros((3, 4), ms.float32)
    for i in range(3):
        if x[i].sum() > 4:
            y[i] = x[i] * 2
    return y


def raising_arm(x):
    y = x * 2
    if x.sum() > 10:
        y[0] = 5
    else:
        raise ValueError("small")
    return y


@pytest.mark.parametrize("fn", [view_before, view_used_in_between, two_names, handed_on, view_in_an_arm, view_of_the_program,
                                in_a_while_loop, in_a_for_loop, raising_arm])
def test_whoever_shares_the_memory_sees_the_store(fn):
    same(fn, lambda v: (x34(v),), variants=(0, 0, 3, 1, 3, 0))


def test_bad_stores_raise_as_without_msjit():
    def shape(x):
        y = x * 2
        y[0] = Tensor(np.float32([1, 2, 3]))
        return y

    def text(x):
        y = x * 2
        y[0] = "a"
        return y

    def far(x):
        x[7] = 1
        return x

    def mask(x):
        y = x * 2
        y[Tensor([True, False])] = 1
        return y

    def caught(x):
        y = x * 2
        try:
            y[0] = Tensor(np.float32([1, 2, 3]))
        except ValueError as e:
            return y, str(e)
        return y, None
    for fn in (shape, text, far, mask, caught):
        same(fn, lambda v: (x34(),))


class Host(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor(np.ones((3, 4), np.float32)), name="w")
        self.seen = Tensor(np.zeros((3, 4), np.float32))

    def construct(self, x):
        self.w[0] = x[1]
        self.seen[:, 1] = 2
        return x * self.w + self.seen


def test_parameters_and_buffers():
    plain, jitted = Host(), Host()
    call = ms.jit(jitted.construct, mode="PIJit")
    for v in (0, 0, 1):
        assert (call(x34(v)).asnumpy() == plain(x34(v)).asnumpy()).all()
        for name in ("w", "seen"):
            assert (getattr(jitted, name).asnumpy() == getattr(plain, name).asnumpy()).all()


@pytest.mark.parametrize("fn", [basic, masks, branches])
def test_gradients_through_stores(fn):
    loss = lambda x: (fn(x) * x).sum()  # noqa: E731
    expected = ms.grad(loss)(x34()).asnumpy()
    for _ in range(2):
        assert np.allclose(ms.grad(ms.jit(loss, mode="PIJit"))(x34()).asnumpy(), expected)
    whole = ms.jit(lambda x: ms.grad(loss)(x), mode="PIJit")
    for _ in range(2):
        assert np.allclose(whole(x34()).asnumpy(), expected)


def test_a_program_tensor_gets_a_history_where_gradients_are_asked_for():
    def loss(x, buffer):
        buffer[0] = x[0] * 3
        return (buffer * x).sum()
    expected = ms.grad(loss)(x34(), x34(1)).asnumpy()
    jitted = ms.jit(loss, mode="PIJit")
    jitted(x34(), x34(1))
    for _ in range(2):
        assert np.allclose(ms.grad(jitted)(x34(), x34(1)).asnumpy(), expected)


def test_tensors_of_numbers_of_tensors():
    def fn(x):
        return Tensor(float(x.sum())), Tensor(x, ms.float16), Tensor(bool((x > 3).any())), Tensor(int(x.astype(ms.int32).sum()))
    same(fn, lambda v: (x34(v),), variants=(0, 0, 1))
    if not FORCED:
        captured(fn, lambda v: (x34(),))


def test_methods_that_convert():
    def fn(x):
        f = x.float()
        return x.half(), f is x, x.double(), x.int(), x.long(), x.bool(), (x > 3).float(), x.int().float(), x.numel(), x.dim(), x.bfloat16(), x.copy() is x
    same(fn, lambda v: (x34(v),), variants=(0, 0, 1))
    captured(fn, lambda v: (x34(),))
