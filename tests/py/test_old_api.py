"""Spellings that programs written for older MindSpore versions use."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops
from msjit.context import ParallelMode

MODES = [None, pytest.param("PIJit", marks=pytest.mark.jit), pytest.param("PSJit", marks=pytest.mark.jit)]


class Grid(nn.Cell):
    """Detectors number the columns of a feature map in this way."""

    def construct(self, x):
        columns = ops.tuple_to_array(range(x.shape[1]))
        return ops.cast(columns, ms.float32) + x + ops.TupleToArray()(x.shape)[0]


@pytest.mark.parametrize("mode", MODES)
def test_tuple_to_array_takes_a_range(mode):
    grid = Grid()
    if mode:
        grid = ms.jit(grid, mode="PIJit") if mode == "PIJit" else ms.jit(grid)
    for width in (3, 5):
        found = grid(Tensor(np.zeros((2, width), np.float32)))
        np.testing.assert_array_equal(found.asnumpy(), np.tile(np.arange(width) + 2.0, (2, 1)))


def test_tuple_to_array_refuses_other_types():
    assert ops.tuple_to_array(range(1, 6, 2)).asnumpy().tolist() == [1, 3, 5]
    assert ops.tuple_to_array(range(3)).dtype == ms.int32
    with pytest.raises(TypeError, match="tuple_to_array.*got list"):
        ops.tuple_to_array([1, 2])


def test_parallel_modes_are_listed():
    assert ms.get_auto_parallel_context("parallel_mode") in ParallelMode.MODE_LIST
    assert ParallelMode.MODE_LIST == ["stand_alone", "data_parallel", "hybrid_parallel", "semi_auto_parallel", "auto_parallel"]
