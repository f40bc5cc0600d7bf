"""Names that describe a Cell or a Parameter, with what MindSpore 2.10 gives for them; casts in place."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn
from msjit.nn.cell_attributes import MixedPrecisionType


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Dense(2, 3)
        self.rest = nn.SequentialCell(nn.Dense(3, 3), nn.ReLU())

    def construct(self, x):
        return self.rest(self.hidden(x))


FRESH = {"param_prefix": "", "phase": "train", "compile_cache": set(), "exist_names": set(), "exist_objs": set(),
         "bprop_debug": False, "jit_config_dict": {}, "parameter_layout_dict": {}, "compiled": False,
         "parallel_parameter_name_list": (), "parallel_parameter_merge_net_dict": {}, "phase_cache": {},
         "compile_phase": None, "cell_type": None}


@pytest.mark.parametrize("name", sorted(FRESH))
def test_what_a_new_cell_has(name):
    assert getattr(Net(), name) == FRESH[name]


@pytest.mark.parametrize("name, value", [("cell_init_args", "Dense"), ("pipeline_stage", 1), ("pipeline_segment", 0)])
def test_what_is_there_once_it_is_set(name, value):
    net = Net()
    with pytest.raises(AttributeError, match=name):
        getattr(net, name)
    setattr(net, name, value)
    assert getattr(net, name) == value and not hasattr(net.hidden, name)


@pytest.mark.parametrize("name, value, error", [
    ("pipeline_stage", -1, ValueError), ("pipeline_stage", "a", TypeError), ("pipeline_stage", True, TypeError),
    ("phase", 3, TypeError), ("cell_init_args", 3, TypeError), ("bprop_debug", 3, TypeError),
    ("parameter_layout_dict", [], TypeError), ("parallel_parameter_name_list", (), TypeError), ("compile_phase", 1, TypeError)])
def test_wrong_values(name, value, error):
    with pytest.raises(error, match=name):
        setattr(Net(), name, value)


def test_prefixes_and_scopes():
    net = Net()
    assert net.hidden.param_prefix == "" and net.get_scope() is None
    net.update_cell_prefix()
    net.generate_scope()
    assert (net.hidden.param_prefix, net.rest[0].param_prefix) == ("hidden", "rest.0")
    assert net.hidden.get_scope() == "Default/hidden-Dense" and net.get_scope() is None
    assert net.rest[0].get_scope() == "Default/rest-SequentialCell/0-Dense"


def test_phase_follows_set_train():
    net = Net()
    assert net.set_train(False).phase == "predict" and net.hidden.phase == "train"
    assert net.set_train().phase == "train"
    net.phase = "eval"
    assert net.phase == "eval"
    net.compile_phase = "export"
    assert net.rest[0].compile_phase == "export"


def test_flags():
    net = Net()
    assert net.set_boost("less_bn") is net and net.rest[0].less_bn is True
    assert net.set_broadcast_flag() is net and net.hidden.broadcast_flag is True
    assert net.set_comm_fusion(2) is net and net.hidden.weight.comm_fusion == 2
    net.update_cell_type("quant")
    assert net.cell_type == "quant"
    for call in (lambda: net.set_boost("x"), lambda: net.set_comm_fusion(-1)):
        with pytest.raises(ValueError):
            call()


def test_mixed_precision_type():
    net = Net()
    net.hidden.to_float(ms.float16)
    assert net.hidden.get_mixed_precision_type() is MixedPrecisionType.FP16
    assert net.get_mixed_precision_type() is MixedPrecisionType.NOTSET
    assert (net.hidden.fp16, net.hidden.fp32, net.hidden.bf16) == (True, False, False)
    net.rest[0].set_mixed_precision_type(MixedPrecisionType.FP16)
    assert net.rest[0](Tensor(np.ones((1, 3), np.float32))).dtype == ms.float16
    with pytest.raises(TypeError, match="mixed_type"):
        net.set_mixed_precision_type(ms.float16)


def test_names_are_refreshed_where_two_are_the_same():
    net = Net()
    net.rest[0].weight.name = net.hidden.weight.name
    net.check_names_and_refresh_name()
    assert [p.name for p in net.get_parameters()] == ["hidden.weight", "hidden.bias", "rest.0.weight", "rest.0.bias"]


def test_to_casts_in_place():
    net, x = Net(), Tensor(np.ones((1, 2), np.float32))
    net.register_buffer("scale", Tensor([1.0, 2.0]))
    net.register_buffer("count", Tensor([1, 2]))
    step = nn.SGD(net.trainable_params())
    weight, name = net.hidden.weight, net.hidden.weight.name
    before = weight.asnumpy()
    call = ms.jit(lambda value: net(value))
    expected = call(x).asnumpy()
    assert net.to(ms.float16) is net
    assert net.hidden.weight is weight is step.parameters[0] and (weight.name, weight.dtype) == (name, ms.float16)
    np.testing.assert_array_equal(weight.asnumpy(), before.astype(np.float16))
    assert (net.scale.dtype, net.count.dtype) == (ms.float16, ms.int64)
    assert call(x.astype(ms.float16)).dtype == net(x.astype(ms.float16)).dtype == ms.float16
    assert net.to("CPU", ms.float32).hidden.weight.dtype == ms.float32
    np.testing.assert_allclose(call(x).asnumpy(), expected, 2e-3, 2e-3)
    assert net.to(Tensor([1.0], ms.float64)).hidden.bias.dtype == ms.float64
    assert net.to().hidden.bias.dtype == ms.float64 and net.to(device="CPU").hidden.bias.dtype == ms.float64
    assert net.to_empty(device="CPU") is net and net.hidden.weight.shape == (3, 2)


@pytest.mark.parametrize("args, options, error", [
    ((ms.int32,), {}, TypeError), ((3,), {}, TypeError), (("xx",), {}, ValueError), (("Ascend",), {}, RuntimeError),
    ((), {"dtype": ms.float16, "foo": 1}, TypeError), ((), {"dtype": "float16"}, TypeError)])
def test_to_refuses(args, options, error):
    net = Net()
    with pytest.raises(error, match=r"\[to\]"):
        net.to(*args, **options)
    assert net.hidden.weight.dtype == ms.float32


def test_parameter_attributes():
    param = Parameter(Tensor([1.0, 2.0]), name="p", layerwise_parallel=True)
    assert (param.layerwise_parallel, param.parallel_optimizer) == (True, True) and param.clone().layerwise_parallel
    for name in ("layerwise_parallel", "parallel_optimizer"):
        with pytest.raises(TypeError, match=name):
            setattr(param, name, 3)
        with pytest.raises(TypeError, match=name):
            Parameter(Tensor([1.0]), **{name: None})
    assert param.add_pipeline_stage(0) is None
    for stage in (-1, True, "a"):
        with pytest.raises(TypeError, match="stage"):
            param.add_pipeline_stage(stage)


def test_set_dtype():
    param, tensor = Parameter(Tensor([1.0, 2.0]), name="p"), Tensor([1.5, -2.5])
    assert param.set_dtype(ms.float16) == param.dtype == ms.float16
    assert tensor.set_dtype(ms.int32) == ms.int32 and tensor.asnumpy().tolist() == [1, -2]
    with pytest.raises(TypeError, match="dtype"):
        tensor.set_dtype(3)


def test_inputs_by_name_are_arguments_of_construct():
    net = nn.ReLU()
    shape = Tensor(shape=[None, 3], dtype=ms.float32)
    net.set_inputs(input=shape)
    assert net.get_inputs() == {"input": shape}
    with pytest.raises(ValueError, match=r"\[set_inputs\] name of an input, got 'y', expected one of \['input'\]"):
        net.set_inputs(y=shape)
    with pytest.raises(ValueError, match="expected all in one way"):
        net.set_inputs(shape, input=shape)


def test_what_concerns_other_devices_changes_nothing():
    net = nn.ReLU()
    net.offload()
    net.offload(3)
    net.recompute(recompute_slice_activation=True)
    assert net.compile_and_run(Tensor([-1.0, 2.0])).tolist() == [0, 2]
    for call, error in ((lambda: net.offload("Never"), ValueError), (lambda: net.offload(-1), ValueError),
                        (lambda: net.offload(1.5), TypeError), (lambda: net.recompute(often=True), ValueError)):
        with pytest.raises(error):
            call()


def test_prefixes_of_parameters():
    """What a Cell calls in its own __init__ to tell two copies of a network apart."""
    net = Net()
    net._update_local_parameters_name(prefix="target.")
    assert [p.name for p in net.hidden.get_parameters()] == ["target.hidden.weight", "target.hidden.bias"]
    net.scale = Parameter(Tensor([1.0]), name="scale")
    net._update_local_parameters_name("own.", recurse=False)
    assert net.scale.name == "own.scale" and net.hidden.bias.name == "target.hidden.bias"
    for wrong, error in (("", ValueError), ("a b", ValueError), (None, TypeError)):
        with pytest.raises(error, match="prefix"):
            net._update_local_parameters_name(wrong)


class OwnNames(nn.Cell):
    """A Cell whose private names are those that programs often choose."""

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        self._hooks, self._compute_dtype, self._output_dtype = [], ms.float16, ms.float16
        self._jit_config, self._auto_cast, self._saved_hooks = {"level": 2}, True, ()

    def _forward(self, x):
        return self.dense(x)

    def _children(self):
        raise AssertionError("not to be called")

    _replace = _register_parameter = _register_cell = _load_state = _own_state = _own_parameters = _check_free = _recompute = _children

    def construct(self, x, scale=None):
        return self._forward(x) if scale is None else self._forward(x) * scale


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_private_names_of_a_program(mode):
    ms.set_context(mode=mode)
    try:
        net, x = OwnNames(), Tensor([[1.0, 2.0]])
        assert net(x).asnumpy().tolist() == [[3]] and net(x).dtype == ms.float32
        loss, grads = ms.value_and_grad(net, None, net.trainable_params())(x, Tensor(2.0))
        assert loss.asnumpy().tolist() == [[6]] and [g.asnumpy().tolist() for g in grads] == [[[2, 4]], [2]]
        net.set_train()
        net.set_grad()
        assert net(x).asnumpy().tolist() == net(x, Tensor(1.0)).asnumpy().tolist() == [[3]]
        assert [name for name, _ in net.parameters_and_names()] == ["dense.weight", "dense.bias"]
        assert list(net.state_dict()) == ["dense.weight", "dense.bias"]
        net.register_forward_hook(lambda cell, args, out: out + 1)
        assert net(x).asnumpy().tolist() == [[4]] and net._hooks == []
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
