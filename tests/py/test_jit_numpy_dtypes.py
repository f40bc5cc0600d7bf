"""dtype objects of NumPy, and what NumPy tells of them, in captured code."""
import numpy as np
import pytest

import msjit as ms
from jit_same import captured
from msjit import Tensor, ops

pytestmark = pytest.mark.jit

KIND = np.dtype("float32")


def x3():
    return Tensor(np.float32([1.5, -2.25, 7]))


def made(x):
    return ops.tanh(x) * np.dtype("float32").itemsize, np.dtype(np.int8).name, np.dtype(float).kind


def of_the_program(x):
    return x * KIND.itemsize, KIND, KIND.type is np.float32, KIND.str, KIND.char


def compared(x):
    return x + 1, KIND == np.float32, KIND != "float64", np.dtype("int32") == KIND, KIND is np.dtype(np.float32)


def limits(x):
    return x * float(np.iinfo(np.int8).max), int(np.iinfo("int16").min)


def finfo(x):
    low = np.finfo(np.float32).min
    return ops.maximum(x, float(low)) + float(np.finfo(np.dtype("float32")).eps), np.finfo(np.float16).bits, np.finfo(np.float64).max


def texts(x):
    return x + 1, str(KIND), "%s" % np.dtype(np.int32), str(x.asnumpy().dtype)


def of_an_array(x):
    a = ops.tanh(x).asnumpy()
    return x + 1, a.dtype, a.dtype == np.float32, a.dtype.name, a.shape


def switched(x):
    if ops.tanh(x).asnumpy().dtype == np.float32:
        return x * 2
    return x * 3


CASES = [made, of_the_program, compared, limits, finfo, texts, of_an_array, switched]


def plain(result):
    return [v.asnumpy().tobytes() if isinstance(v, Tensor) else (type(v), v) for v in (result if isinstance(result, tuple) else (result,))]


@pytest.mark.parametrize("fn", CASES, ids=lambda f: f.__name__)
def test_results_are_plain_s(fn):
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(3):
        assert plain(jitted(x3())) == plain(fn(x3()))


@pytest.mark.captures
@pytest.mark.parametrize("fn", [made, of_the_program, compared, limits, finfo, of_an_array, switched], ids=lambda f: f.__name__)
def test_captured_whole(fn):
    fn(x3())
    captured(fn, lambda v: (x3(),))


def test_another_dtype_of_the_program_is_another_capture():
    def fn(x, dtype):
        return x * dtype.itemsize, dtype.name, dtype == np.float32
    jitted = ms.jit(fn, mode="PIJit")
    odd = [np.dtype("float32"), np.dtype(">f4"), np.dtype([("a", "f4")]), np.dtype("float64"), np.dtype("S3"), np.dtype("float32")]
    for dtype in odd + odd:
        assert plain(jitted(x3(), dtype)) == plain(fn(x3(), dtype))


def test_a_replaced_dtype_is_called(monkeypatch):
    def fn(x):
        return x * np.dtype("float32").itemsize
    jitted = ms.jit(fn, mode="PIJit")
    for _ in range(3):
        jitted(x3())

    class Other:
        itemsize = 11

        def __init__(self, what):
            pass
    monkeypatch.setattr(np, "dtype", Other)
    assert (jitted(x3()).asnumpy() == (x3() * 11).asnumpy()).all()


def test_what_numpy_refuses_raises():
    def fn(x, what):
        return x + 1, np.dtype(what).name
    jitted = ms.jit(fn, mode="PIJit")
    for what in ("float32", "nonsense", "float32", "f4", ">f8", np.int64, int, object, 3):
        results = []
        for f in (fn, jitted):
            try:
                results.append(f(x3(), what)[1])
            except TypeError as error:
                results.append(str(error))
        assert results[0] == results[1]
