"""complex64 and complex128: values against NumPy, and PIJit and PSJit against eager runs."""
import numpy as np
import pytest

import msjit as ms
from msjit import Tensor, mint, ops

DTYPES = ["complex64", "complex128"]
NUMBERS = np.array([[1 + 2j, 3 - 1j, -2 + 0.5j], [0.25 - 1.5j, -1 - 1j, 2 + 0.75j]])
OTHERS = np.array([[0.5 - 1j, 2 + 1j, 1 + 0.25j], [1.5 + 0.5j, -0.75 + 2j, 1 - 2j]])
TOLERANCE = {"complex64": 2e-6, "float32": 2e-6, "complex128": 1e-13, "float64": 1e-13}
UNARY = {
    "neg": np.negative, "square": np.square, "sqrt": np.sqrt, "rsqrt": lambda x: 1 / np.sqrt(x), "exp": np.exp,
    "log": np.log, "log1p": np.log1p, "expm1": np.expm1, "sin": np.sin, "cos": np.cos, "tan": np.tan, "sinh": np.sinh,
    "cosh": np.cosh, "tanh": np.tanh, "asin": np.arcsin, "acos": np.arccos, "atan": np.arctan, "asinh": np.arcsinh,
    "acosh": np.arccosh, "atanh": np.arctanh, "reciprocal": np.reciprocal, "conj": np.conj,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)), "log2": np.log2, "log10": np.log10, "exp2": np.exp2,
}
BINARY = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "pow": np.power}
modes = pytest.mark.parametrize("mode", [None, "PIJit", "PSJit"])


def jitted(fn, mode):
    return fn if mode is None else ms.jit(fn, mode=mode)


def close(got, want, dtype=None):
    got, want = got.asnumpy(), np.asarray(want)
    assert got.shape == want.shape and (dtype is None or got.dtype == dtype)
    tolerance = TOLERANCE[got.dtype.name] * max(1, np.abs(want).max())
    np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def unary(name):
    function = getattr(ops, name)

    def run(x):
        return function(x)
    return run


# -- making, printing, converting ------------------------------------------------------------------------------------------

def test_made_of_python_numbers():
    assert Tensor(1j).dtype == ms.complex128 and Tensor([1j, 2]).dtype == ms.complex128
    assert Tensor([1.5, 2j], ms.complex64).tolist() == [1.5 + 0j, 2j]
    assert Tensor(3, ms.complex64).item() == 3 + 0j and isinstance(Tensor(2j).item(), complex)
    assert Tensor(np.complex64(2j)).dtype == ms.complex64
    assert bool(Tensor(2j)) and not bool(Tensor(0j))
    for convert in (int, float):
        with pytest.raises(TypeError):
            convert(Tensor(2j))


@pytest.mark.parametrize("dtype", DTYPES)
def test_text_is_mindspores(dtype):
    name = str(getattr(ms, dtype))
    assert name == dtype.capitalize() and repr(getattr(ms, dtype)) == "msjit." + dtype
    t = Tensor(np.array([1.123456789 + 2e-10j, -1234567.5 - 0j, 1e20j], dtype))
    assert repr(t).startswith("Tensor(shape=[3], dtype=%s, value= [1.12346+2e-10j, -1.23457e+06" % name)
    assert repr(t).endswith("0+1e+20j])")
    t = Tensor(np.array([[1 + 2j, 30 - 1j], [-2, 4.5]], dtype))
    assert repr(t) == "Tensor(shape=[2, 2], dtype=%s, value=\n[[1+2j, 30-1j],\n [-2+0j, 4.5+0j]])" % name
    assert str(t) == str(t.asnumpy())


@pytest.mark.parametrize("dtype", DTYPES)
def test_numpy_and_buffers(dtype):
    values = NUMBERS.astype(dtype)
    t = Tensor(values)
    assert t.dtype is getattr(ms, dtype) and t.asnumpy().dtype == dtype and t.itemsize == values.itemsize
    np.testing.assert_array_equal(t.asnumpy(), values)
    np.testing.assert_array_equal(np.asarray(memoryview(t)), values)
    np.testing.assert_array_equal(Tensor(values[:, ::-1]).asnumpy(), values[:, ::-1])
    np.testing.assert_array_equal(Tensor(values.astype(values.dtype.newbyteorder())).asnumpy(), values)
    np.testing.assert_array_equal(np.from_dlpack(t) if hasattr(np, "from_dlpack") else values, values)
    np.testing.assert_array_equal(ms.from_dlpack(ms.to_dlpack(t)).asnumpy(), values)


def test_conversions_are_mindspores():
    c = Tensor(np.array([1.5 + 2j, -3 - 1j, 2j], "complex64"))
    assert c.astype(ms.float32).tolist() == [1.5, -3, 0] and c.astype(ms.int32).tolist() == [1, -3, 0]
    assert c.astype(ms.bool_).tolist() == [True, True, True]
    assert c.astype(ms.complex128).dtype == ms.complex128
    assert Tensor([1, 0]).astype(ms.complex64).tolist() == [1, 0]
    assert Tensor([True]).astype(ms.complex128).tolist() == [1 + 0j]
    assert ms.dtype_to_nptype(ms.complex64) is np.complex64 and ms.dtype_to_pytype(ms.complex128) is complex
    assert ms.pytype_to_dtype(complex) == ms.complex128


def test_asked_about_the_dtype():
    assert ops.is_complex(Tensor(1j)) and not ops.is_complex(Tensor(1.0)) and Tensor(1j).is_complex()
    assert not Tensor(1j).is_floating_point() and ms.complex64.is_complex and not ms.float32.is_complex
    assert ops.isreal(Tensor([1j, 1])).tolist() == [False, True]
    with pytest.raises(TypeError):
        ops.is_complex(1)


@pytest.mark.parametrize("a, b, want", [
    ("complex64", "bool_", "complex64"), ("complex64", "uint8", "complex64"), ("complex64", "int64", "complex64"),
    ("complex64", "float16", "complex64"), ("complex64", "bfloat16", "complex64"), ("complex64", "float32", "complex64"),
    ("complex64", "float64", "complex128"), ("complex64", "complex128", "complex128"),
    ("complex128", "float32", "complex128"), ("complex128", "int8", "complex128")])
def test_promotion(a, b, want):
    x, y = Tensor([1, 2]).astype(getattr(ms, a)), Tensor([1, 0]).astype(getattr(ms, b))
    assert (x + y).dtype == (y + x).dtype == getattr(ms, want)
    for number in (2, 2.5, True):
        assert (x * number).dtype == (number - x).dtype == x.dtype


# -- values ----------------------------------------------------------------------------------------------------------------

@modes
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(UNARY))
def test_unary(name, dtype, mode):
    values = NUMBERS.astype(dtype)
    run = jitted(unary(name), mode)
    for _ in range(2):
        close(run(Tensor(values)), UNARY[name](values), dtype)
    assert run(Tensor(values)).asnumpy().tobytes() == getattr(ops, name)(Tensor(values)).asnumpy().tobytes()


def binary(name):
    function = getattr(ops, name)

    def run(x, y):
        return function(x, y)
    return run


@modes
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", sorted(BINARY))
def test_binary(name, dtype, mode):
    run = jitted(binary(name), mode)
    x, y = NUMBERS.astype(dtype), OTHERS.astype(dtype)
    close(run(Tensor(x), Tensor(y)), BINARY[name](x, y), dtype)
    close(run(Tensor(x).T, Tensor(y[0, 0])), BINARY[name](x.T, y[0, 0]), dtype)
    close(run(Tensor(x), Tensor(np.array([1.5, 2, 3], "float32"))), BINARY[name](x, np.array([1.5, 2, 3])), dtype)


def test_many_elements_in_any_layout():
    rng = np.random.RandomState(0)
    for dtype in DTYPES:
        x = (rng.rand(70, 300) + 1j * rng.rand(70, 300)).astype(dtype)
        r = rng.rand(300, 70).astype("float32")
        close(Tensor(x).T * Tensor(r), x.T * r)
        close(Tensor(x)[::2, 1:] + 1, x[::2, 1:] + 1)
        close(ops.where(Tensor(r.T > 0.5), Tensor(x), 2), np.where(r.T > 0.5, x, 2))
        np.testing.assert_array_equal((Tensor(x) == Tensor(x[:, :1])).asnumpy(), x == x[:, :1])


def test_abs_and_sign_stay_complex_as_in_mindspore():
    close(ops.abs(Tensor(NUMBERS)), np.abs(NUMBERS).astype("complex128"), "complex128")
    close(ops.sign(Tensor([3 + 4j, 0j])), [0.6 + 0.8j, 0])
    close(ops.ComplexAbs()(Tensor(NUMBERS)), np.abs(NUMBERS), "float64")
    with pytest.raises(TypeError):
        ops.ComplexAbs()(Tensor([1.0]))


def test_truth_and_comparison():
    c = Tensor([1j, 0, 2])
    assert ops.logical_not(c).tolist() == [False, True, False] and (~c).tolist() == [False, True, False]
    assert ops.logical_and(c, Tensor([True, True, False])).tolist() == [True, False, False]
    assert (c == 2).tolist() == [False, False, True] and (c != 1j * 1).__class__ is bool
    assert ops.any(c).item() is True and ops.all(c).item() is False


@pytest.mark.parametrize("dtype", DTYPES)
def test_parts(dtype):
    values = NUMBERS.astype(dtype)
    part = "float32" if dtype == "complex64" else "float64"
    t = Tensor(values)
    close(ops.real(t), values.real, part)
    close(ops.imag(t), values.imag, part)
    close(ops.angle(t), np.angle(values), part)
    close(ops.view_as_real(t), np.stack([values.real, values.imag], -1), part)
    close(ops.Complex()(t.real(), t.imag()), values, dtype)
    close(ops.complex(t.real().T, t.imag().T), values.T, dtype)
    close(ops.polar(ops.Real()(ops.Abs()(t)), t.angle()), values, dtype)
    close(mint.polar(mint.real(ops.abs(t)), ops.Angle()(t)), values, dtype)
    np.testing.assert_array_equal(t.T[1:].imag().asnumpy(), values.T[1:].imag)
    assert ops.imag(Tensor([1.5])).tolist() == [0] and ops.real(Tensor([1.5])).tolist() == [1.5]
    assert ops.conj(Tensor([1, 2])).dtype == ms.int64
    close(ops.adjoint(t), values.conj().T)


@modes
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shapes", [((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (2, 3, 2)),
                                    ((2, 1, 4, 3), (5, 3, 2)), ((70, 90), (90, 80)), ((2, 0), (0, 3))])
def test_matmul(shapes, dtype, mode):
    rng = np.random.RandomState(1)
    a, b = ((rng.rand(*s) + 1j * rng.rand(*s)).astype(dtype) for s in shapes)
    close(jitted(binary("matmul"), mode)(Tensor(a), Tensor(b)), a @ b, dtype)
    if len(shapes[0]) == len(shapes[1]) == 2:
        close(ops.MatMul(transpose_a=True)(Tensor(np.ascontiguousarray(a.T)), Tensor(b)), a @ b)
        close(ops.MatMul(transpose_b=True)(Tensor(a), Tensor(np.ascontiguousarray(b.T))), a @ b)
        close(ops.bmm(Tensor(a[None]), Tensor(b[None])), (a @ b)[None])


@pytest.mark.parametrize("dtype", DTYPES)
def test_sums(dtype):
    rng = np.random.RandomState(2)
    x = (rng.rand(40, 130) + 1j * rng.rand(40, 130)).astype(dtype)
    for axis in (None, 0, 1, (0, 1)):
        close(ops.sum(Tensor(x), axis), x.sum(axis), dtype)
        close(ops.mean(Tensor(x), axis), x.mean(axis), dtype)
    close(ops.prod(Tensor(x[:4]), 0), x[:4].prod(0), dtype)
    close(ops.cumsum(Tensor(x), 1), x.cumsum(1), dtype)
    close(ops.cumprod(Tensor(x[:5]), 0), x[:5].cumprod(0), dtype)


def test_norms_and_layers():
    for dtype in DTYPES:
        x = NUMBERS.astype(dtype)
        for got, want in ((ops.norm(Tensor(x)), np.linalg.norm(x)), (ops.norm(Tensor(x), dim=1), np.linalg.norm(x, axis=1)),
                          (ops.norm(Tensor(x), "fro"), np.linalg.norm(x)), (ops.norm(Tensor(x), 1, 1), np.abs(x).sum(1))):
            close(got, np.asarray(want, dtype), dtype)  # complex, as in MindSpore
        bias = OTHERS[0, :2].astype(dtype)
        close(ops.dense(Tensor(x), Tensor(OTHERS[:, :3].astype(dtype)), Tensor(bias)), x @ OTHERS[:, :3].T + bias, dtype)
        close(ops.dense(Tensor(x), Tensor(OTHERS.astype(dtype))), x @ OTHERS.T, dtype)
    close(ops.full((2,), 1 - 2j, dtype=ms.complex64), [1 - 2j] * 2, "complex64")
    close(ops.full_like(Tensor([1j]), 2j), [2j], "complex128")
    close(ops.xlogy(Tensor(NUMBERS), Tensor(OTHERS)), NUMBERS * np.log(OTHERS))


MOVES = {
    "concat": lambda x: ops.concat((x, x * 2), 1), "stack": lambda x: ops.stack([x, x], 1), "tile": lambda x: ops.tile(x, (2, 3)),
    "split": lambda x: ops.split(x, 1, 0)[1], "unbind": lambda x: ops.unbind(x, 1)[2], "flip": lambda x: ops.flip(x, (0, 1)),
    "roll": lambda x: ops.roll(x, 1, 1), "pad": lambda x: ops.pad(x, (1, 2)), "gather": lambda x: ops.gather(x, Tensor([1, 0]), 0),
    "gather_d": lambda x: ops.gather_d(x, 1, Tensor([[0], [2]])), "broadcast": lambda x: ops.broadcast_to(x, (2, 2, 3)),
    "slice": lambda x: x[:, ::-2], "index": lambda x: x[Tensor([1, 0, 1])], "mask": lambda x: x[ops.real(x) > 0],
    "repeat": lambda x: ops.repeat_interleave(x, 2, 0), "tril": ops.tril, "triu": ops.triu, "copy": lambda x: x.copy(),
    "reshape": lambda x: x.reshape(3, 2), "transpose": lambda x: x.T, "diag": lambda x: ops.diag(x[0]),
    "masked_fill": lambda x: ops.masked_fill(x, ops.real(x) > 0, Tensor(0, x.dtype)),
    "ones_like": lambda x: ops.ones_like(x) + ops.zeros_like(x), "full": lambda x: ops.full((2,), 3, dtype=x.dtype),
    "eye": lambda x: ops.eye(2, 3, x.dtype), "select": lambda x: ops.select(ops.real(x) > 0, x, -x),
}


@pytest.mark.parametrize("name", sorted(MOVES))
def test_moving_elements_goes_part_by_part(name):
    """Operators that only move elements treat complex numbers as they treat their parts."""
    t = Tensor(NUMBERS.astype("complex64"))
    got = MOVES[name](t)
    assert got.dtype == ms.complex64
    if name not in ("mask", "masked_fill", "select", "ones_like", "full", "eye"):
        close(ops.real(got), MOVES[name](ops.real(t)).asnumpy())
        close(ops.imag(got), MOVES[name](ops.imag(t)).asnumpy())
    wide = MOVES[name](Tensor(NUMBERS))
    assert wide.dtype == ms.complex128
    close(wide.astype(ms.complex64), got.asnumpy())


def test_written_to():
    x = Tensor(NUMBERS.astype("complex64"))
    x[0, 1] = Tensor(5 - 5j, ms.complex64)
    x[1] = Tensor([1j, 2j, 3j], ms.complex64)
    x[:, 2] = 7
    want = NUMBERS.copy()
    want[0, 1], want[1], want[:, 2] = 5 - 5j, [1j, 2j, 3j], 7
    close(x, want)
    p = ms.Parameter(Tensor([1j, 2]), name="p")
    ops.assign_add(p, Tensor([1, 1j]))
    assert p.tolist() == [1 + 1j, 2 + 1j]


# -- regions, files, errors ------------------------------------------------------------------------------------------------

def mixed(x, y):
    z = ops.exp(x * y) + ops.conj(x)
    r = ops.real(z) * 2.0 + ops.imag(z)
    return z / (1 + ops.abs(x)), ops.tanh(r) * r, ops.sum(z, 0)


@modes
def test_complex_and_real_operators_in_one_region(mode):
    x, y = Tensor(NUMBERS.astype("complex64")), Tensor(OTHERS.astype("complex64"))
    run = jitted(mixed, mode)
    for _ in range(3):
        for got, want in zip(run(x, y), mixed(x, y)):
            assert got.dtype == want.dtype
            np.testing.assert_allclose(got.asnumpy(), want.asnumpy(), rtol=1e-6, atol=1e-6)


def branching(x, n):
    while ops.real(ops.sum(x * ops.conj(x))) < n:
        x = x * 1.5
    return x + 1 if ops.imag(x)[0] > 0 else x


@modes
def test_loops_on_complex_values(mode):
    run = jitted(branching, mode)
    for start in ([0.1 + 0.2j, 1], [0.1 - 0.2j, 1j]):
        close(run(Tensor(start), 50), branching(Tensor(start), 50).asnumpy())


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_saved_and_loaded(tmp_path, format):
    if format == "safetensors":
        pytest.importorskip("safetensors")
    path = str(tmp_path / ("c." + format))
    ms.save_checkpoint([{"name": "c", "data": Tensor(NUMBERS)}, {"name": "d", "data": Tensor(NUMBERS.astype("complex64"))}],
                       path, format=format)
    found = ms.load_checkpoint(path, format=format)
    for name, dtype in (("c", "complex128"), ("d", "complex64")):
        np.testing.assert_array_equal(found[name].asnumpy(), NUMBERS.astype(dtype))
        assert found[name].asnumpy().dtype == dtype


REFUSED = {
    "less": lambda c: c < c, "greater": lambda c: ops.greater(c, 1), "maximum": lambda c: ops.maximum(c, c),
    "relu": ops.relu, "floor": ops.floor, "sort": ops.sort, "argmax": ops.argmax, "bitwise_and": lambda c: c & c,
    "mod": lambda c: c % 2, "floor_div": lambda c: c // 2, "erf": ops.erf, "isnan": ops.isnan, "topk": lambda c: ops.topk(c, 1),
    "round": ops.round, "times a complex number": lambda c: c * 1j, "clip": lambda c: ops.clip(c, 1, 2),
    "atan2": lambda c: ops.atan2(c, c), "softmax": ops.softmax, "var": ops.var, "std": ops.std, "cov": ops.cov, "index": lambda c: Tensor([1, 2])[c],
}


@pytest.mark.parametrize("name", sorted(REFUSED))
def test_refused(name):
    c = Tensor(np.array([1 + 2j, 3], "complex64"))
    kinds = []
    for run in (REFUSED[name], ms.jit(REFUSED[name], mode="PIJit")):
        with pytest.raises((TypeError, IndexError)) as caught:
            run(c)
        kinds.append((type(caught.value), str(caught.value)))
    assert kinds[0] == kinds[1]


def test_bad_parts():
    for function in (ops.complex, ops.polar, ops.Complex()):
        with pytest.raises(TypeError):
            function(Tensor([1]), Tensor([1]))
        with pytest.raises(TypeError):
            function(Tensor([1.0]), Tensor([1.0], ms.float64))
        with pytest.raises(ValueError):
            function(Tensor([1.0, 2, 3]), Tensor([1.0, 2]))
    with pytest.raises(TypeError):
        ops.view_as_real(Tensor([1.0]))
