"""Networks that share the code of a container, and places whose captures are never used again."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops

pytestmark = [pytest.mark.jit, pytest.mark.captures]


def counted(function, *args):
    """(result, operators that ran in graphs, by themselves)."""
    before = ms.stats()
    result = function(*args)
    after = ms.stats()
    return (result,) + tuple(after[key] - before[key] for key in ("graph_ops", "eager_ops"))


@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_more_networks_than_captures_of_a_place(mode):
    ms.set_seed(1)
    nets = [nn.SequentialCell(*[nn.Dense(8, 8) if k >> i & 1 else nn.ReLU() for i in range(4)]) for k in range(1, 16)]
    compiled = [ms.jit(mode=mode)(net) for net in nets]
    x = Tensor(np.linspace(-1, 1, 16, dtype=np.float32).reshape(2, 8))
    for turn in range(3):
        for net, function in zip(nets, compiled):
            for call in range(2):
                result, in_graph, alone = counted(function, x)
                assert np.allclose(result.asnumpy(), net(x).asnumpy(), rtol=1e-5, atol=1e-6)
                assert (in_graph, alone) == (4, 0), (turn, call)


class Setting:
    """A number that captured code depends on."""

    def __init__(self, scale):
        self.scale = scale


def test_captures_that_are_never_used_again_end():
    @ms.jit(mode="PIJit")
    def scaled(x, setting):
        return ops.tanh(x) * (2 if setting.scale == "s%d" % 5 else 3)
    x = Tensor(np.ones(4, np.float32))
    last = [counted(scaled, x, Setting("s%d" % i))[1:] for i in range(100)][-20:]
    assert all(alone == 2 for _, alone in last), last


class Around(nn.Cell):
    """A Cell in a Cell."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def construct(self, x):
        return self.inner(x) + 1


def test_gradients_of_deeply_nested_cells():
    """As networks of images nest: a stage in a network, a block in a stage, layers in containers in a block."""
    net = nn.ReLU()
    for _ in range(11):
        net = Around(net)

    def gradient(x):
        return ms.grad(lambda v: (net(v) * v).sum())(x)
    x = Tensor(np.float32([1, -2]))
    jitted = ms.jit(gradient, mode="PIJit")
    for _ in range(2):
        result, in_graph, alone = counted(jitted, x)
        assert result.asnumpy().tolist() == gradient(x).asnumpy().tolist() and in_graph > 0 and alone == 0
