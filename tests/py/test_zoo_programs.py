"""Networks in the style of the packages for MindSpore: Parameters' names, outputs and gradients are MindSpore's."""
import numpy as np
import pytest

import msjit as ms
from zoo_numbers import NUMBERS
from zoo_programs import networks, results

NETS = sorted(NUMBERS)


@pytest.mark.parametrize("name", NETS)
def test_same_as_mindspore(name):
    net, shape = networks(ms)[name]
    outputs, paths, renamed, gradients = NUMBERS[name]
    found, sums = results(ms, net, shape)
    assert [path for path, _ in net.parameters_and_names()] == paths
    assert {path: p.name for path, p in net.parameters_and_names() if path != p.name} == renamed
    np.testing.assert_allclose(found.ravel()[:len(outputs)], outputs, rtol=1e-3, atol=1e-4)
    assert list(sums) == list(gradients)
    np.testing.assert_allclose(list(sums.values()), list(gradients.values()), rtol=2e-3, atol=1e-4)


@pytest.mark.jit
@pytest.mark.parametrize("name", NETS)
def test_jit_gives_the_same(name):
    net, shape = networks(ms)[name]
    found, _ = results(ms, net, shape)
    x = ms.Tensor(np.random.RandomState(7).normal(size=shape).astype(np.float32))
    call = ms.jit(lambda x: net(x), mode="PIJit")
    for _ in range(2):
        np.testing.assert_allclose(call(x).asnumpy(), found, rtol=1e-4, atol=1e-5)


@pytest.mark.jit
@pytest.mark.captures
@pytest.mark.parametrize("name", NETS)
def test_captured_whole(name):
    net, shape = networks(ms)[name]
    report = ms.explain(lambda x: net(x), ms.Tensor(np.ones(shape, np.float32)))
    assert len(report.regions) == 1 and not report.breaks
