"""Parameter.data: what is changed in it and assigned to it."""
import numpy as np
import pytest

import msjit as ms
from msjit import Parameter, Tensor, ops


def parameter(*values):
    return Parameter(Tensor(list(values), ms.float32), name="p")


def test_changes_of_it_change_the_parameter():
    p = parameter(1, 2)
    p.data[0] = 5
    assert p.asnumpy().tolist() == [5, 2]
    p.data.add_(1.0)
    assert p.asnumpy().tolist() == [6, 3]


def test_it_is_a_tensor_on_the_same_memory():
    p = parameter(1, 2)
    data = p.data
    assert type(data) is Tensor and not isinstance(data, Parameter) and not hasattr(data, "name") and str(data) == "[1. 2.]"
    ms.ops.assign_add(p, Tensor([1.0, 1.0]))
    ms.nn.SGD([p], 1.0)((Tensor([0.5, 0.5]),))
    assert data.asnumpy().tolist() == p.asnumpy().tolist() == [1.5, 2.5]
    p.set_data(Tensor([7.0, 8.0]))  # takes other memory, as in MindSpore
    assert data.asnumpy().tolist() == [1.5, 2.5]


def test_two_parameters_are_exchanged():
    p, q = parameter(1, 2), parameter(3, 4)
    kept = p.data
    p.set_data(q.data)
    q.set_data(kept)
    assert p.asnumpy().tolist() == [3, 4] and q.asnumpy().tolist() == [1, 2]


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


def of_a_constant(p, x):
    return ms.grad(lambda x: (p.data * p * x).sum(), None, [p])(x)[0]


def written_and_read(p, x):
    p.data[0] = x[0] + 1
    doubled = p * 2
    p.data.add_(x)
    return doubled + p


def kept_while_written(p, x):
    data = p.data
    data.mul_(x + 1)
    total = p + data
    data[1] = 4.0
    return total + p * data


def kept_while_replaced(p, x):
    data = p.data
    p.set_data(data + x)
    return data * 10 + p.data + p


def kept_while_assigned(p, x):
    data = p.data
    ms.ops.assign_add(p, x)
    return data * 10 + p


@pytest.mark.parametrize("function", [of_a_constant, written_and_read, kept_while_written, kept_while_replaced, kept_while_assigned])
@pytest.mark.parametrize("mode", ["PIJit", "PSJit"])
def test_compiled_functions_agree(mode, function):
    eager, compiled = parameter(1, 2), parameter(1, 2)
    run = ms.jit(lambda x: function(compiled, x), mode=mode)
    for i in range(4):
        x = Tensor([float(i), 1.0])
        assert run(x).asnumpy().tolist() == function(eager, x).asnumpy().tolist()
        assert compiled.asnumpy().tolist() == eager.asnumpy().tolist()
    p = parameter(2, 3)
    assert of_a_constant(p, Tensor([1.0, 1.0])).asnumpy().tolist() == [2, 3]  # as if p.data were a constant


def value_kept_over_a_write(weight, x):
    before = weight.value()
    ops.assign_add(weight, x)
    return before * weight


@pytest.mark.parametrize("mode", ["eager", pytest.param("PIJit", marks=pytest.mark.jit), "PSJit"])
def test_value_is_a_copy_that_later_writes_leave_as_it_is(mode):
    """As in MindSpore, where value() loads; meta learning keeps the weights from before a step this way."""
    weight, x = Parameter(Tensor([1.0, 2.0]), name="weight"), Tensor([1.0, 1.0])
    run = value_kept_over_a_write if mode == "eager" else ms.jit(value_kept_over_a_write, mode=mode)
    assert run(weight, x).asnumpy().tolist() == [2.0, 6.0]
    assert run(weight, x).asnumpy().tolist() == [6.0, 12.0]
    copied = weight.value()
    copied[0] = 9.0
    assert weight.asnumpy().tolist() == [3.0, 4.0]


def test_gradients_flow_through_value():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    gradient, = ms.grad(lambda: (weight.value() * 3).sum(), None, [weight])()
    assert gradient.asnumpy().tolist() == [3.0, 3.0]
