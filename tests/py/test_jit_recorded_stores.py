"""x[...] = value on a tensor made inside a gradient transform. Captured code has the values and gradients of eager code, also where CPython
runs the rest."""
import numpy as np
import pytest

import msjit as ms
from jit_same import captured, same
from msjit import Parameter, Tensor, nn, ops
from test_jit_store_aliases import VIEWS

pytestmark = pytest.mark.jit
X = np.arange(12, dtype=np.float32).reshape(3, 4) / 8 - 0.5
FIRST = Tensor(np.array([0, 2], np.int32))


def region(y, x):
    y[:, 0:2] = (y[:, 0:2] * 2.0 - 0.5 + x[0:1, 0:2]) * 3
    y[..., 2:] = (y[..., 2:] * 2) ** 2 * x[:, 0:2]


def added(y, x):
    y[:, 1:] += x[:, 1:]


def by_tensor(y, x):
    y[FIRST] = x[1]


def by_mask(y, x):
    y[y > 0.6] = 0.25


def constant(y, x):
    y[1] = 7


def over_and_over(y, x):
    for i in range(3):
        y[i] = y[2 - i] * x[i] + y[i]


STORES = [region, added, by_tensor, by_mask, constant, over_and_over]


def differentiated(loss, weights=None):
    return lambda x: ms.value_and_grad(loss, 0, weights, has_aux=True)(x)


def inputs(variant):
    return (Tensor(X + variant),)


@pytest.mark.parametrize("store", STORES, ids=lambda f: f.__name__)
def test_stores_are_captured_with_their_gradients(store):
    def loss(x):
        y = ops.sigmoid(x)
        store(y, x)
        return (y * y * x).sum(), y

    same(differentiated(loss), inputs, variants=(0, 0, 1, 0), exact=False)
    captured(differentiated(loss), lambda _: inputs(0))


@pytest.mark.parametrize("name", sorted(VIEWS))
def test_what_looked_into_the_tensor_before(name):
    view = VIEWS[name]

    def base(x):
        y = ops.tanh(x)
        z = view(y)
        y[0] = x[1] * 3
        return (y * y).sum() + (z * z).sum() * 2, y, z

    def through_the_view(x):
        y = ops.tanh(x)
        z = view(y)
        z[0] = x[0, 0] * 3
        return (y * y).sum() + (z * z).sum() * 2, y, z

    def unrecorded(x):
        y = ops.stop_gradient(x) * 2
        z = view(y)
        y[0] = 9
        return (y * x).sum() + (z * z).sum(), y, z

    def untracked_by_recorded(x):
        y = ops.zeros((3, 4), ms.float32)
        z = view(y)
        y[0] = x[1] * 3
        return (y * x).sum() + (z * z).sum(), y, z

    for loss in (base, through_the_view, unrecorded, untracked_by_recorded):
        same(differentiated(loss), inputs, variants=(0, 0, 1), exact=False)


def test_a_parameter_and_a_second_derivative():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(X[0] + 1), name="w")

        def construct(self, x):
            y = ops.exp(x)
            y[:, 1:3] = y[:, 1:3] * self.w[1:3] * x[:, 1:3]
            return (y * self.w).sum(), y

    net = Net()
    same(differentiated(net, net.trainable_params()), inputs, exact=False)
    total = lambda x: net(x)[0]  # noqa: E731
    same(lambda x: ms.grad(lambda v: ms.grad(total)(v).sum())(x), inputs, exact=False)


def test_gradients_are_those_of_the_formula():
    def loss(x):
        y = ops.sigmoid(x)
        y[:, 0:2] = y[:, 0:2] * 3
        return (y * y).sum()

    s = 1 / (1 + np.exp(-X.astype(np.float64)))
    wanted = 2 * s * s * (1 - s) * np.where(np.arange(4) < 2, 9, 1)
    for call in (ms.grad(loss), ms.jit(lambda x: ms.grad(loss)(x), mode="PIJit")):
        for _ in range(2):
            assert np.abs(call(Tensor(X)).asnumpy() - wanted).max() < 1e-6


def test_a_store_that_raises():
    def loss(x):
        y = ops.sigmoid(x)
        y[:, 0:2] = y[:, 0:3]
        return (y * y).sum(), y

    same(differentiated(loss), inputs)


def test_a_slice_without_elements():
    def loss(x, value=0):
        mask = ops.ones((3, 4), ms.float32)
        for i in range(3):
            mask[i, 4:] = value
        y = x * 2
        y[3:] = y[:1]
        return (y * mask * x).sum(), mask, y

    same(loss, inputs)
    same(differentiated(loss), inputs, exact=False)
    captured(loss, lambda _: inputs(0))
    captured(differentiated(loss), lambda _: inputs(0))
    same(lambda x: loss(x, ops.ones((3, 2), ms.float32)), inputs)  # raises: such a value does not fit
