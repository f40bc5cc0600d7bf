"""Calls whose values, gradients, dtypes or errors once differed from MindSpore's; the expected ones are MindSpore's."""
import numpy as np
import pytest

import msjit as ms
import msjit.nn.probability  # noqa: F401
import msjit.numpy as mnp
import msjit.ops.operations as P
from msjit import Tensor, mint, nn, ops


def floats(*values):
    return Tensor(np.array(values, np.float32))


def ints(*values):
    return Tensor(np.array(values, np.int32))


def gradient(function, *inputs):
    found = ms.grad(lambda *xs: function(*xs).sum(), tuple(range(len(inputs))) if inputs[1:] else 0)(*inputs)
    return [t.asnumpy().tolist() for t in (found if inputs[1:] else [found])]


HALF = pytest.approx


@pytest.mark.parametrize("function, inputs, expected", [
    (lambda x: ops.clamp(x, -1, 1), [floats(0, 1, -1)], [[1, 1, 1]]),
    (lambda x, a, b: ops.clamp(x, a, b), [floats(0, 1, -1, 2, -3), floats(-1), floats(1)], [[1, 1, 1, 0, 0], [1], [1]]),
    (lambda x: ops.clip_by_value(x, -1, 1), [floats(0, 1, -1)], [[1, 0.5, 0.5]]),
    (ops.relu6, [floats(0, 6, -1)], [[0, 1, 0]]),
    (ops.hardswish, [floats(0, 3, -3)], [[0.5, 1.5, -0.5]]),
    (ops.hardsigmoid, [floats(0, 3, -3)], [[HALF(1 / 6), 0, 0]]),
    (ops.softshrink, [floats(0, 0.5, -0.5)], [[0, 0, 0]]),
    (lambda x: ops.prelu(x, floats(0.25)), [floats(0, 1, -1)], [[0.25, 1, 0.25]]),
    (lambda x: ops.leaky_relu(x, 0.5), [floats(0, 1, -1)], [[0.75, 1, 0.5]]),
    (ops.fmax, [floats(0, 1, -1), floats(0, 1, 1)], [[1, 1, 0], [0, 0, 1]]),
    (lambda x: ops.adaptive_max_pool2d(x, 1), [Tensor(np.ones((1, 1, 2, 2), np.float32))], [[[[[1, 0], [0, 0]]]]]),
])
def test_gradients_where_pieces_meet(function, inputs, expected):
    assert gradient(function, *inputs) == expected


@pytest.mark.parametrize("name, first", [("add_", [1, 1]), ("mul_", [4, 5]), ("div_", [0.25, HALF(0.2)])])
def test_gradient_of_an_argument_written_in_place(name, first):
    assert gradient(lambda a, b: getattr(a, name)(b), floats(1, 2), floats(4, 5))[0] == first


def test_later_uses_of_an_argument_written_in_place():
    def square(a, b):
        a.mul_(b)
        return a * a

    assert gradient(square, floats(1, 2), floats(4, 5)) == [[32, 100], [8, 40]]


def test_dtypes():
    assert ops.nansum(ints(1, 2)).dtype == ms.int32
    assert ops.fmax(ints(1, 2), 2).dtype == ops.bitwise_left_shift(ints(1), 2).dtype == ops.lcm(ints(4), 6).dtype == ms.int32
    assert Tensor([1, 2], ms.int16).cumsum(0).dtype == ms.int32
    assert ints([1, 2], [3, 4]).trace().dtype == ms.int64
    assert P.Cummin(0)(floats(2, 1))[1].dtype == ms.int32
    assert mint.unique_consecutive(ints(1, 1, 2), True)[1].dtype == ms.int64
    assert ops.prelu(Tensor([1.0], ms.float16), floats(0.1)).dtype == ms.float16
    assert mnp.cumsum(Tensor([1 + 2j, 1j])).asnumpy().tolist() == [1 + 2j, 1 + 3j]


def test_values_between_the_places_of_discrete_distributions():
    places = floats(0.5, 1.7, 1.0)
    np.testing.assert_allclose(nn.probability.distribution.Geometric(0.3).prob(places).asnumpy(), [0.3, 0.21, 0.21], rtol=1e-5)
    np.testing.assert_allclose(nn.probability.distribution.Categorical([0.2, 0.3, 0.5]).prob(places).asnumpy(), [0.2, 0.3, 0.3], rtol=1e-5)


def test_values():
    assert ops.truncate_div(floats(7, -7), floats(2, 2)).asnumpy().tolist() == [3, -3]
    np.testing.assert_allclose(ops.polygamma(Tensor(2), floats(-0.5)).asnumpy(), [-0.8287967], rtol=1e-5)
    np.testing.assert_allclose(ops.zeta(Tensor(3.0, ms.float64), Tensor(-2.71, ms.float64)).asnumpy(), 38.56927563, rtol=1e-8)
    assert [t.asnumpy().tolist() for t in Tensor(2.0).median(0)] == [2.0, 0]
    assert [t.shape for t in ops.chunk(Tensor([], ms.float32), 3)] == [(0,)]
    assert mint.narrow(floats(1, 2, 3), 0, -2, 2).asnumpy().tolist() == [2, 3]
    assert mint.isnan(Tensor([complex(1, float("nan")), 1j])).asnumpy().tolist() == [True, False]
    assert nn.ConstantPad1d((1, -1), 0.5)(floats([[1, 2]])).asnumpy().tolist() == [[[0.5, 1]]]
    assert mnp.tril([1.0, 2.0]).asnumpy().tolist() == [[1, 0], [1, 2]]
    assert [g.shape for g in mnp.meshgrid(floats([1, 2], [3, 4]), floats(1, 2))] == [(2, 4), (2, 4)]
    assert mnp.dot(floats(1, 2), Tensor(2.0)).asnumpy().tolist() == [2, 4]
    assert ops.vecdot(Tensor([1 + 2j, 3j]), Tensor([2 + 1j, 1 + 1j])).item() == 7 - 6j
    assert len(P.Svd(compute_uv=False)(floats([1, 2], [3, 4]))) == 3
    assert isinstance(ops.clip_by_value([floats(1)], 0, 1), tuple)
    assert not Tensor([1], ms.uint16).is_signed() and Tensor([1], ms.int8).is_signed()
    assert repr(mint.nn.BCELoss()) == "BCELoss(\n  (bce_loss): BCELoss()\n)"


@pytest.mark.parametrize("call", [
    lambda: ops.split("x", 2), lambda: ops.pad("x", (1, 1)), lambda: ops.norm("x"), lambda: ops.conv2d("x", floats(1)),
    lambda: floats(1).expand_as(2), lambda: floats(1).view_as(2), lambda: ops.glu("x"), lambda: mint.bmm("x", floats(1)),
    lambda: ops.scatter_nd(ints([0]), 2.5, (4,)), lambda: ops.avg_pool1d(floats([[1, 2]]), 1.5), lambda: nn.ReflectionPad1d("x"),
])
def test_other_types_are_type_errors(call):
    with pytest.raises(TypeError):
        call()


@pytest.mark.jit
def test_captured_as_eager():
    def pieces(x, y):
        return ops.clamp(x, y, 2) + ops.fmax(x, y) + ops.softshrink(x) + ops.hardsigmoid(x) * ops.relu6(y) + ops.prelu(x, y[:1])

    def in_place(x, y):
        x = x * 1
        x.mul_(y)
        return x * x

    x, y = floats(0, 3, -3, 0.5), floats(0, 3, 1, -0.5)
    for function in (pieces, in_place):
        want = gradient(function, x, y)
        captured = ms.jit(lambda a, b, f=function: ms.grad(lambda *xs: f(*xs).sum(), (0, 1))(a, b), mode="PIJit")
        for _ in range(3):
            assert [t.asnumpy().tolist() for t in captured(x, y)] == want
