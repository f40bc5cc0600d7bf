"""State of optimizers that programs make themselves, with the name and the flags of the weights it belongs to."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn
from msjit.experimental import optim
from msjit.mint import optim as mint_optim


def state_of(params, prefix):
    made = []
    for old in params:
        new = Parameter(Tensor(np.zeros(old.shape, np.float32)))
        new.param_info = old.param_info.clone()
        new.requires_aggr = old.requires_aggr
        new.name = prefix + "." + new.name
        made.append(new)
    return ParameterTuple(made)


class Float32State(nn.AdamWeightDecay):
    """Calls the __init__ of its base's base, and makes the state in float32 whatever the weights are."""

    def __init__(self, params, learning_rate, beta1=0.9, beta2=0.999, eps=1e-6, weight_decay=0.0):
        super(nn.AdamWeightDecay, self).__init__(learning_rate, params, weight_decay)
        self.beta1 = Tensor(np.array([beta1], np.float32))
        self.beta2 = Tensor(np.array([beta2], np.float32))
        self.eps = Tensor(np.array([eps], np.float32))
        self.moments1, self.moments2 = state_of(self.parameters, "adam_m"), state_of(self.parameters, "adam_v")


def test_param_info_gives_name_and_flags():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight", requires_grad=False, layerwise_parallel=True)
    weight.comm_fusion = 3
    state = Parameter(Tensor([0.0, 0.0], ms.float16))
    state.param_info = weight.param_info.clone()
    assert (state.name, state.requires_grad, state.layerwise_parallel, state.comm_fusion) == ("weight", False, True, 3)
    assert state.dtype == ms.float16 and state.asnumpy().tolist() == [0, 0]
    state.name = "m." + state.name
    assert (state.name, weight.name) == ("m.weight", "weight")
    assert weight.requires_aggr is True and weight.is_in_parallel is False and weight.init_mode is None
    with pytest.raises(TypeError, match="param_info, got int, expected the param_info of a Parameter"):
        state.param_info = 3


@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
def test_a_class_derived_from_adam_weight_decay(mode):
    nets = [nn.Dense(3, 2, weight_init="ones", bias_init="zeros") for _ in range(2)]
    own = Float32State(nets[0].trainable_params(), 0.1, weight_decay=0.1)
    plain = nn.AdamWeightDecay(nets[1].trainable_params(), 0.1, weight_decay=0.1)
    assert [p.name for p in own.moments1] == ["adam_m.weight", "adam_m.bias"]
    update = (lambda g: own(g)) if mode is None else ms.jit(lambda g: own(g), mode=mode)
    for i in range(4):
        gradients = tuple([Tensor(np.float32(np.arange(p.size).reshape(p.shape) - i)) for p in plain.parameters])
        update(gradients), plain(gradients)
    for one, two in zip(own.parameters + own.moments1 + own.moments2, plain.parameters + plain.moments1 + plain.moments2):
        np.testing.assert_allclose(one.asnumpy(), two.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("package, expected", [(optim, 1 - 0.1 / (1 + 1e-2 / 0.001 ** 0.5)), (mint_optim, 1 - 0.1 / 1.01)])
def test_where_eps_is_added(package, expected):
    """experimental.optim.Adam adds eps to the uncorrected root, as nn.Adam; mint.optim.Adam to the corrected one."""
    param = Parameter(Tensor([1.0]), name="p")
    package.Adam([param], lr=0.1, eps=1e-2)((Tensor([1.0]),))
    assert np.allclose(param.asnumpy(), [expected], rtol=1e-6)


def test_keys_of_a_group():
    params = [Parameter(Tensor([1.0]), name=name) for name in "pq"]
    groups = optim.Adam([{"params": params[:1], "eps": 1e-3}, {"params": params[1:]}]).param_groups
    assert list(groups[0]) == ["params", "eps", "lr", "betas", "weight_decay", "amsgrad", "maximize"]
    assert list(groups[1]) == ["params", "lr", "betas", "eps", "weight_decay", "amsgrad", "maximize"]
    assert "initial_accumulator_value" in optim.Adagrad([params[0]]).param_groups[0]
    assert optim.SGD([params[0]], 0.1).param_groups[0]["grad_centralization"] is False
    assert "grad_centralization" not in mint_optim.SGD([params[0]], 0.1).param_groups[0]


@pytest.mark.parametrize("make", [nn.SGD, optim.SGD])
def test_sgd_without_momentum_never_starts_it(make):  # "stat" says so in MindSpore's checkpoints
    for momentum, stat in ((0.0, 1), (0.9, 0)):
        weight = ms.Parameter(ms.Tensor([1.0]), name="w")
        optimizer = make([weight], 0.1, momentum=momentum)
        optimizer((ms.Tensor([1.0]),))
        assert optimizer.parameters_dict()["stat.w"].asnumpy().tolist() == [stat]


@pytest.mark.parametrize("name", ["Adam", "AdamW", "Adamax", "NAdam", "RAdam"])
def test_betas_in_a_list_and_other_kinds_of_numbers(name):
    """As configuration files have them; mint.optim takes floats and tuples alone, as in MindSpore."""
    values = []
    for betas, lr in (((0.8, 0.9), 0.1), ([0.8, 0.9], Tensor(0.1))):
        params = [Parameter(Tensor([1.0, 2.0]), name="w")]
        step = getattr(optim, name)(params, lr=lr, betas=betas, weight_decay=1)
        for _ in range(3):
            step((Tensor([0.1, 0.2]),))
        values.append(params[0].tolist())
    assert values[0] == values[1]
    if hasattr(mint_optim, name):
        with pytest.raises(TypeError, match="betas must be a tuple"):
            getattr(mint_optim, name)(params, betas=[0.8, 0.9])


@pytest.mark.parametrize("name, options, kind", [
    ("Adagrad", {"eps": 0.0}, ValueError), ("Adagrad", {"lr_decay": -0.1}, ValueError), ("Adagrad", {"initial_accumulator_value": "a"}, TypeError),
    ("Adadelta", {"rho": 1.5}, ValueError), ("Adadelta", {"rho": "a"}, TypeError), ("RMSprop", {"alpha": -0.1}, ValueError),
    ("RMSprop", {"momentum": "a"}, TypeError), ("Adamax", {"eps": 0.0}, ValueError), ("NAdam", {"momentum_decay": -0.1}, ValueError),
    ("RAdam", {"lr": "a"}, TypeError), ("ASGD", {"t0": "a"}, TypeError), ("Adam", {"betas": (0.9, 1.0)}, ValueError),
    ("Adam", {"betas": 0.9}, TypeError), ("AdamW", {"eps": -1}, ValueError)])
def test_options_that_are_none(name, options, kind):
    with pytest.raises(kind, match=r"^\[%s\] " % name):
        getattr(optim, name)([Parameter(Tensor([1.0]), name="w")], **dict({"lr": 0.1}, **options))
