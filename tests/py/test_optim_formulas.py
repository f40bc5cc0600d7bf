"""The optimizers beyond SGD and Adam against their formulas in NumPy; groups of options, schedulers, errors."""
import math

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops
from msjit.experimental import optim
from msjit.experimental.optim import lr_scheduler
from msjit.mint import optim as mint_optim
from test_optim import run, setup_params


def make(cls, *args, **kwargs):
    _, grads, params = setup_params()
    return cls(params, *args, **kwargs), params, grads


def rms(p, g, m, i):
    m["s"] = 0.9 * m.get("s", 1) + 0.1 * g * g
    m["g"] = 0.9 * m.get("g", 0) + 0.1 * g
    m["v"] = 0.5 * m.get("v", 0) + 0.1 * g / np.sqrt(m["s"] - m["g"] ** 2 + 1e-10)
    return p - m["v"]


def adagrad(p, g, m, i):
    g = g + 0.01 * p
    m["a"] = m.get("a", 0.1) + g * g
    return p - 0.1 * g / np.sqrt(m["a"])


def adadelta(p, g, m, i):
    m["a"] = 0.9 * m.get("a", 0) + 0.1 * g * g
    move = np.sqrt(m.get("d", 0) + 1e-6) / np.sqrt(m["a"] + 1e-6) * g
    m["d"] = 0.9 * m.get("d", 0) + 0.1 * move * move
    return p - move


def adamax(p, g, m, i):
    m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
    m["v"] = np.maximum(0.999 * m.get("v", 0), np.abs(g))
    return p - 0.001 / (1 - 0.9 ** (i + 1)) * m["m"] / (m["v"] + 1e-8)


def ftrl(p, g, m, i):
    old = m.get("a", 0.1)
    m["a"] = old + g * g
    m["l"] = m.get("l", 0) + g - (np.sqrt(m["a"]) - np.sqrt(old)) / 0.1 * p
    return np.where(np.abs(m["l"]) > 0.01, (0.01 * np.sign(m["l"]) - m["l"]) / (np.sqrt(m["a"]) / 0.1 + 0.2), 0)


def proximal(p, g, m, i):
    m["a"] = m.get("a", 0.1) + g * g
    rate = 0.1 / np.sqrt(m["a"])
    p = p - rate * g
    return np.sign(p) * np.maximum(np.abs(p) - rate * 0.01, 0) / (1 + rate * 0.1)


def asgd(p, g, m, i):
    eta = m.get("eta", 0.1)
    m["eta"] = 0.1 / (1 + 0.01 * 0.1 * (i + 1)) ** 0.75
    return p * (1 - 0.01 * eta) - eta * g


def rprop(p, g, m, i):
    product = g * m.get("g", 0)
    size = m.get("s", np.full(g.shape, 0.1)) * np.where(product > 0, 1.2, np.where(product < 0, 0.5, 1))
    m["s"], m["g"] = np.clip(size, 1e-6, 50), np.where(product < 0, 0, g)
    return p - np.sign(m["g"]) * m["s"]


def lamb(p, g, m, i):
    m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
    m["v"] = 0.999 * m.get("v", 0) + 0.001 * g * g
    move = m["m"] / (1 - 0.9 ** (i + 1)) / (np.sqrt(m["v"] / (1 - 0.999 ** (i + 1))) + 1e-6) + 0.05 * p
    return p - 0.1 * np.linalg.norm(p) / np.linalg.norm(move) * move


def amsgrad(p, g, m, i):
    m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
    m["v"] = 0.999 * m.get("v", 0) + 0.001 * g * g
    m["h"] = np.maximum(m.get("h", 0), m["v"])
    return p - 0.01 * np.sqrt(1 - 0.999 ** (i + 1)) / (1 - 0.9 ** (i + 1)) * m["m"] / (np.sqrt(m["h"]) + 1e-8)


def nesterov(p, g, m, i):
    m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
    m["v"] = 0.999 * m.get("v", 0) + 0.001 * g * g
    rate = 0.01 * np.sqrt(1 - 0.999 ** (i + 1)) / (1 - 0.9 ** (i + 1))
    return p - rate * (0.9 * m["m"] + 0.1 * g) / (np.sqrt(m["v"]) + 1e-8)


@pytest.mark.parametrize("cls, args, keywords, update", [
    (nn.RMSProp, (), dict(momentum=0.5, centered=True), rms), (nn.Adagrad, (0.1, 0.1), dict(weight_decay=0.01), adagrad),
    (nn.Adadelta, (), {}, adadelta), (nn.AdaMax, (), {}, adamax), (nn.FTRL, (0.1, 0.1), dict(l1=0.01, l2=0.1), ftrl),
    (nn.ProximalAdagrad, (0.1, 0.1), dict(l1=0.01, l2=0.1), proximal), (nn.ASGD, (0.1, 0.01), {}, asgd),
    (nn.Rprop, (), {}, rprop), (nn.Lamb, (0.1,), dict(weight_decay=0.05), lamb),
    (nn.Adam, (0.01,), dict(use_amsgrad=True), amsgrad), (nn.Adam, (0.01,), dict(use_nesterov=True), nesterov),
    (nn.LazyAdam, (0.01,), dict(use_nesterov=True), nesterov)])
def test_formulas(cls, args, keywords, update):
    optimizer, params, grads = make(cls, *args, **keywords)
    run(optimizer, params, grads, update)


def test_lars_and_adafactor():
    _, grads, params = setup_params()

    def lars(p, g, m, i):
        weight, slope = np.linalg.norm(p), np.linalg.norm(g)
        g = 0.3 * weight / (slope + 0.1 * weight + 1e-5) * (g + 0.1 * p)
        m["v"] = 0.9 * m.get("v", 0) + g
        return p - 0.1 * m["v"]
    inner = nn.Momentum(params, 0.1, 0.9, weight_decay=0.1)
    optimizer = nn.LARS(inner, coefficient=0.3)
    assert optimizer.parameters is inner.parameters
    run(optimizer, params, grads, lars)

    def adafactor(p, g, m, i):
        kept, square = 1 - (i + 1) ** -0.8, g * g + 1e-30
        rate = min(1e-2, (i + 1) ** -0.5) * max(1e-3, np.sqrt((p * p).mean()))
        if g.ndim > 1:
            m["r"] = kept * m.get("r", 0) + (1 - kept) * square.mean(-1)
            m["c"] = kept * m.get("c", 0) + (1 - kept) * square.mean(-2)
            square = (m["r"] / m["r"].mean())[:, None] * m["c"]
        else:
            m["q"] = square = kept * m.get("q", 0) + (1 - kept) * square
        move = g / np.sqrt(square)
        move = rate * move / max(1, np.sqrt((move * move).mean()))
        m["m"] = 0.9 * m.get("m", 0) + 0.1 * move
        return p - m["m"]
    optimizer, params, grads = make(nn.AdaFactor)
    run(optimizer, params, grads, adafactor)


def test_normalisation_does_not_decay_and_gradients_are_centred():
    def params():
        return [Parameter(Tensor(np.ones((2, 16), np.float32)), name=name) for name in ("weight", "norm.gamma", "norm.beta")]
    zero = Tensor(np.zeros((2, 16), np.float32))
    plain = params()
    nn.SGD(plain, 0.5, weight_decay=0.1)((zero,) * 3)
    np.testing.assert_allclose([p.asnumpy()[0, 0] for p in plain], [0.95, 1, 1])
    grouped = params()
    nn.SGD([{"params": grouped, "weight_decay": 0.1}], 0.5)((zero,) * 3)
    np.testing.assert_allclose([p.asnumpy()[0, 0] for p in grouped], 0.95)
    gradient = np.random.RandomState(0).randn(2, 16).astype(np.float32)
    centred = params()[:1]
    nn.SGD([{"params": centred, "grad_centralization": True}], 1.0)((Tensor(gradient),))
    np.testing.assert_allclose(centred[0].asnumpy(), 1 - (gradient - gradient.mean(1, keepdims=True)), rtol=1e-5, atol=1e-6)


class Falling(nn.LearningRateSchedule):
    def construct(self, global_step):
        return 0.5 / (1 + ms.ops.cast(global_step, ms.float32))


def test_schedules_of_programs():
    """They get the step as a Tensor of one element; they serve as weight decay too."""
    seen = []

    class Watched(Falling):
        def construct(self, global_step):
            seen.append((global_step.shape, global_step.dtype))
            return super().construct(global_step)
    _, grads, params = setup_params()
    run(nn.SGD(params, Watched(), weight_decay=Falling()), params, grads,
        lambda p, g, m, i: p - 0.5 / (1 + i) * (g + 0.5 / (1 + i) * p))
    assert set(seen) == {((1,), ms.int32)}
    optimizer = nn.SGD(params, Falling(), weight_decay=0.1)
    assert float(optimizer.get_lr()) == 0.5 and abs(float(optimizer.get_weight_decay()) - 0.1) < 1e-7


def test_arguments_are_kept():
    from msjit.optim.optimizer import opt_init_args_register

    class Mine(nn.SGD):
        @opt_init_args_register
        def __init__(self, params, learning_rate=0.1, weight_decay=0.0):
            super().__init__(params, learning_rate, weight_decay=weight_decay)
    params = setup_params()[2]
    mine = Mine(params, Tensor([0.5, 0.25]))
    assert mine.init_params == {"params": params} and mine.init_learning_rate == [0.5, 0.25]
    assert mine.init_args == {"weight_decay": 0.0}


@pytest.mark.parametrize("call, error", [
    (lambda p: nn.RMSProp(p, decay=1), TypeError), (lambda p: nn.RMSProp(p, epsilon=0.0), ValueError),
    (lambda p: nn.Adagrad(p, accum=-1.0), ValueError), (lambda p: nn.Adadelta(p, rho=2.0), ValueError),
    (lambda p: nn.AdaMax(p, beta1=1.0), ValueError), (lambda p: nn.FTRL(p, learning_rate=[0.1, 0.2]), ValueError),
    (lambda p: nn.FTRL(p, lr_power=1.0), ValueError), (lambda p: nn.Rprop(p, etas=[0.5, 1.2]), TypeError),
    (lambda p: nn.Rprop(p, etas=(0.5, 0.9)), ValueError), (lambda p: nn.Rprop(p, step_sizes=(2.0, 1.0)), ValueError),
    (lambda p: nn.LARS(3), TypeError), (lambda p: nn.Adam(p, use_amsgrad=1), TypeError),
    (lambda p: nn.Adam(p, use_lazy=True, use_offload=True), ValueError), (lambda p: nn.AdaFactor(p, 0.1), ValueError),
    (lambda p: nn.AdaFactor(p, compression=True), NotImplementedError), (lambda p: nn.ASGD(p, t0=1), TypeError),
    (lambda p: nn.Adam([{"params": p, "grad_centralization": 1}]), TypeError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"^\[\w+\] "):
        call(setup_params()[2])


# -- groups of options -------------------------------------------------------------------------------------------------


def adamw(p, g, m, i):
    m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
    m["v"] = 0.999 * m.get("v", 0) + 0.001 * g * g
    m["h"] = np.maximum(m.get("h", 0), m["v"])
    p = p * (1 - 0.01 * 0.1)
    return p - 0.01 / (1 - 0.9 ** (i + 1)) * m["m"] / (np.sqrt(m["h"]) / np.sqrt(1 - 0.999 ** (i + 1)) + 1e-8)


def sgd(p, g, m, i):
    g = 0.1 * p - g
    m["v"] = g if i == 0 else 0.9 * m["v"] + g
    return p - 0.01 * (g + 0.9 * m["v"])


def radam(p, g, m, i):
    m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
    m["v"] = 0.9 * m.get("v", 0) + 0.1 * g * g
    t, longest = i + 1, 2 / (1 - 0.9) - 1
    length = longest - 2 * t * 0.9 ** t / (1 - 0.9 ** t)
    scale = 1.0
    if length > 5:
        rect = (length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length)
        scale = np.sqrt(1 - 0.9 ** t) * np.sqrt(rect) / (np.sqrt(m["v"]) + 1e-8)
    return p - 0.01 * m["m"] / (1 - 0.9 ** t) * scale


def nadam(p, g, m, i):
    m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
    m["v"] = 0.999 * m.get("v", 0) + 0.001 * g * g
    mu, following = (0.9 * (1 - 0.5 * 0.96 ** ((i + k) * 4e-3)) for k in (1, 2))
    m["mu"] = m.get("mu", 1) * mu
    root = np.sqrt(m["v"] / (1 - 0.999 ** (i + 1))) + 1e-8
    return p - 0.01 * ((1 - mu) / (1 - m["mu"]) * g + following / (1 - m["mu"] * following) * m["m"]) / root


def rmsprop(p, g, m, i):
    m["s"] = 0.99 * m.get("s", 0) + 0.01 * g * g
    m["v"] = 0.5 * m.get("v", 0) + g / (np.sqrt(m["s"]) + 1e-8)
    return p - 0.01 * m["v"]


def adamax2(p, g, m, i):
    m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
    m["u"] = np.maximum(0.999 * m.get("u", 0), np.abs(g) + 1e-8)
    return p - 0.01 / (1 - 0.9 ** (i + 1)) * m["m"] / m["u"]


def asgd2(p, g, m, i):
    eta = m.get("eta", 0.1)
    m["eta"] = 0.1 / (1 + 0.01 * 0.1 * (i + 1)) ** 0.75
    return p * (1 - 0.01 * eta) - eta * g


def adagrad2(p, g, m, i):
    m["a"] = m.get("a", 0.5) + g * g
    return p - 0.01 / (1 + i * 0.1) * g / (np.sqrt(m["a"]) + 1e-10)


@pytest.mark.parametrize("cls, keywords, update", [
    (mint_optim.AdamW, dict(lr=0.01, weight_decay=0.1, amsgrad=True), adamw),
    (mint_optim.SGD, dict(lr=0.01, momentum=0.9, weight_decay=0.1, nesterov=True, maximize=True), sgd),
    (optim.RAdam, dict(lr=0.01, betas=(0.9, 0.9)), radam), (optim.NAdam, dict(lr=0.01), nadam),
    (optim.RMSprop, dict(momentum=0.5), rmsprop), (optim.Adamax, dict(lr=0.01), adamax2),
    (optim.Adagrad, dict(lr_decay=0.1, initial_accumulator_value=0.5), adagrad2), (optim.Adadelta, {}, adadelta),
    (optim.ASGD, dict(lr=0.1, lambd=0.01), asgd2), (optim.Rprop, dict(lr=0.1), rprop)])
def test_grouped(cls, keywords, update):
    optimizer, params, grads = make(cls, **keywords)
    state, memory = [p.asnumpy().astype(np.float64) for p in params], [{} for _ in params]
    for step, row in enumerate(grads):
        assert optimizer(tuple(Tensor(g) for g in row)) is True
        state = [update(p, g.astype(np.float64), m, step) for p, g, m in zip(state, row, memory)]
    for p, want in zip(params, state):
        np.testing.assert_allclose(p.asnumpy(), want, rtol=5e-5, atol=5e-6)


@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
@pytest.mark.parametrize("cls", [mint_optim.AdamW, mint_optim.Adam, optim.SGD, optim.RMSprop, optim.Adamax, optim.ASGD])
def test_training_loops_write_numbers_as_rates(cls, mode):
    results = []
    for as_number in (True, False):
        optimizer, params, grads = make(cls, lr=0.1)

        def step(*row):
            optimizer(row)
            return params[0] + 0

        run_step = step if mode is None else ms.jit(step, mode=mode)
        for at, row in enumerate(grads):
            rate = 0.1 / (at + 1)
            for group in optimizer.param_groups:
                if as_number:
                    group["lr"] = rate
                else:
                    ops.assign(group["lr"], rate)
            run_step(*[Tensor(g) for g in row])
        results.append([p.asnumpy() for p in params])
    for got, want in zip(*results):
        np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-6)


def test_groups_have_options_of_their_own():
    params = setup_params()[2]
    optimizer = mint_optim.SGD([{"params": params[:1], "lr": 1.0, "maximize": True}], 0.5)
    optimizer.add_param_group({"params": params[1]})
    assert [float(lr.asnumpy()) for lr in optimizer.lrs] == [1.0, 0.5] and optimizer.parameters == tuple(params)
    before = [p.asnumpy().copy() for p in params]
    optimizer(tuple(Tensor(np.ones(p.shape, np.float32)) for p in params))
    np.testing.assert_allclose(params[0].asnumpy(), before[0] + 1, rtol=1e-6)
    np.testing.assert_allclose(params[1].asnumpy(), before[1] - 0.5, rtol=1e-5, atol=1e-6)
    adam = mint_optim.Adam(params[:1], amsgrad=True)
    adam.add_param_group({"params": params[1:]})
    assert [p.name for p in adam.exp_avg] == ["exp_avg.p0", "exp_avg.p1"] and len(adam.max_exp_avg_sq) == 2
    adam(tuple(Tensor(np.ones(p.shape, np.float32)) for p in params))
    for bad, error in ((3, TypeError), ({"params": set(params)}, TypeError), ({"params": params}, ValueError)):
        with pytest.raises(error, match=r"^\[SGD\] "):
            optimizer.add_param_group(bad)
    with pytest.raises(ValueError, match="betas is out of range"):
        mint_optim.Adam(params, betas=(0.9, 1.0))
    with pytest.raises(TypeError, match="lr must be a float"):
        mint_optim.AdamW(params, lr=1)


@pytest.mark.parametrize("scheduler, closed", [
    (lambda o: lr_scheduler.StepLR(o, 2, 0.5), lambda e: 0.5 ** (e // 2)),
    (lambda o: lr_scheduler.MultiStepLR(o, [1, 3], 0.5), lambda e: 0.5 ** ((e >= 1) + (e >= 3))),
    (lambda o: lr_scheduler.ConstantLR(o, 0.5, 2), lambda e: 0.5 if e < 2 else 1),
    (lambda o: lr_scheduler.LinearLR(o, 0.5, 1.0, 4), lambda e: 0.5 + 0.5 * min(e, 4) / 4),
    (lambda o: lr_scheduler.ExponentialLR(o, 0.9), lambda e: 0.9 ** e),
    (lambda o: lr_scheduler.PolynomialLR(o, 8, 2.0), lambda e: (1 - e / 8) ** 2),
    (lambda o: lr_scheduler.LambdaLR(o, lambda e: 1 / (1 + e)), lambda e: 1 / (1 + e)),
    (lambda o: lr_scheduler.MultiplicativeLR(o, lambda e: 0.5), lambda e: 0.5 ** e),
    (lambda o: lr_scheduler.CosineAnnealingLR(o, 3), lambda e: 0.5 * (1 + math.cos(math.pi * e / 3))),
    (lambda o: lr_scheduler.CosineAnnealingWarmRestarts(o, 2, 2),
     lambda e: 0.5 * (1 + math.cos(math.pi * (e / 2 if e < 2 else (e - 2) / 4))))])
def test_schedulers(scheduler, closed):
    optimizer = optim.SGD(setup_params()[2], 0.2)
    made = scheduler(optimizer)
    for epoch in range(6):
        np.testing.assert_allclose(float(made.get_last_lr()[0].asnumpy()), 0.2 * closed(epoch), rtol=1e-4, atol=1e-7)
        made.step()
    with pytest.raises(TypeError, match="optimizer, got SGD"):
        scheduler(nn.SGD(setup_params()[2], 0.1)) if not hasattr(made, "lr_lambdas") else lr_scheduler.StepLR(
            nn.SGD(setup_params()[2], 0.1), 1)


@pytest.mark.parametrize("keywords, expected", [
    ({}, [0.01, 0.010045, 0.01009, 0.010135, 0.01018, 0.010225, 0.01027, 0.010315, 0.01036]),
    (dict(step_size_up=3, step_size_down=2), [0.01, 0.04, 0.07, 0.1, 0.055, 0.01, 0.04, 0.07, 0.1]),
    (dict(mode="triangular2", step_size_up=2), [0.01, 0.055, 0.1, 0.055, 0.01, 0.0325, 0.055, 0.0325, 0.01]),
    (dict(mode="exp_range", gamma=0.9, step_size_up=2), [0.01, 0.0505, 0.0829, 0.042805, 0.01, 0.036572, 0.05783, 0.031523, 0.01]),
    (dict(step_size_up=2, scale_fn=lambda x: 1 / (1 + x), scale_mode="iterations"),
     [0.01, 0.0325, 0.04, 0.02125, 0.01, 0.0175, 0.022857, 0.015625, 0.01]),
    (dict(step_size_up=2, scale_fn=lambda x: 1 / x), [0.01, 0.055, 0.1, 0.055, 0.01, 0.0325, 0.055, 0.0325, 0.01])])
def test_cycles(keywords, expected):
    """The numbers are MindSpore's."""
    optimizer = optim.SGD(setup_params()[2], 0.1)
    scheduler = lr_scheduler.CyclicLR(optimizer, 0.01, 0.1, **keywords)
    rates = [float(optimizer.lrs[0].asnumpy())]
    for _ in range(8):
        scheduler.step()
        rates.append(float(scheduler.get_last_lr()[0].asnumpy()))
    np.testing.assert_allclose(rates, expected, atol=1e-6)


@pytest.mark.parametrize("args, keywords, error", [
    (("a", 0.1), {}, TypeError), ((0.1, "a"), {}, TypeError), (([0.1, 0.2], 0.3), {}, ValueError), ((0.1, 0.3), {"mode": "x"}, ValueError),
    ((0.1, 0.3), {"step_size_up": 0}, ValueError), ((0.1, 0.3), {"scale_mode": "x"}, ValueError),
    ((0.1, 0.3), {"scale_fn": 3}, TypeError), ((0.1, 0.3), {"gamma": "x"}, TypeError)])
def test_cycles_check_their_arguments(args, keywords, error):
    with pytest.raises(error, match=r"^\[CyclicLR\] "):
        lr_scheduler.CyclicLR(optim.SGD(setup_params()[2], 0.1), *args, **keywords)


def test_reduce_on_plateau():
    optimizer = optim.SGD(setup_params()[2], 0.1)
    scheduler, rates = lr_scheduler.ReduceLROnPlateau(optimizer, patience=1, factor=0.5, cooldown=1), []
    for value in [1.0, 0.9, 0.95, 0.95, 0.95, 0.95, 0.9, 0.8]:
        scheduler.step(value)
        rates.append(float(optimizer.lrs[0].asnumpy()))
    np.testing.assert_allclose(rates, [0.1, 0.1, 0.1, 0.05, 0.05, 0.05, 0.025, 0.025])


def test_sequence_of_schedulers():
    optimizer = optim.SGD(setup_params()[2], 0.1)
    parts = [lr_scheduler.ConstantLR(optimizer, 0.5, 9), lr_scheduler.ExponentialLR(optimizer, 0.5)]
    scheduler, rates = lr_scheduler.SequentialLR(optimizer, parts, [2]), []
    for _ in range(5):
        rates.append(float(scheduler.get_last_lr()[0].asnumpy()))
        scheduler.step()
    np.testing.assert_allclose(rates, [0.05, 0.05, 0.1, 0.05, 0.025])
    with pytest.raises(ValueError, match="milestones, got 2"):
        lr_scheduler.SequentialLR(optimizer, parts, [2, 3])
    with pytest.raises(ValueError, match="belong to the optimizer"):
        lr_scheduler.SequentialLR(optim.SGD(setup_params()[2], 0.1), parts, [2])
