"""Values that compare equal and still are not the same to a program."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor

pytestmark = pytest.mark.jit


class Three(int):
    pass


def ends(r, x):
    return x * r.stop, r.step, len(r)


def start_class(r, x):
    return x * len(r), type(r.start).__name__


def parts(c, x):
    return x + 1, c, str(c.imag), str(c.real)


CASES = [(ends, [range(0, 3, 2), range(0, 4, 2), range(0, 3, 2)]), (ends, [range(0), range(2, 1), range(0)]),
         (ends, [range(1, 2, 5), range(1, 2, 7)]), (start_class, [range(3, 9), range(Three(3), 9), range(3, 9)]),
         (parts, [complex(0.0, 1.0), complex(-0.0, 1.0), complex(0.0, 1.0)]), (parts, [1 + 0j, complex(1.0, -0.0), 1 + 0j])]


@pytest.mark.parametrize("f,values", CASES)
def test_equal_values_are_told_apart(f, values):
    jitted, x = ms.jit(f, mode="PIJit"), Tensor(np.float32([1, 2]))
    for value in values:
        for _ in range(2):
            assert str(jitted(value, x)) == str(f(value, x))
