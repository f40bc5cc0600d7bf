"""Gradient transforms and optimizer steps inside captured functions: one region that computes, changes and raises what eager code does."""
import os
import time

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn, ops
from training_programs import PROGRAMS
from training_programs import train as train_program

pytestmark = pytest.mark.jit
WHOLE = [dict(mode="PIJit", fullgraph=True), dict(fullgraph=True)]
MODES = [dict(mode="PIJit"), dict()] + [pytest.param(options, marks=pytest.mark.captures) for options in WHOLE]


def data(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).randn(*shape).astype(np.float32))


X, Y = data(12, 8), Tensor((np.arange(12) % 4).astype(np.int32))
IMAGES = data(6, 1, 8, 8)


class Dense(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.LayerNorm([16]), nn.Dense(16, 4))

    def construct(self, x):
        return self.layers(x)


class Convolution(nn.Cell):
    """With running statistics and a mask drawn in each step."""

    def __init__(self):
        super().__init__()
        self.conv, self.norm = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4)
        self.drop, self.dense = nn.Dropout(p=0.25), nn.Dense(64, 4)

    def construct(self, x):
        x = ops.relu(self.norm(self.conv(x.reshape(-1, 1, 8, 8))))
        return self.dense(self.drop(ops.max_pool2d(x, 2, 2).reshape(x.shape[0], -1)))


class Tied(nn.Cell):
    """One Parameter under two names, and views of it."""

    def __init__(self):
        super().__init__()
        self.table = Parameter(data(4, 8, seed=3), name="table")
        self.again = self.table

    def construct(self, x):
        return ops.matmul(ops.matmul(x, self.table.T), self.again)[:, :4]


class OwnSchedule(nn.LearningRateSchedule):
    """A program's own schedule: it gets the step as a Tensor."""

    def construct(self, global_step):
        return 0.1 / (1.0 + ops.cast(global_step, ms.float32))


OPTIMIZERS = {
    "sgd": lambda p: nn.SGD(p, 0.1),
    "sgd_momentum": lambda p: nn.SGD(p, 0.1, momentum=0.9, dampening=0.1, weight_decay=0.01),
    "nesterov": lambda p: nn.Momentum(p, 0.1, 0.9, use_nesterov=True),
    "scaled": lambda p: nn.Momentum(p, 0.1, 0.9, loss_scale=4.0),
    "adam": lambda p: nn.Adam(p, 0.01, weight_decay=0.01),
    "adam_rates": lambda p: nn.Adam(p, [0.01 * (1 + i) for i in range(7)]),
    "adam_decay": lambda p: nn.AdamWeightDecay(p, 0.01, weight_decay=0.1),
    "amsgrad": lambda p: nn.Adam(p, 0.01, use_amsgrad=True),
    "rmsprop": lambda p: nn.RMSProp(p, 0.01, momentum=0.5, centered=True),
    "asgd": lambda p: nn.ASGD(p, 0.1, lambd=0.01, t0=1.0),
    "lamb": lambda p: nn.Lamb(p, OwnSchedule(), weight_decay=0.1),
    "adafactor": nn.AdaFactor,
    "lars": lambda p: nn.LARS(nn.Momentum(p, 0.1, 0.9, weight_decay=0.1), coefficient=0.3),
    "adamw": lambda p: ms.mint.optim.AdamW([dict(params=p[:2], lr=0.1), dict(params=p[2:])], 0.01, amsgrad=True),
    "centred": lambda p: nn.SGD([dict(params=p[:2], grad_centralization=True), dict(params=p[2:])], 0.1),
    "groups": lambda p: nn.Adam([dict(params=p[:1], lr=0.1), dict(params=p[1:], weight_decay=0.1)], 0.01),
}


def by_hand(net, optimizer):
    loss_fn = nn.CrossEntropyLoss()
    value_and_grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    def step(x, y):
        loss, gradients = value_and_grad(x, y)
        optimizer(gradients)
        return loss
    return step


def by_operation(net, optimizer):
    loss_fn = nn.CrossEntropyLoss()
    network = nn.WithLossCell(net, loss_fn)
    operation = ops.GradOperation(get_by_list=True, sens_param=True)
    weights = ParameterTuple(net.trainable_params())

    def step(x, y):
        loss = network(x, y)
        gradients = operation(network, weights)(x, y, ops.ones_like(loss))
        optimizer(gradients)
        return loss
    return step


def by_cell(net, optimizer):
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.CrossEntropyLoss()), optimizer)


def clipped(net, optimizer):
    """Gradient clipping by the global norm, and an average of the weights."""
    loss_fn = nn.CrossEntropyLoss()
    value_and_grad = ms.value_and_grad(lambda x, y: (loss_fn(net(x), y), x), None, optimizer.parameters, has_aux=True)
    averages = [Parameter(p.value(), name="average", requires_grad=False) for p in optimizer.parameters]

    def step(x, y):
        (loss, _), gradients = value_and_grad(x, y)
        norm = ops.sqrt(sum((ops.square(g).sum() for g in gradients), Tensor(0.0)))
        optimizer(tuple(g / ops.maximum(norm, 1.0) for g in gradients))
        for average, parameter in zip(averages, optimizer.parameters):
            ops.assign(average, average * 0.9 + parameter * 0.1)
        return loss, averages[0] * 1
    return step


def train(network, optimizer, make, options, steps=6):
    """(losses, Parameters) after some steps; options None: eager."""
    ms.set_seed(7)
    np.random.seed(7)
    net = network()
    net.set_train()
    chosen = OPTIMIZERS[optimizer](net.trainable_params())
    step = make(net, chosen)
    if options is not None:
        step = ms.jit(step, **options)
    x = IMAGES.reshape(6, 64) if network is Convolution else X
    y = Y[:x.shape[0]]
    losses = []
    for _ in range(steps):
        result = step(x, y)
        losses.append((result[0] if isinstance(result, tuple) else result).asnumpy())
    assert chosen.step_count == steps
    return np.array(losses), [p.asnumpy() for p in net.get_parameters()]


@pytest.mark.costly
@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("optimizer", sorted(OPTIMIZERS))
def test_optimizers(optimizer, options):
    same_training(Dense, optimizer, by_hand, options)


@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("make", [by_operation, by_cell, clipped])
def test_ways_to_write_a_step(make, options):
    same_training(Dense, "adam", make, options)


@pytest.mark.parametrize("options", MODES)
@pytest.mark.parametrize("network", [Convolution, Tied])
def test_networks(network, options):
    same_training(network, "nesterov", by_hand, options)


def same_training(network, optimizer, make, options):
    expected, weights = train(network, optimizer, make, None)
    losses, found = train(network, optimizer, make, options)
    assert expected[-1] != expected[0]
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for a, b in zip(found, weights):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


@pytest.mark.captures
@pytest.mark.skipif("MSJIT_BREAK_EVERY" in os.environ, reason="counts regions")
@pytest.mark.parametrize("options", WHOLE)
def test_batch_sizes_share_a_region(options):
    """The batch size and the step are open: no new capture for each."""
    net, loss_fn = Dense(), nn.CrossEntropyLoss()
    optimizer = nn.Adam(net.trainable_params(), 0.01)
    value_and_grad = ms.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

    @ms.jit(**options)
    def step(x, y):
        loss, gradients = value_and_grad(x, y)
        optimizer(gradients)
        return loss
    for count in (12, 11, 10, 9):
        step(X[:count], Y[:count])
    known = misses(step)
    for count in (8, 7, 6, 5, 4):
        step(X[:count], Y[:count])
    assert misses(step) == known


def misses(step):
    line = step.__wrapped__.__code__.co_firstlineno
    return [region["misses"] for row in ms.report()["functions"] if row["line"] == line for region in row["regions"]]


# -- transforms of all kinds ---------------------------------------------------------------------------------------


def cube(x, y):
    return (x * x * x * y).sum()


def positions(x, y):
    return ms.grad(cube, (0, 1))(x, y), ms.grad(cube)(x, x), ms.grad(lambda a: ops.sin(a))(y)


def values(x, y):
    value, gradient = ms.value_and_grad(cube)(x, y)
    return value, gradient, value * gradient


def auxiliary(x, y):
    return ms.grad(lambda a, b: (cube(a, b), a + b), has_aux=True)(x, y)


def second(x, y):
    return ms.grad(lambda a: (ms.grad(cube)(a, y) * a).sum())(x)


def third(x, y):
    return ms.grad(lambda a: ms.grad(lambda b: ms.grad(cube)(b, y).sum())(a).sum())(x)


def outer_variable(x, y):
    """The inner transform sees `x` as a constant."""
    return ms.grad(lambda a: ms.grad(lambda b: (a * a * b).sum())(y).sum() + (a * x).sum())(x)


def pulled(x, y):
    value, pullback = ms.vjp(lambda a, b: (a * b, a + b), x, y)
    return value, pullback(y, x)


def pushed(x, y):
    return ms.jvp(cube, (x, y), (y, x))


def jacobian(x, y):
    return ops.jacrev(lambda a: a * y[0, :2])(x[0, :2])


def with_seed(x, y):
    return ops.GradOperation(get_all=True, sens_param=True)(lambda a, b: a * b)(x, y, x)


def whole_numbers(x, y):
    return ms.grad(lambda a: (a * a).sum())(Tensor([1, 2, 3])), ms.grad(lambda a: ops.greater(a, 0))(x)


def cut_off(x, y):
    return ms.grad(lambda a: (a.detach() * a + ops.stop_gradient(a * a)).sum())(x)


def unrecorded(x, y):
    def inner(a):
        with ms.no_grad():
            frozen = a * a
        return (frozen * a).sum()
    return ms.grad(inner)(x)


def unreached(x, y):
    return ms.grad(lambda a, b: (a * 2).sum(), (0, 1))(x, y)


def argument_itself(x, y):
    return ms.grad(lambda a: a)(x), ms.value_and_grad(lambda a: a)(y)


def keyword(x, y):
    return ms.value_and_grad(lambda a, b: cube(a, b), 1)(x, b=y)


def structured(x, y):
    return ms.value_and_grad(lambda a: {"out": (a * a, [a + y])})(x)


def identified(x, y):
    gradients = ms.grad(cube, (0, 1), return_ids=True)(x, y)
    return ms.get_grad(gradients, 1)


FUNCTIONS = [positions, values, auxiliary, second, third, outer_variable, pulled, pushed, jacobian, with_seed,
             whole_numbers, cut_off, unrecorded, unreached, argument_itself, keyword, structured, identified]


def flat(value):
    if isinstance(value, Tensor):
        return [value.asnumpy()]
    if isinstance(value, dict):
        value = list(value.values())
    return [a for item in value for a in flat(item)] if isinstance(value, (tuple, list)) else [np.array(value)]


def same_result(found, expected):
    found, expected = flat(found), flat(expected)
    assert len(found) == len(expected)
    for a, b in zip(found, expected):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("options", MODES[:2] + MODES[2:3])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_transforms(function, options):
    for seed in range(3):
        x, y = data(2, 3, seed=seed), data(2, 3, seed=seed + 10)
        same_result(ms.jit(function, **options)(x, y), function(x, y))


# -- whole programs ------------------------------------------------------------------------------------------------


@pytest.mark.costly
@pytest.mark.parametrize("options", [dict(mode="PIJit"), dict()])
@pytest.mark.parametrize("program", PROGRAMS)
def test_training_programs(program, options):
    """One region a step, whose losses are those of eager code."""
    steps = 20 if "MSJIT_BREAK_EVERY" in os.environ else 200
    expected, weights = train_program(program, None, steps)[:2]
    losses, found, regions, breaks, share, _ = train_program(program, options, steps)
    np.testing.assert_allclose(losses, expected, rtol=1e-5)
    for a, b in zip(found, weights):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-5)
    if "MSJIT_BREAK_EVERY" not in os.environ and ms.has_jit:
        assert (regions, breaks) == (1, 0) and share >= 0.99


@pytest.mark.captures
def test_a_long_schedule_costs_what_a_short_one_costs():
    """A learning rate for each of 300,000 steps; looking at all of them would take a hundred times as long as the step."""
    def step_time(count):
        parameter = Parameter(data(8), name="p")
        optimizer = nn.Momentum([parameter], [0.1 / (1 + i) for i in range(count)], 0.9)
        step = ms.jit(lambda g: optimizer((g,)), mode="PIJit")
        gradient, times = data(8, seed=1), []
        for _ in range(40):
            start = time.perf_counter()
            step(gradient)
            times.append(time.perf_counter() - start)
        return parameter.asnumpy(), min(times)
    (short, short_time), (long, long_time) = step_time(50), step_time(300_000)
    np.testing.assert_array_equal(long, short)
    assert long_time < 10 * short_time, (long_time, short_time)
