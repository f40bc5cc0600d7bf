"""Buffers, dicts of state, their hooks, hooks with keywords, flags, texts of Cells: what MindSpore 2.10 does."""
import copy
import pickle

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops


class Norm(nn.Cell):
    """A Parameter, a buffer that is saved and one that is not."""

    def __init__(self):
        super().__init__()
        self.scale = Parameter(Tensor([1.0, 2.0]), name="own_name")
        self.register_buffer("mean", Tensor([3.0, 4.0]))
        self.register_buffer("cache", Tensor([5.0]), persistent=False)
        self.register_buffer("nothing", None)

    def construct(self, x):
        return (x - self.mean) * self.scale


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.norm, self.dense = Norm(), nn.Dense(2, 3)

    def construct(self, x):
        return self.dense(self.norm(x))


def test_buffers():
    net = Net()
    assert [name for name, _ in net.named_buffers()] == ["norm.mean", "norm.cache"]
    assert [name for name, _ in net.named_buffers("net", recurse=False)] == [] and len(list(net.buffers())) == 2
    assert net.get_buffer("norm.mean") is net.norm.mean and net.get_sub_cell("norm") is net.norm and net.get_sub_cell("") is net
    net.norm.mean = Tensor([0.0, 0.0])  # stays a buffer
    assert net.state_dict()["norm.mean"] is net.norm.mean
    for made in (copy.deepcopy(net), pickle.loads(pickle.dumps(net.norm))):
        assert [name.split(".")[-1] for name, _ in made.named_buffers()] == ["mean", "cache"]
    del net.norm.mean
    assert [name for name, _ in net.named_buffers()] == ["norm.cache"]
    with pytest.raises(TypeError):
        net.norm.cache = 3
    del net.norm.cache
    assert not list(net.buffers())


@pytest.mark.jit
def test_buffers_under_jit():
    net, x = Net(), Tensor(np.ones((2, 2), np.float32))
    run = ms.jit(net, mode="PIJit")
    for mean in ([3.0, 4.0], [0.0, 1.0]):
        net.norm.mean = Tensor(mean)
        np.testing.assert_array_equal(run(x).asnumpy(), net(x).asnumpy())


def test_state_dict():
    net = Net()
    assert list(net.state_dict()) == ["norm.scale", "norm.mean", "dense.weight", "dense.bias"]
    assert list(net.state_dict(prefix="x."))[0] == "x.norm.scale"
    other = Net()
    state = {name: value + 1 for name, value in net.state_dict().items()}
    result = other.load_state_dict(state)
    assert str(result) == "<All keys matched successfully>" and result == ([], [])
    for name, value in other.state_dict().items():
        np.testing.assert_array_equal(value.asnumpy(), state[name].asnumpy())
    result = other.load_state_dict({"norm.scale": Tensor([1.0, 1.0]), "more": Tensor([1.0])}, strict=False)
    assert result.missing_keys == ["norm.mean", "dense.weight", "dense.bias"] and result.unexpected_keys == ["more"]
    half = other.load_state_dict({"norm.scale": Tensor([1.0, 1.0], ms.float16)}, strict=False)
    assert half.unexpected_keys == [] and other.norm.scale.dtype == ms.float32


def test_extra_state_and_hooks():
    class Counted(nn.Cell):
        def __init__(self):
            super().__init__()
            self.count = 7

        def get_extra_state(self):
            return {"count": self.count}

        def set_extra_state(self, state):
            self.count = state["count"]

    first, second, seen = nn.SequentialCell(Counted(), nn.ReLU()), nn.SequentialCell(Counted(), nn.ReLU()), []
    first[0].count = 9
    assert first.state_dict() == {"0._extra_state": {"count": 9}}
    assert second.load_state_dict(first.state_dict()) == ([], []) and second[0].count == 9
    handles = [first.register_state_dict_pre_hook(lambda cell, prefix, keep: seen.append(("pre", prefix, keep))),
               first.register_state_dict_post_hook(lambda cell, state, prefix, about: state.update(more=1)),
               first.register_load_state_dict_pre_hook(lambda cell, state, *rest: state.pop("more")),
               first.register_load_state_dict_post_hook(lambda cell, keys: seen.append(keys))]
    state = first.state_dict()
    assert list(state) == ["0._extra_state", "more"] and first.load_state_dict(state) == ([], [])
    assert seen == [("pre", "", False), ([], [])] and "more" in state
    for handle in handles:
        handle.remove(), handle.remove()
    assert list(first.state_dict()) == ["0._extra_state"] and len(seen) == 2


@pytest.mark.parametrize("call, error", [
    (lambda net: net.register_buffer("norm", Tensor(1.0)), KeyError), (lambda net: net.register_buffer("a.b", Tensor(1.0)), KeyError),
    (lambda net: net.register_buffer("", Tensor(1.0)), KeyError), (lambda net: net.register_buffer(3, Tensor(1.0)), TypeError),
    (lambda net: net.register_buffer("z", 3), TypeError), (lambda net: net.get_buffer("norm.scale"), AttributeError),
    (lambda net: net.get_sub_cell("norm.x"), AttributeError), (lambda net: net.load_state_dict(3), TypeError),
    (lambda net: net.load_state_dict({}), RuntimeError),
    (lambda net: net.load_state_dict({"dense.weight": Tensor([1.0])}, strict=False), RuntimeError),
    (lambda net: net.load_state_dict({"dense.weight": 3}, strict=False), RuntimeError),
    (lambda net: net.get_extra_state(), RuntimeError), (lambda net: net.register_state_dict_pre_hook(3), TypeError),
    (lambda net: net.register_forward_hook(len, always_call=True), NotImplementedError)])
def test_errors(call, error):
    with pytest.raises(error, match=r"\[\w+\] "):
        call(Net())


def test_wrong_entries_are_all_named():
    with pytest.raises(RuntimeError) as caught:
        Net().load_state_dict({"dense.weight": Tensor([1.0]), "dense.bias": "x", "more": Tensor([1.0])})
    for text in ("shape of dense.weight, got (1,), expected (3, 2)", "value of dense.bias, got str", "norm.scale", "more"):
        assert text in str(caught.value)


@pytest.mark.parametrize("mode", [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit)
def test_hooks_with_keywords_and_order(mode):
    seen = []
    net = nn.Dense(2, 2)
    net.register_forward_hook(lambda cell, args, out: seen.append("second"))
    net.register_forward_hook(lambda cell, args, out: seen.append("first"), prepend=True)
    net.register_forward_hook(lambda cell, args, kwargs, out: seen.append((len(args), sorted(kwargs))), with_kwargs=True)
    net.register_forward_pre_hook(lambda cell, args, kwargs: ((), {"x": kwargs["x"] * 2}), with_kwargs=True)
    x = Tensor(np.ones((1, 2), np.float32))
    expected = ops.dense(x * 2, net.weight, net.bias)
    run = mode(lambda x: net(x=x))
    for _ in range(2):
        np.testing.assert_allclose(run(x).asnumpy(), expected.asnumpy(), 1e-6)
    assert seen == ["first", "second", (0, ["x"])] * 2
    net.register_forward_pre_hook(lambda cell, args, kwargs: 3, with_kwargs=True)
    with pytest.raises(RuntimeError, match="expected None or"):
        net(x=x)


def test_flags_and_texts():
    net = Net()
    assert net.add_flags(a=1).get_flags() == {"a": 1} and net.a == 1 and net.dense.get_flags() == {}
    assert repr(net) == str(net) == ("Net(\n  (norm): Norm()\n"
                                     "  (dense): Dense(input_channels=2, output_channels=3, has_bias=True)\n)")
    assert repr(nn.CellList([nn.ReLU()])) == "CellList(\n  (0): ReLU()\n)" and repr(nn.CellList([])) == "CellList()"
    net.extend_repr = lambda: "own=1"
    assert repr(net).startswith("Net(\n  own=1\n  (norm)")
    p = Parameter(Tensor([1.0, 2.0]), name="p")
    assert str(p) == repr(p) == "Parameter (name=p, shape=(2,), dtype=Float32, requires_grad=True)"
    copied = p.copy()
    assert type(copied) is Parameter and copied.name == "p" and copied is not p
    assert (p.cache_enable, p.comm_fusion, p.inited_param, p.sliced, p.key) == (False, 1, None, False, -1)


def test_what_notebooks_show():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
    net[0].bias.requires_grad = False
    html = net._repr_html_()
    assert "<b>SequentialCell</b>: 9 parameters, 6 of them trained" in html and "weight (3, 2), bias (3,)" in html
    assert html.count("<tr>") == 4 and "input_channels=2, output_channels=3" in html

    class Odd(nn.Cell):
        def extend_repr(self):
            return "<script>"
    assert "<script>" not in Odd()._repr_html_() and "&lt;script&gt;" in Odd()._repr_html_()
    assert "Tensor, shape (2,), Float32" in Tensor([1.0, 2.0])._repr_html_() and "[1. 2.]" in Tensor([1.0, 2.0])._repr_html_()
    assert "5000 values" in ops.ones(5000)._repr_html_() and "Parameter &#x27;w&#x27;" not in Tensor([1.0])._repr_html_()
    assert "&#x27;w&#x27;" in Parameter(Tensor([1.0]), name="w")._repr_html_()


class Scaled(nn.Cell):
    """Saves a number that is no buffer, and reads states in which its weight had another name."""

    def __init__(self):
        super().__init__()
        self.weight, self.scale = Parameter(Tensor([1.0]), name="weight"), Tensor([4.0])

    def _save_to_state_dict(self, destination, prefix, keep_vars):
        super()._save_to_state_dict(destination, prefix, keep_vars)
        destination[prefix + "scale"] = self.scale

    def _load_from_state_dict(self, state_dict, prefix, local_metadata, strict, *lists):
        if local_metadata.get("version") == 1:
            state_dict[prefix + "weight"] = state_dict.pop(prefix + "old")
        self.scale = state_dict.pop(prefix + "scale")
        super()._load_from_state_dict(state_dict, prefix, local_metadata, strict, *lists)


def test_classes_save_and_load_another_state():
    net = nn.SequentialCell(Scaled(), nn.Dense(1, 1))
    state = net.state_dict()
    assert list(state) == ["0.weight", "0.scale", "1.weight", "1.bias"] and list(state._metadata) == ["", "0", "1"]
    state["0.old"], state["0.scale"] = Parameter(Tensor([7.0]), name="old"), Tensor([5.0])
    del state["0.weight"]
    state._metadata["0"]["version"] = 1
    assert str(net.load_state_dict(state)) == "<All keys matched successfully>"
    assert float(net[0].weight) == 7 and float(net[0].scale) == 5 and "0.old" in state
    state["1.other"] = state["2.weight"] = state.pop("1.bias")
    missing, unexpected = net.load_state_dict(state, strict=False)
    assert missing == ["1.bias"] and sorted(unexpected) == ["1.other", "2.weight"]


def test_hooks_of_state_return_none():
    net = nn.Dense(1, 1)
    handle = net.register_state_dict_post_hook(lambda cell, state, prefix, metadata: state)
    with pytest.raises(RuntimeError, match="expected None"):
        net.state_dict()
    handle.remove()
    net.register_load_state_dict_post_hook(lambda cell, keys: keys)
    with pytest.raises(RuntimeError, match="expected None"):
        net.load_state_dict(net.state_dict())
    for options in ({"prefix": 3}, {"destination": []}, {"keep_vars": 1}):
        with pytest.raises(TypeError):
            net.state_dict(**options)


def test_wrappers_and_names():
    class Named(nn.Cell):
        def _get_name(self):
            return "Other"

    class Wrapper(nn.Cell):
        def __init__(self, network):
            super().__init__(auto_prefix=False)
            self.network = network
            self._get_attr_from_cell(network)
            self._get_attr_from_cell(None)
    assert repr(nn.SequentialCell(Named())) == "SequentialCell(\n  (0): Other()\n)"
    inner = nn.Dense(1, 1)
    inner.set_jit_config(ms.JitConfig("O1"))
    assert Wrapper(inner).jit_config_dict == inner.jit_config_dict and Wrapper(nn.ReLU()).jit_config_dict == {}
    members = Wrapper(nn.SequentialCell(inner, inner))._named_members(lambda cell: cell._params.items())
    assert [name for name, _ in members] == ["network.0.weight", "network.0.bias"]
