"""Classes of dtypes, and names below nn.layer that programs import though they are private."""
import pytest

import msjit as ms
from msjit import Parameter, Tensor, nn
from msjit.common import dtype as mstype
from msjit.nn import container
from msjit.ops import functional as F


@pytest.mark.parametrize("kind, members, others", [
    (mstype.Float, [ms.float16, ms.float32, ms.float64], [ms.bfloat16, ms.int32, ms.bool_, 1.0, float]),
    (mstype.Int, [ms.int8, ms.int16, ms.int32, ms.int64], [ms.uint8, ms.bool_, ms.float32, 1]),
    (mstype.Bool, [ms.bool_], [ms.int8, True]),
])
def test_isinstance_tells_the_kind_of_a_dtype(kind, members, others):
    assert all(isinstance(dtype, kind) for dtype in members)
    assert not any(isinstance(other, kind) for other in others)


def test_a_call_gives_the_dtype_of_a_width():
    assert [mstype.Float(bits) for bits in (16, 32, 64)] == [ms.float16, ms.float32, ms.float64]
    assert (mstype.Float(), mstype.Int(), mstype.Bool()) == (mstype.float_, mstype.int_, ms.bool_)
    with pytest.raises(RuntimeError, match=r"\[Int\] number of bits, got 24, expected one of \[8, 16, 32, 64\]"):
        mstype.Int(24)
    with pytest.raises(TypeError, match=r"\[Float\] number of bits, got \('a',\), expected one int or none"):
        mstype.Float("a")


def test_the_kind_decides_in_a_captured_function():
    def scaled(x):
        return x * 2 if isinstance(x.dtype, mstype.Float) else x + 1

    for mode in ("PIJit", "PSJit"):
        captured = ms.jit(scaled, mode=mode)
        for x in (ms.Tensor([1.0, 2.0]), ms.Tensor([1, 2]), ms.Tensor([3.0])):
            assert (captured(x) == scaled(x)).all(), mode


@pytest.mark.parametrize("index, counted", [(0, 0), (2, 2), (-1, 2), (-3, 0)])
def test_indices_of_containers_are_counted_from_the_front(index, counted):
    assert container._valid_index(3, index) == counted
    assert container._valid_index_for_inserting(3, index) == counted


def test_checks_of_containers():
    assert container._valid_index_for_inserting(3, 3) == 3
    with pytest.raises(IndexError, match=r"\[Mine\] index, got 3, expected one in \[-3, 3\)"):
        container._valid_index(3, 3, "Mine")
    with pytest.raises(TypeError, match="type of index, got str, expected int"):
        container._valid_index_for_inserting(3, "a")
    assert container._valid_cell(nn.ReLU())
    with pytest.raises(TypeError, match="items must be Cells, got int"):
        container._valid_cell(3)


def test_older_names_of_base_classes():
    from msjit.nn.loss.loss import _Loss

    from msjit.nn.rnn_cells import RNNCellBase
    from msjit.train.model import ParallelMode
    assert issubclass(_Loss, nn.LossBase) and issubclass(nn.LSTMCell, RNNCellBase)
    assert RNNCellBase(3, 4, True, 2).weight_ih.dtype == ms.float32  # without a dtype
    assert ParallelMode is ms.ParallelMode


def _scaled(x, factor):
    return x * factor if isinstance(F.typeof(x), mstype.TensorType) and not isinstance(F.typeof(factor), mstype.TensorType) else x


@pytest.mark.parametrize("run", [lambda f: f, lambda f: ms.jit(f, mode="PIJit"), ms.jit], ids=["eager", "PIJit", "PSJit"])
def test_types_of_values(run):
    """What layers of programs ask before they compute: whether an argument is a tensor at all."""
    x, scaled = Tensor([1.0, 2.0]), run(_scaled)
    for _ in range(3):
        assert scaled(x, 2).asnumpy().tolist() == [2, 4] and scaled(x, x).asnumpy().tolist() == [1, 2]
    assert str(F.typeof(x)) == "Tensor[Float32]" and isinstance(F.typeof(Parameter(x, name="p")), mstype.TensorType)
    assert (F.typeof(1), F.typeof(1.5), F.typeof(True)) == (ms.int64, ms.float32, ms.bool_)
