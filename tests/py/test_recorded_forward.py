"""loss = net(x), then grad(net, weights)(x, sens), as training steps written by hand have it: after net.set_grad() net runs once."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

X = Tensor(np.arange(16).reshape(2, 2, 2, 2).astype(np.float32))


class Net(nn.Cell):
    """Counts its runs, and has running statistics."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm2d(2, momentum=0.5)
        self.runs = Parameter(Tensor(0.0, ms.float32), name="runs", requires_grad=False)

    def construct(self, x):
        self.runs += 1
        return self.norm(x).sum() + (self.norm.gamma ** 2).sum()


class Around(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.net = net

    def construct(self, x):
        return self.net(x) * 2


class Step(nn.Cell):
    """A training step as programs write it. `differentiated` is the Cell whose gradient is taken, if it is not the network."""

    def __init__(self, network, optimizer, differentiated=None, other_input=False):
        super().__init__(auto_prefix=False)
        self.network, self.optimizer, self.weights = network, optimizer, optimizer.parameters
        self.differentiated, self.other_input = network if differentiated is None else differentiated, other_input
        self.gradient = ops.GradOperation(get_by_list=True, sens_param=True)

    def construct(self, x):
        loss = self.network(x)
        sens = ops.fill(loss.dtype, loss.shape, 1.0)
        grads = self.gradient(self.differentiated, self.weights)(x + 0 if self.other_input else x, sens)
        return ops.depend(loss, self.optimizer(grads))


def caught(step, mode):
    """The step in a mode of running."""
    if mode == "PIJit":
        return ms.jit(step, mode="PIJit")
    return ms.jit(step) if mode == "PSJit" else step


def runs(net, step, mode, calls=3):
    net.set_train()
    step.set_train()
    step = caught(step, mode)
    for _ in range(calls):
        step(X)
    return float(net.runs)


MODES = [None, pytest.param("PIJit", marks=pytest.mark.jit), pytest.param("PSJit", marks=pytest.mark.jit)]


@pytest.mark.parametrize("mode", MODES)
def test_the_network_runs_once(mode):
    net = Net()
    net.set_grad()
    step = Step(net, nn.SGD(net.trainable_params(), 0.25))
    assert runs(net, step, mode) == 3
    once = net.norm.moving_mean.asnumpy()
    own = Net()
    assert runs(own, nn.TrainOneStepCell(own, nn.SGD(own.trainable_params(), 0.25)), mode) == 3
    np.testing.assert_allclose(once, own.norm.moving_mean.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(net.norm.gamma.asnumpy(), own.norm.gamma.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("what", ["no set_grad", "other input", "around"])
def test_other_gradients_run_it_again(what, mode):
    net = Net()
    net.set_grad(what != "no set_grad")
    around = Around(net) if what == "around" else None
    step = Step(net, nn.SGD(net.trainable_params(), 0.25), around, what == "other input")
    assert runs(net, step, mode) == 6


@pytest.mark.parametrize("mode", MODES)
def test_a_weight_that_was_frozen_later_stays_as_it_is(mode):
    net = Net()
    net.set_grad()
    step = Step(net, nn.SGD(net.trainable_params(), 0.25))
    net.norm.beta.requires_grad = False
    before = net.norm.beta.asnumpy().copy()
    assert runs(net, step, mode) == 3
    np.testing.assert_array_equal(net.norm.beta.asnumpy(), before)


def test_a_record_serves_one_gradient():
    net = Net()
    net.set_grad().set_train()
    gradient = ops.GradOperation(get_all=True, get_by_list=True)(net, net.trainable_params())
    net(X)
    by_input, by_weight = gradient(X)
    assert float(net.runs) == 1
    again = gradient(X)
    assert float(net.runs) == 2
    np.testing.assert_array_equal(by_input[0].asnumpy(), again[0][0].asnumpy())
    np.testing.assert_array_equal(by_weight[0].asnumpy(), again[1][0].asnumpy())
    assert float(by_weight[0].asnumpy().sum()) == pytest.approx(4.0, abs=1e-4)


def test_the_gradient_has_the_masks_of_the_loss():
    net = nn.SequentialCell(nn.Dense(6, 50, weight_init="ones"), nn.Dropout(p=0.5))
    net.set_grad().set_train()
    x = Tensor(np.ones((4, 6), np.float32))
    output = net(x)
    grads = ops.GradOperation(get_by_list=True)(net, net.trainable_params())(x)
    np.testing.assert_allclose(grads[1].asnumpy(), (output.asnumpy() != 0).sum(0) * 2.0, rtol=1e-6)


def test_only_training_calls_are_recorded():
    net = Net()
    net.set_grad()
    net(X)
    ops.GradOperation()(net)(X)
    assert float(net.runs) == 2
