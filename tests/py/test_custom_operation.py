"""ops.Custom: Python functions on NumPy arrays as primitives, with gradients that the program gives."""
import shutil

import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, ops

X, Y = np.float32([1.0, 2.0]), np.float32([3.0, 4.0])


def add(a, b):
    assert type(a) is np.ndarray and type(b) in (np.ndarray, float)
    return a + b


def ten_times(a, b, out, grad):
    return grad * 10, grad * out


plain = ops.Custom(add, lambda a, b: a, lambda a, b: a, "pyfunc")
with_bprop = ops.Custom(add, (2,), ms.float32, bprop=ten_times)


def value(x, y):
    return plain(x, y) + 1


def loss(x, y):
    return (with_bprop(x, y) * 2).sum()


@pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])
def test_value_and_gradients(mode):
    call, cost = (value, loss) if mode is None else (ms.jit(value, mode=mode), ms.jit(loss, mode=mode))
    for _ in range(2):
        assert call(Tensor(X), Tensor(Y)).asnumpy().tolist() == (X + Y + 1).tolist()
        first, second = ms.grad(cost, (0, 1))(Tensor(X), Tensor(Y))
        assert first.asnumpy().tolist() == [20, 20] and second.asnumpy().tolist() == (2 * (X + Y)).tolist()


def test_outputs():
    two = ops.Custom(lambda a: (a, a * 2), ((2,), (2,)), (ms.float16, ms.int32))
    assert [(str(t.dtype), t.asnumpy().tolist()) for t in two(Tensor(X))] == [("Float16", [1, 2]), ("Int32", [2, 4])]
    assert plain(Tensor(X), 1.5).asnumpy().tolist() == [2.5, 3.5]
    assert ops.Custom(lambda a: a.sum(), (), ms.float32)(Tensor(X)).asnumpy().tolist() == 3


@pytest.mark.parametrize("call, error", [
    (lambda: ops.Custom(3), TypeError), (lambda: ops.Custom(add, func_type="foo"), ValueError), (lambda: ops.Custom(add), TypeError),
    (lambda: ops.Custom(add, (2,)), TypeError), (lambda: ops.Custom(add, (2,), ms.float32, "aot"), TypeError),
    (lambda: ops.Custom(add, (2,), ms.float32, "akg"), NotImplementedError), (lambda: ops.Custom("./x.so", (2,), ms.float32, "aot"), TypeError),
    (lambda: ops.Custom("./absent.so:f", (2,), ms.float32, "aot"), RuntimeError),
    (lambda: ops.Custom("./x.cu:f", (2,), ms.float32, "aot"), NotImplementedError),
    (lambda: ops.Custom("./x.so:f", (2,), ms.float32), TypeError), (lambda: ops.Custom(add, (2,), ms.float32, bprop=3), TypeError),
    (lambda: ops.Custom(lambda a: None, (2,), ms.float32)(Tensor(X)), TypeError),
    (lambda: ms.grad(lambda x: plain(x, Tensor(Y)).sum())(Tensor(X)), RuntimeError),
])
def test_wrong_use(call, error):
    with pytest.raises(error, match=r"\[Custom\]"):
        call()


def test_attributes_of_primitives():
    x = Tensor([[1.0, 2.0]])
    assert ops.ReduceSum(skip_mode=True)(x).shape == (1, 2) and ops.ReduceSum()(x).asnumpy().tolist() == 3
    assert ops.ReduceSum(True, skip_mode=True)(x, 1).asnumpy().tolist() == [[3]]
    near = Tensor([[1.05, float("nan")]])
    assert ops.IsClose(rtol=0.1)(x, near).asnumpy().tolist() == [[True, False]] and not ops.IsClose()(x, near).asnumpy().any()
    assert ops.IsClose(equal_nan=True)(near, near).asnumpy().all()


def test_every_result_needs_a_dtype():
    both = ops.Custom(lambda a: (a, a + 1), ((2,), (2,)), (ms.float32,))
    with pytest.raises(ValueError, match=r"\[Custom\] number of results, got 2, expected 1"):
        both(Tensor([1.0, 2.0]))


SOURCE = """
#include <cstdint>
#include <cstring>
extern "C" int Both(int count, void **data, int *ranks, int64_t **shapes, const char **names, void *, void *) {
  if (count != 4 || ranks[2] != 1) return 3;
  if (std::strcmp(names[0], "float32") || std::strcmp(names[3], "int32")) return 4;
  for (int64_t i = 0; i < shapes[2][0]; ++i) {
    static_cast<float *>(data[2])[i] = static_cast<float *>(data[0])[i] - static_cast<float *>(data[1])[i];
  }
  *static_cast<int32_t *>(data[3]) = static_cast<int32_t>(shapes[0][0]);
  return 0;
}
extern "C" int Twice(int, void **data, int *, int64_t **shapes, const char **, void *, void *) {
  for (int64_t i = 0; i < shapes[0][0]; ++i) static_cast<float *>(data[1])[i] = 2 * static_cast<float *>(data[0])[i];
  return 0;
}
extern "C" int TwiceInit(int *, int64_t **, const char **, void *) { return 0; }
"""


@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ builds the library")
def test_functions_of_a_library(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "both.cc").write_text(SOURCE)
    difference = ops.Custom("./both.cc:Both", lambda a, b: (a, ()), (ms.float32, ms.int32), "aot", bprop=lambda x, y, out, grad: (grad[0], -grad[0]))
    assert (tmp_path / "akg_kernel_meta" / "both.cc.so").exists()
    x, y = Tensor(X), Tensor(Y)[::1]

    def first(x, y):
        return difference(x, y)[0] * 2

    for call in (first, ms.jit(first, mode="PIJit")):
        assert call(x, y).asnumpy().tolist() == [-4, -4]
        assert [g.asnumpy().tolist() for g in ms.grad(call, (0, 1))(x, y)] == [[2, 2], [-2, -2]]
    assert difference(x, y)[1].asnumpy().tolist() == 2
    library = "akg_kernel_meta/both.cc.so:"
    same = (lambda a, b: (a, ()), lambda a, b: (a, ms.int32), "aot")
    assert ops.Custom(library + "Both", *same)(x, y)[1].dtype == ms.int32
    for call, error, match in [
            (lambda: difference(Tensor([1, 2]), y), RuntimeError, "got status 4, expected 0"), (lambda: difference(x, 2), TypeError, "got int"),
            (lambda: ops.Custom(library + "Both", (2,), (ms.float32,) * 2, "aot")(x, y), ValueError, "got 2 dtypes, expected 1"),
            (lambda: ops.Custom(library + "Twice", (2,), ms.float32, "aot"), NotImplementedError, "TwiceInit"),
            (lambda: ops.Custom(library + "Absent", (2,), ms.float32, "aot"), RuntimeError, "undefined symbol")]:
        with pytest.raises(error, match=r"\[Custom\].*" + match):
            call()
    monkeypatch.setenv("MS_CUSTOM_AOT_WHITE_LIST", str(tmp_path / "elsewhere"))
    with pytest.raises(TypeError, match=r"\[Custom\].*MS_CUSTOM_AOT_WHITE_LIST"):
        ops.Custom(library + "Both", *same)
