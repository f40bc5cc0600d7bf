"""Cells whose bprop returns the gradients of Parameters too: the attribute internal_params, eager and under the JIT."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn


def tensor(*values):
    return Tensor(np.array(values, np.float32))


class Line(nn.Cell):
    """w * x + v; the gradients that bprop returns are ten times the right ones, so that one sees where they come from."""

    def __init__(self, internal):
        super().__init__()
        self.w, self.v = Parameter(tensor(2), name="w"), Parameter(tensor(5), name="v")
        self.internal_params = [getattr(self, name) for name in internal]

    def construct(self, x):
        return self.w * x + self.v

    def bprop(self, *args):
        x, dout = args[0], 10 * args[-1]
        return (self.w * dout,), {self.w: x * dout, self.v: dout}


def identity(fn):
    return fn


WAYS = [identity, lambda fn: ms.jit(fn, mode="PIJit"), ms.jit]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("internal, expected", [("wv", [30, 10]), ("w", [30, 0]), ("", [0, 0])])
def test_gradients_of_internal_parameters(way, internal, expected):
    net = Line(internal)
    gradient = way(ms.grad(net, 0, net.trainable_params()))
    for _ in range(3):
        by_input, by_params = gradient(tensor(3))
        assert by_input.asnumpy().tolist() == [20]
        assert [g.asnumpy().tolist() for g in by_params] == [[e] for e in expected]


@pytest.mark.parametrize("way", WAYS)
def test_training_by_internal_parameters_alone(way):
    """No input needs a gradient here; the call is recorded for the Parameters."""
    net = Line("wv")
    step = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.01))
    step = way(step)
    losses = [float(step(tensor(3))) for _ in range(3)]
    assert np.allclose(losses, [11, 10, 9])
    assert np.allclose(net.w.asnumpy(), [1.1]) and np.allclose(net.v.asnumpy(), [4.7])


def test_two_inputs():
    class Product(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(tensor(2), name="w")
            self.internal_params = (self.w,)

        def construct(self, x, y):
            return self.w * x * y

        def bprop(self, x, y, out, dout):
            return (self.w * y * dout, self.w * x * dout), {self.w: x * y * dout}

    net = Product()
    by_inputs, by_params = ms.grad(net, (0, 1), net.trainable_params())(tensor(3), tensor(4))
    assert [g.asnumpy().tolist() for g in by_inputs] == [[8], [6]] and by_params[0].asnumpy().tolist() == [12]


def test_a_missing_gradient_is_an_error():
    class Forgetful(Line):
        def bprop(self, *args):
            return (self.w * args[-1],), {self.w: args[0] * args[-1]}

    net = Forgetful("wv")
    with pytest.raises(ValueError, match=r"\[Forgetful.bprop\] gradient of the Parameter v in internal_params, got none"):
        ms.grad(net, 0, net.trainable_params())(tensor(3))


def test_internal_params_are_parameters():
    net = Line("w")
    net.internal_params = [tensor(1)]
    with pytest.raises(TypeError, match=r"\[Line.bprop\] internal_params, got .*, expected a list of Parameters"):
        ms.grad(net)(tensor(3))
