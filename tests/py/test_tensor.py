"""Tensor: construction, properties, operators, conversions, printing, pickling, memory."""
import copy
import gc
import inspect
import operator
import pickle
import sys
import threading
import weakref

import numpy as np
import pytest

import msjit
from msjit import Tensor, _msjit, ops

F32 = np.array([[1, 2], [3, 4]], np.float32)


def same(tensor, array, dtype=None):
    got = tensor.asnumpy()
    array = np.asarray(array)
    assert got.shape == array.shape
    np.testing.assert_allclose(got, array, rtol=1e-6)
    if dtype:
        assert tensor.dtype is dtype


# -- construction --


@pytest.mark.parametrize("data, dtype, shape", [
    (1, "int64", ()), (1.5, "float32", ()), (True, "bool_", ()), ([1, 2], "int64", (2,)), ([1, 2.5], "float32", (2,)),
    ([True, False], "bool_", (2,)), ([True, 2], "int64", (2,)), ([[1, 2], [3, 4]], "int64", (2, 2)),
    (((1.0,), (2,)), "float32", (2, 1)), ([], "float32", (0,)), ([[], []], "float32", (2, 0)),
    (np.float32(2), "float32", ()), (np.int8(2), "int8", ()), (np.array([1.0]), "float64", (1,)),
    (np.zeros((0, 3)), "float64", (0, 3)), ([np.array([1, 2]), [3, 4]], "int64", (2, 2)),
    (np.arange(6, dtype=np.int16).reshape(2, 3).T, "int16", (3, 2)),
])
def test_construct(data, dtype, shape):
    t = Tensor(data)
    assert t.dtype is getattr(msjit, dtype) and t.shape == shape
    same(t, np.array(data, dtype.rstrip("_")))


def test_construct_copies():
    a = np.ones(3, np.float32)
    t = Tensor(a)
    u = Tensor(t)
    a[0] = 5
    t[1] = 7
    assert t.tolist() == [1, 7, 1] and u.tolist() == [1, 1, 1]


@pytest.mark.parametrize("dtype", ["float32", np.float32, msjit.float32, np.dtype("float32"), "Float32"])
def test_construct_dtype(dtype):
    assert Tensor([1, 2], dtype).dtype is msjit.float32
    assert Tensor(np.arange(3), dtype=dtype).tolist() == [0, 1, 2]


def test_construct_converts():
    assert Tensor([300], msjit.int8).tolist() == [44]
    assert Tensor([1.9, -1.9], msjit.int32).tolist() == [1, -1]
    assert Tensor([Tensor(1), Tensor(2)]).tolist() == [1, 2]
    assert Tensor(shape=(2, 3), dtype=msjit.int32).shape == (2, 3)


def test_result_of_number_is_not_weak():
    x = Tensor(3.0) + Tensor(1, msjit.float16)
    assert x.dtype is msjit.float32


# -- properties --


def test_properties():
    t = Tensor(F32)
    assert (t.shape, t.ndim, t.size, t.itemsize, t.nbytes) == ((2, 2), 2, 4, 4, 16)
    assert t.strides == (8, 4) and t.stride() == [2, 1]
    assert t.T.strides == (4, 8) and not t.T.is_contiguous() and t.T.contiguous().is_contiguous()
    same(t.T, F32.T)
    assert t.dim() == 2 and t.numel() == 4 and t.device == "CPU" and t.is_leaf
    assert len(t) == 2 and hash(t) == hash(t) and bool(t is t)


def test_dtype_objects():
    assert str(msjit.float32) == "Float32" and str(msjit.bool_) == "Bool" and str(msjit.bfloat16) == "BFloat16"
    assert pickle.loads(pickle.dumps(msjit.float32)) is msjit.float32
    assert copy.deepcopy(msjit.bool_) is msjit.bool_
    assert msjit.float32 == msjit.float32 and msjit.float32 != msjit.float16
    assert {msjit.int8: 1}[msjit.int8] == 1


# -- operators --

BINARY = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow,
          operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]


@pytest.mark.parametrize("op", BINARY, ids=lambda f: f.__name__)
def test_binary(op):
    a, b = np.array([[1, 2], [3, 4]], np.float32), np.array([[2, 2], [5, 1]], np.float32)
    same(op(Tensor(a), Tensor(b)), op(a, b))
    same(op(Tensor(a), 2), op(a, np.float32(2)))
    same(op(Tensor(a), 2.5), op(a, np.float32(2.5)))
    same(op(2, Tensor(a)), op(np.float32(2), a))
    same(op(Tensor(a), b), op(a, b))
    same(op(b, Tensor(a)), op(b, a))
    same(op(Tensor(a), np.float32(2)), op(a, np.float32(2)))


def test_sequences_as_operands():
    x = Tensor(F32)
    same(x + [1, 2], F32 + [1, 2])
    same([1, 2] + x, F32 + [1, 2])
    same((5, 2) // x, [5, 2] // F32)
    for wrong in (lambda: x * [1, 2], lambda: (1, 2) * x, lambda: x < [1, 2], lambda: x ** (1, 2)):
        with pytest.raises(TypeError):
            wrong()
    assert isinstance(np.ones((2, 2), np.float32) + x, Tensor)


def test_bit_operators():
    a, b = np.array([5, 6, 7]), np.array([3, 3, 4])
    for op in (operator.and_, operator.or_, operator.xor):
        same(op(Tensor(a), Tensor(b)), op(a, b), msjit.int64)
        same(op(Tensor(a), 3), op(a, 3), msjit.int64)
    t = Tensor([True, False])
    assert (~t).tolist() == [False, True] and (t & t).tolist() == [True, False]


def test_unary():
    x = Tensor(F32)
    same(-x, -F32)
    same(abs(-x), F32)
    assert +x is x
    same(x @ x, F32 @ F32)


@pytest.mark.parametrize("a, b, dtype", [
    ("int64", 1.5, "float32"), ("int8", 1, "int8"), ("int8", 1.5, "float32"), ("float16", 1.5, "float16"),
    ("float64", 0.1, "float64"), ("bool", 1, "int64"), ("bool", 1.5, "float32"), ("int64", True, "int64"),
])
def test_number_promotion(a, b, dtype):
    x = Tensor(np.ones(3), getattr(msjit, "bool_" if a == "bool" else a))
    assert (x + b).dtype is (b + x).dtype is getattr(msjit, dtype)


def test_float64_number_keeps_its_digits():
    assert (Tensor(1, msjit.float64) * 0.1).item() == 0.1


def test_equality_with_others():
    x = Tensor(F32)
    assert (x == None) is False and (x != None) is True  # noqa: E711
    assert (x == "a") is False and (x == [1, 2]) is False and (x != (1, 2)) is True
    assert x in [x] and (x == F32).asnumpy().all()


def test_augmented_assignment_rebinds():
    x = y = Tensor([1.0, 2.0])
    x += 1
    assert x is not y and y.tolist() == [1, 2] and x.tolist() == [2, 3]


def test_conversions():
    assert bool(Tensor(1)) is True and bool(Tensor([0.0])) is False
    assert int(Tensor(1.7)) == 1 and float(Tensor([2])) == 2.0 and [1, 2, 3][Tensor(1)] == 2
    assert Tensor(5).item() == 5 and Tensor([1, 2, 3]).item(1) == 2
    assert Tensor(F32).tolist() == [[1, 2], [3, 4]]
    assert list(range(Tensor(2))) == [0, 1] and [t.item() for t in Tensor([1, 2])] == [1, 2]
    assert 3 in Tensor([1, 2, 3]) and 4 not in Tensor([1, 2, 3])


def test_astype():
    x = Tensor([1.7, -1.2])
    assert x.astype("float16").dtype is msjit.float16 and x.astype(np.float64).dtype is msjit.float64
    assert x.astype(int).tolist() == [1, -1] and x.astype(msjit.float32) is x
    assert x.to(msjit.int8).dtype is msjit.int8 and x.half().dtype is msjit.float16 and x.long().dtype is msjit.int64
    assert x.bool().tolist() == [True, True] and x.astype(float).dtype is msjit.float64


# -- printing --


def test_str_is_numpys():
    assert str(Tensor(F32)) == str(F32) and str(Tensor(1.5)) == "1.5" and "%s" % Tensor([1]) == "[1]"
    assert f"{Tensor(1.5):.2f}" == "1.50"


@pytest.mark.parametrize("data, text", [
    (F32, "shape=[2, 2], dtype=Float32, value=\n[[ 1.00000000e+00,  2.00000000e+00],\n [ 3.00000000e+00,  4.00000000e+00]]"),
    ([1, 2, 3], "shape=[3], dtype=Int64, value= [1, 2, 3]"),
    ([True, False, True], "shape=[3], dtype=Bool, value= [ True, False,  True]"),
    (0.1, "shape=[], dtype=Float32, value= 0.1"), (3, "shape=[], dtype=Int64, value= 3"),
    (1 / 3, "shape=[], dtype=Float32, value= 0.333333"), ([], "shape=[0], dtype=Float32, value= "),
    (np.zeros((0, 3)), "shape=[0, 3], dtype=Float64, value=\n"),
    ([1.5, -2.25], "shape=[2], dtype=Float32, value= [ 1.50000000e+00, -2.25000000e+00]"),
    ([float("nan"), float("inf"), 1e30], "shape=[3], dtype=Float32, value= [            nan,             inf,  1.00000002e+30]"),
    (np.arange(-5, 2000), "shape=[2005], dtype=Int64, value= [  -5,   -4,   -3 ... 1997, 1998, 1999]"),
    ([[-1, 100], [2, 3]], "shape=[2, 2], dtype=Int64, value=\n[[ -1, 100],\n [  2,   3]]"),
    (np.ones((1, 2, 7), np.int8), "shape=[1, 2, 7], dtype=Int8, value=\n[[[1, 1, 1 ... 1, 1, 1],\n  [1, 1, 1 ... 1, 1, 1]]]"),
    (np.ones((8, 2), np.int8), "shape=[8, 2], dtype=Int8, value=\n[[1, 1],\n [1, 1],\n [1, 1],\n ...\n [1, 1],\n [1, 1],\n [1, 1]]"),
    (np.array([2.5], np.float16), "shape=[1], dtype=Float16, value= [ 2.5000e+00]"),
    (np.ones(13, bool), "shape=[13], dtype=Bool, value= [" + " True, " * 12 + "\n  True]"),
])
def test_repr(data, text):
    assert repr(Tensor(data)) == "Tensor(%s)" % text


# -- ops --


def test_op_callable():
    assert ops.add.__name__ == "add" and ops.add.__module__ == "msjit.ops"
    for name in "itemset cauchy to_coo is_shared storage_offset move_to".split():
        assert getattr(Tensor, name).__name__ == name
    assert str(inspect.signature(_msjit.ops.add)) == "(x, y)"
    assert pickle.loads(pickle.dumps(_msjit.ops.add)) is _msjit.ops.add
    x = Tensor(F32)
    same(_msjit.ops.add(x, y=x), F32 + F32)
    same(_msjit.ops.add(*[x, x]), F32 + F32)
    same(_msjit.ops.add(**{"x": x, "y": 1}), F32 + 1)
    same(_msjit.ops.sum(x, axis=0), F32.sum(0))
    same(_msjit.ops.sum(x, (0, 1), True), F32.sum((0, 1), keepdims=True))
    same(_msjit.ops.concat([x, x], axis=1), np.concatenate([F32, F32], 1))
    same(_msjit.ops.reshape(x, 4, 1), F32.reshape(4, 1))
    same(_msjit.ops.transpose(x, 1, 0), F32.T)
    assert isinstance(_msjit.ops.split(x, [1, 1]), tuple)


def test_methods_are_ops():
    x = Tensor(F32)
    same(x.sum(0), F32.sum(0))
    same(x.reshape(4), F32.reshape(4))
    same(x.reshape((1, -1)), F32.reshape(1, -1))


def test_op_table():
    rows = {row["name"]: row for row in _msjit.op_table()}
    assert [p["name"] for p in rows["add"]["params"]] == ["x", "y"] and rows["add"]["signature"] == "(x, y)"
    assert len(rows) >= 60


# -- identity, copies, memory --


class Named(Tensor):
    def __init__(self, data, name):
        Tensor.__init__(self, data)
        self.name = name


def test_subclass():
    p = Named([1.0], "w")
    assert (p + 1).tolist() == [2] and type(p + 1) is Tensor and p.name == "w"
    q = pickle.loads(pickle.dumps(p))
    assert type(q) is Named and q.name == "w" and q.tolist() == [1]
    r = copy.deepcopy(p)
    assert r.name == "w" and r is not p
    r[0] = 5
    assert p.tolist() == [1]
    assert Named.__new__(Named).shape == (0,)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float16", "bfloat16", "float32", "float64"])
def test_pickle(dtype):
    t = Tensor([[0, 1], [1, 0]], dtype).T
    for u in (pickle.loads(pickle.dumps(t)), copy.deepcopy(t), copy.copy(t)):
        assert u.dtype is t.dtype and u.tolist() == t.tolist() and u is not t


def test_weakref():
    t = Tensor([1])
    r = weakref.ref(t)
    assert r() is t
    del t
    gc.collect()
    assert r() is None


REDUCTIONS = ["sum", "mean", "prod", "max", "min", "all", "any", "var", "std"]


@pytest.mark.parametrize("mode", [lambda f: f, lambda f: msjit.jit(f, mode="PIJit")])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_numpy_functions(name, mode):
    """NumPy calls the method of that name, with out and dtype."""
    function = getattr(np, name)
    keywords = [{}, {"axis": 0}, {"axis": (0, 1)}, {"axis": -1, "keepdims": True}]
    if name in ("sum", "mean", "prod", "var", "std"):
        keywords.append({"dtype": np.float64})
    for given in keywords:
        out = mode(lambda x: function(x, **given))(Tensor(F32))
        assert isinstance(out, Tensor)
        same(out, function(F32, **given))
    with pytest.raises(TypeError, match=r"\[%s\] out, got ndarray, expected None" % name):
        function(Tensor(F32), axis=0, out=np.zeros(2, np.float32))


@pytest.mark.parametrize("mode", [lambda f: f, lambda f: msjit.jit(f, mode="PIJit")])
@pytest.mark.parametrize("name", REDUCTIONS)
def test_numpy_functions_with_a_mask(name, mode):
    function, mask = getattr(np, name), np.array([[True, False], [True, True]])
    more = {"initial": 0} if name in ("max", "min") else {}
    for values in (F32, F32 * 0, np.array([[1, 0], [0, 2]])):
        for given in ({}, {"axis": 0}, {"axis": (0, 1)}, {"axis": -1, "keepdims": True}):
            expected = function(F32.dtype.type(values), where=mask, **dict(given, **more))
            for where in (mask, Tensor(mask)):
                found = mode(lambda x, m: function(x, where=m, **dict(given, **more)))(Tensor(values), where)
                same(found, expected.astype(found.asnumpy().dtype))
        same(function(Tensor(F32), where=[True, False], **more), function(F32, where=[True, False], **more))  # broadcast
    with pytest.raises(TypeError, match=r"\[%s\] where, got a mask of Float32, expected bools" % name):
        function(Tensor(F32), where=F32, **more)
    if name in ("sum", "mean", "prod", "var"):
        weight = msjit.grad(lambda x: function(x, where=mask))(Tensor(F32)).asnumpy()
        assert weight[0, 1] == 0 and weight[1, 1] != 0


@pytest.mark.parametrize("mode", [lambda f: f, lambda f: msjit.jit(f, mode="PIJit")])
def test_round(mode):
    same(mode(lambda x: round(x))(Tensor([0.5, 1.5, -2.7])), [0, 2, -3], msjit.float32)
    same(mode(lambda x: round(x))(Tensor([5, -7])), [5, -7], msjit.int64)


@pytest.mark.costly
@pytest.mark.parametrize("mode", [lambda f: f, lambda f: msjit.jit(f, mode="PIJit"), msjit.jit])
@pytest.mark.parametrize("decimals", [-2, -1, 0, 1, 3])
def test_round_to_decimals(mode, decimals):
    """As NumPy: round(x, n), x.round(n), np.round(x, n) and ops.round agree, halves go to even."""
    for dtype in ("float16", "float32", "float64", "int32", "int64"):
        values = np.array([0.5, 1.25, -2.345, 15, 25, 30.125, -35], dtype)
        for run in (lambda x: round(x, decimals), lambda x: x.round(decimals), lambda x: x.round(decimals=decimals),
                    lambda x: np.round(x, decimals), lambda x: msjit.ops.round(x, decimals=decimals)):
            same(mode(run)(Tensor(values)), np.round(values, decimals))
    assert msjit.grad(lambda x: x.round(decimals))(Tensor([1.26])).tolist() == [0]
    with pytest.raises(TypeError, match=r"\[round\] decimals, got float, expected an int"):
        Tensor([1.0]).round(0.5)


def test_added_attributes():
    t = Tensor([1.0, 2.0])
    assert not hasattr(t, "note") and dict(vars(t)) == {}
    t.note = [3]
    assert t.note == [3] and t.__dict__ == {"note": [3]} and not hasattr(t + 1, "note")
    assert copy.deepcopy(t).note == [3] and pickle.loads(pickle.dumps(t)).note == [3]
    with pytest.raises(AttributeError, match="'sum' is read-only"):
        t.sum = 1
    with pytest.raises(AttributeError):
        t.shape = (1,)
    with pytest.raises(TypeError):
        vars(t)["sum"] = 1
    with pytest.raises(AttributeError):
        t.__dict__ = {}
    del t.note
    with pytest.raises(AttributeError, match="no attribute 'note'"):
        t.note
    for _ in range(300):  # none comes back on an object that is used again
        Tensor([1.0]).note = 1
    assert not any(hasattr(Tensor([1.0]), "note") for _ in range(300))


def test_added_attributes_are_collected():
    t = Tensor([1.0])
    t.me = t
    t.others = [Tensor([2.0])]
    t.others[0].back = t
    gone = [weakref.ref(t), weakref.ref(t.others[0])]
    del t
    gc.collect()
    assert [r() for r in gone] == [None, None]


def test_set_data():
    t, alias = Tensor([1.0, 2.0]), None
    alias = t
    t.set_data(Tensor([3.0, 4.0]))
    assert alias.tolist() == [3, 4]
    t.assign_value(Tensor([5.0, 6.0]))
    assert alias.tolist() == [5, 6]
    t.set_data(Tensor([1.0, 2.0, 3.0]), slice_shape=True)
    assert t.shape == (3,)
    with pytest.raises(ValueError, match=r"\[set_data\] shape of the data, got \(2\,?.*expected \(3"):
        t.set_data(Tensor([1.0, 2.0]))


def test_requires_grad_and_backward():
    x = Tensor([1.0, 2.0])
    assert x.requires_grad is False and x.grad is None
    x.requires_grad = True
    y = (x * x).sum()
    assert not y.is_leaf
    y.backward()
    assert x.grad.tolist() == [2, 4]
    x.grad = None
    assert x.grad is None
    assert x.detach().requires_grad is False


def leak_round(x, y):
    z = x + y * 2.0 - [1.0, 1.0]
    z = z[0:1, None] + x[..., 1]
    z[0] = 3
    memoryview(x).release()
    repr(z), str(z), pickle.loads(pickle.dumps(z)), z.tolist(), z.asnumpy(), Tensor([[1, 2.5], [3, 4]])
    Tensor.from_numpy(np.ones(3)), np.from_dlpack(x) if hasattr(np, "from_dlpack") else None
    for bad in (lambda: x + "a", lambda: x[9], lambda: Tensor("a"), lambda: _msjit.ops.add(x), lambda: Tensor([1, [2]]),
                lambda: _msjit.ops.sum(x, axis=9), lambda: _msjit.ops.matmul(x, Tensor(np.ones((5, 5), np.float32)))):
        with pytest.raises((TypeError, ValueError, IndexError)):
            bad()


def test_no_leaks():
    x, y = Tensor(F32), Tensor(F32)
    objects = [x, y, None, NotImplemented, True, False, msjit.float32, _msjit.ops.add, ...]
    for _ in range(20):
        leak_round(x, y)
    gc.collect()
    before = _msjit.allocator_stats()["live_blocks"], [sys.getrefcount(o) for o in objects]
    for _ in range(50):
        leak_round(x, y)
    gc.collect()
    after = _msjit.allocator_stats()["live_blocks"], [sys.getrefcount(o) for o in objects]
    assert after[0] == before[0]
    assert all(abs(a - b) < 20 for a, b in zip(after[1], before[1])), (before, after)


def test_threads():
    a = np.random.rand(400, 400).astype(np.float32)
    x, errors = Tensor(a), []

    def work():
        try:
            for _ in range(30):
                np.testing.assert_allclose((x + x).asnumpy(), a + a)
                (x[0:2, 0:2] + 1).tolist()
        except BaseException as error:  # reported by the main thread
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    [t.start() for t in threads]
    [t.join() for t in threads]
    assert not errors


@pytest.mark.parametrize("size", [6, 40])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_matmul_of_a_repeated_matrix(size, dtype):
    """A batch that neither side has data of its own for."""
    a = (np.arange(size * size).reshape(size, size) % 7).astype(dtype)
    for left, right in ((a, a), (a, a[0]), (a, np.broadcast_to(a, (2, size, size)))):
        got = ops.matmul(ops.broadcast_to(Tensor(left), (2, size, size)), Tensor(np.ascontiguousarray(right)))
        np.testing.assert_array_equal(got.asnumpy(), np.matmul(np.broadcast_to(left, (2, size, size)), right))
    both = ops.broadcast_to(Tensor(a), (2, size, size))
    np.testing.assert_array_equal(ops.matmul(both, both).asnumpy(), np.matmul(np.stack((a, a)), np.stack((a, a))))


def test_item_by_number():
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    assert [x.item(5), x.item(-6), x.item(1, 2), x.item((0, 1))] == [5, 0, 5, 1]
    assert x.T.item(1) == 3 and Tensor(2.5).item(0) == 2.5
    for index in (6, -7, 2 ** 70):
        with pytest.raises(IndexError, match=r"\[item\] index, got .*, expected one in \[-6, 6\)"):
            x.item(index)
    with pytest.raises(ValueError, match=r"\[item\] number of elements, got 3"):
        x.item((1,))
