"""Shapes that do not fit: the error says both, eager and compiled."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, nn, ops


def z(*shape):
    return Tensor(np.zeros(shape, np.float32))


DENSE, CONV, NORM = nn.Dense(3, 4), nn.Conv2d(3, 4, 3), nn.BatchNorm2d(3)
CASES = [
    (lambda a, b: ops.matmul(a, b), z(2, 3), z(4, 5), "[matmul] inner dimensions must match, got 3 and 4 in shapes (2, 3), (4, 5)"),
    (lambda a, b: a @ b, z(2, 2, 3), z(2, 4, 5), "got 3 and 4 in shapes (2, 2, 3), (2, 4, 5)"),
    (lambda a, b: ops.concat((a, b)), z(2, 3), z(2, 4), "[concat] sizes of the other axes must match, got 3 and 4 in shapes (2, 3), (2, 4)"),
    (lambda a, b: ops.stack([a, b]), z(2, 3), z(2, 4), "in shapes (2, 3), (2, 4)"),
    (lambda a, b: DENSE(a), z(2, 5), z(1), "[dense] inner dimensions must match, got 5 and 3 in shapes (2, 5), (4, 3), (4,)"),
    (lambda a, b: CONV(a), z(1, 2, 8, 8), z(1), "got 2 and 3 in shapes (1, 2, 8, 8), (4, 3, 3, 3)"),
    (lambda a, b: NORM(a), z(1, 2, 4, 4), z(1), "[batch_norm] channels of the input, got 2 in shape (1, 2, 4, 4), expected num_features, 3"),
    (lambda a, b: a + b, z(2, 3), z(2, 4), "[add] shapes cannot be broadcast, got (2, 3) and (2, 4)"),
]


@pytest.mark.parametrize("mode", [lambda f: f] + [lambda f: ms.jit(f, mode="PIJit")] * ms.has_jit)
@pytest.mark.parametrize("function, a, b, text", CASES)
def test_both_shapes_are_said(function, a, b, text, mode):
    run = mode(function)
    for _ in range(2):
        with pytest.raises(ValueError) as caught:
            run(a, b)
        assert text in str(caught.value)
