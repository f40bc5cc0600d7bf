"""What may be assigned over a sub-cell, a Parameter or a buffer: as in MindSpore."""
import numpy as np
import pytest

import msjit as ms
from jit_same import captured
from msjit import Parameter, ParameterTuple, Tensor, nn, ops


def tensor(*values):
    return Tensor(np.float32(values or (1, 2)))


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.ReLU(), nn.Tanh()
        self.weight, self.scale = Parameter(tensor()), Parameter(tensor())
        self.plain = 3
        self.register_buffer("mean", tensor())

    def construct(self, x):
        return x if self.layer is None else self.layer(x * self.weight)


def names(net):
    return list(net.name_cells()), [name for name, _ in net.parameters_and_names()]


@pytest.mark.parametrize("value", [3, 1.5, "text", [1], [nn.ReLU()], len, nn.ReLU, np.ones(2), ops.relu])
def test_refused(value):
    for name in ("layer", "weight", "mean"):
        net = Net()
        with pytest.raises(TypeError):
            setattr(net, name, value)
        assert names(net) == (["layer", "last"], ["weight", "scale"]) and [n for n, _ in net.named_buffers()] == ["mean"]
        net.plain = value
        assert net.plain is value


def test_one_kind_over_another():
    net = Net()
    for name, value in (("layer", Parameter(tensor())), ("weight", nn.ReLU()), ("mean", nn.ReLU()), ("mean", Parameter(tensor()))):
        with pytest.raises(KeyError):
            setattr(net, name, value)
    with pytest.raises(TypeError):
        net.layer = tensor()
    with pytest.raises(KeyError):
        net.insert_child_to_cell("plain", nn.ReLU())
    with pytest.raises(KeyError):
        net.insert_param_to_cell("layer", Parameter(tensor()))
    net.plain = nn.ReLU()
    net.plain2 = tensor()
    net.plain2 = Parameter(tensor())
    assert names(net) == (["layer", "last", "plain"], ["weight", "scale", "plain2"])


def test_taken_places():
    net = Net()
    net.weight = tensor(5, 6)
    assert isinstance(net.weight, Parameter) and net.weight.asnumpy().tolist() == [5, 6]
    net.layer, net.weight = ops.Tanh(), [Parameter(tensor(), name="a")]
    assert names(net) == (["last"], ["scale"])
    net = Net()
    net.layer, net.weight, net.scale = nn.Tanh(), Parameter(tensor(), name="other"), ParameterTuple([Parameter(tensor())])
    assert names(net)[0] == ["layer", "last"] and net.weight.name == "other"
    net.mean = tensor(7)
    assert [(n, t.asnumpy().tolist()) for n, t in net.named_buffers()] == [("mean", [7])]


def test_none_keeps_the_place():
    net = Net()
    net.layer = net.weight = None
    assert names(net) == (["last"], ["scale"]) and list(net.state_dict()) == ["scale", "mean"]
    assert repr(net) == "Net(\n  (layer): None\n  (last): Tanh()\n)"
    for name in ("layer", "weight"):
        with pytest.raises(TypeError):
            setattr(net, name, 3)
    net.layer, net.weight = nn.Tanh(), Parameter(tensor())
    assert names(net) == (["layer", "last"], ["weight", "scale"])
    net.insert_param_to_cell("later", None)
    assert net.later is None and names(net)[1] == ["weight", "scale"]


@pytest.mark.jit
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_compiled_code_sees_it(mode):
    net, x = Net(), tensor(-1, 2)
    compiled = ms.jit(net.construct, mode=mode)
    for layer in (nn.ReLU(), None, nn.Tanh(), None, nn.ReLU()):
        net.layer = layer
        for _ in range(2):
            np.testing.assert_allclose(compiled(x).asnumpy(), net(x).asnumpy(), rtol=1e-6)


@pytest.mark.jit
def test_assignments_in_compiled_code():
    class Counted(nn.Cell):
        def __init__(self):
            super().__init__()
            self.layer, self.seen, self.weight = nn.ReLU(), 0, Parameter(tensor())

        def construct(self, x, wrong):
            self.seen = x.sum()
            if wrong:
                self.layer = 3
            self.weight = x + 1
            return self.layer(x) * self.weight

    for run in (lambda f: f, lambda f: ms.jit(f, mode="PIJit")):
        net = Counted()
        call = run(net.construct)
        for _ in range(3):
            assert call(tensor(-1, 2), False).asnumpy().tolist() == [0, 6]
            assert net.seen.asnumpy() == 1 and net.weight.asnumpy().tolist() == [0, 3] and isinstance(net.weight, Parameter)
        with pytest.raises(TypeError):
            call(tensor(-1, 2), True)
        assert isinstance(net.layer, nn.ReLU)


class _Times(nn.Cell):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def construct(self, x):
        return x * self.factor


def _called(cells, x):
    for cell in cells:
        x = cell(x)
    return x


def _set_attribute(cells):
    setattr(cells, "1", _Times(5))


def _write_index(cells):
    cells._cells["1"] = _Times(5)


@pytest.mark.parametrize("replace", [_set_attribute, _write_index])
@pytest.mark.parametrize("container", [nn.CellList, nn.SequentialCell])
@pytest.mark.parametrize("wrap", [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit)
def test_a_list_of_cells_goes_over_the_cell_that_took_the_place_of_another(wrap, container, replace):
    cells, call = container([_Times(2), _Times(3)]), wrap(_called)
    assert [call(cells, Tensor([1.0])).tolist() for _ in range(3)] == [[6.0]] * 3
    replace(cells)
    assert [call(cells, Tensor([1.0])).tolist() for _ in range(3)] == [[10.0]] * 3
    assert cells[1].factor == cells[-1].factor == cells[1:][0].factor == 5 and len(cells) == 2


@pytest.mark.parametrize("add", [lambda cells, cell: cells.insert_child_to_cell("2", cell), lambda cells, cell: setattr(cells, "last", cell)])
def test_a_cell_added_by_name_counts_in_a_list_of_cells(add):
    for container in (nn.CellList, nn.SequentialCell):
        cells = container([_Times(2), _Times(3)])
        add(cells, _Times(5))
        assert (len(cells), [cell.factor for cell in cells], cells[2].factor) == (3, [2, 3, 5], 5)
        if container is nn.SequentialCell:  # as in MindSpore, until one of the methods of lists is called
            assert cells(Tensor([1.0])).tolist() == [6.0]
        cells.append(_Times(7))
        assert _called(cells, Tensor([1.0])).tolist() == [210.0]
        delattr(cells, "0")
        assert [cell.factor for cell in cells] == [3, 5, 7]


class _Rotary(nn.Cell):
    def __init__(self):
        super().__init__()
        self.register_buffer("frequencies", tensor(1, 2), persistent=False)
        self.original = self.frequencies
        self.kept = tensor(0, 0)

    def construct(self, x):
        self.kept = x + self.frequencies
        return self.kept * 2


def test_a_second_name_of_a_buffer_is_a_persistent_buffer():
    net = _Rotary()
    assert [name for name, _ in net.named_buffers(remove_duplicate=False)] == ["frequencies", "original"] and list(net.state_dict()) == ["original"]
    net.load_state_dict({"original": tensor(3, 4)})
    assert net.original.tolist() == [3, 4]
    net.kept = tensor(5, 6)
    assert list(net.state_dict()) == ["original"] and net.original is not net.kept


@pytest.mark.captures
def test_a_cell_with_buffers_keeps_a_tensor_of_its_own():
    net = _Rotary()
    captured(lambda x: net(x), lambda variant: (tensor(1 + variant, 2),))
    assert net.kept.tolist() == [2, 4] and list(net.state_dict()) == ["original"]
