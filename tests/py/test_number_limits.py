"""The limits of the number types, and the operators that need them inside captured functions."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops
from msjit.common import dtype as mstype
from msjit.common.limits import ENDS, EPSILON

SEGMENTS = Tensor([0, 2, 0], ms.int32)


@pytest.mark.parametrize("dtype", mstype.int_type + mstype.uint_type + mstype.float_type, ids=str)
def test_the_tables_say_what_numpy_says(dtype):
    if dtype == ms.bfloat16:
        assert ENDS[dtype] == (-3.3895313892515355e38, 3.3895313892515355e38) and EPSILON[dtype] == 2 ** -7
        return
    kind = np.dtype(ms.dtype_to_nptype(dtype))
    info = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind)
    assert ENDS[dtype] == (info.min, info.max)
    assert EPSILON.get(dtype) == (None if kind.kind in "iu" else info.eps)


@pytest.mark.jit
@pytest.mark.captures
@pytest.mark.parametrize("function, expected", [
    (lambda x: ops.unsorted_segment_max(x, SEGMENTS, 3), [np.inf, ENDS[ms.float32][0], -2.0]),
    (lambda x: ops.unsorted_segment_min(x, SEGMENTS, 3), [1.0, ENDS[ms.float32][1], -2.0]),
    (lambda x: ops.nan_to_num(x), [1.0, -2.0, ENDS[ms.float32][1]]), (lambda x: ops.eps(x), [2.0 ** -23] * 3)])
def test_operators_that_need_them_are_captured_whole(function, expected):
    """A network over graphs takes the maximum of each node's edges this way in every layer."""
    captured, x = ms.jit(function, mode="PIJit", fullgraph=True), Tensor([1.0, -2.0, np.inf])
    for _ in range(2):
        np.testing.assert_array_equal(captured(x).asnumpy(), np.float32(expected))
