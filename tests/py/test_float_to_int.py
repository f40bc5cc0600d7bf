"""Floats become integers as in NumPy on x86: cut towards zero, then the low bits. Every way of running agrees, for each length of vector."""
import warnings

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops

pytestmark = pytest.mark.jit
INTS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
HELD = [0.0, -0.0, 0.9, -0.9, 1.5, -1.5, 126.9, 100.0, -5.0, -128.0, -3.7, 255.0, 300.5, -300.0, 32768.0, 70000.0, -70000.0, 2147483520.0]
BEYOND = [2147483648.0, 3e9, 5e9, -3e9, 1e10, -1e10, 9.3e18, 1.5e19, 1e20, -1e20, 2.0 ** 63, 2.0 ** 64, -2.0 ** 63, np.inf, -np.inf, np.nan]


def signed(number, bits):
    """A float as an int of so many bits; what these cannot hold is the smallest one."""
    return int(number) if -2.0 ** (bits - 1) <= number < 2.0 ** (bits - 1) else -2 ** (bits - 1)


def cut(number, dtype):
    bits, middle = 8 * dtype.itemsize, 2 ** (8 * dtype.itemsize - 1)
    if bits < 32:
        found = signed(number, 32)
    elif dtype.kind == "i" or not number >= middle:
        found = signed(number, bits)
    else:
        found = signed(number - middle, bits) + middle
    found %= 2 ** bits
    return found - 2 ** bits if dtype.kind == "i" and found >= middle else found


def want(numbers, dtype):
    return [cut(number, np.dtype(dtype)) for number in numbers.astype(np.float64).tolist()]


@pytest.mark.parametrize("dtype", INTS)
def test_the_reference_is_numpy(dtype):
    numbers = np.array([n for n in HELD if np.dtype(dtype).kind == "i" or abs(n) < 100], np.float32)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # NumPy says that some do not fit
        assert want(numbers, dtype) == numbers.astype(dtype).tolist()


@pytest.mark.parametrize("source", ["float16", "float32", "float64"])
@pytest.mark.parametrize("dtype", INTS)
def test_every_way_of_running(source, dtype):
    with np.errstate(over="ignore"):
        numbers = np.array((HELD + BEYOND) * 3, source)[:101]
    x, to = Tensor(numbers), getattr(ms, dtype)
    assert ops.cast(x, to).asnumpy().tolist() == want(numbers, dtype)
    assert Tensor(numbers, to).asnumpy().tolist() == want(numbers, dtype)
    for mode in ("PIJit", "PSJit"):
        fused = ms.jit(lambda x: ops.cast(ops.relu(-x) * 1 - ops.relu(x), to), mode=mode)
        for length in (101, 7, 1):
            part = -np.maximum(numbers[:length], 0) + np.maximum(-numbers[:length], 0)
            for _ in range(3):
                assert fused(Tensor(numbers[:length])).asnumpy().tolist() == want(part, dtype)


def test_constants_are_cut_alike():
    assert ms.jit(lambda: ops.cast(Tensor(-1.0), ms.uint8), mode="PIJit")().asnumpy() == 255
    assert Tensor(-1.0).astype(ms.uint8).asnumpy() == 255 and Tensor([300.0]).astype("uint8").asnumpy() == [44]
    assert int(Tensor(3.99).astype(ms.int8)) == 3
