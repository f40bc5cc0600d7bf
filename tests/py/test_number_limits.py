"""The limits of the number types."""
import numpy as np
import pytest

import msjit as ms
from msjit.common import dtype as mstype
from msjit.common.limits import ENDS, EPSILON


@pytest.mark.parametrize("dtype", mstype.int_type + mstype.uint_type + mstype.float_type, ids=str)
def test_the_tables_say_what_numpy_says(dtype):
    if dtype == ms.bfloat16:
        assert ENDS[dtype] == (-3.3895313892515355e38, 3.3895313892515355e38) and EPSILON[dtype] == 2 ** -7
        return
    kind = np.dtype(ms.dtype_to_nptype(dtype))
    info = np.iinfo(kind) if kind.kind in "iu" else np.finfo(kind)
    assert ENDS[dtype] == (info.min, info.max)
    assert EPSILON.get(dtype) == (None if kind.kind in "iu" else info.eps)
