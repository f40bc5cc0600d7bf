"""Arrays of a Parameter that captured code has given new memory."""
import numpy as np
import pytest

from jit_same import same
from msjit import Parameter, Tensor


@pytest.mark.parametrize("fn", [
    lambda p: (p.set_data(p * 2 + 1), p.asnumpy())[1],
    lambda p: (p.asnumpy(), p.set_data(p * 2 + 1), p.asnumpy().sum(), p.asnumpy()[1]),
])
def test_arrays_show_what_set_data_wrote(fn):
    same(fn, lambda variant: (Parameter(Tensor(np.float32([1, 2])), name="p"),))
