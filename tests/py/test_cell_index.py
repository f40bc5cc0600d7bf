"""The dicts `_cells` and `_params` of a Cell, which packages write to and take from: what they hold are the attributes, in every mode."""
import copy
from collections import OrderedDict

import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn, ops

MODES = ["eager", "PIJit"]


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense, self.act = nn.Dense(2, 3, weight_init="ones", bias_init="zeros"), nn.ReLU()

    def construct(self, x):
        return self.act(self.dense(x))


class Walks(Net):
    def construct(self, x):
        for cell in self._cells.values():
            x = cell(x)
        return x


class Minus(nn.Cell):
    def construct(self, x):
        return -x


def twos():
    return Parameter(ops.ones((3, 2), ms.float32) * 2, name="twos")


def written(net, x):
    net._cells["act"] = Minus()
    net.dense._params["weight"] = twos()
    return net(x), net.dense.weight.name, type(net.act).__name__


def updated(net, x):
    net._cells.update({"act": Minus(), "more": nn.ReLU()})
    return net(x), hasattr(net, "more"), list(net._cells)


def taken(net, x):
    old, weight = net._cells.pop("act"), net.dense._params.pop("weight")
    return type(old).__name__, weight.shape, hasattr(net, "act"), hasattr(net.dense, "weight"), net._cells.pop("none", 3)


def deleted(net, x):
    del net._cells["act"]
    name, cell = net._cells.popitem()
    return name, type(cell).__name__, hasattr(net, "act"), hasattr(net, "dense"), list(net._cells)


def cleared(net, x):
    net._cells.clear()
    return hasattr(net, "act"), hasattr(net, "dense"), list(net.name_cells())


def replaced(net, x):
    net._cells = OrderedDict([("act", Minus()), ("dense", net.dense)])
    net.dense._params = {"weight": twos(), "bias": net.dense.bias}
    return net(x), list(net._cells), [p.name for p in net.get_parameters()]


EXPECTED = {
    written: ([[-6, -6, -6]], "twos", "Minus"),
    updated: ([[-3, -3, -3]], True, ["dense", "act", "more"]),
    taken: ("ReLU", (3, 2), False, False, 3),
    deleted: ("dense", "Dense", False, False, []),
    cleared: (False, False, []),
    replaced: ([[-6, -6, -6]], ["act", "dense"], ["twos", "dense.bias"]),
}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("made", ["outside", "inside", "copied"])
@pytest.mark.parametrize("change", list(EXPECTED))
def test_what_the_dicts_hold_are_the_attributes(mode, made, change):
    def run(x):
        return change(Net(), x)

    def run_given(net, x):
        return change(net, x)
    function = run if made == "inside" else run_given
    function = function if mode == "eager" else ms.jit(function, mode=mode)
    for _ in range(3):
        args = () if made == "inside" else (Net(),) if made == "outside" else (copy.deepcopy(Net()),)
        result = function(*args, Tensor([[1.0, 2.0]], ms.float32))
        plain = tuple(r.asnumpy().tolist() if isinstance(r, Tensor) else r for r in result)
        assert plain == EXPECTED[change]


def test_a_cell_taken_out_is_called_no_more():
    net = Net()
    del net._cells["act"]
    with pytest.raises(AttributeError):
        net(Tensor([[1.0, 2.0]], ms.float32))


@pytest.mark.parametrize("mode", ["eager", "PIJit", "PSJit"])
def test_a_construct_that_walks_over_the_dict_sees_what_is_added(mode):
    net = Walks()
    run, x = (net if mode == "eager" else ms.jit(lambda x: net(x), mode=mode)), Tensor([[1.0, 2.0]], ms.float32)
    assert run(x).asnumpy().tolist() == [[3, 3, 3]]
    net._cells["minus"] = Minus()
    assert run(x).asnumpy().tolist() == [[-3, -3, -3]]
