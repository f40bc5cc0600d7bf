"""Tensors and NumPy, the buffer protocol, DLPack: shared memory where the layout allows."""
import array
import gc
import sys

import numpy as np
import pytest

import msjit
from msjit import Tensor, _msjit

DTYPES = ["bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64"]
from_numpy = Tensor.from_numpy


def dtype(name):
    return _msjit.dtypes[name]


@pytest.mark.parametrize("name", DTYPES)
def test_round_trip_shares(name):
    a = np.zeros((2, 3), name)
    t = from_numpy(a)
    assert t.dtype is dtype(name) and t.shape == (2, 3)
    b = t.asnumpy()
    a[0, 1] = 1
    assert b[0, 1] == 1 and b.dtype == a.dtype and np.shares_memory(a, b)
    t[1, 2] = 1
    assert a[1, 2] == 1


@pytest.mark.parametrize("make", [lambda a: a.T, lambda a: a[::2], lambda a: a[:, ::-1], lambda a: a[1:, 1:], lambda a: a[..., None],
                                  lambda a: a[1, 2], lambda a: a[0:0], lambda a: a[::-1, ::-2]])
def test_strided_arrays(make):
    a = np.arange(12, dtype=np.float32).reshape(3, 4)
    v = np.asarray(make(a))
    t = from_numpy(v)
    np.testing.assert_array_equal(t.asnumpy(), v)
    np.testing.assert_array_equal((t + 1).asnumpy(), v + 1)
    np.testing.assert_array_equal(Tensor(v).asnumpy(), v)
    if isinstance(make(a), np.ndarray) and v.size:
        assert np.shares_memory(t.asnumpy(), a)


def test_read_only():
    a = np.arange(3.0)
    a.flags.writeable = False
    t = from_numpy(a)
    with pytest.raises(ValueError, match=r"\[setitem\] tensor, got one on read-only memory"):
        t[0] = 1
    assert not t.asnumpy().flags.writeable
    assert (t + 1).tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="read-only"):
        from_numpy(np.broadcast_to(np.float32(1), (2, 2)))[0] = 2
    u = Tensor(a)
    u[0] = 9
    assert a[0] == 0


def test_other_byte_orders_and_misaligned():
    a = np.arange(5, dtype=">f4")
    assert from_numpy(a).tolist() == a.tolist()
    raw = np.zeros(21, np.uint8)
    m = raw[1:].view(np.float32) if raw[1:].flags.c_contiguous else None
    m[:] = [1, 2, 3, 4, 5]
    assert from_numpy(m).tolist() == [1, 2, 3, 4, 5]
    fields = np.zeros(3, [("a", "i1"), ("b", "<i4")])
    fields["b"] = [1, 2, 3]
    assert from_numpy(fields["b"]).tolist() == [1, 2, 3]


@pytest.mark.parametrize("bad", [np.zeros(2, np.clongdouble), np.array(["a"]), np.array([object()]),
                                 np.zeros(2, "datetime64[s]"), np.zeros(2, [("a", "i4")]), np.zeros(2, np.longdouble)])
def test_unsupported_dtypes(bad):
    for make in (from_numpy, Tensor):
        with pytest.raises(TypeError, match=r"\[(from_numpy|Tensor)\]"):
            make(bad)


@pytest.mark.parametrize("bad", [None, 1, "a", b"abc", [1, 2], object()])
def test_from_numpy_wants_arrays(bad):
    with pytest.raises(TypeError, match=r"\[from_numpy\] array, got"):
        from_numpy(bad)


def test_other_exporters():
    assert Tensor(array.array("d", [1, 2])).dtype is msjit.float64
    assert Tensor(memoryview(b"ab")).tolist() == [97, 98]
    assert from_numpy(memoryview(bytearray(b"ab")))[0].item() == 97


def test_lifetime():
    a = np.arange(1000.0)
    base = sys.getrefcount(a)
    t = from_numpy(a)
    u = t[10:20]
    del t
    assert sys.getrefcount(a) > base
    b = u.asnumpy()
    del u
    assert b[0] == 10
    del b
    gc.collect()
    assert sys.getrefcount(a) == base


def test_array_outlives_new_data():
    t = Tensor([1.0, 2.0])
    b, m = t.asnumpy(), memoryview(t)
    t.set_data(Tensor([3.0, 4.0]))
    assert b.tolist() == [1, 2] and m.tolist() == [1, 2] and t.tolist() == [3, 4]
    del t
    assert b.tolist() == [1, 2]


def test_array_protocol():
    t = Tensor([1.5, 2.5])
    assert np.asarray(t).dtype == np.float32 and np.array(t, dtype=np.int64).tolist() == [1, 2]
    assert t.__array__(np.float64).dtype == np.float64
    assert np.shares_memory(np.asarray(t), t.asnumpy())
    assert not np.shares_memory(np.array(t), t.asnumpy())
    assert not np.shares_memory(t.__array__(None, copy=True), t.asnumpy())
    assert np.exp(t).shape == (2,)
    assert Tensor([1.5], msjit.bfloat16).asnumpy().dtype == np.float32


def test_buffer():
    m = memoryview(Tensor(np.arange(6, dtype=np.int32).reshape(2, 3)))
    assert m.format == "i" and m.shape == (2, 3) and m.strides == (12, 4) and not m.readonly
    m[0, 1] = 9
    assert m.tolist()[0][1] == 9
    assert memoryview(Tensor(np.zeros((2, 3))).T).strides == (8, 24)
    with pytest.raises(BufferError):
        memoryview(Tensor([1.0], msjit.bfloat16))
    with pytest.raises((BufferError, ValueError)):
        np.frombuffer(Tensor(np.zeros((4, 4)))[::2, ::2])  # asks for contiguous memory
    assert np.zeros((0, 3)).shape == np.asarray(Tensor(np.zeros((0, 3)))).shape


class Capsule:
    def __init__(self, tensor, **kwargs):
        self.capsule = tensor.__dlpack__(**kwargs)

    def __dlpack__(self, **kwargs):
        return self.capsule


@pytest.mark.parametrize("name", DTYPES + ["bfloat16"])
@pytest.mark.parametrize("kwargs", [{}, {"max_version": (1, 0)}])
def test_dlpack_round_trip(name, kwargs):
    t = Tensor([[0, 1, 1], [1, 0, 1]], dtype(name)).T
    u = _msjit.from_dlpack(Capsule(t, **kwargs))
    assert u.dtype is t.dtype and u.tolist() == t.tolist() and u.strides == t.strides
    t[0, 0] = 1
    assert u[0, 0].item() == 1
    del t
    assert u.shape == (3, 2)


@pytest.mark.skipif(not hasattr(np, "from_dlpack"), reason="NumPy without DLPack")
def test_dlpack_numpy():
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    t = _msjit.from_dlpack(a)
    a[0, 0] = 8
    assert t[0, 0].item() == 8
    b = np.from_dlpack(Tensor(a))
    np.testing.assert_array_equal(a, b)
    assert Tensor(a).__dlpack_device__() == (1, 0)


def test_dlpack_errors():
    t = Tensor([1.0])
    used = Capsule(t)
    _msjit.from_dlpack(used)
    for bad in (used, 3, None, "a"):
        with pytest.raises(TypeError, match=r"\[from_dlpack\]"):
            _msjit.from_dlpack(bad)
    with pytest.raises(ValueError, match="dl_device"):
        t.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="stream"):
        t.__dlpack__(stream=7)
    for _ in range(100):
        t.__dlpack__(), t.__dlpack__(max_version=(1, 0))  # never consumed
