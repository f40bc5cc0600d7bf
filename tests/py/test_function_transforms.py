"""_Function, vmap, derivative, jet, linearize; DLPack at the top level. Numbers are MindSpore 2.10's, or derived by hand."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops

X = np.array([[1., 2.], [3., 4.]], np.float32)
MODES = [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit


class Scaled(ms._Function):
    """x * y * k, with a gradient by y that is ten times too large."""

    @staticmethod
    def forward(ctx, x, y, k):
        ctx.save_for_backward(x, y)
        ctx.k = k
        return x * y * k

    @staticmethod
    def backward(ctx, grad):
        x, y = ctx.saved_tensors
        return grad * y * ctx.k, grad * x * ctx.k * 10, None


@pytest.mark.parametrize("mode", MODES)
def test_function(mode):
    x = Tensor(X)
    assert mode(lambda a, b: Scaled.apply(a, b, 2))(x, x + 1).tolist() == [[4, 12], [24, 40]]
    by_x, by_y = mode(lambda a, b: ms.grad(lambda p, q: Scaled.apply(p, q, 2).sum(), (0, 1))(a, b))(x, x + 1)
    assert by_x.tolist() == [[4, 6], [8, 10]] and by_y.tolist() == [[20, 40], [60, 80]]


def test_gradients_of_gradients():
    def first(x):
        return ms.grad(lambda p: Scaled.apply(p, p * 1, 1).sum())(x).sum()
    # d/dx of (y + 10 x) with y = x * 1, and the recorded product inside backward.
    assert ms.grad(first)(Tensor(X)).tolist() == [[11, 11], [11, 11]]


def test_function_of_parameters_and_several_outputs():
    class Two(ms._Function):
        @staticmethod
        def forward(x, w):
            return x * w, x.argmax()

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(*inputs)
            ctx.mark_non_differentiable(output[1])

        @staticmethod
        def backward(ctx, grad, none):
            assert none is None and ctx.needs_input_grad == (False, True)
            x, w = ctx.saved_tensors
            return grad * w, grad * x

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor(X), name="w")

        def construct(self, x):
            product, place = Two.apply(x, self.w)
            return product.sum() + place

    net = Net()
    value, grads = ms.value_and_grad(net, None, net.trainable_params())(Tensor(X * 2))
    assert float(value) == 2 * (X**2).sum() + 3 and grads[0].tolist() == (X * 2).tolist()


@pytest.mark.parametrize("backward, message", [
    (lambda ctx, g: (g,), "number of gradients, got 1, expected 2"), (lambda ctx, g: (g.sum(), g), "shape of a gradient"),
    (lambda ctx, g: (3, g), "a gradient, got int")])
def test_wrong_gradients(backward, message):
    made = type("Made", (ms._Function,), {"forward": staticmethod(lambda ctx, x, y: x + y), "backward": staticmethod(backward)})
    with pytest.raises((TypeError, ValueError), match=message):
        ms.grad(lambda x: made.apply(x, x * 2).sum())(Tensor(X))
    with pytest.raises(NotImplementedError, match="forward is not defined"):
        ms._Function.apply(Tensor(X))


@pytest.mark.parametrize("mode", MODES)
def test_vmap(mode):
    x, v = Tensor(X), Tensor(np.float32([10, 20]))
    assert mode(lambda a, b: ms.vmap(lambda p, q: p + q, (0, None))(a, b))(x, v).tolist() == [[11, 22], [13, 24]]
    assert mode(lambda a: ms.vmap(lambda p: p * 2, 0, 1)(a))(x).tolist() == [[2, 6], [4, 8]]
    assert mode(lambda a: ms.vmap(lambda p: p.sum(), -1)(a))(x).tolist() == [4, 6]
    rows, sums = ms.vmap(lambda p: (p, p.sum()), 0, (1, 0))(x)
    assert rows.tolist() == X.T.tolist() and sums.tolist() == [3, 7]
    assert ms.vmap(ms.vmap(lambda p: p + 1))(x).tolist() == (X + 1).tolist()
    nested = ms.vmap(lambda p, pair: p + pair[0] * pair[1], (0, (0, None)))
    assert nested(x, (x, x[0])).tolist() == (X + X * X[0]).tolist()
    by_sample = ops.vmap(ms.grad(lambda w, p: (w * p).sum()), (None, 0))(v, x)
    assert by_sample.tolist() == X.tolist()


@pytest.mark.parametrize("make, error", [
    (lambda: ms.vmap(3), TypeError), (lambda: ms.vmap(abs, None)(Tensor(X)), RuntimeError), (lambda: ms.vmap(abs, 5)(Tensor(X)), RuntimeError),
    (lambda: ms.vmap(lambda a, b: a)(Tensor(X), Tensor(X[:1])), RuntimeError), (lambda: ms.vmap(abs)(3), RuntimeError),
    (lambda: ms.vmap(lambda a: 3)(Tensor(X)), RuntimeError), (lambda: ops.derivative(ops.sin, Tensor(X), 0), ValueError),
    (lambda: ops.jet(ops.sin, Tensor(X), Tensor(X)), ValueError), (lambda: ops.linearize(ops.sin, 3), TypeError),
    (lambda: ms.to_dlpack(3), TypeError), (lambda: ms.from_dlpack(3), TypeError)])
def test_bad_arguments(make, error):
    with pytest.raises(error):
        make()


def test_derivatives():
    x = Tensor(X)
    for order, expected in ((1, np.cos(X)), (2, -np.sin(X)), (3, -np.cos(X))):
        value, found = ops.derivative(ops.sin, x, order)
        np.testing.assert_allclose(value.asnumpy(), np.sin(X), rtol=1e-5)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-4, atol=1e-6)
    _, terms = ops.jet(ops.sin, x, Tensor(np.ones((3, 2, 2), np.float32)))
    expected = [[[0.540302277, -0.416146845], [-0.989992499, -0.653643608]], [[-0.30116868, -1.32544422], [-1.13111246, 0.103158891]],
                [[-2.52441287, -2.72789216], [-0.423359931, 2.27040768]]]
    np.testing.assert_allclose(terms.asnumpy(), expected, rtol=1e-4)
    one = Tensor(np.ones((2, 2), np.float32))
    output, pushed = ops.linearize(lambda a, b: a * b, (x, x + 1))
    assert output.tolist() == (X * (X + 1)).tolist() and pushed((one, one)).tolist() == (2 * X + 1).tolist()
    assert ops.linearize(lambda a: a * a * a, x)[1](one).tolist() == (3 * X * X).tolist()


def test_dlpack():
    x = Tensor(X)
    shared = ms.from_dlpack(ms.to_dlpack(x))
    x[0, 0] = 7
    assert shared.tolist() == x.tolist() and ms.from_dlpack(x).tolist() == x.tolist()


class Factor(ms.nn.Cell):
    def __init__(self, factor):
        super().__init__()
        self.factor = ms.Parameter(Tensor(float(factor), ms.float32), name="factor")

    def construct(self, a):
        return a * self.factor


def test_vmap_of_several_cells():
    cells, x = ms.nn.CellList([Factor(1), Factor(10)]), Tensor([[1.0, 2.0], [3.0, 4.0]])
    assert ms.vmap(cells, 0)(x).asnumpy().tolist() == [[1, 2], [30, 40]]
    assert ms.vmap(cells, None)(x[0]).asnumpy().tolist() == [[1, 2], [10, 20]]
    assert ms.vmap(cells, 1, 1)(x).asnumpy().tolist() == [[1, 20], [3, 40]]
    grads = ms.grad(lambda v: ms.vmap(cells, None)(v).sum(), None, list(cells.trainable_params()))(x[0])
    assert [g.asnumpy().tolist() for g in grads] == [3, 3]
    with pytest.raises(TypeError, match="fn must be callable, got list"):
        ms.vmap(list(cells))
    with pytest.raises(ValueError, match="Cells of the CellList, got 1, expected 2 or more"):
        ms.vmap(cells[:1], 0)
    with pytest.raises(RuntimeError, match="lengths of the mapped axes"):
        ms.vmap(cells, 0)(Tensor([1.0, 2.0, 3.0]))
