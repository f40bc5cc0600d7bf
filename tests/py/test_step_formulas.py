"""The step of an optimizer has one formula: eager and captured steps write the same bits."""

import numpy as np
import pytest

import msjit as ms
from msjit import _msjit, nn

OPTIMIZERS = {
    "sgd": lambda p, decay: nn.SGD(p, 0.1, weight_decay=decay),
    "sgd momentum": lambda p, decay: nn.SGD(p, 0.1, momentum=0.9, dampening=0.25, weight_decay=decay),
    "sgd nesterov": lambda p, decay: nn.SGD(p, 0.1, momentum=0.9, nesterov=True, weight_decay=decay),
    "momentum": lambda p, decay: nn.Momentum(p, 0.1, 0.9, weight_decay=decay),
    "momentum nesterov": lambda p, decay: nn.Momentum(p, 0.1, 0.9, weight_decay=decay, use_nesterov=True),
    "adam": lambda p, decay: nn.Adam(p, 0.1, weight_decay=decay),
    "adam nesterov": lambda p, decay: nn.Adam(p, 0.1, weight_decay=decay, use_nesterov=True),
    "adam weight decay": lambda p, decay: nn.AdamWeightDecay(p, 0.1, weight_decay=decay),
}


def states(make, decay, values, gradients, jitted, dtype=np.float32):
    params = [ms.Parameter(ms.Tensor(value.astype(dtype)), name="p%d" % i) for i, value in enumerate(values)]
    optimizer = make(params, decay)

    def step(*gradients):
        optimizer(gradients)

    run = ms.jit(step, mode="PIJit") if jitted else step
    for scale in (1, -0.5, 0.25, 2, -1):
        _msjit.wait_compiled()
        run(*[ms.Tensor((gradient * scale).astype(dtype)) for gradient in gradients])
    return [p.asnumpy() for p in params] + [p.asnumpy() for p in optimizer.get_parameters()]


@pytest.mark.parametrize("decay", [0.0, 0.125])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_captured_and_eager_steps_agree_bit_for_bit(name, decay, dtype):
    random = np.random.default_rng(0)
    values = [random.standard_normal(shape) for shape in ((5, 7), (33,))]
    gradients = [random.standard_normal(value.shape) for value in values]
    eager = states(OPTIMIZERS[name], decay, values, gradients, False, dtype)
    captured = states(OPTIMIZERS[name], decay, values, gradients, True, dtype)
    for one, other in zip(eager, captured):
        np.testing.assert_array_equal(one, other)
    assert not np.array_equal(eager[0], values[0].astype(dtype))


@pytest.mark.parametrize("name", sorted(OPTIMIZERS))
def test_without_decay_an_infinite_parameter_stays_infinite(name):
    values, gradients = [np.array([np.inf, -np.inf, 1.0])], [np.array([0.5, 0.5, 0.5])]
    for jitted in (False, True):
        param = states(OPTIMIZERS[name], 0.0, values, gradients, jitted)[0]
        assert param[0] == np.inf and param[1] == -np.inf and np.isfinite(param[2])
