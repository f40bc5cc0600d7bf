"""Gradients of complex numbers, dL/dx + i dL/dy: against differences of the parts, and as MindSpore prints them."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops
from test_complex import BINARY, NUMBERS, OTHERS, UNARY, close, jitted, modes


def differences(f, values):
    """dL/dx + i dL/dy of a real f, element by element."""
    grad = np.zeros(values.shape, "complex128")
    for place in np.ndindex(*values.shape):
        for direction in (1, 1j):
            moved = [values.copy(), values.copy()]
            moved[0][place] += 1e-6 * direction
            moved[1][place] -= 1e-6 * direction
            grad[place] += direction * (f(Tensor(moved[0])).item() - f(Tensor(moved[1])).item()) / 2e-6
    return grad


WEIGHTS = Tensor(np.array([[0.5 + 1j, -1 + 0.25j, 2], [1j, 0.75, -0.5 - 1j]]))


def weighed(function):
    def loss(x):
        out = function(x)
        return ops.sum(ops.real(out * WEIGHTS) + ops.imag(out) * ops.real(out))
    return loss


@modes
@pytest.mark.parametrize("name", sorted(UNARY))
def test_gradient(name, mode):
    loss = weighed(getattr(ops, name))
    got = ms.grad(jitted(loss, mode))(Tensor(NUMBERS))
    want = differences(loss, NUMBERS)
    assert got.dtype == ms.complex128
    np.testing.assert_allclose(got.asnumpy(), want, rtol=2e-6, atol=2e-6)


@modes
@pytest.mark.parametrize("name", sorted(BINARY))
def test_gradient_of_two(name, mode):
    function = getattr(ops, name)

    def loss(x, y):
        return ops.sum(ops.real(function(x, y) * WEIGHTS))
    got = ms.grad(jitted(loss, mode), (0, 1))(Tensor(NUMBERS), Tensor(OTHERS))
    np.testing.assert_allclose(got[0].asnumpy(), differences(lambda x: loss(x, Tensor(OTHERS)), NUMBERS), rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(got[1].asnumpy(), differences(lambda y: loss(Tensor(NUMBERS), y), OTHERS), rtol=2e-6, atol=2e-6)


LOSSES = {
    "matmul": lambda x: ops.imag(ops.sum(ops.matmul(x, x.T) * Tensor([[1j, 2], [0.5, 1 - 1j]]))),
    "matmul conj": lambda x: ops.sum(ops.real(ops.matmul(x, ops.conj(x.T)))),
    "abs": lambda x: ops.sum(ops.real(ops.abs(x))), "abs2": lambda x: ops.sum(ops.real(x * ops.conj(x))),
    "angle": lambda x: ops.sum(ops.angle(x) * Tensor([1.0, 2, 3], ms.float64)),
    "polar": lambda x: ops.sum(ops.imag(ops.polar(ops.real(x), ops.imag(x)) * WEIGHTS)),
    "complex": lambda x: ops.sum(ops.imag(ops.complex(ops.imag(x), ops.real(x)) * WEIGHTS)),
    "view_as_real": lambda x: ops.sum(ops.view_as_real(x * WEIGHTS) * Tensor([1.0, -2.0], ms.float64)),
    "sum": lambda x: ops.imag(ops.sum(x * x)), "mean": lambda x: ops.imag(ops.mean(x * x)),
    "prod": lambda x: ops.imag(ops.prod(x)), "cumsum": lambda x: ops.sum(ops.imag(ops.cumsum(x, 1) * WEIGHTS)),
    "cumprod": lambda x: ops.sum(ops.imag(ops.cumprod(x, 1) * WEIGHTS)),
    "where": lambda x: ops.sum(ops.imag(ops.where(ops.real(x) > 0.5, x, x * x) * WEIGHTS)),
    "concat": lambda x: ops.sum(ops.imag(ops.square(ops.concat((x, x * WEIGHTS), 0)))),
    "cast": lambda x: ops.sum(ops.square(ops.cast(x * WEIGHTS, ms.float64))),
}
LOSSES["index"] = lambda x: ops.sum(ops.imag(ops.square(x[Tensor([1, 0, 1]), 1:])))


@pytest.mark.parametrize("name", sorted(LOSSES))
def test_gradient_of_losses(name):
    loss = LOSSES[name]
    got, captured = ms.grad(loss)(Tensor(NUMBERS)), ms.grad(ms.jit(loss, mode="PIJit"))(Tensor(NUMBERS))
    np.testing.assert_allclose(got.asnumpy(), differences(loss, NUMBERS), rtol=2e-6, atol=2e-6)
    np.testing.assert_allclose(captured.asnumpy(), got.asnumpy(), rtol=1e-12, atol=1e-12)


def test_gradients_have_the_dtype_of_their_input():
    c, r = Tensor(NUMBERS.astype("complex64")), Tensor(np.abs(NUMBERS).astype("float32"))
    a, b = ms.grad(lambda c, r: c * r, (0, 1))(c, r)
    close(a, r.asnumpy().astype("complex64"), "complex64")
    close(b, NUMBERS.real, "float32")
    assert ms.grad(lambda r: ops.imag(ops.exp(r * c)))(r).dtype == ms.float32


def test_the_known_gradients_of_mindspore():
    """Printed by MindSpore 2.10 for x = [1+2j, 3-1j] and seeds of 1."""
    x = Tensor(np.array([1 + 2j, 3 - 1j], "complex64"))
    for name, want in [
            ("abs", [0.44721359 + 0.89442718j, 0.94868326 - 0.31622776j]), ("imag", [1j, 1j]), ("real", [1, 1]),
            ("angle", [-0.4 + 0.2j, 0.1 + 0.3j]), ("view_as_real", [1 + 1j, 1 + 1j]),
            ("sqrt", [0.28443223 + 0.1757888j, 0.27754 - 0.04503854j]), ("rsqrt", [0.01342909 - 0.14893064j, -0.07875815 + 0.04126556j]),
            ("exp", [-1.13120437 - 2.47172666j, 10.85226154 + 16.9013958j]), ("log", [0.2 + 0.4j, 0.3 - 0.1j]),
            ("sin", [2.03272295 + 3.05189776j, -1.5276382 - 0.1658444j]), ("acosh", [0.16089852 + 0.38844344j, 0.30888364 - 0.1142635j]),
            ("sigmoid", [0.14088884 + 0.42071828j, 0.028613 - 0.03745594j]), ("sign", [0, 0])]:
        got = ms.grad(getattr(ops, name))(x).asnumpy()
        np.testing.assert_allclose(got, np.array(want), rtol=1e-5, atol=1e-6)


def test_a_gradient_of_a_gradient():
    def slope(x):
        return ops.real(ops.sum(ms.grad(lambda z: ops.imag(ops.sum(z * z * z)))(x) * WEIGHTS))
    np.testing.assert_allclose(ms.grad(slope)(Tensor(NUMBERS)).asnumpy(), differences(slope, NUMBERS), rtol=2e-6, atol=2e-6)


# -- layers ------------------------------------------------------------------------------------------------------------------

def test_a_complex_parameter_learns():
    layer = nn.Dense(3, 2, dtype=ms.complex64)
    x, target = Tensor(NUMBERS.astype("complex64")), Tensor(np.array([[1j, 2], [-1, 0.5 - 1j]], "complex64"))
    assert layer.weight.dtype == layer.bias.dtype == ms.complex64

    def loss(x, target):
        return ops.mean(ops.square(ops.view_as_real(layer(x) - target)))
    step = ms.value_and_grad(loss, None, layer.trainable_params())
    values = []
    for _ in range(60):
        value, grads = step(x, target)
        values.append(value.item())
        for parameter, grad in zip(layer.trainable_params(), grads):
            assert grad.dtype == ms.complex64
            parameter.set_data(parameter - grad * 0.1)
    assert values[-1] < 0.05 * values[0]


@modes
def test_a_layer_as_a_product_and_a_sum(mode):
    """Graphs make one library call of the two where numbers are real."""
    def layer(x, w, b):
        return ops.matmul(x, w.T) + b
    x, w, b = NUMBERS, OTHERS, OTHERS[0, :2]
    run = jitted(layer, mode)
    close(run(Tensor(x), Tensor(w), Tensor(b)), x @ w.T + b)
    got = ms.grad(lambda *a: ops.sum(ops.imag(ops.square(run(*a)))), (0, 1, 2))(Tensor(x), Tensor(w), Tensor(b))
    for i, values in enumerate((x, w, b)):
        def loss(v):
            args = [Tensor(x), Tensor(w), Tensor(b)]
            args[i] = v
            return ops.sum(ops.imag(ops.square(layer(*args))))
        np.testing.assert_allclose(got[i].asnumpy(), differences(loss, values), rtol=1e-5, atol=1e-5)
