"""Indices of tensors that are known when capturing: bools, masks, tuples and arrays; arrays of the program."""
import numpy as np
import pytest

import msjit as ms
from jit_programs import regions_of
from jit_same import captured, same
from msjit import Tensor

pytestmark = pytest.mark.jit


def x23(v=0):
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3) + v)


def x333():
    return Tensor(np.arange(27, dtype=np.float32).reshape(3, 3, 3))


def bools(x):
    return x[True], x[:, True], x[True, 0], x[[True, False]], x[:, [True, False, True]], x[[[True, False, True], [False, False, True]]]


def tuples(x):
    return x[(0, 1), (1, 0)], x[(0, 1), :], x[:, (2, 0)], x[(0, 1)], x[((0, 1),)], x[[0, 1], (1, 2)], x[1, (0, -1)]


def arrays(x):
    mask = np.arange(3) != 1
    return x[:, mask], x[np.array([1, 0])], x[np.array([[0, 1], [1, 0]]), 0], x[0, np.arange(3)[::-1]], x[np.zeros((2, 3)) == 0]


def of_the_program(x, a):
    return x[a] + x[:, a].sum(), x[a, a]


def numbers(x, i, j):
    return x[1, 0:1, i], x[i, 0:1, 1], x[0, :, i], x[i, :, j], x[i, j], x[..., i], x[i, None, j], x[:, i, 0]


def numbers_and_vectors(x, i, v):
    return x[i, :, v], x[1, :, v], x[v, 0, i], x[v, :, i]


def written_behind(x, a):
    y = x + 0
    parts = y[True], y[[True, False]], y[a], y[:, np.array([1])]
    y[0] = 7
    for part in parts:
        part[...] = part * 2
    return y, parts


def stores(x):
    y = x + 0
    y[[True, False]] = 5
    y[(0, 1), (1, 2)] = -1
    z = x + 0
    z[:, np.array([2, 0])] = np.zeros((2, 2), np.float32)
    return y, z, x


@pytest.mark.parametrize("fn", [bools, tuples, arrays, stores])
def test_known_indices(fn):
    same(fn, lambda v: (x23(v),), variants=(0, 0, 1))


def test_arrays_of_the_program():
    same(of_the_program, lambda v: (x333(), np.array([0, v])), variants=(0, 1, 2))
    same(of_the_program, lambda v: (x333(), np.array([True, False, bool(v)])), variants=(0, 1, 0))


def test_views_and_copies_of_what_is_written():
    same(written_behind, lambda v: (x23(), np.array([0, 1])))
    same(written_behind, lambda v: (x23(), np.array(1)))
    same(lambda x: (x[True], x), lambda v: (x23(),))


def test_numbers():
    same(numbers, lambda v: (x333(), Tensor(v), Tensor(-v - 1)), variants=(0, 1, 2))
    same(numbers_and_vectors, lambda v: (x333(), Tensor(v), Tensor([0, v])), variants=(0, 1, 2))


@pytest.mark.captures
@pytest.mark.parametrize("fn,make", [(bools, lambda: (x23(),)), (tuples, lambda: (x23(),)), (arrays, lambda: (x23(),)), (of_the_program, lambda: (x333(), np.array([0, 2])))])
def test_they_are_captured(fn, make):
    captured(fn, lambda _: make())


def test_sizes_that_change():
    def fn(x):
        return x[:, [True, False, True]], x[[0, -1]], x[np.arange(x.shape[0]) % 2 == 0]
    same(fn, lambda v: (Tensor(np.ones((v, 3), np.float32)),), variants=(2, 3, 4, 5, 2))


@pytest.mark.parametrize("text", ["x[False]", "x[[True]]", "x[:, [True, False]]", "x[[1.5]]", "x[np.array([0.5])]", "x[[[0], [1, 2]]]", "x['a']", "x[..., [True, False, True]]",
                                  "x[[5]]", "x[(0, 5), (0, 0)]", "x[[]]", "x[np.array(1)]", "x[range(2)]", "x[()]"])
def test_errors_and_odd_indices(text):
    same(eval("lambda x: (x + 1, %s)" % text), lambda _: (x23(),))


def test_gradients():
    def fn(x):
        return ms.grad(lambda v: (v[[True, False]] * v[(0, 1), (1, 2)].sum() + v[np.array([1])]).sum())(x)
    same(fn, lambda v: (x23(v),), variants=(0, 0, 1))


@pytest.mark.captures
def test_a_mask_beside_sizes_that_change():
    def fn(x, y):
        return x[:, [True, False, True]] * y.sum(), y[[0, -1]]
    jitted = ms.jit(fn, mode="PIJit")
    for n in (2, 3, 4, 5, 6, 2, 7):
        args = x23(), Tensor(np.arange(n, dtype=np.float32))
        assert [t.tolist() for t in jitted(*args)] == [t.tolist() for t in fn(*args)]
    assert len(regions_of(jitted)) <= 3
