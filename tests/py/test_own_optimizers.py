"""Optimizers and training steps whose construct is the program's: what they read from their bases. Figures of MindSpore 2.10."""
import numpy as np
import pytest
from msjit.experimental.optim.optimizer import Optimizer as GroupedBase

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn, ops
from msjit.ops import composite as C
from msjit.ops import functional as F

rule = C.MultitypeFuncGraph("rule")


@rule.register("Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Tensor", "Bool", "Bool")
def _rule(beta, rate, decay, param, mean, gradient, decays, kept):
    if not kept:
        return gradient
    made = beta * mean + (1 - beta) * gradient
    move = made + decay * param if decays else made
    F.assign(mean, made)
    F.assign(param, param - rate * move)
    return True


class Averaged(nn.Optimizer):
    def __init__(self, learning_rate, params, weight_decay=0.0, loss_scale=1.0):
        super().__init__(learning_rate, params, weight_decay, loss_scale)
        self.beta = Tensor(0.9, ms.float32)
        self.means = self._parameters.clone(prefix="mean", init="zeros")

    def construct(self, gradients):
        gradients = self.scale_grad(self.gradients_centralization(gradients))
        decay, rate = self.get_weight_decay(), self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        rest = (self._parameters, self.means, gradients, self.decay_flags, self.optim_filter)
        if self.is_group and self.is_group_lr:
            return self.hyper_map(F.partial(rule, self.beta), rate, decay, *rest)
        if self.is_group:
            return self.hyper_map(F.partial(rule, self.beta, rate), decay, *rest)
        return self.hyper_map(F.partial(rule, self.beta, rate, decay), *rest)


class Plain(nn.Optimizer):
    def construct(self, gradients):
        gradients = self.scale_grad(self.gradients_centralization(self.decay_weight(gradients)))
        rate = self.get_lr()
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        for param, gradient in zip(self.parameters, gradients):
            ops.assign_sub(param, rate * gradient)
        return True


class Clipped(nn.Adam):
    def construct(self, gradients):
        return super().construct(ops.clip_by_global_norm(gradients, 0.1))


class Schedule(nn.learning_rate_schedule.LearningRateSchedule):
    def __init__(self):
        super().__init__()
        self.inner = nn.CosineDecayLR(0.01, 0.5, 4)

    def construct(self, step):
        return self.inner(step)


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net, self.loss = net, nn.SoftmaxCrossEntropyWithLogits(True, "mean")

    def construct(self, x, y):
        return self.loss(self.net(x), y)


X, Y = Tensor(np.random.RandomState(1).randn(4, 3).astype(np.float32)), Tensor([0, 1, 1, 0], ms.int32)
RATES = [0.1, 0.2, 0.3, 0.4]


def network():
    random, net = np.random.RandomState(0), nn.SequentialCell(nn.Dense(3, 4), nn.ReLU(), nn.Dense(4, 2))
    for param in net.get_parameters():
        param.set_data(Tensor((random.randn(*param.shape) * 0.3).astype(np.float32)))
    return net


def groups(net, **options):
    weights = [p for p in net.trainable_params() if "bias" not in p.name]
    others = [p for p in net.trainable_params() if "bias" in p.name]
    return [dict(params=weights, weight_decay=0.1, **options), {"params": others},
            {"order_params": net.trainable_params()}]


# name: (optimizer, loss scale, loss of the fourth step, first weights, last bias, (dynamic_lr, is_group_lr, exec_weight_decay))
CASES = {
    "averaged": (lambda n: Averaged(0.1, n.trainable_params()), 1.0, 1.01, [0.493, 0.136, 0.284], [0.655, -0.41], (0, 0, 0)),
    "decay": (lambda n: Averaged(0.1, n.trainable_params(), 0.1), 1.0, 0.985, [0.473, 0.131, 0.272], [0.628, -0.393], (0, 0, 1)),
    "decay and scale": (lambda n: Averaged(0.1, n.trainable_params(), 0.1, 64.0), 64.0, 0.694, [0.0033, 0.00458, 0.00283],
                        [0.00607, -0.00196], (0, 0, 1)),
    "schedule": (lambda n: Averaged(Schedule(), n.trainable_params()), 1.0, 0.93, [0.44, 0.16, 0.269], [0.616, -0.371], (1, 0, 0)),
    "list": (lambda n: Averaged(RATES, n.trainable_params()), 1.0, 0.965, [0.424, 0.167, 0.264], [0.605, -0.36], (1, 0, 0)),
    "groups": (lambda n: Averaged(0.1, groups(n)), 1.0, 0.996, [0.473, 0.131, 0.272], [0.655, -0.41], (0, 0, 1)),
    "group rate": (lambda n: Averaged(0.1, groups(n, lr=0.3)), 1.0, 0.943, [0.37, 0.15, 0.232], [0.655, -0.41], (0, 1, 1)),
    "group schedule": (lambda n: Averaged(0.1, groups(n, lr=Schedule())), 1.0, 0.928, [0.382, 0.143, 0.235], [0.655, -0.411],
                       (1, 1, 1)),
    "plain": (lambda n: Plain(0.1, n.trainable_params()), 1.0, 0.893, [0.392, 0.182, 0.251], [0.578, -0.333], (0, 0, 0)),
    "plain decay": (lambda n: Plain(0.1, n.trainable_params(), 0.1, 64.0), 64.0, 0.88, [0.377, 0.175, 0.24], [0.554, -0.319],
                    (0, 0, 1)),
    "plain warmup": (lambda n: Plain(nn.WarmUpLR(0.1, 3), n.trainable_params()), 1.0, 0.982, [0.453, 0.154, 0.272],
                     [0.625, -0.38], (1, 0, 0)),
    "plain list": (lambda n: Plain(RATES, n.trainable_params()), 1.0, 0.81, [0.265, 0.242, 0.188], [0.471, -0.226], (1, 0, 0)),
    "subclass": (lambda n: Clipped(n.trainable_params(), RATES), 1.0, 0.833, [-0.0648, 0.902, -0.543], [0.18, 0.0644], (1, 0, 0)),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", sorted(CASES))
def test_optimizers(name, compiled):
    make, scale, loss, weights, bias, flags = CASES[name]
    net = network()
    optimizer = make(net)
    step = nn.TrainOneStepCell(WithLoss(net), optimizer, scale).set_train()
    call = ms.jit(lambda x, y: step(x, y)) if compiled else step
    for _ in range(4):
        last = call(X, Y)
    np.testing.assert_allclose(last.asnumpy(), loss, 6e-3)
    np.testing.assert_allclose(net[0].weight.asnumpy().reshape(-1)[:3], weights, 6e-3)
    np.testing.assert_allclose(net[2].bias.asnumpy(), bias, 6e-3)
    assert optimizer.global_step.asnumpy().tolist() == [4]
    assert (optimizer.dynamic_lr, optimizer.is_group_lr, optimizer.exec_weight_decay) == flags


def test_what_optimizers_read():
    net = network()
    plain, grouped = Plain(0.1, net.trainable_params(), 0.1, 16.0), Plain(0.1, groups(net, lr=0.2))
    assert plain.need_scale and float(plain.reciprocal_scale) == 0.0625 and not grouped.need_scale
    assert abs(float(plain.weight_decay) - 1.6) < 1e-6 and abs(float(plain.get_weight_decay()) - 1.6) < 1e-6
    assert plain.decay_flags == (True,) * 4 and grouped.decay_flags == (True, False, True, False)
    assert plain.dynamic_decay_flags is False and grouped.dynamic_decay_flags == (False,) * 4
    assert [round(float(rate), 3) for rate in grouped.get_lr()] == [0.2, 0.1, 0.2, 0.1]
    assert (plain.is_group_params_ordered, grouped.is_group_params_ordered) == (False, True)
    assert plain.dynamic_weight_decay is False and grouped.grad_centralization_flags == (False,) * 4
    for name, value in (("use_parallel", False), ("param_rank", None), ("unique", True), ("grad_centralization", False)):
        assert getattr(plain, name) is value


class Own(nn.TrainOneStepCell):
    def construct(self, x, y):
        loss = self.network(x, y)
        if self.sense_flag:
            gradients = self.grad(self.network, self.weights)(x, y, F.fill(loss.dtype, loss.shape, self.sens))
        else:
            gradients = self.grad_no_sens(self.network, self.weights)(x, y)
        return F.depend(loss, self.optimizer(self.grad_reducer(gradients)))


def test_training_steps():
    net = network()
    for sens, loss, weights in ((None, 1.04, [0.488, 0.138, 0.283]), (2.0, 0.98, [0.416, 0.171, 0.261])):
        step = Own(WithLoss(net), nn.SGD(net.trainable_params(), 0.1), sens)
        assert (step.sens, step.sense_flag, step.reducer_flag) == (sens or 1.0, sens is not None, False)
        np.testing.assert_allclose(step(X, Y).asnumpy(), loss, 6e-3)
        np.testing.assert_allclose(net[0].weight.asnumpy().reshape(-1)[:3], weights, 6e-3)
    loss, gradients = nn.TrainOneStepCell(WithLoss(net), nn.SGD(net.trainable_params(), 0.1), return_grad=True)(X, Y)
    np.testing.assert_allclose(loss.asnumpy(), 0.889, 6e-3)
    assert sorted(gradients) == ["0.bias", "0.weight", "2.bias", "2.weight"]
    np.testing.assert_allclose(gradients["0.bias"].asnumpy(), [0.153, -0.0693, -0.0113, -0.0124], 6e-3)


def test_hyper_map_over_parameters_gives_a_tuple():
    params = ParameterTuple([Parameter(Tensor([1.0, 2.0]), name="p"), Parameter(Tensor([3.0]), name="q")])
    found = ops.HyperMap()(lambda param, flag: float(param.sum()) if flag else None, params, (True, False))
    assert found == (3.0, None) and type(found) is tuple
    assert ops.HyperMap()(lambda param: 1, list(params)) == (1, 1)
    two = ops.MultitypeFuncGraph("two")
    two.register("Tensor")(float), two.register("Tensor", "Tensor")(max)
    with pytest.raises(ValueError, match="no definition"):
        two("text")


def test_scaled_steps_have_their_operators():
    net = network()
    step = nn.TrainOneStepWithLossScaleCell(WithLoss(net), nn.SGD(net.trainable_params(), 0.1), Tensor(128.0))
    assert step.reduce_sum(Tensor([1.0, 2.0]), 0).asnumpy() == 3 and bool(step.less_equal(step.base, Tensor(2.0)))
    assert bool(step.logic_not(step.equal(step.base0, Tensor(1, ms.int32)))) and not step.is_distributed
    halves = step.hyper_map(F.partial(lambda scale, g: g / scale, Tensor(2.0)), (Tensor([1.0]), Tensor([2.0])))
    assert [float(h) for h in halves] == [0.5, 1.0]


grouped_rule = ops.MultitypeFuncGraph("own_rule")


@grouped_rule.register("Tensor", "Number", "Tensor", "Tensor", "Tensor")
def _apply_rule(lr, beta, param, gradient, average):
    ops.assign(average, average * beta + gradient)
    ops.assign_sub(param, lr * average)
    return True


class GroupedByMap(GroupedBase):
    """What optimizers of packages for experimental.optim use of their base."""

    def __init__(self, params, lr=0.1, beta=0.5, weight_decay=0.0):
        super().__init__(params, {"lr": lr, "beta": beta, "weight_decay": weight_decay})
        self.average = self.parameters.clone("average", "zeros")

    def construct(self, gradients):
        for number, group in enumerate(self.param_groups):
            part = slice(self.group_start_id[number], self.group_start_id[number + 1])
            params = self.parameters[part]
            decayed = self._decay_weight(group["weight_decay"], params, gradients[part])
            self.hyper_map(ops.partial(grouped_rule, group["lr"], group["beta"]), params, decayed, self.average[part])
        return True


class GroupedByState(GroupedBase):
    """The same with `state`, for one group."""

    def __init__(self, params, lr=0.1, beta=0.5):
        super().__init__(params, {"lr": lr, "beta": beta})

    def construct(self, gradients):
        for group in self.param_groups:
            for param, gradient in zip(group["params"], gradients):
                state = self.state[param]
                state["average"] = gradient if "average" not in state else state["average"] * group["beta"] + gradient
                param.set_data(param - group["lr"] * state["average"])
        return True


@pytest.mark.parametrize("mode", ["eager", "PIJit"])
def test_own_grouped_optimizers(mode):
    def made():
        return Parameter(Tensor([1.0, 2.0], ms.float32), name="p"), Parameter(Tensor([1.0], ms.float32), name="q")
    p, q = made()
    groups = GroupedByMap([{"params": [p], "weight_decay": 0.5}, {"params": [q], "lr": 0.25}])
    r, _ = made()
    state = GroupedByState([r])
    gradients = Tensor([1.0, 2.0], ms.float32), Tensor([4.0], ms.float32)
    run, run_state = (groups, state) if mode == "eager" else (ms.jit(lambda g: groups(g), mode=mode), ms.jit(lambda g: state(g), mode=mode))
    for _ in range(2):
        run(gradients)
        run_state(gradients[:1])
    np.testing.assert_allclose(p.asnumpy(), [0.6325, 1.265], rtol=1e-6)
    np.testing.assert_allclose(q.asnumpy(), [1 - 1 - 1.5], rtol=1e-6)
    np.testing.assert_allclose(r.asnumpy(), [1 - 0.1 - 0.15, 2 - 0.2 - 0.3], rtol=1e-6)
    assert list(state.state) == [r] and isinstance(groups.map_, ops.Map) and groups.average[1].name == "average.q"


class FasterMomentum(nn.Momentum):
    def get_lr(self):
        return super().get_lr() * 2.0


class QuarteredAdam(nn.Adam):
    def gradients_centralization(self, gradients):
        return tuple([g * 0.25 for g in super().gradients_centralization(gradients)])


class DoubledSGD(nn.SGD):
    def decay_weight(self, gradients):
        return tuple([g * 2.0 for g in super().decay_weight(gradients)])


class HalfDecay(nn.AdamWeightDecay):
    def get_weight_decay(self):
        return super().get_weight_decay() * 0.5


@pytest.mark.parametrize("mode", ["eager", "PIJit"])
@pytest.mark.parametrize("own, options, plain, plain_options, factor", [
    (FasterMomentum, {"momentum": 0.9, "weight_decay": 0.1, "loss_scale": 4.0}, nn.Momentum,
     {"learning_rate": 0.2, "momentum": 0.9, "weight_decay": 0.1, "loss_scale": 4.0}, 1),
    (QuarteredAdam, {}, nn.Adam, {}, 0.25),
    (DoubledSGD, {"weight_decay": 0.1}, nn.SGD, {"weight_decay": 0.2}, 2),
    (HalfDecay, {"weight_decay": 0.2}, nn.AdamWeightDecay, {"weight_decay": 0.1}, 1)])
def test_methods_that_prepare_updates_may_be_defined_anew(own, options, plain, plain_options, factor, mode):
    params = [Parameter(Tensor([[1.0, 2.0], [3.0, 4.0]]), name="p") for _ in range(2)]
    gradient = Tensor([[0.5, -1.0], [2.0, 0.25]])
    optimizers = own(params[:1], **dict({"learning_rate": 0.1}, **options)), plain(params[1:], **dict({"learning_rate": 0.1}, **plain_options))
    for optimizer, scale in zip(optimizers, (1, factor)):
        step = optimizer if mode == "eager" else ms.jit(lambda g, o=optimizer: o(g), mode=mode)
        for _ in range(3):
            step((gradient * scale,))
    np.testing.assert_allclose(params[0].asnumpy(), params[1].asnumpy(), rtol=1e-5)
    assert optimizers[0].step_count == 3


def test_methods_that_prepare_updates_know_the_groups():
    p, q = (Parameter(Tensor([1.0]), name=name) for name in "pq")
    optimizer = FasterMomentum([{"params": [p], "weight_decay": 0.5}, {"params": [q]}], 0.1, 0.9)
    optimizer((Tensor([1.0]), Tensor([1.0])))
    np.testing.assert_allclose([float(p), float(q)], [0.7, 0.8], rtol=1e-6)
