"""uint16, uint32 and uint64: values against NumPy, what they mix with, and PIJit and PSJit against eager runs."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops

DTYPES = ["uint16", "uint32", "uint64"]
modes = pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
each = pytest.mark.parametrize("dtype", DTYPES)


def values(dtype):
    top = np.iinfo(dtype).max
    return (np.array([0, 1, 2, 7, 200, top // 2, top // 2 + 1, top - 1, top], dtype),
            np.array([1, 2, 2, 3, 7, top, 5, 2, top], dtype))


def jitted(fn, mode):
    return fn if mode is None else ms.jit(fn, mode=mode)


def exact(got, want):
    want = np.asarray(want)
    assert got.asnumpy().dtype == want.dtype
    np.testing.assert_array_equal(got.asnumpy(), want)


@each
def test_made_and_printed(dtype):
    x = values(dtype)[0]
    t = Tensor(x)
    exact(t, x)
    assert t.tolist() == x.tolist() and t[8].item() == np.iinfo(dtype).max and int(t[8]) == np.iinfo(dtype).max
    name = {"uint16": "UInt16", "uint32": "UInt32", "uint64": "UInt64"}[dtype]
    assert str(t.dtype) == name and repr(t.dtype) == "msjit." + dtype and not t.dtype.is_signed
    assert repr(Tensor(x[:2])) == "Tensor(shape=[2], dtype=%s, value= [0, 1])" % name and str(t) == str(x)
    exact(Tensor(3, getattr(ms, dtype)), np.array(3, dtype))
    exact(Tensor(-1, getattr(ms, dtype)), np.array(np.iinfo(dtype).max, dtype))
    exact(Tensor(np.array(x[::-1])[::2]), x[::-1][::2])
    exact(ms.from_dlpack(ms.to_dlpack(t)), x)
    np.testing.assert_array_equal(np.asarray(memoryview(t)), x)


def test_ints_beyond_int64():
    top = 2 ** 64 - 1
    assert Tensor(top, ms.uint64).item() == top and Tensor([top, 0], ms.uint64).tolist() == [top, 0]
    assert Tensor(top).dtype == ms.uint64 and Tensor([1, top]).dtype == ms.uint64
    for bad in (2 ** 64, [2 ** 64], [-1, top]):
        with pytest.raises(OverflowError):
            Tensor(bad)


@each
def test_conversions(dtype):
    own = getattr(ms, dtype)
    exact(Tensor([-1, 70000]).astype(own), np.array([-1, 70000]).astype(dtype))
    exact(Tensor([1.9, 300.7]).astype(own), np.array([1, 300], dtype))
    for other in ("bool", "int8", "uint8", "int32", "int64", "float32", "float64", "complex64", "uint16", "uint32", "uint64"):
        x = values(dtype)[0]
        exact(Tensor(x).astype(getattr(ms, "bool_" if other == "bool" else other)), x.astype(other))


def arithmetic(x, y):
    return x + y, x * y, -x, x & y, x | y, x ^ y, ops.square(x), ops.floor_div(x, y), ops.fmod(x, y), x * x + y * 3


def compared(x, y):
    return x < y, x <= y, x > y, x >= y, x == y, x != y, ops.minimum(x, y), ops.maximum(x, y), ops.where(x > y, x, y)


@modes
@each
def test_arithmetic(dtype, mode):
    x, y = values(dtype)
    with np.errstate(all="ignore"):
        want = (x + y, x * y, -x, x & y, x | y, x ^ y, x * x, x // y, np.fmod(x, y), x * x + y * np.array(3, dtype))
    for got, expected in zip(jitted(arithmetic, mode)(Tensor(x), Tensor(y)), want):
        exact(got, expected)


@modes
@each
def test_comparison(dtype, mode):
    x, y = values(dtype)
    want = (x < y, x <= y, x > y, x >= y, x == y, x != y, np.minimum(x, y), np.maximum(x, y), np.where(x > y, x, y))
    for got, expected in zip(jitted(compared, mode)(Tensor(x), Tensor(y)), want):
        exact(got, expected)


def lifted(x):
    return x / 2, ops.sqrt(x), ops.reciprocal(x), x + True, x * 2.5


@modes
@each
def test_lifted_to_floats(dtype, mode):
    x = values(dtype)[0][:5]
    got = jitted(lifted, mode)(Tensor(x))
    assert [t.dtype.name for t in got] == ["float32", "float32", "float32", dtype, "float32"]
    np.testing.assert_allclose(got[0].asnumpy(), x / 2)
    np.testing.assert_allclose(got[1].asnumpy(), np.sqrt(x), rtol=1e-6)
    np.testing.assert_allclose(got[4].asnumpy(), x * 2.5)


def reduced(x):
    return ops.sum(x), ops.prod(x), ops.mean(x), ops.cumsum(x, 0), ops.max(x)[0], ops.argmax(x), ops.any(x), ops.sum(x * x)


@modes
@each
def test_sums_keep_the_dtype_as_in_mindspore(dtype, mode):
    x = np.array([1, 2, 3, 5], dtype)
    got = jitted(reduced, mode)(Tensor(x))
    for t, want in zip(got, (11, 30, 2, [1, 3, 6, 11], 5)):
        exact(t, np.array(want, dtype))
    assert got[5].item() == 3 and got[6].item() is True
    exact(got[7], np.array(39, dtype))
    exact(ops.bmm(Tensor(x.reshape(1, 2, 2)), Tensor(x.reshape(1, 2, 2))), (x.reshape(2, 2) @ x.reshape(2, 2))[None])


@each
def test_moved(dtype):
    x = values(dtype)[0].reshape(3, 3)
    t = Tensor(x)
    exact(ops.concat((t, t), 1), np.concatenate((x, x), 1))
    exact(ops.stack((t, t)), np.stack((x, x)))
    exact(t[Tensor([2, 0])], x[[2, 0]])
    exact(t[t > 5], x[x > 5])
    exact(ops.gather_d(t, 0, Tensor([[1]])), x[1:2, :1])
    exact(t.T[::2], x.T[::2])
    exact(ops.tril(t), np.tril(x))
    exact(ops.eye(2, 2, t.dtype), np.eye(2, dtype=dtype))
    exact(ops.arange(0, 3, 1, dtype=t.dtype), np.arange(3, dtype=dtype))
    index = Tensor(np.array([2, 0], dtype))
    exact(t[index], x[[2, 0]])
    t[0] = 9
    x[0] = 9
    exact(t, x)


@each
@pytest.mark.parametrize("other", ["uint8", "int8", "int32", "int64", "float16", "float32", "float64", "complex64", "uint"])
def test_mixing_with_other_numbers_is_refused_as_in_mindspore(dtype, other):
    other = {"uint16": "uint32", "uint32": "uint64", "uint64": "uint16"}[dtype] if other == "uint" else other
    x, y = Tensor([1, 2]).astype(getattr(ms, dtype)), Tensor([1, 2]).astype(getattr(ms, other))
    for run in (lambda a, b: a + b, ms.jit(lambda a, b: a + b, mode="PIJit")):
        for pair in ((x, y), (y, x)):
            with pytest.raises(TypeError) as caught:
                run(*pair)
            assert str(caught.value).startswith("[add] dtypes, got ")
    assert (x + Tensor([True, False])).dtype == x.dtype


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_saved_and_loaded(tmp_path, format):
    if format == "safetensors":
        pytest.importorskip("safetensors")
    path = str(tmp_path / ("u." + format))
    ms.save_checkpoint([{"name": d, "data": Tensor(values(d)[0])} for d in DTYPES], path, format=format)
    found = ms.load_checkpoint(path, format=format)
    for dtype in DTYPES:
        exact(found[dtype], values(dtype)[0])
