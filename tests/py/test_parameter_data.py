"""Parameter.data: what is changed in it and assigned to it."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor


def parameter(*values):
    return Parameter(Tensor(list(values), ms.float32), name="p")


def test_changes_of_it_change_the_parameter():
    p = parameter(1, 2)
    p.data[0] = 5
    assert p.asnumpy().tolist() == [5, 2]
    p.data.set_data(Tensor([7.0, 8.0]))
    assert p.asnumpy().tolist() == [7, 8]


def test_assigning_keeps_the_parameter():
    p = parameter(1, 2)
    p.data = Tensor([3.0, 4.0, 5.0])
    assert p.name == "p" and p.asnumpy().tolist() == [3, 4, 5]
    p.data += 1
    p.data = p.data
    assert isinstance(p, Parameter) and p.asnumpy().tolist() == [4, 5, 6]


def test_what_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="expected a Tensor"):
        parameter(1, 2).data = [3, 4]


@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_compiled_functions_read_it_anew(mode):
    p = parameter(1, 2)

    @ms.jit(mode=mode)
    def scaled(x):
        return x * p.data

    @ms.jit(mode=mode)
    def stepped(x):
        p.set_data(p.data + x)
        return p.data * 2

    one = Tensor(np.ones(2, np.float32))
    for _ in range(3):
        assert scaled(one).asnumpy().tolist() == p.asnumpy().tolist()
        before = p.asnumpy()
        assert stepped(one).asnumpy().tolist() == ((before + 1) * 2).tolist()
        assert p.asnumpy().tolist() == (before + 1).tolist()
