"""Operators written in Python that a captured region goes through, where an earlier form of them ended it."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, ops
from msjit.common.limits import ENDS

pytestmark = [pytest.mark.jit, pytest.mark.captures]
LOW, HIGH = ENDS[ms.float32]
SEGMENTS = Tensor([0, 2, 0], ms.int32)


@pytest.mark.parametrize("function, expected", [
    # A network over graphs takes the maximum of each node's edges in every layer.
    (lambda x: ops.unsorted_segment_max(x, SEGMENTS, 3), [np.inf, LOW, -2.0]),
    (lambda x: ops.unsorted_segment_min(x, SEGMENTS, 3), [1.0, HIGH, -2.0]),
    (lambda x: ops.nan_to_num(x), [1.0, -2.0, HIGH]), (lambda x: ops.eps(x), [2.0 ** -23] * 3),
    (lambda x: ops.clamp(x, Tensor(0.0), Tensor(5.0)), [1.0, 0.0, 5.0]), (lambda x: mint.clamp(x, min=Tensor([0.0, -5.0, 0.0])), [1.0, -2.0, np.inf]),
    (lambda x: ops.repeat_interleave(x, [1, 2, 0], 0), [1.0, -2.0, -2.0])])
def test_they_are_captured_whole(function, expected):
    captured, x = ms.jit(function, mode="PIJit", fullgraph=True), Tensor([1.0, -2.0, np.inf])
    for _ in range(2):
        np.testing.assert_array_equal(captured(x).asnumpy(), np.float32(expected))
