"""What operators give in corners of MindSpore's interface; expected values are NumPy's or plainly written."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, ops

MODES = ["eager", "PIJit", "PSJit"]


def run(fn, *args, mode="eager"):
    called = fn if mode == "eager" else ms.jit(fn, mode=mode)
    for _ in range(2):
        called(*args)
    return called(*args)


def variable(values=(1.0, 2.0, 3.0), name="p"):
    return Parameter(Tensor(np.float32(values)), name=name)


WRITES = {
    "assign": (lambda p: ops.assign(p, Tensor(np.float32([4, 5, 6]))), [4, 5, 6]),
    "assign_add": (lambda p: ops.assign_add(p, 1), [2, 3, 4]),
    "assign_sub": (lambda p: ops.assign_sub(p, 1), [0, 1, 2]),
    "ScatterUpdate": (lambda p: ops.ScatterUpdate()(p, Tensor([2]), Tensor([9.0])), [1, 2, 9]),
    "ScatterNdMul": (lambda p: ops.ScatterNdMul()(p, Tensor([[1]]), Tensor([5.0])), [1, 10, 3]),
    "IndexAdd": (lambda p: ops.IndexAdd(0)(p, Tensor([0]), Tensor([7.0])), [8, 2, 3]),
    "index_add": (lambda p: ops.index_add(p, Tensor([0]), Tensor([7.0]), 0), [8, 2, 3]),
    "inplace_index_add": (lambda p: ops.inplace_index_add(p, Tensor([0]), Tensor([7.0]), 0), [8, 2, 3]),
    "ApplyGradientDescent": (lambda p: ops.ApplyGradientDescent()(p, 0.5, Tensor(np.float32([2, 4, 6]))), [0, 0, 0]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", sorted(WRITES))
def test_what_writes_to_a_parameter_returns_a_tensor(name, mode):
    call, want = WRITES[name]
    called = call if mode == "eager" else ms.jit(call, mode=mode)
    for _ in range(3):
        p = variable()
        out = called(p)
        assert type(out) is Tensor and out.tolist() == want and p.tolist() == want


def test_steps_of_optimizers_return_tensors():
    p, a, b = variable(), variable((1, 1, 1), "a"), variable((1, 1, 1), "b")
    found = ops.ApplyAdaMax()(p, a, b, 0.5, 0.1, 0.9, 0.5, 1e-8, Tensor(np.float32([1, 1, 1])))
    assert [type(item) for item in found] == [Tensor] * 3
    assert [item.tolist() for item in found] == [item.tolist() for item in (p, a, b)]


@pytest.mark.parametrize("mode", MODES)
def test_infinities_are_close_to_themselves_alone(mode):
    inf, nan = float("inf"), float("nan")
    a, b = np.float32([inf, inf, -inf, nan, 1, inf, 1]), np.float32([inf, -inf, -inf, nan, inf, 1, 1])
    for equal in (False, True):
        got = run(lambda x, y: ops.isclose(x, y, equal_nan=equal), Tensor(a), Tensor(b), mode=mode)
        assert got.tolist() == np.isclose(a, b, equal_nan=equal).tolist()


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int32", "int64", "uint64"])
def test_shifts_take_the_last_bits_of_the_count(kind):
    x, by = np.array([1, 2, 3, 100, 5, 7, 1]), np.array([0, 1, 2, 3, 32, 63, 100])
    bits = 63 if kind.endswith("64") else 31
    wide = [int(value) << int(count & bits) for value, count in zip(x, by)]
    left = np.array([value & (2 ** 64 - 1) for value in wide], np.uint64).astype(kind)
    right = [int(value) >> int(count & bits) for value, count in zip(x, by)]
    a, b = Tensor(x.astype(kind)), Tensor(by.astype(kind))
    for mode in MODES:
        assert run(ops.bitwise_left_shift, a, b, mode=mode).tolist() == left.tolist()
        assert run(ops.bitwise_right_shift, a, b, mode=mode).tolist() == right
    assert ops.RightShift()(Tensor([-5, -8]), Tensor([1, 63])).tolist() == [-3, -1]


def test_median_primitive():
    x = Tensor(np.float32([[5, 1, 4], [9, 5, np.nan], [6, 5, 5]]))
    value, place = ops.Median(True, ignore_nan=True)(x)
    assert (float(value), int(place)) == (5.0, 0)
    values, places = ops.Median(axis=1, ignore_nan=True)(x)
    assert values.tolist() == [4, 5, 5] and places.tolist() == [2, 1, 2]


def test_conjugate_transpose():
    x = np.complex64([[1 + 1j, 2 + 2j], [3 + 3j, 4 + 4j]])
    assert ops.ConjugateTranspose()(Tensor(x), (1, 0)).asnumpy().tolist() == x.conj().T.tolist()
    assert ops.full((2,), 1 + 2j).asnumpy().tolist() == [1 + 2j] * 2


def test_boxes_of_less_than_a_pixel():
    features = Tensor(np.float32([[[[1, 2], [3, 4]]]]))
    rois = Tensor(np.float32([[0, 0.2, 0.3, 0.2, 0.3]]))
    # One sample of each part of a box from (0.1, 0.15) that is half a pixel long.
    got = ops.ROIAlign(2, 2, 0.5, 1)(features, rois).asnumpy()
    rows, columns = 0.15 + np.array([0.125, 0.375]), 0.1 + np.array([0.125, 0.375])
    np.testing.assert_allclose(got[0, 0], 1 + 2 * rows[:, None] + columns, rtol=1e-5)


def pair(x, y):
    return 2 * x + y, y ** 3


def three(x, y):
    return 2 * x + y, y ** 3, x * 5


def test_one_more_output_is_returned_by_itself():
    x, y, v = Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([1.0, 1.0])
    assert ms.vjp(pair, x, y, has_aux=True)[2].tolist() == [27, 64]
    assert ms.jvp(pair, (x, y), (v, v), has_aux=True)[2].tolist() == [27, 64]
    assert ms.jacrev(pair, has_aux=True)(x, y)[1].tolist() == [27, 64]
    assert ms.jacfwd(pair, has_aux=True)(x, y)[1].tolist() == [27, 64]
    assert [t.tolist() for t in ms.vjp(three, x, y, has_aux=True)[2]] == [[27, 64], [5, 10]]
    assert [t.tolist() for t in ms.grad(pair, has_aux=True)(x, y)[1]] == [[27, 64]]


def test_jacobians_of_several_outputs():
    x, y = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    first, second = ms.jacrev(pair, (0, 1))(x, y)
    assert [t.tolist() for t in first] == [[[2, 0], [0, 2]], [[1, 0], [0, 1]]]
    assert [t.tolist() for t in second] == [[[0, 0], [0, 0]], [[27, 0], [0, 48]]]
    assert [t.tolist() for t in ms.jacfwd(pair, 1)(x, y)] == [[[1, 0], [0, 1]], [[27, 0], [0, 48]]]


def test_index_add_leaves_what_is_no_parameter():
    x, i, y = Tensor([1.0, 2.0]), Tensor([1, 1]), Tensor([3.0, 4.0])
    p = variable((1, 2))
    for added in (ops.index_add(x, i, y, 0), x.index_add(0, i, y), x.index_add(i, y, 0, True, check_index_bound=False), p.index_add(0, i, y), ms.mint.index_add(p, 0, i, y)):
        assert added.tolist() == [1, 9]
    assert x.tolist() == p.tolist() == [1, 2]
