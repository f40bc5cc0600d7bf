"""Every operator on each of its samples: on the GPU as on the CPU, eager and captured, values and gradients."""
import numpy as np
import pytest

import msjit
from msjit import Tensor
from test_op_matrix import CASES, ROWS, attributes, call, function_of, inputs, tensors_of

TOLERANCE = {"float16": 4e-3, "bfloat16": 4e-2, "float32": 2e-5, "float64": 1e-9, "complex64": 2e-5, "complex128": 1e-9}
FIXED = [(name, index) for name, index in CASES if "random" not in ROWS[name]["traits"]]


def moved(tensors):
    return [t.move_to("GPU") for t in tensors]


def as_list(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]


def check(got, want, where="GPU:0", exact=False):
    """`exact`: the same bits, as what is computed element by element has."""
    assert len(got) == len(want)
    for g, w in zip(got, want):
        assert g.dtype == w.dtype and g.shape == w.shape
        assert where is None or g.device == where
        tolerance = 0 if exact else TOLERANCE.get(w.dtype.name, 0)
        a, b = g.asnumpy(), w.asnumpy()
        scale = np.abs(b[np.isfinite(b)]).max(initial=1) if tolerance else 1
        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance * scale)


@pytest.mark.parametrize("name, index", FIXED, ids=lambda v: str(v))
def test_value(name, index):
    attrs, tensors = attributes(ROWS[name]["samples"][index]), tensors_of(inputs(name, index))
    if not tensors:
        want = call(name, [], attrs)
        msjit.set_context(device_target="GPU")
        return check(call(name, [], attrs), want)
    there = moved(tensors)
    want = call(name, tensors, attrs)
    check(call(name, there, attrs), want, exact="elementwise" in ROWS[name]["traits"])
    check(there, tensors)  # what in-place operators write


@pytest.mark.parametrize("name, index", FIXED[::3], ids=lambda v: str(v))
def test_gradient(name, index):
    row, arrays = ROWS[name], inputs(name, index)
    floats = tuple(i for i, (_, d) in enumerate(arrays) if "float" in d)
    if not floats or "in_place" in row["traits"] or not row["differentiable"]:
        pytest.skip("nothing to differentiate")
    step = msjit.grad(function_of(name, attributes(row["samples"][index])), floats)
    tensors = tensors_of(arrays)
    check(as_list(step(*moved(tensors))), as_list(step(*tensors)))


@pytest.mark.jit
@pytest.mark.parametrize("name, index", FIXED[1::3], ids=lambda v: str(v))
def test_captured(name, index):
    attrs, tensors = attributes(ROWS[name]["samples"][index]), tensors_of(inputs(name, index))
    if not tensors:
        pytest.skip("no tensor says where")
    captured = msjit.jit(function_of(name, attrs), mode="PIJit")
    want = call(name, tensors_of(inputs(name, index)), attrs)
    for _ in range(2):
        check(as_list(captured(*moved(tensors_of(inputs(name, index))))), list(want))


def test_views_of_any_layout():
    x = Tensor(np.arange(2 * 3 * 4 * 5, dtype=np.float32).reshape(2, 3, 4, 5))
    y = x.move_to("GPU")
    for make in (lambda t: t.transpose(3, 1, 0, 2), lambda t: t[:, ::2, 1:, ::-1], lambda t: t[1, :, None], lambda t: t.swapaxes(1, 2).reshape(6, 20),
                 lambda t: t.transpose(3, 2, 1, 0) + t.transpose(3, 2, 1, 0)[:1], lambda t: t[:, 1].sum(-1)):
        check([make(y)], [make(x)])


def test_dtypes_are_copied_bit_by_bit():
    for dtype in ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "float32", "float64", "complex64", "complex128"):
        array = np.frombuffer(bytes(range(240)), "uint8").reshape(-1)
        array = (array > 100).reshape(10, 24) if dtype == "bool" else array.view(dtype).reshape(5, -1)
        t = Tensor(array).move_to("GPU")
        assert t.asnumpy().tobytes() == array.tobytes()
        assert t.T.asnumpy().tobytes() == array.T.copy().tobytes()
