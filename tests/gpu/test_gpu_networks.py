"""Training steps of whole networks: the losses are the CPU's, and no operator runs on the CPU."""
import numpy as np
import pytest
from networks import Bert, ResNet, bert_loss, resnet_loss, step_of

import msjit as ms
from msjit import Tensor, _msjit, nn


def resnet():
    rng = np.random.RandomState(0)
    net = ResNet(7, ((4, 1, 2),))
    return net, resnet_loss, rng.rand(3, 3, 12, 12).astype(np.float32), rng.randint(0, 7, 3).astype(np.int32)


def bert():
    rng = np.random.RandomState(0)
    ids = rng.randint(0, 30, (2, 5)).astype(np.int32)
    return Bert(30, 8, 2, 1, 9), bert_loss, ids, rng.randint(0, 30, (2, 5)).astype(np.int32)


def losses(make, optimizer, device, mode):
    ms.set_context(device_target="CPU")
    ms.set_seed(3)
    state = {name: p.asnumpy().copy() for name, p in make()[0].parameters_dict().items()}
    ms.set_context(device_target=device)
    net, loss_of, x, t = make()
    for name, p in net.parameters_dict().items():
        p.set_data(Tensor(state[name]))
    ms.set_seed(5)  # of the dropout
    step, x, t = step_of(net, loss_of, optimizer), Tensor(x), Tensor(t)
    step = step if mode is None else ms.jit(step, mode=mode)
    out = [step(x, t) for _ in range(2)]
    return [float(loss) for loss in out]


CASES = [(resnet, lambda p: nn.SGD(p, 0.1, momentum=0.9)), (bert, lambda p: nn.Adam(p, 0.01))]


@pytest.mark.parametrize("mode", [None, pytest.param("PIJit", marks=pytest.mark.jit)])
@pytest.mark.parametrize("make, optimizer", CASES, ids=["resnet", "bert"])
def test_training_steps_stay_on_the_device(make, optimizer, mode):
    want = losses(make, optimizer, "CPU", None)
    before = _msjit.device_figures(0)["host_runs"]
    got = losses(make, optimizer, "GPU", mode)
    assert _msjit.device_figures(0)["host_runs"] == before
    np.testing.assert_allclose(got, want, rtol=2e-4)
