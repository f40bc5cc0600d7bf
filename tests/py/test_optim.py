"""Optimizers against their formulas in NumPy; groups, schedules, errors."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn

STEPS = 5


def setup_params():
    rng = np.random.RandomState(0)
    values = [rng.randn(3, 4).astype(np.float32), rng.randn(4).astype(np.float32)]
    grads = [[rng.randn(*v.shape).astype(np.float32) for v in values] for _ in range(STEPS)]
    return values, grads, [Parameter(Tensor(v), name="p%d" % i) for i, v in enumerate(values)]


def run(optimizer, params, grads, update):
    state = [p.asnumpy().astype(np.float64) for p in params]
    memory = [{} for _ in params]
    for step, row in enumerate(grads):
        assert optimizer(tuple(Tensor(g) for g in row)) == (True,) * len(row)
        for i, g in enumerate(row):
            state[i] = update(state[i], g.astype(np.float64), memory[i], step)
    for p, want in zip(params, state):
        np.testing.assert_allclose(p.asnumpy(), want, rtol=2e-5, atol=2e-6)
    assert optimizer.global_step.asnumpy().tolist() == [STEPS]


@pytest.mark.parametrize("decay", [0.0, 0.1])
def test_sgd(decay):
    _, grads, params = setup_params()
    run(nn.SGD(params, 0.1, weight_decay=decay), params, grads, lambda p, g, m, i: p - 0.1 * (g + decay * p))


@pytest.mark.parametrize("momentum, dampening, nesterov", [(0.9, 0.0, False), (0.9, 0.3, False), (0.8, 0.0, True)])
def test_sgd_momentum(momentum, dampening, nesterov):
    _, grads, params = setup_params()

    def update(p, g, m, i):
        g = g + 0.01 * p
        m["v"] = g if i == 0 else momentum * m["v"] + (1 - dampening) * g
        return p - 0.1 * (g + momentum * m["v"] if nesterov else m["v"])
    run(nn.SGD(params, 0.1, momentum, dampening, 0.01, nesterov), params, grads, update)


@pytest.mark.parametrize("nesterov", [False, True])
def test_momentum(nesterov):
    _, grads, params = setup_params()

    def update(p, g, m, i):
        g = g + 0.01 * p
        m["v"] = 0.9 * m.get("v", 0) + g
        return p - 0.1 * (g + 0.9 * m["v"] if nesterov else m["v"])
    run(nn.Momentum(params, 0.1, 0.9, 0.01, use_nesterov=nesterov), params, grads, update)


def test_adam():
    _, grads, params = setup_params()

    def update(p, g, m, i):
        g = g + 0.01 * p
        m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
        m["v"] = 0.999 * m.get("v", 0) + 0.001 * g * g
        rate = 0.01 * np.sqrt(1 - 0.999 ** (i + 1)) / (1 - 0.9 ** (i + 1))
        return p - rate * m["m"] / (np.sqrt(m["v"]) + 1e-8)
    run(nn.Adam(params, 0.01, weight_decay=0.01), params, grads, update)


def test_adam_weight_decay():
    _, grads, params = setup_params()

    def update(p, g, m, i):
        m["m"] = 0.9 * m.get("m", 0) + 0.1 * g
        m["v"] = 0.999 * m.get("v", 0) + 0.001 * g * g
        return p - 0.01 * (m["m"] / (np.sqrt(m["v"]) + 1e-6) + 0.05 * p)
    run(nn.AdamWeightDecay(params, 0.01, weight_decay=0.05), params, grads, update)


def test_groups_and_loss_scale():
    values, grads, params = setup_params()
    optimizer = nn.SGD([{"params": [params[0]], "lr": 0.5}, {"params": [params[1]], "weight_decay": 0.1},
                        {"order_params": params}], 0.1, loss_scale=2.0)
    optimizer([Tensor(g) for g in grads[0]])
    np.testing.assert_allclose(params[0].asnumpy(), values[0] - 0.5 * grads[0][0] / 2, rtol=1e-5)
    np.testing.assert_allclose(params[1].asnumpy(), values[1] - 0.1 * (grads[0][1] / 2 + 0.1 * values[1]), rtol=1e-5)


@pytest.mark.parametrize("rate, seen", [
    ([0.3, 0.2, 0.1], [0.3, 0.2, 0.1, 0.1]), (Tensor([0.3, 0.2]), [0.3, 0.2, 0.2]), (Tensor(0.25), [0.25, 0.25]),
    (nn.ExponentialDecayLR(0.1, 0.5, 1), [0.1, 0.05, 0.025]), (nn.WarmUpLR(0.4, 2), [0.0, 0.2, 0.4, 0.4])])
def test_learning_rates(rate, seen):
    p = Parameter(Tensor([0.0]), name="p")
    optimizer = nn.SGD([p], rate)
    for want in seen:
        before = p.asnumpy().copy()
        np.testing.assert_allclose(optimizer.get_lr().asnumpy(), want, rtol=1e-6)
        optimizer((Tensor([1.0]),))
        np.testing.assert_allclose(before - p.asnumpy(), want, rtol=1e-4, atol=1e-7)


def test_schedules():
    assert nn.piecewise_constant_lr([2, 4], [0.1, 0.05]) == [0.1, 0.1, 0.05, 0.05]
    assert nn.exponential_decay_lr(0.1, 0.9, 4, 2, 1) == pytest.approx([0.1, 0.1, 0.09, 0.09])
    assert nn.cosine_decay_lr(0.01, 0.1, 6, 2, 2) == pytest.approx([0.1, 0.1, 0.055, 0.055, 0.01, 0.01])
    assert nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 0.5)[2] == pytest.approx(0.07363961)
    assert nn.warmup_lr(0.1, 6, 2, 2) == pytest.approx([0.0, 0.0, 0.05, 0.05, 0.1, 0.1])


def test_schedules_give_tensors():
    rate = nn.CosineDecayLR(0.01, 0.1, 4)(Tensor(2, ms.int32))
    assert rate.dtype == ms.float32 and rate.shape == () and float(rate) == pytest.approx(0.055)
    assert nn.WarmUpLR(0.1, 4)(Tensor([1, 2], ms.int32)).tolist() == pytest.approx([0.025, 0.05])
    assert float(nn.NaturalExpDecayLR(0.1, 0.9, 4)(2)) == pytest.approx(0.1 * np.exp(-1.8))
    assert float(nn.NaturalExpDecayLR(0.1, 0.9, 2, True)(3)) == pytest.approx(0.1 * np.exp(-1.8))


def test_schedule_of_the_program():
    class Half(nn.LearningRateSchedule):
        def construct(self, global_step):
            assert isinstance(global_step, Tensor) and global_step.dtype == ms.int32
            return 0.5 / (global_step + 1)

    p = Parameter(Tensor([1.0]), name="p")
    optimizer = nn.SGD([p], Half())
    for _ in range(2):
        optimizer((Tensor([1.0]),))
    assert p.asnumpy() == pytest.approx([0.25]) and optimizer.dynamic_lr and not optimizer.is_group


@pytest.mark.parametrize("make, error", [
    (lambda: nn.CosineDecayLR(0.1, 0.01, 4), ValueError), (lambda: nn.CosineDecayLR(0.01, 1, 4), TypeError),
    (lambda: nn.WarmUpLR(0.1, 0), ValueError), (lambda: nn.ExponentialDecayLR(0.1, 0.9, 2.0), TypeError),
    (lambda: nn.cosine_decay_lr(0.01, 0.1, 6, 2, 0), ValueError), (lambda: nn.warmup_lr(0.1, 6, 2, 2.0), TypeError),
    (lambda: nn.polynomial_decay_lr(0.1, 0.01, 6, 2, 2, 1), TypeError), (lambda: nn.piecewise_constant_lr(2, 0.1), TypeError),
    (lambda: nn.piecewise_constant_lr([5, 2], [0.1, 0.2]), ValueError)])
def test_schedules_check_their_arguments(make, error):
    with pytest.raises(error):
        make()


@pytest.mark.parametrize("make, error, text", [
    (lambda p: nn.SGD([], 0.1), ValueError, "no parameters"),
    (lambda p: nn.SGD([p, p], 0.1), ValueError, "given twice"),
    (lambda p: nn.SGD([{"params": [p]}, {"params": [p]}], 0.1), RuntimeError, "given twice"),
    (lambda p: nn.SGD([p], -1.0), ValueError, "must not be negative, got -1.0"),
    (lambda p: nn.SGD([p], "x"), ValueError, "learning_rate must be a float, a list or a schedule, got 'x'"),
    (lambda p: nn.SGD([Tensor([1.0])], 0.1), TypeError, "must be Parameters or dicts, got Tensor"),
    (lambda p: nn.SGD([{"params": [p], "rate": 1}], 0.1), KeyError, "parameter group"),
    (lambda p: nn.SGD([p], 0.1, nesterov=True), ValueError, "nesterov needs"),
    (lambda p: nn.Adam([p], beta1=1.0), ValueError, "beta1 must be in"),
    (lambda p: nn.Momentum([p], 0.1, "x"), TypeError, "momentum must be a float"),
    (lambda p: nn.SGD([p], 0.1)((Tensor([1.0]), Tensor([1.0]))), ValueError, "gradients, got 2, expected one"),
    (lambda p: nn.SGD([p], 0.1)((Tensor([1.0, 2.0]),)), ValueError, "wrong shape")])
def test_bad_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make(Parameter(Tensor([1.0]), name="p"))


def test_states_have_names_of_their_own():
    net = nn.Dense(2, 2)
    optimizer = nn.Adam(net.trainable_params())
    assert [p.name for p in optimizer.moment1] == ["moment1.weight", "moment1.bias"]
    assert not any(p.requires_grad for p in optimizer.moment1)
    assert [p.name for p in optimizer.trainable_params()] == ["weight", "bias"]  # those of the network


def test_training_cells():
    ms.set_seed(0)
    net = nn.Dense(4, 3)
    x = Tensor(np.random.RandomState(0).randn(32, 4).astype(np.float32))
    labels = Tensor((x.asnumpy()[:, 0] > 0).astype(np.int32))
    loss_net = nn.WithLossCell(net, nn.CrossEntropyLoss())
    step = nn.TrainOneStepCell(loss_net, nn.Momentum(net.trainable_params(), 0.5, 0.9))
    losses = [float(step(x, labels).asnumpy()) for _ in range(60)]
    assert losses[-1] < 0.2 < losses[0] and net.training
    value, grads = nn.ForwardValueAndGrad(loss_net, net.trainable_params(), get_by_list=True)(x, labels)
    assert len(grads) == 2 and abs(float(value.asnumpy()) - losses[-1]) < 0.1


def test_model(tmp_path, capsys):
    from msjit import dataset
    from msjit.train import LossMonitor, Model
    ms.set_seed(0)
    rng = np.random.RandomState(0)
    x = rng.randn(64, 4).astype(np.float32)
    data = dataset.NumpySlicesDataset((x, (x[:, 0] > 0).astype(np.int32)), ["x", "y"]).batch(16)
    assert data.get_dataset_size() == 4 and data.get_col_names() == ["x", "y"]
    net = nn.Dense(4, 2)
    model = Model(net, nn.CrossEntropyLoss(), nn.Adam(net.trainable_params(), 0.05), {"accuracy", "loss"})
    model.train(20, data, callbacks=LossMonitor(4))
    assert "epoch: 20 step: 4, loss is" in capsys.readouterr().out
    results = model.eval(data)
    assert results["accuracy"] > 0.95 and results["loss"] < 0.3
    assert model.predict(Tensor(x)).shape == (64, 2)


def test_dataset_steps():
    from msjit import dataset
    ms.set_seed(1)

    class Source:
        def __len__(self):
            return 10

        def __getitem__(self, i):
            return np.float32(i), np.int32(i % 2)
    data = dataset.GeneratorDataset(Source(), ["x", "y"], shuffle=False)
    data = data.map(lambda v: v * 2, "x").batch(4)
    rows = [row[0].asnumpy().tolist() for row in data.create_tuple_iterator()]
    assert rows == [[0, 2, 4, 6], [8, 10, 12, 14], [16, 18]]
    assert [d["y"].shape for d in data.create_dict_iterator()] == [(4,), (4,), (2,)]
    shuffled = dataset.GeneratorDataset(Source(), ["x", "y"])
    iterator = shuffled.create_tuple_iterator(output_numpy=True)
    first, second = [[float(r[0]) for r in iterator] for _ in range(2)]
    assert sorted(first) == sorted(second) == [float(i) for i in range(10)] and first != second
    assert len(data.repeat(3)) == 9 and len(data.take(2)) == 2 and len(data.skip(1)) == 2
    both = data.project("x").zip(data.project("y"))
    assert both.get_col_names() == ["x", "y"]
    with pytest.raises(ValueError, match="there is no column 'q'"):
        data.map(abs, "q")
