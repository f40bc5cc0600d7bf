"""x[...] and x[...] = v against NumPy."""
import numpy as np
import pytest

import msjit
from msjit import Tensor

A = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
KEYS = [
    "0", "-1", "1, 2", "1, 2, 3", "...", "()", "None", ":", "0:1", "::2", "::-1", ":, ::-1", ":, 1:", "..., 0", "..., None", "None, 0",
    "0, ..., 1", ":, None, 1", "1:1", "5:", "-2:", "::-2", ":, 5:0:-2", "True", "0, None, :, None", "..., ::-1",
    "[0, 1]", "[1]", "[[0, 1], [1, 0]]", "np.array([1, 0])", ":, [0, 2]", "..., [3, 0]", "[0, 1], [1, 2]", "[0, 1], :, [1, 2]",
    "[0, 1], ..., 1", "0, [0, 2]", ":, 1, [0, 3]", ":, [0, 2], 1", "[[0], [1]], [0, 2]", "[-1, -2]", "[], 0", "A > 5", "A[:, :, 0] > 5",
    "[True, False]", "0, [True, False, True]", ":, [True, False, True]", "[True, True], [1, 2]", "A > 100", "np.int64(1)", "np.array(1)",
    "None, [0, 1]", "[0, 1], None, [1, 2]", "::-1, [0, 2], ::2", "slice(None, None, None), -1", "[0, 1], [0, 1], [0, 1]",
]


def to_tensor(key):
    if isinstance(key, tuple):
        return tuple(to_tensor(k) for k in key)
    return Tensor(key) if isinstance(key, np.ndarray) else key


def numpy_key(text):
    return eval("np.index_exp[%s]" % text if text != "()" else "()", {"np": np, "A": A})


@pytest.mark.parametrize("text", KEYS)
def test_get(text):
    key = numpy_key(text)
    if isinstance(key, tuple) and len(key) == 1:
        key = key[0]
    if text == "[], 0":
        key = (np.array([], int), 0)
    want = A[np.array(key) if isinstance(key, list) else key]  # NumPy before 1.23 reads a nested list as a tuple
    for variant in (key, to_tensor(key)):
        got = Tensor(A)[variant]
        assert got.shape == want.shape and got.dtype is msjit.float32
        np.testing.assert_array_equal(got.asnumpy(), want)


@pytest.mark.parametrize("text", KEYS)
def test_get_gradient(text):
    key = numpy_key(text)
    x = Tensor(A)
    x.requires_grad = True
    y = x[to_tensor(key)]
    (y * y).sum().backward()
    want = np.zeros_like(A)
    np.add.at(want, key if text != "[], 0" else (np.array([], int), 0), 2 * (A[key] if text != "[], 0" else np.zeros((0, 4))))
    np.testing.assert_allclose(x.grad.asnumpy(), want)


@pytest.mark.parametrize("text", [k for k in KEYS if k not in ("[], 0", "[[0, 1], [1, 0]]")])
@pytest.mark.parametrize("value", ["number", "full", "row"])
def test_set(text, value):
    key, want = numpy_key(text), A.copy()
    shape = want[key].shape
    v = {"number": -1, "full": np.asarray(np.random.rand(*shape), np.float32), "row": np.asarray(np.random.rand(*shape[-1:]), np.float32)}[value]
    want[key] = v
    for variant in (key, to_tensor(key)):
        x = Tensor(A)
        alias = x
        x[variant] = v if value == "number" else Tensor(v)
        np.testing.assert_array_equal(alias.asnumpy(), want)
    x = Tensor(A)
    x[key] = v  # NumPy arrays are values too
    np.testing.assert_array_equal(x.asnumpy(), want)


@pytest.mark.parametrize("text", ["0", "..., 1", "::-1", "[0, 1], :, [1, 2]", "A > 5"])
def test_set_gradient(text):
    key = numpy_key(text)
    leaf, v = Tensor(A), Tensor(np.full(A[key].shape, 2, np.float32))
    leaf.requires_grad = v.requires_grad = True
    x = leaf * 1
    x[key] = v * 3
    (x * x).sum().backward()
    want = 2 * A
    want[key] = 0
    np.testing.assert_allclose(leaf.grad.asnumpy(), want)
    np.testing.assert_allclose(v.grad.asnumpy(), np.full(A[key].shape, 36.0))
    assert leaf.tolist() == A.tolist()


def test_views_share_memory():
    x = Tensor(A)
    x[0][1][2] = 50
    assert x[0, 1, 2].item() == 50
    row = x[1]
    row[...] = 0
    assert x[1].sum().item() == 0


def test_set_from_itself():
    x = Tensor(np.arange(6))
    x[1:] = x[:-1]
    assert x.tolist() == [0, 0, 1, 2, 3, 4]


def test_set_converts():
    x = Tensor([1, 2, 3])
    x[0] = 1.9
    x[1] = True
    assert x.tolist() == [1, 1, 3]


def test_write_to_view_of_noncontiguous():
    x = Tensor(A)
    x.T[0] = 7
    want = A.copy()
    want.T[0] = 7
    np.testing.assert_array_equal(x.asnumpy(), want)


def test_zero_dimensions():
    x = Tensor(5)
    assert x[()].item() == 5 and x[None].shape == (1,) and x[...].shape == ()
    x[()] = 6
    assert x.item() == 6


@pytest.mark.parametrize("key, kind, text", [
    (5, IndexError, r"\[getitem\] index of dimension 0, got 5, expected one in \[-2, 2\)"),
    ((0, 0, 0, 0), IndexError, r"number of indices, got 4, expected at most 3"),
    ((..., ...), IndexError, "number of ellipses, got 2"),
    (1.5, IndexError, r"\[getitem\] index, got float"),
    ("a", IndexError, r"\[getitem\] index, got str"),
    ([5], IndexError, "value of an index tensor, got 5"),
    ([-3], IndexError, "value of an index tensor, got -3"),
    (([0, 1], [0, 1, 2]), IndexError, "shapes of the index tensors"),
    ([True], IndexError, "shape of a bool index"),
    ([1.5], IndexError, "dtype of an index tensor, got float32"),
    (slice(None, None, 0), ValueError, "slice step, got 0"),
    (slice("a", None), TypeError, "bound of a slice, got str"),
    (2**70, IndexError, "beyond 64 bits"),
    ((None,) * 6, ValueError, "dimensions of the result, got 9"),
])
def test_errors(key, kind, text):
    x = Tensor(A)
    with pytest.raises(kind, match=text):
        x[key]
    with pytest.raises(kind):
        x[key] = 1
    np.testing.assert_array_equal(x.asnumpy(), A)


@pytest.mark.parametrize("mode", [lambda f: f, lambda f: msjit.jit(f, mode="PIJit")])
def test_slices_of_any_size(mode):
    """Bounds and steps beyond what fits in a machine word, or nearly, mean what they mean to a list."""
    array = np.arange(5, dtype=np.float32)
    many = [None, 0, 3, -2, 2**62, 2**63 - 1, 2**63, 2**70, -2**63, -2**63 - 1, -2**70]
    for start in many:
        for stop in many:
            for step in (None, 1, -1, 2**63 - 1, 2**63, 2**70, -2**63, -2**70):
                key = slice(start, stop, step)
                x, want = Tensor(array), array.copy()
                assert mode(lambda x: x[key])(x).tolist() == want[key].tolist(), key
                x[key], want[key] = 9, 9
                assert x.tolist() == want.tolist(), key


def test_set_errors():
    x = Tensor(A)
    for value in ("a", None, {}, object()):
        with pytest.raises(TypeError, match=r"\[setitem\] value, got"):
            x[0] = value
    with pytest.raises(ValueError):
        x[0] = [1, 2]
    with pytest.raises(TypeError, match=r"\[setitem\] deletion"):
        del x[0]
    with pytest.raises(TypeError):
        Tensor(1)[0:1] if len(Tensor(1)) else None
