"""Schedules of learning rates as parts of a program's own: inside another schedule, overridden, in captured steps."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

SCHEDULES = [
    nn.ExponentialDecayLR(0.1, 0.9, 4), nn.ExponentialDecayLR(0.1, 0.9, 4, True), nn.NaturalExpDecayLR(0.1, 0.9, 4),
    nn.NaturalExpDecayLR(0.1, 0.9, 4, True), nn.InverseDecayLR(0.1, 0.9, 4), nn.InverseDecayLR(0.1, 0.9, 4, True),
    nn.CosineDecayLR(0.01, 0.1, 7), nn.PolynomialDecayLR(0.1, 0.01, 5, 2.0), nn.PolynomialDecayLR(0.1, 0.01, 5, 0.5, True),
    nn.WarmUpLR(0.1, 6)]


@pytest.mark.parametrize("dtype", [ms.int32, ms.int64, ms.float32])
@pytest.mark.parametrize("schedule", SCHEDULES, ids=lambda s: type(s).__name__)
def test_a_tensor_of_steps_gives_the_rates_of_the_numbers(schedule, dtype):
    steps = [0, 1, 3, 4, 5, 6, 9, 23]
    rates = schedule(Tensor(steps, dtype))
    assert rates.dtype == ms.float32 and rates.shape == (8,)
    np.testing.assert_allclose(rates.asnumpy(), [float(schedule(s)) for s in steps], rtol=2e-6)
    assert schedule(Tensor(3, dtype)).shape == ()


class WarmUpCosine(nn.LearningRateSchedule):
    """The schedule of many transformers, with a mask instead of a branch."""

    def __init__(self):
        super().__init__()
        self.warm, self.cosine, self.steps = nn.WarmUpLR(0.5, 2), nn.CosineDecayLR(0.05, 0.5, 8), Tensor([2.0])
        self.greater, self.cast = ops.Greater(), ops.Cast()

    def construct(self, global_step):
        warming = self.cast(self.greater(self.steps, global_step), ms.float32)
        return (1.0 - warming) * self.cosine(global_step) + warming * self.warm(global_step)


class Branching(WarmUpCosine):
    def construct(self, global_step):
        if global_step < 2:
            return self.warm(global_step)
        return self.cosine(global_step)


EXPECTED = [0.0, 0.25] + [0.05 + 0.225 * (1 + np.cos(np.pi * i / 8)) for i in range(2, 6)]


@pytest.mark.parametrize("made", [WarmUpCosine, Branching])
@pytest.mark.parametrize("options", [None] + [
    pytest.param(options, marks=[pytest.mark.captures, pytest.mark.jit])
    for options in (dict(mode="PIJit", fullgraph=True), dict(fullgraph=True))])
def test_a_step_with_a_schedule_made_of_others_is_one_graph(made, options):
    weight = Parameter(Tensor([0.0]), name="weight")
    optimizer = nn.SGD([weight], made())

    def step(gradient):
        return optimizer((gradient,))
    if options is not None:
        step = ms.jit(step, **options)
    for i in range(6):
        step(Tensor([1.0]))
        np.testing.assert_allclose(weight.asnumpy(), [-sum(EXPECTED[:i + 1])], rtol=1e-5, atol=1e-7)


class Halved(nn.CosineDecayLR):
    def construct(self, global_step):
        return super().construct(global_step) * 0.5


@pytest.mark.parametrize("mode", ["eager", pytest.param("PIJit", marks=pytest.mark.jit), "PSJit"])
def test_a_construct_that_overrides_that_of_a_schedule_counts(mode):
    weight = Parameter(Tensor([0.0]), name="weight")
    optimizer = nn.SGD([weight], Halved(0.01, 0.1, 4))
    step = (lambda g: optimizer((g,))) if mode == "eager" else ms.jit(lambda g: optimizer((g,)), mode=mode)
    for _ in range(3):
        step(Tensor([1.0]))
    rates = [0.01 + 0.045 * (1 + np.cos(np.pi * i / 4)) for i in range(4)]
    np.testing.assert_allclose(weight.asnumpy(), [-sum(rates[:3]) / 2], rtol=1e-5)
    np.testing.assert_allclose(optimizer.get_lr().asnumpy(), rates[3] / 2, rtol=1e-5)
