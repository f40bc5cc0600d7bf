"""A list or tuple beside a Tensor in an operator: its elements take the Tensor's dtype, as in MindSpore."""
import operator

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor

TAKES = [operator.add, operator.sub, operator.floordiv]
RAISES = [operator.mul, operator.truediv, operator.mod, operator.and_, operator.or_, operator.matmul, operator.lt, operator.ge, operator.pow]
MODES = [None, "PIJit", "PSJit"]


def in_mode(function, mode):
    return ms.jit(function, mode=mode) if mode else function


@pytest.mark.jit
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("dtype", [ms.int32, ms.uint8, ms.float16, ms.float64], ids=str)
@pytest.mark.parametrize("sequence", [[1, 2, 3], (1.5, 2.5, 3.5), [True, True, True], [2], [[1, 2, 3], [4, 5, 6]], (1, 2.5, True)], ids=str)
@pytest.mark.parametrize("op", TAKES, ids=lambda op: op.__name__)
def test_elements_take_the_dtype_of_the_tensor(op, sequence, dtype, mode):
    t = Tensor([3, 2, 1], dtype)
    same = Tensor(sequence, dtype)
    for got, want in ((in_mode(lambda t: op(t, sequence), mode)(t), op(t, same)), (in_mode(lambda t: op(sequence, t), mode)(t), op(same, t))):
        assert got.dtype == want.dtype
        np.testing.assert_array_equal(got.asnumpy(), want.asnumpy())


@pytest.mark.jit
@pytest.mark.parametrize("mode", MODES)
def test_floats_are_rounded_once(mode):
    got = in_mode(lambda t: t + [0.1, 0.7], mode)(Tensor([0.0, 0.0], ms.float64))
    np.testing.assert_array_equal(got.asnumpy(), [0.1, 0.7])


@pytest.mark.jit
@pytest.mark.parametrize("mode", MODES)
def test_a_list_is_the_base_of_a_power(mode):
    got = in_mode(lambda t: [2.5, 3.0] ** t, mode)(Tensor([2, 3], ms.int32))
    assert got.dtype == ms.int32
    np.testing.assert_array_equal(got.asnumpy(), [4, 27])


@pytest.mark.jit
@pytest.mark.parametrize("mode", [None, "PIJit"])
@pytest.mark.parametrize("op", RAISES, ids=lambda op: op.__name__)
def test_other_operators_raise_type_error(op, mode):
    with pytest.raises(TypeError, match=r"Tensor' and 'list'|\[mul\] operand, got list, expected a Tensor or number"):
        in_mode(lambda t: op(t, [1, 2]), mode)(Tensor([1.0, 2.0]))


def test_lists_do_not_equal_tensors():
    assert (Tensor([1, 2]) == [1, 2]) is False and (Tensor([1, 2]) != (1, 2)) is True


@pytest.mark.jit
@pytest.mark.captures
@pytest.mark.parametrize("op", TAKES, ids=lambda op: op.__name__)
def test_captured_whole(op):
    step = ms.jit(lambda t: op((t + 1), (1, 2)) + op([1, 2], t), mode="PIJit", fullgraph=True)
    t = Tensor([3, 4], ms.float16)
    np.testing.assert_array_equal(step(t).asnumpy(), (op(t + 1, (1, 2)) + op([1, 2], t)).asnumpy())
