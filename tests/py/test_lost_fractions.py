"""No operation puts floats into a tensor of integers, where they would lose their fractions; assignments alone convert."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, nn, ops

ROW, AT, VALUE = [3, 2], Tensor([0]), Tensor([1.5])
MODES = [lambda f: f, lambda f: ms.jit(f, mode="PIJit"), lambda f: ms.jit(f, mode="PSJit")]

IN_PLACE = {
    "add_": lambda x: x.add_(0.5), "sub_": lambda x: x.sub_(Tensor([0.5])), "mul_": lambda x: x.mul_(1.5), "div_": lambda x: x.div_(2),
    "pow_": lambda x: x.pow_(0.5), "exp_": lambda x: x.exp_(), "sqrt_": lambda x: x.sqrt_(), "clamp_": lambda x: x.clamp_(2.5),
    "remainder_": lambda x: x.remainder_(1.5), "normal_": lambda x: x.normal_(), "uniform_": lambda x: x.uniform_(),
    "exponential_": lambda x: x.exponential_(), "sigmoid_": lambda x: x.sigmoid_(),
    "index_add_": lambda x: x.index_add_(0, AT, VALUE), "scatter_add_": lambda x: x.scatter_add_(0, AT, VALUE),
    "index_copy_": lambda x: x.index_copy_(0, AT, VALUE), "scatter_": lambda x: x.scatter_(0, AT, VALUE)}
COPIES = {
    "scatter_add": lambda x: x.scatter_add(0, AT, VALUE), "scatter": lambda x: x.scatter(0, AT, VALUE),
    "index_add": lambda x: x.index_add(0, AT, VALUE), "tensor_scatter_add": lambda x: ops.tensor_scatter_add(x, Tensor([[0]]), VALUE),
    "tensor_scatter_mul": lambda x: ops.tensor_scatter_mul(x, Tensor([[0]]), VALUE),
    "tensor_scatter_elements": lambda x: ops.tensor_scatter_elements(x, AT, VALUE),
    "slice_scatter": lambda x: ops.slice_scatter(x, VALUE, 0, 0, 1)}


@pytest.mark.parametrize("mode", range(3))
@pytest.mark.parametrize("name", sorted({**IN_PLACE, **COPIES}))
def test_floats_do_not_go_into_integers(name, mode):
    function, x = {**IN_PLACE, **COPIES}[name], Tensor(ROW)
    jitted = MODES[mode](function)
    for _ in range(3):
        with pytest.raises(TypeError, match="dtype of the (result|value), got [Ff]loat32, expected one that") as error:
            jitted(x)
        assert str(error.value).startswith("[%s] " % name)
    assert x.asnumpy().tolist() == ROW


def test_assignments_convert():
    x = Tensor(ROW)
    x[0] = 1.5
    x[AT + 1] = Tensor([2.5])
    assert x.asnumpy().tolist() == [1, 2]
    assert Tensor(ROW).copy_(Tensor([1.5, 2.5])).asnumpy().tolist() == [1, 2]
    assert Tensor(ROW).fill_(1.5).asnumpy().tolist() == [1, 1]
    assert Tensor(ROW).masked_fill_(Tensor([True, False]), 1.5).asnumpy().tolist() == [1, 2]
    assert Tensor(ROW).bernoulli_(1.0).asnumpy().tolist() == [1, 1]


def test_results_of_the_same_kind_are_converted():
    assert Tensor(ROW, ms.int32).add_(Tensor([1], ms.int64)).dtype == ms.int32
    assert Tensor([0.5], ms.float16).add_(Tensor([1.0])).dtype == ms.float16
    assert Tensor([True]).mul_(Tensor([True])).asnumpy().tolist() == [True]
    with pytest.raises(TypeError, match="add_"):
        Tensor([True]).add_(1)


def test_arguments_outside_of_a_distribution_give_nan():
    draws = [ops.gamma((3,), Tensor([-1.0]), Tensor([1.0])), ops.gamma((3,), Tensor([1.0]), Tensor([-1.0])), ops.random_gamma(Tensor([3]), Tensor([0.0]))]
    assert all(np.isnan(drawn.asnumpy()).all() for drawn in draws)
    assert np.isfinite(ops.gamma((3,), Tensor([0.5]), Tensor([2.0])).asnumpy()).all()


@pytest.mark.parametrize("function, error, text", [
    (lambda: ops.renorm(Tensor([[1.0, 2.0]]), 1, 0, -1.0), ValueError, r"\[renorm\] maxnorm, got -1.0, expected 0 or more"),
    (lambda: nn.Embedding(5, 3)(3), TypeError, r"\[embedding\] argument, got int, expected a Tensor"),
    (lambda: mint.pow(Tensor([2, 4]), -1), ValueError, r"\[pow\] exponent, got -1, expected 0 or more for a Tensor of Int64"),
    (lambda: ops.stop_gradient_(ms.Parameter(Tensor([1.0]))), NotImplementedError, r"\[stop_gradient_\] input, got a Parameter")])
def test_refused_values(function, error, text):
    with pytest.raises(error, match=text):
        function()


@pytest.mark.parametrize("mode", range(3))
def test_stop_gradient_in_place(mode):
    def stopped(x):
        y = x * 2
        ops.stop_gradient_(y)
        return (y * x).sum()

    def plain(x):
        return ops.stop_gradient_(x * 2) + 1
    x = Tensor([1.0, 2.0])
    for _ in range(3):
        assert ms.grad(MODES[mode](stopped))(x).asnumpy().tolist() == [2, 4]
        assert MODES[mode](plain)(x).asnumpy().tolist() == [3, 5]

    def leaf(x):
        return ops.stop_gradient_(x).sum()
    with pytest.raises(NotImplementedError, match="got an input of a gradient function"):
        ms.grad(MODES[mode](leaf))(x)
