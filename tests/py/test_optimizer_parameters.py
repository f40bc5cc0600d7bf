"""The Parameters of optimizers have MindSpore's names and order, and what is written to them counts."""
import copy

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, mint, nn
from msjit.experimental import optim

OWN = ["weight", "bias"]


def network():
    return nn.Dense(2, 1)


def states(*prefixes):
    return [prefix + name for prefix in prefixes for name in OWN]


def names(optimizer):
    return list(optimizer.parameters_dict())


BEGIN = ["global_step", "learning_rate"] + OWN
POWERS = ["beta1_power", "beta2_power"]


@pytest.mark.parametrize("make, expected", [
    (lambda p: nn.SGD(p, 0.1), BEGIN + ["momentum"] + states("accum.", "stat.")),
    (lambda p: nn.SGD(p, 0.1, momentum=0.9), BEGIN + ["momentum"] + states("accum.", "stat.")),
    (lambda p: nn.Momentum(p, 0.1, 0.9), BEGIN + ["momentum"] + states("moments.")),
    (lambda p: nn.Momentum(p, [0.1, 0.2], 0.9), ["global_step"] + OWN + ["momentum"] + states("moments.") + ["learning_rate"]),
    (lambda p: nn.Momentum(p, nn.ExponentialDecayLR(0.1, 0.9, 4), 0.9), ["global_step"] + OWN + ["momentum"] + states("moments.")),
    (lambda p: nn.Adam(p, 0.1), BEGIN + POWERS + states("moment1.", "moment2.")),
    (lambda p: nn.Adam(p, 0.1, use_amsgrad=True), BEGIN + POWERS + states("moment1.", "moment2.", "vhat.")),
    (lambda p: nn.AdamWeightDecay(p, 0.1), BEGIN + states("adam_m.", "adam_v.")),
    (lambda p: nn.LazyAdam(p, 0.1), BEGIN + POWERS + states("moment1.", "moment2.")),
    (lambda p: nn.AdaMax(p, 0.1), BEGIN + POWERS[:1] + states("moment1.", "moment2.")),
    (lambda p: nn.Adadelta(p, 0.1), BEGIN + states("accum.", "accum_update.")),
    (lambda p: nn.Adagrad(p), BEGIN + states("accum.")),
    (lambda p: nn.ASGD(p), BEGIN + states("mu_", "eta_", "ax_.")),
    (lambda p: nn.FTRL(p), BEGIN + states("moments.", "linear.")),
    (lambda p: nn.Lamb(p, 0.1), BEGIN + states("lamb_m.", "lamb_v.")),
    (lambda p: nn.ProximalAdagrad(p), BEGIN + states("accum.")),
    (lambda p: nn.RMSProp(p, centered=True), BEGIN + states("mean_grad.", "mean_square.", "moment.")),
    (lambda p: nn.Rprop(p), BEGIN + states("prev.", "step_size.")),
    (lambda p: nn.AdaFactor(p), BEGIN + states("exp_avg.", "exp_avg_sq_row_", "exp_avg_sq_col_", "exp_avg_sq_") + ["afactor_step"]),
    (lambda p: nn.LARS(nn.Momentum(p, 0.1, 0.9)), ["global_step"] + OWN + ["learning_rate", "momentum"] + states("moments.")),
    (lambda p: nn.Adam([{"params": p[:1], "lr": 0.5}, {"params": p[1:]}], 0.1),
     ["global_step", "learning_rate_group_0", "learning_rate"] + OWN + POWERS + states("moment1.", "moment2.")),
    (lambda p: nn.Adam([{"params": p[1:], "lr": 0.5}, {"params": p[:1]}, {"order_params": p}], 0.1),
     ["global_step", "learning_rate", "learning_rate_group_0"] + OWN + POWERS + states("moment1.", "moment2.")),
    (lambda p: nn.Adam([{"params": p[:1], "weight_decay": 0.5}, {"params": p[1:]}], 0.1), BEGIN + POWERS + states("moment1.", "moment2.")),
    (lambda p: nn.Adam([{"params": p[:1], "lr": [0.5, 0.1]}, {"params": p[1:]}], 0.1),
     ["global_step"] + OWN + POWERS + states("moment1.", "moment2.") + ["learning_rate_group_0", "learning_rate"]),
])
def test_names(make, expected):
    optimizer = make(network().trainable_params())
    assert names(optimizer) == expected
    again = copy.deepcopy(optimizer)
    assert names(again) == expected


def step(net, optimizer):
    return nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)


X, Y = Tensor(np.float32([[1, 2], [3, 5]])), Tensor(np.float32([[1], [2]]))


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["eager", "PIJit", "PSJit"])
@pytest.mark.parametrize("make", [
    lambda p: nn.Adam(p, 0.1), lambda p: nn.Momentum(p, [0.1, 0.2, 0.3, 0.4, 0.5, 0.6], 0.9), lambda p: nn.SGD(p, 0.1, momentum=0.5),
    lambda p: nn.Adam([{"params": p[:1], "lr": 0.02}, {"params": p[1:]}], 0.1), lambda p: nn.LARS(nn.Momentum(p, 0.1, 0.9))])
def test_training_goes_on_from_a_checkpoint(make, mode, tmp_path):
    def wrapped(cell):
        return cell if mode == "eager" else ms.jit(cell, mode=mode)
    net = network()
    first = step(net, make(net.trainable_params()))
    run = wrapped(first)
    for _ in range(2):
        run(X, Y)
    path = str(tmp_path / "step.ckpt")
    ms.save_checkpoint(first, path)
    net = network()
    second = step(net, make(net.trainable_params()))
    assert ms.load_param_into_net(second, ms.load_checkpoint(path)) == ([], [])
    again = wrapped(second)
    for _ in range(3):
        np.testing.assert_allclose(again(X, Y).asnumpy(), run(X, Y).asnumpy(), rtol=1e-5)
    for one, other in zip(first.get_parameters(), second.get_parameters()):
        assert one.name == other.name
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=1e-5)


@pytest.mark.jit
def test_values_that_are_written_count():
    net = network()
    optimizer = nn.Momentum(net.trainable_params(), 0.5, 0.9)
    run, shown = ms.jit(step(net, optimizer), mode="PIJit"), optimizer.parameters_dict()
    run(X, Y)
    assert optimizer.global_step.asnumpy().tolist() == [1] and optimizer.global_step is shown["global_step"]
    before = net.weight.asnumpy().copy()
    shown["learning_rate"].set_data(Tensor(0.0, ms.float32))
    run(X, Y)
    np.testing.assert_array_equal(net.weight.asnumpy(), before)
    optimizer.learning_rate = 0.25
    assert optimizer.learning_rate is shown["learning_rate"] and float(optimizer.learning_rate) == 0.25
    run(X, Y)
    assert (net.weight.asnumpy() != before).any()
    shown["momentum"].set_data(Tensor(0.5, ms.float32))
    shown["global_step"].set_data(Tensor([7], ms.int32))
    assert optimizer.global_step.asnumpy().tolist() == [7] and optimizer.momentum == 0.5


def test_numbers_follow_the_steps():
    net = network()
    optimizer = nn.Adam(net.trainable_params(), 0.1)
    once = step(net, optimizer)
    for count in range(3):
        shown = {name: param.asnumpy().tolist() for name, param in optimizer.parameters_dict().items()}
        assert shown["global_step"] == [count] and shown["beta1_power"] == pytest.approx(0.9 ** count)
        once(X, Y)
    state = once.state_dict()
    assert "optimizer.global_step" in state and state["optimizer.global_step"].asnumpy().tolist() == [3]
    fresh = step(network(), nn.Adam(network().trainable_params(), 0.1))
    fresh.optimizer.load_state_dict(optimizer.state_dict())
    assert fresh.optimizer.step_count == 3


def test_names_inside_a_cell_and_of_unnamed_parameters():
    class Trainer(nn.Cell):
        def __init__(self, net, optimizer):
            super().__init__()
            self.net, self.opt = net, optimizer

    net = network()
    trainer = Trainer(net, nn.Momentum(net.trainable_params(), 0.1, 0.9))
    assert list(trainer.parameters_dict()) == ["opt." + name for name in OWN + ["global_step", "learning_rate", "momentum"]
                                               + states("moments.")]
    plain = [Parameter(Tensor(np.float32([1]))) for _ in range(2)]
    optimizer = nn.Momentum(plain, 0.1, 0.9)
    assert names(optimizer) == ["global_step", "learning_rate", "Parameter$1", "Parameter$2", "momentum", "moments.Parameter$1",
                                "moments.Parameter$2"]
    groups = nn.Adam([{"params": plain[:1], "lr": 0.5}, {"params": plain[1:]}], 0.1)
    assert isinstance(groups.learning_rate, ParameterTuple) and [p.name for p in groups.learning_rate] == ["learning_rate_group_0", "learning_rate"]


@pytest.mark.parametrize("make, expected", [
    (lambda p: optim.Adam(p, 0.1), states("exp_avg.", "exp_avg_sq.", "max_exp_avg_sq.") + ["state_step"]),
    (lambda p: optim.SGD(p, 0.1), states("accum.", "stat.")),
    (lambda p: optim.Adagrad(p, 0.1), states("accum.") + ["step_t"]),
    (lambda p: optim.Adamax(p, 0.1), ["step_t"] + states("exp_avg.", "exp_inf.")),
    (lambda p: optim.RMSprop(p, 0.1), states("mean_grad.", "mean_square.", "moment.")),
    (lambda p: mint.optim.Adam(p, 0.1), states("exp_avg.", "exp_avg_sq.") + ["state_step"]),
    (lambda p: mint.optim.AdamW(p, 0.1), states("exp_avg.", "exp_avg_sq.") + ["state_step"]),
    (lambda p: mint.optim.SGD(p, 0.1, 0.9), states("momentum_buf.") + ["step_t"]),
])
def test_optimizers_with_dicts_of_options(make, expected, tmp_path):
    net, other = network(), network()
    first, second = make(net.trainable_params()), make(other.trainable_params())
    assert names(first) == OWN + expected
    gradients = tuple(Tensor(np.float32(np.arange(p.size).reshape(p.shape) + 1)) for p in first.parameters)
    for _ in range(3):
        first(gradients)
    path = str(tmp_path / "optimizer.ckpt")
    ms.save_checkpoint(first, path)
    assert ms.load_param_into_net(second, ms.load_checkpoint(path)) == ([], [])
    for _ in range(2):
        first(gradients), second(gradients)
    for one, two in zip(net.get_parameters(), other.get_parameters()):
        np.testing.assert_allclose(one.asnumpy(), two.asnumpy(), rtol=1e-6)


def test_rates_of_parameters():
    first, second = Parameter(Tensor([1.0]), name="first"), Parameter(Tensor([1.0]), name="second")
    step = nn.Momentum([{"params": [first], "lr": 0.5}, {"params": [second]}], 0.25, 0.9)
    assert float(step.get_lr_parameter(first)) == 0.5
    assert [float(rate) for rate in step.get_lr_parameter([first, second])] == [0.5, 0.25]
    with pytest.raises(ValueError, match="param, got 'other', expected a Parameter that is optimised here"):
        step.get_lr_parameter(Parameter(Tensor([1.0]), name="other"))
    with pytest.raises(TypeError, match="param, got int"):
        step.get_lr_parameter(3)
