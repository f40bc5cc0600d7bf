"""Names of Parameters that the program has not named, as MindSpore gives them."""
import copy
import pickle
import re

import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, ParameterTuple, Tensor, nn


def unnamed(**keywords):
    return Parameter(Tensor(np.float32([1, 2])), **keywords)


def names(cell):
    return [p.name for p in cell.get_parameters()]


def test_each_has_a_name_of_its_own():
    made = [unnamed(), unnamed(name=None), unnamed(name=""), unnamed(name=" ")] + list(ParameterTuple([unnamed(), unnamed()]))
    numbers = [int(re.match(r"Parameter#(\d+)$", p.name).group(1)) for p in made]
    assert numbers == list(range(numbers[0], numbers[0] + 6))
    assert unnamed(name="weight").name == "weight" and unnamed(name="Parameter").name == "Parameter"
    for same in (copy.copy, copy.deepcopy, Parameter.clone, lambda p: pickle.loads(pickle.dumps(p))):
        assert same(made[0]).name == made[0].name
    assert [p.name for p in ParameterTuple(made[:2]).clone("moment")] == ["moment." + p.name for p in made[:2]]


def test_a_cell_names_them():
    cell, weight = nn.Cell(), unnamed()
    cell.weight = weight
    cell.bias = unnamed(name="other")
    cell.listed = [unnamed()]
    cell.first = ParameterTuple([unnamed(), unnamed(name="a")])
    cell.second = ParameterTuple([unnamed()])
    assert names(cell) == ["weight", "other", "Parameter$1", "a", "Parameter$2"]
    outer = nn.Cell()
    outer.inner = cell
    assert names(outer) == ["inner.weight", "inner.bias", "inner.Parameter$1", "inner.a", "inner.Parameter$2"]
    again = nn.Cell()
    again.weight = weight.clone()
    assert names(again) == ["inner.weight"]


def test_assigned_names():
    param = unnamed(name="weight")
    param.name = "other"
    assert param.name == "other"
    for wrong in (3, ("a",), b"a"):
        with pytest.raises(ValueError):
            unnamed(name=wrong)
    for same in ("weight", "Parameter"):
        with pytest.raises(ValueError):
            ParameterTuple([unnamed(name=same), unnamed(name=same)])


@pytest.mark.jit
def test_names_in_compiled_code():
    param = unnamed(name="weight")

    def scaled(x):
        return x * 2 if param.name == "weight" else x

    compiled, x = ms.jit(scaled, mode="PIJit"), Tensor(np.float32([1, 2]))
    for name in ("weight", "other", "weight"):
        param.name = name
        for _ in range(2):
            assert compiled(x).asnumpy().tobytes() == scaled(x).asnumpy().tobytes()

    @ms.jit(mode="PIJit")
    def made(x):
        return Parameter(x)

    got = [made(x).name for _ in range(4)]
    assert len(set(got)) == 4 and all(name.startswith("Parameter#") for name in got)
